//! Clauses: what kind of item each clause of a theory is.
//!
//! In: the clauses of a theory. Out: items of the syntax tree. Clauses of one section come in the
//! order of the text they were read from; those of one predicate keep theirs in any case.

use rulesmith_logic::{Clause, Condition, PredicateId, Source, Span, Term, Variable};

use super::domains::SortNames;
use super::raise::{Raising, Rest, doing};
use super::raise_exprs::{apply, int_expr, undefined};
use super::{declarations, name, notation, variables, write};
use crate::rules_text::ast::{
    Assignment, Condition as Written, Doer, Expr, ExprKind, ItemKind, Name,
};
use crate::theory::{PredicateKind, Theory};

/// Each static relation with its facts and clauses.
pub(super) fn statics(theory: &Theory, sorts: &SortNames<'_>) -> Vec<Vec<ItemKind>> {
    let is_static = |id: &PredicateId| {
        matches!(theory.kind(*id), PredicateKind::Static { is_given: false, .. })
    };
    predicates(theory).filter(is_static).map(|id| relation(theory, sorts, id, true)).collect()
}

/// Each derived predicate with its clauses; declared ones first, as they are also known first.
pub(super) fn derived(theory: &Theory, sorts: &SortNames<'_>) -> Vec<Vec<ItemKind>> {
    let is_derived = |id: &PredicateId| {
        matches!(theory.kind(*id), PredicateKind::Derived { .. } | PredicateKind::DerivedFunction)
    };
    let is_declared = |id: &PredicateId| {
        let has_domain = theory.base.predicate(*id).domains.iter().any(Option::is_some);
        has_domain
            || !matches!(theory.kind(*id), PredicateKind::Derived { declared: false })
            || theory.base.clauses_of(*id).is_empty()
    };
    let (declared, others): (Vec<PredicateId>, Vec<PredicateId>) =
        predicates(theory).filter(is_derived).partition(is_declared);
    let declared = declared.into_iter().map(|id| relation(theory, sorts, id, true));
    declared.chain(others.into_iter().map(|id| relation(theory, sorts, id, false))).collect()
}

fn predicates(theory: &Theory) -> impl Iterator<Item = PredicateId> + use<> {
    (0..u32::try_from(theory.kinds.len()).unwrap_or(u32::MAX)).map(PredicateId)
}

fn relation(
    theory: &Theory,
    sorts: &SortNames<'_>,
    id: PredicateId,
    is_declared: bool,
) -> Vec<ItemKind> {
    let declaration = is_declared.then(|| declarations::predicate(theory, sorts, id));
    let clauses = theory.base.clauses_of(id).iter().map(|clause| {
        let (args, body) = raised(theory, sorts, clause);
        ItemKind::Clause { head: apply(&theory.base.predicate(id).name, args), body }
    });
    declaration.into_iter().chain(clauses).collect()
}

/// `init at(_, R) = white :- …`.
pub(super) fn init(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let lists = theory.fluents.iter().map(|fluent| theory.base.clauses_of(fluent.init)).collect();
    let items = in_order(lists).into_iter().map(|clause| {
        let (mut args, body) = raised(theory, sorts, clause);
        let PredicateKind::Init(id) = theory.kind(clause.head.predicate) else {
            return ItemKind::Clause { head: apply("init", args), body };
        };
        let fluent = theory.fluent(*id);
        let value = if fluent.is_functional { args.pop() } else { None };
        ItemKind::Init { fluent: apply(&fluent.name, args), value, body }
    });
    items.collect()
}

/// `legal P does step(F, R) :- …`.
pub(super) fn legal(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let lists = theory.moves.iter().map(|kind| theory.base.clauses_of(kind.legal)).collect();
    let items = in_order(lists).into_iter().map(|clause| {
        let act = match theory.kind(clause.head.predicate) {
            PredicateKind::Legal(id) => &theory.move_kind(*id).name,
            _ => &theory.base.predicate(clause.head.predicate).name,
        };
        let mut raising =
            raising(theory, sorts, &clause.head.args, &clause.body, &clause.variables);
        let (role, act, body) = raising.twice(|raising| {
            let mut rest = Rest::all(&clause.body);
            let params = raising.terms(&clause.head.args[1..], &mut rest);
            // The role is lowered before the body, so nothing stands before it.
            (raising.plain(clause.head.args[0]), apply(act, params), raising.rest(rest))
        });
        ItemKind::Legal { role, act, body }
    });
    items.collect()
}

