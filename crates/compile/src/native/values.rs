//! Values that are nothing but unlike others: said by what a thing has not.
//!
//! In: the conditions of a clause. Out: the same, where a fluent's value is only compared with what it must
//! not be, as negations: one row of tests instead of one for each value that is left. Invariant: the
//! conditions hold of the same values; a fluent that may have no value is left alone.

use rulesmith_logic::{Comparison, Condition, Expr, Term, Var, condition_vars};
use rulesmith_rules::{FluentDefault, PredicateKind, Theory};

use crate::state_layout::StateLayout;

/// A fluent with fewer values says what it has as briefly as what it has not.
const LEAST_VALUES: u32 = 3;

/// The conditions with negations in the place of values that are only compared.
pub(crate) fn say_by_others(
    theory: &Theory,
    layout: &StateLayout,
    head: &[Term],
    body: Vec<Condition>,
) -> Vec<Condition> {
    let mut body = body;
    let mut place = 0;
    while place < body.len() {
        match negations(theory, layout, head, (&body, place)) {
            Some((compared, negations)) => {
                let mut at = 0;
                body.retain(|_| {
                    at += 1;
                    at - 1 != place && !compared.contains(&(at - 1))
                });
                body.extend(negations);
                place = 0;
            }
            None => place += 1,
        }
    }
    body
}

/// What says the same as a condition that a fluent has a value and the comparisons of this value; with the
/// places of these.
fn negations(
    theory: &Theory,
    layout: &StateLayout,
    head: &[Term],
    (body, place): (&[Condition], usize),
) -> Option<(Vec<usize>, Vec<Condition>)> {
    let Condition::Holds(atom) = &body[place] else { return None };
    let PredicateKind::Fluent(id) = theory.kinds.get(atom.predicate.0 as usize)? else {
        return None;
    };
    let (fluent, described) = (layout.fluent(*id), theory.fluent(*id));
    let is_total = described.default != FluentDefault::Undefined;
    let is_meant = is_total && !fluent.is_scalar() && fluent.values.is_some();
    if !is_meant || fluent.n_values < LEAST_VALUES {
        return None;
    }
    let (Term::Var(var), keys) = atom.args.split_last()? else { return None };
    let own = Term::Var(*var);
    if head.contains(&own) || keys.contains(&own) {
        return None;
    }
    let (mut compared, mut negations) = (Vec::new(), Vec::new());
    for (other, condition) in body.iter().enumerate() {
        if other == place || !condition_vars(condition).contains(var) {
            continue;
        }
        let unlike = unlike(condition, *var).filter(|term| is_bound(body, place, *term))?;
        let args = keys.iter().copied().chain([unlike]).collect();
        let atom = rulesmith_logic::Atom { predicate: atom.predicate, args };
        negations.push(Condition::None { locals: Vec::new(), body: vec![Condition::Holds(atom)] });
        compared.push(other);
    }
    // What must not hold binds nothing, so the keys are said to be keys.
    let columns = keys.iter().zip(&fluent.keys.domains);
    let keys = columns.filter(|(term, _)| matches!(term, Term::Var(_)));
    negations.extend(keys.map(|(term, domain)| Condition::Member(*term, *domain)));
    (!compared.is_empty()).then_some((compared, negations))
}

/// What a comparison says that a variable is not.
fn unlike(condition: &Condition, var: Var) -> Option<Term> {
    let Condition::Compare(Comparison::Unequal, Expr::Term(one), Expr::Term(other)) = condition
    else {
        return None;
    };
    match (*one == Term::Var(var), *other == Term::Var(var)) {
        (true, false) => Some(*other),
        (false, true) => Some(*one),
        _ => None,
    }
}

/// Is a term known, whatever one of the conditions says?
fn is_bound(body: &[Condition], without: usize, term: Term) -> bool {
    let Term::Var(var) = term else { return true };
    let mut others = body.iter().enumerate().filter(|(place, _)| *place != without);
    others.any(|(_, condition)| match condition {
        Condition::Holds(_) | Condition::Member(..) => condition_vars(condition).contains(&var),
        _ => false,
    })
}
