//! Chess-like games: text in, canonical text out.

#![allow(clippy::needless_pass_by_value, reason = "`expect!` is written in the call")]

use expect_test::{Expect, expect};
use rulesmith_rules::scl::{SclGame, SclLimits, parse_scl, print_scl};
use rulesmith_rules::{Diagnostics, NoFiles, Resolver, Sources};

const FIGURE_3: &str = "GAME american_checkers
GOALS stalemate opponent
BOARD_SIZE 8 BY 8
BOARD_TYPE planar
PROMOTE_RANK 8
SETUP man AT {(1,1) (3,1) (5,1) (7,1) (2,2) (4,2)
              (6,2) (8,2) (1,3) (3,3) (5,3) (7,3)}
CONSTRAINTS must_capture
DEFINE man
  MOVING MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT END MOVING
  CAPTURING
    CAPTURE BY {hop} TYPE [{opponent} any_piece] EFFECT remove
      MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0]
               HOP_OVER [{opponent} any_piece] <1,1> SYMMETRY {side} END MOVEMENT
    END CAPTURE
  END CAPTURING
  PROMOTING PROMOTE_TO king END PROMOTING
  CONSTRAINTS continue_captures
END DEFINE
DEFINE king
  MOVING MOVEMENT LEAP <1,1> SYMMETRY {forward side} END MOVEMENT END MOVING
  CAPTURING
    CAPTURE BY {hop} TYPE [{opponent} any_piece] EFFECT remove
      MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0]
               HOP_OVER [{opponent} any_piece] <1,1> SYMMETRY {forward side} END MOVEMENT
    END CAPTURE
  END CAPTURING
  CONSTRAINTS continue_captures
END DEFINE
END GAME.
";

fn parse_with(text: &str, resolver: &dyn Resolver) -> (Option<SclGame>, String) {
    let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
    let file = sources.add("test.scl", text);
    let game = parse_scl(&mut sources, file, resolver, &SclLimits::default(), &mut problems);
    let shown = |problem: &rulesmith_rules::Diagnostic| {
        format!("{} {}\n", sources.locate(problem.span), problem.message)
    };
    (game, problems.list.iter().map(shown).collect())
}

/// The game of a text without problems; printing and parsing it again changes nothing.
fn parse(text: &str) -> SclGame {
    let (game, problems) = parse_with(text, &NoFiles);
    assert_eq!(problems, "");
    let game = game.expect("no problems").without_places();
    let printed = print_scl(&game);
    let (again, problems) = parse_with(&printed, &NoFiles);
    assert_eq!(problems, "");
    assert_eq!(again.expect("no problems").without_places(), game);
    game
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&print_scl(&parse(text)));
}

/// A game with these sections in its header.
fn check_header(sections: &str, expected: Expect) {
    let setup = if sections.contains("SETUP") { "" } else { "SETUP man AT {(1,1)}" };
    let goals = if sections.contains("GOALS") { "" } else { "GOALS stalemate opponent" };
    let text = format!(
        "GAME test {goals} BOARD_SIZE 8 BY 8 BOARD_TYPE planar PROMOTE_RANK 8 {setup} {sections}
        DEFINE man END DEFINE DEFINE king END DEFINE END GAME."
    );
    let printed = print_scl(&parse(&text));
    let known = [
        "GAME test",
        "GOALS stalemate opponent",
        "BOARD_SIZE 8 BY 8",
        "BOARD_TYPE planar",
        "PROMOTE_RANK 8",
        "SETUP man AT {(1,1)}",
        "DEFINE man",
        "DEFINE king",
        "END DEFINE",
        "END GAME.",
    ];
    let is_known =
        |line: &str| known.contains(&line) && !(setup.is_empty() && line.starts_with("SETUP"));
    let lines = printed.lines().filter(|line| !is_known(line));
    expected.assert_eq(&lines.flat_map(|line| [line, "\n"]).collect::<String>());
}

