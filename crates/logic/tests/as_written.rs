//! Successes of conditions in small theories, counted by hand.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rulesmith_logic::{
    AsWritten, Atom, Clause, ClauseBase, Comparison, Component, ComponentId, ComponentPart,
    Condition, Error, Expr, Level, Limits, Nowhere, Predicate, PredicateId, Proofs, Solver, Source,
    Span, Statics, Stop, Symbols, Term, Value, Var, Variable,
};

/// The predicates of the theory, by number.
const EDGE: u32 = 0;
const NODE: u32 = 1;
const GOAL: u32 = 2;
const MIDDLE: u32 = 3;
/// A predicate of the world, which has no facts.
const WORLD: u32 = 4;
const ELEMENT: u32 = 5;

const X: Term = Term::Var(Var(0));
const Y: Term = Term::Var(Var(1));
const Z: Term = Term::Var(Var(2));

fn number(value: i32) -> Term {
    Term::Value(Value::Int(value))
}

fn atom(predicate: u32, args: &[Term]) -> Atom {
    Atom { predicate: PredicateId(predicate), args: args.to_vec() }
}

fn holds(predicate: u32, args: &[Term]) -> Condition {
    Condition::Holds(atom(predicate, args))
}

fn none(body: Vec<Condition>) -> Condition {
    Condition::None { locals: vec![], body }
}

fn clause(head: Atom, body: Vec<Condition>) -> Clause {
    let variables = vec![Variable { name: "V".to_owned(), domain: None }; 3];
    Clause { head, body, variables, span: Span::default() }
}

/// Nodes 0, 1, 2 with edges from 0 to 1 and from 1 to 2, their components, and some clauses.
fn solver(clauses: Vec<Clause>) -> Solver {
    let mut base = ClauseBase::default();
    let sources = [
        Source::Clauses,
        Source::Clauses,
        Source::Clauses,
        Source::Clauses,
        Source::World,
        Source::Component(ComponentId(0), ComponentPart::Element),
    ];
    for (index, source) in sources.into_iter().enumerate() {
        let level = if source == Source::World { Level::State } else { Level::Static };
        let domains = if index == NODE as usize { vec![None] } else { vec![None; 2] };
        base.add_predicate(Predicate { name: format!("p{index}"), domains, source, level });
    }
    base.components.push(Component {
        element: Var(0),
        shared: None,
        body: vec![holds(NODE, &[X])],
        link: PredicateId(EDGE),
        variables: vec![Variable { name: "X".to_owned(), domain: None }],
        span: Span::default(),
    });
    for (from, to) in [(0, 1), (1, 2)] {
        base.add_clause(clause(atom(EDGE, &[number(from), number(to)]), vec![]));
    }
    for node in 0..3 {
        base.add_clause(clause(atom(NODE, &[number(node)]), vec![]));
    }
    for clause in clauses {
        base.add_clause(clause);
    }
    base.settle();
    Solver::new(base, Symbols::default(), Limits::default(), Stop::default())
}

const FIRST: AsWritten =
    AsWritten { statics: Statics::Clauses, proofs: Proofs::First, success_limit: 1000 };

/// How many answers `GOAL` has for these arguments, and how many conditions hold on the way.
fn ask(
    clauses: Vec<Clause>,
    settings: AsWritten,
    known: [Option<i32>; 2],
) -> Result<(usize, u64), Error> {
    let solver = solver(clauses);
    let world = Nowhere::default();
    let known = known.map(|known| known.map(Value::Int));
    let goal = PredicateId(GOAL);
    let (rows, n_successes) =
        solver.as_written(&world, settings, || solver.call(&world, goal, &known))?;
    assert_eq!(rows.len(), solver.query(&world, goal, &known)?.len());
    Ok((rows.len(), n_successes))
}

fn check(clauses: Vec<Clause>, settings: AsWritten, expected: (usize, u64)) {
    assert_eq!(ask(clauses, settings, [None, None]).unwrap(), expected);
}

/// middle(X, Z) :- edge(X, Y), edge(Y, Z).
fn two_steps() -> Clause {
    clause(atom(MIDDLE, &[X, Z]), vec![holds(EDGE, &[X, Y]), holds(EDGE, &[Y, Z])])
}

#[test]
fn every_row_of_a_generator_counts() {
    let body = vec![holds(EDGE, &[X, Y]), holds(EDGE, &[Y, Z])];
    // Two edges, and one that goes on.
    check(vec![clause(atom(GOAL, &[X, Z]), body)], FIRST, (1, 3));
}

#[test]
fn a_derived_predicate_is_evaluated_at_every_call() {
    let body = vec![holds(MIDDLE, &[X, Y]), holds(MIDDLE, &[X, Y])];
    // 3 inside and 1 outside; the second call knows both arguments: 1 + 1 inside and 1 outside.
    check(vec![two_steps(), clause(atom(GOAL, &[X, Y]), body)], FIRST, (1, 7));
}

