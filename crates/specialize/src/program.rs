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

use crate::author::{AuthorsMetarule, program_places};
use crate::bounds::{Bound, Bounds};
use crate::calls::{calls_of, is_called};
use crate::condition_tree::{NamedTree, TreeError, build_named_tree};
use crate::core::minimize;
use crate::declared::{DeclaredUse, summed};
use crate::definitions::KeptBecause;
use crate::draft::{Draft, Finished, Funnel, Step, compress};
use crate::estimates::{Estimates, Sample};
use crate::invariants::Invariants;
use crate::knowledge::Knowledge;
use crate::metaprogram::{Cut, Programs};
use crate::metarules::{By, Families, Family, Metarule, Store};
use crate::outset::Outset;
use crate::reduce::reduce_until;
use crate::share::{share_calls, share_counts};
use crate::simplify::equation;
use crate::subsumption::{STEP_LIMIT, WithGhosts};
use crate::trim::{Removed, trim};
use crate::unfold::{Stuck, Unfolder, Watch};
use crate::wanted::{Given, Wanted, own_name, self_call, to_wanted};

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
    pub(crate) authors: Vec<AuthorsMetarule>,
    pub(crate) programs: Programs<'k>,
    pub(crate) cuts: BTreeSet<Cut>,
}

/// What became of requests.
#[derive(Debug, Default)]
pub struct Specialized {
    /// The procedures: one for each request, in order, then those they call.
    pub procedures: Vec<SpecializedProcedure>,
    /// Predicates that are answered by whoever runs the program.
    pub outside: BTreeSet<PredicateId>,
    /// Predicates that are answered where they are asked, and not kept for others.
    pub called: BTreeSet<PredicateId>,
}

/// One predicate for one pattern of known arguments.
#[derive(Clone, Debug)]
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
    /// Clauses that the author's metarules dropped once they were unfolded.
    pub n_killed: usize,
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

/// A request that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecializeError {
    /// Its conditions cannot be tried in any order with so little known.
    #[error("with these arguments known, {0}")]
    Order(#[from] TreeError),
    /// It takes more bodies than may be made.
    #[error("it takes more than {0} bodies")]
    Bodies(u64),
}

impl<'k> Specializer<'k> {
    /// A specialiser that orders by these samples.
    pub fn new(knowledge: &'k Knowledge<'k>, settings: Settings, states: Vec<Sample>) -> Self {
        let outset = Outset::new(knowledge, &settings);
        Self::from_outset(knowledge, settings, outset, states)
    }

