//! What is wanted: a predicate to be specialised, and what it is called by.
//!
//! In: a request. Out: the predicate, which of its arguments are known, and equations between them.
//! Invariant: a request with values in it has a name of its own, so that nobody calls it by mistake.

use indexmap::IndexMap;
use rulesmith_logic::{Atom, Clause, Condition, PredicateId, Span, Term, Value, Var, Variable};
use rulesmith_rules::{Request, RequestArg, Theory};
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
    let name = if given.is_empty() { request.predicate } else { own_name(place) };
    Wanted { name, source: request.predicate, known, given }
}

/// The name of a request that nobody calls.
pub(crate) fn own_name(place: usize) -> PredicateId {
    PredicateId(FIRST_NAME + u32::try_from(place).unwrap_or(0))
}

/// The clause that asks a predicate for all its answers, and does nothing else.
pub(crate) fn self_call(theory: &Theory, predicate: PredicateId) -> Clause {
    let domains = theory.base.predicate(predicate).domains.iter().zip(0..);
    let variable = |(_, place): (_, u16)| Variable { name: format!("A{place}"), domain: None };
    let args = domains.clone().map(|(_, place)| Term::Var(Var(place))).collect();
    let head = Atom { predicate, args };
    let body = vec![Condition::Holds(head.clone())];
    Clause { head, body, variables: domains.map(variable).collect(), span: Span::default() }
}
