//! Questions about cycles inside the kernel of contests, judged when a state occurs again.
//!
//! In: the questions about cycles. Out: statements that keep the state after each turn, and that judge the kept states where the
//! present one has occurred before, or where the kernel ends in the middle of a contest. Invariant: wherever an end is
//! judged, a question's word is less than the length of the cycle exactly when it would be had every state been judged at once;
//! whoever goes on with the contest finds the words of `cycles`.

use rulesmith_kernel::{Array, Comparison, Operation, Scalar, Set, Statement, Word};

use super::Obstacle;
use super::build::Builder;
use super::emit::Emitter;
use super::optimizations::Optimization;
use super::scratch::Scratch;

/// Where the states of a contest are kept.
#[derive(Clone, Debug)]
pub(super) struct LateCycles {
    /// By how many turns were made before the last one, the states after turns of this contest.
    states: Array,
    /// The word that tells how many turns were made.
    n_past: u32,
    /// The word that tells how long ago the present state occurred.
    gap: u32,
    /// The words of the questions when the kernel began.
    at_start: Vec<Scalar>,
}

/// Larger states are not kept.
const MAX_STATE_WORDS: u16 = 128;

impl<'b> Builder<'b> {
    /// Room for the states of a contest; nothing if cycles are not asked about, or judged turn by turn.
    pub(super) fn late_cycles(
        &mut self,
        emitter: &mut Emitter<'b>,
        scratch: Scratch,
    ) -> Option<LateCycles> {
        let (layout, cycles) = (self.places.layout, self.places.cycles);
        let width = scratch.state_words;
        if !self.optimizations.has(Optimization::LateCycles) || width > MAX_STATE_WORDS {
            return None;
        }
        let (_, over) = layout.repeated().next()?;
        let gap = layout.gap(over)?;
        if cycles.is_empty() || cycles.iter().any(|cycle| !cycle.is_over(over)) {
            return None;
        }
        let n_rows = scratch.past.past.n_rows;
        let states = Array { offset: self.spare.take(n_rows * u32::from(width)), width, n_rows };
        let words = (0..cycles.len()).map(|number| Word::State(layout.cycle(number)));
        let at_start = words.map(|word| emitter.let_word(word)).collect();
        Some(LateCycles { states, n_past: scratch.past.n_past, gap, at_start })
    }

    /// A turn has been made and counted: its state is kept, and cycles are judged if it has occurred before.
    pub(super) fn keep_for_cycles(
        &mut self,
        emitter: &mut Emitter<'b>,
        late: &LateCycles,
        made: Scalar,
    ) -> Result<(), Obstacle> {
        let last = Word::State(late.n_past) - Word::Constant(1);
        let state = Set::State { offset: 0, width: late.states.width };
        emitter.push(Statement::StoreSetAt(late.states, last, state));
        let n_states = Word::from(made).compute(Operation::Least, Word::State(late.gap));
        let (judging, done) =
            emitter.block(|emitter| self.judge_kept(emitter, late, (made, n_states)));
        done?;
        emitter.push(Statement::If(Word::State(late.gap), judging, Vec::new()));
        emitter.forget();
        Ok(())
    }

    /// The kernel ends before the contest does, if a word says so: whoever goes on needs the words of all questions.
    pub(super) fn judge_cycles_if(
        &mut self,
        emitter: &mut Emitter<'b>,
        late: Option<&LateCycles>,
        (made, ends): (Scalar, &Word),
    ) -> Result<(), Obstacle> {
        let Some(late) = late else { return Ok(()) };
        let (judging, done) =
            emitter.block(|emitter| self.judge_kept(emitter, late, (made, made.into())));
        done?;
        emitter.push(Statement::If(ends.clone(), judging, Vec::new()));
        emitter.forget();
        Ok(())
    }

    /// The words of all questions, by so many of the kept states, the last one first.
    fn judge_kept(
        &mut self,
        emitter: &mut Emitter<'b>,
        late: &LateCycles,
        (made, n_states): (Scalar, Word),
    ) -> Result<(), Obstacle> {
        let n_states = emitter.let_word(n_states);
        let last = emitter.let_word(Word::State(late.n_past) - Word::Constant(1));
        let mut counts = Vec::new();
        for (number, at_start) in late.at_start.iter().enumerate() {
            // So it is where the body held after no turn of this contest; after no turn of the cycle it may be more.
            let count = emitter.let_word(Word::from(*at_start) + Word::from(made));
            let place = emitter.let_word(Word::Constant(0));
            let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
                let is_done = Word::from(place).compare(Comparison::Equal, n_states);
                emitter.push(Statement::If(is_done, vec![Statement::Leave], Vec::new()));
                let row = Word::from(last) - Word::from(place);
                emitter.push(Statement::StoreSet(0, Set::At(late.states, Box::new(row))));
                let holds = self.holds_after_mover(emitter, number)?;
                let found = vec![Statement::Let(count, place.into()), Statement::Leave];
                emitter.push(Statement::If(holds, found, Vec::new()));
                emitter.push(Statement::Let(place, Word::from(place) + 1));
                Ok(())
            });
            done?;
            emitter.push(Statement::Repeat(body));
            counts.push(count);
        }
        // Before the first turn there is no state to put back, and none was looked at.
        let present = Set::At(late.states, Box::new(last.into()));
        let back = vec![Statement::StoreSet(0, present)];
        emitter.push(Statement::If(made.into(), back, Vec::new()));
        for (number, count) in counts.into_iter().enumerate() {
            let word = self.places.layout.cycle(number);
            emitter.push(Statement::Store(word, count.into()));
        }
        emitter.forget();
        Ok(())
    }
}
