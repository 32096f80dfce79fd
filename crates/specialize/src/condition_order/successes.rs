//! Counting successes: how often each condition of a body holds while it is matched, as the paper
//! prints it.
//!
//! In: conditions in order, bindings to begin with, and working memories. Out: one number for each
//! condition, or all bindings that make the body hold. Paper: metameta §3.2, §4.2. Invariant: written
//! to be obviously right, conditions from left to right and nothing else; it is what orders are
//! judged by.

use std::cell::RefCell;
use std::rc::Rc;

use rulesmith_logic::{
    Atom, ClauseBase, Comparison, Condition, Expr, Operation, PredicateId, Row, Term, Value, Var,
    apply, condition_vars,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::readiness::as_var;
use crate::estimates::{Mean, Sample};

/// Why successes were not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCounted {
    /// The condition needs more than rows: another world, or names of compound terms.
    #[error("the condition needs more than the rows of a sample")]
    Unsupported,
    /// The condition was tried before what it must know was bound.
    #[error("a condition was tried before what it must know was bound")]
    NotReady,
    /// More successes than were allowed.
    #[error("more than {0} successes")]
    Limit(u64),
}

type Index<'a> = FxHashMap<Vec<Value>, Vec<&'a Row>>;
/// An index for each predicate and set of places that was asked for.
type Indexes<'a> = FxHashMap<(PredicateId, Vec<usize>), Rc<Index<'a>>>;
type Frame = Vec<Option<Value>>;
type Found<'f> = dyn FnMut(&Frame) -> Result<(), NotCounted> + 'f;

/// Matches bodies on working memories, from left to right.
#[derive(Debug)]
pub struct Matcher<'a> {
    base: &'a ClauseBase,
    samples: Vec<&'a Sample>,
    limit: u64,
    indexes: RefCell<Indexes<'a>>,
}

/// The counts so far.
struct Counts {
    successes: Vec<u64>,
    total: u64,
}

