//! Leaves of games that ask about the past, counted by the kernel and by the game contract.

mod engines;

use std::ops::ControlFlow;

use engines::{compiled, native_with};
use rulesmith_compile::{NotatedGame, Optimization, Optimizations};
use rulesmith_game::{Draws, Game, JointMoves, LeafKind, Notation, Random, count_leaves};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, NoFiles, build, reference_game};

/// Turns from a state to the leaves: also enough for a state to occur three times on the way.
const DEPTHS: [u32; 2] = [4, 9];
const KINDS: [LeafKind; 2] = [LeafKind::Applied, LeafKind::Bulk];
/// Turns of a contest, from each of whose states leaves are counted.
const N_TURNS: u64 = 12;
const N_CONTESTS: u64 = 2;

/// A man of each side goes to and fro on a short row.
fn row(more: &str) -> String {
    format!(
        "rules 1. game row. role a, b. sort place = 1..3. fluent turn : role = a. fluent man(role) : place.
        init man(a) = 1. init man(b) = 1. static beside(place, place). beside(X, X + 1). beside(X, X - 1).
        move go(place). legal P does go(Y) :- turn = P, man(P) = X, beside(X, Y).
        effect P does go(Y) : man(P) := Y. effect any : turn := Q :- turn = P, opponent(P, Q).
        goal(P, 50) :- role(P). {more}"
    )
}

fn open(text: &str, optimizations: Optimizations) -> NotatedGame {
    let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    let built = build(&request, &NoFiles);
    let game = reference_game(built, &request.limits, &Stop::default()).expect("no errors");
    native_with(game, optimizations).unwrap_or_else(|why| panic!("{}: {text}", why.0))
}

/// Counts leaves from the states of random contests; how many counts would be others without the past.
fn compare(game: &NotatedGame, text: &str) -> usize {
    let native = &**game.native();
    assert_eq!(native.leaf_obstacle(), None, "{text}");
    let mut n_by_past = 0;
    for seed in 0..N_CONTESTS {
        let (mut random, mut state) = (Random::new(seed), native.initial().expect("a start"));
        for _ in 0..N_TURNS {
            let anew =
                game.parse_state(&game.state_text(&state)).expect("a state that was written");
            for (depth, kind) in
                DEPTHS.into_iter().flat_map(|depth| KINDS.map(|kind| (depth, kind)))
            {
                let mut tick = || ControlFlow::Continue(());
                let by_turns = count_leaves(native, &mut state.clone(), (depth, kind), &mut tick);
                let found = native.leaves(&state, depth, kind, &mut tick);
                assert_eq!(found.as_ref().ok(), by_turns.as_ref().ok(), "{text}: {seed}");
                let without = native.leaves(&anew, depth, kind, &mut tick);
                n_by_past += usize::from(without.ok() != found.ok());
            }
            if native.is_over(&state, Draws::Ignore).expect("no fault") {
                break;
            }
            let all: Vec<_> = JointMoves::of(native, &state).expect("no fault").collect();
            let chosen = usize::try_from(random.next_bits() % all.len() as u64).expect("small");
            native.apply(&mut state, &all[chosen]).expect("a legal move");
        }
    }
    n_by_past
}

/// Ends by repetition, themselves or by others, with cycles and without; also effects by repetition.
#[test]
fn leaves_know_the_past() {
    for end in [
        "terminal :- repeated(3).",
        "lost(P) :- turn = P, repeated(3). won(P) :- opponent(P, Q), lost(Q). terminal :- won(_).",
        "terminal :- man(a) = 3, repeated(2), not repeated(3).",
        "terminal :- repeated(2), cycle(a, man(a) \\= 1).",
        "lost(a) :- repeated(3), not cycle(a, man(a) = 2). lost(b) :- repeated(3). terminal :- lost(_).",
        "terminal :- repeated(3), cycle(b, man(b) \\= 3). draw :- repeated(2).",
        "terminal :- repeated(3), cycle(b, man(b) \\= 3). terminal :- repeated(2), cycle(a, man(a) \\= 1).",
        "fluent bonus : 0..5 = 0. effect any : bonus := N + 1 :- bonus = N, N < 5, repeated(2, over [man, turn]).
        terminal :- bonus = 1.",
    ] {
        let text = row(end);
        for optimizations in
            [Optimizations::default(), Optimizations::default().without(Optimization::WholePlanes)]
        {
            let game = open(&text, optimizations);
            let n_by_past = compare(&game, &text);
            assert!(n_by_past > 0, "{text}");
            let Ok(game) = compiled(game) else { panic!("no native code: {text}") };
            assert_eq!(compare(&game, &text), n_by_past, "{text}");
        }
    }
}

/// Cycles that are asked about however often the state occurred are not counted by a kernel.
#[test]
fn cycles_of_any_length_are_counted_by_turns() {
    let game = open(&row("terminal :- cycle(a, man(a) = 3)."), Optimizations::default());
    let why = game.native().leaf_obstacle().map(ToString::to_string);
    assert_eq!(why.as_deref(), Some("leaves of a game that asks about cycles of any length"));
}
