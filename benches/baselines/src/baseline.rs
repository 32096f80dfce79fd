//! Baselines only: what every hand-written game offers to the program that measures it.
//!
//! In: a game. Out: random contests and counts of leaves. Invariant: nothing here is shared with
//! the product, so that an error there cannot hide here.

use crate::bits::{Bits, Work};
use crate::random::Random;

/// A game written by hand.
pub trait Baseline {
    /// The start of a contest.
    fn start() -> Self;

    /// Plays one contest from the start with uniformly random moves; the present state is lost.
    fn playout<B: Bits>(&mut self, bits: B, random: &mut Random) -> Contest;

    /// Counts the states exactly so many moves after the present one.
    fn perft<B: Bits>(&mut self, bits: B, depth: u32, kind: PerftKind) -> Leaves;
}

/// How a random contest went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The number of moves, passes included.
    pub length: u32,
    /// What the first role gets, from 0 to 100 as in the rules.
    pub score: u32,
}

/// What perft does with its last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerftKind {
    /// Every leaf is made and hashed.
    Applied,
    /// The moves that lead to leaves are only counted.
    Bulk,
}

/// The result of perft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leaves {
    /// How many there are.
    pub count: u64,
    /// The sum of their hashes; 0 when they were only counted.
    pub checksum: u64,
}

/// A state that is small enough to be copied for every move.
pub(crate) trait SmallState: Copy {
    /// The number of legal moves; 0 after the end.
    fn n_moves(self) -> u32;

    /// Gives every successor to the visitor; none after the end.
    fn each_successor(self, visit: impl FnMut(Self));

    /// Differs between states, up to chance.
    fn hash(self) -> u64;
}

/// Perft by copying.
#[inline(always)]
pub(crate) fn perft_by_copies<S: SmallState, B: Bits>(
    bits: B,
    state: S,
    depth: u32,
    kind: PerftKind,
) -> Leaves {
    match (depth, kind) {
        (0, _) => Leaves { count: 1, checksum: state.hash() },
        (_, PerftKind::Applied) => bits.enter(AppliedPerft { state, depth }),
        (_, PerftKind::Bulk) => {
            Leaves { count: bits.enter(BulkPerft { state, depth }), checksum: 0 }
        }
    }
}

/// A node above leaves that are made.
struct AppliedPerft<S> {
    state: S,
    depth: u32,
}

impl<S: SmallState> Work for AppliedPerft<S> {
    type Output = Leaves;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> Leaves {
        let mut leaves = Leaves::default();
        if self.depth == 1 {
            self.state.each_successor(|next| {
                leaves.count += 1;
                leaves.checksum = leaves.checksum.wrapping_add(next.hash());
            });
        } else {
            self.state.each_successor(|next| {
                let below = bits.enter(Self { state: next, depth: self.depth - 1 });
                leaves.count += below.count;
                leaves.checksum = leaves.checksum.wrapping_add(below.checksum);
            });
        }
        leaves
    }
}

/// A node above leaves that are only counted.
struct BulkPerft<S> {
    state: S,
    depth: u32,
}

impl<S: SmallState> Work for BulkPerft<S> {
    type Output = u64;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> u64 {
        match self.depth {
            1 => u64::from(self.state.n_moves()),
            // One call less for each inner leaf: most of a bulk count happens here.
            2 => {
                let mut count = 0;
                self.state.each_successor(|next| count += u64::from(next.n_moves()));
                count
            }
            depth => {
                let mut count = 0;
                self.state.each_successor(|next| {
                    count += bits.enter(Self { state: next, depth: depth - 1 });
                });
                count
            }
        }
    }
}

/// Each set bit of a mask, alone, from the lowest on.
#[inline(always)]
pub(crate) fn each_bit(mut mask: u64, mut visit: impl FnMut(u64)) {
    while mask != 0 {
        visit(mask & mask.wrapping_neg());
        mask &= mask - 1;
    }
}
