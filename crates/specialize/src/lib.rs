//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `estimates`, `condition_order`, `condition_tree`.

mod flat;

mod estimates;

mod condition_order;

pub use condition_order::{
    Body, Matcher, NotCounted, OrderError, expected_successes, order, order_by_branching,
    order_clause,
};
pub use estimates::{
    Argument, Binder, Branching, Estimates, Evidence, Mean, OrderingConfig, Pattern, Sample,
};
