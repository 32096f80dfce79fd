//! What is wrong in the text of a chess-like game is named, with its place and a way out.

#![allow(clippy::needless_pass_by_value, reason = "`expect!` is written in the call")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::too_many_lines, reason = "lists of mistakes and what is said of them")]

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use rulesmith_rules::scl::{SclLimits, parse_scl};
use rulesmith_rules::{Diagnostics, NoFiles, Severity, Sources};

/// A game without problems; every test changes something.
const GAME: &str = "GAME test
GOALS stalemate opponent
BOARD_SIZE 8 BY 8
BOARD_TYPE planar
PROMOTE_RANK 8
SETUP man AT {(1,1) (3,1)}
CONSTRAINTS must_capture
DEFINE man
  MOVING
    MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT
  END MOVING
  CAPTURING
    CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove
      MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT
    END CAPTURE
  END CAPTURING
  PROMOTING PROMOTE_TO king END PROMOTING
END DEFINE
DEFINE king
  MOVING
    MOVEMENT RIDE MAX 3 <1,1> SYMMETRY {forward side} END MOVEMENT
  END MOVING
END DEFINE
END GAME.
";

fn problems(text: &str) -> String {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("test.scl", text);
    let limits = SclLimits::default();
    let game = parse_scl(&mut sources, file, &NoFiles, &limits, &mut diagnostics);
    assert_eq!(game.is_none(), diagnostics.has_errors());
    let mut lines = String::new();
    for problem in &diagnostics.list {
        let (line, column) = sources.line_column(problem.span);
        let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
        let (code, message, label) = (problem.code, &problem.message, &problem.label);
        write!(lines, "{line}:{column} {severity} {code}: {message} ({label})").unwrap();
        let help = problem.help.as_deref().expect("every problem has a way out");
        writeln!(lines, "; {help}").unwrap();
        for (span, why) in &problem.related {
            let (line, column) = sources.line_column(*span);
            writeln!(lines, "  {line}:{column} {why}").unwrap();
        }
    }
    lines
}

/// The problems after one change.
fn check(old: &str, new: &str, expected: Expect) {
    assert!(GAME.contains(old), "`{old}` is there");
    expected.assert_eq(&problems(&GAME.replacen(old, new, 1)));
}

