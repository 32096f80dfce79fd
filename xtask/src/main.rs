//! Project chores: `cargo xtask ci` checks a change, `cargo xtask tidy` checks the tree.
//!
//! In: a command and the checkout. Out: what is wrong, on standard output, and an exit code.
//! Invariant: chores only look; what they write is
//! the build folder, with `papers` the golden numbers and the pictures, and with `instructions --record`
//! the counts in `docs/benchmarks.md`.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "chores print, read the tree and time their steps"
)]

mod ci;
mod instructions;
mod papers;
mod peers;
mod tidy;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci            everything, in order: fmt, clippy, tests, docs without warnings, tidy
  instructions  instructions per random contest (callgrind) beside the recorded ones; GAME... names
                some of them, --record writes them to docs/benchmarks.md
  papers        golden/papers and docs/pictures, made anew by the tests that check them
  peers         random positions of the chess-like games, compared with other programs (docs/peers.md):
                --games A,B, --positions N, --seed S, --engine E, --folder F
  tidy          layers, dependencies, budgets, headers, games, texts";

fn main() -> Result<ExitCode> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci"] => ci::run(&root()?),
        ["tidy"] => tidy::run(&root()?),
        ["instructions", words @ ..] => instructions::run(&root()?, words),
        ["papers"] => papers::run(&root()?),
        ["peers", words @ ..] => peers::run(&root()?, words),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            println!("{USAGE}");
            Ok(ExitCode::from(30))
        }
    }
}

/// The top folder of the checkout.
fn root() -> Result<PathBuf> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").context("start this as `cargo xtask`")?;
    let root = Path::new(&manifest).parent().context("xtask has a folder above it")?;
    Ok(root.to_path_buf())
}
