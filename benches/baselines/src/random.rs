//! Baselines only: random numbers that cost as little as a playout allows.
//!
//! In: a seed. Out: words, and numbers below a bound. Invariant: the same seed gives the same
//! numbers everywhere.

/// Wang Yi's wyrand: a counter and one wide product, so that the next word never waits for the last.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts at a place that depends on all bits of the seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed);
        random.0 ^= random.next_word();
        random
    }

    /// 64 random bits.
    #[inline(always)]
    pub fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0xa076_1d64_78bd_642f);
        fold(self.0, self.0 ^ 0xe703_7ed1_a0b4_28db)
    }

    /// A number below the bound, each as likely up to one part in 2^64 / bound.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        high_half(u128::from(self.next_word()) * u128::from(bound))
    }
}

/// The exclusive or of both halves of a wide product: a cheap mixture of two words.
#[inline(always)]
pub(crate) fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    let [low, high] = halves(product);
    low ^ high
}

#[expect(clippy::cast_possible_truncation, reason = "the halves are what is wanted")]
#[inline(always)]
fn halves(product: u128) -> [u64; 2] {
    [product as u64, (product >> 64) as u64]
}

#[expect(clippy::cast_possible_truncation, reason = "the high half is below a bound of 32 bits")]
#[inline(always)]
fn high_half(product: u128) -> u32 {
    (product >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut random = Random::new(7);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[random.below(7) as usize] += 1;
        }
        // The standard deviation of each count is 93.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 450), "{counts:?}");
    }

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let draw = |seed| [(); 4].map(|()| Random::new(seed).below(1000));
        assert_eq!(draw(3), draw(3));
        assert_ne!(Random::new(3).next_word(), Random::new(4).next_word());
    }
}
