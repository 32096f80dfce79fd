//! `cargo xtask instructions`: instructions per random contest, counted by callgrind.
//!
//! In: the checkout, and the last counts recorded in `docs/benchmarks.md`. Out: counts of today beside
//! them; with `--record` they are written there. Invariant: a count is the difference of two runs that
//! differ in the number of contests alone, so that making the game ready is not in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The games, and how many contests are counted: about as much work for each.
const GAMES: [(&str, u64); 10] = [
    ("noughts_and_crosses", 200_000),
    ("connect_four", 50_000),
    ("breakthrough", 20_000),
    ("english_draughts", 2_000),
    ("reversi", 2_000),
    ("hex", 4_000),
    ("gomoku", 4_000),
    ("go:size=9", 1_000),
    ("lines_of_action", 500),
    ("nine_mens_morris", 2_000),
];

/// Contests that both runs play.
const FEW: u64 = 10;

/// A game that takes so many times the recorded instructions has become slower.
const SLOWER: f64 = 1.05;

/// Where the recorded counts stand.
const PAGE: &str = "docs/benchmarks.md";
const BEGIN: &str = "<!-- instructions: written by `cargo xtask instructions --record` -->";
const END: &str = "<!-- instructions end -->";

/// Counts the instructions of all games, or of those named, and compares or records them.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<ExitCode> {
    let is_recording = words.contains(&"--record");
    let named: Vec<&&str> = words.iter().filter(|word| !word.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| GAMES.iter().all(|(game, _)| game != **name)) {
        bail!("{unknown} is not one of the games that are counted");
    }
    let page = fs::read_to_string(root.join(PAGE)).context(PAGE)?;
    let mut counts = read(&page)?;
    let program = build(root)?;
    let mut is_slower = false;
    println!("{:<20} {:>14} {:>14} {:>8}", "game", "a playout", "recorded", "change");
    for (game, contests) in GAMES {
        if !(named.is_empty() || named.iter().any(|name| **name == game)) {
            continue;
        }
        let Some(count) = count(&program, game, contests)? else {
            println!("{game:<20} {:>14} not native: not counted", "-");
            continue;
        };
        let recorded = counts.get(game).copied();
        let change = recorded.map(|recorded| ratio(count, recorded));
        is_slower |= change.is_some_and(|change| change > SLOWER);
        let recorded = recorded.map_or("-".to_owned(), |recorded| recorded.to_string());
        let change =
            change.map_or("-".to_owned(), |change| format!("{:+.1} %", change * 100.0 - 100.0));
        println!("{game:<20} {count:>14} {recorded:>14} {change:>8}");
        counts.insert(game.to_owned(), count);
    }
    if is_recording {
        fs::write(root.join(PAGE), write(&page, &counts)?)?;
        println!("instructions: recorded in {PAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(if is_slower { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

#[expect(clippy::cast_precision_loss, reason = "a ratio needs no 53 bits")]
fn ratio(count: u64, recorded: u64) -> f64 {
    count as f64 / recorded.max(1) as f64
}

/// The program, built as it ships.
fn build(root: &Path) -> Result<PathBuf> {
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--quiet", "--package", "rulesmith-cli"]);
    let status = command.current_dir(root).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("the program does not build");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    Ok(target.join("release/rulesmith"))
}

/// Instructions of one contest; nothing if the game is not played by machine code.
fn count(program: &Path, game: &str, contests: u64) -> Result<Option<u64>> {
    let contest_args = |n: u64| {
        let n = n.to_string();
        // Callgrind is slow, and the time that code may take to be made is not.
        let patience = "compile-time=100000";
        ["bench", "playouts", game, "--json", "--limit", patience, "--count", &n].map(str::to_owned)
    };
    let is_native = |stdout: &[u8]| -> Result<bool> {
        let played: Value = serde_json::from_slice(stdout).context("what rulesmith printed")?;
        Ok(played["engine"] == "native")
    };
    let output = Command::new(program).args(contest_args(1)).output().context("rulesmith")?;
    if !is_native(&output.stdout)? {
        return Ok(None);
    }
    let instructions = |n: u64| -> Result<u64> {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        command.arg(program).args(contest_args(n)).stdin(Stdio::null());
        let output = command.output().context("cannot start valgrind: is it installed?")?;
        if !is_native(&output.stdout)? {
            bail!("{game} is native, but not under callgrind");
        }
        let text = String::from_utf8_lossy(&output.stderr);
        collected(&text).with_context(|| format!("valgrind did not count: {text}"))
    };
    let (few, many) = (instructions(FEW)?, instructions(FEW + contests)?);
    Ok(Some(many.saturating_sub(few) / contests))
}

/// The number that callgrind prints at the end.
fn collected(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once("Collected : "))?;
    line.1.trim().parse().ok()
}

/// The recorded counts of the page.
fn read(page: &str) -> Result<BTreeMap<String, u64>> {
    let (_, rest) = page.split_once(BEGIN).with_context(|| format!("{PAGE} lacks {BEGIN}"))?;
    let (table, _) = rest.split_once(END).with_context(|| format!("{PAGE} lacks {END}"))?;
    let row = |line: &str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (game, count) = (cells.next()?, cells.next()?);
        Some((game.to_owned(), count.replace(',', "").parse().ok()?))
    };
    Ok(table.lines().filter_map(row).collect())
}

/// The page with these counts.
fn write(page: &str, counts: &BTreeMap<String, u64>) -> Result<String> {
    let (before, rest) = page.split_once(BEGIN).with_context(|| format!("{PAGE} lacks {BEGIN}"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("{PAGE} lacks {END}"))?;
    let rows = GAMES.iter().filter_map(|(game, contests)| {
        let count = grouped(*counts.get(*game)?);
        Some(format!("| {game} | {count} | {} |\n", grouped(*contests)))
    });
    let rows: String = rows.collect();
    let head = "| game | instructions a playout | playouts counted |\n|---|---|---|\n";
    Ok(format!("{before}{BEGIN}\n{head}{rows}{END}{after}"))
}

/// `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_is_read_again() {
        let page = format!("before\n{BEGIN}\n{END}\nafter\n");
        let counts = BTreeMap::from([("hex".to_owned(), 1_234_567), ("gomoku".to_owned(), 89)]);
        let page = write(&page, &counts).unwrap();
        assert!(page.contains("| hex | 1,234,567 | 4,000 |"), "{page}");
        assert_eq!(read(&page).unwrap(), counts);
        assert!(page.starts_with("before\n") && page.ends_with("\nafter\n"));
    }

    #[test]
    fn the_count_is_found_in_what_callgrind_says() {
        let text = "==1== Events    : Ir\n==1== Collected : 63451907\n==1== \n";
        assert_eq!(collected(text), Some(63_451_907));
        assert_eq!(collected("valgrind: no such program"), None);
    }
}
