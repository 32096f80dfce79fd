//! Symbols: how pieces are written in positions.
//!
//! In: the kinds of pieces. Out: one symbol for each, in capitals for the first side; the second side
//! has the same in small letters. Invariant: symbols that the author did not give differ from all others.

use super::ast::SclGame;

/// A letter, `+` and a letter, a letter and `~`.
pub(super) const N_SYMBOLS: usize = 3 * 26;

impl SclGame {
    /// The symbol of each piece, in the order of `pieces`: as written, or the first letter of the name
    /// that is free, or the first free symbol.
    pub fn symbols(&self) -> Vec<String> {
        let mut taken: Vec<String> =
            self.pieces.iter().filter_map(|piece| piece.symbol.clone()).collect();
        let mut symbols = vec![];
        for piece in &self.pieces {
            if let Some(symbol) = &piece.symbol {
                symbols.push(symbol.clone());
                continue;
            }
            let letters = piece.name.text.chars().filter(char::is_ascii_alphabetic);
            let own = letters.map(|letter| letter.to_ascii_uppercase().to_string());
            let symbol = own.chain(all()).find(|symbol| !taken.contains(symbol));
            let symbol = symbol.unwrap_or_default();
            taken.push(symbol.clone());
            symbols.push(symbol);
        }
        symbols
    }
}

fn all() -> impl Iterator<Item = String> {
    let letters = || ('A'..='Z').map(String::from);
    let with_plus = letters().map(|letter| format!("+{letter}"));
    let with_tilde = letters().map(|letter| format!("{letter}~"));
    letters().chain(with_plus).chain(with_tilde)
}
