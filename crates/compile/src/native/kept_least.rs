//! Planes of predicates that ask themselves, kept from turn to turn.
//!
//! In: the rows of such a predicate. Out: where its plane starts from: what it was, if since then nothing that it asks
//! for has been taken away, otherwise nothing. Invariant: what is kept is the plane of the fluents that are kept
//! with it. A plane that asks for more than it did only grows, so that it may go on from there.

use std::collections::BTreeMap;

use rulesmith_kernel::{Operation, Plane, Set, Statement, Word};
use rulesmith_rules::FluentId;

use super::build::Builder;
use super::emit::Emitter;
use super::ground::{Row, Tested};
use super::optimizations::Optimization;

/// Where the plane of a predicate that asks itself is kept, and the planes of fluents that it is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptPlane {
    pub(crate) offset: u32,
    pub(crate) inputs: u32,
}

/// A plane of a fluent that rows ask about: where it is, its words, and whether they ask for what is in it.
#[derive(Clone, Copy, Debug)]
struct Input {
    offset: u32,
    width: u16,
    holds: bool,
}

impl<'b> Builder<'b> {
    /// Where the plane of a predicate that asks itself is kept; nothing if it is not, or asks for more than planes of
    /// fluents.
    pub(super) fn kept_plane(
        &mut self,
        emitter: &mut Emitter<'b>,
        slice: (usize, u32),
        (width, rows): (u16, &[Row]),
    ) -> Option<KeptPlane> {
        if !emitter.keeps_planes || !self.optimizations.has(Optimization::KeptRecursion) {
            return None;
        }
        if let Some(kept) = emitter.kept_planes.get(&slice) {
            return Some(*kept);
        }
        let inputs = self.inputs(slice, rows)?;
        let offset = self.spare.take(u32::from(width));
        let kept = KeptPlane { offset, inputs: self.spare.next };
        emitter.at_start(Statement::StoreSet(offset, empty(width)));
        for input in inputs {
            let place = self.spare.take(u32::from(input.width));
            // Of nothing that is asked for, and of all that is denied: whatever comes is more.
            let words = vec![if input.holds { 0 } else { u64::MAX }; usize::from(input.width)];
            emitter.at_start(Statement::StoreSet(place, Set::Mask(words)));
        }
        emitter.kept_planes.insert(slice, kept);
        let name = &self.theory.base.predicate(self.places.derived[slice.0].predicate).name;
        let text = format!(
            "the planes of `{name}`: they go on from what they were, unless a turn takes away what they ask for"
        );
        if !self.kept.contains(&text) {
            self.kept.push(text);
        }
        Some(kept)
    }

    /// What the plane was, if nothing that it asks for has been taken away since; otherwise nothing.
    pub(super) fn start_from(
        &self,
        emitter: &mut Emitter<'b>,
        slice: (usize, u32),
        (width, rows): (u16, &[Row]),
        kept: KeptPlane,
    ) -> Plane {
        let mut place = kept.inputs;
        let mut is_less: Option<Word> = None;
        for input in self.inputs(slice, rows).unwrap_or_default() {
            let (before, now) =
                (Set::state(place, input.width), Set::state(input.offset, input.width));
            let less = if input.holds { before - now } else { now - before };
            is_less = Some(match is_less {
                None => less.any(),
                Some(other) => other.compute(Operation::Or, less.any()),
            });
            place += u32::from(input.width);
        }
        let start = emitter.let_set(width, Set::state(kept.offset, width));
        let clear = vec![Statement::LetSet(start, empty(width))];
        emitter.push(Statement::If(is_less.unwrap_or(Word::Constant(1)), clear, Vec::new()));
        start
    }

    /// Keeps a plane that has been computed.
    pub(super) fn keep_plane(
        &self,
        emitter: &mut Emitter<'b>,
        slice: (usize, u32),
        (plane, rows): (Plane, &[Row]),
        kept: KeptPlane,
    ) {
        emitter.push(Statement::StoreSet(kept.offset, plane.into()));
        let mut place = kept.inputs;
        for input in self.inputs(slice, rows).unwrap_or_default() {
            let now = Set::state(input.offset, input.width);
            emitter.push(Statement::StoreSet(place, now));
            place += u32::from(input.width);
        }
    }

    /// The planes that rows ask about beside their own; nothing if they ask about anything else.
    fn inputs(&self, slice: (usize, u32), rows: &[Row]) -> Option<Vec<Input>> {
        let mut found: BTreeMap<(usize, u32, bool), Input> = BTreeMap::new();
        for test in rows.iter().flat_map(|row| &row.tests) {
            match test.tested {
                Tested::Derived(number, own) if (number, own) == slice => {}
                Tested::Fluent(FluentId(id), value) => {
                    let layout = self.places.layout.fluent(FluentId(id));
                    if layout.is_scalar() {
                        return None;
                    }
                    let (offset, width) = (layout.plane(value), layout.keys.width());
                    let input = Input { offset, width, holds: test.holds };
                    found.insert((id, value, test.holds), input);
                }
                _ => return None,
            }
        }
        Some(found.into_values().collect())
    }
}

fn empty(width: u16) -> Set {
    Set::Mask(vec![0; usize::from(width)])
}
