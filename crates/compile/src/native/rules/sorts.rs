//! Sorts: the columns and variables of a rule that have their values in common, and numbers for the values.
//!
//! In: clauses, and the relations of memories. Out: for each column the sort it is of; for each sort a
//! number for each value. A sort that nothing fixed mentions (no static fact, constant or input) is numbered
//! memory by memory, so that its planes are as narrow as a memory needs. Invariant: two numbers of one
//! sort are equal exactly when the values are.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{PredicateId, Term, Value, Var};
use rulesmith_matching::{Procedure, Relation, Universe, ValueId};
use rustc_hash::FxHashMap;

use super::super::Obstacle;
use super::asked::{Asked, Clause};

/// A place where values stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Column(PredicateId, usize),
    Variable(Var),
    Head(usize),
}

/// The sorts of a rule.
#[derive(Debug, Default)]
pub(super) struct Sorts {
    slots: BTreeMap<Slot, usize>,
    sorts: Vec<Sort>,
}

/// Values that may meet.
#[derive(Debug, Default)]
struct Sort {
    /// Does anything fixed mention it? Else it is numbered memory by memory.
    is_fixed: bool,
    numbering: Numbering,
    /// How many numbers there are at most.
    size: usize,
}

/// Numbers for values.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    pub(super) values: Vec<ValueId>,
    numbers: FxHashMap<ValueId, u32>,
}

impl Numbering {
    fn add(&mut self, value: ValueId) -> u32 {
        let next = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }
}

/// Rows of numbers.
pub(super) type Rows = Vec<Vec<u32>>;

/// The facts of a memory by numbers.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) rows: BTreeMap<PredicateId, Rows>,
    /// For each sort that is numbered memory by memory, its values.
    pub(super) own: Vec<Numbering>,
}

impl Sorts {
    /// The sorts of some clauses that answer a procedure.
    pub(super) fn new(universe: &Universe, procedure: &Procedure, clauses: &[Clause]) -> Self {
        let mut groups = Groups::default();
        for clause in clauses {
            for condition in &clause.conditions {
                groups.condition(universe, condition);
            }
            for (place, term) in clause.head.iter().enumerate() {
                groups.join(universe, Slot::Head(place), *term);
            }
        }
        for var in &procedure.tree.inputs {
            let slot = groups.slot(Slot::Variable(*var));
            groups.inputs.push(slot);
        }
        groups.into_sorts(universe)
    }

    /// The facts of relations that never change count as fixed.
    pub(super) fn fix(&mut self, universe: &Universe, predicate: PredicateId, relation: &Relation) {
        for column in 0..relation.arity() {
            let Some(&sort) = self.slots.get(&Slot::Column(predicate, column)) else { continue };
            let mut values: Vec<Value> =
                relation.rows().map(|row| universe.value(row[column])).collect();
            values.sort_unstable();
            let sort = &mut self.sorts[sort];
            sort.is_fixed = true;
            for value in values {
                sort.numbering.add(universe.id(value));
            }
        }
    }

    /// Numbers the values of a memory that fixed sorts do not have yet.
    pub(super) fn widen(&mut self, predicate: PredicateId, relation: &Relation) {
        for column in 0..relation.arity() {
            let Some(&sort) = self.slots.get(&Slot::Column(predicate, column)) else { continue };
            let sort = &mut self.sorts[sort];
            if sort.is_fixed {
                for row in relation.rows() {
                    sort.numbering.add(row[column]);
                }
            }
        }
    }

    /// Makes room for the facts of a memory; to be called when all fixed values are known.
    pub(super) fn make_room(&mut self, facts: &Facts) {
        for (sort, own) in self.sorts.iter_mut().zip(&facts.own) {
            let n_values = own.values.len().max(sort.numbering.values.len());
            sort.size = sort.size.max(n_values).max(1);
        }
    }

    /// A memory without facts.
    pub(super) fn no_facts(&self) -> Facts {
        let own = vec![Numbering::default(); self.sorts.len()];
        Facts { rows: BTreeMap::new(), own }
    }

    /// Adds the rows of a relation; a value that a fixed sort does not have is an obstacle.
    pub(super) fn number(
        &self,
        facts: &mut Facts,
        predicate: PredicateId,
        relation: &Relation,
    ) -> Result<(), Obstacle> {
        let mut rows = Vec::with_capacity(relation.len());
        for row in relation.rows() {
            let mut numbers = Vec::with_capacity(row.len());
            for (column, value) in row.iter().enumerate() {
                let sort = self.slots[&Slot::Column(predicate, column)];
                numbers.push(if self.sorts[sort].is_fixed {
                    self.number_of(sort, *value)?
                } else {
                    facts.own[sort].add(*value)
                });
            }
            rows.push(numbers);
        }
        facts.rows.insert(predicate, rows);
        Ok(())
    }

