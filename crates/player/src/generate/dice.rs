//! Dice: random draws by the values of knobs.
//!
//! In: knobs and a stream of random numbers. Out: draws. Invariant: a draw takes one number of the stream, whatever its
//! knob's value, except where numbers must be thrown away to be fair; no draw depends on the platform.

use rulesmith_game::Random;

use super::knob_values::KnobValue;
use super::knobs::{Knob, KnobKind, Knobs};

/// What is repeated by chance is repeated at most so often, also if the chance is one.
const MOST_MORE: usize = 8;

/// Draws by the values of knobs.
#[derive(Debug)]
pub(super) struct Dice<'k> {
    knobs: &'k Knobs,
    random: Random,
}

impl<'k> Dice<'k> {
    pub(super) fn new(knobs: &'k Knobs, random: Random) -> Self {
        Self { knobs, random }
    }

    /// A number from zero to one, one left out.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are all that a float holds")]
    fn unit(&mut self) -> f64 {
        (self.random.next_bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Does it happen?
    pub(super) fn chance(&mut self, knob: Knob) -> bool {
        let KnobValue::Chance(chance) = self.knobs.value(knob) else {
            unreachable!("{} is a probability", knob.info().name)
        };
        self.unit() < *chance
    }

    /// How often it happens in a row.
    pub(super) fn more(&mut self, knob: Knob) -> usize {
        (0..MOST_MORE).take_while(|_| self.chance(knob)).count()
    }

    /// A whole number of a range.
    pub(super) fn range(&mut self, knob: Knob) -> i32 {
        let KnobValue::Range(low, high) = *self.knobs.value(knob) else {
            unreachable!("{} is a range", knob.info().name)
        };
        self.between(low, high)
    }

    /// A whole number from one to another.
    pub(super) fn between(&mut self, low: i32, high: i32) -> i32 {
        let count = usize::try_from(high - low + 1).expect("ranges are not empty");
        low + i32::try_from(self.random.below(count)).expect("below an i32")
    }

    /// A number of a range from zero to one.
    pub(super) fn share(&mut self, knob: Knob) -> f64 {
        let KnobValue::Shares(low, high) = *self.knobs.value(knob) else {
            unreachable!("{} is a range of numbers", knob.info().name)
        };
        low + (high - low) * self.unit()
    }

    /// One of the knob's words.
    pub(super) fn word(&mut self, knob: Knob) -> &'static str {
        let (KnobValue::Words(weights), KnobKind::Words(words)) =
            (self.knobs.value(knob), knob.info().kind)
        else {
            unreachable!("{} is words", knob.info().name)
        };
        words[self.weighted(weights)]
    }

    /// Can the knob's word be drawn at all?
    pub(super) fn may_draw(&self, knob: Knob, word: &str) -> bool {
        let (KnobValue::Words(weights), KnobKind::Words(words)) =
            (self.knobs.value(knob), knob.info().kind)
        else {
            unreachable!("{} is words", knob.info().name)
        };
        weights.iter().any(|(place, weight)| words[*place] == word && *weight > 0.0)
    }

    /// One of the knob's numbers.
    pub(super) fn number(&mut self, knob: Knob) -> f64 {
        let KnobValue::Numbers(weights) = self.knobs.value(knob) else {
            unreachable!("{} is numbers", knob.info().name)
        };
        self.weighted(weights)
    }

    fn weighted<T: Copy>(&mut self, weights: &[(T, f64)]) -> T {
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let mut left = self.unit() * sum;
        for (value, weight) in weights {
            if left < *weight {
                return *value;
            }
            left -= weight;
        }
        // Rounding may leave a trifle: then it is the last that can be drawn.
        let last = weights.iter().rev().find(|(_, weight)| *weight > 0.0);
        last.expect("weights add up to more than nothing").0
    }

    /// Takes one of the items out.
    pub(super) fn take<T>(&mut self, items: &mut Vec<T>) -> Option<T> {
        if items.is_empty() { None } else { Some(items.remove(self.random.below(items.len()))) }
    }

    /// One of the items.
    pub(super) fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        self.random.choose(items)
    }

    /// One of the items and some more, each once: as many as the knob's chance gives.
    pub(super) fn some<T: Clone + Ord>(&mut self, items: &[T], more: Knob) -> Vec<T> {
        let mut left = items.to_vec();
        let mut drawn: Vec<T> = self.take(&mut left).into_iter().collect();
        for _ in 0..self.more(more) {
            drawn.extend(self.take(&mut left));
        }
        drawn.sort();
        drawn
    }
}
