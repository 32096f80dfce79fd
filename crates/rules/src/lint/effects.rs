//! Effects that contradict each other whenever both apply.
//!
//! In: the assignments to each fluent. Out: an error for each pair where one applies whenever the
//! other does, to the same key, with another value. What cannot be proved here is found at run time.

use std::cell::Cell;

use rulesmith_logic::{Clause, Condition, Span, Term, Var, substitute};

use crate::source::{Diagnostic, Diagnostics};
use crate::theory::Theory;

/// How many pairs of atoms may be compared before the rest is let pass.
const MATCH_STEPS: u32 = 200_000;

pub(crate) fn conflicting_effects(theory: &Theory, diagnostics: &mut Diagnostics) {
    let steps = Cell::new(MATCH_STEPS);
    for fluent in &theory.fluents {
        for assignments in [fluent.assign, fluent.deferred] {
            report_pairs(theory.base.clauses_of(assignments), &fluent.name, &steps, diagnostics);
        }
    }
}

fn report_pairs(clauses: &[Clause], name: &str, steps: &Cell<u32>, diagnostics: &mut Diagnostics) {
    let mut reported: Vec<(Span, Span)> = Vec::new();
    for (place, first) in clauses.iter().enumerate() {
        for second in &clauses[place + 1..] {
            if steps.get() == 0 {
                return;
            }
            let is_known = reported.contains(&(first.span, second.span));
            let clash = || contradicts(first, second, steps) || contradicts(second, first, steps);
            if is_known || !clash() {
                continue;
            }
            reported.push((first.span, second.span));
            let message =
                format!("these effects always give `{name}` two different values at once");
            let problem = Diagnostic::error("conflicting-effects", second.span, message);
            diagnostics.report(problem.related(first.span, "the other effect"));
        }
    }
}

/// Does the general clause apply whenever the special one does, to the same key, with another value?
fn contradicts(general: &Clause, special: &Clause, steps: &Cell<u32>) -> bool {
    let (Some((general_value, general_keys)), Some((special_value, special_keys))) =
        (general.head.args.split_last(), special.head.args.split_last())
    else {
        return false;
    };
    let (Term::Value(first), Term::Value(second)) = (general_value, special_value) else {
        return false;
    };
    let mut map: Vec<Option<Term>> = vec![None; general.variables.len()];
    first != second
        && match_terms(general_keys, special_keys, &mut map)
        && match_body(&general.body, &special.body, &mut map, steps)
}

/// Maps the general clause's atoms one by one onto atoms of the special one, then compares the rest.
fn match_body(
    general: &[Condition],
    special: &[Condition],
    map: &mut [Option<Term>],
    steps: &Cell<u32>,
) -> bool {
    let Some((first, rest)) = general.split_first() else { return true };
    if let Condition::Holds(atom) = first {
        return special.iter().any(|condition| {
            let Condition::Holds(other) = condition else { return false };
            let Some(left) = steps.get().checked_sub(1) else { return false };
            steps.set(left);
            let mut tried = map.to_vec();
            atom.predicate == other.predicate
                && match_terms(&atom.args, &other.args, &mut tried)
                && match_body(rest, special, &mut tried, steps)
        });
    }
    let mapped = substitute(first, &|var: Var| map[var.0 as usize].unwrap_or(Term::Var(var)));
    special.contains(&mapped) && match_body(rest, special, map, steps)
}

fn match_terms(general: &[Term], special: &[Term], map: &mut [Option<Term>]) -> bool {
    general.iter().zip(special).all(|(term, other)| match term {
        Term::Var(var) => *map[var.0 as usize].get_or_insert(*other) == *other,
        value @ Term::Value(_) => value == other,
    })
}
