//! Goals, draws and constraints of a chess-like game as its text says it.
//!
//! Grammar: docs/scl.md. What is marked *extension* is ours. Paper: metagamer §1.3, Figure 3.

use rulesmith_logic::Span;

use super::ast::{Area, Name, Side};

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
        /// And cannot be captured there; *extension*.
        is_safe: bool,
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
    /// Fewer pieces of the first kind than of the second on the board; *extension*.
    Fewer(Description, Description),
    /// All of these at once; *extension*.
    All(Vec<Goal>),
    /// The other side may answer with one more turn; *extension*, not inside another goal.
    Answered(Box<Goal>),
    /// Both sides have had equally many turns; *extension*, not inside another goal.
    Evened(Box<Goal>),
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

/// Constraints of a game or of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of words")]
pub struct Constraints {
    /// Who can capture must.
    pub must_capture: Option<MustCapture>,
    /// After a capture the same piece may capture again.
    pub continue_captures: Option<ContinueCaptures>,
    /// Turns may not leave such pieces attacked; *extension*, of games.
    pub protect: Vec<Protect>,
    /// Turns may not attack protected pieces of the other side; *extension*, of games.
    pub no_check: bool,
    /// Pieces may not end or be dropped where they can never move again; *extension*, of games.
    pub no_dead_end: bool,
    /// A turn may be passed; *extension*, of games.
    pub pass: bool,
    /// Who has pieces in hand drops one; *extension*, of games.
    pub must_drop: bool,
    /// While a protected piece is attacked this kind may only capture the one attacker; *extension*, of pieces.
    pub no_flight: bool,
}

/// `protect [{player} {king}]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protect {
    /// Which pieces.
    pub who: Description,
    /// Which of several.
    pub which: Protected,
}

/// Which of several protected pieces may not be left attacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protected {
    /// None of them.
    #[default]
    Each,
    /// The last one.
    Last,
    /// Not all at once.
    Together,
}

/// `must_capture`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MustCapture {
    /// Among captures, those that are best by these, the first first; *extension*.
    pub maximal: Vec<Maximal>,
    /// Where `maximal` stands.
    pub span: Span,
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
    /// Of the squares behind the same victims it takes one from where it can go on, if there is one; *extension*.
    pub onward: bool,
}

/// What ends a contest without a winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draw {
    /// No legal turn and no goal.
    Stalemate,
    /// So many turns in a row without what sets the count back.
    Quiet {
        /// Turns of both sides.
        turns: i32,
        /// What starts the count anew.
        resets: Resets,
        /// How many pieces there must be of each, as either side sees it.
        counts: Vec<(Description, Comparison)>,
    },
    /// Nothing but these is left of both sides together, beside pieces that are protected; one list suffices.
    Material(Vec<Material>),
    /// So many turns in a row began with one of these left of a side, and one of the others of the other side, beside
    /// pieces that are protected.
    Ending {
        /// Turns of both sides.
        turns: i32,
        /// What one side has.
        stronger: Vec<Vec<Name>>,
        /// What the other side has.
        weaker: Vec<Vec<Name>>,
        /// Where all of that stands, as that side sees it.
        on: Option<Area>,
    },
    /// So many turns were made.
    Turns(i32),
    /// Such pieces of both sides face each other on a file after two turns in a row.
    Facing(Name),
    /// So many turns in a row were passed.
    Passes(i32),
}

/// What starts a count of quiet turns anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resets {
    /// Captures.
    pub on_capture: bool,
    /// Promotions; *extension*.
    pub on_promotion: bool,
    /// Turns of these kinds.
    pub on_turns_of: Vec<Name>,
}

/// What is too little to win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// Each as often as it is named, or less often.
    pub names: Vec<Name>,
    /// Any number of them instead, if all stand on squares of one color.
    pub is_alike: bool,
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
    /// That side loses, as the first side sees it.
    LossFor(Side),
}
