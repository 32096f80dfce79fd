//! Comparisons, arithmetic on bounded integers, counting, and making compound terms.
//!
//! In: expressions and bindings. Out: a truth value, or the one binding that makes an equation hold.
//! Invariant: a result that does not fit makes the condition fail; it never wraps and never panics.

use crate::clause::{Comparison, Operation};
use crate::goal::GoalExpr;
use crate::limits::Error;
use crate::run::{Compared, Frame, Task, term_value, unbound_var};
use crate::solve::{Flow, Solver};
use crate::table::Row;
use crate::term::{Symbol, Term, Value, Var};

/// Can the comparison be decided, or solved for its one unknown?
pub(crate) fn is_ready(
    comparison: Comparison,
    left: &GoalExpr,
    right: &GoalExpr,
    frame: &Frame,
) -> bool {
    match (is_known(left, frame), is_known(right, frame)) {
        (true, true) => true,
        (true, false) => comparison == Comparison::Equal && is_invertible(right, frame),
        (false, true) => comparison == Comparison::Equal && is_invertible(left, frame),
        (false, false) => false,
    }
}

fn is_known(expr: &GoalExpr, frame: &Frame) -> bool {
    match expr {
        GoalExpr::Term(term) => term_value(*term, frame).is_some(),
        GoalExpr::Binary(_, left, right) => is_known(left, frame) && is_known(right, frame),
        GoalExpr::Count { shared, .. } => shared.iter().all(|var| frame[var.0 as usize].is_some()),
    }
}

/// Has the expression one unknown, under nothing but sums and differences?
fn is_invertible(expr: &GoalExpr, frame: &Frame) -> bool {
    match expr {
        GoalExpr::Term(term) => unbound_var(*term, frame).is_some(),
        GoalExpr::Binary(Operation::Add | Operation::Sub, left, right) => {
            match (is_known(left, frame), is_known(right, frame)) {
                (true, false) => is_invertible(right, frame),
                (false, true) => is_invertible(left, frame),
                _ => false,
            }
        }
        _ => false,
    }
}

impl Solver {
    /// Decides or solves a comparison that is ready.
    pub(crate) fn compare(
        &self,
        task: Task<'_>,
        comparison: Comparison,
        (left, right): (&GoalExpr, &GoalExpr),
        frame: &mut Frame,
    ) -> Result<Compared, Error> {
        let (known, unknown) = match (is_known(left, frame), is_known(right, frame)) {
            (true, true) => {
                let (left, right) = (
                    self.evaluate_expr(task, left, frame)?,
                    self.evaluate_expr(task, right, frame)?,
                );
                let holds =
                    left.zip(right).is_some_and(|(left, right)| comparison.holds(left, right));
                return Ok(if holds { Compared::Holds } else { Compared::Fails });
            }
            (true, false) => (left, right),
            _ => (right, left),
        };
        let Some(target) = self.evaluate_expr(task, known, frame)? else {
            return Ok(Compared::Fails);
        };
        Ok(match self.solve_for(task, unknown, target, frame)? {
            Some((var, value)) => Compared::Binds(var, value),
            None => Compared::Fails,
        })
    }

    fn solve_for(
        &self,
        task: Task<'_>,
        expr: &GoalExpr,
        target: Value,
        frame: &mut Frame,
    ) -> Result<Option<(Var, Value)>, Error> {
        let (operation, left, right) = match expr {
            GoalExpr::Term(Term::Var(var)) => return Ok(Some((*var, target))),
            GoalExpr::Binary(operation, left, right) => (*operation, left, right),
            _ => return Ok(None),
        };
        let is_left_known = is_known(left, frame);
        let (known, unknown) = if is_left_known { (left, right) } else { (right, left) };
        let Some(known) = self.evaluate_expr(task, known, frame)? else { return Ok(None) };
        // T = K + U, T = U + K, T = K - U, T = U - K.
        let inner = match (operation, is_left_known) {
            (Operation::Add, _) => apply(Operation::Sub, target, known),
            (_, true) => apply(Operation::Sub, known, target),
            (_, false) => apply(Operation::Add, target, known),
        };
        match inner {
            Some(inner) => self.solve_for(task, unknown, inner, frame),
            None => Ok(None),
        }
    }

