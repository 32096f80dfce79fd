//! Mobility: in how many moves a man reaches a square, and what all that is worth.
//!
//! In: the transitions of a man. Out: distances (shortest ways over transitions), eventual mobility (every square that can
//! be reached, at `2^-distance`, its own at one), the nearest squares of promotion. Paper: metagamer §2.4, §3.

use crate::squares::{SquareId, SquareSet};

/// The nearest squares of promotion other than the man's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// How many moves away.
    pub distance: u32,
    /// The squares.
    pub squares: Vec<SquareId>,
}

/// In how many moves each square is reached; `None` where it never is.
///
/// One row of the distance matrix. The whole is not kept: it has a number for each pair of squares.
pub fn distances(transitions: &[SquareSet], from: SquareId) -> Vec<Option<u32>> {
    let mut distances = vec![None; transitions.len()];
    for (distance, layer) in (0..).zip(layers(transitions, from)) {
        for square in layer.iter() {
            distances[square.0] = Some(distance);
        }
    }
    distances
}

/// Every square that can be reached, at `2^-distance`; the own square counts one.
///
/// 2⁻ᵈ with the own square is what makes the paper's tables come out.
pub(crate) fn eventual_mobility(transitions: &[SquareSet], from: SquareId) -> f64 {
    let mut worth = 1.0;
    let mut sum = 0.0;
    for layer in layers(transitions, from) {
        sum += worth * f64::from(u32::try_from(layer.len()).expect("boards are small"));
        worth /= 2.0;
    }
    sum
}

/// The nearest squares of a zone, but for the square itself.
pub(crate) fn nearest(
    transitions: &[SquareSet],
    from: SquareId,
    zone: &SquareSet,
) -> Option<Nearest> {
    for (distance, layer) in (0..).zip(layers(transitions, from)).skip(1) {
        let squares: Vec<SquareId> = layer.iter().filter(|square| zone.contains(*square)).collect();
        if !squares.is_empty() {
            return Some(Nearest { distance, squares });
        }
    }
    None
}

/// The squares that are reached in no move, in one move, in two, ...; each once.
fn layers(transitions: &[SquareSet], from: SquareId) -> impl Iterator<Item = SquareSet> + '_ {
    let mut start = transitions[from.0].clone();
    start.subtract(&transitions[from.0]);
    start.insert(from);
    let mut seen = start.clone();
    let mut layer = Some(start);
    std::iter::from_fn(move || {
        let now = layer.take()?;
        let mut next = now.clone();
        next.subtract(&now);
        now.iter().for_each(|square| next.unite(&transitions[square.0]));
        next.subtract(&seen);
        seen.unite(&next);
        layer = (!next.is_empty()).then_some(next);
        Some(now)
    })
}
