//! The layout of states: where each fluent lives among the words of a state.
//!
//! In: a theory. Out: for a fluent with keys one bit plane for each of its values, a bit for each key; for
//! one without keys a word that holds the number of its value, or one more than the last if it has none.
//! Keys and values are numbered by their places in their sorts. Invariant: every fluent has a place of its
//! own, and equal states have equal words. What rules ask about the past is counted in further words, which
//! are no part of the state when states are compared.

use rulesmith_logic::{ClauseBase, DomainId, PredicateId, Value};
use rulesmith_rules::{FluentDefault, FluentId, PredicateKind, Theory};
use serde::{Deserialize, Serialize};

/// Tuples of values, numbered: the first column runs fastest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Space {
    /// The domain of each column.
    pub(crate) domains: Vec<DomainId>,
    /// How many values each has.
    sizes: Vec<u32>,
}

/// Spaces with more tuples than this are not laid out as planes.
pub(crate) const SPACE_LIMIT: u32 = 4096;

/// Nothing but planes can hold what a state is: fluents may have more keys, if they have few values.
const KEYS_LIMIT: u32 = 1 << 14;
const FEW_VALUES: usize = 2;

impl Space {
    /// The space of these columns; nothing if one is open or there are too many tuples.
    pub(crate) fn new(base: &ClauseBase, columns: &[Option<DomainId>]) -> Option<Self> {
        Self::within(base, columns, SPACE_LIMIT)
    }

    /// The space of these columns if there are not so many tuples that planes do not do at all.
    pub(crate) fn wide(base: &ClauseBase, columns: &[Option<DomainId>]) -> Option<Self> {
        Self::within(base, columns, KEYS_LIMIT)
    }

    /// The same with a limit of its own.
    fn within(base: &ClauseBase, columns: &[Option<DomainId>], limit: u32) -> Option<Self> {
        let domains: Vec<DomainId> = columns.iter().copied().collect::<Option<_>>()?;
        let size = |domain: &DomainId| u32::try_from(base.domain(*domain).values.len()).ok();
        let sizes: Vec<u32> = domains.iter().map(size).collect::<Option<_>>()?;
        let n_tuples = sizes.iter().try_fold(1_u32, |product, size| product.checked_mul(*size))?;
        (n_tuples <= limit).then_some(Self { domains, sizes })
    }

    /// How many tuples there are.
    pub(crate) fn len(&self) -> u32 {
        self.sizes.iter().product()
    }

    /// The words of a plane over it.
    pub(crate) fn width(&self) -> u16 {
        u16::try_from(self.len().div_ceil(64).max(1)).unwrap_or(u16::MAX)
    }

    /// The number of a tuple; nothing if a value is not of its column.
    pub(crate) fn index(&self, base: &ClauseBase, tuple: &[Value]) -> Option<u32> {
        let mut index = 0;
        for ((domain, size), value) in self.domains.iter().zip(&self.sizes).zip(tuple).rev() {
            index = index * size + place(base, *domain, *value)?;
        }
        Some(index)
    }

    /// The tuple of a number.
    pub(crate) fn tuple(&self, base: &ClauseBase, mut number: u32) -> Vec<Value> {
        let columns = self.domains.iter().zip(&self.sizes);
        let value = |(domain, size): (&DomainId, &u32)| {
            let place = number % size;
            number /= size;
            base.domain(*domain).values[place as usize]
        };
        columns.map(value).collect()
    }

    /// The number of a tuple given by places.
    pub(crate) fn number(&self, places: &[u32]) -> u32 {
        self.sizes.iter().zip(places).rev().fold(0, |index, (size, place)| index * size + place)
    }
}

/// The place of a value in its domain.
pub(crate) fn place(base: &ClauseBase, domain: DomainId, value: Value) -> Option<u32> {
    let index = base.domain(domain).values.get_index_of(&value)?;
    u32::try_from(index).ok()
}

/// Where a fluent lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FluentLayout {
    /// Its keys.
    pub(crate) keys: Space,
    /// The domain of its value; none for a boolean fluent.
    pub(crate) values: Option<DomainId>,
    /// How many values it has; one for a boolean fluent, which is a single plane.
    pub(crate) n_values: u32,
    /// Its first word.
    pub(crate) offset: u32,
    /// If it is without keys and its values are the keys of another fluent: the words of a plane of them.
    /// What it names can then be joined with planes.
    pub(crate) names_keys: Option<u16>,
    /// The value that every key has unless it has another one.
    pub(crate) default: Option<u32>,
    /// The word that its hash is kept in, if it is.
    pub(crate) hash: Option<u32>,
}

/// A fluent with fewer values is a word that is compared.
const NAMING_VALUES: u32 = 5;

impl FluentLayout {
    /// Is it one word rather than planes?
    pub(crate) fn is_scalar(&self) -> bool {
        self.keys.domains.is_empty()
    }

    /// What its word holds if it is without keys and has no value: for a boolean one, false.
    pub(crate) fn no_value(&self) -> u32 {
        if self.values.is_some() { self.n_values } else { 0 }
    }

