//! What the moves bring about that code is made for.
//!
//! In: the assignments of all clauses, the moves that the code is for, and how each fluent is assigned. Out: the rows
//! that such moves can bring about, and what is known of the values that they carry. Invariant: what is left out never
//! comes about when one of the moves is made.

use std::rc::Rc;

use rulesmith_rules::FluentId;

use super::build::Builder;
use super::carried::Known;
use super::decided::Decided;
use super::effects::Assignment;
use super::steps::Doing;

/// How assignments are made: by rows, unless something else is said here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct How {
    pub(super) is_deferred: bool,
    /// The fluents whose values are carried from key to key.
    pub(super) carried: Vec<FluentId>,
    /// The fluents that are assigned by loops.
    pub(super) looped: Vec<FluentId>,
}

/// What moves bring about by rows.
#[derive(Debug)]
pub(super) struct ByRows {
    pub(super) assignments: Vec<Assignment>,
    pub(super) known: Vec<Known>,
}

impl Builder<'_> {
    /// What the moves bring about that the code is for, without what loops do. The same moves are asked about by
    /// many kernels.
    pub(super) fn changes_by_rows(&self, doing: Doing, how: &How) -> Rc<ByRows> {
        let Some(narrow) = &self.narrow else { return Rc::new(self.made_by_rows(doing, how)) };
        let mut known = narrow.by_rows.borrow_mut();
        if let Some((_, found)) = known.iter().find(|(other, _)| other == how) {
            return found.clone();
        }
        let found = Rc::new(self.made_by_rows(doing, how));
        known.push((how.clone(), found.clone()));
        found
    }

    fn made_by_rows(&self, doing: Doing, how: &How) -> ByRows {
        let (mut assignments, known) = self.of_moves(doing, how);
        self.narrow_assignments(&mut assignments, how.is_deferred);
        let mut decided = Decided::new(doing);
        for one in &mut assignments {
            one.rows.retain_mut(|(row, ..)| self.decide_row(&mut decided, row));
        }
        ByRows { assignments, known }
    }

    /// What the moves bring about that the code is for, without what loops do, and what is known of what they carry.
    fn of_moves(&self, doing: Doing, how: &How) -> (Vec<Assignment>, Vec<Known>) {
        let all = if how.is_deferred { &self.deferred } else { &self.assignments };
        // Where others wait, rows may ask what these do.
        let own =
            |one: &Assignment| if self.waiting.is_some() { one.clone() } else { one.of(doing) };
        let (mut assignments, mut known) = (Vec::new(), Vec::new());
        for fluent in self.theory.fluent_ids().filter(|fluent| !how.looped.contains(fluent)) {
            let is_carried = how.carried.contains(&fluent);
            let carrying = if is_carried { self.carrying(fluent) } else { None };
            let clauses = all.iter().filter(|one| one.fluent == fluent).enumerate();
            assignments.extend(clauses.map(|(clause, one)| {
                let carried = carrying.as_ref().and_then(|found| found.carried[clause].clone());
                carried.map_or_else(|| own(one), |carried| Assignment::always(fluent, carried))
            }));
            known.extend(carrying.map(|found| found.known.clone()));
        }
        (assignments, known)
    }
}