/// `effect step(F, R) : at(F, R) := empty, … :- …`, also deferred ones.
pub(super) fn effects(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let predicates = theory.fluents.iter().flat_map(|fluent| [fluent.assign, fluent.deferred]);
    let lists = predicates.map(|id| theory.base.clauses_of(id)).collect();
    let mut items: Vec<ItemKind> = Vec::new();
    for clause in in_order(lists) {
        let item = effect(theory, sorts, clause);
        if !items.last_mut().is_some_and(|last| merge(last, &item)) {
            items.push(item);
        }
    }
    items
}

fn effect(theory: &Theory, sorts: &SortNames<'_>, clause: &Clause) -> ItemKind {
    let kind = theory.kind(clause.head.predicate);
    let body = does_first(theory, &clause.body);
    let mut raising = raising(theory, sorts, &clause.head.args, &body, &clause.variables);
    let (by, args, body) = raising.twice(|raising| {
        let (by, start) = doer(raising, &body);
        let mut rest = Rest { body: &body, start, end: body.len() };
        (by, raising.terms(&clause.head.args, &mut rest), raising.rest(rest))
    });
    let fluent = match kind {
        PredicateKind::Assign(id) | PredicateKind::Deferred(id) => &theory.fluent(*id).name,
        _ => &theory.base.predicate(clause.head.predicate).name,
    };
    let mut keys = args;
    let value = keys.pop().unwrap_or_else(undefined);
    let assignments = vec![Assignment { fluent: apply(fluent, keys), value }];
    ItemKind::Effect {
        is_deferred: matches!(kind, PredicateKind::Deferred(_)),
        by,
        assignments,
        body,
    }
}

/// The body with the move being made in front.
fn does_first(theory: &Theory, body: &[Condition]) -> Vec<Condition> {
    let mut body = body.to_vec();
    let is_does = |condition: &Condition| {
        matches!(condition, Condition::Holds(atom)
            if matches!(theory.kind(atom.predicate), PredicateKind::Does(_)))
    };
    if let Some(place) = body.iter().position(is_does) {
        body[..=place].rotate_right(1);
    }
    body
}

/// The effect's move pattern, and where the rest of the body starts.
fn doer<'t>(raising: &mut Raising<'t>, body: &'t [Condition]) -> (Doer, usize) {
    let Some(Condition::Holds(atom)) = body.first() else { return (Doer::Any, 0) };
    let PredicateKind::Does(id) = raising.theory.kind(atom.predicate) else {
        return (Doer::Any, 0);
    };
    let act = &raising.theory.move_kind(*id).name;
    let (args, start) = raising.pattern(&atom.args, body);
    let (role, act) = doing(act, args);
    let is_free = matches!(role.kind, ExprKind::Wildcard);
    (Doer::Act { role: (!is_free).then_some(role), act }, start)
}

/// Joins an assignment to the item before it when all else is the same.
fn merge(last: &mut ItemKind, next: &ItemKind) -> bool {
    let frame = |item: &ItemKind| match item {
        ItemKind::Effect { is_deferred, by, body, .. } => {
            let (is_deferred, by, body, assignments) =
                (*is_deferred, by.clone(), body.clone(), vec![]);
            Some(write::item_text(&ItemKind::Effect { is_deferred, by, assignments, body }))
        }
        _ => None,
    };
    let is_same = frame(last) == frame(next);
    if let (
        true,
        ItemKind::Effect { assignments, .. },
        ItemKind::Effect { assignments: more, .. },
    ) = (is_same, last, next)
    {
        assignments.extend(more.iter().cloned());
    }
    is_same
}

/// `continue`, `prefer` and `turns by`.
pub(super) fn turns(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let continues = theory.base.clauses_of(theory.continues).iter();
    let mut items: Vec<ItemKind> =
        continues.map(|clause| ItemKind::Continue(raised(theory, sorts, clause).1)).collect();
    let preferences = theory.preferences.iter().flat_map(|id| theory.base.clauses_of(*id));
    items.extend(preferences.map(|clause| {
        let (mut args, body) = raised(theory, sorts, clause);
        ItemKind::Prefer { value: args.pop().unwrap_or_else(undefined), body }
    }));
    items.extend(notation::turn_identity(theory));
    items
}

