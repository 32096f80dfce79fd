//! Specialisation by kind: no variable stands for a whole fluent or a whole move any more.
//!
//! In: rules over `true`, `next`, `init`, `legal` and `does`. Out: rules over one relation for each
//! kind of fluent and move. A rule with a variable in such a place becomes one copy for each shape
//! the variable can have. Invariant: the copies together answer as the rule did.

use indexmap::IndexSet;
use rulesmith_logic::{Span, Symbol};
use rustc_hash::FxBuildHasher;

use super::GdlLimits;
use super::keyword::Keywords;
use super::reading::Reading;
use super::rule::{Formula, Functor, KifAtom, Relation, Rule, any_of};
use super::shapes::{Owner, Shapes, functor_of};
use super::statement::KifTerm;
use crate::source::{Diagnostic, Diagnostics};

/// Rules by kind, and the kinds they speak of.
#[derive(Debug, Default)]
pub(super) struct Specialized {
    pub(super) rules: Vec<Rule>,
    /// The kinds of fluents in the order of the text.
    pub(super) fluents: IndexSet<Functor, FxBuildHasher>,
    /// The kinds of moves in the order of the text.
    pub(super) moves: IndexSet<Functor, FxBuildHasher>,
}

/// Where variables stand for whole fluents (or moves), more constants than this are one kind.
const MAX_CONSTANT_KINDS: usize = 12;

/// Specialises the rules; `None` when a limit was reported.
pub(super) fn specialize(
    rules: &[Rule],
    keywords: &Keywords,
    limits: &GdlLimits,
    diagnostics: &mut Diagnostics,
) -> Option<Specialized> {
    let shapes = analyze(&with_flows(rules), limits, diagnostics)?;
    let mut specialized = Specialized {
        rules: Vec::new(),
        fluents: shapes.at(Owner::Relation(Relation::Holds), 0).collect(),
        moves: shapes.at(Owner::Relation(Relation::Legal), 1).collect(),
    };
    let any_fact = merge_constants(&mut specialized.fluents, keywords.any_fact, 0, rules);
    let any_choice = merge_constants(&mut specialized.moves, keywords.any_choice, 1, rules);
    let constant = Relation::Plain(Functor { name: keywords.constant, arity: 1 });
    if any_fact.is_some() || any_choice.is_some() {
        let facts = shapes.constants().map(|name| Rule::fact(constant, KifTerm::Constant(name)));
        specialized.rules.extend(facts);
    }
    let mut copies = Copies {
        shapes: &shapes,
        specialized: &mut specialized,
        merged: [any_fact, any_choice],
        constant,
        left: limits.clause_copies,
    };
    for rule in rules {
        if copies.add(rule, diagnostics).is_none() {
            let limit = limits.clause_copies;
            let message = format!("the rules need more than the limit `clause-copies` of {limit}");
            let help =
                "name kinds of fluents and moves instead of using a variable for all of them";
            diagnostics.report(Diagnostic::error("limit", rule.span, message).help(help));
            return None;
        }
    }
    Some(specialized)
}

/// The rules, and after them those by which a state comes from `init` and `next` and moves from `legal`.
pub(super) fn with_flows(rules: &[Rule]) -> Vec<Rule> {
    let mut with_flows = rules.to_vec();
    with_flows.push(Rule::passing_on(Relation::Init, Relation::Holds, 1, None));
    with_flows.push(Rule::passing_on(Relation::Next, Relation::Holds, 1, None));
    with_flows.push(Rule::passing_on(Relation::Legal, Relation::Does, 2, Some(Relation::Role)));
    with_flows
}

/// Makes one kind of all constants, if they are many and some variable stands for a whole fluent
/// (`place` 0) or move (1).
fn merge_constants(
    kinds: &mut IndexSet<Functor, FxBuildHasher>,
    name: Symbol,
    place: usize,
    rules: &[Rule],
) -> Option<Functor> {
    let n_constants = kinds.iter().filter(|kind| kind.arity == 0).count();
    let is_whole = |rule: &Rule| whole_variables(rule).iter().any(|(_, (_, at))| *at == place);
    if n_constants <= MAX_CONSTANT_KINDS || !rules.iter().any(is_whole) {
        return None;
    }
    kinds.retain(|kind| kind.arity > 0);
    let merged = Functor { name, arity: 1 };
    kinds.insert(merged);
    Some(merged)
}

/// The shapes of all arguments; `None` when a limit was reported.
fn analyze(rules: &[Rule], limits: &GdlLimits, diagnostics: &mut Diagnostics) -> Option<Shapes> {
    let shapes = Shapes::analyze(rules, limits.shape_steps);
    if shapes.is_none() {
        let limit = limits.shape_steps;
        let message = format!("the rules need more than the limit `shape-steps` of {limit}");
        let span = rules.first().map_or(Span::default(), |rule| rule.span);
        let help = "list facts instead of concluding them one from another by many rules";
        diagnostics.report(Diagnostic::error("limit", span, message).help(help));
    }
    shapes
}

