//! The fields of a FEN that tell what the board does not: who may castle or has not moved, and trails.
//!
//! In: a field. Out: squares. `K` and `Q` mean the outermost partner on either hand of the king, any other letter a file;
//! capitals are the first side's. Rights of a king that has left its row are
//! read over. Invariant: any other right without a piece that could have it is an error.

use std::collections::BTreeSet;

use super::position::Man;
use super::read::{Field, Reader};
use super::{Fen, file_letter, square_name};
use crate::scl::ast::{Side, Square};
use crate::scl::words;

impl Fen {
    /// The man that `K` or `Q` means, if its king stands on the row of rights.
    pub(super) fn on_wing(
        &self,
        men: &std::collections::BTreeMap<Square, Man>,
        (side, is_higher): (Side, bool),
    ) -> Option<Square> {
        let row = self.rights_row(side);
        let own = |square: &Square, man: &Man| square.row == row && man.owner == side;
        let mut kings = men.iter().filter(|(at, man)| own(at, man) && self.castles(man.kind));
        let king = kings.next()?.0.column;
        let partners = men.iter().filter(|(at, man)| own(at, man) && self.is_partner(man.kind));
        let columns = partners.map(|(at, _)| at.column);
        let column = if is_higher {
            columns.filter(|column| *column > king).max()
        } else {
            columns.filter(|column| *column < king).min()
        };
        column.map(|column| Square { column, row })
    }
}

impl Reader<'_> {
    /// `KQkq`, `HAha`, `-`.
    pub(super) fn rights(&mut self, (text, start): Field<'_>) {
        if text == "-" {
            return;
        }
        let mut said = BTreeSet::new();
        for (at, letter) in text.char_indices() {
            let field = (&text[at..at + letter.len_utf8()], start + at);
            if self.fen.watched.is_empty() {
                let message = "nobody castles in this game, nor has to be unmoved".to_owned();
                return self.error((text, start), message, "write `-`".to_owned());
            }
            if self.is_forfeited(letter) {
                continue;
            }
            let Some(square) = self.right(field, letter) else { continue };
            self.position.fresh.insert(square);
            if !said.insert(square) {
                let name = square_name(square).unwrap_or_default();
                let message = format!("the right of {name} stands here twice");
                self.error(field, message, "leave one of them out".to_owned());
            }
        }
    }

    /// Is it a right of a side whose king has left its row? Texts of others name such rights, which nobody has any more.
    fn is_forfeited(&self, letter: char) -> bool {
        let side = if letter.is_ascii_uppercase() { Side::Player } else { Side::Opponent };
        let row = self.fen.rights_row(side);
        let is_king = |man: &Man| man.owner == side && self.fen.castles(man.kind);
        let mut kings = self.position.men.iter().filter(|(_, man)| is_king(man)).peekable();
        matches!(letter.to_ascii_lowercase(), 'k' | 'q')
            && kings.peek().is_some()
            && kings.all(|(at, _)| at.row != row)
    }

    /// The square of the man whose right a letter is.
    fn right(&mut self, field: Field<'_>, letter: char) -> Option<Square> {
        let side = if letter.is_ascii_uppercase() { Side::Player } else { Side::Opponent };
        let row = self.fen.rights_row(side);
        let can_castle = self.fen.game.pieces.iter().any(|piece| !piece.castling.is_empty());
        let small = letter.to_ascii_lowercase();
        let found = match small {
            'k' | 'q' if can_castle => self.fen.on_wing(&self.position.men, (side, small == 'k')),
            _ => words::column(field.0).map(|column| Square { column, row }),
        };
        let is_watched = |square: &Square| {
            let man = self.position.men.get(square);
            man.is_some_and(|man| man.owner == side && self.fen.watched.contains(&man.kind))
        };
        let found = found.filter(is_watched);
        if found.is_none() {
            let message =
                format!("there is no piece on row {row} that could have the right `{letter}`");
            let watched = self.fen.watched.iter().map(|kind| &self.fen.game.pieces[kind.0].name);
            let names: Vec<&str> = watched.map(|name| name.text.as_str()).collect();
            let help = format!("rights are those of: {}", names.join(", "));
            self.error(field, message, help);
        }
        found
    }

    /// `e3`, `e3e4`, or first who stands there and then what it passed: `c5d6`.
    pub(super) fn trail(&mut self, (text, start): Field<'_>) {
        if text == "-" {
            return;
        }
        let Some(squares) = self.squares((text, start)) else { return };
        let mover = super::other(self.position.turn);
        let is_movers =
            |square: &Square| self.position.men.get(square).is_some_and(|man| man.owner == mover);
        let (trailing, trail) = match squares.split_first() {
            Some((first, rest)) if is_movers(first) && !rest.is_empty() => (Some(*first), rest),
            _ => (None, &squares[..]),
        };
        let trail: BTreeSet<Square> = trail.iter().copied().collect();
        let passers = self.fen.passers(&self.position.men, mover, &trail);
        let fitting: Vec<Square> =
            passers.into_iter().filter(|one| trailing.is_none_or(|known| known == *one)).collect();
        match fitting[..] {
            [one] => {
                self.position.trailing = Some(one);
                self.position.trail = trail;
            }
            [] => {
                let message = format!("no piece can just have passed `{text}`");
                self.error((text, start), message, "write `-`".to_owned());
            }
            [first, ..] => {
                let name = square_name(first).unwrap_or_default();
                let message = format!("more than one piece can just have passed `{text}`");
                self.error((text, start), message, format!("name it first: `{name}{text}`"));
            }
        }
    }

    /// Squares written one after another.
    fn squares(&mut self, (text, start): Field<'_>) -> Option<Vec<Square>> {
        let mut squares = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let after_letter = rest.chars().next().map_or(0, char::len_utf8);
            let digits = rest[after_letter..].find(|one: char| !one.is_ascii_digit());
            let end = digits.map_or(rest.len(), |at| after_letter + at);
            let (name, after) = rest.split_at(end);
            let square = words::square(name).filter(|square| self.fen.is_square(*square));
            let Some(square) = square else {
                let at = start + text.len() - rest.len();
                let message = format!("`{name}` is not a square of the board");
                let last = file_letter(self.fen.game.board.width).unwrap_or('z');
                let height = self.fen.game.board.height;
                self.error((name, at), message, format!("squares are a1 to {last}{height}"));
                return None;
            };
            squares.push(square);
            rest = after;
        }
        Some(squares)
    }
}
