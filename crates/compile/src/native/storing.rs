//! Derived predicates in their words of the state.
//!
//! In: which of them something asks about. Out: statements, or routines, that compute them into their words. Invariant:
//! what a predicate asks about is in its words before it is computed itself.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Set, Statement, Word};
use rulesmith_logic::{Condition, Expr, PredicateId};
use rulesmith_matching::Node;

use super::Obstacle;
use super::build::Builder;
use super::cycles::is_cycle;
use super::emit::{Computed, Emitter};
use super::loops::Storing;
use super::optimizations::Optimization;

/// What is asked about, also by predicates that are called.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Derived predicates that have words, by the places of their layouts.
    pub(super) places: BTreeSet<usize>,
    called: BTreeSet<PredicateId>,
}

impl<'b> Builder<'b> {
    /// Computes a derived predicate into its words, if that was not done yet.
    pub(super) fn ensure_stored(
        &mut self,
        emitter: &mut Emitter<'b>,
        derived: usize,
    ) -> Result<(), Obstacle> {
        if emitter.stored.contains(&derived) {
            return Ok(());
        }
        if self.storing.contains(&derived) {
            return Err(Obstacle::new("predicates that ask each other"));
        }
        let storing = self.setting.routines.borrow().large_storing(derived);
        if let Some(storing) = storing {
            let result = emitter.scalar();
            emitter.push(Statement::Run(result, storing.routine, Vec::new()));
            emitter.stored.extend(storing.places);
            return Ok(());
        }
        self.storing.push(derived);
        let done = self.store_rows(emitter, derived).or_else(|_| self.store_tree(emitter, derived));
        self.storing.pop();
        done?;
        emitter.stored.insert(derived);
        Ok(())
    }

    /// Computes the derived predicates that conditions ask about into their words.
    pub(super) fn store_asked(
        &mut self,
        emitter: &mut Emitter<'b>,
        body: &[Condition],
    ) -> Result<(), Obstacle> {
        let mut asked = Asked::default();
        for condition in body {
            self.asked_by(condition, &mut asked);
        }
        asked.places.into_iter().try_for_each(|derived| self.ensure_stored(emitter, derived))
    }

    /// Makes routines that compute derived predicates into their words, for the states after moves that are judged.
    pub(super) fn make_storing_routines(&mut self) {
        if !self.optimizations.has(Optimization::Routines) {
            return;
        }
        let mut asked = Asked::default();
        for clause in self.specialized.procedures.iter().flat_map(|one| &one.clauses) {
            self.asked_elsewhere(&clause.clause.body, &mut asked);
        }
        for derived in asked.places {
            let predicate = self.places.derived[derived].predicate;
            if !self.setting.is_of_state(predicate) {
                continue;
            }
            let mut emitter = Emitter::new(self.places, 0);
            emitter.keeps_hashes = false;
            if self.ensure_stored(&mut emitter, derived).is_err() {
                continue;
            }
            let places = emitter.stored.iter().copied().collect();
            let name = format!("store {}", self.theory.base.predicate(predicate).name);
            let kernel = emitter.into_kernel(name, 0);
            let mut routines = self.setting.routines.borrow_mut();
            if let Some(routine) = routines.add(kernel) {
                routines.storing.insert(derived, Storing { routine, places });
            }
        }
    }

    /// The derived predicates that conditions ask about the states after moves.
    fn asked_elsewhere(&self, body: &[Condition], asked: &mut Asked) {
        for condition in body {
            match condition {
                Condition::Elsewhere { body, .. } => {
                    for condition in body {
                        self.asked_by(condition, asked);
                    }
                    self.asked_elsewhere(body, asked);
                }
                Condition::None { body, .. } => self.asked_elsewhere(body, asked),
                Condition::AnyOf(branches) => {
                    for branch in branches {
                        self.asked_elsewhere(branch, asked);
                    }
                }
                _ => {}
            }
        }
    }

    /// Computes a derived predicate by its rows.
    fn store_rows(&mut self, emitter: &mut Emitter<'b>, derived: usize) -> Result<(), Obstacle> {
        let n_slices = self.places.derived[derived].slices.len();
        let computed = emitter.attempt(|emitter| {
            let slices = 0..n_slices;
            slices.map(|slice| self.slice(emitter, (derived, slice))).collect::<Result<Vec<_>, _>>()
        })?;
        let stored = self.setting.derived[derived].1.clone();
        for (slice, computed) in (0..n_slices).zip(computed) {
            let set = match computed {
                Computed::Plane(plane) => Set::Plane(plane),
                Computed::Word(scalar) => {
                    // A truth is the first bit of its plane.
                    emitter.push(Statement::Store(stored.word_of_slice(slice), scalar.into()));
                    continue;
                }
            };
            emitter.push(Statement::StoreSet(stored.word_of_slice(slice), set));
        }
        Ok(())
    }

