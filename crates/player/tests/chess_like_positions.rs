//! Rules of chess-like games that show in few positions, each in one of them: moves are made from it, and what can be done then, or how the
//! contest ended, is written down.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read games from their folder, and a panic is their verdict"
)]

mod beside;

use std::fs;
use std::path::Path;

use beside::Beside;
use expect_test::{Expect, expect};
use rulesmith_game::{Draws, Game, JointMoves, Notation, RoleId};
use rulesmith_player::{BuildRequest, Language, ReferenceGame, Stop, build, reference_game};

/// A king and a rook that capture what they meet.
const PIECES: &str = r#"
DEFINE king SYMBOL "K" MOVING MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT
  MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT END MOVING
  CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING
  CASTLING CASTLE RIGHT WITH rook TO g1 PARTNER TO f1 END CASTLING END DEFINE
DEFINE rook SYMBOL "R" MOVING MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING
  CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING END DEFINE
"#;

fn game(name: String, text: String) -> ReferenceGame {
    let request = BuildRequest { name, text, language: Language::Scl, ..BuildRequest::default() };
    let built = reference_game(build(&request, &Beside), &request.limits, &Stop::default());
    built.unwrap_or_else(|result| panic!("{:?}", result.diagnostics.list))
}

fn library(name: &str) -> ReferenceGame {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let file = folder.join(format!("{name}.scl"));
    game(file.display().to_string(), fs::read_to_string(file).unwrap())
}

/// A game from its sections, without those that all have.
fn small(sections: &str) -> ReferenceGame {
    game(
        "small.scl".to_owned(),
        format!("GAME small BOARD_TYPE planar INVERSION forward {sections} END GAME."),
    )
}

/// The same with the left and the right edge joined.
fn round(sections: &str) -> ReferenceGame {
    game(
        "round.scl".to_owned(),
        format!("GAME round BOARD_TYPE vertical_cylinder INVERSION forward {sections} END GAME."),
    )
}

/// Makes the moves and writes those that then begin with a text, or how the contest ended. Steps of one move have `_` between them.
fn check(game: &ReferenceGame, position: &str, moves: &str, from: &str, expected: &Expect) {
    let mut state = game.parse_state(position).unwrap();
    for text in moves.split_whitespace() {
        let mover = JointMoves::of(game, &state).unwrap().next().unwrap()[0].0;
        let chosen = game.parse_move(&state, mover, &text.replace('_', " ")).unwrap();
        game.apply(&mut state, &vec![(mover, chosen)]).unwrap();
    }
    if let Some(outcome) = game.outcome(&state, Draws::Apply).unwrap() {
        return expected.assert_eq(&format!("{:?} {:?}", outcome.ending, outcome.goals));
    }
    let written = |role: RoleId| {
        let moves = game.legal_moves(&state, role).unwrap();
        moves.iter().map(|one| game.move_text(one)).collect::<Vec<_>>()
    };
    let mut texts: Vec<String> =
        game.roles().iter().enumerate().flat_map(|(role, _)| written(RoleId(role))).collect();
    texts.retain(|text| text.starts_with(from));
    texts.sort();
    expected.assert_eq(&texts.join(" "));
}

/// The kings stand side by side, so that the rook's attack along the row is none. Behind its own rook the castled king is safe; on the way it is not if
/// the other king is too far away.
#[test]
fn explosions_spare_a_castled_king_behind_its_rook() {
    let atomic = library("atomic");
    let castled = "r3k2R/4K3/8/8/8/6r1/8/8 b q - 2 2";
    check(&atomic, castled, "", "e8", &expect!["e8a8 e8d7 e8d8 e8f7 e8f8"]);
    let pierced = "r3k2R/5K2/8/8/8/8/8/6r1 b q - 6 4";
    check(&atomic, pierced, "", "e8", &expect!["e8d7 e8e7 e8f8"]);
}

/// While generals face each other, a turn ends that or is passed, also in check; the pass ends the contest.
#[test]
fn facing_generals_are_parted_or_accepted() {
    let janggi = library("janggi");
    let facing = "2P3c2/2Bn1n1c1/N2kaa3/9/9/1p3P3/9/9/3K5/9 w - - 14 38";
    check(&janggi, facing, "", "", &expect!["d2e2 pass"]);
    check(&janggi, facing, "pass", "", &expect!["Terminal [Some(50), Some(50)]"]);
    let in_check = "P1c2a1n1/3nck3/3Ca4/9/p8/3bP4/4B4/4NK3/9/5C3 b - - 0 40";
    check(&janggi, in_check, "", "", &expect!["d5f8 e8f8 pass"]);
}

