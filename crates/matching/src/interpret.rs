//! The interpreter: runs verified code on a memory.
//!
//! In: code, a memory, the known arguments. Out: each conclusion as it is reached. It counts, per
//! instruction, how often it was tried and how often it held. Paper: metameta §4. Invariant: a run keeps
//! no stack of its own; where it goes on is written in the code.

use std::rc::Rc;

use rulesmith_logic::{Error, Flow, Operation, Value};

use crate::budget::Meter;
use crate::bytecode::{Code, Instruction, Lookup, Out, Place, Stored};
use crate::counts::Counter;
use crate::matcher::{Matcher, conflict};
use crate::memory::Memory;
use crate::relation::{MAX_ARITY, Relation};
use crate::rows::RowSet;
use crate::universe::{Universe, ValueId};
use crate::values::{apply, compare, make, parts_of};

/// Takes a conclusion: which clause, and all arguments of its head.
pub(crate) type Emit<'e> = dyn FnMut(usize, &[ValueId]) -> Result<Flow, Error> + 'e;

/// What a run works with.
struct Activation<'m> {
    /// Registers, and constants behind them.
    frame: Vec<ValueId>,
    relations: Vec<&'m Relation>,
    /// For each loop over a stored relation, the rows to come.
    loops: Vec<&'m [ValueId]>,
    /// For each loop over rows that were asked for, those rows.
    asked: Vec<Asked>,
    tallies: Vec<Tally>,
    row: Vec<ValueId>,
}

/// Rows that were asked for, and how many ids of them are used.
type Asked = (Option<Rc<Relation>>, usize);

/// A count under way.
#[derive(Default)]
struct Tally {
    n_rows: usize,
    seen: RowSet,
}

