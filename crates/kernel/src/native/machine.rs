//! Operations on single words, folded where operands are known.
//!
//! In: operands, constants or values of the machine with their bounds. Out: the same for results. What
//! is known costs no instruction: zeros, full masks, shifts by nothing, comparisons that always hold.
//! Invariant: a [`Dry`] machine makes no code, so that bounds can be computed alone.

use cranelift_codegen::entity::EntityRef;
use cranelift_codegen::ir::Value;

use super::bound::Bound;
use crate::interpret::compare;
use crate::kernel::{Comparison, End, Operation, TableId};

/// A word that is known, or one that a value of the machine holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Constant(u64),
    Value(Value, Bound),
}

impl Operand {
    pub(super) fn bound(self) -> Bound {
        match self {
            Self::Constant(value) => Bound::constant(value),
            Self::Value(_, bound) => bound,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        matches!(self, Self::Constant(0))
    }

    /// The value, or the constant if the bound leaves only one.
    fn known(value: Value, bound: Bound) -> Self {
        bound.value().map_or(Self::Value(value, bound), Self::Constant)
    }
}

/// An instruction with one operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unary {
    /// How many bits are set.
    CountOnes,
    /// How many zeros are below the lowest bit that is set; 64 if there is none.
    ZerosBelow,
    /// How many zeros are above the highest bit that is set; 64 if there is none.
    ZerosAbove,
}

/// An instruction with two operands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    /// As in the language, but the distance of shifts is taken modulo 64.
    Compute(Operation),
    /// Bits of the first that the second does not have.
    Without,
    /// A comparison as zero or one.
    Compare(Comparison),
    /// The bits of the first, moved to where the second has bits: the lowest to the lowest and so on.
    Deposit,
}

/// Where words come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A word of a register.
    Register(usize),
    /// A word of the state.
    State(u32),
    /// The word of the state so many places further than this one; both together are inside.
    StateAt(u32, Value),
    /// The word of a table so many places further than this one; both together are inside.
    Table(TableId, Value, usize),
}

/// Something that instructions are written to.
pub(super) trait Machine {
    fn constant(&mut self, value: u64) -> Value;
    fn unary(&mut self, operation: Unary, operand: Value) -> Value;
    fn binary(&mut self, operation: Binary, left: Value, right: Value) -> Value;
    /// The second if the first is not zero, else the third.
    fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value;
    fn load(&mut self, source: Source) -> Value;
    /// The word at this place, which is below their number, of words put side by side.
    fn pick(&mut self, words: &[Value], place: Value) -> Value;
    /// Is there an instruction for [`Binary::Deposit`]?
    fn has_deposit(&self) -> bool;
}

/// A machine that makes no code.
#[derive(Debug)]
pub(super) struct Dry;

impl Machine for Dry {
    fn constant(&mut self, _: u64) -> Value {
        Value::new(0)
    }
    fn unary(&mut self, _: Unary, _: Value) -> Value {
        Value::new(0)
    }
    fn binary(&mut self, _: Binary, _: Value, _: Value) -> Value {
        Value::new(0)
    }
    fn select(&mut self, _: Value, _: Value, _: Value) -> Value {
        Value::new(0)
    }
    fn load(&mut self, _: Source) -> Value {
        Value::new(0)
    }
    fn pick(&mut self, _: &[Value], _: Value) -> Value {
        Value::new(0)
    }
    fn has_deposit(&self) -> bool {
        true
    }
}

/// A value for the operand.
pub(super) fn value<M: Machine>(machine: &mut M, operand: Operand) -> Value {
    match operand {
        Operand::Constant(constant) => machine.constant(constant),
        Operand::Value(value, _) => value,
    }
}

/// Loads a word of which so much is known.
pub(super) fn load<M: Machine>(machine: &mut M, source: Source, bound: Bound) -> Operand {
    match bound.value() {
        Some(constant) => Operand::Constant(constant),
        None => Operand::Value(machine.load(source), bound),
    }
}

/// An operation of the language.
pub(super) fn operate<M: Machine>(
    machine: &mut M,
    operation: Operation,
    left: Operand,
    right: Operand,
) -> Operand {
    let bound = Bound::compute(operation, left.bound(), right.bound());
    if let Some(constant) = bound.value() {
        return Operand::Constant(constant);
    }
    if let Some(same) = neutral(operation, left, right) {
        return same;
    }
    let (left_value, right_value) = (value(machine, left), value(machine, right));
    let result = machine.binary(Binary::Compute(operation), left_value, right_value);
    let is_shift = matches!(operation, Operation::ShiftUp | Operation::ShiftDown);
    if is_shift && right.bound().most >= 64 {
        let limit = machine.constant(64);
        let fits = machine.binary(Binary::Compare(Comparison::Less), right_value, limit);
        let zero = machine.constant(0);
        return Operand::known(machine.select(fits, result, zero), bound);
    }
    Operand::known(result, bound)
}

