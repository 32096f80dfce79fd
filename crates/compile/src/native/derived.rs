//! Derived predicates as planes: computed from the state when a question needs them.
//!
//! In: the procedures that the specialised program calls. Out: for each where its tuples live. Columns
//! of few values, roles above all, slice it into planes of their own, so that these have the numbering of
//! the board. Invariant: every tuple has one slice and one key.

use rulesmith_logic::{ClauseBase, DomainId, PredicateId, Value};
use rulesmith_specialize::Specialized;

use super::Obstacle;
use crate::state_layout::{Space, place};

/// Where the tuples of a derived predicate live.
#[derive(Clone, Debug)]
pub(crate) struct DerivedLayout {
    pub(crate) predicate: PredicateId,
    /// Which columns choose the slice.
    sliced: Vec<bool>,
    pub(crate) slices: Space,
    pub(crate) keys: Space,
}

/// Columns of at most so many values slice.
const SLICED_VALUES: usize = 4;

/// The predicates that a program calls.
pub(crate) fn derived_layouts(
    base: &ClauseBase,
    specialized: &Specialized,
    n_requests: usize,
) -> Result<Vec<DerivedLayout>, Obstacle> {
    let mut layouts: Vec<DerivedLayout> = Vec::new();
    for one in specialized.procedures.iter().skip(n_requests) {
        if layouts.iter().all(|layout| layout.predicate != one.source) {
            layouts.push(layout(base, one.source)?);
        }
    }
    Ok(layouts)
}

fn layout(base: &ClauseBase, predicate: PredicateId) -> Result<DerivedLayout, Obstacle> {
    let described = base.predicate(predicate);
    let is_sliced = |domain: &Option<DomainId>| {
        domain.is_some_and(|domain| base.domain(domain).values.len() <= SLICED_VALUES)
    };
    let sliced: Vec<bool> = described.domains.iter().map(is_sliced).collect();
    let part = |wanted: bool| {
        let columns = described.domains.iter().zip(&sliced);
        let columns: Vec<_> =
            columns.filter(|(_, is)| **is == wanted).map(|(domain, _)| *domain).collect();
        let name = &described.name;
        Space::new(base, &columns)
            .ok_or_else(|| Obstacle::new(format!("`{name}` has too many tuples, or open columns")))
    };
    Ok(DerivedLayout { predicate, slices: part(true)?, keys: part(false)?, sliced })
}

impl DerivedLayout {
    /// The slice and the key of a tuple of values.
    pub(crate) fn index(&self, base: &ClauseBase, tuple: &[Value]) -> Option<(u32, u32)> {
        let domains = &base.predicate(self.predicate).domains;
        let places = tuple.iter().zip(domains);
        let places: Option<Vec<u32>> =
            places.map(|(value, domain)| place(base, (*domain)?, *value)).collect();
        Some(self.split(&places?))
    }

    /// The slice and the key of a tuple given by places.
    pub(crate) fn split(&self, places: &[u32]) -> (u32, u32) {
        let part = |wanted: bool| -> Vec<u32> {
            let columns = places.iter().zip(&self.sliced);
            columns.filter(|(_, is)| **is == wanted).map(|(place, _)| *place).collect()
        };
        (self.slices.number(&part(true)), self.keys.number(&part(false)))
    }

    /// Is each slice a single truth?
    pub(crate) fn is_word(&self) -> bool {
        self.keys.domains.is_empty()
    }
}
