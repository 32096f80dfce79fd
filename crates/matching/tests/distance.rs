//! The paper's rule for paths of length four: the columns of successes.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::rc::Rc;

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Flow, Limits, PredicateId, Row, Stop, Symbols, Term, Value,
    Var,
};
use rulesmith_matching::{
    Answered, Matcher, Memory, Node, Procedure, Program, Setting, StaticMemory, Tree, Universe,
};

const CONNECTED: PredicateId = PredicateId(0);
const DISTANCE: PredicateId = PredicateId(1);
const SIZE: i32 = 19;

fn var(number: u16) -> Term {
    Term::Var(Var(number))
}

fn connected(left: u16, right: u16) -> Condition {
    Condition::Holds(Atom { predicate: CONNECTED, args: vec![var(left), var(right)] })
}

fn unequal(left: u16, right: u16) -> Condition {
    let (left, right) = (Expr::Term(var(left)), Expr::Term(var(right)));
    Condition::Compare(Comparison::Unequal, left, right)
}

/// The rule with X, Y, Z, W, D as registers 0 to 4, X known.
fn path_rule(conditions: Vec<Condition>) -> Procedure {
    let conclusion = Node::Conclusion { clause: 0, row: vec![var(0), var(4)] };
    let root = conditions
        .into_iter()
        .rev()
        .fold(conclusion, |child, condition| Node::Condition { condition, children: vec![child] });
    let tree = Tree { inputs: vec![Var(0)], n_registers: 5, roots: vec![root] };
    Procedure { predicate: DISTANCE, known: vec![true, false], tree }
}

fn naive() -> Vec<Condition> {
    vec![
        connected(0, 1),
        unequal(0, 1),
        connected(1, 2),
        unequal(2, 0),
        unequal(2, 1),
        connected(2, 3),
        unequal(3, 0),
        unequal(3, 1),
        unequal(3, 2),
        connected(3, 4),
    ]
}

fn simplified() -> Vec<Condition> {
    let kept = [0, 2, 3, 5, 7, 9];
    kept.map(|place| naive()[place].clone()).to_vec()
}

fn grid() -> Memory {
    let mut rows: Vec<Row> = Vec::new();
    for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
        for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            if (0..SIZE).contains(&(x + dx)) && (0..SIZE).contains(&(y + dy)) {
                rows.push(
                    [x * SIZE + y, (x + dx) * SIZE + y + dy].map(Value::Int).as_slice().into(),
                );
            }
        }
    }
    let mut fixed = StaticMemory::new(Rc::new(Universe::default()), &[]);
    fixed.load(CONNECTED, 2, &rows);
    Memory::new(Rc::new(fixed))
}

/// The column of successes and the number of conclusions, summed over these sources.
fn column(conditions: Vec<Condition>, sources: impl Iterator<Item = i32>) -> (Vec<u64>, u64) {
    let memory = grid();
    let answered = |predicate| {
        (predicate == CONNECTED).then_some(Answered::Stored { arity: 2, is_static: true })
    };
    let procedures = [path_rule(conditions)];
    let program = Program::assemble(memory.universe(), &procedures, &answered).unwrap();
    let symbols = RefCell::<Symbols>::default();
    let setting = Setting { symbols: &symbols, limits: Limits::default(), stop: Stop::default() };
    let matcher = Matcher::new(&program, setting);
    let mut n_conclusions = 0;
    for source in sources {
        let known = memory.universe().id(Value::Int(source));
        let flow = matcher.each(&memory, DISTANCE, &[Some(known), None], &mut |_, row| {
            assert_eq!(row[0], known);
            n_conclusions += 1;
            Flow::More
        });
        assert_eq!(flow, Ok(Flow::More));
    }
    let mut counts = matcher.counts(0);
    let head = counts.pop().unwrap();
    assert_eq!(head.held, n_conclusions);
    (counts.iter().map(|count| count.held).collect(), n_conclusions)
}

/// A point four steps from the border.
const INNER: i32 = 4 * SIZE + 4;

#[test]
fn metameta_3_2_distance_four_successes() {
    let (held, n_conclusions) = column(naive(), [INNER].into_iter());
    assert_eq!(held, [4, 4, 16, 12, 12, 48, 48, 36, 36, 144]);
    assert_eq!(n_conclusions, 144);
    let (held, _) = column(simplified(), [INNER].into_iter());
    assert_eq!(held, [4, 16, 12, 48, 36, 144]);
}

#[test]
fn metameta_3_2_distance_four_successes_over_the_whole_board() {
    let (held, n_conclusions) = column(naive(), 0..SIZE * SIZE);
    assert_eq!((held.iter().sum::<u64>(), n_conclusions), (111_408, 43_276));
    let (held, n_conclusions) = column(simplified(), 0..SIZE * SIZE);
    assert_eq!((held.iter().sum::<u64>(), n_conclusions), (79_968, 43_276));
}
