//! Conditions after a move as conditions before it: the frame, transient fluents, deferred effects.
//!
//! In: a small theory with a condition after a move. Out: the clauses it unfolds into, as text.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use expect_test::{Expect, expect};
use rulesmith_logic::{Limits, Solver, Stop};
use rulesmith_rules::{NoFiles, Settings, clause_text, parse, parse_request};
use rulesmith_specialize::{Bounds, Knowledge, unfold};

/// What the request unfolds into, in a theory with these rules.
fn check(rules: &str, asked: &str, expected: &Expect) {
    let text = format!(
        "rules 1. game small. role a, b. sort n = 1..3.
         fluent at(n). fluent color(n) : role = a. transient fluent last : n = 1. fluent turn : role = a.
         transient fluent flash(n).
         move put(n). legal a does put(X) :- n(X).
         {rules}
         terminal. goal(P, 50) :- role(P)."
    );
    let parsed = parse("small.rules", &text, &Settings::default(), &NoFiles);
    assert!(parsed.theory.is_some(), "{:#?}", parsed.diagnostics.list);
    let theory = parsed.theory.unwrap();
    let (base, symbols) = (theory.base.clone(), theory.symbols.clone());
    let solver = Solver::new(base, symbols, Limits::default(), Stop::default());
    let knowledge = Knowledge::new(&theory, &solver);
    let request = &parse_request(&theory, asked).unwrap()[0];
    let clauses = unfold(&knowledge, request.predicate, &Bounds::default());
    let symbols = solver.symbols().borrow();
    let mut shown = String::new();
    for clause in &clauses {
        shown += &clause_text(&theory, &symbols, clause);
        shown.push('\n');
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_fact_stays_unless_a_move_takes_it_away() {
    check(
        "effect put(X) : at(X) := true. effect put(X) : at(Y) := false :- Y = X + 1.
         after_put(X, Y) :- n(X), after(a does put(X), at(Y)).",
        "after_put(X, Y)",
        &expect![[r#"
            after_put(X, X) :- n(X).
            after_put(X, Y) :- n(X), at(Y), not (Y = X + 1).
        "#]],
    );
}

#[test]
fn a_value_stays_unless_another_is_assigned() {
    check(
        "effect P does put(X) : color(X) := Q :- opponent(P, Q), at(X).
         after_put(X, Y, C) :- n(X), after(a does put(X), color(Y) = C).",
        "after_put(X, Y, C)",
        &expect![[r#"
            after_put(X, X, b) :- at(X).
            after_put(X, Y, C) :- n(X), color(Y, C), not (Y = X, at(Y), b \= C).
        "#]],
    );
}

#[test]
fn a_transient_fluent_has_its_default_unless_it_is_assigned() {
    check(
        "effect put(X) : last := X :- at(X). effect put(X) : flash(X) := true :- X > 1.
         after_put(X, L) :- n(X), after(a does put(X), last = L, not flash(3)).",
        "after_put(X, L)",
        &expect![[r#"
            after_put(X, X) :- at(X), 3 \= X.
            after_put(X, 1) :- n(X), not (at(X), X \= 1), 3 \= X.
        "#]],
    );
}

#[test]
fn deferred_effects_wait_for_the_end_of_the_turn() {
    check(
        "effect put(X) : at(X) := true. continue :- at(3).
         deferred effect any : turn := b :- turn = a.
         after_put(X, P) :- n(X), after(a does put(X), turn = P).",
        "after_put(X, P)",
        &expect![[r#"
            after_put(3, P) :- turn(P).
            after_put(X, P) :- n(X), at(3), turn(P).
            after_put(X, b) :- n(X), 3 \= X, not at(3), turn(a).
            after_put(X, P) :- n(X), 3 \= X, not at(3), turn(P), not (turn(a), b \= P).
        "#]],
    );
}
