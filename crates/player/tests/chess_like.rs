//! What the words of the `.scl` language do, each on a small board: turns played, legal moves and ends.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use expect_test::{Expect, expect};
use rulesmith_game::{Draws, Game, JointMoves, Notation};
use rulesmith_player::{BuildRequest, Language, NoFiles, Stop, build, reference_game};

/// A king, a rook and a pawn that capture what they meet.
const PIECES: &str = r#"
DEFINE king SYMBOL "K" MOVING MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT
  MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT END MOVING
  CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING END DEFINE
DEFINE rook SYMBOL "R" MOVING MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING
  CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING END DEFINE
"#;

/// A game from its sections, without those that all have.
fn text(sections: &str) -> String {
    format!("GAME g BOARD_TYPE planar INVERSION forward {sections} END GAME.")
}

/// Plays the moves and writes what can be done then, or how the contest ended.
fn check(sections: &str, moves: &[&str], expected: &Expect) {
    let request =
        BuildRequest { text: text(sections), language: Language::Scl, ..BuildRequest::default() };
    let result = build(&request, &NoFiles);
    assert!(!result.diagnostics.has_errors(), "{:#?}", result.diagnostics.list);
    let game = reference_game(result, &request.limits, &Stop::default()).unwrap();
    let mut state = game.initial().unwrap();
    for wanted in moves {
        let joint = JointMoves::of(&game, &state)
            .unwrap()
            .find(|joint| joint.iter().any(|(_, chosen)| game.move_text(chosen) == *wanted));
        let joint =
            joint.unwrap_or_else(|| panic!("{wanted} is not legal:\n{}", game.picture(&state)));
        game.apply(&mut state, &joint).unwrap();
    }
    if let Some(outcome) = game.outcome(&state, Draws::Apply).unwrap() {
        return expected.assert_eq(&format!("{outcome:?}"));
    }
    let mut texts: Vec<String> = JointMoves::of(&game, &state)
        .unwrap()
        .flat_map(|joint| joint.iter().map(|(_, one)| game.move_text(one)).collect::<Vec<_>>())
        .collect();
    texts.sort();
    expected.assert_eq(&texts.join(" "));
}

/// With a king and a rook.
fn with_pieces(sections: &str) -> String {
    format!("{sections} {PIECES}")
}

#[test]
fn nobody_gives_check_where_none_may() {
    let game = "GOALS arrive [{player} {king}] AT RANKS 4 BOARD_SIZE 3 BY 4 PROMOTE_RANK 4
        SETUP player king AT a1 player rook AT b1 opponent king AT c3 CONSTRAINTS protect [{player} {king}] no_check";
    check(&with_pieces(game), &[], &expect!["a1a2 b1b2 b1b4"]);
}

#[test]
fn answered_goals_wait_for_the_other_side() {
    let game = |when: &str| {
        with_pieces(&format!(
            "GOALS arrive [{{player}} {{king}}] AT b2 {when} BOARD_SIZE 3 BY 3 PROMOTE_RANK 3
            SETUP player king AT a1 opponent king AT c3 opponent rook AT a3"
        ))
    };
    check(
        &game(""),
        &["a1b2"],
        &expect!["Outcome { ending: Terminal, goals: [Some(100), Some(0)] }"],
    );
    check(&game("ANSWERED"), &["a1b2"], &expect!["a3a1 a3a2 a3b3 c3b2 c3b3 c3c2"]);
    check(
        &game("ANSWERED"),
        &["a1b2", "a3a1"],
        &expect!["Outcome { ending: Terminal, goals: [Some(100), Some(0)] }"],
    );
    check(
        &game("ANSWERED"),
        &["a1b2", "c3b2"],
        &expect!["Outcome { ending: Terminal, goals: [Some(50), Some(50)] }"],
    );
    check(&game("EVENED"), &["a1b2"], &expect!["a3a1 a3a2 a3b3 c3b2 c3b3 c3c2"]);
    check(
        &game("EVENED"),
        &["a1a2", "c3b2"],
        &expect!["Outcome { ending: Terminal, goals: [Some(0), Some(100)] }"],
    );
    check(&game("SAFE"), &["a1b2"], &expect!["a3a1 a3a2 a3b3 c3b2 c3b3 c3c2"]);
}

#[test]
fn all_goals_at_once_and_fewer_pieces() {
    let game = "GOALS all {arrive [{player} {king}] AT b2 fewer [{opponent} any_piece] THAN [{player} any_piece]}
        BOARD_SIZE 3 BY 3 PROMOTE_RANK 3 SETUP player king AT a1 player rook AT a3 opponent king AT c2 opponent rook AT c3";
    check(
        &with_pieces(game),
        &["a3b3", "c3b3", "a1b2"],
        &expect!["b3a3 b3b2 b3c3 c2b1 c2b2 c2c1 c2c3"],
    );
    check(&with_pieces(game), &["a3c3", "c2c3", "a1b2"], &expect!["c3b2 c3b3 c3c2"]);
    check(
        &with_pieces(game),
        &["a3c3", "c2c1", "a1b2"],
        &expect!["Outcome { ending: Terminal, goals: [Some(100), Some(0)] }"],
    );
}

