//! Askings: how much is unknown where predicates are asked.
//!
//! In: a theory. Out: for each predicate the values that its unknown arguments may have together, where most is unknown.
//! Invariant: an argument counts as known only if the move at hand says it, or a body around the one it is asked in.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Expr, PredicateId, Term, Var, condition_vars};
use rulesmith_rules::{PredicateKind, Theory};

/// How much is unknown where predicates are asked.
#[derive(Debug)]
pub(crate) struct Askings {
    /// By predicate, combinations of values of its unknown arguments, at most.
    most_unknown: Vec<u64>,
}

impl Askings {
    pub(crate) fn new(theory: &Theory) -> Self {
        let mut askings = Self { most_unknown: vec![1; theory.base.predicates.len()] };
        for clause in theory.base.clauses.iter().flatten() {
            askings.look_at(theory, &clause.body, &BTreeSet::new());
        }
        askings
    }

    /// Combinations of values of the unknown arguments of a predicate, where most is unknown.
    pub(crate) fn most_unknown(&self, predicate: PredicateId) -> u64 {
        self.most_unknown.get(predicate.0 as usize).copied().unwrap_or(u64::MAX)
    }

    fn look_at(&mut self, theory: &Theory, body: &[Condition], around: &BTreeSet<Var>) {
        let mut known = around.clone();
        known.extend(body.iter().filter(|one| is_of_move(theory, one)).flat_map(condition_vars));
        for condition in body {
            if let Condition::Holds(atom) = condition {
                let domains = &theory.base.predicate(atom.predicate).domains;
                let unknown = atom
                    .args
                    .iter()
                    .zip(domains)
                    .filter(|(term, _)| matches!(term, Term::Var(var) if !known.contains(var)));
                let n_values = unknown.map(|(_, domain)| {
                    domain.map_or(u64::MAX, |id| theory.base.domain(id).values.len() as u64)
                });
                let most = &mut self.most_unknown[atom.predicate.0 as usize];
                *most = n_values.fold(1, u64::saturating_mul).max(*most);
            }
            let others = body.iter().filter(|other| !std::ptr::eq(*other, condition));
            let around = known.iter().copied().chain(others.flat_map(condition_vars)).collect();
            for inner in bodies_in(condition) {
                // Branches of an alternative bind for each other what the conditions beside them do.
                let is_branch = matches!(condition, Condition::AnyOf(_));
                self.look_at(theory, inner, if is_branch { &known } else { &around });
            }
        }
    }
}

/// Does the condition say what the move at hand is?
fn is_of_move(theory: &Theory, condition: &Condition) -> bool {
    matches!(condition, Condition::Holds(atom) if is_move(theory, condition)
        || asks_move(theory, atom.predicate))
}

/// Has a predicate a clause that asks about the move at hand?
pub(crate) fn asks_move(theory: &Theory, predicate: PredicateId) -> bool {
    let clauses = theory.base.clauses_of(predicate);
    clauses.iter().flat_map(|clause| &clause.body).any(|one| is_move(theory, one))
}

fn is_move(theory: &Theory, condition: &Condition) -> bool {
    matches!(condition, Condition::Holds(atom) if matches!(
        theory.kinds.get(atom.predicate.0 as usize),
        Some(PredicateKind::Does(_))
    ))
}

/// The bodies inside of a condition.
pub(crate) fn bodies_in(condition: &Condition) -> Vec<&[Condition]> {
    match condition {
        Condition::None { body, .. } | Condition::Elsewhere { body, .. } => vec![body],
        Condition::AnyOf(branches) => branches.iter().map(Vec::as_slice).collect(),
        Condition::Compare(_, left, right) => [counted_in(left), counted_in(right)].concat(),
        Condition::Holds(_) | Condition::Member(..) | Condition::Construct { .. } => Vec::new(),
    }
}

fn counted_in(expr: &Expr) -> Vec<&[Condition]> {
    match expr {
        Expr::Term(_) => Vec::new(),
        Expr::Binary(_, left, right) => [counted_in(left), counted_in(right)].concat(),
        Expr::Count { body, .. } => vec![body],
    }
}
