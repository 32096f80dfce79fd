//! Clauses and the conditions of their bodies.
//!
//! In: atoms over predicates, comparisons, negation, counting. Out: one data type that front ends
//! build, the specialiser rewrites and the solver runs. Invariant: function-free, variables are
//! numbered densely per clause.

use serde::{Deserialize, Serialize};

use crate::term::{Symbol, Term, Var};

/// A predicate of a [`crate::ClauseBase`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PredicateId(pub u32);

/// A finite set of values a variable may range over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DomainId(pub u32);

/// A place in a source text, in bytes; `file` is an index kept by the front end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Index of the source file.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A predicate applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The predicate.
    pub predicate: PredicateId,
    /// One term for each argument.
    pub args: Vec<Term>,
}

/// An arithmetic operation on bounded integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient rounded down; fails on a zero divisor.
    Div,
    /// Remainder with the sign of the divisor; fails on a zero divisor.
    Mod,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

/// An arithmetic expression, or a plain term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A variable or value; names and compounds may only be compared with `=` and `\=`.
    Term(Term),
    /// Two operands.
    Binary(Operation, Box<Expr>, Box<Expr>),
    /// How many distinct tuples of the counted variables make the body hold.
    Count {
        /// The counted variables, local to the count.
        counted: Vec<Var>,
        /// What must hold.
        body: Vec<Condition>,
    },
}

/// A comparison of two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`: also binds a variable when the other side is known.
    Equal,
    /// `\=`.
    Unequal,
    /// `<`.
    Less,
    /// `=<`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// In how many of the worlds a passage leads to the conditions must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// In one of them; variables may be bound there.
    Some,
    /// There is one, and they hold in every one of them; nothing is bound.
    Every,
}

/// One condition of a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// The atom holds.
    Holds(Atom),
    /// No binding of the local variables makes the body hold.
    None {
        /// Variables that occur nowhere outside.
        locals: Vec<Var>,
        /// What must not hold.
        body: Vec<Condition>,
    },
    /// One of the alternatives holds.
    AnyOf(Vec<Vec<Condition>>),
    /// Two expressions compare so.
    Compare(Comparison, Expr, Expr),
    /// `whole` is the compound term with this functor and these arguments.
    Construct {
        /// The compound.
        whole: Term,
        /// Its functor; empty for a tuple.
        functor: Symbol,
        /// Its arguments.
        args: Vec<Term>,
    },
    /// The term is a member of the domain.
    Member(Term, DomainId),
    /// The body is judged in the worlds that `by` leads to (after a move, at the states of a cycle).
    Elsewhere {
        /// What leads there; its arguments are known before the passage is tried.
        by: Atom,
        /// In one of the worlds or in all.
        quantifier: Quantifier,
        /// What is judged there.
        body: Vec<Condition>,
    },
}

/// A variable as the author wrote it, with the domain it ranges over where one is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Name in the text; `_` for an anonymous one.
    pub name: String,
    /// Finite set of its values; `None` for an open one, which a condition must bind.
    pub domain: Option<DomainId>,
}

/// A head that holds when the whole body does.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What follows.
    pub head: Atom,
    /// What must hold.
    pub body: Vec<Condition>,
    /// The variables of head and body, by number.
    pub variables: Vec<Variable>,
    /// Where it was written.
    pub span: Span,
}
