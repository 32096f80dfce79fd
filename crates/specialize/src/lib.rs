//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `variants`, `subsumption`, `reduce`, `core`.

mod flat;

mod labelling;
mod normal;
mod ranging;
mod variants;

pub use variants::{Canonical, canonical};
