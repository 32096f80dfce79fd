//! Shapes: which constants and functions can ever stand in which argument.
//!
//! In: rules. Out: for each argument of each relation and function the set of names that can stand
//! there. A least fixpoint: the variables of a head take the shapes that every positive condition on
//! them allows. Invariant: sound, a term that some state of some contest puts somewhere is counted;
//! the arguments of a function are kept once, wherever it stands.

use std::collections::VecDeque;

use indexmap::IndexSet;
use rulesmith_logic::Symbol;
use rustc_hash::FxBuildHasher;

use super::rule::{Formula, Functor, KifAtom, Relation, Rule};
use super::shape_set::ShapeSet;
use super::statement::KifTerm;

type Ordered<T> = IndexSet<T, FxBuildHasher>;

/// Whose argument it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Relation(Relation),
    Function(Functor),
}

/// The shapes of every argument.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    functors: Ordered<Functor>,
    positions: Ordered<(Owner, usize)>,
    sets: Vec<ShapeSet>,
}

/// The place, after the last argument, that says whether a relation can hold at all.
const IS_POSSIBLE: usize = usize::MAX;

impl Shapes {
    /// The least fixpoint; `None` when more than `max_steps` conditions were looked at.
    pub(super) fn analyze(rules: &[Rule], max_steps: usize) -> Option<Self> {
        let mut shapes = Self::default();
        let mut readers: Vec<Vec<usize>> = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            shapes.mention(rule, number, &mut readers);
        }
        shapes.sets = vec![ShapeSet::default(); shapes.positions.len()];
        let mut queue: VecDeque<usize> = (0..rules.len()).collect();
        let mut is_queued = vec![true; rules.len()];
        let weights: Vec<usize> = rules.iter().map(weight).collect();
        let mut steps = 0;
        while let Some(number) = queue.pop_front() {
            is_queued[number] = false;
            steps += weights[number];
            if steps > max_steps {
                return None;
            }
            for position in shapes.fire(&rules[number]) {
                for &reader in &readers[position] {
                    if !std::mem::replace(&mut is_queued[reader], true) {
                        queue.push_back(reader);
                    }
                }
            }
        }
        Some(shapes)
    }

    /// For each variable of the rule what it can stand for, `None` where that depends on which
    /// alternative holds. No answer when the rule can never fire.
    pub(super) fn variables(&self, rule: &Rule) -> Option<Vec<Option<ShapeSet>>> {
        let mut allowed = vec![None; rule.variables.len()];
        self.restrict_all(&rule.body, &mut allowed)?;
        Some(allowed)
    }

    /// The shapes of an argument, in the order of the text.
    pub(super) fn at(&self, owner: Owner, place: usize) -> impl Iterator<Item = Functor> + '_ {
        let position = self.positions.get_index_of(&(owner, place));
        let set = position.map(|position| &self.sets[position]);
        set.into_iter().flat_map(ShapeSet::iter).map(|shape| self.functors[shape])
    }

    /// All constants.
    pub(super) fn constants(&self) -> impl Iterator<Item = Symbol> + '_ {
        let constants = self.functors.iter().filter(|functor| functor.arity == 0);
        constants.map(|functor| functor.name)
    }

    /// The shapes of a set.
    pub(super) fn functors(&self, set: &ShapeSet) -> Vec<Functor> {
        set.iter().map(|shape| self.functors[shape]).collect()
    }

    /// Numbers the shapes and positions of a rule and notes which positions it reads.
    fn mention(&mut self, rule: &Rule, number: usize, readers: &mut Vec<Vec<usize>>) {
        let mut mention_atom = |atom: &KifAtom, is_read: bool| {
            let owner = Owner::Relation(atom.relation);
            let mut read = |shapes: &mut Self, owner, place| {
                let (position, is_new) = shapes.positions.insert_full((owner, place));
                if is_new {
                    readers.push(Vec::new());
                }
                if is_read && readers[position].last() != Some(&number) {
                    readers[position].push(number);
                }
            };
            read(self, owner, IS_POSSIBLE);
            for (place, arg) in atom.args.iter().enumerate() {
                read(self, owner, place);
                self.mention_term(arg, &mut read);
            }
        };
        mention_atom(&rule.head, false);
        for formula in &rule.body {
            formula.each_atom(&mut |atom, holds| mention_atom(atom, holds));
        }
    }

    fn mention_term(&mut self, term: &KifTerm, read: &mut dyn FnMut(&mut Self, Owner, usize)) {
        let Some(functor) = functor_of(term) else { return };
        self.functors.insert(functor);
        let KifTerm::Function(_, args) = term else { return };
        for (place, arg) in args.iter().enumerate() {
            read(self, Owner::Function(functor), place);
            self.mention_term(arg, read);
        }
    }

    /// Adds what the rule concludes; returns the positions that grew.
    fn fire(&mut self, rule: &Rule) -> Vec<usize> {
        let mut grown = Vec::new();
        let Some(allowed) = self.variables(rule) else { return grown };
        let owner = Owner::Relation(rule.head.relation);
        let nothing = ShapeSet::default();
        // Any shape will do as the mark; there is one whenever somebody reads an argument.
        self.grow(owner, IS_POSSIBLE, &ShapeSet::of(0), &mut grown);
        for (place, arg) in rule.head.args.iter().enumerate() {
            let allowed = |variable: usize| allowed[variable].as_ref().unwrap_or(&nothing);
            self.conclude((owner, place), arg, &allowed, &mut grown);
        }
        grown
    }

    fn conclude<'a>(
        &mut self,
        (owner, place): (Owner, usize),
        term: &KifTerm,
        allowed: &dyn Fn(usize) -> &'a ShapeSet,
        grown: &mut Vec<usize>,
    ) {
        if let KifTerm::Variable(variable) = term {
            self.grow(owner, place, allowed(*variable as usize), grown);
        }
        let Some(functor) = functor_of(term) else { return };
        let (shape, _) = self.functors.insert_full(functor);
        self.grow(owner, place, &ShapeSet::of(shape), grown);
        if let KifTerm::Function(_, args) = term {
            for (inner, arg) in args.iter().enumerate() {
                self.conclude((Owner::Function(functor), inner), arg, allowed, grown);
            }
        }
    }

    fn grow(&mut self, owner: Owner, place: usize, more: &ShapeSet, grown: &mut Vec<usize>) {
        if let Some(position) = self.positions.get_index_of(&(owner, place))
            && self.sets[position].add_all(more)
        {
            grown.push(position);
        }
    }

    /// Narrows the variables to what all conditions allow; `None` when one cannot hold.
    fn restrict_all(&self, body: &[Formula], allowed: &mut Vec<Option<ShapeSet>>) -> Option<()> {
        body.iter().try_for_each(|formula| match formula {
            Formula::Holds(atom) => self.restrict_atom(atom, allowed),
            Formula::AnyOf(branches) => self.restrict_any(branches, allowed),
            Formula::Fails(_) | Formula::Equal(..) | Formula::Distinct(..) => Some(()),
        })
    }

    fn restrict_atom(&self, atom: &KifAtom, allowed: &mut [Option<ShapeSet>]) -> Option<()> {
        let owner = Owner::Relation(atom.relation);
        let possible = self.positions.get_index_of(&(owner, IS_POSSIBLE))?;
        if self.sets[possible].is_empty() {
            return None;
        }
        let mut args = atom.args.iter().enumerate();
        args.try_for_each(|(place, arg)| self.restrict_term(owner, place, arg, allowed))
    }

    fn restrict_term(
        &self,
        owner: Owner,
        place: usize,
        term: &KifTerm,
        allowed: &mut [Option<ShapeSet>],
    ) -> Option<()> {
        let set = &self.sets[self.positions.get_index_of(&(owner, place))?];
        match term {
            KifTerm::Variable(variable) => {
                let before = &mut allowed[*variable as usize];
                let after = before.as_ref().map_or_else(|| set.clone(), |before| before.meet(set));
                let is_possible = !after.is_empty();
                *before = Some(after);
                is_possible.then_some(())
            }
            KifTerm::Constant(_) | KifTerm::Function(..) => {
                let functor = functor_of(term)?;
                if !set.contains(self.functors.get_index_of(&functor)?) {
                    return None;
                }
                let KifTerm::Function(_, args) = term else { return Some(()) };
                let mut args = args.iter().enumerate();
                args.try_for_each(|(inner, arg)| {
                    self.restrict_term(Owner::Function(functor), inner, arg, allowed)
                })
            }
        }
    }

    /// What at least one alternative allows.
    fn restrict_any(
        &self,
        branches: &[Vec<Formula>],
        allowed: &mut Vec<Option<ShapeSet>>,
    ) -> Option<()> {
        let mut joined: Option<Vec<Option<ShapeSet>>> = None;
        for branch in branches {
            let mut inside = allowed.clone();
            if self.restrict_all(branch, &mut inside).is_none() {
                continue;
            }
            match &mut joined {
                None => joined = Some(inside),
                Some(joined) => {
                    for (all, one) in joined.iter_mut().zip(inside) {
                        *all = all.take().zip(one).map(|(mut all, one)| {
                            all.add_all(&one);
                            all
                        });
                    }
                }
            }
        }
        *allowed = joined?;
        Some(())
    }
}

/// What it costs to look at a rule.
fn weight(rule: &Rule) -> usize {
    fn of_body(body: &[Formula], n_variables: usize) -> usize {
        let of_formula = |formula: &Formula| match formula {
            Formula::AnyOf(branches) => {
                branches.iter().map(|branch| n_variables + of_body(branch, n_variables)).sum()
            }
            _ => 1,
        };
        body.iter().map(of_formula).sum()
    }
    1 + of_body(&rule.body, rule.variables.len())
}

/// Name and arity of a term that is no variable.
pub(super) fn functor_of(term: &KifTerm) -> Option<Functor> {
    match term {
        KifTerm::Variable(_) => None,
        KifTerm::Constant(name) => Some(Functor { name: *name, arity: 0 }),
        KifTerm::Function(name, args) => Some(Functor { name: *name, arity: args.len() }),
    }
}
