//! A chess-like game as its text says it.
//!
//! Grammar: docs/scl.md. Everything is written from the first side's view; `opponent` is the other side.
//! Invariant: what is printed parses back to the same value, places apart.
//! Paper: metagamer §1.3, Figure 3; the sections marked *extension* are ours.

use rulesmith_logic::Span;

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

/// `BOARD_SIZE`, `BOARD_TYPE`, `BOARD_HOLES`.
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

/// `[{player} {king queen}]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Whose pieces; `any_player` where there is none.
    pub owner: Option<Side>,
    /// Which kinds.
    pub names: Names,
}

/// Kinds of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// `any_piece`, perhaps `EXCEPT {..}`, which is an *extension*.
    Any {
        /// These are left out.
        except: Vec<Name>,
    },
    /// `{king queen}`.
    Listed(Vec<Name>),
}

/// What wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// That side is to move and has no legal turn.
    Stalemate(Side),
    /// No such piece is on the board.
    Eradicate(Description),
    /// Such a piece stands on one of the squares.
    Arrive {
        /// Which piece.
        who: Description,
        /// Where.
        at: Area,
        /// The other side may answer with one more turn; *extension*.
        answered: bool,
    },
    /// That side is to move, has no legal turn, and a protected piece of it is attacked; *extension*.
    Checkmate(Side),
    /// That side was left with a protected piece attacked so often; *extension*.
    Checks(Side, i32),
    /// So many such pieces in a row; *extension*.
    Line {
        /// How many.
        length: i32,
        /// Which pieces.
        of: Description,
        /// Only there.
        on: Option<Area>,
    },
    /// A number of such pieces on the board; *extension*.
    Count(Description, Comparison),
    /// All of these at once; *extension*.
    All(Vec<Goal>),
}

/// `[X = 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How it is compared.
    pub relation: Relation,
    /// With what.
    pub number: i32,
}

/// `=`, `>=` or `<=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=`.
    Equal,
    /// `>=`.
    AtLeast,
    /// `<=`.
    AtMost,
}

/// Who stands where when a contest starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setup {
    /// `rook AT {..}`.
    Placements(Vec<Placement>),
    /// `DECISION player ASSIGNS {..} TO {..} END DECISION`.
    Assignment {
        /// Who decides; drawn at random where there is none.
        decider: Option<Side>,
        /// The pieces, each as often as it is named.
        names: Vec<Name>,
        /// The squares they go to.
        squares: Vec<(Square, Span)>,
    },
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

/// Constraints of a game or of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    /// Who can capture must.
    pub must_capture: Option<MustCapture>,
    /// After a capture the same piece may capture again.
    pub continue_captures: Option<ContinueCaptures>,
    /// Turns may not leave such pieces attacked; *extension*, of games.
    pub protect: Vec<Description>,
    /// Turns may not attack protected pieces of the other side; *extension*, of games.
    pub no_check: bool,
    /// Pieces may not end or be dropped where they can never move again; *extension*, of games.
    pub no_dead_end: bool,
    /// A turn may be passed; *extension*, of games.
    pub pass: bool,
}

/// `must_capture`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MustCapture {
    /// Among captures, those that are best by these, the first first; *extension*.
    pub maximal: Vec<Maximal>,
}

/// What makes one capturing turn better than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Maximal {
    /// More victims.
    Count,
    /// More victims of that kind.
    Victims(Name),
    /// Made by that kind.
    By(Name),
    /// A victim of that kind earlier.
    First(Name),
}

/// `continue_captures`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContinueCaptures {
    /// Victims stay on the board until the turn is over, and cannot be captured twice; *extension*.
    pub deferred: bool,
}

/// What ends a contest without a winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draw {
    /// No legal turn and no goal.
    Stalemate,
    /// So many turns without a capture or a turn of one of these kinds.
    Quiet {
        /// Turns of both sides.
        turns: i32,
        /// Does a capture start the count anew?
        resets_on_capture: bool,
        /// Whose turns do.
        resets_on: Vec<Name>,
    },
    /// Nothing but these is left; one list suffices. Each side's pieces beside those that are protected.
    Material(Vec<Vec<Name>>),
    /// So many turns were made.
    Turns(i32),
    /// Such pieces of both sides face each other on a file after two turns in a row.
    Facing(Name),
}

/// `REPETITION 3 draw`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// How often a state must have occurred.
    pub times: i32,
    /// What then happens.
    pub verdict: RepetitionVerdict,
}

/// What a repetition means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepetitionVerdict {
    /// Nobody wins.
    Draw,
    /// Who gave check with every turn of the cycle loses.
    LossForChecker,
    /// Who attacked with every turn of the cycle loses.
    LossForChaser,
    /// Who made the last turn loses.
    LossForMover,
}
