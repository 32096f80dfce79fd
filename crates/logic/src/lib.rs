//! Terms, clauses, facts and a slow reference solver; knows no games.
//!
//! Read in this order: `term`, `clause`, `goal`, `table`, `solve`, `run`, `graph`.

mod clause;
mod term;

mod arithmetic;
mod component;
mod goal;
mod graph;
mod limits;
mod run;
mod solve;
mod substitute;
mod table;

pub use arithmetic::apply;
pub use goal::{atom_vars, condition_vars, expr_vars};
pub use graph::{Asking, Edge, cycles, edges};
pub use limits::{Error, Limits, Stop};
pub use solve::{Flow, Nowhere, Solver, World};
pub use substitute::{Substitution, substitute, substitute_atom, substitute_body, substitute_term};
pub use table::{Pattern, Row, Tables};

pub use clause::{
    Atom, Clause, ClauseBase, Comparison, Component, ComponentId, ComponentPart, Condition, Domain,
    DomainId, Expr, Level, Operation, Predicate, PredicateId, Quantifier, Source, Span, Variable,
};
pub use term::{Compound, Symbol, Symbols, Term, Value, Var};
