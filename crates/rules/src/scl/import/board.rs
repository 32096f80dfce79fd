//! The board of a variant: its size, sets of squares, and who stands where at the start.
//!
//! In: keys. Out: sections of a game. Regions are written as the first side sees them, so those of the second side must be their mirror
//! image. Invariant: a region that is not is a problem.

use std::collections::{BTreeMap, BTreeSet};

use super::variant::{Kind, Variant};
use crate::scl::MAX_BOARD;
use crate::scl::ast::{Side, Square};
use crate::scl::words;

/// The start of a variant.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    /// Symbols on squares; capitals are the first side's.
    pub(super) men: BTreeMap<Square, String>,
    pub(super) holes: BTreeSet<Square>,
    /// How many of each symbol are in hand.
    pub(super) hands: BTreeMap<String, i32>,
    /// Is anybody allowed to castle?
    pub(super) has_rights: bool,
    /// `3+3`.
    pub(super) checks: Option<(i32, i32)>,
}

/// How the second side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inversion {
    /// The rows from the other end.
    Forward,
    /// Turned by half a turn, which is how all its pieces go; it matters to those that tell left from right.
    Diagonal,
    /// The columns from the other end: both race in one direction.
    Side,
}

impl Inversion {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Diagonal => "diagonal",
            Self::Side => "side",
        }
    }
}

/// `e4`.
pub(super) fn name(square: Square) -> String {
    let letter = u8::try_from(square.column - 1).map_or('?', |place| char::from(b'a' + place));
    format!("{letter}{}", square.row)
}

/// `{a1 b1}`, or one square alone.
fn names(squares: &BTreeSet<Square>) -> String {
    let all: Vec<String> = squares.iter().map(|square| name(*square)).collect();
    format!("{{{}}}", all.join(" "))
}

