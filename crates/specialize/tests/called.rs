//! Which predicates are called where unfolding all would make too many bodies.
//!
//! In: small rules. Out: the names of the predicates that a program for them calls.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;

use rulesmith_logic::{Limits, Solver, Stop};
use rulesmith_rules::{NoFiles, Settings as TextSettings, parse, parse_request};
use rulesmith_specialize::{
    Bounds, Knowledge, Settings, SpecializeError, Specialized, Specializer, called_predicates,
    specialize_within,
};

const BOARD: &str = "rules 1.
game called.
role one, other.
sort cell = 1..6.
static next(cell, cell).
next(X, X + 1) :- cell(X), X < 6.
fluent full(cell).
fluent turn : role = one.
move fill(cell).
legal P does fill(X) :- turn = P, not full(X).
effect fill(X) : full(X) := true.
effect any : turn := Q :- turn = P, opponent(P, Q).
terminal :- long(X), cell(X).
goal(P, 50) :- role(P).
";

/// Calls `check` with what is known of the board and these clauses.
fn with_rules(clauses: &str, check: impl FnOnce(&Knowledge<'_>)) {
    let text = [BOARD, clauses].concat();
    let parsed = parse("test.rules", &text, &TextSettings::default(), &NoFiles);
    let theory = parsed.theory.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let (base, symbols) = (theory.base.clone(), theory.symbols.clone());
    let solver = Solver::new(base, symbols, Limits::default(), Stop::default());
    check(&Knowledge::new(&theory, &solver));
}

fn called(clauses: &str) -> Vec<String> {
    let mut names = Vec::new();
    with_rules(clauses, |knowledge| {
        let requests = parse_request(knowledge.theory, "long(+X)").unwrap();
        let called = called_predicates(knowledge, &requests);
        let name = |id| knowledge.theory.base.predicate(id).name.clone();
        names = called.into_iter().map(name).collect();
    });
    names
}

const EVEN_AND_ODD: &str = "derived even(cell, cell).
even(X, X) :- full(X).
even(X, Y) :- full(X), next(X, Z), odd(Z, Y).
derived odd(cell, cell).
odd(X, Y) :- full(X), next(X, Z), even(Z, Y).
derived long(cell).
long(X) :- even(X, Y), Y > X.
";

#[test]
fn one_of_the_predicates_that_ask_each_other_is_called() {
    assert_eq!(called(EVEN_AND_ODD), ["odd"]);
}

#[test]
fn what_is_asked_in_a_count_is_called() {
    let counted = "derived row(cell, cell).
row(X, X) :- full(X).
row(X, Y) :- full(X), next(X, Z), row(Z, Y).
derived long(cell).
long(X) :- cell(X), count { Y : row(X, Y) } > 2.
";
    assert_eq!(called(counted), ["row"]);
}

#[test]
fn more_bodies_than_may_be_made_are_an_error() {
    with_rules(EVEN_AND_ODD, |knowledge| {
        let requests = parse_request(knowledge.theory, "long(+X)").unwrap();
        let specialize = |bodies| {
            let bounds = Bounds { bodies, ..Bounds::default() };
            let settings = Settings { bounds, ..Settings::default() };
            Specializer::new(knowledge, settings, Vec::new()).specialize(&requests)
        };
        assert_eq!(specialize(3).err(), Some(SpecializeError::Bodies(3)));
        assert!(specialize(u64::MAX).is_ok());
    });
}

/// What is made of `long(+X)` where as many bodies may be made as anybody wants.
fn specialized(clauses: &str, check: impl FnOnce(Specialized)) {
    with_rules(clauses, |knowledge| {
        let requests = parse_request(knowledge.theory, "long(+X)").unwrap();
        check(specialize_within(knowledge, Bounds::default(), Vec::new(), &requests).unwrap());
    });
}

/// Predicates that ask one another in a row, each in four ways.
fn row_of(n_predicates: usize) -> String {
    let mut clauses = "derived p0(cell).\np0(X) :- full(X).\n".to_owned();
    for number in 1..=n_predicates {
        let before = number - 1;
        writeln!(clauses, "derived p{number}(cell).").unwrap();
        for step in 1..=4 {
            let step = (number + step) % 6 + 1;
            writeln!(clauses, "p{number}(X) :- full({step}), p{before}(X).").unwrap();
        }
    }
    clauses + &format!("derived long(cell).\nlong(X) :- p{n_predicates}(X).\n")
}

#[test]
fn what_multiplies_in_a_row_is_called() {
    specialized(&row_of(12), |program| assert!(!program.called.is_empty()));
    specialized(&row_of(2), |program| assert!(program.called.is_empty()));
}

#[test]
fn a_recursion_with_too_many_ways_is_given_up_soon() {
    // Three ways for each of six cells, and numbers that nothing static ends before: 729 ways in all.
    let counted = "sort number = 0..20.
fluent kind(cell) : {a, b, c} = a.
derived sum(cell, number, number).
sum(6, N, N) :- number(N).
sum(X, N, M) :- next(X, Y), kind(X) = a, sum(Y, N, M).
sum(X, N, M) :- next(X, Y), kind(X) = b, K = N + 1, number(K), sum(Y, K, M).
sum(X, N, M) :- next(X, Y), kind(X) = c, K = N + 2, number(K), sum(Y, K, M).
derived long(cell).
long(X) :- sum(1, 0, M), M > X.
";
    specialized(counted, |program| {
        let generated = program.procedures.iter().map(|one| one.funnel.generated);
        // Followed to their ends, the ways made 1,463 bodies; given up after 64, they make 910.
        let generated: u64 = generated.sum();
        assert!(generated < 1_200, "{generated} bodies");
    });
}
