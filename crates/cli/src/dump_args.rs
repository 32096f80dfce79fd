//! The arguments of `rulesmith dump`.

use clap::{Args, ValueEnum};

use crate::args::GameArgs;

/// `rulesmith dump`.
#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// The stage
    #[arg(long, value_enum)]
    pub(crate) stage: Stage,
    /// With `--stage analysis`: distances from this square, such as `g1`
    #[arg(long, value_name = "SQUARE")]
    pub(crate) from: Option<String>,
    /// Print JSON (docs/json.md); not for the theory and the kernels, which are text
    #[arg(long)]
    pub(crate) json: bool,
}

/// A stage of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// What the rules say, checked and resolved
    Theory,
    /// The specialized clauses
    Program,
    /// Their trees of conditions
    Tree,
    /// The layout of native states, with the reason of each choice
    Layout,
    /// The kernels that machine code is made from
    Kernels,
    /// The static tables of a chess-like game (docs/analysis.md)
    Analysis,
}
