//! Small worlds for tests: boards as static relations, and conditions read from text.
//!
//! In: sizes, texts. Out: static facts, conditions. Invariant: a world depends on its size alone.
#![allow(dead_code, reason = "each test file uses a part")]

use indexmap::IndexSet;
use rulesmith_logic::{
    Atom, Comparison, Condition, Domain, DomainId, Expr, PredicateId, Row, Symbols, Term, Value,
    Var,
};
use rulesmith_specialize::{StaticFacts, StaticRelation};

/// Facts of one binary relation `connected` over points `0..n`.
pub(crate) fn graph(n_points: i32, edges: impl Fn(i32, i32) -> bool) -> StaticFacts {
    let pairs = (0..n_points).flat_map(|from| (0..n_points).map(move |to| (from, to)));
    let rows: Vec<Row> = pairs
        .filter(|&(from, to)| edges(from, to))
        .map(|(from, to)| [Value::Int(from), Value::Int(to)].as_slice().into())
        .collect();
    let name = "connected".to_owned();
    let relation = StaticRelation { name, columns: vec![None, None], rows };
    StaticFacts::from_relations(Symbols::default(), Vec::new(), vec![relation])
}

/// A square grid of four neighbors.
pub(crate) fn grid(side: i32) -> StaticFacts {
    graph(side * side, |from, to| {
        (from / side - to / side).abs() + (from % side - to % side).abs() == 1
    })
}

/// A grid without borders.
pub(crate) fn torus(side: i32) -> StaticFacts {
    let apart = move |a: i32, b: i32| (a - b).rem_euclid(side).min((b - a).rem_euclid(side));
    graph(side * side, move |from, to| {
        apart(from / side, to / side) + apart(from % side, to % side) == 1
    })
}

/// A grid closed in one direction.
pub(crate) fn cylinder(around: i32, high: i32) -> StaticFacts {
    let apart = move |a: i32, b: i32| (a - b).rem_euclid(around).min((b - a).rem_euclid(around));
    graph(around * high, move |from, to| {
        (from / around - to / around).abs() + apart(from % around, to % around) == 1
    })
}

/// A rhombus of hexagons, six neighbors each.
pub(crate) fn hex_grid(side: i32) -> StaticFacts {
    graph(side * side, |from, to| {
        let step = (to / side - from / side, to % side - from % side);
        [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)].contains(&step)
    })
}

/// A board with `connected(cell, cell, direction)`.
fn directed(cells: &[(i32, i32)], steps: &[(&str, (i32, i32))]) -> StaticFacts {
    let mut symbols = Symbols::default();
    let mut cell_domain = Domain { name: "cell".into(), values: IndexSet::default() };
    let mut direction_domain = Domain { name: "direction".into(), values: IndexSet::default() };
    let name = |cell: &(i32, i32)| format!("c{}_{}", cell.0, cell.1);
    for cell in cells {
        cell_domain.values.insert(Value::Symbol(symbols.symbol(&name(cell))));
    }
    for (direction, _) in steps {
        direction_domain.values.insert(Value::Symbol(symbols.symbol(direction)));
    }
    let mut rows: Vec<Row> = Vec::new();
    for cell in cells {
        for (direction, step) in steps {
            let to = (cell.0 + step.0, cell.1 + step.1);
            if cells.contains(&to) {
                let names = [name(cell), name(&to), (*direction).to_owned()];
                rows.push(names.iter().map(|name| Value::Symbol(symbols.symbol(name))).collect());
            }
        }
    }
    let columns = vec![Some(DomainId(0)), Some(DomainId(0)), Some(DomainId(1))];
    let relation = StaticRelation { name: "connected".into(), columns, rows };
    StaticFacts::from_relations(symbols, vec![cell_domain, direction_domain], vec![relation])
}

/// The board of Abalone: a hexagon of side five, 61 cells, six directions.
pub(crate) fn abalone() -> StaticFacts {
    let all = (-4_i32..=4).flat_map(|row| (-4_i32..=4).map(move |column| (row, column)));
    let cells: Vec<(i32, i32)> = all.filter(|(row, column)| (row + column).abs() <= 4).collect();
    let steps = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)];
    let names = ["d1", "d2", "d3", "d4", "d5", "d6"];
    directed(&cells, &names.into_iter().zip(steps).collect::<Vec<_>>())
}

/// The graph on which the blank of the eight-puzzle moves.
pub(crate) fn eight_puzzle() -> StaticFacts {
    let cells: Vec<(i32, i32)> =
        (0..3).flat_map(|row| (0..3).map(move |column| (row, column))).collect();
    let steps = [("up", (-1, 0)), ("down", (1, 0)), ("left", (0, -1)), ("right", (0, 1))];
    directed(&cells, &steps)
}

/// The six test domains by name.
pub(crate) fn all() -> Vec<(&'static str, StaticFacts)> {
    vec![
        ("grid", grid(5)),
        ("abalone", abalone()),
        ("torus", torus(4)),
        ("hex grid", hex_grid(4)),
        ("cylinder", cylinder(5, 3)),
        ("eight puzzle", eight_puzzle()),
    ]
}

/// Conditions over predicate zero: `connected(X,Y)`, `X\=Y`, `X<Y`; capitals are variables, numbered
/// in the order of the alphabet, and numbers are values.
pub(crate) fn conditions(text: &str) -> Vec<Condition> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.trim().is_empty() {
        let trimmed = rest.trim_start_matches([',', ' ', '\n']);
        let end = match (trimmed.find('('), trimmed.find(',')) {
            (Some(open), Some(comma)) if comma < open => comma,
            (Some(_), _) => trimmed.find(')').unwrap() + 1,
            (None, comma) => comma.unwrap_or(trimmed.len()),
        };
        parts.push(condition(&trimmed[..end]));
        rest = &trimmed[end..];
    }
    parts
}

pub(crate) fn condition(text: &str) -> Condition {
    let text = text.trim();
    if let Some((_, args)) = text.split_once('(') {
        let args = args.trim_end_matches(')').split(',').map(term).collect();
        return Condition::Holds(Atom { predicate: PredicateId(0), args });
    }
    let signs = [
        ("\\=", Comparison::Unequal),
        ("=<", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("=", Comparison::Equal),
    ];
    let (sign, comparison) = signs.into_iter().find(|(sign, _)| text.contains(sign)).unwrap();
    let (left, right) = text.split_once(sign).unwrap();
    Condition::Compare(comparison, Expr::Term(term(left)), expr(right))
}

fn expr(text: &str) -> Expr {
    match text.split_once('+') {
        Some((left, right)) => Expr::Binary(
            rulesmith_logic::Operation::Add,
            Box::new(Expr::Term(term(left))),
            Box::new(Expr::Term(term(right))),
        ),
        None => Expr::Term(term(text)),
    }
}

pub(crate) fn term(text: &str) -> Term {
    let text = text.trim();
    match text.parse::<i32>() {
        Ok(number) => Term::Value(Value::Int(number)),
        Err(_) => Term::Var(variable(text)),
    }
}

pub(crate) fn variable(text: &str) -> Var {
    Var(u16::from(text.trim().as_bytes()[0] - b'A'))
}
