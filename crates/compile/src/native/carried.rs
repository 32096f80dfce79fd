//! Carried values: what stands on one key goes to another, whatever it is.
//!
//! In: what one clause assigns to a fluent, and the ways in which the moves that the code is for are legal. Out: that
//! in every one of them the key that a parameter names gets one value, or what the key that another parameter names
//! has. Invariant: what is said holds of every way, and so do the values that the keys may lose.

use std::collections::BTreeSet;
use std::rc::Rc;

use rulesmith_kernel::{Set, Word};
use rulesmith_rules::FluentId;

use super::build::Builder;
use super::effects::Effects;
use super::fans::Changes;
use super::ground::{Test, Tested};
use super::narrow::Narrow;
use super::optimizations::Optimization;

/// What a clause does to a fluent in every move.
#[derive(Clone, Debug)]
pub(crate) enum Carried {
    /// The key that a parameter names gets a value, or loses its own.
    Put { to: usize, value: Option<u32> },
    /// It gets the value, one of these, of the key that another parameter names.
    Moved { to: usize, from: usize, values: BTreeSet<u32> },
}

/// What is carried of a fluent: by each of its clauses, and what is known of all of them.
#[derive(Debug)]
pub(crate) struct Carrying {
    pub(super) carried: Vec<Option<Carried>>,
    pub(super) known: Known,
}

/// What all clauses together do to a fluent in every move.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) fluent: FluentId,
    /// Is no key ever given two values?
    pub(crate) is_apart: bool,
    /// The values that keys may have had before they are given others.
    pub(crate) had: BTreeSet<u32>,
}

impl Builder<'_> {
    /// What is carried of a fluent by the moves that the code is for.
    pub(super) fn carrying(&self, fluent: FluentId) -> Option<Rc<Carrying>> {
        let is_on = self.optimizations.has(Optimization::CarriedValues);
        let narrow = self.narrow.as_ref().filter(|_| is_on)?;
        let layout = self.places.layout.fluent(fluent);
        if layout.is_scalar() || self.theory.fluent(fluent).is_transient {
            return None;
        }
        let mut known = narrow.carrying.borrow_mut();
        let found = known.entry(fluent).or_insert_with(|| {
            let own = self.assignments.iter().filter(|one| one.fluent == fluent);
            let changes = own.map(|one| Changes::of(narrow.doing, &one.rows));
            Rc::new(self.find_carrying(narrow, fluent, &changes.collect::<Vec<_>>()))
        });
        Some(found.clone())
    }

    /// What each of these changes, which are all of a fluent, does in every move, and what is known of them together.
    fn find_carrying(&self, narrow: &Narrow, fluent: FluentId, all: &[Changes]) -> Carrying {
        let mut known = Known { fluent, is_apart: true, had: BTreeSet::new() };
        // For each of them what it does in every context, as long as it does one certain thing.
        let mut outcomes: Vec<Option<Vec<Outcome>>> = vec![Some(Vec::new()); all.len()];
        let mut given: Vec<Outcome> = Vec::new();
        for (params, tests) in &narrow.contexts {
            given.clear();
            for (changes, outcomes) in all.iter().zip(&mut outcomes) {
                let (n_before, mut is_certain) = (given.len(), true);
                for ((_, key, value), is_sure) in self.possible(changes, (params, tests)) {
                    given.push((*key, *value));
                    is_certain &= is_sure && given[n_before] == (*key, *value);
                }
                let outcome = given.get(n_before).filter(|_| is_certain).copied();
                *outcomes = outcomes.take().zip(outcome).map(|(mut outcomes, outcome)| {
                    outcomes.push(outcome);
                    outcomes
                });
            }
            given.sort_unstable();
            given.dedup();
            known.is_apart &= given.windows(2).all(|pair| pair[0].0 != pair[1].0);
            for (key, _) in &given {
                self.add_values(&mut known.had, tests, (fluent, *key));
            }
        }
        let carried = outcomes.iter().map(|one| carried(narrow, fluent, one.as_ref()?));
        Carrying { carried: carried.collect(), known }
    }

    /// Adds the values that a key may have where tests hold.
    fn add_values(&self, had: &mut BTreeSet<u32>, tests: &[Test], (fluent, key): (FluentId, u32)) {
        let layout = self.places.layout;
        let value_told = tests.iter().find_map(|test| match test.tested {
            Tested::Fluent(id, value) if id == fluent && test.key == key && test.holds => {
                Some(value)
            }
            _ => None,
        });
        // A value that must be there leaves no other.
        let n_values = layout.fluent(fluent).n_values;
        let values = value_told.map_or(0..n_values, |value| value..value + 1);
        for value in values {
            let test = Test { tested: Tested::Fluent(fluent, value), key, holds: true };
            if !had.contains(&value) && !layout.any_excludes(tests, &test) {
                had.insert(value);
            }
        }
    }
}

/// The key that is given a value, or loses its own.
type Outcome = (u32, Option<u32>);

/// What a clause does in every move, if these are its outcomes in all contexts.
fn carried(narrow: &Narrow, fluent: FluentId, outcomes: &[Outcome]) -> Option<Carried> {
    let n_params = narrow.contexts.first()?.0.len();
    let ways = || narrow.contexts.iter().zip(outcomes);
    let is_key = |to: &usize| ways().all(|((params, _), (key, _))| params[*to] == *key);
    let to = (0..n_params).find(is_key)?;
    let values: BTreeSet<Option<u32>> = outcomes.iter().map(|(_, value)| *value).collect();
    if let [value] = values.iter().copied().collect::<Vec<_>>()[..] {
        return Some(Carried::Put { to, value });
    }
    let values = values.into_iter().collect::<Option<BTreeSet<u32>>>()?;
    let is_source = |from: &usize| {
        ways().all(|((params, tests), (_, value))| {
            let Some(value) = value else { return false };
            let tested = Tested::Fluent(fluent, *value);
            tests.contains(&Test { tested, key: params[*from], holds: true })
        })
    };
    let from = (0..n_params).find(is_source)?;
    Some(Carried::Moved { to, from, values })
}

impl Effects<'_, '_> {
    /// For each value the keys that get it.
    pub(super) fn carried_sets(
        &self,
        fluent: FluentId,
        carried: &Carried,
    ) -> Vec<(Option<u32>, Set)> {
        let layout = self.emitter.places.layout.fluent(fluent);
        let (width, scalars) = (layout.keys.width(), &self.params.scalars);
        match carried {
            Carried::Put { to, value } => vec![(*value, Set::single(width, scalars[*to]))],
            Carried::Moved { to, from, values } => {
                let moved = |value: &u32| {
                    let plane = Set::State { offset: layout.plane(*value), width };
                    // All ones, which is no key, unless this is what stands there.
                    let other = plane.has(scalars[*from]) - 1;
                    (Some(*value), Set::single(width, Word::from(scalars[*to]) | other))
                };
                values.iter().map(moved).collect()
            }
        }
    }
}