impl Matcher<'_> {
    /// Runs code on a memory.
    pub(crate) fn run(
        &self,
        memory: &Memory,
        code: u32,
        inputs: &[ValueId],
        emit: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        let counters = self.counters[code as usize].of();
        let code = &self.program.codes[code as usize];
        if !Rc::ptr_eq(memory.universe(), &self.program.universe) {
            return Err(conflict("the memory numbers values otherwise than the program"));
        }
        let activation = Activation::new(memory, code, inputs)?;
        let mut meter = Meter::new(&self.budget, &self.setting);
        meter.tick()?;
        let flow = self.interpret(memory, (code, counters), activation, &mut meter, emit);
        let settled = meter.settle();
        flow.and_then(|flow| settled.map(|()| flow))
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each instruction is the clearest form")]
    fn interpret<'m>(
        &self,
        memory: &'m Memory,
        (code, counters): (&Code, &[Counter]),
        run: Activation<'m>,
        meter: &mut Meter<'_>,
        emit: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        // Slices of their own, so that the compiler need not load pointers again after each write.
        let Activation { mut frame, relations, mut loops, mut asked, mut tallies, mut row } = run;
        let (frame, loops) = (frame.as_mut_slice(), loops.as_mut_slice());
        let relations = relations.as_slice();
        let (instructions, lookups) = (code.instructions.as_slice(), code.lookups.as_slice());
        let universe: &Universe = &self.program.universe;
        let counters = &counters[..instructions.len()];
        let mut at = 0;
        loop {
            let instruction = instructions[at];
            let counter = &counters[at];
            at = match instruction {
                Instruction::NextOne { slot, to, body } => {
                    let rows = &mut loops[usize::from(slot)];
                    if let [first, rest @ ..] = *rows {
                        frame[usize::from(to)] = *first;
                        *rows = rest;
                        counter.hold();
                        meter.tick()?;
                        body as usize
                    } else {
                        at + 1
                    }
                }
                Instruction::EachOne { lookup, slot, to, fail } => {
                    counter.try_it();
                    if let [first, rest @ ..] = rows_of(relations, &lookups[lookup as usize], frame)
                    {
                        frame[usize::from(to)] = *first;
                        loops[usize::from(slot)] = rest;
                        counter.hold();
                        meter.tick()?;
                        at + 1
                    } else {
                        fail as usize
                    }
                }
                Instruction::Unequal { left, right, fail } => {
                    let holds = frame[usize::from(left)] != frame[usize::from(right)];
                    judge(counter, holds, at, fail)
                }
                Instruction::Equal { left, right, fail } => {
                    let holds = frame[usize::from(left)] == frame[usize::from(right)];
                    judge(counter, holds, at, fail)
                }
                Instruction::Has { lookup, fail } => {
                    let holds = has(relations, &lookups[lookup as usize], frame);
                    judge(counter, holds, at, fail)
                }
                Instruction::Emit { conclusion, exit } => {
                    counter.try_it();
                    counter.hold();
                    let conclusion = &code.conclusions[conclusion as usize];
                    collect(&conclusion.row, frame, &mut row);
                    if emit(conclusion.clause, &row)? == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                    exit as usize
                }
                Instruction::Each { lookup, slot, fail } => {
                    counter.try_it();
                    let lookup = &lookups[lookup as usize];
                    loops[usize::from(slot)] = rows_of(relations, lookup, frame);
                    let holds = advance(lookup, &mut loops[usize::from(slot)], frame, meter)?;
                    hold_if(counter, holds, at + 1, fail as usize)
                }
                Instruction::Next { lookup, slot, body } => {
                    let holds = advance(
                        &lookups[lookup as usize],
                        &mut loops[usize::from(slot)],
                        frame,
                        meter,
                    )?;
                    hold_if(counter, holds, body as usize, at + 1)
                }
                Instruction::Ask { lookup, slot, fail } => {
                    counter.try_it();
                    let lookup = &lookups[lookup as usize];
                    meter.settle()?;
                    let rows = self.ask(memory, &lookup.source, frame)?;
                    meter.renew();
                    let holds = if lookup.outs.is_empty() {
                        with_key(&lookup.keys, frame, |key| rows.contains(key))
                    } else {
                        asked[usize::from(slot)] = (Some(rows), 0);
                        advance_asked(lookup, &mut asked[usize::from(slot)], frame, meter)?
                    };
                    hold_if(counter, holds, at + 1, fail as usize)
                }
                Instruction::NextAsked { lookup, slot, body } => {
                    let holds = advance_asked(
                        &lookups[lookup as usize],
                        &mut asked[usize::from(slot)],
                        frame,
                        meter,
                    )?;
                    hold_if(counter, holds, body as usize, at + 1)
                }
                Instruction::Order { comparison, left, right, fail } => {
                    let (left, right) = (frame[usize::from(left)], frame[usize::from(right)]);
                    let holds = compare(universe, comparison, left, right);
                    judge(counter, holds, at, fail)
                }
                Instruction::Copy { from, to } => {
                    frame[usize::from(to)] = frame[usize::from(from)];
                    judge(counter, true, at, 0)
                }
                Instruction::Compute { operation, left, right, out, fail } => {
                    let holds = match {
                        let operands = (frame[usize::from(left)], frame[usize::from(right)]);
                        self.compute(operation, operands)?
                    } {
                        Some(result) => take(&[result], &[out], frame),
                        None => false,
                    };
                    judge(counter, holds, at, fail)
                }
                Instruction::TakeApart { shape, whole, fail } => {
                    let shape = &code.shapes[shape as usize];
                    let whole = frame[usize::from(whole)];
                    let parts = parts_of(universe, self.setting.symbols, whole, shape.functor);
                    let holds = parts.is_some_and(|parts| {
                        parts.len() == shape.parts.len() && take(&parts, &shape.parts, frame)
                    });
                    judge(counter, holds, at, fail)
                }
                Instruction::Make { shape, whole } => {
                    let shape = &code.shapes[shape as usize];
                    let parts =
                        shape.parts.iter().map(|(Out::Bind(place) | Out::Check(place))| place);
                    let parts: Vec<ValueId> =
                        parts.map(|place| frame[usize::from(*place)]).collect();
                    let made = make(universe, &self.setting, shape.functor, &parts)?;
                    frame[usize::from(whole)] = made;
                    judge(counter, true, at, 0)
                }
                Instruction::NoneBegin { .. } => {
                    counter.try_it();
                    at + 1
                }
                Instruction::NoneEnd { fail } => {
                    counter.try_it();
                    fail as usize
                }
                Instruction::CountBegin { tally } => {
                    counter.try_it();
                    tallies[usize::from(tally)].n_rows = 0;
                    tallies[usize::from(tally)].seen.clear(0);
                    at + 1
                }
                Instruction::CountAdd { tally, tuple, exit } => {
                    let tuple = &code.tuples[tuple as usize];
                    collect(&tuple.row, frame, &mut row);
                    let n_rows = tallies[usize::from(tally)].add(&row, tuple.repeats);
                    self.check_rows(n_rows as u64)?;
                    exit as usize
                }
                Instruction::CountEnd { tally, out, fail } => {
                    let number = i32::try_from(tallies[usize::from(tally)].n_rows).ok();
                    let number = number.map(|number| universe.id(Value::Int(number)));
                    let holds = number.is_some_and(|number| take(&[number], &[out], frame));
                    hold_if(counter, holds, at + 1, fail as usize)
                }
                Instruction::Stop => return Ok(Flow::More),
            };
        }
    }

    fn compute(
        &self,
        operation: Operation,
        (left, right): (ValueId, ValueId),
    ) -> Result<Option<ValueId>, Error> {
        let result = apply(&self.program.universe, operation, left, right);
        // Every new number takes memory for as long as the universe lives.
        let limit = self.setting.limits.terms;
        let n_new = result.map_or(0, |id| (id.index() + 1).saturating_sub(self.n_values));
        if n_new as u64 > limit {
            return Err(Error::Limit { name: "terms", limit });
        }
        Ok(result)
    }
}

