//! The search for matches against trying every assignment, and on the grid of the paper.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use proptest::prelude::*;
use rulesmith_logic::{
    Atom, Comparison, Condition, Domain, DomainId, Expr, Flow, Limits, Operation, PredicateId, Row,
    Stop, Symbols, Term, Value, Var,
};
use rulesmith_matching::{
    Error, Memory, Setting, StaticMemory, Universe, ValueId, each_match, first_match,
};

const SIZE: i32 = 3;
const N_VARS: u16 = 4;
const ARITIES: [usize; 3] = [1, 2, 3];

fn var(number: u16) -> Term {
    Term::Var(Var(number))
}

fn int(number: i32) -> Term {
    Term::Value(Value::Int(number))
}

fn holds(predicate: u32, args: &[Term]) -> Condition {
    Condition::Holds(Atom { predicate: PredicateId(predicate), args: args.to_vec() })
}

fn compare(comparison: Comparison, left: Term, right: Term) -> Condition {
    Condition::Compare(comparison, Expr::Term(left), Expr::Term(right))
}

fn member(term: Term) -> Condition {
    Condition::Member(term, DomainId(0))
}

fn domain(size: i32) -> Domain {
    Domain { name: "number".into(), values: (0..size).map(Value::Int).collect() }
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![4 => (0..N_VARS).prop_map(var), 1 => (0..SIZE).prop_map(int)]
}

fn holding() -> impl Strategy<Value = Condition> {
    (0..3_u32).prop_flat_map(|predicate| {
        prop::collection::vec(term(), ARITIES[predicate as usize])
            .prop_map(move |args| holds(predicate, &args))
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    let comparisons = prop::sample::select(vec![
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ]);
    let operations = prop::sample::select(vec![
        Operation::Add,
        Operation::Sub,
        Operation::Mul,
        Operation::Div,
        Operation::Mod,
        Operation::Min,
        Operation::Max,
    ]);
    let equation = (term(), operations, term(), term()).prop_map(|(result, operation, a, b)| {
        let sides = (Box::new(Expr::Term(a)), Box::new(Expr::Term(b)));
        let right = Expr::Binary(operation, sides.0, sides.1);
        Condition::Compare(Comparison::Equal, Expr::Term(result), right)
    });
    // The local variable is the one beyond those of the conjunction.
    let local = |condition| match condition {
        Condition::Holds(mut atom) => {
            atom.args[0] = var(N_VARS);
            Condition::Holds(atom)
        }
        other => other,
    };
    prop_oneof![
        5 => holding(),
        2 => (comparisons, term(), term()).prop_map(|(kind, a, b)| compare(kind, a, b)),
        1 => equation,
        1 => term().prop_map(member),
        1 => holding().prop_map(move |inner| Condition::None {
            locals: vec![Var(N_VARS)],
            body: vec![local(inner)],
        }),
        1 => (term(), holding(), holding()).prop_map(move |(result, left, right)| {
            let body = vec![Condition::AnyOf(vec![vec![local(left)], vec![local(right)]])];
            let right = Expr::Count { counted: vec![Var(N_VARS)], body };
            Condition::Compare(Comparison::Equal, Expr::Term(result), right)
        }),
    ]
}

type Facts = [BTreeSet<Vec<i32>>; 3];

/// Does the condition hold for this assignment? The last variable is the local one.
fn is_true(facts: &Facts, condition: &Condition, values: &[i32]) -> bool {
    let value = |term: &Term| match term {
        Term::Var(var) => values[usize::from(var.0)],
        Term::Value(Value::Int(number)) => *number,
        Term::Value(_) => unreachable!("only integers are made"),
    };
    let with_local = |local: i32| [&values[..usize::from(N_VARS)], &[local]].concat();
    match condition {
        Condition::Holds(atom) => {
            let row: Vec<i32> = atom.args.iter().map(value).collect();
            facts[atom.predicate.0 as usize].contains(&row)
        }
        Condition::Member(term, _) => (0..SIZE).contains(&value(term)),
        Condition::None { body, .. } => {
            !(0..SIZE).any(|local| body.iter().all(|one| is_true(facts, one, &with_local(local))))
        }
        Condition::Compare(_, Expr::Term(result), Expr::Count { body, .. }) => {
            let [Condition::AnyOf(bodies)] = body.as_slice() else {
                unreachable!("always a choice")
            };
            let is_counted = |local: &i32| {
                bodies.iter().any(|body| is_true(facts, &body[0], &with_local(*local)))
            };
            i32::try_from((0..SIZE).filter(is_counted).count()).unwrap() == value(result)
        }
        Condition::Compare(_, Expr::Term(result), Expr::Binary(operation, left, right)) => {
            let (Expr::Term(left), Expr::Term(right)) = (&**left, &**right) else {
                unreachable!("flat")
            };
            let (left, right) = (Value::Int(value(left)), Value::Int(value(right)));
            rulesmith_logic::apply(*operation, left, right) == Some(Value::Int(value(result)))
        }
        Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
            let (left, right) = (value(left), value(right));
            match comparison {
                Comparison::Equal => left == right,
                Comparison::Unequal => left != right,
                Comparison::Less => left < right,
                Comparison::AtMost => left <= right,
                Comparison::Greater => left > right,
                Comparison::AtLeast => left >= right,
            }
        }
        _ => unreachable!("not generated"),
    }
}

fn setting(symbols: &RefCell<Symbols>) -> Setting<'_> {
    Setting { symbols, limits: Limits::default(), stop: Stop::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn matches_are_those_of_trying_every_assignment(
        rows in prop::array::uniform3(prop::collection::vec(prop::array::uniform3(0..SIZE), 0..9)),
        mut conditions in prop::collection::vec(condition(), 0..5),
        first in prop::option::of(0..SIZE),
    ) {
        let facts: Facts = [0, 1, 2].map(|place| {
            rows[place].iter().map(|row| row[..ARITIES[place]].to_vec()).collect()
        });
        let mut fixed = StaticMemory::new(Rc::new(Universe::default()), &[domain(SIZE)]);
        let to_row = |row: &Vec<i32>| -> Row { row.iter().copied().map(Value::Int).collect() };
        let rows_of = |place: usize| facts[place].iter().map(to_row).collect::<Vec<Row>>();
        fixed.load(PredicateId(0), 1, &rows_of(0));
        fixed.load(PredicateId(1), 2, &rows_of(1));
        let mut memory = Memory::new(Rc::new(fixed));
        memory.load(PredicateId(2), 3, &rows_of(2));
        conditions.extend((0..N_VARS).map(|number| member(var(number))));

        let universe = Rc::clone(memory.universe());
        let mut bound = vec![None; usize::from(N_VARS)];
        bound[0] = first.map(|number| universe.id(Value::Int(number)));
        let before = bound.clone();
        let mut found = BTreeSet::new();
        let symbols = RefCell::default();
        let mut n_found = 0;
        each_match(&setting(&symbols), &memory, &conditions, &mut bound, &mut |matched| {
            let values: Option<Vec<ValueId>> = matched.iter().copied().collect();
            let ints = values.unwrap().iter().map(|id| universe.int(*id).unwrap()).collect::<Vec<i32>>();
            found.insert(ints);
            n_found += 1;
            Flow::More
        }).unwrap();
        prop_assert_eq!(&bound, &before);
        prop_assert_eq!(found.len(), n_found);

        let mut expected = BTreeSet::new();
        for number in 0..SIZE.pow(u32::from(N_VARS)) {
            let digits: Vec<i32> =
                (0..u32::from(N_VARS)).map(|place| number / SIZE.pow(place) % SIZE).collect();
            let agrees = first.is_none_or(|first| digits[0] == first);
            if agrees && conditions.iter().all(|one| is_true(&facts, one, &digits)) {
                expected.insert(digits);
            }
        }
        prop_assert_eq!(found, expected);
    }
}

/// A grid of 4-neighbours with `connected` as predicate 0.
fn grid(size: i32) -> Memory {
    let mut rows: Vec<Row> = Vec::new();
    for (x, y) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
        for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            if (0..size).contains(&(x + dx)) && (0..size).contains(&(y + dy)) {
                let ends = [x * size + y, (x + dx) * size + y + dy];
                rows.push(ends.map(Value::Int).as_slice().into());
            }
        }
    }
    let mut fixed = StaticMemory::new(Rc::new(Universe::default()), &[]);
    fixed.load(PredicateId(0), 2, &rows);
    Memory::new(Rc::new(fixed))
}

