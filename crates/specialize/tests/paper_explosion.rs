//! The explosion of unfolding, and what metarules at every step leave of it.
//!
//! In: goals of Go. Out: clauses and counts by number of moves. Paper: metameta §2, §4.1, figures 5 and
//! 6 (166,391,568 rules against 106); forcedmoves §5.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod explosion;

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use explosion::{CASES, Case, Explosion};
use rulesmith_specialize::Selection;

fn check(case: &Case, expected: &Expect) {
    let found = Explosion::of(case, Selection::FewestDefinitions);
    let mut text = String::new();
    for (n_moves, level) in found.levels.levels.iter().enumerate() {
        let counts = level.counts;
        writeln!(
            text,
            "{n_moves} moves: {} unfolded alone; {} nodes, {} finished, {} achieved sooner, \
             {} duplicates, {} subsumed, {} kept",
            found.alone[n_moves],
            counts.funnel.generated,
            counts.finished,
            counts.achieved_sooner,
            counts.duplicates,
            counts.subsumed,
            counts.kept
        )
        .unwrap();
        assert_eq!(counts.unregressed, 0);
    }
    expected.assert_eq(&text);
}

#[test]
fn metameta_4_1_capture_over_three_moves() {
    check(
        &CASES[0],
        &expect![[r#"
        0 moves: 1 unfolded alone; 1 nodes, 1 finished, 0 achieved sooner, 0 duplicates, 0 subsumed, 1 kept
        1 moves: 3 unfolded alone; 23 nodes, 2 finished, 1 achieved sooner, 0 duplicates, 0 subsumed, 1 kept
        2 moves: 1659 unfolded alone; 359 nodes, 1 finished, 0 achieved sooner, 0 duplicates, 0 subsumed, 1 kept
        3 moves: 25764490682647623640835661 unfolded alone; 1304 nodes, 2 finished, 0 achieved sooner, 0 duplicates, 0 subsumed, 2 kept
    "#]],
    );
}

#[test]
fn metameta_4_1_connect_over_two_moves() {
    check(
        &CASES[1],
        &expect![[r#"
        0 moves: 1 unfolded alone; 1 nodes, 1 finished, 0 achieved sooner, 0 duplicates, 0 subsumed, 1 kept
        1 moves: 441 unfolded alone; 221 nodes, 5 finished, 1 achieved sooner, 0 duplicates, 0 subsumed, 4 kept
        2 moves: 112275195146895686976903 unfolded alone; 5292 nodes, 128 finished, 77 achieved sooner, 0 duplicates, 16 subsumed, 35 kept
    "#]],
    );
}

#[test]
fn metameta_4_1_strings_written_out_over_two_moves() {
    check(
        &CASES[2],
        &expect![[r#"
        0 moves: 1 unfolded alone; 1 nodes, 1 finished, 0 achieved sooner, 0 duplicates, 0 subsumed, 1 kept
        1 moves: 16 unfolded alone; 176 nodes, 10 finished, 5 achieved sooner, 0 duplicates, 0 subsumed, 5 kept
        2 moves: 40368 unfolded alone; 4548 nodes, 239 finished, 150 achieved sooner, 6 duplicates, 10 subsumed, 73 kept
    "#]],
    );
}

/// The same numbers from the clauses by hand: a fluent is set by one of its effects or was so before.
#[test]
fn derivations_are_sums_of_products() {
    let alone = |case: &Case| Explosion::of(case, Selection::FewestDefinitions).alone;
    // Connect: each stone is there by the move, as a captured one would be, or before; the two are in one
    // string before, or each of them is the point played or in a string that borders on it.
    let stone = 3;
    let connect = stone * stone * (1 + stone * (1 + stone) * (1 + stone));
    assert_eq!(alone(&Case { n_moves: 1, ..CASES[1] })[1], connect);
    // Strings: liberties, empty points and elements after one move, then liberties after two.
    let (liberty, empty, element): (u128, u128, u128) = (1 + 3, 1 + 2, 1 + 2);
    let later = liberty + liberty * empty + liberty.pow(3) + liberty * element * element;
    assert_eq!(alone(&CASES[2])[1..], [liberty * liberty, later * later * empty]);
}

#[test]
fn forcedmoves_5_a_common_liberty_connects() {
    let found = Explosion::of(&Case { n_moves: 1, ..CASES[1] }, Selection::FewestDefinitions);
    expect![[r#"
        target connect(X, X, P, X) :- at(X, empty), role(P).
        target connect(X, Y, P, X) :- at(X, empty), string_element(S, Y), string_border(S, X), string_shared(S, P).
        target connect(X, Y, P, Y) :- at(Y, empty), string_element(S, X), string_border(S, Y), string_shared(S, P).
        target connect(X, Y, P, I) :- at(I, empty), string_element(S, Y), string_element(S1, X), string_border(S, I), string_border(S1, I), string_shared(S, P), string_shared(S1, P)."#]].assert_eq(&found.clauses(1).join("\n"));
}

/// Two atoms, the first with more definitions than the second.
const CHOICE: &str = "rules 1. game choice. role me. sort n = 1..3.
    fluent f(n). fluent g(n). fluent h(n). move set(n). legal me does set(X) :- not f(X).
    effect set(X) : f(X) := true. terminal :- f(3). goal(me, 100).
    many(X) :- f(X). many(X) :- g(X). many(X) :- h(X). few(X) :- f(X), 1 < X.
    both(X) :- many(X), few(X).";

#[test]
fn clauses_are_the_same_whichever_atom_is_unfolded_first() {
    let mut text = String::new();
    let choice = Case { name: "a choice", rules: CHOICE, request: "both(+X)", n_moves: 1 };
    for case in CASES.iter().chain([&choice]) {
        // The third move of a capture takes its time and shows nothing new.
        let case = &Case { n_moves: case.n_moves.min(2), ..*case };
        let both = [Selection::LeftToRight, Selection::FewestDefinitions];
        let both = both.map(|selection| Explosion::of(case, selection));
        for n_moves in 0..=case.n_moves {
            let [mut one, mut other] = [&both[0], &both[1]].map(|found| found.clauses(n_moves));
            one.sort();
            other.sort();
            assert_eq!(one, other, "{} after {n_moves} moves", case.name);
        }
        let nodes = [&both[0], &both[1]].map(|found| {
            found.levels.levels.iter().map(|level| level.counts.funnel.generated).sum::<u64>()
        });
        writeln!(
            text,
            "{}: {} nodes left to right, {} by fewest definitions",
            case.name, nodes[0], nodes[1]
        )
        .unwrap();
    }
    expect![[r#"
        capture a stone: 383 nodes left to right, 383 by fewest definitions
        connect two stones: 5514 nodes left to right, 5514 by fewest definitions
        two strings share a liberty: 4725 nodes left to right, 4725 by fewest definitions
        a choice: 18 nodes left to right, 16 by fewest definitions
    "#]]
    .assert_eq(&text);
}
