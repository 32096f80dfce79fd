//! The matcher: questions to a program about working memories.
//!
//! In: a program, a memory, a predicate and what is known of its arguments. Out: all answers, each
//! once, or each conclusion as it is reached. Invariant: answers are those of the reference solver on
//! the clauses the trees were made of.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rulesmith_logic::{Error, Flow, PredicateId, Row, Value};

use crate::activation::Few;
use crate::assemble::Program;
use crate::budget::Budget;
use crate::counts::Counters;
use crate::interpret::Emit;
use crate::memory::Memory;
use crate::relation::Mask;
use crate::search::Setting;
use crate::tables::{Call, Tables};
use crate::universe::ValueId;

/// Runs a program on memories.
#[derive(Debug)]
pub struct Matcher<'p> {
    pub(crate) program: &'p Program,
    pub(crate) setting: Setting<'p>,
    pub(crate) budget: Budget,
    pub(crate) counters: Vec<Counters>,
    /// How many values there were at the start.
    pub(crate) n_values: usize,
    /// Is a question being answered?
    is_busy: Cell<bool>,
    /// How many calls wait for one another.
    pub(crate) depth: Cell<usize>,
    /// The shallowest waiting call that an answer of the present one depends on.
    pub(crate) leader: Cell<usize>,
    pub(crate) iteration: Cell<u64>,
    pub(crate) n_added: Cell<u64>,
    pub(crate) waiting: RefCell<Vec<(Rc<RefCell<Tables>>, Call)>>,
}

/// Nobody waits.
pub(crate) const NO_LEADER: usize = usize::MAX;

/// A conclusion is handed over: which clause, and all arguments of its head.
pub type OnConclusion<'e> = dyn FnMut(usize, &[ValueId]) -> Flow + 'e;

impl<'p> Matcher<'p> {
    /// A matcher for a program.
    pub fn new(program: &'p Program, setting: Setting<'p>) -> Self {
        let counters = program.codes.iter().map(Counters::new).collect();
        Self {
            program,
            setting,
            budget: Budget::default(),
            counters,
            n_values: program.universe.len(),
            is_busy: Cell::new(false),
            depth: Cell::new(0),
            leader: Cell::new(NO_LEADER),
            iteration: Cell::new(0),
            n_added: Cell::new(0),
            waiting: RefCell::default(),
        }
    }

    /// All rows of a predicate that agree with what is known, each once, all arguments of each.
    ///
    /// Answers are kept in the memory. The budget starts anew, unless this is asked by the host while
    /// another question is being answered.
    pub fn query(
        &self,
        memory: &Memory,
        predicate: PredicateId,
        pattern: &[Option<ValueId>],
    ) -> Result<Vec<Box<[ValueId]>>, Error> {
        let procedure = self.procedure(predicate, pattern)?;
        let entry = &self.program.procedures[procedure as usize];
        let inputs = inputs_of(entry.known, pattern);
        let answers = self.attempt(|| self.call(memory, procedure, &inputs))?;
        let mut rows = Vec::new();
        for answer in answers.rows() {
            let mut unknown = answer.iter();
            let row: Option<Box<[ValueId]>> = (0..entry.arity)
                .map(|column| {
                    let is_known = entry.known.has(column);
                    if is_known { pattern[column] } else { unknown.next().copied() }
                })
                .collect();
            let row = row.expect("an answer has every argument that was not known");
            if agrees(&row, pattern) {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// `query` with values in place of ids.
    pub fn query_values(
        &self,
        memory: &Memory,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Vec<Row>, Error> {
        let universe = memory.universe();
        let pattern: Vec<Option<ValueId>> =
            pattern.iter().map(|known| known.map(|value| universe.id(value))).collect();
        let rows = self.query(memory, predicate, &pattern)?;
        let to_row = |row: &[ValueId]| row.iter().map(|id| universe.value(*id)).collect();
        Ok(rows.iter().map(|row| to_row(row)).collect())
    }

    /// Does the ground atom hold?
    pub fn holds(
        &self,
        memory: &Memory,
        predicate: PredicateId,
        args: &[ValueId],
    ) -> Result<bool, Error> {
        let pattern: Vec<Option<ValueId>> = args.iter().copied().map(Some).collect();
        Ok(!self.query(memory, predicate, &pattern)?.is_empty())
    }

    /// Hands over each conclusion as it is reached, repetitions included, until enough of them came.
    /// Answers of the procedure itself are neither looked up nor kept, those of what it calls are.
    pub fn each(
        &self,
        memory: &Memory,
        predicate: PredicateId,
        pattern: &[Option<ValueId>],
        on_conclusion: &mut OnConclusion<'_>,
    ) -> Result<Flow, Error> {
        let procedure = self.procedure(predicate, pattern)?;
        let entry = &self.program.procedures[procedure as usize];
        let inputs = inputs_of(entry.known, pattern);
        if inputs.len() == pattern.iter().flatten().count() {
            return self.attempt(|| self.run(memory, entry.code, &inputs, on_conclusion));
        }
        let emit: &mut Emit<'_> = &mut |clause, row| {
            if agrees(row, pattern) { on_conclusion(clause, row) } else { Flow::More }
        };
        self.attempt(|| self.run(memory, entry.code, &inputs, emit))
    }

    /// How many rows were tried for the last question.
    pub fn inferences(&self) -> u64 {
        self.budget.spent()
    }

    fn procedure(&self, predicate: PredicateId, pattern: &[Option<ValueId>]) -> Result<u32, Error> {
        let known = Mask::new(pattern.iter().map(Option::is_some));
        let n_values = self.program.universe.len();
        let is_foreign = pattern.iter().flatten().any(|id| id.index() >= n_values);
        let found = self.program.find(predicate, known).filter(|procedure| {
            self.program.procedures[*procedure as usize].arity == pattern.len() && !is_foreign
        });
        found.ok_or_else(|| conflict("no procedure answers this question"))
    }

    /// Does work that runs code, with a new budget unless it is part of other such work.
    fn attempt<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if self.is_busy.replace(true) {
            return work();
        }
        self.budget.renew();
        let done = self.setting.stop.check().and_then(|()| work());
        self.leader.set(NO_LEADER);
        self.is_busy.set(false);
        done
    }
}

/// What cannot be asked at all.
pub(crate) fn conflict(message: &str) -> Error {
    Error::Conflict { message: message.into(), spans: Vec::new() }
}

fn inputs_of(known: Mask, pattern: &[Option<ValueId>]) -> Few<ValueId> {
    let columns = pattern.iter().enumerate();
    columns.filter(|(column, _)| known.has(*column)).filter_map(|(_, id)| *id).collect()
}

fn agrees(row: &[ValueId], pattern: &[Option<ValueId>]) -> bool {
    row.iter().zip(pattern).all(|(id, known)| known.is_none_or(|known| known == *id))
}
