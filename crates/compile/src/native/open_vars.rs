//! Variables that static facts leave open: what only the state tells about them has no rows.
//!
//! In: the conditions of a clause that static facts decide, and the others. Out: whether a negation or a count asks
//! about something that neither binds. Invariant: what passes has a value for each variable that is asked about
//! in two places once a row of static facts is chosen.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Expr, Term, Var, atom_vars, condition_vars};

use super::ground::Dynamic;

/// Is something asked about before it is known?
pub(super) fn asks_too_early(fixed: &[Condition], dynamics: &[Dynamic<'_>]) -> bool {
    has_open_negation(fixed) || asks_about_counts(fixed, dynamics)
}

/// Is there a negation about something that no other of these conditions binds, and that is not its own?
pub(super) fn has_open_negation(fixed: &[Condition]) -> bool {
    let (negations, others): (Vec<_>, Vec<_>) =
        fixed.iter().partition(|one| matches!(one, Condition::None { .. }));
    let bound: BTreeSet<Var> = others.into_iter().flat_map(condition_vars).collect();
    negations.into_iter().any(|one| !open_vars(one).is_subset(&bound))
}

/// Is a number that only the state tells asked about in a negation or another count?
fn asks_about_counts(fixed: &[Condition], dynamics: &[Dynamic<'_>]) -> bool {
    let bound: BTreeSet<Var> = fixed.iter().flat_map(condition_vars).collect();
    let mentioned = |one: &Dynamic<'_>| match one {
        Dynamic::Not { body, .. } => body.iter().flat_map(condition_vars).collect(),
        Dynamic::Counts(condition, _) => condition_vars(condition),
        Dynamic::Atom { atom, holds: false } => atom_vars(atom),
        _ => BTreeSet::new(),
    };
    dynamics.iter().enumerate().any(|(place, one)| {
        let Dynamic::Counts(Condition::Compare(_, left, right), _) = one else { return false };
        let told = [left, right].into_iter().filter_map(|side| match side {
            Expr::Term(Term::Var(var)) if !bound.contains(var) => Some(*var),
            _ => None,
        });
        let told: BTreeSet<Var> = told.collect();
        let mut others = dynamics.iter().enumerate().filter(|(other, _)| *other != place);
        others.any(|(_, other)| !mentioned(other).is_disjoint(&told))
    })
}

/// The variables of a condition that are not local to a negation.
fn open_vars(condition: &Condition) -> BTreeSet<Var> {
    let Condition::None { locals, body } = condition else { return condition_vars(condition) };
    let mut vars: BTreeSet<Var> = body.iter().flat_map(open_vars).collect();
    vars.retain(|var| !locals.contains(var));
    vars
}
