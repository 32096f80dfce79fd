//! Safety: a clause that metarules change still gives every variable a value, and one that can exist.
//!
//! In: a clause before and after a change. Out: which variables lost what gives them a value, and
//! whether some value is of all the sorts a term must be of. Invariant: what conditions could be tried
//! in some order before a change can be tried afterwards.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Clause, Condition, DomainId, Term, Value, Var, atom_vars, condition_vars,
};
use rulesmith_rules::{PredicateKind, Theory};

use crate::binding::{bound_by, own_vars};

/// The variables of head and conditions that nothing gives a value.
pub(super) fn unbound(head: &Atom, body: &[&Condition]) -> BTreeSet<Var> {
    let owned: Vec<Condition> = body.iter().map(|condition| (*condition).clone()).collect();
    let mut bound = BTreeSet::new();
    bound_by(&owned, &mut bound);
    let head = atom_vars(head);
    let vars: Vec<BTreeSet<Var>> = owned.iter().map(condition_vars).collect();
    let mut needed: BTreeSet<Var> = head.clone();
    for (place, condition) in owned.iter().enumerate() {
        let mut around = head.clone();
        let others = vars.iter().enumerate().filter(|(other, _)| *other != place);
        around.extend(others.flat_map(|(_, vars)| vars));
        needed.extend(own_vars(condition, &around));
    }
    needed.difference(&bound).copied().collect()
}

/// Is every variable given a value that was given one before?
pub(super) fn stays_bound(head: &Atom, before: &[&Condition], after: &[&Condition]) -> bool {
    unbound(head, after).is_subset(&unbound(head, before))
}

/// Is every variable given a value, or does it range over a sort?
pub(super) fn is_whole(clause: &Clause) -> bool {
    let body: Vec<&Condition> = clause.body.iter().collect();
    let has_sort = |var: &Var| {
        clause.variables.get(usize::from(var.0)).is_some_and(|variable| variable.domain.is_some())
    };
    unbound(&clause.head, &body).iter().all(has_sort)
}

/// Can one value, or this one, stand in all places of these variables?
pub(super) fn can_be_one(
    theory: &Theory,
    clause: &Clause,
    vars: &[Var],
    value: Option<Value>,
) -> bool {
    let sorts: BTreeSet<DomainId> =
        vars.iter().flat_map(|var| sorts_of(theory, clause, Term::Var(*var))).collect();
    let sets: Vec<_> = sorts.into_iter().map(|sort| &theory.base.domain(sort).values).collect();
    let is_in_all = |value: &Value| sets.iter().all(|set| set.contains(value));
    match (value, sets.iter().min_by_key(|set| set.len())) {
        (Some(value), _) => is_in_all(&value),
        (None, Some(smallest)) => smallest.iter().any(is_in_all),
        (None, None) => true,
    }
}

/// The sorts of the places a variable stands in; inside negations it may stand anywhere.
fn sorts_of(theory: &Theory, clause: &Clause, term: Term) -> Vec<DomainId> {
    let of_atom = |atom: &Atom| -> Vec<DomainId> {
        // A move that is only thought of need not be one of its sorts.
        if matches!(theory.kind(atom.predicate), PredicateKind::Does(_)) {
            return vec![];
        }
        let sorts = &theory.base.predicate(atom.predicate).domains;
        let places = atom.args.iter().zip(sorts).filter(|(arg, _)| **arg == term);
        places.filter_map(|(_, sort)| *sort).collect()
    };
    let of_condition = |condition: &Condition| match condition {
        Condition::Holds(atom) => of_atom(atom),
        Condition::Member(member, sort) if *member == term => vec![*sort],
        _ => vec![],
    };
    let body = clause.body.iter().flat_map(of_condition);
    of_atom(&clause.head).into_iter().chain(body).collect()
}
