//! Plain moves: something goes from one key to another, and nothing else happens that matters.
//!
//! In: a row in which a move is legal but for what follows it, and the effects of its kind. Out: the key that is left,
//! the key that is reached and the value that it gets, if it is certain that the move changes nothing else of the
//! board. Invariant: a yes is certain.

use std::collections::BTreeMap;

use rulesmith_rules::FluentId;
use rustc_hash::FxHashMap;

use super::super::build::Builder;
use super::super::ground::{Row, Test, Tested};
use super::super::steps::Doing;

/// From where to where something goes, as what, and what it is then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) before: u32,
    pub(super) after: u32,
}

impl Passage {
    /// All that it says, in order.
    pub(super) fn as_array(self) -> [u32; 4] {
        [self.from, self.to, self.before, self.after]
    }
}

/// An effect once the parameters are known: what else it asks for, the key and the value.
pub(crate) type Change = (Vec<Test>, u32, Option<u32>);

/// Moves with more parameters are rare.
const FEW_PARAMS: usize = 8;

/// The effects of one kind of move on one fluent, by the parameters that they ask for.
#[derive(Debug, Default)]
pub(crate) struct Changes(BTreeMap<Vec<usize>, FxHashMap<Vec<u32>, Vec<Change>>>);

impl Changes {
    /// What a kind of move brings about by these rows.
    pub(crate) fn of<'r>(
        doing: Doing,
        rows: impl IntoIterator<Item = &'r (Row, u32, Option<u32>)>,
    ) -> Self {
        let mut changes = Self::default();
        for (row, key, value) in rows {
            if !doing.allows(row) {
                continue;
            }
            let (mut params, mut rest) = (Vec::new(), Vec::new());
            for test in &row.tests {
                match test.tested {
                    Tested::Param(place) if test.holds => params.push((place, test.key)),
                    Tested::Doer | Tested::Kind => {}
                    _ => rest.push(*test),
                }
            }
            params.sort_unstable();
            let (places, values) = params.into_iter().unzip();
            let by_values = changes.0.entry(places).or_default();
            by_values.entry(values).or_default().push((rest, *key, *value));
        }
        changes
    }
}

impl Builder<'_> {
    /// The effects of a kind on a fluent; nothing if some are loops or come at the end of a turn.
    pub(super) fn changes_on(&self, doing: Doing, fluent: FluentId) -> Option<Changes> {
        let is_deferred = |one: &&super::super::effects::Assignment| {
            one.fluent == fluent && one.rows.iter().any(|(row, ..)| doing.allows(row))
        };
        let is_looped = self.looped.iter().flatten().any(|looped| *looped == fluent);
        if is_looped || self.deferred.iter().any(|one| is_deferred(&one)) {
            return None;
        }
        let own = self.assignments.iter().filter(|one| one.fluent == fluent);
        Some(Changes::of(doing, own.flat_map(|one| &one.rows)))
    }

    /// The effects that a move may have where a row holds, each with whether it is certain.
    pub(crate) fn possible<'c>(
        &self,
        changes: &'c Changes,
        (params, tests): (&'c [u32], &'c [Test]),
    ) -> impl Iterator<Item = (&'c Change, bool)> {
        let layout = self.places.layout;
        let found = changes.0.iter().filter_map(|(places, by_values)| {
            // This is asked for every way in which moves are legal: a list for each would take longer than looking up.
            let mut few = [0; FEW_PARAMS];
            let Some(values) = few.get_mut(..places.len()) else {
                let values: Vec<u32> = places.iter().map(|place| params[*place]).collect();
                return by_values.get(&values);
            };
            for (value, place) in values.iter_mut().zip(places) {
                *value = params[*place];
            }
            by_values.get(&*values)
        });
        found.flatten().filter_map(move |change| {
            let fails = |test: &Test| layout.any_excludes(tests, test);
            if change.0.iter().any(fails) {
                return None;
            }
            Some((change, change.0.iter().all(|test| tests.contains(test))))
        })
    }

    /// What goes where, if the move is plain.
    pub(super) fn passage(
        &self,
        (board, empty): (FluentId, u32),
        changes: &Changes,
        row: &Row,
    ) -> Option<Passage> {
        let mut left = None;
        let mut reached = None;
        for ((_, key, value), is_sure) in self.possible(changes, (&row.head[1..], &row.tests)) {
            let place = if *value == Some(empty) { &mut left } else { &mut reached };
            let change = (*key, (*value)?);
            if !is_sure || place.replace(change).is_some_and(|known| known != change) {
                return None;
            }
        }
        let ((from, _), (to, after)) = (left?, reached?);
        let before = row.tests.iter().find_map(|test| match test.tested {
            Tested::Fluent(id, value) if id == board && test.key == from && test.holds => {
                Some(value)
            }
            _ => None,
        })?;
        (from != to).then_some(Passage { from, to, before, after })
    }
}
