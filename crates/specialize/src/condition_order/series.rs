//! The match cost of bodies as more ordering metarules become known.
//!
//! In: bodies, metarules in the order they are learned, and working memories they were not learned
//! on. Out: how many conditions hold on the average, after each metarule. Paper: metameta §4.2,
//! figure 7. Invariant: the first point is the order without any metarule, the last that with all.

use rulesmith_logic::Condition;

use super::{Body, Matcher, NotCounted, order_by_branching};
use crate::estimates::{Estimates, Pattern};

/// One point of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesPoint {
    /// How many metarules were known.
    pub n_estimates: usize,
    /// How many conditions held while a body was matched once on a working memory.
    pub mean_successes: f64,
}

/// The match cost with none of the metarules, with the first, the first two and so on. Bodies without
/// a safe order are left out.
pub fn match_cost_series(
    estimates: &Estimates,
    bodies: &[Body<'_>],
    metarules: &[Pattern],
    unseen: &[Matcher<'_>],
) -> Result<Vec<SeriesPoint>, NotCounted> {
    let point = |n_estimates: usize| {
        let known = estimates.restricted_to(&metarules[..n_estimates]);
        let mean_successes = mean_successes(&known, bodies, unseen)?;
        Ok(SeriesPoint { n_estimates, mean_successes })
    };
    (0..=metarules.len()).map(point).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a mean needs few digits")]
fn mean_successes(
    estimates: &Estimates,
    bodies: &[Body<'_>],
    unseen: &[Matcher<'_>],
) -> Result<f64, NotCounted> {
    let (mut total, mut n_matches) = (0_u64, 0_u64);
    for body in bodies {
        let Ok(order) = order_by_branching(estimates, *body) else { continue };
        let ordered: Vec<Condition> =
            order.into_iter().map(|place| body.conditions[place].clone()).collect();
        for matcher in unseen {
            total += matcher.count_successes(&ordered, &[])?.iter().sum::<u64>();
            n_matches += 1;
        }
    }
    Ok(if n_matches == 0 { 0.0 } else { total as f64 / n_matches as f64 })
}
