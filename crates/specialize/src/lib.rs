//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `static_facts`, `metarules`.

mod flat;
pub mod metarules;
mod static_facts;

pub use static_facts::{Digest, StaticFacts, StaticRelation};
