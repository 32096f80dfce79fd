//! The arguments of `rulesmith play`.

use clap::{Args, ValueEnum};
use rulesmith_player::Seat;

use crate::args::{DEFAULT_MAX_STEPS, GameOptions, parse_seconds};
use crate::show_args::NotationArgs;

/// `rulesmith play`.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// A name of the library (see `rulesmith games`), or a path to a .rules, .scl or .kif file
    #[arg(value_name = "GAME", required_unless_present = "load")]
    pub(crate) game: Option<String>,
    #[command(flatten)]
    pub(crate) options: GameOptions,
    /// The roles you play, separated by commas; `all` (or `both`) and `none` are understood too.
    /// The first role if nothing is said; the program plays the others
    #[arg(long, visible_alias = "roles", value_name = "ROLE", value_delimiter = ',')]
    pub(crate) role: Vec<String>,
    /// Start from this state instead of the initial one
    #[arg(long, visible_alias = "fen", value_name = "TEXT", conflicts_with = "load")]
    pub(crate) position: Option<String>,
    /// Seed of the program's moves; the same seed plays the same moves [default: 0]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Continue a saved contest
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Option<String>,
    /// Save the contest here when you leave
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<String>,
    /// Stop after so many turns in a row without a choice of yours
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_STEPS)]
    pub(crate) max_steps: u64,
    #[command(flatten)]
    pub(crate) notation: NotationArgs,
    /// How the program plays.
    #[command(flatten)]
    pub(crate) opponent: OpponentArgs,
    /// Play so many contests without you, the players taking every role by turns, and show how each
    /// player did
    #[arg(long, value_name = "N", conflicts_with_all = ["role", "load", "save"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) contests: Option<u64>,
    /// Print JSON (docs/json.md)
    #[arg(long, requires = "contests")]
    pub(crate) json: bool,
}

/// How the program plays.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Opponent")]
pub(crate) struct OpponentArgs {
    /// How the program chooses its moves; several, separated by commas, are for its roles in order
    /// [default: monte-carlo]
    #[arg(long, value_enum, value_name = "HOW", value_delimiter = ',')]
    pub(crate) opponent: Vec<Opponent>,
    /// Playouts for one move; the same number and the same seed give the same move [default: 2000,
    /// and at most 5 seconds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) playouts: Option<u64>,
    /// Seconds for one move, unless the playouts are done before
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    pub(crate) seconds: Option<f64>,
    /// Give up a playout after so many turns; it counts as a draw
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PLAYOUT_LENGTH, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) playout_length: u64,
    /// Show the scores of so many of the program's moves
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SCORES)]
    pub(crate) scores: usize,
}

/// A way to choose moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Opponent {
    /// The move that does best in random contests
    MonteCarlo,
    /// Any move
    Random,
}

impl Opponent {
    /// The seat it takes.
    pub(super) fn seat(self) -> Seat {
        match self {
            Self::MonteCarlo => Seat::MonteCarlo,
            Self::Random => Seat::Random,
        }
    }
}

/// Longer playouts say little about the move they began with.
const DEFAULT_PLAYOUT_LENGTH: u64 = 1_000;
/// More moves than this are a list that nobody reads.
const DEFAULT_SCORES: usize = 5;
