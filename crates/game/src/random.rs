//! A small random generator whose numbers never change between versions.
//!
//! In: a seed. Out: a stream of numbers. Invariant: the same seed gives the same stream for ever
//! (`SplitMix64`, a published generator of a few lines; library generators do not promise this).

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which is above zero; every one equally likely.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        let unfair = u64::MAX - u64::MAX % bound;
        loop {
            let bits = self.next_bits();
            if bits < unfair {
                return usize::try_from(bits % bound).expect("below a usize");
            }
        }
    }

    /// One of the items, if there is any.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }
}
