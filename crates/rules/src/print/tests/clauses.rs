//! What single clauses and conditions look like.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, DomainId, Expr, PredicateId, Quantifier, Span, Term,
    Value, Var, Variable,
};

use super::{GAME, theory};
use crate::print::{clause_text, condition_text, variable_names};
use crate::theory::Theory;

/// The texts of all clauses that a text adds to the game.
fn check(text: &str, expected: &Expect) {
    let (before, after) = (theory(GAME), theory(&(GAME.to_owned() + text)));
    let known: Vec<String> = texts(&before);
    let added: Vec<String> =
        texts(&after).into_iter().filter(|text| !known.contains(text)).collect();
    expected.assert_eq(&(added.join("\n") + "\n"));
}

fn texts(theory: &Theory) -> Vec<String> {
    let clauses = theory.base.clauses.iter().flatten();
    clauses.map(|clause| clause_text(theory, &theory.symbols, clause)).collect()
}

#[test]
fn every_condition_is_written_by_itself() {
    check(
        r"a(P) :- at((F, 1)) = P, next(F) = 3, turn \= P, owner(F) = undefined, done, file(F).
          b(P, count { F, G : next(F) = G, at((F, G)) = P } + 1) :- role(P), none { F : owner(F) = P }.
          c(min(F, 2 * F - 3)) :- file(F), (F < 3 ; F > 5).
          target d(F) :- owner(F) = _.
          init owner(1) = white. init done. effect step(F, _) : owner(F) := undefined.
          deferred effect any : done := true.
          legal P does step(F, 1) :- turn = P, after(P does step(F, 1), done), not legal P does pass.
          draw :- repeated(3, over [at]). draw :- since(done1, 4). done1 :- done.
          draw :- cycle(white, done, over [turn]).",
        &expect![[r#"
            draw :- repeated(3, over [at]).
            draw :- since(done1, 4).
            draw :- cycle(white, done, over [turn]).
            init owner(1) = white.
            effect owner(F) := undefined :- A does step(F, B).
            init done.
            deferred effect done := true.
            legal P does step(F, 1) :- turn(P), after(P does step(F, 1), done), not legal P does pass.
            a(P) :- A = (F, 1), at(A, P), next(F, 3), turn(B), B \= P, none { C : owner(F, C) }, done, file(F).
            b(P, B) :- role(P), none { F : owner(F, P) }, B = count { F1, G : next(F1, G), A = (F1, G), at(A, P) } + 1.
            c(A) :- file(F), (F < 3 ; F > 5), A = min(F, (2 * F) - 3).
            target d(F) :- owner(F, A).
            done1 :- done.
        "#]],
    );
}

#[test]
fn names_are_kept_numbered_or_given() {
    let named = |name: &str| Variable { name: name.to_owned(), domain: None };
    let names = ["X", "_", "X", "B", "_", "?y", "X1", "X1", "", "\0", "_Z"];
    let names = variable_names(&names.map(named));
    assert_eq!(names, ["X", "A", "X1", "B", "C", "Y", "X1_1", "X1_2", "D", "X2", "_Z"]);
    for name in ["_", "X"] {
        let many = variable_names(&vec![named(name); 60_000]);
        assert_eq!(many.iter().collect::<BTreeSet<_>>().len(), 60_000);
    }
}

#[test]
fn what_no_text_can_say_is_written_all_the_same() {
    let theory = theory(GAME);
    let mut symbols = theory.symbols.clone();
    let functor = symbols.symbol("made");
    let value = symbols.compound(functor, &[Value::Int(1)]);
    let unknown = Atom { predicate: PredicateId(9_999), args: vec![Term::Value(value)] };
    let by = Atom { predicate: theory.moves[0].does, args: vec![] };
    let term = Expr::Term(Term::Var(Var(7)));
    let body = vec![
        Condition::Holds(unknown),
        Condition::Member(Term::Var(Var(7)), DomainId(9_999)),
        Condition::AnyOf(vec![]),
        Condition::None { locals: vec![], body: vec![] },
        Condition::Elsewhere { by, quantifier: Quantifier::Every, body: vec![] },
        Condition::Construct { whole: Term::Var(Var(0)), functor, args: vec![] },
        Condition::Compare(
            Comparison::Equal,
            term,
            Expr::Count { counted: vec![], body: vec![Condition::AnyOf(vec![vec![], vec![]])] },
        ),
    ];
    let head = Atom { predicate: theory.terminal, args: vec![] };
    let variables = vec![Variable { name: "V".to_owned(), domain: None }];
    let clause = Clause { head, body, variables, span: Span::default() };
    expect![[r#"
        terminal :- p9999(made(1)), V_7 in ?, 0 = 1, not (0 = 0), after(every step, 0 = 0), V = made(), V_7 = count {  : (0 = 0 ; 0 = 0) }."#]]
    .assert_eq(&clause_text(&theory, &symbols, &clause));
    let alone = condition_text(&theory, &symbols, &clause.body[5], &clause.variables);
    assert_eq!(alone, "V = made()");
}
