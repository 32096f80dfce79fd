//! Positions of chess-like games as people write them: FEN, SFEN, and PDN where squares have numbers.
//!
//! In: a checked game, and a text or a position. Out: a position, or all problems of the text with their places; or a text.
//! Everything comes from the game's text: symbols of pieces, who castles with whom, who leaves a trail, hands, checks to be
//! given. Read in this order: `position` (what a text says), `holding` (who can be in hand), `read` with `read_board` and `read_rights` (text to position), `passed` (whose
//! trail a square is), `write` (back), `pdn` (numbered squares), `state` (positions and fluents). Invariant: what is written reads back to the same position.

mod holding;
mod passed;
mod pdn;
mod position;
mod read;
mod read_board;
mod read_rights;
mod state;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ast::{
    BoardKind, Goal, Guard, Inversion, Movement, Place, SclGame, Setup, Side, Square,
};

use super::words::file_letter;

pub(super) use self::pdn::numbered;
pub use self::position::{KindId, Man, Position};

/// How the positions of one game are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fen {
    game: Arc<SclGame>,
    /// The symbol of each kind of piece, as the first side writes it.
    symbols: Vec<String>,
    /// The same in capitals, as the second side has it.
    other_symbols: Vec<String>,
    /// The kinds for which it matters whether they have moved.
    watched: BTreeSet<KindId>,
    /// The kinds that can be in hand.
    held: BTreeSet<KindId>,
    /// The own-view row whose rights have letters.
    home_row: i32,
    /// How many checks win, if any do.
    n_checks: Option<i32>,
    /// The squares that have numbers, in their order.
    numbered: Vec<Square>,
}

impl Fen {
    /// How positions of this game are written.
    pub fn new(game: &SclGame) -> Self {
        let castles = || game.pieces.iter().flat_map(|piece| &piece.castling);
        let is_watched = |id: &KindId| {
            let piece = &game.pieces[id.0];
            let hunting = piece.capturing.iter().flat_map(|capture| &capture.movements);
            let is_unmoved = |one: &Movement| one.guards.contains(&Guard::Unmoved);
            castles().any(|castle| castle.partner == piece.name)
                || piece.moving.iter().chain(hunting).any(is_unmoved)
        };
        Self {
            symbols: game.symbols_of(Side::Player),
            other_symbols: game.symbols_of(Side::Opponent),
            watched: (0..game.pieces.len()).map(KindId).filter(is_watched).collect(),
            held: holding::held_kinds(game),
            home_row: castles().next().map_or(1, |castle| castle.to.row),
            n_checks: game.goals.iter().filter_map(most_checks).max(),
            numbered: numbered(game),
            game: Arc::new(game.clone()),
        }
    }

    /// The game whose positions are written.
    pub fn game(&self) -> &SclGame {
        &self.game
    }

    /// Do the left and the right edge of the board meet?
    pub fn wraps(&self) -> bool {
        self.game.board.kind == BoardKind::VerticalCylinder
    }

    /// Have all men on the rows of rights that could have one, one?
    pub fn has_all_rights(&self, position: &Position) -> bool {
        position.men.iter().all(|(at, man)| {
            at.row != self.rights_row(man.owner)
                || !self.watched.contains(&man.kind)
                || position.fresh.contains(at)
        })
    }

    /// The kind of that name.
    fn kind_named(&self, name: &str) -> Option<KindId> {
        self.game.pieces.iter().position(|piece| piece.name.text == name).map(KindId)
    }

    /// The symbol of a man: in capitals if it is the first side's.
    fn symbol(&self, man: Man) -> String {
        match man.owner {
            Side::Player => self.symbols[man.kind.0].clone(),
            Side::Opponent => self.other_symbols[man.kind.0].to_lowercase(),
        }
    }

    /// A square that a side sees, on the board; and the other way round.
    fn view(&self, side: Side, square: Square) -> Square {
        let (width, height) = (self.game.board.width, self.game.board.height);
        let Square { column, row } = square;
        let (across, up) = (width + 1 - column, height + 1 - row);
        match (side, self.game.inversion.unwrap_or(Inversion::Diagonal)) {
            (Side::Player, _) => square,
            (Side::Opponent, Inversion::Diagonal) => Square { column: across, row: up },
            (Side::Opponent, Inversion::Forward) => Square { column, row: up },
            (Side::Opponent, Inversion::Side) => Square { column: across, row },
        }
    }

    /// The row of the board on which a side has its rights.
    fn rights_row(&self, side: Side) -> i32 {
        self.view(side, Square { column: 1, row: self.home_row }).row
    }

    /// Is it a square of the board and no hole?
    fn is_square(&self, square: Square) -> bool {
        let board = &self.game.board;
        (1..=board.width).contains(&square.column)
            && (1..=board.height).contains(&square.row)
            && !board.holes.contains(&square)
    }

    /// Does a kind castle?
    fn castles(&self, kind: KindId) -> bool {
        !self.game.pieces[kind.0].castling.is_empty()
    }

    /// Does some kind castle with this one?
    fn is_partner(&self, kind: KindId) -> bool {
        let name = &self.game.pieces[kind.0].name;
        let mut castles = self.game.pieces.iter().flat_map(|piece| &piece.castling);
        castles.any(|castle| castle.partner == *name)
    }

    /// Where men of that kind and side stand when a contest starts.
    fn starts_at(&self, man: Man, square: Square) -> bool {
        let Setup::Placements(placements) = &self.game.setup else { return false };
        let name = &self.game.pieces[man.kind.0].name;
        placements.iter().filter(|placement| placement.name == *name).any(|placement| {
            let seen = match placement.side {
                None => self.view(man.owner, square),
                Some(side) if side == man.owner => square,
                Some(_) => return false,
            };
            matches!(&placement.place, Place::At(all) if all.iter().any(|(one, _)| *one == seen))
        })
    }

    /// Has a man not moved, as far as a text without a word on it can tell? On the row of rights only letters tell.
    fn is_fresh_unsaid(&self, man: Man, square: Square) -> bool {
        self.watched.contains(&man.kind)
            && square.row != self.rights_row(man.owner)
            && self.starts_at(man, square)
    }
}

fn most_checks(goal: &Goal) -> Option<i32> {
    match goal {
        Goal::Checks(_, number) => Some(*number),
        Goal::All(goals) => goals.iter().filter_map(most_checks).max(),
        _ => None,
    }
}

/// The other side.
fn other(side: Side) -> Side {
    match side {
        Side::Player => Side::Opponent,
        Side::Opponent => Side::Player,
    }
}

/// `e4`; `None` where columns have no letters.
fn square_name(square: Square) -> Option<String> {
    Some(format!("{}{}", file_letter(square.column)?, square.row))
}