impl<'a> Matcher<'a> {
    /// A matcher on the rows of all these samples together, that gives up after so many successes.
    pub fn new(base: &'a ClauseBase, samples: &[&'a Sample], limit: u64) -> Self {
        Self { base, samples: samples.to_vec(), limit, indexes: RefCell::default() }
    }

    /// How often each condition holds while the body is matched once.
    pub fn count_successes(
        &self,
        conditions: &[Condition],
        known: &[(Var, Value)],
    ) -> Result<Vec<u64>, NotCounted> {
        self.run_all(conditions, known, &mut |_| Ok(()))
    }

    /// All bindings that make the body hold, one for each way, by variable.
    pub fn solutions(
        &self,
        conditions: &[Condition],
        known: &[(Var, Value)],
    ) -> Result<Vec<Vec<Option<Value>>>, NotCounted> {
        let mut found = Vec::new();
        self.run_all(conditions, known, &mut |frame| {
            found.push(frame.clone());
            Ok(())
        })?;
        Ok(found)
    }

    /// The mean number of ways a condition holds for each way the conditions before it hold: the
    /// estimate that knows the whole path. None if they never hold.
    pub fn mean_after(
        &self,
        before: &[Condition],
        condition: &Condition,
    ) -> Result<Option<Mean>, NotCounted> {
        let all: Vec<Condition> = before.iter().chain([condition]).cloned().collect();
        let successes = self.count_successes(&all, &[])?;
        let tries = before.len().checked_sub(1).map_or(1, |last| successes[last]);
        Ok(Mean::of(successes[before.len()], tries))
    }

    fn run_all(
        &self,
        conditions: &[Condition],
        known: &[(Var, Value)],
        found: &mut Found<'_>,
    ) -> Result<Vec<u64>, NotCounted> {
        let vars =
            conditions.iter().flat_map(condition_vars).chain(known.iter().map(|(var, _)| *var));
        let n_variables = vars.map(|var| usize::from(var.0) + 1).max().unwrap_or(0);
        let mut frame = vec![None; n_variables];
        for (var, value) in known {
            frame[usize::from(var.0)] = Some(*value);
        }
        let mut counts = Counts { successes: vec![0; conditions.len()], total: 0 };
        self.run(conditions, &mut frame, &mut counts, found)?;
        Ok(counts.successes)
    }

    /// Runs the conditions that are left.
    fn run(
        &self,
        conditions: &[Condition],
        frame: &mut Frame,
        counts: &mut Counts,
        found: &mut Found<'_>,
    ) -> Result<(), NotCounted> {
        let [condition, rest @ ..] = conditions else { return found(frame) };
        let place = counts.successes.len() - conditions.len();
        for bindings in self.ways(condition, frame)? {
            counts.successes[place] += 1;
            counts.total += 1;
            if counts.total > self.limit {
                return Err(NotCounted::Limit(self.limit));
            }
            for (var, value) in &bindings {
                frame[usize::from(var.0)] = Some(*value);
            }
            self.run(rest, frame, counts, found)?;
            for (var, _) in &bindings {
                frame[usize::from(var.0)] = None;
            }
        }
        Ok(())
    }

    /// The ways a condition holds, each with what it binds.
    fn ways(
        &self,
        condition: &Condition,
        frame: &mut Frame,
    ) -> Result<Vec<Vec<(Var, Value)>>, NotCounted> {
        match condition {
            Condition::Holds(atom) => Ok(self.rows(atom, frame)),
            Condition::Member(term, domain) => {
                let values = &self.base.domain(*domain).values;
                let Some(var) = unbound(*term, frame) else {
                    let is_member =
                        value_of(*term, frame).is_some_and(|value| values.contains(&value));
                    return Ok(if is_member { vec![Vec::new()] } else { Vec::new() });
                };
                Ok(values.iter().map(|value| vec![(var, *value)]).collect())
            }
            Condition::Compare(comparison, left, right) => {
                Ok(self.compare(*comparison, left, right, frame)?.into_iter().collect())
            }
            Condition::None { body, .. } => {
                Ok(if self.inner(body, frame)?.is_empty() { vec![Vec::new()] } else { Vec::new() })
            }
            _ => Err(NotCounted::Unsupported),
        }
    }

    /// All frames in which an inner body holds.
    fn inner(&self, body: &[Condition], frame: &mut Frame) -> Result<Vec<Frame>, NotCounted> {
        let mut frames = Vec::new();
        let branches: Vec<&[Condition]> = match body {
            [Condition::AnyOf(branches)] => branches.iter().map(Vec::as_slice).collect(),
            body => vec![body],
        };
        for body in branches {
            let mut counts = Counts { successes: vec![0; body.len()], total: 0 };
            self.run(body, frame, &mut counts, &mut |frame| {
                frames.push(frame.clone());
                Ok(())
            })?;
        }
        Ok(frames)
    }

    fn rows(&self, atom: &Atom, frame: &Frame) -> Vec<Vec<(Var, Value)>> {
        let values: Vec<Option<Value>> =
            atom.args.iter().map(|term| value_of(*term, frame)).collect();
        let places: Vec<usize> =
            (0..values.len()).filter(|place| values[*place].is_some()).collect();
        let wanted: Vec<Value> = values.iter().flatten().copied().collect();
        let index = self.index(atom.predicate, places);
        let rows = index.get(&wanted).map_or(&[][..], Vec::as_slice);
        rows.iter().filter_map(|row| bindings(atom, row, frame)).collect()
    }

    fn index(&self, predicate: PredicateId, places: Vec<usize>) -> Rc<Index<'a>> {
        let mut indexes = self.indexes.borrow_mut();
        let build = |(predicate, places): &(PredicateId, Vec<usize>)| {
            let mut index = Index::default();
            for row in self.samples.iter().flat_map(|sample| sample.rows_of(*predicate)) {
                let key: Option<Vec<Value>> =
                    places.iter().map(|place| row.get(*place).copied()).collect();
                if let Some(key) = key {
                    index.entry(key).or_default().push(row);
                }
            }
            Rc::new(index)
        };
        let key = (predicate, places);
        if let Some(found) = indexes.get(&key) {
            return Rc::clone(found);
        }
        let built = build(&key);
        indexes.insert(key, Rc::clone(&built));
        built
    }

    fn compare(
        &self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
        frame: &mut Frame,
    ) -> Result<Option<Vec<(Var, Value)>>, NotCounted> {
        let (known_left, known_right) = (is_known(left, frame), is_known(right, frame));
        if known_left && known_right {
            let values = self.value(left, frame)?.zip(self.value(right, frame)?);
            let holds = values.is_some_and(|(left, right)| comparison.holds(left, right));
            return Ok(holds.then(Vec::new));
        }
        if comparison != Comparison::Equal || (!known_left && !known_right) {
            return Err(NotCounted::NotReady);
        }
        let (known, unknown) = if known_left { (left, right) } else { (right, left) };
        let Some(target) = self.value(known, frame)? else { return Ok(None) };
        Ok(self.solve(unknown, target, frame)?.map(|binding| vec![binding]))
    }

    fn solve(
        &self,
        expr: &Expr,
        target: Value,
        frame: &mut Frame,
    ) -> Result<Option<(Var, Value)>, NotCounted> {
        match expr {
            Expr::Term(Term::Var(var)) => Ok(Some((*var, target))),
            Expr::Binary(operation @ (Operation::Add | Operation::Sub), left, right) => {
                let is_left_known = is_known(left, frame);
                let (known, unknown) = if is_left_known { (left, right) } else { (right, left) };
                if !is_known(known, frame) {
                    return Err(NotCounted::NotReady);
                }
                let Some(known) = self.value(known, frame)? else { return Ok(None) };
                let rest = match (operation, is_left_known) {
                    (Operation::Add, _) => apply(Operation::Sub, target, known),
                    (_, true) => apply(Operation::Sub, known, target),
                    (_, false) => apply(Operation::Add, target, known),
                };
                rest.map_or(Ok(None), |rest| self.solve(unknown, rest, frame))
            }
            _ => Err(NotCounted::NotReady),
        }
    }

    fn value(&self, expr: &Expr, frame: &mut Frame) -> Result<Option<Value>, NotCounted> {
        match expr {
            Expr::Term(term) => Ok(value_of(*term, frame)),
            Expr::Binary(operation, left, right) => {
                let values = self.value(left, frame)?.zip(self.value(right, frame)?);
                Ok(values.and_then(|(left, right)| apply(*operation, left, right)))
            }
            Expr::Count { counted, body } => {
                let frames = self.inner(body, frame)?;
                let row = |frame: &Frame| -> Vec<Option<Value>> {
                    counted.iter().map(|var| frame[usize::from(var.0)]).collect()
                };
                let rows: FxHashSet<Vec<Option<Value>>> = frames.iter().map(row).collect();
                Ok(i32::try_from(rows.len()).ok().map(Value::Int))
            }
        }
    }
}

