//! Programs: the author's metarules that are more than dependencies, run where clauses are specialised.
//!
//! In: the metarules of a theory that rewrite or make clauses, and clauses. Out: clauses to be
//! specialised with those that the rules say, and clauses rewritten, with which metarule did it. New
//! clauses are made from the rules as they are written, so that they do not depend on what is asked
//! for first. Paper: forcedmoves §4, §6. Invariant: nothing here runs unless declared metarules do.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{Clause, PredicateId, Source};
use rulesmith_rules::{Action, Metarule, Phase, PredicateKind, Theory};

use super::{Deduction, Deed, MetaprogramCut, MetaprogramLimits, MetaprogramOutcome, run_some};
use crate::flat::flatten;

/// Clauses that one rule may be made into before metarules look at it.
const FLAT_LIMIT: usize = 400;

/// The author's metarules that rewrite or make clauses.
#[derive(Debug)]
pub(crate) struct Programs<'t> {
    theory: &'t Theory,
    rewriting: BTreeSet<usize>,
    made: BTreeMap<PredicateId, Vec<Made>>,
    /// The limit that was reached while they were made.
    pub(crate) cut: Option<Cut>,
}

/// A clause that a metarule made, and which.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) clause: Clause,
    pub(crate) metarule: usize,
}

/// A limit that was reached, and by which metarule of the theory.
pub(crate) type Cut = (MetaprogramCut, usize);

/// What the author's metarules make of the rules of one predicate, before anything is unfolded.
#[derive(Clone, Debug)]
pub struct RewrittenRules {
    /// The predicate.
    pub predicate: PredicateId,
    /// All its clauses afterwards.
    pub clauses: Vec<Clause>,
    /// The metarules that changed them, by place in the theory.
    pub metarules: Vec<usize>,
}

impl<'t> Programs<'t> {
    /// No programs.
    pub(crate) fn none(theory: &'t Theory) -> Self {
        Self { theory, rewriting: BTreeSet::new(), made: BTreeMap::new(), cut: None }
    }

    /// The programs at these places of the theory; what they make from its rules is made at once.
    pub(crate) fn new(theory: &'t Theory, places: &BTreeSet<usize>) -> Self {
        let makes = |place: &usize| makes_rules(&theory.metarules[*place]);
        let (making, rewriting): (BTreeSet<usize>, BTreeSet<usize>) =
            places.iter().copied().partition(makes);
        let mut made: BTreeMap<PredicateId, Vec<Made>> = BTreeMap::new();
        let mut cut = None;
        if !making.is_empty() {
            let limits = MetaprogramLimits::default();
            let is_wanted = |place| making.contains(&place);
            let outcome = run_some(theory, &is_wanted, &Phase::ALL, rules(theory), &limits);
            cut = outcome.cut;
            for Deduction { metarule, deed, .. } in outcome.log {
                if let Deed::Made(clause) = deed {
                    let own = made.entry(clause.head.predicate).or_default();
                    own.push(Made { clause, metarule });
                }
            }
        }
        Self { theory, rewriting, made, cut }
    }

    /// The clauses made for a predicate.
    pub(crate) fn made_for(&self, predicate: PredicateId) -> &[Made] {
        self.made.get(&predicate).map_or(&[], Vec::as_slice)
    }

    /// Clauses after some phases.
    pub(crate) fn rewrite(&self, phases: &[Phase], clauses: Vec<Clause>) -> MetaprogramOutcome {
        let is_wanted = |place| self.rewriting.contains(&place);
        run_some(self.theory, &is_wanted, phases, clauses, &MetaprogramLimits::default())
    }

    /// Is there nothing to run?
    pub(crate) fn rewrites_nothing(&self) -> bool {
        self.rewriting.is_empty()
    }

    /// What becomes of the rules as they are written, for each predicate whose rules change, and the
    /// limits that were reached.
    pub(crate) fn rewritten_rules(&self) -> (Vec<RewrittenRules>, BTreeSet<Cut>) {
        let mut cuts: BTreeSet<Cut> = self.cut.into_iter().collect();
        let mut by_predicate: BTreeMap<PredicateId, (Vec<Clause>, BTreeSet<usize>)> =
            BTreeMap::new();
        for clause in rules(self.theory) {
            by_predicate.entry(clause.head.predicate).or_default().0.push(clause);
        }
        for (predicate, made) in &self.made {
            let entry = by_predicate.entry(*predicate).or_default();
            for one in made {
                entry.0.push(one.clause.clone());
                entry.1.insert(one.metarule);
            }
        }
        let mut changed = Vec::new();
        for (predicate, (clauses, mut metarules)) in by_predicate {
            let outcome = self.rewrite(&Phase::ALL, clauses);
            cuts.extend(outcome.cut);
            let done = outcome.log.iter().filter(|deduction| deduction.deed.is_done());
            metarules.extend(done.map(|deduction| deduction.metarule));
            if !metarules.is_empty() {
                let metarules = metarules.into_iter().collect();
                changed.push(RewrittenRules { predicate, clauses: outcome.clauses, metarules });
            }
        }
        (changed, cuts)
    }
}

fn makes_rules(metarule: &Metarule) -> bool {
    metarule.actions().any(|action| matches!(action, Action::AddRule(_)))
}

/// The rules of a theory as flat clauses. What only lists facts is no rule.
fn rules(theory: &Theory) -> Vec<Clause> {
    let mut rules = Vec::new();
    for (predicate, own) in theory.base.predicates.iter().zip(&theory.base.clauses) {
        let is_rule = |clause: &&Clause| {
            predicate.source == Source::Clauses
                && !matches!(theory.kind(clause.head.predicate), PredicateKind::Static { .. })
        };
        for clause in own.iter().filter(is_rule) {
            // A rule with too many alternatives is none that a metarule could look at.
            rules.extend(flatten(clause, FLAT_LIMIT).unwrap_or_default());
        }
    }
    rules
}
