//! The knobs of the generator: what a generated game looks like, in numbers.
//!
//! In: names and texts, from a file or a command line. Out: a value for each knob, its default where nothing is said. The
//! defaults are those of the generator of 1992 where it has such a knob; docs/generate.md says what each means.
//! Invariant: every value is of its knob's kind and within its bounds, and every text of a value reads back.

use std::fmt;

use super::knob_values::{self, KnobValue};

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Knob(usize);

/// A knob of the table.
#[derive(Clone, Copy, Debug)]
pub struct KnobInfo {
    /// What it is called.
    pub name: &'static str,
    /// What its values are.
    pub kind: KnobKind,
    /// Its default, as it is written.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// What the values of a knob are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnobKind {
    /// A probability: `0.3`.
    Chance,
    /// Whole numbers from one to another, each equally likely: `5..6`.
    Range(i32, i32),
    /// Numbers from zero to one, each equally likely: `0.1..0.8`.
    Shares,
    /// Some of these words with their weights: `leap:0.4 ride:0.4`.
    Words(&'static [&'static str]),
    /// Numbers from zero to one with their weights: `1:0.3 0.8:0.1`.
    Numbers,
}

const fn knob(
    name: &'static str,
    kind: KnobKind,
    default: &'static str,
    meaning: &'static str,
) -> KnobInfo {
    KnobInfo { name, kind, default, meaning }
}

/// Names a knob and its place in the table.
macro_rules! knobs {
    ($($name:ident = $text:literal, $kind:expr, $default:literal, $meaning:literal;)*) => {
        /// All knobs, in the order of the documentation.
        pub const KNOBS: &[KnobInfo] = &[$(knob($text, $kind, $default, $meaning)),*];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "places in the table, by name")]
        enum Place { $($name),* }
        impl Knob {
            $(pub(super) const $name: Self = Self(Place::$name as usize);)*
        }
    };
}

const SIDES: KnobKind = KnobKind::Words(&["player", "opponent"]);
const OWNERS: KnobKind = KnobKind::Words(&["any_player", "player", "opponent"]);
const BOARD: KnobKind = KnobKind::Range(1, rulesmith_rules::scl::MAX_BOARD);

