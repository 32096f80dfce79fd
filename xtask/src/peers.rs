//! `cargo xtask peers`: random positions of the chess-like games, compared with other programs.
//!
//! In: the checkout, a seed and a number of positions. Out: every position in which the whole set of legal
//! moves, or a position after one of them, differs from what another program says. Invariant: fails if a
//! difference is not in the table of known and decided ones, or if one of these is no longer there.

mod compare;
mod known;
mod notation;
mod oracle;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use compare::{Difference, Follow, Sampled, Telling, compare};
use known::is_known;
use oracle::Oracle;
use table::{Compared, Known, Table};

/// Positions to start from, besides the start of each game.
const POSITIONS: &str = "crates/cli/tests/data/perft.json";

/// Of so many positions, one is compared with the positions after its moves.
const FOLLOWED: usize = 9;

/// Differences that are shown for one game.
const SHOWN: usize = 5;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    games: Vec<String>,
    positions: u64,
    seed: u64,
    engine: String,
    folder: Option<PathBuf>,
    program: Option<PathBuf>,
    /// Is it no failure if the other programs cannot be installed?
    may_skip: bool,
}

/// Compares all games, or those that are named.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<ExitCode> {
    let wanted = wanted(words)?;
    let table = Table::read(root)?;
    let unknown =
        wanted.games.iter().find(|name| table.game.iter().all(|game| game.name != **name));
    if let Some(name) = unknown {
        let alone = table.alone.iter().find(|one| one.name == *name);
        let why = alone.map_or("is no chess-like game of the library", |one| one.because.as_str());
        bail!("{name}: {why}");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let folder = wanted.folder.clone().unwrap_or_else(|| target.join("peers"));
    let program = wanted.program.clone().map_or_else(|| build(root, &target), Ok)?;
    let mut oracle = match Oracle::start(root, &folder) {
        Err(error) if wanted.may_skip => {
            println!("peers: no game was compared: {error:#}");
            return Ok(ExitCode::SUCCESS);
        }
        started => started?,
    };
    let starts = starts(root)?;
    let mut n_failed = 0;
    for game in &table.game {
        if wanted.games.is_empty() || wanted.games.contains(&game.name) {
            let starts = starts.get(&game.variant).map_or([].as_slice(), Vec::as_slice);
            let rows = table.difference.iter().filter(|known| known.games.contains(&game.name));
            let rows: Vec<&Known> = rows.collect();
            let command = sample(&program, &wanted, game, starts);
            let passed = compare_game(&mut oracle, game, (&rows, command))
                .and_then(|passed| Ok(passed & shows_rows(&mut oracle, game, (&rows, &program))?));
            n_failed += usize::from(!passed.unwrap_or_else(|error| {
                println!("{:<24} failed: {error:#}", game.name);
                false
            }));
        }
    }
    if wanted.games.is_empty() {
        for one in &table.alone {
            println!("{:<24} not compared: {}", one.name, one.because);
        }
    }
    println!("peers: {n_failed} games with differences that nobody has decided");
    Ok(if n_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads the command line.
fn wanted(words: &[&str]) -> Result<Wanted> {
    let mut wanted = Wanted {
        games: Vec::new(),
        positions: 200,
        seed: 1,
        engine: "reference".to_owned(),
        folder: None,
        program: None,
        may_skip: false,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "--may-skip" {
            wanted.may_skip = true;
            continue;
        }
        let value = words.next().with_context(|| format!("{word} needs a value"))?;
        match *word {
            "--games" => wanted.games = value.split(',').map(str::to_owned).collect(),
            "--positions" => wanted.positions = value.parse().context("--positions")?,
            "--seed" => wanted.seed = value.parse().context("--seed")?,
            "--engine" => (*value).clone_into(&mut wanted.engine),
            "--folder" => wanted.folder = Some(PathBuf::from(value)),
            "--program" => wanted.program = Some(PathBuf::from(value)),
            _ => bail!("{word} is no flag of peers"),
        }
    }
    Ok(wanted)
}

/// Our program, built as it ships.
fn build(root: &Path, target: &Path) -> Result<PathBuf> {
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--quiet", "--package", "rulesmith-cli"]);
    let status = command.current_dir(root).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("the program does not build");
    }
    Ok(target.join("release/rulesmith"))
}

/// A row of the counts: only its position is of interest here.
#[derive(Debug, Deserialize)]
struct Row {
    game: String,
    position: String,
}

/// The positions of each game that others have counted from.
fn starts(root: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let text = fs::read_to_string(root.join(POSITIONS)).context(POSITIONS)?;
    let rows: Vec<Row> = serde_json::from_str(&text).context(POSITIONS)?;
    let mut starts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.position != "start") {
        starts.entry(row.game).or_default().push(row.position);
    }
    Ok(starts)
}

