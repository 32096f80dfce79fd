//! Metaprograms: rules with metarules in, clauses and what was done to them out.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use proptest::prelude::{Strategy, any, prop, proptest};
use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, Expr, Limits, Nowhere, PredicateId, Solver, Span, Stop,
    Term, Value, Var, Variable,
};
use rulesmith_rules::{Phase, Resolver, Settings, Theory, clause_text, condition_text, parse};
use rulesmith_specialize::metarules::metarule_text;
use rulesmith_specialize::{
    Deed, MetaprogramCut, MetaprogramLimits, MetaprogramOutcome, StaticFacts, as_dependency,
    run_metaprogram, run_phase,
};

const GRID: &str = r"
rules 1. game grid. role white, black.
sort file = 1..4. sort point = file * file. sort content = {empty} + role.
fluent stone(point) : content = empty. move place(point).
legal P does place(S) :- role(P), stone(S) = empty. effect P does place(S) : stone(S) := P.
static connected(point, point).
connected((F, R), (F + 1, R)). connected((F, R), (F - 1, R)). connected((F, R), (F, R + 1)). connected((F, R), (F, R - 1)).
object string = component(P : stone(P) = C, C \= empty ; link connected ; same C).
terminal. goal(P, 50) :- role(P).
";

const PAPER: &str = include_str!("../../../games/include/paper_metarules.rules");

struct Paper;

impl Resolver for Paper {
    fn read(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        Ok((path.to_owned(), PAPER.to_owned()))
    }
}

fn theory(text: &str) -> Theory {
    let text = format!("{GRID}{text}");
    let parsed = parse("test.rules", &text, &Settings::default(), &Paper);
    assert!(parsed.theory.is_some(), "{:#?}", parsed.diagnostics.list);
    parsed.theory.unwrap()
}

/// The clauses of all predicates whose names start with `q`.
fn clauses(theory: &Theory) -> Vec<Clause> {
    let predicates = theory.base.predicates.iter().zip(&theory.base.clauses);
    let asked = predicates.filter(|(one, _)| one.name.starts_with('q'));
    asked.flat_map(|(_, own)| own.clone()).collect()
}

/// The clauses afterwards, then what was done.
fn shown(theory: &Theory, before: &[Clause], outcome: &MetaprogramOutcome) -> String {
    let clause = |clause: &Clause| clause_text(theory, &theory.symbols, clause) + "\n";
    let mut text: String = outcome.clauses.iter().map(clause).collect();
    for deduction in &outcome.log {
        let variables = before.get(deduction.clause).map_or(&[][..], |clause| &clause.variables);
        let condition = |condition| condition_text(theory, &theory.symbols, condition, variables);
        let deed = match &deduction.deed {
            Deed::Dropped(why) => format!("dropped: {why}"),
            Deed::Unified(left, right) => {
                let [left, right] = [*left, *right].map(Expr::Term);
                let equation = Condition::Compare(Comparison::Equal, left, right);
                format!("unified: {}", condition(&equation))
            }
            Deed::Added(added) => format!("added: {}", condition(added)),
            Deed::Removed(removed) => format!("removed: {}", condition(removed)),
            Deed::Made(made) => format!("made: {}", clause_text(theory, &theory.symbols, made)),
            Deed::NotRemoved(kept) => format!("not removed: {}", condition(kept)),
            Deed::NotAdded(left_out) => format!("not added: {}", condition(left_out)),
            Deed::NotMade(left_out) => {
                format!("not made: {}", clause_text(theory, &theory.symbols, left_out))
            }
        };
        let (metarule, clause) = (deduction.metarule, deduction.clause);
        writeln!(text, "% metarule {metarule} on clause {clause}: {deed}").unwrap();
    }
    text
}

fn check(text: &str, expected: &Expect) {
    let theory = theory(text);
    let before = clauses(&theory);
    let outcome = run_metaprogram(&theory, before.clone(), &MetaprogramLimits::default());
    assert_eq!(outcome.cut, None);
    let n_done = outcome.log.iter().filter(|deduction| deduction.deed.is_done()).count();
    assert_eq!(outcome.uses.iter().sum::<usize>(), n_done);
    expected.assert_eq(&shown(&theory, &before, &outcome));
}

