//! A variant's keys with their types.
//!
//! In: the keys of a variant, inherited ones included. Out: values, each with its default, and a problem for each value that is none.
//! Invariant: a value that cannot be read refuses the variant.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::board::Inversion;
use super::inherit::pairs_of;
use super::ini::{Entry, Section};
use super::keys::{PIECES, is_piece};
use crate::scl::ast::Square;
use crate::scl::words;
use crate::source::{Diagnostic, Diagnostics};

/// The start of chess, which is everybody's unless they say otherwise.
const CHESS_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// No key needs a larger number.
const MAX_NUMBER: i32 = 10_000;

/// A variant under way.
pub(super) struct Variant<'v> {
    pub(super) section: &'v Section,
    pub(super) keys: BTreeMap<String, Entry>,
    pub(super) problems: &'v mut Diagnostics,
    /// Regions that the text will name, by their squares.
    pub(super) regions: Vec<(String, BTreeSet<Square>)>,
    /// How the second side sees the board.
    pub(super) inversion: Inversion,
}

/// Who wins when something happens to the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Win,
    Loss,
    Draw,
    None,
}

/// A kind of piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Its key.
    pub(super) key: String,
    /// Its letter, a capital.
    pub(super) letter: char,
    /// Its moves.
    pub(super) betza: String,
}

impl Kind {
    /// Its name in the text of the game.
    pub(super) fn name(&self) -> String {
        if self.key.starts_with("customPiece") {
            return format!("piece_{}", self.letter.to_ascii_lowercase());
        }
        let mut name = String::new();
        for letter in self.key.chars() {
            if letter.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }
}

impl<'v> Variant<'v> {
    pub(super) fn new(
        section: &'v Section,
        keys: BTreeMap<String, Entry>,
        problems: &'v mut Diagnostics,
    ) -> Self {
        Self { section, keys, problems, regions: vec![], inversion: Inversion::Forward }
    }

    /// Refuses the variant because of a key.
    pub(super) fn refuse(&mut self, entry: &Entry, message: String, help: String) {
        let problem = Diagnostic::error("import", entry.span, message);
        let problem = if entry.section == self.section.name || entry.section.is_empty() {
            problem
        } else {
            problem.label(format!("inherited from `{}`", entry.section))
        };
        self.problems.report(if help.is_empty() { problem } else { problem.help(help) });
    }

    /// Refuses the variant because of the value of a key, or of one that is missing.
    pub(super) fn refuse_key(&mut self, key: &str, message: String) {
        let entry = self.entry(key);
        self.refuse(&entry, message, String::new());
    }

    /// The key with its value; an empty one if it is not there.
    fn entry(&self, key: &str) -> Entry {
        let missing = || Entry {
            key: key.to_owned(),
            value: String::new(),
            span: self.section.span,
            section: String::new(),
            named: vec![],
        };
        self.keys.get(key).cloned().unwrap_or_else(missing)
    }

    pub(super) fn start_entry(&self) -> Entry {
        let mut entry = self.entry("startFen");
        if entry.value.is_empty() {
            CHESS_START.clone_into(&mut entry.value);
        }
        entry
    }

    pub(super) fn value(&self, key: &str) -> Option<String> {
        self.keys.get(key).map(|entry| entry.value.clone())
    }

