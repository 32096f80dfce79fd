//! Baseline, not used by the product: noughts and crosses on two words of nine bits.
//!
//! In: random numbers. Out: contests of `games/noughts_and_crosses.rules`. Nothing is listed: the
//! empty cells are a mask, and the k-th of them is selected.

use crate::baseline::{
    Baseline, Contest, Leaves, PerftKind, SmallState, each_bit, perft_by_copies,
};
use crate::bits::Bits;
use crate::random::{Random, fold};

/// All nine cells; column c of row r, from 1 on, is bit (c - 1) + 3 (r - 1).
const FULL: u64 = 0o777;
/// The eight lines.
const LINES: [usize; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
/// For every set of cells, whether it holds a line.
static HAS_LINE: [bool; 512] = sets_with_line();
/// Nobody has a line before this many moves were made.
const SHORTEST_CONTEST: u32 = 5;

const fn sets_with_line() -> [bool; 512] {
    let mut table = [false; 512];
    let mut set = 0;
    while set < 512 {
        let mut line = 0;
        while line < LINES.len() {
            table[set] |= set & LINES[line] == LINES[line];
            line += 1;
        }
        set += 1;
    }
    table
}

/// The cells of the role to move and of the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoughtsAndCrosses {
    own: u64,
    other: u64,
}

impl NoughtsAndCrosses {
    /// A state with these cells of the role to move and of the other one.
    pub fn with(own: u64, other: u64) -> Self {
        Self { own, other }
    }

    #[inline(always)]
    fn empty(self) -> u64 {
        FULL & !(self.own | self.other)
    }

    #[inline(always)]
    fn after(self, cell: u64) -> Self {
        Self { own: self.other, other: self.own | cell }
    }
}

impl Baseline for NoughtsAndCrosses {
    fn start() -> Self {
        Self::with(0, 0)
    }

    #[inline(always)]
    fn playout<B: Bits>(&mut self, bits: B, random: &mut Random) -> Contest {
        let mut state = Self::start();
        // How many cells are empty is known without looking, so no choice waits for a count.
        for length in 1..=9 {
            let cell = bits.nth_bit(state.empty(), random.below(10 - length));
            state = state.after(cell);
            if length >= SHORTEST_CONTEST && has_line(state.other) {
                return Contest { length, score: length % 2 * 100 };
            }
        }
        Contest { length: 9, score: 50 }
    }

    #[inline(always)]
    fn perft<B: Bits>(&mut self, bits: B, depth: u32, kind: PerftKind) -> Leaves {
        perft_by_copies(bits, *self, depth, kind)
    }
}

impl SmallState for NoughtsAndCrosses {
    #[inline(always)]
    fn n_moves(self) -> u32 {
        if has_line(self.other) { 0 } else { self.empty().count_ones() }
    }

    #[inline(always)]
    fn each_successor(self, mut visit: impl FnMut(Self)) {
        if !has_line(self.other) {
            each_bit(self.empty(), |cell| visit(self.after(cell)));
        }
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        fold(self.own ^ 0x9e37_79b9_7f4a_7c15, self.other ^ 0xd1b5_4a32_d192_ed03)
    }
}

#[inline(always)]
fn has_line(cells: u64) -> bool {
    HAS_LINE[(cells & FULL) as usize]
}
