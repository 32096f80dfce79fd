//! Programs: requests specialised, with everything they call, ready to be assembled.
//!
//! In: knowledge of a theory, estimates, requests. Out: for each request, and for each predicate that
//! is kept and called, clauses with their derivations and one tree of conditions. Paper: metameta §3,
//! §4; admheur §3.2. Invariant: the program answers exactly what the theory answers; bounds and
//! metarules change how much is done beforehand, never what is answered.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{Clause, PredicateId, Term, Var};
use rulesmith_matching::Procedure;
use rulesmith_rules::{Phase, PredicateKind, Request, Theory};

use crate::author::{AuthorsMetarule, Standing, authors_metarules, program_places};
use crate::bounds::{Bound, Bounds};
use crate::calls::{calls_of, is_called};
use crate::condition_tree::{NamedTree, TreeError, build_named_tree};
use crate::core::minimize;
use crate::definitions::{ALTERNATIVES_LIMIT, KeptBecause};
use crate::draft::{Draft, Finished, Funnel, Step, compress};
use crate::estimates::{Estimates, Sample};
use crate::invariants::Invariants;
use crate::knowledge::Knowledge;
use crate::metaprogram::Programs;
use crate::metarules::{
    By, Declarations, Families, Family, Metarule, MetaruleId, MiningLimits, Proof, Store, Symmetry,
    mine,
};
use crate::object_laws::object_laws;
use crate::reduce::reduce_until;
use crate::share::{share_calls, share_counts};
use crate::simplify::equation;
use crate::subsumption::{STEP_LIMIT, WithGhosts};
use crate::trim::{Removed, trim};
use crate::unfold::{Stuck, Unfolder, Watch};
use crate::wanted::{Given, Wanted, to_wanted};

/// What a specialiser may use.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How far unfolding goes.
    pub bounds: Bounds,
    /// Which metarules are used.
    pub families: Families,
    /// Are metarules mined before any clause needs them?
    pub mines_eagerly: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { bounds: Bounds::default(), families: Families::ALL, mines_eagerly: true }
    }
}

/// Specialises the predicates of one theory; what it learns from one request serves the next.
pub struct Specializer<'k> {
    pub(crate) unfolder: Unfolder<'k>,
    estimates: Estimates,
    authors: Vec<AuthorsMetarule>,
    programs: Programs<'k>,
}

/// What became of requests.
#[derive(Debug)]
pub struct Specialized {
    /// The procedures: one for each request, in order, then those they call.
    pub procedures: Vec<SpecializedProcedure>,
    /// Predicates that are answered by whoever runs the program.
    pub outside: BTreeSet<PredicateId>,
}

/// One predicate for one pattern of known arguments.
#[derive(Debug)]
pub struct SpecializedProcedure {
    /// The predicate that was specialised.
    pub source: PredicateId,
    /// Its clauses in the program.
    pub clauses: Vec<SpecializedClause>,
    /// What became of the bodies that unfolding made.
    pub funnel: Funnel,
    /// Clauses left out as variants of others.
    pub n_duplicates: usize,
    /// Clauses left out because others contain them.
    pub n_subsumed: usize,
    /// The author's metarules that nothing proves and that were of use here.
    pub declared: Vec<DeclaredUse>,
    /// The tree, under the name it is called by.
    pub procedure: Procedure,
    /// Which variable of each clause the registers of the tree hold.
    pub registers: BTreeMap<usize, BTreeMap<Var, Var>>,
    /// Some of the clauses that metarules found impossible, and what did.
    pub dropped: Vec<(Clause, By)>,
    /// How many bodies were left as they were because of a bound.
    pub reached: BTreeMap<Bound, u64>,
    /// The predicates that the clauses call, and why they are not unfolded.
    pub kept: Vec<(PredicateId, KeptBecause)>,
}

/// A clause of a program.
#[derive(Clone, Debug)]
pub struct SpecializedClause {
    /// The clause; its conditions are not ordered yet.
    pub clause: Clause,
    /// The clause with its useless conditions.
    pub untrimmed: Clause,
    /// How unfolding made it.
    pub steps: Vec<Step>,
    /// The conditions that were useless, and why.
    pub removed: Vec<Removed>,
    /// The author's metarules that made or changed it once it was unfolded and that nothing proves, by
    /// their places in the theory.
    pub declared: Vec<usize>,
}

/// An author's metarule that nothing proves, at work. That the answers stay the same rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredUse {
    /// Its place in the theory.
    pub metarule: usize,
    /// How often it was of use.
    pub n_uses: u64,
}

