//! The theory of a description: effects, predicates, clauses, and the map back to KIF.
//!
//! In: rules by kind, their values last. Out: a theory. Every relation becomes a predicate, every
//! kind of fluent and move an entry of the theory. Invariant: what nothing in the game reads (`base`,
//! `input` and what only they read) is left out; levels are settled.

use rulesmith_logic::{ClauseBase, Span, Symbol, Symbols, Value};
use rustc_hash::FxHashMap;

use super::declare::Declarations;
use super::exclusion::Values;
use super::flatten::Flattener;
use super::frame::{AssignedWords, FluentKind, to_effects};
use super::keyword::Keywords;
use super::map::GdlMap;
use super::reading::Reading;
use super::rule::{Functor, Relation, Rule};
use super::shapes::{MAX_SHAPE_STEPS, Shapes};
use super::sorts::Sorts;
use super::specialize::Specialized;
use super::statement::KifTerm;
use crate::source::{Diagnostic, Diagnostics, Sources};
use crate::theory::{Notation, Theory, TurnIdentity, UNDEFINED};

/// What a theory is built from.
pub(super) struct Parts<'a> {
    pub(super) name: &'a str,
    pub(super) sources: Sources,
    pub(super) keywords: Keywords,
    pub(super) symbols: Symbols,
    pub(super) specialized: Specialized,
    pub(super) values: Values,
}

/// Builds the theory; `None` when a limit was reported.
pub(super) fn build(mut parts: Parts<'_>, diagnostics: &mut Diagnostics) -> Option<(Theory, GdlMap)> {
    let reading = Reading::new(&parts.specialized.rules);
    let needed = reading.needed(&parts.keywords);
    parts.specialized.rules.retain(|rule| needed.contains(&rule.head.relation));
    let Some(shapes) = Shapes::analyze(&with_flows(&parts.specialized)) else {
        report_limit("shape steps", MAX_SHAPE_STEPS, Span::default(), diagnostics);
        return None;
    };
    let effects = to_all_effects(&parts);
    let roles = roles_of(&parts.specialized.rules);
    let role_values: Vec<Value> = roles.iter().copied().map(Value::Symbol).collect();
    let mut base = ClauseBase::default();
    let sorts = Sorts::new(&shapes, &role_values, &mut base);
    let Parts { name, sources, symbols, specialized, values, .. } = parts;
    let mut declarations = Declarations::new(symbols, base, sorts, &effects.rules);
    let [terminal, goal, draw, continues] = declarations.declare_special();
    let moves = declarations.declare_moves(&specialized);
    let fluents = declarations.declare_fluents(&specialized, &values, &effects.is_transient);
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
        sorts: sorts.sorts,
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
        sources,
    };
    Some((theory, map))
}

fn report_limit(name: &str, limit: usize, span: Span, diagnostics: &mut Diagnostics) {
    let message = format!("the rules need more than the limit `{name}` of {limit}");
    diagnostics.report(Diagnostic::error("limit", span, message).help("split the rule into smaller ones"));
}

/// The rules, and what flows from one state to the next.
fn with_flows(specialized: &Specialized) -> Vec<Rule> {
    let mut rules = specialized.rules.clone();
    for &functor in &specialized.fluents {
        let holds = Relation::HoldsOf(functor);
        rules.push(Rule::passing_on(Relation::InitOf(functor), holds, functor.arity, None));
        rules.push(Rule::passing_on(Relation::NextOf(functor), holds, functor.arity, None));
    }
    for &functor in &specialized.moves {
        let (legal, does) = (Relation::LegalOf(functor), Relation::DoesOf(functor));
        rules.push(Rule::passing_on(legal, does, functor.arity + 1, Some(Relation::Role)));
    }
    rules
}

struct AllEffects {
    /// All rules, with effects in the place of `next`.
    rules: Vec<Rule>,
    /// For each kind of fluent, in order.
    is_transient: Vec<bool>,
}

fn to_all_effects(parts: &Parts<'_>) -> AllEffects {
    let word = |text| parts.symbols.find(text).expect("these words were interned before the text was read");
    let words = AssignedWords { yes: word("true"), no: word("false"), undefined: word(UNDEFINED) };
    let mut next: FxHashMap<Functor, Vec<Rule>> = FxHashMap::default();
    let mut all = AllEffects { rules: Vec::new(), is_transient: Vec::new() };
    for rule in &parts.specialized.rules {
        match rule.head.relation {
            Relation::NextOf(functor) => next.entry(functor).or_default().push(rule.clone()),
            _ => all.rules.push(rule.clone()),
        }
    }
    for &functor in &parts.specialized.fluents {
        let kind = FluentKind { functor, is_functional: parts.values.contains_key(&functor) };
        let effects = to_effects(kind, next.get(&functor).map_or(&[], Vec::as_slice), words);
        all.is_transient.push(effects.is_transient);
        all.rules.extend(effects.rules);
    }
    all
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
