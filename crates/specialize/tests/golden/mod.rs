//! Golden numbers: what a paper prints, what we find, and how far apart they may be.
//!
//! In: a table of numbers, or a picture. Out: a complaint when the file in the tree says something else.
//! With `REWRITE_PAPERS` in the environment the file is written instead; `cargo xtask papers` does that.
//! Invariant: our numbers come from running code, never from the file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// One number.
pub(crate) struct Number {
    pub(crate) name: String,
    /// What the paper prints, if it does.
    pub(crate) paper: Option<f64>,
    pub(crate) ours: f64,
    /// How far apart the two may be.
    pub(crate) within: f64,
    pub(crate) note: String,
}

/// A number the paper prints, and that must come out.
pub(crate) fn printed(name: &str, paper: f64, ours: f64) -> Number {
    Number { name: name.to_owned(), paper: Some(paper), ours, within: 0.0, note: String::new() }
}

/// A number that the paper does not print.
pub(crate) fn unprinted(name: &str, ours: f64) -> Number {
    Number { name: name.to_owned(), paper: None, ours, within: 0.0, note: String::new() }
}

impl Number {
    pub(crate) fn note(mut self, note: &str) -> Self {
        note.clone_into(&mut self.note);
        self
    }

    pub(crate) fn within(mut self, within: f64, note: &str) -> Self {
        self.within = within;
        self.note(note)
    }
}

/// Exact for all numbers that are counted here one by one.
#[expect(clippy::cast_precision_loss, reason = "beyond 2^53 the first digits are enough")]
pub(crate) fn number(count: u128) -> f64 {
    count as f64
}

/// Checks a table against `golden/papers/<table>.toml`.
pub(crate) fn check(table: &str, about: &str, numbers: &[Number]) {
    let mut text = format!("# {about}\n# Rewritten by `cargo xtask papers`.\n");
    for number in numbers {
        if let Some(paper) = number.paper {
            let distance = (paper - number.ours).abs();
            assert!(distance <= number.within, "{}: {} is not {paper}", number.name, number.ours);
        }
        text.push_str(&number_text(number));
    }
    check_text(&format!("golden/papers/{table}.toml"), &text);
}

fn number_text(number: &Number) -> String {
    let mut text = format!("\n[[value]]\nname = {:?}\n", number.name);
    if let Some(paper) = number.paper {
        writeln!(text, "paper = {paper:?}").unwrap();
    }
    writeln!(text, "ours = {:?}\nwithin = {:?}", number.ours, number.within).unwrap();
    if !number.note.is_empty() {
        writeln!(text, "note = {:?}", number.note).unwrap();
    }
    text
}

/// Checks, or rewrites, a file of the tree.
pub(crate) fn check_text(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("REWRITE_PAPERS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{file} is out of date: run `cargo xtask papers` and look at the change"
    );
}
