//! Working memories, trees of conditions, bytecode and its interpreter; knows no games.
//!
//! Read in this order: `tree`.

mod tree;

pub use tree::{Node, Procedure, Tree};
