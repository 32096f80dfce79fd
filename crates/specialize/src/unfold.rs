//! Unfolding: one atom at a time is replaced by one of its definitions, until none is left.
//!
//! In: a body with atoms that clauses define, and conditions after a move. Out: all bodies it unfolds
//! into, over static relations, fluents and what is kept. After every step the body is simplified and
//! the metarules run. Paper: metameta §3, §4.1; admheur §3.2. Invariant: together the bodies hold
//! exactly when the first one does; a bound that is reached keeps an atom, it never loses an answer.

use std::collections::BTreeMap;
use std::rc::Rc;

use rulesmith_logic::{Atom, Clause, Condition, Expr, PredicateId, Term, Variable};
use rulesmith_rules::PredicateKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounds::{Bound, Bounds, Selection};
use crate::common::Common;
use crate::definitions::{Call, Definitions, Recursion, Trial, renamed_apart};
use crate::draft::{Draft, Finished, Funnel, Step, set_domains};
use crate::flat::{VARIABLES_LIMIT, rename_locals};
use crate::knowledge::Knowledge;
use crate::metarules::{By, Declarations, Families, Family, LazyMiner, Store, Use};
use crate::object_laws::object_laws;
use crate::passages::{has_passage, order_passages};
use crate::regress::{Question, asked_in};
use crate::simplify::{Dead, around, equation, is_nested};

/// Bodies that may be made for each one that may come out: the others die, or stand inside these.
const BODIES_PER_CLAUSE: u64 = 25;

/// Unfolding cannot go on exactly: something must stay that nothing could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stuck;

/// Unfolds bodies.
pub(crate) struct Unfolder<'k> {
    pub(crate) knowledge: &'k Knowledge<'k>,
    pub(crate) bounds: Bounds,
    pub(crate) funnel: Funnel,
    /// How many bodies were made for the procedures before.
    pub(crate) n_bodies: u64,
    pub(crate) recursion: Recursion,
    pub(crate) trial: Option<Trial>,
    pub(crate) known_definitions: FxHashMap<Call, Definitions>,
    /// What all clauses of a called predicate ask, by predicate.
    pub(crate) common: FxHashMap<PredicateId, Rc<Vec<Common>>>,
    /// How many conditions after a move are being regressed, one inside the other.
    pub(crate) n_regressing: usize,
    /// How many bodies may have been made when the regression at hand must be done.
    pub(crate) regression_ends: u64,
    /// What had too many ways to hold to be unfolded.
    pub(crate) given_up: FxHashSet<Question>,
    /// Are the passages of legality left out, because only what is refuted counts?
    pub(crate) forgets_passages: bool,
    /// What is known about clauses.
    pub(crate) store: Store,
    pub(crate) miner: LazyMiner<'k>,
    /// Some of the bodies that metarules found impossible.
    pub(crate) dropped: Vec<Dropped>,
    /// What found the last body impossible.
    pub(crate) killer: Option<By>,
    /// How many bodies were left as they were because of each bound.
    pub(crate) reached: BTreeMap<Bound, u64>,
    /// Is told how far the work is.
    pub(crate) watch: Option<Watch<'k>>,
}

/// What is told how far the work is, after every step.
pub type Watch<'k> = Box<dyn FnMut(&Funnel) + 'k>;

/// A body that a metarule found impossible.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    pub(crate) body: Finished,
    pub(crate) by: By,
}

/// Impossible bodies that are remembered, to be shown.
const DROPPED_LIMIT: usize = 12;

/// What open conditions may be replaced by.
pub(crate) type Alternatives = Vec<(Vec<Condition>, Step)>;

/// The conditions to unfold next, by their places in ascending order.
pub(crate) struct Selected {
    pub(crate) places: Vec<usize>,
    pub(crate) alternatives: Alternatives,
}