/// A request that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecializeError {
    /// Its conditions cannot be tried in any order with so little known.
    #[error("with these arguments known, {0}")]
    Order(#[from] TreeError),
    /// One of its clauses has too many alternatives to be written out.
    #[error("a clause has more than {limit} alternatives")]
    Alternatives {
        /// How many it may have.
        limit: usize,
    },
}

impl<'k> Specializer<'k> {
    /// A specialiser that orders by these samples.
    pub fn new(knowledge: &'k Knowledge<'k>, settings: Settings, states: Vec<Sample>) -> Self {
        let theory = knowledge.theory;
        let mut store = Store::new(Declarations::of(theory), settings.families);
        for law in object_laws(theory) {
            store.add(law);
        }
        if settings.mines_eagerly {
            let limits = MiningLimits::default();
            for metarule in mine(&knowledge.facts, Symmetry::AsWritten, limits).metarules {
                store.add(metarule);
            }
        }
        let mut authors = authors_metarules(knowledge);
        for one in &mut authors {
            if let Standing::Dependency(metarule) = &one.standing {
                one.id = Some(store.add((**metarule).clone()));
            }
        }
        let mut specializer = Self::with_store(knowledge, settings, store, states);
        if specializer.store().families().has(Family::Declared) {
            specializer.programs = Programs::new(theory, &program_places(&authors));
        }
        specializer.authors = authors;
        specializer
    }

    /// A specialiser that knows the metarules of a store and no others; the families are the store's.
    pub fn with_store(
        knowledge: &'k Knowledge<'k>,
        settings: Settings,
        store: Store,
        states: Vec<Sample>,
    ) -> Self {
        let theory = knowledge.theory;
        let calls = settings.bounds.keep.iter().map(|id| (*id, n_keys(theory, *id)));
        let estimates = Estimates::learn(&theory.base, static_sample(knowledge), states);
        let estimates = estimates.with_calls(calls);
        let unfolder = Unfolder::new(knowledge, settings.bounds, store);
        Self { unfolder, estimates, authors: vec![], programs: Programs::none(theory) }
    }

    /// The author's metarules, and what is known about each.
    pub fn authors(&self) -> &[AuthorsMetarule] {
        &self.authors
    }

    /// Looks for invariants in samples, the first of them the state at the start, and adds what is
    /// proved. From then on the program answers for states that contests can reach.
    pub fn find_invariants(&mut self, samples: &[Sample]) -> Invariants {
        let found = self.unfolder.find_invariants(samples);
        for metarule in &found.proved {
            self.unfolder.store.add(metarule.clone());
        }
        found
    }

    /// The metarules, with their use counts.
    pub fn store(&self) -> &Store {
        &self.unfolder.store
    }

    /// Adds a metarule that was proved elsewhere.
    pub fn add_metarule(&mut self, metarule: Metarule) {
        self.unfolder.store.add(metarule);
    }

    /// Tells this how far the work is, after every step.
    pub fn set_watch(&mut self, watch: Watch<'k>) {
        self.unfolder.watch = Some(watch);
    }

    /// The estimates conditions are ordered by.
    pub fn estimates(&self) -> &Estimates {
        &self.estimates
    }

    /// Specialises requests and all they call.
    pub fn specialize(&mut self, requests: &[Request]) -> Result<Specialized, SpecializeError> {
        let theory = self.unfolder.knowledge.theory;
        let mut wanted: Vec<Wanted> = requests.iter().enumerate().map(to_wanted).collect();
        let mut procedures = Vec::new();
        let mut outside = BTreeSet::new();
        let mut place = 0;
        while let Some(next) = wanted.get(place).cloned() {
            place += 1;
            match self.procedure(&next) {
                Ok(one) => procedures.push(one),
                Err(error) if place <= requests.len() => return Err(error),
                Err(_) => {
                    outside.insert(next.source);
                    continue;
                }
            }
            let tree = &procedures[procedures.len() - 1].procedure.tree;
            for (predicate, known) in calls_of(tree, &|id| is_called(theory, id)) {
                let is_new = |other: &Wanted| other.name != predicate || other.known != known;
                if wanted.iter().all(is_new) {
                    let given = vec![];
                    wanted.push(Wanted { name: predicate, source: predicate, known, given });
                }
            }
        }
        procedures.retain(|one: &SpecializedProcedure| !outside.contains(&one.procedure.predicate));
        Ok(Specialized { procedures, outside })
    }

