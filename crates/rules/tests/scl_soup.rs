//! No text makes the reader of chess-like games panic or hang, and what it accepts prints and parses back.

use proptest::prelude::*;
use rulesmith_rules::scl::{SclGame, SclLimits, parse_scl, print_scl};
use rulesmith_rules::{Diagnostics, MAX_DIAGNOSTICS, Resolver, Sources};

/// Every file is the same text: a list of pieces that includes another.
struct Endless;

impl Resolver for Endless {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        Ok((format!("{from}/{path}"), "DEFINE a END DEFINE INCLUDE \"b\" INCLUDE \"c\"".to_owned()))
    }
}

fn parse(text: &str) -> Option<SclGame> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("soup.scl", text);
    let game = parse_scl(&mut sources, file, &Endless, &SclLimits::default(), &mut diagnostics);
    assert_eq!(game.is_none(), diagnostics.has_errors());
    assert!(diagnostics.list.len() <= MAX_DIAGNOSTICS);
    for problem in &diagnostics.list {
        let text = &sources.files[problem.span.file as usize].text;
        assert!(text.get(problem.span.start as usize..problem.span.end as usize).is_some());
    }
    game
}

/// Parses, and if there is a game, prints it and parses it again.
fn parse_twice(text: &str) {
    if let Some(game) = parse(text) {
        let game = game.without_places();
        let again = parse(&print_scl(&game)).expect("what is printed can be parsed");
        assert_eq!(again.without_places(), game);
        let symbols = game.symbols();
        assert!(symbols.iter().enumerate().all(|(at, symbol)| !symbols[..at].contains(symbol)));
    }
}

const WORDS: [&str; 118] = [
    "GAME",
    "GOALS",
    "BOARD_SIZE",
    "BOARD_TYPE",
    "BOARD_HOLES",
    "INVERSION",
    "PROMOTE_RANK",
    "REGION",
    "SETUP",
    "CONSTRAINTS",
    "DRAWS",
    "REPETITION",
    "DEFINE",
    "INCLUDE",
    "SYMBOL",
    "MOVING",
    "CAPTURING",
    "CASTLING",
    "PROMOTING",
    "DROPPING",
    "REVERTS_TO",
    "END",
    "END",
    "END",
    "MOVEMENT",
    "CAPTURE",
    "SYMMETRY",
    "LEAP",
    "RIDE",
    "HOP",
    "HOP_OVER",
    "TYPE",
    "EFFECT",
    "AT",
    "TO",
    "IN_HAND",
    "DECISION",
    "ASSIGNS",
    "OPTIONS",
    "PROMOTE_TO",
    "RANKS",
    "FILES",
    "EXCEPT",
    "player",
    "opponent",
    "any_player",
    "any_piece",
    "all_symmetry",
    "stalemate",
    "eradicate",
    "arrive",
    "checkmate",
    "checks",
    "line",
    "count",
    "all",
    "ANSWERED",
    "quiet",
    "RESET",
    "material",
    "turns",
    "facing",
    "draw",
    "loss_for",
    "checker",
    "must_capture",
    "maximal",
    "continue_captures",
    "deferred",
    "onward",
    "RESERVED",
    "protect",
    "no_check",
    "pass",
    "BY",
    "ON",
    "IN",
    "WITH",
    "PARTNER",
    "CASTLE",
    "RIGHT",
    "LAME",
    "MIN",
    "MAX",
    "LONGEST",
    "BEFORE",
    "OVER",
    "AFTER",
    "X",
    "FROM",
    "WITHIN",
    "UNMOVED",
    "TRAIL",
    "clobber",
    "hop",
    "remove",
    "possesses",
    "explode",
    "SPARING",
    "planar",
    "forward",
    "side",
    "king",
    "man",
    "e4",
    "1",
    "8",
    "(1,1)",
    "<1,1>",
    "[X = 1]",
    "{",
    "}",
    "[",
    "]",
    "\"K\"",
    "..",
    "+",
    ".",
];

