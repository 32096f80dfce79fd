//! Hashes of fluents that are kept in the state: statements that change them with the fluent.
//!
//! In: what is about to be stored in a plane. Out: the hash with the numbers of those keys exchanged that the plane gains
//! or loses. Invariant: the word is what `fill_hashes` computes from the planes, before and after.

use rulesmith_kernel::{Array, Operation, Scalar, Set, Statement, Table, Word};
use rulesmith_rules::{FluentId, TurnIdentity};

use super::build::Builder;
use super::emit::{Emitter, Tables};
use super::hash::key_hash;
use crate::state_layout::FluentLayout;

impl Builder<'_> {
    /// Does the kernel of contests ask for hashes of states?
    pub(super) fn contests_ask_hashes(&self) -> bool {
        self.places.layout.repeated().next().is_some()
            || self.theory.turn_identity == TurnIdentity::Result
    }
}

/// Stores a set in the plane of a value; the hash of the fluent follows, where it is kept.
pub(super) fn store_plane(
    emitter: &mut Emitter<'_>,
    tables: &mut Tables,
    (fluent, value): (FluentId, u32),
    set: Set,
) {
    let layout = emitter.places.layout.fluent(fluent);
    let (offset, width) = (layout.plane(value), layout.keys.width());
    let Some((hash, numbers)) = kept(emitter, tables, layout, value) else {
        emitter.push(Statement::StoreSet(offset, set));
        return;
    };
    let new = emitter.let_set(width, set);
    let key = emitter.scalar();
    let exchange = exchange(hash, Word::look(numbers, key));
    let changed = Set::state(offset, width) ^ new;
    emitter.push(Statement::ForEach(key, changed, vec![exchange]));
    emitter.push(Statement::StoreSet(offset, new.into()));
}

/// Stores a word of the plane of a value, in which only the bit of a key may change.
pub(super) fn store_bit(
    emitter: &mut Emitter<'_>,
    tables: &mut Tables,
    (fluent, value): (FluentId, u32),
    changed: Changed,
) {
    let Changed { key, place, bit, is_set } = changed;
    let layout = emitter.places.layout.fluent(fluent);
    let n_rows = layout.keys.width().into();
    let array = Array { offset: layout.plane(value), width: 1, n_rows };
    let before = Word::at(array, place);
    let after =
        if is_set { before.clone() | bit } else { before.clone() & (Word::from(bit) ^ u64::MAX) };
    if let Some((hash, numbers)) = kept(emitter, tables, layout, value) {
        // All ones where the bit changes.
        let has = before.compute(Operation::ShiftDown, Word::from(key) & 63) & 1;
        let changes = if is_set { has - 1 } else { Word::Constant(0) - has };
        emitter.push(exchange(hash, changes & Word::look(numbers, key)));
    }
    emitter.push(Statement::StoreAt(array, place.into(), after));
}

/// A bit of a plane that is set or taken away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    /// Its number, the word that it is in, and that word with this bit alone.
    pub(super) key: Scalar,
    pub(super) place: Scalar,
    pub(super) bit: Scalar,
    /// Is it set or taken away?
    pub(super) is_set: bool,
}

/// The word of a fluent's hash and the table of the numbers of its keys, where a plane has a part in it.
fn kept(
    emitter: &Emitter<'_>,
    tables: &mut Tables,
    layout: &FluentLayout,
    value: u32,
) -> Option<(u32, rulesmith_kernel::TableId)> {
    let hash = layout.hash.filter(|_| emitter.keeps_hashes && Some(value) != layout.default)?;
    let (plane, n_rows) = (layout.plane(value), 64 * u32::from(layout.keys.width()));
    // As many rows as a plane has bits, so that no number need be compared with the last one.
    let words = (0..n_rows).map(|key| key_hash(plane, key)).collect();
    Some((hash, tables.add(Table { width: 1, words })))
}

fn exchange(hash: u32, number: Word) -> Statement {
    Statement::Store(hash, Word::State(hash) ^ number)
}
