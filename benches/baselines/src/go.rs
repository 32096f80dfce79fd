//! Baseline, not used by the product: Go on any board up to 19x19.
//!
//! In: random numbers. Out: contests of `games/go.rules`: captures, no suicide, no position twice,
//! two passes end, area decides, komi 7.5; no limit on length. Empty points stay in one array from
//! move to move, so a candidate is one look-up; whether it is legal is found out only for the
//! candidate, and one that is not is put aside and another drawn, which leaves all legal moves
//! equally likely. Strings keep their pseudo-liberties and the hash of their stones, so legality,
//! superko included, costs four looks. Layout: Łukasz Lew's libego.

mod area;
mod board;
mod history;

use board::{Board, Color, Point};
use history::History;

use crate::baseline::{Baseline, Contest, Leaves, PerftKind};
use crate::bits::Bits;
use crate::random::{Random, fold};

/// Komi in half points.
const KOMI: u32 = 15;

/// A contest of Go; `CELLS` is a power of two above `(SIZE + 1) * (SIZE + 2)`, the board with its
/// border, so that a masked index needs no check.
#[derive(Clone, Debug)]
pub struct Go<const SIZE: usize, const CELLS: usize> {
    board: Board<SIZE, CELLS>,
    history: History,
    turn: Color,
    n_passes: u32,
    /// The empty board, which is quicker to copy than to make.
    start: Board<SIZE, CELLS>,
}

impl<const SIZE: usize, const CELLS: usize> Go<SIZE, CELLS> {
    /// A state from its notation: ranks with `/` between them, numbers for empty points, then the
    /// side to move, as in `1XO1/4 X`. `None` when it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut state = Self::start();
        let (ranks, turn) = text.split_once(' ')?;
        for (rank, row) in ranks.split('/').enumerate() {
            let mut file = 0;
            for sign in row.chars() {
                if let Some(n_empty) = sign.to_digit(10) {
                    file += n_empty as usize;
                    continue;
                }
                let point = Point::at::<SIZE>(file, rank)?;
                let is_placed = state.board.place(&History::empty(), point, color_of(sign)?);
                is_placed.then_some(())?;
                file += 1;
            }
        }
        state.turn = color_of(turn.chars().next()?)?;
        state.history.restart(state.board.hash());
        Some(state)
    }

    fn restart(&mut self) {
        self.board.clone_from(&self.start);
        self.history.restart(self.board.hash());
        self.turn = Color::BLACK;
        self.n_passes = 0;
    }

    /// Makes one random move.
    #[inline(always)]
    fn move_at_random(&mut self, random: &mut Random) {
        let mut n_candidates = self.board.n_empty();
        loop {
            let chosen = random.below(n_candidates + 1);
            if chosen == n_candidates {
                self.n_passes += 1;
                return;
            }
            let point = self.board.empty_point(chosen);
            if self.board.place(&self.history, point, self.turn) {
                self.history.push(self.board.hash());
                self.n_passes = 0;
                return;
            }
            n_candidates -= 1;
            self.board.swap_empty_points(chosen, n_candidates);
        }
    }

    /// What black gets.
    fn score(&self) -> u32 {
        let [black, white] = area::areas(&self.board);
        50 + 50 * u32::from(2 * black > 2 * white + KOMI)
            - 50 * u32::from(2 * black < 2 * white + KOMI)
    }

    fn leaves_below(&mut self, depth: u32, kind: PerftKind) -> Leaves {
        let mut leaves = Leaves::default();
        if depth == 0 {
            return Leaves { count: 1, checksum: self.hash() };
        }
        if self.n_passes == 2 {
            return leaves;
        }
        if depth == 1 && kind == PerftKind::Bulk {
            return Leaves { count: u64::from(self.n_legal()), checksum: 0 };
        }
        let before = (self.board.clone(), self.turn, self.n_passes);
        let mut add = |state: &mut Self| {
            state.turn = state.turn.opponent();
            let below = state.leaves_below(depth - 1, kind);
            leaves.count += below.count;
            leaves.checksum = leaves.checksum.wrapping_add(below.checksum);
            state.turn = before.1;
        };
        for place in 0..before.0.n_empty() {
            if self.board.place(&self.history, before.0.empty_point(place), self.turn) {
                self.history.push(self.board.hash());
                self.n_passes = 0;
                add(self);
                self.history.pop();
                self.board.clone_from(&before.0);
            }
        }
        self.n_passes = before.2 + 1;
        add(self);
        self.n_passes = before.2;
        leaves
    }

    /// The number of legal moves, the pass included.
    fn n_legal(&mut self) -> u32 {
        let mut n_legal = 1;
        for place in 0..self.board.n_empty() {
            let point = self.board.empty_point(place);
            n_legal += u32::from(self.board.is_legal(&self.history, point, self.turn));
        }
        n_legal
    }

    fn hash(&self) -> u64 {
        let key = if self.turn == Color::BLACK { 0xd1b5_4a32_d192_ed03 } else { 1 };
        fold(self.board.hash() ^ key, 0x9e37_79b9_7f4a_7c15 + u64::from(self.n_passes))
    }
}

impl<const SIZE: usize, const CELLS: usize> Baseline for Go<SIZE, CELLS> {
    fn start() -> Self {
        let start = Board::start();
        let mut history = History::empty();
        history.restart(start.hash());
        Self { board: start.clone(), history, turn: Color::BLACK, n_passes: 0, start }
    }

    #[inline(always)]
    fn playout<B: Bits>(&mut self, _: B, random: &mut Random) -> Contest {
        self.restart();
        let mut length = 0;
        while self.n_passes < 2 {
            self.move_at_random(random);
            self.turn = self.turn.opponent();
            length += 1;
        }
        Contest { length, score: self.score() }
    }

    fn perft<B: Bits>(&mut self, _: B, depth: u32, kind: PerftKind) -> Leaves {
        self.leaves_below(depth, kind)
    }
}

fn color_of(sign: char) -> Option<Color> {
    match sign {
        'X' => Some(Color::BLACK),
        'O' => Some(Color::WHITE),
        _ => None,
    }
}
