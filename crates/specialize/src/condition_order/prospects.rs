//! Prospects: what each condition of a body is expected to do if it comes next.
//!
//! In: a body, some of its conditions placed already, and estimates. Out: how many times another
//! condition is expected to hold for each binding so far, and what trying it costs besides. Paper:
//! metameta §3.3. Invariant: a prospect depends on which conditions were placed, not on their order.

use std::collections::BTreeSet;

use rulesmith_logic::{Comparison, Condition, Expr, Var};
use rustc_hash::FxHashMap;

use super::Body;
use super::binders::Binders;
use super::greedy::order_greedily;
use super::readiness::{Readiness, around_each, readiness};
use crate::estimates::Estimates;

/// What a condition is expected to do for one binding of what is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prospect {
    /// How many times it holds.
    pub(crate) branching: f64,
    /// How many conditions are tried inside it.
    pub(crate) cost: f64,
    /// Does it bind nothing and ask nothing else?
    pub(crate) is_cheap_test: bool,
    /// Is it such a test, and a comparison?
    pub(crate) is_comparison: bool,
    /// Is it a call that has to search, and would cost less if more were known?
    pub(crate) is_search: bool,
}

impl Prospect {
    /// Of two conditions the one with the lower rank goes first: with branching `b` and cost `c`, one
    /// before the other is cheaper exactly when its `(b + c) / (1 + c)` is lower.
    ///
    /// That holds where neither makes the other cheaper, which is not so for a call that has to search.
    pub(crate) fn rank(&self) -> f64 {
        if self.is_search {
            return self.branching + self.cost;
        }
        (self.branching + self.cost) / (1.0 + self.cost)
    }
}

/// A body with what must be known to judge its conditions.
#[derive(Debug)]
pub(crate) struct Prospects<'a> {
    estimates: &'a Estimates,
    conditions: &'a [Condition],
    known: &'a BTreeSet<Var>,
    readiness: Vec<Readiness>,
    nested: Vec<Nested>,
    /// For each variable the conditions that bind it if they are tried.
    users: FxHashMap<Var, Vec<usize>>,
    binders: Binders<'a>,
}

/// What the bodies inside a condition are expected to cost, and how often they hold.
#[derive(Clone, Copy, Debug, Default)]
struct Nested {
    cost: f64,
    matches: f64,
}

impl<'a> Prospects<'a> {
    pub(crate) fn new(estimates: &'a Estimates, body: Body<'a>) -> Self {
        let around = around_each(body.conditions, body.outside);
        let readiness = readiness(body.conditions, body.outside);
        let nested = body.conditions.iter().zip(&around);
        let nested = nested.map(|(condition, around)| nested_bodies(estimates, condition, around));
        let mut users: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
        for (place, readiness) in readiness.iter().enumerate() {
            for var in &readiness.vars {
                users.entry(*var).or_default().push(place);
            }
        }
        Self {
            estimates,
            conditions: body.conditions,
            known: body.known,
            nested: nested.collect(),
            readiness,
            users,
            binders: Binders::new(estimates, body.conditions),
        }
    }

    pub(crate) fn n_conditions(&self) -> usize {
        self.conditions.len()
    }

    /// The conditions whose prospects depend on this one being placed.
    pub(crate) fn neighbors(&self, place: usize) -> BTreeSet<usize> {
        self.readiness[place].vars.iter().flat_map(|var| &self.users[var]).copied().collect()
    }

    /// The variables of a condition that are not bound yet.
    pub(crate) fn unbound(&self, place: usize, is_placed: &dyn Fn(usize) -> bool) -> Vec<Var> {
        let vars = self.readiness[place].vars.iter().copied();
        vars.filter(|var| !self.is_bound(*var, is_placed)).collect()
    }

