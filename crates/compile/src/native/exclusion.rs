//! Tests that exclude each other.
//!
//! In: two tests. Out: whether they can never hold together, by the layout alone. Invariant: a yes is
//! certain; a no says nothing.

use super::ground::{Test, Tested};
use crate::state_layout::StateLayout;

impl StateLayout {
    /// Can the two tests never hold together?
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
