//! Values that are nothing but unlike others: said by what a thing has not.
//!
//! In: the conditions of a clause, and its ground rows. Out: the same, where a fluent's value is only compared
//! with what it must not be, or is any but one, as negations: one row of tests instead of one for each value
//! that is left. Invariant: they hold in the same states; a fluent that may have no value is left alone.

use std::hash::{Hash, Hasher};

use rulesmith_logic::{Atom, Comparison, Condition, Domain, Expr, Term, Value, Var, has_var};
use rulesmith_rules::{FluentDefault, FluentId, PredicateKind, Theory};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ground::{Row, Test, Tested};
use crate::state_layout::StateLayout;

/// A fluent with fewer values says what it has as briefly as what it has not.
const LEAST_VALUES: u32 = 3;

/// So many values at most are said not to be there.
const UNLIKE_LIMIT: usize = 2;

/// The conditions with negations in the place of values that are only compared.
pub(crate) fn say_by_others(
    theory: &Theory,
    layout: &StateLayout,
    head: &[Term],
    body: Vec<Condition>,
) -> Vec<Condition> {
    let mut body = body;
    let mut place = 0;
    while place < body.len() {
        match negations(theory, layout, head, (&body, place)) {
            Some((compared, negations)) => {
                let mut at = 0;
                body.retain(|_| {
                    at += 1;
                    at - 1 != place && !compared.contains(&(at - 1))
                });
                body.extend(negations);
                place = 0;
            }
            None => place += 1,
        }
    }
    body
}

/// What says the same as a condition that a fluent has a value and the comparisons of this value; with the
/// places of these.
fn negations(
    theory: &Theory,
    layout: &StateLayout,
    head: &[Term],
    (body, place): (&[Condition], usize),
) -> Option<(Vec<usize>, Vec<Condition>)> {
    let Condition::Holds(atom) = &body[place] else { return None };
    let PredicateKind::Fluent(id) = theory.kinds.get(atom.predicate.0 as usize)? else {
        return None;
    };
    let (fluent, described) = (layout.fluent(*id), theory.fluent(*id));
    let is_total = described.default != FluentDefault::Undefined;
    let is_meant = is_total && !fluent.is_scalar() && fluent.values.is_some();
    if !is_meant || fluent.n_values < LEAST_VALUES {
        return None;
    }
    let (Term::Var(var), keys) = atom.args.split_last()? else { return None };
    let own = Term::Var(*var);
    if head.contains(&own) || keys.contains(&own) {
        return None;
    }
    let (mut compared, mut negations) = (Vec::new(), Vec::new());
    for (other, condition) in body.iter().enumerate() {
        if other == place || !has_var(condition, *var) {
            continue;
        }
        let unlike = unlike(condition, *var, theory.base.domain(fluent.values?))?;
        if !unlike.iter().all(|term| is_bound(body, place, *term)) {
            return None;
        }
        negations.extend(unlike.into_iter().map(|unlike| {
            let args = keys.iter().copied().chain([unlike]).collect();
            let atom = Atom { predicate: atom.predicate, args };
            Condition::None { locals: Vec::new(), body: vec![Condition::Holds(atom)] }
        }));
        compared.push(other);
    }
    // What must not hold binds nothing, so the keys are said to be keys.
    let columns = keys.iter().zip(&fluent.keys.domains);
    let keys = columns.filter(|(term, _)| matches!(term, Term::Var(_)));
    negations.extend(keys.map(|(term, domain)| Condition::Member(*term, *domain)));
    (!compared.is_empty()).then_some((compared, negations))
}

/// What a comparison says that a variable is not, if that is little of all that it may be.
fn unlike(condition: &Condition, var: Var, domain: &Domain) -> Option<Vec<Term>> {
    let Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) = *condition else {
        return None;
    };
    let own = Term::Var(var);
    let other = match (left == own, right == own) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let Term::Value(known) = other else {
        return (comparison == Comparison::Unequal).then(|| vec![other]);
    };
    let is_so = |value: &Value| {
        let (left, right) = if left == own { (*value, known) } else { (known, *value) };
        comparison.holds(left, right)
    };
    let unlike: Vec<Value> = domain.values.iter().filter(|value| !is_so(value)).copied().collect();
    let is_little = unlike.len() <= UNLIKE_LIMIT && unlike.len() * 2 < domain.values.len();
    is_little.then(|| unlike.into_iter().map(Term::Value).collect())
}

