//! `DECISION random`: a game whose armies are drawn, with its pieces where the draw puts them.
//!
//! In: a game. Out: the same game with a setup that needs no decision. DIVERGENCE metagamer §1.2: a referee drew before each contest.
//! Rules have no chance here, so the text fixes the draw by its number. Invariant: the same text has the same draw, everywhere and
//! for ever; both sides have the same one, each from its own view.

use std::borrow::Cow;

use super::ast::{Decider, Place, Placement, SclGame, Setup, Square};

/// The game after the draw; any other game as it is.
pub(super) fn drawn(game: &SclGame) -> Cow<'_, SclGame> {
    let Setup::Assignment { decider: Decider::Random(number), names, squares } = &game.setup else {
        return Cow::Borrowed(game);
    };
    let squares = squares.iter().map(|(square, _)| *square).collect();
    let squares = shuffled(squares, u64::try_from(*number).unwrap_or_default());
    let mut placements: Vec<Placement> = vec![];
    for (name, square) in names.iter().zip(squares) {
        let place = (square, name.span);
        match placements.iter_mut().find(|one| one.name == *name) {
            Some(Placement { place: Place::At(all), .. }) => all.push(place),
            _ => placements.push(Placement {
                side: None,
                name: name.clone(),
                place: Place::At(vec![place]),
            }),
        }
    }
    Cow::Owned(SclGame { setup: Setup::Placements(placements), ..game.clone() })
}

/// The squares in the order of the draw: each is equally likely to come next.
fn shuffled(mut squares: Vec<Square>, number: u64) -> Vec<Square> {
    let mut state = number;
    for left in (1..squares.len()).rev() {
        let among = u64::try_from(left + 1).unwrap_or(u64::MAX);
        let chosen = next(&mut state) % among;
        squares.swap(left, usize::try_from(chosen).unwrap_or(left));
    }
    squares
}

/// The next number of the generator `splitmix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::super::words::file_letter;
    use super::{Square, shuffled};

    fn order(number: u64) -> String {
        let squares = (1..=8).map(|column| Square { column, row: 1 }).collect();
        shuffled(squares, number).iter().filter_map(|square| file_letter(square.column)).collect()
    }

    #[test]
    fn a_draw_never_changes() {
        assert_eq!(order(0), "cfadegbh");
        assert_eq!(order(1), "edchfgab");
    }
}
