//! Derived predicates in their words of the state.
//!
//! In: which of them something asks about. Out: statements, or routines, that compute them into their words. Invariant:
//! what a predicate asks about is in its words before it is computed itself.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Set, Statement, Word};
use rulesmith_logic::{Condition, Expr, PredicateId};
use rulesmith_matching::Node;
use rulesmith_specialize::SpecializedProcedure;

use super::Obstacle;
use super::build::Builder;
use super::cycles::is_cycle;
use super::emit::{Computed, Emitter, Late};
use super::loops::Storing;
use super::optimizations::Optimization;

/// What takes fewer statements is computed before it is asked about.
const LATE: usize = 24;

/// What is asked about, also by predicates that are called.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Derived predicates that have words, by the places of their layouts.
    pub(super) places: BTreeSet<usize>,
    /// Those of them that clauses of others ask about, or a move that is made.
    indirect: BTreeSet<usize>,
    called: BTreeSet<PredicateId>,
    /// How many clauses of others are being read.
    depth: usize,
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
        emitter.late.remove(&derived);
        let storing = self.setting.routines.borrow().large_storing(derived);
        if let Some(storing) = storing {
            let result = emitter.scalar();
            emitter.push(Statement::Run(result, storing.routine, Vec::new()));
            emitter.stored.extend(storing.surely);
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
            self.storing_routine(derived);
        }
    }

    /// The routine that computes a derived predicate into its words, which is made if it is not there yet.
    fn storing_routine(&mut self, derived: usize) -> Option<Storing> {
        if let Some(known) = self.setting.routines.borrow().storing.get(&derived) {
            return known.clone();
        }
        let predicate = self.places.derived[derived].predicate;
        let made = if self.setting.is_of_state(predicate) {
            // It is the same for all who ask, whatever they are made for.
            let (making, narrow) = (std::mem::take(&mut self.making), self.narrow.take());
            let made = self.make_storing_routine(derived, predicate);
            (self.making, self.narrow) = (making, narrow);
            made
        } else {
            None
        };
        self.setting.routines.borrow_mut().storing.insert(derived, made.clone());
        made
    }

    fn make_storing_routine(&mut self, derived: usize, predicate: PredicateId) -> Option<Storing> {
        let mut emitter = Emitter::new(self.places, 0);
        emitter.keeps_hashes = false;
        self.ensure_stored(&mut emitter, derived).ok()?;
        emitter.push(Statement::Return(Word::Constant(1)));
        let places = self.changed_in(&emitter);
        let surely = emitter.stored.iter().copied().collect();
        let name = format!("store {}", self.theory.base.predicate(predicate).name);
        let kernel = emitter.into_kernel(name, 0);
        let routine = self.setting.routines.borrow_mut().add(kernel)?;
        Some(Storing { routine, places, surely })
    }

    /// All derived predicates whose words a kernel changes, also late.
    fn changed_in(&self, emitter: &Emitter<'_>) -> Vec<usize> {
        let routines = self.setting.routines.borrow();
        let late = emitter.late.keys().filter_map(|place| routines.storing.get(place)?.as_ref());
        let late = late.flat_map(|storing| &storing.places);
        let changed: BTreeSet<usize> = emitter.stored.iter().chain(late).copied().collect();
        changed.into_iter().collect()
    }

    /// Computes what a tree asks about into its words: at once, or where it is first asked about.
    pub(super) fn store_for(
        &mut self,
        emitter: &mut Emitter<'b>,
        roots: &[Node],
    ) -> Result<(), Obstacle> {
        let mut asked = Asked::default();
        for node in roots {
            self.asked_by_node(node, &mut asked);
        }
        for derived in &asked.places {
            let may_be_late = !asked.indirect.contains(derived);
            if !(may_be_late && self.store_late(emitter, *derived)) {
                self.ensure_stored(emitter, *derived)?;
            }
        }
        Ok(())
    }

    /// Has a derived predicate computed where it is first asked about; false if that is to be done at once.
    fn store_late(&mut self, emitter: &mut Emitter<'b>, derived: usize) -> bool {
        let is_on = [Optimization::Routines, Optimization::LatePredicates];
        if emitter.stored.contains(&derived)
            || !is_on.iter().all(|one| self.optimizations.has(*one))
        {
            return false;
        }
        if emitter.late.contains_key(&derived) {
            return true;
        }
        let Some(Storing { routine, .. }) = self.storing_routine(derived) else { return false };
        if self.setting.routines.borrow().n_statements(routine) < LATE {
            return false;
        }
        let is_there = emitter.let_word(Word::Constant(0));
        emitter.late.insert(derived, Late { routine, is_there });
        true
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
        let is_direct = self.asks_itself_directly(one, derived);
        if stored.is_listed() && !is_direct {
            return Err(Obstacle::new("a large predicate that asks itself by others"));
        }
        emitter.stored.insert(derived);
        if stored.is_listed() {
            let done = self.lower(emitter, procedure, |lowering| lowering.fill_list(one, &stored));
            emitter.stored.remove(&derived);
            return done;
        }
        if is_direct && self.optimizations.has(Optimization::ListedRecursions) {
            let in_order = emitter.attempt(|emitter| {
                self.lower(emitter, procedure, |lowering| lowering.fill_by_list(one, &stored))
            });
            if in_order.is_ok() {
                emitter.stored.remove(&derived);
                return Ok(());
            }
        }
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

    /// Do the clauses of a derived predicate ask it by their own conditions alone, and not by what these ask?
    fn asks_itself_directly(&self, one: &SpecializedProcedure, derived: usize) -> bool {
        let conditions = one.clauses.iter().flat_map(|one| &one.clause.body);
        let mut others = Asked::default();
        for condition in conditions {
            let is_own =
                matches!(condition, Condition::Holds(atom) if atom.predicate == one.source);
            if !is_own {
                self.asked_by(condition, &mut others);
            }
        }
        !others.places.contains(&derived)
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
                        if asked.depth > 0 {
                            asked.indirect.insert(place);
                        }
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
        asked.depth += 1;
        for node in all.flat_map(|one| &one.procedure.tree.roots) {
            self.asked_by_node(node, asked);
        }
        asked.depth -= 1;
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
