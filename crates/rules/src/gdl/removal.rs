//! Removals that never happen: nothing that holds is neither kept nor replaced.
//!
//! In: a removal rule and what was proved about the game. Out: whether it was refuted. Every role
//! makes a move in every step, so a removal is tried against every kind of move for each role.
//! Invariant: a refuted removal never fires in a reachable state; running out of budget refutes
//! nothing.

use rulesmith_logic::Symbol;

use super::case::Case;
use super::conjunction::{Conjunction, conjunctions};
use super::contradiction::Prover;
use super::rule::{Formula, Functor, KifAtom, Relation, Rule};
use super::statement::KifTerm;

/// Steps that the refutation of one removal may take.
const MAX_STEPS_PER_REMOVAL: usize = 40_000;

/// Steps that all refutations may take.
const MAX_STEPS: usize = 1_000_000;

/// Who may do what.
pub(super) struct Doers<'a> {
    pub(super) roles: &'a [Symbol],
    pub(super) moves: Vec<Functor>,
}

/// Can the removal never fire?
pub(super) fn is_refuted(prover: &mut Prover<'_>, removal: &Rule, doers: &Doers<'_>) -> bool {
    let left = MAX_STEPS.saturating_sub(prover.spent);
    prover.left = MAX_STEPS_PER_REMOVAL.min(left);
    conjunctions(removal).iter().all(|conjunction| never_fires(prover, conjunction, doers))
}

fn never_fires(prover: &mut Prover<'_>, conjunction: &Conjunction, doers: &Doers<'_>) -> bool {
    let mut case = Case::default();
    let first = case.fresh(conjunction.n_variables);
    let mut body = conjunction.body.iter().map(|formula| formula.shifted(first));
    body.try_for_each(|formula| case.assume(&formula)).is_err()
        || refute_joint(prover, &case, doers.roles, doers)
}

/// Is the case refuted whatever the roles do?
fn refute_joint(prover: &mut Prover<'_>, case: &Case, roles: &[Symbol], doers: &Doers<'_>) -> bool {
    if prover.refute(case.clone(), 0) {
        return true;
    }
    let Some((role, rest)) = roles.split_first() else { return false };
    doers.moves.iter().all(|kind| {
        let mut case = case.clone();
        let arity = u32::try_from(kind.arity).expect("arities fit into a text within its limit");
        let first = case.fresh(arity);
        let mut args = vec![KifTerm::Constant(*role)];
        args.extend((first..first + arity).map(KifTerm::Variable));
        let does = Formula::Holds(KifAtom { relation: Relation::DoesOf(*kind), args });
        case.assume(&does).is_err() || refute_joint(prover, &case, rest, doers)
    })
}
