//! Plans: the conditions of a metarule in an order in which each can be tried.
//!
//! In: a metarule. Out: its conditions, tests as early as their variables are known; actions are left
//! out. Invariant: what a step needs is given by the steps before it.

use std::collections::BTreeSet;

use rulesmith_logic::Var;
use rulesmith_rules::{Metacondition, Metarule};

/// One condition to try.
#[derive(Debug)]
pub(super) enum Step<'m> {
    /// A condition that may bind variables.
    Try(&'m Metacondition),
    /// No way through these steps.
    Not(Vec<Step<'m>>),
}

/// The steps of a metarule.
pub(super) fn plan(metarule: &Metarule) -> Vec<Step<'_>> {
    steps(&metarule.conditions, &mut BTreeSet::new())
}

fn steps<'m>(body: &'m [Metacondition], bound: &mut BTreeSet<Var>) -> Vec<Step<'m>> {
    let is_action = |condition: &&Metacondition| matches!(condition, Metacondition::Act(_));
    let mut waiting: Vec<&Metacondition> =
        body.iter().filter(|condition| !is_action(condition)).collect();
    let mut steps = Vec::new();
    while !waiting.is_empty() {
        let is_test = |condition: &&Metacondition| condition.variables().is_subset(bound);
        let is_ready = |condition: &&Metacondition| condition.needs().is_subset(bound);
        let next = waiting.iter().position(is_test).or_else(|| waiting.iter().position(is_ready));
        // The check has made sure that there is one; if not, the text's order is as good as any.
        let condition = waiting.remove(next.unwrap_or(0));
        steps.push(match condition {
            Metacondition::Not { body, .. } => Step::Not(self::steps(body, &mut bound.clone())),
            _ => Step::Try(condition),
        });
        bound.extend(condition.variables());
    }
    steps
}
