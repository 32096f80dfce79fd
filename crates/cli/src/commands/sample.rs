//! `rulesmith sample`: states of random contests, with their legal moves and where these lead.
//!
//! In: a game, a seed and states to start from. Out: so many states, one a line; the same for the same seed
//! and engine (engines list moves in orders of their own). Invariant: drawing rules end no contest unless that is asked for, as in `perft`.

use rulesmith_game::{Draws, Game, JointMove, JointMoves, MoveStyle, Notation, Random, joint_text};
use rulesmith_player::{EngineGame, EngineKind};
use serde::Serialize;

use super::go_on;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::SCHEMA;
use crate::ready::ready;
use crate::sample_args::SampleArgs;
use crate::words::plain;

/// What `--json` prints for each state.
#[derive(Debug, Serialize)]
struct StateJson<'s> {
    schema: u32,
    game: &'s str,
    /// The engine that played, whichever was asked for.
    engine: &'static str,
    /// The text of the state that the contest started from; none for the initial one.
    start: Option<&'s str>,
    /// The moves that led here.
    moves: &'s [String],
    position: String,
    terminal: bool,
    legal: Vec<LegalJson>,
}

/// A legal move, and the state after it.
#[derive(Debug, Serialize)]
struct LegalJson {
    #[serde(rename = "move")]
    chosen: String,
    position: String,
}

pub(super) fn run(front: &mut Front, args: &SampleArgs) -> anyhow::Result<()> {
    let ready = ready(front, &args.game.game, &args.game.options, EngineKind::Reference)?;
    let (name, engine) = (ready.theory().instance_name(), ready.engine());
    match ready.game() {
        EngineGame::Reference(game) => sample(front, args, (&name, engine), game),
        EngineGame::Native(game) => sample(front, args, (&name, engine), game),
    }
}

/// Plays contests until enough states are printed.
fn sample<G: Notation>(
    front: &mut Front,
    args: &SampleArgs,
    (name, engine): (&str, &'static str),
    game: &G,
) -> anyhow::Result<()> {
    let starts: Vec<Option<&str>> =
        std::iter::once(None).chain(args.position.iter().map(|text| Some(text.as_str()))).collect();
    let draws = if args.draws { Draws::Apply } else { Draws::Ignore };
    let (mut left, mut contest) = (args.states, 0);
    while left > 0 {
        let start = starts[usize::try_from(contest)? % starts.len()];
        let mut random = Random::of_contest(args.seed, contest);
        let mut state = open::start(game, start).map_err(Failure::from)?;
        let mut moves = Vec::new();
        // Contests are looked at from different turns on, but what was asked for is looked at itself.
        let is_first_round = usize::try_from(contest)? < starts.len();
        let stride = usize::try_from(args.stride)?;
        let first = if is_first_round { 0 } else { random.below(stride) };
        for turn in 0..usize::try_from(args.max_steps)? {
            go_on(front)?;
            let is_over = game.is_over(&state, draws).map_err(Failure::from)?;
            let choices = JointMoves::of(game, &state).map_err(Failure::from)?;
            let next = if is_over { None } else { choices.choose(&mut random) };
            if turn % stride == first || next.is_none() {
                let legal: Vec<_> = if is_over { Vec::new() } else { choices.collect() };
                print(
                    front,
                    args,
                    (game, &state, &legal),
                    &Story { name, engine, start, moves: &moves, is_over },
                )?;
                left -= 1;
            }
            let Some(joint) = next.filter(|_| left > 0) else { break };
            moves.push(joint_text(game, &state, &joint, MoveStyle::Short));
            game.apply(&mut state, &joint).map_err(Failure::from)?;
        }
        contest += 1;
    }
    Ok(())
}

/// How a state was reached.
struct Story<'s> {
    name: &'s str,
    engine: &'static str,
    start: Option<&'s str>,
    moves: &'s [String],
    is_over: bool,
}

/// A state with its legal moves.
type Sampled<'s, G> = (&'s G, &'s <G as Game>::State, &'s [JointMove<<G as Game>::Move>]);

fn print<G: Notation>(
    front: &mut Front,
    args: &SampleArgs,
    (game, state, legal): Sampled<'_, G>,
    story: &Story<'_>,
) -> anyhow::Result<()> {
    let text = |state: &G::State| game.fen_text(state).unwrap_or_else(|| game.state_text(state));
    if !args.json {
        return front.output.line(plain(&text(state)));
    }
    let mut listed = Vec::new();
    let mut after = state.clone();
    for joint in legal {
        let undo = game.apply(&mut after, joint).map_err(Failure::from)?;
        let chosen = joint_text(game, state, joint, MoveStyle::Short);
        listed.push(LegalJson { chosen, position: text(&after) });
        game.undo(&mut after, undo);
    }
    front.output.json(&StateJson {
        schema: SCHEMA,
        game: story.name,
        engine: story.engine,
        start: story.start,
        moves: story.moves,
        position: text(state),
        terminal: story.is_over,
        legal: listed,
    })
}
