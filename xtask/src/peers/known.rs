//! Differences that are known and decided: is this one of them?
//!
//! In: a difference, and the rows of the table for its game. Out: whether every part of it is of a kind that
//! a row has. Invariant: a kind is recognized by what the positions show, never by the game alone.

use anyhow::Result;

use super::compare::Difference;
use super::oracle::{Oracle, Question};
use super::table::{Compared, Kind, Known};

/// Is every part of the difference known?
pub(super) fn is_known(
    oracle: &mut Oracle,
    game: &Compared,
    (rows, difference): (&[&Known], &Difference),
) -> Result<bool> {
    let has = |kind: Kind| rows.iter().any(|row| row.kind == kind);
    let are_alike = difference.after.iter().all(|(_, ours, theirs)| {
        let differing = differing_fields(ours, theirs);
        differing.is_some_and(|fields| {
            fields.iter().all(|field| match field {
                Field::Clock => has(Kind::Clock) || has(Kind::Rights),
                Field::Rights => has(Kind::Rights),
                Field::Other => false,
            })
        })
    });
    if !are_alike || !difference.ours.is_empty() {
        return Ok(false);
    }
    for text in &difference.theirs {
        let is_drop = has(Kind::MatingDrop) && text.contains('@');
        if !(is_drop && leaves_no_moves(oracle, game, difference, text)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a field of a FEN says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Clock,
    Rights,
    Other,
}

/// The fields that differ, the squares that were passed apart; nothing if one FEN has more of them.
fn differing_fields(ours: &str, theirs: &str) -> Option<Vec<Field>> {
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.split(' ').collect(), theirs.split(' ').collect());
    if ours.len() != theirs.len() {
        return None;
    }
    let is_long = ours.len() >= 6;
    let named = |at: usize| match at {
        2 if is_long => Field::Rights,
        _ if at + 2 == ours.len() => Field::Clock,
        _ => Field::Other,
    };
    let differing = (0..ours.len()).filter(|at| ours[*at] != theirs[*at]);
    Some(differing.filter(|at| !(is_long && *at == 3)).map(named).collect())
}

/// Does the move leave the other side without a move?
fn leaves_no_moves(
    oracle: &mut Oracle,
    game: &Compared,
    difference: &Difference,
    text: &str,
) -> Result<bool> {
    let (position, moves) = &difference.told;
    let moves = [moves.as_slice(), &[text.to_owned()]].concat();
    let question = Question {
        peer: &game.peer,
        variant: &game.variant,
        position,
        moves: &moves,
        chess960: true,
        follow: false,
        after: &[],
    };
    Ok(oracle.ask(&question)?.legal.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_apart() {
        let fields = |ours, theirs| differing_fields(ours, theirs);
        assert_eq!(fields("8 w KQ e3 1 1", "8 w KQ - 0 1"), Some(vec![Field::Clock]));
        assert_eq!(fields("8 w KQ - 1 1", "8 w K - 1 1"), Some(vec![Field::Rights]));
        assert_eq!(fields("8 w KQ - 1 1", "7k w KQ - 1 2"), Some(vec![Field::Other; 2]));
        assert_eq!(fields("8 w 1 1", "8 b 0 1"), Some(vec![Field::Other, Field::Clock]));
        assert_eq!(fields("8 w 1 1", "8 w - - 1 1"), None);
    }
}
