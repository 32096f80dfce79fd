//! The best order under the model, for short bodies.
//!
//! In: prospects of at most 16 conditions. Out: what each set of placed conditions leaves to pay, so
//! that every best order can be read off. The expected number of bindings after a set of conditions
//! is the geometric mean of what its possible last conditions give, so that it does not depend on
//! their order; an order costs the sum of these numbers, and what is tried inside conditions.
//! How often a comparison holds is assumed, not counted, and it costs next to nothing: it never waits
//! for anything but other tests. Invariant: no safe order in which comparisons are made as soon as
//! they are ready, or tests before them, costs less under the model than the one found here.

use super::OrderError;
use super::greedy::{order_greedily, stuck};
use super::prospects::{Prospect, Prospects};

/// Bodies longer than this are never ordered exactly, whatever the configuration says.
pub(crate) const EXACT_LIMIT: usize = 16;

/// How far apart two costs are that count as one.
const TOLERANCE: f64 = 1e-9;

/// Numbers of bindings above this are all the same: too many.
const MANY: f64 = 1e100;

/// What each set of placed conditions is expected to bind and leaves to pay. A set is a bit mask.
#[derive(Debug)]
pub(crate) struct ExactPlan {
    n_conditions: usize,
    /// Expected bindings after the set; none where no safe order begins with it.
    sizes: Vec<Option<f64>>,
    /// The least it costs to place the rest.
    remaining: Vec<f64>,
    /// What is tried inside each condition.
    costs: Vec<f64>,
    /// For each set the conditions that are ready after it.
    ready: Vec<u32>,
    /// Those of them that may be next: only tests while a comparison waits.
    eligible: Vec<u32>,
}

impl ExactPlan {
    pub(crate) fn new(prospects: &Prospects<'_>) -> Result<Self, OrderError> {
        order_greedily(prospects)?;
        let n_conditions = prospects.n_conditions();
        let mut plan = Self {
            n_conditions,
            sizes: vec![None; 1 << n_conditions],
            remaining: vec![f64::INFINITY; 1 << n_conditions],
            costs: vec![0.0; n_conditions],
            ready: vec![0; 1 << n_conditions],
            eligible: vec![0; 1 << n_conditions],
        };
        plan.fill_sizes(prospects);
        plan.fill_remaining();
        Ok(plan)
    }

    fn fill_sizes(&mut self, prospects: &Prospects<'_>) {
        let mut memo = Memo::new(prospects);
        // The sum of logarithms over the possible last conditions, and their number.
        let mut sums = vec![(0.0_f64, 0_u32); 1 << self.n_conditions];
        sums[0] = (0.0, 1);
        for set in 0..1_usize << self.n_conditions {
            let (sum, n_last) = sums[set];
            if n_last == 0 {
                continue;
            }
            let logarithm = sum / f64::from(n_last);
            self.sizes[set] = Some(logarithm.exp().min(MANY));
            let (mut tests, mut comparisons) = (0, 0);
            for place in (0..self.n_conditions).filter(|place| set >> place & 1 == 0) {
                let Some(prospect) = memo.prospect(place, set) else { continue };
                tests |= u32::from(prospect.is_cheap_test) << place;
                comparisons |= u32::from(prospect.is_comparison) << place;
                self.ready[set] |= 1 << place;
                self.costs[place] = prospect.cost;
                let (sum, n_last) = &mut sums[set | 1 << place];
                *sum += logarithm + prospect.branching.max(f64::MIN_POSITIVE).ln();
                *n_last += 1;
            }
            self.eligible[set] = if comparisons == 0 { self.ready[set] } else { tests };
        }
    }

    fn fill_remaining(&mut self) {
        let full = (1_usize << self.n_conditions) - 1;
        self.remaining[full] = 0.0;
        for set in (0..full).rev() {
            let ways = self.eligible_after(set).map(|place| self.cost_with(set, place));
            self.remaining[set] = ways.fold(f64::INFINITY, f64::min);
        }
    }

    fn eligible_after(&self, set: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.n_conditions).filter(move |place| self.eligible[set] >> place & 1 == 1)
    }

    /// What the rest costs if this condition is next.
    fn cost_with(&self, set: usize, place: usize) -> f64 {
        self.step(set, place) + self.remaining[set | 1 << place]
    }

    /// What trying this condition next costs.
    fn step(&self, set: usize, place: usize) -> f64 {
        let size = |set: usize| self.sizes[set].unwrap_or(MANY);
        size(set | 1 << place) + self.costs[place] * size(set)
    }

    /// All conditions that a best order may take next.
    pub(crate) fn cheapest(
        &self,
        prospects: &Prospects<'_>,
        placed: &[bool],
    ) -> Result<Vec<usize>, OrderError> {
        let set = placed.iter().enumerate().filter(|(_, placed)| **placed);
        let set = set.fold(0, |set, (place, _)| set | 1 << place);
        let best = self.remaining[set];
        let is_best = |place: &usize| self.cost_with(set, *place) <= best + best.abs() * TOLERANCE;
        let found: Vec<usize> = self.eligible_after(set).filter(is_best).collect();
        if found.is_empty() { Err(stuck(prospects, placed)) } else { Ok(found) }
    }

    /// The conditions that may be next if the rest may cost so many times more than the least, each
    /// with how many times more it costs.
    pub(crate) fn near(&self, placed: &[bool], slack: f64) -> Vec<(usize, f64)> {
        let set = placed.iter().enumerate().filter(|(_, placed)| **placed);
        let set = set.fold(0, |set, (place, _)| set | 1 << place);
        let least = self.remaining[set].max(f64::MIN_POSITIVE);
        let regret = |place: usize| (place, self.cost_with(set, place) / least);
        let near = self.eligible_after(set).map(regret);
        near.filter(|(_, regret)| *regret <= slack.max(1.0 + TOLERANCE)).collect()
    }

    /// What an order costs under the model; nothing if it is not safe.
    pub(crate) fn cost(&self, order: &[usize]) -> Option<f64> {
        let (mut set, mut cost) = (0_usize, 0.0);
        for place in order {
            if self.ready[set] >> place & 1 == 0 {
                return None;
            }
            cost += self.step(set, *place);
            set |= 1 << place;
        }
        Some(cost)
    }
}

/// Prospects that were asked for already: only the neighbors of a condition matter to it.
struct Memo<'p, 'a> {
    prospects: &'p Prospects<'a>,
    neighbors: Vec<usize>,
    found: rustc_hash::FxHashMap<(usize, usize), Option<Prospect>>,
}

impl<'p, 'a> Memo<'p, 'a> {
    fn new(prospects: &'p Prospects<'a>) -> Self {
        let mask = |place: usize| {
            prospects.neighbors(place).into_iter().fold(0_usize, |mask, other| mask | 1 << other)
        };
        let neighbors = (0..prospects.n_conditions()).map(mask).collect();
        Self { prospects, neighbors, found: rustc_hash::FxHashMap::default() }
    }

    fn prospect(&mut self, place: usize, set: usize) -> Option<Prospect> {
        let relevant = set & self.neighbors[place];
        let judge = || self.prospects.prospect(place, &|other| relevant >> other & 1 == 1);
        *self.found.entry((place, relevant)).or_insert_with(judge)
    }
}
