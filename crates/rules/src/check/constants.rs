//! Parameters, data texts and constant expressions: what is fixed before any sort exists.
//!
//! In: `param` and `data` items and the settings from outside. Out: numbers and texts.

use rulesmith_logic::{Operation, Span, Value, apply};

use super::{Checker, with_help};
use crate::rules_text::ast::{DataSource, Expr, ExprKind, Item, ItemKind, Name};
use crate::source::Diagnostic;
use crate::theory::{Data, Param};

/// Functions of constant expressions, which are never functors of compounds.
pub(crate) fn is_function(name: &str, arity: usize) -> bool {
    matches!((name, arity), ("min" | "max", 2) | ("rows" | "columns", 1))
}

impl Checker<'_> {
    pub(crate) fn declare_params(&mut self, items: &[Item]) {
        for item in items {
            let ItemKind::Param { name, value } = &item.kind else { continue };
            if self.param(&name.text).is_some() {
                let message = format!("the parameter `{}` is given already", name.text);
                self.report(Diagnostic::error("duplicate", name.span, message));
                continue;
            }
            let Some(written) = self.constant_int(value) else { continue };
            let set = self.settings.params.iter().rev().find(|(other, _)| *other == name.text);
            let value = set.map_or(written, |(_, value)| *value);
            let is_set = value != written;
            self.params.push(Param { name: name.text.clone(), value, is_set });
        }
        let settings = self.settings;
        for (name, _) in &settings.params {
            if self.param(name).is_none() {
                let help =
                    Self::did_you_mean(name, self.params.iter().map(|param| param.name.as_str()));
                let message = format!("the game has no parameter `{name}`");
                self.report(with_help(
                    Diagnostic::error("unknown-parameter", Span::default(), message),
                    help,
                ));
            }
        }
    }

    /// The value of a parameter.
    pub(crate) fn param(&self, name: &str) -> Option<i32> {
        self.params.iter().find(|param| param.name == name).map(|param| param.value)
    }

    pub(crate) fn declare_data(&mut self, items: &[Item]) {
        let settings = self.settings;
        let mut used = vec![false; settings.data.len()];
        for item in items {
            let ItemKind::Data { name, sort, source } = &item.kind else { continue };
            let is_meant =
                |given: &Option<String>| given.as_ref().is_none_or(|given| *given == name.text);
            let set = settings.data.iter().position(|given| is_meant(&given.name));
            if let Some(set) = set {
                used[set] = true;
            }
            let (text, set_from) = match set.map(|set| &settings.data[set]) {
                Some(given) => (Some(given.text.clone()), Some(given.file.clone())),
                None => (self.data_text(name, source), None),
            };
            let Some(text) = text else { continue };
            let sort = self.text_at(sort.span);
            self.data.push(Data {
                name: name.text.clone(),
                sort,
                text: data_lines(&text),
                set_from,
            });
        }
        for (given, _) in settings.data.iter().zip(used).filter(|(_, used)| !used) {
            let name = given.name.as_deref().unwrap_or(&given.file);
            let help = Self::did_you_mean(name, self.data.iter().map(|data| data.name.as_str()));
            let message = format!("the game takes no data `{name}`");
            self.report(with_help(
                Diagnostic::error("unknown-data", Span::default(), message),
                help,
            ));
        }
    }

    fn data_text(&mut self, name: &Name, source: &DataSource) -> Option<String> {
        match source {
            DataSource::Inline(text) => Some(text.text.clone()),
            DataSource::File(path) => {
                let from = &self.sources.files[path.span.file as usize].name;
                match self.resolver.read(from, &path.text) {
                    Ok((_, text)) => Some(text),
                    Err(why) => {
                        let message = format!("cannot read the data `{}`: {why}", path.text);
                        self.report(Diagnostic::error("data", path.span, message));
                        None
                    }
                }
            }
            DataSource::Required => {
                let message = format!("the data `{}` must be given", name.text);
                let help = format!("name a file: --data {}=FILE", name.text);
                self.report(Diagnostic::error("data", name.span, message).help(help));
                None
            }
        }
    }

    /// The text a span covers.
    pub(crate) fn text_at(&self, span: Span) -> String {
        let file = &self.sources.files[span.file as usize];
        file.text.get(span.start as usize..span.end as usize).unwrap_or_default().to_owned()
    }

    /// The value of a constant expression.
    pub(crate) fn constant_int(&mut self, expr: &Expr) -> Option<i32> {
        let value = match &expr.kind {
            ExprKind::Int(number) => i32::try_from(*number).ok(),
            ExprKind::Name(name) => match self.param(name) {
                Some(value) => Some(value),
                None => return self.no_constant(expr, Some(name)),
            },
            ExprKind::Negate(inner) => self.constant_int(inner)?.checked_neg(),
            ExprKind::Binary(operation, left, right) => {
                let (left, right) = (self.constant_int(left)?, self.constant_int(right)?);
                apply_ints(*operation, left, right)
            }
            ExprKind::Apply(name, args) if is_function(&name.text, args.len()) => {
                return self.constant_function(expr, name, args);
            }
            _ => return self.no_constant(expr, None),
        };
        if value.is_none() {
            self.report(Diagnostic::error("arithmetic", expr.span, "this number does not fit"));
        }
        value
    }

    fn constant_function(&mut self, expr: &Expr, name: &Name, args: &[Expr]) -> Option<i32> {
        match (name.text.as_str(), args) {
            ("min" | "max", [left, right]) => {
                let (left, right) = (self.constant_int(left)?, self.constant_int(right)?);
                Some(if name.text == "min" { left.min(right) } else { left.max(right) })
            }
            (_, [Expr { kind: ExprKind::Name(data), span }]) => {
                let Some(data) = self.data.iter().find(|known| known.name == *data) else {
                    let known = self.data.iter().map(|data| data.name.as_str());
                    let help = Self::did_you_mean(data, known);
                    let message = format!("there is no data `{data}`");
                    self.report(with_help(Diagnostic::error("unknown-data", *span, message), help));
                    return None;
                };
                let rows = data.text.lines().count();
                let columns = data.text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
                i32::try_from(if name.text == "rows" { rows } else { columns }).ok()
            }
            _ => self.no_constant(expr, None),
        }
    }

    fn no_constant(&mut self, expr: &Expr, name: Option<&str>) -> Option<i32> {
        let problem = Diagnostic::error("constant", expr.span, "a constant number is needed here");
        let params = self.params.iter().map(|param| param.name.as_str());
        let help = name.and_then(|name| Self::did_you_mean(name, params));
        let help = help
            .unwrap_or_else(|| "use integers, parameters, + - * div mod, min and max".to_owned());
        self.report(problem.help(help));
        None
    }
}

fn apply_ints(operation: Operation, left: i32, right: i32) -> Option<i32> {
    match apply(operation, Value::Int(left), Value::Int(right)) {
        Some(Value::Int(value)) => Some(value),
        _ => None,
    }
}

/// The lines of a data text: comments (`;`) and empty lines around are dropped.
fn data_lines(text: &str) -> String {
    let lines: Vec<&str> =
        text.lines().map(str::trim_end).filter(|line| !line.starts_with(';')).collect();
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    lines[first..last].join("\n")
}
