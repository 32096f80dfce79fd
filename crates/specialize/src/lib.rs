//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `metaprogram`.

mod flat;
mod metaprogram;

pub use metaprogram::{
    Consequence, Deduction, Deed, MetaprogramCut, MetaprogramLimits, MetaprogramOutcome,
    as_dependency, run_metaprogram, run_phase,
};
