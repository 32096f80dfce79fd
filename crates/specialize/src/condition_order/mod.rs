//! The order of conditions: what is expected to bind least comes first, and nothing before what it
//! must know.
//!
//! In: a body, the variables known before it, and estimates. Out: places of the conditions in the
//! order they are tried; negations and counts ordered inside too. Paper: metameta §3.3, §4.2.
//! Invariant: the conditions stay the same, only their order changes; every order is safe.

mod binders;
mod exact;
mod greedy;
mod prospects;
mod readiness;
mod series;
mod sink;
mod successes;

use std::collections::BTreeSet;

use rulesmith_logic::{Clause, Condition, Expr, Var, atom_vars, expr_vars};

use crate::estimates::Estimates;
use exact::{EXACT_LIMIT, ExactPlan};
use prospects::Prospects;
use readiness::as_var;

pub(crate) use readiness::{around_each, readiness};

pub use series::{SeriesPoint, match_cost_series};
pub use successes::{Matcher, NotCounted};

/// A body to be put in order.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Its conditions.
    pub conditions: &'a [Condition],
    /// The variables that are bound before it is tried.
    pub known: &'a BTreeSet<Var>,
    /// The variables that are used outside it, those of the head above all.
    pub outside: &'a BTreeSet<Var>,
}

/// Why a body has no safe order, or a clause no place in a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// Whatever is tried first, these conditions never learn what they must know.
    #[error("{} conditions are never ready, nothing binds {} of their variables", waiting.len(), unbound.len())]
    Stuck {
        /// Their places.
        waiting: Vec<usize>,
        /// The variables that nothing binds.
        unbound: Vec<Var>,
    },
    /// A head has a variable that nothing binds.
    #[error("nothing binds variable {} of the head", .0.0)]
    OpenHead(Var),
    /// More variables on one path than there are registers.
    #[error("more than 65536 variables on one path")]
    Registers,
}

/// Why what is not placed yet has no place.
pub(crate) fn stuck(estimates: &Estimates, body: Body<'_>, placed: &[bool]) -> OrderError {
    greedy::stuck(&Prospects::new(estimates, body), placed)
}

/// The order of a body: the best under the model if it is short, the greedy one if it is long.
pub fn order(estimates: &Estimates, body: Body<'_>) -> Result<Vec<usize>, OrderError> {
    Plan::new(estimates, body)?.order_rest(vec![false; body.conditions.len()])
}

/// The paper's greedy order, however short the body is.
pub fn order_by_branching(estimates: &Estimates, body: Body<'_>) -> Result<Vec<usize>, OrderError> {
    greedy::order_greedily(&Prospects::new(estimates, body))
}

/// How many conditions are expected to hold while a short body is matched in this order; nothing if
/// the order is not safe or the body is too long for the model.
pub fn expected_successes(estimates: &Estimates, body: Body<'_>, order: &[usize]) -> Option<f64> {
    if body.conditions.len() > EXACT_LIMIT {
        return None;
    }
    ExactPlan::new(&Prospects::new(estimates, body)).ok()?.cost(order)
}

/// The clause with its conditions in order, those inside negations, counts and passages too.
/// `known` are the variables bound before the body is tried.
pub fn order_clause(
    estimates: &Estimates,
    clause: &Clause,
    known: &BTreeSet<Var>,
) -> Result<Clause, OrderError> {
    let outside: BTreeSet<Var> = atom_vars(&clause.head).union(known).copied().collect();
    let body = Body { conditions: &clause.body, known, outside: &outside };
    let body = order_conditions(estimates, body)?;
    Ok(Clause { body, ..clause.clone() })
}

/// The conditions in order, ordered inside too.
fn order_conditions(estimates: &Estimates, body: Body<'_>) -> Result<Vec<Condition>, OrderError> {
    let around = around_each(body.conditions, body.outside);
    let readiness = readiness(body.conditions, body.outside);
    let mut bound = body.known.clone();
    let mut ordered = Vec::with_capacity(body.conditions.len());
    for place in order(estimates, body)? {
        let inside = Inside { estimates, around: &around[place], bound: &bound };
        ordered.push(inside.order(&body.conditions[place])?);
        bound.extend(&readiness[place].vars);
    }
    Ok(ordered)
}

/// Orders what is inside one condition.
pub(crate) struct Inside<'a> {
    pub(crate) estimates: &'a Estimates,
    /// The variables of the condition that are used outside it.
    pub(crate) around: &'a BTreeSet<Var>,
    /// The variables that are bound when it is tried.
    pub(crate) bound: &'a BTreeSet<Var>,
}

