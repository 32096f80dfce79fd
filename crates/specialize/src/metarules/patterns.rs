//! Patterns: connected conjunctions of static atoms, each shape once.
//!
//! In: static relations. Out: patterns of one atom, and patterns with one atom more. Invariant: two
//! patterns of one level are no variants of each other; the order depends on nothing but the facts.
//!
//! Conventions, which make the counts comparable:
//! - A pattern is a *set* of atoms over variables, up to renaming; no constants.
//! - A variable stands only in columns of one class. Columns are of one class when they have the same
//!   declared domain, or, where none is declared, when they share a value.
//! - Atoms must be linked. A *label* is a column whose class occurs once in a relation that has
//!   another class more than once: `direction` in `connected(cell, cell, direction)`. Two atoms are
//!   linked by a variable they share that is not a label in both.

use std::collections::BTreeSet;

use rulesmith_logic::{Atom, Condition, PredicateId, Term, Value, Var};
use rustc_hash::FxHashSet;

use super::canonical::{Key, canonical_with};
use super::dependency::Consequence;
use crate::static_facts::StaticFacts;

/// The shape of a relation as far as patterns care.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) predicate: PredicateId,
    /// The class of each column.
    pub(crate) classes: Vec<usize>,
    /// Is the column no more than a label?
    labels: Vec<bool>,
}

/// A connected set of atoms over variables numbered from zero.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) atoms: Vec<Atom>,
    /// The class of each variable.
    pub(crate) classes: Vec<usize>,
    pub(crate) key: Key,
}

impl Shape {
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        self.atoms.iter().cloned().map(Condition::Holds).collect()
    }
}

/// The relations patterns are made of: at most ternary, and not larger than `rows_limit`.
pub(crate) fn relations(facts: &StaticFacts, rows_limit: usize) -> Vec<Relation> {
    let chosen: Vec<PredicateId> = facts
        .predicates()
        .filter(|&id| {
            facts.relation(id).is_some_and(|relation| {
                (1..=3).contains(&relation.columns.len()) && relation.rows.len() <= rows_limit
            })
        })
        .collect();
    let columns: Vec<(PredicateId, usize)> = chosen
        .iter()
        .flat_map(|&id| {
            let arity = facts.relation(id).map_or(0, |relation| relation.columns.len());
            (0..arity).map(move |column| (id, column))
        })
        .collect();
    let classes = column_classes(facts, &columns);
    let class_of = |id: PredicateId, column: usize| {
        let place = columns.iter().position(|other| *other == (id, column));
        place.map_or(usize::MAX, |place| classes[place])
    };
    let relation = |id: PredicateId| {
        let arity = facts.relation(id).map_or(0, |relation| relation.columns.len());
        let classes: Vec<usize> = (0..arity).map(|column| class_of(id, column)).collect();
        let times = |class: usize| classes.iter().filter(|other| **other == class).count();
        let has_repeated = classes.iter().any(|&class| times(class) > 1);
        let labels = classes.iter().map(|&class| has_repeated && times(class) == 1).collect();
        Relation { predicate: id, labels, classes }
    };
    chosen.into_iter().map(relation).collect()
}

/// One number for each class of columns.
fn column_classes(facts: &StaticFacts, columns: &[(PredicateId, usize)]) -> Vec<usize> {
    let relation = |place: usize| facts.relation(columns[place].0);
    let domain = |place: usize| relation(place).and_then(|found| found.columns[columns[place].1]);
    let values: Vec<FxHashSet<Value>> = (0..columns.len())
        .map(|place| {
            let rows = relation(place).map_or(&[][..], |found| &found.rows);
            rows.iter().map(|row| row[columns[place].1]).collect()
        })
        .collect();
    let mut classes: Vec<usize> = (0..columns.len()).collect();
    for left in 0..columns.len() {
        for right in 0..left {
            let meet = match (domain(left), domain(right)) {
                (Some(one), Some(other)) => one == other,
                (None, None) => values[left].iter().any(|value| values[right].contains(value)),
                _ => false,
            };
            if meet && classes[left] != classes[right] {
                let (from, to) = (classes[left], classes[right]);
                for class in &mut classes {
                    if *class == from {
                        *class = to;
                    }
                }
            }
        }
    }
    classes
}

