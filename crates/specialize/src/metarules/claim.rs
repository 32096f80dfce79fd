//! Claims: what is said to follow from a body, and wider claims to try instead.
//!
//! In: a body and a consequence. Out: whether the facts bear it out, and the same with a constant or one
//! occurrence of a variable replaced by a variable of its own. Paper: metameta §3.1. Invariant: a claim
//! that is borne out holds of the complete facts; one that takes too long to test is not.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Expr, Term, Var, condition_vars, substitute};
use rustc_hash::FxHashMap;

use super::dependency::Consequence;
use crate::static_facts::{StaticFacts, own_vars};

/// What is claimed to follow from a body; the free variables are those that may have any value.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) consequence: Consequence,
    pub(super) free: BTreeSet<Var>,
    /// How many rows a test of it may look at.
    pub(super) rows: u64,
}

impl Claim {
    pub(super) fn impossible(rows: u64) -> Self {
        Self { consequence: Consequence::Impossible, free: BTreeSet::new(), rows }
    }

    pub(super) fn new(body: &[Condition], consequence: &Consequence, rows: u64) -> Self {
        let mut free =
            consequence.as_condition().map_or_else(BTreeSet::new, |part| own_vars(&part));
        let bound: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
        free.retain(|var| !bound.contains(var));
        Self { consequence: consequence.clone(), free, rows }
    }

    /// Does it hold wherever the body does? A variable that is not free must be bound by the body.
    pub(super) fn follows(&self, facts: &StaticFacts, body: &[Condition]) -> bool {
        let (Consequence::Holds(condition) | Consequence::HasMatch(condition)) = &self.consequence
        else {
            return facts.never_match_within(body, self.rows);
        };
        let bound: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
        let is_bound = |var: &Var| bound.contains(var) || self.free.contains(var);
        let free: Vec<Var> = self.free.iter().copied().collect();
        own_vars(condition).iter().all(is_bound)
            && facts.always_holds_within(body, condition, &free, self.rows)
    }
}

/// A body and what is claimed to follow from it.
pub(super) type Dependency = (Vec<Condition>, Claim);

/// A variable that does not occur in the dependency.
fn fresh((body, claim): &Dependency) -> Option<Var> {
    let conclusion = claim.consequence.as_condition();
    let vars = body.iter().chain(&conclusion).flat_map(condition_vars);
    let next = vars.map(|var| var.0.checked_add(1)).max().unwrap_or(Some(0));
    next.map(Var)
}

/// The constant of this number replaced by a variable throughout.
pub(super) fn widen_constant(dependency: &Dependency, step: usize) -> Option<Dependency> {
    let (body, claim) = dependency;
    let mut constants: Vec<Term> = Vec::new();
    for condition in body {
        each_term(condition, &mut |term| {
            if matches!(term, Term::Value(_)) && !constants.contains(&term) {
                constants.push(term);
            }
            term
        });
    }
    let constant = *constants.get(step)?;
    let variable = Term::Var(fresh(dependency)?);
    let widen = |condition: &Condition| {
        each_term(condition, &mut |term| if term == constant { variable } else { term })
    };
    let consequence = match &claim.consequence {
        Consequence::Holds(condition) => Consequence::Holds(widen(condition)),
        Consequence::HasMatch(condition) => Consequence::HasMatch(widen(condition)),
        other => other.clone(),
    };
    Some((body.iter().map(widen).collect(), Claim { consequence, ..claim.clone() }))
}

/// The occurrence of this number of a repeated variable replaced by a variable of its own.
pub(super) fn split_variable(dependency: &Dependency, step: usize) -> Option<Dependency> {
    let (body, claim) = dependency;
    let variable = Term::Var(fresh(dependency)?);
    let conclusion = claim.consequence.as_condition();
    let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
    for condition in body.iter().chain(&conclusion) {
        each_term(condition, &mut |term| {
            *counts.entry(term).or_default() += 1;
            term
        });
    }
    let mut number = 0;
    let mut is_split = false;
    let body = body
        .iter()
        .map(|condition| {
            each_term(condition, &mut |term| {
                if !matches!(term, Term::Var(_)) || counts[&term] < 2 {
                    return term;
                }
                number += 1;
                if number - 1 == step {
                    is_split = true;
                    return variable;
                }
                term
            })
        })
        .collect();
    is_split.then(|| (body, claim.clone()))
}

/// The condition with each term of an atom or plain comparison replaced; others stay as they are.
fn each_term(condition: &Condition, replace: &mut dyn FnMut(Term) -> Term) -> Condition {
    match condition {
        Condition::Holds(atom) => {
            let mut atom = atom.clone();
            for term in &mut atom.args {
                *term = replace(*term);
            }
            Condition::Holds(atom)
        }
        Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
            let (left, right) = (replace(*left), replace(*right));
            Condition::Compare(*comparison, Expr::Term(left), Expr::Term(right))
        }
        other => substitute(other, &Term::Var),
    }
}
