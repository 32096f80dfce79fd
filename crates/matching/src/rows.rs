//! Rows of one width, each kept once: the store under relations, tables and counts.
//!
//! In: rows of ids. Out: the same rows in the order they first came, found again by hashing.
//! Invariant: no two rows are equal; a row's place never changes.

use crate::universe::ValueId;

/// A set of rows of equal width, in the order they first came.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowSet {
    width: usize,
    n_rows: usize,
    flat: Vec<ValueId>,
    /// Open addressing by hash: zero for a free place, otherwise a row's place plus one.
    places: Vec<u32>,
}

/// The golden ratio as a fraction of 2^64, the multiplier of Fibonacci hashing.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl RowSet {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// All rows, one after another.
    pub(crate) fn flat(&self) -> &[ValueId] {
        &self.flat
    }

    pub(crate) fn row(&self, place: usize) -> &[ValueId] {
        &self.flat[place * self.width..(place + 1) * self.width]
    }

    /// Where the row is, if it is there.
    pub(crate) fn find(&self, row: &[ValueId]) -> Option<usize> {
        if self.width == 0 {
            return (self.n_rows > 0).then_some(0);
        }
        if self.places.is_empty() {
            return None;
        }
        self.probe(row).ok()
    }

    /// Adds a row; where it is, and whether it is new.
    pub(crate) fn insert(&mut self, row: &[ValueId]) -> (usize, bool) {
        if self.width == 0 {
            let is_new = self.n_rows == 0;
            self.n_rows = 1;
            return (0, is_new);
        }
        if (self.n_rows + 1) * 2 > self.places.len() {
            self.grow();
        }
        match self.probe(row) {
            Ok(found) => (found, false),
            Err(free) => {
                let place = self.n_rows;
                self.flat.extend_from_slice(row);
                self.n_rows += 1;
                self.places[free] = u32::try_from(self.n_rows).expect("fewer than 2^32 rows");
                (place, true)
            }
        }
    }

    /// Forgets all rows but keeps the memory they took.
    pub(crate) fn clear(&mut self, width: usize) {
        self.width = width;
        self.n_rows = 0;
        self.flat.clear();
        self.places.fill(0);
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(8);
        self.places = vec![0; size];
        for place in 0..self.n_rows {
            let mut free = start(self.row(place), size);
            while self.places[free] != 0 {
                free = (free + 1) & (size - 1);
            }
            self.places[free] = u32::try_from(place + 1).expect("fewer than 2^32 rows");
        }
    }

    /// The place of the row, or the free place where it belongs.
    fn probe(&self, row: &[ValueId]) -> Result<usize, usize> {
        let mut at = start(row, self.places.len());
        loop {
            match self.places[at] as usize {
                0 => return Err(at),
                place if self.row(place - 1) == row => return Ok(place - 1),
                _ => at = (at + 1) & (self.places.len() - 1),
            }
        }
    }
}

fn start(row: &[ValueId], size: usize) -> usize {
    let mix = |hash: u64, id: &ValueId| {
        (hash.rotate_left(5) ^ u64::from(id.raw())).wrapping_mul(MULTIPLIER)
    };
    let hash = row.iter().fold(0, mix);
    usize::try_from(hash >> 32).expect("32 bits fit") & (size - 1)
}

#[cfg(test)]
mod tests {
    use rulesmith_logic::Value;

    use super::*;
    use crate::universe::Universe;

    #[test]
    fn rows_are_kept_once_in_the_order_they_came() {
        let universe = Universe::default();
        let ids: Vec<ValueId> = (0..40).map(|number| universe.id(Value::Int(number))).collect();
        let mut rows = RowSet::new(2);
        for round in 0..2 {
            for left in 0..40 {
                for right in 0..40 {
                    let (place, is_new) = rows.insert(&[ids[left], ids[right]]);
                    assert_eq!((place, is_new), (left * 40 + right, round == 0));
                }
            }
        }
        assert_eq!(rows.len(), 1600);
        assert_eq!(rows.find(&[ids[3], ids[4]]), Some(124));
        rows.clear(1);
        assert_eq!(rows.find(&[ids[3]]), None);
    }

    #[test]
    fn a_row_of_no_width_is_there_or_not() {
        let mut rows = RowSet::new(0);
        assert_eq!(rows.find(&[]), None);
        assert_eq!(rows.insert(&[]), (0, true));
        assert_eq!(rows.insert(&[]), (0, false));
        assert_eq!(rows.find(&[]), Some(0));
    }
}
