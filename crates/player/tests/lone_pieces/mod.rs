//! Games in which one piece stands on the board, in the tables and in the reference engine.

use std::collections::BTreeSet;
use std::path::Path;

use rulesmith_analyze::{SquareId, analyze};
use rulesmith_compile::ReferenceGame;
use rulesmith_game::{Game, Notation, RoleId};
use rulesmith_player::{
    BuildRequest, Knobs, Language, NoFiles, Stop, build, generate, reference_game,
};
use rulesmith_rules::scl::{KindId, Man, SclGame, SclLimits, Side, Square, parse_scl, print_scl};
use rulesmith_rules::{Diagnostics, Sources};

/// A game of the library.
#[expect(clippy::disallowed_methods, reason = "the library is files")]
pub(crate) fn library(name: &str) -> SclGame {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{name}.scl"));
    let text = std::fs::read_to_string(path).expect("a game of the library");
    let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
    let file = sources.add("game.scl", text);
    let game = parse_scl(&mut sources, file, &NoFiles, &SclLimits::default(), &mut problems);
    game.expect("library games have no errors")
}

/// A generated game.
pub(crate) fn generated(settings: &str, seed: u64) -> SclGame {
    let mut knobs = Knobs::default();
    for (name, value) in settings.split(';').filter_map(|setting| setting.split_once('=')) {
        knobs.set(name, value).expect("a value of that knob");
    }
    generate(&knobs, seed, &Stop::default()).expect("there are such games").game
}

/// The first two squares of a move's general form, `move((1, 2), (1, 3))`.
fn ends(text: &str) -> (Square, Square) {
    let numbers: Vec<i32> = text
        .split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    let square = |place: usize| Square { column: numbers[place], row: numbers[place + 1] };
    (square(0), square(2))
}

/// The position with one man, as FEN.
fn fen(game: &SclGame, man: Man, at: Square) -> String {
    let symbol = &game.symbols()[man.kind.0];
    let symbol = if man.owner == Side::Player { symbol.clone() } else { symbol.to_lowercase() };
    let row = |row: i32| {
        let (before, after) = (at.column - 1, game.board.width - at.column);
        let blank = |count: i32| if count == 0 { String::new() } else { count.to_string() };
        if row == at.row {
            format!("{}{symbol}{}", blank(before), blank(after))
        } else {
            game.board.width.to_string()
        }
    };
    let rows: Vec<String> = (1..=game.board.height).rev().map(row).collect();
    let turn = if man.owner == Side::Player { "w" } else { "b" };
    format!("{} {turn}", rows.join("/"))
}

/// Where a man can go by the rules.
fn by_rules(game: &ReferenceGame, fen: &str, man: Man, at: Square) -> BTreeSet<Square> {
    let state = game.parse_state(fen).expect("a position of this game");
    let role = RoleId(usize::from(man.owner == Side::Opponent));
    let moves = game.legal_moves(&state, role).expect("within the limits");
    let to = moves.iter().map(|chosen| {
        let (from, to) = ends(&game.exact_text(chosen));
        assert_eq!(from, at, "{fen}");
        to
    });
    to.collect()
}

/// Compares every man on every square.
pub(crate) fn check(name: &str, mut game: SclGame) {
    game.goals.clear();
    game.draws.clear();
    game.pieces.iter_mut().for_each(|piece| piece.constraints.must_capture = None);
    let analysis = analyze(&game);
    let text = print_scl(&game);
    let request = BuildRequest { text, language: Language::Scl, ..BuildRequest::default() };
    let reference = reference_game(build(&request, &NoFiles), &request.limits, &Stop::default());
    let reference = reference.unwrap_or_else(|result| panic!("{:?}", result.diagnostics.list));
    for kind in (0..game.pieces.len()).map(KindId) {
        for owner in Side::BOTH {
            let man = Man { kind, owner };
            for from in analysis.squares.ids() {
                let at = analysis.squares.square(from);
                let fen = fen(&game, man, at);
                let square = |id: SquareId| analysis.squares.square(id);
                let tables = analysis.of(man).transitions[from.0].iter().map(square);
                let tables: BTreeSet<Square> = tables.collect();
                assert_eq!(by_rules(&reference, &fen, man, at), tables, "{name}: {fen}");
            }
        }
    }
}
