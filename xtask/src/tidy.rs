//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! In: the checkout. Out: every problem with its file, and notices that fail nothing. Invariant:
//! each check is a function of plain values, and reports all it finds.

mod budgets;
mod dependencies;
mod documents;
mod games;
mod headers;
mod layers;
mod licenses;
mod metadata;
mod purity;
mod rust_source;
mod shortcuts;
mod tree;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use metadata::Metadata;
use rust_source::RustSource;
use tree::Tree;

/// Runs all checks and prints what they find.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let findings = check(root)?;
    for finding in &findings {
        println!("{finding}");
    }
    let n_problems = findings.iter().filter(|one| one.severity == Severity::Problem).count();
    println!("tidy: {n_problems} problems, {} notices", findings.len() - n_problems);
    Ok(if n_problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All findings of all checks, in the order of this list.
fn check(root: &Path) -> Result<Vec<Finding>> {
    let tree = Tree::read(root)?;
    let metadata = Metadata::read(root)?;
    let (sources, mut findings) = RustSource::read_all(&tree);
    findings.extend(layers::check(&metadata.crates(root)));
    findings.extend(dependencies::check(&metadata.crates(root)));
    findings.extend(licenses::check(&metadata.shipped_packages()));
    for source in &sources {
        findings.extend(budgets::check(source));
        findings.extend(headers::check(source));
        findings.extend(shortcuts::check(source));
        findings.extend(purity::check(source));
    }
    findings.extend(games::check(&tree));
    findings.extend(documents::check(&tree));
    Ok(findings)
}

/// Does a finding fail the check?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    /// It does.
    Problem,
    /// It is only said.
    Notice,
}

/// One thing a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    severity: Severity,
    /// The file from the top folder, with `:line` where that is known.
    place: String,
    message: String,
}

impl Finding {
    /// Something that fails the check.
    fn problem(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Problem, place: place.into(), message: message.into() }
    }

    /// Something worth a look.
    fn notice(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Notice, ..Self::problem(place, message) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notice = if self.severity == Severity::Notice { "notice: " } else { "" };
        write!(formatter, "{}: {notice}{}", self.place, self.message)
    }
}

/// Compares findings with the expected text, one a line.
#[cfg(test)]
fn expect_findings(findings: &[Finding], expected: &expect_test::Expect) {
    let lines = findings.iter().map(|finding| format!("{finding}\n"));
    expected.assert_eq(&lines.collect::<String>());
}
