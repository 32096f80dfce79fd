//! What can be wrong with a tree before it runs.
//!
//! In: a condition or an instruction that cannot be. Out: an error that names it. Invariant: none of
//! these is reached by a tree that the specialiser made.

use rulesmith_logic::{PredicateId, Var};

use crate::relation::Mask;

/// Why a condition or a tree cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A form that flat conditions do not have.
    #[error("{what} is not a flat condition")]
    NotFlat {
        /// The form.
        what: &'static str,
    },
    /// A condition needs a variable that nothing before it binds.
    #[error("nothing binds variable {} before it is needed", variable.0)]
    Unbound {
        /// The variable.
        variable: Var,
    },
    /// A predicate has another number of arguments here than elsewhere.
    #[error("predicate {} has another number of arguments elsewhere", predicate.0)]
    Arity {
        /// The predicate.
        predicate: PredicateId,
    },
    /// Nothing answers a predicate when these of its arguments are known.
    #[error("nothing answers predicate {} when {} of its arguments are known", predicate.0, known.n_known())]
    NoWay {
        /// The predicate.
        predicate: PredicateId,
        /// What is known where it is asked.
        known: Mask,
    },
    /// A tree needs more than bytecode can number.
    #[error("a tree has too many {what}")]
    TooLarge {
        /// What it has too many of.
        what: &'static str,
    },
    /// The verifier found a fault: a bug in the assembler, never in a tree.
    #[error("bytecode was rejected: {fault}")]
    Rejected {
        /// Which instruction, if it is one.
        instruction: Option<usize>,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The work was stopped: a limit, or a request.
    #[error(transparent)]
    Stopped(#[from] rulesmith_logic::Error),
}
