//! Counting: the mean number of bindings of a pattern on working memories.
//!
//! In: a pattern and samples. Out: how many rows agree, over all ways its known arguments may be
//! bound. An argument bound by an atom takes each value as often as that atom has a row with it, so
//! that a point reached by walking is met as often as it has neighbors. Invariant: the quotient of
//! the two counts is the exact mean over the samples.

use rulesmith_logic::{Row, Value};

use super::pattern::{Argument, Binder, Pattern};
use super::sample::{Frequencies, Sample, frequencies, has_constants};

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

/// Counts the pattern on the working memory of each state. `domain_size` is asked for the only
/// argument of a test whose value comes from nowhere: it may be any value of its domain, not only one
/// that holds.
pub(crate) fn count(
    fixed: &Sample,
    states: &[Sample],
    pattern: &Pattern,
    domain_size: Option<u64>,
) -> Tally {
    let lasting = |(number, binder): (usize, &Binder)| {
        let rows = fixed.rows_of(binder.predicate);
        fixed.lists(binder.predicate).then(|| weights(rows, pattern, number))
    };
    let lasting: Vec<Option<Weights>> = pattern.binders.iter().enumerate().map(lasting).collect();
    let count = |state: &Sample| {
        let now: Vec<Weights> = pattern
            .binders
            .iter()
            .enumerate()
            .filter(|(number, _)| lasting[*number].is_none())
            .map(|(number, binder)| weights(state.rows_of(binder.predicate), pattern, number))
            .collect();
        let weights: Vec<&Weights> = lasting.iter().flatten().chain(&now).collect();
        let is_fixed = fixed.lists(pattern.predicate);
        let rows = if is_fixed { fixed } else { state }.rows_of(pattern.predicate);
        count_rows(rows, pattern, &weights, domain_size)
    };
    states.iter().map(count).fold(Tally::NOTHING, Tally::plus)
}

fn count_rows(
    rows: &[Row],
    pattern: &Pattern,
    weights: &[&Weights],
    domain_size: Option<u64>,
) -> Tally {
    let constants = pattern.constants();
    let agreeing = rows.iter().filter(|row| has_constants(row, &constants) && agrees(row, pattern));
    let mut found = Count::ZERO;
    let mut values = Vec::new();
    for row in agreeing {
        let weight = weights.iter().map(|weights| weights.of(row, &mut values));
        found = found.plus(weight.fold(Count::ONE, Count::times));
    }
    let totals = weights.iter().map(|weights| Count::new(weights.total));
    let tries = totals.fold(Count::ONE, Count::times);
    Tally { found, tries: tries.times(n_known_values(rows, pattern, domain_size)) }
}

/// How many values the arguments may have that are known from nowhere in particular.
fn n_known_values(rows: &[Row], pattern: &Pattern, domain_size: Option<u64>) -> Count {
    let known: Vec<usize> = places_of(pattern, Argument::Known);
    if let ([_], 1, Some(size)) = (known.as_slice(), pattern.arguments.len(), domain_size) {
        return Count::new(size);
    }
    // A working memory without rows counts as one try that finds nothing.
    let n_values = |place| Count::new(frequencies(rows, &[], &[place]).len().max(1) as u64);
    known.into_iter().map(n_values).fold(Count::ONE, Count::times)
}

/// How often a binder gives each combination of values to the arguments it bound.
struct Weights {
    places: Vec<usize>,
    frequencies: Frequencies,
    total: u64,
}

impl Weights {
    fn of(&self, row: &[Value], values: &mut Vec<Value>) -> Count {
        values.clear();
        values.extend(self.places.iter().map(|place| row[*place]));
        Count::new(self.frequencies.get(values.as_slice()).copied().unwrap_or(0))
    }
}

fn weights(rows: &[Row], pattern: &Pattern, wanted: usize) -> Weights {
    let bound =
        pattern.arguments.iter().enumerate().filter_map(|(place, argument)| match argument {
            Argument::Bound { binder, place: there } if *binder == wanted => Some((place, *there)),
            _ => None,
        });
    let (places, there): (Vec<usize>, Vec<usize>) = bound.unzip();
    let binder = &pattern.binders[wanted];
    let frequencies = frequencies(rows, &binder.constants, &there);
    let total = rows.iter().filter(|row| has_constants(row, &binder.constants)).count() as u64;
    Weights { places, frequencies, total }
}

fn agrees(row: &[Value], pattern: &Pattern) -> bool {
    row.len() == pattern.arguments.len()
        && pattern.arguments.iter().enumerate().all(|(place, argument)| match argument {
            Argument::Same(first) => row.get(*first) == Some(&row[place]),
            _ => true,
        })
}

fn places_of(pattern: &Pattern, wanted: Argument) -> Vec<usize> {
    let is_wanted = |(place, argument): (usize, &Argument)| (*argument == wanted).then_some(place);
    pattern.arguments.iter().enumerate().filter_map(is_wanted).collect()
}