/// What a row binds, if it agrees with itself where a variable occurs twice.
fn bindings(atom: &Atom, row: &Row, frame: &Frame) -> Option<Vec<(Var, Value)>> {
    let mut found: Vec<(Var, Value)> = Vec::new();
    for (term, value) in atom.args.iter().zip(row) {
        let Some(var) = unbound(*term, frame) else { continue };
        match found.iter().find(|(other, _)| *other == var) {
            Some((_, earlier)) if earlier != value => return None,
            Some(_) => {}
            None => found.push((var, *value)),
        }
    }
    Some(found)
}

fn is_known(expr: &Expr, frame: &Frame) -> bool {
    match expr {
        Expr::Term(term) => value_of(*term, frame).is_some(),
        Expr::Binary(_, left, right) => is_known(left, frame) && is_known(right, frame),
        // A count is tried only where what it shares is bound; its own variables never are.
        Expr::Count { .. } => true,
    }
}

fn value_of(term: Term, frame: &Frame) -> Option<Value> {
    match term {
        Term::Var(var) => frame[usize::from(var.0)],
        Term::Value(value) => Some(value),
    }
}

fn unbound(term: Term, frame: &Frame) -> Option<Var> {
    as_var(term).filter(|var| frame[usize::from(var.0)].is_none())
}
