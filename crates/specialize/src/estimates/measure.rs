//! Counting: the mean number of bindings of a pattern on working memories.
//!
//! In: a pattern and samples. Out: how many rows agree, over all ways its known arguments may be
//! bound. An argument bound by an atom takes each value as often as that atom has a row with it, so
//! that a point reached by walking is met as often as it has neighbors. Invariant: the quotient of
//! the two counts is the exact mean over the samples.

use std::sync::Arc;

use rulesmith_logic::Value;

use super::pattern::{Argument, Binder, Pattern};
use super::sample::{Frequencies, Grouping};

/// A mean: how many rows were found in how many tries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Rows found and tries, where both are below 2^64.
    pub exact: Option<(u64, u64)>,
    /// Their quotient.
    pub value: f64,
}

impl Mean {
    /// The mean of these counts; none without a try.
    pub fn of(found: u64, tries: u64) -> Option<Self> {
        Tally { found: Count::new(found), tries: Count::new(tries) }.mean()
    }
}

/// A count that may outgrow exact numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    exact: Option<u128>,
    value: f64,
}

impl Count {
    const ZERO: Self = Self { exact: Some(0), value: 0.0 };
    const ONE: Self = Self { exact: Some(1), value: 1.0 };

    #[expect(clippy::cast_precision_loss, reason = "an estimate needs few digits")]
    fn new(number: u64) -> Self {
        Self { exact: Some(u128::from(number)), value: number as f64 }
    }

    fn plus(self, other: Self) -> Self {
        let exact = self.exact.zip(other.exact).and_then(|(a, b)| a.checked_add(b));
        Self { exact, value: self.value + other.value }
    }

    fn times(self, other: Self) -> Self {
        let exact = self.exact.zip(other.exact).and_then(|(a, b)| a.checked_mul(b));
        Self { exact, value: self.value * other.value }
    }
}

/// Rows found and tries made, over the samples so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    found: Count,
    tries: Count,
}

impl Tally {
    pub(crate) const NOTHING: Self = Self { found: Count::ZERO, tries: Count::ZERO };

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { found: self.found.plus(other.found), tries: self.tries.plus(other.tries) }
    }

    pub(crate) fn mean(self) -> Option<Mean> {
        if self.tries.value <= 0.0 {
            return None;
        }
        let small = |count: Count| count.exact.and_then(|exact| u64::try_from(exact).ok());
        let exact = small(self.found).zip(small(self.tries));
        Some(Mean { exact, value: self.found.value / self.tries.value })
    }
}

/// Counts the pattern on the working memory of each state; `frequencies` counts rows on the static facts and, for what these
/// do not list, on each state. `domain_size` is asked for the only argument of a test whose value comes from nowhere: it may
/// be any value of its domain, not only one that holds.
pub(crate) fn count(
    pattern: &Pattern,
    n_states: usize,
    domain_size: Option<u64>,
    frequencies: &dyn Fn(Grouping) -> Counted,
) -> Tally {
    let binders = 0..pattern.binders.len();
    let mut weights: Vec<Weights> =
        binders.map(|binder| Weights::of(pattern, binder, frequencies)).collect();
    weights.sort_by_key(|weights| !weights.counted.is_fixed());
    let rows = frequencies(rows_by_bound(pattern));
    let known: Vec<Counted> = known_places(pattern)
        .map(|place| frequencies(Grouping::of_place(pattern.predicate, place)))
        .collect();
    let in_state = |state: usize| {
        let found = found(rows.of(state), &weights, state);
        let totals = weights.iter().map(|weights| Count::new(weights.total(state)));
        let tries = totals.fold(Count::ONE, Count::times);
        let n_known = match (domain_size, &known[..]) {
            (Some(size), [_]) if pattern.arguments.len() == 1 => Count::new(size),
            // A working memory without rows counts as one try that finds nothing.
            _ => known
                .iter()
                .map(|known| Count::new(known.of(state).len().max(1) as u64))
                .fold(Count::ONE, Count::times),
        };
        Tally { found, tries: tries.times(n_known) }
    };
    (0..n_states).map(in_state).fold(Tally::NOTHING, Tally::plus)
}

/// How many rows there are for all ways the binders give values to what is bound.
fn found(rows: &Frequencies, weights: &[Weights], state: usize) -> Count {
    let mut found = Count::ZERO;
    let mut values = Vec::new();
    for (bound, n_rows) in rows {
        let weight = weights.iter().map(|weights| weights.weight(bound, state, &mut values));
        found = found.plus(weight.fold(Count::new(*n_rows), Count::times));
    }
    found
}

/// How often rows have what was counted: on the static facts, or on each state.
#[derive(Clone, Debug)]
pub(crate) enum Counted {
    Fixed(Arc<Frequencies>),
    States(Arc<[Frequencies]>),
}

impl Counted {
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed(_))
    }

    fn of(&self, state: usize) -> &Frequencies {
        match self {
            Self::Fixed(all) => all,
            Self::States(each) => &each[state],
        }
    }

    /// The same for every sample that was counted.
    pub(crate) fn samples(&self) -> &[Frequencies] {
        match self {
            Self::Fixed(all) => std::slice::from_ref(&**all),
            Self::States(each) => each,
        }
    }
}

/// How often a binder gives each combination of values to the arguments it bound.
struct Weights {
    /// Where these arguments are among all that are bound.
    places: Vec<usize>,
    counted: Counted,
}

impl Weights {
    fn of(pattern: &Pattern, wanted: usize, frequencies: &dyn Fn(Grouping) -> Counted) -> Self {
        let is_wanted = |(place, (_, binder, there)): (usize, (usize, usize, usize))| {
            (binder == wanted).then_some((place, there))
        };
        let bound = bound_places(pattern).enumerate().filter_map(is_wanted);
        let (places, there): (Vec<usize>, Vec<usize>) = bound.unzip();
        let Binder { predicate, constants } = pattern.binders[wanted].clone();
        let counted = frequencies(Grouping { predicate, constants, same: vec![], places: there });
        Self { places, counted }
    }

    fn weight(&self, bound: &[Value], state: usize, values: &mut Vec<Value>) -> Count {
        values.clear();
        values.extend(self.places.iter().map(|place| bound[*place]));
        Count::new(self.counted.of(state).get(values.as_slice()).copied().unwrap_or(0))
    }

    fn total(&self, state: usize) -> u64 {
        self.counted.of(state).values().sum()
    }
}

/// The rows that agree with a pattern, by the values of the arguments that binders bound.
fn rows_by_bound(pattern: &Pattern) -> Grouping {
    let same = |(place, argument): (usize, &Argument)| match argument {
        Argument::Same(first) => Some((*first, place)),
        _ => None,
    };
    Grouping {
        predicate: pattern.predicate,
        constants: pattern.constants(),
        same: pattern.arguments.iter().enumerate().filter_map(same).collect(),
        places: bound_places(pattern).map(|(place, ..)| place).collect(),
    }
}

/// The arguments that binders bound: where, by which binder, by which argument of it.
fn bound_places(pattern: &Pattern) -> impl Iterator<Item = (usize, usize, usize)> {
    pattern.arguments.iter().enumerate().filter_map(|(place, argument)| match argument {
        Argument::Bound { binder, place: there } => Some((place, *binder, *there)),
        _ => None,
    })
}

/// The arguments that are known from nowhere in particular.
fn known_places(pattern: &Pattern) -> impl Iterator<Item = usize> {
    let is_known =
        |(place, argument): (usize, &Argument)| (*argument == Argument::Known).then_some(place);
    pattern.arguments.iter().enumerate().filter_map(is_known)
}
