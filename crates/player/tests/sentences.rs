//! Moves as sentences: what they say, and that they are read back, whole or with words left out.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read games from their folders, and a panic is their verdict"
)]

mod beside;

use std::fs;
use std::path::{Path, PathBuf};

use beside::Beside;
use expect_test::{Expect, expect};
use rulesmith_game::{
    Game, JointMoves, MoveStyle, Notation, Random, RoleId, account, read_move, styled_text,
};
use rulesmith_player::{BuildRequest, Language, ReferenceGame, Stop, build, reference_game};

/// A file below the checkout.
fn path_of(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)
}

/// A game by its file below the checkout.
fn game(file: &str) -> ReferenceGame {
    let path = path_of(file);
    game_of(&path, fs::read_to_string(&path).unwrap())
}

/// The game of a text that might stand in this file.
fn game_of(path: &Path, text: String) -> ReferenceGame {
    let is_scl = path.extension().is_some_and(|one| one == "scl");
    let language = if is_scl { Language::Scl } else { Language::Rules };
    let request = BuildRequest {
        name: path.display().to_string(),
        text,
        language,
        ..BuildRequest::default()
    };
    let result = build(&request, &Beside);
    assert!(!result.diagnostics.has_errors(), "{:#?}", result.diagnostics.list);
    reference_game(result, &request.limits, &Stop::default()).unwrap()
}

/// The role that can move, and its moves.
fn movers(
    game: &ReferenceGame,
    state: &<ReferenceGame as Game>::State,
) -> (RoleId, Vec<<ReferenceGame as Game>::Move>) {
    let joints = JointMoves::of(game, state).unwrap();
    joints.choices().first().cloned().expect("somebody can move")
}

/// The sentences of the moves that are written short like this; each is read back.
fn check(file: &str, fen: &str, short: &str, expected: &Expect) {
    let game = game(file);
    let state = game.parse_state(fen).unwrap();
    let (role, moves) = movers(&game, &state);
    let mut said = Vec::new();
    for one in moves.iter().filter(|one| game.move_text(one).starts_with(short)) {
        let text = styled_text(&game, &state, (role, one), MoveStyle::Long);
        assert_eq!(read_move(&game, &state, role, &text).as_ref(), Ok(one), "{text}");
        said.push(text);
    }
    expected.assert_eq(&said.join("\n"));
}

/// What a sentence with words left out means, as a short move.
fn check_reading(file: &str, fen: &str, text: &str, expected: &Expect) {
    let game = game(file);
    let state = game.parse_state(fen).unwrap();
    let (role, _) = movers(&game, &state);
    let read = read_move(&game, &state, role, text);
    expected.assert_eq(&read.map_or_else(|error| error.to_string(), |one| game.move_text(&one)));
}

const CHECKERS: &str = "games/american_checkers.scl";
const CHESS: &str = "games/chess.scl";
const CAPTURING: &str = "docs/examples/capturing.scl";

#[test]
fn moves_and_captures_say_who_goes_where_and_takes_what() {
    let fen = "8/8/5m2/8/3m4/2M5/8/8 w";
    check(CHECKERS, "initial", "c3d", &expect!["white man (3,3) -> (4,4)."]);
    check(
        CHECKERS,
        fen,
        "c3",
        &expect![
            "white man (3,3) -> (5,5) x black man (4,4); white man (5,5) -> (7,7) x black man (6,6)."
        ],
    );
    let retrieve = "7/7/7/2oW3/7/7/7 w";
    check(
        CAPTURING,
        retrieve,
        "d4xe",
        &expect!["white withdrawer (4,4) -> (5,4) x black stone (3,4)."],
    );
    let several = "7/7/7/1oBoo2/7/7/7 w";
    check(
        CAPTURING,
        several,
        "c4xe",
        &expect![
            "white bulldozer (3,4) -> (5,4) x black stone (5,4) black stone (2,4) black stone (4,4)."
        ],
    );
    let exploding = "7/2oho2/2ooO2/7/7/3X3/7 w";
    check(
        CAPTURING,
        exploding,
        "d2",
        &expect![
            "white bomb (4,2) -> (4,5) x black stone (4,5) black stone (3,6) black stone (5,6) black stone (3,5) white stone (5,5) white bomb (4,5)."
        ],
    );
}

