//! Games of the library, read for analysis.
//!
//! In: the name of a game, or its text. Out: the game, and parts of its tables by the names a person would use.

#![allow(dead_code, reason = "each test that includes this module uses a part of it")]
#![expect(clippy::disallowed_methods, reason = "the library is files")]

use std::path::{Path, PathBuf};

use rulesmith_analyze::{Analysis, ManTables, SquareId};
use rulesmith_rules::scl::{Man, SclGame, SclLimits, Side, Square, parse_scl};
use rulesmith_rules::{Diagnostics, Resolver, Sources};

/// The folder of the library.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")
}

/// A game of the library.
pub(crate) fn library(name: &str) -> SclGame {
    let text = std::fs::read_to_string(folder().join(format!("{name}.scl")));
    let text = text.expect("a game of the library");
    parse(&text)
}

/// A game from its text.
pub(crate) fn parse(text: &str) -> SclGame {
    let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
    let file = sources.add("game.scl", text);
    let game = parse_scl(&mut sources, file, &Shelf, &SclLimits::default(), &mut problems);
    game.unwrap_or_else(|| panic!("{:?}", problems.list))
}

/// What games of the library include.
struct Shelf;

impl Resolver for Shelf {
    fn read(&self, _: &str, path: &str) -> Result<(String, String), String> {
        let text = std::fs::read_to_string(folder().join(path)).map_err(|why| why.to_string())?;
        Ok((path.to_owned(), text))
    }
}

/// The tables of a kind of the first side.
pub(crate) fn tables<'a>(game: &SclGame, analysis: &'a Analysis, kind: &str) -> &'a ManTables {
    let place = game.pieces.iter().position(|piece| piece.name.text == kind);
    let place = place.expect("a kind of this game");
    analysis.of(Man { kind: rulesmith_rules::scl::KindId(place), owner: Side::Player })
}

/// A square by column and row.
pub(crate) fn at(analysis: &Analysis, column: i32, row: i32) -> SquareId {
    analysis.squares.id(Square { column, row }).expect("a square of this board")
}

/// A board of numbers, the last row first.
pub(crate) fn board(
    game: &SclGame,
    analysis: &Analysis,
    number: impl Fn(SquareId) -> String,
) -> String {
    let row = |row: i32| {
        let cells = (1..=game.board.width).map(|column| number(at(analysis, column, row)));
        cells.collect::<Vec<_>>().join(" ") + "\n"
    };
    (1..=game.board.height).rev().map(row).collect()
}