    fn evaluate_expr(
        &self,
        task: Task<'_>,
        expr: &GoalExpr,
        frame: &mut Frame,
    ) -> Result<Option<Value>, Error> {
        match expr {
            GoalExpr::Term(term) => Ok(term_value(*term, frame)),
            GoalExpr::Binary(operation, left, right) => {
                let left = self.evaluate_expr(task, left, frame)?;
                let right = self.evaluate_expr(task, right, frame)?;
                Ok(left.zip(right).and_then(|(left, right)| apply(*operation, left, right)))
            }
            GoalExpr::Count { counted, goals, .. } => {
                let mut found = rustc_hash::FxHashSet::<Row>::default();
                self.run(Task { goals, ..task }, frame, &mut |frame| {
                    let row: Option<Row> =
                        counted.iter().map(|var| frame[var.0 as usize]).collect();
                    found.extend(row);
                    if found.len() as u64 > self.limits().derived_facts {
                        return Err(Error::Limit {
                            name: "derived-facts",
                            limit: self.limits().derived_facts,
                        });
                    }
                    Ok(Flow::More)
                })?;
                Ok(i32::try_from(found.len()).ok().map(Value::Int))
            }
        }
    }

    /// The bindings that make `whole` the compound of these parts, if there are any.
    pub(crate) fn construct(
        &self,
        whole: Term,
        functor: Symbol,
        args: &[Term],
        frame: &Frame,
    ) -> Result<Option<Vec<(Var, Value)>>, Error> {
        let Some(value) = term_value(whole, frame) else {
            let parts: Option<Row> = args.iter().map(|term| term_value(*term, frame)).collect();
            let parts = parts.expect("a construction is ready when its parts are bound");
            let mut symbols = self.symbols().borrow_mut();
            let made = symbols.compound(functor, &parts);
            if symbols.n_compounds() as u64 > self.limits().terms {
                return Err(Error::Limit { name: "terms", limit: self.limits().terms });
            }
            return Ok(unbound_var(whole, frame).map(|var| vec![(var, made)]));
        };
        let Value::Compound(compound) = value else { return Ok(None) };
        let symbols = self.symbols().borrow();
        let (found, parts) = symbols.parts(compound);
        if found != functor || parts.len() != args.len() {
            return Ok(None);
        }
        let mut bindings: Vec<(Var, Value)> = Vec::new();
        for (term, part) in args.iter().zip(parts) {
            let bound = unbound_var(*term, frame);
            let known = match bound {
                Some(var) => {
                    bindings.iter().find(|(other, _)| *other == var).map(|(_, value)| *value)
                }
                None => term_value(*term, frame),
            };
            match (known, bound) {
                (Some(known), _) if known != *part => return Ok(None),
                (None, Some(var)) => bindings.push((var, *part)),
                _ => {}
            }
        }
        Ok(Some(bindings))
    }
}

impl Comparison {
    /// Do two values compare so? Only integers have an order.
    pub fn holds(self, left: Value, right: Value) -> bool {
        match (self, left, right) {
            (Self::Equal, _, _) => left == right,
            (Self::Unequal, _, _) => left != right,
            (_, Value::Int(left), Value::Int(right)) => match self {
                Self::Less => left < right,
                Self::AtMost => left <= right,
                Self::Greater => left > right,
                _ => left >= right,
            },
            _ => false,
        }
    }
}

/// The result, if both operands are integers and it fits.
pub fn apply(operation: Operation, left: Value, right: Value) -> Option<Value> {
    let (Value::Int(left), Value::Int(right)) = (left, right) else { return None };
    let result = match operation {
        Operation::Add => left.checked_add(right),
        Operation::Sub => left.checked_sub(right),
        Operation::Mul => left.checked_mul(right),
        Operation::Div => floor_div(left, right),
        Operation::Mod => floor_div(left, right)
            .and_then(|quotient| left.checked_sub(quotient.checked_mul(right)?)),
        Operation::Min => Some(left.min(right)),
        Operation::Max => Some(left.max(right)),
    };
    result.map(Value::Int)
}

fn floor_div(left: i32, right: i32) -> Option<i32> {
    let quotient = left.checked_div(right)?;
    let is_exact = quotient.checked_mul(right) == Some(left);
    if !is_exact && (left < 0) != (right < 0) { quotient.checked_sub(1) } else { Some(quotient) }
}
