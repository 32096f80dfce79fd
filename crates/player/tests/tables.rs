//! The transition tables against the reference engine: what a piece alone on the board can do is what the rules say.
//!
//! Goals, draws and captures of the games are left out, so that a contest with one piece goes on.

mod lone_pieces;

use lone_pieces::{check, generated, library};

#[test]
fn a_piece_alone_moves_as_the_tables_say() {
    for name in [
        "chess_1992",
        "american_checkers",
        "turncoat_chess",
        "cylinder_chess",
        "noughts_and_crosses_1992",
    ] {
        check(name, library(name));
    }
}

#[test]
fn pieces_of_generated_games_move_as_the_tables_say() {
    for seed in 0..6 {
        check(&format!("seed {seed}"), generated("", seed));
    }
    for seed in 0..3 {
        let cylinders = "board_type=vertical_cylinder;board_size=3..5";
        check(&format!("cylinder {seed}"), generated(cylinders, seed));
    }
}
