//! Other programs that are measured beside ours: `OpenSpiel`, and the hand-written baselines.
//!
//! In: a game as we call it. Out: what one round of the other program gave. Invariant: nothing is
//! installed here; what is not there is said, with the way to get it.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is where files are looked for and other programs are started"
)]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::open::Front;

/// The script that measures `OpenSpiel`; it is part of the binary, so that a bench runs anywhere.
const SCRIPT: &str = include_str!("../../../../scripts/peers/openspiel.py");

/// One round of random contests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) playouts_per_second: f64,
    pub(super) mean_length: f64,
}

/// The programs that were found.
pub(super) struct Peers {
    openspiel: Option<OpenSpiel>,
    baselines: Option<PathBuf>,
}

struct OpenSpiel {
    python: PathBuf,
    script: PathBuf,
}

impl Drop for OpenSpiel {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.script);
    }
}

impl Peers {
    /// None at all.
    pub(super) const NONE: Self = Self { openspiel: None, baselines: None };

    /// Looks for the baselines alone, and says if they are missing.
    pub(super) fn find_baselines(front: &mut Front) -> Self {
        let baselines = find_baselines();
        if baselines.is_none() {
            front.output.remark(
                "the baselines are not built: `cargo build --release -p rulesmith-baselines` puts them \
                 beside this program",
            );
        }
        Self { openspiel: None, baselines }
    }

    /// Looks for the programs, and says what is missing.
    pub(super) fn find(front: &mut Front, folder: Option<&Path>) -> anyhow::Result<Self> {
        let Self { baselines, .. } = Self::find_baselines(front);
        let openspiel = match folder.map(Path::to_path_buf).or_else(cache).and_then(find_python) {
            Some(python) => {
                let name = format!("rulesmith_openspiel_{}.py", std::process::id());
                let script = std::env::temp_dir().join(name);
                std::fs::write(&script, SCRIPT)?;
                Some(OpenSpiel { python, script })
            }
            None => None,
        };
        if openspiel.is_none() {
            front.output.remark(
                "OpenSpiel is not installed: `scripts/peers/openspiel` of the sources installs it; \
                 `--peers FOLDER` names another place",
            );
        }
        Ok(Self { openspiel, baselines })
    }

    /// A round of `OpenSpiel`; nothing if it is not there or does not have the game. Where its lengths are
    /// asked for, so many seconds more go into them.
    pub(super) fn openspiel(
        &self,
        game: &str,
        seconds: f64,
        seed: u64,
        length_seconds: f64,
    ) -> Option<Round> {
        let OpenSpiel { python, script } = self.openspiel.as_ref()?;
        let mut command = Command::new(python);
        command.arg(script).args(["--rounds", "1", "--seconds"]).arg(seconds.to_string());
        command.arg("--length-seconds").arg(length_seconds.to_string());
        command.arg("--seed").arg(seed.to_string()).arg(game);
        to_round(&answer(command)?)
    }

    /// A round of the hand-written game, if there is one.
    pub(super) fn baseline(&self, game: &str, seconds: f64, seed: u64) -> Option<Round> {
        let mut command = Command::new(self.baselines.as_ref()?);
        command.args(["playouts", game, "--json", "--seconds"]).arg(seconds.to_string());
        command.arg("--seed").arg(seed.to_string());
        to_round(&answer(command)?)
    }

    /// Seconds of the hand-written loops for each rule whose facts are in the text, with their conclusions.
    pub(super) fn baseline_rules(&self, facts: &str, rounds: u64) -> BTreeMap<String, (f64, u64)> {
        let Some(program) = self.baselines.as_ref() else { return BTreeMap::new() };
        let mut command = Command::new(program);
        command.args(["match", "--rounds"]).arg(rounds.max(1).to_string());
        let answer = |line: &Value| {
            let (seconds, conclusions) = (line["seconds"].as_f64()?, line["conclusions"].as_u64()?);
            Some((line["rule"].as_str()?.to_owned(), (seconds, conclusions)))
        };
        answer_to(command, facts).iter().flatten().filter_map(answer).collect()
    }

    /// Leaves, and leaves per second in bulk, of a program that others wrote for this game alone, if there is one.
    pub(super) fn limit_leaves(&self, game: &str, fen: &str, depth: u32) -> Option<(u64, f64)> {
        let name = format!("limits{}", std::env::consts::EXE_SUFFIX);
        let program = self.baselines.as_ref()?.parent()?.join("examples").join(name);
        let mut command = Command::new(program);
        command.args([game, &depth.to_string(), fen]);
        let lines = answer(command)?;
        Some((lines[0]["leaves"].as_u64()?, lines[0]["leaves_per_second"].as_f64()?))
    }

    /// Leaves per second of the hand-written game: applied, then bulk.
    pub(super) fn baseline_leaves(&self, game: &str, depth: u32) -> Option<[f64; 2]> {
        let mut command = Command::new(self.baselines.as_ref()?);
        command.args(["perft", game, &depth.to_string(), "--json"]);
        let lines = answer(command)?;
        let rate = |kind: &str| {
            let line = lines.iter().find(|line| line["kind"] == kind)?;
            line["leaves_per_second"].as_f64()
        };
        Some([rate("applied")?, rate("bulk")?])
    }
}

/// The lines of JSON that a program prints; nothing if it fails, as it does for games it does not have.
fn answer(mut command: Command) -> Option<Vec<Value>> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    (output.status.success() && !lines.is_empty()).then_some(lines)
}

/// The same for a program that reads a text first.
fn answer_to(mut command: Command, text: &str) -> Option<Vec<Value>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn to_round(lines: &[Value]) -> Option<Round> {
    let line = lines.first()?;
    Some(Round {
        playouts_per_second: line["playouts_per_second"].as_f64()?,
        mean_length: line["mean_length"].as_f64()?,
    })
}

/// The program beside this one.
fn find_baselines() -> Option<PathBuf> {
    let name = format!("baselines{}", std::env::consts::EXE_SUFFIX);
    let program = std::env::current_exe().ok()?.parent()?.join(name);
    program.is_file().then_some(program)
}

/// Where `scripts/peers/openspiel` installs unless it is told otherwise.
fn cache() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    Some(cache.or_else(home)?.join("rulesmith/peers"))
}

/// The Python that has `OpenSpiel`, in a folder named after its version; the last one if there are several.
fn find_python(folder: PathBuf) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let is_openspiel = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("openspiel-"))
    };
    let pythons = entries.filter(is_openspiel).map(|path| path.join("bin/python"));
    pythons.filter(|python| python.exists()).max()
}