/// `terminal`, `draw` and `goal`.
pub(super) fn ends(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let terminal = theory.base.clauses_of(theory.terminal).iter();
    let terminal = terminal.map(|clause| ItemKind::Terminal(raised(theory, sorts, clause).1));
    let draw = theory.base.clauses_of(theory.draw).iter();
    let draw = draw.map(|clause| ItemKind::Draw(raised(theory, sorts, clause).1));
    let goal = theory.base.clauses_of(theory.goal).iter().map(|clause| {
        let (mut args, body) = raised(theory, sorts, clause);
        let value = args.pop().map_or_else(undefined, as_number);
        ItemKind::Goal { role: args.pop().unwrap_or_else(undefined), value, body }
    });
    terminal.chain(draw).chain(goal).collect()
}

/// Other languages have numbers that are names; goal values are numbers.
fn as_number(value: Expr) -> Expr {
    match &value.kind {
        ExprKind::Name(digits) => digits.parse().map_or(value, int_expr),
        _ => value,
    }
}

/// `target capture(S) :- …`.
pub(super) fn targets(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let lists = theory.targets.iter().map(|id| theory.base.clauses_of(*id)).collect();
    let items = in_order(lists).into_iter().map(|clause| {
        let (args, body) = raised(theory, sorts, clause);
        ItemKind::Target {
            name: name(&theory.base.predicate(clause.head.predicate).name),
            args,
            body,
        }
    });
    items.collect()
}

/// `object string = component(…).`
pub(super) fn objects(theory: &Theory, sorts: &SortNames<'_>) -> Vec<ItemKind> {
    let items = theory.base.components.iter().enumerate().map(|(place, component)| {
        let (element, shared) = (Term::Var(component.element), component.shared.map(Term::Var));
        // They are listed, so they have names.
        let listed: Vec<Term> =
            [element, element].into_iter().chain(shared).chain(shared).collect();
        let mut raising = raising(theory, sorts, &listed, &component.body, &component.variables);
        raising.twice(|raising| ItemKind::Object {
            name: name(object_name(theory, place)),
            element: variable(raising.plain(element)),
            body: raising.body(&component.body),
            link: name(&theory.base.predicate(component.link).name),
            same: shared.map(|shared| variable(raising.plain(shared))),
        })
    });
    items.collect()
}

fn variable(expr: Expr) -> Name {
    match expr.kind {
        ExprKind::Var(text) => name(&text),
        _ => name("_"),
    }
}

/// The name before `_element`, `_border` and so on.
fn object_name(theory: &Theory, place: usize) -> &str {
    let is_part =
        |source: &Source| matches!(source, Source::Component(id, _) if id.0 as usize == place);
    let part = theory.base.predicates.iter().find(|predicate| is_part(&predicate.source));
    let stem = part.and_then(|part| part.name.rsplit_once('_'));
    stem.map_or("object", |(stem, _)| stem)
}

/// A clause's arguments and body as written.
fn raised(theory: &Theory, sorts: &SortNames<'_>, clause: &Clause) -> (Vec<Expr>, Vec<Written>) {
    let mut raising = raising(theory, sorts, &clause.head.args, &clause.body, &clause.variables);
    raising.twice(|raising| {
        let mut rest = Rest::all(&clause.body);
        (raising.terms(&clause.head.args, &mut rest), raising.rest(rest))
    })
}

fn raising<'t>(
    theory: &'t Theory,
    sorts: &'t SortNames<'t>,
    head: &'t [Term],
    body: &'t [Condition],
    variables: &'t [Variable],
) -> Raising<'t> {
    let uses = variables::uses(theory, head, body, variables.len());
    Raising { theory, sorts, variables, body, uses, names: vec![], inlined: vec![] }
}

/// Lists of clauses merged by their places; each list keeps its order.
fn in_order<'t>(lists: Vec<&'t [Clause]>) -> Vec<&'t Clause> {
    let mut lists: Vec<&[Clause]> = lists.into_iter().filter(|list| !list.is_empty()).collect();
    let mut merged: Vec<&'t Clause> = Vec::new();
    let place = |list: &[Clause]| list.first().map_or(Span::default(), |clause| clause.span);
    while let Some(next) = (0..lists.len()).min_by_key(|index| place(lists[*index])) {
        if let Some((first, others)) = lists[next].split_first() {
            merged.push(first);
            lists[next] = others;
        }
        lists.retain(|list| !list.is_empty());
    }
    merged
}