knobs! {
    COLUMNS = "board_columns", BOARD, "5..6", "columns of the board";
    ROWS = "board_rows", BOARD, "5..6", "rows of the board";
    BOARD_TYPE = "board_type", KnobKind::Words(&["planar", "vertical_cylinder"]), "planar:0.9 vertical_cylinder:0.1", "how the edges of the board meet";
    INVERSION = "inversion", KnobKind::Words(&["forward", "diagonal"]), "forward:0.5 diagonal:0.5", "how the second side sees the board";
    BOARD_CROWDING = "board_crowding", KnobKind::Numbers, "0.5:0.7 0.3:0.15 0.7:0.15", "share of all rows that the two armies fill";
    ROW_CROWDING = "row_crowding", KnobKind::Numbers, "1:0.7 0.7:0.3", "share of each such row that pieces fill";
    PROMOTION_FRACTION = "promotion_fraction", KnobKind::Numbers, "1:0.3 0.8:0.1 0.6:0.1 0.4:0.2 0.2:0.2 0:0.1", "promotion begins so far before the last row, as a share of the army's rows";
    PIECE_VARIETY = "piece_variety", KnobKind::Numbers, "1:0.4 0.8:0.2 0.6:0.2 0.4:0.2", "kinds that stand on the board at the start, as a share of the columns";
    PROMOTE_ONLY = "promote_only", KnobKind::Range(0, 25), "1..3", "further kinds, which only promotion makes";
    PLACEMENT = "placement", KnobKind::Words(&["random", "fixed", "player", "opponent"]), "random:0.2 fixed:0.6 player:0.1 opponent:0.1", "how the army is set up: by the generator (`fixed`, `random`), or in the first turns by its owner or by the other side";
    MOVEMENT_TYPE = "movement_type", KnobKind::Words(&["leap", "ride", "hop"]), "leap:0.4 ride:0.4 hop:0.2", "the form of a movement";
    LOCALITY = "locality", KnobKind::Shares, "0.1..0.8", "the longest step, as a share of the board";
    SYMMETRY_FORWARD = "symmetry_forward", KnobKind::Chance, "0.9", "a movement goes backward as well";
    SYMMETRY_SIDE = "symmetry_side", KnobKind::Chance, "0.9", "a movement goes left as well as right";
    SYMMETRY_ROTATION = "symmetry_rotation", KnobKind::Chance, "0.9", "a movement goes across as well as up";
    RIDE_LONGEST = "ride_longest", KnobKind::Chance, "0.2", "a ride goes as far as it can (planar boards)";
    HOP_BEFORE = "constrain_hop_before", KnobKind::Chance, "0.5", "the squares before what is hopped over are counted; else any number";
    HOP_OVER = "constrain_hop_over", KnobKind::Chance, "0.5", "the pieces hopped over are counted; else one or more";
    HOP_AFTER = "constrain_hop_after", KnobKind::Chance, "0.5", "the squares behind are counted; else any number";
    HOP_COUNT = "hop_count", KnobKind::Range(0, rulesmith_rules::scl::MAX_BOARD), "0..2", "what they are counted against";
    COMPARISON = "comparison", KnobKind::Words(&["equal", "at_least", "at_most"]), "equal:0.5 at_least:0.2 at_most:0.3", "how they are counted";
    MOVEMENT_COMPLEXITY = "movement_complexity", KnobKind::Chance, "0.2", "a power has one more movement, and again";
    CAPTURE_COMPLEXITY = "capture_complexity", KnobKind::Chance, "0.2", "a piece has one more way to capture, and again";
    CAPTURE_RETRIEVE = "capture_retrieve", KnobKind::Chance, "0.2", "a capture takes what stands behind the piece";
    CAPTURE_CLOBBER = "capture_clobber", KnobKind::Chance, "0.9", "a capture takes what stands where it ends";
    CAPTURE_HOP = "capture_hop", KnobKind::Chance, "0.5", "a capture takes what is hopped over";
    CAPTURE_EFFECT = "capture_effect", KnobKind::Words(&["remove", "player_possesses", "opponent_possesses"]), "remove:0.5 player_possesses:0.3 opponent_possesses:0.2", "what becomes of victims";
    DESCRIPTION_OWNER = "description_owner", OWNERS, "any_player:0.2 player:0.4 opponent:0.4", "whose pieces are captured, hopped over or promoted into";
    DESCRIPTION_ANY = "description_any_piece", KnobKind::Chance, "0.5", "all kinds of them; else some";
    DESCRIPTION_MORE = "description_more", KnobKind::Chance, "0.8", "one more kind is named, and again";
    PROMOTION = "promotion", KnobKind::Chance, "1", "a kind promotes at all";
    PROMOTION_SPECIFIC = "promotion_specific", KnobKind::Chance, "0.4", "it promotes to one kind; else somebody decides";
    PROMOTION_DECIDER = "promotion_decider", SIDES, "player:0.5 opponent:0.5", "who decides";
    GAME_MUST_CAPTURE = "game_must_capture", KnobKind::Chance, "0.3", "who can capture must";
    PIECE_MUST_CAPTURE = "piece_must_capture", KnobKind::Chance, "0.3", "a kind that can capture must, if it is to move";
    CONTINUE_CAPTURES = "continue_captures", KnobKind::Chance, "0.1", "a kind may capture several times in one turn";
    STALEMATE_SIDE = "stalemate_side", SIDES, "player:0.5 opponent:0.5", "whose stalemate wins";
    GOAL_COMPLEXITY = "goal_complexity", KnobKind::Chance, "0.6", "there is one more goal, and again";
    GOAL_TYPE = "goal_type", KnobKind::Words(&["eradicate", "arrive"]), "eradicate:0.5 arrive:0.5", "what it is";
    ARRIVE_OWNER = "arrive_owner", SIDES, "player:0.5 opponent:0.5", "whose piece is to arrive";
    ARRIVE_MORE = "arrive_more", KnobKind::Chance, "0.8", "one more kind may arrive, and again";
    ARRIVE_SQUARES = "arrive_squares", KnobKind::Chance, "0.5", "there is one more square to arrive at, and again";
    ERADICATE_OWNER = "eradicate_owner", SIDES, "player:0.2 opponent:0.8", "whose pieces are to be gone";
    ERADICATE_ANY = "eradicate_any_piece", KnobKind::Chance, "0.2", "all kinds of them; else some";
    ERADICATE_MORE = "eradicate_more", KnobKind::Chance, "0.8", "one more kind is to be gone, and again";
    TURN_LIMIT = "turn_limit", KnobKind::Range(0, rulesmith_rules::scl::MAX_TURNS), "200", "a contest of so many turns is a draw; 0: no such rule";
}