#[test]
fn a_line_is_a_row_a_column_or_a_diagonal() {
    let game = r#"GOALS line 3 [{player} {man}] BOARD_SIZE 3 BY 3 PROMOTE_RANK 3 SETUP man IN_HAND 4
        DEFINE man SYMBOL "M" END DEFINE"#;
    check(
        game,
        &["M@a1", "M@a2", "M@b2", "M@b3", "M@c3"],
        &expect!["Outcome { ending: Terminal, goals: [Some(100), Some(0)] }"],
    );
    check(game, &["M@a1", "M@a2", "M@b1", "M@b3"], &expect!["M@a3 M@b2 M@c1 M@c2 M@c3"]);
}

#[test]
fn drops_do_not_mate_check_or_strand() {
    let pawn = |king: &str, limits: &str| {
        with_pieces(&format!(
            r#"GOALS checkmate opponent BOARD_SIZE 3 BY 4 PROMOTE_RANK 4
            SETUP player king AT {king} player pawn AT a2 player pawn IN_HAND 1 opponent king AT a4
            CONSTRAINTS protect [{{player}} {{king}}] no_dead_end
            DEFINE pawn SYMBOL "P" MOVING MOVEMENT LEAP <0,1> SYMMETRY {{}} END MOVEMENT END MOVING
            CAPTURING CAPTURE BY {{clobber}} TYPE [{{opponent}} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING
            DROPPING {limits} END DROPPING END DEFINE"#
        ))
    };
    check(&pawn("c3", ""), &[], &expect!["P@a1 P@a3 P@b1 P@b2 P@b3 P@c1 P@c2 a2a3 c3b2 c3c2 c3c4"]);
    check(
        &pawn("c3", ""),
        &["P@a3"],
        &expect!["Outcome { ending: Terminal, goals: [Some(100), Some(0)] }"],
    );
    check(
        &pawn("c3", "NO_CHECKMATE"),
        &[],
        &expect!["P@a1 P@b1 P@b2 P@b3 P@c1 P@c2 a2a3 c3b2 c3c2 c3c4"],
    );
    check(
        &pawn("c2", "NO_CHECKMATE"),
        &[],
        &expect!["P@a1 P@a3 P@b1 P@b2 P@b3 P@c1 P@c3 a2a3 c2b1 c2b2 c2c1 c2c3"],
    );
    check(
        &pawn("c2", "NO_CHECK"),
        &[],
        &expect!["P@a1 P@b1 P@b2 P@b3 P@c1 P@c3 a2a3 c2b1 c2b2 c2c1 c2c3"],
    );
}

#[test]
fn pieces_in_hand_go_first_and_keep_apart() {
    let game = r#"GOALS stalemate opponent BOARD_SIZE 3 BY 3 PROMOTE_RANK 3 REGION near RANKS 1 .. 2
        SETUP king AT a1 IN_HAND_PLACE CONSTRAINTS must_drop
        DEFINE man SYMBOL "M" DROPPING TO near LIMITS END DROPPING END DEFINE"#;
    let game = |limits: &str| {
        with_pieces(&game.replace("IN_HAND_PLACE", "man IN_HAND 2").replace("LIMITS", limits))
    };
    check(&game(""), &[], &expect!["M@a2 M@b1 M@b2 M@c1 M@c2"]);
    check(&game(""), &["M@b1", "M@b3"], &expect!["M@a2 M@b2 M@c1 M@c2"]);
    check(&game("NOT_SHARING_COLOR [{player} {king}]"), &[], &expect!["M@a2 M@b1 M@c2"]);
    check(
        &game("NOT_SHARING_FILE [any_player {king man}] UP_TO 2"),
        &[],
        &expect!["M@b1 M@b2 M@c1 M@c2"],
    );
    check(
        &game("NOT_SHARING_FILE [any_player {king man}] UP_TO 3"),
        &[],
        &expect!["M@a2 M@b1 M@b2 M@c1 M@c2"],
    );
}

#[test]
fn pieces_become_others_and_leave_others() {
    let game = r#"GOALS stalemate opponent BOARD_SIZE 3 BY 3 PROMOTE_RANK 3 REGION marks {b2}
        SETUP player snail AT b2 opponent rook AT c3 opponent snail AT a3
        DEFINE snail SYMBOL "S" MOVING MOVEMENT LEAP <1,0> SYMMETRY {side} LEAVING wall END MOVEMENT
          MOVEMENT STAY FROM marks PEACEFUL BECOMING king END MOVEMENT END MOVING
          CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece EXCEPT {wall}] EFFECT remove BECOMING wall
          MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT END CAPTURE END CAPTURING END DEFINE
        DEFINE wall SYMBOL "W" END DEFINE"#;
    check(&with_pieces(game), &[], &expect!["b2a2 b2a3 b2c2 b2c3"]);
    check(
        &with_pieces(game),
        &["b2a2", "c3c1"],
        &expect!["Outcome { ending: Terminal, goals: [Some(0), Some(100)] }"],
    );
    check(
        &with_pieces(game),
        &["b2c3", "a3b3"],
        &expect!["Outcome { ending: Terminal, goals: [Some(0), Some(100)] }"],
    );
}

