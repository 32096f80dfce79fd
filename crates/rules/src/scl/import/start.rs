//! The start of a variant, checked: what a text of the language starts with, and how its second side sees the board.
//!
//! In: `startFen` and the pieces. Out: problems, and the inversion. Invariant: a start that would become another one is a problem at its key.

use std::collections::BTreeSet;

use super::betza::{self, Form, Moves};
use super::board::{Inversion, symbols};
use super::ini::Entry;
use super::variant::{Kind, Variant, is_whole};
use crate::scl::MAX_BOARD;
use crate::scl::ast::Square;
use crate::scl::words;

impl Variant<'_> {
    /// Refuses starts that do not fill the board. Is it of a size that the language knows? All else depends on that.
    pub(super) fn check_board(&mut self) -> bool {
        let (width, height) = (self.width(), self.height());
        // A number out of its range is no mistake of the start.
        let said = self.value("maxRank").filter(|rows| is_whole(rows));
        if said.is_some_and(|rows| rows.parse() != Ok(height)) {
            return false;
        }
        let text = self.start_entry().value;
        let board = text.split_whitespace().next().unwrap_or_default();
        let board = board.split_once('[').map_or(board, |(rows, _)| rows);
        let rows: Vec<&str> = board.split('/').collect();
        if usize::try_from(height) != Ok(rows.len()) {
            let message = format!("the board has {height} rows, {} are given", rows.len());
            self.refuse_key("startFen", message);
        }
        for (row, line) in (1..=height).rev().zip(rows) {
            let squares = symbols(line);
            let number = |one: &String| one.parse::<i32>().map_or(1, |run| run.min(2 * MAX_BOARD));
            let n_squares: i32 = squares.iter().take(100).map(number).sum();
            if n_squares != width {
                let message = format!("row {row} has {n_squares} squares instead of {width}");
                self.refuse_key("startFen", message);
            }
        }
        true
    }

    /// Refuses what a text cannot start with.
    pub(super) fn check_start(&mut self) {
        let text = self.start_entry().value;
        let rest: Vec<&str> = text.split_whitespace().skip(1).collect();
        let clock = rest.iter().find_map(|field| field.parse::<i32>().ok()).unwrap_or(0);
        let is_counted = self.number("nMoveRule", 50) > 0;
        let start = self.start();
        let has_hand = !start.hands.is_empty() && !self.flag("pieceDrops", false);
        let is_checked = self.flag("checkCounting", false);
        let checks = rest.iter().find(|field| field.contains('+'));
        let is_even = start.checks.is_some_and(|(first, last)| first == last && first > 0);
        let said = [
            (rest.first().is_some_and(|turn| *turn != "w"), "the second side cannot begin"),
            (clock != 0 && is_counted, "turns that were counted before the start cannot be said"),
            (
                rest.get(2).is_some_and(|trail| words::square(trail).is_some()),
                "a capture in passing at the start cannot be said",
            ),
            (has_hand, "there are pieces in hand that nobody may drop"),
            (
                is_checked && checks.is_some() && !is_even,
                "both sides must have the same number of checks to give, such as `3+3`",
            ),
        ];
        for (_, message) in said.iter().filter(|(is_wrong, _)| *is_wrong) {
            self.refuse_key("startFen", (*message).to_owned());
        }
    }

    /// The start, without rights to castle where nobody ever castles.
    pub(super) fn start_text(&mut self) -> String {
        let Entry { value, .. } = self.start_entry();
        if self.flag("castling", true) {
            return value;
        }
        let fields = value.split_whitespace().enumerate();
        let is_right = |field: &str| field.chars().all(|one| one.is_ascii_alphabetic());
        let kept =
            fields.map(|(place, field)| if place == 2 && is_right(field) { "-" } else { field });
        kept.collect::<Vec<_>>().join(" ")
    }

    /// Kinds that somebody can ever have: from the start on, or by promotion.
    pub(super) fn reachable(&mut self) -> Vec<Kind> {
        let start = self.start();
        let symbols = start.men.values();
        let letters: BTreeSet<char> = symbols
            .chain(start.hands.keys())
            .flat_map(|symbol| symbol.chars())
            .map(|letter| letter.to_ascii_uppercase())
            .collect();
        let mut found: Vec<Kind> =
            self.kinds().into_iter().filter(|kind| letters.contains(&kind.letter)).collect();
        let pawns = self.pawns();
        if found.iter().any(|kind| pawns.contains(kind)) {
            found.extend(self.promotion_kinds());
        }
        let pairs = self.pairs("promotedPieceType");
        found.extend(pairs.into_iter().map(|(_, to)| to));
        found.sort_by(|one, other| one.key.cmp(&other.key));
        found.dedup();
        found
    }

    /// How the second side sees the board. All its pieces are turned by half a turn; for those that do not tell left from right that is the mirror image.
    pub(super) fn find_inversion(&mut self) {
        let reachable = self.reachable();
        let all = |kind: &Kind| betza::parse(&kind.betza).unwrap_or_default();
        let moves: Vec<Moves> = reachable.iter().flat_map(all).collect();
        let is_closed = |image: fn(&(i32, i32)) -> (i32, i32)| {
            moves.iter().all(|one| one.ways.iter().all(|way| one.ways.contains(&image(way))))
        };
        if !is_closed(|(right, forward)| (-right, *forward)) {
            self.inversion = Inversion::Diagonal;
        } else if is_closed(|(right, forward)| (*right, -forward)) && self.is_race() {
            self.inversion = Inversion::Side;
            // Pawns that are not there have regions that are the mirror image of nothing.
            for kind in self.kinds().iter().filter(|kind| !reachable.contains(kind)) {
                if let Some(entry) = self.keys.get_mut(&kind.key) {
                    "-".clone_into(&mut entry.value);
                }
            }
        }
    }

    /// Do both sides run to the same end of the board?
    fn is_race(&mut self) -> bool {
        let own = self.squares("flagRegionWhite", "");
        let other = self.squares("flagRegionBlack", "");
        let height = self.height();
        let over = |square: &Square| Square { row: height + 1 - square.row, ..*square };
        !own.is_empty() && own == other && own.iter().map(over).collect::<BTreeSet<_>>() != own
    }

    /// Refuses pieces that hop or have legs where there are holes: elsewhere these can be hopped over, and block legs.
    pub(super) fn check_hops(&mut self) {
        if self.start().holes.is_empty() {
            return;
        }
        for kind in self.reachable() {
            let moves = betza::parse(&kind.betza).unwrap_or_default();
            if moves.iter().any(|one| matches!(one.form, Form::Hop | Form::Grasshop | Form::Lame)) {
                let message =
                    "pieces that hop or are lame on a board with holes cannot be said".to_owned();
                self.refuse_key(&kind.key, message);
            }
        }
    }
}
