//! Fairy-Stockfish, which reads variant rules too and counts the last turn in bulk, as a peer of `bench perft`.
//!
//! In: a variant, a position and a depth. Out: its count, and the processor time it took. Invariant: it is
//! another process, found on this machine and never part of this program.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is where other programs are started and the time they took is read"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::clock::Stopwatch;
use crate::exit::{Exit, Failure};

/// What it is called.
pub(super) const NAME: &str = "fairy-stockfish";

/// Where Debian keeps games, which need not be on the path.
const GAMES_FOLDER: &str = "/usr/games";

/// The program at work.
pub(super) struct FairyStockfish {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    variants: Vec<String>,
}

/// One count of leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) leaves: u64,
    pub(super) seconds: f64,
}

impl FairyStockfish {
    /// Finds and starts it.
    pub(super) fn start() -> Result<Self, Failure> {
        let program = find(std::env::var_os("PATH").as_deref()).ok_or_else(|| {
            let message = format!("{NAME} is neither on the path nor in {GAMES_FOLDER}");
            Failure::new(Exit::Unreadable, message)
                .help("Debian has it: apt-get install fairy-stockfish")
        })?;
        let mut command = Command::new(&program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| silent(&error.to_string()))?;
        let orders = child.stdin.take().ok_or_else(|| silent("no input"))?;
        let output = child.stdout.take().ok_or_else(|| silent("no output"))?;
        let mut started =
            Self { child, orders, answers: BufReader::new(output), variants: Vec::new() };
        started.order("uci")?;
        let mut variants = Vec::new();
        started.read_until(|line| {
            variants.extend(variants_of(line));
            (line == "uciok").then_some(())
        })?;
        started.variants = variants;
        Ok(started)
    }

    /// The first of these names, as it spells them, that it knows.
    pub(super) fn variant(&self, names: &[String]) -> Option<String> {
        let spelled = |name: &str| name.replace(['_', '-', ' '], "").to_lowercase();
        let known = |name: &String| self.variants.iter().find(|one| spelled(one) == spelled(name));
        names.iter().find_map(known).cloned()
    }

    /// Counts the leaves so many turns ahead.
    pub(super) fn perft(
        &mut self,
        (variant, fen): (&str, Option<&str>),
        depth: u32,
    ) -> Result<Counted, Failure> {
        self.order(&format!("setoption name UCI_Variant value {variant}"))?;
        let is_960 = fen.is_some_and(has_file_rights);
        self.order(&format!("setoption name UCI_Chess960 value {is_960}"))?;
        self.order("isready")?;
        self.read_until(|line| (line == "readyok").then_some(()))?;
        let place = fen.map_or("startpos".to_owned(), |fen| format!("fen {fen}"));
        self.order(&format!("position {place}"))?;
        let (watch, before) = (Stopwatch::start(), self.processor_seconds());
        self.order(&format!("go perft {depth}"))?;
        let leaves = self.read_until(leaves_of)?;
        let after = self.processor_seconds();
        let seconds = before.zip(after).map_or(watch.seconds(), |(before, after)| after - before);
        Ok(Counted { leaves, seconds: seconds.max(1e-9) })
    }

    fn order(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.orders, "{line}").map_err(|error| silent(&error.to_string()))
    }

    fn read_until<T>(&mut self, mut wanted: impl FnMut(&str) -> Option<T>) -> Result<T, Failure> {
        loop {
            let mut line = String::new();
            let n_bytes =
                self.answers.read_line(&mut line).map_err(|error| silent(&error.to_string()))?;
            if n_bytes == 0 {
                return Err(silent("it ended"));
            }
            if let Some(found) = wanted(line.trim()) {
                return Ok(found);
            }
        }
    }

    /// Seconds that its threads have run so far; nothing where the system does not tell, and the clock must do.
    fn processor_seconds(&self) -> Option<f64> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()?;
        let nanoseconds = tasks.map(|task| {
            let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        });
        nanoseconds.sum::<Option<f64>>().map(|sum| sum / 1e9)
    }
}

impl Drop for FairyStockfish {
    fn drop(&mut self) {
        let _ = self.order("quit");
        let _ = self.child.wait();
    }
}

/// It was there and does not do what it is asked.
fn silent(why: &str) -> Failure {
    Failure::new(Exit::Unreadable, format!("{NAME} does not answer: {why}"))
}

fn find(path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    let folders = path.map(|path| std::env::split_paths(path).collect::<Vec<_>>());
    let folders = folders.unwrap_or_default().into_iter().chain([PathBuf::from(GAMES_FOLDER)]);
    folders.map(|folder| folder.join(NAME)).find(|program| Path::is_file(program))
}

/// The variants that a line of its options lists.
fn variants_of(line: &str) -> Vec<String> {
    let Some(list) = line.strip_prefix("option name UCI_Variant ") else { return Vec::new() };
    list.split(" var ").skip(1).map(|name| name.trim().to_owned()).collect()
}

/// The count at the end of a perft.
fn leaves_of(line: &str) -> Option<u64> {
    line.strip_prefix("Nodes searched: ")?.trim().parse().ok()
}

/// Are rights to castle written as files?
fn has_file_rights(fen: &str) -> bool {
    let rights = fen.split(' ').nth(2).unwrap_or("-");
    rights != "-" && rights.chars().any(|letter| !"KQkq".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::{has_file_rights, leaves_of, variants_of};

    #[test]
    fn its_lines_are_understood() {
        let line = "option name UCI_Variant type combo default chess var 3check var los-alamos";
        assert_eq!(variants_of(line), ["3check", "los-alamos"]);
        assert!(variants_of("option name Threads type spin default 1").is_empty());
        assert_eq!(leaves_of("Nodes searched: 8902"), Some(8902));
        assert_eq!(leaves_of("a2a3: 380"), None);
    }

    #[test]
    fn rights_by_files_are_those_of_chess960() {
        assert!(has_file_rights("bqnb1rkr/8/8/8/8/8/8/BQNB1RKR w HFhf - 2 9"));
        assert!(!has_file_rights("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"));
        assert!(!has_file_rights("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
    }
}
