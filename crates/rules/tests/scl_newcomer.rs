//! Mistakes that a newcomer makes in the tutorial's game: each is named where it is, with a way out that helps.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::too_many_lines, reason = "a list of mistakes and what is said of them")]

use std::fmt::Write as _;

use expect_test::expect;
use rulesmith_rules::scl::{SclLimits, parse_scl};
use rulesmith_rules::{Diagnostics, NoFiles, Sources};

/// The game of the tutorial in docs/scl.md.
const OUTPOST: &str = include_str!("../../../docs/examples/outpost.scl");

/// What is said, each problem with its line, its column and the text under the caret.
fn said(text: &str) -> String {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("outpost.scl", text);
    parse_scl(&mut sources, file, &NoFiles, &SclLimits::default(), &mut diagnostics);
    let mut said = String::new();
    for problem in &diagnostics.list {
        let (line, column) = sources.line_column(problem.span);
        let marked = &text[problem.span.start as usize..problem.span.end as usize];
        let marked = marked.lines().next().unwrap_or_default();
        let help = problem.help.as_deref().expect("every problem has a way out");
        writeln!(said, "  {line}:{column} `{marked}` {}\n    {help}", problem.message).unwrap();
    }
    said
}

#[test]
fn the_tutorial_has_no_problems() {
    assert_eq!(said(OUTPOST), "");
}

