//! What a run works with: the frame, the loops under way, the counts under way.
//!
//! In: code, a memory and the known arguments. Out: rows delivered into the frame, one at a time.
//! Invariant: a loop holds the rows to come and nothing else; it is filled before it is read.

use std::rc::Rc;

use rulesmith_logic::Error;
use smallvec::{SmallVec, smallvec};

use crate::budget::Meter;
use crate::bytecode::{Code, Lookup, Out, Place, Stored};
use crate::matcher::{Matcher, conflict};
use crate::memory::Memory;
use crate::relation::{MAX_ARITY, Partners, Relation};
use crate::rows::RowSet;
use crate::universe::ValueId;

/// Mostly few: most runs are short, and allocating would take a good part of them.
pub(crate) type Few<T> = SmallVec<[T; 8]>;

/// What a run works with.
pub(crate) struct Activation<'m> {
    /// Registers, and constants behind them.
    pub(crate) frame: Few<ValueId>,
    pub(crate) relations: Few<&'m Relation>,
    /// The pairs of the code, once they were read.
    pub(crate) pairs: Few<Option<Partners<'m>>>,
    /// For each loop over a stored relation, the rows to come.
    pub(crate) loops: Few<&'m [ValueId]>,
    /// For each loop over rows that were asked for, those rows.
    pub(crate) asked: Vec<Asked>,
    pub(crate) tallies: Vec<Tally>,
    /// The conclusion being handed over.
    pub(crate) row: Few<ValueId>,
}

/// Rows that were asked for, and how many ids of them are used.
pub(crate) type Asked = (Option<Rc<Relation>>, usize);

/// A count under way.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) n_rows: usize,
    seen: RowSet,
}

impl<'m> Activation<'m> {
    pub(crate) fn new(
        matcher: &Matcher<'_>,
        memory: &'m Memory,
        code: &Code,
        inputs: &[ValueId],
    ) -> Result<Self, Error> {
        let n_registers = usize::from(code.n_registers);
        let mut frame: Few<ValueId> = smallvec![ValueId::default(); n_registers];
        frame.extend_from_slice(&code.constants);
        if inputs.len() != code.inputs.len() {
            return Err(conflict("the known arguments are not those of the procedure"));
        }
        for (place, id) in code.inputs.iter().zip(inputs) {
            frame[usize::from(*place)] = *id;
        }
        let mut relations = Few::with_capacity(code.relations.len());
        for (stored, arity) in &code.relations {
            let arity = usize::from(*arity);
            let found = match stored {
                Stored::Predicate(predicate) => memory.read(matcher, *predicate)?,
                Stored::Domain(domain) => memory.fixed().domain(*domain),
            };
            match found {
                Some(relation) if relation.arity() != arity => {
                    return Err(conflict("a relation has another number of columns"));
                }
                Some(relation) => relations.push(relation),
                None => relations.push(memory.fixed().no_facts(arity)),
            }
        }
        let mut tallies = Vec::new();
        tallies.resize_with(usize::from(code.n_tallies), Tally::default);
        let row = smallvec![ValueId::default(); usize::from(code.arity)];
        let loops = smallvec![[].as_slice(); usize::from(code.n_slots)];
        let pairs = smallvec![None; code.pairs.len()];
        Ok(Self { frame, relations, pairs, loops, asked: Vec::new(), tallies, row })
    }
}

#[inline]
pub(crate) fn rows_of<'m>(
    relations: &[&'m Relation],
    lookup: &Lookup,
    frame: &[ValueId],
) -> &'m [ValueId] {
    let relation = relations[lookup.stored()];
    with_key(&lookup.keys, frame, |key| relation.matching(lookup.mask, key))
}

/// A pair of the code; its index is made when it is first read.
#[inline]
pub(crate) fn pair_of<'m>(
    pairs: &mut [Option<Partners<'m>>],
    relations: &[&'m Relation],
    code: &Code,
    pair: u16,
) -> Partners<'m> {
    *pairs[usize::from(pair)].get_or_insert_with(|| {
        let (relation, column) = code.pairs[usize::from(pair)];
        relations[usize::from(relation)].partners(column)
    })
}

/// Delivers the next row of a stored relation that agrees, if there is one.
pub(crate) fn advance(
    lookup: &Lookup,
    slot: &mut &[ValueId],
    frame: &mut [ValueId],
    meter: &mut Meter<'_>,
) -> Result<bool, Error> {
    let width = lookup.outs.len();
    while let Some((row, rest)) = slot.split_at_checked(width)
        && width > 0
    {
        meter.tick()?;
        *slot = rest;
        if take(row, &lookup.outs, frame) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Delivers the next row that was asked for and agrees, if there is one.
pub(crate) fn advance_asked(
    lookup: &Lookup,
    (relation, used): &mut Asked,
    frame: &mut [ValueId],
    meter: &mut Meter<'_>,
) -> Result<bool, Error> {
    let Some(relation) = relation else { return Ok(false) };
    let rows = with_key(&lookup.keys, frame, |key| relation.matching(lookup.mask, key));
    let width = lookup.outs.len();
    while let Some(row) = rows.get(*used..*used + width) {
        meter.tick()?;
        *used += width;
        if take(row, &lookup.outs, frame) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes the ids at these places; a row of two, which is the most frequent one, without a loop.
#[inline]
pub(crate) fn fill(row: &mut [ValueId], places: &[Place], frame: &[ValueId]) {
    if let ([first, second], [one, other]) = (&mut *row, places) {
        (*first, *second) = (frame[usize::from(*one)], frame[usize::from(*other)]);
        return;
    }
    for (id, place) in row.iter_mut().zip(places) {
        *id = frame[usize::from(*place)];
    }
}

impl Tally {
    /// Counts a tuple; how many there are.
    pub(crate) fn add(&mut self, row: &[ValueId], repeats: bool) -> usize {
        if !repeats {
            self.n_rows += 1;
            return self.n_rows;
        }
        if self.n_rows == 0 {
            self.seen.clear(row.len());
        }
        self.n_rows += usize::from(self.seen.insert(row).1);
        self.n_rows
    }
}

/// Binds what a row binds, if the rest of it agrees.
#[inline]
pub(crate) fn take(row: &[ValueId], outs: &[Out], frame: &mut [ValueId]) -> bool {
    row.iter().zip(outs).all(|(id, out)| match out {
        Out::Bind(place) => {
            frame[usize::from(*place)] = *id;
            true
        }
        Out::Check(place) => frame[usize::from(*place)] == *id,
    })
}

/// Does something with the ids at these places; short keys, which are the rule, cost no clearing.
#[inline]
pub(crate) fn with_key<T>(
    places: &[Place],
    frame: &[ValueId],
    work: impl FnOnce(&[ValueId]) -> T,
) -> T {
    let at = |place: &Place| frame[usize::from(*place)];
    match places {
        [] => work(&[]),
        [only] => work(&[at(only)]),
        [first, second] => work(&[at(first), at(second)]),
        _ => {
            let mut key = [ValueId::default(); MAX_ARITY];
            for (id, place) in key.iter_mut().zip(places) {
                *id = at(place);
            }
            work(&key[..places.len()])
        }
    }
}