impl Knob {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KNOBS.len()).map(Self)
    }

    /// The knob of a name.
    pub fn named(name: &str) -> Option<Self> {
        KNOBS.iter().position(|knob| knob.name == name).map(Self)
    }

    /// What it is.
    pub fn info(self) -> &'static KnobInfo {
        &KNOBS[self.0]
    }
}

/// Sets both sides of the board at once.
const BOARD_SIZE: &str = "board_size";

/// A value for each knob.
#[derive(Clone, Debug, PartialEq)]
pub struct Knobs {
    values: Vec<KnobValue>,
}

impl Default for Knobs {
    fn default() -> Self {
        let default = |knob: &KnobInfo| {
            knob_values::parse(knob.kind, knob.default).expect("defaults are values of their knobs")
        };
        Self { values: KNOBS.iter().map(default).collect() }
    }
}

/// Why a knob cannot be set so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnobError {
    /// There is no such knob.
    #[error("there is no knob `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        near: Option<&'static str>,
    },
    /// It has no such value.
    #[error("`{name}` cannot be `{value}`: {why}")]
    Value {
        /// The knob, as it was asked for.
        name: &'static str,
        /// What its values are.
        kind: KnobKind,
        /// The text.
        value: String,
        /// What is wrong.
        why: String,
    },
}

impl Knobs {
    /// Sets a knob by its name. `board_size` sets columns and rows.
    ///
    /// ```
    /// let mut knobs = rulesmith_player::Knobs::default();
    /// knobs.set("board_size", "8").unwrap();
    /// knobs.set("movement_type", "leap:2 ride:1").unwrap();
    /// assert!(knobs.set("must_capture", "1").is_err());
    /// ```
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), KnobError> {
        if name == BOARD_SIZE {
            self.put((BOARD_SIZE, Knob::COLUMNS), text)?;
            return self.put((BOARD_SIZE, Knob::ROWS), text);
        }
        let Some(knob) = Knob::named(name) else {
            let names = KNOBS.iter().map(|knob| knob.name).chain([BOARD_SIZE]);
            let near = rulesmith_rules::nearest(name, names);
            return Err(KnobError::Unknown { name: name.to_owned(), near });
        };
        self.put((knob.info().name, knob), text)
    }

    fn put(&mut self, (name, knob): (&'static str, Knob), text: &str) -> Result<(), KnobError> {
        let kind = knob.info().kind;
        let value = knob_values::parse(kind, text).map_err(|why| {
            let value = text.to_owned();
            KnobError::Value { name, kind, value, why }
        })?;
        self.values[knob.0] = value;
        Ok(())
    }

    /// The value of a knob.
    pub fn value(&self, knob: Knob) -> &KnobValue {
        &self.values[knob.0]
    }

    /// The knobs that are not at their defaults, as names and texts.
    pub fn changed(&self) -> Vec<(&'static str, String)> {
        let default = Self::default();
        let changed = Knob::all().filter(|knob| self.value(*knob) != default.value(*knob));
        changed.map(|knob| (knob.info().name, self.text(knob))).collect()
    }

    /// The value of a knob as text, which reads back.
    pub fn text(&self, knob: Knob) -> String {
        knob_values::text(knob.info().kind, self.value(knob))
    }
}

impl fmt::Display for KnobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chance => f.write_str("a probability"),
            Self::Range(low, high) => write!(f, "whole numbers, {low} to {high}"),
            Self::Shares => f.write_str("numbers, 0 to 1"),
            Self::Words(words) => write!(f, "weights of {}", words.join(", ")),
            Self::Numbers => f.write_str("weights of numbers from 0 to 1"),
        }
    }
}
