//! Counts in clauses: put where their names stand, so that comparisons have them at hand.
//!
//! In: the conditions of a clause. Out: the same without names of counts, where that can be. Invariant: the
//! conditions hold of the same values.

use std::collections::BTreeSet;

use rulesmith_logic::{
    ClauseBase, Comparison, Condition, DomainId, Expr, Term, Value, Var, has_var,
};
use rulesmith_rules::{PredicateKind, Theory};

/// The conditions with counts in the place of the variables that name them, where nothing but
/// comparisons uses these.
pub(crate) fn inline_counts(
    base: &ClauseBase,
    head: &[Term],
    body: &[Condition],
) -> Vec<Condition> {
    let mut body = body.to_vec();
    let mut place = 0;
    while let Some(condition) = body.get(place) {
        place += 1;
        let Condition::Compare(Comparison::Equal, left, right) = condition else { continue };
        let (name, count) = match (left, right) {
            (Expr::Term(Term::Var(name)), count) | (count, Expr::Term(Term::Var(name)))
                if has_count(count) =>
            {
                (*name, count.clone())
            }
            _ => continue,
        };
        let others = body.iter().enumerate().filter(|(other, _)| *other + 1 != place);
        let may_take = |condition: &Condition| match condition {
            Condition::Compare(_, left, right) => {
                ![left, right].into_iter().any(|side| is_in_count(side, name))
            }
            Condition::Member(Term::Var(var), domain) if *var == name => {
                most_of(base, *domain).is_some()
            }
            other => !has_var(other, name),
        };
        let is_asked = head.contains(&Term::Var(name));
        if is_asked || !others.map(|(_, condition)| condition).all(may_take) {
            continue;
        }
        body.remove(place - 1);
        place -= 1;
        for condition in &mut body {
            if let Condition::Member(Term::Var(var), domain) = condition
                && *var == name
                && let Some(most) = most_of(base, *domain)
            {
                let (name, most) = (Term::Var(name), Term::Value(Value::Int(most)));
                *condition =
                    Condition::Compare(Comparison::AtMost, Expr::Term(name), Expr::Term(most));
            }
            if let Condition::Compare(_, left, right) = condition {
                put(left, name, &count);
                put(right, name, &count);
            }
        }
    }
    body
}

/// The variables that are counted, but for those that others of them determine: as many tuples hold without.
pub(crate) fn telling(theory: &Theory, counted: &[Var], body: &[Condition]) -> Vec<Var> {
    let mut left = counted.to_vec();
    for var in counted {
        let others: BTreeSet<Var> = left.iter().copied().filter(|other| other != var).collect();
        if determined(theory, others.clone(), body).contains(var) {
            left.retain(|other| other != var);
        }
    }
    left
}

/// All variables that have one value at most where some have theirs.
fn determined(theory: &Theory, mut known: BTreeSet<Var>, body: &[Condition]) -> BTreeSet<Var> {
    loop {
        let n_known = known.len();
        for condition in body {
            let is_known = |term: &Term, known: &BTreeSet<Var>| match term {
                Term::Var(var) => known.contains(var),
                Term::Value(_) => true,
            };
            match condition {
                Condition::Holds(atom) => {
                    let kind = theory.kinds.get(atom.predicate.0 as usize);
                    let is_function = match kind {
                        Some(PredicateKind::Fluent(id)) => theory.fluent(*id).is_functional,
                        Some(PredicateKind::Static { arrow, .. }) => *arrow,
                        _ => false,
                    };
                    let Some((Term::Var(value), keys)) = atom.args.split_last() else { continue };
                    if is_function && keys.iter().all(|key| is_known(key, &known)) {
                        known.insert(*value);
                    }
                }
                Condition::Construct { whole, args, .. } if is_known(whole, &known) => {
                    known.extend(args.iter().filter_map(|arg| match arg {
                        Term::Var(var) => Some(*var),
                        Term::Value(_) => None,
                    }));
                }
                _ => {}
            }
        }
        if known.len() == n_known {
            return known;
        }
    }
}

/// The last number of a domain that has all numbers from zero to it.
fn most_of(base: &ClauseBase, domain: DomainId) -> Option<i32> {
    let values = &base.domain(domain).values;
    let is_next = |(value, number): (&Value, i32)| *value == Value::Int(number);
    let all = values.iter().zip(0..).all(is_next);
    all.then(|| i32::try_from(values.len()).ok()?.checked_sub(1)).flatten()
}

fn put(expr: &mut Expr, name: Var, count: &Expr) {
    match expr {
        Expr::Term(Term::Var(var)) if *var == name => *expr = count.clone(),
        Expr::Term(_) | Expr::Count { .. } => {}
        Expr::Binary(_, left, right) => {
            put(left, name, count);
            put(right, name, count);
        }
    }
}

/// Does something that is counted ask for a name?
fn is_in_count(expr: &Expr, name: Var) -> bool {
    match expr {
        Expr::Term(_) => false,
        Expr::Binary(_, left, right) => is_in_count(left, name) || is_in_count(right, name),
        Expr::Count { body, .. } => body.iter().any(|condition| has_var(condition, name)),
    }
}

pub(crate) fn has_count(expr: &Expr) -> bool {
    match expr {
        Expr::Term(_) => false,
        Expr::Binary(_, left, right) => has_count(left) || has_count(right),
        Expr::Count { .. } => true,
    }
}
