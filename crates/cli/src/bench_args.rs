//! The command line of `bench`.
//!
//! In: arguments. Out: one value for each bench.

use clap::{Args, Subcommand, ValueEnum};

use rulesmith_player::Optimization;

use crate::args::{Engine, parse_limit, parse_optimization, parse_seconds};

/// `rulesmith bench`.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Count conditions that hold for `legal`, `terminal` and `goal`, before and after
    Conditions(BenchConditionsArgs),
    /// Time the paper's two rules beside loops written by hand and SWI-Prolog, and the metaprogram itself
    Match(BenchMatchArgs),
    /// Count leaves per second, applied and bulk, beside the hand-written baselines
    Perft(BenchPerftArgs),
    /// Play random contests per second, beside `OpenSpiel` and the hand-written baselines
    Playouts(BenchPlayoutsArgs),
}

/// `rulesmith bench playouts`.
#[derive(Debug, Args)]
pub(crate) struct BenchPlayoutsArgs {
    /// Games of the library, or files; the games that a bar is set for if none is given. Parameters may
    /// follow a colon, as in `go:size=9`
    #[arg(value_name = "GAME")]
    pub(crate) games: Vec<String>,
    /// Seconds of processor time that each program has in a round
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = parse_seconds)]
    pub(crate) seconds: f64,
    /// Rounds, in which the programs take turns; the best and the median are shown
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rounds: u64,
    /// Play so many contests, look at no clock and start no other program: for counting instructions
    #[arg(long, value_name = "N", conflicts_with_all = ["seconds", "rounds"])]
    pub(crate) count: Option<u64>,
    /// Seed of the contests
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) beside: BesideArgs,
    /// Print JSON, one object a game (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rulesmith bench perft`.
#[derive(Debug, Args)]
pub(crate) struct BenchPerftArgs {
    /// Games of the library, or files; some games of the library if none is given. Parameters may
    /// follow a colon, as in `go:size=9`
    #[arg(value_name = "GAME")]
    pub(crate) games: Vec<String>,
    /// Count so many turns ahead [default: each game its own]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: Option<u32>,
    /// Count from this state instead of the initial one
    #[arg(long, visible_alias = "fen", value_name = "TEXT")]
    pub(crate) position: Option<String>,
    /// Count with this program too, in the same rounds; its counts must be ours
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with = "alone")]
    pub(crate) peer: Option<Peer>,
    /// What the peer calls the game [default: the name or alias of ours that it knows]
    #[arg(long, value_name = "NAME", requires = "peer")]
    pub(crate) variant: Option<String>,
    /// Rounds, in which the programs take turns; the best and the median are shown
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rounds: u64,
    #[command(flatten)]
    pub(crate) beside: BesideArgs,
    /// Print JSON, one object a game and kind (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// A program that plays many games too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    /// Reads chess variants, and counts the last turn in bulk
    FairyStockfish,
}

/// The engine, and the programs beside it.
#[derive(Debug, Args)]
pub(crate) struct BesideArgs {
    /// Our engine
    #[arg(long, value_enum, default_value_t = Engine::Native)]
    pub(crate) engine: Engine,
    /// Change a limit, as in `--limit compile-time=60`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_limit)]
    pub(crate) limit: Vec<(String, u64)>,
    /// Leave an optimization of native code out, to see what it is worth (docs/optimizations.md); may be
    /// repeated
    #[arg(long, value_name = "OPTIMIZATION", value_parser = parse_optimization())]
    pub(crate) without: Vec<Optimization>,
    /// The folder that other programs are installed in [default: the user's cache, rulesmith/peers]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) peers: Option<std::path::PathBuf>,
    /// Measure our own engine alone
    #[arg(long)]
    pub(crate) alone: bool,
}

/// `rulesmith bench match`.
#[derive(Debug, Args)]
pub(crate) struct BenchMatchArgs {
    /// Seed of the random positions
    #[arg(long, default_value_t = 2)]
    pub(crate) seed: u64,
    /// How many random positions
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = parse_positions)]
    pub(crate) positions: usize,
    /// Rounds; the median of them is shown
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(crate) rounds: u64,
    /// How often the Prolog system does the work in one round
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) times: u64,
    /// Measure our own ways alone
    #[arg(long)]
    pub(crate) alone: bool,
    /// Time the metaprogram too: mining, a core, ordering, specialising the library
    #[arg(long)]
    pub(crate) metaprogram: bool,
    /// Print JSON, one object a line (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rulesmith bench conditions`.
#[derive(Debug, Args)]
pub(crate) struct BenchConditionsArgs {
    /// Games of the library, or files; all games of the library if none is given. Parameters may
    /// follow a colon, as in `go:size=9`
    #[arg(value_name = "GAME")]
    pub(crate) games: Vec<String>,
    /// Seed of the random contests
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,
    /// How many contests
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) contests: usize,
    /// How many of their states are looked at, evenly spread
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub(crate) states: usize,
    /// Give up reading the rules as written after so many successes for one question
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub(crate) successes: u64,
    /// Also time a call for the legal moves: by the rules as they read, interpreted, and in machine code
    #[arg(long)]
    pub(crate) time: bool,
    /// Print the trees with the counts of each condition
    #[arg(long, conflicts_with = "json")]
    pub(crate) profile: bool,
    /// Print JSON, one object a game (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_positions(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "give at least 1".to_owned())
}