/// The pawn would leave the row of the rook behind it.
#[test]
fn peaceful_movements_discover_no_check() {
    let position = "4r3/6k1/6p1/3s2P1/3npR2/8/p5F1/1N2K3[] b - - 4 51";
    check(&library("sittuyin"), position, "", "e4", &expect!["e4e3 e4e4f"]);
}

/// White gives check with every turn; the black chariot attacks the soldier all the time, and has not moved.
#[test]
fn an_attack_that_stands_is_no_chase() {
    let xiangqi = library("xiangqi");
    let checks = "e8d8 d10e10 d8e8 e10d10 e8d8 d10e10 d8e8 e10d10";
    let position = "3k5/9/4R4/9/9/r8/P8/9/9/5K3 w - - 0 1";
    check(&xiangqi, position, checks, "", &expect!["Terminal [Some(0), Some(100)]"]);
    let kings = "f1f2 d10d9 f2f1 d9d10 f1f2 d10d9 f2f1 d9d10";
    let position = "3k5/9/9/p8/9/R8/9/9/9/5K3 w - - 0 1";
    check(&xiangqi, position, kings, "", &expect!["Draw [Some(50), Some(50)]"]);
    let chase = "a5b5 c7c8 b5c5 c8b8 c5b5 b8c8 b5c5 c8b8 c5b5 b8c8";
    let position = "3k5/9/9/2c6/9/R8/9/9/9/5K3 w - - 0 1";
    check(&xiangqi, position, chase, "", &expect!["Terminal [Some(0), Some(100)]"]);
}

/// Each rule counts from its own events.
#[test]
fn quiet_rules_have_counts_of_their_own() {
    let pawn = r#"DEFINE pawn SYMBOL "P" MOVING MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT END MOVING END DEFINE"#;
    let game = small(&format!(
        "GOALS stalemate opponent BOARD_SIZE 3 BY 8 PROMOTE_RANK 8 SETUP pawn AT a1
        DRAWS quiet 8 RESET {{capture pawn}} quiet 4 RESET {{capture}} {pawn}"
    ));
    let position = "2p/3/3/3/3/3/3/P2 w";
    check(&game, position, "a1a2 c8c7 a2a3", "", &expect!["c7c6"]);
    check(&game, position, "a1a2 c8c7 a2a3 c7c6", "", &expect!["Draw [Some(50), Some(50)]"]);
}

/// The count begins once the ending is there, and goes on from one of its lists to another.
#[test]
fn endings_do_not_last() {
    let walks = "MOVING MOVEMENT LEAP <0,1> SYMMETRY {forward} END MOVEMENT END MOVING
        CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING";
    let game = small(&format!(
        r#"GOALS stalemate opponent BOARD_SIZE 3 BY 8 PROMOTE_RANK 8 SETUP man AT a1
        DRAWS ending 4 {{{{king man}} {{king}}}} AGAINST {{{{king}} {{man}}}}
        DEFINE king SYMBOL "K" {walks} END DEFINE DEFINE man SYMBOL "M" {walks} END DEFINE"#
    ));
    // Two of white's men for one of black's are no such ending, a king and a man for a man are.
    let taken = "2m/3/3/3/3/M2/m2/1K1 w";
    check(&game, taken, "a3a2 c8c7 b1b2 c7c6", "", &expect!["a2a1 a2a3 b2b1 b2b3"]);
    check(&game, taken, "a3a2 c8c7 b1b2 c7c6 b2b3", "", &expect!["Draw [Some(50), Some(50)]"]);
    // White loses its man in the middle of the count, and a king for a man is in the same rule.
    let traded = "3/3/3/3/3/m2/M2/1K1 w";
    check(&game, traded, "b1b2 a3a2 b2b3", "", &expect!["a2a1 a2a3"]);
    check(&game, traded, "b1b2 a3a2 b2b3 a2a3", "", &expect!["Draw [Some(50), Some(50)]"]);
}

