//! The opponent by playouts against the random player, in native code, half of the contests in each seat.
//!
//! A plain run plays a few contests of quick games. `STRENGTH_GAMES` names others, separated by commas, or
//! `all` games of the library with two roles; `STRENGTH_CONTESTS`, `STRENGTH_PLAYOUTS` and `FIRST_SEED` say how
//! many contests and playouts and which. The table is printed: `cargo test --release -p rulesmith-player --test
//! strength -- --nocapture`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;
mod shelf;

use std::env;
use std::time::Instant;

use rulesmith_compile::{
    NativeGame, Obstacle, Optimizations, ReferenceGame, Sampling, build_kernels, kept_for_kernels,
    kernel_requests, sample_states,
};
use rulesmith_game::{Game, Outcome, Random, RoleId};
use rulesmith_player::{
    MonteCarlo, Pace, Session, Standing, choose, play_contest, player_of, standings,
};
use rulesmith_specialize::{Bounds, Knowledge, specialize_within};
use shelf::{library_in, open};

/// The share of the points that is asked for, draws counting half.
const ASKED: f64 = 0.9;
/// Games of a plain run.
const QUICK: &str = "noughts_and_crosses,connect_four,breakthrough";
/// Turns after which a contest is a draw.
const MAX_TURNS: u64 = 2_000;

fn native(game: &ReferenceGame) -> Result<NativeGame, Obstacle> {
    let samples = sample_states(game, Sampling::default(), &[]).unwrap();
    let knowledge = Knowledge::new(game.theory(), game.solver());
    let bounds = Bounds { keep: kept_for_kernels(game.theory()), ..Bounds::default() };
    let requests = kernel_requests(game.theory());
    let specialized = specialize_within(&knowledge, bounds, samples, &requests).unwrap();
    let mut native =
        NativeGame::new(build_kernels(&knowledge, &specialized, Optimizations::default())?, game)?;
    native.compile()?;
    Ok(native)
}

/// What to play.
struct Plan {
    contests: u64,
    playouts: u64,
    seed: u64,
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Plays the contests: player 0 chooses by playouts, player 1 at random.
fn play<G: Game>(game: &G, plan: &Plan) -> (Vec<Standing>, u64) {
    let mut random = Random::new(plan.seed);
    let mut outcomes: Vec<Option<Outcome>> = Vec::new();
    let mut turns = 0;
    for contest in 0..plan.contests {
        let mut session = Session::start(game, None).unwrap();
        let length = play_contest(&mut session, MAX_TURNS, |session, role| {
            let seed = random.next_bits();
            if player_of(role, contest, 2) == 1 {
                return Ok(session.random_move(role, &mut Random::new(seed)).unwrap());
            }
            let limits = MonteCarlo { playouts: plan.playouts, seed, ..MonteCarlo::default() };
            let choice = choose(game, session.state(), role, &limits, &mut || Pace::GoOn)?;
            Ok(choice.expect("a role to move has a choice").chosen)
        });
        turns += length.unwrap();
        outcomes.push(session.outcome().cloned());
    }
    (standings(2, outcomes.iter().map(Option::as_ref)), turns)
}

/// Does anybody ever move alone? Where both always move at once, no player can do better than chance.
fn takes_turns<G: Game>(game: &G) -> bool {
    let start = game.initial().unwrap();
    let n_moves = |role| game.legal_moves(&start, RoleId(role)).unwrap().len();
    n_moves(0) < 2 || n_moves(1) < 2
}

fn names() -> Vec<String> {
    let asked = env::var("STRENGTH_GAMES").unwrap_or_else(|_| QUICK.to_owned());
    if asked != "all" {
        return asked.split(',').map(str::to_owned).collect();
    }
    ["rules", "scl"].into_iter().flat_map(library_in).collect()
}

#[test]
fn the_opponent_beats_chance() {
    let plan = Plan {
        contests: number("STRENGTH_CONTESTS", 4),
        playouts: number("STRENGTH_PLAYOUTS", 2_000),
        seed: number("FIRST_SEED", 1),
    };
    let mut weak = Vec::new();
    eprintln!(
        "{:<24}{:>6}{:>7}{:>8}{:>9}{:>8}{:>9}",
        "game", "wins", "draws", "losses", "score", "turns", "seconds"
    );
    for name in names() {
        let reference = open(&name);
        if reference.roles().len() != 2 || !takes_turns(&reference) {
            continue;
        }
        let game = match native(&reference) {
            Ok(game) => game,
            Err(obstacle) => {
                eprintln!("{name:<24}no native code: {obstacle}");
                continue;
            }
        };
        let watch = Instant::now();
        let (standings, turns) = play(&game, &plan);
        let Standing { wins, draws, losses, points, .. } = standings[0];
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (score, turns) = (points / plan.contests as f64, turns as f64 / plan.contests as f64);
        let seconds = watch.elapsed().as_secs_f64();
        eprintln!(
            "{name:<24}{wins:>6}{draws:>7}{losses:>8}{:>7.1} %{turns:>8.1}{seconds:>9.1}",
            100.0 * score
        );
        if score < ASKED {
            weak.push(name);
        }
    }
    assert!(weak.is_empty(), "below {ASKED}: {}", weak.join(", "));
}
