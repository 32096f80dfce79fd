//! Text to position: the fields of a FEN in order.
//!
//! In: a text. Out: a position, or every problem with its place. Fields may be left out from the end, and rights and trail
//! together, as shogi does. Invariant: nothing is guessed: what the game does not have is an error.

use rulesmith_logic::Span;

use super::position::Position;
use super::{Fen, pdn};
use crate::scl::ast::Side;
use crate::source::{Diagnostic, Diagnostics};

/// Larger clocks and turn numbers are refused.
const MAX_NUMBER: i32 = 100_000;

/// A word of the text and where it starts.
pub(super) type Field<'t> = (&'t str, usize);

/// A text being read.
pub(super) struct Reader<'f> {
    pub(super) fen: &'f Fen,
    pub(super) position: Position,
    pub(super) problems: Diagnostics,
}

impl Fen {
    /// The position that a text describes. Places count bytes of the text.
    pub fn read(&self, text: &str) -> Result<Position, Diagnostics> {
        let mut reader =
            Reader { fen: self, position: Position::default(), problems: Diagnostics::default() };
        if !self.numbered.is_empty() && pdn::is_pdn(text) {
            reader.pdn(text);
        } else {
            reader.fen(text);
        }
        if reader.problems.has_errors() { Err(reader.problems) } else { Ok(reader.position) }
    }
}

impl Reader<'_> {
    pub(super) fn error(&mut self, (word, start): Field<'_>, message: String, help: String) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span { file: 0, start: place(start), end: place(start + word.len()) };
        let problem = Diagnostic::error("position", span, message);
        self.problems.report(if help.is_empty() { problem } else { problem.help(help) });
    }

    fn fen(&mut self, text: &str) {
        let mut fields = words(text);
        let is_named_sfen = fields.first().is_some_and(|(word, _)| *word == "sfen");
        if is_named_sfen || fields.first().is_some_and(|(word, _)| *word == "fen") {
            fields.remove(0);
        }
        let Some(&board) = fields.first() else {
            let help = "write the rows of the board from the top, with `/` between them";
            self.error((" ", 0), "there is no position here".to_owned(), help.to_owned());
            return;
        };
        let has_hand = self.board(board);
        let is_sfen = self.fen.has_hands() && !has_hand && is_sfen(&fields, is_named_sfen);
        if let Some(turn) = fields.get(1) {
            self.turn(*turn, is_sfen);
        }
        let mut rest = fields.get(2..).unwrap_or(&[]);
        if is_sfen {
            if let [hand, after @ ..] = rest {
                self.hand(*hand);
                rest = after;
            }
            return self.move_count(rest);
        }
        if let [rights, after @ ..] = rest
            && !is_number(rights.0)
            && !is_checks(rights.0)
        {
            self.rights(*rights);
            rest = after;
        } else {
            self.rights(("-", 0));
        }
        if let [trail, after @ ..] = rest
            && !is_number(trail.0)
            && !is_checks(trail.0)
        {
            self.trail(*trail);
            rest = after;
        }
        self.numbers(rest);
    }

    fn turn(&mut self, field: Field<'_>, is_sfen: bool) {
        // Shogi calls the side that begins black.
        self.position.turn = match field.0 {
            "w" | "W" => {
                if is_sfen {
                    Side::Opponent
                } else {
                    Side::Player
                }
            }
            "b" | "B" => {
                if is_sfen {
                    Side::Player
                } else {
                    Side::Opponent
                }
            }
            "r" | "R" if !is_sfen => Side::Player,
            word => {
                let help = "write `w` for the first side, `b` for the second";
                let message = format!("`{word}` does not say who is to move");
                return self.error(field, message, help.to_owned());
            }
        };
    }

    /// Checks still to be given, the clock and the number of the turn.
    fn numbers(&mut self, fields: &[Field<'_>]) {
        let mut numbers = Vec::new();
        for &field in fields {
            if is_checks(field.0) {
                self.checks(field);
            } else if is_number(field.0) && numbers.len() < 2 {
                numbers.extend(self.number(field));
            } else {
                let help = "after the trail come checks such as `3+3`, the turns since the last capture, the number of the turn";
                let message = format!("`{}` is left over", field.0);
                return self.error(field, message, help.to_owned());
            }
        }
        if let Some(quiet) = numbers.first() {
            self.position.quiet = *quiet;
        }
        if let Some(number) = numbers.get(1) {
            // Some write 0 for the first turn.
            self.position.number = (*number).max(1);
        }
    }

    /// The number of a turn that counts each side's turns.
    fn move_count(&mut self, fields: &[Field<'_>]) {
        let [field, rest @ ..] = fields else { return };
        if !is_number(field.0) || !rest.is_empty() {
            let field = rest.first().unwrap_or(field);
            let message = format!("`{}` is left over", field.0);
            return self.error(*field, message, "after the hand comes one number".to_owned());
        }
        if let Some(number) = self.number(*field) {
            self.position.number = (number.max(1) - 1) / 2 + 1;
        }
    }

    fn number(&mut self, field: Field<'_>) -> Option<i32> {
        let number = field.0.parse().ok().filter(|number| *number <= MAX_NUMBER);
        if number.is_none() {
            let message = format!("`{}` is too large", field.0);
            self.error(field, message, format!("the largest number is {MAX_NUMBER}"));
        }
        number
    }

    /// `3+3`: what each side has still to give; `+1+0`: what each has given.
    fn checks(&mut self, field: Field<'_>) {
        let Some(wanted) = self.fen.n_checks else {
            let message = "no checks are counted in this game".to_owned();
            return self.error(field, message, format!("leave out `{}`", field.0));
        };
        let are_given = field.0.starts_with('+');
        let parts: Vec<&str> = field.0.trim_start_matches('+').split('+').collect();
        for (side, part) in [Side::Player, Side::Opponent].into_iter().zip(parts) {
            let number = part.parse::<i32>().ok().filter(|number| *number <= wanted);
            let Some(number) = number else {
                let message = format!("`{part}` checks are more than {wanted}");
                return self.error(field, message, format!("{wanted} checks win"));
            };
            let given = if are_given { number } else { wanted - number };
            if given > 0 {
                self.position.checked.insert(super::other(side), given);
            }
        }
    }
}

/// The words of a text with their places.
fn words(text: &str) -> Vec<Field<'_>> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(|word| (word, start(word))).collect()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `3+3` or `+0+0`.
fn is_checks(word: &str) -> bool {
    let parts: Vec<&str> = word.strip_prefix('+').unwrap_or(word).split('+').collect();
    parts.len() == 2 && parts.iter().all(|part| is_number(part) && part.len() < 6)
}

/// Is the third field a hand, as shogi writes it?
fn is_sfen(fields: &[Field<'_>], is_named: bool) -> bool {
    match fields {
        _ if is_named => true,
        [_, _, hand] => hand.0 != "-" && !is_number(hand.0),
        [_, _, hand, count] => !is_number(hand.0) && is_number(count.0),
        _ => false,
    }
}
