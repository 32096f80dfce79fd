//! Sorts: finite domains for the arguments of relations, found from the shapes.
//!
//! In: the shapes of every argument. Out: domains, shared by arguments with the same values; none
//! where the values are endless or too many. Invariant: a domain holds every value that can ever
//! stand in its argument.

use indexmap::{IndexMap, IndexSet};
use rulesmith_logic::{ClauseBase, Domain, DomainId, Symbols, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::names::Names;
use super::shapes::{Owner, Shapes};
use crate::theory::{Sort, UNDEFINED};

/// An argument with more values than this has no domain.
const MAX_VALUES: usize = 65_536;

/// All arguments together list at most so many values; those that come after have no domain.
const MAX_VALUES_LISTED: usize = 3_000_000;

/// The domains made so far.
#[derive(Debug)]
pub(super) struct Sorts<'a> {
    shapes: &'a Shapes,
    /// The values of each argument; `None` for those without a domain, and while they are computed.
    known: FxHashMap<(Owner, usize), Option<Vec<Value>>>,
    by_values: IndexMap<Vec<Value>, DomainId, FxBuildHasher>,
    partial: FxHashMap<DomainId, DomainId>,
    n_listed: usize,
    /// The sorts, `role` first.
    pub(super) named: Vec<Sort>,
    pub(super) role: DomainId,
}

impl<'a> Sorts<'a> {
    /// Starts with the sort of the roles.
    pub(super) fn new(shapes: &'a Shapes, roles: &[Value], base: &mut ClauseBase) -> Self {
        let values: IndexSet<Value, FxBuildHasher> = roles.iter().copied().collect();
        let mut sorted: Vec<Value> = values.iter().copied().collect();
        sorted.sort_unstable();
        let role = base.add_domain(Domain { name: "role".to_owned(), values });
        let named = vec![Sort { name: "role".to_owned(), domain: Some(role) }];
        let by_values = IndexMap::from_iter([(sorted, role)]);
        let (known, partial) = (FxHashMap::default(), FxHashMap::default());
        Self { shapes, known, by_values, partial, n_listed: 0, named, role }
    }

    /// The domain of an argument.
    pub(super) fn domain(
        &mut self,
        (owner, place): (Owner, usize),
        name: &str,
        (symbols, names): (&mut Symbols, &mut Names),
        base: &mut ClauseBase,
    ) -> Option<DomainId> {
        let values = self.values(owner, place, symbols)?;
        self.n_listed += values.len();
        if values.is_empty() {
            return None;
        }
        let mut sorted = values.clone();
        sorted.sort_unstable();
        if let Some(domain) = self.by_values.get(&sorted) {
            return Some(*domain);
        }
        let name = names.unique(&format!("{name}_{}", place + 1));
        let domain =
            base.add_domain(Domain { name: name.clone(), values: values.into_iter().collect() });
        self.by_values.insert(sorted, domain);
        self.named.push(Sort { name, domain: Some(domain) });
        Some(domain)
    }

    /// The values of a domain, and `undefined`.
    pub(super) fn partial(
        &mut self,
        domain: DomainId,
        symbols: &mut Symbols,
        base: &mut ClauseBase,
    ) -> DomainId {
        *self.partial.entry(domain).or_insert_with(|| {
            let name = format!("{} or undefined", base.domain(domain).name);
            let mut values = base.domain(domain).values.clone();
            values.insert(Value::Symbol(symbols.symbol(UNDEFINED)));
            base.add_domain(Domain { name, values })
        })
    }

    fn values(&mut self, owner: Owner, place: usize, symbols: &mut Symbols) -> Option<Vec<Value>> {
        if let Some(known) = self.known.get(&(owner, place)) {
            return known.clone();
        }
        self.known.insert((owner, place), None);
        if self.n_listed > MAX_VALUES_LISTED {
            return None;
        }
        let values = self.list_values(owner, place, symbols);
        self.known.insert((owner, place), values.clone());
        values
    }

    fn list_values(
        &mut self,
        owner: Owner,
        place: usize,
        symbols: &mut Symbols,
    ) -> Option<Vec<Value>> {
        let shapes = self.shapes;
        let mut values = Vec::new();
        for functor in shapes.at(owner, place) {
            let mut tuples = vec![Vec::new()];
            for inner in 0..functor.arity {
                let arg = self.values(Owner::Function(functor), inner, symbols)?;
                if tuples.len() * arg.len() > MAX_VALUES {
                    return None;
                }
                let longer = |tuple: &Vec<Value>| {
                    let tuple = tuple.clone();
                    arg.iter()
                        .map(move |value| [tuple.as_slice(), &[*value]].concat())
                        .collect::<Vec<_>>()
                };
                tuples = tuples.iter().flat_map(longer).collect();
            }
            if values.len() + tuples.len() > MAX_VALUES {
                return None;
            }
            let to_value = |tuple: Vec<Value>| match functor.arity {
                0 => Value::Symbol(functor.name),
                _ => symbols.compound(functor.name, &tuple),
            };
            values.extend(tuples.into_iter().map(to_value));
        }
        sort_numbered(&mut values, symbols);
        Some(values)
    }
}

/// Puts values that are all numbered by their names, or single letters, into that order: files and ranks that
/// are listed as they come up in the text would be far apart where they are next to each other.
fn sort_numbered(values: &mut [Value], symbols: &Symbols) {
    let order = |value: &Value| {
        let Value::Symbol(symbol) = value else { return None };
        let name = symbols.name(*symbol);
        let head = name.trim_end_matches(|one: char| one.is_ascii_digit());
        let number = name[head.len()..].parse::<u64>().ok();
        let is_letter = name.len() == 1 && number.is_none();
        (is_letter || number.is_some()).then(|| {
            let prefix = if is_letter { "" } else { head };
            (prefix.to_owned(), number, name.to_owned())
        })
    };
    let keys: Option<Vec<_>> = values.iter().map(order).collect();
    let Some(keys) = keys else { return };
    let is_one_kind = keys
        .windows(2)
        .all(|pair| pair[0].0 == pair[1].0 && pair[0].1.is_some() == pair[1].1.is_some());
    if is_one_kind {
        values.sort_by_cached_key(order);
    }
}