    fn procedure(&mut self, wanted: &Wanted) -> Result<SpecializedProcedure, SpecializeError> {
        self.unfolder.funnel = Funnel::default();
        self.unfolder.reached = BTreeMap::new();
        self.unfolder.dropped = Vec::new();
        let uses_before = self.declared_uses();
        let flat = self.unfolder.answering_clauses(wanted.source);
        let limit = self.unfolder.bounds.clauses.max(ALTERNATIVES_LIMIT);
        let flat = flat.ok_or(SpecializeError::Alternatives { limit })?;
        let (unfolded, mut uses) = self.unfolded_clauses(wanted, flat);
        let mut clauses: Vec<SpecializedClause> =
            unfolded.into_iter().map(|one| self.trimmed(one)).collect();
        let with_ghosts = clauses.iter().map(|one| self.with_ghosts(&one.clause)).collect();
        let stop = self.unfolder.knowledge.solver.stop();
        let is_stopped = || stop.check().is_err();
        let reduced = reduce_until(with_ghosts, STEP_LIMIT, &is_stopped);
        let kept = reduced.kept.iter().map(|kept| {
            let mut clause = clauses[kept.index].clone();
            let minimal = if is_stopped() {
                kept.clause.clause.clone()
            } else {
                minimize(&kept.clause.clause, STEP_LIMIT).clause
            };
            clause.clause = share_counts(minimal);
            share_calls(
                self.unfolder.knowledge.theory,
                &self.unfolder.bounds.keep,
                &mut clause.clause,
            );
            clause
        });
        clauses = kept.collect();
        self.rewrite(&[Phase::Order], &mut clauses, &mut uses);
        let numbered: Vec<(usize, &Clause)> =
            clauses.iter().map(|one| &one.clause).enumerate().collect();
        let NamedTree { tree, registers } =
            build_named_tree(&self.estimates, &wanted.known, &numbered, &is_stopped)?;
        let kept = self.unfolder.kept_in(&tree);
        for (before, after) in uses_before.iter().zip(self.declared_uses()) {
            uses.push(DeclaredUse { n_uses: after.n_uses - before.n_uses, ..after });
        }
        let dropped = std::mem::take(&mut self.unfolder.dropped).into_iter();
        let dropped = dropped.map(|one| (one.body.into_clause(wanted.source), one.by)).collect();
        Ok(SpecializedProcedure {
            source: wanted.source,
            clauses,
            funnel: self.unfolder.funnel,
            n_duplicates: reduced.duplicates.len(),
            n_subsumed: reduced.subsumed.len(),
            declared: summed(uses),
            procedure: Procedure { predicate: wanted.name, known: wanted.known.clone(), tree },
            registers,
            dropped,
            reached: std::mem::take(&mut self.unfolder.reached),
            kept,
        })
    }

    /// The clauses the request unfolds into, after the author's metarules, and which of these were used.
    fn unfolded_clauses(
        &mut self,
        wanted: &Wanted,
        flat: Vec<Clause>,
    ) -> (Vec<SpecializedClause>, Vec<DeclaredUse>) {
        let mut uses = Vec::new();
        let mut clauses = Vec::new();
        for (one, declared) in self.unfolded(wanted, flat) {
            uses.extend(
                declared.iter().map(|metarule| DeclaredUse { metarule: *metarule, n_uses: 1 }),
            );
            clauses.push(SpecializedClause::of(wanted.source, one, declared));
        }
        let phases = [Phase::Generate, Phase::Normalize, Phase::Filter];
        self.rewrite(&phases, &mut clauses, &mut uses);
        for one in &mut clauses {
            one.untrimmed = one.clause.clone();
        }
        (clauses, uses)
    }

