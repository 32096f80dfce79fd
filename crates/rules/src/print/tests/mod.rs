//! Tests of printing: rules in, rules out, and the same again when they are read once more.

mod clauses;
mod texts;
mod trees;

use crate::check::{NoFiles, Settings, parse};
use crate::theory::Theory;

/// Enough of a game to try conditions on.
const GAME: &str = r"
rules 1. game test. role white, black.
sort file = 1..8. sort content = {empty} + role. sort square = file * file. sort piece = man(role) + {none}.
static next(file -> file). next(F, F + 1). static link(square, square). static corner(square).
fluent at(square) : content = empty. fluent turn : role. fluent owner(file) : role = undefined. fluent done.
move step(file, file). move pass.
init turn = white.
legal P does pass :- turn = P. legal P does step(F, F) :- turn = P.
effect any : turn := Q :- turn = P, opponent(P, Q).
terminal :- done. goal(P, 50) :- role(P).
";

/// The theory of a text without errors.
fn theory(text: &str) -> Theory {
    let parsed = parse("test.rules", text, &Settings::default(), &NoFiles);
    let problems: Vec<&str> =
        parsed.diagnostics.list.iter().map(|problem| problem.message.as_str()).collect();
    parsed.theory.unwrap_or_else(|| panic!("{problems:?}\n{text}"))
}

/// The printed theory, after making sure that it reads back as the same.
fn printed(theory_of_text: &Theory) -> String {
    let printed = super::print(theory_of_text);
    assert_eq!(super::print(&theory(&printed)), printed);
    printed
}

/// The lines that a text adds to the game above.
fn added(text: &str) -> String {
    let (before, after) = (printed(&theory(GAME)), printed(&theory(&(GAME.to_owned() + text))));
    let known: Vec<&str> = before.lines().collect();
    after.lines().filter(|line| !known.contains(line)).map(|line| line.to_owned() + "\n").collect()
}
