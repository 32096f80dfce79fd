//! Programs: requests specialised, with everything they call, ready to be assembled.
//!
//! In: knowledge of a theory, estimates, requests. Out: for each request, and for each predicate that
//! is kept and called, clauses with their derivations and one tree of conditions. Paper: metameta §3,
//! §4; admheur §3.2. Invariant: the program answers exactly what the theory answers; bounds and
//! metarules change how much is done beforehand, never what is answered.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use rulesmith_logic::{Atom, Clause, Condition, PredicateId, Source, Term, Var, atom_vars};
use rulesmith_matching::{Answered, Procedure};
use rulesmith_rules::{PredicateKind, Request, RequestArg, Theory};
use rustc_hash::FxBuildHasher;

use crate::calls::calls_of;
use crate::condition_tree::{TreeError, build_tree};
use crate::core::minimize;
use crate::estimates::{Estimates, Sample};
use crate::knowledge::Knowledge;
use crate::metarules::{Declarations, Families, Family, MiningLimits, Store, Symmetry, mine};
use crate::object_laws::object_laws;
use crate::reduce::reduce;
use crate::simplify::equation;
use crate::subsumption::{STEP_LIMIT, WithGhosts};
use crate::trim::{Removed, trim};
use crate::unfold::{Bounds, Draft, Finished, Funnel, Step, Stuck, Unfolder, compress};

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
    /// The tree, under the name it is called by.
    pub procedure: Procedure,
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
}

/// A request that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecializeError {
    /// Its conditions cannot be tried in any order with so little known.
    #[error("with these arguments known, {0}")]
    Order(#[from] TreeError),
}

/// Names for requests with values in them are counted from here.
const FIRST_NAME: u32 = 1 << 31;

/// A predicate to be specialised, and what it is called by.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    name: PredicateId,
    source: PredicateId,
    known: Vec<bool>,
    /// Equations between the arguments.
    given: Vec<(usize, Given)>,
}

#[derive(Clone, Copy, Debug)]
enum Given {
    Value(rulesmith_logic::Value),
    SameAs(usize),
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
        let estimates = Estimates::learn(&theory.base, static_sample(knowledge), states);
        Self { unfolder: Unfolder::new(knowledge, settings.bounds, store), estimates }
    }

    /// The metarules, with their use counts.
    pub fn store(&self) -> &Store {
        &self.unfolder.store
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
        let finished = self.unfolded(wanted);
        let mut clauses: Vec<SpecializedClause> =
            finished.into_iter().map(|one| self.trimmed(wanted.source, one)).collect();
        let with_ghosts = clauses.iter().map(|one| self.with_ghosts(&one.clause)).collect();
        let reduced = reduce(with_ghosts, STEP_LIMIT);
        let kept = reduced.kept.iter().map(|kept| {
            let mut clause = clauses[kept.index].clone();
            clause.clause = share_counts(minimize(&kept.clause.clause, STEP_LIMIT).clause);
            clause
        });
        clauses = kept.collect();
        let numbered: Vec<(usize, &Clause)> =
            clauses.iter().map(|one| &one.clause).enumerate().collect();
        let tree = build_tree(&self.estimates, &wanted.known, &numbered)?;
        Ok(SpecializedProcedure {
            source: wanted.source,
            clauses,
            funnel: self.unfolder.funnel,
            n_duplicates: reduced.duplicates.len(),
            n_subsumed: reduced.subsumed.len(),
            procedure: Procedure { predicate: wanted.name, known: wanted.known.clone(), tree },
        })
    }

    /// All bodies the request unfolds into.
    pub(crate) fn unfolded(&mut self, wanted: &Wanted) -> Vec<Finished> {
        let theory = self.unfolder.knowledge.theory;
        let flat = self.unfolder.flat_clauses(wanted.source);
        // Too many alternatives to be flat: the clauses stay as they are.
        let clauses = flat.unwrap_or_else(|| theory.base.clauses_of(wanted.source).to_vec());
        let mut all = Vec::new();
        for clause in clauses {
            let mut draft = Draft::of_clause(&clause);
            let args = &clause.head.args;
            draft.body.extend(wanted.given.iter().map(|(place, given)| match given {
                Given::Value(value) => equation(args[*place], Term::Value(*value)),
                Given::SameAs(other) => equation(args[*place], args[*other]),
            }));
            let whole = Finished::of_draft(&draft, &clause.variables);
            let mut variables = clause.variables.clone();
            match self.unfolder.expand(draft, &mut variables) {
                Ok(finished) => all.extend(finished),
                Err(Stuck) => all.push(whole),
            }
        }
        all
    }

    fn trimmed(&mut self, predicate: PredicateId, one: Finished) -> SpecializedClause {
        let steps = one.steps.clone();
        let untrimmed = one.into_clause(predicate);
        let (clause, removed) = self.without_useless(&untrimmed);
        SpecializedClause { clause, untrimmed, steps, removed }
    }

    /// The clause without useless conditions, and these.
    pub(crate) fn without_useless(&mut self, untrimmed: &Clause) -> (Clause, Vec<Removed>) {
        let (store, miner) = (&mut self.unfolder.store, &mut self.unfolder.miner);
        let (mut clause, removed) = if store.families().has(Family::Useless) {
            trim(store, miner, untrimmed)
        } else {
            (untrimmed.clone(), vec![])
        };
        compress(&mut clause);
        (clause, removed)
    }

    /// The clause with what its body implies, for the comparison with others.
    pub(crate) fn with_ghosts(&self, clause: &Clause) -> WithGhosts {
        let chased = self.unfolder.store.apply(&clause.body);
        // A chase that unifies speaks of other variables than the clause.
        let ghosts = if chased.substitution.is_empty() { chased.ghosts } else { vec![] };
        WithGhosts { clause: clause.clone(), ghosts }
    }
}

