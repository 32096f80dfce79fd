//! The specialiser: unfolds rules, writes its own metarules, and orders what is left.
//!
//! Read in this order: `flat`, `knowledge`, `simplify`, `definitions`, `unfold`, `regress`, `objects`,
//! `static_facts`, `metarules`, `object_laws`, `metaprogram`, `author`, `variants`, `subsumption`, `core`,
//! `estimates`, `condition_order`, `condition_tree`, `program`.

mod askings;
mod author;
mod binding;
mod bounds;
mod calls;
mod common;
mod condition_order;
mod condition_tree;
mod core;
mod declared;
mod definitions;
mod draft;
mod estimates;
mod flat;
mod goal_regression;
mod invariants;
mod kept;
mod knowledge;
mod labelling;
mod literal;
mod metaprogram;
pub mod metarules;
mod normal;
mod object_laws;
mod objects;
mod outset;
mod passages;
mod program;
mod ranging;
mod reduce;
mod regress;
mod saved_program;
mod share;
mod simplify;
mod spread;
mod static_facts;
mod subsumption;
mod trim;
mod unfold;
mod variants;
mod wanted;

pub use crate::core::{Minimized, minimize};
pub use author::{
    AuthorsMetarule, CounterExample, DependencyTest, Standing, authors_metarules, dependency_tests,
    rewritten_rules,
};
pub use bounds::{Bound, Bounds, Selection};
pub use calls::asked_by;
pub use condition_order::{
    Body, Matcher, NotCounted, OrderError, SeriesPoint, expected_successes, match_cost_series,
    order, order_by_branching, order_clause,
};
pub use condition_tree::{
    NamedTree, TreeError, build_named_tree, build_tree, render_tree, written_tree,
};
pub use declared::DeclaredUse;
pub use definitions::KeptBecause;
pub use draft::{Funnel, Step};
pub use estimates::{
    Argument, Binder, Branching, Estimates, Evidence, Mean, OrderingConfig, Pattern, Sample,
};
pub use goal_regression::{GoalLevel, LevelCounts, Levels, Precondition, Regression};
pub use invariants::Invariants;
pub use kept::{nested_recursions, shared_predicates};
pub use knowledge::Knowledge;
pub use metaprogram::{
    Deduction, Deed, MetaprogramCut, MetaprogramLimits, MetaprogramOutcome, RewrittenRules,
    as_dependency, run_metaprogram, run_phase,
};
pub use object_laws::object_laws;
pub use outset::Outset;
pub use program::{
    Settings, SpecializeError, Specialized, SpecializedClause, SpecializedProcedure, Specializer,
};
pub use reduce::{Kept, LeftOut, Reduced, reduce};
pub use saved_program::{SavedProgramError, program_key, read_program, write_program};
pub use spread::{called_predicates, specialize_from, specialize_within};
pub use static_facts::{Digest, StaticFacts, StaticRelation};
pub use subsumption::{Containment, STEP_LIMIT, WithGhosts, contains};
pub use trim::Removed;
pub use unfold::{Watch, unfold};
pub use variants::{Canonical, canonical};
