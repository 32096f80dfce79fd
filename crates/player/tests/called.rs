//! Games whose predicates are called rather than unfolded, state by state against the reference engine.
//!
//! Programs call predicates where unfolding would make too many bodies of them (`specialize::spread`), as in most generated
//! games. Here library games are made so that are small enough to be unfolded, since they ask for more: moves that are judged
//! by the state after them, counts, turns of several steps. `CALLED_GAMES` names others, `CALLED_STATES` asks for more states.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;
mod engines;
mod shelf;

use std::sync::Arc;

use engines::{Contest, Hashes, compare, compiled};
use rulesmith_compile::{
    NativeGame, NotatedGame, Obstacle, Optimizations, ReferenceGame, Sampling, build_kernels,
    kept_for_kernels, kernel_requests, sample_states,
};
use rulesmith_specialize::{Bounds, Knowledge, Settings, Specializer, called_predicates};
use shelf::open;

const GAMES: &str =
    "american_checkers_6x6,breakthrough,minixiangqi,minishogi,los_alamos,losing_checkers,reversi";

/// The native code of a game whose predicates are called.
fn native(game: &ReferenceGame) -> Result<NativeGame, Obstacle> {
    let samples = sample_states(game, Sampling::default(), &[]).unwrap();
    let knowledge = Knowledge::new(game.theory(), game.solver());
    let requests = kernel_requests(game.theory());
    let called = called_predicates(&knowledge, &requests);
    assert!(!called.is_empty(), "nothing is called");
    let bounds = Bounds { keep: kept_for_kernels(game.theory()), called, ..Bounds::default() };
    let settings = Settings { bounds, ..Settings::default() };
    let specialized =
        Specializer::new(&knowledge, settings, samples).specialize(&requests).unwrap();
    let kernels = build_kernels(&knowledge, &specialized, Optimizations::default())?;
    NativeGame::new(kernels, game)
}

#[test]
fn called_predicates_answer_as_the_rules_do() {
    let games = std::env::var("CALLED_GAMES").unwrap_or_else(|_| GAMES.to_owned());
    let asked = std::env::var("CALLED_STATES").ok().and_then(|text| text.parse().ok());
    let max_states = asked.unwrap_or(30);
    for name in games.split(',') {
        let game = open(name);
        let native = native(&game).unwrap_or_else(|obstacle| panic!("{name}: {obstacle}"));
        let game = NotatedGame::new(Arc::new(native), game);
        let game = compiled(game).unwrap_or_else(|_| panic!("{name} is too large"));
        let mut hashes = Hashes::new();
        for seed in 0..2 {
            let contest = Contest { seed, max_states, plays_on: false };
            let n_states = compare(&game, contest, &mut hashes);
            let n_states = n_states.unwrap_or_else(|difference| panic!("{name}: {difference}"));
            eprintln!("{name}: {n_states} states agree");
        }
    }
}