    /// Lets the author's metarules run over the clauses of a procedure.
    fn rewrite(
        &self,
        phases: &[Phase],
        clauses: &mut Vec<SpecializedClause>,
        uses: &mut Vec<DeclaredUse>,
    ) {
        if self.programs.rewrites_nothing() {
            return;
        }
        let before = clauses.iter().map(|one| one.clause.clone()).collect();
        let outcome = self.programs.rewrite(phases, before);
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

    /// How often each declared dependency has been of use so far.
    fn declared_uses(&self) -> Vec<DeclaredUse> {
        let used = |one: &AuthorsMetarule| {
            let metarule = self.store().get(one.id?)?;
            let n_uses = metarule.uses.total();
            (metarule.proof == Proof::Declared)
                .then_some(DeclaredUse { metarule: one.place, n_uses })
        };
        self.authors.iter().filter_map(used).collect()
    }

    /// The places of the declared metarules that one of the store stands for.
    fn declared_places(&self, id: MetaruleId) -> Vec<usize> {
        let own = self.authors.iter().filter(|one| one.id == Some(id) && one.is_declared());
        own.map(|one| one.place).collect()
    }

    /// All bodies that these clauses of the request unfold into.
    pub(crate) fn unfolded(
        &mut self,
        wanted: &Wanted,
        clauses: Vec<Clause>,
    ) -> Vec<(Finished, Vec<usize>)> {
        let mut clauses: Vec<(Clause, Vec<usize>)> =
            clauses.into_iter().map(|clause| (clause, vec![])).collect();
        for made in self.programs.made_for(wanted.source) {
            let mut clause = made.clause.clone();
            self.unfolder.add_domains(&mut clause);
            clauses.push((clause, vec![made.metarule]));
        }
        let mut all = Vec::new();
        for (clause, declared) in clauses {
            let mut draft = Draft::of_clause(&clause);
            let args = &clause.head.args;
            draft.body.extend(wanted.given.iter().map(|(place, given)| match given {
                Given::Value(value) => equation(args[*place], Term::Value(*value)),
                Given::SameAs(other) => equation(args[*place], args[*other]),
            }));
            let whole = Finished::of_draft(&draft, &clause.variables);
            let mut variables = clause.variables.clone();
            match self.unfolder.expand(draft, &mut variables) {
                Ok(finished) => all.extend(finished.into_iter().map(|one| (one, declared.clone()))),
                Err(Stuck) => all.push((whole, declared)),
            }
        }
        all
    }

    pub(crate) fn trimmed(&mut self, mut one: SpecializedClause) -> SpecializedClause {
        let (store, miner) = (&mut self.unfolder.store, &mut self.unfolder.miner);
        let families = store.families();
        // What is stopped is not lost: useless conditions stay, and the answers are the same.
        let is_stopped = self.unfolder.knowledge.solver.stop().check().is_err();
        if is_stopped {
            self.unfolder.reached.entry(Bound::Stopped).or_insert(1);
        } else if families.has(Family::Useless) || families.has(Family::Declared) {
            (one.clause, one.removed) = trim(store, miner, &one.untrimmed);
        }
        for removed in &one.removed {
            if let By::Metarule(id) = removed.removal.by {
                one.declared.extend(self.declared_places(id));
            }
        }
        one.declared.sort_unstable();
        one.declared.dedup();
        compress(&mut one.clause);
        one
    }

    /// The clause with what its body implies, for the comparison with others.
    pub(crate) fn with_ghosts(&self, clause: &Clause) -> WithGhosts {
        if self.unfolder.knowledge.solver.stop().check().is_err() {
            return WithGhosts { clause: clause.clone(), ghosts: vec![] };
        }
        let chased = self.unfolder.store.apply(&clause.body);
        // A chase that unifies speaks of other variables than the clause.
        let ghosts = if chased.substitution.is_empty() { chased.ghosts } else { vec![] };
        WithGhosts { clause: clause.clone(), ghosts }
    }
}

impl SpecializedClause {
    /// A finished body as a clause, with the declared metarules that touched it.
    pub(crate) fn of(predicate: PredicateId, one: Finished, declared: Vec<usize>) -> Self {
        let steps = one.steps.clone();
        Self { steps, declared, ..Self::unchanged(one.into_clause(predicate)) }
    }

    pub(crate) fn unchanged(clause: Clause) -> Self {
        let untrimmed = clause.clone();
        Self { clause, untrimmed, steps: vec![], removed: vec![], declared: vec![] }
    }
}

impl std::fmt::Debug for Specializer<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Specializer").finish_non_exhaustive()
    }
}

/// One entry for each metarule that was of use.
fn summed(uses: Vec<DeclaredUse>) -> Vec<DeclaredUse> {
    let mut sums: BTreeMap<usize, u64> = BTreeMap::new();
    for DeclaredUse { metarule, n_uses } in uses {
        *sums.entry(metarule).or_default() += n_uses;
    }
    let used = sums.into_iter().filter(|(_, n_uses)| *n_uses > 0);
    used.map(|(metarule, n_uses)| DeclaredUse { metarule, n_uses }).collect()
}

/// How many arguments of a predicate, from the first, say which call it is.
fn n_keys(theory: &Theory, predicate: PredicateId) -> usize {
    let arity = theory.base.predicate(predicate).domains.len();
    let is_function = *theory.kind(predicate) == PredicateKind::DerivedFunction;
    arity.saturating_sub(usize::from(is_function))
}

/// The static facts as one working memory.
fn static_sample(knowledge: &Knowledge<'_>) -> Sample {
    let mut sample = Sample::default();
    for predicate in knowledge.facts.predicates() {
        if let Some(relation) = knowledge.facts.relation(predicate) {
            sample.rows.insert(predicate, relation.rows.clone());
        }
    }
    sample
}
