//! Baseline, not used by the product: the positions a contest of Go has been in.
//!
//! In: hashes of positions. Out: whether one was there before. Invariant: the filter may say yes
//! wrongly, then the list is searched; it never says no wrongly. Positions are told apart by 64
//! bits of hash.

/// Words of the filter: with some hundred positions it is wrong in a few of a hundred questions.
const N_WORDS: usize = 256;

/// All positions so far.
#[derive(Clone, Debug)]
pub(super) struct History {
    hashes: Vec<u64>,
    filter: [u64; N_WORDS],
}

impl History {
    /// No position yet.
    pub(super) fn empty() -> Self {
        Self { hashes: Vec::new(), filter: [0; N_WORDS] }
    }

    /// Forgets everything but this position.
    pub(super) fn restart(&mut self, hash: u64) {
        self.hashes.clear();
        self.filter = [0; N_WORDS];
        self.push(hash);
    }

    /// Adds a position.
    #[inline(always)]
    pub(super) fn push(&mut self, hash: u64) {
        self.filter[word_of(hash)] |= 1 << (hash % 64);
        self.hashes.push(hash);
    }

    /// Forgets the last position; the filter keeps it, which only makes it ask more often.
    pub(super) fn pop(&mut self) {
        self.hashes.pop();
    }

    /// Was the contest in this position before?
    #[inline(always)]
    pub(super) fn has(&self, hash: u64) -> bool {
        self.filter[word_of(hash)] >> (hash % 64) & 1 != 0 && self.hashes.contains(&hash)
    }
}

#[inline(always)]
fn word_of(hash: u64) -> usize {
    usize::from((hash >> 48) as u16) % N_WORDS
}
