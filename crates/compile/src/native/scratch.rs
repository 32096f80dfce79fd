//! Room beyond the state that the kernel of whole contests works in.
//!
//! In: a layout. Out: where the past, the states of a turn under way and the ends found so far are.
//! Invariant: nothing here is part of the state; what does not fit makes the kernel stop at the start of a
//! turn, and the contest is played on turn by turn.

use rulesmith_kernel::{Array, Operation, Scalar, Word};
use serde::{Deserialize, Serialize};

/// Where the past is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct PastRoom {
    /// How many hashes of the past there are.
    pub(crate) n_past: u32,
    /// The hashes of what was seen at the start of each turn.
    pub(crate) past: Array,
    /// Bits that tell which hashes are not in the past.
    pub(crate) filter: Array,
}

impl PastRoom {
    /// Room from a word on, beside a state of so many words; `next` is afterwards the first free word. Without a
    /// past it is small.
    pub(crate) fn new(next: &mut u32, state_words: u32, has_past: bool) -> Self {
        let is_large = state_words >= LARGE_STATE;
        let n_filter = if is_large { MAX_FILTER_WORDS } else { FILTER_WORDS };
        let mut array = |n_rows: u32| {
            let n_rows = if has_past { n_rows } else { 1 };
            *next += n_rows;
            Array { offset: *next - n_rows, width: 1, n_rows }
        };
        Self { past: array(MAX_PAST), filter: array(n_filter), n_past: array(1).offset }
    }

    /// Puts a past into the room; nothing if it does not fit.
    pub(crate) fn fill(&self, room: &mut [u64], past: &[u64]) -> Option<()> {
        room[self.n_past as usize] = past.len() as u64;
        if past.len() > self.past.n_rows as usize {
            return None;
        }
        let first = self.past.offset as usize;
        room[first..first + past.len()].copy_from_slice(past);
        let first = self.filter.offset as usize;
        room[first..first + self.filter.n_rows as usize].fill(0);
        for hash in past {
            let word = hash.checked_shr(self.shift()).and_then(|word| usize::try_from(word).ok());
            room[first + word.unwrap_or(0)] |= 1 << (hash % 64);
        }
        Some(())
    }

    /// The bit of a hash in its word of the filter.
    pub(crate) fn bit(hash: Scalar) -> Word {
        Word::Constant(1).compute(Operation::ShiftUp, Word::from(hash) & 63)
    }

    /// How far the part of a hash is moved that tells the word of the filter.
    fn shift(&self) -> u32 {
        u64::BITS - self.filter.n_rows.ilog2()
    }

    /// The word of the filter that a hash is in.
    pub(crate) fn word(&self, hash: Scalar) -> Word {
        Word::from(hash).compute(Operation::ShiftDown, u64::from(self.shift()))
    }

    pub(crate) fn filtered(&self, hash: Scalar) -> Word {
        Word::at(self.filter, self.word(hash))
    }
}

/// Where everything is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Scratch {
    /// The words of a state.
    pub(crate) state_words: u16,
    pub(crate) past: PastRoom,
    /// The states on the way to the present step of a turn, and the rank of the next step in each.
    pub(crate) stack: Array,
    pub(crate) ranks: Array,
    /// The hashes of the ends of turns found so far.
    pub(crate) ends: Array,
    /// The state that was chosen so far.
    pub(crate) kept: u32,
    /// All words together, the state's among them.
    pub(crate) n_words: u32,
}

/// A contest of more turns is played on turn by turn, or ends at this limit where moves are judged by the past.
const MAX_PAST: u32 = 1 << 16;
/// Words of the filter, a power of two; more beside large states, whose contests are long.
const FILTER_WORDS: u32 = 256;
const MAX_FILTER_WORDS: u32 = 1024;
/// Words of a state that is large.
const LARGE_STATE: u32 = 16;
/// Steps of a turn.
pub(crate) const MAX_STEPS: u32 = 32;
/// Ends of turns that are compared with each other.
const MAX_ENDS: u32 = 256;
/// Larger states are not copied by kernels.
const MAX_STATE_WORDS: u32 = 256;

impl Scratch {
    /// The room beside a state of so many words, from the first free word on; nothing if the state is too large
    /// to be copied.
    pub(crate) fn new(
        (state_words, free): (u32, u32),
        known: Option<PastRoom>,
        has_past: bool,
        has_long_turns: bool,
    ) -> Option<Self> {
        let width = u16::try_from(state_words.min(MAX_STATE_WORDS)).ok()?;
        if has_long_turns && state_words > MAX_STATE_WORDS {
            return None;
        }
        let mut next = free;
        let past = known.unwrap_or_else(|| PastRoom::new(&mut next, state_words, has_past));
        let mut array = |width: u16, n_rows: u32, is_needed: bool| {
            let array = Array { offset: next, width, n_rows: if is_needed { n_rows } else { 1 } };
            next += u32::from(width) * array.n_rows;
            array
        };
        let stack = array(width, MAX_STEPS, has_long_turns);
        let ranks = array(1, MAX_STEPS, has_long_turns);
        let ends = array(1, MAX_ENDS, has_long_turns);
        let kept = array(width, 1, has_long_turns).offset;
        let state_words = width;
        Some(Self { state_words, past, stack, ranks, ends, kept, n_words: next })
    }

    /// Puts a state and its past into the room; nothing if they do not fit.
    pub(crate) fn fill(&self, room: &mut Vec<u64>, state: &[u64], past: &[u64]) -> Option<()> {
        room.resize(self.n_words as usize, 0);
        room[..state.len()].copy_from_slice(state);
        self.past.fill(room, past)
    }

    /// Takes the state and its past out of the room.
    pub(crate) fn take(&self, room: &[u64], state: &mut [u64], past: &mut Vec<u64>) {
        let n_words = state.len();
        state.copy_from_slice(&room[..n_words]);
        let n_past = usize::try_from(room[self.past.n_past as usize]).unwrap_or(0);
        let first = self.past.past.offset as usize;
        past.extend_from_slice(&room[first + past.len()..first + n_past]);
    }
}
