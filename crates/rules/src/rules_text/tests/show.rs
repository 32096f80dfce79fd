//! The syntax tree as short text: square brackets show what the parser recognised.

use rulesmith_logic::{Comparison, Operation};

use super::super::ast::{
    Condition, ConditionKind, DataSource, Doer, Expr, ExprKind, ItemKind, Name, NotationPart,
    SortExpr, SortExprKind,
};
use crate::source::{Diagnostic, Sources};

/// One line for what, one each for label, other places and help.
pub(super) fn problem(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let (line, column) = sources.line_column(diagnostic.span);
    let shown = format!("{line}:{column}: {}\n    ^ {}\n", diagnostic.message, diagnostic.label);
    let related = diagnostic.related.iter().map(|(span, why)| {
        let (line, column) = sources.line_column(*span);
        format!("    {line}:{column}: {why}\n")
    });
    shown
        + &related.collect::<String>()
        + &diagnostic.help.as_ref().map_or(String::new(), |help| format!("    help: {help}\n"))
}

pub(super) fn item(kind: &ItemKind) -> String {
    match kind {
        ItemKind::Version(number) => format!("version[{number}]"),
        ItemKind::Game(name) => format!("game[{}]", name.text),
        ItemKind::Include(text) => format!("include[{:?}]", text.text),
        ItemKind::Param { name, value } => format!("param[{} = {}]", name.text, expr(value)),
        ItemKind::Data { name, sort, source } => {
            let source = match source {
                DataSource::File(text) => format!("file {:?}", text.text),
                DataSource::Inline(text) => format!("inline {:?}", text.text),
                DataSource::Required => "required".to_owned(),
            };
            format!("data[{} : {} = {source}]", name.text, show_sort(sort))
        }
        ItemKind::Role(roles) => format!("role[{}]", names(roles)),
        ItemKind::Sort { name, definition } => {
            format!("sort[{} = {}]", name.text, show_sort(definition))
        }
        ItemKind::Predicate { is_static, name, args, result } => {
            let kind = if *is_static { "static" } else { "derived" };
            let result = result
                .as_ref()
                .map_or(String::new(), |result| format!(" -> {}", show_sort(result)));
            format!("{kind}[{}({}){result}]", name.text, sorts(args))
        }
        ItemKind::Fluent { name, keys, value, default, is_transient } => {
            let kind = if *is_transient { "transient" } else { "fluent" };
            let value =
                value.as_ref().map_or(String::new(), |value| format!(" : {}", show_sort(value)));
            let default =
                default.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
            format!("{kind}[{}({}){value}{default}]", name.text, sorts(keys))
        }
        ItemKind::Meta => "meta".to_owned(),
        ItemKind::Metarule { phase, conclusions, body } => {
            let (n_conclusions, n_conditions) = (conclusions.len(), body.len());
            format!("metarule[{}: {n_conclusions} if {n_conditions}]", phase.name())
        }
        ItemKind::Move { name, params } => format!("move[{}({})]", name.text, sorts(params)),
        _ => notation_item(kind).or_else(|| clause_item(kind)).unwrap(),
    }
}

fn clause_item(kind: &ItemKind) -> Option<String> {
    let (head, conditions) = match kind {
        ItemKind::Init { fluent, value, body } => {
            let value = value.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
            (format!("init[{}{value}]", expr(fluent)), body)
        }
        ItemKind::Legal { role, act, body } => {
            (format!("legal[{} does {}]", expr(role), expr(act)), body)
        }
        ItemKind::Effect { is_deferred, by, assignments, body } => {
            let kind = if *is_deferred { "deferred" } else { "effect" };
            let by = match by {
                Doer::Any => "[any]".to_owned(),
                Doer::Act { role, act } => {
                    role.as_ref().map_or(String::new(), |role| expr(role) + " does ") + &expr(act)
                }
            };
            let assigned: Vec<_> = assignments
                .iter()
                .map(|a| format!("{} := {}", expr(&a.fluent), expr(&a.value)))
                .collect();
            (format!("{kind}[{by} : {}]", assigned.join(", ")), body)
        }
        ItemKind::Continue(body) => ("continue".to_owned(), body),
        ItemKind::Prefer { value, body } => (format!("prefer[{}]", expr(value)), body),
        ItemKind::Terminal(body) => ("terminal".to_owned(), body),
        ItemKind::Draw(body) => ("draw".to_owned(), body),
        ItemKind::Goal { role, value, body } => {
            (format!("goal[{}, {}]", expr(role), expr(value)), body)
        }
        ItemKind::Target { name, args, body } => {
            (format!("target[{}({})]", name.text, exprs(args)), body)
        }
        ItemKind::Clause { head, body } => (format!("clause[{}]", expr(head)), body),
        _ => return None,
    };
    Some(if conditions.is_empty() { head } else { format!("{head} if {}", body(conditions)) })
}