/// The command that prints positions of a game.
fn sample(program: &Path, wanted: &Wanted, game: &Compared, starts: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(["sample", &game.name, "--json", "--engine", &wanted.engine]);
    command.args(["--states", &wanted.positions.to_string(), "--seed", &wanted.seed.to_string()]);
    // Most of the time goes into contests, not into looking at their states.
    command.args(["--stride", "3"]);
    if game.draws {
        command.arg("--draws");
    }
    for start in starts {
        command.args(["--position", start]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// Compares one game; is all of it as the table says?
fn compare_game(
    oracle: &mut Oracle,
    game: &Compared,
    (rows, mut command): (&[&Known], Command),
) -> Result<bool> {
    let mut child = command.spawn().context("cannot start rulesmith")?;
    let lines = BufReader::new(child.stdout.take().context("what rulesmith prints")?).lines();
    let (mut n_positions, mut n_moves, mut n_known) = (0, 0, 0);
    let mut engine = String::new();
    let mut found: Vec<(String, Difference)> = Vec::new();
    for (number, line) in lines.enumerate() {
        let state: Sampled = serde_json::from_str(&line?)?;
        engine.clone_from(&state.engine);
        if game.draws && state.is_drawn() {
            continue;
        }
        let telling = if number % 2 == 0 { Telling::Position } else { Telling::Moves };
        let follow = if number % FOLLOWED == 0 { Follow::Moves } else { Follow::Nothing };
        let difference = compare(oracle, game, &state, (telling, follow))?;
        (n_positions, n_moves) = (n_positions + 1, n_moves + state.legal.len());
        if difference.is_none() {
            continue;
        }
        if is_known(oracle, game, (rows, &difference))? {
            n_known += 1;
        } else {
            found.push((state.position, difference));
        }
    }
    if !child.wait()?.success() {
        bail!("rulesmith failed");
    }
    println!(
        "{:<24} {engine:<12} {n_positions:>6} positions {n_moves:>8} moves {n_known:>5} known {:>4} differences",
        game.name,
        found.len()
    );
    for (position, difference) in found.iter().take(SHOWN) {
        show(position, difference);
    }
    Ok(found.is_empty())
}

/// Does each row of the table whose position is of this game still show there?
fn shows_rows(
    oracle: &mut Oracle,
    game: &Compared,
    (rows, program): (&[&Known], &Path),
) -> Result<bool> {
    let mut is_fine = true;
    for row in rows.iter().filter(|row| row.games.first() == Some(&game.name)) {
        let mut command = Command::new(program);
        command.args(["sample", &game.name, "--json", "--engine", "reference"]);
        // The initial state comes first.
        command.args(["--states", "2", "--max-steps", "1", "--position", &row.position]);
        let output = command.output().context("cannot start rulesmith")?;
        let text = String::from_utf8(output.stdout)?;
        let line = text.lines().nth(1).with_context(|| format!("no state for {}", row.position))?;
        let state: Sampled = serde_json::from_str(line)?;
        let found = compare(oracle, game, &state, (Telling::Position, Follow::Moves))?;
        let is_there = !found.is_none() && found.ours == row.ours && found.theirs == row.theirs;
        if !(is_there && is_known(oracle, game, (rows, &found))?) {
            println!("  the table says otherwise of {}", row.position);
            show(&state.position, &found);
            is_fine = false;
        }
    }
    Ok(is_fine)
}

fn show(position: &str, difference: &Difference) {
    println!("  {position}");
    if !difference.ours.is_empty() {
        println!("    only ours:   {}", difference.ours.join(" "));
    }
    if !difference.theirs.is_empty() {
        println!("    only theirs: {}", difference.theirs.join(" "));
    }
    for (text, ours, theirs) in difference.after.iter().take(2) {
        println!("    after {text}:\n      ours   {ours}\n      theirs {theirs}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let asked = wanted(&["--games", "chess,shogi", "--positions", "7", "--seed", "3"]).unwrap();
        assert_eq!(asked.games, ["chess", "shogi"]);
        assert_eq!((asked.positions, asked.seed), (7, 3));
        assert!(wanted(&["--positions"]).is_err());
        assert!(wanted(&["--fast", "1"]).is_err());
    }
}
