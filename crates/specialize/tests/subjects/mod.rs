//! A theory with a solver for it and a state: what random questions are put to.
//!
//! In: a theory, random numbers. Out: states, questions, bounds, and the reference solver's answers as
//! text. Invariant: a state gives each key of a function one value, or none where that is declared.

#![allow(dead_code, reason = "each test that includes this module uses a part of it")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rulesmith_logic::{Error, Level, Limits, PredicateId, Row, Solver, Stop, Tables, Value, World};
use rulesmith_rules::{Fluent, FluentDefault, PredicateKind, Theory, value_text};
use rulesmith_specialize::{Bounds, Sample, Selection};

use crate::random_theories::Random;

/// A number that the environment may change, for longer runs.
pub(crate) fn asked_for(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A state: the facts of its fluents.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) rows: BTreeMap<PredicateId, Rc<Vec<Row>>>,
    static_tables: RefCell<Tables>,
    tables: RefCell<Tables>,
}

impl World for Facts {
    fn facts(
        &self,
        _solver: &Solver,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let agrees = |row: &&Row| {
            row.iter().zip(pattern).all(|(value, known)| known.is_none_or(|known| known == *value))
        };
        let rows = self.rows.get(&predicate).cloned().unwrap_or_default();
        Ok(Rc::new(rows.iter().filter(agrees).cloned().collect()))
    }

    fn passages(
        &self,
        _solver: &Solver,
        _by: PredicateId,
        _args: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error> {
        Ok(Vec::new())
    }

    fn tables(&self, level: Level) -> &RefCell<Tables> {
        if level == Level::Static { &self.static_tables } else { &self.tables }
    }
}

/// The state a theory starts from. Values come from the solver's interner.
fn start(theory: &Theory, solver: &Solver) -> Facts {
    let nowhere = rulesmith_logic::Nowhere::default();
    let mut facts = Facts::default();
    for fluent in &theory.fluents {
        let domains = &theory.base.predicate(fluent.predicate).domains;
        let free = vec![None; domains.len()];
        let mut rows: Vec<Row> = solver.query(&nowhere, fluent.init, &free).unwrap().to_vec();
        if let (true, FluentDefault::Value(default)) = (fluent.is_functional, fluent.default) {
            let keys = keys(theory, fluent, fluent.n_keys);
            let given: BTreeSet<Row> = rows.iter().map(|row| row[..fluent.n_keys].into()).collect();
            let missing = keys.into_iter().filter(|key| !given.contains(key.as_slice()));
            rows.extend(missing.map(|key| [key, vec![default]].concat().into()));
        }
        facts.rows.insert(fluent.predicate, Rc::new(rows));
    }
    facts
}

/// All values of the first arguments of a fluent.
fn keys(theory: &Theory, fluent: &Fluent, n_keys: usize) -> Vec<Vec<Value>> {
    let mut keys: Vec<Vec<Value>> = vec![vec![]];
    for domain in &theory.base.predicate(fluent.predicate).domains[..n_keys] {
        let values = &theory.base.domain(domain.unwrap()).values;
        let extend = |key: &Vec<Value>| {
            let key = key.clone();
            values.iter().map(move |value| [key.clone(), vec![*value]].concat())
        };
        keys = keys.iter().flat_map(extend).collect();
    }
    keys
}

/// Any state, reachable or not. Empty and full fluents make what an author says of them true.
pub(crate) fn random_state(random: &mut Random, theory: &Theory) -> Facts {
    let mut facts = Facts::default();
    for fluent in &theory.fluents {
        let domains = &theory.base.predicate(fluent.predicate).domains;
        let percent = *random.pick(&[0, 20, 50, 80, 100]);
        let n_keys = if fluent.is_functional { fluent.n_keys } else { domains.len() };
        let is_total = matches!(fluent.default, FluentDefault::Value(_));
        let mut rows: Vec<Row> = Vec::new();
        for key in keys(theory, fluent, n_keys) {
            if fluent.is_functional {
                let values = &theory.base.domain(domains[n_keys].unwrap()).values;
                let values: Vec<Value> = values.iter().copied().collect();
                if is_total || random.chance(percent) {
                    rows.push([key, vec![*random.pick(&values)]].concat().into());
                }
            } else if random.chance(percent) {
                rows.push(key.into());
            }
        }
        facts.rows.insert(fluent.predicate, Rc::new(rows));
    }
    facts
}

/// A theory with a solver for it and a state.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) solver: Rc<Solver>,
    pub(crate) facts: Rc<Facts>,
}

fn limits() -> Limits {
    Limits { inferences: 300_000, derived_facts: 20_000, recursion_depth: 500, terms: 20_000 }
}

/// The theory in the state it starts from.
pub(crate) fn subject(theory: &Theory) -> Subject {
    let solver = solver(theory);
    let facts = start(theory, &solver);
    Subject { solver: Rc::new(solver), facts: Rc::new(facts) }
}

