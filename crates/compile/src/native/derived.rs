//! Derived predicates as planes: computed from the state when a question needs them.
//!
//! In: the procedures that the specialised program calls. Out: for each where its tuples live. Columns
//! of few values, roles above all, slice it into planes of their own, so that these have the numbering of
//! the board. Invariant: every tuple has one slice and one key.

use std::collections::BTreeSet;

use rulesmith_logic::{ClauseBase, Condition, DomainId, PredicateId, Term, Value, Var, edges};
use rulesmith_rules::{PredicateKind, Theory};
use rulesmith_specialize::{Specialized, SpecializedProcedure};

use super::Obstacle;
use crate::state_layout::{Space, place};

/// Where the tuples of a derived predicate live.
#[derive(Clone, Debug)]
pub(crate) struct DerivedLayout {
    pub(crate) predicate: PredicateId,
    /// The domain of each column.
    pub(crate) columns: Vec<Option<DomainId>>,
    /// Which columns choose the slice.
    pub(crate) sliced: Vec<bool>,
    pub(crate) slices: Space,
    pub(crate) keys: Space,
    /// Where there are too many tuples for planes, how many values each column has: they are listed.
    pub(crate) listed: Option<Vec<u32>>,
}

/// Columns of at most so many values slice.
const SLICED_VALUES: usize = 4;

/// So do columns of at most so many values in which a recursion stays what it is, as the direction of a row does: of planes as
/// narrow as the board each step takes few operations.
const APART_VALUES: usize = 16;

/// Each plane has code of its own: where that would be more, they are fewer and wider.
const MOST_SLICES: usize = 64;

/// Planes are computed of predicates with at most so many words times clauses: each clause is an expression over whole
/// planes, and of a large one few tuples are asked about. What asks itself cannot be asked where it is needed.
const PLANES_LIMIT: usize = 1024;

/// Are there certainly too many tuples of these columns for planes? Columns that are not declared may be
/// narrow.
pub(crate) fn has_too_many_tuples(base: &ClauseBase, columns: &[Option<DomainId>]) -> bool {
    let is_wide = |domain: &DomainId| base.domain(*domain).values.len() > SLICED_VALUES;
    let wide: Vec<_> = columns.iter().flatten().filter(|domain| is_wide(domain)).collect();
    let wide: Vec<_> = wide.into_iter().map(|domain| Some(*domain)).collect();
    Space::new(base, &wide).is_none()
}

/// The predicates that a program calls.
pub(crate) fn derived_layouts(
    theory: &Theory,
    specialized: &Specialized,
    (n_requests, lists): (usize, bool),
) -> Vec<DerivedLayout> {
    let mut layouts: Vec<DerivedLayout> = Vec::new();
    for one in specialized.procedures.iter().skip(n_requests) {
        // Moves are found as leaves.
        let is_legality = matches!(theory.kind(one.source), PredicateKind::Legal(_));
        // What is called is answered where it is asked, but for recursions.
        let is_called =
            specialized.called.contains(&one.source) && !(lists && asks_in_clauses(one));
        if !is_legality && !is_called && layouts.iter().all(|layout| layout.predicate != one.source)
        {
            // What is too large to be stored is asked where it is needed.
            let is_open = |other: &&SpecializedProcedure| {
                other.source == one.source && !other.procedure.known.contains(&true)
            };
            let is_asked = specialized.procedures.iter().any(|other| is_open(&other));
            let room =
                Room { lists: lists && is_asked, wide: lists && is_asked_twice(specialized, one) };
            layouts.extend(layout(&theory.base, one, room));
        }
    }
    layouts
}

/// What a predicate that asks itself may have if it is too large for planes otherwise.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// A list.
    lists: bool,
    /// Wide planes: they are computed once, where a question about what is known is answered anew each time.
    wide: bool,
}

