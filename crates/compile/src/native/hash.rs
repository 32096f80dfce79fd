//! Hashes of states.
//!
//! In: words. Out: one word that tells them apart. Words of few bits are put side by side first, so that
//! there is less to mix. Invariant: equal words have equal hashes; different ones have equal hashes once in
//! 2^64 pairs, which is taken for never.

use rulesmith_rules::FluentId;
use serde::{Deserialize, Serialize};

use crate::state_layout::StateLayout;

/// Odd numbers without a pattern, from a published generator (`SplitMix64`).
pub(crate) const FACTOR: u64 = 0xBF58_476D_1CE4_E5B9;
const STRIDE: u64 = 0x9E37_79B9_7F4A_7C15;

/// A word mixed with its place, so that equal words in different places do not cancel out.
fn mark(word: u64, place: u64) -> u64 {
    let product = u128::from(word ^ salt(place)) * u128::from(FACTOR);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}

pub(crate) fn salt(place: u64) -> u64 {
    place.wrapping_add(1).wrapping_mul(STRIDE)
}

/// The number that stands for a key's having a value: the hash of a fluent that is kept is these taken together for
/// all its keys, so that a key that changes takes one out and puts another in.
pub(crate) fn key_hash(plane: u32, key: u32) -> u64 {
    mix(u64::from(plane) << 32 | u64::from(key))
}

/// A number without a pattern for each number (`SplitMix64`).
fn mix(number: u64) -> u64 {
    let start = salt(number);
    let once = (start ^ start >> 30).wrapping_mul(FACTOR);
    let twice = (once ^ once >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    twice ^ twice >> 31
}

/// Puts the kept hashes of all fluents into their words.
pub(crate) fn fill_hashes(layout: &StateLayout, words: &mut [u64]) {
    for fluent in &layout.fluents {
        let Some(place) = fluent.hash else { continue };
        words[place as usize] = fluent.telling_values().fold(0, |hash, value| {
            let plane = fluent.plane(value);
            let has = |key: &u32| words[(plane + key / 64) as usize] >> (key % 64) & 1 == 1;
            (0..fluent.keys.len()).filter(has).fold(hash, |hash, key| hash ^ key_hash(plane, key))
        });
    }
}

/// Words of a state that are hashed: those that are put side by side, each with how far it is moved up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Packing(pub(crate) Vec<Vec<(u32, u32)>>);

impl Packing {
    /// How the words of some fluents are packed.
    pub(crate) fn of(layout: &StateLayout, fluents: &[FluentId]) -> Self {
        let mut packs: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut taken: Vec<u32> = Vec::new();
        for (word, n_bits) in layout.words_of(fluents) {
            let n_bits = if layout.packs_hashes { n_bits } else { 64 };
            let place = taken.iter().position(|taken| taken + n_bits <= 64);
            let place = place.unwrap_or_else(|| {
                packs.push(Vec::new());
                taken.push(0);
                packs.len() - 1
            });
            packs[place].push((word, taken[place]));
            taken[place] += n_bits;
        }
        Self(packs)
    }

    /// How all words of a state are packed.
    pub(crate) fn of_all(layout: &StateLayout) -> Self {
        let fluents: Vec<FluentId> = (0..layout.fluents.len()).map(FluentId).collect();
        Self::of(layout, &fluents)
    }

    pub(crate) fn hash(&self, words: &[u64]) -> u64 {
        let pack = |pack: &Vec<(u32, u32)>| {
            pack.iter().fold(0, |all, (word, shift)| all | words[*word as usize] << shift)
        };
        self.0.iter().zip(0..).fold(0, |hash, (packed, place)| hash ^ mark(pack(packed), place))
    }
}

/// How a state is seen where its repetitions are counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Repeated {
    /// The word that counts.
    pub(crate) counter: usize,
    /// The word that tells how many turns ago the state last occurred, if somebody asks.
    pub(crate) gap: Option<usize>,
    /// The words that are seen.
    seen: Packing,
}

impl Repeated {
    /// All that a layout counts.
    pub(crate) fn of(layout: &StateLayout) -> Vec<Self> {
        let repeated = layout.repeated().map(|(counter, over)| Self {
            counter: counter as usize,
            gap: layout.gap(over).map(|word| word as usize),
            seen: Packing::of(layout, over),
        });
        repeated.collect()
    }

    pub(crate) fn hash(&self, words: &[u64]) -> u64 {
        self.seen.hash(words)
    }
}
