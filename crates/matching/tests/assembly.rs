//! Small programs: early exit, compound terms, recursion, and what cannot be assembled.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::rc::Rc;

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Flow, Limits, Operation, PredicateId, Row, Stop, Symbols,
    Term, Value, Var,
};
use rulesmith_matching::{
    Answered, Count, Error, Mask, Matcher, Memory, Node, Procedure, Program, Setting, StaticMemory,
    Tree, Universe,
};

const EDGE: PredicateId = PredicateId(0);
const PATH: PredicateId = PredicateId(1);

fn var(number: u16) -> Term {
    Term::Var(Var(number))
}

fn int(number: i32) -> Term {
    Term::Value(Value::Int(number))
}

fn holds(predicate: PredicateId, args: &[Term]) -> Condition {
    Condition::Holds(Atom { predicate, args: args.to_vec() })
}

fn chain(conditions: Vec<Condition>, clause: usize, row: &[Term]) -> Node {
    let conclusion = Node::Conclusion { clause, row: row.to_vec() };
    conditions
        .into_iter()
        .rev()
        .fold(conclusion, |child, condition| Node::Condition { condition, children: vec![child] })
}

fn procedure(known: &[bool], inputs: &[u16], roots: Vec<Node>) -> Procedure {
    let inputs = inputs.iter().copied().map(Var).collect();
    let tree = Tree { inputs, n_registers: 6, roots };
    Procedure { predicate: PATH, known: known.to_vec(), tree }
}

fn answered(predicate: PredicateId) -> Option<Answered> {
    match predicate {
        EDGE => Some(Answered::Stored { arity: 2, is_static: true }),
        PATH => Some(Answered::Called),
        _ => None,
    }
}

fn memory(edges: &[(i32, i32)]) -> Memory {
    let rows: Vec<Row> =
        edges.iter().map(|(from, to)| [*from, *to].map(Value::Int).as_slice().into()).collect();
    let mut fixed = StaticMemory::new(Rc::new(Universe::default()), &[]);
    fixed.load(EDGE, 2, &rows);
    Memory::new(Rc::new(fixed))
}

fn setting(symbols: &RefCell<Symbols>) -> Setting<'_> {
    Setting { symbols, limits: Limits::default(), stop: Stop::default() }
}

fn answers(memory: &Memory, procedures: &[Procedure], pattern: &[Option<i32>]) -> Vec<Row> {
    let program = Program::assemble(memory.universe(), procedures, &answered).unwrap();
    let symbols = RefCell::default();
    let matcher = Matcher::new(&program, setting(&symbols));
    let pattern: Vec<Option<Value>> = pattern.iter().map(|known| known.map(Value::Int)).collect();
    let mut rows = matcher.query_values(memory, PATH, &pattern).unwrap();
    rows.sort();
    rows
}

fn rows(all: &[&[i32]]) -> Vec<Row> {
    all.iter().map(|row| row.iter().copied().map(Value::Int).collect()).collect()
}

/// X reaches Y by left recursion, which must not loop.
fn left_recursion(known: &[bool], inputs: &[u16]) -> Procedure {
    let one = chain(vec![holds(EDGE, &[var(0), var(1)])], 0, &[var(0), var(1)]);
    let steps = vec![holds(PATH, &[var(0), var(2)]), holds(EDGE, &[var(2), var(1)])];
    procedure(known, inputs, vec![one, chain(steps, 1, &[var(0), var(1)])])
}

#[test]
fn left_recursion_reaches_the_fixpoint() {
    let memory = memory(&[(0, 1), (1, 2), (2, 0), (3, 0)]);
    let program = [left_recursion(&[true, false], &[0]), left_recursion(&[false, false], &[])];
    assert_eq!(answers(&memory, &program, &[Some(3), None]), rows(&[&[3, 0], &[3, 1], &[3, 2]]));
    assert_eq!(answers(&memory, &program, &[Some(3), Some(3)]), rows(&[]));
    assert_eq!(answers(&memory, &program, &[None, None]).len(), 12);
}

#[test]
fn recursion_is_as_deep_as_the_limit_allows() {
    let edges: Vec<(i32, i32)> = (0..15_000).map(|from| (from, from + 1)).collect();
    let memory = memory(&edges);
    let one = chain(vec![holds(EDGE, &[var(0), int(15_000)])], 0, &[var(0)]);
    let steps = vec![holds(EDGE, &[var(0), var(1)]), holds(PATH, &[var(1)])];
    let program = [procedure(&[true], &[0], vec![one, chain(steps, 1, &[var(0)])])];
    assert_eq!(answers(&memory, &program, &[Some(0)]), rows(&[&[0]]));
}

