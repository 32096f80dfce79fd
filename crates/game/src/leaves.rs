//! Leaves counted for speed: perft in its two kinds.
//!
//! In: a state and a depth. Out: how many states lie exactly so many turns ahead, and the sum of their
//! hashes where they were made. Invariant: drawing rules do not apply, and both kinds count the same.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::game::{Draws, Game};
use crate::moves::JointMoves;

/// What is done with the last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// Every leaf is made and hashed.
    Applied,
    /// The turns that lead to leaves are only counted.
    Bulk,
}

impl LeafKind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Bulk => "bulk",
        }
    }
}

/// Leaves that were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leaves {
    /// How many there are.
    pub count: u64,
    /// The sum of their hashes; zero where they were only counted.
    pub hashes: u64,
}

/// Counts leaves by the game contract. The tick is called at every state that is not a leaf, and may break
/// off the work, which gives [`Error::Interrupted`].
pub fn count_leaves<G: Game>(
    game: &G,
    state: &mut G::State,
    (depth, kind): (u32, LeafKind),
    tick: &mut Tick<'_>,
) -> Result<Leaves, Error> {
    let below = |state: &mut G::State, tick: &mut Tick<'_>| {
        count_leaves(game, state, (depth - 1, kind), tick)
    };
    count_leaves_below(game, state, (depth, kind), tick, &below)
}

/// What is called while leaves are counted.
pub type Tick<'t> = dyn FnMut() -> ControlFlow<()> + 't;

/// Counts the leaves of a state.
pub type CountBelow<'c, S> = dyn Fn(&mut S, &mut Tick<'_>) -> Result<Leaves, Error> + 'c;

/// Makes the first turns by the game contract; how the leaves of the states they lead to are counted is given.
pub fn count_leaves_below<G: Game>(
    game: &G,
    state: &mut G::State,
    (depth, kind): (u32, LeafKind),
    tick: &mut Tick<'_>,
    below: &CountBelow<'_, G::State>,
) -> Result<Leaves, Error> {
    let mut leaves = Leaves::default();
    if depth == 0 {
        let hashes = if kind == LeafKind::Applied { game.hash(state) } else { 0 };
        return Ok(Leaves { count: 1, hashes });
    }
    if tick().is_break() {
        return Err(Error::Interrupted);
    }
    if game.is_over(state, Draws::Ignore)? {
        return Ok(leaves);
    }
    let joints = JointMoves::of(game, state)?;
    if depth == 1 && kind == LeafKind::Bulk {
        let sizes = joints.choices().iter().map(|(_, moves)| moves.len() as u64);
        leaves.count = if joints.choices().is_empty() { 0 } else { sizes.product() };
        return Ok(leaves);
    }
    for joint in joints {
        let undo = game.apply(state, &joint)?;
        let below = below(state, tick)?;
        game.undo(state, undo);
        leaves.count += below.count;
        leaves.hashes = leaves.hashes.wrapping_add(below.hashes);
    }
    Ok(leaves)
}