    /// A specialiser that knows this before it looks at a request.
    pub(crate) fn from_outset(
        knowledge: &'k Knowledge<'k>,
        settings: Settings,
        outset: Outset,
        states: Vec<Sample>,
    ) -> Self {
        let Outset { store, authors } = outset;
        let mut specializer = Self::with_store(knowledge, settings, store, states);
        if specializer.store().families().has(Family::Declared) {
            specializer.programs = Programs::new(knowledge.theory, &program_places(&authors));
            specializer.cuts.extend(specializer.programs.cut);
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
        let kept = settings.bounds.keep.iter().chain(&settings.bounds.called);
        let calls = kept.map(|id| (*id, n_keys(theory, *id)));
        let estimates = Estimates::learn(&theory.base, static_sample(knowledge), states);
        let estimates = estimates.with_calls(calls);
        let unfolder = Unfolder::new(knowledge, settings.bounds, store);
        let (programs, cuts) = (Programs::none(theory), BTreeSet::new());
        Self { unfolder, estimates, authors: vec![], programs, cuts }
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
        let called = self.unfolder.bounds.called.clone();
        let mut specialized = Specialized { called, ..Specialized::default() };
        for (place, request) in requests.iter().enumerate() {
            let mut wanted = to_wanted((place, request));
            self.unfolder.begin_procedure();
            let flat = self.unfolder.answering_clauses(wanted.source).unwrap_or_else(|| {
                specialized.outside.insert(wanted.source);
                wanted.name = own_name(place);
                vec![self_call(self.unfolder.knowledge.theory, wanted.source)]
            });
            specialized.procedures.push(self.procedure(&wanted, flat)?);
        }
        self.add_called(&mut specialized)?;
        let Specialized { procedures, outside, .. } = &mut specialized;
        procedures.retain(|one| !outside.contains(&one.procedure.predicate));
        Ok(specialized)
    }

    /// Specialises what the procedures call and no procedure answers yet. What cannot be is answered by
    /// whoever runs the program.
    pub fn add_called(&mut self, specialized: &mut Specialized) -> Result<(), SpecializeError> {
        let theory = self.unfolder.knowledge.theory;
        let mut place = 0;
        while let Some(caller) = specialized.procedures.get(place) {
            place += 1;
            for (predicate, known) in calls_of(&caller.procedure.tree, &|id| is_called(theory, id))
            {
                if specialized.outside.contains(&predicate)
                    || specialized.has_procedure(predicate, &known)
                {
                    continue;
                }
                let wanted = Wanted { name: predicate, source: predicate, known, given: vec![] };
                let is_same = |one: &&SpecializedProcedure| one.procedure.predicate == predicate;
                let same = specialized.procedures.iter().find(is_same);
                let made = if let Some(other) = same {
                    Some(self.known_otherwise(other, &wanted))
                } else {
                    self.unfolder.begin_procedure();
                    let flat = self.unfolder.called_clauses(predicate);
                    flat.map(|flat| self.procedure(&wanted, flat))
                };
                match made {
                    Some(Ok(one)) => specialized.procedures.push(one),
                    Some(Err(error @ SpecializeError::Bodies(_))) => return Err(error),
                    _ => {
                        specialized.outside.insert(predicate);
                    }
                }
            }
        }
        Ok(())
    }

    /// The clauses of a procedure, for other known arguments: only their order depends on these.
    fn known_otherwise(
        &self,
        other: &SpecializedProcedure,
        wanted: &Wanted,
    ) -> Result<SpecializedProcedure, SpecializeError> {
        let NamedTree { tree, registers } = self.ordered(&other.clauses, wanted)?;
        let kept = self.unfolder.kept_in(&tree);
        let procedure = Procedure { predicate: wanted.name, known: wanted.known.clone(), tree };
        Ok(SpecializedProcedure { procedure, registers, kept, ..other.clone() })
    }

    fn ordered(
        &self,
        clauses: &[SpecializedClause],
        wanted: &Wanted,
    ) -> Result<NamedTree, SpecializeError> {
        let stop = self.unfolder.knowledge.solver.stop();
        let numbered: Vec<(usize, &Clause)> =
            clauses.iter().map(|one| &one.clause).enumerate().collect();
        let is_stopped = || stop.check().is_err();
        Ok(build_named_tree(&self.estimates, &wanted.known, &numbered, &is_stopped)?)
    }

    fn procedure(
        &mut self,
        wanted: &Wanted,
        flat: Vec<Clause>,
    ) -> Result<SpecializedProcedure, SpecializeError> {
        let uses_before = self.declared_uses();
        let mut uses = Vec::new();
        let unfolded = self.unfolded_clauses(wanted, flat, &mut uses);
        if self.unfolder.reached.contains_key(&Bound::Bodies) {
            return Err(SpecializeError::Bodies(self.unfolder.bounds.bodies));
        }
        let n_unfolded = unfolded.len();
        let unfolded = self.rewritten(unfolded, &mut uses);
        let mut n_killed = n_unfolded - unfolded.len();
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
        let n_kept = clauses.len();
        self.rewrite(&[Phase::Order], &mut clauses, &mut uses);
        n_killed += n_kept - clauses.len();
        let NamedTree { tree, registers } = self.ordered(&clauses, wanted)?;
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
            n_killed,
            declared: summed(uses),
            procedure: Procedure { predicate: wanted.name, known: wanted.known.clone(), tree },
            registers,
            dropped,
            reached: std::mem::take(&mut self.unfolder.reached),
            kept,
        })
    }

    /// The clauses the request unfolds into, and which of the author's metarules made some of them.
    fn unfolded_clauses(
        &mut self,
        wanted: &Wanted,
        flat: Vec<Clause>,
        uses: &mut Vec<DeclaredUse>,
    ) -> Vec<SpecializedClause> {
        let mut clauses = Vec::new();
        for (one, declared) in self.unfolded(wanted, flat) {
            uses.extend(
                declared.iter().map(|metarule| DeclaredUse { metarule: *metarule, n_uses: 1 }),
            );
            clauses.push(SpecializedClause::of(wanted.source, one, declared));
        }
        clauses
    }

    /// The clauses after the author's metarules.
    fn rewritten(
        &mut self,
        mut clauses: Vec<SpecializedClause>,
        uses: &mut Vec<DeclaredUse>,
    ) -> Vec<SpecializedClause> {
        let phases = [Phase::Generate, Phase::Normalize, Phase::Filter];
        self.rewrite(&phases, &mut clauses, uses);
        for one in &mut clauses {
            one.untrimmed = one.clause.clone();
        }
        clauses
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

impl Specialized {
    fn has_procedure(&self, predicate: PredicateId, known: &[bool]) -> bool {
        let is_it = |one: &Procedure| one.predicate == predicate && one.known == known;
        self.procedures.iter().any(|one| is_it(&one.procedure))
    }
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
