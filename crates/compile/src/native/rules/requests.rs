//! How facts are kept for one kind of question: as lists of rows, or as planes.
//!
//! In: rows of numbers, and which columns are known. Out: words, the same number of them for every
//! memory. Invariant: every combination of numbers in the known columns has its place, also if no row has it.

use std::collections::BTreeMap;

use rulesmith_logic::PredicateId;

use super::sorts::Rows;

/// Facts of a predicate, found by some known columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Request {
    pub(super) predicate: PredicateId,
    pub(super) known: Vec<usize>,
    pub(super) form: Form,
}

/// What is kept for each combination of known columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// A word with one low bit for each row; then each of these columns, so many places a key.
    Short { columns: Vec<usize>, n_places: usize },
    /// The place of its first row and, for the last key, the end; then each of these columns.
    Long { columns: Vec<usize>, n_places: usize },
    /// A plane of what all of these columns are at once.
    Planes { columns: Vec<usize>, width: u16 },
}

/// Rows that a word has a bit for.
pub(super) const MAX_SHORT: usize = 64;

impl Request {
    /// Words of a row of each part.
    pub(super) fn widths(&self) -> Vec<u16> {
        match &self.form {
            Form::Short { columns, .. } | Form::Long { columns, .. } => vec![1; 1 + columns.len()],
            Form::Planes { width, .. } => vec![*width],
        }
    }

    /// The words of each part; nothing if there are more rows than there is room for.
    pub(super) fn words(&self, rows: &Rows, sizes: &[usize]) -> Option<Vec<Vec<u64>>> {
        let n_keys: usize = self.known.iter().map(|column| sizes[*column]).product();
        let by_key = self.by_key(rows, sizes);
        match &self.form {
            Form::Short { columns, n_places } => {
                let mut masks = vec![0; n_keys];
                let mut others = vec![vec![0; n_keys * n_places]; columns.len()];
                for (key, rows) in by_key {
                    if rows.len() > *n_places {
                        return None;
                    }
                    masks[key] = u64::MAX.checked_shr(64 - u32::try_from(rows.len()).ok()?)?;
                    for (place, row) in rows.iter().enumerate() {
                        for (words, column) in others.iter_mut().zip(columns) {
                            words[key * n_places + place] = u64::from(row[*column]);
                        }
                    }
                }
                Some([vec![masks], others].concat())
            }
            Form::Long { columns, n_places } => {
                let (mut starts, mut next) = (Vec::with_capacity(n_keys + 1), 0);
                let mut others = vec![vec![0; *n_places]; columns.len()];
                for key in 0..n_keys {
                    starts.push(next as u64);
                    for row in by_key.get(&key).into_iter().flatten() {
                        for (words, column) in others.iter_mut().zip(columns) {
                            *words.get_mut(next)? = u64::from(row[*column]);
                        }
                        next += 1;
                    }
                }
                starts.push(next as u64);
                (next <= *n_places).then(|| [vec![starts], others].concat())
            }
            Form::Planes { columns, width } => {
                let width = usize::from(*width);
                let mut words = vec![0; n_keys * width];
                for (key, rows) in by_key {
                    for row in rows {
                        let number = row[*columns.first()?];
                        if columns.iter().all(|column| row[*column] == number) {
                            words[key * width + number as usize / 64] |= 1 << (number % 64);
                        }
                    }
                }
                Some(vec![words])
            }
        }
    }

    /// The most rows that one key has.
    pub(super) fn longest(&self, rows: &Rows, sizes: &[usize]) -> usize {
        self.by_key(rows, sizes).values().map(Vec::len).max().unwrap_or_default()
    }

    fn by_key<'r>(&self, rows: &'r Rows, sizes: &[usize]) -> BTreeMap<usize, Vec<&'r [u32]>> {
        let mut by_key: BTreeMap<usize, Vec<&[u32]>> = BTreeMap::new();
        for row in rows {
            let digits = self.known.iter();
            let key = digits.fold(0, |key, column| key * sizes[*column] + row[*column] as usize);
            by_key.entry(key).or_default().push(row);
        }
        by_key
    }
}
