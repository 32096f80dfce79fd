//! Tables: the answers found so far, one table for each predicate and pattern of known arguments.
//!
//! In: rows as they are derived. Out: each row once, in the order of derivation. Invariant: a
//! complete table never changes again.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::PredicateId;
use crate::term::Value;

/// One answer: a value for each argument.
pub type Row = Box<[Value]>;

/// The known arguments of a call.
pub type Pattern = Box<[Option<Value>]>;

/// A call: a predicate and its known arguments.
pub(crate) type Call = (PredicateId, Pattern);

/// How far a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All answers are there.
    Complete,
    /// Its clauses are being tried, this deep in the chain of waiting calls.
    Running(usize),
    /// Tried in this iteration of the call at depth `leader` that it waits for.
    Waiting { iteration: u64, leader: usize },
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) progress: Progress,
    pub(crate) rows: Rc<Vec<Row>>,
    seen: FxHashSet<Row>,
}

/// The tables of one state, of one step, or of the static part.
#[derive(Debug, Default)]
pub struct Tables {
    tables: FxHashMap<Call, Table>,
    /// Rows of all tables, and one for each table.
    size: u64,
}

impl Tables {
    pub(crate) fn get(&self, call: &Call) -> Option<&Table> {
        self.tables.get(call)
    }

    /// Starts or restarts a table.
    pub(crate) fn start(&mut self, call: &Call, depth: usize) {
        let progress = Progress::Running(depth);
        if let Some(table) = self.tables.get_mut(call) {
            table.progress = progress;
        } else {
            let table = Table { progress, rows: Rc::default(), seen: FxHashSet::default() };
            self.tables.insert(call.clone(), table);
            self.size += 1;
        }
    }

    /// Adds a row; false if it was there.
    pub(crate) fn add(&mut self, call: &Call, row: Row) -> bool {
        let table = self.tables.get_mut(call).expect("a table is started before rows are added");
        if !table.seen.insert(row.clone()) {
            return false;
        }
        Rc::make_mut(&mut table.rows).push(row);
        self.size += 1;
        true
    }

    pub(crate) fn set_progress(&mut self, call: &Call, progress: Progress) {
        // A table may have been forgotten meanwhile; it is then made anew when it is asked for.
        let Some(table) = self.tables.get_mut(call) else { return };
        table.progress = progress;
        if progress == Progress::Complete {
            table.seen = FxHashSet::default();
        }
    }

    /// Keeps a complete table made elsewhere.
    pub(crate) fn keep(&mut self, call: Call, rows: Rc<Vec<Row>>) {
        self.size += 1 + rows.len() as u64;
        let progress = Progress::Complete;
        self.tables.insert(call, Table { progress, rows, seen: FxHashSet::default() });
    }

    /// Makes a waiting table wait for a shallower leader.
    pub(crate) fn lower_leader(&mut self, call: &Call, lower: usize) {
        if let Some(table) = self.tables.get_mut(call)
            && let Progress::Waiting { leader, .. } = &mut table.progress
        {
            *leader = lower.min(*leader);
        }
    }

    /// Is the table waiting, and was it tried in this iteration?
    pub(crate) fn was_tried_in(&self, call: &Call, wanted: u64) -> bool {
        let progress = self.tables.get(call).map(|table| table.progress);
        matches!(progress, Some(Progress::Waiting { iteration, .. }) if iteration == wanted)
    }

    /// Forgets a table.
    pub(crate) fn forget(&mut self, call: &Call) {
        if let Some(table) = self.tables.remove(call) {
            self.size -= 1 + table.rows.len() as u64;
        }
    }

    /// Forgets what is not complete, after an error.
    pub(crate) fn drop_incomplete(&mut self) {
        self.tables.retain(|_, table| table.progress == Progress::Complete);
        self.size = self.tables.values().map(|table| 1 + table.rows.len() as u64).sum();
    }

    /// How many rows all tables hold; a table without rows counts as one, it takes memory too.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}
