//! The values a variable may have: sorts of the arguments it stands in, memberships, constants.
//!
//! In: conditions and declared domains. Out: for each variable what limits it; whether nothing is
//! left, or one value. Invariant: a value that some condition allows is never excluded.

use std::collections::BTreeMap;

use rulesmith_logic::{Comparison, Condition, DomainId, Expr, Term, Value, Var};

use super::canonical::mirrored;
use super::general::{Declarations, GeneralRule, Verdict};
use super::matching::compares;

/// What limits the variables of some conditions.
pub(crate) struct Ranges<'a> {
    declarations: &'a Declarations,
    of: BTreeMap<Var, Range<'a>>,
    /// A value outside the domain of its place.
    misplaced: Option<usize>,
}

/// What limits one variable.
#[derive(Default)]
struct Range<'a> {
    domains: Vec<DomainId>,
    allowed: Vec<&'a [Value]>,
    tests: Vec<(Comparison, Value)>,
    places: Vec<usize>,
}

impl<'a> Ranges<'a> {
    pub(crate) fn of(
        declarations: &'a Declarations,
        conditions: &[&Condition],
        restrictions: &'a [(Var, Vec<Value>)],
    ) -> Self {
        let mut ranges = Self { declarations, of: BTreeMap::new(), misplaced: None };
        for (place, condition) in conditions.iter().enumerate() {
            match condition {
                Condition::Holds(atom) => {
                    for (argument, term) in atom.args.iter().enumerate() {
                        if let Some(domain) = declarations.column(atom.predicate, argument) {
                            ranges.limit(*term, domain, place);
                        }
                    }
                }
                Condition::Member(term, domain) => ranges.limit(*term, *domain, place),
                Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
                    let (comparison, var, value) = match (left, right) {
                        (Term::Var(var), Term::Value(value)) => (*comparison, var, value),
                        (Term::Value(value), Term::Var(var)) => (mirrored(*comparison), var, value),
                        _ => continue,
                    };
                    let range = ranges.of.entry(*var).or_default();
                    range.tests.push((comparison, *value));
                    range.places.push(place);
                }
                _ => {}
            }
        }
        for (var, values) in restrictions {
            ranges.of.entry(*var).or_default().allowed.push(values);
        }
        ranges
    }

    fn limit(&mut self, term: Term, domain: DomainId, place: usize) {
        match term {
            Term::Var(var) => {
                let range = self.of.entry(var).or_default();
                range.places.push(place);
                if !range.domains.contains(&domain) {
                    range.domains.push(domain);
                }
            }
            Term::Value(value) => {
                let domain = self.declarations.domain(domain);
                if domain.is_some_and(|domain| !domain.values.contains(&value)) {
                    self.misplaced.get_or_insert(place);
                }
            }
        }
    }

    /// Is some variable left without a value, or with a single one?
    pub(crate) fn judge(&self) -> Verdict {
        if let Some(place) = self.misplaced {
            return Verdict::Impossible(GeneralRule::Sorts, vec![place]);
        }
        for (&var, range) in &self.of {
            let Some(mut values) = self.values(range) else { continue };
            let first = values.next();
            let is_single = first.is_some() && values.next().is_none();
            drop(values);
            match first {
                None => return Verdict::Impossible(GeneralRule::Sorts, range.places.clone()),
                Some(value) if is_single => {
                    let (var, value) = (Term::Var(var), Term::Value(value));
                    return Verdict::Same(var, value, GeneralRule::Sorts, range.places.clone());
                }
                Some(_) => {}
            }
        }
        Verdict::Open
    }

    /// The values left to a variable, if something finite limits it.
    fn values<'r>(&'r self, range: &'r Range<'a>) -> Option<Box<dyn Iterator<Item = Value> + 'r>> {
        let domains = range.domains.iter().filter_map(|&id| self.declarations.domain(id));
        let smallest = domains.clone().min_by_key(|domain| domain.values.len());
        let allowed = range.allowed.iter().min_by_key(|values| values.len());
        let base: Box<dyn Iterator<Item = Value> + 'r> = match (smallest, allowed) {
            (_, Some(values)) => Box::new(values.iter().copied()),
            (Some(domain), None) => Box::new(domain.values.iter().copied()),
            (None, None) => return None,
        };
        Some(Box::new(base.filter(move |value| {
            domains.clone().all(|domain| domain.values.contains(value))
                && range.allowed.iter().all(|values| values.contains(value))
                && range.tests.iter().all(|(how, other)| compares(*how, *value, *other))
        })))
    }

    /// Least and greatest integer left to a variable, and whether nothing but integers is left.
    pub(crate) fn bounds(&self, var: Var) -> Option<(i32, i32, bool)> {
        let mut bounds: Option<(i32, i32)> = None;
        let mut is_all = true;
        for value in self.values(self.of.get(&var)?)? {
            match value {
                Value::Int(number) => {
                    let (low, high) = bounds.unwrap_or((number, number));
                    bounds = Some((low.min(number), high.max(number)));
                }
                Value::Symbol(_) | Value::Compound(_) => is_all = false,
            }
        }
        bounds.map(|(low, high)| (low, high, is_all))
    }

    /// Does the comparison hold of all values left to both sides? Only `\=` is looked at.
    pub(crate) fn implies(&self, comparison: Comparison, left: Term, right: Term) -> bool {
        if comparison != Comparison::Unequal {
            return false;
        }
        let is_left_to = |var: Var, value: Value| {
            let values = self.of.get(&var).and_then(|range| self.values(range));
            values.is_none_or(|mut values| values.any(|other| other == value))
        };
        match (left, right) {
            (Term::Var(var), Term::Value(value)) | (Term::Value(value), Term::Var(var)) => {
                !is_left_to(var, value)
            }
            (Term::Var(left), Term::Var(right)) => {
                let values = self.of.get(&left).and_then(|range| self.values(range));
                values.is_some_and(|mut values| !values.any(|value| is_left_to(right, value)))
            }
            (Term::Value(_), Term::Value(_)) => false,
        }
    }

    /// Are all values left to the term in the domain?
    pub(crate) fn is_within(&self, term: Term, domain: DomainId) -> bool {
        let Some(domain) = self.declarations.domain(domain) else { return false };
        match term {
            Term::Value(value) => domain.values.contains(&value),
            Term::Var(var) => {
                let values = self.of.get(&var).and_then(|range| self.values(range));
                values.is_some_and(|mut values| values.all(|value| domain.values.contains(&value)))
            }
        }
    }
}
