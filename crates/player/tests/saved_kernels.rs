//! Kernels as bytes: what is read is what was written, and nothing else is read.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;
mod engines;
mod shelf;

use std::sync::Arc;

use engines::{Contest, Hashes, compare, kernels};
use rulesmith_compile::{NativeGame, NotatedGame, Optimizations, read_kernels, write_kernels};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, NoFiles, build, reference_game};
use shelf::open;

const KEY: &str = "a key";

/// Games of all kinds: components, long turns, roles that move at once, routines, masks.
const GAMES: [&str; 5] =
    ["go size=5", "english_draughts", "rock_paper_scissors", "turncoat_chess", "chess"];

#[test]
fn kernels_come_back() {
    for name in GAMES {
        let game = open(name);
        let made = kernels(&game, Optimizations::default());
        let bytes = write_kernels(made.as_ref(), KEY).unwrap();
        let read = read_kernels(&bytes, KEY).expect(name);
        assert_eq!(made.as_ref().err(), read.as_ref().err(), "{name}");
        let (made, read) = (made.unwrap(), read.unwrap());
        assert_eq!(made.text(), read.text(), "{name}");
        let native = NativeGame::new(read, &game).unwrap();
        let game = NotatedGame::new(Arc::new(native), game);
        let contest = Contest { seed: 1, max_states: 10, plays_on: false };
        compare(&game, contest, &mut Hashes::new()).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

/// A game without kernels is not tried again.
#[test]
fn an_obstacle_comes_back() {
    // More moves may be legal at once than are listed.
    let text = "rules 1. game wide. role a. sort p = 0..399. fluent n : 0..3 = 0. move put(p, p).
        legal a does put(X, Y) :- p(X), p(Y), X < Y. effect put(X, Y) : n := n + 1 :- n < 3.
        terminal :- n = 3. goal(a, 50).";
    let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    let made = build(&request, &NoFiles);
    let game = reference_game(made, &request.limits, &Stop::default()).expect("no errors");
    let why = kernels(&game, Optimizations::default()).unwrap_err();
    let bytes = write_kernels(Err(&why), KEY).unwrap();
    assert_eq!(read_kernels(&bytes, KEY).unwrap().unwrap_err(), why);
}

#[test]
fn damaged_bytes_are_none() {
    let made = kernels(&open("noughts_and_crosses"), Optimizations::default());
    let bytes = write_kernels(made.as_ref(), KEY).unwrap();
    assert!(read_kernels(&bytes, "another key").is_none());
    for place in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        assert!(read_kernels(&damaged, KEY).is_none(), "{place}");
        assert!(read_kernels(&bytes[..place], KEY).is_none(), "{place}");
    }
}
