//! Frame axioms: rules for `next` that only say what stays become persistence.
//!
//! In: the rules for `next` of one kind of fluent, its value last. Out: what a step assigns. A frame
//! axiom has the fluent itself, with the same arguments, among its conditions. With frame axioms a
//! fluent persists: the other rules assign, and one more rule takes away what is neither kept nor
//! assigned. Without, the fluent is transient: every step starts from nothing.
//! Invariant: the next state is the same set of
//! facts as the rules for `next` conclude.

use rulesmith_logic::{Span, Symbol};

use super::conjunction::choices;
use super::rule::{Formula, Functor, KifAtom, Relation, Rule, any_of};
use super::statement::KifTerm;

/// A kind of fluent as the theory has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FluentKind {
    pub(super) functor: Functor,
    /// Is its last argument its value?
    pub(super) is_functional: bool,
}

/// The words for what is assigned beside values.
#[derive(Clone, Copy, Debug)]
pub(super) struct AssignedWords {
    pub(super) yes: Symbol,
    pub(super) no: Symbol,
    pub(super) undefined: Symbol,
}

/// What the steps do to one kind of fluent.
#[derive(Debug)]
pub(super) struct Effects {
    /// Does every step start from nothing?
    pub(super) is_transient: bool,
    /// What is assigned.
    pub(super) assignments: Vec<Rule>,
    /// What takes away; for a transient fluent, what would have to be taken away if it persisted.
    pub(super) removal: Option<Removal>,
}

/// The rule that takes away.
#[derive(Debug)]
pub(super) struct Removal {
    /// What it reads: facts that are kept, keys that are given a value.
    pub(super) helpers: Vec<Rule>,
    pub(super) rule: Rule,
}

/// Turns the rules for `next` of one kind into effects.
pub(super) fn to_effects(kind: FluentKind, rules: &[Rule], words: AssignedWords) -> Effects {
    let (frames, additions) = sort_rules(kind, rules);
    let assign = |rule: &Rule| {
        let mut args = rule.head.args.clone();
        if !kind.is_functional {
            args.push(KifTerm::Constant(words.yes));
        }
        Rule { head: KifAtom { relation: Relation::Assign(kind.functor), args }, ..rule.clone() }
    };
    let assignments = additions.iter().map(assign).collect();
    let is_transient = frames.is_empty();
    let removal =
        removal(kind, &frames, !additions.is_empty(), words).map(|(rule, mut helpers)| {
            helpers.extend(additions.iter().map(|rule| added(kind, rule)));
            Removal { helpers, rule }
        });
    Effects { is_transient, assignments, removal }
}

/// Frame axioms, without the fluent itself in their bodies, and the other rules.
fn sort_rules(kind: FluentKind, rules: &[Rule]) -> (Vec<Rule>, Vec<Rule>) {
    let (mut frames, mut additions) = (Vec::new(), Vec::new());
    for rule in rules.iter().flat_map(|rule| split_alternatives(kind, rule)) {
        let itself = itself(kind, &rule);
        if rule.body.contains(&itself) {
            let body = rule.body.iter().filter(|formula| **formula != itself).cloned().collect();
            frames.push(Rule { body, ..rule });
        } else {
            additions.push(rule);
        }
    }
    (frames, additions)
}

/// The condition that what the rule concludes holds already.
fn itself(kind: FluentKind, rule: &Rule) -> Formula {
    let relation = Relation::HoldsOf(kind.functor);
    Formula::Holds(KifAtom { relation, args: rule.head.args.clone() })
}

/// One rule for each alternative, if one of the alternatives makes it a frame axiom.
fn split_alternatives(kind: FluentKind, rule: &Rule) -> Vec<Rule> {
    let itself = itself(kind, rule);
    let is_hidden = |formula: &Formula| matches!(formula, Formula::AnyOf(branches) if branches.iter().flatten().any(|inner| *inner == itself));
    let bodies = if rule.body.iter().any(is_hidden) { choices(&rule.body) } else { None };
    let Some(bodies) = bodies else { return vec![rule.clone()] };
    bodies.into_iter().map(|body| Rule { body, ..rule.clone() }).collect()
}

fn added(kind: FluentKind, rule: &Rule) -> Rule {
    let n_keys = kind.functor.arity - usize::from(kind.is_functional);
    let args = rule.head.args[..n_keys].to_vec();
    Rule { head: KifAtom { relation: Relation::Added(kind.functor), args }, ..rule.clone() }
}

