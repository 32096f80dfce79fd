//! Contest files and sessions, on games written by hand.

#![expect(clippy::unwrap_used, reason = "a failing test may panic")]

#[path = "../../game/tests/toys/mod.rs"]
mod toys;

use expect_test::{Expect, expect};
use rulesmith_game::{Notation, Random, RoleId};
use rulesmith_player::{Conclusion, Contest, Place, Seat, Session, replay};
use toys::{hands, subtraction};

/// Reads and replays a contest; shows where it ends, or what is wrong and where.
fn check<G: Notation>(game: &G, text: &str, expected: &Expect) {
    let contest = Contest::parse(text);
    let shown = contest.and_then(|contest| {
        let session = replay(game, &contest)?;
        let again = Contest::parse(&contest.to_text()).unwrap();
        assert_eq!(again.to_text(), contest.to_text(), "the text reads back");
        let state = game.state_text(session.state());
        Ok(format!("{} turns, {state}, {:?}", session.n_turns(), session.outcome()))
    });
    let shown = shown.unwrap_or_else(|error| {
        format!("{}:{}: {}", error.place.line, error.place.column, error.message)
    });
    expected.assert_eq(&shown);
}

const START: &str = "contest 1\ngame subtraction\n";

fn check_turns(turns: &str, expected: &Expect) {
    check(&subtraction(5), &format!("{START}{turns}"), expected);
}

#[test]
fn a_contest_replays_to_its_end() {
    check_turns(
        "# a comment\nseed 3\nplayer first = human\n\n1. first take 2\n2. second take 3\n\
         result terminal: first 0, second 100\n",
        &expect![
            "2 turns, 0 first, Some(Outcome { ending: Terminal, goals: [Some(0), Some(100)] })"
        ],
    );
    check_turns("1. first take 2\nresult unfinished", &expect!["1 turns, 3 second, None"]);
    check_turns(
        "1. first take 2\r\n2. second \"take 1\"\r\nresult resigned: first\r\n",
        &expect!["2 turns, 2 first, None"],
    );
    check_turns(
        "position 2 second\n1. second take 2",
        &expect![
            "1 turns, 0 first, Some(Outcome { ending: Terminal, goals: [Some(0), Some(100)] })"
        ],
    );
    check(
        &hands(1),
        "contest 1\ngame hands\n1. \"the right\" \"scissors; sharp\"; left rock\n\
         result terminal: left 1, \"the right\" 0",
        &expect![
            "1 turns, [(0, 2)], Some(Outcome { ending: Terminal, goals: [Some(1), Some(0)] })"
        ],
    );
}

