//! Saved programs: what a specialiser made of a game, as text that can be read back.
//!
//! In: a specialised program and the key of what it was made from, or a text written before. Out: the
//! text, or the program in it. Invariant: a program that is read back runs like the one that was written; a
//! text of another key, a damaged one and one that names what the theory does not have are refused; no text
//! makes reading panic. How a program came about (steps, what was dropped and why) is not saved.

mod read;
mod write;

use std::fmt::{self, Debug, Write as _};

pub use read::read_program;
pub use write::write_program;

/// The first line of a text; the number changes with the format.
const FIRST_LINE: &str = "rulesmith program 1";

/// How deep trees and conditions may stand in one another: deeper programs are not saved.
const DEPTH_LIMIT: usize = 400;

/// Why a text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedProgramError {
    /// It does not begin as such a text does.
    #[error("not a text of a program of this version")]
    Version,
    /// It was made from something else.
    #[error("a program of other rules")]
    OtherKey,
    /// It is not what was written.
    #[error("the text is damaged")]
    Damaged,
    /// It says something that cannot be.
    #[error("the text names {0} that is not there")]
    Unknown(&'static str),
}

/// The key of whatever a program depends on: two things have one key only if they are written alike.
pub fn program_key(parts: &[&dyn Debug]) -> String {
    let mut hashing = Hashing(blake3::Hasher::new());
    for part in parts {
        // Hashing cannot fail.
        let _ = writeln!(hashing, "{part:?}");
    }
    hashing.0.finalize().to_hex().to_string()
}

/// Takes text as it comes, so that a large theory is never one string.
struct Hashing(blake3::Hasher);

impl fmt::Write for Hashing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests;
