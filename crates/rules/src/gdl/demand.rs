//! Demand: a finite range for a variable of a head that only those who ask give a value.
//!
//! In: statements that are not safe, and all rules. Out: rules made safe by a condition that lists
//! what the variable can be asked for, where `modes` finds that the game never leaves it open. The
//! list is made of shapes: what the conditions met before an asking can make of its arguments.
//! Paper: magic sets (Bancilhon, Maier, Sagiv, Ullman, PODS 1986), with shapes in place of facts.
//! Invariant: the game's questions have the answers of a prover that goes from the top down.

use std::collections::BTreeMap;

use rulesmith_logic::{Span, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};

use super::GdlLimits;
use super::keyword::UNSPELLABLE;
use super::modes::{Call, Modes};
use super::range::{Ranges, add_ranges, values};
use super::rule::{Formula, Functor, KifAtom, Relation, Rule};
use super::safety::{settle, unsafe_variables};
use super::shapes::{Owner, Shapes};
use super::specialize::with_flows;
use super::statement::{KifTerm, Literal, Statement};
use crate::source::Diagnostics;

/// What became of a rule that is not safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its variables have ranges now.
    Ranged,
    /// No part of the game asks for it.
    Unasked,
    /// The rule at the place, if it is not the rule itself, asks without giving a value.
    AskedOpen(Span),
    /// A variable stands in tests alone, or has too many values.
    Refused,
}

/// Conditions that all rules about what is asked may have together.
const MAX_CONDITIONS: usize = 1_000_000;

/// The variables of a rule that no positive condition binds, by the number of the rule.
type Open = BTreeMap<usize, Vec<u32>>;

/// Makes the rules safe that can be made so, and says of each unsafe one what became of it.
pub(super) fn bind_open(
    statements: &[Statement],
    rules: &mut Vec<Rule>,
    symbols: &mut Symbols,
    limits: &GdlLimits,
    diagnostics: &mut Diagnostics,
) {
    let numbers: FxHashMap<u32, usize> =
        rules.iter().enumerate().map(|(number, rule)| (rule.span.start, number)).collect();
    let mut open = Open::new();
    let mut unsafe_statements = Vec::new();
    for statement in statements {
        let variables = unsafe_variables(statement);
        if let Some(&number) = numbers.get(&statement.span.start)
            && !variables.is_empty()
        {
            open.insert(number, variables.iter().map(|found| found.variable).collect());
            unsafe_statements.push((number, statement));
        }
    }
    if open.is_empty() {
        return;
    }
    let is_hopeless = unsafe_statements.iter().any(|(_, statement)| !is_askable(statement));
    let verdicts =
        if is_hopeless { BTreeMap::new() } else { decide(rules, &open, symbols, limits) };
    for (number, statement) in unsafe_statements {
        let verdict = verdicts.get(&number).copied().unwrap_or(Verdict::Refused);
        settle(statement, verdict, symbols, diagnostics);
    }
}

/// Can asking bind all that is unsafe in the statement? What stands under two negations reads as
/// if it were positive afterwards, so nothing is said about such rules.
fn is_askable(statement: &Statement) -> bool {
    let mut in_head = FxHashSet::default();
    statement.head.each_variable(&mut |variable| {
        in_head.insert(variable);
    });
    unsafe_variables(statement).iter().all(|found| in_head.contains(&found.variable))
        && !statement.body.iter().any(|literal| has_double_negation(literal, false))
}

fn has_double_negation(literal: &Literal, is_negated: bool) -> bool {
    match literal {
        Literal::Sentence(_) | Literal::Distinct(..) => false,
        Literal::Not(inner, _) => is_negated || has_double_negation(inner, true),
        Literal::And(items) | Literal::Or(items) => {
            items.iter().any(|item| has_double_negation(item, is_negated))
        }
    }
}

/// Gives ranges to all open variables, or to none; the verdict on each rule.
fn decide(
    rules: &mut Vec<Rule>,
    open: &Open,
    symbols: &mut Symbols,
    limits: &GdlLimits,
) -> BTreeMap<usize, Verdict> {
    let relations = open.keys().map(|&number| rules[number].head.relation).collect();
    let modes = Modes::analyze(rules, &relations);
    if !modes.is_clear() {
        let asked = |&number: &usize| (number, modes.asked_open(&rules[number]));
        let asked: Vec<(usize, Option<Span>)> = open.keys().map(asked).collect();
        let is_known = asked.iter().any(|(_, span)| span.is_some());
        let other = if is_known { Verdict::Ranged } else { Verdict::Refused };
        let verdict = |span: Option<Span>| span.map_or(other, Verdict::AskedOpen);
        return asked.into_iter().map(|(number, span)| (number, verdict(span))).collect();
    }
    let Some(ranges) = find_ranges(rules, open, &modes, symbols, limits) else {
        return BTreeMap::new();
    };
    let is_asked =
        |number: usize| ranges.iter().all(|((of, _), values)| *of != number || !values.is_empty());
    let verdict = |asked: bool| if asked { Verdict::Ranged } else { Verdict::Unasked };
    let verdicts = open.keys().map(|&number| (number, verdict(is_asked(number)))).collect();
    add_ranges(rules, ranges, symbols);
    verdicts
}

