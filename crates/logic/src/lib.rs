//! Terms, clauses, facts and a slow reference solver; knows no games.
//!
//! Read in this order: [`term`], [`clause`], [`solve`].

pub mod clause;
pub mod term;

pub use clause::{
    Atom, Clause, ClauseBase, Comparison, Component, ComponentId, ComponentPart, Condition, Domain,
    DomainId, Expr, Level, Operation, Predicate, PredicateId, Quantifier, Source, Span, Variable,
};
pub use term::{Compound, Symbol, Symbols, Term, Value, Var};
