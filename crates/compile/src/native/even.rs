//! Kinds of moves that no preference tells apart.
//!
//! In: the rows of preferences and of effects. Out: the kinds of a role's moves whose turns are all worth the same, and
//! the planes that must be empty for that. A turn that captures nothing is worth what any other such turn is. Invariant:
//! where the planes are empty (`is_uneven`) and what rests is at rest (`leave_unless_at_rest`), both of which kernels look
//! for, turns of one step by moves of these kinds are equally good, whatever else they change.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Set, Word};
use rulesmith_rules::{FluentId, TurnIdentity};

use super::build::Builder;
use super::decided::Decided;
use super::ground::{Test, Tested};
use super::optimizations::Optimization;
use super::preferences::Preference;
use super::rest::Resting;
use super::steps::Doing;

/// A fluent with keys and one of its values.
type Valued = (FluentId, u32);

/// What is not so when a turn begins, nor after a move that leaves it alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Absent {
    /// Values that no key has.
    values: BTreeSet<Valued>,
    /// Fluents without keys, with what they do have.
    resting: Vec<Resting>,
}

impl Absent {
    /// Does a row with these tests not hold?
    pub(super) fn denies(&self, tests: &[Test]) -> bool {
        let lacks =
            |test: &Test| asked_value(test).is_some_and(|valued| self.values.contains(&valued));
        let differs = |test: &Test| self.resting.iter().any(|one| one.decides(test) == Some(false));
        tests.iter().any(|test| lacks(test) || differs(test))
    }
}

/// The kinds of a role's moves that are equally good, each with what must be absent for that.
pub(super) type Even = BTreeMap<usize, Absent>;

/// The value that a test asks a key to have; nothing if it asks for something else.
fn asked_value(test: &Test) -> Option<Valued> {
    match test.tested {
        Tested::Fluent(id, value) if test.holds => Some((id, value)),
        _ => None,
    }
}

impl Builder<'_> {
    /// The kinds whose turns need not be compared; all of them where nothing is preferred.
    pub(super) fn find_even_kinds(&self, role: usize) -> Even {
        let kinds = 0..self.theory.moves.len();
        let is_on = self.optimizations.has(Optimization::EvenTurns);
        // Only what preferences ask for, or a comparison of ends, needs to know what is absent.
        let is_by_path = self.theory.turn_identity == TurnIdentity::Path;
        if self.preferences.is_empty() && (is_by_path || !is_on) {
            return kinds.map(|kind| (kind, Absent::default())).collect();
        }
        if !is_on {
            return Even::new();
        }
        let resting = self.resting();
        let even = |kind| Some((kind, self.absent_for(Doing::One(role, kind), &resting)?));
        kinds.filter_map(even).collect()
    }

    /// What must be absent for moves of a kind to be worth the same; nothing if that does not make them so.
    fn absent_for(&self, doing: Doing, resting: &[Resting]) -> Option<Absent> {
        let steady = self.left_alone(doing);
        let resting = resting.iter().filter(|one| steady.contains(&one.fluent)).copied().collect();
        let absent = Absent { values: self.taken_back(&steady), resting };
        let is_steady =
            |test: &Test| matches!(test.tested, Tested::Fluent(id, _) if steady.contains(&id));
        let mut rows = self.preferences.iter().flat_map(Preference::rows);
        let is_even = rows.all(|row| row.tests.iter().all(is_steady) || absent.denies(&row.tests));
        is_even.then_some(absent)
    }

    /// The fluents that such a move never changes before its turn is judged.
    pub(super) fn left_alone(&self, doing: Doing) -> BTreeSet<FluentId> {
        let mut decided = Decided::new(doing);
        self.theory.fluent_ids().filter(|id| self.leaves_alone(&mut decided, *id)).collect()
    }

    /// Does such a move never change the fluent before its turn is judged?
    fn leaves_alone(&self, decided: &mut Decided, fluent: FluentId) -> bool {
        let own = self.assignments.iter().filter(|one| one.fluent == fluent);
        let mut rows = own.flat_map(|one| &one.rows);
        !self.theory.fluent(fluent).is_transient
            && !self.looped[0].contains(&fluent)
            && !rows.any(|(row, ..)| self.decide_row(decided, &mut row.clone()))
    }

    /// Values of fluents with keys that the end of a turn takes from a key that has them. No key may have one any more: kernels
    /// look for that.
    fn taken_back(&self, steady: &BTreeSet<FluentId>) -> BTreeSet<Valued> {
        let has_keys = |id: FluentId| !self.places.layout.fluent(id).is_scalar();
        let own = self.deferred.iter().filter(|one| steady.contains(&one.fluent));
        let own = own.filter(|one| has_keys(one.fluent));
        let rows = own.flat_map(|one| one.rows.iter().map(|row| (one.fluent, row)));
        let valued = rows.filter_map(|(fluent, (row, key, value))| {
            let [test] = row.tests[..] else { return None };
            let (id, had) = asked_value(&test)?;
            ((id, test.key) == (fluent, *key) && *value != Some(had)).then_some((id, had))
        });
        valued.collect()
    }

    /// One if a key has something that should be absent.
    pub(super) fn is_uneven(&self, even: &Even) -> Option<Word> {
        let absent: BTreeSet<&Valued> = even.values().flat_map(|absent| &absent.values).collect();
        let planes = absent.into_iter().map(|(id, value)| {
            let layout = self.places.layout.fluent(*id);
            let plane = Set::State { offset: layout.plane(*value), width: layout.keys.width() };
            plane.any()
        });
        planes.reduce(|one, other| one | other)
    }
}
