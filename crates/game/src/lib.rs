//! What a search may ask of a game: states, moves, outcomes; knows no logic.
//!
//! Read in this order: [`Game`], [`JointMoves`], [`perft()`], [`playout`]; for people: [`Board`], [`Account`], [`styled_text`].

mod account;
mod board;
mod error;
mod game;
mod leaves;
mod moves;
mod perft;
mod playouts;
mod random;
mod sentence;

pub use account::{Account, Journey, account};
pub use board::{Board, InHand, Square, SquareId, Thing};
pub use error::Error;
pub use game::{Draws, Ending, Game, JointMove, Notation, Outcome, RoleId};
pub use leaves::{CountBelow, LeafKind, Leaves, Tick, count_leaves, count_leaves_below};
pub use moves::{JointMoves, joint_text};
pub use perft::{Divided, Perft, Progress, divide, perft};
pub use playouts::{Contests, Playout, PlayoutSums, playout};
pub use random::Random;
pub use sentence::{MoveStyle, is_on_way, read_move, styled_text};
