//! The other programs, behind a small Python script.
//!
//! In: a folder for their installation, then one question at a time. Out: answers. Invariant: versions are
//! fixed here, so that a difference is news about us; installed once, used without the network after that.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// What is installed.
const PACKAGES: [&str; 2] = ["pyffish==0.0.90", "pydraughts==0.6.7"];

/// A question about one position.
#[derive(Debug, Serialize)]
pub(super) struct Question<'q> {
    pub(super) peer: &'q str,
    pub(super) variant: &'q str,
    pub(super) position: &'q str,
    pub(super) moves: &'q [String],
    pub(super) chess960: bool,
    /// Is it asked where the moves lead?
    pub(super) follow: bool,
    pub(super) after: &'q [String],
}

/// What the script prints.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Error { error: String },
    Answer(Answer),
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Answer {
    /// Legal moves, each with the position after it.
    pub(super) legal: Vec<(String, String)>,
    /// The positions of the question, as the other program writes them.
    pub(super) after: Vec<String>,
}

/// The script at work.
pub(super) struct Oracle {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Installs the programs into a folder unless they are there, and starts the script.
    pub(super) fn start(root: &Path, folder: &Path) -> Result<Self> {
        let script = root.join("scripts/peers/oracle.py");
        let python = folder.join("bin/python");
        let answers = |python: &Path| {
            let output = Command::new(python).arg(&script).arg("--version").output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?;
            let wanted = PACKAGES.map(|package| package.replace("==", " ")).join(" ");
            (output.status.success() && text.trim() == wanted).then_some(wanted)
        };
        if answers(&python).is_none() {
            install(folder, &python)?;
        }
        let versions =
            answers(&python).context("the other programs were installed and do not run")?;
        println!("peers: {versions}");
        let mut command = Command::new(&python);
        command.arg(&script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start Python")?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("Python's answers")?);
        Ok(Self { child, questions, answers })
    }

    /// Asks one question.
    pub(super) fn ask(&mut self, question: &Question<'_>) -> Result<Answer> {
        let questions = self.questions.as_mut().context("the script has ended")?;
        writeln!(questions, "{}", serde_json::to_string(question)?)?;
        questions.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the script ended at {question:?}");
        }
        match serde_json::from_str(&line).with_context(|| line.clone())? {
            Line::Answer(answer) => Ok(answer),
            Line::Error { error } => bail!("{}: {error}", question.peer),
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The script ends with its questions.
        self.questions = None;
        let _ = self.child.wait();
    }
}

/// A folder of Python with the packages.
fn install(folder: &Path, python: &Path) -> Result<()> {
    println!("peers: installing {} into {}", PACKAGES.join(" and "), folder.display());
    // One that was left half finished is made again.
    if folder.join("pyvenv.cfg").exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(folder);
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES);
    for mut command in [venv, pip] {
        let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
        if !status.success() {
            bail!("{command:?} failed: Python 3 with `venv` and the package index are needed");
        }
    }
    Ok(())
}
