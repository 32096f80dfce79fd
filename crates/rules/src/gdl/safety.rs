//! Safety: every variable of a rule is bound by a positive condition of its body.
//!
//! In: a statement. Out: an error for each variable of the head, of a `not` or of a `distinct` that
//! no positive relation binds. A variable is bound by an `or` when every alternative binds it. What
//! `demand` finds out later can turn the error into a warning.
//! Paper: GDL specification § 3 (safe rules). Invariant: a safe rule concludes ground sentences only.

use std::collections::BTreeSet;

use rulesmith_logic::{Span, Symbols};

use super::demand::Verdict;
use super::statement::{Literal, Statement};
use crate::source::{Diagnostic, Diagnostics, Severity};

type Bound = BTreeSet<u32>;

/// The name of the problem.
pub(super) const CODE: &str = "unsafe-variable";

/// A variable that no positive condition binds, and where it is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsafe {
    pub(super) variable: u32,
    pub(super) span: Span,
    pub(super) place: &'static str,
}

/// Reports the unsafe variables of a statement.
pub(super) fn check_safety(
    statement: &Statement,
    symbols: &Symbols,
    diagnostics: &mut Diagnostics,
) {
    for unsafe_use in unsafe_variables(statement) {
        diagnostics.report(error(unsafe_use, statement, symbols));
    }
}

/// The unsafe variables of a statement, each once.
pub(super) fn unsafe_variables(statement: &Statement) -> Vec<Unsafe> {
    let mut bound = Bound::new();
    bind_all(&statement.body, &mut bound);
    let mut unsafe_uses = Vec::new();
    let mut visit = |variable| {
        if !bound.contains(&variable) {
            let span = statement.head.span;
            unsafe_uses.push(Unsafe { variable, span, place: "the head" });
        }
    };
    statement.head.each_variable(&mut visit);
    collect_unsafe(&statement.body, &bound, &mut unsafe_uses);
    let mut seen = Bound::new();
    unsafe_uses.retain(|unsafe_use| seen.insert(unsafe_use.variable));
    unsafe_uses
}

fn error(unsafe_use: Unsafe, statement: &Statement, symbols: &Symbols) -> Diagnostic {
    let Unsafe { variable, span, place } = unsafe_use;
    let variable = &statement.variables[variable as usize];
    let relation = symbols.name(statement.head.relation);
    let message =
        format!("the rule is not safe: no positive condition binds `{variable}`, used in {place}");
    let help =
        format!("add a condition that says what `{variable}` may be in this rule for `{relation}`");
    Diagnostic::error(CODE, span, message).label("not bound").help(help)
}

/// Says in place of each error what was found out about the rule since.
pub(super) fn settle(
    statement: &Statement,
    verdict: Verdict,
    symbols: &Symbols,
    diagnostics: &mut Diagnostics,
) {
    let relation = symbols.name(statement.head.relation);
    for unsafe_use in unsafe_variables(statement) {
        let before = error(unsafe_use, statement, symbols);
        let variable = &statement.variables[unsafe_use.variable as usize];
        let after = match verdict {
            Verdict::Refused => continue,
            Verdict::Ranged => Diagnostic {
                severity: Severity::Warning,
                message: format!(
                    "{}: it is what those who ask for `{relation}` say",
                    before.message
                ),
                ..before.clone()
            },
            Verdict::Unasked => Diagnostic {
                severity: Severity::Warning,
                message: format!(
                    "{}, and nothing in the game asks for `{relation}`",
                    before.message
                ),
                help: Some("leave the rule out, as is done here, or bind the variable".into()),
                ..before.clone()
            },
            Verdict::AskedOpen(asker) => {
                let help = format!(
                    "add a condition that says what `{variable}` may be in this rule for `{relation}`, \
                    or ask for `{relation}` after conditions that give it a value"
                );
                let why = format!("asks for `{relation}` before `{variable}` has a value");
                let is_other = asker != statement.span;
                Diagnostic {
                    help: if is_other { Some(help) } else { before.help.clone() },
                    related: is_other.then_some((asker, why)).into_iter().collect(),
                    ..before.clone()
                }
            }
        };
        diagnostics.list.iter_mut().filter(|known| **known == before).for_each(|known| {
            *known = after.clone();
        });
    }
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
fn collect_unsafe(literals: &[Literal], bound: &Bound, unsafe_uses: &mut Vec<Unsafe>) {
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
                unsafe_uses.push(Unsafe { variable, span: literal.span(), place });
            }
        });
    }
}
