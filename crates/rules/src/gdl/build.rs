//! The theory of a description: effects, predicates, clauses, and the map back to KIF.
//!
//! In: rules by kind and what was proved about them. Out: a theory. Every relation becomes a
//! predicate, every kind of fluent and move an entry of the theory. Invariant: levels are settled.

use rulesmith_logic::{ClauseBase, Span, Symbol, Symbols, Value};

use super::arrangement::arrange;
use super::declare::Declarations;
use super::effects::all_effects;
use super::exclusion::Proved;
use super::flatten::Flattener;
use super::ground::StaticFacts;
use super::map::GdlMap;
use super::rule::{Relation, Rule};
use super::shapes::Shapes;
use super::sorts::Sorts;
use super::specialize::Specialized;
use super::statement::KifTerm;
use crate::source::{Diagnostic, Diagnostics, Sources};
use crate::theory::{Notation, Theory, TurnIdentity};

/// What a theory is built from.
pub(super) struct Parts<'a> {
    pub(super) name: &'a str,
    pub(super) sources: Sources,
    pub(super) symbols: Symbols,
    pub(super) specialized: Specialized,
    pub(super) shapes: &'a Shapes,
    pub(super) facts: &'a StaticFacts,
    pub(super) proved: Proved,
}

/// Builds the theory; `None` when a limit was reported.
pub(super) fn build(
    mut parts: Parts<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(Theory, GdlMap)> {
    arrange(&mut parts.specialized.rules, &parts.proved.values);
    let roles = roles_of(&parts.specialized.rules);
    let effects = all_effects(&mut parts, &roles);
    let role_values: Vec<Value> = roles.iter().copied().map(Value::Symbol).collect();
    let mut base = ClauseBase::default();
    let sorts = Sorts::new(parts.shapes, &role_values, &mut base);
    let Parts { name, sources, symbols, specialized, proved, .. } = parts;
    let mut declarations = Declarations::new(symbols, base, sorts, &proved.values, &effects.rules);
    let [terminal, goal, draw, continues] = declarations.declare_special();
    let fluents = declarations.declare_fluents(&specialized, &effects.is_transient);
    let moves = declarations.declare_moves(&specialized);
    declarations.declare_relations(&effects.rules);
    add_clauses(&mut declarations, &effects.rules, diagnostics)?;
    let Declarations { symbols, base, kinds, sorts, map, .. } = declarations;
    let theory = Theory {
        name: name.to_owned(),
        params: Vec::new(),
        data: Vec::new(),
        symbols,
        base,
        kinds,
        sorts: sorts.named,
        roles,
        fluents,
        moves,
        terminal,
        goal,
        draw,
        continues,
        preferences: Vec::new(),
        turn_identity: TurnIdentity::Path,
        targets: Vec::new(),
        notation: Notation::default(),
        metarules: Vec::new(),
        sources,
    };
    Some((theory, map))
}

fn report_limit(name: &str, limit: usize, span: Span, diagnostics: &mut Diagnostics) {
    let message = format!("the rules need more than the limit `{name}` of {limit}");
    diagnostics
        .report(Diagnostic::error("limit", span, message).help("split the rule into smaller ones"));
}

/// The roles in the order of the text.
fn roles_of(rules: &[Rule]) -> Vec<Symbol> {
    let mut roles = Vec::new();
    for rule in rules.iter().filter(|rule| rule.head.relation == Relation::Role) {
        if let Some(KifTerm::Constant(role)) = rule.head.args.first()
            && !roles.contains(role)
        {
            roles.push(*role);
        }
    }
    roles
}

fn add_clauses(
    declarations: &mut Declarations<'_>,
    rules: &[Rule],
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    /// Clauses number their variables with 16 bits.
    const MAX_VARIABLES: usize = 65_536;
    let Declarations { symbols, predicates, sorts, base, .. } = declarations;
    let mut flattener = Flattener { symbols, predicates, role: sorts.role };
    for rule in rules.iter().filter(|rule| rule.head.relation != Relation::Role) {
        let Some(clause) = flattener.clause(rule) else {
            report_limit("variables", MAX_VARIABLES, rule.span, diagnostics);
            return None;
        };
        base.add_clause(clause);
    }
    Some(())
}
