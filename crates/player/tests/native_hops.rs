//! Moves over exactly one thing where a king must not be attacked: kernels that judge them by masks, beside the
//! reference engine. Each text is one in which another part of a hop matters.

mod engines;

use engines::{Contest, Hashes, compare, kernels, native_with};
use rulesmith_compile::{Optimizations, ReferenceGame};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, Language, NoFiles, build, reference_game};

const N_CONTESTS: u64 = 6;
const MAX_STATES: usize = 25;

/// A hopper beside kings, rooks and pawns: so it moves, and so it captures.
fn hopper(board: &str, moving: &str, capturing: &str) -> String {
    format!(
        "GAME hopping
        GOALS checkmate opponent
        BOARD_SIZE 6 BY 6 BOARD_TYPE {board} INVERSION forward PROMOTE_RANK 6
        SETUP king AT c1 hopper AT {{a1 f1}} pawn AT {{a2 c2 e2}} rook AT d1
        CONSTRAINTS protect [{{player}} {{king}}]
        DRAWS stalemate
        DEFINE king SYMBOL \"K\"
          MOVING
            MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT
            MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT
          END MOVING
          CAPTURING CAPTURE BY {{clobber}} TYPE [{{opponent}} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING
        END DEFINE
        DEFINE hopper SYMBOL \"H\"
          MOVING {moving} END MOVING
          CAPTURING
            CAPTURE BY {{clobber}} TYPE [{{opponent}} any_piece] EFFECT remove {capturing} END CAPTURE
          END CAPTURING
        END DEFINE
        DEFINE rook SYMBOL \"R\"
          MOVING MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT END MOVING
          CAPTURING CAPTURE BY {{clobber}} TYPE [{{opponent}} any_piece] EFFECT remove AS_MOVING END CAPTURE END CAPTURING
        END DEFINE
        DEFINE pawn SYMBOL \"P\"
          MOVING MOVEMENT LEAP <0,1> SYMMETRY {{}} END MOVEMENT END MOVING
          CAPTURING
            CAPTURE BY {{clobber}} TYPE [{{opponent}} any_piece] EFFECT remove
              MOVEMENT LEAP <1,1> SYMMETRY {{side}} END MOVEMENT
            END CAPTURE
          END CAPTURING
        END DEFINE
        END GAME."
    )
}

/// A movement over one thing; `before` and `after` are empty squares.
fn hop(before: &str, after: &str, over: &str) -> String {
    format!(
        "MOVEMENT HOP BEFORE [X {before}] OVER [X = 1] AFTER [X {after}] HOP_OVER [{over}] <1,0>
        SYMMETRY all_symmetry END MOVEMENT "
    )
}

fn open(text: &str) -> ReferenceGame {
    let language = Language::Scl;
    let request = BuildRequest { text: text.to_owned(), language, ..BuildRequest::default() };
    let built = build(&request, &NoFiles);
    reference_game(built, &request.limits, &Stop::default()).expect("no errors")
}

fn agree(text: &str) {
    agree_for(text, MAX_STATES);
}

fn agree_for(text: &str, max_states: usize) {
    let slower = kernels(&open(text), Optimizations::default()).expect("kernels").slower_texts();
    assert!(slower.is_empty(), "{slower:?}: {text}");
    let game = native_with(open(text), Optimizations::default()).expect("kernels");
    for seed in 0..N_CONTESTS {
        let contest = Contest { seed, max_states, plays_on: false };
        let compared = compare(&game, contest, &mut Hashes::new());
        compared.unwrap_or_else(|why| panic!("{why}: {text}"));
    }
}

const LEAP: &str = "MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT ";
const ALL: &str = "any_player any_piece";

/// Like a cannon: any thing is a screen, and captures hop too.
#[test]
fn anything_is_a_screen() {
    let ride = "MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT";
    agree(&hopper("planar", ride, &hop(">= 0", ">= 0", ALL)));
}

#[test]
fn only_some_things_are_screens() {
    agree(&hopper("planar", &hop(">= 0", ">= 0", "any_player {pawn rook}"), LEAP));
}

/// Two movements on the same lines, over other things each: only a screen of either kind lets the hopper go.
#[test]
fn screens_of_two_movements_are_united() {
    let both =
        hop(">= 0", ">= 0", "any_player {pawn}") + &hop(">= 0", ">= 0", "any_player {rook king}");
    agree(&hopper("planar", &both, LEAP));
}

/// Near screens are other things than far ones, or those of near ends: a line has no one set of them.
#[test]
fn near_screens_differ_from_far_ones() {
    let both = hop(">= 0", "= 0", "any_player {pawn}") + &hop(">= 0", ">= 1", "any_player {rook}");
    agree(&hopper("planar", &both, LEAP));
    let both = hop("= 0", ">= 0", "any_player {pawn}") + &hop(">= 1", ">= 0", "any_player {rook}");
    agree(&hopper("planar", &both, LEAP));
}

/// Screens that are only near, and ends that are only right behind: not every place of a line is one.
#[test]
fn not_every_place_is_a_screen_or_an_end() {
    agree(&hopper("planar", &hop("<= 1", ">= 0", ALL), LEAP));
    agree(&hopper("planar", &hop(">= 0", "= 0", ALL), LEAP));
}

#[test]
fn lines_go_around_a_cylinder() {
    agree(&hopper("vertical_cylinder", &hop(">= 0", ">= 0", ALL), LEAP));
}

/// What was captured is dropped: between rooks and kings, before hoppers, and where a pawn would mate.
#[test]
fn drops_shut_ways_and_are_screens() {
    let cannon = hop(">= 0", ">= 0", ALL);
    for capturing in [LEAP, &cannon] {
        let text = hopper("planar", LEAP, capturing);
        let text = text.replace("EFFECT remove", "EFFECT player possesses");
        agree_for(&text, 45);
        let polite =
            "DROPPING NOT_SHARING_FILE [{player} {pawn}] NO_CHECKMATE END DROPPING END DEFINE";
        let (before, pawn) = text.rsplit_once("END DEFINE").expect("a pawn");
        agree_for(&format!("{before} {polite} {pawn}"), 45);
    }
}
