//! Tests that exclude each other.
//!
//! In: two tests. Out: whether they can never hold together, by the layout alone. Invariant: a yes is
//! certain; a no says nothing.

use super::ground::{Test, Tested};
use crate::state_layout::StateLayout;

impl StateLayout {
    /// Does one of the tests exclude another one?
    pub(crate) fn any_excludes(&self, tests: &[Test], other: &Test) -> bool {
        let Tested::Fluent(id, _) = other.tested else {
            return tests.iter().any(|test| self.excludes(test, other));
        };
        // Only what is said of the same fluent can, and most tests are about the board.
        let is_scalar = self.fluent(id).is_scalar();
        let is_near = |test: &&Test| {
            (is_scalar || test.key == other.key)
                && matches!(test.tested, Tested::Fluent(own, _) if own == id)
        };
        tests.iter().filter(is_near).any(|test| self.excludes(test, other))
    }

    /// Can the two tests never hold together?
    #[inline]
    pub(crate) fn excludes(&self, one: &Test, other: &Test) -> bool {
        if one.holds != other.holds {
            return one.tested == other.tested && one.key == other.key;
        }
        if !one.holds {
            return false;
        }
        match (one.tested, other.tested) {
            (Tested::Fluent(left, first), Tested::Fluent(right, second)) if left == right => {
                let fluent = self.fluent(left);
                if fluent.is_scalar() {
                    one.key != other.key
                } else {
                    one.key == other.key && first != second
                }
            }
            (Tested::Param(left), Tested::Param(right)) => left == right && one.key != other.key,
            (Tested::Doer, Tested::Doer) | (Tested::Kind, Tested::Kind) => one.key != other.key,
            (Tested::Joins(left), Tested::Joins(right)) => left == right && one.key != other.key,
            _ => false,
        }
    }
}
