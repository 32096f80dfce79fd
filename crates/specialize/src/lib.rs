//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `variants`, `subsumption`, `reduce`, `core`; below them `normal`,
//! `ranging`, `labelling`, `literal`.

mod flat;

mod core;
mod labelling;
mod literal;
mod normal;
mod ranging;
mod reduce;
mod subsumption;
mod variants;

pub use crate::core::{Minimized, minimize};
pub use reduce::{Kept, LeftOut, Reduced, reduce};
pub use subsumption::{Containment, STEP_LIMIT, WithGhosts, contains};
pub use variants::{Canonical, canonical};
