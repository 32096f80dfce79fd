//! What a choice may cost, and how it is stopped from outside.
//!
//! Invariant: with the same limits and a pace that always goes on, the same choice comes out.

/// What flat Monte Carlo may spend on one choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonteCarlo {
    /// Playouts at most; no more are begun.
    pub playouts: u64,
    /// Turns after which a playout is given up; it then counts as a draw.
    pub max_length: u64,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for MonteCarlo {
    fn default() -> Self {
        Self { playouts: 2_000, max_length: 1_000, seed: 0 }
    }
}

/// Whether to go on: asked before every playout and, as far as the engine allows, within them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Go on.
    GoOn,
    /// Time is up: choose by what is known. The playout in hand does not count.
    Enough,
    /// Somebody stopped the work: no choice, but [`rulesmith_game::Error::Interrupted`].
    Interrupt,
}
