//! FEN and PDN: what is written reads back to the same state, in random contests of every chess-like game of the library and of games
//! with castling, trails, hands, promoted marks, checks and numbered squares; known texts; and texts with mistakes.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read games from their folder, and a panic is their verdict"
)]

mod beside;

use std::fs;
use std::path::{Path, PathBuf};

use beside::Beside;
use expect_test::{Expect, expect};
use rulesmith_game::{Draws, Game, JointMoves, Notation, Random, RoleId};
use rulesmith_player::{BuildRequest, Language, ReferenceGame, Stop, build, reference_game};

/// Real chess.
const CHESS: &str = include_str!("positions/chess.scl");

/// Turns of a random contest.
const CONTEST_TURNS: usize = 40;

/// Turns of a random contest of each game of the library.
const LIBRARY_TURNS: usize = 8;

fn game(name: &str, text: &str) -> ReferenceGame {
    let (name, text) = (name.to_owned(), text.to_owned());
    let request = BuildRequest { name, text, language: Language::Scl, ..BuildRequest::default() };
    let built = reference_game(build(&request, &Beside), &request.limits, &Stop::default());
    built.unwrap_or_else(|result| panic!("{:?}", result.diagnostics.list))
}

fn chess() -> ReferenceGame {
    game("chess.scl", CHESS)
}

/// Chess in which captured pieces change sides, and a promoted one is a pawn again.
fn crazyhouse() -> ReferenceGame {
    let text = CHESS.replace("EFFECT remove", "EFFECT player possesses");
    let text = text.replace("{knight bishop rook queen}", "{promoted_queen}");
    let queen = text.split("DEFINE queen").nth(1).unwrap().split("END DEFINE").next().unwrap();
    let promoted =
        format!("DEFINE promoted_queen SYMBOL \"Q~\" {queen} REVERTS_TO pawn END DEFINE END GAME.");
    game("crazyhouse.scl", &text.replace("END GAME.", &promoted))
}

fn three_check() -> ReferenceGame {
    let text =
        CHESS.replace("GOALS checkmate opponent", "GOALS checkmate opponent checks opponent 3");
    game("three_check.scl", &text)
}

/// Figure 3 of the paper, with numbers: `first` is square one.
fn draughts(first: &str) -> ReferenceGame {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/american_checkers.scl");
    let text = fs::read_to_string(file).unwrap();
    let own = "BOARD_NUMBERS g1 black_first algebraic\n";
    assert!(text.contains(own), "Figure 3 has numbers of its own");
    game("draughts.scl", &text.replace(own, &format!("BOARD_NUMBERS {first}\n")))
}

/// The state after some moves, as text.
fn check_moves(game: &ReferenceGame, moves: &str, expected: &Expect) {
    let mut state = game.initial().unwrap();
    for (ply, text) in moves.split_whitespace().enumerate() {
        let role = RoleId(ply % 2);
        let chosen = game.parse_move(&state, role, text).unwrap();
        game.apply(&mut state, &vec![(role, chosen)]).unwrap();
    }
    expected.assert_eq(&game.state_text(&state));
}

/// What a text reads to: the same text if it is well written, or its problems.
fn check_text(game: &ReferenceGame, text: &str, expected: &Expect) {
    let read = game.parse_state(text);
    let shown = read.map_or_else(|error| error.to_string(), |state| game.state_text(&state));
    expected.assert_eq(&shown);
}

/// Plays so many turns at random, and reads every state back. How many states had a FEN or a PDN?
fn check_contest(game: &ReferenceGame, (n_turns, seed): (usize, u64)) -> usize {
    let mut random = Random::new(seed);
    let mut state = game.initial().unwrap();
    let mut n_written = 0;
    for _ in 0..n_turns {
        let text = game.state_text(&state);
        let read = game.parse_state(&text).unwrap();
        assert!(read == state, "{}: {text} reads to another state", game.name());
        assert_eq!(game.hash(&read), game.hash(&state), "{text}");
        assert_eq!(game.state_text(&read), text, "clocks are read too");
        n_written += usize::from(game.fen_text(&state) == Some(text));
        if game.is_over(&state, Draws::Apply).unwrap() {
            break;
        }
        let moves = JointMoves::of(game, &state).unwrap();
        if moves.choices().is_empty() {
            break;
        }
        let pick =
            |(role, turns): &(RoleId, Vec<_>)| (*role, Clone::clone(random.choose(turns).unwrap()));
        let joint: Vec<_> = moves.choices().iter().map(pick).collect();
        game.apply(&mut state, &joint).unwrap();
    }
    n_written
}

