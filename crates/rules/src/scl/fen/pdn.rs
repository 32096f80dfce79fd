//! Numbered squares: positions as `W:W31,K46:B1,2` or `W:Wa3,Kc5:Bb8`, as players of draughts write them, and the squares of their moves.
//!
//! In: a game whose board says which square is number one. Out: the squares in order; positions from texts and back. Men of the kind that
//! stands on the board at the start have no letter, others have their symbol. Invariant: numbers go along the rows from square one,
//! over squares of its color. Squares are read as numbers or by column and row, whichever way the game writes them.

use std::fmt::Write;

use super::position::{KindId, Man, Position};
use super::read::{Field, Reader};
use super::{Fen, square_name};
use crate::scl::ast::{SclGame, Setup, Side, Square};
use crate::scl::words;

/// The squares that have numbers, in their order; none where the board does not say.
pub(in crate::scl) fn numbered(game: &SclGame) -> Vec<Square> {
    let Some(numbering) = game.board.numbering else { return vec![] };
    let (width, height) = (game.board.width, game.board.height);
    let first = numbering.first;
    let along = |start: i32, size: i32| -> Vec<i32> {
        // From square one to the farther edge.
        if start - 1 <= size - start { (1..=size).collect() } else { (1..=size).rev().collect() }
    };
    let color = |square: Square| (square.column + square.row).rem_euclid(2);
    let (columns, rows) = (along(first.column, width), along(first.row, height));
    let all = rows.iter().flat_map(|row| columns.iter().map(|column| (*column, *row)));
    let squares = all.map(|(column, row)| Square { column, row });
    let is_one = |square: &Square| color(*square) == color(first);
    squares.filter(|square| is_one(square) && !game.board.holes.contains(square)).collect()
}

/// Does the text look like `W:W31:B1`?
pub(super) fn is_pdn(text: &str) -> bool {
    text.contains(':')
}

impl Fen {
    /// Are squares written as numbers?
    pub(super) fn writes_numbers(&self) -> bool {
        self.game.board.numbering.is_some_and(|numbering| !numbering.is_algebraic)
    }

    /// The squares that a move names, in numbers or by columns and rows: `11-15`, `c3-d4`, `c3d4`, `15x24x31`, `d4:f6`. `None` where it says
    /// anything else, or squares of the game have no numbers.
    pub fn move_squares(&self, text: &str) -> Option<Vec<Square>> {
        let mut squares = vec![];
        let mut rest = text.trim();
        while !rest.is_empty() && !self.numbered.is_empty() {
            let letters =
                rest.len() - rest.trim_start_matches(|one: char| one.is_alphabetic()).len();
            let behind = rest[letters..].trim_start_matches(|one: char| one.is_ascii_digit());
            squares.push(self.square_called(&rest[..rest.len() - behind.len()])?);
            let next = behind.trim_start_matches(' ');
            let next = next.strip_prefix(['-', 'x', ':']).unwrap_or(next).trim_start_matches(' ');
            // A mark behind the last square says nothing that can be read.
            if next.is_empty() && !behind.trim_end().is_empty() {
                return None;
            }
            rest = next;
        }
        (squares.len() > 1).then_some(squares)
    }

    /// `15` or `d4`.
    fn square_called(&self, text: &str) -> Option<Square> {
        if let Ok(number) = text.parse::<usize>() {
            return self.numbered.get(number.checked_sub(1)?).copied();
        }
        let is_small = text.starts_with(|one: char| one.is_ascii_lowercase());
        words::square(text).filter(|square| is_small && self.numbered.contains(square))
    }

    /// The kind that a letter means; `K` is the other kind where there are two.
    fn kind_lettered(&self, letter: &str) -> Option<KindId> {
        let capitals = letter.to_uppercase();
        if letter.is_empty() {
            return Some(self.plain_kind());
        }
        let found = self.symbols.iter().position(|symbol| *symbol == capitals).map(KindId);
        found.or_else(|| {
            let mut others =
                (0..self.symbols.len()).map(KindId).filter(|id| *id != self.plain_kind());
            others.next().filter(|_| capitals == "K" && self.symbols.len() == 2)
        })
    }

    /// The letter of a side: whoever begins is white, unless the board says that black does.
    fn side_letter(&self, side: Side) -> char {
        let is_black_first =
            self.game.board.numbering.is_some_and(|numbering| numbering.is_black_first);
        if (side == Side::Player) == is_black_first { 'B' } else { 'W' }
    }

    /// The kind without a letter: the first that stands on the board at the start.
    fn plain_kind(&self) -> KindId {
        let Setup::Placements(placements) = &self.game.setup else { return KindId(0) };
        let first = placements.first().and_then(|one| self.kind_named(&one.name.text));
        first.unwrap_or(KindId(0))
    }

    /// The number of a square, from one.
    fn number_of(&self, square: Square) -> Option<usize> {
        self.numbered.iter().position(|one| *one == square).map(|place| place + 1)
    }

