//! Values that are numbers.
//!
//! In: a value. Out: the number that it is, if it is one. Invariant: names made of digits count as their numbers.

use rulesmith_logic::{Symbols, Value};

/// The number that a value is; one language writes numbers as names made of digits.
pub(crate) fn number_of(symbols: &Symbols, value: Value) -> Option<u32> {
    match value {
        Value::Int(number) => u32::try_from(number).ok(),
        Value::Symbol(symbol) => symbols.name(symbol).parse().ok(),
        Value::Compound(_) => None,
    }
}
