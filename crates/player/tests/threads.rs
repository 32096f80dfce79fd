//! Threads change nothing: playouts and perft with one, two and three of them, in every engine.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

use std::fs;
use std::path::Path;

use rulesmith_game::{Draws, Error, Game, divide, perft};
use rulesmith_player::{
    BuildRequest, ContestPlan, Crew, Done, EngineGame, EngineKind, GameSource, Overseer, OwnGame,
    Played, ReferenceGame, Resolver, Stop, Unwatched, build, divide_in_threads, perft_in_threads,
    play_contests, prepare,
};

struct Nobody;

impl Overseer for Nobody {
    fn is_over(&self) -> bool {
        false
    }

    fn shows(&self, _: Done) {}
}

/// Somebody who has seen enough from the start.
struct Impatient;

impl Overseer for Impatient {
    fn is_over(&self) -> bool {
        true
    }

    fn shows(&self, _: Done) {}
}

struct Library;

impl Resolver for Library {
    fn read(&self, _: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(path);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((path.to_owned(), text))
    }
}

fn source(game: &str) -> GameSource {
    let (_, text) = Library.read("", &format!("{game}.rules")).unwrap();
    source_of(text)
}

fn source_of(text: String) -> GameSource {
    let request = BuildRequest { text, ..BuildRequest::default() };
    let result = build(&request, &Library);
    assert!(!result.diagnostics.has_errors(), "{:?}", result.diagnostics);
    GameSource::new(result, &request.limits).expect("no errors")
}

fn own(source: &GameSource, kind: EngineKind) -> Result<OwnGame<ReferenceGame>, Error> {
    match prepare(source, kind, &Stop::default(), &mut Unwatched)?.game {
        EngineGame::Reference(game) => {
            let state = game.initial()?;
            Ok((Box::new(Box::new(game)), state))
        }
        EngineGame::Native(_) => panic!("native games are shared"),
    }
}

/// Hands over a crew of each size.
fn with_crews(
    source: &GameSource,
    kind: EngineKind,
    check: &mut dyn FnMut(&Crew<'_, ReferenceGame>),
) {
    let (game, state) = own(source, kind).unwrap();
    let make = || own(source, kind);
    for threads in 1..=3 {
        check(&Crew { game: &game, state: &state, make: &make, threads });
    }
}

const ENGINES: [EngineKind; 2] = [EngineKind::Reference, EngineKind::Interpreter];

#[test]
fn contests_do_not_depend_on_the_number_of_threads() {
    for game in ["noughts_and_crosses", "rock_paper_scissors", "nim"] {
        let source = source(game);
        for kind in ENGINES {
            let plan = ContestPlan { seed: 7, count: Some(60), max_length: 1000 };
            let mut all: Vec<Played> = Vec::new();
            with_crews(&source, kind, &mut |crew| all.push(play_contests(crew, &plan, &Nobody)));
            assert_eq!(all[0].sums.playouts, 60);
            assert_eq!(all[0].error, None);
            assert!(all.iter().all(|played| *played == all[0]), "{game}: {all:?}");
        }
    }
}

#[test]
fn the_seed_chooses_the_contests() {
    let source = source("noughts_and_crosses");
    let mut turns = Vec::new();
    for seed in [1, 2] {
        let plan = ContestPlan { seed, count: Some(50), max_length: 1000 };
        with_crews(&source, EngineKind::Reference, &mut |crew| {
            turns.push(play_contests(crew, &plan, &Nobody).sums.turns);
        });
    }
    assert_ne!(turns[0], turns[3]);
}

#[test]
fn counts_do_not_depend_on_the_number_of_threads() {
    for (game, depth) in [("noughts_and_crosses", 4), ("rock_paper_scissors", 2), ("nim", 3)] {
        let source = source(game);
        for kind in ENGINES {
            with_crews(&source, kind, &mut |crew| {
                let mut go_on = |_| std::ops::ControlFlow::Continue(());
                for depth in 0..=depth {
                    let whole = perft(crew.game, crew.state, depth, Draws::Ignore, &mut go_on);
                    let shared = perft_in_threads(crew, depth, Draws::Ignore, &Nobody);
                    assert_eq!(shared, whole, "{game} {depth}");
                    let parts = divide(crew.game, crew.state, depth, Draws::Ignore, &mut go_on);
                    let shared = divide_in_threads(crew, depth, Draws::Ignore, &Nobody);
                    assert_eq!(shared, parts, "{game} {depth}");
                }
            });
        }
    }
}

#[test]
fn work_that_is_stopped_says_so() {
    with_crews(&source("connect_four"), EngineKind::Reference, &mut |crew| {
        let counted = perft_in_threads(crew, 9, Draws::Ignore, &Impatient);
        assert_eq!(counted, Err(Error::Interrupted));
        let plan = ContestPlan { seed: 7, count: None, max_length: 1000 };
        let played = play_contests(crew, &plan, &Impatient);
        assert_eq!((played.sums.playouts, played.error), (0, Some(Error::Interrupted)));
    });
}

/// The first faulty contest is reported, whoever meets it.
#[test]
fn the_first_error_counts() {
    let text = "rules 1. game clash. role me. sort n = 1..9. fluent at : 0..9. init at = 0.
        move go(n). legal me does go(N) :- n(N), at = 0. effect go(N) : at := N. effect go(7) : at := 8.
        terminal :- at \\= 0. goal(me, 50).";
    let source = source_of(text.to_owned());
    let plan = ContestPlan { seed: 3, count: Some(1000), max_length: 10 };
    with_crews(&source, EngineKind::Reference, &mut |crew| {
        let error = play_contests(crew, &plan, &Nobody).error;
        assert!(matches!(error, Some(Error::Rules { .. })), "{error:?}");
    });
}
