//! The dependency graph: which predicate asks which, and how.
//!
//! In: a clause base. Out: edges, cycles, and the level of each predicate. Invariant: an edge out of
//! a negation, a count or another world is never inside a cycle of a base that passed the check.

use crate::base::{ClauseBase, Level, Source};
use crate::clause::{Clause, Condition, Expr, PredicateId, Span};

/// How one predicate asks another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asking {
    /// It must hold.
    Positively,
    /// It must not hold, or is counted: all answers must be known first.
    Negatively,
    /// It is judged in another world.
    Elsewhere,
}

/// One predicate asks another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Who asks.
    pub from: PredicateId,
    /// Who is asked.
    pub to: PredicateId,
    /// How.
    pub asking: Asking,
    /// Is the asked predicate the passage of a condition judged elsewhere?
    pub is_passage: bool,
    /// The clause.
    pub span: Span,
}

/// All edges of a clause base, component objects included.
pub fn edges(base: &ClauseBase) -> Vec<Edge> {
    let mut edges: Vec<Edge> = base.clauses.iter().flatten().flat_map(clause_edges).collect();
    for (index, predicate) in base.predicates.iter().enumerate() {
        let Source::Component(id, _) = predicate.source else { continue };
        let component = base.component(id);
        let from = PredicateId(u32::try_from(index).expect("predicates are numbered in 32 bits"));
        let edge = |to| Edge {
            from,
            to,
            asking: Asking::Negatively,
            is_passage: false,
            span: component.span,
        };
        let mut asked = Vec::new();
        body_edges(from, component.span, &component.body, Asking::Negatively, &mut asked);
        edges.extend(asked);
        edges.push(edge(component.link));
    }
    edges
}

fn clause_edges(clause: &Clause) -> Vec<Edge> {
    let mut edges = Vec::new();
    body_edges(clause.head.predicate, clause.span, &clause.body, Asking::Positively, &mut edges);
    edges
}

fn body_edges(
    from: PredicateId,
    span: Span,
    body: &[Condition],
    asking: Asking,
    edges: &mut Vec<Edge>,
) {
    for condition in body {
        match condition {
            Condition::Holds(atom) => {
                edges.push(Edge { from, to: atom.predicate, asking, is_passage: false, span });
            }
            Condition::None { body, .. } => {
                body_edges(from, span, body, asking.max(Asking::Negatively), edges);
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    body_edges(from, span, branch, asking, edges);
                }
            }
            Condition::Compare(_, left, right) => {
                expr_edges(from, span, left, asking, edges);
                expr_edges(from, span, right, asking, edges);
            }
            Condition::Elsewhere { by, body, .. } => {
                let asking = Asking::Elsewhere;
                edges.push(Edge { from, to: by.predicate, asking, is_passage: true, span });
                body_edges(from, span, body, asking, edges);
            }
            Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

fn expr_edges(from: PredicateId, span: Span, expr: &Expr, asking: Asking, edges: &mut Vec<Edge>) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            expr_edges(from, span, left, asking, edges);
            expr_edges(from, span, right, asking, edges);
        }
        Expr::Count { body, .. } => {
            body_edges(from, span, body, asking.max(Asking::Negatively), edges);
        }
    }
}

/// The cycle each predicate belongs to: equal numbers for predicates that ask one another.
pub fn cycles(n_predicates: usize, edges: &[Edge]) -> Vec<usize> {
    let mut asked: Vec<Vec<usize>> = vec![Vec::new(); n_predicates];
    let mut askers: Vec<Vec<usize>> = vec![Vec::new(); n_predicates];
    for edge in edges {
        asked[edge.from.0 as usize].push(edge.to.0 as usize);
        askers[edge.to.0 as usize].push(edge.from.0 as usize);
    }
    // Kosaraju: number the predicates in the order they are finished, then walk the edges backwards.
    let mut order = Vec::new();
    let mut seen = vec![false; n_predicates];
    for start in 0..n_predicates {
        finish_order(start, &asked, &mut seen, &mut order);
    }
    let mut cycle = vec![usize::MAX; n_predicates];
    for (number, start) in order.into_iter().rev().enumerate() {
        let mut queue = vec![start];
        while let Some(next) = queue.pop() {
            if cycle[next] == usize::MAX {
                cycle[next] = number;
                queue.extend(&askers[next]);
            }
        }
    }
    cycle
}

fn finish_order(start: usize, asked: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
    if seen[start] {
        return;
    }
    seen[start] = true;
    let mut stack = vec![(start, 0)];
    while let Some((node, next)) = stack.pop() {
        match asked[node].get(next) {
            Some(&child) => {
                stack.push((node, next + 1));
                if !seen[child] {
                    seen[child] = true;
                    stack.push((child, 0));
                }
            }
            None => order.push(node),
        }
    }
}

impl ClauseBase {
    /// Computes the level of every predicate that clauses or components define.
    pub fn settle(&mut self) {
        let mut askers: Vec<Vec<(usize, Asking)>> = vec![Vec::new(); self.predicates.len()];
        let mut raised: Vec<usize> = Vec::new();
        for edge in edges(self) {
            askers[edge.to.0 as usize].push((edge.from.0 as usize, edge.asking));
            raised.push(edge.to.0 as usize);
        }
        while let Some(asked) = raised.pop() {
            let asked_level = self.predicates[asked].level;
            for &(asker, asking) in &askers[asked] {
                let level = if asking == Asking::Elsewhere { Level::State } else { asked_level };
                let asker_predicate = &mut self.predicates[asker];
                if asker_predicate.source != Source::World && asker_predicate.level < level {
                    asker_predicate.level = level;
                    raised.push(asker);
                }
            }
        }
    }
}