/// Where a predicate lives.
fn layout(
    base: &ClauseBase,
    one: &SpecializedProcedure,
    room: Room,
) -> Result<DerivedLayout, Obstacle> {
    let (predicate, described) = (one.source, base.predicate(one.source));
    let columns = columns_of(base, one);
    let sliced = sliced_columns(base, one, &columns);
    let part = |wanted: bool| {
        let part = columns.iter().zip(&sliced);
        let part: Vec<_> =
            part.filter(|(_, is)| **is == wanted).map(|(domain, _)| *domain).collect();
        let name = &described.name;
        let space = if room.wide { Space::wide(base, &part) } else { Space::new(base, &part) };
        space.ok_or_else(|| Obstacle::new(format!("`{name}` has too many tuples, or open columns")))
    };
    let planes = part(true).and_then(|slices| Ok((slices, part(false)?)));
    if planes.is_err()
        && asks_itself(base, predicate)
        && let (Some(listed), Some(none)) = (sizes(base, &columns), Space::new(base, &[]))
        && room.lists
    {
        let (sliced, slices) = (vec![false; columns.len()], none.clone());
        return Ok(DerivedLayout {
            predicate,
            columns,
            sliced,
            slices,
            keys: none,
            listed: Some(listed),
        });
    }
    let (slices, keys) = planes?;
    let is_long = one.clauses.len() * usize::from(keys.width()) > PLANES_LIMIT;
    if is_long && !asks_itself(base, predicate) {
        return Err(Obstacle::new(format!("`{}` is long work in planes", described.name)));
    }
    Ok(DerivedLayout { predicate, columns, sliced, slices, keys, listed: None })
}

/// Which columns choose the plane.
fn sliced_columns(
    base: &ClauseBase,
    one: &SpecializedProcedure,
    columns: &[Option<DomainId>],
) -> Vec<bool> {
    let n_values = |domain: &Option<DomainId>| {
        domain.map_or(usize::MAX, |domain| base.domain(domain).values.len())
    };
    let few: Vec<bool> = columns.iter().map(|one| n_values(one) <= SLICED_VALUES).collect();
    let apart = columns.iter().enumerate().map(|(column, domain)| {
        few[column] || (n_values(domain) <= APART_VALUES && is_apart(one, column))
    });
    let apart: Vec<bool> = apart.collect();
    let chosen = columns.iter().zip(&apart).filter(|(_, is)| **is);
    let n_slices = chosen.map(|(domain, _)| n_values(domain)).fold(1, usize::saturating_mul);
    if n_slices <= MOST_SLICES { apart } else { few }
}

/// How many values each column has; nothing if one is open.
fn sizes(base: &ClauseBase, columns: &[Option<DomainId>]) -> Option<Vec<u32>> {
    let size = |domain: &Option<DomainId>| u32::try_from(base.domain((*domain)?).values.len()).ok();
    columns.iter().map(size).collect()
}

/// Do the clauses of a predicate ask it?
fn asks_in_clauses(one: &SpecializedProcedure) -> bool {
    asked_with(one).next().is_some()
}

/// Where the clauses of a predicate ask it: the arguments of the head, and those of the atom.
fn asked_with(one: &SpecializedProcedure) -> impl Iterator<Item = (&[Term], &[Term])> {
    one.clauses.iter().flat_map(move |clause| {
        let asked = clause.clause.body.iter().filter_map(move |condition| match condition {
            Condition::Holds(atom) if atom.predicate == one.source => Some(&*atom.args),
            _ => None,
        });
        asked.map(|args| (&*clause.clause.head.args, args))
    })
}

/// Does a clause of another predicate ask a recursion twice about the same thing, so that the second question is asked for each
/// answer to the first?
fn is_asked_twice(specialized: &Specialized, one: &SpecializedProcedure) -> bool {
    let args = |condition: &'_ Condition| match condition {
        Condition::Holds(atom) if atom.predicate == one.source => Some(atom.args.clone()),
        _ => None,
    };
    let others = specialized.procedures.iter().filter(|other| other.source != one.source);
    let mut clauses = others.flat_map(|other| &other.clauses);
    asks_in_clauses(one)
        && clauses.any(|other| {
            let asked: Vec<Vec<Term>> = other.clause.body.iter().filter_map(args).collect();
            let shares = |own: &[Term], other: &[Term]| {
                own.iter().any(|term| matches!(term, Term::Var(_)) && other.contains(term))
            };
            let mut rest = asked.as_slice();
            while let Some((first, others)) = rest.split_first() {
                if others.iter().any(|other| shares(first, other)) {
                    return true;
                }
                rest = others;
            }
            false
        })
}

/// Is a column of a recursion the same on all its steps, while others change?
fn is_apart(one: &SpecializedProcedure, column: usize) -> bool {
    let is_same = |(head, args): (&[Term], &[Term])| head[column] == args[column];
    let changes = |(head, args): (&[Term], &[Term])| head.iter().zip(args).any(|(a, b)| a != b);
    asks_in_clauses(one) && asked_with(one).all(is_same) && asked_with(one).all(changes)
}

/// Does a predicate ask itself, perhaps by others?
fn asks_itself(base: &ClauseBase, predicate: PredicateId) -> bool {
    let edges = edges(base);
    let (mut open, mut seen) = (vec![predicate], BTreeSet::new());
    while let Some(next) = open.pop() {
        let asked = edges.iter().filter(|edge| edge.from == next).map(|edge| edge.to);
        open.extend(asked.filter(|to| seen.insert(*to)));
    }
    seen.contains(&predicate)
}

