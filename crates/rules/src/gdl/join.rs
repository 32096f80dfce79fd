//! Joins: the rows a rule concludes from given tables.
//!
//! In: a rule over static relations and their tables. Out: the rows of its head. The most selective
//! condition is always tried next. Invariant: stops with `None` when the budget is used up.

use rulesmith_logic::{Symbol, Symbols, Value};
use rustc_hash::FxHashMap;

use super::ground::{Budget, StaticFacts, Table};
use super::rule::{Formula, KifAtom, Relation, Rule};
use super::statement::KifTerm;

/// Rules with more conditions are not evaluated: the join recurses once for each.
const MAX_CONDITIONS: usize = 300;

/// Terms with more names in them are not made: proofs recurse on them.
const MAX_SIZE: usize = 1_000;

/// One evaluation round.
pub(super) struct Join<'a> {
    facts: &'a StaticFacts,
    symbols: &'a mut Symbols,
    budget: &'a mut Budget,
    bindings: Vec<Option<Value>>,
    /// Was a term made that is too large?
    is_too_large: bool,
    /// What was concluded so far.
    pub(super) derived: Vec<(Relation, Vec<Value>)>,
}

/// Conditions still to be met; one of them may be bound to rows from some number on.
type Pending<'r> = Vec<(&'r Formula, usize)>;

impl<'a> Join<'a> {
    pub(super) fn new(
        facts: &'a StaticFacts,
        symbols: &'a mut Symbols,
        budget: &'a mut Budget,
    ) -> Self {
        Self {
            facts,
            symbols,
            budget,
            bindings: Vec::new(),
            is_too_large: false,
            derived: Vec::new(),
        }
    }

    /// Concludes from all rows; with `fresh`, the condition of that number takes only rows from the
    /// given one on. `None` when the budget is used up.
    pub(super) fn derive(&mut self, rule: &Rule, fresh: Option<(usize, usize)>) -> Option<()> {
        let mut n_atoms = 0;
        rule.body.iter().for_each(|formula| formula.each_atom(&mut |_, _| n_atoms += 1));
        if n_atoms.max(rule.body.len()) > MAX_CONDITIONS {
            return None;
        }
        self.bindings = vec![None; rule.variables.len()];
        let from =
            |number: usize| fresh.filter(|(of, _)| *of == number).map_or(0, |(_, from)| from);
        let pending = rule.body.iter().enumerate().map(|(number, formula)| (formula, from(number)));
        self.solve(rule, pending.collect())?;
        (!self.is_too_large).then_some(())
    }

    /// Concludes from at least one row that is new since the last round.
    pub(super) fn derive_fresh(
        &mut self,
        rule: &Rule,
        fresh_from: &FxHashMap<Relation, usize>,
    ) -> Option<()> {
        for (number, formula) in rule.body.iter().enumerate() {
            match formula {
                Formula::Holds(atom) => {
                    if let Some(from) = fresh_from.get(&atom.relation) {
                        self.derive(rule, Some((number, *from)))?;
                    }
                }
                Formula::AnyOf(_) => {
                    let mut is_recursive = false;
                    formula.each_atom(&mut |atom, _| {
                        is_recursive |= fresh_from.contains_key(&atom.relation);
                    });
                    if is_recursive {
                        return self.derive(rule, None);
                    }
                }
                Formula::Fails(_) | Formula::Equal(..) | Formula::Distinct(..) => {}
            }
        }
        Some(())
    }

    fn solve(&mut self, rule: &Rule, mut pending: Pending<'_>) -> Option<()> {
        self.budget.rows = self.budget.rows.checked_sub(1)?;
        let Some(choice) = self.most_selective(&pending) else {
            let head = &rule.head;
            let row = head.args.iter().map(|arg| self.value(arg)).collect::<Option<Vec<_>>>();
            self.derived.extend(row.map(|row| (head.relation, row)));
            return Some(());
        };
        let (formula, from) = pending.swap_remove(choice);
        match formula {
            Formula::Holds(atom) => self.solve_atom(rule, atom, from, &pending),
            Formula::AnyOf(branches) => branches.iter().try_for_each(|branch| {
                let mut inside = pending.clone();
                inside.extend(branch.iter().map(|formula| (formula, 0)));
                self.solve(rule, inside)
            }),
            _ if self.test(formula) => self.solve(rule, pending),
            _ => Some(()),
        }
    }

