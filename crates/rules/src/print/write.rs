//! Writing: items, sorts and expressions of the syntax tree as text.
//!
//! In: syntax trees. Out: text that parses back to them, names quoted and operators in parentheses
//! where they must be.

use rulesmith_logic::Operation;

use super::wrap::wrap;
use super::write_conditions::{body, conditions};
use crate::rules_text::ast::{
    Assignment, DataSource, Doer, Expr, ExprKind, ItemKind, Name, NotationPart, SortExpr,
    SortExprKind, Text,
};
use crate::wording::name_text;

/// An item with its full stop and line end, wrapped where it is too long.
pub(super) fn item_text(item: &ItemKind) -> String {
    match item {
        ItemKind::Data { .. } | ItemKind::Picture { .. } => declaration(item) + ".\n",
        _ => wrap(&(declaration(item) + ".")) + "\n",
    }
}

fn declaration(item: &ItemKind) -> String {
    match item {
        ItemKind::Version(number) => format!("rules {number}"),
        ItemKind::Game(game) => format!("game {}", name(game)),
        ItemKind::Include(path) => format!("include {}", string(path)),
        ItemKind::Param { name: param, value } => {
            format!("param {} = {}", name(param), expr(value))
        }
        ItemKind::Data { name: data, sort: tile, source } => {
            format!("data {} : {}{}", name(data), sort(tile), data_source(source))
        }
        ItemKind::Role(roles) => format!("role {}", names(roles)),
        ItemKind::Sort { name: sort_name, definition } => {
            format!("sort {} = {}", name(sort_name), sort(definition))
        }
        ItemKind::Predicate { is_static, name: relation, args, result } => {
            let keyword = if *is_static { "static" } else { "derived" };
            format!("{keyword} {}", declared(relation, args, result.as_ref()))
        }
        ItemKind::Fluent { name: fluent, keys, value, default, is_transient } => {
            let keyword = if *is_transient { "transient fluent" } else { "fluent" };
            let value = value.as_ref().map_or(String::new(), |value| format!(" : {}", sort(value)));
            let default =
                default.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
            format!("{keyword} {}{value}{default}", declared(fluent, keys, None))
        }
        ItemKind::Move { name: act, params } => format!("move {}", declared(act, params, None)),
        ItemKind::TurnsByResult(by_result) => {
            format!("turns by {}", if *by_result { "result" } else { "path" })
        }
        _ => notation(item).unwrap_or_else(|| clause(item)),
    }
}

fn clause(item: &ItemKind) -> String {
    match item {
        ItemKind::Init { fluent, value, body: rest } => {
            let value = value.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
            format!("init {}{value}{}", expr(fluent), body(rest))
        }
        ItemKind::Legal { role, act, body: rest } => {
            format!("legal {} does {}{}", expr(role), expr(act), body(rest))
        }
        ItemKind::Effect { is_deferred, by, assignments, body: rest } => {
            let keyword = if *is_deferred { "deferred effect" } else { "effect" };
            let assignment =
                |one: &Assignment| format!("{} := {}", expr(&one.fluent), expr(&one.value));
            let assigned: Vec<String> = assignments.iter().map(assignment).collect();
            format!("{keyword} {} : {}{}", doer(by), assigned.join(", "), body(rest))
        }
        ItemKind::Continue(rest) => format!("continue{}", body(rest)),
        ItemKind::Prefer { value, body: rest } => {
            format!("prefer max({}){}", expr(value), body(rest))
        }
        ItemKind::Terminal(rest) => format!("terminal{}", body(rest)),
        ItemKind::Draw(rest) => format!("draw{}", body(rest)),
        ItemKind::Goal { role, value, body: rest } => {
            format!("goal({}, {}){}", expr(role), expr(value), body(rest))
        }
        ItemKind::Target { name: target, args, body: rest } => {
            let args = if args.is_empty() { String::new() } else { format!("({})", exprs(args)) };
            format!("target {}{args}{}", name(target), body(rest))
        }
        ItemKind::Object { name: object, element, body: rest, link, same } => {
            let same = same.as_ref().map_or(String::new(), |same| format!(" ; same {}", same.text));
            let (object, element, link) = (name(object), &element.text, name(link));
            format!(
                "object {object} = component({element} : {} ; link {link}{same})",
                conditions(rest)
            )
        }
        ItemKind::Clause { head, body: rest } => clause_head(head) + &body(rest),
        _ => String::new(),
    }
}

