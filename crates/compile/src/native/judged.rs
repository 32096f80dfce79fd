//! Closed questions: what the state alone decides, once for all clauses that ask.
//!
//! In: bodies of negations and comparisons of counts. Out: their ground rows. Invariant: numbers are never
//! negative, so that words can be compared as they are.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Operation, Word};
use rulesmith_logic as logic;
use rulesmith_logic::{Condition, DomainId, Expr, Term, Value, Var, condition_vars, substitute};

use super::Obstacle;
use super::build::compare;
use super::counts::{has_count, telling};
use super::derived::domain_of;
use super::ground::{Closed, Grounded, Grounding, Row};
use crate::state_layout::Space;

/// A closed question, grounded.
#[derive(Clone, Debug)]
pub(super) enum Judged {
    Body(Vec<Row>),
    Comparison(logic::Comparison, [Sum; 2]),
}

/// A number that depends on the state.
#[derive(Clone, Debug)]
pub(super) enum Sum {
    Constant(u64),
    /// How many numbers of a space are heads of rows that hold.
    Count(Space, Vec<Row>),
    Compute(Operation, Box<[Sum; 2]>),
}

pub(super) fn judged(grounding: &Grounding<'_>, closed: &Closed) -> Result<Judged, Obstacle> {
    Ok(match closed {
        Closed::Body(body) => {
            Judged::Body(grounding.rows(Grounded { head: &[], columns: &[], body })?)
        }
        Closed::Comparison(Condition::Compare(comparison, left, right)) => {
            by_bounds(*comparison, [to_sum(grounding, left)?, to_sum(grounding, right)?])
        }
        Closed::Comparison(_) => return Err(Obstacle::new("not a comparison")),
    })
}

/// The same question as everyone asks it: a count stands left, and variables have the first numbers.
pub(super) fn plain(closed: Closed) -> Closed {
    let body = match closed {
        Closed::Body(body) => body,
        Closed::Comparison(comparison) => vec![comparison],
    };
    let vars: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
    let numbers: Vec<Var> = vars.into_iter().collect();
    let rename = |var: Var| {
        let place = numbers.iter().position(|other| *other == var).unwrap_or_default();
        Term::Var(Var(u16::try_from(place).unwrap_or(u16::MAX)))
    };
    let mut body: Vec<Condition> =
        body.iter().map(|condition| substitute(condition, &rename)).collect();
    for condition in &mut body {
        if let Condition::Compare(
            logic::Comparison::Equal | logic::Comparison::Unequal,
            left,
            right,
        ) = condition
            && !has_count(left)
            && has_count(right)
        {
            std::mem::swap(left, right);
        }
    }
    match body.as_slice() {
        [one @ Condition::Compare(_, left, right)] if has_count(left) || has_count(right) => {
            Closed::Comparison(one.clone())
        }
        _ => Closed::Body(body),
    }
}

/// A comparison, unless it is decided by how small and how great its sides can be.
fn by_bounds(comparison: logic::Comparison, sides: [Sum; 2]) -> Judged {
    let [(least, most), (other_least, other_most)] = sides.each_ref().map(Sum::bounds);
    let (is_less, is_at_most) = (most < other_least, most <= other_least);
    let (is_greater, is_at_least) = (least > other_most, least >= other_most);
    let (always, never) = match comparison {
        logic::Comparison::Equal => (false, is_less || is_greater),
        logic::Comparison::Unequal => (is_less || is_greater, false),
        logic::Comparison::Less => (is_less, is_at_least),
        logic::Comparison::AtMost => (is_at_most, is_greater),
        logic::Comparison::Greater => (is_greater, is_at_most),
        logic::Comparison::AtLeast => (is_at_least, is_less),
    };
    let holds = Row { tests: Vec::new(), head: Vec::new(), anchors: Vec::new() };
    match (always, never) {
        (true, _) => Judged::Body(vec![holds]),
        (_, true) => Judged::Body(Vec::new()),
        _ => Judged::Comparison(comparison, sides),
    }
}

impl Sum {
    /// The rows of all counts in it.
    pub(super) fn rows(&self) -> Vec<&Row> {
        match self {
            Self::Constant(_) => Vec::new(),
            Self::Count(_, rows) => rows.iter().collect(),
            Self::Compute(_, parts) => parts.iter().flat_map(Self::rows).collect(),
        }
    }

