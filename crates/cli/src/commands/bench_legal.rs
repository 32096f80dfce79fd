//! Time of a call for the legal moves, before and after partial evaluation.
//!
//! In: a game and some of its states as texts. Out: microseconds of processor time for one state: by the general theory, by the
//! specialised program interpreted, and by machine code. Paper: metagamer §2.2. Invariant: every call is about a state that nothing
//! was asked about before.

use rulesmith_game::{Game, Notation, RoleId};
use rulesmith_player::{EngineGame, EngineKind, ReferenceGame};
use serde::Serialize;

use super::go_on;
use crate::args::{Engine, GameOptions};
use crate::clock::ProcessorWatch;
use crate::exit::Failure;
use crate::open::Front;
use crate::ready::ready;

/// Microseconds for the legal moves of all roles in one state.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct LegalTimes {
    /// The rules as they read, by the reference solver.
    pub(super) reference: f64,
    /// The specialised program, interpreted.
    pub(super) interpreter: f64,
    /// Machine code; nothing where the game has none.
    pub(super) native: Option<f64>,
}

/// How often the states are asked about: the best round counts, since other work disturbs the others.
const ROUNDS: usize = 3;
/// How often in a row machine code is asked, whose calls are shorter than a clock can tell.
const REPEATED: u32 = 200;

/// Times the three ways of asking.
pub(super) fn time_legal(
    front: &mut Front,
    (before, after): (&ReferenceGame, &ReferenceGame),
    (game, options): (&str, &GameOptions),
    states: &[String],
) -> anyhow::Result<LegalTimes> {
    let reference = time_fresh(front, before, states)?;
    let interpreter = time_fresh(front, after, states)?;
    let options = GameOptions { engine: Some(Engine::Native), ..options.clone() };
    let ready = ready(front, game, &options, EngineKind::Native)?;
    let native = match ready.game() {
        EngineGame::Reference(_) => None,
        EngineGame::Native(game) => {
            let parsed = states.iter().map(|text| game.parse_state(text));
            let parsed = parsed.collect::<Result<Vec<_>, _>>().map_err(Failure::from)?;
            Some(time_native(front, &**game.native(), &parsed)?)
        }
    };
    Ok(LegalTimes { reference, interpreter, native })
}

/// Each state is read anew for every call: engines keep answers with the state they are about.
fn time_fresh(front: &Front, game: &ReferenceGame, states: &[String]) -> anyhow::Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        go_on(front)?;
        let mut seconds = 0.0;
        for text in states {
            let state = game.parse_state(text).map_err(Failure::from)?;
            let watch = ProcessorWatch::start();
            ask(game, &state)?;
            seconds += watch.seconds();
        }
        best = best.min(seconds);
    }
    Ok(mean_microseconds(best, states.len()))
}

fn time_native<G: Game>(front: &Front, game: &G, states: &[G::State]) -> anyhow::Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        go_on(front)?;
        let watch = ProcessorWatch::start();
        for state in states {
            for _ in 0..REPEATED {
                ask(game, state)?;
            }
        }
        best = best.min(watch.seconds());
    }
    Ok(mean_microseconds(best, states.len()) / f64::from(REPEATED))
}

fn ask<G: Game>(game: &G, state: &G::State) -> Result<(), Failure> {
    for role in (0..game.roles().len()).map(RoleId) {
        std::hint::black_box(game.legal_moves(state, role)?);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "times are shown to people, rounded")]
fn mean_microseconds(seconds: f64, n_states: usize) -> f64 {
    seconds * 1e6 / n_states.max(1) as f64
}
