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
    let are_alike = difference
        .after
        .iter()
        .all(|(_, ours, theirs)| has(Kind::Clock) && differs_in_clock_alone(ours, theirs));
    if !are_alike {
        return Ok(false);
    }
    if !difference.ours.is_empty() {
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

/// Is the clock, the last field but one, all that differs, the squares that were passed apart?
fn differs_in_clock_alone(ours: &str, theirs: &str) -> bool {
    let (ours, theirs): (Vec<_>, Vec<_>) = (ours.split(' ').collect(), theirs.split(' ').collect());
    let n_fields = ours.len();
    let is_free = |at: usize| at + 2 == n_fields || (n_fields >= 6 && at == 3);
    n_fields == theirs.len() && (0..n_fields).all(|at| is_free(at) || ours[at] == theirs[at])
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
    fn only_clocks_may_differ() {
        assert!(differs_in_clock_alone("8 w KQ e3 1 1", "8 w KQ - 0 1"));
        assert!(differs_in_clock_alone("8[P] w 1 1", "8[P] w 0 1"));
        assert!(!differs_in_clock_alone("8 w KQ - 1 1", "8 w K - 1 1"));
        assert!(!differs_in_clock_alone("8 w KQ - 1 1", "8 w KQ - 1 2"));
        assert!(!differs_in_clock_alone("8 w 1 1", "8 w - - 1 1"));
    }
}
