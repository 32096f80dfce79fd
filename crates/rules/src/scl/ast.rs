//! A chess-like game as its text says it.
//!
//! Grammar: docs/scl.md. Everything is written from the first side's view; `opponent` is the other side.
//! Invariant: what is printed parses back to the same value, places apart.
//! Paper: metagamer §1.3, Figure 3; the sections marked *extension* are ours.

use rulesmith_logic::Span;

pub use super::ast_goals::*;
pub use super::ast_pieces::*;

/// A name in a text. Names are compared without regard to case and kept in small letters.
#[derive(Clone, Debug, Eq)]
pub struct Name {
    /// In small letters.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// A whole game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SclGame {
    /// `GAME name`.
    pub name: Name,
    /// Any one of them suffices.
    pub goals: Vec<Goal>,
    /// The board.
    pub board: Board,
    /// How the second side sees it; `diagonal` where nothing is written.
    pub inversion: Option<Inversion>,
    /// Own-view rows from here on are the region of promotion.
    pub promote_rank: i32,
    /// Named sets of squares; *extension*.
    pub regions: Vec<Region>,
    /// Who stands where.
    pub setup: Setup,
    /// What holds for the whole game.
    pub constraints: Constraints,
    /// What ends a contest without a winner; *extension*.
    pub draws: Vec<Draw>,
    /// `REPETITION 3 draw`; *extension*.
    pub repetitions: Vec<Repetition>,
    /// The kinds of pieces.
    pub pieces: Vec<Piece>,
}

/// `BOARD_SIZE`, `BOARD_TYPE`, `BOARD_HOLES`, `BOARD_NUMBERS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// How its edges meet.
    pub kind: BoardKind,
    /// Squares that do not exist; *extension*.
    pub holes: Vec<Square>,
    /// How squares are numbered in moves and positions; *extension*.
    pub numbering: Option<Numbering>,
}

/// `BOARD_NUMBERS g1 black_first algebraic`: squares of one color have numbers, along the rows from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbering {
    /// Square one.
    pub first: Square,
    /// Is the side that begins called black in positions?
    pub is_black_first: bool,
    /// Are numbers read only, and squares written by columns and rows?
    pub is_algebraic: bool,
}

/// How the edges of a board meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardKind {
    /// They do not.
    Planar,
    /// Columns wrap.
    VerticalCylinder,
}

/// How the second side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inversion {
    /// Turned by half a turn.
    Diagonal,
    /// Rows from the other end.
    Forward,
    /// Columns from the other end; *extension*.
    Side,
}

/// `(column,row)`, from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square {
    /// From the left.
    pub column: i32,
    /// Away from the first side.
    pub row: i32,
}

/// Squares written out, or a region by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Area {
    /// `{(1,1) (2,1)}`.
    Squares(Vec<(Square, Span)>),
    /// A region; *extension*.
    Region(Name),
    /// `RANKS 1 .. 2 FILES 3 .. 4`; what is not written is not limited; *extension*.
    Block {
        /// Rows.
        ranks: Option<(i32, i32)>,
        /// Columns.
        files: Option<(i32, i32)>,
    },
}

/// `REGION name area + area`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// What it is called.
    pub name: Name,
    /// Its parts.
    pub areas: Vec<Area>,
}

/// The side to whom a text belongs, or the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The side itself.
    Player,
    /// The other side.
    Opponent,
}

/// Who stands where when a contest starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setup {
    /// `rook AT {..}`.
    Placements(Vec<Placement>),
    /// `DECISION player ASSIGNS {..} TO {..} END DECISION`.
    Assignment {
        /// Who decides.
        decider: Decider,
        /// The pieces, each as often as it is named.
        names: Vec<Name>,
        /// The squares they go to.
        squares: Vec<(Square, Span)>,
    },
}

/// Who says which piece of an army goes where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    /// A side, piece by piece, in the first turns.
    Side(Side),
    /// `random 7`: a draw, the same for both sides, which its number fixes.
    Random(i32),
}

/// Pieces of one kind that stand on the board or are in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Only for that side, as the first side sees it; both sides, each from its own view, where there is none;
    /// *extension*.
    pub side: Option<Side>,
    /// The kind.
    pub name: Name,
    /// Where.
    pub place: Place,
}

/// Where pieces are at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `AT {..}`.
    At(Vec<(Square, Span)>),
    /// `IN_HAND 2`; *extension*.
    InHand(i32),
}
