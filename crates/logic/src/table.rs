//! Tables: the answers found so far, one table for each predicate and pattern of known arguments.
//!
//! In: rows as they are derived. Out: each row once, in the order of derivation. Invariant: a
//! complete table never changes again.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::clause::PredicateId;
use crate::term::Value;

/// One answer: a value for each argument.
pub type Row = SmallVec<[Value; 4]>;

/// The known arguments of a call.
pub type Pattern = SmallVec<[Option<Value>; 6]>;

/// A call: a predicate and its known arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) predicate: PredicateId,
    pub(crate) known: Pattern,
}

impl Hash for Call {
    /// One word for each argument: calls are looked up more often than anything else.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(self.predicate.0);
        for known in &self.known {
            state.write_u64(known.map_or(u64::MAX, Value::bits));
        }
    }
}

/// How far a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All answers are there.
    Complete,
    /// Its clauses are being tried, this deep in the chain of waiting calls.
    Running(usize),
    /// Tried in this iteration of the call at depth `leader` that it waits for.
    Waiting { iteration: u64, leader: usize },
    /// Nobody has tried it, or what was found is forgotten.
    Absent,
}

/// The place of a table among those of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableId(usize);

#[derive(Debug)]
struct Table {
    progress: Progress,
    rows: Rc<Vec<Row>>,
    /// The rows once more, where they are too many to be compared one by one.
    seen: FxHashSet<Row>,
}

impl Table {
    /// Adds a row; false if it was there.
    fn add(&mut self, row: Row) -> bool {
        if self.rows.len() < FEW_ROWS {
            if self.rows.contains(&row) {
                return false;
            }
        } else {
            if self.seen.is_empty() {
                self.seen = self.rows.iter().cloned().collect();
            }
            if !self.seen.insert(row.clone()) {
                return false;
            }
        }
        Rc::make_mut(&mut self.rows).push(row);
        true
    }
}

/// So many rows are compared one by one.
const FEW_ROWS: usize = 8;

/// The tables of one state, of one step, or of the static part.
#[derive(Debug, Default)]
pub struct Tables {
    places: FxHashMap<Call, TableId>,
    all: Vec<Table>,
    /// Rows of all tables, and one for each table, what is forgotten included: it takes memory too.
    size: u64,
}

impl Tables {
    /// The table of a call, perhaps an empty one that nobody has tried yet.
    pub(crate) fn place(&mut self, call: &Call) -> TableId {
        if let Some(place) = self.places.get(call) {
            return *place;
        }
        let place = TableId(self.all.len());
        self.places.insert(call.clone(), place);
        let (rows, seen) = (Rc::default(), FxHashSet::default());
        self.all.push(Table { progress: Progress::Absent, rows, seen });
        self.size += 1;
        place
    }

    /// How far the table of a call has come.
    pub(crate) fn progress(&self, table: TableId) -> Progress {
        self.all[table.0].progress
    }

    /// The answers found so far.
    pub(crate) fn rows(&self, table: TableId) -> &Rc<Vec<Row>> {
        &self.all[table.0].rows
    }

    /// All answers to a call, if they are known.
    pub(crate) fn kept(&self, call: &Call) -> Option<Rc<Vec<Row>>> {
        let table = *self.places.get(call)?;
        (self.progress(table) == Progress::Complete).then(|| Rc::clone(self.rows(table)))
    }

    /// Adds a row; false if it was there.
    pub(crate) fn add(&mut self, table: TableId, row: Row) -> bool {
        let is_new = self.all[table.0].add(row);
        self.size += u64::from(is_new);
        is_new
    }

    pub(crate) fn set_progress(&mut self, table: TableId, progress: Progress) {
        let table = &mut self.all[table.0];
        table.progress = progress;
        if progress == Progress::Complete {
            table.seen = FxHashSet::default();
        }
    }

    /// Keeps a complete table made elsewhere.
    pub(crate) fn keep(&mut self, call: &Call, rows: Rc<Vec<Row>>) {
        let place = self.place(call);
        self.forget(place);
        self.size += rows.len() as u64;
        self.all[place.0].rows = rows;
        self.set_progress(place, Progress::Complete);
    }

    /// Makes a waiting table wait for a shallower leader.
    pub(crate) fn lower_leader(&mut self, table: TableId, lower: usize) {
        if let Progress::Waiting { leader, .. } = &mut self.all[table.0].progress {
            *leader = lower.min(*leader);
        }
    }

    /// Is the table waiting, and was it tried in this iteration?
    pub(crate) fn was_tried_in(&self, table: TableId, wanted: u64) -> bool {
        let progress = self.progress(table);
        matches!(progress, Progress::Waiting { iteration, .. } if iteration == wanted)
    }

    /// Forgets what was found.
    pub(crate) fn forget(&mut self, table: TableId) {
        let table = &mut self.all[table.0];
        self.size -= table.rows.len() as u64;
        let (rows, seen) = (Rc::default(), FxHashSet::default());
        *table = Table { progress: Progress::Absent, rows, seen };
    }

    /// Forgets what is not complete, after an error.
    pub(crate) fn drop_incomplete(&mut self) {
        for place in 0..self.all.len() {
            if self.all[place].progress != Progress::Complete {
                self.forget(TableId(place));
            }
        }
    }

    /// How many rows all tables hold, and how many tables there are.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}
