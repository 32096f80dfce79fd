//! `cargo xtask ci`: every check a change must pass, in order, stopping at the first that fails.
//!
//! In: the checkout. Out: each step's name and duration. Invariant: a step that fails is the last
//! line printed, by name.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::tidy;

/// One step: a name and what it runs.
struct Step {
    name: &'static str,
    run: Run,
}

/// What a step runs.
enum Run {
    /// `cargo` with these arguments and environment variables.
    Cargo(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// The checks of `cargo xtask tidy`.
    Tidy,
}

/// Runs all steps in order until one fails.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let start = Instant::now();
    for step in steps(has_nextest(root)) {
        println!("== {}", step.name);
        let step_start = Instant::now();
        let passed = step.passes(root)?;
        let seconds = step_start.elapsed().as_secs_f64();
        if !passed {
            println!("== {}: FAILED after {seconds:.1} s", step.name);
            return Ok(ExitCode::FAILURE);
        }
        println!("== {}: ok, {seconds:.1} s", step.name);
    }
    println!("== ci: ok, {:.1} s", start.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// The steps, cheapest news first.
fn steps(has_nextest: bool) -> Vec<Step> {
    let cargo = |name, args| Step { name, run: Run::Cargo(args, &[]) };
    let tests: &[_] = if has_nextest {
        &["nextest", "run", "--workspace", "--no-fail-fast"]
    } else {
        &["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests", "--examples"]
    };
    let docs = Run::Cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")]);
    vec![
        cargo("fmt", &["fmt", "--all", "--check"]),
        cargo("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        cargo("tests", tests),
        cargo("doc tests", &["test", "--workspace", "--doc"]),
        Step { name: "docs", run: docs },
        Step { name: "tidy", run: Run::Tidy },
    ]
}

impl Step {
    /// Runs the step.
    fn passes(&self, root: &Path) -> Result<bool> {
        match self.run {
            Run::Cargo(args, environment) => cargo_passes(root, args, environment),
            Run::Tidy => Ok(tidy::run(root)? == ExitCode::SUCCESS),
        }
    }
}

/// Runs cargo with nothing to read, so that no step can wait for a person.
fn cargo_passes(root: &Path, args: &[&str], environment: &[(&str, &str)]) -> Result<bool> {
    let mut command = Command::new("cargo");
    command.args(args).envs(environment.iter().copied()).current_dir(root).stdin(Stdio::null());
    let status =
        command.status().with_context(|| format!("cannot start cargo {}", args.join(" ")))?;
    Ok(status.success())
}

/// Is the faster test runner installed? Without it `cargo test` runs the same tests.
fn has_nextest(root: &Path) -> bool {
    let mut command = Command::new("cargo");
    command.args(["nextest", "--version"]).current_dir(root).stdin(Stdio::null());
    command.output().is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(has_nextest: bool, expected: &expect_test::Expect) {
        let lines = steps(has_nextest).into_iter().map(|step| match step.run {
            Run::Cargo(args, environment) => {
                let set = environment.iter().map(|(name, value)| format!("{name}='{value}' "));
                format!("{}: {}cargo {}\n", step.name, set.collect::<String>(), args.join(" "))
            }
            Run::Tidy => format!("{}: ourselves\n", step.name),
        });
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn steps_come_in_the_order_of_the_house() {
        check(
            true,
            &expect_test::expect![[r"
                fmt: cargo fmt --all --check
                clippy: cargo clippy --workspace --all-targets -- -D warnings
                tests: cargo nextest run --workspace --no-fail-fast
                doc tests: cargo test --workspace --doc
                docs: RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps
                tidy: ourselves
            "]],
        );
    }

    #[test]
    fn without_nextest_the_same_tests_run_in_cargo_test() {
        let steps = steps(false);
        let tests = steps.iter().find(|step| step.name == "tests");
        assert!(matches!(tests, Some(Step { run: Run::Cargo(["test", ..], _), .. })));
    }

    #[test]
    fn a_failing_command_fails_its_step() {
        assert!(!cargo_passes(Path::new("."), &["no-such-command"], &[]).unwrap());
    }
}
