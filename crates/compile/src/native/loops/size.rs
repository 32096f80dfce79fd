//! Sizes: how much there is below a predicate, all that it calls included.
//!
//! In: a predicate, or the effects of moves. Out: how many conditions are asked, and whether something is that only the place
//! where it is asked knows: which move is being made, or what happened before. Invariant: each predicate is looked at once.

use rulesmith_logic::{Condition, Expr, PredicateId, Source};
use rulesmith_matching::Node;
use rulesmith_rules::PredicateKind;

use super::setting::Setting;

/// Predicates with fewer conditions, all that they call included, are asked in place.
const LEAST_CONDITIONS: usize = 24;

/// How much there is below a predicate.
#[derive(Debug, Default)]
pub(super) struct Size {
    n_conditions: usize,
    /// Is something asked that a routine does not know?
    pub(super) is_tied: bool,
    /// Are predicates looked at that are stored?
    is_deep: bool,
    effects: Effects,
    /// What has been looked at, and whether as part of effects.
    seen: Vec<(PredicateId, bool)>,
}

/// Have effects of moves been looked at?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Effects {
    #[default]
    Unseen,
    /// They are now: they know which move is made.
    Open,
    Seen,
}

impl Size {
    /// What is below a predicate; or, if `is_deep`, below those that are stored, too.
    pub(super) fn new(is_deep: bool) -> Self {
        Self { is_deep, ..Self::default() }
    }

    /// Is it large enough for a routine, and does it ask about nothing that a routine does not know?
    pub(super) fn is_routine(&self) -> bool {
        !self.is_tied && self.n_conditions >= LEAST_CONDITIONS
    }

    pub(super) fn predicate(&mut self, setting: &Setting<'_>, predicate: PredicateId) {
        let source = setting.source(predicate);
        self.is_tied |= matches!(source, Source::Component(..));
        self.is_tied |= match setting.theory.kinds.get(predicate.0 as usize) {
            Some(PredicateKind::Does(_)) => self.effects != Effects::Open,
            Some(PredicateKind::Repeated(_) | PredicateKind::Since(_)) => true,
            _ => false,
        };
        let is_stored = setting.stored(predicate).is_some() && !self.is_deep;
        let now = (predicate, self.effects == Effects::Open);
        if is_stored || self.seen.contains(&now) {
            return;
        }
        self.seen.push(now);
        for one in setting.specialized.procedures.iter().filter(|one| one.source == predicate) {
            self.nodes(setting, &one.procedure.tree.roots);
        }
    }

    fn nodes(&mut self, setting: &Setting<'_>, nodes: &[Node]) {
        for node in nodes {
            if let Node::Condition { condition, children } = node {
                self.condition(setting, condition);
                self.nodes(setting, children);
            }
        }
    }

    fn condition(&mut self, setting: &Setting<'_>, condition: &Condition) {
        self.n_conditions += 1;
        match condition {
            Condition::Holds(atom) => self.predicate(setting, atom.predicate),
            Condition::None { body, .. } => self.all(setting, body),
            Condition::Elsewhere { by, body, .. } => {
                let kind = setting.theory.kinds.get(by.predicate.0 as usize);
                self.is_tied |= !matches!(kind, Some(PredicateKind::Does(_)));
                self.n_conditions += LEAST_CONDITIONS;
                self.effects(setting);
                self.all(setting, body);
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    self.all(setting, branch);
                }
            }
            Condition::Compare(_, left, right) => {
                self.expr(setting, left);
                self.expr(setting, right);
            }
            Condition::Member(..) | Condition::Construct { .. } => {}
        }
    }

    /// What the effects of moves ask about.
    pub(super) fn effects(&mut self, setting: &Setting<'_>) {
        if self.effects != Effects::Unseen {
            return;
        }
        self.effects = Effects::Open;
        self.predicate(setting, setting.theory.continues);
        for fluent in &setting.theory.fluents {
            self.predicate(setting, fluent.assign);
            self.predicate(setting, fluent.deferred);
        }
        self.effects = Effects::Seen;
    }

    fn all(&mut self, setting: &Setting<'_>, body: &[Condition]) {
        for condition in body {
            self.condition(setting, condition);
        }
    }

    fn expr(&mut self, setting: &Setting<'_>, expr: &Expr) {
        match expr {
            Expr::Term(_) => {}
            Expr::Binary(_, left, right) => {
                self.expr(setting, left);
                self.expr(setting, right);
            }
            Expr::Count { body, .. } => self.all(setting, body),
        }
    }
}

impl Setting<'_> {
    /// Does a predicate ask about nothing but the state?
    pub(crate) fn is_of_state(&self, predicate: PredicateId) -> bool {
        let mut size = Size::new(true);
        size.predicate(self, predicate);
        !size.is_tied
    }
}
