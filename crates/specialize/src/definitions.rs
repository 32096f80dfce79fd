//! Definitions: which predicates are unfolded, and into what.
//!
//! In: the clauses of a predicate. Out: flat clauses to put in its place, or the reason it is kept
//! and called. A recursive predicate is unfolded when the static facts end its recursion: on a board
//! of eight rows no line has nine squares. Invariant: the definitions of a predicate say exactly what
//! its clauses say.

use std::rc::Rc;

use rulesmith_logic::{
    Asking, Atom, Clause, Condition, PredicateId, Term, Value, Var, cycles, edges,
};

use crate::calls::{asked_by, is_called};
use crate::flat::{flatten, push};
use crate::knowledge::Knowledge;
use rulesmith_matching::Tree;

use crate::draft::Draft;
use crate::simplify::{equation, term_value};
use crate::unfold::Unfolder;

/// What stands for a predicate.
#[derive(Clone, Debug)]
pub(crate) enum Definitions {
    /// These clauses, one of which holds whenever it does.
    Unfold(Rc<Vec<Clause>>),
    /// The predicate itself: it is called.
    Keep(KeptBecause),
}

/// Why a predicate is called instead of unfolded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptBecause {
    /// Whoever asked wants it so.
    Asked,
    /// It asks itself, and nothing static ends that.
    Recursive,
    /// It has more definitions than the bound allows.
    Definitions(usize),
    /// Its clauses have more alternatives than the bound allows.
    Alternatives(usize),
    /// The state, its history or the objects in it answer it.
    NotDefined,
    /// It is asked in another state, which was not turned into questions about this one.
    Elsewhere,
    /// A bound was reached before its turn came.
    Bound,
}

/// How predicates ask one another, by predicate number.
#[derive(Debug)]
pub(crate) struct Recursion {
    cycle: Vec<usize>,
    is_recursive: Vec<bool>,
}

impl Recursion {
    pub(crate) fn new(knowledge: &Knowledge<'_>) -> Self {
        let base = &knowledge.theory.base;
        let asked: Vec<_> =
            edges(base).into_iter().filter(|edge| edge.asking != Asking::Elsewhere).collect();
        let cycle = cycles(base.predicates.len(), &asked);
        let mut is_recursive = vec![false; base.predicates.len()];
        for edge in &asked {
            let (from, to) = (edge.from.0 as usize, edge.to.0 as usize);
            if cycle[from] == cycle[to] {
                is_recursive[from] = true;
            }
        }
        Self { cycle, is_recursive }
    }

    pub(crate) fn is_recursive(&self, predicate: PredicateId) -> bool {
        self.is_recursive[predicate.0 as usize]
    }

    /// Do the two ask one another?
    pub(crate) fn are_together(&self, one: PredicateId, other: PredicateId) -> bool {
        self.cycle[one.0 as usize] == self.cycle[other.0 as usize]
    }
}

/// Alternatives of one clause that a program may have, whatever its bounds.
pub(crate) const ALTERNATIVES_LIMIT: usize = 4_000;

/// A predicate whose recursion is being followed to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) predicate: PredicateId,
    /// Unfoldings that may still be made on one path.
    pub(crate) left: usize,
}

/// A predicate and the arguments that are values.
pub(crate) type Call = (PredicateId, Vec<Option<Value>>);

