//! Effects that contradict each other whenever both apply.
//!
//! In: the assignments to each fluent. Out: an error for each pair where one applies whenever the
//! other does, to the same key, with another value. What cannot be proved here is found at run time.

use rulesmith_logic::{
    Clause, Condition, PredicateId, Span, Term, Var, substitute, substitute_term,
};

use crate::source::{Diagnostic, Diagnostics};
use crate::theory::Theory;

pub(crate) fn conflicting_effects(theory: &Theory, diagnostics: &mut Diagnostics) {
    for fluent in &theory.fluents {
        for assignments in [fluent.assign, fluent.deferred] {
            report_pairs(theory, assignments, &fluent.name, diagnostics);
        }
    }
}

fn report_pairs(
    theory: &Theory,
    assignments: PredicateId,
    name: &str,
    diagnostics: &mut Diagnostics,
) {
    let clauses = theory.base.clauses_of(assignments);
    let mut reported: Vec<(Span, Span)> = Vec::new();
    for (place, first) in clauses.iter().enumerate() {
        for second in &clauses[place + 1..] {
            let is_known = reported.contains(&(first.span, second.span));
            if is_known || !(contradicts(first, second) || contradicts(second, first)) {
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
fn contradicts(general: &Clause, special: &Clause) -> bool {
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
        && match_body(&general.body, &special.body, &mut map)
}

/// Maps the general clause's atoms one by one onto atoms of the special one, then compares the rest.
fn match_body(general: &[Condition], special: &[Condition], map: &mut [Option<Term>]) -> bool {
    let Some((first, rest)) = general.split_first() else { return true };
    if let Condition::Holds(atom) = first {
        return special.iter().any(|condition| {
            let Condition::Holds(other) = condition else { return false };
            let mut tried = map.to_vec();
            atom.predicate == other.predicate
                && match_terms(&atom.args, &other.args, &mut tried)
                && match_body(rest, special, &mut tried)
        });
    }
    let mapped = substitute(first, &|var: Var| map[var.0 as usize].unwrap_or(Term::Var(var)));
    special.contains(&mapped) && match_body(rest, special, map)
}

fn match_terms(general: &[Term], special: &[Term], map: &mut [Option<Term>]) -> bool {
    general.iter().zip(special).all(|(term, other)| match term {
        Term::Var(var) => *map[var.0 as usize].get_or_insert(*other) == *other,
        value @ Term::Value(_) => substitute_term(*value, &Term::Var) == *other,
    })
}
