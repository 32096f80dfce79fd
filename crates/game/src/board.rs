//! Boards: a state as things on squares, for pictures and sentences.
//!
//! In: what an engine knows of a state and of the squares that a move names. Out: values without logic. Invariant: the
//! squares of a game's boards are the same in every state, in the same order.

use crate::game::RoleId;

/// A state as things on squares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Row by row from the top, each from the left; squares that do not exist are left out.
    pub squares: Vec<Square>,
    /// From the left.
    pub column_labels: Vec<String>,
    /// From the top.
    pub row_labels: Vec<String>,
    /// Do rows count upwards, so that the first is at the bottom?
    pub is_up: bool,
    /// By how many half squares each further row is shifted.
    pub slant: i32,
    /// Do the left and the right edge meet?
    pub wraps: bool,
    /// What roles hold beside the board.
    pub hands: Vec<InHand>,
}

/// A square by its place in [`Board::squares`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SquareId(pub usize);

/// A square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Square {
    /// From the left, from zero.
    pub column: usize,
    /// From the top, from zero.
    pub row: usize,
    /// What it is called in moves.
    pub name: String,
    /// What stands there.
    pub thing: Option<Thing>,
}

/// What stands on a square or is in a hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    /// How it is drawn on a terminal.
    pub glyph: String,
    /// What it is; empty where it is only somebody's.
    pub kind: String,
    /// Whose it is, where the rules say so.
    pub owner: Option<RoleId>,
}

/// Things of one kind beside the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InHand {
    /// Who holds them.
    pub role: RoleId,
    /// What they are.
    pub thing: Thing,
    /// How many.
    pub count: i32,
}

impl Board {
    /// What stands on a square.
    pub fn thing(&self, square: SquareId) -> Option<&Thing> {
        self.squares[square.0].thing.as_ref()
    }

    /// The square of that name; capitals do not matter.
    pub fn named(&self, name: &str) -> Option<SquareId> {
        let is_named = |square: &Square| square.name.eq_ignore_ascii_case(name);
        self.squares.iter().position(is_named).map(SquareId)
    }

    /// The coordinates of a square, column and row, as the rules count them from one.
    pub fn coordinates(&self, square: SquareId) -> (usize, usize) {
        let Square { column, row, .. } = self.squares[square.0];
        (column + 1, if self.is_up { self.row_labels.len() - row } else { row + 1 })
    }

    /// All squares by number.
    pub(crate) fn ids(&self) -> impl Iterator<Item = SquareId> + use<> {
        (0..self.squares.len()).map(SquareId)
    }

    /// How many things a role holds.
    pub(crate) fn n_held(&self, role: RoleId) -> i64 {
        let hands = self.hands.iter().filter(|hand| hand.role == role);
        hands.map(|hand| i64::from(hand.count)).sum()
    }
}