impl Unfolder<'_> {
    /// What stands for the atom.
    pub(crate) fn definitions(&mut self, atom: &Atom) -> Definitions {
        let predicate = atom.predicate;
        let anything = (predicate, vec![None; atom.args.len()]);
        let general = self.find_definitions(anything.clone());
        if !matches!(general, Definitions::Keep(KeptBecause::Recursive)) {
            return general;
        }
        let values: Vec<Option<Value>> = atom.args.iter().map(|term| term_value(*term)).collect();
        let call = (predicate, values);
        if call == anything { general } else { self.find_definitions(call) }
    }

    fn find_definitions(&mut self, call: Call) -> Definitions {
        if let Some(known) = self.known_definitions.get(&call) {
            return known.clone();
        }
        let found = self.make_definitions(&call);
        self.known_definitions.insert(call, found.clone());
        found
    }

    fn make_definitions(&mut self, call: &Call) -> Definitions {
        let predicate = call.0;
        if self.bounds.is_kept(predicate) {
            return Definitions::Keep(KeptBecause::Asked);
        }
        if !self.knowledge.is_defined(predicate) || self.knowledge.is_complete(predicate) {
            return Definitions::Keep(KeptBecause::NotDefined);
        }
        let Some(clauses) = self.flat_clauses(predicate) else {
            return Definitions::Keep(KeptBecause::Alternatives(self.bounds.clauses));
        };
        let clauses = if self.recursion.is_recursive(predicate) {
            match self.follow_recursion(call, &clauses) {
                Some(clauses) => clauses,
                None => return Definitions::Keep(KeptBecause::Recursive),
            }
        } else if clauses.len() > self.bounds.definitions {
            return Definitions::Keep(KeptBecause::Definitions(clauses.len()));
        } else {
            clauses
        };
        Definitions::Unfold(Rc::new(clauses))
    }

    /// The flat clauses that a predicate which is called is answered by: all ways through its own recursion, if something
    /// ends that, so that nothing calls itself.
    pub(crate) fn called_clauses(&mut self, predicate: PredicateId) -> Option<Vec<Clause>> {
        let clauses = self.answering_clauses(predicate)?;
        if !self.recursion.is_recursive(predicate) || !self.bounds.called.contains(&predicate) {
            return Some(clauses);
        }
        let arity = self.knowledge.theory.base.predicate(predicate).domains.len();
        let anything = (predicate, vec![None; arity]);
        Some(self.follow_recursion(&anything, &clauses).unwrap_or(clauses))
    }

    /// The predicates that a tree calls, and why they are called.
    pub(crate) fn kept_in(&self, tree: &Tree) -> Vec<(PredicateId, KeptBecause)> {
        let mut kept: Vec<(PredicateId, KeptBecause)> = Vec::new();
        for (predicate, is_elsewhere) in asked_by(tree) {
            let is_known = kept.iter().any(|(known, _)| *known == predicate);
            if is_known || !is_called(self.knowledge.theory, predicate) {
                continue;
            }
            let calls = self.known_definitions.iter();
            let reason = calls.filter(|(call, _)| call.0 == predicate).find_map(|(_, found)| {
                let Definitions::Keep(reason) = found else { return None };
                Some(reason.clone())
            });
            let otherwise = if is_elsewhere { KeptBecause::Elsewhere } else { KeptBecause::Bound };
            kept.push((predicate, reason.unwrap_or(otherwise)));
        }
        kept
    }

    /// The flat clauses of a predicate, with its domains as conditions.
    pub(crate) fn flat_clauses(&self, predicate: PredicateId) -> Option<Vec<Clause>> {
        self.flat_clauses_within(predicate, self.bounds.clauses)
    }

    /// The flat clauses that a program answers the predicate by. No bound keeps them from being flat,
    /// since a program has no alternatives inside its bodies.
    pub(crate) fn answering_clauses(&self, predicate: PredicateId) -> Option<Vec<Clause>> {
        self.flat_clauses_within(predicate, self.bounds.clauses.max(ALTERNATIVES_LIMIT))
    }

    fn flat_clauses_within(&self, predicate: PredicateId, limit: usize) -> Option<Vec<Clause>> {
        let mut flat = Vec::new();
        for clause in self.knowledge.theory.base.clauses_of(predicate) {
            flat.extend(flatten(clause, limit).ok()?);
        }
        for clause in &mut flat {
            self.add_domains(clause);
        }
        Some(flat)
    }

    /// Conclusions outside the predicate's domains do not count.
    pub(crate) fn add_domains(&self, clause: &mut Clause) {
        let domains = &self.knowledge.theory.base.predicate(clause.head.predicate).domains;
        for (term, domain) in clause.head.args.iter().zip(domains) {
            let Some(domain) = *domain else { continue };
            let known = self.knowledge.domains_of(*term, &clause.body);
            let is_implied = known.iter().any(|inner| self.knowledge.is_within(*inner, domain));
            let is_inside = match term {
                Term::Value(value) => self.knowledge.contains(domain, *value),
                Term::Var(_) => false,
            };
            if !is_implied && !is_inside {
                clause.body.push(Condition::Member(*term, domain));
            }
        }
    }

    /// All ways through a recursion, if static facts or known arguments end it within the bounds.
    fn follow_recursion(&mut self, call: &Call, clauses: &[Clause]) -> Option<Vec<Clause>> {
        if self.trial.is_some() {
            return None;
        }
        self.trial = Some(Trial { predicate: call.0, left: self.bounds.recursion });
        let ways = self.ways_through(call, clauses);
        self.trial = None;
        // What was decided on the way was decided in the middle of a recursion.
        let is_final =
            |known: &Definitions| !matches!(known, Definitions::Keep(KeptBecause::Recursive));
        self.known_definitions.retain(|_, known| is_final(known));
        ways
    }

    fn ways_through(&mut self, call: &Call, clauses: &[Clause]) -> Option<Vec<Clause>> {
        let mut all = Vec::new();
        for clause in clauses {
            let mut draft = Draft::of_clause(clause);
            let known = clause.head.args.iter().zip(&call.1);
            let known = known.filter_map(|(term, value)| value.map(|value| (*term, value)));
            draft.body.extend(known.map(|(term, value)| equation(term, Term::Value(value))));
            let mut variables = clause.variables.clone();
            let finished = self.expand(draft, &mut variables).ok()?;
            all.extend(finished.into_iter().map(|one| one.into_clause(call.0)));
            if all.len() > self.bounds.ways {
                return None;
            }
        }
        Some(all)
    }
}

/// A definition with variables of its own among those of the clause it is put into.
pub(crate) fn renamed_apart(
    definition: &Clause,
    variables: &mut Vec<rulesmith_logic::Variable>,
) -> (Vec<Term>, Vec<Condition>) {
    let fresh: Vec<Var> =
        definition.variables.iter().map(|variable| push(variables, variable.clone())).collect();
    let map = |var: Var| Term::Var(fresh[var.0 as usize]);
    let head = rulesmith_logic::substitute_atom(&definition.head, &map);
    (head.args, rulesmith_logic::substitute_body(&definition.body, &map))
}