/// The rule that takes away what is not kept, with the rules for what is kept that it needs; `None`
/// when everything is kept.
fn removal(
    kind: FluentKind,
    frames: &[Rule],
    has_additions: bool,
    words: AssignedWords,
) -> Option<(Rule, Vec<Rule>)> {
    let Functor { arity, .. } = kind.functor;
    let n_keys = arity - usize::from(kind.is_functional);
    let variables: Vec<String> = (1..=arity).map(|place| format!("?k{place}")).collect();
    let numbers = 0..u32::try_from(arity).expect("arities fit into a text within its limit");
    let args: Vec<KifTerm> = numbers.map(KifTerm::Variable).collect();
    let atom = |relation, args: &[KifTerm]| KifAtom { relation, args: args.to_vec() };
    let mut body = vec![Formula::Holds(atom(Relation::HoldsOf(kind.functor), &args))];
    let mut kept = Vec::new();
    for frame in frames {
        match not_kept(frame) {
            Some(alternatives) => body.extend(any_of(alternatives)?),
            None => kept.push(kept_rule(kind, frame)),
        }
    }
    if !kept.is_empty() {
        body.push(Formula::Fails(atom(Relation::Kept(kind.functor), &args)));
    }
    if has_additions {
        body.push(Formula::Fails(atom(Relation::Added(kind.functor), &args[..n_keys])));
    }
    let nothing = if kind.is_functional { words.undefined } else { words.no };
    let mut head = atom(Relation::Assign(kind.functor), &args[..n_keys]);
    head.args.push(KifTerm::Constant(nothing));
    let span = frames.first().map_or(Span::default(), |frame| frame.span);
    Some((Rule { head, body, variables, span }, kept))
}

fn kept_rule(kind: FluentKind, frame: &Rule) -> Rule {
    let mut body = vec![itself(kind, frame)];
    body.extend_from_slice(&frame.body);
    let head = KifAtom { relation: Relation::Kept(kind.functor), args: frame.head.args.clone() };
    Rule { head, body, ..frame.clone() }
}

/// The ways in which a frame axiom does not apply to the fact whose arguments are the variables
/// `0, 1, …`. `None` when it has conditions on other things too: then there may be many ways.
fn not_kept(frame: &Rule) -> Option<Vec<Vec<Formula>>> {
    let mut places: Vec<Option<u32>> = vec![None; frame.variables.len()];
    let mut ways = Vec::new();
    for (place, arg) in (0_u32..).zip(&frame.head.args) {
        let here = KifTerm::Variable(place);
        match arg {
            KifTerm::Variable(variable) => match places[*variable as usize] {
                Some(before) => ways.push(vec![Formula::Distinct(KifTerm::Variable(before), here)]),
                None => places[*variable as usize] = Some(place),
            },
            KifTerm::Constant(_) => ways.push(vec![Formula::Distinct(here, arg.clone())]),
            KifTerm::Function(..) => return None,
        }
    }
    let mut has_others = false;
    let mut visit = |variable: u32| has_others |= places[variable as usize].is_none();
    frame.body.iter().for_each(|formula| formula.each_variable(&mut visit));
    if has_others {
        return None;
    }
    let rename = |variable: u32| KifTerm::Variable(places[variable as usize].unwrap_or(variable));
    ways.extend(frame.body.iter().map(|formula| negate(&formula.map_variables(&rename))));
    Some(ways)
}

/// The conditions that together say the opposite.
fn negate(formula: &Formula) -> Vec<Formula> {
    match formula {
        Formula::Holds(atom) => vec![Formula::Fails(atom.clone())],
        Formula::Fails(atom) => vec![Formula::Holds(atom.clone())],
        Formula::Equal(left, right) => vec![Formula::Distinct(left.clone(), right.clone())],
        Formula::Distinct(left, right) => vec![Formula::Equal(left.clone(), right.clone())],
        Formula::AnyOf(branches) => {
            let not_branch = |branch: &Vec<Formula>| {
                let ways = branch.iter().map(negate).collect();
                any_of(ways).expect("an alternative has at least one condition")
            };
            branches.iter().flat_map(not_branch).collect()
        }
    }
}