/// The count begins where the other side stands on the area as it sees it, and ends where it leaves it.
#[test]
fn endings_ask_where_the_other_side_stands() {
    let walks = "MOVING MOVEMENT LEAP <0,1> SYMMETRY {forward} END MOVEMENT MOVEMENT LEAP <1,0> SYMMETRY {side} END MOVEMENT END MOVING";
    let game = small(&format!(
        r#"GOALS stalemate opponent BOARD_SIZE 3 BY 8 PROMOTE_RANK 8 SETUP man AT a1
        REGION home FILES 1 .. 1 RANKS 1 .. 4
        DRAWS ending 3 {{{{king}}}} AGAINST {{{{man}}}} ON home
        DEFINE king SYMBOL "K" {walks} END DEFINE DEFINE man SYMBOL "M" {walks} END DEFINE"#
    ));
    let position = "m2/3/3/3/3/3/3/2K w";
    check(&game, position, "c1c2 a8a7 c2c1", "", &expect!["Draw [Some(50), Some(50)]"]);
    check(&game, position, "c1c2 a8b8 c2c1", "", &expect!["b8a8 b8b7 b8c8"]);
    check(&game, position, "c1c2 a8b8 c2c1 b8a8 c1c2 a8a7", "", &expect!["c2b2 c2c1 c2c3"]);
    check(&game, "m2/3/3/3/3/3/3/2K b", "a8b8 c1c2 b8b7", "", &expect!["c2b2 c2c1 c2c3"]);
}

/// A promotion sets the count back, and the rule asks both sides for what they have.
#[test]
fn quiet_turns_may_ask_how_many_pieces_there_are() {
    let walks = "MOVING MOVEMENT LEAP <0,1> SYMMETRY {forward} END MOVEMENT END MOVING";
    let game = small(&format!(
        r#"GOALS stalemate opponent BOARD_SIZE 3 BY 8 PROMOTE_RANK 8 SETUP man AT a1
        DRAWS quiet 100 RESET {{capture}}
          quiet 3 RESET {{capture promotion}} WITH {{count [{{player}} {{king}}] [X >= 1] count [any_player any_piece] [X <= 3]}}
        DEFINE king SYMBOL "K" {walks} END DEFINE
        DEFINE man SYMBOL "M" {walks} PROMOTING PROMOTE_TO king END PROMOTING END DEFINE"#
    ));
    // Both have a king.
    check(
        &game,
        "k2/3/3/3/3/3/3/2K w",
        "c1c2 a8a7 c2c1",
        "",
        &expect!["Draw [Some(50), Some(50)]"],
    );
    // Black has none.
    check(&game, "m2/3/3/3/3/3/3/2K w", "c1c2 a8a7 c2c1", "", &expect!["a7a6 a7a8"]);
    // There are four pieces.
    check(&game, "k2/3/3/3/3/3/3/KKK w", "c1c2 a8a7 c2c1", "", &expect!["a7a6 a7a8"]);
    // White's man becomes a king with its second turn.
    check(&game, "k2/2M/3/3/3/3/3/2K w", "c1c2 a8a7 c7c8K a7a6 c2c1", "", &expect!["a6a5 a6a7"]);
    check(
        &game,
        "k2/2M/3/3/3/3/3/2K w",
        "c1c2 a8a7 c7c8K a7a6 c2c1 a6a5",
        "",
        &expect!["Draw [Some(50), Some(50)]"],
    );
}

/// A movement that makes another piece of what moves is no promotion.
#[test]
fn becoming_another_piece_does_not_set_the_count_back() {
    let walks = "LEAP <0,1> SYMMETRY all_symmetry";
    let game = small(&format!(
        r#"GOALS stalemate opponent BOARD_SIZE 3 BY 5 PROMOTE_RANK 5 SETUP page AT a1
        DRAWS quiet 2 RESET {{promotion}}
        DEFINE page SYMBOL "P" MOVING MOVEMENT {walks} BECOMING squire END MOVEMENT END MOVING END DEFINE
        DEFINE squire SYMBOL "S" MOVING MOVEMENT {walks} END MOVEMENT END MOVING
        PROMOTING PROMOTE_TO page END PROMOTING END DEFINE"#
    ));
    check(&game, "p2/3/3/3/2P w", "c1c2S a5a4S", "", &expect!["Draw [Some(50), Some(50)]"]);
    check(&game, "s2/3/3/2S/3 w", "c2c3 a5a4 c3c4 a4a3", "", &expect!["Draw [Some(50), Some(50)]"]);
    check(&game, "s2/2S/3/3/3 w", "c4c5P a5a4", "", &expect!["c5b5S c5c4S"]);
}