#[test]
fn random_contests_of_the_library_read_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_scl = |path: &PathBuf| path.extension().is_some_and(|end| end == "scl");
    let mut files: Vec<PathBuf> = files.filter(is_scl).collect();
    files.sort();
    assert!(files.len() >= 10, "the library has shrunk");
    for file in files {
        let game = game(&file.display().to_string(), &fs::read_to_string(&file).unwrap());
        let start = game.initial().unwrap();
        assert!(game.fen_text(&start).is_some(), "{} has no text for its start", file.display());
        check_contest(&game, (LIBRARY_TURNS, 3));
    }
}

#[test]
fn random_contests_read_back() {
    let games = [chess(), crazyhouse(), three_check(), draughts("b8"), draughts("g1 black_first")];
    for (seed, game) in games.iter().enumerate() {
        let n_written = check_contest(game, (CONTEST_TURNS, seed as u64));
        assert!(n_written > 20, "{} had only {n_written} texts", game.name());
    }
}

#[test]
fn chess_is_written_as_everybody_writes_it() {
    let game = chess();
    check_moves(&game, "", &expect!["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]);
    check_moves(
        &game,
        "e2e4",
        &expect!["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"],
    );
    check_moves(
        &game,
        "e2e4 c7c5 g1f3",
        &expect!["rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"],
    );
    check_moves(
        &game,
        "e2e4 e7e5 e1e2 a7a5 h2h4 a8a7",
        &expect!["1nbqkbnr/rppp1ppp/8/p3p3/4P2P/8/PPPPKPP1/RNBQ1BNR w k - 1 4"],
    );
}

#[test]
fn rights_trails_and_clocks_are_read() {
    let game = chess();
    check_text(
        &game,
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        &expect!["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"],
    );
    check_text(
        &game,
        "r3k2r/8/8/8/8/8/8/R3K2R b Ha - 12 34",
        &expect!["r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 34"],
    );
    check_text(
        &game,
        "rr2k1r1/8/8/8/8/8/8/RR2K1RR w BHgb - 0 1",
        &expect!["rr2k1r1/8/8/8/8/8/8/RR2K1RR w KBkb - 0 1"],
    );
    check_text(
        &game,
        "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2",
        &expect!["4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2"],
    );
    check_text(
        &game,
        "4k3/8/8/3Pp3/8/8/8/4K3 w - e5e6 0 2",
        &expect!["4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2"],
    );
    check_text(&game, "4k3/8/8/3Pp3/8/8/8/4K3 w", &expect!["4k3/8/8/3Pp3/8/8/8/4K3 w - - 0 1"]);
    check_text(
        &game,
        "fen 4k3/8/8/3Pp3/8/8/8/4K3 b 7 9",
        &expect!["4k3/8/8/3Pp3/8/8/8/4K3 b - - 7 9"],
    );
}

/// A king that may leap like a knight as long as neither it nor its pawns have moved.
#[test]
fn whoever_has_not_moved_has_a_letter() {
    let leap = "MOVEMENT LEAP <1,2> SYMMETRY {side} UNMOVED END MOVEMENT END MOVING";
    let (before, king) = CHESS.split_once("DEFINE king").unwrap();
    let text = format!("{before}DEFINE king{}", king.replacen("END MOVING", leap, 1));
    let game = game("leaping.scl", &text.replace("FROM second TRAIL", "UNMOVED TRAIL"));
    check_moves(&game, "", &expect!["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQEkqe - 0 1"]);
    check_moves(
        &game,
        "a2a3 e8d6",
        &expect!["rnbq1bnr/pppppppp/3k4/8/8/P7/1PPPPPPP/RNBQKBNR w KQE - 1 2"],
    );
    check_text(
        &game,
        "4k3/4p3/8/8/8/4P3/8/4K3 w E - 0 1",
        &expect!["4k3/4p3/8/8/8/4P3/8/4K3 w E - 0 1"],
    );
    check_contest(&game, (CONTEST_TURNS, 9));
}

#[test]
fn holes_are_stars() {
    let text = "GAME g GOALS stalemate opponent BOARD_SIZE 12 BY 3 BOARD_TYPE planar BOARD_HOLES {b2 c2 k2 j2}
        PROMOTE_RANK 3 SETUP man AT {a1 k1} DEFINE man
        MOVING MOVEMENT LEAP <0,1> SYMMETRY all_symmetry END MOVEMENT END MOVING END DEFINE END GAME.";
    let game = game("g.scl", text);
    check_moves(&game, "", &expect!["1m9m/1**6**1/M9M1 w - - 0 1"]);
    check_text(&game, "1m9m/1**6**m/M9M1 w - - 0 1", &expect!["1m9m/1**6**m/M9M1 w - - 0 1"]);
    check_text(
        &game,
        "1m9m/1*M6**1/M9M1 w - - 0 1",
        &expect![[r#"
        position:1:8: this square is a hole
          1m9m/1*M6**1/M9M1 w - - 0 1
                 ^"#]],
    );
    check_text(
        &game,
        "1m9m/1***5**1/M9M1 w - - 0 1",
        &expect![[r#"
        position:1:9: this square is part of the board
          1m9m/1***5**1/M9M1 w - - 0 1
                  ^
          help: `*` is for holes alone"#]],
    );
}

#[test]
fn hands_and_marks_are_read() {
    let game = crazyhouse();
    check_text(
        &game,
        "2k5/8/8/8/8/8/8/4K3/Qn w - - 0 1",
        &expect!["2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1"],
    );
    check_text(
        &game,
        "4k3/1Q~6/8/8/4b3/8/Kpp5/8/ b - - 0 1",
        &expect!["4k3/1Q~6/8/8/4b3/8/Kpp5/8[] b - - 0 1"],
    );
    check_text(
        &game,
        "4k3/8/8/8/8/8/8/4K3[2PNpp] b - - 0 1",
        &expect!["4k3/8/8/8/8/8/8/4K3[NPPpp] b - - 0 1"],
    );
    check_text(
        &game,
        "4k3/8/8/8/8/8/8/4K3 b 2Pn 7",
        &expect!["4k3/8/8/8/8/8/8/4K3[PPn] w - - 0 4"],
    );
    check_text(&game, "4k3/8/8/8/8/8/8/4K3 w - 7", &expect!["4k3/8/8/8/8/8/8/4K3[] b - - 0 4"]);
}

#[test]
fn checks_are_counted_down() {
    let game = three_check();
    check_moves(
        &game,
        "e2e4 f7f6 d1h5",
        &expect!["rnbqkbnr/ppppp1pp/5p2/7Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 2+3 1 2"],
    );
    check_text(
        &game,
        "4k3/8/8/8/8/8/8/4K3 w - - 1+3 1 39",
        &expect!["4k3/8/8/8/8/8/8/4K3 w - - 1+3 1 39"],
    );
    check_text(
        &game,
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 +2+0",
        &expect!["4k3/8/8/8/8/8/8/4K3 w - - 1+3 0 1"],
    );
}

#[test]
fn draughts_have_numbers() {
    let game = draughts("b8");
    check_moves(
        &game,
        "",
        &expect!["W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"],
    );
    check_moves(
        &game,
        "22-18",
        &expect!["B:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"],
    );
    check_text(&game, "B:WK6,18:BK32,1-3.", &expect!["B:WK6,18:B1,2,3,K32"]);
    check_text(&game, "B : W 18 : B 1,2", &expect!["B:W18:B1,2"]);
    let english = draughts("g1 black_first");
    check_moves(
        &english,
        "11-15 24-19 15x24",
        &expect!["W:W21,22,23,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,24"],
    );
}

/// A game of the library.
fn library(name: &str) -> ReferenceGame {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{name}.scl"));
    game(&format!("{name}.scl"), &fs::read_to_string(file).unwrap())
}

/// The same men, in numbers and by columns and rows.
fn check_men(name: &str, numbers: &str, squares: &str, expected: &Expect) {
    let game = library(name);
    check_text(&game, numbers, expected);
    check_text(&game, squares, expected);
}

#[test]
fn every_draughts_game_reads_numbers_and_squares() {
    let men = "W:W31,K30:B3,K4";
    let shown = expect!["5m1k/8/8/8/8/8/8/2K1M3 w - - 0 1"];
    for name in ["russian_draughts", "brazilian_draughts", "czech_draughts", "pool_checkers"] {
        check_men(name, men, "W:We1,Kc1:Bf8,Kh8", &shown);
    }
    // Spanish players have square one at their right hand, on a board that is the mirror image of ours.
    let shown = expect!["W:WK30,31:B3,K4"];
    check_men("spanish_draughts", men, "W:Wf8,Kd8:Be1,Kg1", &shown);
    // Black begins, and stands on the squares 1 to 12: it is the first side here.
    let shown = expect!["3m1k2/8/8/8/8/8/8/K1M5 b - - 0 1"];
    check_men("american_checkers", men, "W:Wd8,Kf8:Bc1,Ka1", &shown);
    check_men("losing_checkers", men, "W:Wd8,Kf8:Bc1,Ka1", &shown);
    let shown = expect!["1m4/6/6/6/6/2M1K1 b - - 0 1"];
    check_men("american_checkers_6x6", "W:W18:BK1,2", "W:Wb6:BKe1,c1", &shown);
    check_men("international_draughts", "B:WK46:B1", "B:WKa1:Bb10", &expect!["B:WK46:B1"]);
    let shown = expect!["1m8/10/10/10/10/10/10/10/10/D9 b - - 0 1"];
    check_men("international_draughts_1992", "B:WK46:B1", "B:WDa1:Bb10", &shown);
    check_men("italian_draughts", "W:W30:B1", "W:We1:Bh8", &expect!["W:W30:B1"]);
    check_text(
        &library("italian_draughts"),
        "W:Wf1:Bh8",
        &expect![[r#"
        position:1:4: nobody stands on `f1` in this game
          W:Wf1:Bh8
             ^^
          help: write a square of the other color"#]],
    );
    check_men("canadian_draughts", "W:W72:B1", "W:Wk1:Bb12", &expect!["W:W72:B1"]);
}

/// What a move is called by the game itself.
fn check_called(game: &ReferenceGame, state: &str, texts: &[&str], expected: &str) {
    let state = game.parse_state(state).unwrap();
    let role = RoleId(usize::from(!game.legal_moves(&state, RoleId(1)).unwrap().is_empty()));
    for text in texts {
        let found = game.parse_move(&state, role, text).map(|turn| game.move_text(&turn));
        assert_eq!(found.unwrap(), expected, "{text}");
    }
}

#[test]
fn moves_of_draughts_are_read_in_numbers_and_squares() {
    let russian = library("russian_draughts");
    check_called(&russian, "initial", &["c3d4", "c3-d4", "22-18"], "c3d4");
    let chain = "W:Wc3:Bd4,f6,b6";
    let texts = ["c3xe5xg7", "c3:e5:g7", "c3:g7", "22x15x8", "22x8"];
    check_called(&russian, chain, &texts, "c3xe5xg7");
    let american = library("american_checkers");
    check_called(&american, "initial", &["11-15", "c3-d4"], "c3d4");
    let international = library("international_draughts");
    check_called(&international, "initial", &["32-28", "d4e5", "d4-e5"], "32-28");
    let start = international.initial().unwrap();
    for wrong in ["32", "32-", "32-28-", "32-29", "c3-e5", "32-28K"] {
        assert!(international.parse_move(&start, RoleId(0), wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_army_that_is_drawn_stands_at_once() {
    let text = |draw: &str| {
        format!(
            "GAME g GOALS stalemate opponent BOARD_SIZE 4 BY 4 BOARD_TYPE planar INVERSION forward PROMOTE_RANK 4
            SETUP DECISION {draw} ASSIGNS {{rook king man}} TO {{a1 b1 c1 d1}} END DECISION
            DEFINE man MOVING MOVEMENT LEAP <0,1> SYMMETRY {{}} END MOVEMENT END MOVING END DEFINE
            DEFINE rook MOVING MOVEMENT RIDE <0,1> SYMMETRY all_symmetry END MOVEMENT END MOVING END DEFINE
            DEFINE king MOVING MOVEMENT LEAP <0,1> SYMMETRY all_symmetry END MOVEMENT END MOVING END DEFINE
            END GAME."
        )
    };
    check_moves(&game("g.scl", &text("random")), "", &expect!["mkr1/4/4/MKR1 w - - 0 1"]);
    check_moves(&game("g.scl", &text("random 0")), "", &expect!["mkr1/4/4/MKR1 w - - 0 1"]);
    check_moves(&game("g.scl", &text("random 3")), "", &expect!["m1rk/4/4/M1RK w - - 0 1"]);
}

#[test]
fn a_draw_by_quiet_turns_begins_before_the_text() {
    let game = chess();
    let mut state = game.parse_state("4k3/8/8/8/8/8/8/R3K3 w - - 98 80").unwrap();
    for (role, text) in [(0, "a1a2"), (1, "e8e7")] {
        assert!(game.outcome(&state, Draws::Apply).unwrap().is_none());
        let chosen = game.parse_move(&state, RoleId(role), text).unwrap();
        game.apply(&mut state, &vec![(RoleId(role), chosen)]).unwrap();
    }
    assert!(game.outcome(&state, Draws::Apply).unwrap().is_some());
    assert_eq!(game.state_text(&state), "8/4k3/8/8/8/8/R7/4K3 w - - 100 81");
}

/// The problems of some texts, one after the other.
fn check_mistakes(game: &ReferenceGame, texts: &[&str], expected: &Expect) {
    let problem = |text: &&str| game.parse_state(text).unwrap_err().to_string();
    expected.assert_eq(&texts.iter().map(problem).collect::<Vec<_>>().join("\n"));
}

#[test]
fn mistakes_on_the_board_have_places() {
    let texts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w KQkq - 0 1",
        "4k3/8/8/8/8/8/7/4K3 w - - 0 1",
        "4k3/8/8/9/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/3x4/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/3Q~4/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1",
    ];
    check_mistakes(
        &chess(),
        &texts,
        &expect![[r#"
            position:1:1: the board has 8 rows, 7 are given
              rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1
              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              help: rows are separated by `/`
            position:1:38: there is no piece on row 1 that could have the right `K`
              rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1
                                                   ^
              help: rights are those of: rook
            position:1:39: there is no piece on row 1 that could have the right `Q`
              rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1
                                                    ^
              help: rights are those of: rook
            position:1:45: the board has 8 rows, here is one more
              rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w KQkq - 0 1
                                                          ^
            position:1:15: row 2 has fewer than 8 squares
              4k3/8/8/8/8/8/7/4K3 w - - 0 1
                            ^
              help: digits count empty squares
            position:1:9: row 5 has more than 8 squares
              4k3/8/8/9/8/8/8/4K3 w - - 0 1
                      ^
              help: digits count empty squares
            position:1:10: `x` is not a piece of this game
              4k3/8/8/3x4/8/8/8/4K3 w - - 0 1
                       ^
              help: the pieces are P pawn, N knight, B bishop, R rook, Q queen, K king
            position:1:10: `Q~` is not a piece of this game
              4k3/8/8/3Q~4/8/8/8/4K3 w - - 0 1
                       ^^
              help: the pieces are P pawn, N knight, B bishop, R rook, Q queen, K king
            position:1:21: there are no pieces in hand in this game
              4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1
                                  ^"#]],
    );
}

#[test]
fn mistakes_behind_the_board_have_places() {
    let texts = [
        "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w é - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - j9 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 3+3 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 2",
        "4k3/8/8/8/8/8/8/4K3 w - - 99999999999 1",
    ];
    check_mistakes(
        &chess(),
        &texts,
        &expect![[r#"
        position:1:21: `x` does not say who is to move
          4k3/8/8/8/8/8/8/4K3 x - - 0 1
                              ^
          help: write `w` for the first side, `b` for the second
        position:1:23: there is no piece on row 1 that could have the right `K`
          4k3/8/8/8/8/8/8/4K3 w K - 0 1
                                ^
          help: rights are those of: rook
        position:1:24: there is no piece on row 8 that could have the right `é`
          4k3/8/8/8/8/8/8/4K2R w é - 0 1
                                 ^
          help: rights are those of: rook
        position:1:25: no piece can just have passed `e6`
          4k3/8/8/8/8/8/8/4K3 w - e6 0 1
                                  ^^
          help: write `-`
        position:1:25: `j9` is not a square of the board
          4k3/8/8/8/8/8/8/4K3 w - j9 0 1
                                  ^^
          help: squares are a1 to h8
        position:1:27: no checks are counted in this game
          4k3/8/8/8/8/8/8/4K3 w - - 3+3 0 1
                                    ^^^
          help: leave out `3+3`
        position:1:31: `2` is left over
          4k3/8/8/8/8/8/8/4K3 w - - 0 1 2
                                        ^
          help: after the trail come checks such as `3+3`, the turns since the last capture, the number of the turn
        position:1:27: `99999999999` is too large
          4k3/8/8/8/8/8/8/4K3 w - - 99999999999 1
                                    ^^^^^^^^^^^
          help: the largest number is 100000"#]],
    );
}

#[test]
fn rights_are_said_once_and_hands_hold_what_can_be_captured() {
    let texts = [
        "4k3/8/8/8/8/8/8/4K2R w KK - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w KH - 0 1",
        "4k3/8/8/8/8/8/8/4K3[Q~] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[Nk] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[3] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[P12] w - - 0 1",
    ];
    check_mistakes(
        &crazyhouse(),
        &texts,
        &expect![[r#"
        position:1:25: the right of h1 stands here twice
          4k3/8/8/8/8/8/8/4K2R w KK - 0 1
                                  ^
          help: leave one of them out
        position:1:25: the right of h1 stands here twice
          4k3/8/8/8/8/8/8/4K2R w KH - 0 1
                                  ^
          help: leave one of them out
        position:1:21: `Q~` (promoted_queen) can never be in hand
          4k3/8/8/8/8/8/8/4K3[Q~] w - - 0 1
                              ^^
          help: in hand it is a pawn
        position:1:22: `k` (king) can never be in hand
          4k3/8/8/8/8/8/8/4K3[Nk] w - - 0 1
                               ^
        position:1:21: `3` counts no piece
          4k3/8/8/8/8/8/8/4K3[3] w - - 0 1
                              ^
          help: a number stands before the piece it counts
        position:1:22: `12` counts no piece
          4k3/8/8/8/8/8/8/4K3[P12] w - - 0 1
                               ^^
          help: a number stands before the piece it counts"#]],
    );
    // A king that is taken all the same, from a position that no contest comes to, is written as a fluent.
    let game = crazyhouse();
    let mut state = game.parse_state("4k3/4R3/8/8/8/8/8/4K3[] w - - 0 1").unwrap();
    let taken = game.parse_move(&state, RoleId(0), "e7e8").unwrap();
    game.apply(&mut state, &vec![(RoleId(0), taken)]).unwrap();
    assert_eq!(game.fen_text(&state), None);
    assert!(game.parse_state(&game.state_text(&state)).unwrap() == state);
}

#[test]
fn mistakes_with_numbers_have_places() {
    let texts = ["W:W0:B1", "W:WX3:B1", "W:W1:B1", "W3:W2:B1", "X:W1:B2", "W:W1:"];
    check_mistakes(
        &draughts("b8"),
        &texts,
        &expect![[r#"
        position:1:4: `0` is not a square of the board
          W:W0:B1
             ^
          help: squares are 1 to 32
        position:1:4: `X` is not a piece of this game
          W:WX3:B1
             ^
          help: the pieces are M, K
        position:1:7: two men stand on square 1
          W:W1:B1
                ^
        position:1:1: only a side is named first
          W3:W2:B1
          ^^
          help: write `W:W…:B…`: who is to move, then the men of each side
        position:1:1: a side is expected here
          X:W1:B2
          ^
          help: write `W` or `B`
        position:1:6: a side is expected here
          W:W1:
               ^
          help: write `W` or `B`"#]],
    );
}

#[test]
fn no_text_panics() {
    let games = [chess(), crazyhouse(), three_check(), draughts("b8")];
    let pieces = [
        "/",
        "8",
        "K",
        "q",
        "[",
        "]",
        "+",
        "~",
        "é",
        " w ",
        " - ",
        "e3",
        "3+3",
        "99",
        ":",
        "W",
        "B",
        ",",
        "1-3",
        "*",
        "KQkq",
        "4k3/8/8/8/8/8/8/4K3",
        " 0 1",
        "\u{0}",
        "😀",
    ];
    let mut random = Random::new(7);
    for round in 0..4000 {
        let n_parts = 1 + random.below(12);
        let part = |_| *random.choose(&pieces).unwrap();
        let text: String = (0..n_parts).map(part).collect();
        let game = &games[round % games.len()];
        if let Ok(state) = game.parse_state(&text) {
            let again = game.parse_state(&game.state_text(&state)).unwrap();
            assert!(again == state, "{text:?}");
        }
    }
}
