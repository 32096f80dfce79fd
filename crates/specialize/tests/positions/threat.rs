//! The rule `threattoconnect` of the paper: a position for it, its orders, and what they cost.
//!
//! In: nothing. Out: the fixture position, the published order, the least cost of any order, the match
//! cost as ordering metarules are added. Paper: metameta §3.3, §4.2.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Var};
use rulesmith_specialize::{Body, Estimates, Matcher, Pattern, match_cost_series};

use super::{Go, Random, at};

/// An 11 x 11 position with 14 blocks, 68 liberties of blocks and 52 empty points, made so that the
/// second order of the paper gives its printed numbers.
pub(crate) const FIXTURE: &str = "
    X.....X..O.
    XX.OOXXOOXX
    XXX...X..OX
    .XXXXXXXXX.
    .XXOXX...X.
    XXOOO..OOXX
    X.OO.....XX
    ..OX.....XX
    XO.X.....X.
    .OOO..OXXXO
    .OOOOX.....";

/// The places of the second order of the paper in the first.
pub(crate) const SECOND_ORDER: [usize; 9] = [8, 7, 6, 1, 0, 2, 3, 4, 5];

/// Exchanging `(I, B)` with `(I2, B1)` maps the rule onto itself; this is what becomes of the places.
pub(crate) const MIRROR: [usize; 9] = [0, 2, 1, 3, 6, 7, 4, 5, 8];

/// The least number of successes over all orders that test `I \= I2` when both are bound: every order
/// of the atoms, the test at each place after them. The number of bindings after a set of conditions
/// does not depend on their order, so sets suffice.
pub(crate) fn least_successes(matcher: &Matcher<'_>, rule: &[Condition]) -> u64 {
    let full = (1_usize << rule.len()) - 1;
    let size = |set: usize| {
        let places: Vec<usize> = (0..rule.len()).filter(|place| set >> place & 1 == 1).collect();
        // The test goes last; the atoms in an order that keeps them linked.
        let mut linked: Vec<usize> = SECOND_ORDER
            .iter()
            .copied()
            .filter(|place| places.contains(place) && *place != 3)
            .collect();
        linked.extend(places.contains(&3).then_some(3));
        matcher
            .count_successes(&at(rule, &linked), &[])
            .ok()
            .and_then(|column| column.last().copied())
    };
    let mut best = vec![u64::MAX; full + 1];
    best[0] = 0;
    for set in 1..=full {
        let is_safe = set >> 3 & 1 == 0
            || ((set >> 1 & 1 == 1 || set >> 6 & 1 == 1)
                && (set >> 2 & 1 == 1 || set >> 4 & 1 == 1));
        let before = (0..rule.len())
            .filter(|place| set >> place & 1 == 1)
            .map(|place| best[set & !(1 << place)]);
        let before = before.min().unwrap();
        if is_safe
            && before < 1200
            && let Some(size) = size(set)
        {
            best[set] = before.saturating_add(size);
        }
    }
    best[full]
}

const LIMIT: u64 = 10_000_000;

/// In how many orders the metarules of figure 7 are learned.
const N_SHUFFLES: u32 = 20;

/// The match cost of the rule as ordering metarules are added, on positions not used for learning.
pub(crate) struct Figure7 {
    /// The mean cost with so many metarules, over several orders in which they may be learned.
    pub(crate) means: Vec<f64>,
    /// The mean cost of the published order.
    pub(crate) published: f64,
}

pub(crate) fn figure_7() -> Figure7 {
    let go = Go::new(9);
    let states = go.random_positions(3, 40, 60);
    let (learned, unseen) = states.split_at(30);
    let estimates = Estimates::learn(&go.base, go.fixed.clone(), learned.to_vec());
    let rule = go.threat_to_connect();
    let (known, outside) = (BTreeSet::new(), [0, 1, 2, 3].map(Var).into_iter().collect());
    let body = Body { conditions: &rule, known: &known, outside: &outside };
    let matchers: Vec<Matcher<'_>> = unseen
        .iter()
        .map(|position| Matcher::new(&go.base, &[&go.fixed, position], LIMIT))
        .collect();
    let mut patterns: Vec<Pattern> =
        estimates.metarules(&rule).into_iter().map(|metarule| metarule.pattern).collect();
    let mut means = vec![0.0; patterns.len() + 1];
    let mut random = Random(4);
    for _ in 0..N_SHUFFLES {
        for place in (1..patterns.len()).rev() {
            patterns.swap(place, random.below(place + 1));
        }
        let series = match_cost_series(&estimates, &[body], &patterns, &matchers).unwrap();
        assert_eq!(series.last().unwrap().n_estimates, patterns.len());
        for (point, mean) in series.iter().zip(&mut means) {
            *mean += point.mean_successes / f64::from(N_SHUFFLES);
        }
    }
    let published = at(&rule, &SECOND_ORDER);
    let costs = matchers.iter().map(|matcher| {
        let column = matcher.count_successes(&published, &[]).unwrap();
        f64::from(u32::try_from(column.iter().sum::<u64>()).unwrap())
    });
    let n_unseen = f64::from(u32::try_from(unseen.len()).unwrap());
    Figure7 { means, published: costs.sum::<f64>() / n_unseen }
}