    /// Does this key of a test say that a fluent without keys has no value?
    pub(crate) fn is_no_value(&self, key: u32) -> bool {
        self.is_scalar() && self.values.is_some() && key == self.no_value()
    }

    /// The values whose planes tell states apart: what every key has that has no other value need not be asked.
    pub(crate) fn telling_values(&self) -> impl Iterator<Item = u32> {
        (0..self.n_values).filter(|value| Some(*value) != self.default)
    }

    /// The first word of the plane of a value.
    pub(crate) fn plane(&self, value: u32) -> u32 {
        self.offset + value * u32::from(self.keys.width())
    }

    /// How many bits one of its words has.
    fn n_bits(&self, place: u32) -> u32 {
        if self.is_scalar() {
            return u32::BITS - self.n_values.leading_zeros();
        }
        let before = 64 * (place % u32::from(self.keys.width()));
        self.keys.len().saturating_sub(before).min(64)
    }

    pub(crate) fn n_words(&self) -> u32 {
        if self.is_scalar() { 1 } else { self.n_values * u32::from(self.keys.width()) }
    }
}

/// Where everything lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StateLayout {
    /// By fluent number.
    pub(crate) fluents: Vec<FluentLayout>,
    /// The words of all fluents.
    pub(crate) n_words: u32,
    /// What is counted of the past, one word each after the fluents.
    pub(crate) counters: Vec<Counter>,
    /// Questions about cycles: for each a word, and one that tells who moved last, after the counters.
    pub(crate) n_cycles: u32,
    /// How many words of hashes are kept, after those.
    n_hashes: u32,
    /// Are words put side by side before they are hashed, as far as their bits allow?
    pub(crate) packs_hashes: bool,
}

/// A word that says how much of the past there is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Counter {
    /// The predicate that asks: does it count at least so much?
    pub(crate) predicate: PredicateId,
    pub(crate) counted: Counted,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Counted {
    /// Steps made after the last one at which the event held.
    Since(PredicateId),
    /// How often the present state, seen through these fluents, occurred at the start of a turn.
    Repeated(Vec<FluentId>),
    /// Turns made since the present state, seen through these fluents, last occurred; zero if it did not.
    Gap(Vec<FluentId>),
}

/// The hash of a fluent is kept where its planes have so many words: a move changes few of their bits.
const KEPT_HASH_WIDTH: u16 = 3;

/// With more values there are too many planes to look for what changed.
const KEPT_HASH_VALUES: u32 = 16;

/// States of more words than this are left to the other engines.
const WORDS_LIMIT: u32 = 4096;

impl StateLayout {
    /// The layout of a theory's states; otherwise what stands in the way.
    pub(crate) fn new(theory: &Theory) -> Result<Self, String> {
        let counters = counters(theory);
        let mut layout = Self {
            fluents: Vec::new(),
            n_words: 0,
            counters,
            n_cycles: 0,
            n_hashes: 0,
            packs_hashes: true,
        };
        for id in theory.fluent_ids() {
            let fluent = fluent_layout(theory, id, layout.n_words)?;
            layout.n_words += fluent.n_words();
            layout.fluents.push(fluent);
            if layout.n_words > WORDS_LIMIT {
                return Err(format!("a state would take more than {WORDS_LIMIT} words"));
            }
        }
        layout.find_names();
        Ok(layout)
    }

    fn find_names(&mut self) {
        let keys: Vec<Space> = self.fluents.iter().map(|fluent| fluent.keys.clone()).collect();
        for fluent in &mut self.fluents {
            let Some(domain) = fluent.values else { continue };
            let named = keys.iter().find(|keys| keys.domains == [domain]);
            if fluent.is_scalar() && fluent.n_values >= NAMING_VALUES {
                fluent.names_keys = named.map(Space::width);
            }
        }
    }

    pub(crate) fn fluent(&self, id: FluentId) -> &FluentLayout {
        &self.fluents[id.0]
    }

