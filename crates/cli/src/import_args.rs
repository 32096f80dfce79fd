//! The arguments of `rulesmith import`.

use std::path::PathBuf;

use clap::Args;

/// `rulesmith import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The configuration of variants, such as `variants.ini`
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Only these variants
    #[arg(value_name = "VARIANT")]
    pub(crate) variants: Vec<String>,
    /// Write each game into this folder, as NAME.scl; without it, one game that was named is printed
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Leave this key out; may be repeated
    #[arg(long, value_name = "KEY")]
    pub(crate) ignore: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
