//! Symbols: how pieces are written in positions.
//!
//! In: the kinds of pieces. Out: one symbol for each kind and side, in capitals for the first side; the second side
//! has the same in small letters. Two kinds may have one symbol if each is of another side alone. Invariant: the symbols of all kinds
//! differ, and so do those of all kinds that a side can have.

use super::ast::{SclGame, Side};

/// A letter, `+` and a letter, a letter and `~`.
pub(super) const N_SYMBOLS: usize = 3 * 26;

impl SclGame {
    /// The symbol of each piece, in the order of `pieces`: as written, or the first letter of the name
    /// that is free, or the first free symbol. Of two that share one, the second has another here.
    pub fn symbols(&self) -> Vec<String> {
        let mut taken: Vec<String> =
            self.pieces.iter().filter_map(|piece| piece.symbol.clone()).collect();
        let mut symbols: Vec<String> = vec![];
        for piece in &self.pieces {
            if let Some(symbol) = piece.symbol.as_ref().filter(|one| !symbols.contains(one)) {
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

    /// The symbols in capitals as a side has them: of two kinds that share one, that side's own has it.
    pub(super) fn symbols_of(&self, side: Side) -> Vec<String> {
        let mut symbols = self.symbols();
        for (first, second) in self.sharing() {
            if self.owners()[second][usize::from(side == Side::Opponent)] {
                symbols.swap(first, second);
            }
        }
        symbols
    }

    /// The kinds that share a symbol, in pairs.
    fn sharing(&self) -> Vec<(usize, usize)> {
        let kinds = || self.pieces.iter().enumerate();
        let pairs = kinds().flat_map(|one| kinds().map(move |other| (one, other)));
        let shared = pairs.filter(|((first, one), (second, other))| {
            first < second && one.symbol.is_some() && one.symbol == other.symbol
        });
        shared.map(|((first, _), (second, _))| (first, second)).collect()
    }

    /// May two kinds have the same symbol: does no side ever have both?
    pub(super) fn may_share(&self, one: usize, other: usize) -> bool {
        let owners = self.owners();
        (0..2).all(|side| owners[one][side] != owners[other][side])
    }
}

fn all() -> impl Iterator<Item = String> {
    let letters = || ('A'..='Z').map(String::from);
    let with_plus = letters().map(|letter| format!("+{letter}"));
    let with_tilde = letters().map(|letter| format!("{letter}~"));
    letters().chain(with_plus).chain(with_tilde)
}
