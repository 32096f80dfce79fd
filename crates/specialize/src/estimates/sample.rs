//! Samples: what holds in one working memory, row by row.
//!
//! In: rows of static facts, or of one sampled state. Out: what estimates are counted on. Invariant:
//! a predicate that is listed is complete here, with no row twice; one that is not listed is unknown.

use indexmap::IndexMap;
use rulesmith_logic::{PredicateId, Row, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The rows of one working memory: the static facts, or one state.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// All rows of each predicate that was looked at.
    pub rows: IndexMap<PredicateId, Vec<Row>, FxBuildHasher>,
}

impl Sample {
    /// Adds a row, without looking whether it is there already.
    pub fn add(&mut self, predicate: PredicateId, row: &[Value]) {
        self.rows.entry(predicate).or_default().push(row.into());
    }

    /// The rows of a predicate; none if it was not looked at.
    pub fn rows_of(&self, predicate: PredicateId) -> &[Row] {
        self.rows.get(&predicate).map_or(&[], Vec::as_slice)
    }

    /// Was the predicate looked at, whether or not anything held?
    pub fn lists(&self, predicate: PredicateId) -> bool {
        self.rows.contains_key(&predicate)
    }
}

/// How often each combination of values occurs at some places of the rows.
pub(crate) type Frequencies = FxHashMap<Vec<Value>, u64>;

/// Counts the values at these places over the rows that have the constants.
pub(crate) fn frequencies(
    rows: &[Row],
    constants: &[(usize, Value)],
    places: &[usize],
) -> Frequencies {
    let mut found = Frequencies::default();
    let mut values = Vec::with_capacity(places.len());
    for row in rows.iter().filter(|row| has_constants(row, constants)) {
        values.clear();
        values.extend(places.iter().filter_map(|place| row.get(*place)));
        if let Some(n_rows) = found.get_mut(values.as_slice()) {
            *n_rows += 1;
        } else if values.len() == places.len() {
            found.insert(values.clone(), 1);
        }
    }
    found
}

/// Has the row these values at these places?
pub(crate) fn has_constants(row: &[Value], constants: &[(usize, Value)]) -> bool {
    constants.iter().all(|(place, value)| row.get(*place) == Some(value))
}
