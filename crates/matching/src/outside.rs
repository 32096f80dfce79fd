//! The outside: what the host of a memory answers.
//!
//! In: predicates that no relation and no procedure answers, and passages to other states. Out: rows of
//! values, and memories. Invariant: what the host says about one memory never changes.

use std::rc::Rc;

use rulesmith_logic::{Error, PredicateId, Row, Value};

use crate::matcher::Matcher;
use crate::memory::Memory;

/// The host of a memory.
pub trait Outside: std::fmt::Debug {
    /// The facts that match the known arguments, all arguments of each.
    fn facts(
        &self,
        matcher: &Matcher<'_>,
        memory: &Memory,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error>;

    /// The memories of the worlds a passage leads to; their static layer is this memory's.
    fn passages(
        &self,
        matcher: &Matcher<'_>,
        memory: &Memory,
        by: PredicateId,
        args: &[Value],
    ) -> Result<Vec<Rc<Memory>>, Error>;
}
