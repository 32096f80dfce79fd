//! The bridge from theories to games. For now it holds the reference engine: slow and obviously
//! right, the oracle every faster engine is tested against.

mod reference;

pub use reference::{ReferenceGame, State, Step, Turn, TurnLimits};
