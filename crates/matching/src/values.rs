//! Comparing, computing and composing by id.
//!
//! In: ids. Out: truth values and ids, with the meaning the reference solver gives them. Invariant: a
//! result that does not fit makes the condition fail; it never wraps and never panics.

use std::cell::RefCell;

use rulesmith_logic::{Comparison, Operation, Symbol, Symbols, Value};

use crate::search::Setting;
use crate::universe::{Universe, ValueId};

/// Compares two values; only integers have an order.
#[inline]
pub(crate) fn compare(
    universe: &Universe,
    comparison: Comparison,
    left: ValueId,
    right: ValueId,
) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        _ => {
            let (Some(left), Some(right)) = (universe.int(left), universe.int(right)) else {
                return false;
            };
            match comparison {
                Comparison::Less => left < right,
                Comparison::AtMost => left <= right,
                Comparison::Greater => left > right,
                _ => left >= right,
            }
        }
    }
}

/// The result, if both operands are integers and it fits.
pub(crate) fn apply(
    universe: &Universe,
    operation: Operation,
    left: ValueId,
    right: ValueId,
) -> Option<ValueId> {
    let (left, right) = (universe.value(left), universe.value(right));
    rulesmith_logic::apply(operation, left, right).map(|result| universe.id(result))
}

/// The arguments of a compound term with this functor.
pub(crate) fn parts_of(
    universe: &Universe,
    symbols: &RefCell<Symbols>,
    whole: ValueId,
    functor: Symbol,
) -> Option<Vec<ValueId>> {
    let Value::Compound(compound) = universe.value(whole) else { return None };
    let symbols = symbols.borrow();
    let (found, parts) = symbols.parts(compound);
    (found == functor).then(|| parts.iter().map(|part| universe.id(*part)).collect())
}

/// The compound term of these parts.
pub(crate) fn make(
    universe: &Universe,
    setting: &Setting<'_>,
    functor: Symbol,
    args: &[ValueId],
) -> Result<ValueId, rulesmith_logic::Error> {
    let args: Vec<Value> = args.iter().map(|id| universe.value(*id)).collect();
    let mut symbols = setting.symbols.borrow_mut();
    let made = symbols.compound(functor, &args);
    let limit = setting.limits.terms;
    if symbols.n_compounds() as u64 > limit {
        return Err(rulesmith_logic::Error::Limit { name: "terms", limit });
    }
    Ok(universe.id(made))
}
