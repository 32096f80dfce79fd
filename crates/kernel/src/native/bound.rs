//! What is known of a word before it runs: an interval, and the bits that may be set.
//!
//! In: what is known of operands. Out: what is known of the result. Invariant: every value that
//! `interpret` can compute lies within the bound; index checks are left out because of it.

use crate::interpret::compute;
use crate::kernel::Operation;

/// Values from `least` to `most` with no bits outside `may`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) may: u64,
}

impl Bound {
    /// Nothing is known.
    pub(super) const ANY: Self = Self { least: 0, most: u64::MAX, may: u64::MAX };
    /// Zero or one.
    pub(super) const TRUTH: Self = Self { least: 0, most: 1, may: 1 };

    /// One value.
    pub(super) fn constant(value: u64) -> Self {
        Self { least: value, most: value, may: value }
    }

    /// An interval.
    pub(super) fn between(least: u64, most: u64) -> Self {
        Self { least, most, may: u64::MAX }.tight()
    }

    /// Any combination of these bits.
    pub(super) fn bits(may: u64) -> Self {
        Self { least: 0, most: may, may }
    }

    /// The value, if there is only one.
    pub(super) fn value(self) -> Option<u64> {
        (self.least == self.most).then_some(self.least)
    }

    /// Whatever is within one of them.
    pub(super) fn join(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            may: self.may | other.may,
        }
    }

    /// The same values, with interval and bits told of each other.
    fn tight(self) -> Self {
        let most = self.most.min(self.may);
        Self { least: self.least, most, may: self.may & ones_up_to(most) }
    }

    /// The result of an operation.
    pub(super) fn compute(operation: Operation, left: Self, right: Self) -> Self {
        if let (Some(left), Some(right)) = (left.value(), right.value()) {
            return Self::constant(compute(operation, left, right));
        }
        let at_ends = |(least, most)| Self::between(least, most);
        let ends = |operation| {
            let least = compute(operation, left.least, right.least);
            (least, compute(operation, left.most, right.most))
        };
        match operation {
            Operation::Add if left.most.checked_add(right.most).is_none() => Self::ANY,
            Operation::Multiply if left.most.checked_mul(right.most).is_none() => Self::ANY,
            Operation::Add
            | Operation::Multiply
            | Operation::MultiplyHigh
            | Operation::Least
            | Operation::Most => at_ends(ends(operation)),
            Operation::Divide if right.least > 0 => {
                Self::between(left.least / right.most, left.most / right.least)
            }
            Operation::Subtract if left.least >= right.most => {
                Self::between(left.least - right.most, left.most - right.least)
            }
            Operation::Divide | Operation::Subtract => Self::ANY,
            Operation::And => {
                Self { least: 0, most: left.most.min(right.most), may: left.may & right.may }
                    .tight()
            }
            Operation::Or => {
                let may = left.may | right.may;
                Self { least: left.least.max(right.least), most: may, may }
            }
            Operation::Xor => Self::bits(left.may | right.may),
            Operation::ShiftUp => Self::shift_up(left, right),
            Operation::ShiftDown => match right.value() {
                Some(_) => Self { may: left.may >> right.most.min(63), ..at_ends(ends(operation)) },
                None => Self::between(0, left.most),
            }
            .tight(),
        }
    }

    fn shift_up(left: Self, right: Self) -> Self {
        match right.value() {
            Some(by) if by < 64 => {
                let may = left.may << by;
                if u64::from(left.most.leading_zeros()) < by {
                    return Self::bits(may);
                }
                Self { least: left.least << by, most: left.most << by, may }.tight()
            }
            Some(_) => Self::constant(0),
            None => Self::ANY,
        }
    }

    /// The first without the bits of the second.
    pub(super) fn without(left: Self, right: Self) -> Self {
        let inverse = right.value().map_or(u64::MAX, |value| !value);
        Self { least: 0, most: left.most, may: left.may & inverse }.tight()
    }
}

/// All bits that values up to this one can have.
fn ones_up_to(most: u64) -> u64 {
    u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::next_random;

    const OPERATIONS: [Operation; 12] = [
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::MultiplyHigh,
        Operation::Divide,
        Operation::And,
        Operation::Or,
        Operation::Xor,
        Operation::ShiftUp,
        Operation::ShiftDown,
        Operation::Least,
        Operation::Most,
    ];

    /// A bound and a value within it.
    fn draw(random: &mut u64) -> (Bound, u64) {
        let cut = |random: &mut u64| {
            let by = next_random(random) % 64;
            next_random(random) >> by
        };
        let (a, b, value) = (cut(random), cut(random), cut(random));
        let bound = match next_random(random) % 4 {
            0 => Bound::constant(value),
            1 => Bound::between(a.min(value), b.max(value)),
            2 => Bound::bits(a | value),
            _ => Bound { least: 0, most: b.max(value), may: a | value }.tight(),
        };
        (bound, value)
    }

    fn holds(bound: Bound, value: u64) -> bool {
        bound.least <= value && value <= bound.most && value & !bound.may == 0
    }

    #[test]
    fn every_result_lies_within_its_bound() {
        let mut random = 1;
        for _ in 0..200_000 {
            let ((left, a), (right, b)) = (draw(&mut random), draw(&mut random));
            assert!(holds(left, a) && holds(right, b));
            for operation in OPERATIONS {
                let bound = Bound::compute(operation, left, right);
                let result = compute(operation, a, b);
                assert!(holds(bound, result), "{operation:?} {left:?} {right:?} {result}");
            }
            assert!(holds(Bound::without(left, right), a & !b));
            assert!(holds(left.join(right), a) && holds(left.join(right), b));
        }
    }
}
