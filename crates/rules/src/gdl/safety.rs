//! Safety: every variable of a rule is bound by a positive condition of its body.
//!
//! In: a statement. Out: an error for each variable of the head, of a `not` or of a `distinct` that
//! no positive relation binds. A variable is bound by an `or` when every alternative binds it.
//! Paper: GDL specification § 3 (safe rules). Invariant: a safe rule concludes ground sentences only.

use std::collections::BTreeSet;

use rulesmith_logic::{Span, Symbols};

use super::statement::{Literal, Statement};
use crate::source::{Diagnostic, Diagnostics};

type Bound = BTreeSet<u32>;

/// Reports the unsafe variables of a statement.
pub(super) fn check_safety(
    statement: &Statement,
    symbols: &Symbols,
    diagnostics: &mut Diagnostics,
) {
    let mut bound = Bound::new();
    bind_all(&statement.body, &mut bound);
    let mut unsafe_uses = Vec::new();
    let mut visit = |variable| {
        if !bound.contains(&variable) {
            unsafe_uses.push((variable, statement.head.span, "the head"));
        }
    };
    statement.head.each_variable(&mut visit);
    collect_unsafe(&statement.body, &bound, &mut unsafe_uses);
    let mut reported = Bound::new();
    for (variable, span, place) in unsafe_uses {
        if reported.insert(variable) {
            let name = &statement.variables[variable as usize];
            diagnostics.report(report(name, place, span, symbols.name(statement.head.relation)));
        }
    }
}

fn report(variable: &str, place: &str, span: Span, relation: &str) -> Diagnostic {
    let message =
        format!("the rule is not safe: no positive condition binds `{variable}`, used in {place}");
    let help =
        format!("add a condition that says what `{variable}` may be in this rule for `{relation}`");
    Diagnostic::error("unsafe-variable", span, message).label("not bound").help(help)
}

/// Adds the variables that the conditions, taken together, bind.
fn bind_all(literals: &[Literal], bound: &mut Bound) {
    for literal in literals {
        match literal {
            Literal::Sentence(sentence) => sentence.each_variable(&mut |variable| {
                bound.insert(variable);
            }),
            Literal::And(items) => bind_all(items, bound),
            Literal::Or(items) => bound.extend(bound_by_every(items)),
            Literal::Distinct(..) | Literal::Not(..) => {}
        }
    }
}

fn bound_by_every(alternatives: &[Literal]) -> Bound {
    let each = alternatives.iter().map(|alternative| {
        let mut bound = Bound::new();
        bind_all(std::slice::from_ref(alternative), &mut bound);
        bound
    });
    each.reduce(|left, right| left.intersection(&right).copied().collect()).unwrap_or_default()
}

/// Collects the uses under `not` and `distinct` that are not bound around them.
fn collect_unsafe(
    literals: &[Literal],
    bound: &Bound,
    unsafe_uses: &mut Vec<(u32, Span, &'static str)>,
) {
    for literal in literals {
        let place = match literal {
            Literal::Sentence(_) => continue,
            Literal::And(items) => {
                collect_unsafe(items, bound, unsafe_uses);
                continue;
            }
            Literal::Or(items) => {
                for alternative in items {
                    let mut inside = bound.clone();
                    bind_all(std::slice::from_ref(alternative), &mut inside);
                    collect_unsafe(std::slice::from_ref(alternative), &inside, unsafe_uses);
                }
                continue;
            }
            Literal::Distinct(..) => "a `distinct`",
            Literal::Not(..) => "a `not`",
        };
        literal.each_variable(&mut |variable| {
            if !bound.contains(&variable) {
                unsafe_uses.push((variable, literal.span(), place));
            }
        });
    }
}