    pub(super) fn is_set(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// A value that is read, or the default; a problem if it cannot be read.
    fn typed<T>(
        &mut self,
        key: &str,
        default: T,
        (read, what, help): (impl Fn(&str) -> Option<T>, &str, &str),
    ) -> T {
        let Some(value) = self.value(key) else { return default };
        if let Some(value) = read(&value) {
            return value;
        }
        let mut entry = self.entry(key);
        entry.span = entry.value_span();
        self.refuse(&entry, format!("`{value}` is not {what}"), help.to_owned());
        default
    }

    pub(super) fn flag(&mut self, key: &str, default: bool) -> bool {
        let read = |value: &str| match value {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        self.typed(key, default, (read, "`true` or `false`", ""))
    }

    pub(super) fn number(&mut self, key: &str, default: i32) -> i32 {
        self.number_within(key, default, 0..=MAX_NUMBER)
    }

    pub(super) fn number_within(
        &mut self,
        key: &str,
        default: i32,
        range: RangeInclusive<i32>,
    ) -> i32 {
        let (low, high) = (range.start(), range.end());
        let read = |value: &str| value.parse().ok().filter(|number| range.contains(number));
        let what = if self.value(key).is_some_and(|value| is_whole(&value)) {
            format!("between {low} and {high}")
        } else {
            "a number".to_owned()
        };
        let help = format!("`{key}` is a whole number, {low} to {high}");
        self.typed(key, default, (read, &what, &help))
    }

    /// A file by letter or number.
    pub(super) fn file(&mut self, key: &str, default: i32) -> i32 {
        let read = |value: &str| {
            let number = value.parse().ok().or_else(|| words::column(value));
            number.filter(|number| (1..=26).contains(number))
        };
        self.typed(key, default, (read, "a file", "files are `a` to `z`, or 1 to 26"))
    }

    pub(super) fn verdict(&mut self, key: &str, default: Verdict) -> Verdict {
        let read = |value: &str| match value {
            "win" => Some(Verdict::Win),
            "loss" => Some(Verdict::Loss),
            "draw" => Some(Verdict::Draw),
            "none" => Some(Verdict::None),
            _ => None,
        };
        self.typed(key, default, (read, "`win`, `loss`, `draw` or `none`", ""))
    }

    /// The kinds of pieces, in the order of the predefined ones, then the slots.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        kinds(&self.keys)
    }

    pub(super) fn kind_of_key(&self, key: &str) -> Option<Kind> {
        self.kinds().into_iter().find(|kind| kind.key == key)
    }

    /// The kinds that some letters name; `*` means all. Letters that name none are a problem if the key is there; kinds that are gone are not.
    pub(super) fn kinds_of(&mut self, key: &str, default: &str) -> Vec<Kind> {
        let kinds = self.kinds();
        let Some(entry) = self.keys.get(key).cloned() else {
            let is_named = |kind: &Kind| default.to_ascii_uppercase().contains(kind.letter);
            return kinds.into_iter().filter(is_named).collect();
        };
        if entry.value.contains('*') {
            if !["extinctionPieceTypes", "flagPiece"].contains(&key) {
                self.refuse(&entry, "`*` does not mean all pieces here".to_owned(), String::new());
            }
            return kinds;
        }
        let mut found: Vec<Kind> = Vec::new();
        for named in &entry.named {
            match named {
                Ok(name) => found.extend(kinds.iter().find(|kind| kind.key == *name).cloned()),
                Err(letter) => {
                    self.refuse(
                        &entry,
                        format!("no piece has the letter `{letter}`"),
                        String::new(),
                    );
                }
            }
        }
        found
    }

    /// `p:g s:g`: pairs of kinds, inherited ones included. Kinds that are gone promote no more.
    pub(super) fn pairs(&mut self, key: &str) -> Vec<(Kind, Kind)> {
        let Some(entry) = self.keys.get(key).cloned() else { return vec![] };
        if pairs_of(&entry.value).is_none() {
            let message = format!("`{}` does not name pairs of pieces", entry.value);
            self.refuse(&entry, message, String::new());
        }
        let mut pairs = Vec::new();
        for named in entry.named.chunks_exact(2) {
            let (from, to) = match (&named[0], &named[1]) {
                (Ok(from), Ok(to)) => (self.kind_of_key(from), self.kind_of_key(to)),
                (Err(letter), _) | (_, Err(letter)) => {
                    let message = format!("no piece has the letter `{letter}`");
                    self.refuse(&entry, message, String::new());
                    continue;
                }
            };
            match (from, to) {
                (None, _) => {}
                (Some(from), Some(to)) if to.key == "king" || from.key == "king" => {
                    let message = "kings that promote, or are promoted to, cannot be said";
                    self.refuse(&entry, message.to_owned(), String::new());
                }
                (Some(from), Some(to)) => pairs.push((from, to)),
                (Some(from), None) => {
                    let message = format!("what `{}` promotes to is gone", from.name());
                    self.refuse(&entry, message, String::new());
                }
            }
        }
        let again = pairs.iter().find(|(_, to)| pairs.iter().any(|(from, _)| from == to));
        if let Some((from, to)) = again {
            let (from, to) = (from.name(), to.name());
            let message =
                format!("`{from}` becomes `{to}`, which promotes again: it cannot be said");
            self.refuse(&entry, message, String::new());
        }
        pairs
    }

    /// Refuses values of pieces that are neither a letter nor, where they may be, a letter and moves.
    pub(super) fn check_pieces(&mut self) {
        let pieces = self.keys.values().filter(|entry| is_piece(&entry.key));
        for entry in pieces.cloned().collect::<Vec<_>>() {
            let Entry { key, value, .. } = &entry;
            let is_slot = key.starts_with("customPiece");
            let mut letters = value.chars();
            let has_letter = letters.next().is_some_and(|one| one.is_ascii_alphabetic());
            let message = match letters.as_str() {
                _ if value == "-" => continue,
                _ if !has_letter => format!("`{value}` does not start with a letter"),
                "" if is_slot => "the moves of this piece are missing".to_owned(),
                "" => continue,
                moves if !moves.starts_with(':') => format!("`{value}` is not one letter"),
                _ if is_slot || key == "king" => continue,
                _ => format!("`{key}` cannot have moves of its own"),
            };
            self.refuse(&entry, message, String::new());
        }
    }

    /// The one kind that a key may name, if it names one.
    pub(super) fn one_kind_of(&mut self, key: &str, default: &str) -> Option<Kind> {
        let kinds = self.kinds_of(key, default);
        if kinds.len() > 1 {
            self.refuse_key(key, "more than one piece cannot be said here".to_owned());
        }
        kinds.into_iter().next()
    }
}

/// Is it a whole number, however large?
pub(super) fn is_whole(value: &str) -> bool {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The kinds of pieces, in the order of the predefined ones, then the slots. No two have the same letter.
pub(super) fn kinds(keys: &BTreeMap<String, Entry>) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for entry in keys.values().filter(|entry| is_piece(&entry.key)) {
        let mut letters = entry.value.chars();
        let Some(letter) = letters.next().filter(char::is_ascii_alphabetic) else { continue };
        let letter = letter.to_ascii_uppercase();
        let predefined = PIECES.iter().find(|(name, _)| *name == entry.key);
        let own = letters.as_str().trim().strip_prefix(':').map(|betza| betza.trim().to_owned());
        let betza = own.or(predefined.map(|(_, betza)| (*betza).to_owned()));
        kinds.push(Kind { key: entry.key.clone(), letter, betza: betza.unwrap_or_default() });
    }
    let place = |kind: &Kind| {
        let predefined = PIECES.iter().position(|(name, _)| *name == kind.key);
        (predefined.unwrap_or(PIECES.len()), kind.letter)
    };
    kinds.sort_by_key(place);
    kinds
}
