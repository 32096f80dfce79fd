//! Kept predicates: what is better called than unfolded, because its answers serve several askers.
//!
//! In: a theory and the requests made of it. Out: predicates for [`Bounds::keep`](crate::Bounds). A
//! program remembers what it called, so a predicate that a negation or a count asks about, and something
//! else too, is answered once for both. Invariant: nothing is kept that conditions after a move are
//! regressed through, since regression must see definitions.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{Asking, Clause, Condition, Edge, Expr, Level, PredicateId, Source, edges};
use rulesmith_rules::{PredicateKind, Request, Theory};

/// So many bodies of one clause are unfolded where they are denied.
const FEW_BODIES: usize = 8;

/// What is asked further down is not looked at.
const MAX_DEPTH: usize = 32;

/// The predicates that a program for these requests should call.
pub fn shared_predicates(theory: &Theory, requests: &[Request]) -> BTreeSet<PredicateId> {
    let edges = edges(&theory.base);
    let requested: BTreeSet<PredicateId> = requests.iter().map(|one| one.predicate).collect();
    let reached = reach(&edges, requested.clone());
    let regressed = regressed(theory, &edges, &reached);
    let asked: Vec<&Edge> = edges.iter().filter(|edge| reached.contains(&edge.from)).collect();
    let is_shared = |id: &PredicateId| {
        let mine = || asked.iter().filter(|edge| edge.to == *id);
        let is_negated = mine().any(|edge| edge.asking == Asking::Negatively);
        let n_askers = mine().count() + usize::from(requested.contains(id));
        let clauses = theory.base.clauses_of(*id);
        // Who has won or lost is asked at the end, and then for each role.
        let is_asked_by = |kind: &PredicateKind| mine().any(|edge| theory.kind(edge.from) == kind);
        let is_ending = is_asked_by(&PredicateKind::Terminal) && is_asked_by(&PredicateKind::Goal);
        is_negated && (n_askers > 1 || is_divided(theory, *id))
            || is_ending
            || n_askers > 0 && clauses.iter().any(has_count)
    };
    let is_candidate = |id: &PredicateId| {
        let predicate = theory.base.predicate(*id);
        predicate.source == Source::Clauses
            && predicate.level != Level::Static
            && !matches!(theory.kind(*id), PredicateKind::Static { .. })
            && !regressed.contains(id)
    };
    reached.iter().filter(|id| is_candidate(id) && is_shared(id)).copied().collect()
}

/// Recursions that ask other recursions on each of their steps, and these: unfolded, the ways through one would multiply
/// by those through the other.
pub fn nested_recursions(theory: &Theory) -> BTreeSet<PredicateId> {
    let asks_itself = |id: PredicateId| {
        let predicate = theory.base.predicate(id);
        let is_derived = matches!(theory.kind(id), PredicateKind::Derived { .. });
        let mut clauses = theory.base.clauses_of(id).iter();
        is_derived && predicate.level != Level::Static && clauses.any(|clause| asks(clause, id))
    };
    let mut nested = BTreeSet::new();
    let all = (0..theory.base.predicates.len()).filter_map(|id| u32::try_from(id).ok());
    for outer in all.map(PredicateId).filter(|id| asks_itself(*id)) {
        let steps = theory.base.clauses_of(outer).iter().filter(|clause| asks(clause, outer));
        let conditions = steps.flat_map(|clause| &clause.body);
        let inner = conditions.filter_map(|condition| match condition {
            Condition::Holds(atom) => Some(atom.predicate),
            _ => None,
        });
        let inner: Vec<PredicateId> =
            inner.filter(|inner| *inner != outer && asks_itself(*inner)).collect();
        if !inner.is_empty() {
            nested.insert(outer);
            nested.extend(inner);
        }
    }
    nested
}

/// Does a clause ask a predicate?
fn asks(clause: &Clause, predicate: PredicateId) -> bool {
    let is_it = |condition: &Condition| matches!(condition, Condition::Holds(atom) if atom.predicate == predicate);
    clause.body.iter().any(is_it)
}

/// Would a predicate that is asked by a negation be several bodies, were it unfolded? One clause may be, by what it
/// asks; a few bodies are better in place.
fn is_divided(theory: &Theory, id: PredicateId) -> bool {
    let mut known = BTreeMap::new();
    theory.base.clauses_of(id).len() > 1 || n_bodies(theory, id, MAX_DEPTH, &mut known) > FEW_BODIES
}

/// Bodies that a predicate would be, were it unfolded so deep; what asks itself counts once.
fn n_bodies(
    theory: &Theory,
    id: PredicateId,
    depth: usize,
    known: &mut BTreeMap<PredicateId, usize>,
) -> usize {
    let predicate = theory.base.predicate(id);
    if depth == 0 || predicate.source != Source::Clauses || predicate.level == Level::Static {
        return 1;
    }
    if let Some(found) = known.get(&id) {
        return *found;
    }
    known.insert(id, 1);
    let mut n_all = 0_usize;
    for clause in theory.base.clauses_of(id) {
        let of_condition = |condition: &Condition| match condition {
            Condition::Holds(atom) => n_bodies(theory, atom.predicate, depth - 1, known),
            Condition::AnyOf(branches) => branches.len(),
            _ => 1,
        };
        let of_clause = clause.body.iter().map(of_condition).fold(1, usize::saturating_mul);
        n_all = n_all.saturating_add(of_clause);
    }
    known.insert(id, n_all);
    n_all
}

/// What conditions after a move ask about, and what the effects of moves ask, if there are any such
/// conditions.
fn regressed(
    theory: &Theory,
    edges: &[Edge],
    reached: &BTreeSet<PredicateId>,
) -> BTreeSet<PredicateId> {
    let elsewhere = edges
        .iter()
        .filter(|edge| edge.asking == Asking::Elsewhere && reached.contains(&edge.from));
    let mut first: BTreeSet<PredicateId> = elsewhere.map(|edge| edge.to).collect();
    if first.is_empty() {
        return first;
    }
    let effects = theory.kinds.iter().zip(0..).filter(|(kind, _)| {
        matches!(
            kind,
            PredicateKind::Assign(_) | PredicateKind::Deferred(_) | PredicateKind::Continue
        )
    });
    first.extend(effects.map(|(_, id)| PredicateId(id)));
    reach(edges, first)
}

/// These and all they ask.
fn reach(edges: &[Edge], mut reached: BTreeSet<PredicateId>) -> BTreeSet<PredicateId> {
    let mut waiting: Vec<PredicateId> = reached.iter().copied().collect();
    while let Some(from) = waiting.pop() {
        for edge in edges.iter().filter(|edge| edge.from == from) {
            if reached.insert(edge.to) {
                waiting.push(edge.to);
            }
        }
    }
    reached
}

/// Does the clause count something itself?
fn has_count(clause: &Clause) -> bool {
    fn in_expr(expr: &Expr) -> bool {
        match expr {
            Expr::Term(_) => false,
            Expr::Binary(_, left, right) => in_expr(left) || in_expr(right),
            Expr::Count { .. } => true,
        }
    }
    let is_count = |condition: &Condition| matches!(condition, Condition::Compare(_, left, right) if in_expr(left) || in_expr(right));
    clause.body.iter().any(is_count)
}