    pub(super) fn pdn_text(&self, position: &Position) -> Option<String> {
        let is_plain = position.hands.is_empty()
            && position.fresh.is_empty()
            && position.trailing.is_none()
            && position.checked.is_empty();
        if !is_plain {
            return None;
        }
        let mut text = String::from(self.side_letter(position.turn));
        let mut sides = [Side::Player, Side::Opponent];
        sides.sort_by_key(|side| std::cmp::Reverse(self.side_letter(*side)));
        for side in sides {
            let own = position.men.iter().filter(|(_, man)| man.owner == side);
            let numbers = own.map(|(at, man)| Some((self.number_of(*at)?, *man)));
            let mut numbers: Vec<(usize, Man)> = numbers.collect::<Option<_>>()?;
            numbers.sort_unstable();
            let item = |(number, man): (usize, Man)| {
                let is_plain = man.kind == self.plain_kind();
                let letter = if is_plain { "" } else { self.symbols[man.kind.0].as_str() };
                format!("{letter}{number}")
            };
            let items: Vec<String> = numbers.into_iter().map(item).collect();
            write!(text, ":{}{}", self.side_letter(side), items.join(",")).ok()?;
        }
        Some(text)
    }
}

impl Reader<'_> {
    /// Who moves, then a list for each side, in any order.
    pub(super) fn pdn(&mut self, text: &str) {
        let mut at = 0;
        for (place, part) in text.split(':').enumerate() {
            let trimmed = part.trim().trim_end_matches('.');
            let start = at + part.len() - part.trim_start().len();
            at += part.len() + 1;
            let Some(side) = self.pdn_side((trimmed, start)) else { return };
            let list = &trimmed[1..];
            if place > 0 {
                self.pdn_list((list, start + 1), side);
            } else if list.is_empty() {
                self.position.turn = side;
            } else {
                let help = "write `W:W…:B…`: who is to move, then the men of each side";
                self.error(
                    (trimmed, start),
                    "only a side is named first".to_owned(),
                    help.to_owned(),
                );
            }
        }
    }

    fn pdn_side(&mut self, field: Field<'_>) -> Option<Side> {
        let letter = field.0.chars().next().map(|letter| letter.to_ascii_uppercase());
        let sides = [Side::Player, Side::Opponent];
        let found = sides.into_iter().find(|side| Some(self.fen.side_letter(*side)) == letter);
        if found.is_none() {
            let field = if field.0.is_empty() { (" ", field.1) } else { field };
            let message = "a side is expected here".to_owned();
            self.error(field, message, "write `W` or `B`".to_owned());
        }
        found
    }

    fn pdn_list(&mut self, (text, start): Field<'_>, owner: Side) {
        let mut at = start;
        for item in text.split(',') {
            let field = (item.trim(), at + item.len() - item.trim_start().len());
            at += item.len() + 1;
            if field.0.is_empty() {
                continue;
            }
            self.pdn_item(field, owner);
        }
    }

    /// `K31`, `31`, `1-12`, `Kc5` or `c5`.
    fn pdn_item(&mut self, (item, start): Field<'_>, owner: Side) {
        let digits = item.find(|one: char| one.is_ascii_digit()).unwrap_or(item.len());
        let (mut letter, numbers) = item.split_at(digits);
        // A small letter before the number is a column, if that is a square.
        let column = letter.char_indices().last().map_or(0, |(at, _)| at);
        let named = self.fen.square_called(&item[column..]).filter(|_| !letter.is_empty());
        if named.is_some() {
            letter = &letter[..column];
        }
        let Some(kind) = self.fen.kind_lettered(letter) else {
            let square = &item[column..];
            if words::square(square).is_some_and(|square| self.fen.is_square(square)) {
                let message = format!("nobody stands on `{square}` in this game");
                let help = "write a square of the other color".to_owned();
                return self.error((square, start + column), message, help);
            }
            let message = format!("`{letter}` is not a piece of this game");
            let known: Vec<&str> = self.fen.symbols.iter().map(String::as_str).collect();
            return self.error(
                (letter, start),
                message,
                format!("the pieces are {}", known.join(", ")),
            );
        };
        if let Some(square) = named {
            return self.stand(square, Man { kind, owner }, (item, start));
        }
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let most = self.fen.numbered.len();
        let read = |text: &str| text.parse().ok().filter(|number| (1..=most).contains(number));
        let (Some(first), Some(last)) = (read(first), read(last)) else {
            let message = format!("`{item}` is not a square of the board");
            return self.error((item, start), message, format!("squares are 1 to {most}"));
        };
        for number in first..=last {
            self.stand(self.fen.numbered[number - 1], Man { kind, owner }, (item, start));
        }
    }

    fn stand(&mut self, square: Square, man: Man, field: Field<'_>) {
        if self.position.men.insert(square, man).is_some() {
            let number = self.fen.number_of(square).map(|number| number.to_string());
            let name = number.filter(|_| self.fen.writes_numbers()).or(square_name(square));
            let message = format!("two men stand on square {}", name.unwrap_or_default());
            self.error(field, message, String::new());
        }
    }
}
