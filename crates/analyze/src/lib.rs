//! Tables that follow from a chess-like game's rules alone, before anybody plays.
//!
//! In: a checked game. Out: an [`Analysis`], the static tables, and [`Prospects`], what can come about at all.
//! Read in this order: `squares` (squares by number), `courses` (where movements lead), `arrivals` (squares that end a
//! contest), `promotion` (who becomes what, and where), `transition_tables` (who can go where in one move), `mobility`
//! (in how many moves, and what that is worth), `analysis` (all of it), `prospects` (what can come about).
//! Invariant: nothing is played and nothing is sampled; the same rules give the same tables.

mod squares;

mod courses;

mod arrivals;

mod promotion;

mod transition_tables;

mod mobility;

mod analysis;

mod prospects;

pub use analysis::{Analysis, ManTables, analyze};
pub use mobility::{Nearest, distances};
pub use prospects::Prospects;
pub use squares::{SquareId, SquareSet, Squares};
