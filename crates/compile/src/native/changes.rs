//! What a move can change: the tests that may come to hold, or cease to.
//!
//! In: the effects of a role's moves. Out: which rows may hold after a move though they did not before it.
//! An end that the rules do not see before a move needs to be looked for only in these rows afterwards.
//! Invariant: a row that comes to hold has a test that comes to hold, so nothing is missed.

use std::collections::BTreeSet;

use super::build::Builder;
use super::effects::Assignment;
use super::ground::{Row, Test, Tested};
use super::judged::Judged;

/// Planes that gain or lose bits, and words that are set.
#[derive(Debug, Default)]
pub(super) struct Changes {
    gains: BTreeSet<Tested>,
    losses: BTreeSet<Tested>,
}

/// Questions that are being looked into, so that recursion ends.
type Visited = BTreeSet<(Tested, bool)>;

impl Builder<'_> {
    /// What the moves of a role can change.
    pub(super) fn changes(&self, role: u32) -> Changes {
        let mut changes = Changes::default();
        for Assignment { fluent, rows, .. } in self.assignments.iter().chain(&self.deferred) {
            let layout = self.places.layout.fluent(*fluent);
            for (row, _, value) in rows {
                let is_others =
                    |test: &Test| test.tested == Tested::Doer && test.holds && test.key != role;
                if row.tests.iter().any(is_others) {
                    continue;
                }
                if layout.is_scalar() {
                    changes.gains.insert(Tested::Fluent(*fluent, 0));
                    changes.losses.insert(Tested::Fluent(*fluent, 0));
                    continue;
                }
                changes.gains.extend(value.map(|value| Tested::Fluent(*fluent, value)));
                let others = (0..layout.n_values).filter(|other| Some(*other) != *value);
                changes.losses.extend(others.map(|other| Tested::Fluent(*fluent, other)));
            }
        }
        let resets = self.resets().into_iter().map(|reset| reset.fluent);
        for fluent in resets.chain(self.looped.iter().flatten().copied()) {
            let layout = self.places.layout.fluent(fluent);
            let values = if layout.is_scalar() { 1 } else { layout.n_values };
            let all = (0..values).map(|value| Tested::Fluent(fluent, value));
            changes.gains.extend(all.clone());
            changes.losses.extend(all);
        }
        changes
    }

    /// The rows that may come to hold.
    pub(super) fn touched(&self, rows: &[Row], changes: &Changes) -> Vec<Row> {
        let may_hold = |row: &&Row| self.may_turn(row, true, changes, &mut Visited::new());
        rows.iter().filter(may_hold).cloned().collect()
    }

    /// May one of the tests come to hold?
    pub(super) fn may_come(&self, tests: &[Test], changes: &Changes) -> bool {
        let may_come =
            |test: &Test| self.may_become(test.tested, test.holds, changes, &mut Visited::new());
        tests.iter().any(may_come)
    }

    /// May the row come to hold, or cease to?
    fn may_turn(&self, row: &Row, to: bool, changes: &Changes, visited: &mut Visited) -> bool {
        row.tests.iter().any(|test| {
            let to = if test.holds { to } else { !to };
            self.may_become(test.tested, to, changes, visited)
        })
    }

    /// May what is tested become true, or false?
    fn may_become(
        &self,
        tested: Tested,
        to: bool,
        changes: &Changes,
        visited: &mut Visited,
    ) -> bool {
        match tested {
            Tested::Fluent(..) if to => changes.gains.contains(&tested),
            Tested::Fluent(..) => changes.losses.contains(&tested),
            Tested::Closed(_) | Tested::Derived(..) if !visited.insert((tested, to)) => false,
            Tested::Closed(number) => match &self.closed[number] {
                Some(Judged::Body(rows)) => {
                    rows.iter().any(|row| self.may_turn(row, to, changes, visited))
                }
                Some(Judged::Comparison(..)) | None => true,
            },
            Tested::Derived(number, slice) => {
                let layout = &self.places.derived[number];
                let Some(own) = &self.derived[number] else { return true };
                let mut own = own.iter().filter(|row| layout.split(&row.head).0 == slice);
                own.any(|row| self.may_turn(row, to, changes, visited))
            }
            Tested::Param(_)
            | Tested::Doer
            | Tested::Kind
            | Tested::Counter(_)
            | Tested::Joins(_)
            | Tested::Tally(..)
            | Tested::Cycle(_)
            | Tested::OneOf(..) => true,
        }
    }
}