fn connected(left: u16, right: u16) -> Condition {
    holds(0, &[var(left), var(right)])
}

fn n_matches(memory: &Memory, conditions: &[Condition]) -> usize {
    let symbols = RefCell::default();
    let mut n_found = 0;
    each_match(&setting(&symbols), memory, conditions, &mut [None; 8], &mut |_| {
        n_found += 1;
        Flow::More
    })
    .unwrap();
    n_found
}

#[test]
fn metameta_3_1_grid_triangle() {
    let grid = grid(19);
    assert_eq!(n_matches(&grid, &[connected(0, 1)]), 1368);
    assert_eq!(n_matches(&grid, &[connected(0, 1), connected(1, 2), connected(2, 0)]), 0);
}

#[test]
fn two_points_have_no_three_common_neighbors_on_a_grid() {
    let grid = grid(19);
    let mut conditions = vec![compare(Comparison::Unequal, var(0), var(1))];
    for common in 2..5 {
        conditions.extend([connected(0, common), connected(common, 1)]);
    }
    for (left, right) in [(2, 3), (2, 4), (3, 4)] {
        conditions.push(compare(Comparison::Unequal, var(left), var(right)));
    }
    assert_eq!(n_matches(&grid, &conditions), 0);
    // Without the last inequality two of the three may be the same point.
    conditions.pop();
    assert!(n_matches(&grid, &conditions) > 0);
}

#[test]
fn the_first_match_is_one_of_them() {
    let grid = grid(3);
    let symbols = RefCell::default();
    let conditions =
        [connected(0, 1), connected(1, 2), compare(Comparison::Unequal, var(0), var(2))];
    let found = first_match(&setting(&symbols), &grid, &conditions, &mut [None; 3]).unwrap();
    let found: Vec<ValueId> = found.unwrap().into_iter().flatten().collect();
    let relation = grid.relation(PredicateId(0)).unwrap();
    assert!(
        relation.contains(&found[..2]) && relation.contains(&found[1..]) && found[0] != found[2]
    );
}

#[test]
fn a_search_ends_at_its_limit() {
    let grid = grid(19);
    let symbols = RefCell::default();
    let mut setting = setting(&symbols);
    setting.limits.inferences = 1000;
    let conditions = [connected(0, 1), connected(2, 3)];
    let ended = each_match(&setting, &grid, &conditions, &mut [None; 4], &mut |_| Flow::More);
    let limit = rulesmith_logic::Error::Limit { name: "inferences", limit: 1000 };
    assert_eq!(ended, Err(Error::Stopped(limit)));
}

#[test]
fn a_comparison_that_nothing_binds_is_an_error() {
    let grid = grid(2);
    let symbols = RefCell::default();
    let conditions = [compare(Comparison::Less, var(0), int(1))];
    let found = first_match(&setting(&symbols), &grid, &conditions, &mut [None]);
    assert_eq!(found, Err(Error::Unbound { variable: Var(0) }));
}
