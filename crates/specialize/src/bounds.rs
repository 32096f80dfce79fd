//! Bounds: how far unfolding may go, and which bound was reached.
//!
//! In: settings from outside. Out: what every step of unfolding looks at. Invariant: a bound that is
//! reached keeps an atom as a call; it never loses an answer.

use std::collections::BTreeSet;

use rulesmith_logic::PredicateId;

/// How far unfolding may go.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Conditions of one body.
    pub conditions: usize,
    /// Variables of one body.
    pub variables: usize,
    /// Unfolding steps on one path.
    pub depth: usize,
    /// Bodies in all.
    pub clauses: usize,
    /// Definitions a predicate may have to be unfolded.
    pub definitions: usize,
    /// Steps a recursion may take before static facts must have ended it.
    pub recursion: usize,
    /// Ways through a recursion.
    pub ways: usize,
    /// Predicates that are called, never unfolded.
    pub keep: BTreeSet<PredicateId>,
    /// Predicates that are called because they would be too many bodies: they are answered where they are asked, and what
    /// all their clauses ask is asked before them.
    pub called: BTreeSet<PredicateId>,
    /// Bodies that may be made for all requests together.
    pub bodies: u64,
    /// Are conditions after a move turned into conditions before it?
    pub regress: bool,
    /// Bodies that may be made to regress the conditions after one move.
    pub regression: usize,
    /// Negations that one negation may become; what has more ways to hold is asked as it stands.
    pub negations: usize,
    /// Which atom is unfolded next; the result is the same.
    pub selection: Selection,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            conditions: 200,
            variables: 2_000,
            depth: 200,
            clauses: 4_000,
            definitions: 8,
            recursion: 24,
            ways: 64,
            keep: BTreeSet::new(),
            called: BTreeSet::new(),
            bodies: u64::MAX,
            regress: true,
            regression: 4_000,
            negations: 24,
            selection: Selection::FewestDefinitions,
        }
    }
}

impl Bounds {
    /// Is a predicate called, never unfolded?
    pub(crate) fn is_kept(&self, predicate: PredicateId) -> bool {
        self.keep.contains(&predicate) || self.called.contains(&predicate)
    }
}

/// Which atom is unfolded next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The first.
    LeftToRight,
    /// The one with the fewest definitions: what fails, fails early.
    #[default]
    FewestDefinitions,
}

/// A bound on unfolding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// [`Bounds::conditions`].
    Conditions,
    /// [`Bounds::variables`].
    Variables,
    /// [`Bounds::depth`].
    Depth,
    /// [`Bounds::clauses`].
    Clauses,
    /// [`Bounds::regression`].
    Regression,
    /// [`Bounds::bodies`].
    Bodies,
    /// Somebody asked to stop.
    Stopped,
}
