//! Contests in a row: many random contests from one state in one run of a kernel.
//!
//! In: the loop that plays one contest. Out: a loop around it that starts each contest anew, with the stream of
//! its number, and adds up its length and its goals. Invariant: contest by contest the same as one after
//! another; a contest that is not over before the limit, or has a goal that is none, is left to the caller.

use rulesmith_game::{PlayoutSums, Random};
use rulesmith_kernel::{Comparison, Operation, Scalar, Set, Statement, Word};
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::build::{Builder, compare};
use super::emit::Emitter;
use super::game::TURNS_AT_ONCE;
use super::goals::MOST;
use super::optimizations::Optimization;

/// Where the words of contests in a row are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ContestRow {
    /// The state that contests start from.
    start: u32,
    state_words: u16,
    /// What the streams of all contests are made of, the number of the next contest, and the end.
    base: u32,
    number: u32,
    end: u32,
    /// Turns of all contests that are over, and for each role the sum of its goals and how many there are.
    turns: u32,
    goals: Vec<(u32, u32)>,
}

/// The parameters: turns of one contest, and whether contests are played in a row.
const LIMIT: Scalar = Scalar(0);
const IS_IN_ROW: Scalar = Scalar(1);

/// Larger states are not copied by kernels.
const MAX_STATE_WORDS: u32 = 256;

impl<'b> Builder<'b> {
    /// Room for contests in a row; nothing where their end has exceptions: a draw has goals that no kernel
    /// tells, and a kernel that keeps the past or tries whole turns may run out of room.
    pub(super) fn contest_row(&mut self) -> Option<ContestRow> {
        let layout = self.places.layout;
        let has_exceptions = !self.optimizations.has(Optimization::ContestRows)
            || self.draw.may_hold
            || self.has_long_turns()
            || layout.repeated().next().is_some()
            || self.legal.iter().any(Option::is_none)
            || layout.n_state_words() > MAX_STATE_WORDS;
        if has_exceptions {
            return None;
        }
        let state_words = u16::try_from(layout.n_state_words()).ok()?;
        let start = self.spare.take(state_words.into());
        let mut word = || self.spare.take(1);
        let (base, number, end, turns) = (word(), word(), word(), word());
        let goals = self.theory.roles.iter().map(|_| (word(), word())).collect();
        Some(ContestRow { start, state_words, base, number, end, turns, goals })
    }

    /// Plays the contest of a body again and again.
    pub(super) fn in_a_row(
        &mut self,
        emitter: &mut Emitter<'b>,
        contest: Vec<Statement>,
        made: Scalar,
        row: &ContestRow,
    ) -> Result<(), Obstacle> {
        let total = emitter.let_word(Word::Constant(0));
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let (starting, ()) = emitter.block(|emitter| row.start(emitter));
            emitter.push(Statement::If(IS_IN_ROW.into(), starting, Vec::new()));
            emitter.push(Statement::Let(made, Word::Constant(0)));
            emitter.push(Statement::Repeat(contest));
            emitter.forget();
            let single = vec![Statement::Return(made.into())];
            emitter.push(Statement::If(IS_IN_ROW.into(), Vec::new(), single));
            self.end_in_row(emitter, (made, total), row)
        });
        done?;
        emitter.push(Statement::Repeat(body));
        Ok(())
    }

    /// A contest is over: it is added to the others.
    fn end_in_row(
        &mut self,
        emitter: &mut Emitter<'b>,
        (made, total): (Scalar, Scalar),
        row: &ContestRow,
    ) -> Result<(), Obstacle> {
        let stop = || vec![Statement::Return(Word::Constant(0))];
        let is_cut = compare(Comparison::Equal, made.into(), LIMIT.into());
        emitter.push(Statement::If(is_cut, stop(), Vec::new()));
        let mut adding = Vec::new();
        for (role, (sum, given)) in row.goals.iter().enumerate() {
            let goal = self.goal_word(emitter, role)?;
            let most = Word::Constant(u64::from(MOST) + 1);
            let is_none = compare(Comparison::Less, most, goal.into());
            emitter.push(Statement::If(is_none, stop(), Vec::new()));
            let is_given =
                emitter.let_word(compare(Comparison::Unequal, goal.into(), Word::Constant(0)));
            let value = Word::from(goal) - Word::from(is_given);
            adding.push(Statement::Store(*sum, Word::State(*sum) + value));
            adding.push(Statement::Store(*given, Word::State(*given) + Word::from(is_given)));
        }
        emitter.push_all(adding);
        emitter.push(Statement::Store(row.turns, Word::State(row.turns) + Word::from(made)));
        emitter.push(Statement::Store(row.number, Word::State(row.number) + 1));
        emitter.push(Statement::Let(total, Word::from(total) + Word::from(made)));
        let enough = Word::Constant(TURNS_AT_ONCE);
        let is_enough = compare(Comparison::LessOrEqual, enough, total.into());
        emitter.push(Statement::If(is_enough, stop(), Vec::new()));
        Ok(())
    }
}

impl ContestRow {
    /// The code that starts a contest: its state and its stream, as [`Random::of_contest`] has it.
    fn start(&self, emitter: &mut Emitter<'_>) {
        let is_last = compare(Comparison::Equal, Word::State(self.number), Word::State(self.end));
        let done = vec![Statement::Return(Word::Constant(0))];
        emitter.push(Statement::If(is_last, done, Vec::new()));
        let width = self.state_words;
        emitter.push(Statement::StoreSet(0, Set::State { offset: self.start, width }));
        let stream = next_bits(emitter, Word::State(self.base) + Word::State(self.number));
        let bits = next_bits(emitter, stream.into());
        emitter.push(Statement::Seed(bits.into()));
    }

    /// Writes what contests from this state need: the seed and the numbers of those to play.
    pub(super) fn fill(&self, words: &mut [u64], seed: u64, numbers: (u64, u64)) {
        let n_words = usize::from(self.state_words);
        words.copy_within(..n_words, self.start as usize);
        words[self.base as usize] = Random::new(seed).next_bits();
        (words[self.number as usize], words[self.end as usize]) = numbers;
    }

    /// The number of the next contest.
    pub(super) fn number<'w>(&self, words: &'w mut [u64]) -> &'w mut u64 {
        &mut words[self.number as usize]
    }

    /// Takes the sums of contests that are over out of the words.
    pub(super) fn take(&self, words: &mut [u64], before: u64, sums: &mut PlayoutSums) {
        let mut take = |word: u32| std::mem::take(&mut words[word as usize]);
        sums.turns += take(self.turns);
        for ((sum, given), (more, also_given)) in sums.goals.iter_mut().zip(&self.goals) {
            *sum += take(*more);
            *given += take(*also_given);
        }
        sums.playouts += *self.number(words) - before;
    }
}

/// The next number of a stream in this place (`SplitMix64`).
fn next_bits(emitter: &mut Emitter<'_>, place: Word) -> Scalar {
    let mut bits = emitter.let_word(place + 0x9E37_79B9_7F4A_7C15);
    for (by, factor) in [(30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)] {
        let high = Word::from(bits).compute(Operation::ShiftDown, by);
        bits = emitter.let_word((Word::from(bits) ^ high) * factor);
    }
    let high = Word::from(bits).compute(Operation::ShiftDown, 31);
    emitter.let_word(Word::from(bits) ^ high)
}