impl<'m> Activation<'m> {
    fn new(memory: &'m Memory, code: &Code, inputs: &[ValueId]) -> Result<Self, Error> {
        let mut frame = vec![ValueId::default(); usize::from(code.n_registers)];
        frame.extend(&code.constants);
        if inputs.len() != code.inputs.len() {
            return Err(conflict("the known arguments are not those of the procedure"));
        }
        for (place, id) in code.inputs.iter().zip(inputs) {
            frame[usize::from(*place)] = *id;
        }
        let mut relations = Vec::with_capacity(code.relations.len());
        for (stored, arity) in &code.relations {
            let arity = usize::from(*arity);
            let found = match stored {
                Stored::Predicate(predicate) => memory.relation(*predicate),
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
        let mut asked = Vec::new();
        if code.instructions.iter().any(|one| matches!(one, Instruction::Ask { .. })) {
            asked.resize_with(usize::from(code.n_slots), || (None, 0));
        }
        let mut tallies = Vec::new();
        tallies.resize_with(usize::from(code.n_tallies), Tally::default);
        let loops = vec![[].as_slice(); usize::from(code.n_slots)];
        Ok(Self { frame, relations, loops, asked, tallies, row: Vec::new() })
    }
}

#[inline]
fn rows_of<'m>(relations: &[&'m Relation], lookup: &Lookup, frame: &[ValueId]) -> &'m [ValueId] {
    let relation = relations[lookup.stored()];
    with_key(&lookup.keys, frame, |key| relation.matching(lookup.mask, key))
}

#[inline]
fn has(relations: &[&Relation], lookup: &Lookup, frame: &[ValueId]) -> bool {
    let relation = relations[lookup.stored()];
    with_key(&lookup.keys, frame, |key| relation.contains(key))
}

/// Delivers the next row of a stored relation that agrees, if there is one.
fn advance(
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
fn advance_asked(
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

#[inline]
fn collect(places: &[Place], frame: &[ValueId], row: &mut Vec<ValueId>) {
    row.clear();
    row.extend(places.iter().map(|place| frame[usize::from(*place)]));
}

impl Tally {
    /// Counts a tuple; how many there are.
    fn add(&mut self, row: &[ValueId], repeats: bool) -> usize {
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

#[inline]
fn judge(counter: &Counter, holds: bool, at: usize, fail: u32) -> usize {
    counter.try_it();
    hold_if(counter, holds, at + 1, fail as usize)
}

#[inline]
fn hold_if(counter: &Counter, holds: bool, then: usize, otherwise: usize) -> usize {
    if holds {
        counter.hold();
        then
    } else {
        otherwise
    }
}

/// Binds what a row binds, if the rest of it agrees.
#[inline]
fn take(row: &[ValueId], outs: &[Out], frame: &mut [ValueId]) -> bool {
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
fn with_key<T>(places: &[Place], frame: &[ValueId], work: impl FnOnce(&[ValueId]) -> T) -> T {
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
