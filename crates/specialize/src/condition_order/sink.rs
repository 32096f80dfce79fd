//! Sinking: a condition is tried only when what it binds is wanted, if that costs less.
//!
//! In: an order. Out: the same conditions, some of them later. The greedy order looks at one condition
//! at a time and so names results long before anybody asks for them; every test that comes between
//! makes the naming rarer. Invariant: a condition moves behind conditions alone whose prospects are the
//! same without it, so the order stays safe and the expected cost never grows.

use super::prospects::{Prospect, Prospects};

/// Moves conditions of the order behind others where that costs less.
pub(crate) fn sink(prospects: &Prospects<'_>, before: &[bool], order: &mut [usize]) {
    for at in (0..order.len()).rev() {
        let mut placed = before.to_vec();
        for place in &order[..at] {
            placed[*place] = true;
        }
        if let Some(last) = best_place(prospects, placed, &order[at..]) {
            order[at..=at + last].rotate_left(1);
        }
    }
}

/// Behind how many of the others the first condition costs least, if that is less than before all.
fn best_place(prospects: &Prospects<'_>, mut placed: Vec<bool>, order: &[usize]) -> Option<usize> {
    let (first, others) = order.split_first()?;
    let own = prospects.prospect(*first, &|other| placed[other])?;
    // What happens in the others for each binding before them, and how many bindings they leave.
    let (mut around, mut bindings) = (0.0, 1.0);
    let (mut most_saved, mut best) = (0.0, None);
    for (number, place) in others.iter().enumerate().take(REACH) {
        let without = prospects.prospect(*place, &|other| placed[other]);
        let with = prospects.prospect(*place, &|other| placed[other] || other == *first);
        let (Some(without), Some(with)) = (without, with) else { break };
        if !is_same(without, with) {
            break;
        }
        placed[*place] = true;
        around += bindings * effort(without);
        bindings *= without.branching;
        let later = prospects.prospect(*first, &|other| placed[other])?;
        let saved = (effort(own) + own.branching * around) - (around + bindings * effort(later));
        if saved > most_saved + SMALL * effort(own) {
            (most_saved, best) = (saved, Some(number + 1));
        }
    }
    best
}

/// A condition moves behind at most so many others at a time, which keeps long bodies fast.
const REACH: usize = 16;

/// A condition is not moved for less than this part of what it costs.
const SMALL: f64 = 1e-6;

/// How much happens for each binding.
fn effort(prospect: Prospect) -> f64 {
    prospect.branching + prospect.cost
}

#[expect(clippy::float_cmp, reason = "the same question gives the same estimate")]
fn is_same(left: Prospect, right: Prospect) -> bool {
    left.branching == right.branching && left.cost == right.cost
}
