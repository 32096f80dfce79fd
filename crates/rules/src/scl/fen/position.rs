//! A position: what a position text says, and no more.
//!
//! In: nothing but values. Out: a value that can be compared. Invariant: nothing here depends on whether it came from a text or
//! from a state.

use std::collections::{BTreeMap, BTreeSet};

use crate::scl::ast::{Side, Square};

/// A kind of piece by number, in the order of the game's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub usize);

/// A piece on the board or in a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Man {
    /// Its kind.
    pub kind: KindId,
    /// Whose it is; `Player` is the first side.
    pub owner: Side,
}

/// What a position text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Who is to move.
    pub turn: Side,
    /// Who stands where.
    pub men: BTreeMap<Square, Man>,
    /// How many are in hand, where there are any.
    pub hands: BTreeMap<Man, i32>,
    /// Whoever stands there has not moved, where that matters.
    pub fresh: BTreeSet<Square>,
    /// Squares passed in the last turn.
    pub trail: BTreeSet<Square>,
    /// Who passed them.
    pub trailing: Option<Square>,
    /// How often each side was in check, where that is counted.
    pub checked: BTreeMap<Side, i32>,
    /// Turns since the last capture or turn that cannot be taken back.
    pub quiet: i32,
    /// The number of the turn: one at the start, and one more after each turn of the second side.
    pub number: i32,
}

impl Default for Position {
    fn default() -> Self {
        Self {
            turn: Side::Player,
            men: BTreeMap::new(),
            hands: BTreeMap::new(),
            fresh: BTreeSet::new(),
            trail: BTreeSet::new(),
            trailing: None,
            checked: BTreeMap::new(),
            quiet: 0,
            number: 1,
        }
    }
}

impl Position {
    /// How many turns of either side were made before.
    pub fn n_turns(&self) -> i32 {
        2 * (self.number - 1) + i32::from(self.turn == Side::Opponent)
    }
}
