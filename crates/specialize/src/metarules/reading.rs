//! Reading order: a canonical metarule renamed and ordered the way a person would write it.
//!
//! In: a body and a consequence in canonical form. Out: the same with the atoms following one another
//! as a walk, tests behind them, and variables numbered as they are met. Invariant: the result is a
//! function of the canonical form, so variants still come out equal.

use rulesmith_logic::{Comparison, Condition, Expr, Term, Var, condition_vars, substitute};

use super::dependency::Consequence;

/// Orders the body as a walk and numbers the variables as they are met.
pub(crate) fn reading_order(
    body: &[Condition],
    consequence: &Consequence,
) -> (Vec<Condition>, Consequence) {
    let mut left: Vec<&Condition> = body.iter().collect();
    let mut order: Vec<&Condition> = Vec::with_capacity(left.len());
    let mut met: Vec<Var> = Vec::new();
    while !left.is_empty() {
        let rank = |part: &Condition| rank(part, &met, &left);
        let best = (0..left.len()).min_by_key(|&place| rank(left[place])).unwrap_or_default();
        let next = left.remove(best);
        meet(next, &mut met);
        order.push(next);
    }
    if let Some(conclusion) = consequence.as_condition() {
        meet(&conclusion, &mut met);
    }
    let rename = |var: Var| {
        let place = met.iter().position(|other| *other == var).unwrap_or_default();
        Term::Var(Var(u16::try_from(place).unwrap_or(var.0)))
    };
    let body = order.into_iter().map(|part| in_order(&substitute(part, &rename))).collect();
    let consequence = match consequence.renamed(&rename) {
        Consequence::Holds(condition) => Consequence::Holds(in_order(&condition)),
        other => other,
    };
    (body, consequence)
}

/// Notes the variables of a condition, first arguments first.
fn meet(condition: &Condition, met: &mut Vec<Var>) {
    let mut note = |var: Var| {
        if !met.contains(&var) {
            met.push(var);
        }
    };
    if let Condition::Holds(atom) = condition {
        atom.args.iter().for_each(|term| {
            if let Term::Var(var) = term {
                note(*var);
            }
        });
    }
    condition_vars(condition).into_iter().for_each(note);
}

/// Less is sooner: atoms before tests, a walk goes on from where it is, and begins at a source.
fn rank(part: &Condition, met: &[Var], left: &[&Condition]) -> (bool, bool, usize, bool) {
    let Condition::Holds(atom) = part else { return (true, false, 0, false) };
    let is_met = |term: &Term| matches!(term, Term::Var(var) if met.contains(var));
    let is_linked = met.is_empty() || atom.args.iter().any(is_met);
    // The latest variable first: the end of the walk.
    let from = atom.args.first().and_then(|term| match term {
        Term::Var(var) => met.iter().rev().position(|other| other == var),
        Term::Value(_) => None,
    });
    let is_entered = atom.args.first().is_some_and(|first| {
        left.iter().any(|other| match other {
            Condition::Holds(other) => other.args.iter().skip(1).any(|term| term == first),
            _ => false,
        })
    });
    (false, !is_linked, from.unwrap_or(met.len()), is_entered)
}

/// A symmetric comparison with its earlier variable on the left.
fn in_order(condition: &Condition) -> Condition {
    match condition {
        Condition::Compare(
            comparison @ (Comparison::Equal | Comparison::Unequal),
            Expr::Term(left @ Term::Var(_)),
            Expr::Term(right @ Term::Var(_)),
        ) if right < left => Condition::Compare(*comparison, Expr::Term(*right), Expr::Term(*left)),
        other => other.clone(),
    }
}
