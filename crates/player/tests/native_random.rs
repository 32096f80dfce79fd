//! Random games through kernels, state by state against the reference engine: by whole planes and by loops
//! alone, interpreted and as native code.
//!
//! What has no kernels is counted, not compared. `RANDOM_GAMES` asks for more games, `FIRST_SEED` for others.

#![expect(clippy::print_stderr, reason = "tests say how much they compared")]

#[path = "../../specialize/tests/random_theories/mod.rs"]
mod random_theories;

mod engines;
mod random_boards;
mod random_games;
mod random_lines;

use std::collections::BTreeMap;

use engines::{Contest, Hashes, compare, compiled, native_with, whole_contest};
use random_boards::{random_mates, random_wide_stones};
use random_games::{random_game, random_long_game, random_object_game};
use random_lines::random_line_game;
use random_theories::shrink;
use rulesmith_compile::{Optimization, Optimizations, ReferenceGame, TurnLimits};
use rulesmith_logic::{Limits, Stop};
use rulesmith_player::{BuildRequest, Language, NoFiles, build, reference_game};

/// Games of each kind made by a plain test run.
const N_GAMES: u64 = 20;

/// Games on boards made by a plain test run: each takes a second or two to make.
const N_BOARD_GAMES: u64 = 4;

/// States of one contest that are compared.
const MAX_STATES: usize = 12;

/// Turns of a whole contest that are compared.
const MAX_TURNS: u64 = 60;

const LIMITS: Limits =
    Limits { inferences: 1_000_000, derived_facts: 20_000, recursion_depth: 500, terms: 20_000 };

const TURN_LIMITS: TurnLimits = TurnLimits { steps: 5, turns: 300 };

/// What came of random games.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    /// Games with kernels, by whole planes and by loops.
    built: usize,
    interpreted: usize,
    native: usize,
    /// Turns of whole contests that were compared.
    turns: usize,
    /// Games in which runs are looked for through moves.
    runs_through: usize,
    /// Games with a kernel that plays whole contests.
    whole_contests: usize,
    /// Why games have no kernels, and how many.
    obstacles: BTreeMap<String, usize>,
}

fn open(text: &str) -> Option<ReferenceGame> {
    let language = if text.starts_with("GAME") { Language::Scl } else { Language::Rules };
    let mut request = BuildRequest { text: text.to_owned(), language, ..BuildRequest::default() };
    request.limits.solver = LIMITS;
    request.limits.turns = TURN_LIMITS;
    reference_game(build(&request, &NoFiles), &request.limits, &Stop::default()).ok()
}

/// Plays a text in both engines.
fn play(text: &str, seed: u64) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let Some(mut game) = open(text) else {
        tally.rejected += 1;
        return Ok(tally);
    };
    let mut hashes = Hashes::new();
    let all = Optimizations::default();
    for optimizations in [all, all.without(Optimization::WholePlanes), some_left_out(seed)] {
        let explain = |error: String| format!("{error}\n{optimizations:?}");
        let native = match native_with(game, optimizations) {
            Ok(native) => native,
            Err(refused) => {
                let (obstacle, reference) = *refused;
                *tally.obstacles.entry(obstacle.to_string()).or_default() += 1;
                game = reference;
                continue;
            }
        };
        tally.built += 1;
        tally.whole_contests += usize::from(native.native().contest_obstacle().is_none());
        tally.runs_through += usize::from(native.native().text().contains("zeros above"));
        for number in 0..2 {
            let contest = contest(seed + number, number == 1);
            tally.interpreted += compare(&native, contest, &mut hashes).map_err(explain)?;
            tally.turns += whole_contest(&native, seed + number, MAX_TURNS).map_err(explain)?;
        }
        game = match compiled(native) {
            Ok(native) => {
                for number in 2..4 {
                    let contest = contest(seed + number, number == 3);
                    tally.native += compare(&native, contest, &mut hashes).map_err(explain)?;
                    let turns = whole_contest(&native, seed + number, MAX_TURNS);
                    tally.turns += turns.map_err(explain)?;
                }
                native.into_parts().1
            }
            Err(reference) => reference,
        };
    }
    Ok(tally)
}

/// Any half of the optimisations.
fn some_left_out(seed: u64) -> Optimizations {
    let mut random = rulesmith_game::Random::new(seed);
    let left_out = Optimization::ALL.into_iter().filter(|_| random.below(2) == 0);
    left_out.fold(Optimizations::default(), Optimizations::without)
}

