//! Generated games, as text and in play: every one reads back, and the native engine plays it as the reference engine does.
//!
//! `GENERATED_GAMES` asks for more games, `FIRST_SEED` for others, `GENERATED_CONTESTS` and `GENERATED_STATES` for more and
//! longer contests of each, `GENERATED_KNOBS` (`board_size=5..6;promote_only=2`, or empty for the defaults) for others than
//! the small ones of a plain run. The first contest of a game is compared state by state as far as `GENERATED_LOOKS` says; in
//! the others every turn is judged by the reference engine, and everything is compared in some states. Games without kernels
//! are counted, not compared.

#![expect(clippy::print_stderr, reason = "tests say how much they compared")]

mod engines;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use engines::{Contest, Hashes, compare, compiled, follow, native_with, whole_contest};
use rulesmith_analyze::Prospects;
use rulesmith_compile::{Optimizations, ReferenceGame, TurnLimits};
use rulesmith_game::{Game, Random, RoleId};
use rulesmith_player::{
    BuildRequest, Generated, Knobs, Language, NoFiles, Stop, build, generate, reference_game,
};
use rulesmith_rules::scl::{Goal, SclLimits, Side, parse_scl, print_scl};
use rulesmith_rules::{Diagnostics, Sources};

/// Games of a plain test run in both engines: native code takes long to make yet.
const N_GAMES: u64 = 2;

/// Games of a plain test run in the reference engine alone.
const N_REFERENCE_GAMES: u64 = 12;

/// Contests of each.
const N_CONTESTS: u64 = 2;

/// States of a contest that are compared.
const MAX_STATES: u64 = 20;

/// Where a state has more turns, both engines must say so.
const MOST_TURNS: usize = 1000;

/// The knobs of a plain test run in both engines: small games.
const SMALL: &str =
    "board_size=3..4;piece_variety=0.4;promote_only=1;movement_complexity=0;capture_complexity=0";

/// The knobs that the environment asks for.
fn knobs() -> Knobs {
    let asked = std::env::var("GENERATED_KNOBS").unwrap_or_else(|_| SMALL.to_owned());
    with_knobs(&asked)
}

