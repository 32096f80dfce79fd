//! `rulesmith playouts`: random contests, their length and their goals.

use std::ops::ControlFlow;

use rulesmith_game::{Error, Game, PlayoutSums, Random, RoleId};
use serde::Serialize;

use crate::args::PlayoutsArgs;
use crate::clock::Stopwatch;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::{ByRole, SCHEMA, counted};
use crate::progress::Progress;
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
}

/// Without `--seconds` and `--count`, this long.
const DEFAULT_SECONDS: f64 = 1.0;

/// Contests played, and turns made in them; the last contest may have been broken off.
#[derive(Debug, Default)]
struct Played {
    sums: PlayoutSums,
    states: u64,
    stopped: Option<Error>,
}

pub(super) fn run(front: &mut Front, args: &PlayoutsArgs) -> anyhow::Result<()> {
    let opened = open::open(front, &args.game.game, &args.game.options)?;
    let state = opened.state(args.position.as_deref())?;
    let watch = Stopwatch::start();
    let played = play(front, args, &opened.game, &state)?;
    let seconds = watch.seconds();
    let roles = opened.game.roles().iter().enumerate();
    let goals = roles.map(|(at, name)| (name.clone(), played.sums.mean_goal(RoleId(at))));
    let result = PlayoutsJson {
        schema: SCHEMA,
        game: opened.theory().instance_name(),
        playouts: played.sums.playouts,
        states: played.states,
        seconds,
        mean_length: played.sums.mean_length(),
        mean_goals: ByRole(goals.collect()),
        engine: args.game.options.engine.name(),
    };
    if args.json {
        front.output.json(&result)?;
    } else {
        print(front, args, &result, &played)?;
    }
    match played.stopped {
        Some(error) => Err(Failure::from(front.interrupt.explain(error)).into()),
        None => Ok(()),
    }
}

/// Plays until the count is full or the time is over.
fn play<G: Game>(
    front: &Front,
    args: &PlayoutsArgs,
    game: &G,
    state: &G::State,
) -> Result<Played, Failure> {
    let watch = Stopwatch::start();
    let seconds = match (args.seconds, args.count) {
        (None, Some(_)) => f64::INFINITY,
        (seconds, _) => seconds.unwrap_or(DEFAULT_SECONDS),
    };
    let mut random = Random::new(args.seed);
    let mut played = Played::default();
    let mut progress = Progress::start();
    while played.sums.playouts < args.count.unwrap_or(u64::MAX) && watch.seconds() < seconds {
        let (states, playouts) = (&mut played.states, played.sums.playouts);
        let mut tick = || {
            if watch.seconds() >= seconds {
                return ControlFlow::Break(());
            }
            *states += 1;
            progress.show(|| format!("{playouts} playouts, {states} states"));
            front.interrupt.flow()
        };
        match game.random_contest(state, &mut random, args.max_steps, &mut tick) {
            Ok(contest) => played.sums.add(&contest),
            Err(Error::Interrupted) if front.interrupt.flow().is_continue() => break,
            Err(error @ (Error::Interrupted | Error::Limit { .. })) => {
                played.stopped = Some(error);
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    progress.clear();
    Ok(played)
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
    Ok(())
}

fn shown(mean: Option<f64>) -> String {
    mean.map_or("none".to_owned(), |mean| format!("{mean:.2}"))
}
