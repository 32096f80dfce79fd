//! Baseline, not used by the product: connect four on 7 columns of 6 rows, seven bits a column.
//!
//! In: random numbers. Out: contests of `games/connect_four.rules`. Nothing is listed: adding one
//! at the bottom of every column carries to its lowest empty cell, and the seventh bit of a column
//! takes the carry of a full one. Layout: John Tromp's and Pascal Pons's.

use crate::baseline::{
    Baseline, Contest, Leaves, PerftKind, SmallState, each_bit, perft_by_copies,
};
use crate::bits::Bits;
use crate::random::{Random, fold};

/// The lowest cell of every column; column c and row r, from 1 on, are bit 7 (c - 1) + (r - 1).
const BOTTOM: u64 = 0x0408_1020_4081;
/// All cells.
const BOARD: u64 = BOTTOM * 0o77;
/// The number of cells, and the length of the longest contest.
const N_CELLS: u32 = 42;
/// Until so many moves were made no column is full, and until one more was made there is no four.
const OPENING: u32 = 6;

/// The men of the role to move and of the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectFour {
    own: u64,
    other: u64,
}

impl ConnectFour {
    /// A state with these men of the role to move and of the other one.
    pub fn with(own: u64, other: u64) -> Self {
        Self { own, other }
    }

    /// The lowest empty cell of every column that has one.
    #[inline(always)]
    fn moves(self) -> u64 {
        ((self.own | self.other) + BOTTOM) & BOARD
    }

    #[inline(always)]
    fn after(self, cell: u64) -> Self {
        Self { own: self.other, other: self.own | cell }
    }
}

impl Baseline for ConnectFour {
    fn start() -> Self {
        Self::with(0, 0)
    }

    #[inline(always)]
    fn playout<B: Bits>(&mut self, bits: B, random: &mut Random) -> Contest {
        let mut state = Self::start();
        for _ in 0..OPENING {
            state = state.after(bits.nth_bit(state.moves(), random.below(7)));
        }
        for length in OPENING + 1..=N_CELLS {
            let moves = state.moves();
            state = state.after(bits.nth_bit(moves, random.below(moves.count_ones())));
            if has_four(state.other) {
                return Contest { length, score: length % 2 * 100 };
            }
        }
        Contest { length: N_CELLS, score: 50 }
    }

    #[inline(always)]
    fn perft<B: Bits>(&mut self, bits: B, depth: u32, kind: PerftKind) -> Leaves {
        perft_by_copies(bits, *self, depth, kind)
    }
}

impl SmallState for ConnectFour {
    #[inline(always)]
    fn n_moves(self) -> u32 {
        if has_four(self.other) { 0 } else { self.moves().count_ones() }
    }

    #[inline(always)]
    fn each_successor(self, mut visit: impl FnMut(Self)) {
        if !has_four(self.other) {
            each_bit(self.moves(), |cell| visit(self.after(cell)));
        }
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        fold(self.own ^ 0x9e37_79b9_7f4a_7c15, self.other ^ 0xd1b5_4a32_d192_ed03)
    }
}

/// Are there four men in a row? The empty bit on top of each column keeps columns apart.
#[inline(always)]
fn has_four(men: u64) -> bool {
    let four = |step: u32| {
        let pairs = men & (men >> step);
        pairs & (pairs >> (2 * step))
    };
    four(1) | four(6) | four(7) | four(8) != 0
}