impl std::fmt::Debug for Specializer<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Specializer").finish_non_exhaustive()
    }
}

impl Specialized {
    /// How the program answers a predicate.
    pub fn answered(&self, knowledge: &Knowledge<'_>, predicate: PredicateId) -> Option<Answered> {
        let theory = knowledge.theory;
        let called = |one: &SpecializedProcedure| one.procedure.predicate == predicate;
        if self.procedures.iter().any(called) {
            return Some(Answered::Called);
        }
        let described = theory.base.predicates.get(predicate.0 as usize)?;
        let arity = described.domains.len();
        Some(match theory.kind(predicate) {
            PredicateKind::Static { .. } if knowledge.is_complete(predicate) => {
                Answered::Stored { arity, is_static: true }
            }
            PredicateKind::Fluent(_) | PredicateKind::Does(_) | PredicateKind::Component => {
                Answered::Stored { arity, is_static: false }
            }
            _ => Answered::Outside,
        })
    }
}

/// Is the predicate answered by clauses that are not listed as facts?
fn is_called(theory: &Theory, predicate: PredicateId) -> bool {
    theory.base.predicate(predicate).source == Source::Clauses
        && !matches!(theory.kind(predicate), PredicateKind::Static { .. })
}

pub(crate) fn to_wanted((place, request): (usize, &Request)) -> Wanted {
    let known = request.args.iter().map(|arg| matches!(arg, RequestArg::Known(_))).collect();
    let mut given = Vec::new();
    let mut names: IndexMap<&str, usize, FxBuildHasher> = IndexMap::default();
    for (place, arg) in request.args.iter().enumerate() {
        match arg {
            RequestArg::Value(value) => given.push((place, Given::Value(*value))),
            RequestArg::Known(name) | RequestArg::Unknown(name) if name != "_" => {
                let first = *names.entry(name).or_insert(place);
                if first != place {
                    given.push((place, Given::SameAs(first)));
                }
            }
            _ => {}
        }
    }
    let name = if given.is_empty() {
        request.predicate
    } else {
        PredicateId(FIRST_NAME + u32::try_from(place).unwrap_or(0))
    };
    Wanted { name, source: request.predicate, known, given }
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

/// Counts that are compared with values get a variable, so that clauses that differ only in the value
/// count once.
fn share_counts(mut clause: Clause) -> Clause {
    use rulesmith_logic::{Comparison, Expr};
    let mut tests = Vec::new();
    for condition in &mut clause.body {
        let Condition::Compare(Comparison::Equal, left, Expr::Count { .. }) = condition else {
            continue;
        };
        if let Expr::Term(value @ Term::Value(_)) = *left {
            let var = Term::Var(crate::flat::fresh(&mut clause.variables, "N"));
            *left = Expr::Term(var);
            tests.push(equation(var, value));
        }
    }
    clause.body.extend(tests);
    clause
}

/// The variables of the head, which nothing may remove.
pub(crate) fn head_vars(head: &Atom) -> Vec<Var> {
    atom_vars(head).into_iter().collect()
}
