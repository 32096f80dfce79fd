//! The one place that writes to the terminal.
//!
//! In: lines, JSON values, failures. Out: bytes on stdout and stderr. Invariant: colours reach
//! terminals only, unless asked for; a closed pipe (`| head`) is an error value, never a panic.

use std::fmt::{Arguments, Display};
use std::io::{IsTerminal, Write};

use anstream::AutoStream;
use anstream::ColorChoice;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::args::Color;
use crate::exit::Failure;

/// The version of all JSON interfaces; it grows when a field changes its meaning or goes away.
pub(crate) const SCHEMA: u32 = 1;

/// Columns that text is laid out for.
pub(crate) const WIDTH: usize = 80;

/// Where everything is written.
pub(crate) struct Output {
    stdout: AutoStream<std::io::StdoutLock<'static>>,
    stderr: AutoStream<std::io::Stderr>,
}

impl Output {
    /// The process's stdout and stderr.
    pub(crate) fn new(color: Color) -> Self {
        let choice = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self {
            stdout: AutoStream::new(std::io::stdout().lock(), choice),
            stderr: AutoStream::new(std::io::stderr(), choice),
        }
    }

    /// A line on stdout.
    pub(crate) fn line(&mut self, line: impl Display) -> anyhow::Result<()> {
        Ok(writeln!(self.stdout, "{line}")?)
    }

    /// Text on stdout without a line end, seen at once.
    pub(crate) fn prompt(&mut self, text: Arguments<'_>) -> anyhow::Result<()> {
        self.stdout.write_fmt(text)?;
        Ok(self.stdout.flush()?)
    }

    /// Bytes on stdout, as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.stdout.write_all(bytes)?)
    }

    /// A JSON value on one line of stdout.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        self.line(serde_json::to_string(value)?)
    }

    /// A remark on stderr. If even that cannot be written there is nobody left to tell.
    pub(crate) fn remark(&mut self, line: impl Display) {
        let _ = writeln!(self.stderr, "{line}");
    }

    /// Is stderr a terminal, so that progress may be shown there?
    pub(crate) fn shows_progress() -> bool {
        std::io::stderr().is_terminal()
    }

    /// A failure on stderr.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        if !failure.message.is_empty() {
            self.remark(format_args!("{ERROR}error{RESET}: {}", failure.message));
        }
        if let Some(excerpt) = &failure.excerpt {
            self.remark(excerpt);
        }
        if let Some(help) = &failure.help {
            self.remark(format_args!("{HELP}help{RESET}: {help}"));
        }
    }

    /// Pushes out what is still held back.
    pub(crate) fn flush(&mut self) -> std::io::Result<()> {
        self.stdout.flush()
    }
}

/// A JSON object with one entry a role, in the order of the roles.
#[derive(Clone, Debug)]
pub(crate) struct ByRole<T>(pub(crate) Vec<(String, T)>);

impl<T: Serialize> Serialize for ByRole<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (role, value) in &self.0 {
            map.serialize_entry(role, value)?;
        }
        map.end()
    }
}

/// Bold red. Stripped again where colours are not wanted, as are the others.
const ERROR: &str = "\x1b[1;31m";
/// Bold cyan.
const HELP: &str = "\x1b[1;36m";
/// Bold.
pub(crate) const BOLD: &str = "\x1b[1m";
/// Back to plain text.
pub(crate) const RESET: &str = "\x1b[0m";

/// Counts with the right form of the noun: `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Texts in as many columns as fit, read down each column.
pub(crate) fn columns(texts: &[String], indent: usize) -> Vec<String> {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0) + 2;
    let n_columns = ((WIDTH.saturating_sub(indent)) / width).clamp(1, texts.len().max(1));
    let n_rows = texts.len().div_ceil(n_columns);
    let row = |row: usize| {
        let cells = texts.iter().skip(row).step_by(n_rows);
        let line = cells.map(|text| format!("{text:<width$}")).collect::<Vec<_>>().concat();
        format!("{:indent$}{}", "", line.trim_end())
    };
    (0..n_rows).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::{columns, counted};

    #[test]
    fn columns_are_read_downwards() {
        let texts: Vec<String> = (1..=50).map(|number| format!("move {number}")).collect();
        let rows = columns(&texts, 2);
        assert_eq!(rows.len(), 7);
        assert!(rows[0].starts_with("  move 1   move 8   "), "{rows:?}");
        assert!(rows.iter().all(|row| row.chars().count() <= super::WIDTH), "{rows:?}");
        assert!(columns(&[], 2).is_empty());
        assert_eq!(columns(&["x".repeat(200)], 0).len(), 1);
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "error")), ["0 errors", "1 error", "2 errors"]);
    }
}
