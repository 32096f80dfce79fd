//! Working memories, trees of conditions, bytecode and its interpreter; knows no games.
//!
//! Read in this order: `universe`, `rows`, `relation`, `memory`, `way`, `plan`, `search`, `tree`,
//! `bytecode`, `write`, `deliver`, `operand`, `assemble`, `verify`,
//! `surroundings`, `matcher`, `interpret`, `activation`, `call`, `tables`, `counts`.

mod activation;
mod assemble;
mod budget;
mod bytecode;
mod call;
mod counts;
mod deliver;
mod error;
mod interpret;
mod matcher;
mod memory;
mod operand;
mod outside;
mod plan;
mod relation;
mod rows;
mod search;
mod surroundings;
mod tables;
mod tree;
mod universe;
mod values;
mod verify;
mod way;
mod write;

pub use assemble::{Answered, Program};
pub use counts::Count;
pub use error::Error;
pub use matcher::{Matcher, OnConclusion};
pub use memory::{Memory, StaticMemory, relation_of};
pub use outside::Outside;
pub use relation::{MAX_ARITY, Mask, Relation};
pub use search::{Setting, each_match, first_match, tried_in_vain};
pub use tree::{Node, Procedure, Tree};
pub use universe::{Universe, ValueId};
