//! The bridge from theories to games. For now it holds the reference engine: slow and obviously
//! right, the oracle every faster engine is tested against.

mod reference;
mod samples;

pub use reference::{ReferenceGame, State, Step, Turn, TurnLimits};
pub use samples::{Sampling, sample_states, visit_states};
