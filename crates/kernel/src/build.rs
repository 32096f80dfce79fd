//! Short ways to write sets and words.
//!
//! In: parts of expressions. Out: the expressions, as in `kernel`; nothing is simplified.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Sub};

use crate::kernel::{Array, Comparison, End, Operation, Plane, Scalar, Set, TableId, Word};

impl From<Plane> for Set {
    fn from(plane: Plane) -> Self {
        Self::Plane(plane)
    }
}

impl From<Scalar> for Word {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl From<u64> for Word {
    fn from(value: u64) -> Self {
        Self::Constant(value)
    }
}

impl Set {
    /// Part of the state.
    pub fn state(offset: u32, width: u16) -> Self {
        Self::State { offset, width }
    }

    /// A row of an array in the state.
    pub fn at(array: Array, row: impl Into<Word>) -> Self {
        Self::At(array, Box::new(row.into()))
    }

    /// A row of a table.
    pub fn row(table: TableId, row: impl Into<Word>) -> Self {
        Self::Row(table, Box::new(row.into()))
    }

    /// One number in a plane of so many words.
    pub fn single(width: u16, number: impl Into<Word>) -> Self {
        Self::Single(width, Box::new(number.into()))
    }

    /// Every number moved by so much.
    #[must_use]
    pub fn shift(self, by: i32) -> Self {
        Self::Shift(Box::new(self), by)
    }

    /// The same numbers in a plane of so many words.
    #[must_use]
    pub fn resize(self, width: u16) -> Self {
        Self::Resize(Box::new(self), width)
    }

    /// All numbers from an end up to the first of this set.
    #[must_use]
    pub fn up_to(self, end: End) -> Self {
        Self::UpTo(end, Box::new(self))
    }

    /// The number of this rank alone.
    #[must_use]
    pub fn nth_alone(self, rank: impl Into<Word>) -> Self {
        Self::Nth(Box::new(self), Box::new(rank.into()))
    }

    /// The number of this rank.
    pub fn nth(self, rank: impl Into<Word>) -> Word {
        Word::Nth(Box::new(self), Box::new(rank.into()))
    }

    /// How many numbers there are.
    pub fn count(self) -> Word {
        Word::Count(Box::new(self))
    }

    /// Whether there is any.
    pub fn any(self) -> Word {
        Word::Any(Box::new(self))
    }

    /// Whether this number is there.
    pub fn has(self, number: impl Into<Word>) -> Word {
        Word::Has(Box::new(self), Box::new(number.into()))
    }
}

impl<S: Into<Set>> BitAnd<S> for Set {
    type Output = Self;
    fn bitand(self, other: S) -> Self {
        Self::And(Box::new(self), Box::new(other.into()))
    }
}

impl<S: Into<Set>> BitOr<S> for Set {
    type Output = Self;
    fn bitor(self, other: S) -> Self {
        Self::Or(Box::new(self), Box::new(other.into()))
    }
}

impl<S: Into<Set>> BitXor<S> for Set {
    type Output = Self;
    fn bitxor(self, other: S) -> Self {
        Self::Xor(Box::new(self), Box::new(other.into()))
    }
}

impl<S: Into<Set>> Sub<S> for Set {
    type Output = Self;
    fn sub(self, other: S) -> Self {
        Self::Without(Box::new(self), Box::new(other.into()))
    }
}

impl Word {
    /// The first word of a row of an array in the state.
    pub fn at(array: Array, row: impl Into<Self>) -> Self {
        Self::At(array, Box::new(row.into()))
    }

    /// The first word of a row of a table.
    pub fn look(table: TableId, row: impl Into<Self>) -> Self {
        Self::Look(table, Box::new(row.into()))
    }

    /// The result of an operation.
    #[must_use]
    pub fn compute(self, operation: Operation, other: impl Into<Self>) -> Self {
        Self::Compute(operation, Box::new(self), Box::new(other.into()))
    }

    /// Whether a comparison holds.
    #[must_use]
    pub fn compare(self, comparison: Comparison, other: impl Into<Self>) -> Self {
        Self::Compare(comparison, Box::new(self), Box::new(other.into()))
    }

    /// Whether both are the same.
    #[must_use]
    pub fn equals(self, other: impl Into<Self>) -> Self {
        self.compare(Comparison::Equal, other)
    }

    /// Whether this is the smaller one.
    #[must_use]
    pub fn is_below(self, other: impl Into<Self>) -> Self {
        self.compare(Comparison::Less, other)
    }
}

impl<W: Into<Word>> Add<W> for Word {
    type Output = Self;
    fn add(self, other: W) -> Self {
        self.compute(Operation::Add, other)
    }
}

impl<W: Into<Word>> Sub<W> for Word {
    type Output = Self;
    fn sub(self, other: W) -> Self {
        self.compute(Operation::Subtract, other)
    }
}

impl<W: Into<Word>> Mul<W> for Word {
    type Output = Self;
    fn mul(self, other: W) -> Self {
        self.compute(Operation::Multiply, other)
    }
}

impl<W: Into<Word>> BitAnd<W> for Word {
    type Output = Self;
    fn bitand(self, other: W) -> Self {
        self.compute(Operation::And, other)
    }
}

impl<W: Into<Word>> BitOr<W> for Word {
    type Output = Self;
    fn bitor(self, other: W) -> Self {
        self.compute(Operation::Or, other)
    }
}

impl<W: Into<Word>> BitXor<W> for Word {
    type Output = Self;
    fn bitxor(self, other: W) -> Self {
        self.compute(Operation::Xor, other)
    }
}
