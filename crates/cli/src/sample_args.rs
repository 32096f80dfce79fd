//! The arguments of `rulesmith sample`.

use clap::Args;

use crate::args::GameArgs;

/// `rulesmith sample`.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Print so many states
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) states: u64,
    /// Seed of the random moves; the same seed gives the same states in the same engine
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Leave a contest after so many turns and start the next one
    #[arg(long, value_name = "N", default_value_t = 160, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: u64,
    /// Print every Nth state of a contest only
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) stride: u64,
    /// Let drawing rules (repetition, move counters) end contests
    #[arg(long)]
    pub(crate) draws: bool,
    /// Start contests here too, by turns with the initial state; may be repeated. Such a state is printed itself
    #[arg(long, visible_alias = "fen", value_name = "TEXT")]
    pub(crate) position: Vec<String>,
    /// Print JSON, one object a state, with the state after each legal move (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}
