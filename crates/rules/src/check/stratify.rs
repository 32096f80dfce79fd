//! Stratification and levels: no predicate may wait for its own negation, count or future.
//!
//! In: the clause base with all edges, those through effects included. Out: problems that name the
//! circle. Invariant: a base that passes has a least model, and no question recurses into itself in
//! another state.

use rulesmith_logic::{Asking, Edge, Level, PredicateId, cycles, edges};

use super::Checker;
use crate::source::Diagnostic;
use crate::theory::PredicateKind;

impl Checker<'_> {
    pub(crate) fn check_stratification(&mut self) {
        let edges = self.all_edges();
        let cycle = cycles(self.base.predicates.len(), &edges);
        let mut reported: Vec<usize> = Vec::new();
        for edge in &edges {
            let (from, to) = (cycle[edge.from.0 as usize], cycle[edge.to.0 as usize]);
            if from != to || edge.asking == Asking::Positively || reported.contains(&from) {
                continue;
            }
            reported.push(from);
            let path = self.circle(&edges, edge, &cycle);
            let name = self.name_of(edge.from);
            let problem = if edge.asking == Asking::Elsewhere {
                let message = format!("`{name}` reaches itself through `after`: {path}");
                let help = "judge the later state by a lower predicate that does not use `after`, such as `pseudo_legal`";
                Diagnostic::error("circular-after", edge.span, message).help(help)
            } else {
                let message = format!("`{name}` depends on its own negation or count: {path}");
                let help = "a predicate may not be negated or counted, directly or through others, in its own definition";
                Diagnostic::error("unstratified", edge.span, message).help(help)
            };
            self.report(problem);
        }
    }

    /// The edges of the clauses, and those that run through effects and history.
    fn all_edges(&self) -> Vec<Edge> {
        let mut all = edges(&self.base);
        let steps: Vec<PredicateId> = self
            .fluents
            .iter()
            .flat_map(|fluent| [fluent.assign, fluent.deferred])
            .chain([self.special.continues])
            .collect();
        let passages: Vec<Edge> = all.iter().filter(|edge| edge.is_passage).copied().collect();
        for edge in passages {
            if matches!(self.kinds[edge.to.0 as usize], PredicateKind::Does(_)) {
                all.extend(steps.iter().map(|step| Edge { to: *step, is_passage: false, ..edge }));
            }
        }
        for (place, kind) in self.kinds.iter().enumerate() {
            if let PredicateKind::Since(event) = kind {
                let from =
                    PredicateId(u32::try_from(place).expect("predicates are numbered in 32 bits"));
                let span = self.declared_at.get(&from).copied().unwrap_or_default();
                all.push(Edge {
                    from,
                    to: *event,
                    asking: Asking::Elsewhere,
                    is_passage: false,
                    span,
                });
            }
        }
        all
    }

    /// The shortest way from where an edge leads back to where it starts, in words.
    fn circle(&self, edges: &[Edge], closing: &Edge, cycle: &[usize]) -> String {
        let mut ways: Vec<Vec<PredicateId>> = vec![vec![closing.from, closing.to]];
        let mut seen = vec![closing.to];
        let mut next = 0;
        while next < ways.len() {
            let way = ways[next].clone();
            next += 1;
            let Some(&last) = way.last() else { break };
            if last == closing.from {
                return way
                    .iter()
                    .map(|id| format!("`{}`", self.name_of(*id)))
                    .collect::<Vec<_>>()
                    .join(" → ");
            }
            for edge in edges.iter().filter(|edge| edge.from == last) {
                let is_inside = cycle[edge.to.0 as usize] == cycle[closing.from.0 as usize];
                if is_inside && !seen.contains(&edge.to) {
                    seen.push(edge.to);
                    ways.push([way.as_slice(), &[edge.to]].concat());
                }
            }
        }
        String::new()
    }

    fn name_of(&self, id: PredicateId) -> &str {
        &self.base.predicate(id).name
    }

    /// Who reads what: the start reads static facts only, and moves being made are seen by effects alone.
    pub(crate) fn check_levels(&mut self) {
        for place in 0..self.kinds.len() {
            let id = PredicateId(u32::try_from(place).expect("predicates are numbered in 32 bits"));
            let level = self.base.predicate(id).level;
            let allowed = match &self.kinds[place] {
                PredicateKind::Static { .. } | PredicateKind::Init(_) => Level::Static,
                PredicateKind::Legal(_)
                | PredicateKind::Terminal
                | PredicateKind::Goal
                | PredicateKind::Draw => Level::State,
                _ => Level::Step,
            };
            if level <= allowed {
                continue;
            }
            let name = self.base.predicate(id).name.clone();
            let clauses = self.base.clauses_of(id).iter();
            let span = clauses.map(|clause| clause.span).next().unwrap_or_default();
            let (what, help) = match allowed {
                Level::Static => {
                    ("reads the state", "it is fixed once and may read static relations only")
                }
                _ => (
                    "asks which move is being made",
                    "only effects, `continue`, `prefer` and events of `since` see `does`",
                ),
            };
            let message = format!("`{name}` {what}, directly or through what it uses");
            self.report(Diagnostic::error("wrong-level", span, message).help(help));
        }
    }
}