/// The domains of the columns of a predicate.
pub(crate) fn columns_of(base: &ClauseBase, one: &SpecializedProcedure) -> Vec<Option<DomainId>> {
    let n_columns = base.predicate(one.source).domains.len();
    (0..n_columns).map(|column| column_domain(base, one, column)).collect()
}

/// The domain of a column: as its author declared it, or the widest that the clauses give it.
fn column_domain(base: &ClauseBase, one: &SpecializedProcedure, column: usize) -> Option<DomainId> {
    if let Some(declared) = base.predicate(one.source).domains[column] {
        return Some(declared);
    }
    let mut widest: Option<DomainId> = None;
    let is_within = |inner, outer| is_within(base, inner, outer);
    let heads = one.clauses.iter().map(|one| (&one.clause.head.args[column], &one.clause));
    for (term, clause) in heads {
        let Term::Var(var) = term else { continue };
        let own = clause.variables.get(usize::from(var.0))?.domain;
        let own = own.or_else(|| domain_of(base, *var, &clause.body))?;
        widest = match widest {
            Some(known) if is_within(own, known) => Some(known),
            Some(known) if !is_within(known, own) => return None,
            _ => Some(own),
        };
    }
    let fits =
        |value: &Value| widest.is_some_and(|widest| base.domain(widest).values.contains(value));
    let constants = one.clauses.iter().map(|one| one.clause.head.args[column]);
    let constants = constants.filter_map(|term| match term {
        Term::Value(value) => Some(value),
        Term::Var(_) => None,
    });
    let constants: Vec<Value> = constants.collect();
    if constants.iter().all(fits) {
        return widest;
    }
    // Constants alone: the smallest domain that has them.
    let has_all = |domain: &&rulesmith_logic::Domain| {
        constants.iter().all(|value| domain.values.contains(value))
    };
    let found = base.domains.iter().filter(has_all).min_by_key(|domain| domain.values.len())?;
    let place = base.domains.iter().position(|domain| std::ptr::eq(domain, found))?;
    let own = DomainId(u32::try_from(place).ok()?);
    match widest {
        Some(widest) if !is_within(widest, own) => None,
        _ => Some(own),
    }
}

/// The domain of a variable by where it stands in atoms.
pub(crate) fn domain_of(base: &ClauseBase, var: Var, body: &[Condition]) -> Option<DomainId> {
    body.iter().find_map(|condition| match condition {
        Condition::Holds(atom) => {
            let domains = &base.predicate(atom.predicate).domains;
            let mut columns = atom.args.iter().zip(domains);
            columns.find(|(term, _)| **term == Term::Var(var)).and_then(|(_, domain)| *domain)
        }
        Condition::Member(Term::Var(other), domain) if *other == var => Some(*domain),
        Condition::AnyOf(branches) => {
            let domains = branches.iter().map(|branch| domain_of(base, var, branch));
            let domains: Vec<DomainId> = domains.collect::<Option<_>>()?;
            let has_all =
                |outer: &DomainId| domains.iter().all(|inner| is_within(base, *inner, *outer));
            domains.iter().copied().find(has_all)
        }
        _ => None,
    })
}

/// Are all values of a domain in another?
fn is_within(base: &ClauseBase, inner: DomainId, outer: DomainId) -> bool {
    base.domain(inner).values.iter().all(|value| base.domain(outer).values.contains(value))
}

impl DerivedLayout {
    /// The slice and the key of a tuple of values.
    pub(crate) fn index(&self, base: &ClauseBase, tuple: &[Value]) -> Option<(u32, u32)> {
        let places = tuple.iter().zip(&self.columns);
        let places: Option<Vec<u32>> =
            places.map(|(value, domain)| place(base, (*domain)?, *value)).collect();
        Some(self.split(&places?))
    }

    /// The slice and the key of a tuple given by places.
    pub(crate) fn split(&self, places: &[u32]) -> (u32, u32) {
        let part = |wanted: bool| -> Vec<u32> {
            let columns = places.iter().zip(&self.sliced);
            columns.filter(|(_, is)| **is == wanted).map(|(place, _)| *place).collect()
        };
        (self.slices.number(&part(true)), self.keys.number(&part(false)))
    }

    /// Is each slice a single truth?
    pub(crate) fn is_word(&self) -> bool {
        self.keys.domains.is_empty() && self.listed.is_none()
    }
}
