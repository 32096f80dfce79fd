//! A deliberately wrong metarule of any kind is caught: by the brute-force audit where facts decide it,
//! and by the comparison with the reference solver once it is forced into the store.
//!
//! In: a wrong metarule of each kind, written as an author would. Out: who complains. The control is the
//! same store without it, which nobody complains about.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod programs;
mod random_theories;
mod subjects;

use programs::{Asked, Run};
use random_theories::Random;
use rulesmith_logic::{Atom, Condition, Term, Value, Var};
use rulesmith_rules::{NoFiles, Settings as TextSettings, Theory, parse, parse_request};
use rulesmith_specialize::metarules::{
    Complaint, Consequence, Declarations, Families, Metarule, Origin, Proof, Store, audit,
};
use rulesmith_specialize::{
    Knowledge, Settings, Specializer, as_dependency, authors_metarules, dependency_tests,
};
use subjects::{random_state, subject};

const STONES: &str = r"
rules 1. game stones. role white, black.
sort file = 1..3. sort point = file * file. sort content = {empty} + role.
fluent stone(point) : content = empty. fluent marked(point).
static connected(point, point).
connected((F, R), (F + 1, R)). connected((F, R), (F - 1, R)). connected((F, R), (F, R + 1)). connected((F, R), (F, R - 1)).
static right(point, point). right((F, R), (F + 1, R)). static row(file). row(1). row(2). row(3).
object string = component(P : stone(P) = C, C \= empty ; link connected ; same C).
square(A, C) :- connected(A, B), connected(B, C), connected(C, D), connected(D, A), A \= C, B \= D.
fork(B, C) :- connected(A, B), connected(A, C).
path(A, C) :- connected(A, B), connected(B, C), A \= C.
inner(A) :- connected(A, _), right(A, _).
top(F) :- row(F), F > 2.
pair(A, B) :- connected(A, B), stone(A) = white, stone(B) = white.
both(A, B) :- marked(A), marked(B).
liberty(S, L) :- string_border(S, L), stone(L) = empty.
joined(P, Q) :- string_element(S, P), string_element(S, Q).
colored(S, C) :- string_shared(S, C), marked(S).
move pass. legal white does pass. terminal. goal(P, 50) :- role(P).
";

/// Who should complain besides the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caught {
    /// Facts refute it by brute force.
    ByAudit,
    /// No facts decide it; the test that `check` makes in states refutes it.
    InStates,
}

fn theory(claim: &str) -> Theory {
    let meta =
        if claim.is_empty() { String::new() } else { format!("meta phase filter.\n{claim}") };
    let parsed =
        parse("wrong.rules", &format!("{STONES}{meta}"), &TextSettings::default(), &NoFiles);
    assert!(parsed.theory.is_some(), "{:#?}", parsed.diagnostics.list);
    parsed.theory.unwrap()
}

/// What differs when the request is specialised with this store, over many states.
fn difference(knowledge: &Knowledge<'_>, store: Store, asked: &str) -> Option<String> {
    let theory = knowledge.theory;
    let start = subject(theory);
    let settings = Settings { mines_eagerly: false, ..Settings::default() };
    let mut specializer = Specializer::with_store(knowledge, settings, store, vec![]);
    let request = &parse_request(theory, asked).unwrap()[0];
    let specialized = specializer.specialize(std::slice::from_ref(request)).unwrap();
    let asked = Asked { knowledge, specialized: &specialized, request };
    let mut random = Random::new(1);
    (0..12).find_map(|_| {
        let state = start.in_state(random_state(&mut random, theory));
        asked.compare(&state, &mut random, &mut Run::default()).err()
    })
}

fn store(theory: &Theory) -> Store {
    Store::new(Declarations::of(theory), Families::ALL)
}

/// Forces a wrong metarule into a store: the comparison must see it, and not without it.
fn check_forced(knowledge: &Knowledge<'_>, wrong: Metarule, asked: &str) {
    assert_eq!(difference(knowledge, store(knowledge.theory), asked), None);
    let mut forced = store(knowledge.theory);
    forced.add(wrong);
    assert!(difference(knowledge, forced, asked).is_some(), "nobody sees it");
}

