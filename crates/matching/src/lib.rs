//! Working memories, trees of conditions, bytecode and its interpreter; knows no games.
//!
//! Read in this order: `universe`, `rows`, `relation`, `memory`, `way`, `plan`, `search`, `tree`.

mod error;
mod memory;
mod plan;
mod relation;
mod rows;
mod search;
mod tree;
mod universe;
mod values;
mod way;

pub use error::Error;
pub use memory::{Memory, StaticMemory, relation_of};
pub use relation::{MAX_ARITY, Mask, Relation};
pub use search::{Setting, each_match, first_match};
pub use tree::{Node, Procedure, Tree};
pub use universe::{Universe, ValueId};