    /// Changes the rows of each count in it.
    pub(super) fn change_rows(&mut self, change: &mut dyn FnMut(&mut Vec<Row>)) {
        match self {
            Self::Constant(_) => {}
            Self::Count(_, rows) => change(rows),
            Self::Compute(_, parts) => parts.iter_mut().for_each(|part| part.change_rows(change)),
        }
    }

    /// The least and the greatest that it can be.
    pub(super) fn bounds(&self) -> (u64, u64) {
        match self {
            Self::Constant(number) => (*number, *number),
            Self::Count(space, _) => (0, u64::from(space.len())),
            Self::Compute(operation, parts) => {
                let [(least, most), (other_least, other_most)] = parts.each_ref().map(Self::bounds);
                match operation {
                    Operation::Add => {
                        (least.saturating_add(other_least), most.saturating_add(other_most))
                    }
                    Operation::Multiply => {
                        (least.saturating_mul(other_least), most.saturating_mul(other_most))
                    }
                    _ => (0, u64::MAX),
                }
            }
        }
    }
}

/// A number that never leaves the range of numbers: outside of it there would be none.
pub(super) fn to_sum(grounding: &Grounding<'_>, expr: &Expr) -> Result<Sum, Obstacle> {
    let part = |expr: &Expr| to_sum(grounding, expr);
    let sum = match expr {
        Expr::Term(Term::Value(Value::Int(number))) if *number >= 0 => {
            Sum::Constant(u64::from(number.unsigned_abs()))
        }
        Expr::Term(_) => return Err(Obstacle::new("a comparison of a count with something else")),
        Expr::Binary(logic::Operation::Add, left, right) => {
            Sum::Compute(Operation::Add, Box::new([part(left)?, part(right)?]))
        }
        Expr::Binary(logic::Operation::Mul, left, right) => {
            Sum::Compute(Operation::Multiply, Box::new([part(left)?, part(right)?]))
        }
        Expr::Binary(..) => return Err(Obstacle::new("arithmetic of counts that may be negative")),
        Expr::Count { counted, body } => {
            let base = &grounding.theory.base;
            let columns_of = |counted: &[Var]| -> Vec<Option<DomainId>> {
                counted.iter().map(|var| domain_of(base, *var, body)).collect()
            };
            let mut counted = counted.clone();
            if Space::new(base, &columns_of(&counted)).is_none() {
                counted = telling(grounding.theory, &counted, body);
            }
            let columns = columns_of(&counted);
            let space = Space::new(base, &columns)
                .ok_or_else(|| Obstacle::new("a count of too many tuples, or of open ones"))?;
            let head: Vec<Term> = counted.iter().map(|var| Term::Var(*var)).collect();
            let branches: Vec<&[Condition]> = match body.as_slice() {
                [Condition::AnyOf(branches)] => branches.iter().map(Vec::as_slice).collect(),
                body => vec![body],
            };
            let mut rows = Vec::new();
            for body in branches {
                let clause = Grounded { head: &head, columns: &columns, body };
                let numbered = grounding.rows(clause)?.into_iter().map(|row| {
                    let head = vec![space.number(&row.head)];
                    Row { head, ..row }
                });
                rows.extend(numbered);
            }
            Sum::Count(space, rows)
        }
    };
    let is_number = i32::try_from(sum.bounds().1).is_ok();
    is_number.then_some(sum).ok_or_else(|| Obstacle::new("counts whose sum may be too great"))
}

pub(super) fn compared(comparison: logic::Comparison, left: Word, right: Word) -> Word {
    match comparison {
        logic::Comparison::Equal => compare(Comparison::Equal, left, right),
        logic::Comparison::Unequal => compare(Comparison::Unequal, left, right),
        logic::Comparison::Less => compare(Comparison::Less, left, right),
        logic::Comparison::AtMost => compare(Comparison::LessOrEqual, left, right),
        logic::Comparison::Greater => compare(Comparison::Less, right, left),
        logic::Comparison::AtLeast => compare(Comparison::LessOrEqual, right, left),
    }
}