impl<'k> Unfolder<'k> {
    pub(crate) fn new(knowledge: &'k Knowledge<'k>, bounds: Bounds, store: Store) -> Self {
        Self {
            knowledge,
            bounds,
            funnel: Funnel::default(),
            n_bodies: 0,
            recursion: Recursion::new(knowledge),
            trial: None,
            known_definitions: FxHashMap::default(),
            common: FxHashMap::default(),
            n_regressing: 0,
            regression_ends: u64::MAX,
            given_up: FxHashSet::default(),
            forgets_passages: false,
            store,
            miner: LazyMiner::new(&knowledge.facts),
            dropped: Vec::new(),
            killer: None,
            reached: BTreeMap::new(),
            watch: None,
        }
    }

    /// Forgets what was counted for the procedure before: its bodies are no bound on those of the next one, nor on the ways
    /// through a recursion that answers it.
    pub(crate) fn begin_procedure(&mut self) {
        self.n_bodies += self.funnel.generated;
        self.funnel = Funnel::default();
        self.reached = BTreeMap::new();
        self.dropped = Vec::new();
    }

    /// All finished bodies of a draft. Variables are added to `variables`; each finished body has a
    /// copy of them.
    pub(crate) fn expand(
        &mut self,
        draft: Draft,
        variables: &mut Vec<Variable>,
    ) -> Result<Vec<Finished>, Stuck> {
        let mut finished = Vec::new();
        self.expand_into(draft, variables, &mut finished)?;
        Ok(finished)
    }

    fn expand_into(
        &mut self,
        mut draft: Draft,
        variables: &mut Vec<Variable>,
        finished: &mut Vec<Finished>,
    ) -> Result<(), Stuck> {
        self.funnel.generated += 1;
        if let Some(watch) = &mut self.watch {
            watch(&self.funnel);
        }
        if self.normalize(&mut draft).is_err() {
            self.drop_body(&draft, variables);
            return Ok(());
        }
        let bound = self.bound_reached(&draft, variables.len(), finished.len());
        if let Some(bound) = bound {
            *self.reached.entry(bound).or_default() += 1;
        } else if let Some(selected) = self.select(&draft, variables)? {
            self.check_variables(variables)?;
            let place = selected.places[0];
            for place in selected.places.iter().rev() {
                draft.body.remove(*place);
            }
            for (conditions, step) in selected.alternatives {
                let mark = variables.len();
                let mut child = draft.clone();
                child.depth += 1;
                if let (Some(trial), Step::Unfold { predicate, .. }) = (self.trial, &step)
                    && self.recursion.are_together(trial.predicate, *predicate)
                {
                    child.recursion += 1;
                }
                child.body.splice(place..place, conditions);
                child.steps.push(step);
                self.expand_into(child, variables, finished)?;
                if !draft.is_nested {
                    variables.truncate(mark);
                }
            }
            return Ok(());
        }
        if self.trial.is_some() && draft.body.iter().any(|condition| self.is_unended(condition)) {
            return Err(Stuck);
        }
        let is_way = self.trial.is_some() && !draft.is_nested;
        if is_way && finished.len() >= self.bounds.ways {
            return Err(Stuck);
        }
        self.finish(draft, variables, finished)
    }

    /// Remembers a body that a metarule found impossible, if it would have been a clause.
    fn drop_body(&mut self, draft: &Draft, variables: &[Variable]) {
        let Some(by) = self.killer.take() else { return };
        let is_clause = !draft.is_nested && self.trial.is_none();
        if is_clause && self.dropped.len() < DROPPED_LIMIT {
            self.dropped.push(Dropped { body: Finished::of_draft(draft, variables), by });
        }
    }

    /// Have more bodies been made than could be for the clauses that may come out?
    fn made_too_many(&self) -> bool {
        self.funnel.generated / BODIES_PER_CLAUSE >= self.bounds.clauses as u64
    }

