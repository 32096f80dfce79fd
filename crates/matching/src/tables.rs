//! Tables: the answers of calls, one table for each procedure and its known arguments.
//!
//! In: rows as they are derived. Out: each row once, as a relation of the unknown arguments. Invariant:
//! a complete table never changes again.

use std::rc::Rc;

use rulesmith_logic::PredicateId;
use rustc_hash::FxHashMap;

use crate::relation::{Mask, Relation};
use crate::rows::RowSet;
use crate::universe::ValueId;

/// Whose answers a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// A procedure of a program.
    Procedure { program: u32, procedure: u32 },
    /// A procedure of which one answer is enough.
    AnyOf { program: u32, procedure: u32 },
    /// The host, for what is known.
    Outside(PredicateId, Mask),
}

/// A table: its owner and the place of the known arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    owner: Owner,
    place: usize,
}

/// How far a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nobody has asked, or what was found had to be forgotten.
    Absent,
    /// All answers are there.
    Complete,
    /// Its code is being run, this deep in the chain of waiting calls.
    Running(usize),
    /// Tried in this iteration of the call at depth `leader` that it waits for.
    Waiting { iteration: u64, leader: usize },
}

#[derive(Debug)]
struct Table {
    progress: Progress,
    rows: Rc<Relation>,
}

#[derive(Debug, Default)]
struct Calls {
    known: RowSet,
    tables: Vec<Table>,
}

/// The tables of one memory, or of the static part.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    calls: FxHashMap<Owner, Calls>,
    /// Rows of all tables, and one for each table.
    size: u64,
}

impl Tables {
    /// The table of a call, made on first use; `arity` is the number of unknown arguments.
    pub(crate) fn call(&mut self, owner: Owner, known: &[ValueId], arity: usize) -> Call {
        let calls = self
            .calls
            .entry(owner)
            .or_insert_with(|| Calls { known: RowSet::new(known.len()), tables: Vec::new() });
        let (place, is_new) = calls.known.insert(known);
        if is_new {
            let rows = Rc::new(Relation::new(arity));
            calls.tables.push(Table { progress: Progress::Absent, rows });
            self.size += 1;
        }
        Call { owner, place }
    }

    /// The rows of a call that was answered completely, if it was made at all.
    pub(crate) fn complete(&self, owner: Owner, known: &[ValueId]) -> Option<Rc<Relation>> {
        let calls = self.calls.get(&owner)?;
        let table = &calls.tables[calls.known.find(known)?];
        (table.progress == Progress::Complete).then(|| Rc::clone(&table.rows))
    }

    fn table(&self, call: Call) -> &Table {
        &self.calls[&call.owner].tables[call.place]
    }

    fn table_mut(&mut self, call: Call) -> &mut Table {
        let calls = self.calls.get_mut(&call.owner);
        &mut calls.expect("a call is made by its tables").tables[call.place]
    }

    pub(crate) fn progress(&self, call: Call) -> Progress {
        self.table(call).progress
    }

    pub(crate) fn rows(&self, call: Call) -> Rc<Relation> {
        Rc::clone(&self.table(call).rows)
    }

    pub(crate) fn set_progress(&mut self, call: Call, progress: Progress) {
        self.table_mut(call).progress = progress;
    }

    /// Adds a row; false if it was there. Whoever reads the rows meanwhile keeps those it had.
    pub(crate) fn add(&mut self, call: Call, row: &[ValueId]) -> bool {
        let rows = &mut self.table_mut(call).rows;
        if rows.has_row(row) {
            return false;
        }
        Rc::make_mut(rows).insert(row);
        self.size += 1;
        true
    }

    /// Keeps answers made elsewhere.
    pub(crate) fn keep(&mut self, call: Call, rows: Rc<Relation>) {
        self.size += rows.len() as u64;
        *self.table_mut(call) = Table { progress: Progress::Complete, rows };
    }

    /// Makes a waiting table wait for a shallower leader.
    pub(crate) fn lower_leader(&mut self, call: Call, lower: usize) {
        if let Progress::Waiting { leader, .. } = &mut self.table_mut(call).progress {
            *leader = lower.min(*leader);
        }
    }

    /// Is the table waiting, and was it tried in this iteration?
    pub(crate) fn was_tried_in(&self, call: Call, wanted: u64) -> bool {
        matches!(self.progress(call), Progress::Waiting { iteration, .. } if iteration == wanted)
    }

    /// Forgets what a table holds.
    pub(crate) fn forget(&mut self, call: Call) {
        let table = self.table_mut(call);
        let rows = std::mem::replace(&mut table.rows, Rc::new(Relation::new(0)));
        table.rows = Rc::new(Relation::new(rows.arity()));
        table.progress = Progress::Absent;
        self.size -= rows.len() as u64;
    }

    /// How many rows all tables hold; a table without rows counts as one, it takes memory too.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}
