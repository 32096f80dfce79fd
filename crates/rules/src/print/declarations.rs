//! Declarations: parameters, data, roles, sorts, fluents and moves of a theory as items.
//!
//! In: a theory. Out: items of the syntax tree.

use rulesmith_logic::{DomainId, PredicateId, Span};

use super::domains::SortNames;
use super::name;
use super::raise_exprs::{int_expr, undefined, value_expr};
use crate::rules_text::ast::{DataSource, ItemKind, SortExpr, Text};
use crate::theory::{Fluent, FluentDefault, PredicateKind, Theory};

/// `param size = 19.`
pub(super) fn params(theory: &Theory) -> Vec<ItemKind> {
    let params = theory.params.iter();
    params
        .map(|param| ItemKind::Param { name: name(&param.name), value: int_expr(param.value) })
        .collect()
}

/// `data level : tile = """…""".`
pub(super) fn data(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let relation = |wanted: &str| {
        theory
            .base
            .predicates
            .iter()
            .find(|predicate| predicate.name == wanted && predicate.domains.len() == 3)
    };
    let data = theory.data.iter().map(|data| {
        let domain = relation(&data.name).and_then(|relation| relation.domains[2]);
        let text = Text { text: data.text.clone() + "\n", span: Span::default() };
        ItemKind::Data {
            name: name(&data.name),
            sort: sorts.sort(domain),
            source: DataSource::Inline(text),
        }
    });
    data.collect()
}

/// `role white, black.`
pub(super) fn roles(theory: &Theory) -> ItemKind {
    ItemKind::Role(theory.roles.iter().map(|role| name(theory.symbols.name(*role))).collect())
}

/// `sort file = 1..8.`
pub(super) fn sorts(sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let printed = sorts.printed.iter();
    let item = |(text, definition): &(String, SortExpr)| ItemKind::Sort {
        name: name(text),
        definition: definition.clone(),
    };
    printed.map(item).collect()
}

/// `fluent at(file, rank) : content = empty.`
pub(super) fn fluents(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    theory.fluents.iter().map(|fluent| fluent_item(theory, sorts, fluent)).collect()
}

fn fluent_item(theory: &Theory, sorts: &SortNames<'_>, fluent: &Fluent) -> ItemKind {
    let mut keys = argument_sorts(theory, sorts, fluent.predicate);
    let value = if fluent.is_functional { keys.pop() } else { None };
    let default = match fluent.default {
        FluentDefault::Value(value) if fluent.is_functional => Some(value_expr(theory, value)),
        FluentDefault::Undefined => Some(undefined()),
        FluentDefault::Value(_) | FluentDefault::Required => None,
    };
    ItemKind::Fluent {
        name: name(&fluent.name),
        keys,
        value,
        default,
        is_transient: fluent.is_transient,
    }
}

/// `move step(file, rank).`
pub(super) fn moves(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let moves = theory.moves.iter().map(|kind| {
        let mut params = argument_sorts(theory, sorts, kind.does);
        params.drain(..1.min(params.len()));
        ItemKind::Move { name: name(&kind.name), params }
    });
    moves.collect()
}

/// `static next(role -> role).`, `derived path(square, 0..9).`
pub(super) fn predicate(theory: &Theory, sorts: &SortNames<'_>, id: PredicateId) -> ItemKind {
    let mut args = argument_sorts(theory, sorts, id);
    let kind = theory.kind(id);
    let is_function =
        matches!(kind, PredicateKind::Static { arrow: true, .. } | PredicateKind::DerivedFunction);
    let result = if is_function { args.pop() } else { None };
    let is_static = matches!(kind, PredicateKind::Static { .. });
    ItemKind::Predicate { is_static, name: name(&theory.base.predicate(id).name), args, result }
}

fn argument_sorts(theory: &Theory, sorts: &SortNames<'_>, id: PredicateId) -> Vec<SortExpr> {
    theory.base.predicate(id).domains.iter().map(|domain| sorts.sort(*domain)).collect()
}

/// All domains that declarations name, in order.
pub(super) fn domains(theory: &Theory) -> Vec<DomainId> {
    let is_data = |name: &str| theory.data.iter().any(|data| data.name == name);
    let is_declared = |name: &str, kind: &PredicateKind| match kind {
        // Of what is given only data are declared with a sort, not what pruning has left behind.
        PredicateKind::Static { is_given, .. } => !is_given || is_data(name),
        PredicateKind::Derived { .. }
        | PredicateKind::DerivedFunction
        | PredicateKind::Fluent(_)
        | PredicateKind::Does(_) => true,
        _ => false,
    };
    let all = theory.base.predicates.iter().zip(&theory.kinds);
    let declared = all.filter(|(predicate, kind)| is_declared(&predicate.name, kind));
    declared.flat_map(|(predicate, _)| predicate.domains.iter().copied().flatten()).collect()
}
