//! Baselines only: what the processor can do with a word of bits.
//!
//! In: a word and a number k. Out: the word's k-th set bit. Invariant: a value of `Bmi2` exists
//! only on processors that have the instructions it stands for, so whoever holds one may use them;
//! both ways give the same bits, so a seed plays the same contests on every machine.

/// A way to select bits, passed along by value; it costs nothing at run time.
pub trait Bits: Copy {
    /// The k-th set bit of the mask, alone, counted from the lowest as 0; none when there is none.
    ///
    /// `k` counts modulo 64, so that a `k` a little below zero selects nothing in a short mask.
    fn nth_bit(self, mask: u64, k: u32) -> u64;

    /// Runs work in a function of its own that is compiled for these instructions.
    ///
    /// Recursion has to go through here: the compiler uses the instructions in this function and
    /// in what it inlines there, and a recursive function cannot be inlined.
    fn enter<W: Work>(self, work: W) -> W::Output;
}

/// Something to run with the best instructions there are.
pub trait Work {
    /// What comes out.
    type Output;

    /// Runs it; implementations are `#[inline(always)]`, see [`Bits::enter`].
    fn run<B: Bits>(self, bits: B) -> Self::Output;
}

/// Runs the work with the best instructions of this processor.
pub fn run_best<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(bits) = x86::Bmi2::detect() {
        return bits.enter(work);
    }
    Portable.enter(work)
}

/// The way every processor has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Bits for Portable {
    #[inline(always)]
    fn nth_bit(self, mask: u64, k: u32) -> u64 {
        nth_bit_by_bytes(mask, k % u64::BITS)
    }

    fn enter<W: Work>(self, work: W) -> W::Output {
        work.run(self)
    }
}

/// Every byte 1.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of every byte.
const HIGHS: u64 = ONES << 7;

/// Finds the byte by comparing k with the bit counts up to all eight bytes at once, then the bit by
/// clearing lower ones.
#[inline]
fn nth_bit_by_bytes(mask: u64, k: u32) -> u64 {
    if k >= mask.count_ones() {
        return 0;
    }
    let pairs = mask - ((mask >> 1) & (ONES * 0x55));
    let nibbles = (pairs & (ONES * 0x33)) + ((pairs >> 2) & (ONES * 0x33));
    let counts = (nibbles + (nibbles >> 4)) & (ONES * 0x0f);
    let sums = counts.wrapping_mul(ONES);
    let not_yet = (((u64::from(k) * ONES) | HIGHS) - sums) & HIGHS;
    let shift = not_yet.count_ones() * 8;
    let before = ((sums << 8) >> shift) & 0xff;
    let mut rest = mask >> shift;
    for _ in before..u64::from(k) {
        rest &= rest - 1;
    }
    (rest & rest.wrapping_neg()) << shift
}

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "the instructions exist only on some processors; with them the games of 64 squares or \
              fewer are 1.8 to 6 times as fast (docs/benchmarks.md), and a baseline that leaves \
              that out is no limit"
)]
mod x86 {
    use std::arch::x86_64::_pdep_u64;

    use super::{Bits, Work};

    /// Proof that the processor has the instructions listed in `detect`.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Bmi2(());

    impl Bmi2 {
        /// Asks the processor.
        pub(super) fn detect() -> Option<Self> {
            let has_all = is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("avx2");
            has_all.then_some(Self(()))
        }
    }

    impl Bits for Bmi2 {
        #[inline(always)]
        fn nth_bit(self, mask: u64, k: u32) -> u64 {
            // SAFETY: `self` proves that the processor has `bmi2`.
            unsafe { _pdep_u64(1u64.wrapping_shl(k), mask) }
        }

        #[inline(always)]
        fn enter<W: Work>(self, work: W) -> W::Output {
            // SAFETY: `self` proves that the processor has all that the function is compiled for.
            unsafe { enter_bmi2(self, work) }
        }
    }

    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
    fn enter_bmi2<W: Work>(bits: Bmi2, work: W) -> W::Output {
        work.run(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nth(u64, u32);

    impl Work for Nth {
        type Output = u64;

        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> u64 {
            bits.nth_bit(self.0, self.1)
        }
    }

    fn nth_bit_by_counting(mask: u64, k: u32) -> u64 {
        let mut set = (0..64).map(|place| 1 << place).filter(|bit| mask & bit != 0);
        set.nth(k as usize).unwrap_or(0)
    }

    #[test]
    fn both_ways_select_the_bit_that_counting_selects() {
        let mut random = crate::random::Random::new(1);
        for round in 0..3000 {
            let mask = match round % 3 {
                0 => random.next_word(),
                1 => random.next_word() & random.next_word() & random.next_word(),
                _ => random.next_word() | random.next_word() << 7,
            };
            for k in 0..64 {
                let expected = nth_bit_by_counting(mask, k);
                assert_eq!(Portable.enter(Nth(mask, k)), expected, "{mask:x} {k}");
                assert_eq!(run_best(Nth(mask, k)), expected, "{mask:x} {k}");
            }
        }
    }

    #[test]
    fn a_number_below_zero_selects_nothing_in_a_short_mask() {
        for k in 1..=16 {
            let below_zero = 0u32.wrapping_sub(k);
            assert_eq!(Portable.enter(Nth(0xffff, below_zero)), 0);
            assert_eq!(run_best(Nth(0xffff, below_zero)), 0);
        }
    }
}
