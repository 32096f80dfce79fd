//! The paper's greedy order: always the condition with the lowest branching, ready tests first.
//!
//! In: prospects. Out: places of the conditions in the order they are tried. Paper: metameta §3.3.
//! Invariant: no condition comes before what it must know; a body of 200 conditions takes
//! milliseconds.

use super::OrderError;
use super::prospects::{Prospect, Prospects};

/// How far apart two ranks are that count as one.
const TOLERANCE: f64 = 1e-9;

/// The greedy order.
pub(crate) fn order_greedily(prospects: &Prospects<'_>) -> Result<Vec<usize>, OrderError> {
    order_rest(prospects, vec![false; prospects.n_conditions()])
}

/// The greedy order of the conditions that are not placed yet.
pub(crate) fn order_rest(
    prospects: &Prospects<'_>,
    mut placed: Vec<bool>,
) -> Result<Vec<usize>, OrderError> {
    let n_conditions = prospects.n_conditions();
    let n_open = placed.iter().filter(|placed| !**placed).count();
    let mut known: Vec<Option<Prospect>> = vec![None; n_conditions];
    let mut is_stale = vec![true; n_conditions];
    let mut order = Vec::with_capacity(n_open);
    while order.len() < n_open {
        for place in (0..n_conditions).filter(|place| !placed[*place]) {
            if std::mem::take(&mut is_stale[place]) {
                known[place] = prospects.prospect(place, &|other| placed[other]);
            }
        }
        let open = (0..n_conditions).filter(|place| !placed[*place]);
        let ready = open.filter_map(|place| Some((key(known[place]?), place)));
        let best = ready
            .min_by(|(left, _), (right, _)| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)));
        let Some((_, place)) = best else { return Err(stuck(prospects, &placed)) };
        placed[place] = true;
        order.push(place);
        for neighbor in prospects.neighbors(place) {
            is_stale[neighbor] = true;
        }
    }
    Ok(order)
}

/// All conditions the greedy order may as well take next.
pub(crate) fn cheapest_greedily(
    prospects: &Prospects<'_>,
    placed: &[bool],
) -> Result<Vec<usize>, OrderError> {
    let open = (0..placed.len()).filter(|place| !placed[*place]);
    let ready: Vec<((bool, f64), usize)> = open
        .filter_map(|place| Some((key(prospects.prospect(place, &|other| placed[other])?), place)))
        .collect();
    let best = ready.iter().map(|(key, _)| *key);
    let Some(best) =
        best.min_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)))
    else {
        return Err(stuck(prospects, placed));
    };
    let is_best = |key: (bool, f64)| key.0 == best.0 && key.1 <= best.1 + best.1.abs() * TOLERANCE;
    Ok(ready.into_iter().filter(|(key, _)| is_best(*key)).map(|(_, place)| place).collect())
}

/// The conditions whose rank is at most so many times the lowest, each with how many times it is;
/// tests alone while one is ready.
pub(crate) fn near_greedily(
    prospects: &Prospects<'_>,
    placed: &[bool],
    slack: f64,
) -> Vec<(usize, f64)> {
    let open = (0..placed.len()).filter(|place| !placed[*place]);
    let ready: Vec<(usize, Prospect)> = open
        .filter_map(|place| Some((place, prospects.prospect(place, &|other| placed[other])?)))
        .collect();
    let is_test = ready.iter().any(|(_, prospect)| prospect.is_cheap_test);
    let ready = ready.into_iter().filter(|(_, prospect)| prospect.is_cheap_test == is_test);
    let ranks: Vec<(usize, f64)> =
        ready.map(|(place, prospect)| (place, prospect.rank().max(f64::MIN_POSITIVE))).collect();
    let least = ranks.iter().map(|(_, rank)| *rank).fold(f64::INFINITY, f64::min);
    let near = ranks.into_iter().map(|(place, rank)| (place, rank / least));
    near.filter(|(_, regret)| *regret <= slack.max(1.0 + TOLERANCE)).collect()
}

/// Ready tests first, then by rank.
fn key(prospect: Prospect) -> (bool, f64) {
    (!prospect.is_cheap_test, prospect.rank())
}

pub(crate) fn stuck(prospects: &Prospects<'_>, placed: &[bool]) -> OrderError {
    let waiting: Vec<usize> = (0..placed.len()).filter(|place| !placed[*place]).collect();
    let unbound =
        waiting.iter().flat_map(|place| prospects.unbound(*place, &|other| placed[other]));
    let unbound: std::collections::BTreeSet<_> = unbound.collect();
    OrderError::Stuck { waiting, unbound: unbound.into_iter().collect() }
}
