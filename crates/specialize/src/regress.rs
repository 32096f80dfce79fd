//! Regression: conditions after a move become conditions before it.
//!
//! In: one condition judged after a move. Out: the bodies that hold before the move exactly when it
//! holds after: an effect makes it true, or it was true and no effect makes it false. Paper:
//! metameta §4.1, forcedmoves §5. Invariant: exact, or the condition stays as it is.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Level, PredicateId, Quantifier, Source, Term, Value, Var,
    Variable, atom_vars, condition_vars,
};
use rulesmith_rules::{Fluent, FluentDefault, MoveId, PredicateKind, Theory, UNDEFINED};

use crate::binding::term_var;
use crate::definitions::{Definitions, renamed_apart};
use crate::draft::{Draft, Step};
use crate::flat::fresh;
use crate::simplify::{around, equation};
use crate::unfold::{Alternatives, Selected, Stuck, Unfolder, is_positive};

/// Where, in the course of one step, a condition is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// In the state before, while the move is being made: effects are judged there.
    During,
    /// In the state that effects leave, before deferred effects.
    Effects,
    /// The same, while the move is being made: `continue` and deferred effects are judged there.
    Deferring,
    /// In the state after all effects.
    After,
}

/// A move being made, and where in its course something is judged.
///
/// Stages inside a step are written as passages by predicates that no theory has; they never leave
/// this module's caller.
pub(crate) fn stage_of(theory: &Theory, by: PredicateId) -> Option<(MoveId, Stage)> {
    let n_predicates = theory.base.predicates.len();
    let place = by.0 as usize;
    if place < n_predicates {
        return match theory.kind(by) {
            PredicateKind::Does(kind) => Some((*kind, Stage::After)),
            _ => None,
        };
    }
    let (stage, kind) = ((place - n_predicates) / theory.moves.len(), place - n_predicates);
    let kind = MoveId(kind % theory.moves.len());
    match stage {
        0 => Some((kind, Stage::During)),
        1 => Some((kind, Stage::Effects)),
        _ => Some((kind, Stage::Deferring)),
    }
}

fn passage(theory: &Theory, by: &Atom, stage: Stage) -> Atom {
    let (kind, _) = stage_of(theory, by.predicate).expect("only moves are regressed through");
    let inside = match stage {
        Stage::After => None,
        Stage::During => Some(0),
        Stage::Effects => Some(1),
        Stage::Deferring => Some(2),
    };
    let predicate = match inside {
        None => theory.move_kind(kind).does,
        Some(place) => {
            let place = theory.base.predicates.len() + place * theory.moves.len() + kind.0;
            PredicateId(u32::try_from(place).expect("fewer than 2^32 predicates"))
        }
    };
    Atom { predicate, args: by.args.clone() }
}

pub(crate) fn at_stage(
    theory: &Theory,
    by: &Atom,
    stage: Stage,
    body: Vec<Condition>,
) -> Condition {
    let by = passage(theory, by, stage);
    Condition::Elsewhere { by, quantifier: Quantifier::Some, body }
}

/// What is asked, and after which move, whatever the terms are: one attempt to unfold it tells about
/// the others.
pub(crate) type Question = BTreeSet<PredicateId>;

/// The predicates that the conditions mention.
pub(crate) fn asked_in<'c>(conditions: impl IntoIterator<Item = &'c Condition>) -> Question {
    let mut question = Question::new();
    for condition in conditions {
        add_mentioned(condition, &mut question);
    }
    question
}

fn add_mentioned(condition: &Condition, predicates: &mut BTreeSet<PredicateId>) {
    let bodies: &[Vec<Condition>] = match condition {
        Condition::Holds(atom) => {
            predicates.insert(atom.predicate);
            &[]
        }
        Condition::Elsewhere { by, body, .. } => {
            predicates.insert(by.predicate);
            std::slice::from_ref(body)
        }
        Condition::None { body, .. } | Condition::Compare(_, _, Expr::Count { body, .. }) => {
            std::slice::from_ref(body)
        }
        Condition::AnyOf(branches) => branches,
        _ => &[],
    };
    for inner in bodies.iter().flatten() {
        add_mentioned(inner, predicates);
    }
}

