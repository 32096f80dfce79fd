//! Counts: how often each condition of a tree was tried and how often it held.
//!
//! In: counters that the interpreter raises per instruction. Out: one [`Count`] for each node of a
//! procedure's tree. Nodes are numbered from the top: a condition, then the conditions inside it
//! (bodies of negations, counts and passages, from left to right), then what comes after it; a
//! conclusion is a node too. A generator holds once for each row it delivers, a conclusion once each
//! time it is reached. Paper: metameta §3.2, the columns of successes.

use std::cell::Cell;

use crate::assemble::Entry;
use crate::bytecode::{Code, Instruction, NO_NODE};
use crate::matcher::Matcher;

/// How often a node was tried, and how often it held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How often it was tried.
    pub tried: u64,
    /// How often it held; a generator holds for each row.
    pub held: u64,
}

/// The counters of one code.
#[derive(Debug)]
pub(crate) struct Counters(Box<[Counter]>);

/// An instruction counts one thing when it goes well and two when it fails: what goes well is more
/// frequent.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    /// How often it was tried; for the second instruction of a loop, how many rows it delivered.
    tried: Cell<u64>,
    failed: Cell<u64>,
}

impl Counter {
    #[inline]
    pub(crate) fn try_it(&self) {
        self.tried.set(self.tried.get() + 1);
    }

    #[inline]
    pub(crate) fn try_often(&self, times: usize) {
        self.tried.set(self.tried.get() + times as u64);
    }

    #[inline]
    pub(crate) fn fail(&self) {
        self.failed.set(self.failed.get() + 1);
    }
}

impl Counters {
    pub(crate) fn new(code: &Code) -> Self {
        Self(code.instructions.iter().map(|_| Counter::default()).collect())
    }

    #[inline]
    pub(crate) fn of(&self) -> &[Counter] {
        &self.0
    }
}

impl Matcher<'_> {
    /// The counts of a procedure, by its place among those the program was assembled from.
    pub fn counts(&self, procedure: usize) -> Vec<Count> {
        let Some(entry) = self.program.procedures.get(procedure) else { return Vec::new() };
        let mut counts = vec![Count::default(); entry.n_nodes as usize];
        for code in codes_of(entry) {
            let counters = self.counters[code].of();
            let code = &self.program.codes[code];
            for ((instruction, node), counter) in
                code.instructions.iter().zip(&code.nodes).zip(counters)
            {
                if *node != NO_NODE {
                    add(&mut counts[*node as usize], *instruction, counter);
                }
            }
        }
        counts
    }

    /// Starts all counts anew.
    pub fn reset_counts(&mut self) {
        self.counters = self.program.codes.iter().map(Counters::new).collect();
    }
}

fn codes_of(entry: &Entry) -> impl Iterator<Item = usize> {
    entry.inner.iter().chain([&entry.code]).map(|code| *code as usize)
}

fn add(count: &mut Count, instruction: Instruction, counter: &Counter) {
    let (tried, failed) = (counter.tried.get(), counter.failed.get());
    match instruction {
        // What follows a loop's first row, or ends a count or a negation, belongs to a node that was
        // tried at its first instruction.
        Instruction::Next { .. } | Instruction::NextOne { .. } | Instruction::NextAsked { .. } => {
            count.held += tried;
        }
        Instruction::NoneEnd { .. } => count.held -= tried,
        Instruction::CountEnd { .. } => count.held -= failed,
        Instruction::CountAdd { .. } => {}
        _ => {
            count.tried += tried;
            count.held += tried - failed;
        }
    }
}
