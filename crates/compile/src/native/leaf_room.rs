//! Room beyond the state that the kernel of leaves works in, and how it is run.
//!
//! In: a layout, or a state and a depth. Out: where the stacks and the sums are, or the leaves. Invariant:
//! where the kernel has no room or does not know enough, the first turns are made by the game contract, and the leaves
//! below them are counted as before.

use rulesmith_game::{Error, LeafKind, Leaves, Tick, count_leaves, count_leaves_below};
use rulesmith_kernel::{Array, KernelId, Set};
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::game::{NativeGame, NativeState};
use super::leaves::{DONE, MORE};
use super::path::PathRoom;
use super::run::Code;

/// Where everything is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LeafRoom {
    state_words: u16,
    /// The state whose turns are made.
    pub(super) kept: u32,
    /// States to come, how many there are, and for each the turns to its leaves.
    pub(super) stack: Array,
    pub(super) n_states: u32,
    pub(super) depths: Array,
    /// States within the turn under way, and for each the steps to it.
    pub(super) turn: Array,
    pub(super) steps: Array,
    /// The hashes of the ends of turns found so far.
    pub(super) ends: Array,
    /// How many leaves there are, and the sum of their hashes.
    pub(super) n_leaves: u32,
    pub(super) hashes: u32,
    /// Where the hashes of states on the way are, if somebody asks how often one occurred.
    pub(super) path: Option<PathRoom>,
    /// All words together, the state's among them.
    pub(super) n_words: u32,
}

/// Words of a stack of states.
const STACK_WORDS: u32 = 1 << 17;
/// States on a stack.
const MAX_STACKED: u32 = 1 << 13;
/// Ends of turns that are compared with each other.
const MAX_ENDS: u32 = 512;
/// Larger states are not copied by kernels.
const MAX_STATE_WORDS: u32 = 256;
/// So many states are visited before the caller is asked again.
const STATES_AT_ONCE: u64 = 1 << 14;

impl LeafRoom {
    /// The room beside a state of so many words, from the first free word on.
    pub(super) fn new(state_words: u32, free: u32, has_path: bool) -> Result<Self, Obstacle> {
        let small = Some(state_words).filter(|words| *words <= MAX_STATE_WORDS);
        let Some(width) = small.and_then(|words| u16::try_from(words).ok()) else {
            return Err(Obstacle::new("states too large to be copied"));
        };
        let mut next = free;
        let mut array = |width: u16, n_rows: u32| {
            let array = Array { offset: next, width, n_rows };
            next += u32::from(width) * n_rows;
            array
        };
        let n_rows = (STACK_WORDS / u32::from(width)).min(MAX_STACKED);
        let kept = array(width, 1).offset;
        let n_states = array(1, 1).offset;
        let (n_leaves, hashes) = (array(1, 1).offset, array(1, 1).offset);
        let (stack, depths) = (array(width, n_rows), array(1, n_rows));
        let (turn, steps) = (array(width, n_rows), array(1, n_rows));
        let ends = array(1, MAX_ENDS);
        let path = has_path.then(|| PathRoom::new(&mut next));
        let (state_words, n_words) = (width, next);
        Ok(Self {
            state_words,
            kept,
            stack,
            n_states,
            depths,
            turn,
            steps,
            ends,
            n_leaves,
            hashes,
            path,
            n_words,
        })
    }

    /// The state that the kernel works on.
    pub(super) fn present(&self) -> Set {
        Set::State { offset: 0, width: self.state_words }
    }

    /// The state whose turns are made.
    pub(super) fn kept(&self) -> Set {
        Set::State { offset: self.kept, width: self.state_words }
    }

    /// The words of a count that starts here; nothing if there is no room for its past.
    fn start(&self, state: &NativeState, depth: u32) -> Option<Vec<u64>> {
        let mut words = vec![0; self.n_words as usize];
        let first = self.stack.offset as usize;
        words[first..first + state.words.len()].copy_from_slice(&state.words);
        words[self.depths.offset as usize] = u64::from(depth);
        words[self.n_states as usize] = 1;
        if let Some(path) = &self.path {
            path.fill(&mut words, &state.past, depth)?;
        }
        Some(words)
    }
}

impl NativeGame {
    /// Counts leaves, by the kernel where there is one.
    pub(super) fn leaves_by_kernel(
        &self,
        state: &NativeState,
        (depth, kind): (u32, LeafKind),
        tick: &mut Tick<'_>,
    ) -> Result<Leaves, Error> {
        let by_turns = |tick: &mut Tick<'_>| {
            let below = |state: &mut NativeState, tick: &mut Tick<'_>| {
                self.leaves_by_kernel(state, (depth - 1, kind), tick)
            };
            count_leaves_below(self, &mut state.clone(), (depth, kind), tick, &below)
        };
        let code = self.leaf_code().ok().zip(self.plan.leaves.as_ref()).filter(|_| depth > 0);
        let Some((code, room)) = code else {
            return count_leaves(self, &mut state.clone(), (depth, kind), tick);
        };
        let Some(mut words) = room.start(state, depth) else { return by_turns(tick) };
        let params = [u64::from(kind == LeafKind::Applied), STATES_AT_ONCE];
        loop {
            if tick().is_break() {
                return Err(Error::Interrupted);
            }
            match code.change(KernelId(0), &mut words, &params, &mut 0)? {
                DONE => break,
                MORE => {}
                // One turn further the stack needs less room, and fewer states come back.
                _ => return by_turns(tick),
            }
        }
        let (count, hashes) = (words[room.n_leaves as usize], words[room.hashes as usize]);
        Ok(Leaves { count, hashes })
    }

    /// The code that counts leaves, made when it is first asked for; or why there is none.
    fn leaf_code(&self) -> Result<&Code, &Obstacle> {
        let code = self.leaf_code.get_or_init(|| {
            let mut code = self.code.beside(self.leaves.clone()?);
            if self.is_compiled {
                code.compile()?;
            }
            Ok(code)
        });
        code.as_ref()
    }

    /// Why there is no kernel that counts leaves; nothing if there is one.
    pub fn leaf_obstacle(&self) -> Option<&Obstacle> {
        self.leaf_code().err()
    }
}
