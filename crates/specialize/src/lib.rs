//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `estimates`, `condition_order`, `condition_tree`.

mod flat;

mod estimates;

mod condition_order;

mod condition_tree;

pub use condition_order::{
    Body, Matcher, NotCounted, OrderError, SeriesPoint, expected_successes, match_cost_series,
    order, order_by_branching, order_clause,
};
pub use condition_tree::{TreeError, build_tree, render_tree};
pub use estimates::{
    Argument, Binder, Branching, Estimates, Evidence, Mean, OrderingConfig, Pattern, Sample,
};
