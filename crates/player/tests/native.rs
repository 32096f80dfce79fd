//! Kernels against the reference engine, state by state, interpreted and native.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rulesmith_compile::{
    NativeGame, ReferenceGame, Sampling, build_kernels, game_requests, kept_for_kernels,
    sample_states,
};
use rulesmith_game::{Draws, Game, Random, RoleId};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, Resolver, build, reference_game};
use rulesmith_specialize::{Bounds, Knowledge, Settings, Specializer};

struct Beside;

impl Resolver for Beside {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(from).parent().unwrap().join(path);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((file.display().to_string(), text))
    }
}

fn file_of(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{game}.rules"))
}

fn open(game: &str) -> ReferenceGame {
    let file = file_of(game);
    let text = fs::read_to_string(&file).unwrap();
    let request =
        BuildRequest { name: file.display().to_string(), text, ..BuildRequest::default() };
    reference_game(build(&request, &Beside), &request.limits, &Stop::default()).expect("no errors")
}

fn kernels(game: &ReferenceGame) -> NativeGame {
    let samples = sample_states(game, Sampling::default(), &[]).unwrap();
    let knowledge = Knowledge::new(game.theory(), game.solver());
    let requests = game_requests(game.theory());
    let bounds = Bounds { keep: kept_for_kernels(game.theory()), ..Bounds::default() };
    let settings = Settings { bounds, ..Settings::default() };
    let mut specializer = Specializer::new(&knowledge, settings, samples);
    let specialized = specializer.specialize(&requests).unwrap();
    NativeGame::new(build_kernels(&knowledge, &specialized).unwrap()).unwrap()
}

/// The legal moves of a role are the same; they are returned.
fn compare_moves(
    game: &ReferenceGame,
    native: &NativeGame,
    state: &<ReferenceGame as Game>::State,
    role: RoleId,
) -> Vec<<ReferenceGame as Game>::Move> {
    let words = native.encode(game, state).unwrap();
    let turns = game.legal_moves(state, role).unwrap();
    let found = native.moves(&words, role);
    let width = found.first().map_or(1, Vec::len);
    let expected = turns.iter().map(|turn| {
        let mut step = native.encode_step(game, &turn.steps[0]).unwrap();
        step.resize(width, 0);
        step
    });
    let expected: BTreeSet<Vec<u64>> = expected.collect();
    assert_eq!(found.len(), turns.len());
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
    turns
}

/// Plays a contest and compares every state of it; how many there were.
fn compare(game: &ReferenceGame, native: &NativeGame, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut state = game.initial().unwrap();
    for n_states in 1..=150 {
        let words = native.encode(game, &state).unwrap();
        let is_over = game.is_over(&state, Draws::Ignore).unwrap();
        assert_eq!(native.is_terminal(&words), is_over);
        if is_over {
            let outcome = game.outcome(&state, Draws::Ignore).unwrap().unwrap();
            for (role, goal) in outcome.goals.iter().enumerate() {
                assert_eq!(native.goal(&words, RoleId(role)), goal.map(u64::from));
            }
            return n_states;
        }
        let mut all = Vec::new();
        for role in (0..game.roles().len()).map(RoleId) {
            let turns = compare_moves(game, native, &state, role);
            all.extend(turns.into_iter().map(|turn| (role, turn)));
        }
        let Some((role, turn)) = random.choose(&all).cloned() else { return n_states };
        let mut after = words;
        native.apply(&mut after, role, &native.encode_step(game, &turn.steps[0]).unwrap());
        game.apply(&mut state, &vec![(role, turn)]).unwrap();
        assert_eq!(after, native.encode(game, &state).unwrap());
    }
    150
}

/// Games in which one role makes one step at a time. The others have obstacles for now.
const GAMES: [&str; 9] = [
    "breakthrough",
    "chomp",
    "connect_four",
    "gomoku",
    "hex",
    "nim",
    "noughts_and_crosses",
    "peg_solitaire",
    "reversi",
];

#[test]
fn kernels_do_what_the_reference_engine_does() {
    for name in GAMES {
        let game = open(name);
        let mut native = kernels(&game);
        let interpreted: usize = (0..2).map(|seed| compare(&game, &native, seed)).sum();
        // What is too large for native code is interpreted.
        let compiled = match native.compile() {
            Ok(()) => (2..4).map(|seed| compare(&game, &native, seed)).sum(),
            Err(_) => 0,
        };
        eprintln!("{name}: {interpreted} states agree interpreted, {compiled} native");
    }
}

/// The mean length of random contests, as other programs have it.
#[test]
fn random_contests_are_as_long_as_elsewhere() {
    let known = [
        ("connect_four", 21.31),
        ("breakthrough", 64.10),
        ("noughts_and_crosses", 7.63),
        ("reversi", 60.41),
        ("hex", 107.52),
    ];
    for (name, expected) in known {
        let game = open(name);
        let mut native = kernels(&game);
        native.compile().unwrap();
        let start = native.encode(&game, &game.initial().unwrap()).unwrap();
        let mut random = 1;
        let lengths = (0..10_000).map(|_| {
            let mut state = start.clone();
            let length = native.playout(&mut state, &mut random, u64::MAX);
            assert!(native.is_terminal(&state));
            length
        });
        #[expect(clippy::cast_precision_loss, reason = "a mean of small numbers")]
        let mean = lengths.sum::<u64>() as f64 / 10_000.0;
        assert!((mean - expected).abs() < 0.4, "{name}: {mean}");
    }
}
