//! Preferences: how good a turn is that may end with the step just made.
//!
//! In: the clauses of `prefer`. Out: words that order turns. Invariant: of two turns the one with the greater word is
//! the one that the reference engine prefers.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Operation, Scalar, Statement, Word};
use rulesmith_logic::{Comparison, Condition, Expr, PredicateId, Term, Value, Var};
use rulesmith_specialize::Specialized;

use super::Obstacle;
use super::build::{Builder, clause_rows, to_word};
use super::counts::has_count;
use super::decided::Decided;
use super::emit::Emitter;
use super::ground::{Grounding, NO_NUMBER, Row, Test, Tested};
use super::judged::{Sum, to_sum};
use super::params::Params;
use super::steps::{Doing, compute};

/// A sum may have so many parts.
const PARTS_LIMIT: u32 = 64;

/// What one `prefer` makes of a turn.
#[derive(Clone, Debug)]
pub(super) enum Preference {
    /// The greatest value that has a row which holds, by the heads of rows; no value is the least.
    Greatest(Vec<Row>),
    /// A number that every turn has.
    Sum(Sum),
}

impl Preference {
    pub(super) fn rows(&self) -> Vec<&Row> {
        match self {
            Self::Greatest(rows) => rows.iter().collect(),
            Self::Sum(sum) => sum.rows(),
        }
    }
}

pub(super) fn preference(
    grounding: &Grounding<'_>,
    specialized: &Specialized,
    predicate: PredicateId,
) -> Result<Preference, Obstacle> {
    if let Some(expr) = counted(specialized, predicate) {
        return Ok(Preference::Sum(to_sum(grounding, &expr)?));
    }
    let rows = clause_rows(grounding, specialized, predicate)?.concat();
    if rows.iter().any(|row| row.head.contains(&NO_NUMBER)) {
        // Values that are no numbers have no order here.
        return Err(Obstacle::new("turns preferred by something that is not counted"));
    }
    Ok(Preference::Greatest(rows))
}

/// The sum that a preference is, if it says nothing else.
fn counted(specialized: &Specialized, predicate: PredicateId) -> Option<Expr> {
    let procedure = specialized.procedures.iter().find(|one| one.source == predicate)?;
    let [clause] = procedure.clauses.as_slice() else { return None };
    let [head @ Term::Var(_)] = clause.clause.head.args[..] else { return None };
    let named = clause.clause.body.iter().map(|condition| match condition {
        Condition::Compare(Comparison::Equal, Expr::Term(Term::Var(name)), expr)
        | Condition::Compare(Comparison::Equal, expr, Expr::Term(Term::Var(name))) => {
            Some((*name, expr))
        }
        _ => None,
    });
    let named: Vec<(Var, &Expr)> = named.collect::<Option<_>>()?;
    let mut written = Written { n_parts: PARTS_LIMIT, used: BTreeSet::new() };
    let sum = written.out(&Expr::Term(head), &named)?;
    // A name that means two things, or one that the sum does not need, is a condition.
    (has_count(&sum) && written.used.len() == named.len()).then_some(sum)
}

/// An expression that is being written out.
struct Written {
    /// How many parts it may still have; names that stand for each other run out of them.
    n_parts: u32,
    /// The names that were met.
    used: BTreeSet<Var>,
}

impl Written {
    /// An expression with what names stand for in their places; nothing if it has too many parts.
    fn out(&mut self, expr: &Expr, named: &[(Var, &Expr)]) -> Option<Expr> {
        self.n_parts = self.n_parts.checked_sub(1)?;
        Some(match expr {
            Expr::Term(Term::Var(var)) => match named.iter().find(|(name, _)| name == var) {
                Some((_, meaning)) => {
                    self.used.insert(*var);
                    self.out(meaning, named)?
                }
                None => expr.clone(),
            },
            Expr::Term(Term::Value(_)) | Expr::Count { .. } => expr.clone(),
            Expr::Binary(operation, left, right) => {
                let (left, right) = (self.out(left, named)?, self.out(right, named)?);
                Expr::Binary(*operation, Box::new(left), Box::new(right))
            }
        })
    }
}

impl<'b> Builder<'b> {
    /// How good a turn is that ends with this step: greater means better; nothing if all are equal.
    pub(super) fn merit(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
    ) -> Result<Option<Scalar>, Obstacle> {
        let (mut merit, mut most) = (None, 1_u64);
        let preferences = self.preferences.clone().into_iter().zip(&self.theory.preferences);
        for (preference, predicate) in preferences {
            let (rank, radix) = match preference {
                Preference::Greatest(rows) => {
                    let by_value = self.by_value(*predicate, rows);
                    self.greatest(emitter, (doing, params), by_value)?
                }
                Preference::Sum(sum) => self.total(emitter, (doing, params), sum)?,
            };
            most = most
                .checked_mul(radix)
                .filter(|most| *most < 1 << 32)
                .ok_or_else(|| Obstacle::new("too many values of preferences"))?;
            merit = Some(emitter.let_word(match merit {
                None => rank,
                Some(above) => {
                    let above =
                        compute(Operation::Multiply, Word::Scalar(above), Word::Constant(radix));
                    compute(Operation::Add, above, rank)
                }
            }));
        }
        Ok(merit)
    }

    /// Values in their order, as the reference engine compares them.
    fn by_value(&self, predicate: PredicateId, rows: Vec<Row>) -> BTreeMap<Value, Vec<Row>> {
        let base = &self.theory.base;
        let domain = base.predicate(predicate).domains.first().copied().flatten();
        let mut by_value: BTreeMap<Value, Vec<Row>> = BTreeMap::new();
        for row in rows {
            let value = match domain {
                Some(domain) => base.domain(domain).values[row.head[0] as usize],
                None => Value::Int(row.head[0].cast_signed()),
            };
            by_value.entry(value).or_default().push(row);
        }
        by_value
    }

    /// The rank of the greatest value that holds, and how many ranks there are.
    fn greatest(
        &mut self,
        emitter: &mut Emitter<'b>,
        (doing, params): (Doing, &Params),
        by_value: BTreeMap<Value, Vec<Row>>,
    ) -> Result<(Word, u64), Obstacle> {
        let radix = by_value.len() as u64 + 1;
        let rank = emitter.let_word(Word::Constant(0));
        for (place, rows) in (1..).zip(by_value.into_values()) {
            let word = to_word(self.judge_made(emitter, doing, params, &rows)?);
            let better = vec![Statement::Let(rank, Word::Constant(place))];
            emitter.push(Statement::If(word, better, Vec::new()));
        }
        Ok((Word::Scalar(rank), radix))
    }

    /// A number of the state that the step has made, and how many numbers it may be.
    fn total(
        &mut self,
        emitter: &mut Emitter<'b>,
        (doing, params): (Doing, &Params),
        mut sum: Sum,
    ) -> Result<(Word, u64), Obstacle> {
        let mut decided = Decided::new(doing);
        sum.change_rows(&mut |rows| {
            rows.retain_mut(|row| self.decide_row(&mut decided, row));
            self.narrow_rows(rows);
        });
        let is_of_move =
            |test: &Test| matches!(test.tested, Tested::Param(_) | Tested::Doer | Tested::Kind);
        if sum.rows().iter().any(|row| row.tests.iter().any(is_of_move)) {
            return Err(Obstacle::new("turns preferred by a count of what is done"));
        }
        self.start_doing(emitter, doing, params);
        let total = self.sum(emitter, &sum).map(|total| emitter.let_word(total));
        self.stop_doing(emitter);
        Ok((Word::Scalar(total?), sum.bounds().1.saturating_add(1)))
    }
}
