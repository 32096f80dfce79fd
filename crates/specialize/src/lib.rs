//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`.

mod binding;
mod flat;
mod knowledge;
mod definitions;
mod regress;
mod simplify;
mod unfold;

pub use knowledge::Knowledge;
pub use definitions::KeptBecause;
pub use unfold::{Bounds, Funnel, Selection, Step, unfold};