/// The operand that an operation leaves as it is.
fn neutral(operation: Operation, left: Operand, right: Operand) -> Option<Operand> {
    let (left_bound, right_bound) = (left.bound(), right.bound());
    let keeps = |constant: Operand, bound: Bound| match constant {
        Operand::Constant(mask) => bound.may & !mask == 0,
        Operand::Value(..) => false,
    };
    match operation {
        Operation::And if keeps(right, left_bound) => Some(left),
        Operation::And if keeps(left, right_bound) => Some(right),
        Operation::Add | Operation::Or | Operation::Xor if left.is_zero() => Some(right),
        Operation::Add
        | Operation::Subtract
        | Operation::Or
        | Operation::Xor
        | Operation::ShiftUp
        | Operation::ShiftDown
            if right.is_zero() =>
        {
            Some(left)
        }
        Operation::Multiply if matches!(left, Operand::Constant(1)) => Some(right),
        Operation::Multiply if matches!(right, Operand::Constant(1)) => Some(left),
        Operation::Least if left_bound.most <= right_bound.least => Some(left),
        Operation::Least if right_bound.most <= left_bound.least => Some(right),
        Operation::Most if left_bound.most <= right_bound.least => Some(right),
        Operation::Most if right_bound.most <= left_bound.least => Some(left),
        _ => None,
    }
}

/// The first without the bits of the second.
pub(super) fn without<M: Machine>(machine: &mut M, left: Operand, right: Operand) -> Operand {
    if let Operand::Constant(right) = right {
        return operate(machine, Operation::And, left, Operand::Constant(!right));
    }
    if left.bound().may & right.bound().may == 0 {
        return left;
    }
    let bound = Bound::without(left.bound(), right.bound());
    let (left, right) = (value(machine, left), value(machine, right));
    Operand::known(machine.binary(Binary::Without, left, right), bound)
}

/// Zero or one, whether a comparison holds.
pub(super) fn test<M: Machine>(
    machine: &mut M,
    comparison: Comparison,
    left: Operand,
    right: Operand,
) -> Operand {
    let (a, b) = (left.bound(), right.bound());
    let are_apart = a.most < b.least || b.most < a.least;
    let decided = match (comparison, a.value(), b.value()) {
        (_, Some(left), Some(right)) => Some(compare(comparison, left, right)),
        (Comparison::Equal, ..) if are_apart => Some(false),
        (Comparison::Unequal, ..) if are_apart => Some(true),
        (Comparison::Less, ..) if a.most < b.least => Some(true),
        (Comparison::Less, ..) if b.most <= a.least => Some(false),
        (Comparison::LessOrEqual, ..) if a.most <= b.least => Some(true),
        (Comparison::LessOrEqual, ..) if b.most < a.least => Some(false),
        _ => None,
    };
    if let Some(decided) = decided {
        return Operand::Constant(u64::from(decided));
    }
    let is_truth = a.most <= 1 && matches!(right, Operand::Constant(0));
    if is_truth && comparison == Comparison::Unequal {
        return left;
    }
    let (left, right) = (value(machine, left), value(machine, right));
    Operand::known(machine.binary(Binary::Compare(comparison), left, right), Bound::TRUTH)
}

/// The second if the first is not zero, else the third.
pub(super) fn choose<M: Machine>(
    machine: &mut M,
    condition: Operand,
    then: Operand,
    otherwise: Operand,
) -> Operand {
    let Operand::Value(condition, _) = condition else {
        return if condition.is_zero() { otherwise } else { then };
    };
    let bound = then.bound().join(otherwise.bound());
    if let Some(constant) = bound.value() {
        return Operand::Constant(constant);
    }
    let (then, otherwise) = (value(machine, then), value(machine, otherwise));
    Operand::known(machine.select(condition, then, otherwise), bound)
}

/// How many bits are set.
pub(super) fn count_ones<M: Machine>(machine: &mut M, word: Operand) -> Operand {
    match word {
        Operand::Constant(word) => Operand::Constant(u64::from(word.count_ones())),
        Operand::Value(_, bound) if bound.most <= 1 => word,
        Operand::Value(value, bound) => {
            let most = u64::from(bound.may.count_ones());
            let least = u64::from(bound.least > 0);
            Operand::known(machine.unary(Unary::CountOnes, value), Bound::between(least, most))
        }
    }
}

/// The place of the lowest bit of a word that is not zero.
pub(super) fn lowest_bit<M: Machine>(machine: &mut M, word: Operand) -> Operand {
    match word {
        Operand::Constant(word) => Operand::Constant(u64::from(word.trailing_zeros())),
        Operand::Value(value, bound) => {
            let least = u64::from(bound.may.trailing_zeros());
            let most = 63 - u64::from(bound.may.leading_zeros().min(63));
            Operand::known(machine.unary(Unary::ZerosBelow, value), Bound::between(least, most))
        }
    }
}

/// How many zeros there are before the first bit from one end; 64 if no bit is set.
pub(super) fn zeros<M: Machine>(machine: &mut M, end: End, word: Operand) -> Operand {
    let operation = match end {
        End::Low => Unary::ZerosBelow,
        End::High => Unary::ZerosAbove,
    };
    match (word, end) {
        (Operand::Constant(word), End::Low) => Operand::Constant(word.trailing_zeros().into()),
        (Operand::Constant(word), End::High) => Operand::Constant(word.leading_zeros().into()),
        (Operand::Value(value, bound), end) => {
            let least = match end {
                End::Low => bound.may.trailing_zeros(),
                End::High => bound.may.leading_zeros(),
            };
            let bound = Bound::between(least.into(), 64);
            Operand::known(machine.unary(operation, value), bound)
        }
    }
}