    /// The word of a counter.
    pub(crate) fn counter(&self, number: usize) -> u32 {
        self.n_words.max(1) + u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The word of a question about cycles.
    pub(crate) fn cycle(&self, number: usize) -> u32 {
        self.counter(self.counters.len()) + u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// One more than the role that moved last, where cycles are asked about.
    pub(crate) fn mover(&self) -> Option<u32> {
        (self.n_cycles > 0).then(|| self.cycle(self.n_cycles as usize))
    }

    /// The words of a state with its counters and kept hashes.
    pub(crate) fn n_state_words(&self) -> u32 {
        let n_cycle_words = self.n_cycles + u32::from(self.n_cycles > 0);
        self.counter(self.counters.len()) + n_cycle_words + self.n_hashes
    }

    /// The word that tells how long ago the present state last occurred, seen through these fluents.
    pub(crate) fn gap(&self, over: &[FluentId]) -> Option<u32> {
        let is_it =
            |counter: &Counter| matches!(&counter.counted, Counted::Gap(own) if own == over);
        self.counters.iter().position(is_it).map(|number| self.counter(number))
    }

    /// The lists of fluents through which states are seen to repeat, with the word of each counter.
    pub(crate) fn repeated(&self) -> impl Iterator<Item = (u32, &[FluentId])> {
        self.counters.iter().enumerate().filter_map(|(number, counter)| match &counter.counted {
            Counted::Repeated(over) => Some((self.counter(number), &over[..])),
            _ => None,
        })
    }

    /// The events since which steps are counted, with the word of each counter.
    pub(crate) fn since(&self) -> impl Iterator<Item = (u32, PredicateId)> {
        self.counters.iter().enumerate().filter_map(|(number, counter)| match &counter.counted {
            Counted::Since(event) => Some((self.counter(number), *event)),
            _ => None,
        })
    }

    /// Gives each fluent of wide planes a word that its hash is kept in.
    pub(crate) fn keep_hashes(&mut self) {
        for place in 0..self.fluents.len() {
            let next = self.n_state_words();
            let fluent = &mut self.fluents[place];
            let is_wide = fluent.keys.width() >= KEPT_HASH_WIDTH;
            if !fluent.is_scalar() && is_wide && fluent.n_values <= KEPT_HASH_VALUES {
                fluent.hash = Some(next);
                self.n_hashes += 1;
            }
        }
    }

    /// The words that tell the values of some fluents, in order, and the bits that each of them has. A hash that is
    /// kept stands for all words of its fluent.
    pub(crate) fn words_of(&self, fluents: &[FluentId]) -> impl Iterator<Item = (u32, u32)> {
        fluents.iter().flat_map(|id| {
            let fluent = self.fluent(*id);
            let words: Vec<(u32, u32)> = match fluent.hash {
                Some(word) => vec![(word, u64::BITS)],
                None if fluent.is_scalar() => vec![(fluent.offset, fluent.n_bits(0))],
                None => {
                    let width = u32::from(fluent.keys.width());
                    let telling = |place: &u32| {
                        let value = Some(place / width);
                        !self.packs_hashes || value != fluent.default
                    };
                    let places = (0..fluent.n_words()).filter(telling);
                    places.map(|place| (fluent.offset + place, fluent.n_bits(place))).collect()
                }
            };
            words
        })
    }
}

fn counters(theory: &Theory) -> Vec<Counter> {
    let counter = |(kind, id): (&PredicateKind, u32)| {
        let counted = match kind {
            PredicateKind::Since(event) => Counted::Since(*event),
            PredicateKind::Repeated(over) => Counted::Repeated(over.clone()),
            PredicateKind::Cycle(over) => Counted::Gap(over.clone()),
            _ => return None,
        };
        Some(Counter { predicate: PredicateId(id), counted })
    };
    let mut counters: Vec<Counter> = theory.kinds.iter().zip(0..).filter_map(counter).collect();
    // How long ago a state occurred is found where its repetitions are counted.
    for number in 0..counters.len() {
        let Counter { predicate, counted: Counted::Gap(over) } = &counters[number] else {
            continue;
        };
        let is_seen = |one: &Counter| matches!(&one.counted, Counted::Repeated(own) if own == over);
        if !counters.iter().any(is_seen) {
            let (predicate, counted) = (*predicate, Counted::Repeated(over.clone()));
            counters.push(Counter { predicate, counted });
        }
    }
    counters
}

fn fluent_layout(theory: &Theory, id: FluentId, offset: u32) -> Result<FluentLayout, String> {
    let (base, fluent) = (&theory.base, theory.fluent(id));
    let columns = &base.predicate(fluent.predicate).domains;
    let (keys, value) = columns.split_at(fluent.n_keys);
    let values = match value.first() {
        None => None,
        Some(None) => return Err(format!("the values of `{}` are open", fluent.name)),
        Some(Some(domain)) => Some(*domain),
    };
    let n_values = values.map_or(1, |domain| base.domain(domain).values.len());
    let limit = if n_values <= FEW_VALUES { KEYS_LIMIT } else { SPACE_LIMIT };
    let keys = Space::within(base, keys, limit)
        .ok_or_else(|| format!("`{}` has too many keys, or open ones", fluent.name))?;
    let n_values = u32::try_from(n_values).map_err(|_| "too many values".to_owned())?;
    let default = match (fluent.default, values) {
        (FluentDefault::Value(value), Some(domain)) => place(base, domain, value),
        _ => None,
    };
    Ok(FluentLayout { keys, values, n_values, offset, names_keys: None, default, hash: None })
}

/// The predicate that says what a fluent is, as the layout sees it: keys and the number of the value.
pub(crate) fn split_row(
    theory: &Theory,
    layout: &StateLayout,
    id: FluentId,
    row: &[Value],
) -> Option<(u32, u32)> {
    let fluent = layout.fluent(id);
    let (keys, value) = row.split_at(theory.fluent(id).n_keys);
    let key = fluent.keys.index(&theory.base, keys)?;
    let value = match (fluent.values, value) {
        (Some(domain), [value]) => place(&theory.base, domain, *value)?,
        _ => 0,
    };
    Some((key, value))
}