    /// What the condition does after the placed ones; nothing if it is not ready.
    pub(crate) fn prospect(
        &self,
        place: usize,
        is_placed: &dyn Fn(usize) -> bool,
    ) -> Option<Prospect> {
        let is_bound = |var: Var| self.is_bound(var, is_placed);
        let readiness = &self.readiness[place];
        if !readiness.is_ready(&is_bound) {
            return None;
        }
        let is_test = readiness.is_test(&is_bound);
        let Nested { mut cost, matches } = self.nested[place];
        let mut is_search = false;
        let branching = match &self.conditions[place] {
            Condition::Holds(atom) => {
                let pattern = self.binders.pattern(atom, &is_bound, is_placed);
                cost += self.estimates.call_cost(&pattern);
                is_search = cost > 1.0;
                self.estimates.branching(&pattern).value()
            }
            other => self.assumed(other, is_test, matches),
        };
        let is_cheap_test = is_test && cost <= 0.0;
        let is_comparison =
            is_cheap_test && matches!(self.conditions[place], Condition::Compare(..));
        Some(Prospect { branching, cost, is_cheap_test, is_comparison, is_search })
    }

    /// What is assumed of conditions that are not atoms.
    fn assumed(&self, condition: &Condition, is_test: bool, matches: f64) -> f64 {
        let config = self.estimates.config();
        match condition {
            Condition::Compare(comparison, ..) => match comparison {
                Comparison::Equal if !is_test => 1.0,
                Comparison::Equal => config.equal,
                Comparison::Unequal => config.unequal,
                _ => config.compared,
            },
            // The more matches are expected, the less likely there is none.
            Condition::None { .. } => 1.0 / (1.0 + matches),
            Condition::Construct { .. } if !is_test => 1.0,
            Condition::Member(_, domain) if !is_test => self.estimates.domain_size(*domain),
            Condition::Elsewhere { .. } if !is_test => config.passage_branching,
            _ => config.test,
        }
    }

    fn is_bound(&self, var: Var, is_placed: &dyn Fn(usize) -> bool) -> bool {
        let users = self.users.get(&var).map_or(&[][..], Vec::as_slice);
        self.known.contains(&var) || users.iter().any(|place| is_placed(*place))
    }
}

/// What the bodies inside a condition cost once what they share with their clause is known.
fn nested_bodies(estimates: &Estimates, condition: &Condition, around: &BTreeSet<Var>) -> Nested {
    let body = |body: &[Condition]| nested_body(estimates, body, around);
    match condition {
        Condition::None { body: inner, .. } => {
            let nested = body(inner);
            // The first match ends it.
            Nested { cost: 1.0 + nested.cost / nested.matches.max(1.0), ..nested }
        }
        Condition::AnyOf(branches) => {
            branches.iter().map(|branch| body(branch)).fold(Nested::default(), add)
        }
        Condition::Elsewhere { body: inner, .. } => {
            let nested = body(inner);
            Nested { cost: estimates.config().passage_cost + nested.cost, ..nested }
        }
        Condition::Compare(_, left, right) => {
            add(nested_expr(estimates, left, around), nested_expr(estimates, right, around))
        }
        _ => Nested::default(),
    }
}

fn nested_expr(estimates: &Estimates, expr: &Expr, around: &BTreeSet<Var>) -> Nested {
    match expr {
        Expr::Term(_) => Nested::default(),
        Expr::Binary(_, left, right) => {
            add(nested_expr(estimates, left, around), nested_expr(estimates, right, around))
        }
        Expr::Count { body, .. } => {
            let branches: Vec<&[Condition]> = match body.as_slice() {
                [Condition::AnyOf(branches)] => branches.iter().map(Vec::as_slice).collect(),
                body => vec![body],
            };
            let nested = branches.into_iter().map(|body| nested_body(estimates, body, around));
            let nested = nested.fold(Nested::default(), add);
            Nested { cost: 1.0 + nested.cost, ..nested }
        }
    }
}

fn nested_body(estimates: &Estimates, conditions: &[Condition], around: &BTreeSet<Var>) -> Nested {
    let prospects = Prospects::new(estimates, Body { conditions, known: around, outside: around });
    let Ok(order) = order_greedily(&prospects) else { return Nested::default() };
    let mut nested = Nested { cost: 0.0, matches: 1.0 };
    let mut placed = vec![false; conditions.len()];
    for place in order {
        let Some(prospect) = prospects.prospect(place, &|other| placed[other]) else { break };
        nested.cost += nested.matches * (prospect.cost + prospect.branching);
        nested.matches *= prospect.branching;
        placed[place] = true;
    }
    nested
}

fn add(left: Nested, right: Nested) -> Nested {
    Nested { cost: left.cost + right.cost, matches: left.matches + right.matches }
}
