//! Relations: sets of rows with an index for every pattern of known columns somebody asked for.
//!
//! In: rows of ids. Out: for known columns, the other columns of the rows that agree, side by side in
//! memory. Invariant: a relation is a set; an index, once made, answers like a scan over the rows.

use std::cell::{Cell, OnceCell};

use crate::bytecode::Column;
use crate::rows::RowSet;
use crate::universe::ValueId;

/// A set of rows of ids.
#[derive(Debug)]
pub struct Relation {
    rows: RowSet,
    /// One place for each mask while the arity is small.
    indexes: Box<[OnceCell<Index>]>,
    /// The indexes of wider relations, in the order they were asked for.
    more: OnceCell<Box<Link>>,
    /// Was any index made?
    is_indexed: Cell<bool>,
}

/// Which columns are known: bit `i` for column `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mask(pub u32);

/// Relations have at most this many columns.
pub const MAX_ARITY: usize = 32;

/// Up to this arity an index is found by its mask alone.
const DIRECT_ARITY: usize = 5;

#[derive(Debug)]
struct Link {
    mask: Mask,
    index: Index,
    next: OnceCell<Box<Link>>,
}

/// How rows are found.
#[derive(Debug)]
enum Index {
    /// By one known column: the rows of value `i` are those between two offsets.
    Direct { n_keys: usize, offsets: Vec<u32>, others: Vec<ValueId> },
    /// By several known columns: a hash of the key gives the group.
    Hashed { keys: RowSet, offsets: Vec<u32>, others: Vec<ValueId> },
    /// All columns are known, and there are one or two: one bit for each possible row.
    Bits { width: usize, bits: Vec<u64> },
    /// The rows themselves.
    Rows,
}

impl Mask {
    /// The mask of the columns that are known.
    pub fn new(known: impl IntoIterator<Item = bool>) -> Self {
        let bits = known.into_iter().take(MAX_ARITY).enumerate();
        Self(bits.fold(0, |mask, (column, known)| mask | (u32::from(known) << column)))
    }

    /// Is the column known?
    pub fn has(self, column: usize) -> bool {
        column < MAX_ARITY && self.0 >> column & 1 == 1
    }

    /// How many columns are known.
    pub fn n_known(self) -> usize {
        self.0.count_ones() as usize
    }
}

/// A relation of two columns by one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partners<'r> {
    offsets: &'r [u32],
    others: &'r [ValueId],
}

