//! Work of the metaprogram itself, ready to be timed.
//!
//! In: nothing. Out: named tasks that whoever has a clock runs. Paper: metameta §3. Invariant: a task
//! starts from facts alone; nothing it learns is kept for the next run.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, ClauseBase, Comparison, Condition, Domain, Expr, Level, Limits, Predicate, PredicateId,
    Row, Solver, Source, Stop, Symbols, Term, Value, Var,
};
use rulesmith_rules::{MoveId, Theory, parse_request};
use rulesmith_specialize::metarules::{LazyMiner, MiningLimits, Symmetry, mine};
use rulesmith_specialize::{
    Body, Estimates, Knowledge, Precondition, Regression, Sample, Settings, Specializer,
    StaticFacts, StaticRelation, order,
};

/// One task.
pub struct MetaprogramTask {
    /// What it does.
    pub name: &'static str,
    /// Does it; how many metarules or conditions came out.
    pub run: Box<dyn Fn() -> usize>,
}

impl std::fmt::Debug for MetaprogramTask {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("MetaprogramTask").field("name", &self.name).finish_non_exhaustive()
    }
}

const SIDE: i32 = 19;

/// The tasks.
pub fn metaprogram_tasks() -> Vec<MetaprogramTask> {
    let task = |name, run: Box<dyn Fn() -> usize>| MetaprogramTask { name, run };
    let (eager, lazy, ordering) = (grid(), grid(), Ordering::new());
    vec![
        task(
            "eager mining of a 19 x 19 grid",
            Box::new(move || {
                mine(&eager, Symmetry::AsWritten, MiningLimits::default()).metarules.len()
            }),
        ),
        task(
            "lazy core of ten conditions",
            Box::new(move || {
                let core = LazyMiner::new(&lazy).refute(&five_cycle());
                core.map_or(0, |metarule| metarule.body.len())
            }),
        ),
        task("ordering 200 conditions", Box::new(move || ordering.run())),
    ]
}

/// Regresses a goal over so many of the theory's first kind of moves, variants and subsumed clauses left
/// out; how many clauses are kept at the last level. Paper: metameta §4.1.
pub fn regress_request(theory: &Theory, request: &str, n_moves: usize) -> Option<usize> {
    let (base, symbols) = (theory.base.clone(), theory.symbols.clone());
    let solver = Solver::new(base, symbols, Limits::default(), Stop::default());
    let knowledge = Knowledge::new(theory, &solver);
    let mut specializer = Specializer::new(&knowledge, Settings::default(), Vec::new());
    let goal = parse_request(theory, request).ok()?.into_iter().next()?;
    let precondition = Precondition::OnParameters;
    let regression = Regression { kind: MoveId(0), role: None, precondition, n_moves };
    let levels = specializer.regress_goal(&goal, &regression);
    levels.levels.last().map(|level| level.counts.kept)
}

fn connected(from: u16, to: u16) -> Condition {
    let args = vec![Term::Var(Var(from)), Term::Var(Var(to))];
    Condition::Holds(Atom { predicate: PredicateId(0), args })
}

fn unequal(left: u16, right: u16) -> Condition {
    let side = |var| Expr::Term(Term::Var(Var(var)));
    Condition::Compare(Comparison::Unequal, side(left), side(right))
}

/// A walk of nine steps and one test that cannot hold on a grid: five of the steps come back to where
/// they began.
fn five_cycle() -> Vec<Condition> {
    let mut body: Vec<Condition> = (0..4).map(|point| connected(point, point + 1)).collect();
    body.push(connected(4, 0));
    body.extend((4..8).map(|point| connected(point, point + 1)));
    body.push(unequal(5, 7));
    body
}

fn grid_rows() -> Vec<Row> {
    let points = 0..SIDE * SIDE;
    let pairs = points.clone().flat_map(|from| points.clone().map(move |to| (from, to)));
    let is_step = |(from, to): &(i32, i32)| {
        (from / SIDE - to / SIDE).abs() + (from % SIDE - to % SIDE).abs() == 1
    };
    pairs
        .filter(is_step)
        .map(|(from, to)| [Value::Int(from), Value::Int(to)].as_slice().into())
        .collect()
}

fn grid() -> StaticFacts {
    let name = "connected".to_owned();
    let relation = StaticRelation { name, columns: vec![None, None], rows: grid_rows() };
    StaticFacts::from_relations(Symbols::default(), Vec::new(), vec![relation])
}

/// A chain of 100 steps on the grid, each with a test against the point before.
struct Ordering {
    estimates: Estimates,
    conditions: Vec<Condition>,
}

impl Ordering {
    fn new() -> Self {
        let mut base = ClauseBase::default();
        let values = (0..SIDE * SIDE).map(Value::Int).collect();
        let point = base.add_domain(Domain { name: "point".to_owned(), values });
        let domains = vec![Some(point); 2];
        let (name, source, level) = ("connected".to_owned(), Source::Clauses, Level::Static);
        let predicate = base.add_predicate(Predicate { name, domains, source, level });
        let mut fixed = Sample::default();
        fixed.rows.insert(predicate, grid_rows());
        let estimates = Estimates::learn(&base, fixed, Vec::new());
        let mut conditions = Vec::new();
        for point in 0..100 {
            conditions.push(connected(point, point + 1));
            conditions.push(unequal(point.saturating_sub(1), point + 1));
        }
        Self { estimates, conditions }
    }

    fn run(&self) -> usize {
        let (known, outside) = (BTreeSet::from([Var(0)]), BTreeSet::from([Var(0), Var(100)]));
        let body = Body { conditions: &self.conditions, known: &known, outside: &outside };
        order(&self.estimates, body).map_or(0, |order| order.len())
    }
}