impl Specialized {
    /// Leaves out what no part of the game reads: `base`, `input` and what only they read.
    pub(super) fn drop_unread(&mut self, keywords: &Keywords) {
        let needed = Reading::new(&self.rules).needed(keywords);
        self.rules.retain(|rule| needed.contains(&rule.head.relation));
    }

    /// The shapes of all arguments, in all states; `None` when a limit was reported.
    pub(super) fn shapes(
        &self,
        limits: &GdlLimits,
        diagnostics: &mut Diagnostics,
    ) -> Option<Shapes> {
        let mut rules = self.rules.clone();
        for &functor in &self.fluents {
            let holds = Relation::HoldsOf(functor);
            rules.push(Rule::passing_on(Relation::InitOf(functor), holds, functor.arity, None));
            rules.push(Rule::passing_on(Relation::NextOf(functor), holds, functor.arity, None));
        }
        for &functor in &self.moves {
            let (legal, does) = (Relation::LegalOf(functor), Relation::DoesOf(functor));
            rules.push(Rule::passing_on(legal, does, functor.arity + 1, Some(Relation::Role)));
        }
        analyze(&rules, limits, diagnostics)
    }
}

struct Copies<'a> {
    shapes: &'a Shapes,
    specialized: &'a mut Specialized,
    /// The kinds of all constants among fluents and among moves, where they are one kind.
    merged: [Option<Functor>; 2],
    /// The relation that holds of all constants.
    constant: Relation,
    /// How many copies may still be made.
    left: usize,
}

/// A copy of a rule with many conditions counts once for each so many of them.
const CONDITIONS_PER_COPY: usize = 50;

impl Copies<'_> {
    /// Adds all copies of a rule; `None` when there are too many.
    fn add(&mut self, rule: &Rule, diagnostics: &mut Diagnostics) -> Option<()> {
        let whole = whole_variables(rule);
        if whole.is_empty() {
            self.warn_never_true(rule, diagnostics);
            self.add_resolved(rule);
            return Some(());
        }
        let Some(allowed) = self.shapes.variables(rule) else { return Some(()) };
        let mut choices: Vec<(u32, Vec<Choice>)> = Vec::new();
        for &(variable, (owner, place)) in &whole {
            if choices.iter().any(|(known, _)| *known == variable) {
                continue;
            }
            let everywhere = || self.shapes.at(owner, place).collect();
            let allowed = allowed[variable as usize].as_ref();
            let functors = allowed.map_or_else(everywhere, |set| self.shapes.functors(set));
            let mut places = whole.iter().filter(|(other, _)| *other == variable);
            let is_merged = places.all(|(_, (_, place))| self.merged[*place].is_some());
            choices.push((variable, to_choices(functors, is_merged)));
        }
        self.add_choices(rule, &choices)
    }

    fn add_choices(&mut self, rule: &Rule, choices: &[(u32, Vec<Choice>)]) -> Option<()> {
        let Some(((variable, choices), rest)) = choices.split_first() else {
            self.add_resolved(rule);
            return Some(());
        };
        let cost = 1 + rule.body.len() / CONDITIONS_PER_COPY;
        choices.iter().try_for_each(|choice| {
            self.left = self.left.checked_sub(cost)?;
            let copy = match choice {
                Choice::Kind(functor) => replace_whole(rule, *variable, *functor),
                Choice::AnyConstant => {
                    let args = vec![KifTerm::Variable(*variable)];
                    let is_constant = Formula::Holds(KifAtom { relation: self.constant, args });
                    let body = rule.body.iter().cloned().chain([is_constant]).collect();
                    Rule { body, ..rule.clone() }
                }
            };
            // Copies that cannot fire are dropped as soon as that is seen.
            if matches!(choice, Choice::Kind(_)) && self.shapes.variables(&copy).is_none() {
                return Some(());
            }
            self.add_choices(&copy, rest)
        })
    }

    fn add_resolved(&mut self, rule: &Rule) {
        if let Some(body) = self.resolve_all(&rule.body)
            && let Some(head) = self.resolve(&rule.head)
        {
            let (variables, span) = (rule.variables.clone(), rule.span);
            self.specialized.rules.push(Rule { head, body, variables, span });
        }
    }

    /// The conditions by kind; `None` when one speaks of a kind that never holds.
    fn resolve_all(&self, body: &[Formula]) -> Option<Vec<Formula>> {
        let mut resolved = Vec::new();
        for formula in body {
            match formula {
                Formula::Holds(atom) => resolved.push(Formula::Holds(self.resolve(atom)?)),
                Formula::Fails(atom) => resolved.extend(self.resolve(atom).map(Formula::Fails)),
                Formula::AnyOf(branches) => {
                    let branches = branches.iter().filter_map(|branch| self.resolve_all(branch));
                    resolved.extend(any_of(branches.collect())?);
                }
                Formula::Equal(..) | Formula::Distinct(..) => resolved.push(formula.clone()),
            }
        }
        Some(resolved)
    }

    /// The atom by kind; `None` for a kind that never holds.
    fn resolve(&self, atom: &KifAtom) -> Option<KifAtom> {
        let Some((by_kind, place)) = whole_place(atom.relation) else { return Some(atom.clone()) };
        let whole = atom.args.get(place)?;
        let mut args = atom.args[..place].to_vec();
        let functor = match (whole, self.merged[place]) {
            (KifTerm::Variable(_) | KifTerm::Constant(_), Some(merged)) => {
                args.push(whole.clone());
                merged
            }
            _ => functor_of(whole)?,
        };
        if let KifTerm::Function(_, inner) = whole {
            args.extend_from_slice(inner);
        }
        let is_move = place == 1;
        let known = if is_move { &self.specialized.moves } else { &self.specialized.fluents };
        known.contains(&functor).then(|| KifAtom { relation: by_kind(functor), args })
    }

    fn warn_never_true(&self, rule: &Rule, diagnostics: &mut Diagnostics) {
        for formula in &rule.body {
            formula.each_atom(&mut |atom, _| {
                if self.resolve(atom).is_none() {
                    let what = if atom.relation == Relation::Holds {
                        "a fluent that no `init` or `next` gives"
                    } else {
                        "a move that is never legal for a role"
                    };
                    let message = format!("a condition of this rule waits for {what}");
                    let warning = Diagnostic::warning("never-true", rule.span, message);
                    diagnostics
                        .report(warning.help("check the spelling and the number of arguments"));
                }
            });
        }
    }
}