impl Inside<'_> {
    pub(crate) fn order(&self, condition: &Condition) -> Result<Condition, OrderError> {
        Ok(match condition {
            Condition::None { locals, body } => {
                Condition::None { locals: locals.clone(), body: self.order_body(body, &[])? }
            }
            Condition::AnyOf(branches) => Condition::AnyOf(self.order_branches(branches, &[])?),
            Condition::Compare(comparison, left, right) => {
                let (ordered, other) =
                    (self.order_expr(left, right)?, self.order_expr(right, left)?);
                Condition::Compare(*comparison, ordered, other)
            }
            Condition::Elsewhere { by, quantifier, body } => {
                let by_vars: Vec<Var> = by.args.iter().copied().filter_map(as_var).collect();
                let body = self.order_body(body, &by_vars)?;
                Condition::Elsewhere { by: by.clone(), quantifier: *quantifier, body }
            }
            plain => plain.clone(),
        })
    }

    /// `other` is what the expression is compared or computed with.
    fn order_expr(&self, expr: &Expr, other: &Expr) -> Result<Expr, OrderError> {
        Ok(match expr {
            Expr::Term(term) => Expr::Term(*term),
            Expr::Binary(operation, left, right) => {
                let (left, right) = (self.order_expr(left, right)?, self.order_expr(right, left)?);
                Expr::Binary(*operation, Box::new(left), Box::new(right))
            }
            Expr::Count { counted, body } => {
                let mut used = counted.clone();
                used.extend(expr_vars(other));
                let body = match body.as_slice() {
                    [Condition::AnyOf(branches)] => {
                        vec![Condition::AnyOf(self.order_branches(branches, &used)?)]
                    }
                    body => self.order_body(body, &used)?,
                };
                Expr::Count { counted: counted.clone(), body }
            }
        })
    }

    fn order_branches(
        &self,
        branches: &[Vec<Condition>],
        used: &[Var],
    ) -> Result<Vec<Vec<Condition>>, OrderError> {
        branches.iter().map(|branch| self.order_body(branch, used)).collect()
    }

    /// `used` are further variables that mean something outside the inner body.
    fn order_body(&self, body: &[Condition], used: &[Var]) -> Result<Vec<Condition>, OrderError> {
        let outside: BTreeSet<Var> = self.around.iter().chain(used).copied().collect();
        let body = Body { conditions: body, known: self.bound, outside: &outside };
        order_conditions(self.estimates, body)
    }
}

/// A body whose conditions are chosen one after the other.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    prospects: Prospects<'a>,
    chooser: Chooser,
}

#[derive(Debug)]
enum Chooser {
    Exact(ExactPlan),
    Greedy,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(estimates: &'a Estimates, body: Body<'a>) -> Result<Self, OrderError> {
        let prospects = Prospects::new(estimates, body);
        let is_short = body.conditions.len() <= estimates.config().exact_up_to.min(EXACT_LIMIT);
        let chooser =
            if is_short { Chooser::Exact(ExactPlan::new(&prospects)?) } else { Chooser::Greedy };
        Ok(Self { prospects, chooser })
    }

    /// All conditions that may as well be next.
    pub(crate) fn cheapest(&self, placed: &[bool]) -> Result<Vec<usize>, OrderError> {
        match &self.chooser {
            Chooser::Exact(plan) => plan.cheapest(&self.prospects, placed),
            Chooser::Greedy => greedy::cheapest_greedily(&self.prospects, placed),
        }
    }

    /// The conditions that may be next if the rest may cost so many times more than the least, each
    /// with how many times more it costs.
    pub(crate) fn near(
        &self,
        placed: &[bool],
        slack: f64,
    ) -> Result<Vec<(usize, f64)>, OrderError> {
        if slack <= 1.0 {
            return Ok(self.cheapest(placed)?.into_iter().map(|place| (place, 1.0)).collect());
        }
        let near = match &self.chooser {
            Chooser::Exact(plan) => plan.near(placed, slack),
            Chooser::Greedy => greedy::near_greedily(&self.prospects, placed, slack),
        };
        if near.is_empty() { Err(greedy::stuck(&self.prospects, placed)) } else { Ok(near) }
    }

    /// How often the condition is expected to hold for each binding so far, and how much happens
    /// inside it.
    pub(crate) fn expected(&self, place: usize, placed: &[bool]) -> (f64, f64) {
        let prospect = self.prospects.prospect(place, &|other| placed[other]);
        prospect.map_or((1.0, 0.0), |prospect| (prospect.branching, prospect.cost))
    }

    /// The order of the conditions that are not placed yet.
    pub(crate) fn order_rest(&self, mut placed: Vec<bool>) -> Result<Vec<usize>, OrderError> {
        if let Chooser::Greedy = self.chooser {
            let mut order = greedy::order_rest(&self.prospects, placed.clone())?;
            sink::sink(&self.prospects, &placed, &mut order);
            return Ok(order);
        }
        let n_open = placed.iter().filter(|placed| !**placed).count();
        let mut order = Vec::with_capacity(n_open);
        while order.len() < n_open {
            let place = self.cheapest(&placed)?[0];
            placed[place] = true;
            order.push(place);
        }
        Ok(order)
    }

    /// How much is expected to happen in the condition for each binding so far.
    pub(crate) fn cost(&self, place: usize, placed: &[bool]) -> f64 {
        let prospect = self.prospects.prospect(place, &|other| placed[other]);
        prospect.map_or(0.0, |prospect| prospect.branching + prospect.cost)
    }
}
