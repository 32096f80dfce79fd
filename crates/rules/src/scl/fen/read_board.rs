//! The first field of a FEN: the rows of the board, and hands.
//!
//! In: a field. Out: men on squares and in hand. Invariant: every row fills the board exactly, or it is an error.

use super::Fen;
use super::position::{KindId, Man};
use super::read::{Field, Reader};
use crate::scl::ast::{Setup, Side, Square};
use crate::scl::facts::Facts;

/// More pieces in hand than this are refused.
const MAX_IN_HAND: i32 = 1024;

impl Fen {
    /// Can pieces be in hand?
    pub(super) fn has_hands(&self) -> bool {
        Facts::of(&self.game).has_hands() || matches!(self.game.setup, Setup::Assignment { .. })
    }

    /// The man that a symbol means, such as `N`, `+p` or `Q~`.
    fn man(&self, symbol: &str) -> Option<Man> {
        let capitals = symbol.to_uppercase();
        let owner = if symbol == capitals { Side::Player } else { Side::Opponent };
        let own = if owner == Side::Player { &self.symbols } else { &self.other_symbols };
        let kind = own.iter().position(|one| *one == capitals).map(KindId)?;
        Some(Man { kind, owner })
    }

    /// `P pawn, N knight`.
    fn all_symbols(&self) -> String {
        let pairs = self.symbols.iter().zip(&self.game.pieces);
        let texts: Vec<String> =
            pairs.map(|(symbol, piece)| format!("{symbol} {}", piece.name.text)).collect();
        texts.join(", ")
    }
}

impl Reader<'_> {
    /// The board, perhaps with hands in brackets or as one more row; were there hands?
    pub(super) fn board(&mut self, (text, start): Field<'_>) -> bool {
        let (rows, hand) = match text.find('[') {
            Some(at) => (&text[..at], Some((&text[at..], start + at))),
            None => (text, None),
        };
        let height = usize::try_from(self.fen.game.board.height).unwrap_or(0);
        let mut at = start;
        let mut n_rows = 0;
        let mut has_hand = false;
        for row in rows.split('/') {
            match n_rows.cmp(&height) {
                std::cmp::Ordering::Less => self.row((row, at), n_rows),
                std::cmp::Ordering::Equal if self.fen.has_hands() && hand.is_none() => {
                    has_hand = true;
                    self.hand((row, at));
                }
                _ => {
                    let message = format!("the board has {height} rows, here is one more");
                    self.error((row, at), message, String::new());
                    return has_hand;
                }
            }
            n_rows += 1;
            at += row.len() + 1;
        }
        if n_rows < height {
            let message = format!("the board has {height} rows, {n_rows} are given");
            self.error((text, start), message, "rows are separated by `/`".to_owned());
        }
        if let Some((brackets, at)) = hand {
            if let Some(inner) = brackets[1..].strip_suffix(']') {
                self.hand((inner, at + 1));
            } else {
                let message = "the hand is not closed".to_owned();
                self.error((brackets, at), message, "write `]` after the board".to_owned());
            }
        }
        has_hand || hand.is_some()
    }

    fn row(&mut self, (text, start): Field<'_>, number: usize) {
        let (width, height) = (self.fen.game.board.width, self.fen.game.board.height);
        let row = height - i32::try_from(number).unwrap_or(height);
        let mut column = 1;
        let mut rest = text;
        while !rest.is_empty() {
            let at = start + text.len() - rest.len();
            let length = token_length(rest, width);
            let (token, after) = rest.split_at(length);
            rest = after;
            if let Ok(run) = token.parse::<i32>() {
                column += run.clamp(0, width + 1);
                continue;
            }
            let square = Square { column, row };
            column += 1;
            if column > width + 1 {
                break;
            }
            if token == "*" {
                if self.fen.is_square(square) {
                    let message = "this square is part of the board".to_owned();
                    self.error((token, at), message, "`*` is for holes alone".to_owned());
                }
            } else if !self.fen.is_square(square) {
                self.error((token, at), "this square is a hole".to_owned(), String::new());
            } else if let Some(man) = self.known_man((token, at)) {
                self.position.men.insert(square, man);
                if self.fen.is_fresh_unsaid(man, square) {
                    self.position.fresh.insert(square);
                }
            }
        }
        if column != width + 1 {
            let many = if column > width { "more than" } else { "fewer than" };
            let message = format!("row {row} has {many} {width} squares");
            let field = if text.is_empty() { (" ", start) } else { (text, start) };
            self.error(field, message, "digits count empty squares".to_owned());
        }
    }

    fn known_man(&mut self, field: Field<'_>) -> Option<Man> {
        let man = self.fen.man(field.0);
        if man.is_none() {
            let message = format!("`{}` is not a piece of this game", field.0);
            self.error(field, message, format!("the pieces are {}", self.fen.all_symbols()));
        }
        man
    }

    /// A man that can be in hand.
    fn held_man(&mut self, field: Field<'_>) -> Option<Man> {
        let man = self.known_man(field)?;
        if self.fen.held.contains(&man.kind) {
            return Some(man);
        }
        let piece = &self.fen.game.pieces[man.kind.0];
        let name = &piece.name.text;
        let message = format!("`{}` ({name}) can never be in hand", field.0);
        let back = piece.reverts_to.as_ref();
        let help = back.map_or(String::new(), |back| format!("in hand it is a {}", back.text));
        self.error(field, message, help);
        None
    }

    /// `QNpp`, `2Pn` or `-`.
    pub(super) fn hand(&mut self, (text, start): Field<'_>) {
        if text == "-" || text.is_empty() {
            return;
        }
        if !self.fen.has_hands() {
            let message = "there are no pieces in hand in this game".to_owned();
            return self.error((text, start), message, String::new());
        }
        let mut count = None;
        let mut counted = (text, start);
        let mut rest = text;
        while !rest.is_empty() {
            let at = start + text.len() - rest.len();
            let length = token_length(rest, i32::MAX);
            let (token, after) = rest.split_at(length);
            rest = after;
            if token.starts_with(|one: char| one.is_ascii_digit()) {
                count = token.parse::<i32>().ok().filter(|count| *count <= MAX_IN_HAND);
                if count.is_none() {
                    let message = format!("`{token}` pieces are too many");
                    return self.error((token, at), message, String::new());
                }
                counted = (token, at);
                continue;
            }
            let Some(man) = self.held_man((token, at)) else { return };
            let in_hand = self.position.hands.entry(man).or_insert(0);
            *in_hand = in_hand.saturating_add(count.take().unwrap_or(1)).min(MAX_IN_HAND);
        }
        if count.is_some() {
            let message = format!("`{}` counts no piece", counted.0);
            self.error(counted, message, "a number stands before the piece it counts".to_owned());
        }
        self.position.hands.retain(|_, count| *count > 0);
    }
}

/// How many bytes the next token has: a number, or a symbol with its marks. Boards of at most nine columns count
/// each digit by itself.
fn token_length(text: &str, width: i32) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    if text.starts_with(|one: char| one.is_ascii_digit()) {
        let run = text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len());
        return if width <= 9 { 1 } else { run };
    }
    let letter = if text.starts_with('+') {
        first + text[first..].chars().next().map_or(0, char::len_utf8)
    } else {
        first
    };
    letter + usize::from(text[letter..].starts_with('~'))
}