/// A game whose piece has these sections.
fn check_piece(sections: &str, expected: Expect) {
    let text = format!(
        "GAME test GOALS stalemate opponent BOARD_SIZE 8 BY 8 BOARD_TYPE planar PROMOTE_RANK 8
        REGION home RANKS 1 .. 2 SETUP man AT {{(1,1)}} CONSTRAINTS protect [{{player}} {{king}}]
        DEFINE man {sections} END DEFINE DEFINE king END DEFINE DEFINE rook
        MOVING MOVEMENT LEAP <0,1> SYMMETRY {{}} TRAIL END MOVEMENT END MOVING END DEFINE END GAME."
    );
    let printed = print_scl(&parse(&text));
    let from = printed.find("DEFINE man").expect("it is printed");
    let to = printed.find("DEFINE king").expect("it is printed");
    expected.assert_eq(&printed[from..to]);
}

#[test]
fn metagamer_figure_3() {
    check(
        FIGURE_3,
        expect![[r#"
            GAME american_checkers
            GOALS stalemate opponent
            BOARD_SIZE 8 BY 8
            BOARD_TYPE planar
            PROMOTE_RANK 8
            SETUP man AT {(1,1) (3,1) (5,1) (7,1) (2,2) (4,2) (6,2) (8,2) (1,3) (3,3) (5,3) (7,3)}
            CONSTRAINTS must_capture
            DEFINE man
              MOVING
                MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {hop} TYPE [{opponent} any_piece] EFFECT remove
                  MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0]
                           HOP_OVER [{opponent} any_piece] <1,1> SYMMETRY {side} END MOVEMENT
                END CAPTURE
              END CAPTURING
              PROMOTING PROMOTE_TO king END PROMOTING
              CONSTRAINTS continue_captures
            END DEFINE
            DEFINE king
              MOVING
                MOVEMENT LEAP <1,1> SYMMETRY {forward side} END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {hop} TYPE [{opponent} any_piece] EFFECT remove
                  MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0]
                           HOP_OVER [{opponent} any_piece] <1,1> SYMMETRY {forward side} END MOVEMENT
                END CAPTURE
              END CAPTURING
              CONSTRAINTS continue_captures
            END DEFINE
            END GAME.
        "#]],
    );
}

#[test]
fn directions_may_stand_in_parentheses() {
    let text = FIGURE_3.replace("<1,1>", "(1, 1)");
    assert_eq!(parse(&text), parse(FIGURE_3));
}

#[test]
fn case_comments_and_spaces_mean_nothing() {
    let lower = FIGURE_3.to_lowercase();
    let upper = FIGURE_3.to_uppercase();
    let tight = FIGURE_3.replace(" {", "{").replace("} ", "}").replace("[X = ", "[x=");
    let commented = format!("% checkers\n{}", FIGURE_3.replace('\n', " % a comment\n"));
    for text in [lower, upper, tight, commented] {
        assert_eq!(parse(&text), parse(FIGURE_3));
    }
}

#[test]
fn squares_have_three_spellings() {
    let text = FIGURE_3.replace("(5,1)", "(e,1)").replace("(7,3)", "G3");
    assert_eq!(parse(&text), parse(FIGURE_3));
}

#[test]
fn sections_and_sets_have_no_order() {
    let text = FIGURE_3
        .replace("{forward side}", "{side forward}")
        .replace("CONSTRAINTS must_capture\n", "");
    let text =
        text.replace("GOALS stalemate", "CONSTRAINTS must_capture PROMOTE_RANK 8 GOALS stalemate");
    let text = text.replace("planar\nPROMOTE_RANK 8", "planar");
    assert_eq!(parse(&text), parse(FIGURE_3));
}

