//! Assignments by loops: judged first, carried out when all are judged.
//!
//! In: the tree of a fluent's effects. Out: what is to be stored, then statements that store it. Invariant:
//! judging changes nothing of the state; a key that gets a value loses all others.

use rulesmith_kernel::{Scalar, Set, Statement, Word};
use rulesmith_logic::Value;
use rulesmith_rules::{FluentDefault, FluentId};

use super::super::Obstacle;
use super::super::classes::mask;
use super::super::conflicts::{stop_if, stop_if_any_meet};
use super::super::effects::Reset;
use super::super::kept_hash::store_plane;
use super::lower::Lowering;
use super::setting::Setting;
use super::sinks::Values;
use super::stored::Stored;
use crate::state_layout::place;

/// An assignment that was judged and not carried out yet.
pub(crate) enum Pending {
    Word(FluentId, NewValue),
    /// For each value the keys that get it, and those that lose theirs; whether there may be several.
    Planes(FluentId, Stored, bool),
}

/// What a fluent without keys is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewValue {
    /// One more than the number of the new value; zero if it stays.
    pub(crate) value: Scalar,
    /// Not zero if two values were given.
    pub(crate) clash: Scalar,
}

impl Setting<'_> {
    /// Transient fluents, with their defaults.
    pub(crate) fn resets(&self) -> Vec<Reset> {
        let theory = self.theory;
        let transient = theory.fluent_ids().filter(|id| theory.fluent(*id).is_transient);
        let reset = |fluent| {
            let domain = self.layout.fluent(fluent).values;
            let default = match (theory.fluent(fluent).default, domain) {
                (FluentDefault::Value(value), Some(domain)) => place(&theory.base, domain, value),
                _ => None,
            };
            Reset { fluent, default }
        };
        transient.map(reset).collect()
    }
}

impl Lowering<'_, '_> {
    /// Judges what the moves being made assign to a fluent, or what the end of a turn does.
    pub(crate) fn judge_assignment(
        &mut self,
        fluent: FluentId,
        is_deferred: bool,
    ) -> Result<Option<Pending>, Obstacle> {
        let theory = self.setting.theory;
        let described = theory.fluent(fluent);
        let predicate = if is_deferred { described.deferred } else { described.assign };
        let mut all = self.setting.specialized.procedures.iter();
        let Some(one) = all.find(|one| one.source == predicate) else { return Ok(None) };
        let tree = &one.procedure.tree;
        if tree.roots.is_empty() {
            return Ok(None);
        }
        let layout = self.setting.layout.fluent(fluent);
        let is_true = |value: Value| rulesmith_rules::value_text(&theory.symbols, value) == "true";
        let none = u64::from(layout.n_values);
        let values = Values { domain: layout.values, none, is_true: &is_true };
        if layout.is_scalar() {
            return Ok(Some(Pending::Word(fluent, self.assign_word(tree, values)?)));
        }
        let stored = Stored::of_assignments(layout, self.spare.next);
        self.spare.take(stored.n_words());
        self.clear(&stored);
        let is_several = self.assign_planes(tree, &stored, values)?;
        Ok(Some(Pending::Planes(fluent, stored, is_several)))
    }

    /// Ends the kernel if what was judged gives two values.
    pub(crate) fn stop_at_conflict(&mut self, pending: &Pending) {
        match pending {
            Pending::Word(fluent, new) => stop_if(self.emitter, *fluent, new.clash),
            Pending::Planes(fluent, stored, true) => {
                let slices = (0..stored.n_slices).map(|slice| stored.plane_of_slice(slice));
                stop_if_any_meet(self.emitter, (*fluent, stored.width), slices);
            }
            Pending::Planes(.., false) => {}
        }
    }

    /// Carries out what was judged.
    pub(crate) fn carry_out(&mut self, pending: &Pending) {
        match pending {
            Pending::Word(fluent, NewValue { value, .. }) => {
                let offset = self.setting.layout.fluent(*fluent).offset;
                let store = Statement::Store(offset, Word::from(*value) - 1);
                self.emitter.push(Statement::If((*value).into(), vec![store], Vec::new()));
            }
            Pending::Planes(fluent, stored, _) => {
                let layout = self.setting.layout.fluent(*fluent);
                let width = layout.keys.width();
                let assigned = (1..=layout.n_values).map(|slice| stored.plane_of_slice(slice));
                let changed = assigned.fold(stored.plane_of_slice(0), |all, one| all | one);
                let changed = self.emitter.let_set(width, changed);
                for value in 0..layout.n_values {
                    let offset = layout.plane(value);
                    let kept = Set::state(offset, width) - changed;
                    let new = kept | stored.plane_of_slice(value);
                    store_plane(self.emitter, self.tables, (*fluent, value), new);
                }
            }
        }
    }

    /// Puts a transient fluent back to its default.
    pub(crate) fn reset(&mut self, reset: Reset) {
        let layout = self.setting.layout.fluent(reset.fluent);
        if layout.is_scalar() {
            // One more than the last value stands for none.
            let none = if layout.values.is_some() { layout.n_values } else { 0 };
            let value = u64::from(reset.default.unwrap_or(none));
            self.emitter.push(Statement::Store(layout.offset, Word::Constant(value)));
            return;
        }
        let (width, all) = (layout.keys.width(), layout.keys.len());
        for value in 0..layout.n_values {
            let keys = if reset.default == Some(value) { all } else { 0 };
            let set = Set::Mask(mask(width, 0..keys));
            store_plane(self.emitter, self.tables, (reset.fluent, value), set);
        }
    }
}
