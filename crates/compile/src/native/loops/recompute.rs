//! Derived predicates in another state than the one they were computed for.
//!
//! In: conditions about the state after a move. Out: statements that keep the words of what these conditions ask
//! about, compute them anew, and put them back. Invariant: the words are afterwards as they were.

use std::collections::BTreeSet;
use std::ops::Range;

use rulesmith_kernel::{Set, Statement};
use rulesmith_logic::{Condition, Expr, PredicateId};
use rulesmith_matching::{Node, Procedure};
use rulesmith_rules::PredicateKind;

use super::super::Obstacle;
use super::super::emit::Late;
use super::lower::Lowering;
use super::setting::Setting;

/// Derived predicates, each after those that it asks about.
#[derive(Debug, Default)]
pub(super) struct Asked {
    order: Vec<usize>,
    /// Does something ask how often the state occurred?
    pub(super) asks_repetition: bool,
    /// The predicates whose clauses are being read.
    path: Vec<PredicateId>,
}

/// Words that are kept elsewhere.
#[derive(Debug)]
pub(super) struct Kept {
    words: Vec<(u32, u32, u16)>,
}

impl Asked {
    /// How many there are.
    pub(super) fn n_all(&self) -> usize {
        self.order.len()
    }

    /// How many of the first ones a condition asks for.
    pub(super) fn n_by(
        &self,
        setting: &Setting<'_>,
        condition: &Condition,
    ) -> Result<usize, Obstacle> {
        let mut asked = Self::default();
        asked.by(setting, condition)?;
        let last = self.order.iter().rposition(|place| asked.order.contains(place));
        Ok(last.map_or(0, |last| last + 1))
    }

    /// What a condition asks about.
    pub(super) fn by(
        &mut self,
        setting: &Setting<'_>,
        condition: &Condition,
    ) -> Result<(), Obstacle> {
        match condition {
            Condition::Holds(atom) => self.about(setting, atom.predicate),
            Condition::None { body, .. } => body.iter().try_for_each(|one| self.by(setting, one)),
            Condition::Elsewhere { body, .. } => {
                // The move is made from here: its effects ask about this state.
                for fluent in &setting.theory.fluents {
                    self.by_clauses(setting, fluent.assign)?;
                }
                body.iter().try_for_each(|one| self.by(setting, one))
            }
            Condition::AnyOf(branches) => {
                branches.iter().flatten().try_for_each(|one| self.by(setting, one))
            }
            Condition::Compare(_, left, right) => {
                self.by_expr(setting, left)?;
                self.by_expr(setting, right)
            }
            Condition::Member(..) | Condition::Construct { .. } => Ok(()),
        }
    }

    fn by_expr(&mut self, setting: &Setting<'_>, expr: &Expr) -> Result<(), Obstacle> {
        match expr {
            Expr::Term(_) => Ok(()),
            Expr::Binary(_, left, right) => {
                self.by_expr(setting, left)?;
                self.by_expr(setting, right)
            }
            Expr::Count { body, .. } => body.iter().try_for_each(|one| self.by(setting, one)),
        }
    }

    fn about(&mut self, setting: &Setting<'_>, predicate: PredicateId) -> Result<(), Obstacle> {
        let kind = setting.theory.kinds.get(predicate.0 as usize);
        self.asks_repetition |= matches!(kind, Some(PredicateKind::Repeated(_)));
        let place = setting.derived.iter().position(|(known, _)| *known == predicate);
        let is_known = place.is_some_and(|place| self.order.contains(&place));
        if is_known || !setting.is_called(predicate) {
            return Ok(());
        }
        if self.path.contains(&predicate) {
            return Err(Obstacle::new("a predicate that asks itself, after a move"));
        }
        self.path.push(predicate);
        self.by_clauses(setting, predicate)?;
        self.path.pop();
        self.order.extend(place);
        Ok(())
    }

