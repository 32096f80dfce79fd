//! The interpreter: runs verified code on a memory.
//!
//! In: code, a memory, the known arguments. Out: each conclusion as it is reached. It counts, per
//! instruction, how often it was tried and how often it held. Paper: metameta §4. Invariant: a run keeps
//! no stack of its own; where it goes on is written in the code.

use std::rc::Rc;

use rulesmith_logic::{Error, Flow, Operation, Value};

use crate::activation::{
    Activation, advance, advance_asked, fill, pair_of, rows_of, take, with_key,
};
use crate::budget::Meter;
use crate::bytecode::{Code, Conclusion, Instruction, Out, Place};
use crate::counts::Counter;
use crate::matcher::{Matcher, conflict};
use crate::memory::Memory;
use crate::universe::ValueId;
use crate::values::{apply, compare, make, parts_of};

/// Takes a conclusion: which clause, and all arguments of its head.
pub(crate) type Emit<'e> = dyn FnMut(usize, &[ValueId]) -> Flow + 'e;

/// What is run, and where.
#[derive(Clone, Copy)]
struct Site<'c, 'm> {
    memory: &'m Memory,
    code: &'c Code,
    counters: &'c [Counter],
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
        let mut activation = Activation::new(self, memory, code, inputs)?;
        let mut meter = Meter::new(&self.budget, &self.setting);
        meter.tick()?;
        let site = Site { memory, code, counters };
        let flow = self.interpret(site, &mut activation, &mut meter, emit);
        let settled = meter.settle();
        flow.and_then(|flow| settled.map(|()| flow))
    }

    /// The frequent instructions; the others are tried out of line, which keeps this loop in registers.
    #[expect(clippy::too_many_lines, reason = "calls between frequent instructions cost a third")]
    fn interpret<'m>(
        &self,
        site: Site<'_, 'm>,
        run: &mut Activation<'m>,
        meter: &mut Meter<'_>,
        emit: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        let (instructions, lookups) = (&*site.code.instructions, &*site.code.lookups);
        let counters = &site.counters[..instructions.len()];
        let mut at = 0;
        loop {
            // Slices of their own, so that pointers need not be loaded again after each write.
            let (frame, loops) = (run.frame.as_mut_slice(), run.loops.as_mut_slice());
            let (relations, row) = (run.relations.as_slice(), run.row.as_mut_slice());
            let pairs = run.pairs.as_mut_slice();
            at = loop {
                let counter = &counters[at];
                at = match instructions[at] {
                    // Step 1. Loops over one column.
                    Instruction::NextOne { slot, to, body } => {
                        let rows = &mut loops[usize::from(slot)];
                        loop {
                            let Some(first) = rows.split_off_first() else { break at + 1 };
                            frame[usize::from(to)] = *first;
                            counter.try_it();
                            // The tests behind a loop mostly reject a row by going on with the next.
                            let next = differ(instructions, counters, frame, body as usize);
                            if next != at {
                                break next;
                            }
                        }
                    }
                    Instruction::EachOne { pair, slot, key, to, fail } => {
                        counter.try_it();
                        let rows =
                            pair_of(pairs, relations, site.code, pair).of(frame[usize::from(key)]);
                        // All rows are charged at once: few loops end before their last row.
                        meter.ticks(rows.len())?;
                        if let [first, rest @ ..] = rows {
                            frame[usize::from(to)] = *first;
                            loops[usize::from(slot)] = rest;
                            at + 1
                        } else {
                            counter.fail();
                            fail as usize
                        }
                    }
                    // Step 2. Such a loop with nothing in it but a conclusion.
                    Instruction::EachEmit { pair, conclusion, key, to, fail } => {
                        let rows =
                            pair_of(pairs, relations, site.code, pair).of(frame[usize::from(key)]);
                        let conclusion = &site.code.conclusions[usize::from(conclusion)];
                        let used = emit_all((rows, to), conclusion, frame, row, emit);
                        count_all(&counters[at..], used.0);
                        meter.ticks(used.0)?;
                        if used.1 == Flow::Enough {
                            return Ok(Flow::Enough);
                        }
                        fail as usize
                    }
                    // Step 3. Tests.
                    Instruction::Unequal { .. } => differ(instructions, counters, frame, at),
                    Instruction::Equal { left, right, fail } => {
                        let holds = frame[usize::from(left)] == frame[usize::from(right)];
                        judge(counter, holds, at, fail)
                    }
                    Instruction::Has { lookup, fail } => {
                        let lookup = &lookups[lookup as usize];
                        let relation = relations[lookup.stored()];
                        let holds = with_key(&lookup.keys, frame, |key| relation.contains(key));
                        judge(counter, holds, at, fail)
                    }
                    // Step 4. Conclusions, and the end.
                    Instruction::Emit { conclusion, exit } => {
                        counter.try_it();
                        let conclusion = &site.code.conclusions[conclusion as usize];
                        fill(row, &conclusion.row, frame);
                        if emit(conclusion.clause, row) == Flow::Enough {
                            return Ok(Flow::Enough);
                        }
                        exit as usize
                    }
                    Instruction::Stop => return Ok(Flow::More),
                    // Step 5. Everything else.
                    _ => break self.try_rare(site, at, run, meter)?,
                };
            };
        }
    }

    /// An instruction that loops otherwise than over one column, or asks; where to go on.
    #[inline(never)]
    fn try_rare<'m>(
        &self,
        site: Site<'_, 'm>,
        at: usize,
        run: &mut Activation<'m>,
        meter: &mut Meter<'_>,
    ) -> Result<usize, Error> {
        let counter = &site.counters[at];
        let lookups = &site.code.lookups;
        let frame = run.frame.as_mut_slice();
        let (holds, then, otherwise) = match site.code.instructions[at] {
            Instruction::Each { lookup, slot, fail } => {
                counter.try_it();
                let lookup = &lookups[lookup as usize];
                let rows = &mut run.loops[usize::from(slot)];
                *rows = rows_of(&run.relations, lookup, frame);
                (advance(lookup, rows, frame, meter)?, at + 1, fail)
            }
            Instruction::Next { lookup, slot, body } => {
                let rows = &mut run.loops[usize::from(slot)];
                let holds = advance(&lookups[lookup as usize], rows, frame, meter)?;
                if holds {
                    counter.try_it();
                }
                return Ok(if holds { body as usize } else { at + 1 });
            }
            Instruction::Ask { lookup, slot, fail } => {
                counter.try_it();
                let holds = self.begin_asking(site, (lookup, slot), run, meter)?;
                (holds, at + 1, fail)
            }
            Instruction::NextAsked { lookup, slot, body } => {
                let asked = &mut run.asked[usize::from(slot)];
                let holds = advance_asked(&lookups[lookup as usize], asked, frame, meter)?;
                if holds {
                    counter.try_it();
                }
                return Ok(if holds { body as usize } else { at + 1 });
            }
            Instruction::NoneBegin { .. } => {
                counter.try_it();
                return Ok(at + 1);
            }
            Instruction::NoneEnd { fail } => {
                counter.try_it();
                return Ok(fail as usize);
            }
            Instruction::CountBegin { .. }
            | Instruction::CountAdd { .. }
            | Instruction::CountEnd { .. } => return self.count(site, at, run),
            test => {
                let (holds, fail) = self.test(site.code, test, frame)?;
                counter.try_it();
                (holds, at + 1, fail)
            }
        };
        Ok(go_on(counter, holds, then, otherwise))
    }

    /// Asks for rows and delivers the first that agrees, if there is one.
    fn begin_asking(
        &self,
        site: Site<'_, '_>,
        (lookup, slot): (u32, u16),
        run: &mut Activation<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Error> {
        let lookup = &site.code.lookups[lookup as usize];
        meter.settle()?;
        let rows = self.ask(site.memory, &lookup.source, &run.frame)?;
        meter.renew();
        if lookup.outs.is_empty() {
            return Ok(with_key(&lookup.keys, &run.frame, |key| rows.contains(key)));
        }
        if run.asked.is_empty() {
            run.asked.resize_with(usize::from(site.code.n_slots), || (None, 0));
        }
        let asked = &mut run.asked[usize::from(slot)];
        *asked = (Some(rows), 0);
        advance_asked(lookup, asked, &mut run.frame, meter)
    }

    /// A part of a count; where to go on.
    fn count(
        &self,
        site: Site<'_, '_>,
        at: usize,
        run: &mut Activation<'_>,
    ) -> Result<usize, Error> {
        let counter = &site.counters[at];
        match site.code.instructions[at] {
            Instruction::CountAdd { tally, tuple, exit } => {
                let tuple = &site.code.tuples[tuple as usize];
                let at = |place: &Place| run.frame[usize::from(*place)];
                let row: Vec<ValueId> = tuple.row.iter().map(at).collect();
                let n_rows = run.tallies[usize::from(tally)].add(&row, tuple.repeats);
                self.check_rows(n_rows as u64)?;
                Ok(exit as usize)
            }
            Instruction::CountEnd { tally, out, fail } => {
                let number = i32::try_from(run.tallies[usize::from(tally)].n_rows).ok();
                let universe = &self.program.universe;
                let number = number.map(|number| universe.id(Value::Int(number)));
                let holds = number.is_some_and(|number| take(&[number], &[out], &mut run.frame));
                Ok(go_on(counter, holds, at + 1, fail))
            }
            Instruction::CountBegin { tally } => {
                counter.try_it();
                run.tallies[usize::from(tally)].n_rows = 0;
                Ok(at + 1)
            }
            _ => Err(conflict("not a count")),
        }
    }

    /// What holds at most once and asks nobody: whether it holds, and where to go on if not.
    fn test(
        &self,
        code: &Code,
        instruction: Instruction,
        frame: &mut [ValueId],
    ) -> Result<(bool, u32), Error> {
        let universe = &self.program.universe;
        Ok(match instruction {
            Instruction::Order { comparison, left, right, fail } => {
                let (left, right) = (frame[usize::from(left)], frame[usize::from(right)]);
                (compare(universe, comparison, left, right), fail)
            }
            Instruction::Copy { from, to } => {
                frame[usize::from(to)] = frame[usize::from(from)];
                (true, 0)
            }
            Instruction::Compute { operation, left, right, out, fail } => {
                let operands = (frame[usize::from(left)], frame[usize::from(right)]);
                let result = self.compute(operation, operands)?;
                (result.is_some_and(|result| take(&[result], &[out], frame)), fail)
            }
            Instruction::TakeApart { shape, whole, fail } => {
                let shape = &code.shapes[shape as usize];
                let whole = frame[usize::from(whole)];
                let parts = parts_of(universe, self.setting.symbols, whole, shape.functor);
                let parts = parts.filter(|parts| parts.len() == shape.parts.len());
                (parts.is_some_and(|parts| take(&parts, &shape.parts, frame)), fail)
            }
            Instruction::Make { shape, whole } => {
                let shape = &code.shapes[shape as usize];
                let places = shape.parts.iter().map(|(Out::Bind(place) | Out::Check(place))| place);
                let parts: Vec<ValueId> = places.map(|place| frame[usize::from(*place)]).collect();
                let made = make(universe, &self.setting, shape.functor, &parts)?;
                frame[usize::from(whole)] = made;
                (true, 0)
            }
            _ => (false, 0),
        })
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

/// Hands over a conclusion for each row of one column; how many were wanted.
#[inline]
fn emit_all(
    (rows, to): (&[ValueId], Place),
    conclusion: &Conclusion,
    frame: &mut [ValueId],
    row: &mut [ValueId],
    emit: &mut Emit<'_>,
) -> (usize, Flow) {
    fill(row, &conclusion.row, frame);
    // All rows agree but for the column that the loop delivers, which the head mostly has once.
    let mut columns = conclusion.row.iter().enumerate().filter(|(_, place)| **place == to);
    let column = columns.next().map_or(row.len(), |(column, _)| column);
    let is_once = columns.next().is_none() && column < row.len();
    for (place, id) in rows.iter().enumerate() {
        if is_once {
            row[column] = *id;
        } else {
            frame[usize::from(to)] = *id;
            fill(row, &conclusion.row, frame);
        }
        if emit(conclusion.clause, row) == Flow::Enough {
            return (place + 1, Flow::Enough);
        }
    }
    (rows.len(), Flow::More)
}

/// Counts a loop over so many rows that does nothing but conclude.
#[inline]
fn count_all(counters: &[Counter], n_rows: usize) {
    let [each, emit, next, ..] = counters else { return };
    each.try_it();
    emit.try_often(n_rows);
    if n_rows == 0 {
        each.fail();
    } else {
        next.try_often(n_rows - 1);
    }
}

/// Goes through inequalities that stand one behind another, without a dispatch for each.
#[inline]
fn differ(
    instructions: &[Instruction],
    counters: &[Counter],
    frame: &[ValueId],
    mut at: usize,
) -> usize {
    while let (Some(Instruction::Unequal { left, right, fail }), Some(counter)) =
        (instructions.get(at), counters.get(at))
    {
        counter.try_it();
        if frame[usize::from(*left)] == frame[usize::from(*right)] {
            counter.fail();
            return *fail as usize;
        }
        at += 1;
    }
    at
}

#[inline]
fn judge(counter: &Counter, holds: bool, at: usize, fail: u32) -> usize {
    counter.try_it();
    go_on(counter, holds, at + 1, fail)
}

#[inline]
fn go_on(counter: &Counter, holds: bool, then: usize, fail: u32) -> usize {
    if holds {
        then
    } else {
        counter.fail();
        fail as usize
    }
}
