//! What can go wrong while a game is played.
//!
//! In: faults found in rules, texts and limits. Out: one error type that front ends can show.

/// A fault met while playing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A named limit was reached.
    #[error("the limit `{name}` of {limit} was reached")]
    Limit {
        /// The limit's name, as it is set on the command line.
        name: &'static str,
        /// Its value.
        limit: u64,
    },
    /// The work was interrupted from outside.
    #[error("interrupted")]
    Interrupted,
    /// The rules contradict themselves in this state.
    #[error("{message}")]
    Rules {
        /// What is wrong.
        message: String,
        /// `file:line:column` of the clauses involved.
        places: Vec<String>,
    },
    /// A text does not name a state or a legal move.
    #[error("{0}")]
    Text(String),
}
