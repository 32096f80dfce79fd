//! The effects of all fluents, in the place of `next`.
//!
//! In: arranged rules and what was proved about them. Out: all rules, with assignments instead of
//! `next`, and which fluents are transient. A removal that never happens is left out; a function that
//! every step replaces persists. Invariant: the next state is what the rules for `next` conclude.

use rulesmith_logic::Symbol;
use rustc_hash::FxHashMap;

use super::arrangement::arrange_proved;
use super::build::Parts;
use super::contradiction::Prover;
use super::frame::{AssignedWords, Effects, FluentKind, Removal, to_effects};
use super::removal::{Doers, is_refuted};
use super::rule::{Functor, Relation, Rule};
use crate::theory::UNDEFINED;

/// All rules of a game, and how its fluents go from state to state.
#[derive(Debug)]
pub(super) struct AllEffects {
    /// All rules, with effects in the place of `next`.
    pub(super) rules: Vec<Rule>,
    /// For each kind of fluent, in order.
    pub(super) is_transient: Vec<bool>,
}

/// Turns all rules for `next` into effects.
pub(super) fn all_effects(parts: &mut Parts<'_>, roles: &[Symbol]) -> AllEffects {
    let (mut rules, effects) = split(parts);
    let never_removed = find_never_removed(parts, &rules, &effects, roles);
    let mut is_transient = Vec::new();
    for (effects, never_removed) in effects.into_iter().zip(never_removed) {
        is_transient.push(effects.is_transient && !never_removed);
        rules.extend(effects.assignments);
        let is_needed = !effects.is_transient && !never_removed;
        if let Some(Removal { helpers, rule }) = effects.removal.filter(|_| is_needed) {
            rules.extend(helpers);
            rules.push(rule);
        }
    }
    AllEffects { rules, is_transient }
}

/// The rules for other things than `next`, and the effects of each kind of fluent.
fn split(parts: &mut Parts<'_>) -> (Vec<Rule>, Vec<Effects>) {
    let mut word = |text| parts.symbols.symbol(text);
    let words = AssignedWords { yes: word("true"), no: word("false"), undefined: word(UNDEFINED) };
    let mut next: FxHashMap<Functor, Vec<Rule>> = FxHashMap::default();
    let mut rules = Vec::new();
    for rule in &parts.specialized.rules {
        match rule.head.relation {
            Relation::NextOf(functor) => next.entry(functor).or_default().push(rule.clone()),
            _ => rules.push(rule.clone()),
        }
    }
    let effects = |functor: &Functor| {
        let is_functional = parts.proved.values.contains_key(functor);
        let own = next.get(functor).map_or(&[][..], Vec::as_slice);
        to_effects(FluentKind { functor: *functor, is_functional }, own, words)
    };
    (rules, parts.specialized.fluents.iter().map(effects).collect())
}

/// For each kind of fluent: is nothing ever taken away that is not replaced?
fn find_never_removed(
    parts: &mut Parts<'_>,
    rules: &[Rule],
    effects: &[Effects],
    roles: &[Symbol],
) -> Vec<bool> {
    let helpers = effects.iter().filter_map(|effects| effects.removal.as_ref());
    let helpers = helpers.flat_map(|removal| removal.helpers.iter().cloned());
    let all: Vec<Rule> = rules.iter().cloned().chain(helpers).collect();
    let proved = arrange_proved(&parts.proved);
    let doers = Doers { roles, moves: parts.specialized.moves.iter().copied().collect() };
    let mut prover = Prover::new(&all, parts.facts, &mut parts.symbols);
    prover.suppose(proved.exclusions.into_iter());
    prover.few_values = proved.few_values;
    let refuted = |effects: &Effects| {
        let removal = effects.removal.as_ref();
        removal.is_some_and(|removal| is_refuted(&mut prover, &removal.rule, &doers))
    };
    effects.iter().map(refuted).collect()
}