    /// Computes a derived predicate by loops. One that asks itself is computed again until it stays as it is.
    fn store_tree(&mut self, emitter: &mut Emitter<'b>, derived: usize) -> Result<(), Obstacle> {
        let predicate = self.places.derived[derived].predicate;
        let least_known = self.specialized.procedures.iter().filter(|one| one.source == predicate);
        let least_known = least_known
            .min_by_key(|one| one.procedure.known.iter().filter(|known| **known).count());
        let Some(one) = least_known else { return Ok(()) };
        let (procedure, stored) = (&one.procedure, self.setting.derived[derived].1.clone());
        let mut asked = Asked::default();
        for node in &procedure.tree.roots {
            self.asked_by_node(node, &mut asked);
        }
        if !asked.places.contains(&derived) {
            return self.lower(emitter, procedure, |lowering| {
                lowering.clear(&stored);
                lowering.fill_all(procedure, &stored)
            });
        }
        emitter.stored.insert(derived);
        let before = emitter.let_word(Word::Constant(0));
        let done = self.lower(emitter, procedure, |lowering| {
            lowering.clear(&stored);
            lowering.emitter.begin();
            let done = lowering.fill_all(procedure, &stored);
            let now = lowering.emitter.let_word(stored.count());
            let is_more = Word::from(now).compare(Comparison::Unequal, before);
            let leave = vec![Statement::Leave];
            lowering.emitter.push(Statement::If(is_more, Vec::new(), leave));
            lowering.emitter.push(Statement::Let(before, now.into()));
            let body = lowering.emitter.end();
            lowering.emitter.push(Statement::Repeat(body));
            done
        });
        emitter.stored.remove(&derived);
        done
    }

    pub(super) fn asked_by_node(&self, node: &Node, asked: &mut Asked) {
        if let Node::Condition { condition, children } = node {
            self.asked_by(condition, asked);
            for child in children {
                self.asked_by_node(child, asked);
            }
        }
    }

    /// The derived predicates that a condition asks about.
    pub(super) fn asked_by(&self, condition: &Condition, asked: &mut Asked) {
        let all = |body: &[Condition], asked: &mut Asked| {
            for condition in body {
                self.asked_by(condition, asked);
            }
        };
        match condition {
            Condition::Holds(atom) => {
                let mut derived = self.places.derived.iter();
                match derived.position(|layout| layout.predicate == atom.predicate) {
                    Some(place) => {
                        asked.places.insert(place);
                    }
                    None => self.asked_by_clauses(atom.predicate, asked),
                }
            }
            Condition::None { body, .. } => all(body, asked),
            // What cycles ask about is in words of their own.
            Condition::Elsewhere { by, .. } if is_cycle(self.theory, by) => {}
            // What is asked about the state after a move is computed there.
            Condition::Elsewhere { .. } => {
                self.asked_by_clauses(self.theory.continues, asked);
                for fluent in &self.theory.fluents {
                    self.asked_by_clauses(fluent.assign, asked);
                    self.asked_by_clauses(fluent.deferred, asked);
                }
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    all(branch, asked);
                }
            }
            Condition::Compare(_, left, right) => {
                for side in [left, right] {
                    self.asked_by_expr(side, asked);
                }
            }
            Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }

    /// What the clauses of a predicate ask about that is called where it is needed.
    fn asked_by_clauses(&self, predicate: PredicateId, asked: &mut Asked) {
        if !asked.called.insert(predicate) {
            return;
        }
        let all = self.specialized.procedures.iter().filter(|one| one.source == predicate);
        for node in all.flat_map(|one| &one.procedure.tree.roots) {
            self.asked_by_node(node, asked);
        }
    }

    fn asked_by_expr(&self, expr: &Expr, asked: &mut Asked) {
        match expr {
            Expr::Term(_) => {}
            Expr::Binary(_, left, right) => {
                self.asked_by_expr(left, asked);
                self.asked_by_expr(right, asked);
            }
            Expr::Count { body, .. } => {
                for condition in body {
                    self.asked_by(condition, asked);
                }
            }
        }
    }
}
