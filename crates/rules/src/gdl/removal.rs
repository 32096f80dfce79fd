//! Removals that never happen: nothing that holds is neither kept nor replaced.
//!
//! In: the effects of all fluents and what was proved about them. Out: the same without the removal
//! rules that were refuted, and without what only they read. Every role makes a move in every step,
//! so a removal is tried against every kind of move for each role. Invariant: the next state does
//! not change; what cannot be refuted within the budget stays.

use rulesmith_logic::{Symbol, Symbols};

use super::case::Case;
use super::conjunction::{Conjunction, conjunctions};
use super::contradiction::{Exclusion, Prover};
use super::ground::StaticFacts;
use super::rule::{Formula, Functor, KifAtom, Relation, Rule};
use super::statement::KifTerm;

/// Cases that the refutation of one removal may look at.
const MAX_CASES_PER_REMOVAL: usize = 1_000;

/// Cases that all refutations may look at.
const MAX_CASES: usize = 20_000;

/// What removals are refuted with.
pub(super) struct Known<'a> {
    pub(super) facts: &'a StaticFacts,
    pub(super) exclusions: Vec<Exclusion>,
    pub(super) roles: &'a [Symbol],
    pub(super) moves: Vec<Functor>,
}

/// Drops the removals that can be refuted. `removals` are the numbers of the removal rules, each
/// with its kind of fluent.
pub(super) fn drop_removals(
    rules: Vec<Rule>,
    removals: &[(usize, Functor)],
    known: &Known<'_>,
    symbols: &mut Symbols,
) -> Vec<Rule> {
    let mut prover = Prover::new(&rules, known.facts, symbols);
    prover.suppose(known.exclusions.iter().cloned());
    let mut dropped = Vec::new();
    for &(number, fluent) in removals {
        let left = MAX_CASES.saturating_sub(prover.spent);
        prover.left = MAX_CASES_PER_REMOVAL.min(left);
        if conjunctions(&rules[number])
            .iter()
            .all(|conjunction| never_fires(&mut prover, conjunction, known))
        {
            dropped.push((number, fluent));
        }
    }
    let is_dropped = |number: usize, rule: &Rule| {
        dropped.iter().any(|&(removal, fluent)| {
            let helpers = [Relation::Kept(fluent), Relation::Added(fluent)];
            number == removal || helpers.contains(&rule.head.relation)
        })
    };
    rules
        .into_iter()
        .enumerate()
        .filter(|(number, rule)| !is_dropped(*number, rule))
        .map(|(_, rule)| rule)
        .collect()
}

fn never_fires(prover: &mut Prover<'_>, conjunction: &Conjunction, known: &Known<'_>) -> bool {
    let mut case = Case::default();
    let first = case.fresh(conjunction.n_variables);
    let mut body = conjunction.body.iter().map(|formula| formula.shifted(first));
    body.try_for_each(|formula| case.assume(&formula)).is_err()
        || refute_joint(prover, &case, known.roles, known)
}

/// Is the case refuted whatever the roles do?
fn refute_joint(prover: &mut Prover<'_>, case: &Case, roles: &[Symbol], known: &Known<'_>) -> bool {
    if prover.refute(case.clone(), 0) {
        return true;
    }
    let Some((role, rest)) = roles.split_first() else { return false };
    known.moves.iter().all(|kind| {
        let mut case = case.clone();
        let arity = u32::try_from(kind.arity).expect("arities fit into a text within its limit");
        let first = case.fresh(arity);
        let mut args = vec![KifTerm::Constant(*role)];
        args.extend((first..first + arity).map(KifTerm::Variable));
        let does = Formula::Holds(KifAtom { relation: Relation::DoesOf(*kind), args });
        case.assume(&does).is_err() || refute_joint(prover, &case, rest, known)
    })
}