    /// The bound that keeps a body from being unfolded further. What is left in it is called.
    fn bound_reached(&self, draft: &Draft, n_variables: usize, n_finished: usize) -> Option<Bound> {
        let bounds = &self.bounds;
        let reached = [
            (Bound::Stopped, self.knowledge.solver.stop().check().is_err()),
            (Bound::Regression, self.funnel.generated >= self.regression_ends),
            (Bound::Bodies, self.n_bodies + self.funnel.generated >= bounds.bodies),
            (Bound::Depth, draft.depth >= bounds.depth),
            (Bound::Conditions, draft.body.len() >= bounds.conditions),
            (Bound::Clauses, n_finished >= bounds.clauses || self.made_too_many()),
            (Bound::Variables, n_variables >= bounds.variables.min(VARIABLES_LIMIT)),
        ];
        reached.into_iter().find(|(_, is_reached)| *is_reached).map(|(bound, _)| bound)
    }

    /// Gives up when one step made more variables than there are numbers for.
    fn check_variables(&mut self, variables: &[Variable]) -> Result<(), Stuck> {
        if variables.len() <= VARIABLES_LIMIT {
            return Ok(());
        }
        *self.reached.entry(Bound::Variables).or_default() += 1;
        Err(Stuck)
    }

    /// The condition to unfold next, with what it may be replaced by.
    fn select(
        &mut self,
        draft: &Draft,
        variables: &mut Vec<Variable>,
    ) -> Result<Option<Selected>, Stuck> {
        let mut chosen: Option<(usize, usize, Atom)> = None;
        for (place, condition) in draft.body.iter().enumerate() {
            let Condition::Holds(atom) = condition else { continue };
            let Some(n_definitions) = self.n_definitions(atom, draft)? else { continue };
            let n_definitions = match self.bounds.selection {
                Selection::LeftToRight => 0,
                Selection::FewestDefinitions => n_definitions,
            };
            if chosen.as_ref().is_none_or(|(_, fewest, _)| n_definitions < *fewest) {
                chosen = Some((place, n_definitions, atom.clone()));
            }
        }
        if let Some((place, _, atom)) = chosen {
            let alternatives = self.unfoldings(&atom, draft.is_nested, variables);
            return Ok(Some(Selected { places: vec![place], alternatives }));
        }
        self.select_passage(draft, variables)
    }

    /// How many definitions the atom would be replaced by; nothing if it is kept.
    fn n_definitions(&mut self, atom: &Atom, draft: &Draft) -> Result<Option<usize>, Stuck> {
        let predicate = atom.predicate;
        if let Some(trial) = self.trial
            && self.recursion.is_recursive(predicate)
            && self.recursion.are_together(trial.predicate, predicate)
        {
            // The recursion being followed comes after everything that may end it. What is kept, or
            // has too many alternatives, stays in it.
            let stays = (self.bounds.is_kept(predicate) && predicate != trial.predicate)
                || self.flat_clauses(predicate).is_none()
                || draft.recursion >= trial.left;
            return if stays { Err(Stuck) } else { Ok(Some(usize::MAX)) };
        }
        Ok(match self.definitions(atom) {
            Definitions::Unfold(clauses) => Some(clauses.len()),
            Definitions::Keep(_) => None,
        })
    }

    pub(crate) fn unfoldings(
        &mut self,
        atom: &Atom,
        is_nested: bool,
        variables: &mut Vec<Variable>,
    ) -> Alternatives {
        let is_legal =
            matches!(self.knowledge.theory.kind(atom.predicate), PredicateKind::Legal(_));
        let forgets = self.forgets_passages && is_legal && !is_nested;
        let clauses = match self.trial {
            Some(trial)
                if self.recursion.is_recursive(atom.predicate)
                    && self.recursion.are_together(trial.predicate, atom.predicate) =>
            {
                self.flat_clauses(atom.predicate).map(Rc::new)
            }
            _ => match self.definitions(atom) {
                Definitions::Unfold(clauses) => Some(clauses),
                Definitions::Keep(_) => None,
            },
        };
        let clauses = clauses.expect("only atoms with definitions are chosen");
        let unfold = |(definition, clause): (usize, &Clause)| {
            let (head, mut body) = renamed_apart(clause, variables);
            if forgets {
                body.retain(|condition| !has_passage(condition));
            }
            let equations = atom.args.iter().zip(head).map(|(arg, term)| equation(*arg, term));
            let step = Step::Unfold { predicate: atom.predicate, definition };
            (equations.chain(body).collect(), step)
        };
        clauses.iter().enumerate().map(unfold).collect()
    }

