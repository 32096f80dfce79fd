//! Rules of turns that ask about the move just made, and preferences that say more than a sum: kernels agree with the
//! reference engine, or there are none.

mod engines;

use engines::{Contest, Hashes, compare, native_with};
use rulesmith_compile::{Optimizations, ReferenceGame};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, NoFiles, build, reference_game};

fn open(text: &str) -> ReferenceGame {
    let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    let built = build(&request, &NoFiles);
    reference_game(built, &request.limits, &Stop::default()).expect("no errors")
}

fn agree(text: &str) {
    let game = native_with(open(text), Optimizations::default())
        .unwrap_or_else(|failed| panic!("{}: {text}", failed.0));
    for seed in 0..4 {
        let contest = Contest { seed, max_states: 12, plays_on: false };
        let compared = compare(&game, contest, &mut Hashes::new());
        compared.unwrap_or_else(|why| panic!("{why}: {text}"));
    }
}

/// Marks from one place to another, with other rules.
fn marks(more: &str) -> String {
    format!(
        "rules 1. game marks. role a. sort p = 1..4. fluent at(p). fluent steps : 0..3 = 0. fluent k : 0..9 = 0.
        move go(p, p). move wait. terminal :- k = 5. goal(a, 5).
        legal a does go(X, Y) :- p(X), p(Y), not at(Y), X \\= Y, k < 3. legal a does wait.
        effect go(X, Y) : at(Y) := true. effect any : steps := steps + 1 :- steps < 3.
        deferred effect any : steps := 0, k := k + 1. {more}"
    )
}

/// Clauses that ask about different parameters of the move, or about none.
#[test]
fn questions_about_the_move_ask_for_other_parameters() {
    for more in [
        "continue :- steps < 3, at(2). continue :- steps < 3, _ does go(_, Y), at(Y - 1).",
        "continue :- _ does go(X, _), at(X). continue :- _ does go(_, Y), at(Y - 1).",
        "continue :- _ does go(_, Y), at(Y - 1). continue :- _ does go(X, Y), at(X), at(Y).",
        "ev :- _ does go(X, _), at(X). ev :- _ does go(_, Y), at(Y - 1). ev :- at(2). draw :- since(ev, 2).",
    ] {
        agree(&marks(more));
    }
}

/// What is never so is not answered by whether there are moves of a kind that loops find.
#[test]
fn nothing_is_answered_by_moves_without_rows() {
    for never in ["< 0", "> 5", "= 7"] {
        agree(&format!(
            "rules 1. game flips. role a, b. sort p = 1..5. sort content = {{e}} + role. fluent at(p) : content = e.
            fluent mark(p). fluent steps : 0..3 = 0. fluent turn : role = a. fluent k : 0..15 = 0.
            move put(p). move flip(p). move wait. static adj(p, p). adj(X, X - 1).
            near(P, X) :- adj(X, Y), at(Y) = P. near(P, X) :- role(P), mark(X), turn = a.
            effect flip(X) : mark(X) := true. effect any : steps := steps + 1.
            deferred effect any : steps := 0, turn := Q, k := K + 1 :- turn = P, opponent(P, Q), k = K.
            continue :- steps < 3, near(b, 5). terminal :- k = 6.
            legal P does put(X) :- turn = P, count {{ X : mark(X) }} {never}.
            legal P does flip(X) :- turn = P, after(flip(X), not near(P, X)).
            legal P does wait :- turn = P. goal(P, 100)."
        ));
    }
}

/// Sums that have conditions beside them, or that leave the range of numbers, are left to the interpreter.
#[test]
fn preferences_that_are_no_plain_sums_have_no_kernels() {
    let marked = "count { X : at(X) }";
    for more in [
        format!(
            "derived h(0..1 -> int). h(0, N) :- 1 = {marked}, N = count {{ X : at(X), X > 1 }}. prefer max(h(0))."
        ),
        format!(
            "derived h(0..1 -> int). h(0, N) :- N = {marked}, N = count {{ X : at(X), X > 1 }}. prefer max(1 + h(0))."
        ),
        format!("prefer max(2147483647 + {marked})."),
        format!("prefer max(1200000000 * {marked})."),
    ] {
        let text = marks(&format!("continue :- steps < 2. {more}"));
        let kernels = native_with(open(&text), Optimizations::default());
        assert!(kernels.is_err(), "{text}");
    }
    agree(&marks(&format!("continue :- steps < 2. prefer max(2 * {marked} + 1).")));
}