/// What is protected does not count; where everything is, any position is such an ending.
#[test]
fn endings_of_what_is_protected_are_read() {
    let walks = "MOVING MOVEMENT LEAP <0,1> SYMMETRY {forward} END MOVEMENT END MOVING";
    let game = small(&format!(
        r#"GOALS stalemate opponent BOARD_SIZE 3 BY 8 PROMOTE_RANK 8 SETUP king AT a1
        CONSTRAINTS protect [{{player}} {{king}}] DRAWS ending 2 {{{{king}}}} AGAINST {{{{}}}}
        DEFINE king SYMBOL "K" {walks} END DEFINE"#
    ));
    check(&game, "k2/3/3/3/3/3/3/2K w", "c1c2 a8a7", "", &expect!["Draw [Some(50), Some(50)]"]);
}

/// A promotion and a drop are answers too.
#[test]
fn evened_goals_know_every_answer() {
    let pawn = r#"DEFINE pawn SYMBOL "P" MOVING MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT END MOVING
        PROMOTING DECISION player OPTIONS [{player} {queen}] END PROMOTING END DEFINE DEFINE queen SYMBOL "Q" END DEFINE"#;
    let game = small(&format!(
        "GOALS arrive [{{player}} {{queen}}] AT RANKS 6 EVENED BOARD_SIZE 6 BY 6 PROMOTE_RANK 6 SETUP pawn AT a2 {pawn}"
    ));
    check(&game, "6/P5/6/6/2p3/6 w", "a5a6Q", "", &expect!["c2c1q"]);
    check(&game, "6/P5/6/2p3/6/6 w", "a5a6Q", "", &expect!["Terminal [Some(100), Some(0)]"]);
    let dropped = small(
        r#"GOALS arrive [{player} {queen}] AT RANKS 3 EVENED BOARD_SIZE 3 BY 3 PROMOTE_RANK 3 SETUP queen IN_HAND 1
        DEFINE queen SYMBOL "Q" END DEFINE"#,
    );
    check(&dropped, "3/3/3[Qq] w", "Q@a3", "", &expect!["Q@a1 Q@a2 Q@b1 Q@b2 Q@b3 Q@c1 Q@c2 Q@c3"]);
}

/// The locust hops over the king from c1 to f1.
#[test]
fn a_king_does_not_castle_out_of_a_hop() {
    let locust = r#"DEFINE locust SYMBOL "L" CAPTURING CAPTURE BY {hop} TYPE [{opponent} any_piece] EFFECT remove
        MOVEMENT HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X = 0] HOP_OVER [any_player any_piece] <1,0> SYMMETRY all_symmetry END MOVEMENT
        END CAPTURE END CAPTURING END DEFINE"#;
    let game = small(&format!(
        "GOALS checkmate opponent BOARD_SIZE 8 BY 8 PROMOTE_RANK 8 SETUP king AT e1 rook AT h1 CONSTRAINTS protect [{{player}} {{king}}]
        {locust} {PIECES}"
    ));
    check(&game, "4k3/8/8/8/8/8/8/l3K2R w K", "", "e1", &expect!["e1d2 e1e2 e1f2"]);
    check(&game, "4k3/8/8/8/5l2/8/8/4K2R w K", "", "e1h", &expect!["e1h1"]);
    check(&game, "4k3/8/8/8/8/8/5l2/4K2R w K", "", "e1h", &expect!["e1h1"]);
}

/// There is a king already: the man stays a man, whoever would decide.
#[test]
fn limits_bind_captures_and_the_other_side() {
    let man = |promoting: &str| {
        small(&format!(
            r#"GOALS eradicate [{{opponent}} any_piece] BOARD_SIZE 8 BY 8 PROMOTE_RANK 8 SETUP man AT a1
            DEFINE man SYMBOL "M" MOVING MOVEMENT LEAP <1,1> SYMMETRY {{side}} END MOVEMENT END MOVING
            CAPTURING CAPTURE BY {{hop}} TYPE [{{opponent}} any_piece] EFFECT remove
            MOVEMENT HOP BEFORE [X = 0] OVER [X = 1] AFTER [X = 0] HOP_OVER [{{opponent}} any_piece] <1,1> SYMMETRY {{side}} END MOVEMENT
            END CAPTURE END CAPTURING PROMOTING {promoting} END PROMOTING CONSTRAINTS must_capture continue_captures END DEFINE
            DEFINE king SYMBOL "K" MOVING MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT END MOVING LIMIT 1 END DEFINE"#
        ))
    };
    let position = "8/3m4/2M5/8/8/7m/8/K7 w";
    let moves = "c6xe8 h3g2";
    check(&man("PROMOTE_TO king"), position, moves, "", &expect!["a1b2"]);
    check(
        &man("DECISION opponent OPTIONS [{player} {king}]"),
        position,
        moves,
        "",
        &expect!["a1b2"],
    );
    let free = "8/3m4/2M5/8/8/7m/8/8 w";
    check(&man("PROMOTE_TO king"), free, moves, "", &expect!["e8d7 e8f7"]);
}

