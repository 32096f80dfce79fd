//! The universe: small dense numbers for values, so that indexes are arrays and tests compare words.
//!
//! In: values as they are met. Out: one [`ValueId`] for each, given in the order of first mention.
//! Invariant: an id is never reused and never changes; two ids are equal exactly when the values are.

use std::cell::RefCell;

use rulesmith_logic::Value;
use rustc_hash::FxHashMap;

/// A value by its place in a [`Universe`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(u32);

impl ValueId {
    /// The place, counted from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn raw(self) -> u32 {
        self.0
    }
}

/// All values met so far. It only grows, and whoever shares it may add to it.
#[derive(Debug, Default)]
pub struct Universe {
    interned: RefCell<Interned>,
}

#[derive(Debug, Default)]
struct Interned {
    values: Vec<Value>,
    ids: FxHashMap<Value, ValueId>,
    /// The ids of the integers from zero on, so that arithmetic rarely hashes.
    small: Vec<Option<ValueId>>,
}

/// Integers below this are looked up without hashing: board coordinates, counts, distances.
const N_SMALL: usize = 1024;

impl Universe {
    /// The id of a value, given on first mention.
    pub fn id(&self, value: Value) -> ValueId {
        let mut interned = self.interned.borrow_mut();
        if let Some(found) = interned.find(value) {
            return found;
        }
        interned.add(value)
    }

    /// The id of a value that was mentioned before.
    pub fn find(&self, value: Value) -> Option<ValueId> {
        self.interned.borrow().find(value)
    }

    /// The value of an id of this universe.
    pub fn value(&self, id: ValueId) -> Value {
        self.interned.borrow().values[id.index()]
    }

    /// The integer of an id, if it stands for one.
    pub fn int(&self, id: ValueId) -> Option<i32> {
        match self.value(id) {
            Value::Int(number) => Some(number),
            Value::Symbol(_) | Value::Compound(_) => None,
        }
    }

    /// The ids of all values mentioned so far, in that order.
    pub fn ids(&self) -> Vec<ValueId> {
        (0_u32..).take(self.len()).map(ValueId).collect()
    }

    /// How many values were mentioned.
    pub fn len(&self) -> usize {
        self.interned.borrow().values.len()
    }

    /// Was nothing mentioned yet?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Interned {
    fn find(&self, value: Value) -> Option<ValueId> {
        match small_place(value) {
            Some(place) => self.small.get(place).copied().flatten(),
            None => self.ids.get(&value).copied(),
        }
    }

    fn add(&mut self, value: Value) -> ValueId {
        let place = u32::try_from(self.values.len()).expect("fewer than 2^32 values fit in memory");
        let id = ValueId(place);
        self.values.push(value);
        match small_place(value) {
            Some(place) => {
                if self.small.len() <= place {
                    self.small.resize(place + 1, None);
                }
                self.small[place] = Some(id);
            }
            None => {
                self.ids.insert(value, id);
            }
        }
        id
    }
}

fn small_place(value: Value) -> Option<usize> {
    let Value::Int(number) = value else { return None };
    usize::try_from(number).ok().filter(|place| *place < N_SMALL)
}

#[cfg(test)]
mod tests {
    use rulesmith_logic::Symbols;

    use super::*;

    #[test]
    fn every_value_has_one_id_and_comes_back() {
        let universe = Universe::default();
        let name = Value::Symbol(Symbols::default().symbol("a"));
        let numbers = [-1, 0, 7, 1023, 1024, i32::MAX, i32::MIN].map(Value::Int);
        let values: Vec<Value> = numbers.into_iter().chain([name]).collect();
        let ids: Vec<ValueId> = values.iter().map(|value| universe.id(*value)).collect();
        for (place, (value, id)) in values.iter().zip(&ids).enumerate() {
            assert_eq!(id.index(), place);
            assert_eq!(universe.id(*value), *id);
            assert_eq!(universe.find(*value), Some(*id));
            assert_eq!(universe.value(*id), *value);
        }
        assert_eq!(universe.len(), values.len());
        assert_eq!(universe.ids(), ids);
        assert_eq!(universe.int(ids[0]), Some(-1));
        assert_eq!(universe.int(ids[7]), None);
        assert_eq!(universe.find(Value::Int(5)), None);
    }
}
