//! The past inside the kernel of contests: how often the present state occurred.
//!
//! In: the words that are seen where repetitions are counted. Out: statements that keep the hashes of all
//! turn starts. A filter of bits tells most new states at once. Invariant: the counter is what the engine
//! outside the kernel counts; hashes of 64 bits are taken for the states they stand for.

use rulesmith_kernel::{Array, Comparison, Operation, Scalar, Statement, Word};

use super::build::compare;
use super::emit::Emitter;
use super::hash::{FACTOR, Packing, salt};
use super::optimizations::Optimization;
use super::scratch::{PastRoom, Scratch};
use super::steps::compute;
use crate::state_layout::StateLayout;

/// The words that are seen where repetitions are counted.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    counter: u32,
    /// The word that tells how long ago that was, if somebody asks.
    gap: Option<u32>,
    words: Packing,
}

impl Seen {
    /// What a layout counts, if it counts in one way.
    pub(super) fn of(layout: &StateLayout) -> Option<Self> {
        let (counter, over) = layout.repeated().next()?;
        let (words, gap) = (Packing::of(layout, over), layout.gap(over));
        (layout.repeated().count() == 1).then_some(Self { counter, gap, words })
    }

    /// The word that counts.
    pub(super) fn counter(&self) -> u32 {
        self.counter
    }

    /// The hash of the present state.
    pub(super) fn hash(&self) -> Word {
        hash_word(&self.words)
    }
}

/// How the past is kept.
#[derive(Clone, Debug)]
pub(super) struct Past {
    room: PastRoom,
    seen: Seen,
    /// The hash of the state at the start of the present turn.
    pub(super) now: Scalar,
}

impl Past {
    /// The code at the start of a contest; nothing if repetitions are not counted.
    pub(super) fn start(emitter: &mut Emitter<'_>, scratch: Scratch) -> Option<Self> {
        let seen = Seen::of(emitter.places.layout)?;
        let now = emitter.let_word(seen.hash());
        Some(Self { room: scratch.past, seen, now })
    }

    /// Is there no room for so many more turns?
    pub(super) fn is_full(&self, n_turns: u32) -> Word {
        let most = Word::Constant(u64::from(self.room.past.n_rows.saturating_sub(n_turns)));
        compare(Comparison::Less, most, Word::State(self.room.n_past))
    }

    /// A turn has been made: its start belongs to the past, and the present state is counted.
    pub(super) fn remember(&self, emitter: &mut Emitter<'_>) {
        let (room, now) = (self.room, self.now);
        let n = emitter.let_word(Word::State(room.n_past));
        emitter.push(Statement::StoreAt(room.past, Word::Scalar(n), Word::Scalar(now)));
        let grown = room.filtered(now) | PastRoom::bit(now);
        emitter.push(Statement::StoreAt(room.filter, room.word(now), grown));
        let more = emitter.let_word(Word::from(n) + 1);
        emitter.push(Statement::Store(room.n_past, Word::Scalar(more)));
        emitter.push(Statement::Let(now, self.seen.hash()));
        let times = emitter.let_word(Word::Constant(1));
        let mut search = count_equal(emitter, room.past, (more, now), times);
        if let Some(gap) = self.seen.gap {
            emitter.push(Statement::Store(gap, Word::Constant(0)));
            search.extend(find_last(emitter, room.past, (more, now), gap));
        }
        let is_filtered = emitter.places.optimizations.has(Optimization::FilteredPast);
        let bit = if is_filtered { PastRoom::bit(now) } else { Word::Constant(u64::MAX) };
        let may_be_there = if is_filtered { room.filtered(now) & bit } else { bit };
        emitter.push(Statement::If(may_be_there, search, Vec::new()));
        emitter.push(Statement::Store(self.seen.counter, Word::Scalar(times)));
    }
}

/// Adds to a scalar how often a word is among so many first rows of an array.
pub(super) fn count_equal(
    emitter: &mut Emitter<'_>,
    array: Array,
    (n_rows, sought): (Scalar, Scalar),
    times: Scalar,
) -> Vec<Statement> {
    let place = emitter.scalar();
    let found = Word::At(array, Box::new(Word::Scalar(place)));
    let is_it = compare(Comparison::Equal, found, Word::Scalar(sought));
    let is_done = compare(Comparison::Equal, Word::Scalar(place), Word::Scalar(n_rows));
    let body = vec![
        Statement::If(is_done, vec![Statement::Leave], Vec::new()),
        Statement::Let(times, Word::from(times) + is_it),
        Statement::Let(place, Word::from(place) + 1),
    ];
    vec![Statement::Let(place, Word::Constant(0)), Statement::Repeat(body)]
}

/// Stores how far from the end of so many first rows of an array a word is, if it is there.
fn find_last(
    emitter: &mut Emitter<'_>,
    array: Array,
    (n_rows, sought): (Scalar, Scalar),
    distance: u32,
) -> Vec<Statement> {
    let place = emitter.scalar();
    let found = Word::At(array, Box::new(Word::Scalar(place)));
    let is_it = compare(Comparison::Equal, found, Word::Scalar(sought));
    let is_done = compare(Comparison::Equal, Word::Scalar(place), Word::Constant(0));
    let told = Statement::Store(distance, Word::from(n_rows) - Word::Scalar(place));
    let body = vec![
        Statement::If(is_done, vec![Statement::Leave], Vec::new()),
        Statement::Let(place, Word::from(place) - Word::Constant(1)),
        Statement::If(is_it, vec![told, Statement::Leave], Vec::new()),
    ];
    vec![Statement::Let(place, Word::Scalar(n_rows)), Statement::Repeat(body)]
}

/// The hash of some words of the state, as `hash` computes it.
pub(super) fn hash_word(packing: &Packing) -> Word {
    let moved = |(word, shift): &(u32, u32)| match shift {
        0 => Word::State(*word),
        shift => compute(Operation::ShiftUp, Word::State(*word), Word::Constant((*shift).into())),
    };
    let mark = |(pack, place): (&Vec<(u32, u32)>, u64)| {
        let packed = pack.iter().map(moved).reduce(|left, right| left | right)?;
        let mixed = compute(Operation::Xor, packed, Word::Constant(salt(place)));
        let low = compute(Operation::Multiply, mixed.clone(), Word::Constant(FACTOR));
        let high = compute(Operation::MultiplyHigh, mixed, Word::Constant(FACTOR));
        Some(compute(Operation::Xor, low, high))
    };
    let marks = packing.0.iter().zip(0..).filter_map(mark);
    marks.reduce(|left, right| compute(Operation::Xor, left, right)).unwrap_or(Word::Constant(0))
}
