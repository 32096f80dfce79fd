//! Goals regressed over moves are exact: their clauses hold where making the moves reaches the goal, and
//! wherever making moves reaches it, a clause for these moves or for fewer holds.

#![expect(clippy::unwrap_used, reason = "a panic is a test's verdict")]

use std::collections::BTreeSet;

use rulesmith_compile::{ReferenceGame, Sampling, State, visit_states};
use rulesmith_logic::{Limits, PredicateId, Row, Solver, Stop};
use rulesmith_player::Theory;
use rulesmith_rules::{MoveId, NoFiles, Settings as TextSettings, parse, parse_request};
use rulesmith_specialize::{Knowledge, Levels, Precondition, Regression, Settings, Specializer};

const GO: &str = include_str!("../../../games/go.rules");

/// The moves made by the reference solver, and predicates that will have the clauses of the levels.
const MADE: &str = "
derived capture_made_1(point, role, point).
capture_made_1(X, P, I) :- role(P), at(I) = empty, after(P does play(I), at(X) = empty).
derived capture_made_2(point, role, point, point).
capture_made_2(X, P, I, J) :-
    role(P), at(I) = empty,
    after(P does play(I), at(J) = empty, after(P does play(J), at(X) = empty)).
derived capture_0(point).                   capture_0(_) :- passes = 1, passes = 2.
derived capture_1(point, role, point).      capture_1(_, _, _) :- passes = 1, passes = 2.
derived capture_2(point, role, point, point).
capture_2(_, _, _, _) :- passes = 1, passes = 2.

derived connect_made_1(point, point, role, point).
connect_made_1(X, Y, P, I) :-
    role(P), at(I) = empty, after(P does play(I), string_element(S, X), string_element(S, Y)).
derived connect_made_2(point, point, role, point, point).
connect_made_2(X, Y, P, I, J) :-
    role(P), at(I) = empty,
    after(P does play(I), at(J) = empty,
        after(P does play(J), string_element(S, X), string_element(S, Y))).
derived connect_0(point, point).            connect_0(_, _) :- passes = 1, passes = 2.
derived connect_1(point, point, role, point).
connect_1(_, _, _, _) :- passes = 1, passes = 2.
derived connect_2(point, point, role, point, point).
connect_2(_, _, _, _, _) :- passes = 1, passes = 2.
";

fn theory() -> Theory {
    let settings = TextSettings { params: vec![("size".to_owned(), 3)], ..TextSettings::default() };
    let parsed = parse("go.rules", &format!("{GO}{MADE}"), &settings, &NoFiles);
    parsed.theory.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

fn regressed(theory: &Theory, request: &str) -> (Levels, rulesmith_logic::Symbols) {
    let solver = Solver::new(
        theory.base.clone(),
        theory.symbols.clone(),
        Limits::default(),
        Stop::default(),
    );
    let knowledge = Knowledge::new(theory, &solver);
    let mut specializer = Specializer::new(&knowledge, Settings::default(), Vec::new());
    let goal = parse_request(theory, request).unwrap().remove(0);
    let precondition = Precondition::OnParameters;
    let regression = Regression { kind: MoveId(0), role: None, precondition, n_moves: 2 };
    let levels = specializer.regress_goal(&goal, &regression);
    drop(specializer);
    drop(knowledge);
    (levels, solver.symbols().borrow().clone())
}

fn predicate(theory: &Theory, name: &str) -> PredicateId {
    let place = theory.base.predicates.iter().position(|one| one.name == name).unwrap();
    PredicateId(u32::try_from(place).unwrap())
}

fn answers(game: &ReferenceGame, state: &State, name: &str) -> BTreeSet<Row> {
    let id = predicate(game.theory(), name);
    let pattern = vec![None; game.theory().base.predicate(id).domains.len()];
    game.ask(state, id, &pattern).unwrap().iter().cloned().collect()
}

fn check(goal: &str, request: &str, n_args: usize) {
    let mut theory = theory();
    let (levels, symbols) = regressed(&theory, request);
    theory.symbols = symbols;
    for (n_moves, level) in levels.levels.iter().enumerate() {
        let id = predicate(&theory, &format!("{goal}_{n_moves}"));
        let mut clauses = level.clauses.clone();
        for clause in &mut clauses {
            clause.head.predicate = id;
        }
        theory.base.clauses[id.0 as usize] = clauses;
    }
    theory.base.settle();
    let game = ReferenceGame::new(theory, None, Limits::default(), Stop::default());
    let sampling = Sampling { seed: 5, contests: 2, steps: 30, stride: 6, ..Sampling::default() };
    let mut n_found = [0; 3];
    visit_states(&game, sampling, &mut |state| {
        let found = [0, 1, 2].map(|n_moves| answers(&game, state, &format!("{goal}_{n_moves}")));
        n_found.iter_mut().zip(&found).for_each(|(sum, found)| *sum += found.len());
        let sooner: BTreeSet<Row> = found[0].iter().map(|row| row[..n_args].into()).collect();
        let by_one: BTreeSet<Row> = found[1].iter().map(|row| row[..=n_args].into()).collect();
        for n_moves in [1, 2] {
            let made = answers(&game, state, &format!("{goal}_made_{n_moves}"));
            let wrong: Vec<&Row> = found[n_moves].difference(&made).collect();
            assert!(wrong.is_empty(), "{goal}: {wrong:?}");
            for row in &made {
                let is_found = found[n_moves].contains(row)
                    || sooner.contains(&row[..n_args])
                    || by_one.contains(&row[..=n_args]);
                assert!(is_found, "{goal}: {row:?}");
            }
        }
        Ok(())
    })
    .unwrap();
    assert!(n_found.iter().all(|n_found| *n_found > 0), "{goal}: {n_found:?}");
}

#[test]
fn captures_are_what_making_the_moves_captures() {
    check("capture", "capture(+X)", 1);
}

#[test]
fn connections_are_what_making_the_moves_connects() {
    check("connect", "connect(+X, +Y)", 2);
}