impl Unfolder<'_> {
    /// Conditions judged at some stage of a step, with what they may be replaced by.
    pub(crate) fn select_passage(
        &mut self,
        draft: &Draft,
        variables: &mut Vec<Variable>,
    ) -> Result<Option<Selected>, Stuck> {
        let theory = self.knowledge.theory;
        let mut objects = Vec::new();
        for (place, condition) in draft.body.iter().enumerate() {
            let Condition::Elsewhere { by, body, .. } = condition else { continue };
            let Some((_, stage)) = stage_of(theory, by.predicate) else { continue };
            let [inner] = &body[..] else { continue };
            if stage == Stage::After && self.n_regressing == 0 {
                match self.regress_together(draft, place, variables) {
                    Some(selected) => return Ok(Some(selected)),
                    None => continue,
                }
            }
            if stage == Stage::After && self.component_atom(inner).is_some() {
                objects.push(place);
                continue;
            }
            // What stays in the middle of a step could be run by nobody.
            let alternatives = self.ways(by, stage, inner, variables)?.ok_or(Stuck)?;
            return Ok(Some(Selected { places: vec![place], alternatives }));
        }
        // Objects come last: by then everything else is said about the state before.
        match objects.first() {
            Some(place) => self.object_ways(draft, *place, variables).map(Some),
            None => Ok(None),
        }
    }

    /// Regresses the conditions after one move that only they connect, all or none.
    fn regress_together(
        &mut self,
        draft: &Draft,
        place: usize,
        variables: &mut Vec<Variable>,
    ) -> Option<Selected> {
        if !self.bounds.regress {
            return None;
        }
        let places = together(draft, place);
        let question = asked_in(places.iter().map(|&place| &draft.body[place]));
        if self.given_up.contains(&question) {
            return None;
        }
        let (inside, outside): (Vec<_>, Vec<_>) =
            draft.body.iter().cloned().enumerate().partition(|(place, _)| places.contains(place));
        let body = inside.into_iter().map(|(_, condition)| condition).collect();
        let outside: Vec<Condition> = outside.into_iter().map(|(_, condition)| condition).collect();
        let rigid = around(&draft.head, &outside, usize::MAX, &draft.rigid);
        let mut context = draft.context.clone();
        context.extend(outside.into_iter().filter(is_positive));
        let nested = draft.nested(body, rigid, context);
        let mark = variables.len();
        self.n_regressing += 1;
        self.regression_ends = self.funnel.generated.saturating_add(self.bounds.regression as u64);
        let expanded = self.expand(nested, variables);
        self.regression_ends = u64::MAX;
        self.n_regressing -= 1;
        if expanded.is_err() {
            variables.truncate(mark);
            self.given_up.insert(question);
        }
        let Condition::Elsewhere { by, .. } = &draft.body[place] else { return None };
        let bodies = expanded.ok()?.into_iter().map(|one| one.body).collect();
        Some(Selected { places, alternatives: numbered(by, bodies) })
    }

    /// One step of regression: the condition in terms of an earlier stage.
    pub(crate) fn ways(
        &mut self,
        by: &Atom,
        stage: Stage,
        inner: &Condition,
        variables: &mut Vec<Variable>,
    ) -> Result<Option<Alternatives>, Stuck> {
        let theory = self.knowledge.theory;
        let here = |body| at_stage(theory, by, stage, body);
        let bodies = match inner {
            Condition::Holds(atom) => return Ok(self.atom_ways(by, stage, atom, variables)),
            Condition::None { locals, body } => {
                vec![vec![Condition::None {
                    locals: locals.clone(),
                    body: vec![here(body.clone())],
                }]]
            }
            Condition::Compare(comparison, left, Expr::Count { counted, body }) => {
                let body = match &body[..] {
                    [Condition::AnyOf(branches)] => {
                        let branches = branches.iter().map(|branch| vec![here(branch.clone())]);
                        vec![Condition::AnyOf(branches.collect())]
                    }
                    _ => vec![here(body.clone())],
                };
                let count = Expr::Count { counted: counted.clone(), body };
                vec![vec![Condition::Compare(*comparison, left.clone(), count)]]
            }
            Condition::Elsewhere { by: inner_by, .. } => {
                let inner_stage = stage_of(theory, inner_by.predicate);
                let Some((_, inner_stage)) = inner_stage else {
                    return Ok(None);
                };
                let mut split = vec![inner.clone()];
                self.split_passages(&mut split);
                let [Condition::Elsewhere { body, .. }] = &split[..] else {
                    return Ok(Some(numbered(by, vec![vec![here(split)]])));
                };
                let [innermost] = &body[..] else { return Ok(None) };
                let Some(ways) = self.ways(inner_by, inner_stage, innermost, variables)? else {
                    return Ok(None);
                };
                ways.into_iter().map(|(body, _)| vec![here(body)]).collect()
            }
            Condition::Compare(..) | Condition::Construct { .. } | Condition::Member(..) => {
                vec![vec![inner.clone()]]
            }
            Condition::AnyOf(_) => return Ok(None),
        };
        Ok(Some(numbered(by, bodies)))
    }

    fn atom_ways(
        &mut self,
        by: &Atom,
        stage: Stage,
        atom: &Atom,
        variables: &mut Vec<Variable>,
    ) -> Option<Alternatives> {
        let theory = self.knowledge.theory;
        let described = theory.base.predicate(atom.predicate);
        let outside = vec![Condition::Holds(atom.clone())];
        let is_same_state = stage == Stage::During && described.level == Level::State;
        if described.level == Level::Static || is_same_state {
            return Some(numbered(by, vec![outside]));
        }
        match theory.kind(atom.predicate) {
            PredicateKind::Does(kind) => {
                let is_made = matches!(stage, Stage::During | Stage::Deferring)
                    && stage_of(theory, by.predicate).is_some_and(|(made, _)| made == *kind);
                let same = atom.args.iter().zip(&by.args).map(|(a, b)| equation(*a, *b)).collect();
                Some(numbered(by, if is_made { vec![same] } else { vec![] }))
            }
            PredicateKind::Fluent(id) => {
                let fluent = theory.fluent(*id);
                let bodies = match stage {
                    Stage::After => self.final_ways(by, fluent, atom, variables),
                    Stage::Deferring => vec![vec![at_stage(theory, by, Stage::Effects, outside)]],
                    _ => self.effect_ways(by, fluent, atom, variables),
                };
                Some(numbered(by, bodies))
            }
            _ if described.source == Source::Clauses => {
                self.definition_ways(by, stage, atom, variables)
            }
            _ => None,
        }
    }

    /// The definitions of a predicate, judged at the same stage.
    fn definition_ways(
        &mut self,
        by: &Atom,
        stage: Stage,
        atom: &Atom,
        variables: &mut Vec<Variable>,
    ) -> Option<Alternatives> {
        let Definitions::Unfold(clauses) = self.definitions(atom) else { return None };
        let theory = self.knowledge.theory;
        let unfold = |(definition, clause)| {
            let (head, body) = renamed_apart(clause, variables);
            let mut conditions: Vec<Condition> =
                atom.args.iter().zip(head).map(|(arg, term)| equation(*arg, term)).collect();
            conditions.push(at_stage(theory, by, stage, body));
            (conditions, Step::Unfold { predicate: atom.predicate, definition })
        };
        Some(clauses.iter().enumerate().map(unfold).collect())
    }

    /// How a fluent comes to have a value after the effects of a step.
    fn effect_ways(
        &self,
        by: &Atom,
        fluent: &Fluent,
        atom: &Atom,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let during = |body| at_stage(self.knowledge.theory, by, Stage::During, body);
        let before = if fluent.is_transient {
            self.reset(fluent, atom)
        } else {
            Some(vec![Condition::Holds(atom.clone())])
        };
        let assignment =
            Assignment { fluent, assign: fluent.assign, judged: &during, otherwise: before };
        self.assigned_ways(assignment, atom, variables)
    }

    /// How a fluent comes to have a value after the deferred effects of a step.
    fn final_ways(
        &self,
        by: &Atom,
        fluent: &Fluent,
        atom: &Atom,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let theory = self.knowledge.theory;
        let after_effects =
            vec![at_stage(theory, by, Stage::Effects, vec![Condition::Holds(atom.clone())])];
        if theory.base.clauses_of(fluent.deferred).is_empty() {
            return vec![after_effects];
        }
        let deferring = |body| at_stage(theory, by, Stage::Deferring, body);
        let before = Some(after_effects.clone());
        let assign = fluent.deferred;
        let assignment = Assignment { fluent, assign, judged: &deferring, otherwise: before };
        let ended = self.assigned_ways(assignment, atom, variables);
        if theory.base.clauses_of(theory.continues).is_empty() {
            return ended;
        }
        let continues = Atom { predicate: theory.continues, args: vec![] };
        let continues = deferring(vec![Condition::Holds(continues)]);
        let not = Condition::None { locals: vec![], body: vec![continues.clone()] };
        let goes_on = [vec![continues], after_effects].concat();
        let ended = ended.into_iter().map(|body| [vec![not.clone()], body].concat());
        std::iter::once(goes_on).chain(ended).collect()
    }

    /// A fluent has a value because it is assigned, or because it had it and no other is assigned.
    fn assigned_ways(
        &self,
        Assignment { fluent, assign, judged, otherwise }: Assignment<'_>,
        atom: &Atom,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let (keys, value) = atom.args.split_at(fluent.n_keys);
        let symbols = self.knowledge.symbols();
        let [yes, no, undefined] = ["true", "false", UNDEFINED]
            .map(|name| Value::Symbol(symbols.borrow_mut().symbol(name)));
        let value = value.first().copied().unwrap_or(Term::Value(yes));
        let assigns = |value: Term| {
            let args = keys.iter().copied().chain([value]).collect();
            judged(vec![Condition::Holds(Atom { predicate: assign, args })])
        };
        let mut set = vec![assigns(value)];
        if fluent.default == FluentDefault::Undefined {
            let (value, nothing) = (Expr::Term(value), Expr::Term(Term::Value(undefined)));
            set.push(Condition::Compare(Comparison::Unequal, value, nothing));
        }
        // What is assigned the value anyway, is covered by the first way.
        let unassigned = if fluent.is_functional {
            let other = fresh(variables, "V");
            let (is, should) = (Expr::Term(Term::Var(other)), Expr::Term(value));
            let differs = Condition::Compare(Comparison::Unequal, is, should);
            Condition::None { locals: vec![other], body: vec![assigns(Term::Var(other)), differs] }
        } else {
            Condition::None { locals: vec![], body: vec![assigns(Term::Value(no))] }
        };
        let kept = otherwise.map(|before| [before, vec![unassigned]].concat());
        std::iter::once(set).chain(kept).collect()
    }

    /// A transient fluent without an assignment has its default.
    fn reset(&self, fluent: &Fluent, atom: &Atom) -> Option<Vec<Condition>> {
        let FluentDefault::Value(default) = fluent.default else { return None };
        if !fluent.is_functional {
            return None;
        }
        let (keys, value) = atom.args.split_at(fluent.n_keys);
        let domains = &self.knowledge.theory.base.predicate(fluent.predicate).domains;
        let inside = keys.iter().zip(domains);
        let mut conditions: Vec<Condition> = inside
            .filter_map(|(key, domain)| domain.map(|domain| Condition::Member(*key, domain)))
            .collect();
        conditions.push(equation(value[0], Term::Value(default)));
        Some(conditions)
    }
}

