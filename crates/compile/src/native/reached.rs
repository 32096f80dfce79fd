//! Values that no contest reaches: counters that count no further, men that nobody gets.
//!
//! In: the rows of effects and the values at the start. Out: for fluents of many values those that some contest may
//! give them; rows that ask for others are left out. Invariant: a state that a contest reaches has none of the
//! other values; states from elsewhere that do are refused.

use rulesmith_game::Error;
use rulesmith_rules::{FluentDefault, FluentId, Theory};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::build::Builder;
use super::effects::Assignment;
use super::ground::{Grounded, Grounding, Row, Test, Tested};
use super::judged::Judged;
use super::optimizations::Optimization;
use crate::state_layout::{StateLayout, place};

/// Fluents of fewer values are left as they are.
const LEAST_VALUES: u32 = 16;

/// The values that a fluent may have.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reached {
    fluent: FluentId,
    values: FxHashSet<u32>,
}

impl Builder<'_> {
    /// Finds the values that are reached, and leaves out the rows that ask for others.
    pub(super) fn keep_reached(&mut self, grounding: &Grounding<'_>) {
        if !self.optimizations.has(Optimization::ReachedValues) {
            return;
        }
        let ids = self.theory.fluent_ids();
        let mut all: Vec<Reached> = ids.filter_map(|id| self.at_start(grounding, id)).collect();
        while self.reach_more(&mut all) {}
        let layout = self.places.layout;
        all.retain(|one| one.values.len() < layout.fluent(one.fluent).n_values as usize);
        let keep = |rows: &mut Vec<Row>| rows.retain_mut(|row| is_reached(layout, &all, row));
        let questions = [&mut self.terminal, &mut self.draw, &mut self.continues];
        let events = self.events.iter_mut().map(|(_, event)| event);
        questions.into_iter().chain(events).filter_map(|one| one.rows.as_mut()).for_each(keep);
        self.legal.iter_mut().flatten().flatten().for_each(keep);
        self.goal.iter_mut().chain(self.derived.iter_mut().flatten()).for_each(keep);
        for one in self.assignments.iter_mut().chain(&mut self.deferred) {
            one.rows.retain_mut(|(row, ..)| is_reached(layout, &all, row));
        }
        for judged in self.closed.iter_mut().flatten() {
            match judged {
                Judged::Body(rows) => keep(rows),
                Judged::Comparison(_, sums) => {
                    for sum in sums {
                        sum.change_rows(&mut |rows| keep(rows));
                    }
                }
            }
        }
        self.reached = all;
    }

    /// The values that a fluent has at the start, if it has many and its effects have rows.
    fn at_start(&self, grounding: &Grounding<'_>, id: FluentId) -> Option<Reached> {
        let (layout, fluent) = (self.places.layout.fluent(id), self.theory.fluent(id));
        let is_looped = self.looped.iter().flatten().any(|other| *other == id);
        let domain = layout.values.filter(|_| layout.n_values >= LEAST_VALUES && !is_looped)?;
        let base = &self.theory.base;
        let mut values = FxHashSet::default();
        if let FluentDefault::Value(value) = fluent.default {
            values.insert(place(base, domain, value)?);
        }
        let columns = &base.predicate(fluent.init).domains;
        let given = columns.last().copied().flatten()?;
        for clause in base.clauses_of(fluent.init) {
            let clause = Grounded { head: &clause.head.args, columns, body: &clause.body };
            for row in grounding.rows(clause).ok()? {
                let value = base.domain(given).values.get_index(*row.head.last()? as usize)?;
                values.insert(place(base, domain, *value)?);
            }
        }
        Some(Reached { fluent: id, values })
    }

    /// Adds what one more step may assign; is there anything?
    fn reach_more(&self, all: &mut [Reached]) -> bool {
        let layout = self.places.layout;
        let mut is_more = false;
        for Assignment { fluent, rows, .. } in self.assignments.iter().chain(&self.deferred) {
            let Some(own) = all.iter().position(|one| one.fluent == *fluent) else { continue };
            for (row, _, value) in rows {
                let Some(value) = value.filter(|value| !all[own].values.contains(value)) else {
                    continue;
                };
                if row.tests.iter().all(|test| !test.holds || may_be(layout, all, test)) {
                    is_more |= all[own].values.insert(value);
                }
            }
        }
        is_more
    }
}

/// May what is tested ever be so?
fn may_be(layout: &StateLayout, all: &[Reached], test: &Test) -> bool {
    let Tested::Fluent(id, value) = test.tested else { return true };
    let Some(own) = all.iter().find(|one| one.fluent == id) else { return true };
    let fluent = layout.fluent(id);
    if fluent.is_scalar() {
        fluent.is_no_value(test.key) || own.values.contains(&test.key)
    } else {
        own.values.contains(&value)
    }
}

/// May the row ever hold? What must not be and never is, is not tested.
fn is_reached(layout: &StateLayout, all: &[Reached], row: &mut Row) -> bool {
    if !row.tests.iter().all(|test| !test.holds || may_be(layout, all, test)) {
        return false;
    }
    row.tests.retain(|test| test.holds || may_be(layout, all, test));
    true
}

/// Refuses the words of a state that no contest reaches.
pub(crate) fn check_reached(
    theory: &Theory,
    layout: &StateLayout,
    reached: &[Reached],
    words: &[u64],
) -> Result<(), Error> {
    for Reached { fluent: id, values } in reached {
        let fluent = layout.fluent(*id);
        let is_there = |value: u32| {
            let offset = fluent.offset as usize;
            if fluent.is_scalar() {
                return words[offset] == u64::from(value);
            }
            let first = fluent.plane(value) as usize;
            words[first..first + usize::from(fluent.keys.width())].iter().any(|word| *word != 0)
        };
        if (0..fluent.n_values).any(|value| !values.contains(&value) && is_there(value)) {
            let name = &theory.fluent(*id).name;
            let message = format!("`{name}` has a value that no contest reaches");
            return Err(Error::Rules { message, places: Vec::new() });
        }
    }
    Ok(())
}