    /// Simplifies a draft and lets the metarules run.
    fn normalize(&mut self, draft: &mut Draft) -> Result<(), Dead> {
        self.killer = None;
        let Draft { head, body, rigid, context, .. } = draft;
        self.split_passages(body);
        // What holds around a body need not be said inside it.
        body.retain(|condition| match condition {
            Condition::Member(term, domain) => {
                let known = self.knowledge.domains_of(*term, context);
                !known.iter().any(|inner| self.knowledge.is_within(*inner, *domain))
            }
            _ => !context.contains(condition),
        });
        if self.knowledge.simplify(head, body, rigid).is_err() {
            self.funnel.evaluated += 1;
            return Err(Dead);
        }
        while self.chase(draft)? {}
        if !self.store.families().has(Family::Impossibility) {
            return Ok(());
        }
        let all = [&draft.body[..], &draft.context[..]].concat();
        if let Some(metarule) = self.miner.refute(&all) {
            let id = self.store.add(metarule);
            self.store.count(By::Metarule(id), Use::Kill);
            self.killer = Some(By::Metarule(id));
            self.funnel.impossible += 1;
            return Err(Dead);
        }
        Ok(())
    }

    /// Lets the metarules run once; did terms become one?
    fn chase(&mut self, draft: &mut Draft) -> Result<bool, Dead> {
        let all = [&draft.body[..], &draft.context[..]].concat();
        let chased = self.store.apply(&all);
        if chased.is_impossible {
            self.killer = chased.steps.last().map(|step| step.by);
            self.funnel.impossible += 1;
            return Err(Dead);
        }
        let is_free = |term: Term| match term {
            Term::Var(var) => !draft.rigid.contains(&var),
            Term::Value(_) => false,
        };
        let same = chased.substitution.into_iter().map(|(var, term)| (Term::Var(var), term));
        let same: Vec<(Term, Term)> =
            same.filter(|(left, right)| is_free(*left) || is_free(*right)).collect();
        if same.is_empty() {
            return Ok(false);
        }
        self.funnel.monovalued += same.len() as u64;
        draft.body.splice(0..0, same.into_iter().map(|(left, right)| equation(left, right)));
        let Draft { head, body, rigid, .. } = draft;
        if self.knowledge.simplify(head, body, rigid).is_err() {
            self.funnel.evaluated += 1;
            return Err(Dead);
        }
        Ok(true)
    }

    /// Does the body still hold the recursion being followed, or something only a step can answer?
    fn is_unended(&self, condition: &Condition) -> bool {
        let Some(trial) = self.trial else { return false };
        match condition {
            Condition::Holds(atom) => {
                self.recursion.is_recursive(atom.predicate)
                    && self.recursion.are_together(trial.predicate, atom.predicate)
            }
            _ => false,
        }
    }

    /// The negations of all bodies that the body of a negation unfolds into; the negation as it stands,
    /// if those are too many.
    fn negations(
        &mut self,
        negation: &Condition,
        nested: Draft,
        variables: &mut Vec<Variable>,
    ) -> Result<Vec<Condition>, Stuck> {
        // What is judged within a step must become something else, however long it is.
        let may_stay = self.n_regressing == 0 && !nested.body.iter().any(has_passage);
        let question = asked_in(&nested.body);
        if may_stay && self.given_up.contains(&question) {
            return Ok(vec![negation.clone()]);
        }
        let (rigid, mark) = (nested.rigid.clone(), variables.len());
        let expanded = self.expand(nested, variables)?;
        if may_stay && expanded.len() > self.bounds.negations {
            variables.truncate(mark);
            self.given_up.insert(question);
            return Ok(vec![negation.clone()]);
        }
        let negated = expanded.iter().map(|one| {
            let (locals, body) = rename_locals(variables, &one.body, &rigid);
            Condition::None { locals, body }
        });
        Ok(negated.collect())
    }