#[test]
fn promotion_makes_no_more_than_the_limit() {
    let game = r#"GOALS stalemate opponent BOARD_SIZE 3 BY 3 PROMOTE_RANK 3 SETUP player man AT {a2 b2} opponent king AT c1
        DEFINE man SYMBOL "M" MOVING MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT END MOVING
        PROMOTING DECISION player OPTIONS [{player} {man tower}] END PROMOTING END DEFINE
        DEFINE tower SYMBOL "T" LIMIT 1 END DEFINE"#;
    check(&with_pieces(game), &[], &expect!["a2a3 a2a3T b2b3 b2b3T"]);
    check(&with_pieces(game), &["a2a3T", "c1c2"], &expect!["b2b3"]);
}

#[test]
fn the_last_or_one_of_all_is_protected() {
    let game = |which: &str| {
        with_pieces(&format!(
            "GOALS checkmate opponent BOARD_SIZE 4 BY 3 PROMOTE_RANK 3 SETUP player king AT {{a1 b1}} opponent rook AT a3 opponent king AT d3
            CONSTRAINTS protect [{{player}} {{king}}] {which}"
        ))
    };
    check(&game(""), &[], &expect!["a1b2"]);
    check(&game("last"), &[], &expect!["a1a2 a1b2 b1a2 b1b2 b1c1 b1c2"]);
    check(&game("together"), &[], &expect!["a1a2 a1b2 b1a2 b1b2 b1c1"]);
}

#[test]
fn explosions_that_take_the_own_king_are_no_threat() {
    let game = r#"GOALS checkmate opponent eradicate [{opponent} {king}] BOARD_SIZE 3 BY 4 PROMOTE_RANK 4
        SETUP player king AT a1 player bomb AT c2 opponent king AT b4 opponent bomb AT c4 CONSTRAINTS protect [{player} {king}]
        DEFINE king SYMBOL "K" MOVING MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT END MOVING
          CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT explode AS_MOVING END CAPTURE END CAPTURING END DEFINE
        DEFINE bomb SYMBOL "B" MOVING MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING
          CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT explode AS_MOVING END CAPTURE END CAPTURING END DEFINE"#;
    check(game, &[], &expect!["a1a2 a1b1 a1b2 c2a2 c2b2 c2c1 c2c3 c2c4"]);
    check(game, &["c2c4"], &expect!["Outcome { ending: Terminal, goals: [Some(100), Some(0)] }"]);
    check(game, &["a1a2", "b4a3"], &expect!["a2a1 a2b1 a2b2 a2b3 c2b2 c2c1 c2c3 c2c4"]);
}

#[test]
fn repetitions_passes_and_little_material_end_contests() {
    let game = |rest: &str| {
        with_pieces(&format!(
            "GOALS checkmate opponent BOARD_SIZE 4 BY 4 PROMOTE_RANK 4
            SETUP player king AT a1 player rook AT d1 opponent king AT b4 CONSTRAINTS protect [{{player}} {{king}}] pass {rest}"
        ))
    };
    let checks = ["d1d4", "b4b3", "d4d3", "b3b4", "d3d4", "b4b3", "d4d3", "b3b4"];
    check(
        &game("REPETITION 2 loss_for checker REPETITION 2 draw"),
        &checks[..6],
        &expect!["Outcome { ending: Terminal, goals: [Some(0), Some(100)] }"],
    );
    check(
        &game("REPETITION 2 loss_for mover"),
        &["pass", "pass"],
        &expect!["Outcome { ending: Terminal, goals: [Some(100), Some(0)] }"],
    );
    check(
        &game("REPETITION 2 loss_for player"),
        &["pass", "pass"],
        &expect!["Outcome { ending: Terminal, goals: [Some(0), Some(100)] }"],
    );
    check(
        &game("DRAWS passes 2"),
        &["pass", "pass"],
        &expect!["Outcome { ending: Terminal, goals: [Some(50), Some(50)] }"],
    );
    check(&game("DRAWS facing king"), &["a1b1"], &expect!["b4a3 b4a4 b4c3 b4c4 pass"]);
    check(
        &game("DRAWS facing king"),
        &["a1b1", "pass"],
        &expect!["Outcome { ending: Terminal, goals: [Some(50), Some(50)] }"],
    );
    check(
        &game("DRAWS facing king").replace("pass", ""),
        &["a1b1", "b4b3"],
        &expect!["Outcome { ending: Terminal, goals: [Some(50), Some(50)] }"],
    );
    check(
        &game("DRAWS material {{rook}}"),
        &["pass"],
        &expect!["Outcome { ending: Draw, goals: [Some(50), Some(50)] }"],
    );
}

