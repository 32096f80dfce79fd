//! Exit codes and the failures that lead to them.
//!
//! In: what ended a command. Out: the number the shell sees. Invariant: `docs/exit-codes.md` lists
//! exactly these codes, in blocks: 0–9 done, 10–19 no answer but no fault, 20–29 a limit was reached,
//! 30–39 bad input or bug.

use std::process::ExitCode;

use rulesmith_game::Error;
use rulesmith_player::ContestError;

use crate::open::is_set_by_limit;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done = 0,
    /// What was asked for does not exist yet.
    NotYet = 10,
    /// A limit was reached.
    Limit = 20,
    /// It was interrupted (Ctrl-C).
    Interrupted = 21,
    /// The command line makes no sense.
    Usage = 30,
    /// No such game in the library.
    UnknownGame = 31,
    /// A file cannot be read.
    Unreadable = 32,
    /// The rules have errors.
    Rules = 33,
    /// A position or a move does not exist in the game.
    Text = 34,
    /// A contest file is damaged.
    Contest = 35,
    /// A file or the output cannot be written.
    Unwritable = 36,
    /// The program has a bug.
    Bug = 39,
}

impl Exit {
    /// All of them, for the documentation.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 12] = [
        Self::Done,
        Self::NotYet,
        Self::Limit,
        Self::Interrupted,
        Self::Usage,
        Self::UnknownGame,
        Self::Unreadable,
        Self::Rules,
        Self::Text,
        Self::Contest,
        Self::Unwritable,
        Self::Bug,
    ];

    /// The code the shell sees.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What went wrong; empty when it has been said already.
    pub(crate) message: String,
    /// The text with carets where it went wrong.
    pub(crate) excerpt: Option<String>,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

impl Failure {
    /// A failure with a message.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), excerpt: None, help: None }
    }

    /// A failure that the command has already shown.
    pub(crate) fn shown(exit: Exit) -> Self {
        Self::new(exit, "")
    }

    /// With a way out.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Limit { name, .. } => {
                let failure = Self::new(Exit::Limit, message);
                match beyond(name) {
                    Some(help) => failure.help(help),
                    None => failure,
                }
            }
            Error::Interrupted => Self::new(Exit::Interrupted, message),
            Error::Rules { places, .. } => {
                let places: Vec<_> = places.iter().map(|place| format!("\n  at {place}")).collect();
                let places = places.concat();
                Self::new(
                    Exit::Rules,
                    format!("the rules contradict themselves: {message}{places}"),
                )
            }
            Error::Text(_) => Self::new(Exit::Text, message),
        }
    }
}

/// What to do about a limit that was reached.
fn beyond(name: &str) -> Option<String> {
    let help = match name {
        "max-steps" => "raise it with `--max-steps NUMBER`",
        "past" => {
            "native code keeps no more states of a contest: end it sooner with `--max-steps`, or play it with `--engine interpreter`, which keeps all"
        }
        "fuel" => {
            "one question takes native code longer than it may work on any; `--engine interpreter` asks `--limit inferences` instead"
        }
        "tuples" => {
            "native code lists no more answers to one recursion in a state; `--engine interpreter` has `--limit derived-facts`"
        }
        "divide" => "so many moves are not listed: leave out `--divide`",
        _ if is_set_by_limit(name) => {
            return Some(format!("raise it with `--limit {name}=NUMBER`"));
        }
        _ => return None,
    };
    Some(help.to_owned())
}

/// A damaged contest file, with its place.
pub(crate) fn contest_failure(file: &str, error: ContestError) -> Failure {
    let place = error.place;
    let place =
        if place.line == 0 { String::new() } else { format!(":{}:{}", place.line, place.column) };
    match error.limit {
        Some(limit) => Failure::from(limit),
        None => Failure::new(Exit::Contest, format!("{file}{place}: {}", error.message)),
    }
}

#[cfg(test)]
mod tests {
    use rulesmith_game::Error;

    use super::{Exit, Failure};

    #[test]
    fn only_limits_that_can_be_set_are_said_to_be_raised() {
        let help = |name| Failure::from(Error::Limit { name, limit: 7 }).help;
        assert_eq!(help("turns").unwrap(), "raise it with `--limit turns=NUMBER`");
        assert_eq!(help("max-steps").unwrap(), "raise it with `--max-steps NUMBER`");
        assert_eq!(help("time").unwrap(), "raise it with `--limit time=NUMBER`");
        for fixed in ["past", "fuel", "tuples", "divide"] {
            let help = help(fixed).unwrap();
            assert!(!help.contains(&format!("--limit {fixed}")), "{help}");
        }
        assert_eq!(help("lap"), None);
    }

    #[test]
    fn every_exit_code_is_documented() {
        let page = include_str!("../../../docs/exit-codes.md");
        for exit in Exit::ALL {
            assert!(page.contains(&format!("| {} |", exit.code())), "{exit:?} is not in the page");
        }
        let rows = page.lines().filter(|line| {
            line.strip_prefix("| ").is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit()))
        });
        assert_eq!(rows.count(), Exit::ALL.len(), "the page lists codes that do not exist");
    }
}
