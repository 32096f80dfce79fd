//! Writing: conditions and bodies of the syntax tree as text.
//!
//! In: syntax trees. Out: text that parses back to them.

use rulesmith_logic::Comparison;

use super::write::{expr, name, names, variables};
use crate::rules_text::ast::{Condition, ConditionKind, Name};

/// ` :- C, D`, or nothing.
pub(super) fn body(body: &[Condition]) -> String {
    if body.is_empty() { String::new() } else { format!(" :- {}", conditions(body)) }
}

/// Conditions joined by commas.
pub(super) fn conditions(body: &[Condition]) -> String {
    body.iter().map(condition).collect::<Vec<_>>().join(", ")
}

fn condition(written: &Condition) -> String {
    match &written.kind {
        ConditionKind::Holds(atom) => expr(atom),
        ConditionKind::Compare(comparison, left, right) => {
            format!("{} {} {}", expr(left), sign(*comparison), expr(right))
        }
        ConditionKind::Not(body) => negation(body),
        ConditionKind::None { locals, body } => {
            format!("none {{ {} : {} }}", variables(locals), conditions(body))
        }
        ConditionKind::AnyOf(alternatives) => {
            let alternatives: Vec<String> =
                alternatives.iter().map(|body| conditions(body)).collect();
            format!("({})", alternatives.join(" ; "))
        }
        ConditionKind::Does { role, act } => format!("{} does {}", expr(role), expr(act)),
        ConditionKind::Legal { role, act } => {
            let act = act.as_ref().map_or_else(|| "any".to_owned(), expr);
            format!("legal {} does {act}", expr(role))
        }
        ConditionKind::After { role, act, body } => {
            let role = role.as_ref().map_or(String::new(), |role| expr(role) + " does ");
            format!("after({role}{}, {})", expr(act), conditions(body))
        }
        ConditionKind::Repeated { times, over } => {
            format!("repeated({}{})", expr(times), over_text(over.as_deref()))
        }
        ConditionKind::Since { event, steps } => format!("since({}, {})", name(event), expr(steps)),
        ConditionKind::Cycle { role, body, over } => {
            format!("cycle({}, {}{})", expr(role), conditions(body), over_text(over.as_deref()))
        }
    }
}

fn negation(body: &[Condition]) -> String {
    match body {
        [only] => format!("not {}", condition(only)),
        _ => format!("not ({})", conditions(body)),
    }
}

fn over_text(over: Option<&[Name]>) -> String {
    over.map_or(String::new(), |over| format!(", over [{}]", names(over)))
}

/// The sign of a comparison.
pub(super) fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::Unequal => "\\=",
        Comparison::Less => "<",
        Comparison::AtMost => "=<",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    }
}
