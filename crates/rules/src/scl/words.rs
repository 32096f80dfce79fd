//! The words of the language.
//!
//! In: a word of a text. Out: whether it is ours, and which of ours it is most like. Words are compared
//! without regard to case. Invariant: words that open or close something are never names.

use super::ast::Square;
use crate::source::nearest;

/// What starts a section of a game.
pub(super) const SECTIONS: &[&str] = &[
    "GOALS",
    "BOARD_SIZE",
    "BOARD_TYPE",
    "BOARD_HOLES",
    "BOARD_NUMBERS",
    "INVERSION",
    "PROMOTE_RANK",
    "REGION",
    "SETUP",
    "CONSTRAINTS",
    "DRAWS",
    "REPETITION",
    "DEFINE",
    "INCLUDE",
];

/// What may stand in a text of pieces alone.
pub(super) const PIECE_ITEMS: &[&str] = &["DEFINE", "INCLUDE"];

/// What starts a section of a piece.
pub(super) const PIECE_SECTIONS: &[&str] = &[
    "SYMBOL",
    "MOVING",
    "CAPTURING",
    "CASTLING",
    "PROMOTING",
    "DROPPING",
    "REVERTS_TO",
    "LIMIT",
    "CONSTRAINTS",
];

/// Words that are no names, beside those that start sections.
const RESERVED: &[&str] = &[
    "GAME",
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
];

/// Longer words are not compared: nobody misspells one so long.
const COMPARED_LENGTH: usize = 40;

/// So many letters are enough to say which word was meant, if only one starts with them.
const START_LENGTH: usize = 3;

/// Is it a word that cannot be a name?
pub(super) fn is_reserved(word: &str) -> bool {
    let mut all = SECTIONS.iter().chain(PIECE_SECTIONS).chain(RESERVED);
    all.any(|reserved| word.eq_ignore_ascii_case(reserved))
}

/// The candidate that was most likely meant.
pub(super) fn near<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > COMPARED_LENGTH {
        return None;
    }
    let candidates: Vec<&str> = candidates.into_iter().collect();
    nearest(word, candidates.iter().copied()).or_else(|| {
        let is_start = |candidate: &&&str| {
            let start = candidate.get(..word.len());
            word.len() >= START_LENGTH
                && start.is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        let mut started = candidates.iter().filter(is_start);
        started.next().copied().filter(|_| started.next().is_none())
    })
}

/// `did you mean …?`, when something is near.
pub(super) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    near(word, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// `e1` as a square.
pub(super) fn square(word: &str) -> Option<Square> {
    let (column, row) = (column(word.get(..1)?)?, word.get(1..)?);
    let is_row = !row.is_empty() && row.bytes().all(|byte| byte.is_ascii_digit());
    is_row.then(|| row.parse().ok())?.map(|row| Square { column, row })
}

/// The letter of a column, if it has one.
pub(super) fn file_letter(column: i32) -> Option<char> {
    let place = u8::try_from(column - 1).ok().filter(|place| *place < 26)?;
    Some(char::from(b'a' + place))
}

/// `e` as a column.
pub(super) fn column(word: &str) -> Option<i32> {
    let &[letter] = word.as_bytes() else { return None };
    letter.is_ascii_alphabetic().then(|| i32::from(letter.to_ascii_lowercase() - b'a') + 1)
}