#[test]
fn goals() {
    check_header(
        "GOALS stalemate player eradicate [any_player {man king}]
        arrive [{opponent} any_piece EXCEPT {king}] AT {(1,8) h8} ANSWERED arrive [{player} {king}] AT e4
        arrive [{player} any_piece] AT hill line 3 [{player opponent} any_piece]
        line 4 [{player} {man}] ON RANKS 2..3
        count [{opponent} {man}] [X <= 2] all {count [{player} {king}] [X >= 1] all {stalemate opponent}}
        checkmate opponent checks opponent 3
        CONSTRAINTS protect [{player} {king}] REGION hill (4,4)",
        expect![[r#"
            GOALS stalemate player
                  eradicate [any_player {man king}]
                  arrive [{opponent} any_piece EXCEPT {king}] AT {(1,8) (8,8)} ANSWERED
                  arrive [{player} {king}] AT {(5,4)}
                  arrive [{player} any_piece] AT hill
                  line 3 [any_player any_piece]
                  line 4 [{player} {man}] ON RANKS 2 .. 3
                  count [{opponent} {man}] [X <= 2]
                  all {count [{player} {king}] [X >= 1] all {stalemate opponent}}
                  checkmate opponent
                  checks opponent 3
            REGION hill {(4,4)}
            CONSTRAINTS protect [{player} {king}]
        "#]],
    );
}

#[test]
fn boards() {
    check_header(
        "BOARD_HOLES {(8,1) (8,2)} INVERSION side REGION rim RANKS 1 + RANKS 8 .. 8 FILES a .. c + {(4,4)}
        REGION all rim + FILES 2 .. 3",
        expect![[r#"
            BOARD_HOLES {(8,1) (8,2)}
            INVERSION side
            REGION rim RANKS 1 .. 1 + RANKS 8 .. 8 FILES 1 .. 3 + {(4,4)}
            REGION all rim + FILES 2 .. 3
        "#]],
    );
}

#[test]
fn setups() {
    check_header(
        "SETUP man AT {(1,1)} player king AT {(5,1)} opponent king AT {(5,8)} man IN_HAND 2
        opponent man IN_HAND 1",
        expect![[r#"
            SETUP man AT {(1,1)}
                  player king AT {(5,1)}
                  opponent king AT {(5,8)}
                  man IN_HAND 2
                  opponent man IN_HAND 1
        "#]],
    );
    check_header(
        "SETUP DECISION opponent ASSIGNS {man man king} TO {(1,1) (2,1) (3,1)} END DECISION",
        expect![[r#"
            SETUP DECISION opponent ASSIGNS {man man king}
                  TO {(1,1) (2,1) (3,1)} END DECISION
        "#]],
    );
    check_header(
        "SETUP DECISION random ASSIGNS {king} TO {(1,1) (2,1) (3,1)} END DECISION",
        expect![[r#"
            SETUP DECISION random ASSIGNS {king}
                  TO {(1,1) (2,1) (3,1)} END DECISION
        "#]],
    );
}

#[test]
fn constraints_of_games() {
    check_header(
        "CONSTRAINTS must_capture maximal",
        expect![[r#"
        CONSTRAINTS must_capture maximal
    "#]],
    );
    check_header(
        "CONSTRAINTS pass no_dead_end no_check protect [{player} {king}] protect [{player} {man}]
        must_capture maximal {count victims king by king first king}",
        expect![[r#"
            CONSTRAINTS must_capture maximal {count victims king by king first king} protect [{player} {king}] protect [{player} {man}] no_check no_dead_end pass
        "#]],
    );
}

#[test]
fn draws_and_repetitions() {
    check_header(
        "DRAWS stalemate quiet 100 RESET {man capture king} DRAWS material {{} {king} {man king}}
            DRAWS ending 10 {{man man} {king}} AGAINST {{king} {}}
        REPETITION 3 draw DRAWS turns 200 DRAWS facing king REPETITION 4 loss_for chaser
        REPETITION 2 loss_for mover REPETITION 5 loss_for checker CONSTRAINTS protect [{player} {king}]",
        expect![[r#"
            CONSTRAINTS protect [{player} {king}]
            DRAWS stalemate
            DRAWS quiet 100 RESET {capture man king}
            DRAWS material {{} {king} {man king}}
            DRAWS ending 10 {{man man} {king}} AGAINST {{king} {}}
            DRAWS turns 200
            DRAWS facing king
            REPETITION 3 draw
            REPETITION 4 loss_for chaser
            REPETITION 2 loss_for mover
            REPETITION 5 loss_for checker
        "#]],
    );
}

#[test]
fn movements() {
    check_piece(
        "MOVING MOVEMENT LEAP LAME <0,1> (1,1) <1,2> SYMMETRY all_symmetry FROM home UNMOVED TO home WITHIN home TRAIL
        END MOVEMENT MOVEMENT RIDE LONGEST MAX 3 MIN 2 <-1,0> SYMMETRY {rotation forward} END MOVEMENT
        MOVEMENT RIDE <0,1> SYMMETRY {rotation side forward} END MOVEMENT
        MOVEMENT HOP BEFORE [X >= 0] OVER [X <= 2] AFTER [X=1] HOP_OVER [any_player any_piece] <1,0> SYMMETRY {}
        END MOVEMENT END MOVING",
        expect![[r#"
            DEFINE man
              MOVING
                MOVEMENT LEAP LAME <0,1> <1,1> <1,2> SYMMETRY all_symmetry FROM home UNMOVED TO home WITHIN home TRAIL END MOVEMENT
                MOVEMENT RIDE MIN 2 MAX 3 LONGEST <-1,0> SYMMETRY {forward rotation} END MOVEMENT
                MOVEMENT RIDE <0,1> SYMMETRY all_symmetry END MOVEMENT
                MOVEMENT HOP BEFORE [X >= 0] OVER [X <= 2] AFTER [X = 1]
                         HOP_OVER [any_player any_piece] <1,0> SYMMETRY {} END MOVEMENT
              END MOVING
            END DEFINE
        "#]],
    );
}

#[test]
fn captures() {
    check_piece(
        "CAPTURING CAPTURE BY {trail hop clobber retrieve} TYPE [{player} any_piece] EFFECT opponent possesses
        MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0] HOP_OVER [{opponent} {king}] <1,0> SYMMETRY {}
        END MOVEMENT END CAPTURE
        CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT explode SPARING [any_player {man}]
        MOVEMENT LEAP <1,0> SYMMETRY {} END MOVEMENT MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT END CAPTURE
        CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT explode
        MOVEMENT LEAP <1,0> SYMMETRY {} END MOVEMENT END CAPTURE
        END CAPTURING CONSTRAINTS continue_captures deferred onward must_capture maximal {count}",
        expect![[r#"
            DEFINE man
              CAPTURING
                CAPTURE BY {retrieve clobber hop trail} TYPE [{player} any_piece] EFFECT opponent possesses
                  MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0]
                           HOP_OVER [{opponent} {king}] <1,0> SYMMETRY {} END MOVEMENT
                END CAPTURE
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT explode SPARING [any_player {man}]
                  MOVEMENT LEAP <1,0> SYMMETRY {} END MOVEMENT
                  MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT
                END CAPTURE
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT explode
                  MOVEMENT LEAP <1,0> SYMMETRY {} END MOVEMENT
                END CAPTURE
              END CAPTURING
              CONSTRAINTS must_capture maximal continue_captures deferred onward
            END DEFINE
        "#]],
    );
}

#[test]
fn further_sections_of_pieces() {
    check_piece(
        "SYMBOL \"+n\" CASTLING CASTLE RIGHT WITH rook TO g1 PARTNER TO f1 CASTLE LEFT WITH rook TO (3,1)
        PARTNER TO (4,1) END CASTLING PROMOTING ON {leave enter} IN home DECISION opponent OPTIONS
        [any_player any_piece] END PROMOTING DROPPING NO_CHECKMATE NOT_SHARING_FILE [{player} {man}] TO home
        END DROPPING REVERTS_TO king",
        expect![[r#"
            DEFINE man SYMBOL "+N"
              CASTLING
                CASTLE RIGHT WITH rook TO (7,1) PARTNER TO (6,1)
                CASTLE LEFT WITH rook TO (3,1) PARTNER TO (4,1)
              END CASTLING
              PROMOTING ON {enter leave} IN home DECISION opponent OPTIONS [any_player any_piece] END PROMOTING
              DROPPING TO home NOT_SHARING_FILE [{player} {man}] NO_CHECKMATE END DROPPING
              REVERTS_TO king
            END DEFINE
        "#]],
    );
    check_piece(
        "REVERTS_TO king DROPPING END DROPPING PROMOTING PROMOTE_TO king END PROMOTING",
        expect![[r#"
            DEFINE man
              PROMOTING PROMOTE_TO king END PROMOTING
              DROPPING END DROPPING
              REVERTS_TO king
            END DEFINE
        "#]],
    );
}

#[test]
fn the_extensions_say_chess() {
    let riders = |name: &str, symbol: &str, ways: &[&str]| {
        let movement =
            |way: &&str| format!("MOVEMENT RIDE {way} SYMMETRY all_symmetry END MOVEMENT ");
        let movements = ways.iter().map(movement).collect::<Vec<_>>().concat();
        format!(
            "DEFINE {name} SYMBOL \"{symbol}\" MOVING {movements} END MOVING CAPTURING CAPTURE BY {{clobber}}
            TYPE [{{opponent}} any_piece] EFFECT remove {movements} END CAPTURE END CAPTURING END DEFINE "
        )
    };
    let text = format!(
        "GAME chess GOALS checkmate opponent BOARD_SIZE 8 BY 8 BOARD_TYPE planar INVERSION forward PROMOTE_RANK 8
        REGION second RANKS 2
        SETUP pawn AT {{a2 b2 c2 d2 e2 f2 g2 h2}} knight AT {{b1 g1}} bishop AT {{c1 f1}} rook AT {{a1 h1}}
        queen AT d1 king AT e1
        CONSTRAINTS protect [{{player}} {{king}}]
        DRAWS stalemate quiet 100 RESET {{capture pawn}} material {{{{}} {{knight}} {{bishop}}}}
        REPETITION 3 draw
        DEFINE pawn
          MOVING
            MOVEMENT LEAP <0,1> SYMMETRY {{}} END MOVEMENT
            MOVEMENT RIDE MIN 2 MAX 2 <0,1> SYMMETRY {{}} FROM second TRAIL END MOVEMENT
          END MOVING
          CAPTURING
            CAPTURE BY {{clobber}} TYPE [{{opponent}} any_piece] EFFECT remove
              MOVEMENT LEAP <1,1> SYMMETRY {{side}} END MOVEMENT
            END CAPTURE
            CAPTURE BY {{trail}} TYPE [{{opponent}} {{pawn}}] EFFECT remove
              MOVEMENT LEAP <1,1> SYMMETRY {{side}} END MOVEMENT
            END CAPTURE
          END CAPTURING
          PROMOTING DECISION player OPTIONS [{{player}} {{knight bishop rook queen}}] END PROMOTING
        END DEFINE
        {}{}{}{}
        DEFINE king
          MOVING MOVEMENT RIDE MAX 1 <1,0> SYMMETRY all_symmetry END MOVEMENT
                 MOVEMENT RIDE MAX 1 <1,1> SYMMETRY all_symmetry END MOVEMENT END MOVING
          CASTLING CASTLE RIGHT WITH rook TO g1 PARTNER TO f1 CASTLE LEFT WITH rook TO c1 PARTNER TO d1 END CASTLING
        END DEFINE
        END GAME.",
        riders("knight", "N", &["MAX 1 <1,2>"]),
        riders("bishop", "B", &["<1,1>"]),
        riders("rook", "R", &["<1,0>"]),
        riders("queen", "Q", &["<1,0>", "<1,1>"]),
    );
    assert_eq!(parse(&text).symbols(), ["P", "N", "B", "R", "Q", "K"]);
}

#[test]
fn words_of_phrases_can_be_names() {
    let text = "GAME line GOALS arrive [{player} {line}] AT {(1,1)} BOARD_SIZE 3 BY 3 BOARD_TYPE planar
        PROMOTE_RANK 3 SETUP x AT {(2,1)} castle AT {(3,1)} CONSTRAINTS must_capture maximal {by by first count}
        DEFINE line END DEFINE DEFINE x END DEFINE DEFINE castle END DEFINE DEFINE by END DEFINE
        DEFINE count END DEFINE END GAME.";
    check(
        text,
        expect![[r#"
        GAME line
        GOALS arrive [{player} {line}] AT {(1,1)}
        BOARD_SIZE 3 BY 3
        BOARD_TYPE planar
        PROMOTE_RANK 3
        SETUP x AT {(2,1)}
              castle AT {(3,1)}
        CONSTRAINTS must_capture maximal {by by first count}
        DEFINE line
        END DEFINE
        DEFINE x
        END DEFINE
        DEFINE castle
        END DEFINE
        DEFINE by
        END DEFINE
        DEFINE count
        END DEFINE
        END GAME.
    "#]],
    );
}

#[test]
fn symbols_are_given_or_found() {
    let text = FIGURE_3.replace("DEFINE king", "DEFINE king SYMBOL \"m\"");
    assert_eq!(parse(&text).symbols(), ["A", "M"]);
    assert_eq!(parse(FIGURE_3).symbols(), ["M", "K"]);
}

/// A few texts by name.
struct Texts(&'static [(&'static str, &'static str)]);

impl Resolver for Texts {
    fn read(&self, _: &str, path: &str) -> Result<(String, String), String> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        found
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .ok_or_else(|| "no such file".to_owned())
    }
}

#[test]
fn pieces_can_be_included() {
    let texts = Texts(&[
        (
            "men.scl",
            "% Men.\nDEFINE second END DEFINE INCLUDE \"more.scl\" DEFINE fourth END DEFINE",
        ),
        ("more.scl", "DEFINE third END DEFINE"),
        ("loop.scl", "DEFINE second END DEFINE INCLUDE \"test.scl\" INCLUDE \"loop.scl\""),
        ("bad.scl", "GAME x DEFINE second\nINCLUDE \"none.scl\" DEFINE third MOVING END DEFINE"),
    ]);
    let game = |path: &str| {
        format!(
            "GAME g GOALS stalemate opponent BOARD_SIZE 8 BY 8 BOARD_TYPE planar PROMOTE_RANK 8
            SETUP first AT {{(1,1)}} DEFINE first END DEFINE INCLUDE \"{path}\" DEFINE last END DEFINE END GAME."
        )
    };
    let (included, problems) = parse_with(&game("men.scl"), &texts);
    assert_eq!(problems, "");
    let names: Vec<String> =
        included.expect("no problems").pieces.into_iter().map(|piece| piece.name.text).collect();
    assert_eq!(names, ["first", "second", "third", "fourth", "last"]);
    let check = |path: &str, expected: Expect| {
        let (game, problems) = parse_with(&game(path), &texts);
        assert!(game.is_none());
        expected.assert_eq(&problems);
    };
    check(
        "loop.scl",
        expect![[r#"
        loop.scl:1:34 cannot include `test.scl`: no such file
        loop.scl:1:53 `loop.scl` is included twice
    "#]],
    );
    check(
        "none.scl",
        expect![[r#"
        test.scl:2:68 cannot include `none.scl`: no such file
    "#]],
    );
    check(
        "bad.scl",
        expect![[r#"
        bad.scl:1:1 expected `DEFINE` or `INCLUDE`, found `GAME`
        bad.scl:1:21 `DEFINE` is never closed
        bad.scl:2:9 cannot include `none.scl`: no such file
        bad.scl:2:39 `MOVING` is never closed
    "#]],
    );
}
