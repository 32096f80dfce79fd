//! `cargo xtask papers`: the golden numbers and the pictures of the papers, made anew.
//!
//! In: the checkout. Out: `golden/papers/*/*.toml` and `docs/pictures/**/*.svg`, rewritten by the tests that
//! check them. Invariant: a number is written only by the code that computes it; the change is for a
//! person to read.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

/// The tests that hold golden numbers, by package.
const TESTS: &[(&str, &str)] = &[
    ("rulesmith-analyze", "paper_golden"),
    ("rulesmith-cli", "scl_chapter"),
    ("rulesmith-specialize", "paper_golden"),
];

/// Rewrites all golden numbers and pictures.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    for (package, test) in TESTS {
        let mut command = Command::new("cargo");
        command.args(["test", "--quiet", "--package", package, "--test", test]);
        command.env("REWRITE_PAPERS", "1").current_dir(root).stdin(Stdio::null());
        if !command.status().context("cannot start cargo")?.success() {
            println!("papers: {test} of {package} failed");
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("papers: rewritten; `git diff golden docs/pictures` shows what changed");
    Ok(ExitCode::SUCCESS)
}
