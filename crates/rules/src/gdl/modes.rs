//! Modes: what is known when a relation is asked, as a prover that goes from the top down asks it.
//!
//! In: rules, some with variables that none of their positive conditions binds. Out: every way in
//! which the game asks the relations that depend on such rules, and whether all answers are ground.
//! Conditions are taken from left to right; one that would leave a variable open waits, as do tests.
//! Invariant: where the outcome is `Ground`, no test ever meets a variable without a value, neither
//! in this order nor in that of the text.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use rulesmith_logic::Span;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::reading::Reading;
use super::rule::{Formula, KifAtom, Relation, Rule};
use super::statement::KifTerm;

/// Variables that have a value.
pub(super) type Bound = BTreeSet<u32>;

/// A question by what is known of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) relation: Relation,
    pub(super) known: Vec<bool>,
}

/// What the answers are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Every variable has a value.
    Ground,
    /// Some variable may be left without.
    Open,
    /// A test of the conditions looked at waits for a variable.
    Waiting,
    /// A test is asked about a variable without a value: what it says then is not what it means.
    Unclear,
}

/// Called with a call and one of its rules, a condition of the rule, and those met before it.
type Visit<'v> = dyn FnMut(&Call, &Rule, &KifAtom, &[&Formula]) + 'v;

/// Conditions looked at before the analysis is given up.
const MAX_STEPS: usize = 5_000_000;

/// The calls of a game.
#[derive(Debug)]
pub(super) struct Modes<'a> {
    /// The rules of the relations that depend on open rules.
    rules_of: FxHashMap<Relation, Vec<&'a Rule>>,
    /// Each call with its outcome and the rule that makes it first, if it is not the game itself.
    calls: IndexMap<Call, (Outcome, Option<Span>), FxBuildHasher>,
    steps_left: usize,
}

impl<'a> Modes<'a> {
    /// All calls that the game's questions lead to.
    pub(super) fn analyze(rules: &'a [Rule], open: &FxHashSet<Relation>) -> Self {
        let affected = Reading::new(rules).readers_of(|relation| open.contains(relation));
        let mut rules_of: FxHashMap<Relation, Vec<&Rule>> = FxHashMap::default();
        for rule in rules.iter().filter(|rule| affected.contains(&rule.head.relation)) {
            rules_of.entry(rule.head.relation).or_default().push(rule);
        }
        let mut modes = Self { rules_of, calls: IndexMap::default(), steps_left: MAX_STEPS };
        for call in questions() {
            modes.ask(call, None);
        }
        while modes.reconsider() {}
        modes
    }

    /// Are all answers to the game's own questions ground?
    pub(super) fn is_clear(&self) -> bool {
        questions().all(|call| self.outcome(&call) == Outcome::Ground)
    }

    /// The first rule that asks for the rule's relation in a way that leaves its answers open; the
    /// rule itself where the game asks so.
    pub(super) fn asked_open(&self, rule: &Rule) -> Option<Span> {
        let mut steps_left = self.steps_left;
        let is_open = |(call, _): &(&Call, _)| {
            let mut ask = |call: Call, _: &KifAtom, _: &[&Formula]| self.outcome(&call);
            let walk = Walk { steps_left: &mut steps_left, ask: &mut ask };
            call.relation == rule.head.relation && walk.rule(rule, &call.known) != Outcome::Ground
        };
        self.calls.iter().find(is_open).map(|(_, (_, span))| span.unwrap_or(rule.span))
    }

