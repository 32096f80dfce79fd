//! Hashes of states.
//!
//! In: words. Out: one word that tells them apart. Invariant: equal words have equal hashes; different ones
//! have equal hashes once in 2^64 pairs, which is taken for never.

use crate::state_layout::StateLayout;

/// Odd numbers without a pattern, from a published generator (`SplitMix64`).
pub(crate) const FACTOR: u64 = 0xBF58_476D_1CE4_E5B9;
const STRIDE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of some words: each is mixed with its place, so that equal words in different places do not
/// cancel out.
pub(crate) fn hash_words(words: &[u64]) -> u64 {
    words.iter().zip(0..).fold(0, |hash, (word, place)| hash ^ mark(*word, place))
}

fn mark(word: u64, place: u64) -> u64 {
    let product = u128::from(word ^ salt(place)) * u128::from(FACTOR);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}

pub(crate) fn salt(place: u64) -> u64 {
    place.wrapping_add(1).wrapping_mul(STRIDE)
}

/// How a state is seen where its repetitions are counted.
#[derive(Clone, Debug)]
pub(crate) struct Repeated {
    /// The word that counts.
    pub(crate) counter: usize,
    /// The words that are seen.
    words: Vec<usize>,
}

impl Repeated {
    /// All that a layout counts.
    pub(crate) fn of(layout: &StateLayout) -> Vec<Self> {
        let repeated = layout.repeated().map(|(counter, over)| Self {
            counter: counter as usize,
            words: layout.words_of(over).map(|word| word as usize).collect(),
        });
        repeated.collect()
    }

    pub(crate) fn hash(&self, words: &[u64]) -> u64 {
        let seen = self.words.iter().zip(0..);
        seen.fold(0, |hash, (word, place)| hash ^ mark(words[*word], place))
    }
}