#[test]
fn a_correct_game_has_no_problems() {
    check("", "", expect![[r#""#]]);
}

#[test]
fn misspelled_words_are_understood() {
    check(
        "MOVING",
        "MOVINC",
        expect![[r#"
        9:3 error misspelled: unknown word `MOVINC` (not known here); did you mean `MOVING`?
    "#]],
    );
    check(
        "END CAPTURING",
        "END CAPTUPdNG",
        expect![[r#"
        16:7 error misspelled: unknown word `CAPTUPdNG` (not known here); did you mean `CAPTURING`?
    "#]],
    );
    check(
        "SYMMETRY",
        "SYMETRY",
        expect![[r#"
        10:25 error misspelled: unknown word `SYMETRY` (not known here); did you mean `SYMMETRY`?
    "#]],
    );
    check(
        "planar",
        "plannar",
        expect![[r#"
        4:12 error misspelled: unknown word `plannar` (not known here); did you mean `planar`?
    "#]],
    );
    check(
        "BOARD_SIZE",
        "BORD_SIZE",
        expect![[r#"
        3:1 error misspelled: unknown word `BORD_SIZE` (not known here); did you mean `BOARD_SIZE`?
    "#]],
    );
    check(
        "CONSTRAINTS must_capture",
        "CONSTRAINT must_captures",
        expect![[r#"
        7:1 error misspelled: unknown word `CONSTRAINT` (not known here); did you mean `CONSTRAINTS`?
        7:12 error misspelled: unknown word `must_captures` (not known here); did you mean `must_capture`?
    "#]],
    );
    check(
        "stalemate opponent",
        "stalmate oponent",
        expect![[r#"
        2:7 error misspelled: unknown word `stalmate` (not known here); did you mean `stalemate`?
        2:16 error misspelled: unknown word `oponent` (not known here); did you mean `opponent`?
    "#]],
    );
    check(
        "any_piece",
        "any_pieces",
        expect![[r#"
        13:43 error misspelled: unknown word `any_pieces` (not known here); did you mean `any_piece`?
    "#]],
    );
    check(
        "clobber",
        "clober",
        expect![[r#"
        13:17 error misspelled: unknown word `clober` (not known here); did you mean `clobber`?
    "#]],
    );
}

#[test]
fn scanned_texts_are_understood() {
    // The figure as an optical reader saw it: metagamer, Figure 3.
    let text = "GAME american_checkers
GOALS stalemate opponent
BOARD_SIZE 8 BY 8
BOARD_TYPE planar
PROMOTE_RANK 8
SETUP man AT {(1,1) (3,1) (5,1) (7,1) (2,2)
(6,2) (8,2) (1,3) (3,3) (5,3)
CONSTRAINTS must_capture
DEFINE man
MOVING
MOVEMENT
LEAP (1, 1) SYMMETRY {side}
END MOVEMENT
END MOVINC
CAPTURING
CAPTURE
BY {hop}
TYPE [{opponent} any_piece]
EFFECT remove
MOVEMENT
HOP BEFORE [X = 0]
OVER IX = II
AFTER IX = 0]
HOP_OVER [{opponent} any_piece]
(1, l) SYMMETRY {side}
END MOVEMENT
END CAPTURE
END CAPTUPdNG
PROMOTING
PROMOTE_TO king
END PROMOTING
CONSTRAINTS continue_captures
END DEFINE
DEFINE king
MOVING
MOVEMENT
LEAP (1, I} SYMMETRY {forward side}
END MOVEMENT
END MOVING
CAPTURING
CAPTURE
BY {hop}
TYPE [{opponent} any_piece]
EFFECT remove
MOVEMENT
HOP BEFORE IX = 0]
OVER [x= II
AFTER [X = O]
HOP_OVER [{opponent} any_piece]
(1, 1} SYMMETRY {forward side}
END MOVEMENT
END CAPTLIRE
END CAPTURING
CONSTRAINTS continue_captures
END DEFINE
END GAME.
";
    expect![[r#"
        7:30 error unclosed: expected `}`, found `CONSTRAINTS` (`}` missing); write `}` here
          6:14 opened here
        14:5 error misspelled: unknown word `MOVINC` (not known here); did you mean `MOVING`?
        22:6 error misspelled: `IX` stands where `[X` belongs (letters for signs); write `[X`
        22:11 error misspelled: `II` stands where `1]` belongs (letters for signs); write `1]`
        23:7 error misspelled: `IX` stands where `[X` belongs (letters for signs); write `[X`
        25:5 error misspelled: `l` stands where `1` belongs (letters for signs); write `1`
        28:5 error misspelled: unknown word `CAPTUPdNG` (not known here); did you mean `CAPTURING`?
        37:10 error misspelled: `I` stands where `1` belongs (letters for signs); write `1`
        37:11 error unclosed: expected `)`, found `}` (`)` missing); write `)` here
          37:6 opened here
        46:12 error misspelled: `IX` stands where `[X` belongs (letters for signs); write `[X`
        47:10 error misspelled: `II` stands where `1]` belongs (letters for signs); write `1]`
        48:12 error misspelled: `O` stands where `0` belongs (letters for signs); write `0`
        50:6 error unclosed: expected `)`, found `}` (`)` missing); write `)` here
          50:1 opened here
        52:5 error misspelled: unknown word `CAPTLIRE` (not known here); did you mean `CAPTURE`?
    "#]]
    .assert_eq(&problems(text));
}

#[test]
fn ends_match_their_openings() {
    check(
        "  END MOVING\n",
        "",
        expect![[r#"
        10:53 error missing-end: `MOVING` is never closed (`END MOVING` missing); write `END MOVING` here
          9:3 `MOVING` was opened here
    "#]],
    );
    check(
        " END MOVEMENT\n",
        "\n",
        expect![[r#"
        10:40 error missing-end: `MOVEMENT` is never closed (`END MOVEMENT` missing); write `END MOVEMENT` here
          10:5 `MOVEMENT` was opened here
    "#]],
    );
    check(
        "END MOVING",
        "END CAPTURE",
        expect![[r#"
        11:3 error mismatched-end: `END CAPTURE` does not close `MOVING` (closes something else); write `END MOVING`
          9:3 `MOVING` was opened here
    "#]],
    );
    check(
        "END MOVING",
        "END",
        expect![[r#"
            11:3 error mismatched-end: `END` says not what it ends (closes something else); write `END MOVING`
              9:3 `MOVING` was opened here
        "#]],
    );
    check(
        "END DEFINE\n",
        "",
        expect![[r#"
            17:42 error missing-end: `DEFINE` is never closed (`END DEFINE` missing); write `END DEFINE` here
              8:1 `DEFINE` was opened here
        "#]],
    );
    check(
        "END GAME.\n",
        "",
        expect![[r#"
            23:11 error missing-end: `GAME` is never closed (`END GAME` missing); write `END GAME` here
              1:1 `GAME` was opened here
        "#]],
    );
    check(
        "END GAME.",
        "END GAME",
        expect![[r#"
        24:9 error missing-stop: missing full stop (a full stop is missing here); write `END GAME.`
    "#]],
    );
    check(
        "END GAME.",
        "END GAME. DEFINE ghost END DEFINE",
        expect![[r#"
        24:11 error syntax: something stands behind the end of the game (not part of the game); remove it, or move it before `END GAME.`
    "#]],
    );
    check(
        "END PROMOTING",
        "ENDE PROMOTING",
        expect![[r#"
        17:29 error misspelled: unknown word `ENDE` (not known here); did you mean `END`?
    "#]],
    );
}

#[test]
fn every_section_stands_once() {
    check(
        "PROMOTE_RANK 8\n",
        "",
        expect![[r#"
        23:10 error missing-section: the game has no section `PROMOTE_RANK` (`PROMOTE_RANK` missing); add one, like `PROMOTE_RANK 8`
    "#]],
    );
    check(
        "BOARD_TYPE planar\n",
        "BOARD_TYPE planar BOARD_TYPE planar\n",
        expect![[r#"
        4:19 error duplicate: `BOARD_TYPE` stands here twice (again); put everything into one section
          4:1 the first one
    "#]],
    );
    check(
        "  PROMOTING",
        "  MOVING MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT END MOVING\n  PROMOTING",
        expect![[r#"
            17:3 error duplicate: `MOVING` stands here twice (again); put everything into one section
              9:3 the first one
        "#]],
    );
    check(
        "must_capture",
        "must_capture must_capture",
        expect![[r#"
        7:26 error duplicate: `must_capture` stands here twice (again); leave one of them out
    "#]],
    );
    expect![[r#"
        1:1 error no-game: there is no game here (nothing); start with `GAME` and a name
    "#]]
    .assert_eq(&problems(""));
    expect![[r#"
        1:1 error syntax: expected `GAME`, found `hello` (expected `GAME`); a game starts with `GAME` and a name
    "#]]
    .assert_eq(&problems("hello world"));
    expect![[r#"
        1:17 error missing-section: the game has no section `GOALS` (`GOALS` missing); add one, like `GOALS stalemate opponent`
        1:17 error missing-section: the game has no section `BOARD_SIZE` (`BOARD_SIZE` missing); add one, like `BOARD_SIZE 8 BY 8`
        1:17 error missing-section: the game has no section `BOARD_TYPE` (`BOARD_TYPE` missing); add one, like `BOARD_TYPE planar`
        1:17 error missing-section: the game has no section `PROMOTE_RANK` (`PROMOTE_RANK` missing); add one, like `PROMOTE_RANK 8`
        1:17 error missing-section: the game has no section `SETUP` (`SETUP` missing); add one, like `SETUP man AT {(1,1) (3,1)}`
    "#]].assert_eq(&problems("GAME x END GAME."));
}

#[test]
fn sections_are_not_empty() {
    check(
        "MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT",
        "",
        expect![[r#"
        9:3 error empty-section: there is no movement here (empty); leave the section out, or write what belongs here
    "#]],
    );
    check(
        "stalemate opponent",
        "",
        expect![[r#"
        2:1 warning no-goal: there is no goal, so nobody can win (nothing follows); add one, like `stalemate opponent`
    "#]],
    );
    check("CONSTRAINTS must_capture", "CONSTRAINTS", expect![""]);
    check(
        "{(1,1) (3,1)}",
        "{}",
        expect![[r#"
        6:14 error empty-section: there is no square here (empty); leave the section out, or write what belongs here
    "#]],
    );
}

#[test]
fn one_mistake_hides_no_other() {
    let text = GAME
        .replace("stalemate opponent", "conquer opponent stalemate nobody")
        .replace("8 BY 8", "8 TIMES 8")
        .replace("LEAP <1,1>", "JUMP <1,1>")
        .replace("[{opponent} any_piece]", "{opponent}")
        .replace("MAX 3 <1,1>", "MAX 3 <1;1>");
    expect![[r#"
        2:7 error syntax: expected a goal, found `conquer` (expected a goal); there are `stalemate`, `eradicate`, `arrive`, `checkmate`, `checks`, `line`, `count`, `fewer`, `all`
        2:34 error syntax: expected `player` or `opponent`, found `nobody` (expected `player` or `opponent`); a goal is written like `stalemate opponent` or `eradicate [{opponent} {king}]`
        3:14 error syntax: expected `BY`, found `TIMES` (expected `BY`); it is written like `BOARD_SIZE 8 BY 8`, columns first
        10:14 error syntax: expected `LEAP`, `RIDE`, `HOP` or `STAY`, found `JUMP` (expected `LEAP`, `RIDE`, `HOP` or `STAY`); a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`
        13:31 error syntax: expected a description like `[{opponent} any_piece]`, found `{` (expected a description like `[{opponent} any_piece]`); a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
        14:16 error syntax: expected `LEAP`, `RIDE`, `HOP` or `STAY`, found `JUMP` (expected `LEAP`, `RIDE`, `HOP` or `STAY`); a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`
        21:27 error foreign-sign: `;` is not a sign of this language (not a sign); a comma stands between the two numbers of a direction or square: `<1,2>`
    "#]].assert_eq(&problems(&text));
}

#[test]
fn mistakes_of_authors() {
    check(
        "BY {clobber}",
        "BY clobber",
        expect![[r#"
        13:16 error syntax: expected `{` and ways to capture, found `clobber` (expected `{` and ways to capture); a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
    "#]],
    );
    check(
        "[{opponent} any_piece]",
        "[{opponent} king]",
        expect![[r#"
        13:43 error syntax: expected `any_piece` or the names of pieces in braces, found `king` (expected `any_piece` or the names of pieces in braces); a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
    "#]],
    );
    check(
        "EFFECT remove",
        "",
        expect![[r#"
        14:7 error syntax: expected `EFFECT`, found `MOVEMENT` (expected `EFFECT`); a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
    "#]],
    );
    check(
        "8 BY 8",
        "8x8",
        expect![[r#"
        3:12 error syntax: expected the width of a board, found `8x8` (expected the width of a board); it is written like `BOARD_SIZE 8 BY 8`, columns first
    "#]],
    );
    check(
        "PROMOTE_TO king",
        "TO king",
        expect![[r#"
        17:13 error syntax: expected `PROMOTE_TO` or `DECISION`, found `TO` (expected `PROMOTE_TO` or `DECISION`); it is written like `PROMOTE_TO queen` or `DECISION player OPTIONS [{player} {queen rook}]`
    "#]],
    );
    check(
        "DEFINE king",
        "PIECE king",
        expect![[r#"
        19:1 error syntax: expected a section or `END GAME.`, found `PIECE` (expected a section or `END GAME.`); a kind of piece is written `DEFINE name .. END DEFINE`; the game ends with `END GAME.`
        17:24 warning undefined-piece: piece `king` is used but never defined (it will neither move nor capture); define it, or leave it so: `DEFINE king END DEFINE`
    "#]],
    );
    check(
        "{side}",
        "all",
        expect![[r#"
        10:34 error misspelled: unknown word `all` (not known here); did you mean `all_symmetry`?
    "#]],
    );
    check(
        "{side} END",
        "{side} IN home END",
        expect![[r#"
            10:41 error syntax: expected `FROM`, `TO`, `WITHIN`, `UNMOVED`, `UNCHECKED`, `ALONE`, `PEACEFUL`, `TRAIL`, `LEAVING`, `BECOMING` or `END MOVEMENT`, found `IN` (expected `FROM`, `TO`, `WITHIN`, `UNMOVED`, `UNCHECKED`, `ALONE`, `PEACEFUL`, `TRAIL`, `LEAVING`, `BECOMING` or `END MOVEMENT`); a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`
        "#]],
    );
    check(
        "{side} END",
        "{side} FROM END",
        expect![[r#"
        10:46 error syntax: expected the name of a region, found `END` (expected the name of a region); a name is missing before `END`
    "#]],
    );
    check(
        "END DEFINE",
        "END man",
        expect![[r#"
            18:1 error mismatched-end: `END man` does not close `DEFINE` (closes something else); write `END DEFINE`
              8:1 `DEFINE` was opened here
        "#]],
    );
    check(
        "END DEFINE",
        "END",
        expect![[r#"
            18:1 error mismatched-end: `END` says not what it ends (closes something else); write `END DEFINE`
              8:1 `DEFINE` was opened here
        "#]],
    );
    check(
        "END GAME.",
        "END.",
        expect![[r#"
            24:1 error mismatched-end: `END` says not what it ends (closes something else); write `END GAME`
              1:1 `GAME` was opened here
        "#]],
    );
    check(
        "  MOVING\n    MOVEMENT LEAP",
        "  MOVING\n    LEAP",
        expect![[r#"
        10:5 error syntax: expected `MOVEMENT` or `END MOVING`, found `LEAP` (expected `MOVEMENT` or `END MOVING`); a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`
    "#]],
    );
}

#[test]
fn brackets_match() {
    check(
        "{(1,1) (3,1)}",
        "{(1,1) (3,1)",
        expect![[r#"
            6:26 error unclosed: expected `}`, found `CONSTRAINTS` (`}` missing); write `}` here
              6:14 opened here
        "#]],
    );
    check(
        "[{opponent} any_piece]",
        "[{opponent} any_piece",
        expect![[r#"
            13:52 error unclosed: expected `]`, found `EFFECT` (`]` missing); write `]` here
              13:31 opened here
        "#]],
    );
    check(
        "[{opponent} any_piece]",
        "[opponent any_piece]",
        expect![[r#"
            13:32 error syntax: a side stands in braces here (braces missing); write `{opponent}`
        "#]],
    );
    check(
        "<1,1>",
        "<1,1",
        expect![[r#"
            10:23 error unclosed: expected `>`, found `SYMMETRY` (`>` missing); write `>` here
              10:19 opened here
        "#]],
    );
    check(
        "{(1,1) (3,1)}",
        "{(1,1), (3,1)}",
        expect![[r#"
        6:20 error syntax: no comma stands between elements (one too many); leave the comma out: `{king queen}`
    "#]],
    );
    check(
        "(3,1)",
        "(3 1)",
        expect![[r#"
            6:24 error syntax: expected `,` between column and row, found number 1 (expected `,` between column and row); it is written like `rook AT {(1,1) (8,1)}` or `rook AT {a1 h1}`, each square written out; a kind of piece starts with `DEFINE`
        "#]],
    );
}

#[test]
fn names_are_names() {
    check(
        "GAME test",
        "GAME my-test",
        expect![[r#"
        1:6 error bad-name: `my-test` is not a name (has a `-`); write `my_test`
    "#]],
    );
    check(
        "GAME test",
        "GAME 8x8",
        expect![[r#"
        1:6 error bad-name: `8x8` is not a name (starts with a digit); names start with a letter and use letters, digits and `_`
    "#]],
    );
    check(
        "GAME test",
        "GAME",
        expect![[r#"
            2:1 error syntax: expected the name of the game, found `GOALS` (expected the name of the game); a name is missing before `GOALS`
        "#]],
    );
    check(
        "DEFINE king",
        "DEFINE capture",
        expect![[r#"
        19:8 error syntax: expected the name of a piece, found `capture` (expected the name of a piece); `capture` is a word of the language; choose another name
        17:24 warning undefined-piece: piece `king` is used but never defined (it will neither move nor capture); define it, or leave it so: `DEFINE king END DEFINE`
    "#]],
    );
    check(
        "GAME test",
        "GAME schäch",
        expect![[r#"
            1:6 error bad-name: `schäch` is not a name (letters outside a to z); names use a to z, digits and `_`
        "#]],
    );
    check(
        "stalemate opponent",
        "stalemate opponent; # all",
        expect![[r#"
            2:25 error unknown-character: unexpected character `;` (not part of the language); nothing stands between the sections; leave it out
            2:27 error unknown-character: unexpected character `#` (not part of the language); comments start with `%` and go to the end of the line
        "#]],
    );
}

#[test]
fn numbers_are_bounded() {
    check(
        "8 BY 8",
        "0 BY 33",
        expect![[r#"
            3:12 error bad-number: the width of a board is 1 to 32 (too small); write a number from 1 to 32
            3:17 error bad-number: the height of a board is 1 to 32 (too large); write a number from 1 to 32
        "#]],
    );
    check(
        "MAX 3",
        "MAX 99999999999999999999",
        expect![[r#"
        21:23 error bad-number: the greatest number of steps is 1 to 32 (too large); write a number from 1 to 32
    "#]],
    );
    check(
        "MAX 3",
        "MIN 4 MAX 3",
        expect![[r#"
        21:5 error bad-range: at least 4 and at most 3 steps are none (`MIN` is more than `MAX`); exchange the two numbers
    "#]],
    );
    check(
        "<1,1>",
        "<0,0>",
        expect![[r#"
        10:5 error zero-direction: direction <0,0> leads nowhere (never leaves its square); write another direction
    "#]],
    );
    check(
        "<1,1>",
        "<9,-1>",
        expect![[r#"
            10:5 warning too-far: there is no room for one step of <9,-1> on the board (the board has 8 columns and 8 rows); this movement is never possible; shorten it
        "#]],
    );
    check(
        "LEAP <1,1>",
        "LEAP LAME <1,1>",
        expect![[r#"
        10:24 error syntax: `LAME` needs the squares that must be empty, and then the leap (only one direction); write both, like `LEAP LAME <0,1> <1,2>`
    "#]],
    );
    check(
        "LEAP",
        "HOP BEFORE [X >= 3] OVER [X = 2] AFTER [X =< 2] HOP_OVER [any_player any_piece]",
        expect![[r#"
            10:56 error foreign-sign: `=<` is not a sign of this language (not a sign); "at most" is written `<=`
        "#]],
    );
    check(
        "LEAP",
        "HOP BEFORE [X >= 3] OVER [X = 2] AFTER [X = 2] HOP_OVER [any_player any_piece]",
        expect![[r#"
            10:5 warning too-far: there is no room for 8 steps of <1,1> on the board (the board has 8 columns and 8 rows); this movement is never possible; shorten it
        "#]],
    );
    check(
        "PROMOTE_RANK 8",
        "PROMOTE_RANK 9",
        expect![[r#"
        5:1 error outside-board: row 9 of promotion is outside the board (the board has 8 rows); write `PROMOTE_RANK 8`; without `PROMOTING` no piece changes
    "#]],
    );
}

#[test]
fn pieces_are_defined_once() {
    check(
        "PROMOTE_TO king",
        "PROMOTE_TO kign",
        expect![[r#"
        17:24 warning undefined-piece: piece `kign` is used but never defined (it will neither move nor capture); did you mean `king`?
    "#]],
    );
    check(
        "SETUP man",
        "SETUP wall AT {(2,2)} man",
        expect![[r#"
        6:7 warning undefined-piece: piece `wall` is used but never defined (it will neither move nor capture); define it, or leave it so: `DEFINE wall END DEFINE`
    "#]],
    );
    check(
        "DEFINE king",
        "DEFINE man",
        expect![[r#"
        19:8 error duplicate: piece `man` is defined twice (again); rename one of them, or put both into one definition
          8:8 defined here before
        17:24 warning undefined-piece: piece `king` is used but never defined (it will neither move nor capture); define it, or leave it so: `DEFINE king END DEFINE`
    "#]],
    );
}

#[test]
fn squares_are_on_the_board_and_free() {
    check(
        "(3,1)",
        "(9,1)",
        expect![[r#"
            6:21 error outside-board: square i1 (9,1) is outside the board (the board has 8 columns and 8 rows); squares are written (column,row) or like `e1`; the last one is h8 (8,8)
        "#]],
    );
    check(
        "(3,1)",
        "(1,1)",
        expect![[r#"
            6:21 error setup: two pieces stand on square a1 (1,1) (the first side's piece); the second side's pieces stand on the squares turned as `INVERSION` says
              6:15 the first side's piece stands there
        "#]],
    );
    check(
        "(3,1)",
        "(8,8)",
        expect![[r#"
            6:21 error setup: two pieces stand on square h8 (8,8) (the first side's piece); the second side's pieces stand on the squares turned as `INVERSION` says
              6:15 the second side's piece stands there
        "#]],
    );
    check(
        "BOARD_TYPE",
        "BOARD_HOLES {(3,1) (9,9)} BOARD_TYPE",
        expect![[r#"
            4:20 error outside-board: square i9 (9,9) is outside the board (the board has 8 columns and 8 rows); squares are written (column,row) or like `e1`; the last one is h8 (8,8)
            6:21 error hole: square c1 (3,1) is a hole (not part of the board); choose another square
              4:1 the holes
        "#]],
    );
    check(
        "stalemate opponent",
        "arrive [{player} {king}] AT {(1,9)}",
        expect![[r#"
            2:36 error outside-board: square a9 (1,9) is outside the board (the board has 8 columns and 8 rows); squares are written (column,row) or like `e1`; the last one is h8 (8,8)
        "#]],
    );
    check(
        "SETUP man AT {(1,1) (3,1)}",
        "SETUP DECISION player ASSIGNS {man man king} TO {a1 a2} END DECISION",
        expect![[r#"
            6:40 error setup: 3 pieces do not fit on 2 squares (one too many); add squares behind `TO`
        "#]],
    );
    check(
        "SETUP man AT {(1,1) (3,1)}",
        "SETUP DECISION chance ASSIGNS {man} TO {a1} END DECISION",
        expect![[r#"
            6:16 error syntax: expected `player`, `opponent` or `random`, found `chance` (expected `player`, `opponent` or `random`); it is written like `DECISION player ASSIGNS {man man} TO {(1,1) (2,1)} END DECISION`
        "#]],
    );
    check(
        "SETUP man AT {(1,1) (3,1)}",
        "SETUP man {(1,1) (3,1)}",
        expect![[r#"
            6:11 error syntax: expected `AT` and squares, or `IN_HAND`, found `{` (expected `AT` and squares, or `IN_HAND`); it is written like `rook AT {(1,1) (8,1)}` or `rook AT {a1 h1}`, each square written out; a kind of piece starts with `DEFINE`
        "#]],
    );
}

#[test]
fn regions_are_known() {
    let guard = |region: &str| format!("SYMMETRY {{side}} FROM {region} END MOVEMENT");
    check(
        "SYMMETRY {side} END MOVEMENT",
        &guard("home"),
        expect![[r#"
        10:46 error unknown-region: there is no region `home` (not defined); define it: `REGION home {(1,1) (2,1)}`
    "#]],
    );
    let text = GAME
        .replacen("SYMMETRY {side} END MOVEMENT", &guard("hoem"), 1)
        .replace("SETUP", "REGION home RANKS 1 .. 9\nREGION home FILES 3 .. 2\nREGION e4 later\nREGION later later\nSETUP");
    expect![[r#"
        6:13 error outside-board: rows 1 to 9 are not all on the board (the board has 8 rows); end with 8
        7:8 error duplicate: region `home` is defined twice (again); rename one of them, or put both into one definition
          6:8 defined here before
        7:13 error bad-range: columns 3 to 2 are none (empty); write `2 .. 3`
        8:8 error bad-name: `e4` is a square, not the name of a region (a square); choose another name
        8:11 error unknown-region: region `later` is not known here (defined later, or right here); a region is made of regions that stand before it
          9:8 defined here
        9:14 error unknown-region: region `later` is not known here (defined later, or right here); a region is made of regions that stand before it
          9:8 defined here
        14:46 error unknown-region: there is no region `hoem` (not defined); did you mean `home`?
    "#]].assert_eq(&problems(&text));
}

#[test]
fn symbols_differ() {
    check(
        "DEFINE king",
        "DEFINE king SYMBOL \"king\"",
        expect![[r#"
        19:20 error bad-symbol: a symbol is a letter, perhaps with `+` before it or `~` behind it (not a symbol); write it like "N", "+P" or "N~"
    "#]],
    );
    check(
        "DEFINE king",
        "DEFINE king SYMBOL K",
        expect![[r#"
            19:20 error syntax: expected a symbol in quotes like "N", found `K` (expected a symbol in quotes like "N"); write `SYMBOL "K"`
        "#]],
    );
    check(
        "DEFINE king",
        "DEFINE king SYMBOL \"K",
        expect![[r#"
        19:20 error unclosed: the text in quotes is not closed on its line (`"` missing); put a `"` behind it
    "#]],
    );
    let text = GAME
        .replace("DEFINE king", "DEFINE king SYMBOL \"k\"")
        .replace("DEFINE man", "DEFINE man SYMBOL \"K\"");
    expect![[r#"
        19:13 error duplicate: `king` and `man` have the same symbol ("K" again); capitals and small letters tell the sides apart, not the pieces
          8:12 the symbol of `man`
    "#]].assert_eq(&problems(&text));
}

/// Of three kinds with one symbol, two are of one side.
#[test]
fn symbols_differ_among_three() {
    let kind = |name: &str| {
        format!(
            "DEFINE {name} SYMBOL \"X\" MOVING MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING END DEFINE\n"
        )
    };
    let text = format!(
        "GAME three GOALS stalemate opponent BOARD_SIZE 4 BY 4 BOARD_TYPE planar INVERSION forward PROMOTE_RANK 4
        SETUP player one AT (1,1) opponent two AT (2,1) player three AT (3,1)\n{}{}{}END GAME.",
        kind("one"),
        kind("two"),
        kind("three")
    );
    expect![[r#"
        5:14 error duplicate: `three` and `one` have the same symbol ("X" again); capitals and small letters tell the sides apart, not the pieces
          3:12 the symbol of `one`
    "#]]
    .assert_eq(&problems(&text));
}

#[test]
fn parts_need_others() {
    check(
        "stalemate opponent",
        "checkmate opponent all {checks opponent 3}",
        expect![[r#"
        2:7 error needs-protect: `checkmate` needs a piece that is protected (no piece is protected); write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`
        2:26 error needs-protect: `checks` needs a piece that is protected (no piece is protected); write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`
    "#]],
    );
    check(
        "must_capture",
        "no_check continue_captures REPETITION 3 loss_for checker",
        expect![[r#"
            7:1 error needs-protect: `no_check` needs a piece that is protected (no piece is protected); write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`
            7:51 error needs-protect: `loss_for checker` needs a piece that is protected (no piece is protected); write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`
            7:1 warning inert-constraint: `continue_captures` says nothing about a whole game (has no effect here); write `CONSTRAINTS continue_captures` in the `DEFINE` of each piece that may go on
        "#]],
    );
    check(
        "  PROMOTING",
        "  DROPPING NO_CHECKMATE END DROPPING PROMOTING",
        expect![[r#"
        17:3 error needs-protect: `NO_CHECKMATE` needs a piece that is protected (no piece is protected); write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`
    "#]],
    );
    check(
        "DEFINE king",
        "DEFINE king CONSTRAINTS pass",
        expect![[r#"
        19:25 error misplaced: `pass` holds for the whole game, not for one piece (not here); put `CONSTRAINTS pass` before the first `DEFINE`
    "#]],
    );
    check(
        "{clobber}",
        "{}",
        expect![[r#"
        13:5 warning no-capture: a capture by nothing takes nothing (has no effect); name a way: `BY {clobber}`
    "#]],
    );
    check(
        "{clobber}",
        "{hop}",
        expect![[r#"
        13:5 warning no-capture: captures by `hop` need a movement that hops (has no effect); add `MOVEMENT HOP ..`, or leave `hop` out
    "#]],
    );
    check(
        "{clobber}",
        "{clobber trail}",
        expect![[r#"
        13:5 warning no-capture: no movement leaves a trail (has no effect); write `TRAIL` behind the movement that can be met on its way
    "#]],
    );
    check(
        "PROMOTING PROMOTE_TO",
        "PROMOTING ON {} PROMOTE_TO",
        expect![[r#"
        17:3 warning no-promotion: `man` never promotes (`ON {}`); say when: `ON {enter within}`
    "#]],
    );
    let text = GAME.replace("planar", "vertical_cylinder").replace("MAX 3", "MAX 3 LONGEST");
    expect![[r#"
        21:5 warning inert-constraint: `LONGEST` says nothing on a cylinder (has no effect); leave `LONGEST` out
    "#]].assert_eq(&problems(&text));
    check(
        "  PROMOTING",
        "  CASTLING CASTLE RIGHT WITH rook TO (9,1) PARTNER TO (9,1) END CASTLING PROMOTING",
        expect![[r#"
            17:12 error outside-board: square i1 (9,1) is outside the board (the board has 8 columns and 8 rows); squares are written (column,row) or like `e1`; the last one is h8 (8,8)
            17:12 error castling: both pieces would end on one square (the same square); give each its own square
            17:30 warning undefined-piece: piece `rook` is used but never defined (it will neither move nor capture); define it, or leave it so: `DEFINE rook END DEFINE`
        "#]],
    );
}

#[test]
fn limits_are_named() {
    let deep = format!("{}stalemate opponent{}", "all {".repeat(40), "}".repeat(40));
    check(
        "stalemate opponent",
        &deep,
        expect![[r#"
            2:87 error limit: goals are nested too deep (too deep); `all` inside `all` says no more
        "#]],
    );
    let names = (0..100)
        .map(|number| format!("DEFINE p{number}x END DEFINE\n"))
        .collect::<Vec<String>>()
        .concat();
    check(
        "END GAME.",
        &format!("{names}END GAME."),
        expect![[r#"
        100:8 error limit: more kinds of pieces than the limit `pieces` of 78 (one too many); there are no more symbols; use fewer kinds
    "#]],
    );
    let names = (0..100).map(|number| format!("p{number}x ")).collect::<Vec<String>>().concat();
    let text = GAME.replace("any_piece", &format!("{{{names}}}"));
    assert!(problems(&text).starts_with("13:"), "{}", problems(&text));
    expect![[r#"
        1:1 error limit: the text has 2000000 bytes, more than the limit `text-bytes` of 1048576 (); raise the limit `text-bytes`
    "#]].assert_eq(&problems(&" ".repeat(2_000_000)));
}

#[test]
fn what_stands_in_the_wrong_place_is_understood() {
    check(
        "stalemate opponent",
        "capture opponent king",
        expect![[r#"
        2:7 error syntax: expected a goal, found `capture` (expected a goal); there are `stalemate`, `eradicate`, `arrive`, `checkmate`, `checks`, `line`, `count`, `fewer`, `all`
    "#]],
    );
    check(
        "stalemate opponent",
        "stalemate opponent capture king",
        expect![[r#"
        2:26 error syntax: expected a goal, found `capture` (expected a goal); there are `stalemate`, `eradicate`, `arrive`, `checkmate`, `checks`, `line`, `count`, `fewer`, `all`
    "#]],
    );
    check(
        "stalemate opponent",
        "checkmate",
        expect![[r#"
        2:7 error syntax: `checkmate` does not say whose (`player` or `opponent` missing behind it); write `checkmate opponent` or `checkmate player`
    "#]],
    );
    check(
        "{(1,1) (3,1)}",
        "a1 c1",
        expect![[r#"
        6:14 error syntax: several squares stand in braces (braces missing); write `{a1 c1}`
    "#]],
    );
    check(
        "{(1,1) (3,1)}",
        "(1,1) (3,1) king AT b1",
        expect![[r#"
        6:14 error syntax: several squares stand in braces (braces missing); write `{a1 c1}`
    "#]],
    );
    check(
        "RIDE MAX 3 <1,1>",
        "RIDE <1,1> MAX 3",
        expect![[r#"
        21:25 error syntax: `MAX` stands before the direction (behind the direction); write it like `RIDE MAX 3 <1,0>`
    "#]],
    );
    check(
        "RIDE MAX 3 <1,1>",
        "RIDE <1,1> LONGEST",
        expect![[r#"
        21:25 error syntax: `LONGEST` stands before the direction (behind the direction); write it like `RIDE LONGEST <1,0>`
    "#]],
    );
    check(
        "  PROMOTING",
        "  DROPPING NO_CHEK END DROPPING PROMOTING",
        expect![[r#"
        17:3 error needs-protect: `NO_CHECK` needs a piece that is protected (no piece is protected); write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`
        17:12 error misspelled: unknown word `NO_CHEK` (not known here); did you mean `NO_CHECK`?
    "#]],
    );
    check(
        "PROMOTE_RANK",
        "REGION low RANKS 1 - 3 FILES a-c PROMOTE_RANK",
        expect![[r#"
        5:20 error syntax: a range is not written with `-` (not a range); write `..`, like `1 .. 3`
        5:31 error syntax: a range is not written with `-` (not a range); write `..`, like `1 .. 3`
    "#]],
    );
    check(
        "DEFINE man",
        "DEFINE man SYMBOL \"M",
        expect![[r#"
        8:19 error unclosed: the text in quotes is not closed on its line (`"` missing); put a `"` behind it
    "#]],
    );
    check(
        "DEFINE man\n  MOVING",
        "DEFINE man SYMBOL \"M MOVING",
        expect![[r#"
        8:19 error unclosed: the text in quotes is not closed on its line (`"` missing); put a `"` behind it
    "#]],
    );
    // Case means nothing.
    check("DEFINE man", "DEFINE man SYMBOL \"m\"", expect![[""]]);
}

#[test]
fn the_words_behind_a_symmetry_stand_in_any_order() {
    check("SYMMETRY {side} END", "SYMMETRY {side} TRAIL UNMOVED END", expect![[""]]);
    check(
        "SYMMETRY {side} END",
        "SYMMETRY {side} TRAIL UNMOVED TRAIL END",
        expect![[r#"
        10:55 error duplicate: `TRAIL` stands here twice (again); leave one of them out
    "#]],
    );
}

#[test]
fn a_movement_that_cannot_be_read_may_leave_a_trail() {
    let text = GAME.replacen("{clobber}", "{trail}", 1);
    assert!(problems(&text).contains("no movement leaves a trail"));
    let broken = text.replacen("SYMMETRY {side} END", "SYMMETRY {side} TRAIL NOW END", 1);
    assert!(!problems(&broken).contains("no movement leaves a trail"));
}

#[test]
fn a_wrong_effect_is_the_only_problem() {
    check(
        "EFFECT remove",
        "EFFECT capture",
        expect![[r#"
        13:61 error syntax: expected `remove`, `player possesses`, `opponent possesses` or `explode`, found `capture` (expected `remove`, `player possesses`, `opponent possesses` or `explode`); a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
    "#]],
    );
}

#[test]
fn a_misspelled_section_is_seen_behind_a_broken_one() {
    check(
        "CONSTRAINTS must_capture\n",
        "CONSTRAINTS protect {player man}\nDRAW stalemate\n",
        expect![[r#"
            7:21 error syntax: expected a description like `[{opponent} any_piece]`, found `{` (expected a description like `[{opponent} any_piece]`); it is written like `CONSTRAINTS must_capture` or `CONSTRAINTS protect [{player} {king}]`
            8:1 error misspelled: unknown word `DRAW` (not known here); did you mean `DRAWS`?
        "#]],
    );
}

#[test]
fn constraints_may_be_none() {
    check("CONSTRAINTS must_capture\n", "CONSTRAINTS\n", expect![[""]]);
    check(
        "CONSTRAINTS must_capture\n",
        "CONSTRAINTS 3\n",
        expect![[r#"
        7:13 error syntax: expected a constraint, found number 3 (expected a constraint); there are `must_capture`, `continue_captures`, `protect`, `no_check`, `no_dead_end`, `pass`, `must_drop`, `no_flight`
    "#]],
    );
}

/// `RESET {promotion}` stands for promotions, and tells them only where they are turns of their own.
#[test]
fn what_sets_a_count_back_is_told() {
    let counting = |words: &str, text: &str| {
        let draws = format!("DRAWS quiet 10 RESET {{{words}}} CONSTRAINTS must_capture");
        problems(&text.replace("CONSTRAINTS must_capture", &draws))
    };
    expect![[r#""#]].assert_eq(&counting("promotion", GAME));
    let going_on = GAME.replace("  PROMOTING", "  CONSTRAINTS continue_captures PROMOTING");
    expect![[r#"
        7:7 error unclear-promotion: promotions in captures that go on cannot be told from other captures (`promotion` without `capture`); write `RESET {capture promotion}`
          8:8 its captures go on, and it promotes
    "#]].assert_eq(&counting("promotion", &going_on));
    expect![[r#""#]].assert_eq(&counting("capture promotion", &going_on));
    let named = GAME.replace("king", "promotion");
    expect![[r#"
        19:8 error bad-name: `promotion` here is not the piece of that name (a word of `RESET`); choose another name
          7:7 it stands for any of them here
    "#]].assert_eq(&counting("capture promotion", &named));
}
