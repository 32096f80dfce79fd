//! Baselines: games written by hand, to know how fast this machine could be. Nothing uses them.
//!
//! In: a game of the library, written out in bits by a person. Out: random contests and perft, to
//! be held against what the compiler makes of the rules; and the paper's two rules as loops. Invariant: no crate of the product depends
//! on this one and it depends on none of them; it plays the same games as `games/*.rules`, which
//! its tests check with the counts beside those files.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined into `Bits::enter` is compiled for the processor's instructions"
)]

mod baseline;
mod bits;
mod breakthrough;
mod connect_four;
mod go;
mod noughts_and_crosses;
mod random;
mod reversi;
mod rules;

pub use baseline::{Baseline, Contest, Leaves, PerftKind};
pub use bits::{Bits, Portable, Work, run_best};
pub use breakthrough::Breakthrough;
pub use connect_four::ConnectFour;
pub use go::Go;
pub use noughts_and_crosses::NoughtsAndCrosses;
pub use random::Random;
pub use reversi::Reversi;
pub use rules::{Conclusions, RuleFacts};
