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

    /// The stream of one contest of many: it depends on the seed and the contest's number alone, so
    /// contests may be played in any order, by any thread.
    pub fn of_contest(seed: u64, number: u64) -> Self {
        let start = Self::new(seed).next_bits().wrapping_add(number);
        // Streams that begin at neighbouring places would have most of their numbers in common.
        Self::new(Self::new(start).next_bits())
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

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn streams_of_contests_have_no_numbers_in_common() {
        let first = |number| {
            let mut random = Random::of_contest(7, number);
            (0..50).map(move |_| random.next_bits())
        };
        let mut all: Vec<u64> = (0..50).flat_map(first).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2500);
    }
}