/// The first position has a pawn that was passed, but nobody to capture it, so that it is the same as the later ones.
#[test]
fn a_trail_that_nobody_can_use_does_not_make_a_position_different() {
    let chess = library("chess");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let shuffle = "e2e4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1";
    check(&chess, start, shuffle, "", &expect!["Draw [Some(50), Some(50)]"]);
    // The black pawn could capture it at first, and later could not.
    let usable = "4k1n1/8/8/8/3p4/8/4P3/4K1N1 w - - 0 1";
    check(&chess, usable, shuffle, "d4", &expect!["d4d3"]);
    check(&chess, usable, "e2e4", "d4", &expect!["d4d3 d4e3"]);
}

/// The second side sees a hole on b2, and has a square there that the first side sees as a hole.
#[test]
fn holes_need_not_be_their_own_mirror_image() {
    let board = "BOARD_SIZE 3 BY 4 PROMOTE_RANK 3 BOARD_HOLES {b3} REGION up RANKS 3 .. 4";
    let stone = r#"DEFINE stone SYMBOL "S" MOVING MOVEMENT LEAP <0,1> SYMMETRY all_symmetry TO up END MOVEMENT END MOVING END DEFINE"#;
    let man = r#"DEFINE man SYMBOL "M" MOVING MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING
        PROMOTING PROMOTE_TO stone END PROMOTING END DEFINE"#;
    let game = small(&format!("GOALS stalemate opponent {board} SETUP stone AT a1 {stone} {man}"));
    check(&game, "3/1*1/s2/3 b", "", "", &expect!["a2a1 a2b2"]);
    check(&game, "3/1*1/2m/3 b", "", "", &expect!["c2b2s c2c1s c2c3"]);
    check(&game, "3/S*1/3/3 w", "", "", &expect!["a3a4"]);
    let held = r#"SETUP stone IN_HAND 1 DEFINE stone SYMBOL "S" END DEFINE"#;
    let free = small(&format!("GOALS stalemate opponent {board} {held}"));
    check(&free, "3/1*1/3/3[Ss] b", "", "S@b", &expect!["S@b1 S@b2 S@b4"]);
    check(&free, "3/1*1/3/3[Ss] w", "", "S@b", &expect!["S@b1 S@b2 S@b4"]);
    let up =
        r#"SETUP stone IN_HAND 1 DEFINE stone SYMBOL "S" DROPPING TO up END DROPPING END DEFINE"#;
    let bound = small(&format!("GOALS stalemate opponent {board} {up}"));
    check(&bound, "3/1*1/3/3[Ss] b", "", "", &expect!["S@a1 S@a2 S@b1 S@b2 S@c1 S@c2"]);
    check(&bound, "3/1*1/3/3[Ss] w", "", "", &expect!["S@a3 S@a4 S@b4 S@c3 S@c4"]);
}

/// The second side's third row has three squares, the first side's two.
#[test]
fn goals_know_the_squares_of_either_side() {
    let man = r#"DEFINE man SYMBOL "M" MOVING MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING
        CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT
        END CAPTURE END CAPTURING END DEFINE"#;
    let game = |goal: &str| {
        small(&format!(
            "GOALS {goal} BOARD_SIZE 3 BY 4 PROMOTE_RANK 4 BOARD_HOLES {{b3}} REGION up RANKS 3 .. 4 SETUP man AT a1 {man}"
        ))
    };
    let arrival = game("arrive [{player} {man}] AT up");
    check(&arrival, "m2/1*1/3/M2 b", "a4b4", "", &expect!["a1a2 a1b1"]);
    check(&arrival, "3/1*1/1m1/M2 w", "", "", &expect!["Terminal [Some(0), Some(100)]"]);
    let safe = game("arrive [{player} {man}] AT up SAFE");
    check(&safe, "3/m*1/3/1M1 b", "a3a2", "", &expect!["b1a1 b1a2 b1b2 b1c1"]);
    check(&safe, "3/1*1/1m1/2M w", "", "c1", &expect!["c1b1 c1b2 c1c2"]);
    check(&safe, "3/1*1/1m1/1M1 w", "", "", &expect!["Terminal [Some(0), Some(100)]"]);
    let line = game("line 3 [{player} {man}]");
    check(&line, "3/1*1/mmm/3 w", "", "", &expect!["Terminal [Some(0), Some(100)]"]);
}