impl<'r> Partners<'r> {
    /// The other column of the rows in which the known one is this value.
    #[inline]
    pub(crate) fn of(self, id: ValueId) -> &'r [ValueId] {
        match self.offsets.get(id.index()..id.index() + 2) {
            Some(&[start, end]) => {
                self.others.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

impl Relation {
    /// A relation without rows.
    ///
    /// # Panics
    /// If it has more than [`MAX_ARITY`] columns.
    pub fn new(arity: usize) -> Self {
        assert!(arity <= MAX_ARITY, "relations have at most {MAX_ARITY} columns");
        Self::from_set(RowSet::new(arity))
    }

    /// A relation of these rows, repetitions left out.
    pub fn from_rows<'r>(arity: usize, rows: impl IntoIterator<Item = &'r [ValueId]>) -> Self {
        let mut relation = Self::new(arity);
        for row in rows {
            relation.rows.insert(row);
        }
        relation
    }

    pub(crate) fn from_set(rows: RowSet) -> Self {
        let n_direct = if rows.width() <= DIRECT_ARITY { 1 << rows.width() } else { 0 };
        let indexes = (0..n_direct).map(|_| OnceCell::new()).collect();
        Self { rows, indexes, more: OnceCell::new(), is_indexed: Cell::new(false) }
    }

    /// Adds a row; false if it was there. Indexes made before are forgotten.
    pub(crate) fn insert(&mut self, row: &[ValueId]) -> bool {
        let (_, is_new) = self.rows.insert(row);
        if is_new && self.is_indexed.replace(false) {
            for index in &mut self.indexes {
                index.take();
            }
            self.more.take();
        }
        is_new
    }

    /// How many columns it has.
    pub fn arity(&self) -> usize {
        self.rows.width()
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Has it no rows?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows in the order they first came.
    pub fn rows(&self) -> impl Iterator<Item = &[ValueId]> {
        (0..self.len()).map(|place| self.rows.row(place))
    }

    /// Is this row in it?
    pub fn contains(&self, row: &[ValueId]) -> bool {
        match (self.index(self.full_mask()), row) {
            (Index::Bits { width, bits }, [only]) => has_bit(bits, *width, 0, *only),
            (Index::Bits { width, bits }, [first, second]) => {
                has_bit(bits, *width, first.index(), *second)
            }
            _ => self.rows.find(row).is_some(),
        }
    }

    /// Is this row in it? Looked up without an index, while rows are still being added.
    pub(crate) fn has_row(&self, row: &[ValueId]) -> bool {
        self.rows.find(row).is_some()
    }

    /// The unknown columns of the rows whose known columns are `key`, one row after another.
    #[inline]
    pub fn matching(&self, mask: Mask, key: &[ValueId]) -> &[ValueId] {
        match (self.index(mask), key) {
            (Index::Direct { offsets, others, .. }, [only]) => {
                let width = self.arity() - 1;
                match offsets.get(only.index()..only.index() + 2) {
                    Some(&[start, end]) => &others[start as usize * width..end as usize * width],
                    _ => &[],
                }
            }
            (Index::Hashed { keys, offsets, others }, key) => match keys.find(key) {
                Some(group) => {
                    let width = self.arity() - mask.n_known();
                    let (start, end) = (offsets[group] as usize, offsets[group + 1] as usize);
                    &others[start * width..end * width]
                }
                None => &[],
            },
            (Index::Rows, []) => self.rows.flat(),
            _ => &[],
        }
    }

    /// A relation of two columns by one of them.
    pub(crate) fn partners(&self, column: Column) -> Partners<'_> {
        let mask = match column {
            Column::First => Mask(1),
            Column::Second => Mask(2),
        };
        match self.index(mask) {
            Index::Direct { offsets, others, .. } => Partners { offsets, others },
            _ => Partners { offsets: &[], others: &[] },
        }
    }

    /// How many rows have these known columns.
    pub fn count(&self, mask: Mask, key: &[ValueId]) -> usize {
        let n_unknown = self.arity() - mask.n_known();
        if n_unknown == 0 {
            return usize::from(self.contains(key));
        }
        self.matching(mask, key).len() / n_unknown
    }

    /// How many different keys the known columns have: rows divided by keys is the mean branching.
    pub fn n_keys(&self, mask: Mask) -> usize {
        if mask == self.full_mask() {
            return self.len();
        }
        match self.index(mask) {
            Index::Direct { n_keys, .. } => *n_keys,
            Index::Hashed { keys, .. } => keys.len(),
            Index::Bits { .. } | Index::Rows => usize::from(!self.is_empty()),
        }
    }

    fn full_mask(&self) -> Mask {
        Mask::new((0..self.arity()).map(|_| true))
    }

    #[inline]
    fn index(&self, mask: Mask) -> &Index {
        match self.indexes.get(mask.0 as usize) {
            Some(place) => place.get_or_init(|| self.make_index(mask)),
            None => self.linked_index(mask),
        }
    }

    fn linked_index(&self, mask: Mask) -> &Index {
        let mut place = &self.more;
        loop {
            let make =
                || Box::new(Link { mask, index: self.make_index(mask), next: OnceCell::new() });
            let link = place.get_or_init(make);
            if link.mask == mask {
                return &link.index;
            }
            place = &link.next;
        }
    }

    #[cold]
    fn make_index(&self, mask: Mask) -> Index {
        self.is_indexed.set(true);
        if mask.0 == 0 && self.arity() > 0 {
            return Index::Rows;
        }
        if mask == self.full_mask() {
            return self.make_bits().unwrap_or(Index::Rows);
        }
        if mask.n_known() == 1 { self.make_direct(mask) } else { self.make_hashed(mask) }
    }

    /// Bits pay when there are not many more of them than rows; otherwise rows are found by hashing.
    fn make_bits(&self) -> Option<Index> {
        let arity = self.arity();
        if arity == 0 || arity > 2 {
            return None;
        }
        let bound = |column: usize| {
            self.rows().map(|row| row[column].index() + 1).max().unwrap_or_default()
        };
        let (n_firsts, width) = if arity == 1 { (1, bound(0)) } else { (bound(0), bound(1)) };
        let n_bits = n_firsts.checked_mul(width)?;
        if n_bits > (self.len() + 16) * 256 {
            return None;
        }
        let mut bits = vec![0; n_bits.div_ceil(64)];
        for row in self.rows() {
            let first = if arity == 1 { 0 } else { row[0].index() };
            let place = first * width + row[arity - 1].index();
            bits[place / 64] |= 1 << (place % 64);
        }
        Some(Index::Bits { width, bits })
    }

    fn make_direct(&self, mask: Mask) -> Index {
        let column = mask.0.trailing_zeros() as usize;
        let groups: Vec<usize> = self.rows().map(|row| row[column].index()).collect();
        let n_groups = groups.iter().max().map_or(0, |last| last + 1);
        let (offsets, others) = self.grouped(mask, &groups, n_groups);
        let n_keys = offsets.windows(2).filter(|pair| pair[0] < pair[1]).count();
        Index::Direct { n_keys, offsets, others }
    }

    fn make_hashed(&self, mask: Mask) -> Index {
        let mut keys = RowSet::new(mask.n_known());
        let mut key = Vec::new();
        let mut groups = Vec::with_capacity(self.len());
        for row in self.rows() {
            key.clear();
            key.extend(
                row.iter().enumerate().filter(|(column, _)| mask.has(*column)).map(|(_, id)| id),
            );
            groups.push(keys.insert(&key).0);
        }
        let (offsets, others) = self.grouped(mask, &groups, keys.len());
        Index::Hashed { keys, offsets, others }
    }

    /// The unknown columns of all rows, rows of one group side by side and in their order.
    fn grouped(&self, mask: Mask, groups: &[usize], n_groups: usize) -> (Vec<u32>, Vec<ValueId>) {
        let mut offsets = vec![0_u32; n_groups + 1];
        for group in groups {
            offsets[group + 1] += 1;
        }
        for group in 0..n_groups {
            offsets[group + 1] += offsets[group];
        }
        let unknown: Vec<usize> = (0..self.arity()).filter(|column| !mask.has(*column)).collect();
        let mut next = offsets.clone();
        let mut others = vec![ValueId::default(); self.len() * unknown.len()];
        for (row, group) in self.rows().zip(groups) {
            let start = next[*group] as usize * unknown.len();
            next[*group] += 1;
            for (place, column) in unknown.iter().enumerate() {
                others[start + place] = row[*column];
            }
        }
        (offsets, others)
    }
}

impl Clone for Relation {
    /// The rows alone: indexes are made again when somebody asks.
    fn clone(&self) -> Self {
        Self::from_set(self.rows.clone())
    }
}

fn has_bit(bits: &[u64], width: usize, first: usize, second: ValueId) -> bool {
    if second.index() >= width {
        return false;
    }
    let place = first * width + second.index();
    bits.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rulesmith_logic::Value;

    use super::*;
    use crate::universe::Universe;

    fn scan(rows: &[Vec<ValueId>], mask: Mask, key: &[ValueId]) -> Vec<ValueId> {
        let mut found = Vec::new();
        let mut seen: Vec<&Vec<ValueId>> = Vec::new();
        for row in rows {
            let known = row.iter().enumerate().filter(|(column, _)| mask.has(*column));
            if !seen.contains(&row) && known.map(|(_, id)| id).eq(key) {
                let unknown = row.iter().enumerate().filter(|(column, _)| !mask.has(*column));
                found.extend(unknown.map(|(_, id)| *id));
            }
            seen.push(row);
        }
        found
    }

    proptest! {
        #[test]
        fn an_index_answers_like_a_scan(
            arity in 0_usize..7,
            flat in prop::collection::vec(0..4_i32, 0..120),
            mask in 0_u32..128,
            key in prop::collection::vec(0..5_i32, 7),
        ) {
            let universe = Universe::default();
            let id = |number: &i32| universe.id(Value::Int(*number));
            let key: Vec<ValueId> = key.iter().map(id).collect();
            let rows: Vec<Vec<ValueId>> = if arity == 0 {
                vec![Vec::new(); flat.len()]
            } else {
                flat.chunks_exact(arity).map(|row| row.iter().map(id).collect()).collect()
            };
            let relation = Relation::from_rows(arity, rows.iter().map(Vec::as_slice));
            let mask = Mask(mask & ((1 << arity) - 1));
            let key = &key[..mask.n_known()];
            prop_assert_eq!(relation.contains(&key[..0]) && arity == 0, !rows.is_empty() && arity == 0);
            if mask.n_known() == arity {
                prop_assert_eq!(relation.contains(key), rows.iter().any(|row| row == key));
            } else {
                let expected = scan(&rows, mask, key);
                prop_assert_eq!(relation.count(mask, key), expected.len() / (arity - mask.n_known()));
                prop_assert_eq!(relation.matching(mask, key), expected);
            }
        }
    }
}
