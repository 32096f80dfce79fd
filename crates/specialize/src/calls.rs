//! Calls: which predicates a tree calls, what is known of their arguments there, and who answers them.
//!
//! In: a tree. Out: each called predicate with each pattern of known arguments, in the order of the
//! tree; for a program, how each predicate is answered. Invariant: a register is known below the
//! condition that binds it, and nowhere else.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Expr, PredicateId, Source, Var, atom_vars, condition_vars};
use rulesmith_matching::{Answered, Node, Tree};
use rulesmith_rules::{PredicateKind, Theory};

use crate::binding::term_var;
use crate::knowledge::Knowledge;
use crate::program::{Specialized, SpecializedProcedure};

/// A predicate and which of its arguments are known.
pub(crate) type Pattern = (PredicateId, Vec<bool>);

/// The calls of a tree.
pub(crate) fn calls_of(tree: &Tree, is_called: &dyn Fn(PredicateId) -> bool) -> Vec<Pattern> {
    let mut calls = Calls { is_called, found: Vec::new() };
    let bound: BTreeSet<Var> = tree.inputs.iter().copied().collect();
    calls.nodes(&tree.roots, &bound);
    calls.found
}

/// Predicates, each with whether it is asked in another state.
type Asked = BTreeSet<(PredicateId, bool)>;

/// The predicates a tree asks, each with whether it is asked in another state.
pub fn asked_by(tree: &Tree) -> BTreeSet<(PredicateId, bool)> {
    let mut asked = BTreeSet::new();
    ask_nodes(&tree.roots, &mut asked);
    asked
}

fn ask_nodes(nodes: &[Node], asked: &mut Asked) {
    for node in nodes {
        if let Node::Condition { condition, children } = node {
            ask_body(std::slice::from_ref(condition), false, asked);
            ask_nodes(children, asked);
        }
    }
}

fn ask_body(body: &[Condition], elsewhere: bool, asked: &mut Asked) {
    for condition in body {
        match condition {
            Condition::Holds(atom) => {
                asked.insert((atom.predicate, elsewhere));
            }
            Condition::None { body, .. } => ask_body(body, elsewhere, asked),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    ask_body(branch, elsewhere, asked);
                }
            }
            Condition::Compare(_, left, right) => {
                for expr in [left, right] {
                    if let Expr::Count { body, .. } = expr {
                        ask_body(body, elsewhere, asked);
                    }
                }
            }
            Condition::Elsewhere { body, .. } => ask_body(body, true, asked),
            Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

struct Calls<'c> {
    is_called: &'c dyn Fn(PredicateId) -> bool,
    found: Vec<Pattern>,
}

impl Calls<'_> {
    fn nodes(&mut self, nodes: &[Node], bound: &BTreeSet<Var>) {
        for node in nodes {
            if let Node::Condition { condition, children } = node {
                let mut bound = bound.clone();
                self.condition(condition, &mut bound);
                self.nodes(children, &bound);
            }
        }
    }

    fn body(&mut self, body: &[Condition], bound: &BTreeSet<Var>) {
        let mut bound = bound.clone();
        for condition in body {
            self.condition(condition, &mut bound);
        }
    }

    fn condition(&mut self, condition: &Condition, bound: &mut BTreeSet<Var>) {
        match condition {
            Condition::Holds(atom) => {
                if (self.is_called)(atom.predicate) {
                    let is_known = |var: Var| bound.contains(&var);
                    let known =
                        atom.args.iter().map(|term| term_var(*term).is_none_or(is_known)).collect();
                    let call = (atom.predicate, known);
                    if !self.found.contains(&call) {
                        self.found.push(call);
                    }
                }
                bound.extend(atom_vars(atom));
            }
            Condition::None { body, .. } => self.body(body, bound),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    self.body(branch, bound);
                }
            }
            Condition::Compare(_, left, right) => {
                for expr in [left, right] {
                    if let Expr::Count { body, .. } = expr {
                        self.body(body, bound);
                    }
                }
                bound.extend([left, right].into_iter().filter_map(|expr| match expr {
                    Expr::Term(term) => term_var(*term),
                    _ => None,
                }));
                if let Expr::Binary(_, a, b) = right {
                    bound.extend([a, b].into_iter().filter_map(|expr| match &**expr {
                        Expr::Term(term) => term_var(*term),
                        _ => None,
                    }));
                }
            }
            Condition::Elsewhere { body, .. } => {
                self.body(body, bound);
                bound.extend(condition_vars(condition));
            }
            Condition::Construct { .. } | Condition::Member(..) => {
                bound.extend(condition_vars(condition));
            }
        }
    }
}

impl Specialized {
    /// How the program answers a predicate.
    pub fn answered(&self, knowledge: &Knowledge<'_>, predicate: PredicateId) -> Option<Answered> {
        let theory = knowledge.theory;
        let called = |one: &SpecializedProcedure| one.procedure.predicate == predicate;
        let described = theory.base.predicates.get(predicate.0 as usize)?;
        // A static predicate that was requested is still read, not called, by itself and by others.
        if is_called(theory, predicate) && self.procedures.iter().any(called) {
            return Some(Answered::Called);
        }
        let arity = described.domains.len();
        Some(match theory.kind(predicate) {
            PredicateKind::Static { .. } if knowledge.is_complete(predicate) => {
                Answered::Stored { arity, is_static: true }
            }
            PredicateKind::Fluent(_) | PredicateKind::Does(_) | PredicateKind::Component => {
                Answered::Stored { arity, is_static: false }
            }
            _ => Answered::Outside,
        })
    }
}

/// Is the predicate answered by clauses that are not listed as facts?
pub(crate) fn is_called(theory: &Theory, predicate: PredicateId) -> bool {
    theory.base.predicate(predicate).source == Source::Clauses
        && !matches!(theory.kind(predicate), PredicateKind::Static { .. })
}
