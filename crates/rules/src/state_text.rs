//! State texts: `at(1, 1) = x, turn = o` — a state as a list of fluents, for people and for files.
//!
//! In: a text. Out: fluents, keys and values, checked against the theory. The syntax is that of
//! conditions in a rules file, ground. Invariant: every problem is reported with its place in the text.

use rulesmith_logic::{Comparison, Span, Symbols, Value};

use crate::rules_text::ast::{Condition, ConditionKind, Expr, ExprKind, ItemKind};
use crate::rules_text::{ParseLimits, parse_file};
use crate::source::{Diagnostic, Diagnostics, nearest};
use crate::theory::{FluentId, Theory};
use crate::wording::value_text;

/// One fluent of a state text: its keys, and its value unless it is boolean.
pub type Assigned = (FluentId, Vec<Value>, Option<Value>);

/// What stands before a state text to make it an item of a rules file.
const PREFIX: &str = "terminal :- ";

/// Reads a state text. Spans count from the start of the text.
pub fn parse_state_text(
    theory: &Theory,
    symbols: &mut Symbols,
    text: &str,
) -> Result<Vec<Assigned>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let trimmed = text.trim_end().trim_end_matches('.');
    let item = format!("{PREFIX}{trimmed} .");
    let file = parse_file(0, &item, &ParseLimits::default(), &mut diagnostics);
    let mut assigned = Vec::new();
    match &file.items[..] {
        [item] => {
            if let ItemKind::Terminal(body) = &item.kind {
                for condition in body {
                    assigned.extend(read_condition(theory, symbols, condition, &mut diagnostics));
                }
            }
        }
        [_, second, ..] if !diagnostics.has_errors() => {
            let message = "a state is one list of fluents, separated by commas";
            diagnostics.report(Diagnostic::error("state", second.span, message));
        }
        _ => {}
    }
    let skipped = u32::try_from(PREFIX.len()).unwrap_or(0);
    for problem in &mut diagnostics.list {
        problem.span = moved_back(problem.span, skipped);
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(assigned) }
}

fn moved_back(span: Span, by: u32) -> Span {
    Span { start: span.start.saturating_sub(by), end: span.end.saturating_sub(by), ..span }
}

fn read_condition(
    theory: &Theory,
    symbols: &mut Symbols,
    condition: &Condition,
    diagnostics: &mut Diagnostics,
) -> Option<Assigned> {
    let (applied, value) = match &condition.kind {
        ConditionKind::Holds(applied) => (applied, None),
        ConditionKind::Compare(Comparison::Equal, applied, value) => (applied, Some(value)),
        _ => {
            let message = "a state says only which fluents have which values";
            let problem = Diagnostic::error("state", condition.span, message);
            diagnostics.report(problem.help("write `fluent(keys) = value, …`"));
            return None;
        }
    };
    let (name, args): (&str, &[Expr]) = match &applied.kind {
        ExprKind::Name(name) => (name, &[]),
        ExprKind::Apply(name, args) => (&name.text, args),
        _ => ("", &[]),
    };
    let found =
        theory.fluents.iter().position(|fluent| fluent.name == name && fluent.n_keys == args.len());
    let Some(place) = found else {
        diagnostics.report(unknown_fluent(theory, name, args.len(), applied.span));
        return None;
    };
    let fluent = &theory.fluents[place];
    if fluent.is_functional != value.is_some() {
        let message = if fluent.is_functional {
            format!("`{name}` needs a value")
        } else {
            format!("`{name}` is boolean: name it if it holds, leave it out if not")
        };
        diagnostics.report(Diagnostic::error("state", condition.span, message));
        return None;
    }
    let mut read = Vec::new();
    for (expr, domain) in
        args.iter().chain(value).zip(&theory.base.predicate(fluent.predicate).domains)
    {
        let ground = ground(symbols, expr);
        let known = ground.filter(|value| {
            domain.is_none_or(|domain| theory.base.domain(domain).values.contains(value))
        });
        if known.is_none() {
            diagnostics.report(not_a_value(theory, symbols, expr, *domain));
        }
        read.push(known?);
    }
    let value = if fluent.is_functional { read.pop() } else { None };
    Some((FluentId(place), read, value))
}

fn unknown_fluent(theory: &Theory, name: &str, n_keys: usize, span: Span) -> Diagnostic {
    if let Some(known) = theory.fluents.iter().find(|fluent| fluent.name == name) {
        let message = format!("`{name}` takes {} keys, {n_keys} are given", known.n_keys);
        return Diagnostic::error("wrong-arity", span, message);
    }
    let message = format!("there is no fluent `{name}`");
    let problem = Diagnostic::error("unknown-fluent", span, message);
    let names = theory.fluents.iter().map(|fluent| fluent.name.as_str());
    match nearest(name, names.clone()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help(format!("the fluents are: {}", names.collect::<Vec<_>>().join(", "))),
    }
}

/// The problem that an expression is no value of a sort.
pub(crate) fn not_a_value(
    theory: &Theory,
    symbols: &Symbols,
    expr: &Expr,
    domain: Option<rulesmith_logic::DomainId>,
) -> Diagnostic {
    let Some(domain) = domain else {
        return Diagnostic::error("state", expr.span, "this is not a value");
    };
    let domain = theory.base.domain(domain);
    let message = format!("this is not a value of the sort `{}`", domain.name);
    let texts: Vec<String> =
        domain.values.iter().take(200).map(|value| value_text(symbols, *value)).collect();
    let problem = Diagnostic::error("sort-mismatch", expr.span, message);
    let written = if let ExprKind::Name(name) = &expr.kind { name.as_str() } else { "" };
    if !written.is_empty()
        && let Some(near) = nearest(written, texts.iter().map(String::as_str))
    {
        return problem.help(format!("did you mean `{near}`?"));
    }
    let few: Vec<&str> = texts.iter().take(12).map(String::as_str).collect();
    let more = if texts.len() > 12 { ", …" } else { "" };
    problem.help(format!("its values are {}{more}", few.join(", ")))
}

/// The value of a ground expression.
pub(crate) fn ground(symbols: &mut Symbols, expr: &Expr) -> Option<Value> {
    match &expr.kind {
        ExprKind::Int(number) => i32::try_from(*number).ok().map(Value::Int),
        ExprKind::Negate(inner) => match ground(symbols, inner)? {
            Value::Int(number) => number.checked_neg().map(Value::Int),
            _ => None,
        },
        ExprKind::Name(name) => symbols.find(name).map(Value::Symbol),
        ExprKind::Apply(name, args) => {
            let functor = symbols.find(&name.text)?;
            let args: Option<Vec<Value>> = args.iter().map(|arg| ground(symbols, arg)).collect();
            Some(symbols.compound(functor, &args?))
        }
        ExprKind::Tuple(args) => {
            let functor = symbols.symbol("");
            let args: Option<Vec<Value>> = args.iter().map(|arg| ground(symbols, arg)).collect();
            Some(symbols.compound(functor, &args?))
        }
        _ => None,
    }
}
