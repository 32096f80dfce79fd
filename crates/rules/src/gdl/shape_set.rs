//! Sets of shapes as rows of bits.
//!
//! In: shape numbers. Out: union, intersection, membership. Invariant: no trailing empty words, so
//! that equal sets are equal values.

/// A set of shape numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ShapeSet {
    words: Vec<u64>,
}

impl ShapeSet {
    /// The set with one member.
    pub(super) fn of(shape: usize) -> Self {
        let mut words = vec![0; shape / 64 + 1];
        words[shape / 64] |= 1 << (shape % 64);
        Self { words }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn contains(&self, shape: usize) -> bool {
        self.words.get(shape / 64).is_some_and(|word| word >> (shape % 64) & 1 == 1)
    }

    /// Adds the other's members; true if there were new ones.
    pub(super) fn add_all(&mut self, other: &Self) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut has_grown = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            has_grown |= more & !*word != 0;
            *word |= more;
        }
        has_grown
    }

    /// The members of both.
    pub(super) fn meet(&self, other: &Self) -> Self {
        let mut words: Vec<u64> = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        Self { words }
    }

    /// The members in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |(place, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place * 64 + bit)
        };
        self.words.iter().enumerate().flat_map(bits)
    }
}
