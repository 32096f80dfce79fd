//! What all trees of a game have in common.
//!
//! In: a theory, what is known of it, and the layout of its states. Out: where each predicate is found. Invariant:
//! nothing here changes while kernels are made, but for what is added: relations that were read, derived predicates
//! that got words, and routines.

use std::cell::RefCell;
use std::rc::Rc;

use rulesmith_logic::{PredicateId, Source};
use rulesmith_rules::{PredicateKind, Theory};
use rulesmith_specialize::{Knowledge, Specialized};
use rustc_hash::FxHashMap;

use super::super::cycles::Cycle;
use super::super::emit::Places;
use super::super::scratch::PastRoom;
use super::domains::Domains;
use super::relations::Relation;
use super::routines::Routines;
use super::stored::Stored;
use crate::state_layout::StateLayout;

/// What all trees of a game have in common.
pub(crate) struct Setting<'b> {
    pub(crate) theory: &'b Theory,
    pub(crate) knowledge: &'b Knowledge<'b>,
    pub(crate) specialized: &'b Specialized,
    pub(crate) layout: &'b StateLayout,
    pub(crate) domains: Domains<'b>,
    pub(super) relations: RefCell<FxHashMap<PredicateId, Rc<Relation>>>,
    /// Derived predicates that are computed before a tree asks about them.
    pub(crate) derived: Vec<(PredicateId, Stored)>,
    /// Where the past is, if loops may ask about it.
    pub(crate) past: Option<PastRoom>,
    /// The questions about cycles that have words.
    pub(crate) cycles: &'b [Cycle],
    /// Predicates that have kernels of their own.
    pub(crate) routines: RefCell<Routines>,
}

impl<'b> Setting<'b> {
    pub(crate) fn new(
        knowledge: &'b Knowledge<'b>,
        specialized: &'b Specialized,
        Places { layout, cycles, .. }: Places<'b>,
    ) -> Self {
        let theory = knowledge.theory;
        let domains = Domains::new(&theory.base);
        let (relations, routines) = (RefCell::default(), RefCell::default());
        Self {
            theory,
            knowledge,
            specialized,
            layout,
            domains,
            relations,
            derived: Vec::new(),
            past: None,
            cycles,
            routines,
        }
    }

    /// Where an atom of this predicate is stored, if it is.
    pub(super) fn stored(&self, predicate: PredicateId) -> Option<Stored> {
        if let Some((_, stored)) = self.derived.iter().find(|(known, _)| *known == predicate) {
            return Some(stored.clone());
        }
        match self.theory.kinds.get(predicate.0 as usize) {
            Some(PredicateKind::Fluent(id)) => Some(self.fluent(*id)),
            _ => None,
        }
    }

    pub(super) fn source(&self, predicate: PredicateId) -> Source {
        self.theory.base.predicate(predicate).source.clone()
    }
}