/// The binary relations that hold both ways whenever they hold one way.
pub(crate) fn symmetric(facts: &StaticFacts, relations: &[Relation]) -> BTreeSet<PredicateId> {
    let is_symmetric = |relation: &&Relation| {
        let memory = facts.memory().relation(relation.predicate);
        relation.classes.len() == 2
            && relation.classes[0] == relation.classes[1]
            && memory.is_some_and(|memory| {
                !memory.is_empty() && memory.rows().all(|row| memory.contains(&[row[1], row[0]]))
            })
    };
    relations.iter().filter(is_symmetric).map(|relation| relation.predicate).collect()
}

/// What patterns may grow to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth<'g> {
    pub(crate) relations: &'g [Relation],
    pub(crate) symmetric: &'g BTreeSet<PredicateId>,
    pub(crate) n_variables: usize,
}

impl Growth<'_> {
    /// The patterns of one atom, or those with one atom more than the given one.
    pub(crate) fn grow(&self, from: Option<&Shape>) -> Vec<Shape> {
        let mut grown = Vec::new();
        for relation in self.relations {
            let classes = from.map_or(&[][..], |shape| &shape.classes);
            self.fill(relation, classes, &mut Vec::new(), &mut |args, classes| {
                if from.is_none_or(|shape| self.is_linked(shape, relation, args)) {
                    grown.extend(self.shape(from, relation, args, classes));
                }
            });
        }
        grown
    }

    /// Tries all variables for the next column of an atom: those there are, then one that is new.
    fn fill(
        &self,
        relation: &Relation,
        classes: &[usize],
        args: &mut Vec<usize>,
        found: &mut dyn FnMut(&[usize], &[usize]),
    ) {
        let Some(&class) = relation.classes.get(args.len()) else {
            return found(args, classes);
        };
        for var in (0..classes.len()).filter(|&var| classes[var] == class) {
            args.push(var);
            self.fill(relation, classes, args, found);
            args.pop();
        }
        if classes.len() < self.n_variables {
            let more = [classes, &[class]].concat();
            args.push(classes.len());
            self.fill(relation, &more, args, found);
            args.pop();
        }
    }

    /// Does the new atom share a variable with an old one that is not a label in both?
    fn is_linked(&self, shape: &Shape, relation: &Relation, args: &[usize]) -> bool {
        let has_link = |atom: &Atom| {
            let other = self.relations.iter().find(|other| other.predicate == atom.predicate);
            let Some(other) = other else { return false };
            args.iter().enumerate().any(|(column, &var)| {
                atom.args.iter().enumerate().any(|(other_column, term)| {
                    *term == variable(var)
                        && !(relation.labels[column] && other.labels[other_column])
                })
            })
        };
        shape.atoms.iter().any(has_link)
    }

    /// The canonical shape, unless the atom was there before.
    fn shape(
        &self,
        from: Option<&Shape>,
        relation: &Relation,
        args: &[usize],
        classes: &[usize],
    ) -> Option<Shape> {
        let mut atoms = from.map_or_else(Vec::new, |shape| shape.atoms.clone());
        let args = args.iter().map(|&var| variable(var)).collect();
        atoms.push(Atom { predicate: relation.predicate, args });
        let body: Vec<Condition> = atoms.iter().cloned().map(Condition::Holds).collect();
        let form = canonical_with(&body, &Consequence::Impossible, self.symmetric);
        if form.body.len() < atoms.len() {
            return None;
        }
        let atoms: Vec<Atom> = form
            .body
            .into_iter()
            .filter_map(|part| if let Condition::Holds(atom) = part { Some(atom) } else { None })
            .collect();
        let mut renamed = vec![usize::MAX; classes.len()];
        for atom in &atoms {
            let relation = self.relations.iter().find(|one| one.predicate == atom.predicate)?;
            for (term, class) in atom.args.iter().zip(&relation.classes) {
                if let Term::Var(var) = term {
                    renamed[usize::from(var.0)] = *class;
                }
            }
        }
        Some(Shape { atoms, classes: renamed, key: form.key })
    }
}

fn variable(number: usize) -> Term {
    Term::Var(Var(u16::try_from(number).expect("patterns have few variables")))
}