    fn solve_atom(
        &mut self,
        rule: &Rule,
        atom: &KifAtom,
        from: usize,
        pending: &Pending<'_>,
    ) -> Option<()> {
        let facts = self.facts;
        let Some(table) = facts.table(atom.relation) else { return Some(()) };
        let known = self.known(atom);
        let candidates = table.candidates(&known);
        for index in 0..candidates.len() {
            let number = candidates.get(index);
            if number < from {
                continue;
            }
            let mut trail: Vec<u32> = Vec::new();
            let mut pairs = atom.args.iter().zip(&table.rows[number]);
            if pairs.all(|(arg, value)| self.unify(arg, *value, &mut trail)) {
                self.solve(rule, pending.clone())?;
            }
            for variable in trail {
                self.bindings[variable as usize] = None;
            }
        }
        Some(())
    }

    /// The condition to try next: a test if one is ready, else the relation with the fewest rows.
    fn most_selective(&mut self, pending: &Pending<'_>) -> Option<usize> {
        let cost = |join: &mut Self, formula: &Formula| match formula {
            Formula::Holds(atom) => {
                let known = join.known(atom);
                join.facts
                    .table(atom.relation)
                    .map_or(0, |table: &Table| 1 + table.candidates(&known).len())
            }
            Formula::AnyOf(_) => usize::MAX - 1,
            _ if join.is_bound(formula) => 0,
            _ => usize::MAX,
        };
        let costs: Vec<usize> = pending.iter().map(|(formula, _)| cost(self, formula)).collect();
        (0..pending.len()).min_by_key(|&number| costs[number])
    }

    fn is_bound(&self, formula: &Formula) -> bool {
        let mut is_bound = true;
        formula
            .each_variable(&mut |variable| is_bound &= self.bindings[variable as usize].is_some());
        is_bound
    }

    /// A test whose variables are bound.
    fn test(&mut self, formula: &Formula) -> bool {
        match formula {
            Formula::Fails(atom) => {
                let row: Option<Vec<Value>> = atom.args.iter().map(|arg| self.value(arg)).collect();
                let table = self.facts.table(atom.relation);
                !row.zip(table).is_some_and(|(row, table)| table.rows.contains(&row))
            }
            Formula::Equal(left, right) => self.value(left) == self.value(right),
            Formula::Distinct(left, right) => self.value(left) != self.value(right),
            Formula::Holds(_) | Formula::AnyOf(_) => true,
        }
    }

    fn known(&mut self, atom: &KifAtom) -> Vec<Option<Value>> {
        atom.args.iter().map(|arg| self.value(arg)).collect()
    }

    /// The value of a term whose variables are bound.
    fn value(&mut self, term: &KifTerm) -> Option<Value> {
        match term {
            KifTerm::Variable(variable) => self.bindings[*variable as usize],
            KifTerm::Constant(name) => Some(Value::Symbol(*name)),
            KifTerm::Function(functor, args) => {
                let args = args.iter().map(|arg| self.value(arg)).collect::<Option<Vec<_>>>()?;
                Some(self.compound(*functor, &args))
            }
        }
    }

    fn compound(&mut self, functor: Symbol, args: &[Value]) -> Value {
        let whole = self.symbols.compound(functor, args);
        let sizes = &self.budget.sizes;
        let size: usize = args.iter().map(|arg| sizes.get(arg).copied().unwrap_or(1)).sum();
        self.budget.sizes.insert(whole, size + 1);
        self.is_too_large |= size >= MAX_SIZE;
        whole
    }

    fn unify(&mut self, term: &KifTerm, value: Value, trail: &mut Vec<u32>) -> bool {
        match (term, value) {
            (KifTerm::Variable(variable), _) => {
                if let Some(bound) = self.bindings[*variable as usize] {
                    return bound == value;
                }
                self.bindings[*variable as usize] = Some(value);
                trail.push(*variable);
                true
            }
            (KifTerm::Constant(name), _) => value == Value::Symbol(*name),
            (KifTerm::Function(functor, args), Value::Compound(compound)) => {
                let (name, values) = self.symbols.parts(compound);
                if name != *functor || values.len() != args.len() {
                    return false;
                }
                let values = values.to_vec();
                args.iter().zip(values).all(|(arg, value)| self.unify(arg, value, trail))
            }
            (KifTerm::Function(..), _) => false,
        }
    }
}
