//! Moves that are written alike: a saved contest still names each of them.

use rulesmith_game::{Game, Notation, RoleId};
use rulesmith_player::{BuildRequest, NoFiles, Session, Stop, build, reference_game};

const ALIKE: &str = "rules 1. game alike. role a. sort cell = 1..11. fluent at : cell = 1.
    move go(cell, cell). legal a does go(X, Y) :- cell(X), cell(Y), X + Y = 12.
    effect go(X, _) : at := X. notation go(X, Y) = X Y. terminal :- at = 6. goal(a, 100).";

#[test]
fn a_saved_move_is_read_back_even_where_two_are_written_alike() {
    let request = BuildRequest { text: ALIKE.to_owned(), ..BuildRequest::default() };
    let result = build(&request, &NoFiles);
    let game = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
    let start = game.initial().expect("a start");
    for chosen in game.legal_moves(&start, RoleId(0)).expect("moves") {
        let mut session = Session::start(&game, None).expect("a start");
        session.make(vec![(RoleId(0), chosen.clone())]).expect("a legal move");
        let text = session.turns()[0].moves[0].text.clone();
        let read = game.parse_move(&start, RoleId(0), &text).expect("the text names one move");
        assert_eq!(read, chosen, "{text}");
    }
}
