//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `knowledge`, `simplify`, `definitions`, `unfold`, `regress`, `objects`,
//! `static_facts`, `metarules`, `object_laws`, `variants`, `subsumption`, `estimates`,
//! `condition_order`, `condition_tree`.

mod binding;
mod condition_order;
mod condition_tree;
mod definitions;
mod estimates;
mod flat;
mod knowledge;
mod labelling;
pub mod metarules;
mod normal;
mod object_laws;
mod objects;
mod ranging;
mod regress;
mod simplify;
mod static_facts;
mod unfold;
mod variants;

pub use condition_order::{
    Body, Matcher, NotCounted, OrderError, SeriesPoint, expected_successes, match_cost_series,
    order, order_by_branching, order_clause,
};
pub use condition_tree::{TreeError, build_tree, render_tree};
pub use definitions::KeptBecause;
pub use estimates::{
    Argument, Binder, Branching, Estimates, Evidence, Mean, OrderingConfig, Pattern, Sample,
};
pub use knowledge::Knowledge;
pub use object_laws::object_laws;
pub use static_facts::{Digest, StaticFacts, StaticRelation};
pub use unfold::{Bounds, Funnel, Selection, Step, unfold};
pub use variants::{Canonical, canonical};