#[test]
fn conditions_inside_negations_count_until_the_first_success() {
    let body = |inside| vec![holds(NODE, &[X]), none(vec![inside])];
    let goal = |inside| clause(atom(GOAL, &[X, X]), body(inside));
    // Three nodes, edges out of two of them, one negation that holds.
    check(vec![goal(holds(EDGE, &[X, Y]))], FIRST, (1, 6));
    // Three nodes, an edge found at once for each of them.
    check(vec![goal(holds(EDGE, &[Y, Z]))], FIRST, (0, 6));
}

#[test]
fn static_predicates_may_be_facts() {
    let body = vec![holds(MIDDLE, &[X, Y]), none(vec![holds(WORLD, &[X, Y])])];
    let clauses = vec![two_steps(), clause(atom(GOAL, &[X, Y]), body)];
    check(clauses.clone(), FIRST, (1, 5));
    check(clauses, AsWritten { statics: Statics::Facts, ..FIRST }, (1, 2));
}

#[test]
fn an_answer_proved_twice_goes_on_once_or_twice() {
    // middle(0, 0) :- node(Y), and goal goes on with it.
    let middle = clause(atom(MIDDLE, &[number(0), number(0)]), vec![holds(NODE, &[Y])]);
    let goal = clause(atom(GOAL, &[X, X]), vec![holds(MIDDLE, &[X, X]), holds(NODE, &[X])]);
    let clauses = vec![middle, goal];
    check(clauses.clone(), FIRST, (1, 5));
    check(clauses, AsWritten { proofs: Proofs::Every, ..FIRST }, (1, 9));
}

#[test]
fn a_call_that_comes_back_to_itself_has_the_solvers_answers() {
    // goal(X, Y) :- goal(X, Z), edge(Z, Y). goal(X, Y) :- edge(X, Y).
    let left = vec![
        clause(atom(GOAL, &[X, Y]), vec![holds(GOAL, &[X, Z]), holds(EDGE, &[Z, Y])]),
        clause(atom(GOAL, &[X, Y]), vec![holds(EDGE, &[X, Y])]),
    ];
    // Two answers come back, one of them goes on; one edge.
    assert_eq!(ask(left, FIRST, [Some(0), None]).unwrap(), (2, 4));
    let right = vec![
        clause(atom(GOAL, &[X, Y]), vec![holds(EDGE, &[X, Y])]),
        clause(atom(GOAL, &[X, Y]), vec![holds(EDGE, &[X, Z]), holds(GOAL, &[Z, Y])]),
    ];
    // From 0: an edge, an edge again; from 1 the same and an answer; from 2 nothing.
    assert_eq!(ask(right, FIRST, [Some(0), None]).unwrap(), (2, 5));
}

#[test]
fn a_call_made_after_an_answer_is_not_inside_it() {
    // goal(X, Y) :- middle(X, Y), middle(X, Y) with the same known arguments both times.
    let body = vec![holds(MIDDLE, &[X, Y]), holds(MIDDLE, &[X, Z])];
    let clauses = vec![two_steps(), clause(atom(GOAL, &[X, Y]), body)];
    // Twice 1 + 1 inside and 1 outside: the second call is evaluated like the first.
    assert_eq!(ask(clauses, FIRST, [Some(0), None]).unwrap(), (1, 6));
}

#[test]
fn a_count_counts_what_holds_inside() {
    let count = Expr::Count { counted: vec![Var(1), Var(2)], body: vec![holds(EDGE, &[Y, Z])] };
    let compare = Condition::Compare(Comparison::Equal, Expr::Term(X), count);
    check(vec![clause(atom(GOAL, &[X, X]), vec![compare])], FIRST, (1, 3));
}

#[test]
fn components_are_made_anew() {
    let element = || holds(ELEMENT, &[number(0), X]);
    // 3 members, 4 links (each edge from both ends), 3 elements.
    check(vec![clause(atom(GOAL, &[X, X]), vec![element()])], FIRST, (3, 10));
    // Once more for each of the three: 7 to make them and 1 element.
    check(vec![clause(atom(GOAL, &[X, X]), vec![element(), element()])], FIRST, (3, 34));
}

#[test]
fn too_many_successes_end_with_a_named_limit() {
    let body = vec![holds(EDGE, &[X, Y]), holds(EDGE, &[Y, Z])];
    let settings = AsWritten { success_limit: 2, ..FIRST };
    let outcome = ask(vec![clause(atom(GOAL, &[X, Z]), body)], settings, [None, None]);
    assert_eq!(outcome, Err(Error::Limit { name: "successes", limit: 2 }));
}
