//! Courses: where the movements of a piece can lead.
//!
//! In: a movement and whose it is. Out: the squares it leads to from a square, on a board that is empty but for the piece,
//! or on any board at all. Invariant: on the empty board these are the squares that the general theory gives.

use std::collections::BTreeSet;

use rulesmith_rules::scl::{Area, BoardKind, Direction, Guard, Movement, Path, SclGame, Side};

use crate::squares::{SquareId, SquareSet, Squares};

/// What may stand in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    /// Nothing.
    Nothing,
    /// Whatever helps.
    Anything,
}

/// One movement of one side.
#[derive(Clone, Debug)]
pub(crate) struct Course<'g> {
    game: &'g SclGame,
    ways: Vec<Direction>,
    /// What must be empty, and therefore be there, on a way.
    legs: Vec<(Direction, Direction)>,
    /// How many steps it can take.
    lengths: BTreeSet<i32>,
    /// Does only the last step count?
    is_longest: bool,
    starts: SquareSet,
    ends: SquareSet,
}

impl<'g> Course<'g> {
    pub(crate) fn new(
        game: &'g SclGame,
        squares: &Squares,
        movement: &Movement,
        side: Side,
        around: Around,
    ) -> Self {
        let ways = movement.ways().into_iter().map(|way| game.way_of(side, way));
        let legs = movement.legs().into_iter();
        let legs = legs.map(|(way, leg)| (game.way_of(side, way), game.way_of(side, leg)));
        let is_longest = matches!(movement.path, Path::Ride { longest: true, .. })
            && game.board.kind == BoardKind::Planar
            && around == Around::Nothing;
        let (mut starts, mut ends) = (squares.all(), squares.all());
        for guard in &movement.guards {
            let (name, is_start, is_end) = match guard {
                Guard::From(name) => (name, true, false),
                Guard::To(name) => (name, false, true),
                Guard::Within(name) => (name, true, true),
                // An empty board gives no check, and there is nobody else of the kind and nobody to attack.
                Guard::Unmoved | Guard::Unchecked | Guard::Alone | Guard::Peaceful => continue,
            };
            let region = game.area_squares(&[Area::Region(name.clone())]);
            let mut outside = squares.all();
            outside.subtract(&squares.seen_by(game, side, region));
            if is_start {
                starts.subtract(&outside);
            }
            if is_end {
                ends.subtract(&outside);
            }
        }
        let lengths = lengths(game, &movement.path, around);
        Self { game, ways: ways.collect(), legs: legs.collect(), lengths, is_longest, starts, ends }
    }

    /// Adds the squares it leads to.
    pub(crate) fn lead(&self, squares: &Squares, from: SquareId, into: &mut SquareSet) {
        if !self.starts.contains(from) {
            return;
        }
        let Some(longest) = self.lengths.last().copied() else { return };
        if longest == 0 && self.ends.contains(from) {
            into.insert(from);
        }
        let start = squares.square(from);
        for way in self.ways.iter().filter(|way| !self.is_astray(squares, from, **way)) {
            let mut at = start;
            let mut reached = None;
            for length in 1..=longest {
                // Around a cylinder, no step follows those that end where they began.
                if length > 1 && at == start {
                    break;
                }
                let next = self.game.step(at, *way);
                let Some((next, id)) = next.and_then(|one| Some((one, squares.id(one)?))) else {
                    break;
                };
                at = next;
                if !(self.lengths.contains(&length) && self.ends.contains(id)) {
                    into_if_longest(self.is_longest, &mut reached, into);
                    continue;
                }
                reached = Some(id);
                if !self.is_longest {
                    into.insert(id);
                }
            }
            into_if_longest(self.is_longest, &mut reached, into);
        }
    }

    /// Does one of its legs lead to no square?
    fn is_astray(&self, squares: &Squares, from: SquareId, way: Direction) -> bool {
        let leads = |leg| self.game.step(squares.square(from), leg).and_then(|to| squares.id(to));
        self.legs.iter().any(|(one, leg)| *one == way && leads(*leg).is_none())
    }
}

/// A step that cannot be followed by another one that counts is a longest one.
fn into_if_longest(is_longest: bool, reached: &mut Option<SquareId>, into: &mut SquareSet) {
    if let (true, Some(id)) = (is_longest, reached.take()) {
        into.insert(id);
    }
}

/// How many steps a path can take.
fn lengths(game: &SclGame, path: &Path, around: Around) -> BTreeSet<i32> {
    let longest = game.longest_path();
    match path {
        Path::Stay => BTreeSet::from([0]),
        Path::Leap { .. } => BTreeSet::from([1]),
        Path::Ride { min, max, .. } => {
            (min.unwrap_or(1).max(1)..=max.unwrap_or(longest).min(longest)).collect()
        }
        Path::Hop { before, over, after, .. } => {
            let most_over = if around == Around::Nothing { 0 } else { longest };
            let mut all = BTreeSet::new();
            for passed in (0..=longest).filter(|n| before.allows(*n)) {
                for hopped in (0..=most_over).filter(|n| over.allows(*n)) {
                    let left = longest - passed - hopped;
                    let behind = (0..left).filter(|n| after.allows(*n));
                    all.extend(behind.map(|behind| passed + hopped + behind + 1));
                }
            }
            all
        }
    }
}
