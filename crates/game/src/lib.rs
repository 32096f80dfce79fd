//! What a search may ask of a game: states, moves, outcomes; knows no logic.

mod error;
mod game;
mod random;

pub use error::Error;
pub use game::{Draws, Ending, Game, JointMove, Notation, Outcome, RoleId};
pub use random::Random;