    /// What the clauses of a predicate ask about.
    pub(super) fn by_clauses(
        &mut self,
        setting: &Setting<'_>,
        predicate: PredicateId,
    ) -> Result<(), Obstacle> {
        let all = setting.specialized.procedures.iter().filter(|one| one.source == predicate);
        for one in all {
            one.procedure.tree.roots.iter().try_for_each(|node| self.by_node(setting, node))?;
        }
        Ok(())
    }

    fn by_node(&mut self, setting: &Setting<'_>, node: &Node) -> Result<(), Obstacle> {
        let Node::Condition { condition, children } = node else { return Ok(()) };
        self.by(setting, condition)?;
        children.iter().try_for_each(|node| self.by_node(setting, node))
    }
}

impl<'b> Setting<'b> {
    /// The procedure of a predicate that needs to know least.
    fn least_known(&self, predicate: PredicateId) -> Option<&'b Procedure> {
        let all = self.specialized.procedures.iter().filter(|one| one.source == predicate);
        let n_known = |procedure: &&Procedure| procedure.known.iter().filter(|one| **one).count();
        all.map(|one| &one.procedure).min_by_key(n_known)
    }
}

impl Lowering<'_, '_> {
    /// Computes what would be computed where it is first asked about.
    pub(super) fn compute_late(&mut self) {
        let mut late: Vec<(usize, Late)> =
            self.emitter.late.iter().map(|(place, late)| (*place, *late)).collect();
        late.sort_by_key(|(place, _)| *place);
        for (_, late) in late {
            self.compute_now(late);
        }
    }

    pub(super) fn compute_now(&mut self, Late { routine, is_there }: Late) {
        let compute = vec![Statement::Run(is_there, routine, Vec::new())];
        self.emitter.push(Statement::If(is_there.into(), Vec::new(), compute));
    }

    /// Keeps the words of derived predicates.
    pub(super) fn keep_derived(&mut self, asked: &Asked) -> Result<Kept, Obstacle> {
        let mut words = Vec::new();
        for place in self.changed_by(asked) {
            let stored = &self.setting.derived[place].1;
            let (offset, n_words) = (stored.offset, stored.n_words());
            let n_words = u16::try_from(n_words)
                .map_err(|_| Obstacle::new("a derived predicate too large to be kept"))?;
            let kept = self.spare.take(u32::from(n_words));
            self.emitter.push(Statement::StoreSet(kept, Set::state(offset, n_words)));
            words.push((kept, offset, n_words));
        }
        Ok(Kept { words })
    }

    /// All derived predicates whose words change where some are computed: routines may need others.
    fn changed_by(&self, asked: &Asked) -> BTreeSet<usize> {
        let routines = self.setting.routines.borrow();
        let by_routines =
            asked.order.iter().filter_map(|place| routines.storing.get(place)?.as_ref());
        let others = by_routines.flat_map(|storing| &storing.places);
        asked.order.iter().chain(others).copied().collect()
    }

    /// Computes some of the derived predicates for the present state.
    pub(super) fn recompute(&mut self, asked: &Asked, which: Range<usize>) -> Result<(), Obstacle> {
        let (env, bound) = (std::mem::take(&mut self.env), std::mem::take(&mut self.bound));
        for place in &asked.order[which] {
            let storing = self.setting.routines.borrow().storing.get(place).cloned().flatten();
            if let Some(storing) = storing {
                let result = self.emitter.scalar();
                self.emitter.push(Statement::Run(result, storing.routine, Vec::new()));
                continue;
            }
            let (predicate, stored) = self.setting.derived[*place].clone();
            self.clear(&stored);
            if let Some(procedure) = self.setting.least_known(predicate) {
                self.fill_all(procedure, &stored)?;
            }
        }
        (self.env, self.bound) = (env, bound);
        Ok(())
    }

    /// Puts kept words back.
    pub(super) fn put_back(&mut self, kept: &Kept) {
        for (kept, offset, n_words) in &kept.words {
            self.emitter.push(Statement::StoreSet(*offset, Set::state(*kept, *n_words)));
        }
    }
}
