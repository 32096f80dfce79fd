//! Declared metarules at work: what the author's metarules that nothing proves did to clauses.
//!
//! In: the clauses of a procedure. Out: the same after the author's metarules, and how often each was
//! of use. Paper: forcedmoves §4, §6. Invariant: whatever rests on a declared metarule names it.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_rules::Phase;

use crate::author::AuthorsMetarule;
use crate::metaprogram::MetaprogramCut;
use crate::metarules::{MetaruleId, Proof};
use crate::program::{SpecializedClause, Specializer};

/// An author's metarule that nothing proves, at work. That the answers stay the same rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredUse {
    /// Its place in the theory.
    pub metarule: usize,
    /// How often it was of use.
    pub n_uses: u64,
}

impl Specializer<'_> {
    /// Lets the author's metarules run over the clauses of a procedure.
    pub(crate) fn rewrite(
        &mut self,
        phases: &[Phase],
        clauses: &mut Vec<SpecializedClause>,
        uses: &mut Vec<DeclaredUse>,
    ) {
        if self.programs.rewrites_nothing() {
            return;
        }
        let before = clauses.iter().map(|one| one.clause.clone()).collect();
        let outcome = self.programs.rewrite(phases, before);
        self.cuts.extend(outcome.cut);
        let after = outcome.clauses.into_iter().zip(&outcome.numbers);
        let rewritten = after.filter_map(|(clause, number)| {
            let mut one = clauses.get(*number)?.clone();
            let done = outcome.log.iter().filter(|deduction| deduction.deed.is_done());
            let own = done.filter(|deduction| deduction.clause == *number);
            one.declared.extend(own.map(|deduction| deduction.metarule));
            one.declared.sort_unstable();
            one.declared.dedup();
            Some(SpecializedClause { clause, ..one })
        });
        *clauses = rewritten.collect();
        uses.extend(
            outcome
                .uses
                .iter()
                .enumerate()
                .map(|(metarule, n_uses)| DeclaredUse { metarule, n_uses: *n_uses as u64 }),
        );
    }

    /// The limits that the author's metarules reached, each with the metarule's place in the theory.
    pub fn cuts(&self) -> &BTreeSet<(MetaprogramCut, usize)> {
        &self.cuts
    }

    /// How often each declared dependency has been of use so far.
    pub(crate) fn declared_uses(&self) -> Vec<DeclaredUse> {
        let used = |one: &AuthorsMetarule| {
            let metarule = self.store().get(one.id?)?;
            let n_uses = metarule.uses.total();
            (metarule.proof == Proof::Declared)
                .then_some(DeclaredUse { metarule: one.place, n_uses })
        };
        self.authors.iter().filter_map(used).collect()
    }

    /// The places of the declared metarules that one of the store stands for.
    pub(crate) fn declared_places(&self, id: MetaruleId) -> Vec<usize> {
        let own = self.authors.iter().filter(|one| one.id == Some(id) && one.is_declared());
        own.map(|one| one.place).collect()
    }
}

/// One entry for each metarule that was of use.
pub(crate) fn summed(uses: Vec<DeclaredUse>) -> Vec<DeclaredUse> {
    let mut sums: BTreeMap<usize, u64> = BTreeMap::new();
    for DeclaredUse { metarule, n_uses } in uses {
        *sums.entry(metarule).or_default() += n_uses;
    }
    let used = sums.into_iter().filter(|(_, n_uses)| *n_uses > 0);
    used.map(|(metarule, n_uses)| DeclaredUse { metarule, n_uses }).collect()
}