/// A game with holes for random words.
fn game_with(words: &[&str], place: usize) -> String {
    let parts = [
        "GAME soup",
        "GOALS stalemate opponent",
        "BOARD_SIZE 8 BY 8",
        "BOARD_TYPE planar",
        "PROMOTE_RANK 8",
        "SETUP man AT {(1,1)}",
        "CONSTRAINTS must_capture",
        "DEFINE man",
        "MOVING MOVEMENT LEAP <1,1> SYMMETRY {side}",
        "END MOVEMENT END MOVING",
        "CAPTURING",
        "CAPTURE BY {clobber} TYPE [{opponent} any_piece]",
        "EFFECT remove",
        "MOVEMENT RIDE <1,1> SYMMETRY {side} END MOVEMENT",
        "END CAPTURE END CAPTURING",
        "END DEFINE",
        "DEFINE king END DEFINE",
        "END GAME.",
    ];
    let place = place % parts.len();
    format!("{} {} {}", parts[..place].join("\n"), words.join(" "), parts[place..].join("\n"))
}

fn words(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        parse_twice(&text);
    }

    #[test]
    fn any_words_are_read_or_refused(words in words(200)) {
        parse_twice(&words.join(" "));
    }

    #[test]
    fn any_words_in_a_game_are_read_or_refused(words in words(6), place in 0_usize..20) {
        parse_twice(&game_with(&words, place));
    }

    #[test]
    fn any_signs_are_read_or_refused(text in "[(){}\\[\\]<>=.,+\"a1Il \n%-]{0,400}") {
        parse_twice(&text);
        parse_twice(&game_with(&[&text], 3));
    }

    #[test]
    fn any_cut_of_a_game_is_read_or_refused(from in 0_usize..700, length in 0_usize..60) {
        let mut text = game_with(&[], 0);
        let (from, to) = (from.min(text.len()), (from + length).min(text.len()));
        text.replace_range(from..to, "");
        parse_twice(&text);
    }
}

#[test]
fn deep_and_wide_texts_end() {
    const SIZE: usize = 60_000;
    let many = |text: &str| text.repeat(SIZE / text.len());
    for text in [
        many("("),
        many("{"),
        many("END "),
        many("all {"),
        many("DEFINE "),
        many("MOVING "),
        many("GAME "),
        many("a"),
        many("é"),
        many("\""),
        many("REGION a (1,1) "),
        many("x AT (1,1) "),
        many("END MOVINC "),
        many("MOVEMENT "),
        many("CAPTURE BY "),
        many("- "),
        many("-"),
    ] {
        parse_twice(&text);
        for place in 0..18 {
            parse_twice(&game_with(&[&text], place));
        }
    }
}

#[test]
fn wide_parts_of_a_game_end() {
    let count = 20_000;
    let regions =
        (0..count).map(|at| format!("REGION r{at}x (1,1)\n")).collect::<Vec<String>>().concat();
    let names = (0..count).map(|at| format!("n{at}x ")).collect::<Vec<String>>().concat();
    let guards =
        (0..count).rev().map(|at| format!("FROM r{at}x ")).collect::<Vec<String>>().concat();
    let holes: String = "(2,2) (9,9)".repeat(count);
    for (text, place) in [
        (format!("{regions} REGION last {}", "r1x + ".repeat(count)), 3),
        (format!("BOARD_HOLES {{{holes}}}"), 3),
        (format!("eradicate [any_player {{{names}}}]"), 2),
        (
            format!(
                "protect [any_player any_piece] {}",
                "protect [any_player any_piece]\n".repeat(count)
            ),
            7,
        ),
        (guards.clone(), 9),
        ("MOVING END MOVING ".repeat(count), 8),
        ("SYMBOL \"A\" ".repeat(count), 8),
        (format!("{{(3,1) {holes}}} man AT {{(4,1) {holes}}}"), 5),
        ("INCLUDE \"x\" ".repeat(count), 7),
    ] {
        parse_twice(&game_with(&[&text], place));
    }
    parse_twice(&game_with(&[&regions], 3).replace("{side}", &format!("{{side}} {guards}")));
}