/// A solver that gives up soon: a random recursion may lead astray.
pub(crate) fn solver(theory: &Theory) -> Solver {
    Solver::new(theory.base.clone(), theory.symbols.clone(), limits(), Stop::default())
}

impl Subject {
    /// The same theory in another state.
    pub(crate) fn in_state(&self, facts: Facts) -> Self {
        Self { solver: Rc::clone(&self.solver), facts: Rc::new(facts) }
    }

    /// The facts of the state.
    pub(crate) fn sample(&self) -> Sample {
        let mut sample = Sample::default();
        for (predicate, rows) in &self.facts.rows {
            sample.rows.insert(*predicate, rows.to_vec());
        }
        sample
    }

    /// The rows as text, since compounds are numbered as they are made.
    pub(crate) fn texts(&self, rows: &[Row]) -> BTreeSet<Vec<String>> {
        let symbols = self.solver.symbols().borrow();
        let text = |row: &Row| row.iter().map(|value| value_text(&symbols, *value)).collect();
        rows.iter().map(text).collect()
    }

    /// The answers as text.
    pub(crate) fn answers(
        &self,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<BTreeSet<Vec<String>>, Error> {
        let rows = self.solver.query(&*self.facts, predicate, pattern)?;
        Ok(self.texts(&rows))
    }
}

/// What random theories define.
pub(crate) fn predicates(theory: &Theory) -> Vec<PredicateId> {
    let all = (0..theory.kinds.len()).map(|id| PredicateId(u32::try_from(id).unwrap()));
    all.filter(|id| {
        matches!(
            theory.kind(*id),
            PredicateKind::Derived { .. }
                | PredicateKind::DerivedFunction
                | PredicateKind::Static { is_given: false, .. }
        )
    })
    .collect()
}

/// Questions to a predicate: nothing known, everything known, and a part.
pub(crate) fn patterns(
    random: &mut Random,
    theory: &Theory,
    id: PredicateId,
) -> Vec<Vec<Option<Value>>> {
    let domains = &theory.base.predicate(id).domains;
    let all: Vec<Value> =
        theory.base.domains.iter().flat_map(|domain| domain.values.iter().copied()).collect();
    let mut patterns = vec![vec![None; domains.len()]];
    for percent in [50, 50, 100, 100, 100, 100] {
        let mut pattern = Vec::new();
        for domain in domains {
            let values = match domain {
                Some(domain) if random.chance(90) => {
                    theory.base.domain(*domain).values.iter().copied().collect()
                }
                _ => all.clone(),
            };
            let value = *random.pick(&values);
            pattern.push(random.chance(percent).then_some(value));
        }
        patterns.push(pattern);
    }
    patterns
}

/// Half of them reach a bound soon.
pub(crate) fn random_bounds(random: &mut Random, theory: &Theory) -> Bounds {
    let mut bounds = Bounds::default();
    if random.chance(60) {
        bounds.conditions = *random.pick(&[1, 3, 8, 200]);
        bounds.depth = *random.pick(&[0, 1, 2, 5, 200]);
        bounds.clauses = *random.pick(&[1, 2, 5, 4_000]);
        bounds.definitions = *random.pick(&[0, 1, 2, 8]);
        bounds.recursion = *random.pick(&[0, 1, 3, 24]);
        bounds.ways = *random.pick(&[1, 3, 64]);
        bounds.variables = *random.pick(&[1, 10, 50, 2_000]);
        bounds.regress = random.chance(50);
    }
    if random.chance(50) {
        bounds.selection = Selection::LeftToRight;
    }
    for id in predicates(theory) {
        if random.chance(10) {
            bounds.keep.insert(id);
        }
    }
    bounds
}

/// Does the theory give the same answers however it is asked? A variable without a condition ranges
/// over the smallest sort of its places, but is taken as it is when it is known.
pub(crate) fn is_consistent(theory: &Theory, original: &Subject) -> Result<bool, Error> {
    for id in predicates(theory) {
        let domains = &theory.base.predicate(id).domains;
        let all = original.answers(id, &vec![None; domains.len()])?;
        let mut keys: Vec<Vec<Option<Value>>> = vec![vec![]];
        for domain in domains {
            let values: Vec<Option<Value>> = match domain {
                Some(domain) => {
                    theory.base.domain(*domain).values.iter().map(|v| Some(*v)).collect()
                }
                None => vec![None],
            };
            keys = keys
                .iter()
                .flat_map(|key| {
                    values.iter().map(move |value| [key.clone(), vec![*value]].concat())
                })
                .collect();
        }
        let mut found = BTreeSet::new();
        for key in keys {
            found.extend(original.answers(id, &key)?);
        }
        if found != all {
            return Ok(false);
        }
    }
    Ok(true)
}
