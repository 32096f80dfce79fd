//! Signatures: how fluents and moves are declared, in one line each.
//!
//! In: a theory. Out: `at(file, rank) : content`, `step(file, rank, file, rank)`.

use rulesmith_logic::PredicateId;
use rulesmith_rules::{Fluent, MoveKind, Theory};

/// The fluent with its keys' domains and its value's.
pub fn fluent_signature(theory: &Theory, fluent: &Fluent) -> String {
    let mut domains = domains(theory, fluent.predicate);
    let value = if fluent.is_functional { domains.pop() } else { None };
    let keys = applied(&fluent.name, &domains);
    value.map_or(keys.clone(), |value| format!("{keys} : {value}"))
}

/// The kind of move with its parameters' domains.
pub fn move_signature(theory: &Theory, kind: &MoveKind) -> String {
    // The first argument of `legal` is the role.
    applied(&kind.name, domains(theory, kind.legal).get(1..).unwrap_or_default())
}

fn domains(theory: &Theory, predicate: PredicateId) -> Vec<&str> {
    let domains = theory.base.predicate(predicate).domains.iter();
    domains.map(|domain| domain.map_or("_", |id| theory.base.domain(id).name.as_str())).collect()
}

fn applied(name: &str, arguments: &[&str]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
}