/// What each open variable can be asked for; `None` where that is too much.
fn find_ranges(
    rules: &[Rule],
    open: &Open,
    modes: &Modes<'_>,
    symbols: &mut Symbols,
    limits: &GdlLimits,
) -> Option<Ranges> {
    let mut demand = Demand { symbols, relations: FxHashMap::default(), rules: with_flows(rules) };
    demand.add_questions();
    for (&number, variables) in open {
        for &variable in variables {
            demand.add_range(number, &rules[number], variable);
        }
    }
    let mut left = Some(MAX_CONDITIONS);
    modes.each_asking(&mut |call, rule, asked, before| {
        let n_conditions = (1 + call.known.len() + before.len()) * asked.args.len();
        left = left.and_then(|left| left.checked_sub(n_conditions));
        if left.is_some() {
            demand.add_asking((call, rule), asked, before);
        }
    });
    left?;
    let shapes = Shapes::analyze(&demand.rules, limits.shape_steps)?;
    let mut ranges = Ranges::new();
    for (&number, variables) in open {
        for &variable in variables {
            let owner = Owner::Relation(demand.relation(Asked::Range(number, variable)));
            ranges.insert((number, variable), values(&shapes, owner, 0)?);
        }
    }
    Some(ranges)
}

/// What a relation of the analysis lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asked {
    /// What stands in a place where a relation is asked.
    Place(Relation, usize),
    /// What a variable of a rule can be.
    Range(usize, u32),
}

/// The rules, and rules about what is asked.
struct Demand<'a> {
    symbols: &'a mut Symbols,
    relations: FxHashMap<Asked, Relation>,
    rules: Vec<Rule>,
}

impl Demand<'_> {
    fn relation(&mut self, asked: Asked) -> Relation {
        let number = self.relations.len();
        *self.relations.entry(asked).or_insert_with(|| {
            let name = self.symbols.symbol(&format!("{UNSPELLABLE}asked_{number}"));
            Relation::Plain(Functor { name, arity: 1 })
        })
    }

    fn atom(&mut self, asked: Asked, term: &KifTerm) -> KifAtom {
        KifAtom { relation: self.relation(asked), args: vec![term.clone()] }
    }

    /// The game asks every role what is legal and what its goal is worth.
    fn add_questions(&mut self) {
        for relation in [Relation::Legal, Relation::Goal] {
            let asked = self.relation(Asked::Place(relation, 0));
            self.rules.push(Rule::passing_on(Relation::Role, asked, 1, None));
        }
    }

    /// The rule's variable is what is asked in any place where it stands.
    fn add_range(&mut self, number: usize, rule: &Rule, variable: u32) {
        let range = self.atom(Asked::Range(number, variable), &KifTerm::Variable(variable));
        for (place, arg) in rule.head.args.iter().enumerate() {
            let mut is_there = false;
            arg.each_variable(&mut |other| is_there |= other == variable);
            if is_there {
                let asked = self.atom(Asked::Place(rule.head.relation, place), arg);
                self.add(rule, range.clone(), vec![Formula::Holds(asked)]);
            }
        }
        self.rules[number].body.push(Formula::Holds(range));
    }

    /// What a condition asks for, given what its rule is asked for and the conditions met before.
    fn add_asking(&mut self, (call, rule): (&Call, &Rule), asked: &KifAtom, before: &[&Formula]) {
        let known = rule.head.args.iter().zip(&call.known).enumerate();
        let known = known.filter(|(_, (_, is_known))| **is_known);
        let mut body: Vec<Formula> = known
            .map(|(place, (arg, _))| {
                Formula::Holds(self.atom(Asked::Place(call.relation, place), arg))
            })
            .collect();
        body.extend(before.iter().copied().cloned());
        for (place, arg) in asked.args.iter().enumerate() {
            let head = self.atom(Asked::Place(asked.relation, place), arg);
            self.add(rule, head, body.clone());
        }
    }

    fn add(&mut self, rule: &Rule, head: KifAtom, body: Vec<Formula>) {
        self.rules.push(Rule { head, body, variables: rule.variables.clone(), span: rule.span });
    }
}
