//! Calls: procedures, the host and other memories, asked in the course of a run.
//!
//! In: a source of rows and its known arguments. Out: the rows of its unknown arguments. Answers of
//! procedures are kept per memory, and recursion is repeated until nothing new comes. Invariant: a
//! complete table holds the least fixpoint.

use std::cell::RefCell;
use std::rc::Rc;

use rulesmith_logic::{Error, Flow, PredicateId, Quantifier, Value};

use crate::bytecode::Source;
use crate::matcher::{Matcher, NO_LEADER, conflict};
use crate::memory::Memory;
use crate::relation::{Mask, Relation};
use crate::tables::{Call, Owner, Progress, Tables};
use crate::universe::ValueId;

/// A call being answered.
struct Task<'t> {
    memory: &'t Memory,
    tables: Rc<RefCell<Tables>>,
    call: Call,
    procedure: u32,
    inputs: &'t [ValueId],
    /// Is one answer enough?
    is_any: bool,
}

impl Matcher<'_> {
    /// The rows of a source that is not a stored relation; operands are places of the frame.
    pub(crate) fn ask(
        &self,
        memory: &Memory,
        source: &Source,
        frame: &[ValueId],
    ) -> Result<Rc<Relation>, Error> {
        let at = |places: &[u16]| -> Vec<ValueId> {
            places.iter().map(|place| frame[usize::from(*place)]).collect()
        };
        match source {
            Source::Call { procedure, inputs, is_any: false } => {
                self.call(memory, *procedure, &at(inputs))
            }
            Source::Call { procedure, inputs, is_any: true } => {
                self.call_any(memory, *procedure, &at(inputs))
            }
            Source::Outside { predicate, pattern } => {
                let pattern: Vec<Option<ValueId>> = pattern
                    .iter()
                    .map(|place| place.map(|place| frame[usize::from(place)]))
                    .collect();
                self.ask_outside(memory, *predicate, &pattern)
            }
            Source::Elsewhere { by, args, quantifier, code, inputs } => {
                let args: Vec<Value> =
                    at(args).iter().map(|id| self.program.universe.value(*id)).collect();
                let worlds = match memory.outside() {
                    Some(host) => host.passages(self, memory, *by, &args)?,
                    None => Vec::new(),
                };
                self.ask_elsewhere(&worlds, *quantifier, *code, &at(inputs))
            }
            Source::Stored(_) => Err(conflict("a stored relation is not asked")),
        }
    }

    fn ask_outside(
        &self,
        memory: &Memory,
        predicate: PredicateId,
        pattern: &[Option<ValueId>],
    ) -> Result<Rc<Relation>, Error> {
        let known: Vec<ValueId> = pattern.iter().copied().flatten().collect();
        let owner = Owner::Outside(predicate, Mask::new(pattern.iter().map(Option::is_some)));
        let arity = pattern.len() - known.len();
        let call = memory.tables().borrow_mut().call(owner, &known, arity);
        if memory.tables().borrow().progress(call) == Progress::Complete {
            return Ok(memory.tables().borrow().rows(call));
        }
        let universe = &self.program.universe;
        let values: Vec<Option<Value>> =
            pattern.iter().map(|known| known.map(|id| universe.value(id))).collect();
        let mut relation = Relation::new(arity);
        if let Some(host) = memory.outside() {
            let mut row = Vec::with_capacity(arity);
            for fact in host.facts(self, memory, predicate, &values)?.iter() {
                let agrees = |(value, known): (&Value, &Option<Value>)| {
                    known.is_none_or(|known| known == *value)
                };
                if fact.len() == values.len() && fact.iter().zip(&values).all(agrees) {
                    let unknown = fact.iter().zip(&values).filter(|(_, known)| known.is_none());
                    row.clear();
                    row.extend(unknown.map(|(value, _)| universe.id(*value)));
                    relation.insert(&row);
                }
            }
        }
        let relation = Rc::new(relation);
        memory.tables().borrow_mut().keep(call, Rc::clone(&relation));
        self.check_size(&memory.tables().borrow())?;
        Ok(relation)
    }

    fn ask_elsewhere(
        &self,
        worlds: &[Rc<Memory>],
        quantifier: Quantifier,
        code: u32,
        inputs: &[ValueId],
    ) -> Result<Rc<Relation>, Error> {
        let mut found = Relation::new(usize::from(self.program.codes[code as usize].arity));
        match quantifier {
            Quantifier::Some => {
                for world in worlds {
                    let mut checked = Ok(());
                    self.run(world, code, inputs, &mut |_, row| {
                        found.insert(row);
                        checked = self.check_rows(found.len() as u64);
                        if checked.is_ok() { Flow::More } else { Flow::Enough }
                    })?;
                    checked?;
                }
            }
            Quantifier::Every => {
                for world in worlds {
                    let flow = self.run(world, code, inputs, &mut |_, _| Flow::Enough)?;
                    if flow == Flow::More {
                        return Ok(Rc::new(found));
                    }
                }
                if !worlds.is_empty() {
                    found.insert(&[]);
                }
            }
        }
        Ok(Rc::new(found))
    }

    /// The answers of a procedure.
    pub(crate) fn call(
        &self,
        memory: &Memory,
        procedure: u32,
        inputs: &[ValueId],
    ) -> Result<Rc<Relation>, Error> {
        let owner = Owner::Procedure { program: self.program.serial, procedure };
        self.answers(memory, (procedure, inputs), owner)
    }

    /// All answers of a procedure if they are known, else any one of them.
    fn call_any(
        &self,
        memory: &Memory,
        procedure: u32,
        inputs: &[ValueId],
    ) -> Result<Rc<Relation>, Error> {
        let entry = &self.program.procedures[procedure as usize];
        let tables = if entry.is_static { memory.fixed().tables() } else { memory.tables() };
        let program = self.program.serial;
        if let Some(rows) =
            tables.borrow().complete(Owner::Procedure { program, procedure }, inputs)
        {
            let mut first = Relation::new(rows.arity());
            if let Some(row) = rows.rows().next() {
                first.insert(row);
            }
            return Ok(Rc::new(first));
        }
        self.answers(memory, (procedure, inputs), Owner::AnyOf { program, procedure })
    }

    fn answers(
        &self,
        memory: &Memory,
        (procedure, inputs): (u32, &[ValueId]),
        owner: Owner,
    ) -> Result<Rc<Relation>, Error> {
        let entry = &self.program.procedures[procedure as usize];
        let tables = if entry.is_static { memory.fixed().tables() } else { memory.tables() };
        let call = tables.borrow_mut().call(owner, inputs, entry.arity - inputs.len());
        let leader = match tables.borrow().progress(call) {
            Progress::Complete => NO_LEADER,
            Progress::Running(depth) => depth,
            Progress::Waiting { iteration, leader } if iteration == self.iteration.get() => leader,
            Progress::Waiting { .. } | Progress::Absent => usize::MIN,
        };
        if leader != usize::MIN {
            self.leader.set(self.leader.get().min(leader));
            return Ok(tables.borrow().rows(call));
        }
        let is_any = matches!(owner, Owner::AnyOf { .. });
        if let Some(rows) = self.known_from_wider(memory, procedure, inputs) {
            tables.borrow_mut().keep(call, Rc::clone(&rows));
            self.check_size(&tables.borrow())?;
            return Ok(rows);
        }
        let task = Task { memory, tables: Rc::clone(tables), call, procedure, inputs, is_any };
        let (depth, n_waiting) = (self.depth.get(), self.waiting.borrow().len());
        stacker::maybe_grow(256 * 1024, 8 * 1024 * 1024, || {
            let done = self.evaluate(&task);
            if done.is_err() {
                self.depth.set(depth);
                for (tables, waiting) in self.waiting.borrow_mut().drain(n_waiting..) {
                    tables.borrow_mut().forget(waiting);
                }
                task.tables.borrow_mut().forget(call);
            }
            done
        })
    }

    /// The answers of a call that follow from what a call that knows less has found: its rows, or
    /// that it has none.
    fn known_from_wider(
        &self,
        memory: &Memory,
        procedure: u32,
        inputs: &[ValueId],
    ) -> Option<Rc<Relation>> {
        let program = self.program.serial;
        let entry = &self.program.procedures[procedure as usize];
        entry.wider.iter().find_map(|wider| {
            let other = &self.program.procedures[*wider as usize];
            let tables = if other.is_static { memory.fixed().tables() } else { memory.tables() };
            let known = |column: &usize| entry.known.has(*column);
            let columns = (0..entry.arity).filter(known).zip(inputs);
            let is_asked = |column: usize| other.known.has(column);
            let fewer: Vec<ValueId> = columns
                .clone()
                .filter(|(column, _)| is_asked(*column))
                .map(|(_, id)| *id)
                .collect();
            let tables = tables.borrow();
            if let Some(rows) = tables.complete(Owner::AnyOf { program, procedure: *wider }, &fewer)
                && rows.is_empty()
            {
                return Some(Rc::new(Relation::new(entry.arity - inputs.len())));
            }
            let rows = tables.complete(Owner::Procedure { program, procedure: *wider }, &fewer)?;
            let given: Vec<Option<ValueId>> = (0..entry.arity)
                .filter(|column| !is_asked(*column))
                .map(|column| {
                    columns.clone().find(|(other, _)| *other == column).map(|(_, id)| *id)
                })
                .collect();
            let agrees = |row: &&[ValueId]| {
                row.iter().zip(&given).all(|(id, given)| given.is_none_or(|given| given == *id))
            };
            let mut found = Relation::new(entry.arity - inputs.len());
            for row in rows.rows().filter(agrees) {
                let free = row.iter().zip(&given).filter(|(_, given)| given.is_none());
                let answer: Vec<ValueId> = free.map(|(id, _)| *id).collect();
                found.insert(&answer);
            }
            Some(Rc::new(found))
        })
    }

    /// Runs a call until nothing new comes.
    ///
    /// A call that some deeper call waits for is a leader: it repeats until no table of the cycle
    /// grows. A call that waits for a shallower one leaves its table to that leader's repetition.
    fn evaluate(&self, task: &Task<'_>) -> Result<Rc<Relation>, Error> {
        let depth = self.depth.get() + 1;
        let limit = self.setting.limits.recursion_depth;
        if depth as u64 > limit {
            return Err(Error::Limit { name: "recursion-depth", limit });
        }
        self.depth.set(depth);
        let outer_leader = self.leader.replace(NO_LEADER);
        let first_waiting = self.waiting.borrow().len();
        task.tables.borrow_mut().set_progress(task.call, Progress::Running(depth));
        self.check_size(&task.tables.borrow())?;
        loop {
            let added_before = self.n_added.get();
            let is_proved = self.try_once(task)?;
            let leader = self.leader.get();
            if leader < depth && !is_proved {
                self.wait(task, first_waiting, leader);
                break;
            }
            if is_proved || leader > depth || self.n_added.get() == added_before {
                self.finish(task, first_waiting, is_proved);
                break;
            }
            self.iteration.set(self.iteration.get() + 1);
        }
        self.depth.set(depth - 1);
        let tables = task.tables.borrow();
        let is_complete = tables.progress(task.call) == Progress::Complete;
        let leader = if is_complete { NO_LEADER } else { self.leader.get() };
        self.leader.set(leader.min(outer_leader));
        Ok(tables.rows(task.call))
    }

    fn wait(&self, task: &Task<'_>, first_waiting: usize, leader: usize) {
        let mut waiting = self.waiting.borrow_mut();
        waiting.push((Rc::clone(&task.tables), task.call));
        let iteration = self.iteration.get();
        let progress = Progress::Waiting { iteration, leader };
        task.tables.borrow_mut().set_progress(task.call, progress);
        // Whoever waited for this call now waits for its leader.
        for (tables, other) in &waiting[first_waiting..] {
            tables.borrow_mut().lower_leader(*other, leader);
        }
    }

    /// Marks a call, and the calls that only waited for it, as complete. Calls that the last pass did
    /// not try again may lack answers, as may those that waited for a ground call proved early: they
    /// are forgotten, and made anew when somebody asks.
    fn finish(&self, task: &Task<'_>, first_waiting: usize, is_proved: bool) {
        let iteration = self.iteration.get();
        for (tables, waiting) in self.waiting.borrow_mut().drain(first_waiting..) {
            let mut tables = tables.borrow_mut();
            if is_proved || !tables.was_tried_in(waiting, iteration) {
                tables.forget(waiting);
            } else {
                tables.set_progress(waiting, Progress::Complete);
            }
        }
        task.tables.borrow_mut().set_progress(task.call, Progress::Complete);
    }

    /// One run; true when a ground call is proved, or one answer found that is enough, and nothing
    /// more can come.
    fn try_once(&self, task: &Task<'_>) -> Result<bool, Error> {
        let entry = &self.program.procedures[task.procedure as usize];
        let is_ground = task.is_any || task.inputs.len() == entry.arity;
        let mut answer = Vec::with_capacity(entry.arity);
        let mut is_found = false;
        let mut checked = Ok(());
        self.run(task.memory, entry.code, task.inputs, &mut |_, row| {
            let columns = row.iter().enumerate();
            answer.clear();
            answer
                .extend(columns.filter(|(column, _)| !entry.known.has(*column)).map(|(_, id)| *id));
            let mut tables = task.tables.borrow_mut();
            if tables.add(task.call, &answer) {
                self.n_added.set(self.n_added.get() + 1);
                checked = self.check_size(&tables);
            }
            is_found = true;
            if is_ground || checked.is_err() { Flow::Enough } else { Flow::More }
        })?;
        checked?;
        Ok(is_ground && is_found)
    }

    fn check_size(&self, tables: &Tables) -> Result<(), Error> {
        self.check_rows(tables.size())
    }

    pub(crate) fn check_rows(&self, n_rows: u64) -> Result<(), Error> {
        let limit = self.setting.limits.derived_facts;
        if n_rows > limit { Err(Error::Limit { name: "derived-facts", limit }) } else { Ok(()) }
    }
}