    /// Calls `visit` on every condition about a relation that depends on open rules, as often as
    /// some call leads to it: the call and its rule, the condition, and the conditions met before.
    pub(super) fn each_asking(&self, visit: &mut Visit<'_>) {
        let mut reached: Vec<Call> = questions().filter(|call| self.is_affected(call)).collect();
        let mut known: FxHashSet<Call> = reached.iter().cloned().collect();
        while let Some(call) = reached.pop() {
            for rule in self.rules_of[&call.relation].iter().copied() {
                let mut ask = |asked: Call, atom: &KifAtom, before: &[&Formula]| {
                    let outcome = self.outcome(&asked);
                    if outcome == Outcome::Ground && self.is_affected(&asked) {
                        visit(&call, rule, atom, before);
                        if known.insert(asked.clone()) {
                            reached.push(asked);
                        }
                    }
                    outcome
                };
                let mut steps_left = MAX_STEPS;
                Walk { steps_left: &mut steps_left, ask: &mut ask }.rule(rule, &call.known);
            }
        }
    }

    fn is_affected(&self, call: &Call) -> bool {
        self.rules_of.contains_key(&call.relation)
    }

    fn outcome(&self, call: &Call) -> Outcome {
        if !self.is_affected(call) {
            return Outcome::Ground;
        }
        self.calls.get(call).map_or(Outcome::Unclear, |(outcome, _)| *outcome)
    }

    /// The outcome as far as it is known; a new call is taken for harmless until it is looked at.
    fn ask(&mut self, call: Call, span: Option<Span>) -> Outcome {
        if !self.is_affected(&call) {
            return Outcome::Ground;
        }
        self.calls.entry(call).or_insert((Outcome::Ground, span)).0
    }

    /// Looks at all calls again; true if one is worse than was thought, or new.
    fn reconsider(&mut self) -> bool {
        let n_before = self.calls.len();
        let mut is_worse = false;
        let mut number = 0;
        while let Some((call, (before, _))) = self.calls.get_index(number) {
            let (call, before) = (call.clone(), *before);
            let after = self.answers(&call).max(before);
            is_worse |= after != before;
            self.calls[number].0 = after;
            number += 1;
        }
        is_worse || self.calls.len() > n_before
    }

    fn answers(&mut self, call: &Call) -> Outcome {
        let rules = self.rules_of[&call.relation].clone();
        let mut worst = Outcome::Ground;
        let mut steps_left = self.steps_left;
        for rule in rules {
            let mut ask = |call: Call, _: &KifAtom, _: &[&Formula]| self.ask(call, Some(rule.span));
            let walk = Walk { steps_left: &mut steps_left, ask: &mut ask };
            worst = worst.max(walk.rule(rule, &call.known));
        }
        self.steps_left = steps_left;
        worst
    }
}

/// What a game asks: with the role, where there is one, and nothing else.
fn questions() -> impl Iterator<Item = Call> {
    let questions = [
        (Relation::Init, &[false][..]),
        (Relation::Next, &[false]),
        (Relation::Legal, &[true, false]),
        (Relation::Goal, &[true, false]),
        (Relation::Terminal, &[]),
    ];
    questions.into_iter().map(|(relation, known)| Call { relation, known: known.to_vec() })
}

/// Answers for a call made by a condition, given the conditions met before it.
type Ask<'w> = dyn FnMut(Call, &KifAtom, &[&Formula]) -> Outcome + 'w;

/// One way through the conditions of a rule.
struct Walk<'w> {
    steps_left: &'w mut usize,
    ask: &'w mut Ask<'w>,
}

