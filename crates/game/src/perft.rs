//! Perft: how many states lie exactly so many turns ahead.
//!
//! In: a state and a depth. Out: the number of leaves at that depth and how many of them are terminal.
//! Invariant: contests that end earlier add no leaves; several roles moving at once make one turn,
//! counted once for each joint move. The walk keeps its own stack, so any depth is safe.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::game::{Draws, Game, JointMove};
use crate::moves::JointMoves;

/// What a perft counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// States exactly at the depth, counted once for every way to reach them.
    pub leaves: u64,
    /// Those of them in which the contest is over.
    pub terminals: u64,
}

/// A perft by first joint move.
pub type Divided<M> = Vec<(JointMove<M>, Perft)>;

/// Is told how many leaves there are so far, once for every state, and may break off the work.
pub type Progress<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Counts the leaves `depth` turns after `state`. Broken off, it gives [`Error::Interrupted`].
pub fn perft<G: Game>(
    game: &G,
    state: &G::State,
    depth: u32,
    draws: Draws,
    progress: &mut Progress<'_>,
) -> Result<Perft, Error> {
    let mut walk = Walk { game, state: state.clone(), path: Vec::new(), count: Perft::default() };
    walk.enter(None, depth, draws)?;
    loop {
        if progress(walk.count.leaves).is_break() {
            return Err(Error::Interrupted);
        }
        let Some(frame) = walk.path.last_mut() else { return Ok(walk.count) };
        let below = frame.depth - 1;
        match frame.joints.next() {
            Some(joint) => {
                let undo = game.apply(&mut walk.state, &joint)?;
                walk.enter(Some(undo), below, draws)?;
            }
            None => walk.leave(),
        }
    }
}

/// More joint moves than this are not told apart: nobody would read the list.
const MAX_DIVIDED: usize = 100_000;

/// The leaves of [`perft`], told apart by the first joint move; none at depth zero.
pub fn divide<G: Game>(
    game: &G,
    state: &G::State,
    depth: u32,
    draws: Draws,
    progress: &mut Progress<'_>,
) -> Result<Divided<G::Move>, Error> {
    let mut parts = Vec::new();
    if depth == 0 || game.is_over(state, draws)? {
        return Ok(parts);
    }
    let mut before = 0;
    let mut state = state.clone();
    let joints = JointMoves::of(game, &state)?;
    let sizes = joints.choices().iter().map(|(_, moves)| moves.len());
    if sizes.into_iter().try_fold(1_usize, usize::checked_mul).is_none_or(|n| n > MAX_DIVIDED) {
        return Err(Error::Limit { name: "divide", limit: MAX_DIVIDED as u64 });
    }
    for joint in joints {
        let undo = game.apply(&mut state, &joint)?;
        let part = perft(game, &state, depth - 1, draws, &mut |leaves| progress(before + leaves))?;
        game.undo(&mut state, undo);
        before += part.leaves;
        parts.push((joint, part));
    }
    Ok(parts)
}

/// A depth-first walk over the joint moves.
struct Walk<'g, G: Game> {
    game: &'g G,
    state: G::State,
    path: Vec<Frame<G>>,
    count: Perft,
}

/// A state on the path whose joint moves are being tried.
struct Frame<G: Game> {
    joints: JointMoves<G::Move>,
    /// Turns still to make, at least one.
    depth: u32,
    /// What leads back to the state before; `None` at the root.
    undo: Option<G::Undo>,
}

impl<G: Game> Walk<'_, G> {
    /// Counts the state the walk has come to, or opens it when it lies above the leaves.
    fn enter(&mut self, undo: Option<G::Undo>, depth: u32, draws: Draws) -> Result<(), Error> {
        let is_over = self.game.is_over(&self.state, draws)?;
        if depth > 0 && !is_over {
            let joints = JointMoves::of(self.game, &self.state)?;
            self.path.push(Frame { joints, depth, undo });
            return Ok(());
        }
        if depth == 0 {
            self.count.leaves = self.count.leaves.saturating_add(1);
            self.count.terminals += u64::from(is_over);
        }
        self.back(undo);
        Ok(())
    }

    /// Closes the state whose joint moves are all done.
    fn leave(&mut self) {
        let undo = self.path.pop().and_then(|frame| frame.undo);
        self.back(undo);
    }

    fn back(&mut self, undo: Option<G::Undo>) {
        if let Some(undo) = undo {
            self.game.undo(&mut self.state, undo);
        }
    }
}
