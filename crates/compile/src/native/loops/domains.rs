//! Domains that loops number values by: those of the theory, and those found in facts.
//!
//! In: sets of values. Out: numbers for them. Invariant: equal sets in equal order are one domain, so that a
//! number rarely has to be translated.

use std::cell::RefCell;

use indexmap::IndexSet;
use rulesmith_logic::{ClauseBase, DomainId, Value};
use rustc_hash::FxBuildHasher;

/// The domains.
#[derive(Debug)]
pub(crate) struct Domains<'b> {
    base: &'b ClauseBase,
    found: RefCell<Vec<Values>>,
}

type Values = IndexSet<Value, FxBuildHasher>;

impl<'b> Domains<'b> {
    pub(crate) fn new(base: &'b ClauseBase) -> Self {
        Self { base, found: RefCell::default() }
    }

    /// The domain of these values in their order.
    pub(crate) fn of(&self, values: Values) -> DomainId {
        let same = |other: &Values| other.len() == values.len() && other.iter().eq(values.iter());
        let declared = self.base.domains.iter().position(|domain| same(&domain.values));
        let mut found = self.found.borrow_mut();
        let place = declared.or_else(|| {
            let place = found.iter().position(same)?;
            Some(place + self.base.domains.len())
        });
        let place = place.unwrap_or_else(|| {
            found.push(values);
            found.len() - 1 + self.base.domains.len()
        });
        DomainId(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// Works with the values of a domain.
    pub(crate) fn with<T>(&self, domain: DomainId, work: impl FnOnce(&Values) -> T) -> T {
        let place = domain.0 as usize;
        match self.base.domains.get(place) {
            Some(domain) => work(&domain.values),
            None => work(&self.found.borrow()[place - self.base.domains.len()]),
        }
    }

    pub(crate) fn len(&self, domain: DomainId) -> u32 {
        self.with(domain, |values| u32::try_from(values.len()).unwrap_or(u32::MAX))
    }

    /// The words of a plane over the domain.
    pub(crate) fn width(&self, domain: DomainId) -> u16 {
        u16::try_from(self.len(domain).div_ceil(64).max(1)).unwrap_or(u16::MAX)
    }

    pub(crate) fn place(&self, domain: DomainId, value: Value) -> Option<u32> {
        let place = self.with(domain, |values| values.get_index_of(&value))?;
        u32::try_from(place).ok()
    }

    /// The first number of a domain that is numbers without gaps.
    pub(crate) fn first_number(&self, domain: DomainId) -> Option<i32> {
        self.with(domain, |values| {
            let Some(Value::Int(first)) = values.first() else { return None };
            let is_next = |(value, number): (&Value, i32)| *value == Value::Int(number);
            values.iter().zip(*first..).all(is_next).then_some(*first)
        })
    }

    /// For each value of a domain its place in another.
    pub(crate) fn translation(&self, from: DomainId, to: DomainId) -> Vec<Option<u32>> {
        let values: Vec<Value> = self.with(from, |values| values.iter().copied().collect());
        values.into_iter().map(|value| self.place(to, value)).collect()
    }

    /// The mask of a whole domain.
    pub(crate) fn all(&self, domain: DomainId) -> Vec<u64> {
        super::super::classes::mask(self.width(domain), 0..self.len(domain))
    }
}
