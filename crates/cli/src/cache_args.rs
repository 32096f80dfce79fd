//! The command line of `cache`.
//!
//! In: arguments. Out: one value for each command.

use clap::{Args, Subcommand};

/// What to do with the cache.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Print its folder
    #[command(after_help = "EXAMPLES:\n  rulesmith cache path")]
    Path(CacheArgs),
    /// List its files, the oldest first
    #[command(after_help = "EXAMPLES:\n  rulesmith cache list\n  rulesmith cache list --json")]
    List(CacheArgs),
    /// Remove its files
    #[command(after_help = "EXAMPLES:\n  rulesmith cache clear")]
    Clear(CacheArgs),
}

/// `rulesmith cache path`, `list` and `clear`.
#[derive(Debug, Args)]
pub(crate) struct CacheArgs {
    /// Print JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}
