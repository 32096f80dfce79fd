//! Trails: who can just have passed some squares.
//!
//! In: men on the board, who moved last, and squares. Out: the squares of men that can have passed them all in one movement that
//! leaves a trail. Invariant: start and all squares on the way are empty now.

use std::collections::{BTreeMap, BTreeSet};

use super::Fen;
use super::position::Man;
use crate::scl::ast::{Area, BoardKind, Direction, Guard, Inversion, Movement, Path, Side, Square};

impl Fen {
    /// The squares of men of that side that can just have passed all these squares.
    pub(super) fn passers(
        &self,
        men: &BTreeMap<Square, Man>,
        side: Side,
        trail: &BTreeSet<Square>,
    ) -> Vec<Square> {
        let own = men.iter().filter(|(_, man)| man.owner == side);
        let can = |(at, man): &(&Square, &Man)| {
            let moving = &self.game.pieces[man.kind.0].moving;
            let trails = moving.iter().filter(|movement| movement.leaves_trail);
            trails.into_iter().any(|one| self.can_have_passed(men, one, (side, **at), trail))
        };
        own.filter(can).map(|(at, _)| *at).collect()
    }

    fn can_have_passed(
        &self,
        men: &BTreeMap<Square, Man>,
        movement: &Movement,
        (side, end): (Side, Square),
        trail: &BTreeSet<Square>,
    ) -> bool {
        let Path::Ride { min, max, .. } = movement.path else { return false };
        let longest = self.game.board.width.max(self.game.board.height);
        let (least, most) = (min.unwrap_or(1).max(1), max.unwrap_or(longest).min(longest));
        movement.ways().into_iter().map(|way| self.facing(side, way)).any(|way| {
            // Backwards from where it stands now to where it came from.
            let mut passed = BTreeSet::new();
            let mut at = end;
            for n_steps in 1..=most {
                let Some(before) = self.step_back(at, way) else { return false };
                if men.contains_key(&before) {
                    return false;
                }
                if n_steps >= least
                    && trail.is_subset(&passed)
                    && self.starts(movement, side, before)
                {
                    return true;
                }
                passed.insert(before);
                at = before;
            }
            false
        })
    }

    /// A way that a side sees, on the board.
    fn facing(&self, side: Side, way: Direction) -> Direction {
        let Direction { right, forward } = way;
        match (side, self.game.inversion.unwrap_or(Inversion::Diagonal)) {
            (Side::Player, _) => way,
            (Side::Opponent, Inversion::Diagonal) => Direction { right: -right, forward: -forward },
            (Side::Opponent, Inversion::Forward) => Direction { right, forward: -forward },
            (Side::Opponent, Inversion::Side) => Direction { right: -right, forward },
        }
    }

    fn step_back(&self, at: Square, way: Direction) -> Option<Square> {
        let width = self.game.board.width;
        let column = at.column - way.right;
        let column = match self.game.board.kind {
            BoardKind::Planar => column,
            BoardKind::VerticalCylinder => (column - 1).rem_euclid(width) + 1,
        };
        Some(Square { column, row: at.row - way.forward }).filter(|one| self.is_square(*one))
    }

    /// May a movement of that side start there?
    fn starts(&self, movement: &Movement, side: Side, square: Square) -> bool {
        let seen = self.view(side, square);
        movement.guards.iter().all(|guard| {
            let (Guard::From(name) | Guard::Within(name)) = guard else { return true };
            let area = [Area::Region(name.clone())];
            self.game.area_squares(&area).contains(&seen)
        })
    }
}
