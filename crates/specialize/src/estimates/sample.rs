//! Samples: what holds in one working memory, row by row.
//!
//! In: rows of static facts, or of one sampled state. Out: what estimates are counted on. Invariant:
//! a predicate that is listed is complete here, with no row twice; one that is not listed is unknown.

use indexmap::IndexMap;
use rulesmith_logic::{PredicateId, Row, Value};
use rustc_hash::FxBuildHasher;

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
pub(crate) type Frequencies = IndexMap<Vec<Value>, u64, FxBuildHasher>;

/// Which rows of a predicate are counted, and by what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Grouping {
    pub(crate) predicate: PredicateId,
    /// Values that rows must have at some places.
    pub(crate) constants: Vec<(usize, Value)>,
    /// Places at which rows must have the same.
    pub(crate) same: Vec<(usize, usize)>,
    /// The places by whose values rows are counted.
    pub(crate) places: Vec<usize>,
}

impl Grouping {
    /// All rows of a predicate, by the values at one place.
    pub(crate) fn of_place(predicate: PredicateId, place: usize) -> Self {
        Self { predicate, constants: Vec::new(), same: Vec::new(), places: vec![place] }
    }

    /// Counts the rows of a sample.
    pub(crate) fn count(&self, sample: &Sample) -> Frequencies {
        let mut found = Frequencies::default();
        let mut values = Vec::with_capacity(self.places.len());
        for row in sample.rows_of(self.predicate).iter().filter(|row| self.agrees(row)) {
            values.clear();
            values.extend(self.places.iter().filter_map(|place| row.get(*place)));
            if let Some(n_rows) = found.get_mut(values.as_slice()) {
                *n_rows += 1;
            } else if values.len() == self.places.len() {
                found.insert(values.clone(), 1);
            }
        }
        found
    }

    fn agrees(&self, row: &[Value]) -> bool {
        self.constants.iter().all(|(place, value)| row.get(*place) == Some(value))
            && self.same.iter().all(|(place, other)| row.get(*place) == row.get(*other))
    }
}
