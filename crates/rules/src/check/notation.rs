//! Notation and display items: how values, moves, positions and boards are written.
//!
//! In: notation items. Out: the theory's [`crate::theory::Notation`].

use super::{Checker, with_help};
use crate::rules_text::ast::{Expr, ExprKind, Item, ItemKind, Name, NotationPart, Text};
use crate::source::Diagnostic;
use crate::theory::{Display, FluentId, MoveNotation, Part, PredicateKind};
use rulesmith_logic::PredicateId;

/// The words of a `display` item.
struct Layout<'i> {
    fluent: &'i Expr,
    across: &'i Name,
    down: Option<&'i Name>,
    is_up: bool,
    slant: i64,
}

impl Checker<'_> {
    pub(crate) fn read_notation(&mut self, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Glyphs { fluent, glyphs } => self.read_glyphs(fluent.as_ref(), glyphs),
                ItemKind::Letters { sort, text } => self.read_letters(sort, text),
                ItemKind::MoveNotation { act, parts } => self.read_move_notation(act, parts),
                ItemKind::PositionNotation { parts } => self.read_position_notation(parts),
                ItemKind::Display { fluent, across, down, is_up, slant } => {
                    let (down, is_up, slant) = (down.as_ref(), *is_up, *slant);
                    self.read_display(&Layout { fluent, across, down, is_up, slant });
                }
                ItemKind::Picture { fluent, text } => {
                    if let Some(id) = self.fluent_named(fluent) {
                        self.notation.picture = Some((id, text.text.clone()));
                    }
                }
                _ => {}
            }
        }
    }

    fn fluent_named(&mut self, name: &Name) -> Option<FluentId> {
        if let Some(place) = self.fluents.iter().position(|fluent| fluent.name == name.text) {
            return Some(FluentId(place));
        }
        let help =
            Self::did_you_mean(&name.text, self.fluents.iter().map(|fluent| fluent.name.as_str()));
        let message = format!("there is no fluent `{}`", name.text);
        self.report(with_help(Diagnostic::error("unknown-fluent", name.span, message), help));
        None
    }

    /// What a board may show: a fluent, or a derived predicate declared as a function.
    fn shown(&mut self, name: &Name) -> Option<(PredicateId, usize)> {
        let is_function =
            |id: &PredicateId| self.kinds[id.0 as usize] == PredicateKind::DerivedFunction;
        let derived =
            self.functions.iter().find(|((other, _), id)| *other == name.text && is_function(id));
        if let Some(((_, n_keys), id)) = derived {
            return Some((*id, *n_keys));
        }
        let id = self.fluent_named(name)?;
        let fluent = &self.fluents[id.0];
        Some((fluent.predicate, fluent.n_keys))
    }

    fn read_glyphs(&mut self, fluent: Option<&Name>, glyphs: &[(Expr, Text)]) {
        let fluent = match fluent {
            Some(name) => match self.fluent_named(name) {
                Some(id) => Some(id),
                None => return,
            },
            None => None,
        };
        for (value, text) in glyphs {
            let Some(known) = self.ground_value(value) else { continue };
            let is_known = match known {
                rulesmith_logic::Value::Symbol(symbol) => {
                    self.constants.contains(&symbol)
                        || matches!(self.symbols.name(symbol), "true" | "false")
                }
                _ => true,
            };
            if !is_known {
                let name = crate::wording::value_text(&self.symbols, known);
                let names: Vec<String> = self
                    .constants_in_order()
                    .map(|symbol| self.symbols.name(symbol).to_owned())
                    .collect();
                let help = Self::did_you_mean(&name, names.iter().map(String::as_str));
                let message = format!("`{name}` is not a value of any sort");
                self.report(with_help(
                    Diagnostic::error("unknown-name", value.span, message),
                    help,
                ));
            }
            self.notation.glyphs.push((fluent, known, text.text.clone()));
        }
    }

    fn read_letters(&mut self, sort: &Name, text: &Text) {
        let Some(Some(domain)) = self.sorts.get(&sort.text).copied() else {
            let help = Self::did_you_mean(&sort.text, self.sorts.keys().map(String::as_str));
            let message = format!("there is no sort `{}` with a list of values", sort.text);
            self.report(with_help(Diagnostic::error("unknown-sort", sort.span, message), help));
            return;
        };
        let letters: Vec<String> = if text.text.contains(' ') {
            text.text.split_whitespace().map(str::to_owned).collect()
        } else {
            text.text.chars().map(String::from).collect()
        };
        let size = self.base.domain(domain).values.len();
        if letters.len() < size {
            let message = format!(
                "`{}` has {size} values, but there are {} letters",
                sort.text,
                letters.len()
            );
            self.report(Diagnostic::error("letters", text.span, message));
        }
        self.notation.letters.push((domain, letters));
    }

    fn read_move_notation(&mut self, act: &Expr, parts: &[NotationPart]) {
        let (name, args): (Name, &[Expr]) = match &act.kind {
            ExprKind::Name(name) => (Name { text: name.clone(), span: act.span }, &[]),
            ExprKind::Apply(name, args) => (name.clone(), args),
            _ => return,
        };
        let Some(id) = self.find_move(&name.text, args.len()) else {
            let help =
                Self::did_you_mean(&name.text, self.moves.iter().map(|kind| kind.name.as_str()));
            let message = format!(
                "there is no move `{}` with {}",
                name.text,
                super::items::arguments(args.len())
            );
            self.report(with_help(Diagnostic::error("unknown-move", name.span, message), help));
            return;
        };
        let place_of = |part: &Name| {
            args.iter().position(|arg| matches!(&arg.kind, ExprKind::Var(var) if *var == part.text))
        };
        let mut pattern = Vec::new();
        for arg in args {
            let is_open = matches!(arg.kind, ExprKind::Var(_) | ExprKind::Wildcard);
            pattern.push(if is_open { None } else { self.ground_value(arg) });
        }
        let mut read = Vec::new();
        for part in parts {
            match part {
                NotationPart::Text(text) => read.push(Part::Text(text.text.clone())),
                NotationPart::Name(name) => match place_of(name) {
                    Some(place) => read.push(Part::Param(place)),
                    None => self.unknown_part(name, "a parameter of the move"),
                },
            }
        }
        self.notation.moves.push(MoveNotation { kind: id, pattern, parts: read });
    }

    fn unknown_part(&mut self, name: &Name, wanted: &str) {
        let message = format!("`{}` is not {wanted}", name.text);
        self.report(Diagnostic::error("notation", name.span, message));
    }

    fn read_position_notation(&mut self, parts: &[NotationPart]) {
        let mut read = Vec::new();
        for part in parts {
            match part {
                NotationPart::Text(text) => read.push(Part::Text(text.text.clone())),
                NotationPart::Name(name) => {
                    read.extend(self.fluent_named(name).map(Part::Fluent));
                }
            }
        }
        self.notation.position = Some(read);
    }

    fn read_display(&mut self, layout: &Layout<'_>) {
        let (name, args): (Name, &[Expr]) = match &layout.fluent.kind {
            ExprKind::Name(name) => (Name { text: name.clone(), span: layout.fluent.span }, &[]),
            ExprKind::Apply(name, args) => (name.clone(), args),
            _ => return,
        };
        let Some((shown, n_keys)) = self.shown(&name) else { return };
        if n_keys != args.len() {
            let message = format!(
                "`{}` takes {}, {} are given",
                name.text,
                super::items::arguments(n_keys),
                args.len()
            );
            self.report(Diagnostic::error("wrong-arity", name.span, message));
            return;
        }
        // A product key `(F, R)` is laid out by its parts.
        let flat: Vec<&Expr> = match args {
            [Expr { kind: ExprKind::Tuple(parts) | ExprKind::Apply(_, parts), .. }] => {
                parts.iter().collect()
            }
            _ => args.iter().collect(),
        };
        let place_of = |wanted: &Name| {
            flat.iter()
                .position(|arg| matches!(&arg.kind, ExprKind::Var(var) if *var == wanted.text))
        };
        let across = place_of(layout.across);
        let down = layout.down.map(|down| (down, place_of(down)));
        if across.is_none() {
            self.unknown_part(layout.across, "a key of the fluent");
        }
        if let Some((down, None)) = down {
            self.unknown_part(down, "a key of the fluent");
        }
        let slant = i32::try_from(layout.slant.clamp(-8, 8)).unwrap_or(0);
        if let Some(across) = across {
            let down = down.and_then(|(_, place)| place);
            self.notation.display =
                Some(Display { shown, across, down, is_up: layout.is_up, slant });
        }
    }
}
