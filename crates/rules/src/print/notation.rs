//! Notation: glyphs, letters, move and position texts and boards of a theory as items.
//!
//! In: a theory. Out: items of the syntax tree.

use rulesmith_logic::{DomainId, PredicateId, Span, Value};

use super::domains::{SortNames, expr};
use super::name;
use super::raise_exprs::{apply, value_expr};
use crate::rules_text::ast::{Expr, ExprKind, ItemKind, Name, NotationPart, Text};
use crate::theory::{Display, FluentId, MoveNotation, Part, PredicateKind, Theory, TurnIdentity};

/// All items about how things are written.
pub(super) fn notation(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let notation = &theory.notation;
    let mut items = glyphs(theory);
    items.extend(
        notation
            .letters
            .iter()
            .filter_map(|(domain, letters)| letters_item(sorts, *domain, letters)),
    );
    items.extend(notation.moves.iter().map(|written| move_item(theory, written)));
    items.extend(notation.position.as_ref().map(|parts| {
        let parts = parts.iter().map(|part| part_of(theory, &[], part)).collect();
        ItemKind::PositionNotation { parts }
    }));
    items.extend(notation.display.as_ref().map(|display| display_item(theory, display)));
    items.extend(notation.picture.as_ref().map(|(fluent, picture)| ItemKind::Picture {
        fluent: name(&theory.fluent(*fluent).name),
        text: text(picture),
    }));
    items
}

/// `turns by result.`, when that is so.
pub(super) fn turn_identity(theory: &Theory) -> Option<ItemKind> {
    (theory.turn_identity == TurnIdentity::Result).then_some(ItemKind::TurnsByResult(true))
}

/// One item for each run of glyphs of the same fluent.
fn glyphs(theory: &Theory) -> Vec<ItemKind> {
    let runs = theory.notation.glyphs.chunk_by(|(fluent, ..), (next, ..)| fluent == next);
    let items = runs.map(|run| {
        let glyph = |(_, value, glyph): &(Option<FluentId>, Value, String)| {
            (value_expr(theory, *value), text(glyph))
        };
        let fluent = run.first().and_then(|(fluent, ..)| *fluent);
        let fluent = fluent.map(|fluent| name(&theory.fluent(fluent).name));
        ItemKind::Glyphs { fluent, glyphs: run.iter().map(glyph).collect() }
    });
    items.collect()
}

/// `letters file = "abc".`; longer ones are separated by spaces.
fn letters_item(sorts: &SortNames<'_>, domain: DomainId, letters: &[String]) -> Option<ItemKind> {
    let is_short = letters.iter().all(|letter| letter.chars().count() == 1);
    let joined = match letters {
        _ if is_short => letters.concat(),
        [only] => format!("{only} "),
        _ => letters.join(" "),
    };
    Some(ItemKind::Letters { sort: name(sorts.name_of(domain)?), text: text(&joined) })
}

fn move_item(theory: &Theory, written: &MoveNotation) -> ItemKind {
    let kind = theory.move_kind(written.kind);
    let params = parameters(kind.n_params);
    let param = |(variable_name, value): (&Name, &Option<Value>)| match value {
        Some(value) => value_expr(theory, *value),
        None => variable(variable_name),
    };
    let act = apply(&kind.name, params.iter().zip(&written.pattern).map(param).collect());
    let parts = written.parts.iter().map(|part| part_of(theory, &params, part)).collect();
    ItemKind::MoveNotation { act, parts }
}

fn part_of(theory: &Theory, params: &[Name], part: &Part) -> NotationPart {
    match part {
        Part::Text(part) => NotationPart::Text(text(part)),
        Part::Param(place) => {
            NotationPart::Name(params.get(*place).cloned().unwrap_or_else(|| name("_")))
        }
        Part::Fluent(fluent) => NotationPart::Name(name(&theory.fluent(*fluent).name)),
    }
}

/// `display at(F, R) across F, up R.`; a single product key is laid out by its parts.
fn display_item(theory: &Theory, display: &Display) -> ItemKind {
    let predicate = theory.base.predicate(display.shown);
    let (shown, n_keys) = if let PredicateKind::Fluent(id) = theory.kind(display.shown) {
        (&theory.fluent(*id).name, theory.fluent(*id).n_keys)
    } else {
        (&predicate.name, predicate.domains.len().saturating_sub(1))
    };
    let used = display.across.max(display.down.unwrap_or(0)) + 1;
    let is_flat = used <= n_keys;
    let (functor, n_parts) =
        if is_flat { (None, n_keys) } else { key_shape(theory, display.shown, used) };
    let keys = parameters(n_parts);
    let variables: Vec<Expr> = keys.iter().map(variable).collect();
    let args = match functor {
        _ if is_flat => variables,
        Some(functor) => vec![apply(&functor, variables)],
        None => vec![expr(ExprKind::Tuple(variables))],
    };
    ItemKind::Display {
        fluent: apply(shown, args),
        across: keys[display.across].clone(),
        down: display.down.map(|down| keys[down].clone()),
        is_up: display.is_up,
        slant: display.slant.into(),
    }
}

/// Functor and number of parts of a predicate's first key; a tuple has no functor.
fn key_shape(theory: &Theory, shown: PredicateId, used: usize) -> (Option<String>, usize) {
    let domain = theory.base.predicate(shown).domains.first().copied().flatten();
    let first = domain.and_then(|domain| theory.base.domain(domain).values.first().copied());
    let Some(Value::Compound(compound)) = first else { return (None, used) };
    let (functor, args) = theory.symbols.parts(compound);
    let functor = theory.symbols.name(functor);
    ((!functor.is_empty()).then(|| functor.to_owned()), args.len().max(used))
}

/// `A`, `B`, `C` and so on.
fn parameters(count: usize) -> Vec<Name> {
    let letter = |place: usize| match u8::try_from(place) {
        Ok(small @ 0..26) => char::from(b'A' + small).to_string(),
        _ => format!("A{place}"),
    };
    (0..count).map(|place| name(&letter(place))).collect()
}

fn variable(name: &Name) -> Expr {
    expr(ExprKind::Var(name.text.clone()))
}

fn text(text: &str) -> Text {
    Text { text: text.to_owned(), span: Span::default() }
}
