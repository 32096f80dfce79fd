//! Position to text.
//!
//! In: a position. Out: its FEN, or its PDN where squares are written as numbers; nothing where such a text cannot say all of it.
//! Invariant: the text reads back to the same position.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::position::{KindId, Man, Position};
use super::{Fen, file_letter, square_name};
use crate::scl::ast::{Side, Square};

const SIDES: [Side; 2] = [Side::Player, Side::Opponent];

impl Fen {
    /// The text of a position, if one can say all of it.
    pub fn write(&self, position: &Position) -> Option<String> {
        if self.writes_numbers() {
            return self.pdn_text(position);
        }
        // Only play from a position that no contest comes to captures what is protected.
        if position.hands.keys().any(|man| !self.held.contains(&man.kind)) {
            return None;
        }
        let turn = if position.turn == Side::Player { "w" } else { "b" };
        let mut text = format!("{}{} {turn}", self.board_text(position), self.hands_text(position));
        let (rights, trail) = (self.rights_text(position)?, self.trail_text(position)?);
        write!(text, " {rights} {trail}").ok()?;
        if let Some(wanted) = self.n_checks {
            let left = |side: Side| {
                wanted - position.checked.get(&super::other(side)).copied().unwrap_or(0)
            };
            write!(text, " {}+{}", left(Side::Player), left(Side::Opponent)).ok()?;
        }
        write!(text, " {} {}", position.quiet, position.number).ok()?;
        Some(text)
    }

    fn board_text(&self, position: &Position) -> String {
        let (width, height) = (self.game.board.width, self.game.board.height);
        let mut rows = Vec::new();
        for row in (1..=height).rev() {
            let (mut text, mut n_empty) = (String::new(), 0);
            let end_run = |text: &mut String, n_empty: &mut i32| {
                if *n_empty > 0 {
                    text.push_str(&n_empty.to_string());
                    *n_empty = 0;
                }
            };
            for column in 1..=width {
                let square = Square { column, row };
                let symbol = match position.men.get(&square) {
                    Some(man) => self.symbol(*man),
                    None if !self.is_square(square) => "*".to_owned(),
                    None => {
                        n_empty += 1;
                        continue;
                    }
                };
                end_run(&mut text, &mut n_empty);
                text.push_str(&symbol);
            }
            end_run(&mut text, &mut n_empty);
            rows.push(text);
        }
        rows.join("/")
    }

    /// The pieces in hand, the strongest last named by the rules first, in brackets.
    fn hands_text(&self, position: &Position) -> String {
        if !self.has_hands() {
            return String::new();
        }
        let mut text = String::from("[");
        for owner in SIDES {
            for kind in (0..self.symbols.len()).rev().map(KindId) {
                let man = Man { kind, owner };
                for _ in 0..position.hands.get(&man).copied().unwrap_or(0) {
                    text.push_str(&self.symbol(man));
                }
            }
        }
        text + "]"
    }

    /// The letters of those on the rows of rights that have not moved; others must be as a text without letters says.
    fn rights_text(&self, position: &Position) -> Option<String> {
        let mut text = String::new();
        let mut said = BTreeSet::new();
        for side in SIDES {
            let row = self.rights_row(side);
            let mut left: BTreeSet<Square> = position.fresh.iter().copied().collect();
            left.retain(|at| {
                at.row == row && position.men.get(at).is_some_and(|man| man.owner == side)
            });
            let case = |letter: char| {
                if side == Side::Player { letter.to_ascii_uppercase() } else { letter }
            };
            for (letter, is_higher) in [('k', true), ('q', false)] {
                if let Some(square) = self.on_wing(&position.men, (side, is_higher))
                    && left.remove(&square)
                {
                    said.insert(square);
                    text.push(case(letter));
                }
            }
            for square in left {
                said.insert(square);
                text.push(case(file_letter(square.column)?));
            }
        }
        let unsaid = position.men.iter().filter(|(at, man)| self.is_fresh_unsaid(**man, **at));
        said.extend(unsaid.map(|(at, _)| *at));
        if said != position.fresh {
            return None;
        }
        Some(if text.is_empty() { "-".to_owned() } else { text })
    }

    /// The squares just passed; first who passed them, where that is not plain.
    fn trail_text(&self, position: &Position) -> Option<String> {
        let Some(trailing) = position.trailing else {
            return position.trail.is_empty().then(|| "-".to_owned());
        };
        let names: Option<Vec<String>> =
            position.trail.iter().map(|square| square_name(*square)).collect();
        let names = names?.concat();
        let side = super::other(position.turn);
        let passers = self.passers(&position.men, side, &position.trail);
        if names.is_empty() || !passers.contains(&trailing) {
            return None;
        }
        let first = if passers.len() > 1 { square_name(trailing)? } else { String::new() };
        Some(first + &names)
    }
}
