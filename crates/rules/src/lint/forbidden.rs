//! Kinds of moves that can never be legal, as far as a few facts tell.
//!
//! In: a theory. Out: the predicates of moves none of whose clauses can apply. Only relations that a few facts define are
//! asked, so that it takes no time. Invariant: what is found, [`super::impossible`] proves as well.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Clause, Condition, Edge, Level, Limits, Nowhere, PredicateId, Solver, Stop, Var,
    condition_vars, edges,
};

use super::impossible::fixed_part;
use crate::theory::Theory;

/// A relation is asked if its definition has no more clauses, together with what they ask: most that speak of squares have
/// more.
const FEW_CLAUSES: usize = 64;

/// So many conditions are tried for one clause, some milliseconds of work: draughts on 14 x 14 need 39,000.
const PROOF_INFERENCES: u64 = 50_000;

/// The predicates of moves that can never be legal.
pub(crate) fn forbidden_moves(theory: &Theory) -> Vec<PredicateId> {
    let limits = Limits {
        inferences: PROOF_INFERENCES,
        derived_facts: PROOF_INFERENCES,
        ..Limits::default()
    };
    let small = small_relations(theory);
    let mut base = theory.base.clone();
    for (number, clauses) in base.clauses.iter_mut().enumerate() {
        if !small.contains(&number) {
            clauses.clear();
        }
    }
    let solver = Solver::new(base, theory.symbols.clone(), limits, Stop::default());
    let nowhere = Nowhere::default();
    let is_small = |id: PredicateId| small.contains(&(id.0 as usize));
    let is_forbidden = |clause: &Clause| {
        let body = without_lone_members(&fixed_part(&clause.body, &is_small));
        let clause = Clause { body, ..clause.clone() };
        !clause.body.is_empty() && solver.is_possible(&nowhere, &clause) == Ok(false)
    };
    let legal = theory.moves.iter().map(|kind| kind.legal);
    legal
        .filter(|legal| {
            let clauses = theory.base.clauses_of(*legal);
            !clauses.is_empty() && clauses.iter().all(is_forbidden)
        })
        .collect()
}

/// Conditions but for those that only say of which sort something is that no other one speaks of: all its values
/// would be tried.
fn without_lone_members(body: &[Condition]) -> Vec<Condition> {
    let is_alone = |place: usize, vars: &BTreeSet<Var>| {
        let mut others = body.iter().enumerate().filter(|(other, _)| *other != place);
        others.all(|(_, other)| condition_vars(other).is_disjoint(vars))
    };
    let is_lone = |(place, condition): (usize, &Condition)| {
        matches!(condition, Condition::Member(..)) && is_alone(place, &condition_vars(condition))
    };
    let kept = body.iter().enumerate().filter(|one| !is_lone(*one));
    kept.map(|(_, condition)| condition.clone()).collect()
}

/// The relations that never change and are defined by few clauses.
fn small_relations(theory: &Theory) -> BTreeSet<usize> {
    let edges = edges(&theory.base);
    let n_predicates = theory.base.predicates.len();
    let is_static = |number: &usize| theory.base.predicates[*number].level == Level::Static;
    let is_small = |number: &usize| {
        let asked = asked_by(*number, &edges);
        let n_clauses: usize = asked.iter().map(|one| theory.base.clauses[*one].len()).sum();
        n_clauses <= FEW_CLAUSES && asked.iter().all(is_static)
    };
    (0..n_predicates).filter(is_static).filter(is_small).collect()
}

/// A predicate and all that its definition asks.
fn asked_by(number: usize, edges: &[Edge]) -> BTreeSet<usize> {
    let mut asked = BTreeSet::from([number]);
    loop {
        let from_asked = edges.iter().filter(|edge| asked.contains(&(edge.from.0 as usize)));
        let new: Vec<usize> = from_asked.map(|edge| edge.to.0 as usize).collect();
        let n_known = asked.len();
        asked.extend(new);
        if asked.len() == n_known {
            return asked;
        }
    }
}
