//! The kinds of pieces of a chess-like game as its text says it.
//!
//! Grammar: docs/scl.md. Directions, squares and regions are written from the view of the piece's owner.
//! Paper: metagamer §1.3, Figure 3; what is marked *extension* is ours.

use rulesmith_logic::Span;

use super::ast::{Comparison, Constraints, Description, Name, Side, Square};

/// `DEFINE name .. END DEFINE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is called.
    pub name: Name,
    /// How it is written in positions; its first letter where nothing is said; *extension*.
    pub symbol: Option<String>,
    /// How it moves.
    pub moving: Vec<Movement>,
    /// How it captures.
    pub capturing: Vec<Capture>,
    /// `CASTLING`; *extension*.
    pub castling: Vec<Castle>,
    /// What it becomes; itself where nothing is said.
    pub promoting: Option<Promoting>,
    /// Limits to drops; *extension*.
    pub dropping: Option<Dropping>,
    /// What it is in hand; *extension*.
    pub reverts_to: Option<Name>,
    /// Promotion makes at most so many of them for one side; *extension*.
    pub limit: Option<i32>,
    /// What holds for this kind.
    pub constraints: Constraints,
}

impl Piece {
    /// A piece that neither moves nor captures.
    pub fn inert(name: Name) -> Self {
        Self {
            name,
            symbol: None,
            moving: vec![],
            capturing: vec![],
            castling: vec![],
            promoting: None,
            dropping: None,
            reverts_to: None,
            limit: None,
            constraints: Constraints::default(),
        }
    }
}

/// `CAPTURE BY {..} TYPE .. EFFECT .. END CAPTURE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// How victims are found.
    pub methods: Methods,
    /// Who can be a victim.
    pub victims: Description,
    /// What becomes of it.
    pub effect: Effect,
    /// What becomes of the capturer; *extension*.
    pub becoming: Option<Name>,
    /// The paths.
    pub movements: Vec<Movement>,
    /// Where it stands.
    pub span: Span,
}

/// How victims are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of words")]
pub struct Methods {
    /// The piece behind the one that departs.
    pub retrieve: bool,
    /// The piece on the last square.
    pub clobber: bool,
    /// The pieces hopped over.
    pub hop: bool,
    /// The piece that left a trail on the last square; *extension*.
    pub trail: bool,
}

/// What becomes of a victim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is gone.
    Remove,
    /// It goes to that side's hand.
    Possesses(Side),
    /// It is gone, and so are the capturer and all pieces next to the last square but these; *extension*.
    Explode {
        /// These stay.
        sparing: Option<Description>,
    },
}

/// `MOVEMENT .. END MOVEMENT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// The form of the path.
    pub path: Path,
    /// One step of it.
    pub direction: Direction,
    /// Which images of the direction count.
    pub symmetry: Symmetry,
    /// Where it may start and end; *extension*.
    pub guards: Vec<Guard>,
    /// Squares that were passed stay its trail until the owner's next turn; *extension*.
    pub leaves_trail: bool,
    /// A piece of that kind stays where it started; *extension*, of moves.
    pub leaving: Option<Name>,
    /// What the piece becomes; *extension*, of moves.
    pub becoming: Option<Name>,
    /// Where it stands.
    pub span: Span,
}

/// `<dx,dy>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Direction {
    /// To the right.
    pub right: i32,
    /// Forward.
    pub forward: i32,
}

/// The form of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// None: the piece stays where it is; *extension*. It has no direction.
    Stay,
    /// One step.
    Leap {
        /// These must be empty, seen from the start; *extension*.
        lame: Vec<Direction>,
    },
    /// Several steps over empty squares.
    Ride {
        /// At least; one where nothing is written.
        min: Option<i32>,
        /// At most.
        max: Option<i32>,
        /// Only the longest in each direction.
        longest: bool,
    },
    /// Over pieces.
    Hop {
        /// Empty squares first.
        before: Comparison,
        /// Then pieces.
        over: Comparison,
        /// Then empty squares.
        after: Comparison,
        /// Which pieces.
        over_whom: Description,
    },
}

/// Images of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// The other way up.
    pub forward: bool,
    /// The other way across.
    pub side: bool,
    /// Across for up.
    pub rotation: bool,
}

/// Where a movement may start and end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It starts there.
    From(Name),
    /// It ends there.
    To(Name),
    /// Both.
    Within(Name),
    /// The piece has not moved.
    Unmoved,
    /// No protected piece of its side is attacked.
    Unchecked,
    /// There is no other piece of its kind and side.
    Alone,
    /// It attacks nothing where it ends.
    Peaceful,
}

/// `CASTLE RIGHT WITH rook TO (7,1) PARTNER TO (6,1)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Castle {
    /// On the right hand, or the left.
    pub is_right: bool,
    /// Where the piece must stand; anywhere on the row if nothing is said.
    pub from: Option<Square>,
    /// The partner's kind.
    pub partner: Name,
    /// Where the partner must stand.
    pub partner_from: Option<Square>,
    /// Where the piece ends.
    pub to: Square,
    /// Where the partner ends.
    pub partner_to: Square,
    /// Where it stands.
    pub span: Span,
}

/// `PROMOTING .. END PROMOTING`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promoting {
    /// When; nothing written means ending in the region; *extension*.
    pub on: Option<PromotingOn>,
    /// Where, instead of the rows from `PROMOTE_RANK` on; *extension*.
    pub area: Option<Name>,
    /// Into what.
    pub into: Into,
}

/// When a piece promotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of words")]
pub struct PromotingOn {
    /// A move from outside that ends in the region.
    pub enter: bool,
    /// A move inside the region.
    pub within: bool,
    /// A move out of the region.
    pub leave: bool,
    /// In the middle of captures.
    pub passing: bool,
}

/// What a piece promotes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Into {
    /// `PROMOTE_TO king`.
    Kind(Name),
    /// `DECISION player OPTIONS [..]`.
    Decision {
        /// Who decides.
        decider: Side,
        /// Among what.
        options: Description,
    },
}

/// `DROPPING .. END DROPPING`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropping {
    /// Only there.
    pub to: Option<Name>,
    /// As one of these instead of what is in hand.
    pub kinds: Vec<Name>,
    /// Not on a file with such a piece.
    pub not_sharing_file: Option<Description>,
    /// Not on a file with so many of them.
    pub up_to: Option<i32>,
    /// Not on a square of the color on which such a piece stands.
    pub not_sharing_color: Option<Description>,
    /// No drop may leave those of this kind that are in hand without squares of the colors they need.
    pub reserved: bool,
    /// Not with check.
    pub no_check: bool,
    /// Not with mate.
    pub no_checkmate: bool,
}
