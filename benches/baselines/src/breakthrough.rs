//! Baseline, not used by the product: breakthrough on two words of 64 bits.
//!
//! In: random numbers. Out: contests of `games/breakthrough.rules`. Nothing is listed: the targets
//! of all men are one mask for each of the three directions, and the chosen number is looked for in
//! all three at once; it is a bit in one and nothing in the others.

use crate::baseline::{
    Baseline, Contest, Leaves, PerftKind, SmallState, each_bit, perft_by_copies,
};
use crate::bits::Bits;
use crate::random::{Random, fold};

/// File f of rank r, from 1 on, is bit (f - 1) + 8 (r - 1).
const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const RANK_1: u64 = 0xff;
const RANK_8: u64 = RANK_1 << 56;

/// The men of both sides and whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakthrough {
    white: u64,
    black: u64,
    is_white: bool,
}

impl Breakthrough {
    /// A state with these men.
    pub fn with(white: u64, black: u64, is_white: bool) -> Self {
        Self { white, black, is_white }
    }

    #[inline(always)]
    fn is_won(self) -> bool {
        self.white & RANK_8 != 0 || self.black & RANK_1 != 0 || self.white == 0 || self.black == 0
    }

    #[inline(always)]
    fn targets(self) -> Targets {
        if self.is_white {
            Targets::of::<true>(self.white, self.black)
        } else {
            Targets::of::<false>(self.black, self.white)
        }
    }

    #[inline(always)]
    fn after(self, from: u64, to: u64) -> Self {
        let (own, other) =
            if self.is_white { (self.white, self.black) } else { (self.black, self.white) };
        let (own, other) = (own ^ (from | to), other & !to);
        if self.is_white { Self::with(own, other, false) } else { Self::with(other, own, true) }
    }
}

impl Baseline for Breakthrough {
    fn start() -> Self {
        Self::with(0xffff, 0xffff << 48, true)
    }

    #[inline(always)]
    fn playout<B: Bits>(&mut self, bits: B, random: &mut Random) -> Contest {
        let Self { mut white, mut black, .. } = Self::start();
        let mut length = 0;
        loop {
            if move_at_random::<true, B>(bits, &mut white, &mut black, random) {
                return Contest { length: length + 1, score: 100 };
            }
            length += 2;
            if move_at_random::<false, B>(bits, &mut black, &mut white, random) {
                return Contest { length, score: 0 };
            }
        }
    }

    #[inline(always)]
    fn perft<B: Bits>(&mut self, bits: B, depth: u32, kind: PerftKind) -> Leaves {
        perft_by_copies(bits, *self, depth, kind)
    }
}

impl SmallState for Breakthrough {
    #[inline(always)]
    fn n_moves(self) -> u32 {
        if self.is_won() { 0 } else { self.targets().n_moves() }
    }

    #[inline(always)]
    fn each_successor(self, mut visit: impl FnMut(Self)) {
        if self.is_won() {
            return;
        }
        let Targets { left, ahead, right } = self.targets();
        if self.is_white {
            each_bit(left, |to| visit(self.after(to >> 7, to)));
            each_bit(ahead, |to| visit(self.after(to >> 8, to)));
            each_bit(right, |to| visit(self.after(to >> 9, to)));
        } else {
            each_bit(left, |to| visit(self.after(to << 9, to)));
            each_bit(ahead, |to| visit(self.after(to << 8, to)));
            each_bit(right, |to| visit(self.after(to << 7, to)));
        }
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        let key = if self.is_white { 0xd1b5_4a32_d192_ed03 } else { 0x8bb8_4b93_962e_acc9 };
        fold(self.white ^ 0x9e37_79b9_7f4a_7c15, self.black ^ key)
    }
}

/// The squares that men of one side can move to, by direction; left is towards file a.
#[derive(Clone, Copy)]
struct Targets {
    left: u64,
    ahead: u64,
    right: u64,
}

impl Targets {
    #[inline(always)]
    fn of<const WHITE: bool>(own: u64, other: u64) -> Self {
        let left = own & !FILE_A;
        let right = own & !FILE_H;
        if WHITE {
            let ahead = (own << 8) & !(own | other);
            Self { left: (left << 7) & !own, ahead, right: (right << 9) & !own }
        } else {
            let ahead = (own >> 8) & !(own | other);
            Self { left: (left >> 9) & !own, ahead, right: (right >> 7) & !own }
        }
    }

    #[inline(always)]
    fn n_moves(self) -> u32 {
        self.left.count_ones() + self.ahead.count_ones() + self.right.count_ones()
    }
}

/// Makes a random move; says whether it wins.
#[inline(always)]
fn move_at_random<const WHITE: bool, B: Bits>(
    bits: B,
    own: &mut u64,
    other: &mut u64,
    random: &mut Random,
) -> bool {
    let targets = Targets::of::<WHITE>(*own, *other);
    let chosen = random.below(targets.n_moves());
    // A direction has at most 16 targets, so a number too small for its direction is at least -32.
    let before_ahead = targets.left.count_ones();
    let before_right = before_ahead + targets.ahead.count_ones();
    let left = bits.nth_bit(targets.left, chosen);
    let ahead = bits.nth_bit(targets.ahead, chosen.wrapping_sub(before_ahead));
    let right = bits.nth_bit(targets.right, chosen.wrapping_sub(before_right));
    let to = left | ahead | right;
    let from = if WHITE {
        left >> 7 | ahead >> 8 | right >> 9
    } else {
        left << 9 | ahead << 8 | right << 7
    };
    *own ^= from | to;
    *other &= !to;
    to & (if WHITE { RANK_8 } else { RANK_1 }) != 0 || *other == 0
}