#[test]
fn hands_promotions_and_castling_are_said() {
    let jailer = "7/7/3o3/3J3/7/7/7[O] w";
    check(
        CAPTURING,
        jailer,
        "d4",
        &expect!["white jailer (4,4) -> (4,5) x black stone (4,5) / (white)."],
    );
    check(CAPTURING, jailer, "O@a1", &expect!["white stone (white) -> (1,1)."]);
    let end = "4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1";
    check(CHESS, end, "a7a8Q", &expect!["white pawn (1,7) -> (1,8); promote (1,8) white queen."]);
    check(CHESS, end, "e1h1", &expect!["white king (5,1) -> (7,1); white rook (8,1) -> (6,1)."]);
    let game = game("docs/examples/promoting.scl");
    let mut state = game.parse_state("5/5/2G2/5/m4/5 w").unwrap();
    let gift = read_move(&game, &state, RoleId(0), "c4c5").unwrap();
    game.apply(&mut state, &vec![(RoleId(0), gift)]).unwrap();
    let (role, moves) = movers(&game, &state);
    let said = moves.iter().map(|one| styled_text(&game, &state, (role, one), MoveStyle::Long));
    expect![[r#"
        promote (3,5) white knight; black man (1,2) -> (1,1); promote (1,1) black queen.
        promote (3,5) black knight; black man (1,2) -> (1,1); promote (1,1) black queen."#]]
    .assert_eq(&said.collect::<Vec<_>>().join("\n"));
}

#[test]
fn words_may_be_left_out_and_squares_written_otherwise() {
    let fen = "8/8/5m2/8/3m4/2M5/8/8 w";
    check_reading(CHECKERS, fen, "man c3 -> e5", &expect!["c3xe5xg7"]);
    check_reading(CHECKERS, fen, "(3,3) (5,5) -> (7,7).", &expect!["c3xe5xg7"]);
    check_reading(CHECKERS, "initial", "WHITE MAN ( c , 3 ) -> (d, 4)", &expect!["c3d4"]);
    check_reading(
        CHECKERS,
        "initial",
        "man c3",
        &expect![
            "`man c3` is ambiguous: `white man (3,3) -> (2,4).` or `white man (3,3) -> (4,4).`?"
        ],
    );
    check_reading(
        CHECKERS,
        "initial",
        "man c3 -> c4",
        &expect!["`man c3 -> c4` is not a legal move"],
    );
    let choice = "5/5/2C2/5/5/5 w";
    check_reading("docs/examples/promoting.scl", choice, "c4 -> c5", &expect!["c4c5"]);
    check_reading(
        "docs/examples/promoting.scl",
        choice,
        "c4 -> c5; promote queen",
        &expect!["c4c5Q"],
    );
}

/// What a piece is called says nothing about what it does.
#[test]
fn a_promoter_promotes_nothing() {
    let kind = |name: &str| {
        format!(
            "DEFINE {name} MOVING MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING END DEFINE"
        )
    };
    let text = format!(
        "GAME two GOALS stalemate opponent BOARD_SIZE 4 BY 4 BOARD_TYPE planar INVERSION forward PROMOTE_RANK 4
        SETUP player man AT (1,1) player promoter AT (2,2) opponent man AT (4,4) {} {} END GAME.",
        kind("man"),
        kind("promoter")
    );
    let game = game_of(Path::new("two.scl"), text);
    let state = game.initial().unwrap();
    let (role, _) = movers(&game, &state);
    let read = read_move(&game, &state, role, "white (1,2)");
    let said = read.err().map(|error| error.to_string()).unwrap_or_default();
    expect!["`white (1,2)` is ambiguous: `white man (1,1) -> (1,2).` or `white promoter (2,2) -> (1,2).`?"].assert_eq(&said);
}

#[test]
fn sentences_of_many_games_are_read_back() {
    for file in [
        "games/chess.scl",
        "games/chess_1992.scl",
        "games/shogi.scl",
        "games/xiangqi.scl",
        "games/turncoat_chess.scl",
        "games/withdrawal.scl",
        "games/cylinder_chess.scl",
        "games/international_draughts.scl",
        "games/breakthrough.rules",
        "games/reversi.rules",
    ] {
        let game = game(file);
        let (mut state, mut random) = (game.initial().unwrap(), Random::new(5));
        for _ in 0..6 {
            let joints = JointMoves::of(&game, &state).unwrap();
            let Some(joint) = joints.choose(&mut random) else { break };
            let (role, one) = &joint[0];
            let text = styled_text(&game, &state, (*role, one), MoveStyle::Long);
            assert_eq!(read_move(&game, &state, *role, &text).as_ref(), Ok(one), "{file}: {text}");
            let (before, account) = account(&game, &state, (*role, one)).expect("a board");
            game.apply(&mut state, &joint).unwrap();
            let after = game.board(&state).unwrap();
            assert_eq!(before.squares.len(), after.squares.len());
            assert_ne!(
                account,
                rulesmith_game::Account::default(),
                "{file}: {text} does something"
            );
        }
    }
}
