//! What the moves bring about that code is made for.
//!
//! In: the assignments of all clauses, the moves that the code is for, and how each fluent is assigned. Out: the rows
//! that such moves can bring about, and what is known of the values that they carry. Invariant: what is left out never
//! comes about when one of the moves is made.

use std::rc::Rc;

use rulesmith_rules::FluentId;
use rustc_hash::FxHashMap;

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

/// What moves bring about by rows: for each fluent that is not looped its assignments.
#[derive(Debug)]
pub(super) struct ByRows(pub(super) Vec<Rc<OfFluent>>);

/// What moves bring about of one fluent.
#[derive(Debug)]
pub(super) struct OfFluent {
    pub(super) assignments: Vec<Assignment>,
    /// What is known of it, if it is carried.
    pub(super) known: Option<Known>,
}

/// Which rows a role's moves of a kind can bring about, found once: there are many more rows than those.
#[derive(Debug)]
pub(super) struct BroughtAbout {
    /// By assignment, those of a step and those at the end of a turn.
    rows: [Vec<Vec<usize>>; 2],
    /// For each fluent, whether a step leaves it as it is.
    pub(super) steady: Vec<bool>,
}

/// What was found for roles and kinds of moves, as far as it was asked.
#[derive(Debug, Default)]
pub(super) struct FoundByRows {
    fluents: FxHashMap<Doing, FluentRows>,
    brought_about: FxHashMap<Doing, Rc<BroughtAbout>>,
}

/// What was found for fluents, at once or at the end of a turn, carried or not.
pub(super) type FluentRows = FxHashMap<(FluentId, bool, bool), Rc<OfFluent>>;

impl Builder<'_> {
    /// What the moves bring about that the code is for, without what loops do. The same moves are asked about by
    /// many kernels, and in several ways that differ in few fluents.
    pub(super) fn changes_by_rows(&self, doing: Doing, how: &How) -> ByRows {
        let fluents = self.theory.fluent_ids().filter(|fluent| !how.looped.contains(fluent));
        ByRows(fluents.map(|fluent| self.rows_of_fluent(doing, how, fluent)).collect())
    }

    fn rows_of_fluent(&self, doing: Doing, how: &How, fluent: FluentId) -> Rc<OfFluent> {
        let key = (fluent, how.is_deferred, how.carried.contains(&fluent));
        let find = |known: &FluentRows| known.get(&key).cloned();
        let known = match &self.narrow {
            Some(narrow) => find(&narrow.by_rows.borrow()),
            None => self.by_rows.borrow().fluents.get(&doing).and_then(find),
        };
        if let Some(known) = known {
            return known;
        }
        let found = Rc::new(self.made_by_rows(doing, how, key));
        if let Some(narrow) = &self.narrow {
            narrow.by_rows.borrow_mut().insert(key, found.clone());
        } else {
            let mut by_rows = self.by_rows.borrow_mut();
            by_rows.fluents.entry(doing).or_default().insert(key, found.clone());
        }
        found
    }

    fn made_by_rows(
        &self,
        doing: Doing,
        how: &How,
        (fluent, is_deferred, is_carried): (FluentId, bool, bool),
    ) -> OfFluent {
        let all = if is_deferred { &self.deferred } else { &self.assignments };
        let carrying = if is_carried { self.carrying(fluent) } else { None };
        // What is carried was found for the clauses that act at once.
        if let Some(carrying) = carrying.filter(|_| !is_deferred) {
            // What is not carried is what it was without.
            let plain = How { carried: Vec::new(), ..how.clone() };
            let plain = self.rows_of_fluent(doing, &plain, fluent);
            assert_eq!(carrying.carried.len(), plain.assignments.len(), "both are by clauses");
            let carried = carrying.carried.iter().zip(&plain.assignments);
            let assignments = carried.map(|(carried, plain)| match carried {
                Some(carried) => Assignment::always(fluent, carried.clone()),
                None => plain.clone(),
            });
            let known = Some(carrying.known.clone());
            return OfFluent { assignments: assignments.collect(), known };
        }
        let brought_about = self.brought_about(doing);
        let steady = (self.narrow.is_some() && is_deferred).then_some(&brought_about.steady[..]);
        // Where others wait, rows may ask what these do.
        let are_all_asked = self.narrow.is_none() && self.waiting.is_some();
        let mut decided = Decided::new(doing);
        let clauses = all.iter().enumerate().filter(|(_, one)| one.fluent == fluent);
        let assignments = clauses.map(|(number, one)| {
            let mut rows = if are_all_asked {
                one.rows.clone()
            } else {
                let own = &brought_about.rows[usize::from(is_deferred)][number];
                self.narrow_changes(own.iter().map(|row| &one.rows[*row]), steady)
            };
            rows.retain_mut(|(row, ..)| self.decide_row(&mut decided, row));
            Assignment { fluent, rows, carried: None }
        });
        OfFluent { assignments: assignments.collect(), known: None }
    }

    /// What is brought about when this is done, as far as role and kind tell.
    pub(super) fn brought_about(&self, doing: Doing) -> Rc<BroughtAbout> {
        let known = &mut self.by_rows.borrow_mut().brought_about;
        known.entry(doing).or_insert_with(|| Rc::new(self.find_brought_about(doing))).clone()
    }

    fn find_brought_about(&self, doing: Doing) -> BroughtAbout {
        let own = |one: &Assignment| {
            let allowed = |number: &usize| doing.allows(&one.rows[*number].0);
            (0..one.rows.len()).filter(allowed).collect()
        };
        let rows: [Vec<Vec<usize>>; 2] =
            [&self.assignments, &self.deferred].map(|all| all.iter().map(own).collect());
        let mut steady = vec![true; self.theory.fluent_ids().count()];
        for (one, own) in self.assignments.iter().zip(&rows[0]) {
            steady[one.fluent.0] &= own.is_empty();
        }
        for fluent in &self.looped[0] {
            steady[fluent.0] = false;
        }
        BroughtAbout { rows, steady }
    }
}