fn contest(seed: u64, plays_on: bool) -> Contest {
    Contest { seed, max_states: MAX_STATES, plays_on }
}

/// The same, with a panic as a difference.
fn attempt(text: &str, seed: u64) -> Result<Tally, String> {
    let played = std::panic::catch_unwind(|| play(text, seed));
    played.unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// Makes the text of a random game.
type Make = fn(&mut random_theories::Random) -> String;

/// Plays many random games.
fn check_games(make: Make) -> Tally {
    check_some_games(make, N_GAMES)
}

fn check_some_games(make: Make, n_games: u64) -> Tally {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let first = number("FIRST_SEED", 0);
    let mut all = Tally::default();
    let mut failures = Vec::new();
    for seed in first..first + number("RANDOM_GAMES", n_games) {
        let text = make(&mut random_theories::Random::new(seed));
        match attempt(&text, seed) {
            Ok(one) => all.add(one),
            Err(error) => {
                let failure =
                    |text: &str| (seed..seed + 4).find_map(|seed| attempt(text, seed).err());
                let shorter = shrink(&text, &|text| failure(text).is_some());
                let error = failure(&shorter).unwrap_or(error);
                failures.push(format!("seed {seed}: {error}\n{shorter}"));
                if failures.len() as u64 >= number("MOST_FAILURES", 1) {
                    break;
                }
            }
        }
    }
    eprintln!("{all:#?}");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    all
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.rejected += other.rejected;
        self.built += other.built;
        self.interpreted += other.interpreted;
        self.native += other.native;
        self.turns += other.turns;
        self.runs_through += other.runs_through;
        self.whole_contests += other.whole_contests;
        for (obstacle, n_games) in other.obstacles {
            *self.obstacles.entry(obstacle).or_default() += n_games;
        }
    }
}

#[test]
fn random_games_play_alike_in_kernels() {
    let all = check_games(random_game);
    assert!(all.interpreted > 10 && all.native > 10, "{all:?}");
}

#[test]
fn random_games_with_objects_play_alike_in_kernels() {
    let all = check_games(random_object_game);
    assert!(all.interpreted > 10 && all.native > 10, "{all:?}");
}

#[test]
fn random_games_with_long_turns_play_alike_in_kernels() {
    let all = check_games(random_long_game);
    assert!(all.interpreted > 10 && all.native > 10, "{all:?}");
}

#[test]
fn random_games_with_lines_play_alike_in_kernels() {
    let all = check_games(random_line_game);
    assert!(all.native > 10 && all.turns > 10 && all.runs_through > 5, "{all:?}");
}

#[test]
fn random_games_with_mates_play_alike_in_kernels() {
    let all = check_some_games(random_mates, N_BOARD_GAMES);
    assert!(all.native > 10, "{all:?}");
}

#[test]
fn random_games_of_stones_on_wide_boards_play_alike_in_kernels() {
    let all = check_some_games(random_wide_stones, N_BOARD_GAMES);
    assert!(all.native > 10 && all.turns > 10, "{all:?}");
}

/// Leaving an optimisation out changes the code of some of the games, or it is not tested there.
fn assert_all_apply(make: Make, n_games: u64, mut unseen: Vec<Optimization>) {
    for seed in 0..n_games {
        let text = make(&mut random_theories::Random::new(seed));
        let kernels = |optimizations| {
            let native = native_with(open(&text)?, optimizations).ok()?;
            Some(native.native().text())
        };
        let all = kernels(Optimizations::default());
        unseen
            .retain(|one| all.is_none() || kernels(Optimizations::default().without(*one)) == all);
        if unseen.is_empty() {
            return;
        }
    }
    panic!("{unseen:?}");
}

#[test]
fn optimizations_apply_to_random_games_with_lines() {
    let expected = vec![
        Optimization::RunsThrough,
        Optimization::DrawnNumbers,
        Optimization::SingleKeys,
        Optimization::UnreadRegisters,
        Optimization::PackedHashes,
        Optimization::JoinedValues,
    ];
    assert_all_apply(random_line_game, N_GAMES, expected);
}

#[test]
fn optimizations_apply_to_random_games_on_boards() {
    let of_mates = vec![
        Optimization::AfterMasks,
        Optimization::FirstBlockers,
        Optimization::TouchedAfter,
        Optimization::Routines,
    ];
    assert_all_apply(random_mates, N_BOARD_GAMES, of_mates);
    let of_stones = vec![Optimization::KeptComponents, Optimization::KeptHashes];
    assert_all_apply(random_wide_stones, N_BOARD_GAMES, of_stones);
}
