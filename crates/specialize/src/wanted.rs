//! What is wanted: a predicate to be specialised, and what it is called by.
//!
//! In: a request. Out: the predicate, which of its arguments are known, and equations between them.
//! Invariant: a request with values in it has a name of its own, so that nobody calls it by mistake.

use indexmap::IndexMap;
use rulesmith_logic::{PredicateId, Value};
use rulesmith_rules::{Request, RequestArg};
use rustc_hash::FxBuildHasher;

/// Names for requests with values in them are counted from here.
const FIRST_NAME: u32 = 1 << 31;

/// A predicate to be specialised, and what it is called by.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) name: PredicateId,
    pub(crate) source: PredicateId,
    pub(crate) known: Vec<bool>,
    /// Equations between the arguments.
    pub(crate) given: Vec<(usize, Given)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Given {
    Value(Value),
    SameAs(usize),
}

pub(crate) fn to_wanted((place, request): (usize, &Request)) -> Wanted {
    let known = request.args.iter().map(|arg| matches!(arg, RequestArg::Known(_))).collect();
    let mut given = Vec::new();
    let mut names: IndexMap<&str, usize, FxBuildHasher> = IndexMap::default();
    for (place, arg) in request.args.iter().enumerate() {
        match arg {
            RequestArg::Value(value) => given.push((place, Given::Value(*value))),
            RequestArg::Known(name) | RequestArg::Unknown(name) if name != "_" => {
                let first = *names.entry(name).or_insert(place);
                if first != place {
                    given.push((place, Given::SameAs(first)));
                }
            }
            _ => {}
        }
    }
    let name = if given.is_empty() {
        request.predicate
    } else {
        PredicateId(FIRST_NAME + u32::try_from(place).unwrap_or(0))
    };
    Wanted { name, source: request.predicate, known, given }
}