/// A wrong claim under a proof it does not have, and a request whose answers it changes.
fn check(claim: &str, proof: fn(&Knowledge<'_>) -> Proof, asked: &str, caught: Caught) {
    let theory = theory(claim);
    let start = subject(&theory);
    let knowledge = Knowledge::new(&theory, &start.solver);
    let mut wrong = as_dependency(&theory.metarules[0]).unwrap();
    wrong.proof = proof(&knowledge);
    let complaints = audit([&wrong], &knowledge.facts);
    match caught {
        Caught::ByAudit => {
            assert!(matches!(complaints[..], [(0, Complaint::False(_))]), "{complaints:?}");
        }
        Caught::InStates => {
            assert_eq!(complaints, [(0, Complaint::Unchecked)]);
            let authors = authors_metarules(&knowledge);
            assert_eq!(dependency_tests(&theory, &authors).len(), 1, "it is put to no test");
            let mut random = Random::new(1);
            let is_refuted = (0..12).any(|_| {
                let state = start.in_state(random_state(&mut random, &theory));
                !programs::declared_holds(&knowledge, &state).unwrap()
            });
            assert!(is_refuted, "no state refutes it");
        }
    }
    check_forced(&knowledge, wrong, asked);
}

fn on_facts(knowledge: &Knowledge<'_>) -> Proof {
    Proof::Static(knowledge.facts.digest())
}

fn by_induction(knowledge: &Knowledge<'_>) -> Proof {
    Proof::Inductive(knowledge.facts.digest())
}

#[test]
fn a_wrong_impossibility_is_caught() {
    check(
        r"impossible(R) :- rule(R), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`),
          condition(R, `connected(C, D)`), condition(R, `connected(D, A)`), condition(R, `A \= C`), condition(R, `B \= D`).",
        on_facts,
        "square(A, C)",
        Caught::ByAudit,
    );
}

#[test]
fn a_wrong_monovaluation_is_caught() {
    check(
        "unify(R, B, C) :- rule(R), condition(R, `connected(A, B)`), condition(R, `connected(A, C)`).",
        on_facts,
        "fork(B, C)",
        Caught::ByAudit,
    );
}

#[test]
fn a_wrong_useless_test_is_caught() {
    check(
        r"useless(R, `A \= C`) :- rule(R), condition(R, `A \= C`), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`).",
        on_facts,
        "path(A, C)",
        Caught::ByAudit,
    );
}

#[test]
fn a_wrong_useless_generator_is_caught() {
    check(
        "useless(R, `right(A, _)`) :- rule(R), condition(R, `right(A, _)`), condition(R, `connected(A, _)`).",
        on_facts,
        "inner(A)",
        Caught::ByAudit,
    );
}

#[test]
fn a_wrong_domain_of_values_is_caught() {
    let theory = theory("");
    let start = subject(&theory);
    let knowledge = Knowledge::new(&theory, &start.solver);
    let row = parse_request(&theory, "row(F)").unwrap()[0].predicate;
    let atom = Atom { predicate: row, args: vec![Term::Var(Var(0))] };
    // All values it takes but the last.
    let values = vec![Value::Int(1), Value::Int(2)];
    let within = Consequence::Within(Var(0), values);
    let proof = on_facts(&knowledge);
    let wrong = Metarule::new(&[Condition::Holds(atom)], &within, proof, Origin::Author);
    let complaints = audit([&wrong], &knowledge.facts);
    assert!(matches!(complaints[..], [(0, Complaint::False(_))]), "{complaints:?}");
    check_forced(&knowledge, wrong, "top(F)");
}

#[test]
fn a_wrong_invariant_is_caught() {
    check(
        "impossible(R) :- rule(R), condition(R, `stone(A) = white`), condition(R, `stone(B) = white`), condition(R, `connected(A, B)`).",
        by_induction,
        "pair(A, B)",
        Caught::InStates,
    );
    check(
        "unify(R, A, B) :- rule(R), condition(R, `marked(A)`), condition(R, `marked(B)`).",
        by_induction,
        "both(A, B)",
        Caught::InStates,
    );
}

#[test]
fn a_wrong_law_of_objects_is_caught() {
    let general = |_: &Knowledge<'_>| Proof::General;
    check(
        "impossible(R) :- rule(R), condition(R, `string_border(S, L)`), condition(R, `stone(L) = empty`).",
        general,
        "liberty(S, L)",
        Caught::InStates,
    );
    check(
        "unify(R, P, Q) :- rule(R), condition(R, `string_element(S, P)`), condition(R, `string_element(S, Q)`).",
        general,
        "joined(P, Q)",
        Caught::InStates,
    );
}

#[test]
fn a_wrong_declared_metarule_is_caught() {
    let declared = |_: &Knowledge<'_>| Proof::Declared;
    check(
        "useless(R, `marked(S)`) :- rule(R), condition(R, `marked(S)`), condition(R, `string_shared(S, _)`).",
        declared,
        "colored(S, C)",
        Caught::InStates,
    );
}