fn notation_item(kind: &ItemKind) -> Option<String> {
    Some(match kind {
        ItemKind::TurnsByResult(by_result) => format!("turns by result[{by_result}]"),
        ItemKind::Object { name, element, body: conditions, link, same } => {
            let same = same.as_ref().map_or("nothing", |same| &same.text);
            let (name, element, link) = (&name.text, &element.text, &link.text);
            format!("object[{name} of {element} link {link} same {same}] if {}", body(conditions))
        }
        ItemKind::Glyphs { fluent, glyphs } => {
            let fluent = fluent.as_ref().map_or("", |fluent| &fluent.text);
            let glyphs: Vec<_> = glyphs
                .iter()
                .map(|(value, text)| format!("{} = {:?}", expr(value), text.text))
                .collect();
            format!("glyph[{fluent} : {}]", glyphs.join(", "))
        }
        ItemKind::Letters { sort, text } => format!("letters[{} = {:?}]", sort.text, text.text),
        ItemKind::MoveNotation { act, parts } => {
            format!("notation[{} = {}]", expr(act), show_parts(parts))
        }
        ItemKind::PositionNotation { parts } => format!("position[{}]", show_parts(parts)),
        ItemKind::Display { fluent, across, down, is_up, slant } => {
            let down = down.as_ref().map_or("nothing", |down| &down.text);
            let (fluent, across) = (expr(fluent), &across.text);
            format!("display[{fluent} across {across} down {down} up {is_up} slant {slant}]")
        }
        ItemKind::Picture { fluent, text } => format!("picture[{} = {:?}]", fluent.text, text.text),
        _ => return None,
    })
}

fn show_parts(parts: &[NotationPart]) -> String {
    let parts = parts.iter().map(|part| match part {
        NotationPart::Text(text) => format!("{:?}", text.text),
        NotationPart::Name(name) => name.text.clone(),
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn sorts(sorts: &[SortExpr]) -> String {
    sorts.iter().map(show_sort).collect::<Vec<_>>().join(", ")
}

fn show_sort(sort: &SortExpr) -> String {
    match &sort.kind {
        SortExprKind::Name(name) => name.clone(),
        SortExprKind::Enumeration(values) => format!("{{{}}}", exprs(values)),
        SortExprKind::Range(low, high) => format!("range[{}, {}]", expr(low), expr(high)),
        SortExprKind::Product(None, parts) => format!("product[{}]", sorts(parts)),
        SortExprKind::Product(Some(name), parts) => {
            format!("product[{}: {}]", name.text, sorts(parts))
        }
        SortExprKind::Comprehension(value, conditions) => {
            format!("all[{} : {}]", expr(value), body(conditions))
        }
        SortExprKind::Union(parts) => format!("union[{}]", sorts(parts)),
    }
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

pub(super) fn expr(shown: &Expr) -> String {
    match &shown.kind {
        ExprKind::Name(name) | ExprKind::Var(name) => name.clone(),
        ExprKind::Wildcard => "_".to_owned(),
        ExprKind::Int(number) => number.to_string(),
        ExprKind::Apply(name, args) => format!("{}({})", name.text, exprs(args)),
        ExprKind::Tuple(parts) => format!("tuple[{}]", exprs(parts)),
        ExprKind::Binary(operation, left, right) => {
            let sign = match operation {
                Operation::Add => "+",
                Operation::Sub => "-",
                Operation::Mul => "*",
                Operation::Div => "div",
                Operation::Mod => "mod",
                Operation::Min | Operation::Max => unreachable!("written as applications"),
            };
            format!("[{} {sign} {}]", expr(left), expr(right))
        }
        ExprKind::Negate(inner) => format!("minus[{}]", expr(inner)),
        ExprKind::Count { counted, body: conditions } => {
            format!("count[{} : {}]", names(counted), body(conditions))
        }
        ExprKind::Undefined => "[undefined]".to_owned(),
    }
}

fn body(conditions: &[Condition]) -> String {
    conditions.iter().map(condition).collect::<Vec<_>>().join(", ")
}

fn condition(shown: &Condition) -> String {
    match &shown.kind {
        ConditionKind::Holds(atom) => expr(atom),
        ConditionKind::Compare(comparison, left, right) => {
            let sign = match comparison {
                Comparison::Equal => "=",
                Comparison::Unequal => "\\=",
                Comparison::Less => "<",
                Comparison::AtMost => "=<",
                Comparison::Greater => ">",
                Comparison::AtLeast => ">=",
            };
            format!("{} {sign} {}", expr(left), expr(right))
        }
        ConditionKind::Not(conditions) => format!("not[{}]", body(conditions)),
        ConditionKind::None { locals, body: conditions } => {
            format!("none[{} : {}]", names(locals), body(conditions))
        }
        ConditionKind::AnyOf(alternatives) => {
            let alternatives: Vec<_> =
                alternatives.iter().map(|conditions| body(conditions)).collect();
            format!("either[{}]", alternatives.join(" ; "))
        }
        ConditionKind::Does { role, act } => format!("does[{}, {}]", expr(role), expr(act)),
        ConditionKind::Legal { role, act } => {
            format!("legal[{}, {}]", expr(role), act.as_ref().map_or("[any]".to_owned(), expr))
        }
        ConditionKind::After { role, act, body: conditions } => {
            let role = role.as_ref().map_or(String::new(), |role| expr(role) + " does ");
            format!("after[{role}{} : {}]", expr(act), body(conditions))
        }
        ConditionKind::Repeated { times, over } => {
            format!("repeated[{}{}]", expr(times), show_over(over.as_ref()))
        }
        ConditionKind::Since { event, steps } => format!("since[{}, {}]", event.text, expr(steps)),
        ConditionKind::Cycle { role, body: conditions, over } => {
            format!("cycle[{} : {}{}]", expr(role), body(conditions), show_over(over.as_ref()))
        }
    }
}

fn show_over(over: Option<&Vec<Name>>) -> String {
    over.map_or(String::new(), |over| format!(" over {}", names(over)))
}
