//! Chooses moves by looking ahead; knows a game by its contract alone.
//!
//! Read in this order: [`MonteCarlo`] (what a choice may cost), [`choose`], [`Choice`].

mod arms;
mod limits;
mod monte_carlo;

pub use limits::{MonteCarlo, Pace};
pub use monte_carlo::{Choice, MoveScore, choose};
