//! Texts of `.kif` games: facts and moves are written in KIF and read back.

use rulesmith_game::{Game, Notation, RoleId};
use rulesmith_player::{BuildRequest, Language, NoFiles, Stop, build, reference_game};

const MARKS: &str = "(role x) (init (at 1 11)) (size 1) (size 11)
    (<= (legal x (mark ?a ?b)) (size ?a) (size ?b)) (legal x Pass) (legal x pass)
    (<= (next (at ?a ?b)) (does x (mark ?a ?b))) (<= (next (at 1 1)) (does x Pass))
    (<= terminal (true (at 11 11))) (goal x 100)";

#[test]
fn moves_that_differ_only_in_spaces_or_capitals_are_different_moves() {
    let request = BuildRequest {
        name: "marks.kif".to_owned(),
        text: MARKS.to_owned(),
        language: Language::Gdl,
        ..BuildRequest::default()
    };
    let result = build(&request, &NoFiles);
    let game = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
    let state = game.initial().expect("a start");
    let legal = game.legal_moves(&state, RoleId(0)).expect("moves");
    assert_eq!(legal.len(), 6);
    for chosen in legal {
        let text = game.move_text(&chosen);
        let read = game.parse_move(&state, RoleId(0), &text).expect("reads back");
        assert_eq!(read, chosen, "{text}");
    }
    assert_eq!(game.state_text(&state), "(at 1 11)");
    assert_eq!(game.parse_state("( at  1 11 )").expect("reads back"), state);
}