/// Draughts with short kings, which stand here; the first side moves.
fn draughts(setup: &str, maximal: &str, on: &str) -> String {
    let capture = |symmetry: &str| {
        format!(
            "CAPTURING CAPTURE BY {{hop}} TYPE [{{opponent}} any_piece] EFFECT remove MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0]
            HOP_OVER [{{opponent}} any_piece] <1,1> SYMMETRY {symmetry} END MOVEMENT END CAPTURE END CAPTURING
            CONSTRAINTS continue_captures deferred"
        )
    };
    let (men, dames) = (capture("{side}"), capture("all_symmetry"));
    format!(
        r#"GOALS stalemate opponent BOARD_SIZE 5 BY 5 PROMOTE_RANK 5 SETUP {setup} CONSTRAINTS must_capture {maximal}
        DEFINE man SYMBOL "M" MOVING MOVEMENT LEAP <1,1> SYMMETRY {{side}} END MOVEMENT END MOVING {men}
          PROMOTING {on} PROMOTE_TO dame END PROMOTING END DEFINE
        DEFINE dame SYMBOL "D" MOVING MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT END MOVING {dames} END DEFINE"#
    )
}

#[test]
fn captures_go_on_as_the_new_kind_in_passing() {
    let setup = "player man AT {a3 c1} opponent man AT {b4 d4 d2}";
    let passing = "ON {enter within passing}";
    check(&draughts(setup, "", ""), &[], &expect!["a3xc5 c1xe3xc5"]);
    check(&draughts(setup, "", passing), &[], &expect!["a3xc5xe3 c1xe3xc5"]);
    check(&draughts(setup, "maximal", ""), &[], &expect!["c1xe3xc5"]);
    check(&draughts(setup, "maximal", passing), &[], &expect!["a3xc5xe3 c1xe3xc5"]);
}

#[test]
fn captures_that_take_a_kind_first_are_preferred() {
    let setup = "player man AT c1 opponent man AT {b2 d4} opponent dame AT {b4 d2}";
    check(&draughts(setup, "maximal", ""), &[], &expect!["c1xa3xc5 c1xe3xc5"]);
    check(&draughts(setup, "maximal {count first dame}", ""), &[], &expect!["c1xe3xc5"]);
}

/// The dame may end on three squares behind the first man; from one of them it can take the second.
#[test]
fn captures_end_where_they_can_go_on() {
    let setup = "player dame AT a1 opponent man AT {b2 b4}";
    let short = "BEFORE [X = 0] OVER [X = 1] AFTER [X = 0]";
    let flying =
        draughts(setup, "", "").replace(short, "BEFORE [X >= 0] OVER [X = 1] AFTER [X >= 0]");
    check(&flying, &[], &expect!["a1xc3xa5 a1xd4 a1xe5"]);
    check(&flying.replace("deferred", "deferred onward"), &[], &expect!["a1xc3xa5"]);
    let alone = flying.replace("{b2 b4}", "b2").replace("deferred", "deferred onward");
    check(&alone, &[], &expect!["a1xc3 a1xd4 a1xe5"]);
}

/// The man has to go to b1, as the king stands on the other color; a stone may not take that square.
#[test]
fn squares_are_reserved_for_a_color() {
    let game = |reserved: &str| {
        with_pieces(&format!(
            r#"GOALS stalemate opponent BOARD_SIZE 3 BY 3 PROMOTE_RANK 3 REGION near RANKS 1
            SETUP king AT a1 man IN_HAND 1 stone IN_HAND 1 CONSTRAINTS must_drop
            DEFINE stone SYMBOL "S" DROPPING TO near END DROPPING END DEFINE
            DEFINE man SYMBOL "M" DROPPING TO near NOT_SHARING_COLOR [{{player}} {{king}}] {reserved} END DROPPING END DEFINE"#
        ))
    };
    check(&game(""), &[], &expect!["M@b1 S@b1 S@c1"]);
    check(&game("RESERVED"), &[], &expect!["M@b1 S@c1"]);
}
