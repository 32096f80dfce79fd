//! How squares, pieces and moves of a chess-like game are written.
//!
//! In: the symbols of pieces and the numbers of squares. Out: glyphs, letters and notation. Invariant: a move that is
//! written has one meaning.

use super::ast::{Side, Square};
use super::facts::{Facts, quoted};
use super::fen::numbered;

/// How moves are written, whatever the game.
const NOTATION: &str = "notation drop(K, T) = K \"@\" T.
notation assign(K, T) = K \"@\" T.
notation choose(N) = \"=\" N.
notation crown(N) = \"=\" N \" \".
notation castle(S, R) = S R.
display at((F, R)) across F, up R.
";

impl Facts<'_> {
    /// How squares, pieces and moves are written.
    pub(super) fn notation(&mut self) {
        let symbols = self.game.symbols();
        self.line(format_args!("glyph empty = \".\"."));
        let owned = [Side::Player, Side::Opponent].map(|side| self.game.symbols_of(side));
        for (piece, (symbol, small)) in self.game.pieces.iter().zip(owned[0].iter().zip(&owned[1]))
        {
            let name = quoted(&piece.name.text);
            let small = small.to_lowercase();
            self.line(format_args!(
                "glyph piece({name}, white) = {symbol:?}, piece({name}, black) = {small:?}."
            ));
        }
        self.symbol_letters(&symbols, &owned);
        if self.game.board.width <= 26 {
            let letters: String =
                ('a'..='z').take(usize::try_from(self.game.board.width).unwrap_or(26)).collect();
            self.line(format_args!("letters file = {letters:?}."));
        }
        let numbers = self.numbers();
        self.text.push_str(&numbers);
        let dash = if numbers.is_empty() { "" } else { " \"-\"" };
        self.line(format_args!("notation move(S, T) = S{dash} T."));
        self.line(format_args!("notation promote(S, T, N) = S{dash} T N."));
        self.text.push_str(NOTATION);
        // Captures that differ in their path alone are one turn.
        if self.game.pieces.iter().any(|piece| piece.constraints.continue_captures.is_some()) {
            self.line(format_args!("turns by result."));
        }
        // A capture that may leave its last square as it was could be mistaken for a move.
        let mut captures = self.game.pieces.iter().flat_map(|piece| &piece.capturing);
        let cross =
            if captures.any(|one| one.methods.hop || one.methods.retrieve) { " \"x\"" } else { "" };
        self.line(format_args!("notation take(1, S, T) = S{cross} T."));
        self.line(format_args!("notation take_promote(1, S, T, N) = S{cross} T N."));
        if self.hows().most > 1 {
            self.line(format_args!("notation take(H, S, T) = S{cross} T \"/\" H."));
            self.line(format_args!("notation take_promote(H, S, T, N) = S{cross} T N \"/\" H."));
        }
    }

    /// In moves, pieces are written as in positions: `P@e4`, `e7e8Q`, and `e2e1q` for the second side.
    fn symbol_letters(&mut self, symbols: &[String], [first, second]: &[Vec<String>; 2]) {
        let pairs = first.iter().zip(second);
        let owned: Vec<String> =
            pairs.flat_map(|(one, other)| [one.clone(), other.to_lowercase()]).collect();
        self.line(format_args!("letters piece = {:?}.", owned.join(" ")));
        // A list of one is read letter by letter.
        if symbols.len() > 1 || symbols.iter().all(|one| one.chars().count() == 1) {
            self.line(format_args!("letters type = {:?}.", symbols.join(" ")));
        }
    }

    /// The names of squares, where some have numbers.
    fn numbers(&self) -> String {
        let numbered = numbered(self.game);
        let is_algebraic = self.game.board.numbering.is_some_and(|one| one.is_algebraic);
        if numbered.is_empty() || is_algebraic {
            return String::new();
        }
        let name = |square: &Square| match numbered.iter().position(|one| one == square) {
            Some(place) => (place + 1).to_string(),
            None => format!("({},{})", square.column, square.row),
        };
        let names: Vec<String> = self.game.squares().iter().map(name).collect();
        format!("letters square = {:?}.\n", names.join(" "))
    }
}