/// Is a term known, whatever one of the conditions says?
fn is_bound(body: &[Condition], without: usize, term: Term) -> bool {
    let Term::Var(var) = term else { return true };
    let mut others = body.iter().enumerate().filter(|(place, _)| *place != without);
    others.any(|(_, condition)| match condition {
        Condition::Holds(_) | Condition::Member(..) => has_var(condition, var),
        _ => false,
    })
}

/// Rows are not compared if there are more than so many.
const ROWS_LIMIT: usize = 1 << 17;

/// Rows that are the same but for the value of a fluent somewhere, and have all values but one between them,
/// become one row that says which it is not.
pub(crate) fn merge_values(theory: &Theory, layout: &StateLayout, rows: Vec<Row>) -> Vec<Row> {
    let mut rows = rows;
    if rows.len() > ROWS_LIMIT {
        return rows;
    }
    for id in theory.fluent_ids() {
        let fluent = layout.fluent(id);
        let is_total = theory.fluent(id).default != FluentDefault::Undefined;
        let is_meant = is_total && !fluent.is_scalar() && fluent.values.is_some();
        if is_meant && fluent.n_values >= LEAST_VALUES {
            rows = merge_values_of(id, fluent.n_values, rows);
        }
    }
    rows
}

fn merge_values_of(id: FluentId, n_values: u32, rows: Vec<Row>) -> Vec<Row> {
    let missing = missing_values(id, n_values, &rows);
    if missing.iter().all(Option::is_none) {
        return rows;
    }
    let mut merged: FxHashSet<(Vec<Test>, Vec<u32>)> = FxHashSet::default();
    let mut kept = Vec::new();
    for (mut row, missing) in rows.into_iter().zip(missing) {
        let Some((place, value)) = missing else {
            kept.push(row);
            continue;
        };
        let key = row.tests.remove(place).key;
        row.tests.push(Test { tested: Tested::Fluent(id, value), key, holds: false });
        row.tests.sort_unstable();
        if merged.insert((row.tests.clone(), row.head.clone())) {
            kept.push(row);
        }
    }
    kept
}

/// For each row that asks once for a value of the fluent, if rows that are otherwise the same ask for all values but
/// one: the place of the test, and that value.
fn missing_values(id: FluentId, n_values: u32, rows: &[Row]) -> Vec<Option<(usize, u32)>> {
    let mut numbers: FxHashMap<Rest<'_>, usize> = FxHashMap::default();
    let mut values: Vec<FxHashSet<u32>> = Vec::new();
    let rests: Vec<Option<(usize, usize)>> = rows
        .iter()
        .map(|row| {
            let rest = Rest::of(id, row)?;
            let number = *numbers.entry(rest).or_insert_with(|| {
                values.push(FxHashSet::default());
                values.len() - 1
            });
            values[number].insert(rest.value);
            Some((rest.place, number))
        })
        .collect();
    let missing = |found: &FxHashSet<u32>| {
        let mut missing = (0..n_values).filter(|value| !found.contains(value));
        missing.next().filter(|_| missing.next().is_none())
    };
    let missing: Vec<Option<u32>> = values.iter().map(missing).collect();
    let of_row = |(place, number): (usize, usize)| missing[number].map(|value| (place, value));
    rests.into_iter().map(|rest| rest.and_then(of_row)).collect()
}

/// A row but for the value that it asks for at a key.
#[derive(Clone, Copy)]
struct Rest<'r> {
    row: &'r Row,
    /// The place of the test of the fluent.
    place: usize,
    value: u32,
}

impl<'r> Rest<'r> {
    /// Of a row with one test of the fluent, which says what it has.
    fn of(id: FluentId, row: &'r Row) -> Option<Self> {
        let mut own = row.tests.iter().enumerate().filter_map(|(place, test)| match test.tested {
            Tested::Fluent(own, value) if own == id => Some((place, value)),
            _ => None,
        });
        let (Some((place, value)), None) = (own.next(), own.next()) else { return None };
        row.tests[place].holds.then_some(Self { row, place, value })
    }

    /// All that must be the same.
    fn parts(&self) -> (u32, &'r [Test], &'r [Test], &'r [u32], &'r [u32]) {
        let Row { tests, head, anchors } = self.row;
        let (key, place) = (tests[self.place].key, self.place);
        (key, &tests[..place], &tests[place + 1..], head, anchors)
    }
}

impl PartialEq for Rest<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for Rest<'_> {}

impl Hash for Rest<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}