impl Variant<'_> {
    pub(super) fn width(&mut self) -> i32 {
        self.file("maxFile", 8)
    }

    pub(super) fn height(&mut self) -> i32 {
        self.number_within("maxRank", 8, 1..=MAX_BOARD)
    }

    /// The square that the other side sees as this one.
    pub(super) fn mirrored(&mut self, square: Square) -> Square {
        let (column, row) = (self.width() + 1 - square.column, self.height() + 1 - square.row);
        match self.inversion {
            Inversion::Forward => Square { row, ..square },
            Inversion::Diagonal => Square { column, row },
            Inversion::Side => Square { column, ..square },
        }
    }

    /// Squares such as `d4 *8 e*`; a problem if they cannot be read.
    pub(super) fn squares(&mut self, key: &str, default: &str) -> BTreeSet<Square> {
        let (width, height) = (self.width(), self.height());
        let value = self.keys.get(key).map_or(default.to_owned(), |entry| entry.value.clone());
        let mut squares = BTreeSet::new();
        for word in value.split_whitespace().filter(|word| *word != "-") {
            let within = |square: &Square| {
                (1..=width).contains(&square.column) && (1..=height).contains(&square.row)
            };
            if let Some(row) = word.strip_prefix('*').and_then(|row| row.parse().ok()) {
                let all = (1..=width).map(|column| Square { column, row });
                squares.extend(all.filter(within));
            } else if let Some(column) = word.strip_suffix('*').and_then(words::column) {
                let all = (1..=height).map(|row| Square { column, row });
                squares.extend(all.filter(within));
            } else if let Some(square) = words::square(word) {
                squares.extend(Some(square).filter(within));
            } else {
                self.refuse_key(key, format!("`{word}` is not a square"));
            }
        }
        squares
    }

    /// A region that each side has, as the first side sees it.
    pub(super) fn own_region(
        &mut self,
        white: (&str, &str),
        black: (&str, &str),
    ) -> BTreeSet<Square> {
        let (own, other) = (self.squares(white.0, white.1), self.squares(black.0, black.1));
        let mirrored: BTreeSet<Square> =
            other.iter().map(|square| self.mirrored(*square)).collect();
        if own != mirrored {
            let key = if self.is_set(black.0) { black.0 } else { white.0 };
            let message = format!("`{}` is not the mirror image of `{}`", black.0, white.0);
            self.refuse_key(key, message);
        }
        own
    }

    /// A region that both sides share; a problem unless it is its own mirror image.
    pub(super) fn common_region(&mut self, key: &str) -> BTreeSet<Square> {
        self.own_region((key, ""), (key, ""))
    }

    /// The name of a region; it is defined where it is first needed. Holes are no part of it.
    pub(super) fn region(&mut self, hint: &str, squares: &BTreeSet<Square>) -> String {
        let squares = &squares.intersection(&self.all_squares()).copied().collect();
        if let Some((name, _)) = self.regions.iter().find(|(_, known)| known == squares) {
            return name.clone();
        }
        let mut name = hint.to_owned();
        while self.regions.iter().any(|(known, _)| *known == name) {
            name.push('_');
        }
        self.regions.push((name.clone(), squares.clone()));
        name
    }

    /// All squares but holes.
    pub(super) fn all_squares(&mut self) -> BTreeSet<Square> {
        let (width, height, holes) = (self.width(), self.height(), self.start().holes);
        let all =
            (1..=width).flat_map(|column| (1..=height).map(move |row| Square { column, row }));
        all.filter(|square| !holes.contains(square)).collect()
    }

    /// Refuses holes that the two sides do not see alike.
    pub(super) fn check_holes(&mut self) {
        let holes = self.start().holes;
        let mirrored: BTreeSet<Square> = holes.iter().map(|hole| self.mirrored(*hole)).collect();
        if holes != mirrored {
            self.refuse_key("startFen", "the holes are not their own mirror image".to_owned());
        }
    }

    /// The text of the regions: rows where they are whole, squares otherwise.
    pub(super) fn region_texts(&mut self) -> Vec<String> {
        let all = self.all_squares();
        let regions = self.regions.clone();
        let text = |(name, squares): &(String, BTreeSet<Square>)| {
            let rows: BTreeSet<i32> = squares.iter().map(|square| square.row).collect();
            let whole = all.iter().filter(|square| rows.contains(&square.row)).count();
            let area = match (rows.first(), rows.last()) {
                (Some(low), Some(high))
                    if whole == squares.len()
                        && usize::try_from(high - low + 1) == Ok(rows.len()) =>
                {
                    if low == high {
                        format!("RANKS {low}")
                    } else {
                        format!("RANKS {low} .. {high}")
                    }
                }
                _ => names(squares),
            };
            format!("REGION {name} {area}")
        };
        regions.iter().map(text).collect()
    }

    /// The start as the text gives it.
    pub(super) fn start(&mut self) -> Start {
        let height = self.height();
        let text = self.start_entry().value;
        let mut fields = text.split_whitespace();
        let board = fields.next().unwrap_or_default();
        let rest: Vec<&str> = fields.collect();
        let (rows, hand) = board.split_once('[').unwrap_or((board, ""));
        let mut start = Start {
            has_rights: rest.get(1).is_some_and(|rights| rights.contains(char::is_alphabetic)),
            ..Start::default()
        };
        for (row, line) in (1..=height).rev().zip(rows.split('/')) {
            let mut column = 1;
            for symbol in symbols(line) {
                let square = Square { column, row };
                if let Ok(run) = symbol.parse::<i32>() {
                    column += run.min(MAX_BOARD) - 1;
                } else if symbol == "*" {
                    start.holes.insert(square);
                } else {
                    start.men.insert(square, symbol);
                }
                column += 1;
            }
        }
        let held = symbols(hand.trim_end_matches(']'));
        for symbol in held.into_iter().filter(|symbol| symbol != "-") {
            *start.hands.entry(symbol).or_insert(0) += 1;
        }
        let checks = rest.iter().find_map(|field| field.split_once('+'));
        start.checks =
            checks.and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        start
    }

    /// Who stands where: together where both sides stand alike, apart where not.
    pub(super) fn setup(&mut self, kinds: &[(String, String)]) -> Vec<String> {
        let start = self.start();
        let mut texts = Vec::new();
        for (symbol, name) in kinds {
            let small = symbol.to_lowercase();
            let at = |wanted: &str| -> BTreeSet<Square> {
                let men = start.men.iter().filter(|(_, man)| *man == wanted);
                men.map(|(square, _)| *square).collect()
            };
            let (own, other) = (at(symbol), at(&small));
            let mirrored: BTreeSet<Square> =
                other.iter().map(|square| self.mirrored(*square)).collect();
            let mut place = |side: &str, squares: &BTreeSet<Square>| {
                if !squares.is_empty() {
                    texts.push(format!("{side}{name} AT {}", names(squares)));
                }
            };
            if own == mirrored {
                place("", &own);
            } else {
                place("player ", &own);
                place("opponent ", &other);
            }
            let held = |symbol: &str| start.hands.get(symbol).copied().unwrap_or(0);
            let (own, other) = (held(symbol), held(&small));
            let mut hold = |side: &str, count: i32| {
                if count > 0 {
                    texts.push(format!("{side}{name} IN_HAND {count}"));
                }
            };
            if own == other {
                hold("", own);
            } else {
                hold("player ", own);
                hold("opponent ", other);
            }
        }
        texts
    }

    /// How many men of a kind a side has at the start.
    pub(super) fn n_at_start(&mut self, kind: &Kind, side: Side) -> usize {
        let capital = kind.letter.to_string();
        let symbol = if side == Side::Player { capital } else { capital.to_lowercase() };
        let start = self.start();
        start.men.values().filter(|man| **man == symbol).count()
    }
}

/// The symbols of a row or a hand, and numbers.
pub(super) fn symbols(line: &str) -> Vec<String> {
    let mut symbols: Vec<String> = Vec::new();
    let mut is_open = false;
    for letter in line.chars() {
        let joins_number = letter.is_ascii_digit()
            && symbols.last().is_some_and(|last| last.ends_with(|one: char| one.is_ascii_digit()));
        match symbols.last_mut() {
            Some(last) if is_open || joins_number || letter == '~' => last.push(letter),
            _ => symbols.push(letter.to_string()),
        }
        is_open = letter == '+';
    }
    symbols
}
