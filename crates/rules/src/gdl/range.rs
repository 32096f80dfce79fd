//! Ranges: the ground terms that a variable can stand for, as facts and a condition.
//!
//! In: shapes of an argument. Out: every term that they allow, and rules with conditions that list
//! them. Invariant: all terms are there, or the answer is `None`.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rulesmith_logic::Symbols;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::keyword::UNSPELLABLE;
use super::rule::{Formula, Functor, KifAtom, Relation, Rule};
use super::shapes::{Owner, Shapes};
use super::statement::KifTerm;

/// The values of variables, by the number of the rule.
pub(super) type Ranges = BTreeMap<(usize, u32), Vec<KifTerm>>;

/// Names that the values of one argument may have in them together.
const MAX_NAMES: usize = 20_000;

/// Functions inside functions.
const MAX_NESTING: usize = 100;

/// The ground terms that can stand in an argument; `None` when they are endless or too many.
pub(super) fn values(shapes: &Shapes, owner: Owner, place: usize) -> Option<Vec<KifTerm>> {
    Listing { shapes, inside: Vec::new(), names_left: MAX_NAMES }.values(owner, place)
}

struct Listing<'a> {
    shapes: &'a Shapes,
    /// The arguments that are being listed: one that comes again has no end.
    inside: Vec<(Owner, usize)>,
    names_left: usize,
}

impl Listing<'_> {
    fn values(&mut self, owner: Owner, place: usize) -> Option<Vec<KifTerm>> {
        if self.inside.len() >= MAX_NESTING || self.inside.contains(&(owner, place)) {
            return None;
        }
        self.inside.push((owner, place));
        let mut found = Vec::new();
        for functor in self.shapes.at(owner, place) {
            let mut tuples: Vec<Vec<KifTerm>> = vec![Vec::new()];
            for inner in 0..functor.arity {
                let args = self.values(Owner::Function(functor), inner)?;
                tuples = self.longer(&tuples, &args)?;
            }
            self.names_left = self.names_left.checked_sub(tuples.len())?;
            found.extend(tuples.into_iter().map(|tuple| match functor.arity {
                0 => KifTerm::Constant(functor.name),
                _ => KifTerm::Function(functor.name, tuple),
            }));
        }
        self.inside.pop();
        Some(found)
    }

    fn longer(&mut self, tuples: &[Vec<KifTerm>], args: &[KifTerm]) -> Option<Vec<Vec<KifTerm>>> {
        let n_names = |terms: &[KifTerm]| terms.iter().map(size).sum::<usize>();
        let n_before: usize = tuples.iter().map(|tuple| n_names(tuple)).sum();
        let n_made = n_before * args.len() + tuples.len() * n_names(args);
        self.names_left = self.names_left.checked_sub(n_made)?;
        let longer = |tuple: &Vec<KifTerm>| {
            let with = |arg: &KifTerm| tuple.iter().chain([arg]).cloned().collect();
            args.iter().map(with).collect::<Vec<_>>()
        };
        Some(tuples.iter().flat_map(longer).collect())
    }
}

/// How many names the term has in it.
fn size(term: &KifTerm) -> usize {
    match term {
        KifTerm::Function(_, args) => 1 + args.iter().map(size).sum::<usize>(),
        KifTerm::Variable(_) | KifTerm::Constant(_) => 1,
    }
}

/// Adds the ranges as facts and conditions; a rule that nobody asks for is left out.
pub(super) fn add_ranges(rules: &mut Vec<Rule>, ranges: Ranges, symbols: &mut Symbols) {
    let mut relations: IndexMap<Vec<KifTerm>, Relation, FxBuildHasher> = IndexMap::default();
    let mut unasked = FxHashSet::default();
    for ((number, variable), mut values) in ranges {
        values.sort_unstable();
        if values.is_empty() {
            unasked.insert(number);
            continue;
        }
        let next = relations.len() + 1;
        let relation = *relations.entry(values).or_insert_with(|| {
            let name = symbols.symbol(&format!("{UNSPELLABLE}range_{next}"));
            Relation::Plain(Functor { name, arity: 1 })
        });
        let args = vec![KifTerm::Variable(variable)];
        rules[number].body.push(Formula::Holds(KifAtom { relation, args }));
    }
    let mut number = 0..;
    rules.retain(|_| !number.next().is_some_and(|number| unasked.contains(&number)));
    for (values, relation) in relations {
        rules.extend(values.into_iter().map(|value| Rule::fact(relation, value)));
    }
}
