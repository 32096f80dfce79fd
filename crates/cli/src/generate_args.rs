//! The arguments of `rulesmith generate`.

use std::path::PathBuf;

use clap::Args;

use crate::args::parse_value;

/// Shown below the help.
pub(crate) const EXAMPLES: &str = "EXAMPLES:
  rulesmith generate                                  one game, on the terminal
  rulesmith generate --seed 7 --out .                 writes game_7.scl
  rulesmith generate --count 100 --out games          writes game_0.scl to game_99.scl
  rulesmith generate --set board_size=8 --set 'movement_type=leap:1 ride:2'
  rulesmith generate --print-knobs > knobs.toml       all knobs with their defaults, to be changed
  rulesmith generate --knobs knobs.toml --count 20 --out games --json
  rulesmith play game_7.scl

The same seed and knobs give the same game. Game number N of --count has the seed SEED + N.
docs/generate.md says what each knob means.";

/// `rulesmith generate`.
#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// Seed of the first game
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many games [default: 1]; more than one need --out or --json
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), hide_default_value = true)]
    pub(crate) count: u64,
    /// Write each game into this folder, as `game_SEED.scl`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Set knobs from this TOML file
    #[arg(long, value_name = "FILE")]
    pub(crate) knobs: Option<PathBuf>,
    /// Set a knob, as in `--set board_size=5..8`; may be repeated, and goes before the file. A wrong name
    /// says what was meant
    #[arg(long, value_name = "KNOB=VALUE", value_parser = parse_value)]
    pub(crate) set: Vec<(String, String)>,
    /// Print all knobs as a TOML file, with what was set, and generate nothing
    #[arg(long, conflicts_with_all = ["out", "count", "json"])]
    pub(crate) print_knobs: bool,
    /// Print JSON, one object a game (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}
