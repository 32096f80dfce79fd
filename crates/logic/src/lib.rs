//! Terms, clauses, facts and a slow reference solver; knows no games.
//!
//! Read in this order: `term`, `clause`, `base`, `goal`, `table`, `solve`, `run`, `as_written`,
//! `graph`.

mod base;
mod clause;
mod term;

mod arithmetic;
mod as_written;
mod component;
mod goal;
mod graph;
mod limits;
mod run;
mod solve;
mod substitute;
mod table;

pub use arithmetic::apply;
pub use as_written::{AsWritten, Proofs, Statics};
pub use goal::{atom_vars, condition_vars, expr_vars, has_var};
pub use graph::{Asking, Edge, cycles, edges};
pub use limits::{Error, Limits, Stop};
pub use solve::{Flow, Nowhere, Solver, World};
pub use substitute::{Substitution, substitute, substitute_atom, substitute_body, substitute_term};
pub use table::{Pattern, Row, Tables};

pub use base::{
    ClauseBase, Component, ComponentId, ComponentPart, Domain, Level, Predicate, Source,
};
pub use clause::{
    Atom, Clause, Comparison, Condition, DomainId, Expr, Operation, PredicateId, Quantifier, Span,
    Variable,
};
pub use term::{Compound, Symbol, Symbols, Term, Value, Var};