/// e2 and e3 are beside a2.
#[test]
fn explosions_go_round_a_cylinder() {
    let sections = r#"GOALS eradicate [{opponent} {king}] BOARD_SIZE 5 BY 5 PROMOTE_RANK 5 SETUP king AT c1 rook AT a1 stone AT e2
        DEFINE king SYMBOL "K" END DEFINE
        DEFINE stone SYMBOL "S" MOVING MOVEMENT LEAP <0,1> SYMMETRY {forward} END MOVEMENT END MOVING END DEFINE
        DEFINE rook SYMBOL "R" CAPTURING CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT explode
        MOVEMENT RIDE <0,1> SYMMETRY {} END MOVEMENT END CAPTURE END CAPTURING END DEFINE"#;
    let position = "2k2/s3s/s2ss/ss2s/R1K2 w";
    check(&round(sections), position, "a1a2", "", &expect!["a4a3 a4a5 d3d2 d3d4 e4e3 e4e5"]);
    check(&small(sections), position, "a1a2", "", &expect!["a4a3 a4a5 d3d2 d3d4 e2e1 e4e5"]);
}

/// Six columns and seven rows: seven steps along a row would be one.
#[test]
fn no_path_goes_on_round_a_cylinder_from_where_it_began() {
    let man = |movement: &str| {
        round(&format!(
            r#"GOALS eradicate [{{opponent}} any_piece] BOARD_SIZE 6 BY 7 PROMOTE_RANK 7 SETUP man AT f2
            DEFINE man SYMBOL "A" MOVING MOVEMENT {movement} SYMMETRY {{side}} END MOVEMENT END MOVING
            CAPTURING CAPTURE BY {{hop}} TYPE [any_player any_piece] EFFECT opponent possesses AS_MOVING END CAPTURE END CAPTURING END DEFINE"#
        ))
    };
    let hop = man(
        "HOP BEFORE [X = 0] OVER [X <= 2] AFTER [X >= 0] HOP_OVER [{opponent} any_piece] <1,0>",
    );
    check(&hop, "6/6/6/6/6/a3A1/6[] b", "", "", &expect!["a2b2 a2c2 a2d2 a2f2"]);
    check(
        &hop,
        "6/6/6/6/6/aA4/6[] b",
        "",
        "",
        &expect!["a2a2 a2c2 a2d2 a2e2 a2f2 a2xa2/2 a2xc2/2 a2xd2/2 a2xe2/2 a2xf2/2"],
    );
    // Two columns at once are round after three steps.
    let position = "6/6/6/6/6/a5/5A[] b";
    check(&man("RIDE MIN 4 <2,0>"), position, "", "", &expect!["Terminal [Some(50), Some(50)]"]);
    check(&man("RIDE MIN 3 <2,0>"), position, "", "", &expect!["a2a2"]);
}

/// The other side's choice is to leave the piece what it is.
#[test]
fn a_promotion_into_the_same_piece_does_not_set_the_count_back() {
    let game = |options: &str| {
        small(&format!(
            r#"GOALS eradicate [{{opponent}} any_piece] BOARD_SIZE 3 BY 4 PROMOTE_RANK 4 SETUP squire AT a2 DRAWS quiet 4 RESET {{promotion}}
            DEFINE page SYMBOL "P" MOVING MOVEMENT LEAP <0,1> SYMMETRY all_symmetry END MOVEMENT END MOVING END DEFINE
            DEFINE squire SYMBOL "S" MOVING MOVEMENT LEAP <0,1> SYMMETRY all_symmetry END MOVEMENT END MOVING
            PROMOTING DECISION opponent OPTIONS [{{player}} {{{options}}}] END PROMOTING END DEFINE"#
        ))
    };
    let position = "2s/S2/3/3 w";
    check(
        &game("squire"),
        position,
        "a3a4 =S_c4c3 a4a3 c3c4",
        "",
        &expect!["Draw [Some(50), Some(50)]"],
    );
    check(
        &game("squire page"),
        position,
        "a3a4 =S_c4c3 a4a3 c3c4",
        "",
        &expect!["Draw [Some(50), Some(50)]"],
    );
    check(&game("squire page"), position, "a3a4 =P_c4c3 a4a3 c3c4", "", &expect!["a3a2 a3a4 a3b3"]);
}