/// A head that is no item form: `goal` with other than two arguments is quoted.
fn clause_head(head: &Expr) -> String {
    let text = expr(head);
    if text.starts_with("goal(") { text.replacen("goal", "'goal'", 1) } else { text }
}

fn notation(item: &ItemKind) -> Option<String> {
    Some(match item {
        ItemKind::Glyphs { fluent, glyphs } => {
            let fluent =
                fluent.as_ref().map_or(String::new(), |fluent| format!("{} : ", name(fluent)));
            let glyph =
                |(value, glyph): &(Expr, Text)| format!("{} = {}", expr(value), string(glyph));
            format!("glyph {fluent}{}", glyphs.iter().map(glyph).collect::<Vec<_>>().join(", "))
        }
        ItemKind::Letters { sort: letters, text } => {
            format!("letters {} = {}", name(letters), string(text))
        }
        ItemKind::MoveNotation { act, parts: written } => {
            format!("notation {} = {}", expr(act), parts(written))
        }
        ItemKind::PositionNotation { parts: written } => {
            format!("notation position = {}", parts(written))
        }
        ItemKind::Display { fluent, across, down, is_up, slant } => {
            let direction = if *is_up { "up" } else { "down" };
            let down =
                down.as_ref().map_or(String::new(), |down| format!(", {direction} {}", down.text));
            let slant = if *slant == 0 { String::new() } else { format!(", slant {slant}") };
            format!("display {} across {}{down}{slant}", expr(fluent), across.text)
        }
        ItemKind::Picture { fluent, text } => {
            format!("picture {} = {}", name(fluent), long_string(text))
        }
        _ => return None,
    })
}

fn parts(parts: &[NotationPart]) -> String {
    let part = |part: &NotationPart| match part {
        NotationPart::Text(text) => string(text),
        NotationPart::Name(variable)
            if variable.text.starts_with(|c: char| c.is_ascii_uppercase()) =>
        {
            variable.text.clone()
        }
        NotationPart::Name(fluent) => name(fluent),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(" ")
}

fn doer(by: &Doer) -> String {
    match by {
        Doer::Any => "any".to_owned(),
        Doer::Act { role: None, act } => expr(act),
        Doer::Act { role: Some(role), act } => format!("{} does {}", expr(role), expr(act)),
    }
}

fn data_source(source: &DataSource) -> String {
    match source {
        DataSource::File(path) => format!(" = {}", string(path)),
        DataSource::Inline(text) => format!(" = {}", long_string(text)),
        DataSource::Required => String::new(),
    }
}

fn declared(relation: &Name, args: &[SortExpr], result: Option<&SortExpr>) -> String {
    let args: Vec<String> = args.iter().map(sort).collect();
    let args = args.join(", ");
    match result {
        None if args.is_empty() => name(relation),
        None => format!("{}({args})", name(relation)),
        Some(result) if args.is_empty() => format!("{}(-> {})", name(relation), sort(result)),
        Some(result) => format!("{}({args} -> {})", name(relation), sort(result)),
    }
}

/// A sort, written out.
pub(super) fn sort(written: &SortExpr) -> String {
    match &written.kind {
        SortExprKind::Name(text) => name_text(text),
        SortExprKind::Enumeration(values) => format!("{{{}}}", exprs(values)),
        SortExprKind::Comprehension(value, body) => {
            format!("{{{} : {}}}", expr(value), conditions(body))
        }
        SortExprKind::Range(low, high) => format!("{}..{}", expr(low), expr(high)),
        SortExprKind::Product(Some(functor), factors) => declared(functor, factors, None),
        SortExprKind::Product(None, factors) => joined(factors, " * ", |factor| {
            matches!(
                factor.kind,
                SortExprKind::Name(_)
                    | SortExprKind::Enumeration(_)
                    | SortExprKind::Product(Some(_), _)
            )
        }),
        SortExprKind::Union(members) => {
            // A bound of a range goes on over `+` and names: it stands alone only between braces.
            let is_enumeration =
                |sort: &SortExpr| matches!(sort.kind, SortExprKind::Enumeration(_));
            let n_others = members.iter().filter(|member| !is_enumeration(member)).count();
            joined(members, " + ", |member| {
                let is_range = matches!(member.kind, SortExprKind::Range(..));
                !matches!(member.kind, SortExprKind::Union(_)) && (!is_range || n_others == 1)
            })
        }
    }
}

fn joined(sorts: &[SortExpr], sign: &str, stands_alone: impl Fn(&SortExpr) -> bool) -> String {
    let part =
        |part: &SortExpr| if stands_alone(part) { sort(part) } else { format!("({})", sort(part)) };
    sorts.iter().map(part).collect::<Vec<_>>().join(sign)
}

/// How tightly an expression holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Operand,
}