#[test]
fn metameta_3_1_grid_triangle() {
    check(
        r#"include "paper".
        q(X, X) :- connected(X, Y), connected(Y, Z), connected(Z, X).
        q(X, Z) :- connected(X, Y), connected(Y, Z).
        q(X, Y) :- connected(X, Y), connected(X, X).
        q(X, X) :- connected(X, _), X \= X."#,
        &expect![[r#"
            q(X, Z) :- connected(X, Y), connected(Y, Z).
            % metarule 3 on clause 0: dropped: impossible
            % metarule 3 on clause 2: dropped: impossible
            % metarule 1 on clause 3: dropped: impossible
        "#]],
    );
}

#[test]
fn metameta_2_a_string_has_one_color_which_is_not_empty() {
    check(
        r#"include "paper".
        q(S, C, D) :- string_shared(S, C), string_shared(S, D), string_size(S, 3), C \= E, string_shared(S, E).
        q(S, T) :- string_shared(S, C), string_shared(T, C).
        q1(S) :- string_shared(S, white), string_shared(S, C), string_shared(T, C), string_shared(T, black).
        q2(S) :- string_shared(S, empty)."#,
        &expect![[r#"
            q(S, T) :- string_shared(S, C), string_shared(T, C).
            % metarule 0 on clause 0: unified: C = D
            % metarule 0 on clause 0: unified: C = E
            % metarule 0 on clause 2: unified: C = white
            % metarule 0 on clause 2: dropped: two constants would have to be one
            % metarule 1 on clause 0: dropped: impossible
            % metarule 2 on clause 3: dropped: impossible
        "#]],
    );
}

#[test]
fn metameta_3_2_four_tests_of_the_path_of_four_steps_are_useless() {
    check(
        r#"include "paper".
        q(X, D) :- connected(X, Y), X \= Y, connected(Y, Z), Z \= Y, Z \= X,
            connected(Z, W), W \= X, W \= Y, W \= Z, connected(W, D)."#,
        &expect![[r#"
            q(X, D) :- connected(X, Y), connected(Y, Z), Z \= X, connected(Z, W), W \= Y, connected(W, D).
            % metarule 4 on clause 0: removed: W \= Z
            % metarule 5 on clause 0: removed: W \= X
            % metarule 4 on clause 0: removed: Z \= Y
            % metarule 4 on clause 0: removed: X \= Y
        "#]],
    );
}

#[test]
fn conditions_that_make_each_other_useless_do_not_both_go() {
    check(
        r"q(X, Y) :- connected(X, Y), connected(Y, X).
        q(X, X) :- connected(X, X).
        meta phase filter.
        useless(R, `connected(Y, X)`) :- rule(R), condition(R, `connected(X, Y)`), condition(R, `connected(Y, X)`).",
        &expect![[r#"
            q(X, Y) :- connected(X, Y).
            q(X, X) :- connected(X, X).
            % metarule 0 on clause 0: removed: connected(Y, X)
        "#]],
    );
}

#[test]
fn forcedmoves_6_new_rules_are_made_from_others() {
    check(
        r#"q1(P, S, T) :- string_shared(S, P), string_border(S, T), stone(T) = empty.
        q1(P, S, T) :- string_shared(S, P), string_border(S, T), stone(T) = empty, string_size(S, 1), string_size(T, 1), string_size(_, 2).
        q2(P, S, T) :- string_shared(S, P), string_border(S, T), P \= P.
        meta phase generate.
        addconclusion(R1, `q2(P1, S, T)`), addrule(R1) :-
            rule(R), conclusion(R, `q1(P, S, T)`), setofconditions(R, C), length(C, N), N < 5,
            newrule(R1), addcondition(R1, `opponent(P, _)`), addcondition(R1, `opponent(P1, P)`), addconditiontoset(R1, C),
            rule(Q), conclusion(Q, `q2(P1, _, _)`).
        meta phase filter.
        impossible(R) :- rule(R), condition(R, `X \= X`).
        kill(R, "too long") :- rule(R), setofconditions(R, C), length(C, N), N > 5."#,
        &expect![[r#"
            q1(P, S, T) :- string_shared(S, P), string_border(S, T), stone(T, empty).
            q2(P1, S, T) :- opponent(P, A), opponent(P1, P), string_shared(S, P), string_border(S, T), stone(T, empty).
            % metarule 0 on clause 3: made: q2(P1, S, T) :- opponent(P, A), opponent(P1, P), string_shared(S, P), string_border(S, T), stone(T, empty).
            % metarule 2 on clause 1: dropped: too long
            % metarule 1 on clause 2: dropped: impossible
        "#]],
    );
}

#[test]
fn tests_on_terms_sorts_sets_and_rules() {
    check(
        r#"q(F, R) :- S = (F, R), stone(S) = white, F < R, R > 2.
        q(F, R) :- stone((F, R)) = C, R < F, F = R + 1, file(F), file(R), role(C).
        q1(S) :- stone(S) = white, stone(S) = C, connected(S, S), C \= black.
        q1(S) :- stone(S) = white.
        meta phase normalize.
        addcondition(R, `connected(S, _)`) :- rule(R), condition(R, `stone(S) = white`), not condition(R, `connected(S, _)`).
        removecondition(R, `file(F)`), removecondition(R, `point(S)`) :-
            rule(R), condition(R, `S = (F, G)`), condition(R, `F > G`), condition(R, `F = 1 + G`), sort(F, file), variable(G).
        meta phase filter.
        unify(R, C, D) :- rule(R), condition(R, `stone(S) = C`), condition(R, `stone(S) = D`), constant(C), not same(C, D).
        meta phase order.
        kill(R, "again") :- rule(R), rule(Q), R \= Q, setofconditions(R, S), setofconditions(Q, T), not S = T,
            conclusion(R, `q1(X)`), conclusion(Q, `q1(Y)`), length(T, 2), once { R }, union(S, T, U), subset(T, U), not X = Y."#,
        &expect![[r#"
            q(F, R) :- A = (F, R), S = A, stone(S, white), F < R, R > 2, connected(S, B).
            q(F, R) :- A = (F, R), stone(A, C), R < F, F = R + 1, file(R), role(C).
            q1(S) :- stone(S, white), connected(S, A).
            % metarule 0 on clause 0: added: connected(S, V_4)
            % metarule 1 on clause 1: removed: file(F)
            % metarule 0 on clause 3: added: connected(S, V_1)
            % metarule 2 on clause 2: unified: C = white
            % metarule 3 on clause 2: dropped: again
        "#]],
    );
}

#[test]
fn a_metarule_that_is_a_pure_filter_is_a_dependency() {
    let theory = theory(r#"include "paper"."#);
    let solver = Solver::new(
        theory.base.clone(),
        theory.symbols.clone(),
        Limits::default(),
        Stop::default(),
    );
    let facts = StaticFacts::of(&theory, &solver);
    let line = |metarule| match as_dependency(metarule) {
        Some(dependency) => metarule_text(&dependency, &facts) + "\n",
        None => "none\n".to_owned(),
    };
    expect![[r#"
        Y = Z :- string_shared(X, Y), string_shared(X, Z).
        impossible :- X \= X.
        impossible :- string_shared(X, empty).
        impossible :- connected(X, Y), connected(Y, Z), connected(Z, X).
        useless X \= Y :- connected(X, Y).
        useless X \= W :- connected(X, Y), connected(Y, Z), connected(Z, W).
    "#]]
    .assert_eq(&theory.metarules.iter().map(line).collect::<String>());
}

#[test]
fn a_clause_stays_safe_whatever_metarules_do() {
    check(
        r#"q(X, Y) :- connected(X, Y), stone(Y) = white.
        q1(X) :- connected(X, _), stone(X) = C, string_size(S, N), string_shared(S, C), N > 1.
        q2(F, C) :- file(F), role(C), stone((F, F)) = C.
        meta phase generate.
        addrule(N), addconclusion(N, `q2(F, C)`) :- rule(R), conclusion(R, `q2(F, C)`), newrule(N), addcondition(N, `C \= _`).
        meta phase normalize.
        addcondition(R, `X \= _`) :- rule(R), condition(R, `connected(X, _)`).
        removecondition(R, `connected(X, Y)`) :- rule(R), condition(R, `connected(X, Y)`).
        removecondition(R, `stone(X) = C`) :- rule(R), condition(R, `stone(X) = C`).
        removecondition(R, `string_size(S, N)`) :- rule(R), condition(R, `string_size(S, N)`).
        meta phase filter.
        unify(R, F, C) :- rule(R), conclusion(R, `q2(F, C)`)."#,
        &expect![[r#"
            q(X, Y) :- connected(X, Y).
            q1(X) :- stone(X, C), string_size(S, N), string_shared(S, C), N > 1.
            % metarule 0 on clause 3: not made: q2(F, C) :- C \= A.
            % metarule 1 on clause 0: not added: X \= V_2
            % metarule 2 on clause 0: not removed: connected(X, Y)
            % metarule 3 on clause 0: removed: stone(Y, white)
            % metarule 1 on clause 1: not added: X \= V_5
            % metarule 2 on clause 1: removed: connected(X, A)
            % metarule 3 on clause 1: not removed: stone(X, C)
            % metarule 4 on clause 1: not removed: string_size(S, N)
            % metarule 3 on clause 2: removed: stone(A, C)
            % metarule 5 on clause 2: dropped: no value is of both sorts
        "#]],
    );
}

#[test]
fn what_is_mutated_is_right() {
    assert_eq!(theory(MUTATED).metarules.len(), 5);
}

#[test]
fn running_out_of_fuel_is_reported() {
    let theory = theory(
        r"q(X, Y) :- connected(X, Y), connected(Y, X), connected(X, X), connected(Y, Y), X \= Y.
        meta phase filter.
        impossible(R) :- rule(R), condition(R, A), condition(R, B), condition(R, C), condition(R, D), A = B, B = C,
            C = D, condition(R, `stone(_) = white`), condition(R, E), E = A.
        meta phase normalize.
        addcondition(R, `connected(_, X)`) :- rule(R), condition(R, `connected(X, _)`).
        ",
    );
    let before = clauses(&theory);
    let limits = MetaprogramLimits { fuel: 100, rounds: 3 };
    let outcome = run_metaprogram(&theory, before.clone(), &limits);
    assert_eq!(outcome.cut, Some((MetaprogramCut::Fuel, 0)));
    assert_eq!(outcome.clauses.len(), 1);
    let enough = run_phase(&theory, Phase::Filter, before, &MetaprogramLimits::default());
    assert_eq!(enough.cut, None);
}

/// Metarules to be broken in all ways, over clauses of all kinds.
const MUTATED: &str = r#"
q(X, Y) :- connected(X, Y), none { Z : connected(Y, Z), stone(Z) = white }, X \= Y, N = count { Z : stone(Z) = black }, N > 2.
q(X, Y) :- connected(X, Y), after(white does place(X), stone(Y) = empty), role(P), X = (F, 1), F + 1 = 3, opponent(P, Q), Q = black.
meta phase generate.
addrule(S), addconclusion(S, `q(X, Z)`) :- rule(R), rule(Q), condition(R, `connected(X, Y)`), condition(Q, `connected(Z, _)`),
    newrule(S), setofconditions(R, A), addconditiontoset(S, A), addcondition(S, `Y \= _`), condition(Q, C), addcondition(S, C).
meta phase normalize.
unify(R, X, Y), addcondition(R, `stone(X) = _`) :- rule(R), condition(R, `connected(X, Y)`), not condition(R, `stone(X) = _`).
meta phase filter.
useless(R, C) :- rule(R), condition(R, C), setofconditions(R, S), member(C, S), length(S, N), N > 3, once { R, C }.
removecondition(R, `Q = P`) :- rule(R), condition(R, `opponent(P, Q)`), sort(P, role).
kill(R, "no") :- rule(R), rule(Q), R \= Q, setofconditions(R, S), setofconditions(Q, T), subset(S, T), union(S, T, U), subset(U, T).
meta end.
"#;

fn mutated() -> impl Strategy<Value = String> {
    let pieces = "X Y Z R Q S C _ N ( ) , . ` :- rule(R) rule(Q) condition(R, not connected stone white 1 \\= = \
                  addcondition useless unify kill(R, newrule(S) once{R} phase generate normalize filter";
    let pieces: Vec<&'static str> = pieces.split_ascii_whitespace().collect();
    let edit = (any::<prop::sample::Index>(), 0_usize..3, prop::sample::select(pieces));
    prop::collection::vec(edit, 0..4).prop_map(|edits| {
        let mut characters: Vec<char> = MUTATED.chars().collect();
        for (place, length, piece) in edits {
            let start = place.index(characters.len() + 1);
            let end = (start + length).min(characters.len());
            characters.splice(start..end, piece.chars());
        }
        characters.into_iter().collect()
    })
}

/// A clause about points: which pairs of variables are connected, and which differ.
fn random_clause(predicate: PredicateId, theory: &Theory, parts: &[(bool, u16, u16)]) -> Clause {
    let connected = theory.base.predicates.iter().position(|one| one.name == "connected").unwrap();
    let connected = PredicateId(u32::try_from(connected).unwrap());
    let domain = theory.base.predicate(connected).domains[0];
    let condition = |(is_test, left, right): &(bool, u16, u16)| {
        let [left, right] = [*left, *right].map(|number| Term::Var(Var(number)));
        if *is_test {
            let [left, right] = [left, right].map(Expr::Term);
            return Condition::Compare(Comparison::Unequal, left, right);
        }
        Condition::Holds(Atom { predicate: connected, args: vec![left, right] })
    };
    let variables =
        ["A", "B", "C", "D"].map(|name| Variable { name: name.to_owned(), domain }).to_vec();
    // A chain binds all variables.
    let chain = [(false, 0, 1), (false, 1, 2), (false, 2, 3)];
    let body = chain.iter().chain(parts).map(condition).collect();
    let args = vec![Term::Var(Var(0)), Term::Var(Var(3))];
    Clause { head: Atom { predicate, args }, body, variables, span: Span::default() }
}

fn answers(theory: &Theory, predicate: PredicateId, clauses: &[Clause]) -> Vec<Vec<Value>> {
    let mut base = theory.base.clone();
    base.clauses[predicate.0 as usize] = clauses.to_vec();
    let solver = Solver::new(base, theory.symbols.clone(), Limits::default(), Stop::default());
    let rows = solver.query(&Nowhere::default(), predicate, &[None, None]).unwrap();
    let mut rows: Vec<Vec<Value>> = rows.iter().map(|row| row.to_vec()).collect();
    rows.sort_unstable();
    rows
}

fn parts() -> impl Strategy<Value = Vec<(bool, u16, u16)>> {
    prop::collection::vec((any::<bool>(), 0_u16..4, 0_u16..4), 0..6)
}

proptest! {
    #[test]
    fn metaprograms_end_and_make_whole_clauses(text in mutated()) {
        let text = format!("{GRID}{text}");
        let parsed = parse("test.rules", &text, &Settings::default(), &Paper);
        if let Some(theory) = parsed.theory {
            let limits = MetaprogramLimits { fuel: 20_000, rounds: 8 };
            let outcome = run_metaprogram(&theory, clauses(&theory), &limits);
            assert_eq!(outcome.clauses.len(), outcome.numbers.len());
            for clause in &outcome.clauses {
                let vars = clause.body.iter().flat_map(rulesmith_logic::condition_vars);
                assert!(vars.into_iter().all(|var| usize::from(var.0) < clause.variables.len()));
                clause_text(&theory, &theory.symbols, clause);
            }
        }
    }

    /// The paper's metarules are true on the grid, so they change no answers.
    #[test]
    fn true_metarules_change_no_answers(bodies in prop::collection::vec(parts(), 1..4)) {
        let theory = theory(r#"include "paper". q(X, Y) :- connected(X, Y)."#);
        let predicate = clauses(&theory)[0].head.predicate;
        let before: Vec<Clause> =
            bodies.iter().map(|parts| random_clause(predicate, &theory, parts)).collect();
        let outcome = run_metaprogram(&theory, before.clone(), &MetaprogramLimits::default());
        assert_eq!(
            answers(&theory, predicate, &outcome.clauses),
            answers(&theory, predicate, &before)
        );
    }

    #[test]
    fn results_do_not_depend_on_the_order_of_metarules(
        bodies in prop::collection::vec(parts(), 1..4)
    ) {
        let mut theory = theory(r#"include "paper". q(X, Y) :- connected(X, Y)."#);
        let predicate = clauses(&theory)[0].head.predicate;
        let before: Vec<Clause> =
            bodies.iter().map(|parts| random_clause(predicate, &theory, parts)).collect();
        let text = |theory: &Theory| {
            let outcome = run_metaprogram(theory, before.clone(), &MetaprogramLimits::default());
            let clauses = outcome.clauses.iter();
            clauses.map(|clause| clause_text(theory, &theory.symbols, clause)).collect::<Vec<_>>()
        };
        let first = text(&theory);
        theory.metarules.reverse();
        for metarule in &mut theory.metarules {
            metarule.conditions.reverse();
        }
        assert_eq!(text(&theory), first);
    }
}
