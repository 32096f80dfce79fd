//! Values that nothing ever places, and goals that wait for them.
//!
//! In: the start and the effects of each fluent. Out: warnings. A value that is only copied from one
//! key of the same fluent to another is not placed by that.

use rulesmith_logic::{Clause, Condition, Term, Value, Var};
use rustc_hash::FxHashSet;

use crate::source::{Diagnostic, Diagnostics};
use crate::theory::{Fluent, FluentDefault, Theory};
use crate::wording::value_text;

pub(crate) fn values_never_placed(theory: &Theory, diagnostics: &mut Diagnostics) {
    for fluent in theory.fluents.iter().filter(|fluent| fluent.is_functional) {
        let domains = &theory.base.predicate(fluent.predicate).domains;
        let Some(domain) = domains.last().copied().flatten() else { continue };
        let Some(placed) = placed_values(theory, fluent) else { continue };
        let values = theory.base.domain(domain).values.iter().copied();
        let missing: Vec<Value> = values.filter(|value| !placed.contains(value)).collect();
        if missing.is_empty() {
            continue;
        }
        let texts: Vec<String> = missing
            .iter()
            .take(5)
            .map(|value| format!("`{}`", value_text(&theory.symbols, *value)))
            .collect();
        let more = if missing.len() > 5 { ", …" } else { "" };
        let message =
            format!("nothing ever gives `{}` the value {}{more}", fluent.name, texts.join(", "));
        diagnostics.report(Diagnostic::warning("never-placed", fluent.span, message));
        goals_that_wait(theory, fluent, &missing, diagnostics);
    }
}

/// The values a fluent can be given, or `None` when any is possible.
fn placed_values(theory: &Theory, fluent: &Fluent) -> Option<FxHashSet<Value>> {
    let mut placed = FxHashSet::default();
    if let FluentDefault::Value(value) = fluent.default {
        placed.insert(value);
    }
    for assignments in [fluent.init, fluent.assign, fluent.deferred] {
        for clause in theory.base.clauses_of(assignments) {
            match clause.head.args.last()? {
                Term::Value(value) => {
                    placed.insert(*value);
                }
                Term::Var(var) if is_copied(fluent, clause, *var) => {}
                Term::Var(var) => {
                    let domain = clause.variables[var.0 as usize].domain?;
                    placed.extend(theory.base.domain(domain).values.iter().copied());
                }
            }
        }
    }
    Some(placed)
}

/// Is the variable the value of the same fluent at some key?
fn is_copied(fluent: &Fluent, clause: &Clause, var: Var) -> bool {
    clause.body.iter().any(|condition| match condition {
        Condition::Holds(atom) => {
            atom.predicate == fluent.predicate && atom.args.last() == Some(&Term::Var(var))
        }
        _ => false,
    })
}

fn goals_that_wait(
    theory: &Theory,
    fluent: &Fluent,
    missing: &[Value],
    diagnostics: &mut Diagnostics,
) {
    for clause in theory.base.clauses_of(theory.goal) {
        let waits = clause.body.iter().any(|condition| match condition {
            Condition::Holds(atom) if atom.predicate == fluent.predicate => {
                missing.iter().any(|value| atom.args.last() == Some(&Term::Value(*value)))
            }
            _ => false,
        });
        if waits {
            let message =
                format!("this goal cannot be reached: `{}` never has that value", fluent.name);
            diagnostics.report(Diagnostic::warning("unreachable-goal", clause.span, message));
        }
    }
}
