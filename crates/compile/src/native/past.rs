//! The past inside the kernel of contests: how often the present state occurred.
//!
//! In: the words that are seen where repetitions are counted. Out: statements that keep the hashes of all
//! turn starts. A filter of bits tells most new states at once. Invariant: the counter is what the engine
//! outside the kernel counts; hashes of 64 bits are taken for the states they stand for.

use rulesmith_kernel::{Array, Comparison, Operation, Scalar, Statement, Word};

use super::build::compare;
use super::emit::Emitter;
use super::hash::{FACTOR, salt};
use super::scratch::{FILTER_WORDS, Scratch};
use super::steps::compute;

/// How the past is kept.
#[derive(Clone, Debug)]
pub(super) struct Past {
    scratch: Scratch,
    counter: u32,
    words: Vec<u32>,
    /// The hash of the state at the start of the present turn.
    now: Scalar,
}

impl Past {
    /// The code at the start of a contest; nothing if repetitions are not counted.
    pub(super) fn start(emitter: &mut Emitter<'_>, scratch: Scratch) -> Option<Self> {
        let layout = emitter.places.layout;
        let (counter, over) = layout.repeated().next()?;
        let words: Vec<u32> = layout.words_of(over).collect();
        let now = emitter.let_word(hash_word(&words));
        Some(Self { scratch, counter, words, now })
    }

    /// Ends the kernel if there is no room for another turn.
    pub(super) fn leave_if_full(&self, emitter: &mut Emitter<'_>, made: Scalar) {
        let n_rows = Word::Constant(u64::from(self.scratch.past.n_rows));
        let is_full = compare(Comparison::LessOrEqual, n_rows, Word::State(self.scratch.n_past));
        let leave = vec![Statement::Return(Word::Scalar(made))];
        emitter.push(Statement::If(is_full, leave, Vec::new()));
    }

    /// A turn has been made: its start belongs to the past, and the present state is counted.
    pub(super) fn remember(&self, emitter: &mut Emitter<'_>) {
        let Scratch { past, filter, n_past, .. } = self.scratch;
        let bit = |hash: Scalar| {
            let bit = compute(Operation::And, Word::Scalar(hash), Word::Constant(63));
            compute(Operation::ShiftUp, Word::Constant(1), bit)
        };
        let word = |hash: Scalar| {
            let shift = u64::from(u64::BITS - FILTER_WORDS.ilog2());
            compute(Operation::ShiftDown, Word::Scalar(hash), Word::Constant(shift))
        };
        let filtered = |hash: Scalar| Word::At(filter, Box::new(word(hash)));
        let n = emitter.let_word(Word::State(n_past));
        emitter.push(Statement::StoreAt(past, Word::Scalar(n), Word::Scalar(self.now)));
        let grown = compute(Operation::Or, filtered(self.now), bit(self.now));
        emitter.push(Statement::StoreAt(filter, word(self.now), grown));
        let next = compute(Operation::Add, Word::Scalar(n), Word::Constant(1));
        emitter.push(Statement::Store(n_past, next));
        emitter.push(Statement::Let(self.now, hash_word(&self.words)));
        let times = emitter.let_word(Word::Constant(1));
        let may_be_there = compute(Operation::And, filtered(self.now), bit(self.now));
        let search = count_equal(emitter, past, (n, self.now), times);
        emitter.push(Statement::If(may_be_there, search, Vec::new()));
        emitter.push(Statement::Store(self.counter, Word::Scalar(times)));
    }
}

/// Adds to a scalar how often a word is among the first rows of an array, the row of number `last` included.
fn count_equal(
    emitter: &mut Emitter<'_>,
    array: Array,
    (last, sought): (Scalar, Scalar),
    times: Scalar,
) -> Vec<Statement> {
    let place = emitter.scalar();
    let one = |word| compute(Operation::Add, word, Word::Constant(1));
    let found = Word::At(array, Box::new(Word::Scalar(place)));
    let is_it = compare(Comparison::Equal, found, Word::Scalar(sought));
    let body = vec![
        Statement::Let(times, compute(Operation::Add, Word::Scalar(times), is_it)),
        Statement::If(
            compare(Comparison::Equal, Word::Scalar(place), Word::Scalar(last)),
            vec![Statement::Leave],
            Vec::new(),
        ),
        Statement::Let(place, one(Word::Scalar(place))),
    ];
    vec![Statement::Let(place, Word::Constant(0)), Statement::Repeat(body)]
}

/// The hash of some words of the state, as `hash` computes it.
pub(super) fn hash_word(words: &[u32]) -> Word {
    let mark = |(word, place): (&u32, u64)| {
        let mixed = compute(Operation::Xor, Word::State(*word), Word::Constant(salt(place)));
        let low = compute(Operation::Multiply, mixed.clone(), Word::Constant(FACTOR));
        let high = compute(Operation::MultiplyHigh, mixed, Word::Constant(FACTOR));
        compute(Operation::Xor, low, high)
    };
    let marks = words.iter().zip(0..).map(mark);
    marks.reduce(|left, right| compute(Operation::Xor, left, right)).unwrap_or(Word::Constant(0))
}