/// An expression.
pub(super) fn expr(written: &Expr) -> String {
    expr_at(written, Level::Sum)
}

/// Expressions joined by commas.
pub(super) fn exprs(written: &[Expr]) -> String {
    written.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn expr_at(written: &Expr, level: Level) -> String {
    match &written.kind {
        ExprKind::Name(text) => name_text(text),
        ExprKind::Var(text) => text.clone(),
        ExprKind::Wildcard => "_".to_owned(),
        ExprKind::Int(number) if i32::try_from(*number) == Ok(i32::MIN) => {
            format!("({} - 1)", i32::MIN + 1)
        }
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Apply(function, args) => {
            format!("{}({})", applied_name(&function.text), exprs(args))
        }
        ExprKind::Tuple(parts) => format!("({})", exprs(parts)),
        ExprKind::Binary(operation, left, right) => binary(*operation, left, right, level),
        ExprKind::Negate(inner) => format!("-{}", expr_at(inner, Level::Operand)),
        ExprKind::Count { counted, body } => {
            format!("count {{ {} : {} }}", variables(counted), conditions(body))
        }
        ExprKind::Undefined => "undefined".to_owned(),
    }
}

fn binary(operation: Operation, left: &Expr, right: &Expr, level: Level) -> String {
    let (sign, own, tighter) = match operation {
        Operation::Add => ("+", Level::Sum, Level::Product),
        Operation::Sub => ("-", Level::Sum, Level::Product),
        Operation::Mul => ("*", Level::Product, Level::Operand),
        Operation::Div => ("div", Level::Product, Level::Operand),
        Operation::Mod => ("mod", Level::Product, Level::Operand),
        Operation::Min => return format!("min({}, {})", expr(left), expr(right)),
        Operation::Max => return format!("max({}, {})", expr(left), expr(right)),
    };
    let text = format!("{} {sign} {}", expr_at(left, own), expr_at(right, tighter));
    if level > own { format!("({text})") } else { text }
}

/// A name in front of arguments: quoted when a condition form starts like that.
pub(super) fn applied_name(text: &str) -> String {
    match text {
        "after" | "repeated" | "since" | "cycle" => format!("'{text}'"),
        _ => name_text(text),
    }
}

/// A name, quoted where it must be.
pub(super) fn name(written: &Name) -> String {
    name_text(&written.text)
}

/// Names joined by commas.
pub(super) fn names(written: &[Name]) -> String {
    written.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Variables joined by commas.
pub(super) fn variables(written: &[Name]) -> String {
    written.iter().map(|variable| variable.text.as_str()).collect::<Vec<_>>().join(", ")
}

/// A string with its quotes.
pub(super) fn string(written: &Text) -> String {
    let escaped = written.text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n").replace('\t', "\\t"))
}

/// A text of many lines, as it stands.
fn long_string(written: &Text) -> String {
    if written.text.contains("\"\"\"") {
        string(written)
    } else {
        format!("\"\"\"\n{}\"\"\"", written.text)
    }
}
