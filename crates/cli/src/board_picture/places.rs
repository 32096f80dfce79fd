//! Where the squares of a board are in its picture.
//!
//! In: a board. Out: points. Invariant: rows and columns are as wide as they are high; a slanted board is shifted row by row.

use rulesmith_game::{Board, SquareId};

/// A place in the picture.
pub(super) type Point = (f64, f64);

/// The side of a square.
pub(super) const CELL: f64 = 48.0;
/// Room above the board.
pub(super) const TOP: f64 = 24.0;
/// Room to its left.
pub(super) const LEFT: f64 = 34.0;
/// Room below it.
const BELOW: f64 = 48.0;
/// Room to its right.
const RIGHT: f64 = 24.0;
/// Room for hands.
const HANDS: f64 = 72.0;

/// Where squares are.
#[derive(Debug)]
pub(super) struct Places {
    squares: Vec<(usize, usize)>,
    pub(super) n_columns: usize,
    pub(super) n_rows: usize,
    slant: i32,
}

impl Places {
    pub(super) fn of(board: &Board) -> Self {
        Self {
            squares: board.squares.iter().map(|square| (square.column, square.row)).collect(),
            n_columns: board.column_labels.len(),
            n_rows: board.row_labels.len(),
            slant: board.slant,
        }
    }

    /// The upper left corner of a square.
    pub(super) fn corner(&self, square: SquareId) -> Point {
        let (x, y) = self.middle(square);
        (x - CELL / 2.0, y - CELL / 2.0)
    }

    /// The middle of a square.
    pub(super) fn middle(&self, square: SquareId) -> Point {
        let (column, row) = self.squares[square.0];
        self.middle_of(column, row)
    }

    /// The middle of where a square could be.
    pub(super) fn middle_of(&self, column: usize, row: usize) -> Point {
        let x = LEFT + self.shift(row) + (number(column) + 0.5) * CELL;
        (x, TOP + (number(row) + 0.5) * CELL)
    }

    /// The lower right corner of the board.
    pub(super) fn board_end(&self) -> Point {
        let shift = self.shift(0).max(self.shift(self.n_rows.saturating_sub(1)));
        (LEFT + shift + number(self.n_columns) * CELL, TOP + number(self.n_rows) * CELL)
    }

    /// The size of the picture.
    pub(super) fn size(&self, board: &Board) -> Point {
        let (right, bottom) = self.board_end();
        let hands = if board.hands.is_empty() { 0.0 } else { HANDS };
        // A hand may be longer than the board is high; the longest has as many rows as there are kinds.
        let of_role = |role| board.hands.iter().filter(|hand| hand.role == role).count();
        let most = board.hands.iter().map(|hand| of_role(hand.role)).max().unwrap_or(0);
        let bottom = bottom.max(TOP + number(most) * CELL * 0.82);
        (right + RIGHT + hands, bottom + BELOW)
    }

    /// By how many columns the shorter way between two squares leads over the edge, if it does.
    pub(super) fn over_edge(&self, from: SquareId, to: SquareId) -> Option<Point> {
        let ((x, _), (end_x, _)) = (self.squares[from.0], self.squares[to.0]);
        let width = number(self.n_columns) * CELL;
        let is_far = x.abs_diff(end_x) * 2 > self.n_columns;
        let (end, y) = self.middle(to);
        is_far.then_some((if end_x > x { end - width } else { end + width }, y))
    }

    fn shift(&self, row: usize) -> f64 {
        let steps = if self.slant >= 0 { row } else { self.n_rows - 1 - row };
        number(steps) * f64::from(self.slant.abs()) * CELL / 2.0
    }
}

/// A small number as a length.
pub(super) fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
