//! The dependency graph of the relations: stratified negation, keyword dependencies, recursion.
//!
//! In: statements. Out: an error for each negation inside a cycle and each forbidden dependency, a
//! warning for each recursive condition outside the recursion restriction.
//! Paper: GDL specification § 3 (stratified rules, recursion restriction) and § 4 (keywords).
//! Invariant: relations are told apart by name, as in the definition.

use std::collections::VecDeque;

use indexmap::IndexSet;
use rulesmith_logic::{Span, Symbol, Symbols};
use rustc_hash::FxBuildHasher;

use super::components::strong_components;
use super::keyword::Keywords;
use super::statement::{KifTerm, Literal, Sentence, Statement};
use crate::source::{Diagnostic, Diagnostics, Severity};

/// Reports what the dependencies between relations violate.
pub(super) fn check_dependencies(
    statements: &[Statement],
    keywords: &Keywords,
    symbols: &Symbols,
    diagnostics: &mut Diagnostics,
) {
    let graph = Graph::new(statements);
    let mut checker = Checker { graph: &graph, keywords, symbols, diagnostics };
    checker.check_stratified();
    checker.check_keywords();
    for statement in statements {
        checker.check_recursion(statement);
    }
}

struct Edge {
    to: usize,
    is_negative: bool,
    span: Span,
}

/// For each relation the relations its rules read.
struct Graph {
    relations: IndexSet<Symbol, FxBuildHasher>,
    edges: Vec<Vec<Edge>>,
    /// The strong component of each relation.
    components: Vec<usize>,
}

impl Graph {
    fn new(statements: &[Statement]) -> Self {
        let mut relations = IndexSet::default();
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        for statement in statements {
            let from = node(statement.head.relation, &mut relations, &mut edges);
            let mut visit = |sentence: &Sentence, is_negative| {
                let to = node(sentence.relation, &mut relations, &mut edges);
                edges[from].push(Edge { to, is_negative, span: sentence.span });
            };
            statement.body.iter().for_each(|literal| literal.each_sentence(false, &mut visit));
        }
        let successors: Vec<Vec<usize>> =
            edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        Self { relations, edges, components: strong_components(&successors) }
    }

    fn index(&self, relation: Symbol) -> Option<usize> {
        self.relations.get_index_of(&relation)
    }

    fn is_recursive(&self, from: Symbol, to: Symbol) -> bool {
        let (Some(from), Some(to)) = (self.index(from), self.index(to)) else { return false };
        self.components[from] == self.components[to]
    }

    /// A shortest chain of edges from one relation to the first of the targets found.
    fn path(&self, from: usize, targets: &[Symbol]) -> Option<Vec<(usize, Span)>> {
        let mut came_from: Vec<Option<(usize, Span)>> = vec![None; self.relations.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for edge in &self.edges[at] {
                if came_from[edge.to].is_some() {
                    continue;
                }
                came_from[edge.to] = Some((at, edge.span));
                if targets.contains(&self.relations[edge.to]) {
                    return Some(trace(&came_from, from, edge.to));
                }
                queue.push_back(edge.to);
            }
        }
        None
    }
}

fn node(
    relation: Symbol,
    relations: &mut IndexSet<Symbol, FxBuildHasher>,
    edges: &mut Vec<Vec<Edge>>,
) -> usize {
    let (index, is_new) = relations.insert_full(relation);
    if is_new {
        edges.push(Vec::new());
    }
    index
}

fn trace(came_from: &[Option<(usize, Span)>], from: usize, to: usize) -> Vec<(usize, Span)> {
    let mut steps = Vec::new();
    let mut at = to;
    while let Some((before, span)) = came_from[at] {
        steps.push((at, span));
        at = before;
        if at == from {
            break;
        }
    }
    steps.reverse();
    steps
}

struct Checker<'a> {
    graph: &'a Graph,
    keywords: &'a Keywords,
    symbols: &'a Symbols,
    diagnostics: &'a mut Diagnostics,
}