#[test]
fn faults_of_the_text_are_located() {
    check_turns(
        "1. first take 2\n3. second take 1",
        &expect!["4:1: the turn is numbered 3, not 2"],
    );
    check_turns("1. first", &expect!["3:9: a text is missing here"]);
    check_turns("1 first take 2", &expect!["3:2: `.` is missing here"]);
    check_turns("1. first \"take 2", &expect!["3:10: the closing quote is missing"]);
    check_turns(
        "1. first \"ta\\ke 2\"",
        &expect![[r#"3:13: after `\` comes `n`, `r`, `"` or `\`"#]],
    );
    check_turns("set size = many", &expect!["3:12: this should be a whole number"]);
    check_turns("set size 9", &expect!["3:10: `=` is missing here"]);
    check_turns(
        "seed -1",
        &expect!["3:6: this should be a seed, which is a whole number from zero"],
    );
    check_turns("game again", &expect!["3:1: `game` stands here a second time"]);
    check_turns(
        "players first = me",
        &expect![
            "3:1: `players` is not known here; a line starts with game, set, data, position, seed, player, a turn such as `1. white d2-d3`, result"
        ],
    );
    check_turns(
        "1. first take 1\nposition 3 first",
        &expect!["4:1: `position` must stand before the first turn"],
    );
    check_turns(
        "result unfinished\n1. first take 1",
        &expect!["4:1: nothing may follow the result in line 3"],
    );
    check_turns(
        "result lost",
        &expect!["3:8: `lost` is no result; there is unfinished, resigned, terminal, draw, stuck"],
    );
    check_turns(
        "result terminal: first 300",
        &expect!["3:24: this should be a goal value from 0 to 100, or `none`"],
    );
    check(&subtraction(5), "", &expect!["1:1: the file is empty, not a contest"]);
    check(&subtraction(5), "PGN", &expect!["1:1: a contest file starts with the line `contest 1`"]);
    check(
        &subtraction(5),
        "contest 2",
        &expect!["1:9: version `2` of the format is not known, only 1 is"],
    );
    check(&subtraction(5), "contest 1\n", &expect!["1:1: the line `game NAME` is missing"]);
}

#[test]
fn faults_of_the_play_are_located() {
    check_turns("1. first take 4", &expect!["3:10: `take 4` is not a legal move"]);
    check_turns("1. second take 2", &expect!["3:4: it is not the turn of `second`"]);
    check_turns(
        "1. third take 2",
        &expect!["3:4: no role is called `third`; the roles are first, second"],
    );
    check_turns(
        "1. first take 2; first take 1",
        &expect!["3:18: `first` moves twice in this turn"],
    );
    check_turns(
        "1. first take 2\n2. second take 3\n3. first take 1",
        &expect!["5:1: the contest was over before this turn"],
    );
    check_turns(
        "1. first take 2\nresult terminal: first 100, second 0",
        &expect!["4:1: by the rules the result is `unfinished`"],
    );
    check_turns(
        "1. first take 2\nresult resigned: nobody",
        &expect!["4:1: by the rules the result is `unfinished`"],
    );
    check_turns("position nowhere", &expect!["3:10: `nowhere` is not a heap and a role"]);
    check(
        &hands(1),
        "contest 1\ngame hands\n1. left rock",
        &expect!["3:1: a turn needs one move of each role to move: left, the right"],
    );
}

#[test]
fn any_text_survives_being_written_and_read() {
    let texts =
        ["", " ", "a b", "\"", "\\", "a;b", "a\nb\r", "# x", "=", "ä → ö", "none", "1.", "\t"];
    for text in texts {
        let mut contest = Contest { game: format!("x{text}"), ..Contest::default() };
        contest.data.push((format!("d{text}"), text.to_owned()));
        contest.players.push((format!("r{text}"), text.to_owned()));
        contest.position = Some((text.to_owned(), Place::default()));
        let goals = vec![(format!("r{text}"), None), (format!("s{text}"), Some(7))];
        let ending = rulesmith_game::Ending::Stuck;
        contest.result = Some((Conclusion::Over(ending, goals), Place::default()));
        let again = Contest::parse(&contest.to_text()).unwrap();
        assert_eq!(again.to_text(), contest.to_text());
        assert_eq!((again.game, again.data), (contest.game, contest.data));
        assert_eq!(again.players, contest.players);
        assert_eq!(again.position.unwrap().0, text);
        assert_eq!(again.result.unwrap().0, contest.result.unwrap().0);
    }
}

#[test]
fn a_session_takes_back_to_the_last_choice_of_a_person() {
    let game = subtraction(9);
    let mut session = Session::start(&game, None).unwrap();
    session.seat(RoleId(1), Seat::Random);
    assert_eq!(session.take_back().unwrap(), 0);
    let mut random = Random::new(1);
    session.make(vec![(RoleId(0), 1)]).unwrap();
    let answer = session.random_move(RoleId(1), &mut random).unwrap();
    session.make(vec![(RoleId(1), answer)]).unwrap();
    assert_eq!(session.n_turns(), 2);
    assert_eq!(session.take_back().unwrap(), 2);
    assert_eq!(game.state_text(session.state()), "9 first");
}

#[test]
fn a_session_refuses_what_the_rules_do_not_allow() {
    let game = subtraction(9);
    let mut session = Session::start(&game, None).unwrap();
    for joint in [vec![], vec![(RoleId(0), 4)], vec![(RoleId(1), 1)], vec![(RoleId(0), 1); 2]] {
        assert!(session.make(joint).is_err());
    }
    assert_eq!(session.n_turns(), 0);
}

#[test]
fn a_session_that_is_stuck_is_over() {
    let mut game = subtraction(5);
    game.stuck_at = Some(3);
    let mut session = Session::start(&game, None).unwrap();
    session.make(vec![(RoleId(0), 2)]).unwrap();
    assert!(session.choices().is_empty());
    let result = Conclusion::of(&["first".into(), "second".into()], session.outcome());
    assert!(matches!(result, Conclusion::Over(rulesmith_game::Ending::Stuck, _)), "{result:?}");
}