    /// Are the sorts of a memory as large as was made room for?
    pub(super) fn fits(&self, facts: &Facts) -> bool {
        let pairs = self.sorts.iter().zip(&facts.own);
        pairs.into_iter().all(|(sort, own)| own.values.len() <= sort.size)
    }

    fn number_of(&self, sort: usize, value: ValueId) -> Result<u32, Obstacle> {
        let known = self.sorts[sort].numbering.numbers.get(&value).copied();
        known.ok_or_else(|| Obstacle::new("a value that the rule's kernels have no number for"))
    }

    /// The number of a value where a slot is.
    pub(super) fn number_at(&self, slot: Slot, value: ValueId) -> Result<u32, Obstacle> {
        self.number_of(self.sort(slot), value)
    }

    pub(super) fn sort(&self, slot: Slot) -> usize {
        self.slots[&slot]
    }

    /// How many numbers there are at a slot.
    pub(super) fn size(&self, slot: Slot) -> usize {
        self.sorts[self.sort(slot)].size
    }

    /// The words of a plane of what may stand at a slot.
    pub(super) fn width(&self, slot: Slot) -> u16 {
        u16::try_from(self.size(slot).div_ceil(64)).unwrap_or(u16::MAX)
    }

    /// The bits that every number at a slot fits into.
    pub(super) fn bits(&self, slot: Slot) -> u32 {
        usize::BITS - self.size(slot).saturating_sub(1).leading_zeros()
    }

    /// The value of a number.
    pub(super) fn value(&self, slot: Slot, own: &[Numbering], number: u64) -> Option<ValueId> {
        let sort = self.sort(slot);
        let fixed = &self.sorts[sort];
        let numbering = if fixed.is_fixed { &fixed.numbering } else { own.get(sort)? };
        numbering.values.get(usize::try_from(number).ok()?).copied()
    }
}

/// Slots that are found to be of one sort.
#[derive(Debug, Default)]
struct Groups {
    slots: BTreeMap<Slot, usize>,
    parents: Vec<usize>,
    constants: Vec<(usize, ValueId)>,
    inputs: Vec<usize>,
}

impl Groups {
    fn slot(&mut self, slot: Slot) -> usize {
        *self.slots.entry(slot).or_insert_with(|| {
            self.parents.push(self.parents.len());
            self.parents.len() - 1
        })
    }

    fn root(&self, mut slot: usize) -> usize {
        while self.parents[slot] != slot {
            slot = self.parents[slot];
        }
        slot
    }

    fn condition(&mut self, universe: &Universe, condition: &Asked) {
        match condition {
            Asked::Holds(predicate, args) => {
                for (column, term) in args.iter().enumerate() {
                    self.join(universe, Slot::Column(*predicate, column), *term);
                }
            }
            Asked::Compare { left: Term::Var(var), right: other, .. }
            | Asked::Compare { left: other, right: Term::Var(var), .. } => {
                self.join(universe, Slot::Variable(*var), *other);
            }
            Asked::Compare { .. } => {}
        }
    }

    fn join(&mut self, universe: &Universe, slot: Slot, term: Term) {
        let slot = self.slot(slot);
        match term {
            Term::Var(var) => {
                let other = self.slot(Slot::Variable(var));
                let (one, other) = (self.root(slot), self.root(other));
                self.parents[one] = other;
            }
            Term::Value(value) => self.constants.push((slot, universe.id(value))),
        }
    }

    fn into_sorts(self, universe: &Universe) -> Sorts {
        let roots: BTreeSet<usize> = (0..self.parents.len()).map(|slot| self.root(slot)).collect();
        let numbers: BTreeMap<usize, usize> = roots.into_iter().zip(0..).collect();
        let mut sorts: Vec<Sort> = numbers.iter().map(|_| Sort::default()).collect();
        let number = |slot: usize| numbers[&self.root(slot)];
        // Whoever asks may ask about any value there is.
        for slot in &self.inputs {
            let sort = &mut sorts[number(*slot)];
            sort.is_fixed = true;
            let mut values: Vec<Value> =
                universe.ids().into_iter().map(|id| universe.value(id)).collect();
            values.sort_unstable();
            for value in values {
                sort.numbering.add(universe.id(value));
            }
        }
        for (slot, value) in &self.constants {
            let sort = &mut sorts[number(*slot)];
            sort.is_fixed = true;
            sort.numbering.add(*value);
        }
        let slots = self.slots.iter().map(|(slot, place)| (*slot, number(*place))).collect();
        Sorts { slots, sorts }
    }
}
