//! The past of the states of a count: how often each occurred, before the count and on the way to it.
//!
//! In: the questions about repetition that are asked while leaves are counted. Out: room for the hashes on the way to a
//! state, statements that count it among them, and the rows of ends where no cycle is asked about. Invariant: the
//! counter of a state is what the game contract counts. Words about cycles are not kept: where a state has occurred so
//! often that one is asked about the kernel says so, and the first turns of the count are made by the contract.

use std::cell::OnceCell;

use rulesmith_kernel::{Array, Comparison, Scalar, Statement, Word};
use rulesmith_logic::{Atom, Clause, Condition, PredicateId, Term, Value};
use rulesmith_rules::PredicateKind;
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::build::{Builder, clause_rows_where, compare};
use super::cycles::asks_cycle;
use super::emit::Emitter;
use super::ground::{Grounding, Row};
use super::kept::predicates_in;
use super::leaves::stop;
use super::optimizations::Optimization;
use super::past::{Seen, count_equal};

/// Turns of the past and of a count together.
const MAX_TURNS: u32 = 1 << 12;

/// Where the hashes of the past are, and after them those on the way to the present state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct PathRoom {
    hashes: Array,
    /// The place where the hash of a leaf would be; a state so many turns before it is so many places before.
    end: u32,
}

impl PathRoom {
    /// Room from a word on; `next` is afterwards the first free word.
    pub(super) fn new(next: &mut u32) -> Self {
        let (hashes, end) =
            (Array { offset: *next, width: 1, n_rows: MAX_TURNS }, *next + MAX_TURNS);
        *next = end + 1;
        Self { hashes, end }
    }

    /// Puts the past of a count into its words; nothing if there is no room for it.
    pub(super) fn fill(&self, words: &mut [u64], past: &[u64], depth: u32) -> Option<()> {
        let end = past.len() + depth as usize;
        let first = self.hashes.offset as usize;
        words[first..].get_mut(..past.len())?.copy_from_slice(past);
        words[self.end as usize] = end as u64;
        (end <= self.hashes.n_rows as usize).then_some(())
    }
}

/// How the states of a count are counted.
#[derive(Clone, Debug)]
pub(super) struct Path {
    room: PathRoom,
    seen: Seen,
    /// From so many occurrences on ends ask about cycles, of which the kernel knows nothing.
    least: u64,
}

impl Path {
    /// Counts the present state, which is so many turns before the leaves.
    pub(super) fn count(&self, emitter: &mut Emitter<'_>, depth: Scalar) {
        let Self { room, seen, least } = self;
        let now = emitter.let_word(seen.hash());
        let place = emitter.let_word(Word::State(room.end) - Word::from(depth));
        emitter.push(Statement::StoreAt(room.hashes, place.into(), now.into()));
        let times = emitter.let_word(Word::Constant(1));
        let search = count_equal(emitter, room.hashes, (place, now), times);
        emitter.push_all(search);
        emitter.push(Statement::Store(seen.counter(), times.into()));
        let is_often = compare(Comparison::LessOrEqual, Word::Constant(*least), times.into());
        emitter.push(Statement::If(is_often, stop(), Vec::new()));
    }
}

/// The rows of ends, and of what is derived, where no state has occurred so often that a cycle is asked about.
#[derive(Clone, Debug)]
pub(super) struct Unrepeated {
    terminal: Option<Vec<Row>>,
    derived: Vec<Option<Vec<Row>>>,
}

impl<'b> Builder<'b> {
    /// Does anything ask about repetition that is asked while leaves are counted?
    pub(super) fn asks_repetition(&self) -> bool {
        let mut asked = Vec::new();
        for clause in self.early_clauses() {
            predicates_in(&clause.body, &mut asked);
        }
        asked.into_iter().any(|predicate| self.is_repetition(predicate))
    }

    /// The clauses of all but drawing rules and goals, which counts do not ask about.
    fn early_clauses(&self) -> impl Iterator<Item = &'b Clause> {
        let late = [self.theory.draw, self.theory.goal];
        let procedures = self.specialized.procedures.iter();
        let early = procedures.filter(move |one| !late.contains(&one.source));
        early.flat_map(|one| &one.clauses).map(|one| &one.clause)
    }

    fn is_repetition(&self, predicate: PredicateId) -> bool {
        matches!(self.theory.kinds.get(predicate.0 as usize), Some(PredicateKind::Repeated(_)))
    }

    /// How often a state must have occurred for a clause to hold, if the clause says so.
    fn least_repetition(&self, clause: &Clause) -> Option<u64> {
        let least = |condition: &Condition| match condition {
            Condition::Holds(Atom { predicate, args }) if self.is_repetition(*predicate) => {
                let [Term::Value(Value::Int(least))] = args[..] else { return None };
                u64::try_from(least).ok()
            }
            _ => None,
        };
        clause.body.iter().filter_map(least).max()
    }

    /// The rows where no state has occurred so often that a cycle is asked about; nothing if nobody asks about cycles,
    /// since the counter tells the rest, and nothing where no leaves are counted.
    pub(super) fn unrepeated(&self, grounding: &Grounding<'_>) -> Option<Unrepeated> {
        let has = |one: Optimization| self.optimizations.has(one);
        let is_on = has(Optimization::WholePlanes) && has(Optimization::LeavesByKernel);
        if !is_on || !self.early_clauses().any(|clause| asks_cycle(self.theory, &clause.body)) {
            return None;
        }
        let is_plain = |clause: &Clause| !asks_cycle(self.theory, &clause.body);
        let rows = |predicate: PredicateId| {
            let rows = clause_rows_where(grounding, self.specialized, predicate, &is_plain);
            Some(rows.ok()?.concat())
        };
        let derived = self.places.derived.iter().map(|layout| rows(layout.predicate)).collect();
        Some(Unrepeated { terminal: rows(self.theory.terminal), derived })
    }

    /// How the states of a count are counted; nothing if nobody asks.
    pub(super) fn path(&self, room: Option<PathRoom>) -> Result<Option<Path>, Obstacle> {
        let Some(room) = room else { return Ok(None) };
        let seen = Seen::of(self.places.layout)
            .ok_or_else(|| Obstacle::new("leaves of a game that counts repetition in two ways"))?;
        let asking = self.early_clauses().filter(|clause| asks_cycle(self.theory, &clause.body));
        let least = asking.filter_map(|clause| self.least_repetition(clause)).min();
        Ok(Some(Path { room, seen, least: least.unwrap_or(u64::MAX) }))
    }

    /// Do all clauses that leaves ask and that ask about cycles say how often the state must have occurred?
    pub(super) fn cycles_are_guarded(&self) -> bool {
        self.early_clauses().all(|clause| {
            self.least_repetition(clause).is_some() || !asks_cycle(self.theory, &clause.body)
        })
    }

    /// From now on ends are judged as where no state has occurred so often that a cycle is asked about.
    pub(super) fn take_unrepeated(&mut self) {
        if let Some(Unrepeated { terminal, derived }) = self.unrepeated.take() {
            (self.terminal.rows, self.derived, self.ends) = (terminal, derived, OnceCell::new());
        }
    }
}