#[test]
fn mistakes_of_newcomers_are_named_with_a_way_out() {
    let mistakes = [
        ("BOARD_SIZE", "BORD_SIZE"),
        (
            "    MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT",
            "    MOVEMNT LEAP <0,1> SYMMETRY {} END MOVEMENT",
        ),
        (
            "END MOVING\n  CAPTURING\n    CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING",
            "END MOVNG\n  CAPTURING\n    CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING",
        ),
        ("BOARD_SIZE 6 BY 6", "BOARD_SIZE 6 BY 6;"),
        ("6 BY 6", "6 x 6"),
        ("6 BY 6", "6x6"),
        ("archer AT {b1 e1}", "archr AT {b1 e1}"),
        ("PROMOTE_TO archer", "PROMOTE_TO queen"),
        ("6 BY 6", "0 BY 6"),
        ("6 BY 6", "60 BY 6"),
        ("king AT d1", "king AT d9"),
        ("{king}] AT RANKS 6", "{queen}] AT RANKS 6"),
        ("protect [{player} {king}]", "protect [{player} {kng}]"),
        (
            "  PROMOTING PROMOTE_TO archer END PROMOTING\nEND DEFINE\n",
            "  PROMOTING PROMOTE_TO archer END PROMOTING\n",
        ),
        ("    MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT", "    MOVEMENT LEAP <0,1> SYMMETRY {}"),
        ("END GAME.", ""),
        ("END GAME.", "END GAME"),
        (
            "TYPE [{opponent} any_piece] EFFECT remove\n      MOVEMENT LEAP",
            "TYPE opponent any_piece EFFECT remove\n      MOVEMENT LEAP",
        ),
        ("{b1 e1}", "{b1, e1}"),
        ("LEAP <0,1>", "LEAP <0;1>"),
        ("LEAP <0,1>", "LEAP <1>"),
        ("LEAP <0,1>", "LEAP forward"),
        ("LEAP <0,1>", "LEAP <0,0>"),
        ("DEFINE archer SYMBOL \"A\"", "DEFINE pawn SYMBOL \"A\""),
        ("SYMBOL \"A\"", "SYMBOL \"P\""),
        ("pawn AT {a2", "pawn AT {b1 a2"),
        (
            "SYMMETRY all_symmetry END MOVEMENT\n    MOVEMENT LEAP <1,1>",
            "SYMMETRY all END MOVEMENT\n    MOVEMENT LEAP <1,1>",
        ),
        ("SYMMETRY {side}", "SYMMETRY side"),
        (
            "BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS",
            "BY {capture} TYPE [{opponent} any_piece] EFFECT remove AS",
        ),
        ("EFFECT remove AS_MOVING", "EFFECT kill AS_MOVING"),
        ("LEAP <0,1> SYMMETRY {} END", "LEAP <0,1> END"),
        ("PROMOTE_RANK 6\n", ""),
        ("GOALS checkmate opponent\n      arrive [{player} {king}] AT RANKS 6\n", ""),
        ("CONSTRAINTS protect [{player} {king}]\n", ""),
        ("checkmate opponent", "checkmate enemy"),
        ("AT RANKS 6", "AT RANKS 7"),
        ("protect [{player} {king}]", "protect [{white} {king}]"),
        ("[X >= 0] OVER", "[>= 0] OVER"),
        ("OVER [X = 1] AFTER [X >= 0] HOP_OVER", "OVER [X = 1] HOP_OVER"),
        ("RIDE MAX 2", "RIDE MIN 3 MAX 2"),
        ("PROMOTE_RANK 6", "PROMOTE_RANK 9"),
        ("pawn AT {a2 b2 c2 d2 e2 f2}", "pawn AT rank 2"),
        ("pawn AT {a2 b2 c2 d2 e2 f2}", "pawn AT RANKS 2"),
        ("REPETITION 3 draw", "REPETITION draw 3"),
        ("quiet 40 RESET {capture pawn}", "quiet 40"),
        ("DEFINE archer SYMBOL \"A\"", "DEFINE archer SYMBOL A"),
        ("planar", "flat"),
        ("  MOVING\n    MOVEMENT RIDE", "  MOVES\n    MOVEMENT RIDE"),
        ("% Outpost", "// Outpost"),
        ("GAME outpost", "GAME"),
    ];
    let mut all = String::new();
    for (right, wrong) in mistakes {
        let text = OUTPOST.replacen(right, wrong, 1);
        assert_ne!(text, OUTPOST, "{right}");
        writeln!(all, "{}\n{}", wrong.trim().replace('\n', " "), said(&text).trim_end()).unwrap();
    }
    expect![[r#"
        BORD_SIZE
          6:1 `BORD_SIZE` unknown word `BORD_SIZE`
            did you mean `BOARD_SIZE`?
        MOVEMNT LEAP <0,1> SYMMETRY {} END MOVEMENT
          29:5 `MOVEMNT` unknown word `MOVEMNT`
            did you mean `MOVEMENT`?
        END MOVNG   CAPTURING     CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING
          21:7 `MOVNG` unknown word `MOVNG`
            did you mean `MOVING`?
        BOARD_SIZE 6 BY 6;
          6:18 `;` unexpected character `;`
            nothing stands between the sections; leave it out
        6 x 6
          6:14 `x` expected `BY`, found `x`
            it is written like `BOARD_SIZE 8 BY 8`, columns first
        6x6
          6:12 `6x6` expected the width of a board, found `6x6`
            it is written like `BOARD_SIZE 8 BY 8`, columns first
        archr AT {b1 e1}
          11:7 `archr` piece `archr` is used but never defined
            did you mean `archer`?
        PROMOTE_TO queen
          36:24 `queen` piece `queen` is used but never defined
            define it, or leave it so: `DEFINE queen END DEFINE`
        0 BY 6
          6:12 `0` the width of a board is 1 to 32
            write a number from 1 to 32
        60 BY 6
          6:12 `60` the width of a board is 1 to 32
            write a number from 1 to 32
        king AT d9
          10:15 `d9` square d9 (4,9) is outside the board
            squares are written (column,row) or like `e1`; the last one is f6 (6,6)
        {queen}] AT RANKS 6
          5:25 `queen` piece `queen` is used but never defined
            define it, or leave it so: `DEFINE queen END DEFINE`
        protect [{player} {kng}]
          13:32 `kng` piece `kng` is used but never defined
            did you mean `king`?
        PROMOTING PROMOTE_TO archer END PROMOTING
          36:44 `` `DEFINE` is never closed
            write `END DEFINE` here
        MOVEMENT LEAP <0,1> SYMMETRY {}
          29:36 `` `MOVEMENT` is never closed
            write `END MOVEMENT` here

          49:11 `` `GAME` is never closed
            write `END GAME` here
        END GAME
          51:9 `` missing full stop
            write `END GAME.`
        TYPE opponent any_piece EFFECT remove       MOVEMENT LEAP
          32:31 `opponent` expected a description like `[{opponent} any_piece]`, found `opponent`
            a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
        {b1, e1}
          11:20 `,` no comma stands between elements
            leave the comma out: `{king queen}`
        LEAP <0;1>
          29:21 `;` `;` is not a sign of this language
            a comma stands between the two numbers of a direction or square: `<1,2>`
        LEAP <1>
          29:21 `>` expected `,` between the two steps of a direction, found `>`
            a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`
        LEAP forward
          29:19 `forward` expected a direction like `<1,1>`, found `forward`
            a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`
        LEAP <0,0>
          29:5 `MOVEMENT LEAP <0,0> SYMMETRY {} END MOVEMENT` direction <0,0> leads nowhere
            write another direction
        DEFINE pawn SYMBOL "A"
          39:8 `pawn` piece `pawn` is defined twice
            rename one of them, or put both into one definition
          11:7 `archer` piece `archer` is used but never defined
            define it, or leave it so: `DEFINE archer END DEFINE`
        SYMBOL "P"
          39:15 `SYMBOL` `archer` and `pawn` have the same symbol
            capitals and small letters tell the sides apart, not the pieces
        pawn AT {b1 a2
          12:16 `b1` two pieces stand on square b1 (2,1)
            the second side's pieces stand on the squares turned as `INVERSION` says
        SYMMETRY all END MOVEMENT     MOVEMENT LEAP <1,1>
          19:34 `all` unknown word `all`
            did you mean `all_symmetry`?
        SYMMETRY side
          33:36 `side` symmetries stand in braces
            write `SYMMETRY {side}`
        BY {capture} TYPE [{opponent} any_piece] EFFECT remove AS
          23:17 `capture` expected `retrieve`, `clobber`, `hop` or `trail`, found `capture`
            a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
        EFFECT kill AS_MOVING
          23:61 `kill` expected `remove`, `player possesses`, `opponent possesses` or `explode`, found `kill`
            a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, then movements, then `END CAPTURE`
        LEAP <0,1> END
          29:25 `END` expected `SYMMETRY`, found `END`
            a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`

          50:10 `` the game has no section `PROMOTE_RANK`
            add one, like `PROMOTE_RANK 8`

          49:10 `` the game has no section `GOALS`
            add one, like `GOALS stalemate opponent`

          4:7 `checkmate opponent` `checkmate` needs a piece that is protected
            write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`
        checkmate enemy
          4:17 `enemy` expected `player` or `opponent`, found `enemy`
            a text is written for both sides: `player` is the one that a piece belongs to, `opponent` the other one
        AT RANKS 7
          5:7 `arrive [{player} {king}] AT RANKS 7` rows 7 to 7 are not all on the board
            end with 6
        protect [{white} {king}]
          13:23 `white` expected `player` or `opponent`, found `white`
            a text is written for both sides: `player` is the one that a piece belongs to, `opponent` the other one
        [>= 0] OVER
          45:28 `>=` expected `X`, found `>=`
            a hop is written like `MOVEMENT HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X = 0] HOP_OVER [any_player any_piece] <1,0> SYMMETRY all_symmetry END MOVEMENT`
        OVER [X = 1] HOP_OVER
          45:49 `HOP_OVER` expected `AFTER`, found `HOP_OVER`
            a hop is written like `MOVEMENT HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X = 0] HOP_OVER [any_player any_piece] <1,0> SYMMETRY all_symmetry END MOVEMENT`
        RIDE MIN 3 MAX 2
          41:5 `MOVEMENT RIDE MIN 3 MAX 2 <1,0> SYMMETRY all_symmetry END MOVEMENT` at least 3 and at most 2 steps are none
            exchange the two numbers
        PROMOTE_RANK 9
          9:1 `PROMOTE_RANK` row 9 of promotion is outside the board
            write `PROMOTE_RANK 6`; without `PROMOTING` no piece changes
        pawn AT rank 2
          12:15 `rank` expected `{` and squares like `(5,1)`, found `rank`
            it is written like `rook AT {(1,1) (8,1)}` or `rook AT {a1 h1}`, each square written out; a kind of piece starts with `DEFINE`
        pawn AT RANKS 2
          12:15 `RANKS` expected `{` and squares like `(5,1)`, found `RANKS`
            it is written like `rook AT {(1,1) (8,1)}` or `rook AT {a1 h1}`, each square written out; a kind of piece starts with `DEFINE`
        REPETITION draw 3
          15:12 `draw` expected how often a state occurs, found `draw`
            it is written like `REPETITION 3 draw`
        quiet 40
          15:1 `REPETITION` expected `RESET`, found `REPETITION`
            it is written like `DRAWS quiet 100 RESET {capture pawn}`, perhaps with `WITH {count [{player} {king}] [X >= 1]}` behind it, or `ending 10 {{king king}} AGAINST {{king}}`, perhaps with `ON {a1 b2}`
        DEFINE archer SYMBOL A
          39:22 `A` expected a symbol in quotes like "N", found `A`
            write `SYMBOL "A"`
        flat
          7:12 `flat` expected `planar` or `vertical_cylinder`, found `flat`
            it is written `BOARD_TYPE planar` or `BOARD_TYPE vertical_cylinder`
        MOVES     MOVEMENT RIDE
          40:3 `MOVES` expected a section of the piece or `END DEFINE`, found `MOVES`
            a piece has `SYMBOL`, `MOVING`, `CAPTURING`, `CASTLING`, `PROMOTING`, `DROPPING`, `REVERTS_TO`, `LIMIT`, `CONSTRAINTS`
        // Outpost
          1:1 `// Outpost: a small chess with archers. Mate the king, or bring yours to the far row.` unexpected character `/`
            comments start with `%` and go to the end of the line
        GAME
          4:1 `GOALS` expected the name of the game, found `GOALS`
            a name is missing before `GOALS`
    "#]].assert_eq(&all);
}