    /// Unfolds what stands inside negations and counts, and hands the body over.
    fn finish(
        &mut self,
        mut draft: Draft,
        variables: &mut Vec<Variable>,
        finished: &mut Vec<Finished>,
    ) -> Result<(), Stuck> {
        if draft.body.iter().any(|condition| self.is_within_step(condition)) {
            return Err(Stuck);
        }
        let mut body = Vec::new();
        for (place, condition) in draft.body.iter().enumerate() {
            if !is_nested(condition) {
                body.push(condition.clone());
                continue;
            }
            let around = around(&draft.head, &draft.body, place, &draft.rigid);
            let mut context = draft.context.clone();
            context.extend(draft.body.iter().filter(|c| is_positive(c)).cloned());
            let nested = |inner: Vec<Condition>, rigid| draft.nested(inner, rigid, context.clone());
            match condition {
                Condition::None { body: inner, .. } => {
                    let nested = nested(inner.clone(), around);
                    body.extend(self.negations(condition, nested, variables)?);
                }
                Condition::Compare(comparison, left, Expr::Count { counted, body: inner }) => {
                    let mut rigid = around;
                    rigid.extend(counted);
                    let branches = match &inner[..] {
                        [Condition::AnyOf(branches)] => branches.clone(),
                        _ => vec![inner.clone()],
                    };
                    let mut bodies = Vec::new();
                    for branch in branches {
                        let expanded = self.expand(nested(branch, rigid.clone()), variables)?;
                        bodies.extend(expanded.into_iter().map(|one| one.body));
                    }
                    let inner = match bodies.len() {
                        1 => bodies.remove(0),
                        _ => vec![Condition::AnyOf(bodies)],
                    };
                    let count = Expr::Count { counted: counted.clone(), body: inner };
                    body.push(Condition::Compare(*comparison, left.clone(), count));
                }
                _ => body.push(condition.clone()),
            }
        }
        self.check_variables(variables)?;
        draft.body = body;
        self.ask_common(&mut draft.body);
        if self.normalize(&mut draft).is_err() {
            return Ok(());
        }
        self.join_passages(&mut draft.body);
        order_passages(&mut draft.body, &draft.rigid);
        let mut variables = variables.clone();
        set_domains(&draft.body, &mut variables);
        finished.push(Finished {
            head: draft.head,
            body: draft.body,
            variables,
            steps: draft.steps,
            span: draft.span,
        });
        Ok(())
    }
}

/// Is it a condition whose truth says something about its variables?
pub(crate) fn is_positive(condition: &Condition) -> bool {
    !matches!(condition, Condition::None { .. } | Condition::Elsewhere { .. })
}

/// The clauses a predicate unfolds into. What cannot be unfolded within the bounds stays as it is.
pub fn unfold(knowledge: &Knowledge<'_>, predicate: PredicateId, bounds: &Bounds) -> Vec<Clause> {
    let mut store = Store::new(Declarations::of(knowledge.theory), Families::ALL);
    for law in object_laws(knowledge.theory) {
        store.add(law);
    }
    let mut unfolder = Unfolder::new(knowledge, bounds.clone(), store);
    let Some(clauses) = unfolder.flat_clauses(predicate) else {
        let mut clauses = knowledge.theory.base.clauses_of(predicate).to_vec();
        for clause in &mut clauses {
            unfolder.add_domains(clause);
        }
        return clauses;
    };
    let mut all = Vec::new();
    for clause in clauses {
        let mut variables = clause.variables.clone();
        match unfolder.expand(Draft::of_clause(&clause), &mut variables) {
            Ok(finished) => all.extend(finished.into_iter().map(|one| one.into_clause(predicate))),
            Err(Stuck) => all.push(clause),
        }
    }
    all
}