/// How a fluent gets its value at some stage of a step.
struct Assignment<'a> {
    fluent: &'a Fluent,
    /// What assigns it.
    assign: PredicateId,
    /// Where that is judged.
    judged: &'a dyn Fn(Vec<Condition>) -> Condition,
    /// What gives it the value if nothing is assigned.
    otherwise: Option<Vec<Condition>>,
}

/// The places of the conditions after the same move that are connected to this one by variables
/// that occur nowhere else.
fn together(draft: &Draft, place: usize) -> Vec<usize> {
    let by = |condition: &Condition| match condition {
        Condition::Elsewhere { by, .. } => Some(by.clone()),
        _ => None,
    };
    let wanted = by(&draft.body[place]);
    let (same, others): (Vec<_>, Vec<_>) =
        draft.body.iter().enumerate().partition(|(_, condition)| by(condition) == wanted);
    let mut outside = draft.rigid.clone();
    outside.extend(draft.head.iter().copied().filter_map(term_var));
    outside.extend(others.iter().flat_map(|(_, condition)| condition_vars(condition)));
    outside.extend(wanted.iter().flat_map(atom_vars));
    let mut places = vec![place];
    loop {
        let inside: BTreeSet<Var> = places
            .iter()
            .flat_map(|place| condition_vars(&draft.body[*place]))
            .filter(|var| !outside.contains(var))
            .collect();
        let joins = |(place, condition): &&(usize, &Condition)| {
            !places.contains(place) && !condition_vars(condition).is_disjoint(&inside)
        };
        match same.iter().find(joins) {
            Some((place, _)) => places.push(*place),
            None => break,
        }
    }
    places.sort_unstable();
    places
}

pub(crate) fn numbered(by: &Atom, bodies: Vec<Vec<Condition>>) -> Alternatives {
    let by = by.predicate;
    bodies.into_iter().enumerate().map(|(way, body)| (body, Step::Regress { by, way })).collect()
}