/// What a variable for a whole fluent or move may stand for.
enum Choice {
    /// A term of this shape.
    Kind(Functor),
    /// A constant, where all constants are one kind.
    AnyConstant,
}

fn to_choices(functors: Vec<Functor>, is_merged: bool) -> Vec<Choice> {
    let has_constant = functors.iter().any(|functor| functor.arity == 0);
    let kinds = functors.into_iter().filter(|functor| functor.arity > 0 || !is_merged);
    let constants = (is_merged && has_constant).then_some(Choice::AnyConstant);
    kinds.map(Choice::Kind).chain(constants).collect()
}

/// Makes the relation that is about one kind of fluent or move.
type ByKind = fn(Functor) -> Relation;

/// The place of the whole fluent or move, and the relation that is about one kind of it.
fn whole_place(relation: Relation) -> Option<(ByKind, usize)> {
    match relation {
        Relation::Init => Some((Relation::InitOf, 0)),
        Relation::Holds => Some((Relation::HoldsOf, 0)),
        Relation::Next => Some((Relation::NextOf, 0)),
        Relation::Legal => Some((Relation::LegalOf, 1)),
        Relation::Does => Some((Relation::DoesOf, 1)),
        _ => None,
    }
}

/// The variables that stand for whole fluents or moves, and as which of the two.
fn whole_variables(rule: &Rule) -> Vec<(u32, (Owner, usize))> {
    let mut whole: Vec<(u32, (Owner, usize))> = Vec::new();
    let mut visit = |atom: &KifAtom| {
        let Some((_, place)) = whole_place(atom.relation) else { return };
        if let Some(KifTerm::Variable(variable)) = atom.args.get(place) {
            let read = if place == 1 { Relation::Does } else { Relation::Holds };
            let found = (*variable, (Owner::Relation(read), place));
            if !whole.contains(&found) {
                whole.push(found);
            }
        }
    };
    visit(&rule.head);
    rule.body.iter().for_each(|formula| formula.each_atom(&mut |atom, _| visit(atom)));
    whole
}

/// The rule with the variable replaced by a term of this shape over fresh variables.
fn replace_whole(rule: &Rule, variable: u32, functor: Functor) -> Rule {
    let mut variables = rule.variables.clone();
    let name = variables[variable as usize].clone();
    let mut fresh = |place: usize| {
        variables.push(format!("{name}{place}"));
        let number = variables.len() - 1;
        KifTerm::Variable(
            u32::try_from(number).expect("a rule within its limits has few variables"),
        )
    };
    let args: Vec<KifTerm> = (1..=functor.arity).map(&mut fresh).collect();
    let whole = if args.is_empty() {
        KifTerm::Constant(functor.name)
    } else {
        KifTerm::Function(functor.name, args)
    };
    rule.map_variables(variables, &|number| {
        if number == variable { whole.clone() } else { KifTerm::Variable(number) }
    })
}
