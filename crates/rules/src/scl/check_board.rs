//! The board: every square on it, and at most one piece on each.
//!
//! In: a draft. Out: problems. Invariant: what stands on one square is judged as the first side sees it.

use std::collections::BTreeMap;

use rulesmith_logic::Span;

use super::ast::{Area, Board, Inversion, Place, Setup, Side, Square};
use super::check::Checker;
use super::words;
use crate::source::Diagnostic;

impl Checker<'_> {
    /// The holes and the region of promotion.
    pub(super) fn check_board(&mut self) {
        let board = &self.game.board;
        for (hole, place) in board.holes.iter().zip(&self.places.holes) {
            if !is_within(board, *hole) {
                self.outside(*hole, *place);
            }
        }
        if let Some(numbering) = board.numbering {
            self.check_square(numbering.first, self.places.numbering);
        }
        if self.game.promote_rank > board.height {
            let (rank, height) = (self.game.promote_rank, board.height);
            let message = format!("row {rank} of promotion is outside the board");
            let problem = Diagnostic::error("outside-board", self.section("PROMOTE_RANK"), message);
            self.report(problem.label(format!("the board has {height} rows")).help(format!(
                "write `PROMOTE_RANK {height}`; without `PROMOTING` no piece changes"
            )));
        }
    }

    /// Squares and blocks are on the board, and regions are known.
    pub(super) fn check_area(&mut self, area: &Area, place: Span) {
        let board = &self.game.board;
        match area {
            Area::Squares(squares) => {
                for (square, span) in squares {
                    self.check_square(*square, *span);
                }
            }
            Area::Region(name) => self.check_region(name),
            Area::Block { ranks, files } => {
                self.check_range(*ranks, board.height, "rows", place);
                self.check_range(*files, board.width, "columns", place);
            }
        }
    }

    fn check_range(&mut self, range: Option<(i32, i32)>, size: i32, what: &str, place: Span) {
        let Some((first, last)) = range else { return };
        if first > last {
            let message = format!("{what} {first} to {last} are none");
            let problem = Diagnostic::error("bad-range", place, message);
            self.report(problem.label("empty").help(format!("write `{last} .. {first}`")));
        } else if last > size {
            let message = format!("{what} {first} to {last} are not all on the board");
            let problem = Diagnostic::error("outside-board", place, message);
            let label = format!("the board has {size} {what}");
            self.report(problem.label(label).help(format!("end with {size}")));
        }
    }

    /// The square is on the board and no hole.
    pub(super) fn check_square(&mut self, square: Square, span: Span) {
        let board = &self.game.board;
        if !is_within(board, square) {
            self.outside(square, span);
        } else if self.holes.contains(&square) {
            let message = format!("square {} is a hole", shown(square));
            let problem = Diagnostic::error("hole", span, message)
                .label("not part of the board")
                .related(self.section("BOARD_HOLES"), "the holes");
            self.report(problem.help("choose another square"));
        }
    }

    fn outside(&mut self, square: Square, span: Span) {
        let Board { width, height, .. } = self.game.board;
        let message = format!("square {} is outside the board", shown(square));
        let problem = Diagnostic::error("outside-board", span, message);
        let label = format!("the board has {width} columns and {height} rows");
        let last = shown(Square { column: width, row: height });
        let help = format!("squares are written (column,row) or like `e1`; the last one is {last}");
        self.report(problem.label(label).help(help));
    }

    /// Who stands where: one piece on each square.
    pub(super) fn check_setup(&mut self) {
        let mut taken = BTreeMap::new();
        match &self.game.setup {
            Setup::Placements(placements) => {
                for placement in placements {
                    if let Place::At(squares) = &placement.place {
                        self.place_on(placement.side, squares, &mut taken);
                    }
                }
            }
            Setup::Assignment { names, squares, .. } => {
                self.place_on(None, squares, &mut taken);
                if names.len() > squares.len() {
                    let (pieces, places) = (names.len(), squares.len());
                    let message = format!("{pieces} pieces do not fit on {places} squares");
                    let problem = Diagnostic::error("setup", names[places].span, message);
                    self.report(problem.label("one too many").help("add squares behind `TO`"));
                }
            }
        }
    }

    /// Notes who stands on the squares: for both sides, each from its own view, where no side is given.
    fn place_on(
        &mut self,
        side: Option<Side>,
        squares: &[(Square, Span)],
        taken: &mut BTreeMap<Square, (Span, Side)>,
    ) {
        let board = &self.game.board;
        let inversion = self.game.inversion.unwrap_or(Inversion::Diagonal);
        for (square, span) in squares {
            self.check_square(*square, *span);
            if !is_within(board, *square) {
                continue;
            }
            let first = side.is_none().then_some(Side::Player).or(side);
            let of_first = first.map(|side| (side, *square));
            let of_second = (Side::Opponent, inverted(board, inversion, *square));
            let of_second = side.is_none().then_some(of_second);
            for (side, square) in of_first.into_iter().chain(of_second) {
                if let Some((before, whose)) = taken.insert(square, (*span, side)) {
                    self.report(two_on(square, (*span, side), (before, whose)));
                    // The other side's pieces meet in the same way.
                    break;
                }
            }
        }
    }
}

fn two_on(square: Square, (span, side): (Span, Side), (before, whose): (Span, Side)) -> Diagnostic {
    let whom = |side| if side == Side::Player { "the first side's" } else { "the second side's" };
    let message = format!("two pieces stand on square {}", shown(square));
    Diagnostic::error("setup", span, message)
        .label(format!("{} piece", whom(side)))
        .related(before, format!("{} piece stands there", whom(whose)))
        .help("the second side's pieces stand on the squares turned as `INVERSION` says")
}

/// The square as the other side sees it.
fn inverted(board: &Board, inversion: Inversion, square: Square) -> Square {
    let (column, row) = (board.width + 1 - square.column, board.height + 1 - square.row);
    match inversion {
        Inversion::Diagonal => Square { column, row },
        Inversion::Forward => Square { column: square.column, row },
        Inversion::Side => Square { column, row: square.row },
    }
}

fn is_within(board: &Board, square: Square) -> bool {
    (1..=board.width).contains(&square.column) && (1..=board.height).contains(&square.row)
}

fn shown(square: Square) -> String {
    let place = format!("({},{})", square.column, square.row);
    match words::file_letter(square.column) {
        Some(letter) => format!("{letter}{} {place}", square.row),
        None => place,
    }
}
