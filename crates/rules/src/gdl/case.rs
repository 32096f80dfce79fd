//! A case of a proof: conditions assumed together, over unknowns.
//!
//! In: conditions of rules under renamed variables. Out: what follows by unification. Invariant: a
//! case only grows; its variables stand for some ground terms, the same everywhere in the case.

use rulesmith_logic::{Symbols, Value};

use super::rule::{Formula, KifAtom};
use super::statement::KifTerm;

/// A contradiction was found: the case cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contradiction;

/// Conditions assumed together.
#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    bindings: Vec<Option<KifTerm>>,
    pub(super) holds: Vec<Assumption>,
    pub(super) fails: Vec<KifAtom>,
    pub(super) distinct: Vec<(KifTerm, KifTerm)>,
}

/// An atom that holds.
#[derive(Clone, Debug)]
pub(super) struct Assumption {
    pub(super) atom: KifAtom,
    /// Was it replaced by what it follows from?
    pub(super) is_unfolded: bool,
}

impl Case {
    /// Makes room for the variables of a rule; returns the number of the first.
    pub(super) fn fresh(&mut self, n_variables: u32) -> u32 {
        let first = self.n_variables();
        self.bindings.resize(self.bindings.len() + n_variables as usize, None);
        first
    }

    /// How many variables it speaks of.
    pub(super) fn n_variables(&self) -> u32 {
        u32::try_from(self.bindings.len()).expect("a case has few variables")
    }

    /// How many of its variables are known.
    pub(super) fn n_known(&self) -> usize {
        self.bindings.iter().flatten().count()
    }

    /// Assumes a condition.
    pub(super) fn assume(&mut self, formula: &Formula) -> Result<(), Contradiction> {
        match formula {
            Formula::Holds(atom) => {
                self.holds.push(Assumption { atom: atom.clone(), is_unfolded: false });
            }
            Formula::Fails(atom) => self.fails.push(atom.clone()),
            Formula::Equal(left, right) => self.unify(left, right)?,
            Formula::Distinct(left, right) => self.distinct.push((left.clone(), right.clone())),
            // Assuming less is sound.
            Formula::AnyOf(_) => {}
        }
        Ok(())
    }

    /// Makes two terms equal.
    pub(super) fn unify(&mut self, left: &KifTerm, right: &KifTerm) -> Result<(), Contradiction> {
        let (left, right) = (self.walk(left), self.walk(right));
        match (&left, &right) {
            _ if left == right => Ok(()),
            (KifTerm::Variable(variable), other) | (other, KifTerm::Variable(variable)) => {
                if self.occurs(*variable, other) {
                    return Err(Contradiction);
                }
                self.bindings[*variable as usize] = Some(other.clone());
                Ok(())
            }
            (KifTerm::Function(f, xs), KifTerm::Function(g, ys))
                if f == g && xs.len() == ys.len() =>
            {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.unify(x, y))
            }
            _ => Err(Contradiction),
        }
    }

    /// Makes the atoms' arguments equal.
    pub(super) fn unify_args(
        &mut self,
        left: &[KifTerm],
        right: &[KifTerm],
    ) -> Result<(), Contradiction> {
        left.iter().zip(right).try_for_each(|(left, right)| self.unify(left, right))
    }

    /// Makes a term equal to a value.
    pub(super) fn unify_value(
        &mut self,
        term: &KifTerm,
        value: Value,
        symbols: &Symbols,
    ) -> Result<(), Contradiction> {
        self.unify(term, &term_of(value, symbols))
    }

    fn walk(&self, term: &KifTerm) -> KifTerm {
        let mut term = term;
        while let KifTerm::Variable(variable) = term
            && let Some(bound) = &self.bindings[*variable as usize]
        {
            term = bound;
        }
        term.clone()
    }

    fn occurs(&self, variable: u32, term: &KifTerm) -> bool {
        match self.walk(term) {
            KifTerm::Variable(other) => other == variable,
            KifTerm::Constant(_) => false,
            KifTerm::Function(_, args) => args.iter().any(|arg| self.occurs(variable, arg)),
        }
    }

    /// The term with all that is known put in.
    pub(super) fn resolve(&self, term: &KifTerm) -> KifTerm {
        match self.walk(term) {
            KifTerm::Function(functor, args) => {
                KifTerm::Function(functor, args.iter().map(|arg| self.resolve(arg)).collect())
            }
            other => other,
        }
    }

    fn resolve_atom(&self, atom: &KifAtom) -> KifAtom {
        let args = atom.args.iter().map(|arg| self.resolve(arg)).collect();
        KifAtom { relation: atom.relation, args }
    }

    /// Puts all that is known into all assumptions and drops repetitions.
    pub(super) fn settle(&mut self) -> Result<(), Contradiction> {
        let mut holds: Vec<Assumption> = Vec::with_capacity(self.holds.len());
        for assumption in &self.holds {
            let atom = self.resolve_atom(&assumption.atom);
            match holds.iter_mut().find(|known| known.atom == atom) {
                Some(known) => known.is_unfolded |= assumption.is_unfolded,
                None => holds.push(Assumption { atom, is_unfolded: assumption.is_unfolded }),
            }
        }
        self.holds = holds;
        self.fails = self.fails.iter().map(|atom| self.resolve_atom(atom)).collect();
        let mut distinct = Vec::with_capacity(self.distinct.len());
        for (left, right) in &self.distinct {
            let (left, right) = (self.resolve(left), self.resolve(right));
            if left == right {
                return Err(Contradiction);
            }
            if may_be_equal(&left, &right) {
                distinct.push((left, right));
            }
        }
        self.distinct = distinct;
        Ok(())
    }

    /// Are the two resolved terms known to be different?
    pub(super) fn are_distinct(&self, left: &KifTerm, right: &KifTerm) -> bool {
        let is_pair =
            |(a, b): &(KifTerm, KifTerm)| (a == left && b == right) || (a == right && b == left);
        !may_be_equal(left, right) || self.distinct.iter().any(is_pair)
    }
}

/// Could the two be the same term? Unknowns may be anything.
fn may_be_equal(left: &KifTerm, right: &KifTerm) -> bool {
    match (left, right) {
        (KifTerm::Variable(_), _) | (_, KifTerm::Variable(_)) => true,
        (KifTerm::Constant(a), KifTerm::Constant(b)) => a == b,
        (KifTerm::Function(f, xs), KifTerm::Function(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| may_be_equal(x, y))
        }
        _ => false,
    }
}

/// The value as a term.
pub(super) fn term_of(value: Value, symbols: &Symbols) -> KifTerm {
    match value {
        Value::Symbol(name) => KifTerm::Constant(name),
        Value::Compound(compound) => {
            let (functor, args) = symbols.parts(compound);
            KifTerm::Function(functor, args.iter().map(|arg| term_of(*arg, symbols)).collect())
        }
        Value::Int(_) => unreachable!("a GDL text has names only"),
    }
}

/// The term as a value, if it has no unknowns.
pub(super) fn value_of(term: &KifTerm, symbols: &mut Symbols) -> Option<Value> {
    match term {
        KifTerm::Variable(_) => None,
        KifTerm::Constant(name) => Some(Value::Symbol(*name)),
        KifTerm::Function(functor, args) => {
            let args = args.iter().map(|arg| value_of(arg, symbols)).collect::<Option<Vec<_>>>()?;
            Some(symbols.compound(*functor, &args))
        }
    }
}

impl Formula {
    /// The condition with its variables numbered from `first` on.
    pub(super) fn shifted(&self, first: u32) -> Self {
        self.map_variables(&|variable| KifTerm::Variable(variable + first))
    }
}
