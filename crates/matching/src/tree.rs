//! The tree of conditions: clauses with shared beginnings, ready to be matched on a working memory.
//!
//! In: ordered clauses, merged by the specialiser. Out: what bytecode is made from. Paper: metameta
//! §4, admheur §3.2. Invariant: every variable of the tree is a register, and a condition is reached
//! only when what it must know is bound by the conditions above it or is an input.

use rulesmith_logic::{Condition, PredicateId, Term, Var};

/// What answers one predicate for one pattern of known arguments.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The predicate it answers.
    pub predicate: PredicateId,
    /// Which of its arguments are known when it is called.
    pub known: Vec<bool>,
    /// Its clauses as one tree.
    pub tree: Tree,
}

/// Clauses merged into one tree. Variables are registers; two clauses may use one register for
/// different purposes below the place where their paths part.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The registers that hold the known arguments at the start, one for each known argument.
    pub inputs: Vec<Var>,
    /// How many registers the tree uses, those inside negations and counts included.
    pub n_registers: usize,
    /// The first conditions, or conclusions that need none.
    pub roots: Vec<Node>,
}

/// A place in a tree.
#[derive(Clone, Debug)]
pub enum Node {
    /// A flat condition, tried for every binding of the registers above it, and what comes after it.
    ///
    /// Bodies of negations, counts and passages inside it are tried from left to right; the body of a
    /// count may be a single `AnyOf` of such bodies.
    Condition {
        /// What is tried.
        condition: Condition,
        /// What is tried for each way it holds.
        children: Vec<Node>,
    },
    /// A clause holds.
    Conclusion {
        /// Which one, by its place in the program.
        clause: usize,
        /// All arguments of the head, known ones included.
        row: Vec<Term>,
    },
}
