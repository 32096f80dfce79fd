//! `rulesmith playouts`: random contests, their length and their goals.

use std::sync::Arc;

use rulesmith_game::{Error, Game, RoleId};
use rulesmith_player::{
    ContestPlan, Crew, Done, EngineGame, EngineKind, NativeGame, OwnGame, Played, play_contests,
};
use serde::Serialize;

use crate::args::PlayoutsArgs;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::{ByRole, SCHEMA, counted};
use crate::ready::{Ready, Stages, ready};
use crate::watched::Watched;
use crate::words::plain;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct PlayoutsJson {
    schema: u32,
    game: String,
    playouts: u64,
    states: u64,
    seconds: f64,
    mean_length: Option<f64>,
    mean_goals: ByRole<Option<f64>>,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Stages>,
}

/// Without `--seconds` and `--count`, this long.
const DEFAULT_SECONDS: f64 = 1.0;

pub(super) fn run(front: &mut Front, args: &PlayoutsArgs) -> anyhow::Result<()> {
    let ready = ready(front, &args.game.game, &args.game.options, EngineKind::Native)?;
    let (position, stop) = (args.position.as_deref(), front.interrupt.stop.clone());
    match ready.game() {
        EngineGame::Reference(game) => {
            let state = open::start(game, position).map_err(Failure::from)?;
            let (source, kind) = (&ready.source, ready.prepared.kind);
            let make = || Ready::own_game(source, kind, (&stop, position));
            let crew = Crew { game, state: &state, make: &make, threads: args.threads };
            play(front, args, &ready, &crew)
        }
        EngineGame::Native(game) => {
            let state = open::start(game, position).map_err(Failure::from)?;
            let native = game.native();
            let make = || -> Result<OwnGame<NativeGame>, Error> {
                Ok((Box::new(Arc::clone(native)), state.clone()))
            };
            let crew = Crew { game: &**native, state: &state, make: &make, threads: args.threads };
            play(front, args, &ready, &crew)
        }
    }
}

/// Plays until the count is full or the time is over, and shows the sums.
fn play<G: Game>(
    front: &mut Front,
    args: &PlayoutsArgs,
    ready: &Ready,
    crew: &Crew<'_, G>,
) -> anyhow::Result<()> {
    let seconds = match (args.seconds, args.count) {
        (None, Some(_)) => f64::INFINITY,
        (seconds, _) => seconds.unwrap_or(DEFAULT_SECONDS),
    };
    let plan = ContestPlan { seed: args.seed, count: args.count, max_length: args.max_steps };
    let words = |done: Done| format!("{} playouts, {} states", done.contests, done.states);
    let mut watched = Watched::new(front, seconds, &words);
    let played = play_contests(crew, &plan, &watched);
    watched.clear();
    let seconds = watched.seconds();
    let roles = crew.game.roles().iter().enumerate();
    let goals = roles.map(|(at, name)| (name.clone(), played.sums.mean_goal(RoleId(at))));
    let result = PlayoutsJson {
        schema: SCHEMA,
        game: ready.theory().instance_name(),
        playouts: played.sums.playouts,
        states: played.sums.turns + played.cut_turns,
        seconds,
        mean_length: played.sums.mean_length(),
        mean_goals: ByRole(goals.collect()),
        engine: ready.engine(),
        fallback: ready.fallback(),
        stages: args.stages.then_some(ready.stages),
    };
    if args.json {
        front.output.json(&result)?;
    } else {
        print(front, args, &result, &played)?;
    }
    match played.error {
        // The time that was asked for is over; nobody has interrupted anything.
        Some(Error::Interrupted) if front.interrupt.flow().is_continue() => Ok(()),
        Some(error) => Err(Failure::from(front.interrupt.explain(error)).into()),
        None => Ok(()),
    }
}

fn print(
    front: &mut Front,
    args: &PlayoutsArgs,
    result: &PlayoutsJson,
    played: &Played,
) -> anyhow::Result<()> {
    let output = &mut front.output;
    output.line(format_args!("game         {}", plain(&result.game)))?;
    output.line(format_args!("playouts     {}", result.playouts))?;
    if played.sums.capped > 0 {
        let steps = counted(usize::try_from(args.max_steps).unwrap_or(usize::MAX), "turn");
        output
            .line(format_args!("  of these {} were stopped after {steps}", played.sums.capped))?;
    }
    output.line(format_args!("states       {}", result.states))?;
    output.line(format_args!("seconds      {:.3}", result.seconds))?;
    output.line(format_args!("mean length  {}", shown(result.mean_length)))?;
    for (role, mean) in &result.mean_goals.0 {
        output.line(format_args!("mean goal    {} {}", plain(role), shown(*mean)))?;
    }
    if let Some(stages) = &result.stages {
        output.line(format_args!("stages, ms   {}", stages.text()))?;
    }
    Ok(())
}

fn shown(mean: Option<f64>) -> String {
    mean.map_or("none".to_owned(), |mean| format!("{mean:.2}"))
}
