//! Effects on one key: one word of each plane changes.
//!
//! In: what a move assigns to a fluent with wide planes. Out: the key that every move assigns, and statements that
//! change its words. Invariant: what may assign several keys, or none, has no such key.

use rulesmith_kernel::{Operation, Scalar, Word};
use rulesmith_rules::FluentId;

use super::Obstacle;
use super::classes::{Member, Reading};
use super::effects::{Assignment, Effects};
use super::emit::Certainty;
use super::ground::Row;
use super::kept_hash::{Changed, store_bit};
use super::optimizations::Optimization;
use super::readings::{reading, shared_tests};

/// Planes of fewer words are changed whole: they stay in registers.
const MIN_KEYED_WIDTH: u16 = 3;

impl Effects<'_, '_> {
    /// The only key that is assigned something, with its value, if its plane has several words and every move
    /// assigns it.
    pub(super) fn single_key(
        &mut self,
        fluent: FluentId,
        assignments: &[&Assignment],
    ) -> Result<Option<(Scalar, Option<u32>)>, Obstacle> {
        let places = self.emitter.places;
        let width = places.layout.fluent(fluent).keys.width();
        let is_on = places.optimizations.has(Optimization::SingleKeys) && width >= MIN_KEYED_WIDTH;
        let [Assignment { rows, .. }] = assignments else { return Ok(None) };
        let Some((_, _, value)) = rows.first().filter(|_| is_on) else { return Ok(None) };
        let tests: Vec<Row> = rows.iter().map(|(row, ..)| row.clone()).collect();
        let shared = shared_tests(&tests);
        let (mut members, mut words) = (Vec::new(), None);
        for (row, key, other) in rows {
            let (mut params, mut asked) = (Vec::new(), Vec::new());
            for test in &row.tests {
                match reading(places, &shared, test) {
                    Reading::Param(number) if test.holds => params.push((number, test.key)),
                    Reading::Word => asked.push(*test),
                    _ => return Ok(None),
                }
            }
            if other != value || *words.get_or_insert_with(|| asked.clone()) != asked {
                return Ok(None);
            }
            members.push(Member { root: *key, params, head: Vec::new() });
        }
        let Certainty::Always = self.emitter.words(&words.unwrap_or_default())? else {
            return Ok(None);
        };
        let key = self.params.key(&members.iter().collect::<Vec<_>>(), width, self.tables);
        Ok(key.map(|key| (self.emitter.let_word(key), *value)))
    }

    /// Changes the word of each plane that the key is in.
    pub(super) fn store_key(&mut self, fluent: FluentId, key: Scalar, value: Option<u32>) {
        let layout = self.emitter.places.layout.fluent(fluent);
        let place = self.emitter.let_word(Word::from(key).compute(Operation::ShiftDown, 6));
        let bit = Word::Constant(1).compute(Operation::ShiftUp, Word::from(key) & 63);
        let bit = self.emitter.let_word(bit);
        for other in 0..layout.n_values {
            let is_set = Some(other) == value;
            let changed = Changed { key, place, bit, is_set };
            store_bit(self.emitter, self.tables, (fluent, other), changed);
        }
    }
}
