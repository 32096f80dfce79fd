//! Small random worlds to run random clauses in.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rulesmith_logic::{
    Clause, ClauseBase, Domain, Error, Level, Limits, Predicate, PredicateId, Row, Solver, Source,
    Stop, Symbols, Tables, Value, World,
};

use super::{ARITIES, Random};

/// Values are 0, 1, 2.
const N_VALUES: i32 = 3;

/// Facts of the predicates 1, 2 and 3, and where predicate 4 leads.
#[derive(Debug, Default)]
pub(crate) struct SmallWorld {
    facts: Vec<Vec<Row>>,
    next: Vec<Vec<Rc<SmallWorld>>>,
    tables: RefCell<Tables>,
}

pub(crate) fn random_world(random: &mut Random, depth: usize) -> SmallWorld {
    let mut facts = vec![Vec::new(); ARITIES.len()];
    for predicate in 1..4 {
        for first in 0..N_VALUES {
            let rows: Vec<Vec<i32>> = match ARITIES[predicate] {
                1 => vec![vec![first]],
                _ => (0..N_VALUES).map(|second| vec![first, second]).collect(),
            };
            for row in rows {
                if random.below(2) == 0 {
                    facts[predicate].push(row.into_iter().map(Value::Int).collect());
                }
            }
        }
    }
    let mut next = Vec::new();
    for _ in 0..if depth == 0 { 0 } else { N_VALUES } {
        let n_worlds = random.below(3);
        next.push((0..n_worlds).map(|_| Rc::new(random_world(random, depth - 1))).collect());
    }
    SmallWorld { facts, next, tables: RefCell::default() }
}

impl World for SmallWorld {
    fn facts(
        &self,
        _solver: &Solver,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let agrees = |row: &&Row| {
            row.iter().zip(pattern).all(|(value, known)| known.is_none_or(|known| known == *value))
        };
        Ok(Rc::new(self.facts[predicate.0 as usize].iter().filter(agrees).cloned().collect()))
    }

    fn passages(
        &self,
        _solver: &Solver,
        _by: PredicateId,
        args: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error> {
        let Value::Int(number) = args[0] else { return Ok(Vec::new()) };
        let worlds = usize::try_from(number).ok().and_then(|number| self.next.get(number));
        Ok(worlds.into_iter().flatten().map(|world| Rc::clone(world) as Rc<dyn World>).collect())
    }

    fn tables(&self, _level: Level) -> &RefCell<Tables> {
        &self.tables
    }
}

/// Everything the clauses conclude about predicate 0 in a world, which must be a new one.
pub(crate) fn answers(clauses: &[Clause], world: &SmallWorld) -> BTreeSet<Row> {
    let mut base = ClauseBase::default();
    let values = (0..N_VALUES).map(Value::Int).collect();
    let domain = base.add_domain(Domain { name: "d".to_owned(), values });
    for (index, arity) in ARITIES.iter().enumerate() {
        base.add_predicate(Predicate {
            name: format!("p{index}"),
            domains: vec![Some(domain); *arity],
            source: if index == 0 { Source::Clauses } else { Source::World },
            level: if index == 0 { Level::Static } else { Level::State },
        });
    }
    for clause in clauses {
        base.add_clause(clause.clone());
    }
    base.settle();
    *world.tables.borrow_mut() = Tables::default();
    let solver = Solver::new(base, Symbols::default(), Limits::default(), Stop::default());
    let rows = solver.query(world, PredicateId(0), &[None, None]).unwrap();
    rows.iter().cloned().collect()
}