#[test]
fn what_nobody_needs_is_found_once() {
    let memory = memory(&[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
    let steps = vec![holds(EDGE, &[var(0), var(1)]), holds(EDGE, &[var(1), var(2)])];
    let program = [procedure(&[true], &[0], vec![chain(steps, 0, &[var(0)])])];
    let program = Program::assemble(memory.universe(), &program, &answered).unwrap();
    let symbols = RefCell::default();
    let matcher = Matcher::new(&program, setting(&symbols));
    let zero = memory.universe().id(Value::Int(0));
    let mut n_found = 0;
    matcher
        .each(&memory, PATH, &[Some(zero)], &mut |_, _| {
            n_found += 1;
            Flow::More
        })
        .unwrap();
    assert_eq!(n_found, 1);
    assert_eq!(matcher.counts(0), [Count { tried: 1, held: 1 }; 3]);
}

#[test]
fn a_known_argument_that_the_head_gives_otherwise_is_compared() {
    let memory = memory(&[(0, 1)]);
    // One register for two arguments; and a constant in the head.
    let same = procedure(&[true, true], &[0, 0], vec![chain(vec![], 0, &[var(0), var(0)])]);
    assert_eq!(answers(&memory, std::slice::from_ref(&same), &[Some(1), Some(1)]).len(), 1);
    assert_eq!(answers(&memory, &[same], &[Some(1), Some(0)]).len(), 0);
    let fixed = procedure(&[true, false], &[0], vec![chain(vec![], 0, &[int(1), int(5)])]);
    assert_eq!(answers(&memory, std::slice::from_ref(&fixed), &[Some(1), None]), rows(&[&[1, 5]]));
    assert_eq!(answers(&memory, &[fixed], &[Some(0), None]), rows(&[]));
}

#[test]
fn compound_terms_are_made_and_taken_apart() {
    let memory = memory(&[(0, 1), (2, 3)]);
    let symbols = RefCell::<Symbols>::default();
    let functor = symbols.borrow_mut().symbol("pair");
    let other = symbols.borrow_mut().symbol("other");
    let make = |whole, functor, args: &[Term]| Condition::Construct {
        whole,
        functor,
        args: args.to_vec(),
    };
    let steps = vec![
        holds(EDGE, &[var(0), var(1)]),
        make(var(2), functor, &[var(0), var(1)]),
        make(var(2), functor, &[int(2), var(3)]),
        Condition::None { locals: vec![], body: vec![make(var(2), other, &[var(4), var(5)])] },
    ];
    let program = [procedure(&[false, false], &[], vec![chain(steps, 0, &[var(2), var(3)])])];
    let program = Program::assemble(memory.universe(), &program, &answered).unwrap();
    let matcher = Matcher::new(&program, setting(&symbols));
    let found = matcher.query_values(&memory, PATH, &[None, None]).unwrap();
    let pair = symbols.borrow_mut().compound(functor, &[Value::Int(2), Value::Int(3)]);
    assert_eq!(found, [Row::from_slice(&[pair, Value::Int(3)])]);
}

#[test]
fn counting_upward_without_end_ends_at_a_limit() {
    let memory = memory(&[]);
    let sum =
        Expr::Binary(Operation::Add, Box::new(Expr::Term(var(0))), Box::new(Expr::Term(int(1))));
    let steps = vec![
        Condition::Compare(Comparison::Equal, Expr::Term(var(1)), sum),
        holds(PATH, &[var(1)]),
    ];
    let program = [procedure(&[true], &[0], vec![chain(steps, 0, &[var(0)])])];
    let program = Program::assemble(memory.universe(), &program, &answered).unwrap();
    let symbols = RefCell::default();
    let matcher = Matcher::new(&program, setting(&symbols));
    let found = matcher.query_values(&memory, PATH, &[Some(Value::Int(0))]);
    let limit = rulesmith_logic::Error::Limit { name: "recursion-depth", limit: 20_000 };
    assert_eq!(found, Err(limit));
}

#[test]
fn what_cannot_be_assembled_is_an_error() {
    let universe = Rc::new(Universe::default());
    let assemble = |known: &[bool], inputs: &[u16], conditions, row: &[Term]| {
        let program = [procedure(known, inputs, vec![chain(conditions, 0, row)])];
        Program::assemble(&universe, &program, &answered).map(|_| ()).unwrap_err()
    };
    let nobody = PredicateId(9);
    assert_eq!(
        assemble(&[false], &[], vec![holds(nobody, &[var(0)])], &[var(0)]),
        Error::NoWay { predicate: nobody, known: Mask(0) }
    );
    assert_eq!(
        assemble(&[true], &[0], vec![holds(PATH, &[var(1)])], &[var(0)]),
        Error::NoWay { predicate: PATH, known: Mask(0) }
    );
    assert_eq!(assemble(&[false], &[], vec![], &[var(3)]), Error::Unbound { variable: Var(3) });
    assert_eq!(
        assemble(&[false], &[], vec![holds(EDGE, &[var(0)])], &[var(0)]),
        Error::Arity { predicate: EDGE }
    );
    assert_eq!(
        assemble(&[false], &[], vec![Condition::AnyOf(vec![])], &[int(0)]),
        Error::NotFlat { what: "an alternative" }
    );
}
