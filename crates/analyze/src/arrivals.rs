//! Arrivals: squares on which a piece ends the contest by standing there.
//!
//! In: the goals of a game. Out: for each side and each man the squares on which that side has won. Goals that wait for one
//! more turn count, and so do those that ask for safety, since an empty board is safe; parts of `all {..}` do not.
//! Paper: metagamer §2.5.

use rulesmith_rules::scl::{Description, Goal, Man, SclGame, Side};

use crate::squares::{SquareSet, Squares};

/// Where each side has won, by man.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    /// By side, then by the man's number.
    won: [Vec<SquareSet>; 2],
}

impl Arrivals {
    pub(crate) fn of(game: &SclGame, squares: &Squares) -> Self {
        let nowhere = || vec![squares.none(); 2 * game.pieces.len()];
        let mut won = [nowhere(), nowhere()];
        for goal in &game.goals {
            let mut goal = goal;
            while let Goal::Answered(inner) | Goal::Evened(inner) = goal {
                goal = inner;
            }
            let Goal::Arrive { who, at, .. } = goal else { continue };
            let area = game.area_squares(std::slice::from_ref(at));
            for side in Side::BOTH {
                let seen = squares.seen_by(game, side, area.iter().copied());
                for man in described(game, side, who) {
                    won[of_side(side)][man_number(man)].unite(&seen);
                }
            }
        }
        Self { won }
    }

    /// The squares on which a man wins for that side.
    pub(crate) fn won_by(&self, side: Side, man: Man) -> &SquareSet {
        &self.won[of_side(side)][man_number(man)]
    }
}

/// The men that a description means when a side reads it.
pub(crate) fn described(game: &SclGame, reader: Side, description: &Description) -> Vec<Man> {
    let kinds = game.kinds_named(&description.names);
    let owners = Side::BOTH.into_iter().filter(|side| description.is_owned_by(*side));
    let men =
        |side: Side| kinds.iter().map(move |kind| Man { kind: *kind, owner: reader.whose(side) });
    owners.flat_map(men).collect()
}

/// Men by number: each kind of the first side, then of the second.
pub(crate) fn man_number(man: Man) -> usize {
    2 * man.kind.0 + of_side(man.owner)
}

fn of_side(side: Side) -> usize {
    usize::from(side == Side::Opponent)
}
