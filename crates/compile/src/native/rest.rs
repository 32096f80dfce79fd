//! What is so whenever a turn begins.
//!
//! In: the rows of `continue` and of deferred effects. Out: fluents without keys that are back at their
//! defaults at the start of each turn: the piece that goes on capturing, the arrow still to be shot. The
//! code for the first step of a turn is made for these values alone. Invariant: the kernel looks at the
//! words and stops where one is different, so that a wrong guess costs time but no truth.

use rulesmith_kernel::{Comparison, Statement, Word};
use rulesmith_rules::{FluentDefault, FluentId};

use super::build::{Builder, Kinds, compare};
use super::effects::Assignment;
use super::emit::Emitter;
use super::ground::{Row, Test, Tested};
use super::optimizations::Optimization;
use crate::state_layout::place;

/// A fluent without keys, and what its word holds at the start of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resting {
    pub(super) fluent: FluentId,
    word: u32,
}

impl Resting {
    /// Does the test hold at rest? Nothing if it asks for something else.
    pub(super) fn decides(self, test: &Test) -> Option<bool> {
        (test.tested == Tested::Fluent(self.fluent, 0))
            .then_some((test.key == self.word) == test.holds)
    }
}

impl Builder<'_> {
    /// The fluents that are at their defaults whenever a turn begins.
    pub(super) fn resting(&self) -> Vec<Resting> {
        let ids = self.theory.fluent_ids().filter(|id| self.places.layout.fluent(*id).is_scalar());
        let resting = ids.filter_map(|fluent| {
            let layout = self.places.layout.fluent(fluent);
            let word = match (self.theory.fluent(fluent).default, layout.values) {
                (FluentDefault::Required, _) => return None,
                (FluentDefault::Value(value), Some(domain)) => {
                    place(&self.theory.base, domain, value)?
                }
                _ => layout.no_value(),
            };
            let resting = Resting { fluent, word };
            let is_put_back = self.is_put_back(resting);
            (is_put_back || self.ends_only_at_rest(resting)).then_some(resting)
        });
        let applies = self.continues.may_hold && self.optimizations.has(Optimization::AtRest);
        if applies { resting.collect() } else { Vec::new() }
    }

    /// Does the end of each turn assign the default?
    fn is_put_back(&self, resting: Resting) -> bool {
        let own = self.deferred.iter().filter(|one| one.fluent == resting.fluent);
        let rows: Vec<&(Row, u32, Option<u32>)> = own.flat_map(|one| &one.rows).collect();
        let layout = self.places.layout;
        let puts_back = |(_, _, value): &&(Row, u32, Option<u32>)| {
            value.unwrap_or(layout.fluent(resting.fluent).no_value()) == resting.word
        };
        let is_looped = self.looped[1].contains(&resting.fluent);
        if is_looped || rows.is_empty() || !rows.iter().all(puts_back) {
            return false;
        }
        // Every value of one word has a row, or a row asks nothing.
        let tests: Vec<&[Test]> = rows.iter().map(|(row, ..)| &row.tests[..]).collect();
        let covers = |id: FluentId| {
            let asked = |value: u32| {
                let wanted = Test { tested: Tested::Fluent(id, 0), key: value, holds: true };
                tests.contains(&&[wanted][..])
            };
            let fluent = layout.fluent(id);
            let is_total = !matches!(self.theory.fluent(id).default, FluentDefault::Undefined);
            fluent.is_scalar()
                && fluent.values.is_some()
                && is_total
                && (0..fluent.n_values).all(asked)
        };
        tests.iter().any(|tests| tests.is_empty()) || self.theory.fluent_ids().any(covers)
    }

    /// Does a turn go on as long as the fluent is not at its default?
    fn ends_only_at_rest(&self, resting: Resting) -> bool {
        let is_away = |test: &Test| {
            let layout = self.places.layout.fluent(resting.fluent);
            test.tested == Tested::Fluent(resting.fluent, 0)
                && ((test.key == resting.word && !test.holds)
                    || (layout.values.is_none() && test.key != resting.word && test.holds))
        };
        let assigns = |one: &Assignment| one.fluent == resting.fluent && !one.rows.is_empty();
        let mut rows = self.continues.rows.iter().flatten();
        rows.any(|row| matches!(&row.tests[..], [test] if is_away(test)))
            && !self.deferred.iter().any(assigns)
            && !self.looped[1].contains(&resting.fluent)
    }

    /// Stops the kernel where a fluent is not at rest.
    pub(super) fn leave_unless_at_rest(
        &self,
        emitter: &mut Emitter<'_>,
        resting: &[Resting],
        leave: &[Statement],
    ) {
        for one in resting {
            let word = Word::State(self.places.layout.fluent(one.fluent).offset);
            let is_away = compare(Comparison::Unequal, word, Word::Constant(u64::from(one.word)));
            emitter.push(Statement::If(is_away, leave.to_vec(), Vec::new()));
        }
    }
}

/// The rows of moves that are legal at the start of a turn, without the tests that hold there.
pub(super) fn at_rest(kinds: &Kinds, resting: &[Resting]) -> Kinds {
    with_known(kinds, &|test| resting.iter().find_map(|one| one.decides(test)))
}

/// The rows of moves in which no known test fails, without the known tests.
pub(super) fn with_known(kinds: &Kinds, known: &dyn Fn(&Test) -> Option<bool>) -> Kinds {
    let keep = |row: &Row| -> Option<Row> {
        let tests = row.tests.iter().filter(|test| known(test) != Some(true)).copied();
        let is_legal = row.tests.iter().all(|test| known(test) != Some(false));
        is_legal.then(|| Row { tests: tests.collect(), ..row.clone() })
    };
    let clause = |rows: &Vec<Row>| rows.iter().filter_map(keep).collect();
    let clauses = |clauses: &Vec<Vec<Row>>| clauses.iter().map(clause).collect();
    kinds.iter().map(|kind| kind.as_ref().map(clauses)).collect()
}
