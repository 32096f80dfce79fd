//! Knowledge: a theory with its complete static facts, as the specialiser asks about them.
//!
//! In: a theory and the reference solver for it. Out: static rows, domains, values. Invariant: what
//! is said here never changes from state to state, and a predicate whose facts cannot all be listed
//! is never called complete.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rulesmith_logic::{
    ComponentPart, Condition, DomainId, Nowhere, PredicateId, Row, Solver, Source, Symbols, Term,
    Value,
};
use rulesmith_rules::{PredicateKind, Theory};
use rustc_hash::FxHashMap;

use crate::static_facts::StaticFacts;

/// A theory and what never changes in it.
#[derive(Debug)]
pub struct Knowledge<'t> {
    /// The theory.
    pub theory: &'t Theory,
    /// Answers from the theory as it is written.
    pub solver: &'t Solver,
    /// The complete static facts.
    pub facts: StaticFacts,
    nowhere: Nowhere,
    meetings: RefCell<FxHashMap<(DomainId, DomainId), bool>>,
}

impl<'t> Knowledge<'t> {
    /// The knowledge of a theory; the solver must be one for the same theory.
    pub fn new(theory: &'t Theory, solver: &'t Solver) -> Self {
        Self {
            theory,
            solver,
            facts: StaticFacts::of(theory, solver),
            nowhere: Nowhere::default(),
            meetings: RefCell::default(),
        }
    }

    /// The interner of values.
    pub fn symbols(&self) -> &'t RefCell<Symbols> {
        self.solver.symbols()
    }

    /// Are all facts of the predicate known, once and for all?
    pub fn is_complete(&self, predicate: PredicateId) -> bool {
        self.facts.relation(predicate).is_some()
    }

    /// The facts of a complete predicate that match the known arguments; nothing for others.
    pub fn static_rows(
        &self,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Option<Rc<Vec<Row>>> {
        if !self.is_complete(predicate) {
            return None;
        }
        self.solver.query(&self.nowhere, predicate, pattern).ok()
    }

    /// Is the value in the domain?
    pub fn contains(&self, domain: DomainId, value: Value) -> bool {
        self.theory.base.domain(domain).values.contains(&value)
    }

    /// Is every value of the first domain in the second?
    pub fn is_within(&self, inner: DomainId, outer: DomainId) -> bool {
        if inner == outer {
            return true;
        }
        if let Some(known) = self.meetings.borrow().get(&(inner, outer)) {
            return *known;
        }
        let inner_values = &self.theory.base.domain(inner).values;
        let within = inner_values.iter().all(|value| self.contains(outer, *value));
        self.meetings.borrow_mut().insert((inner, outer), within);
        within
    }

    /// The domains a term is known to lie in because of what the conditions say of it.
    pub fn domains_of(&self, term: Term, conditions: &[Condition]) -> BTreeSet<DomainId> {
        let mut domains = BTreeSet::new();
        for condition in conditions {
            match condition {
                Condition::Holds(atom) => {
                    let declared = &self.theory.base.predicate(atom.predicate).domains;
                    let places = atom.args.iter().zip(declared).enumerate();
                    let own = places.filter(|(place, (arg, _))| {
                        **arg == term && keeps_domain(self.theory, atom.predicate, *place)
                    });
                    domains.extend(own.filter_map(|(_, (_, domain))| *domain));
                }
                Condition::Member(member, domain) if *member == term => {
                    domains.insert(*domain);
                }
                _ => {}
            }
        }
        domains
    }

    /// Is the predicate defined by clauses that may be unfolded?
    pub fn is_defined(&self, predicate: PredicateId) -> bool {
        self.theory.base.predicate(predicate).source == Source::Clauses
    }
}

/// Is this argument inside its domain in all facts of the predicate? A move that is only thought of may
/// have any arguments, and a link may lead from an object to a border outside its sort.
pub(crate) fn keeps_domain(theory: &Theory, predicate: PredicateId, place: usize) -> bool {
    let described = theory.base.predicate(predicate);
    let is_border = matches!(described.source, Source::Component(_, ComponentPart::Border));
    let is_thought_of = matches!(theory.kind(predicate), PredicateKind::Does(_));
    !is_thought_of && (place == 0 || !is_border)
}
