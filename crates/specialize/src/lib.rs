//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`.

mod binding;
mod definitions;
mod flat;
mod knowledge;
mod objects;
mod regress;
mod simplify;
mod unfold;

pub use definitions::KeptBecause;
pub use knowledge::Knowledge;
pub use unfold::{Bounds, Funnel, Selection, Step, unfold};
