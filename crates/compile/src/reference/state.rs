//! States: the values of all fluents, and the past beside them.
//!
//! In: assignments. Out: states that can be compared, hashed and copied cheaply. Invariant: equality
//! and hash leave the past out; a value equal to its fluent's default is not stored, so equal states
//! have equal maps.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rulesmith_logic::{ComponentId, PredicateId, Row, Symbols, Tables, Value};
use rulesmith_matching::Memory;
use rulesmith_rules::{Fluent, FluentDefault, FluentId, Theory};
use rustc_hash::FxHasher;

use super::Act;

/// A state of a contest, with its past.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) core: Rc<StateCore>,
}

impl State {
    /// The same state, at the start of a turn, with what is known of the time before it.
    pub(crate) fn with_earlier(&self, earlier: Earlier) -> Self {
        let earlier = (earlier != Earlier::default()).then(|| Rc::new(earlier));
        Self { core: StateCore::make(self.core.fluents.clone(), None, earlier, true) }
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.core.fluents == other.core.fluents
    }
}

impl Eq for State {}

/// The values, the past, and the answers found so far about this state.
#[derive(Debug)]
pub(crate) struct StateCore {
    pub(crate) fluents: Fluents,
    pub(crate) past: Option<Rc<Past>>,
    /// What is known of the time before that.
    pub(crate) earlier: Option<Rc<Earlier>>,
    /// Does a turn begin here, or is it the middle of one?
    pub(crate) is_turn_start: bool,
    pub(crate) tables: RefCell<Tables>,
    /// The working memory of the state, for a specialised program.
    pub(crate) memory: OnceCell<Rc<Memory>>,
    /// The components that were counted as found.
    pub(crate) found: RefCell<BTreeSet<ComponentId>>,
}

impl StateCore {
    /// A state at the start of a turn.
    pub(crate) fn new(fluents: Fluents, past: Option<Rc<Past>>) -> Rc<Self> {
        let earlier = past.as_ref().and_then(|past| past.earlier.clone());
        Self::make(fluents, past, earlier, true)
    }

    /// How many steps a text says were made since an event before the past that is known.
    pub(crate) fn earlier_steps_since(&self, event: PredicateId) -> i32 {
        let earlier = self.earlier.iter().flat_map(|earlier| &earlier.since);
        let steps = earlier.filter(|(known, _)| *known == event).map(|(_, steps)| *steps);
        steps.max().unwrap_or(0)
    }

    /// The state a step was made in.
    pub(crate) fn of_past(past: &Past) -> Rc<Self> {
        let (before, earlier) = (past.before.clone(), past.earlier.clone());
        Self::make(past.fluents.clone(), before, earlier, past.is_turn_start)
    }

    /// A state in the middle of a turn.
    pub(crate) fn within_turn(fluents: Fluents, past: Option<Rc<Past>>) -> Rc<Self> {
        let earlier = past.as_ref().and_then(|past| past.earlier.clone());
        Self::make(fluents, past, earlier, false)
    }

    fn make(
        fluents: Fluents,
        past: Option<Rc<Past>>,
        earlier: Option<Rc<Earlier>>,
        is_turn_start: bool,
    ) -> Rc<Self> {
        let (tables, memory) = (RefCell::default(), OnceCell::new());
        let found = RefCell::default();
        Rc::new(Self { fluents, past, earlier, is_turn_start, tables, memory, found })
    }
}

/// What a text says about the time before the state it describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Earlier {
    /// How many steps were made since these events.
    pub(crate) since: Vec<(PredicateId, i32)>,
    /// How many turns were made.
    pub(crate) n_turns: i32,
}

/// One step back.
#[derive(Debug)]
pub(crate) struct Past {
    /// The values before the step.
    pub(crate) fluents: Fluents,
    /// Who did what.
    pub(crate) acts: Vec<Act>,
    /// Did a turn begin here, or was it the middle of one?
    pub(crate) is_turn_start: bool,
    /// What came before.
    pub(crate) before: Option<Rc<Past>>,
    /// What is known of the time before all of that.
    pub(crate) earlier: Option<Rc<Earlier>>,
}

impl Drop for Past {
    /// Long contests would otherwise be dropped recursively, one stack frame a step.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(past) = next {
            next = Rc::try_unwrap(past).ok().and_then(|mut past| past.before.take());
        }
    }
}

/// The values of all fluents that differ from their defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fluents {
    maps: Vec<Rc<FluentMap>>,
    pub(crate) hash: u64,
}

impl Hash for Fluents {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FluentMap {
    hash: u64,
    values: BTreeMap<Row, Value>,
}

impl Fluents {
    /// Everything at its default.
    pub(crate) fn defaults(theory: &Theory) -> Self {
        Self { maps: vec![Rc::default(); theory.fluents.len()], hash: 0 }
    }

    /// The stored value, if it differs from the default.
    pub(crate) fn stored(&self, id: FluentId, keys: &[Value]) -> Option<Value> {
        self.maps[id.0].values.get(keys).copied()
    }

    /// All stored values of a fluent.
    pub(crate) fn entries(&self, id: FluentId) -> impl Iterator<Item = (&Row, Value)> {
        self.maps[id.0].values.iter().map(|(keys, value)| (keys, *value))
    }

    /// Stores a value; `None` puts the default back.
    pub(crate) fn set(&mut self, symbols: &Symbols, id: FluentId, keys: Row, value: Option<Value>) {
        let old = self.stored(id, &keys);
        if old == value {
            return;
        }
        let map = Rc::make_mut(&mut self.maps[id.0]);
        for changed in [old, value].into_iter().flatten() {
            let mark = mark(symbols, id, &keys, changed);
            map.hash ^= mark;
            self.hash ^= mark;
        }
        match value {
            Some(value) => map.values.insert(keys, value),
            None => map.values.remove(&keys),
        };
    }

    /// Puts all values of a fluent back to the default.
    pub(crate) fn clear(&mut self, id: FluentId) {
        self.hash ^= self.maps[id.0].hash;
        self.maps[id.0] = Rc::default();
    }

    /// Are these fluents the same in both?
    pub(crate) fn agree(&self, other: &Self, over: &[FluentId]) -> bool {
        over.iter().all(|id| {
            let (ours, theirs) = (&self.maps[id.0], &other.maps[id.0]);
            Rc::ptr_eq(ours, theirs) || ours == theirs
        })
    }
}

/// What is stored for a value: nothing when it is the default.
pub(crate) fn to_stored(fluent: &Fluent, value: Value, undefined: Option<Value>) -> Option<Value> {
    let is_default = match fluent.default {
        FluentDefault::Value(default) => value == default,
        FluentDefault::Undefined => Some(value) == undefined,
        FluentDefault::Required => false,
    };
    (!is_default).then_some(value)
}

/// The share of one value in the hash, independent of when compounds were interned.
fn mark(symbols: &Symbols, id: FluentId, keys: &[Value], value: Value) -> u64 {
    let mut hasher = FxHasher::default();
    id.0.hash(&mut hasher);
    for value in keys.iter().chain([&value]) {
        hash_value(symbols, *value, &mut hasher);
    }
    // The hasher's low bits are weak; one multiplicative mix spreads them before they are XORed.
    let bits = hasher.finish();
    (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (bits >> 32)
}

fn hash_value(symbols: &Symbols, value: Value, hasher: &mut FxHasher) {
    match value {
        Value::Compound(compound) => {
            let (functor, args) = symbols.parts(compound);
            (3, functor, args.len()).hash(hasher);
            for arg in args {
                hash_value(symbols, *arg, hasher);
            }
        }
        plain => plain.hash(hasher),
    }
}