/// Knobs set by a text: `name=value;name=value`.
fn with_knobs(text: &str) -> Knobs {
    let mut knobs = Knobs::default();
    for (name, value) in text.split(';').filter_map(|setting| setting.split_once('=')) {
        knobs.set(name, value).expect("a value of that knob");
    }
    knobs
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What came of generated games.
#[derive(Debug, Default)]
struct Tally {
    games: usize,
    native: usize,
    states: usize,
    turns: usize,
    obstacles: BTreeMap<String, usize>,
}

/// The text reads back as it is.
fn check_text(made: &Generated) -> Result<(), String> {
    let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
    let file = sources.add("generated.scl", &*made.text);
    let read = parse_scl(&mut sources, file, &NoFiles, &SclLimits::default(), &mut problems);
    let Some(read) = read else { return Err(format!("it does not read: {:?}", problems.list)) };
    if !problems.list.is_empty() {
        return Err(format!("it has problems: {:?}", problems.list));
    }
    let printed = print_scl(&read);
    if read.without_places() != made.game || !made.text.ends_with(&printed) {
        return Err("it reads back as another game".to_owned());
    }
    Ok(())
}

fn reference(made: &Generated) -> Result<ReferenceGame, String> {
    let request = BuildRequest {
        name: "generated.scl".to_owned(),
        text: made.text.clone(),
        language: Language::Scl,
        ..BuildRequest::default()
    };
    let game = reference_game(build(&request, &NoFiles), &request.limits, &Stop::default());
    let game = game.map_err(|result| format!("it is refused: {:?}", result.diagnostics.list))?;
    // Chains of captures may be past counting; then turns are drawn step by step.
    Ok(game.with_turn_limits(TurnLimits { turns: MOST_TURNS, ..TurnLimits::default() }))
}

/// Plays a game in both engines.
fn play(made: &Generated, tally: &mut Tally) -> Result<(), String> {
    let game = reference(made)?;
    let native = match native_with(game, Optimizations::default()) {
        Ok(native) => native,
        Err(refused) => {
            *tally.obstacles.entry(refused.0.to_string()).or_default() += 1;
            return Ok(());
        }
    };
    let Ok(native) = compiled(native) else {
        *tally.obstacles.entry("too large for native code".to_owned()).or_default() += 1;
        return Ok(());
    };
    tally.native += 1;
    let mut hashes = Hashes::new();
    let max_turns = number("GENERATED_STATES", MAX_STATES);
    let max_states = usize::try_from(max_turns).unwrap_or(usize::MAX);
    let most_looks = number("GENERATED_LOOKS", MAX_STATES).min(max_turns);
    for contest in 0..number("GENERATED_CONTESTS", N_CONTESTS) {
        let seed = made.seed.wrapping_mul(1000) + contest;
        let contest_of = |max_states| Contest { seed, max_states, plays_on: false };
        if contest == 0 {
            let contest = contest_of(usize::try_from(most_looks).unwrap_or(usize::MAX));
            tally.states += compare(&native, contest, &mut hashes)?;
        }
        tally.turns += whole_contest(&native, seed, most_looks)?;
        tally.states += follow(&native, contest_of(max_states), &mut hashes)?;
    }
    Ok(())
}

fn attempt(knobs: &Knobs, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let made = generate(knobs, seed, &Stop::default()).map_err(|error| error.to_string())?;
    check_text(&made)?;
    tally.games += 1;
    play(&made, tally)
}

#[test]
fn generated_games_play_alike_in_both_engines() {
    let first = number("FIRST_SEED", 0);
    let knobs = knobs();
    let (mut tally, mut failures) = (Tally::default(), Vec::new());
    for seed in first..first + number("GENERATED_GAMES", N_GAMES) {
        let played = catch_unwind(AssertUnwindSafe(|| attempt(&knobs, seed, &mut tally)));
        let played = played.unwrap_or_else(|_| Err("it panics".to_owned()));
        if let Err(error) = played {
            eprintln!("seed {seed}: {error}");
            failures.push(seed);
        }
    }
    eprintln!("{tally:?}");
    assert!(failures.is_empty(), "seeds {failures:?}");
    assert!(tally.native > 0 && tally.states > 0, "{tally:?}");
}

/// Games as the generator draws them call most of their predicates: unfolded they would be thousands of bodies.
#[test]
fn wide_games_have_native_code_that_plays_alike() {
    let mut tally = Tally::default();
    for seed in [0, 7] {
        attempt(&Knobs::default(), seed, &mut tally)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    assert_eq!(tally.native, tally.games, "{tally:?}");
}

/// Plays contests with the reference engine; the rules never contradict themselves.
fn play_reference(made: &Generated) -> Result<u64, String> {
    let game = reference(made)?;
    let start = game.initial().map_err(|error| error.to_string())?;
    let mut turns = 0;
    for contest in 0..number("GENERATED_CONTESTS", N_CONTESTS) {
        let mut random = Random::of_contest(made.seed, contest);
        let most = number("GENERATED_STATES", MAX_STATES);
        let played =
            game.random_contest(&start, &mut random, most, &mut || ControlFlow::Continue(()));
        let played = played.map_err(|error| format!("contest {contest}: {error}"))?;
        if played.length < 2 {
            return Err(format!("contest {contest} has {} turns", played.length));
        }
        turns += played.length;
    }
    Ok(turns)
}

#[test]
fn generated_games_read_back_and_play_on() {
    let first = number("FIRST_SEED", 0);
    let knobs = Knobs::default();
    let mut turns = 0;
    let mut failures = Vec::new();
    for seed in first..first + number("GENERATED_GAMES", N_REFERENCE_GAMES) {
        let made = generate(&knobs, seed, &Stop::default()).unwrap();
        match check_text(&made).and_then(|()| play_reference(&made)) {
            Ok(more) => turns += more,
            Err(error) => failures.push(format!("seed {seed}: {error}")),
        }
    }
    eprintln!("{turns} turns");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What comes of knobs: the board and how many kinds there are, or why there is no game.
fn drawn(knobs: &str) -> String {
    match generate(&with_knobs(knobs), 3, &Stop::default()) {
        Ok(made) => {
            check_text(&made).expect("it reads back");
            let board = &made.game.board;
            format!("{} by {}, {} kinds", board.width, board.height, made.game.pieces.len())
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn extreme_knobs_give_games_or_reasons() {
    let check = |knobs: &str, expected: &str| assert_eq!(drawn(knobs), expected, "{knobs}");
    let no_room = "seed 3 gives no game: of 100 drafts none will do\n  100 times: there is no room for pieces";
    check("board_size=1", no_room);
    check("board_crowding=0", no_room);
    check("row_crowding=0", no_room);
    let over = "seed 3 gives no game: of 100 drafts none will do\n  100 times: the contest is over after the first turn";
    check("turn_limit=1", over);
    let no_hop = "seed 3 gives no game: of 100 drafts none will do\n  100 times: no movement fits on the board";
    check("movement_type=hop;hop_count=32;constrain_hop_over=1;comparison=equal", no_hop);
    check("board_size=2;piece_variety=1;promote_only=1", "2 by 2, 3 kinds");
    check("board_columns=1;board_rows=32;promote_only=0", "1 by 32, 1 kinds");
    check("board_size=32;board_crowding=1;piece_variety=1;promote_only=25", "32 by 32, 26 kinds");
    check("board_size=5;piece_variety=0;promote_only=0;goal_complexity=1", "5 by 5, 1 kinds");
    check(
        "board_size=5;piece_variety=0;promote_only=0;capture_clobber=0;capture_hop=0;capture_retrieve=0",
        "5 by 5, 1 kinds",
    );
    check(
        "board_size=5;piece_variety=0.4;promote_only=1;locality=0;symmetry_forward=0;symmetry_side=0",
        "5 by 5, 3 kinds",
    );
    check(
        "board_size=5;piece_variety=0.4;promote_only=1;placement=opponent;game_must_capture=1;piece_must_capture=1",
        "5 by 5, 3 kinds",
    );
}

#[test]
fn goals_that_are_drawn_can_be_reached_and_differ() {
    let knobs = with_knobs("goal_complexity=1");
    for seed in 0..40 {
        let made = generate(&knobs, seed, &Stop::default()).unwrap();
        let prospects = Prospects::new(&made.game);
        let goals = &made.game.goals;
        assert!(goals.len() > 1, "seed {seed}");
        let stalemates = goals.iter().filter(|goal| matches!(goal, Goal::Stalemate(_)));
        assert_eq!(stalemates.count(), 1, "seed {seed}");
        for (place, goal) in goals.iter().enumerate() {
            assert!(Side::BOTH.iter().all(|side| prospects.may_meet(*side, goal)), "seed {seed}");
            assert!(!goals[..place].contains(goal), "seed {seed}");
        }
    }
}

/// Captures that go on in a hundred thousand ways: the first draft of this seed is refused, as nobody can choose a turn.
#[test]
fn a_start_with_too_many_turns_is_refused() {
    let cylinder = "board_type=vertical_cylinder;movement_type=ride";
    let knobs = with_knobs(&format!("{cylinder};continue_captures=1;piece_must_capture=1"));
    let made = generate(&knobs, 501, &Stop::default()).unwrap();
    let game = reference(&made).unwrap();
    let first = game.legal_moves(&game.initial().unwrap(), RoleId(0)).unwrap();
    assert!(first.len() <= 2_000, "{} turns", first.len());
    assert!(made.n_drafts > 1, "the first draft was taken");
}