impl Walk<'_> {
    fn rule(mut self, rule: &Rule, known: &[bool]) -> Outcome {
        let mut bound = Bound::new();
        for (arg, _) in rule.head.args.iter().zip(known).filter(|(_, is_known)| **is_known) {
            arg.each_variable(&mut |variable| {
                bound.insert(variable);
            });
        }
        let outcome = self.body(&rule.body, &mut bound, &mut Vec::new());
        match outcome {
            Outcome::Waiting => Outcome::Unclear,
            Outcome::Ground if !rule.head.args.iter().all(|arg| is_ground(arg, &bound)) => {
                Outcome::Open
            }
            _ => outcome,
        }
    }

    fn body<'f>(
        &mut self,
        body: &'f [Formula],
        bound: &mut Bound,
        before: &mut Vec<&'f Formula>,
    ) -> Outcome {
        let mut pending: Vec<&Formula> = body.iter().collect();
        while !pending.is_empty() {
            match self.next_met(&pending, bound, before) {
                Ok(place) => before.push(pending.remove(place)),
                Err(outcome) => return outcome,
            }
        }
        Outcome::Ground
    }

    /// The first condition that leaves nothing open; else why there is none.
    fn next_met<'f>(
        &mut self,
        pending: &[&'f Formula],
        bound: &mut Bound,
        before: &[&'f Formula],
    ) -> Result<usize, Outcome> {
        let bound_before = bound.clone();
        let mut worst = Outcome::Ground;
        // The variables of the conditions passed over, and the tests among those.
        let (mut left_open, mut tests) = (Bound::new(), Vec::new());
        let mut met = None;
        for (place, &formula) in pending.iter().enumerate() {
            let outcome = self.formula(formula, bound, before);
            match outcome {
                Outcome::Ground => {
                    met = Some(place);
                    break;
                }
                Outcome::Unclear => return Err(Outcome::Unclear),
                Outcome::Waiting => tests.push(formula),
                Outcome::Open => left_open.extend(variables_of(formula)),
            }
            worst = worst.max(outcome);
        }
        // A prover that keeps to the text's order takes such a test for decided too early.
        let seen: Bound = bound_before.union(&left_open).copied().collect();
        let is_early = |test: &&Formula| match test {
            Formula::AnyOf(_) => true,
            _ => variables_of(test).is_subset(&seen),
        };
        if !left_open.is_empty() && tests.iter().any(is_early) {
            return Err(Outcome::Unclear);
        }
        met.ok_or(worst)
    }

    /// The outcome of one condition; binds its variables if that is `Ground`.
    fn formula<'f>(
        &mut self,
        formula: &'f Formula,
        bound: &mut Bound,
        before: &[&'f Formula],
    ) -> Outcome {
        let Some(left) = self.steps_left.checked_sub(1) else { return Outcome::Unclear };
        *self.steps_left = left;
        match formula {
            Formula::Holds(atom) => {
                let outcome = (self.ask)(call_of(atom, bound), atom, before);
                if outcome == Outcome::Ground {
                    bound.extend(variables_of(formula));
                }
                outcome
            }
            Formula::AnyOf(branches) => self.any_of(branches, bound, before),
            _ if !variables_of(formula).is_subset(bound) => Outcome::Waiting,
            Formula::Fails(atom) => (self.ask)(call_of(atom, bound), atom, before),
            Formula::Equal(..) | Formula::Distinct(..) => Outcome::Ground,
        }
    }

    fn any_of<'f>(
        &mut self,
        branches: &'f [Vec<Formula>],
        bound: &mut Bound,
        before: &[&'f Formula],
    ) -> Outcome {
        let mut worst = Outcome::Ground;
        let mut bound_by_all: Option<Bound> = None;
        for branch in branches {
            let mut inside = bound.clone();
            worst = worst.max(self.body(branch, &mut inside, &mut before.to_vec()));
            bound_by_all = Some(match bound_by_all {
                None => inside,
                Some(all) => all.intersection(&inside).copied().collect(),
            });
        }
        if worst == Outcome::Ground {
            bound.extend(bound_by_all.unwrap_or_default());
        }
        worst
    }
}

fn call_of(atom: &KifAtom, bound: &Bound) -> Call {
    let known = atom.args.iter().map(|arg| is_ground(arg, bound)).collect();
    Call { relation: atom.relation, known }
}

fn is_ground(term: &KifTerm, bound: &Bound) -> bool {
    let mut is_ground = true;
    term.each_variable(&mut |variable| is_ground &= bound.contains(&variable));
    is_ground
}

/// The variables of a condition.
pub(super) fn variables_of(formula: &Formula) -> Bound {
    let mut variables = Bound::new();
    formula.each_variable(&mut |variable| {
        variables.insert(variable);
    });
    variables
}
