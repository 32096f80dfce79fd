//! Who reads whom: the relations that the rules of each relation mention.
//!
//! In: rules by kind. Out: which relations change from state to state or from step to step, cycles
//! of static ones, and which relations the game needs at all. Invariant: linear in the rules.

use indexmap::IndexMap;
use rulesmith_logic::Level;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::components::strong_components;
use super::keyword::Keywords;
use super::rule::{Formula, Relation, Rule};

/// For each relation those that its rules read.
#[derive(Debug)]
pub(super) struct Reading {
    reads: IndexMap<Relation, Vec<Relation>, FxBuildHasher>,
}

impl Reading {
    pub(super) fn new(rules: &[Rule]) -> Self {
        let mut reads: IndexMap<Relation, Vec<Relation>, FxBuildHasher> = IndexMap::default();
        for rule in rules {
            let mut read = Vec::new();
            let mut each =
                |formula: &Formula| formula.each_atom(&mut |atom, _| read.push(atom.relation));
            rule.body.iter().for_each(&mut each);
            for relation in &read {
                reads.entry(*relation).or_default();
            }
            reads.entry(rule.head.relation).or_default().extend(read);
        }
        for read in reads.values_mut() {
            read.sort_unstable();
            read.dedup();
        }
        Self { reads }
    }

    /// The relations that the rules of this one read.
    pub(super) fn read_by(&self, relation: Relation) -> &[Relation] {
        self.reads.get(&relation).map_or(&[], Vec::as_slice)
    }

    /// All relations that some rule reads.
    pub(super) fn all_read(&self) -> FxHashSet<Relation> {
        self.reads.values().flatten().copied().collect()
    }

    /// The relations that read the state or the moves, directly or not.
    pub(super) fn changing(&self) -> FxHashSet<Relation> {
        self.readers_of(|relation| matches!(relation, Relation::HoldsOf(_) | Relation::DoesOf(_)))
    }

    /// When the answers of each relation may change; static where nothing is said.
    pub(super) fn levels(&self) -> FxHashMap<Relation, Level> {
        let mut levels = FxHashMap::default();
        levels.extend(self.changing().into_iter().map(|relation| (relation, Level::State)));
        let of_steps = self.readers_of(|relation| matches!(relation, Relation::DoesOf(_)));
        levels.extend(of_steps.into_iter().map(|relation| (relation, Level::Step)));
        levels
    }

    /// The relations that satisfy the test, and all that read them, directly or not.
    pub(super) fn readers_of(&self, is_source: impl Fn(&Relation) -> bool) -> FxHashSet<Relation> {
        let mut readers: FxHashMap<Relation, Vec<Relation>> = FxHashMap::default();
        for (reader, relations) in &self.reads {
            for relation in relations {
                readers.entry(*relation).or_default().push(*reader);
            }
        }
        let sources = self.reads.keys().copied().filter(is_source);
        closure(sources.collect(), |relation| readers.get(&relation).map_or(&[], Vec::as_slice))
    }

    /// The relations that make up the game: all but `base` and `input` and what only they read.
    pub(super) fn needed(&self, keywords: &Keywords) -> FxHashSet<Relation> {
        let read = self.all_read();
        let is_root = |relation: &Relation| match relation {
            Relation::Plain(functor) => {
                ![keywords.base, keywords.input].contains(&functor.name) && !read.contains(relation)
            }
            _ => true,
        };
        closure(self.reads.keys().copied().filter(is_root).collect(), |relation| {
            self.read_by(relation)
        })
    }

    /// The strong components of the static relations, those that are read first.
    pub(super) fn static_components(&self) -> Vec<Vec<Relation>> {
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

/// The relations reached from some.
fn closure<'a>(
    mut queue: Vec<Relation>,
    next: impl Fn(Relation) -> &'a [Relation],
) -> FxHashSet<Relation> {
    let mut reached: FxHashSet<Relation> = queue.iter().copied().collect();
    while let Some(relation) = queue.pop() {
        for &other in next(relation) {
            if reached.insert(other) {
                queue.push(other);
            }
        }
    }
    reached
}
