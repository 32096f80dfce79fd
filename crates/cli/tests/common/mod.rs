//! Runs the binary as a person or a script would.

#![allow(dead_code, reason = "every test file uses some of it")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Stdout as one JSON document a line.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:?}")))
            .collect()
    }
}

/// Runs the binary with arguments separated by spaces.
pub(crate) fn rulesmith(arguments: &str) -> Ran {
    run(&arguments.split_whitespace().collect::<Vec<_>>(), b"")
}

/// Runs the binary and types into it; it has no cache.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Ran {
    run_with_cache(arguments, input, "")
}

/// Runs the binary with a folder for its cache.
pub(crate) fn run_with_cache(arguments: &[&str], input: &[u8], cache: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rulesmith"))
        .args(arguments)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env("RULESMITH_CACHE", cache)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // The program may end before it has read everything.
    let _ = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("the output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("the output is UTF-8"),
    }
}

/// A folder of this test's own, empty at the start.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// Writes a file into a folder and gives its path.
#[expect(clippy::disallowed_methods, reason = "tests make their own files")]
pub(crate) fn file(folder: &std::path::Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file for the test");
    path.to_str().expect("a plain path").to_owned()
}

/// The text of a file.
#[expect(clippy::disallowed_methods, reason = "tests look at the files that were written")]
pub(crate) fn text(path: &str) -> String {
    std::fs::read_to_string(path).expect("the file was written")
}
