//! Sharing: clauses that differ in a value count once.
//!
//! In: a clause of a program. Out: the same with the values of counts in variables, so that the trees
//! of several clauses begin alike. Invariant: the clause says what it said.

use std::collections::BTreeSet;

use rulesmith_logic::{Atom, Clause, Condition, PredicateId, Term, Var, atom_vars};
use rulesmith_rules::{PredicateKind, Theory};

use crate::flat::fresh;
use crate::simplify::equation;

/// Counts that are compared with values get a variable, so that clauses that differ only in the value
/// count once.
pub(crate) fn share_counts(mut clause: Clause) -> Clause {
    use rulesmith_logic::{Comparison, Expr};
    let mut tests = Vec::new();
    for condition in &mut clause.body {
        let Condition::Compare(Comparison::Equal, left, Expr::Count { .. }) = condition else {
            continue;
        };
        if let Expr::Term(value @ Term::Value(_)) = *left {
            let var = Term::Var(fresh(&mut clause.variables, "N"));
            *left = Expr::Term(var);
            tests.push(equation(var, value));
        }
    }
    clause.body.extend(tests);
    clause
}

/// The variables of the head, which nothing may remove.
pub(crate) fn head_vars(head: &Atom) -> Vec<Var> {
    atom_vars(head).into_iter().collect()
}

/// Kept functions are called by their keys, so that all who ask for a value share one call.
pub(crate) fn share_calls(theory: &Theory, keep: &BTreeSet<PredicateId>, clause: &mut Clause) {
    let is_used = |term: Term, place: usize| match term {
        Term::Value(_) => true,
        Term::Var(var) => clause.body.iter().enumerate().any(|(other, condition)| {
            let Condition::Holds(atom) = condition else { return false };
            other != place && atom_vars(atom).contains(&var)
        }),
    };
    let mut shared = Vec::new();
    for (place, condition) in clause.body.iter().enumerate() {
        let Condition::Holds(atom) = condition else { continue };
        let is_kept = keep.contains(&atom.predicate);
        if is_kept
            && *theory.kind(atom.predicate) == PredicateKind::DerivedFunction
            && let Some(last) = atom.args.last().filter(|last| is_used(**last, place))
        {
            shared.push((place, *last));
        }
    }
    for (place, value) in shared {
        let var = Term::Var(fresh(&mut clause.variables, "N"));
        if let Condition::Holds(Atom { args, .. }) = &mut clause.body[place]
            && let Some(last) = args.last_mut()
        {
            *last = var;
        }
        clause.body.push(equation(var, value));
    }
}