impl Checker<'_> {
    fn check_stratified(&mut self) {
        let graph = self.graph;
        for (from, edges) in graph.edges.iter().enumerate() {
            let is_in_cycle = |edge: &&Edge| graph.components[from] == graph.components[edge.to];
            for edge in edges.iter().filter(|edge| edge.is_negative).filter(is_in_cycle) {
                let (head, negated) = (self.name(from), self.name(edge.to));
                let message = format!(
                    "negation is not stratified: `{head}` reads `not {negated}`, which depends on `{head}`"
                );
                let error = Diagnostic::error("unstratified-negation", edge.span, message);
                let help =
                    format!("let `{negated}` be decided without `{head}`, or drop the `not`");
                self.diagnostics.report(error.label("negated inside a cycle").help(help));
            }
        }
    }

    fn check_keywords(&mut self) {
        let Keywords { init, holds, does, next, legal, goal, terminal, base, input, .. } =
            *self.keywords;
        for relation in [legal, goal, terminal] {
            let help = "decide it from the state alone; what is being done is known only to `next`";
            self.check_dependency(relation, &[does], Severity::Error, help);
        }
        let changing = [holds, does, next, legal, goal, terminal];
        self.check_dependency(
            init,
            &changing,
            Severity::Error,
            "decide the start from static relations alone",
        );
        for relation in [base, input] {
            let help = "the game is played without it, as if it were not there";
            self.check_dependency(relation, &changing, Severity::Warning, help);
        }
    }

    fn check_dependency(
        &mut self,
        relation: Symbol,
        forbidden: &[Symbol],
        severity: Severity,
        help: &str,
    ) {
        let Some(from) = self.graph.index(relation) else { return };
        let Some(steps) = self.graph.path(from, forbidden) else { return };
        let Some(&(to, _)) = steps.last() else { return };
        let chain: Vec<String> =
            steps.iter().map(|(at, _)| format!("`{}`", self.name(*at))).collect();
        let (name, target) = (self.name(from), self.name(to));
        let message = format!(
            "`{name}` must not depend on `{target}`: `{name}` reads {}",
            chain.join(", which reads ")
        );
        let mut diagnostic =
            Diagnostic::error("keyword-dependency", steps[0].1, message).help(help);
        for (at, span) in &steps[1..] {
            diagnostic = diagnostic.related(*span, format!("reads `{}` here", self.name(*at)));
        }
        self.diagnostics.report(Diagnostic { severity, ..diagnostic });
    }

    /// Every argument of a recursive condition is ground, an argument of the head, or an argument
    /// of a positive condition that is not recursive.
    fn check_recursion(&mut self, statement: &Statement) {
        let head = statement.head.relation;
        let (mut recursive, mut others) = (Vec::new(), Vec::new());
        for literal in &statement.body {
            self.sort_conditions(literal, head, true, (&mut recursive, &mut others));
        }
        for sentence in recursive {
            let is_given = |term: &KifTerm| {
                is_ground(term)
                    || statement.head.args.contains(term)
                    || others.iter().any(|other: &&Sentence| other.args.contains(term))
            };
            if sentence.args.iter().all(is_given) {
                continue;
            }
            let name = self.symbols.name(sentence.relation);
            let message = format!(
                "the recursive condition `{name}` has an argument that may grow without end"
            );
            let warning = Diagnostic::warning("recursion-restriction", sentence.span, message);
            let help =
                "use an argument of the head, or bind it by a condition that is not recursive";
            self.diagnostics.report(warning.help(help));
        }
    }

    /// Sorts the positive conditions into recursive ones and others; inside an `or` only the
    /// recursive ones count.
    fn sort_conditions<'s>(
        &self,
        literal: &'s Literal,
        head: Symbol,
        is_certain: bool,
        (recursive, others): (&mut Vec<&'s Sentence>, &mut Vec<&'s Sentence>),
    ) {
        match literal {
            Literal::Sentence(sentence) if self.graph.is_recursive(head, sentence.relation) => {
                recursive.push(sentence);
            }
            Literal::Sentence(sentence) if is_certain => others.push(sentence),
            Literal::Sentence(_) | Literal::Distinct(..) | Literal::Not(..) => {}
            Literal::And(items) | Literal::Or(items) => {
                let is_certain = is_certain && matches!(literal, Literal::And(_));
                for item in items {
                    self.sort_conditions(item, head, is_certain, (&mut *recursive, &mut *others));
                }
            }
        }
    }

    fn name(&self, relation: usize) -> &str {
        self.symbols.name(self.graph.relations[relation])
    }
}

fn is_ground(term: &KifTerm) -> bool {
    let mut ground = true;
    term.each_variable(&mut |_| ground = false);
    ground
}
