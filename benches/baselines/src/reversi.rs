//! Baseline, not used by the product: reversi (8x8) on two words of 64 bits.
//!
//! In: random numbers. Out: contests of `games/reversi.rules`. Nothing is listed: runs of enemies
//! grow from all own men at once, by doubling steps, in eight directions side by side; where a run
//! ends on an empty square a man may be placed, and the same runs, followed back from there, are
//! the men it turns.

use crate::baseline::{
    Baseline, Contest, Leaves, PerftKind, SmallState, each_bit, perft_by_copies,
};
use crate::bits::Bits;
use crate::random::{Random, fold};

/// Squares that are on neither the first nor the last file.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;
/// How far apart neighbors are along files, both diagonals and ranks; file f of rank r, from 1 on,
/// is bit (f - 1) + 8 (r - 1).
const STEPS: [u32; 4] = [1, 7, 8, 9];
/// Enemies that can be in the middle of a run along each step: the others touch the edge.
const INNER: [u64; 4] = [INNER_FILES, INNER_FILES, u64::MAX, INNER_FILES];

/// One word for each step.
type Lanes = [u64; 4];

/// The men of the role to move and of the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversi {
    own: u64,
    other: u64,
    is_black: bool,
}

impl Reversi {
    /// A state with these men of the role to move and of the other one.
    pub fn with(own: u64, other: u64, is_black: bool) -> Self {
        Self { own, other, is_black }
    }

    #[inline(always)]
    fn passed(self) -> Self {
        Self::with(self.other, self.own, !self.is_black)
    }

    #[inline(always)]
    fn after(self, square: u64, runs: &Runs) -> Self {
        let turned = runs.turned_by(square);
        Self::with(self.other ^ turned, self.own | turned | square, !self.is_black)
    }

    #[inline(always)]
    fn runs(self) -> Runs {
        Runs::of(self.own, self.other)
    }

    #[inline(always)]
    fn moves(self, runs: &Runs) -> u64 {
        runs.ends() & !(self.own | self.other)
    }

    #[inline(always)]
    fn can_place(self) -> bool {
        self.moves(&self.runs()) != 0
    }

    /// What black gets.
    #[inline(always)]
    fn score(self) -> u32 {
        let (own, other) = (self.own.count_ones(), self.other.count_ones());
        let (black, white) = if self.is_black { (own, other) } else { (other, own) };
        50 + 50 * u32::from(black > white) - 50 * u32::from(black < white)
    }
}

impl Baseline for Reversi {
    fn start() -> Self {
        // d5 and e4 are black; rank 1 is on top, as in the rules.
        Self::with(0x0000_0008_1000_0000, 0x0000_0010_0800_0000, true)
    }

    #[inline(always)]
    fn playout<B: Bits>(&mut self, bits: B, random: &mut Random) -> Contest {
        let mut state = Self::start();
        let mut length = 0;
        loop {
            let runs = state.runs();
            let moves = state.moves(&runs);
            if moves != 0 {
                let square = bits.nth_bit(moves, random.below(moves.count_ones()));
                state = state.after(square, &runs);
            } else if state.passed().can_place() {
                state = state.passed();
            } else {
                return Contest { length, score: state.score() };
            }
            length += 1;
        }
    }

    #[inline(always)]
    fn perft<B: Bits>(&mut self, bits: B, depth: u32, kind: PerftKind) -> Leaves {
        perft_by_copies(bits, *self, depth, kind)
    }
}

impl SmallState for Reversi {
    #[inline(always)]
    fn n_moves(self) -> u32 {
        match self.moves(&self.runs()).count_ones() {
            0 => u32::from(self.passed().can_place()),
            n_moves => n_moves,
        }
    }

    #[inline(always)]
    fn each_successor(self, mut visit: impl FnMut(Self)) {
        let runs = self.runs();
        let moves = self.moves(&runs);
        each_bit(moves, |square| visit(self.after(square, &runs)));
        if moves == 0 && self.passed().can_place() {
            visit(self.passed());
        }
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        let key = if self.is_black { 0xd1b5_4a32_d192_ed03 } else { 0x8bb8_4b93_962e_acc9 };
        fold(self.own ^ 0x9e37_79b9_7f4a_7c15, self.other ^ key)
    }
}

/// Enemies in a row next to an own man, by step, going up in bits and going down.
struct Runs {
    up: Lanes,
    down: Lanes,
}

impl Runs {
    #[inline(always)]
    fn of(own: u64, other: u64) -> Self {
        let mut runs = Self { up: [0; 4], down: [0; 4] };
        for lane in 0..4 {
            let step = STEPS[lane];
            let inner = other & INNER[lane];
            runs.up[lane] = grow_up(own, inner, step);
            runs.down[lane] = grow_down(own, inner, step);
        }
        runs
    }

    /// The squares right behind the runs.
    #[inline(always)]
    fn ends(&self) -> u64 {
        let mut ends = [0; 4];
        for lane in 0..4 {
            ends[lane] = self.up[lane] << STEPS[lane] | self.down[lane] >> STEPS[lane];
        }
        ends[0] | ends[1] | ends[2] | ends[3]
    }

    /// The enemies between this square and own men: each run that ends here, from its end.
    #[inline(always)]
    fn turned_by(&self, square: u64) -> u64 {
        let mut turned = [0; 4];
        for lane in 0..4 {
            let step = STEPS[lane];
            turned[lane] =
                grow_down(square, self.up[lane], step) | grow_up(square, self.down[lane], step);
        }
        turned[0] | turned[1] | turned[2] | turned[3]
    }
}

/// Squares of `through` in a row from a square of `from` upwards, six of them at most.
#[inline(always)]
fn grow_up(from: u64, through: u64, step: u32) -> u64 {
    let mut run = through & (from << step);
    run |= through & (run << step);
    let pairs = through & (through << step);
    run |= pairs & (run << (2 * step));
    run | (pairs & (run << (2 * step)))
}

/// The same downwards.
#[inline(always)]
fn grow_down(from: u64, through: u64, step: u32) -> u64 {
    let mut run = through & (from >> step);
    run |= through & (run >> step);
    let pairs = through & (through >> step);
    run |= pairs & (run >> (2 * step));
    run | (pairs & (run >> (2 * step)))
}
