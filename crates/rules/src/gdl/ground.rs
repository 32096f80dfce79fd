//! Static facts: what the relations that never change hold of, from the bottom up.
//!
//! In: rules. Out: for each relation that reads neither the state nor the moves its complete facts,
//! as far as a budget reaches; `init` is among them. Semi-naive, one strong component after the
//! other. Invariant: facts are complete or not given at all; nothing here decides what a game does,
//! the facts only serve proofs.

use indexmap::{IndexMap, IndexSet};
use rulesmith_logic::{Symbols, Value};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::components::strong_components;
use super::join::Join;
use super::rule::{Formula, Relation, Rule};

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

/// Complete facts by relation.
#[derive(Debug, Default)]
pub(super) struct StaticFacts {
    tables: FxHashMap<Relation, Table>,
    changing: FxHashSet<Relation>,
    /// The relations that some rule concludes.
    defined: FxHashSet<Relation>,
}

impl StaticFacts {
    /// Evaluates every relation that never changes.
    pub(super) fn evaluate(rules: &[Rule], symbols: &mut Symbols) -> Self {
        let graph = ReadGraph::new(rules);
        let defined = rules.iter().map(|rule| rule.head.relation).collect();
        let mut facts = Self { tables: FxHashMap::default(), changing: graph.changing(), defined };
        let mut left = MAX_ROWS_TRIED;
        let mut rules_of: FxHashMap<Relation, Vec<&Rule>> = FxHashMap::default();
        for rule in rules {
            rules_of.entry(rule.head.relation).or_default().push(rule);
        }
        for component in graph.components() {
            let is_known = |relation: &Relation| {
                component.contains(relation) || facts.tables.contains_key(relation)
            };
            if component.iter().flat_map(|relation| &graph.reads[relation]).all(is_known) {
                let own = component.iter().filter_map(|relation| rules_of.get(relation)).flatten();
                let own: Vec<&Rule> = own.copied().collect();
                facts.evaluate_component(&component, &own, symbols, &mut left);
            }
        }
        facts
    }

    /// Does the relation depend on the state or on the moves?
    pub(super) fn is_changing(&self, relation: Relation) -> bool {
        self.changing.contains(&relation)
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
        left: &mut usize,
    ) {
        self.tables.extend(component.iter().map(|relation| (*relation, Table::default())));
        let mut fresh_from: Option<FxHashMap<Relation, usize>> = None;
        loop {
            let n_rows = |relation: &Relation| (*relation, self.tables[relation].rows.len());
            let upto: FxHashMap<Relation, usize> = component.iter().map(n_rows).collect();
            let mut join = Join::new(self, symbols, left);
            let is_done = rules.iter().try_for_each(|rule| match &fresh_from {
                None => join.derive(rule, None),
                Some(fresh_from) => join.derive_fresh(rule, fresh_from),
            });
            let derived = join.derived;
            for (relation, row) in derived {
                self.tables.entry(relation).or_default().insert(row);
            }
            let is_grown = component.iter().any(|relation| self.tables[relation].rows.len() > upto[relation]);
            let is_large = component.iter().any(|relation| self.tables[relation].rows.len() > MAX_FACTS);
            if is_done.is_none() || is_large {
                component.iter().for_each(|relation| drop(self.tables.remove(relation)));
                return;
            }
            if !is_grown {
                return;
            }
            fresh_from = Some(upto);
        }
    }
}

/// Which relations each relation reads.
struct ReadGraph {
    reads: IndexMap<Relation, Vec<Relation>, FxBuildHasher>,
}

impl ReadGraph {
    fn new(rules: &[Rule]) -> Self {
        let mut reads: IndexMap<Relation, Vec<Relation>, FxBuildHasher> = IndexMap::default();
        for rule in rules {
            reads.entry(rule.head.relation).or_default();
            let mut visit = |relation| {
                reads.entry(relation).or_default();
                reads.entry(rule.head.relation).or_default().push(relation);
            };
            let each = |formula: &Formula| formula.each_atom(&mut |atom, _| visit(atom.relation));
            rule.body.iter().for_each(each);
        }
        for read in reads.values_mut() {
            read.sort_unstable();
            read.dedup();
        }
        Self { reads }
    }

    /// The relations that read the state or the moves, directly or not.
    fn changing(&self) -> FxHashSet<Relation> {
        let mut read_by: FxHashMap<Relation, Vec<Relation>> = FxHashMap::default();
        for (reader, relations) in &self.reads {
            for relation in relations {
                read_by.entry(*relation).or_default().push(*reader);
            }
        }
        let is_world =
            |relation: &Relation| matches!(relation, Relation::HoldsOf(_) | Relation::DoesOf(_));
        let mut queue: Vec<Relation> = self.reads.keys().copied().filter(is_world).collect();
        let mut changing: FxHashSet<Relation> = queue.iter().copied().collect();
        while let Some(relation) = queue.pop() {
            for reader in read_by.get(&relation).into_iter().flatten() {
                if changing.insert(*reader) {
                    queue.push(*reader);
                }
            }
        }
        changing
    }

    /// The strong components of the static relations, those that are read first.
    fn components(&self) -> Vec<Vec<Relation>> {
        let changing = self.changing();
        let index = |relation: &Relation| self.reads.get_index_of(relation);
        let successors: Vec<Vec<usize>> =
            self.reads.values().map(|read| read.iter().filter_map(index).collect()).collect();
        let numbers = strong_components(&successors);
        let mut components = vec![Vec::new(); self.reads.len()];
        for (relation, number) in self.reads.keys().zip(numbers) {
            components[number].push(*relation);
        }
        components.retain(|component| {
            !component.is_empty() && component.iter().all(|relation| !changing.contains(relation))
        });
        components
    }
}
