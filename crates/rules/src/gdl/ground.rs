//! Static facts: what the relations that never change hold of, from the bottom up.
//!
//! In: rules. Out: for each relation that reads neither the state nor the moves its complete facts,
//! as far as a budget reaches; `init` is among them. Semi-naive, one strong component after the
//! other. Invariant: facts are complete or not given at all; nothing here decides what a game does,
//! the facts only serve proofs.

use indexmap::IndexSet;
use rulesmith_logic::{Symbols, Value};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::join::Join;
use super::reading::Reading;
use super::rule::{Relation, Rule};

/// Rows that all evaluations together may try.
const MAX_ROWS_TRIED: usize = 3_000_000;

/// Facts that one relation may have.
const MAX_FACTS: usize = 200_000;

/// The facts of one relation.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) rows: IndexSet<Vec<Value>, FxBuildHasher>,
    /// For each argument place and value the rows that have it there.
    by_value: FxHashMap<(usize, Value), Vec<usize>>,
}

impl Table {
    fn insert(&mut self, row: Vec<Value>) {
        let number = self.rows.len();
        if self.rows.contains(&row) {
            return;
        }
        for (place, value) in row.iter().enumerate() {
            self.by_value.entry((place, *value)).or_default().push(number);
        }
        self.rows.insert(row);
    }

    /// The numbers of the rows, in order, that have one of the known values in its place; all rows
    /// when nothing is known.
    pub(super) fn candidates(&self, known: &[Option<Value>]) -> Candidates<'_> {
        let lists = known.iter().enumerate().filter_map(|(place, value)| {
            let value = (*value)?;
            Some(self.by_value.get(&(place, value)).map_or(&[][..], Vec::as_slice))
        });
        match lists.min_by_key(|list| list.len()) {
            Some(list) => Candidates::Listed(list),
            None => Candidates::All(self.rows.len()),
        }
    }
}

/// Rows by number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Candidates<'a> {
    Listed(&'a [usize]),
    All(usize),
}

impl Candidates<'_> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Listed(list) => list.len(),
            Self::All(n_rows) => n_rows,
        }
    }

    pub(super) fn get(self, index: usize) -> usize {
        match self {
            Self::Listed(list) => list[index],
            Self::All(_) => index,
        }
    }
}

/// What an evaluation may still do.
#[derive(Debug)]
pub(super) struct Budget {
    /// Rows that may still be tried.
    pub(super) rows: usize,
    /// How many names each compound term has in it, repeated ones counted again.
    pub(super) sizes: FxHashMap<Value, usize>,
}

/// Complete facts by relation.
#[derive(Debug, Default)]
pub(super) struct StaticFacts {
    tables: FxHashMap<Relation, Table>,
    /// The relations that some rule concludes.
    defined: FxHashSet<Relation>,
}

impl StaticFacts {
    /// Evaluates every relation that never changes.
    pub(super) fn evaluate(rules: &[Rule], symbols: &mut Symbols) -> Self {
        let reading = Reading::new(rules);
        let defined = rules.iter().map(|rule| rule.head.relation).collect();
        let mut facts = Self { tables: FxHashMap::default(), defined };
        let mut budget = Budget { rows: MAX_ROWS_TRIED, sizes: FxHashMap::default() };
        let mut rules_of: FxHashMap<Relation, Vec<&Rule>> = FxHashMap::default();
        for rule in rules {
            rules_of.entry(rule.head.relation).or_default().push(rule);
        }
        for component in reading.static_components() {
            let is_known = |relation: &Relation| {
                component.contains(relation) || facts.tables.contains_key(relation)
            };
            if component.iter().flat_map(|relation| reading.read_by(*relation)).all(is_known) {
                let own = component.iter().filter_map(|relation| rules_of.get(relation)).flatten();
                let own: Vec<&Rule> = own.copied().collect();
                facts.evaluate_component(&component, &own, symbols, &mut budget);
            }
        }
        facts
    }

    /// Does some rule conclude the relation?
    pub(super) fn is_defined(&self, relation: Relation) -> bool {
        self.defined.contains(&relation)
    }

    /// The complete facts of a relation, if it is static and they are known.
    pub(super) fn table(&self, relation: Relation) -> Option<&Table> {
        self.tables.get(&relation)
    }

    fn evaluate_component(
        &mut self,
        component: &[Relation],
        rules: &[&Rule],
        symbols: &mut Symbols,
        budget: &mut Budget,
    ) {
        self.tables.extend(component.iter().map(|relation| (*relation, Table::default())));
        let mut fresh_from: Option<FxHashMap<Relation, usize>> = None;
        loop {
            let n_rows = |relation: &Relation| (*relation, self.tables[relation].rows.len());
            let upto: FxHashMap<Relation, usize> = component.iter().map(n_rows).collect();
            let mut join = Join::new(self, symbols, budget);
            let is_done = rules.iter().try_for_each(|rule| match &fresh_from {
                None => join.derive(rule, None),
                Some(fresh_from) => join.derive_fresh(rule, fresh_from),
            });
            let derived = join.derived;
            for (relation, row) in derived {
                self.tables.entry(relation).or_default().insert(row);
            }
            let is_grown =
                component.iter().any(|relation| self.tables[relation].rows.len() > upto[relation]);
            let is_large =
                component.iter().any(|relation| self.tables[relation].rows.len() > MAX_FACTS);
            if is_done.is_none() || is_large {
                self.tables.retain(|relation, _| !component.contains(relation));
                return;
            }
            if !is_grown {
                return;
            }
            fresh_from = Some(upto);
        }
    }
}
