//! Which captures of a piece have to be told apart.
//!
//! In: a checked game. Out: for each movement of a capture and each way it goes a small number, such that a
//! capture is told by that number and the squares where it starts and ends; and pairs that may still turn out to
//! be the same capture, of which only the first counts. Invariant: two captures of one piece between the same
//! squares that can differ in their victims or in what becomes of these have different numbers.

use std::collections::BTreeSet;

use super::ast::{BoardKind, Capture, Direction, Movement, Path, SclGame};
use super::facts::images;

/// A movement, counted from one, and a way it goes, on the board.
type Course = (usize, Direction);

/// How captures are told apart.
#[derive(Debug, Default)]
pub(super) struct Hows {
    /// Movement, way, number.
    pub(super) tells: Vec<(usize, Direction, usize)>,
    /// The first may be the same as the second, which then counts.
    pub(super) rivals: Vec<(Course, Course)>,
    /// The largest number.
    pub(super) most: usize,
}

/// A movement of a capture that goes one way.
struct Candidate<'g> {
    course: Course,
    capture: &'g Capture,
    /// Where it can lead, seen from its start.
    reach: BTreeSet<(i32, i32)>,
    how: usize,
}

impl Candidate<'_> {
    /// Are its victims known from where it ends alone?
    fn is_plain(&self) -> bool {
        !self.capture.methods.hop && !self.capture.methods.retrieve
    }
}

/// Numbers the captures of all pieces.
pub(super) fn tell_apart(game: &SclGame) -> Hows {
    let mut hows = Hows::default();
    let mut number = 0;
    for piece in &game.pieces {
        number += piece.moving.len();
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        for capture in &piece.capturing {
            for movement in &capture.movements {
                number += 1;
                // Either side sees the same images but for a mirror.
                for way in images(movement.direction) {
                    let reach = reach_of(game, movement, way);
                    let course = (number, way);
                    let mut candidate = Candidate { course, capture, reach, how: 0 };
                    candidate.how = number_of(&candidate, &candidates);
                    candidates.push(candidate);
                }
            }
        }
        hows.most = candidates.iter().map(|one| one.how).fold(hows.most, usize::max);
        hows.tells.extend(candidates.iter().map(|one| (one.course.0, one.course.1, one.how)));
        hows.rivals.extend(rivals(&candidates));
    }
    hows
}

/// The number of one more candidate: that of an earlier one with the same victims, else the first that no
/// earlier one between the same squares has.
fn number_of(candidate: &Candidate<'_>, earlier: &[Candidate<'_>]) -> usize {
    let is_same = |one: &&Candidate<'_>| {
        one.is_plain() && candidate.is_plain() && is_alike(one.capture, candidate.capture)
    };
    if let Some(same) = earlier.iter().find(is_same) {
        return same.how;
    }
    let others = earlier.iter().filter(|one| !one.reach.is_disjoint(&candidate.reach));
    let taken: BTreeSet<usize> = others.map(|one| one.how).collect();
    // Plain captures keep their number for themselves, so that all with the same effect can share it.
    let plain: BTreeSet<usize> = if candidate.is_plain() {
        earlier.iter().map(|one| one.how).collect()
    } else {
        BTreeSet::new()
    };
    let n_earlier = earlier.len() + 1;
    (1..=n_earlier).find(|how| !taken.contains(how) && !plain.contains(how)).unwrap_or(n_earlier)
}

/// Do two captures do the same to their victims and to the capturer?
fn is_alike(one: &Capture, other: &Capture) -> bool {
    one.effect == other.effect && one.becoming == other.becoming
}

/// Pairs with different numbers that may have the same victims.
fn rivals(candidates: &[Candidate<'_>]) -> Vec<(Course, Course)> {
    let mut rivals = Vec::new();
    for (place, one) in candidates.iter().enumerate() {
        for other in &candidates[..place] {
            if one.how != other.how
                && is_alike(one.capture, other.capture)
                && !one.reach.is_disjoint(&other.reach)
            {
                rivals.push((one.course, other.course));
            }
        }
    }
    rivals
}

/// Where a movement can lead, seen from its start.
fn reach_of(game: &SclGame, movement: &Movement, way: Direction) -> BTreeSet<(i32, i32)> {
    let place = |length: i32| {
        let (across, up) = (length * way.right, length * way.forward);
        match game.board.kind {
            BoardKind::Planar => (across, up),
            BoardKind::VerticalCylinder => (across.rem_euclid(game.board.width), up),
        }
    };
    lengths(game, &movement.path).into_iter().map(place).collect()
}

/// How many steps a path can take, whatever stands there.
pub(super) fn lengths(game: &SclGame, path: &Path) -> Vec<i32> {
    let longest = game.longest_path();
    match path {
        Path::Stay => vec![0],
        Path::Leap { .. } => vec![1],
        Path::Ride { min, max, .. } => {
            (min.unwrap_or(1)..=max.unwrap_or(longest).min(longest)).collect()
        }
        Path::Hop { before, over, after, .. } => {
            let fits = |length: &i32| {
                let spare = *length - 1;
                (0..=spare).any(|b| {
                    (0..=spare - b)
                        .any(|o| before.allows(b) && over.allows(o) && after.allows(spare - b - o))
                })
            };
            (1..=longest).filter(fits).collect()
        }
    }
}
