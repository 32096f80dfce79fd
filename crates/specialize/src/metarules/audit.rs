//! Audit: every metarule checked against the facts by brute force.
//!
//! In: metarules and static facts. Out: a complaint for each that is false, is not minimal, or was
//! proved on other facts. Invariant: nothing is shared with the search that generated them: rows are
//! tried one after the other, and a condition is judged as soon as its variables are bound.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Expr, PredicateId, Term, Value, Var, condition_vars};
use rustc_hash::FxHashMap;

use super::canonical::variable_name;
use super::dependency::{Consequence, Metarule, Proof};
use super::matching::{compares, ground_value};
use super::text::value_text;
use crate::static_facts::{StaticFacts, own_vars};

/// What is wrong with a metarule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// It is false: the variables with values that refute it.
    False(String),
    /// It holds without the condition at this place of its body.
    NotMinimal(usize),
    /// It was proved on other facts.
    OtherFacts,
    /// It says something about conditions these facts do not decide, or the check is too long.
    Unchecked,
}

/// Checks metarules by brute force; returns the place of each faulty one with what is wrong.
pub fn audit<'m>(
    metarules: impl IntoIterator<Item = &'m Metarule>,
    facts: &StaticFacts,
) -> Vec<(usize, Complaint)> {
    let rows = Rows::of(facts);
    let mut complaints = Vec::new();
    for (place, metarule) in metarules.into_iter().enumerate() {
        complaints.extend(rows.complaints(metarule).into_iter().map(|found| (place, found)));
    }
    complaints
}

/// Rows looked at for one question.
const ROWS_LIMIT: usize = 20_000_000;

/// The facts with the rows of each predicate by the value of each column.
struct Rows<'f> {
    facts: &'f StaticFacts,
    by_value: FxHashMap<(PredicateId, usize, Value), Vec<usize>>,
}

type Bindings = FxHashMap<Var, Value>;

/// What a brute-force question found.
enum Found {
    Nothing,
    CounterExample(Bindings),
    TooLong,
}

impl<'f> Rows<'f> {
    fn of(facts: &'f StaticFacts) -> Self {
        let mut by_value: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for predicate in facts.predicates() {
            let rows = facts.relation(predicate).map_or(&[][..], |relation| &relation.rows);
            for (number, row) in rows.iter().enumerate() {
                for (column, value) in row.iter().enumerate() {
                    by_value.entry((predicate, column, *value)).or_default().push(number);
                }
            }
        }
        Self { facts, by_value }
    }

    fn complaints(&self, metarule: &Metarule) -> Vec<Complaint> {
        let digest = match metarule.proof {
            Proof::Static(digest) | Proof::Inductive(digest) => digest,
            Proof::General | Proof::Declared => self.facts.digest(),
        };
        if digest != self.facts.digest() {
            return vec![Complaint::OtherFacts];
        }
        let conclusion = metarule.consequence.as_condition();
        let judged = match &metarule.consequence {
            Consequence::Within(..) | Consequence::Equal(..) => None,
            _ => conclusion.as_ref(),
        };
        if !metarule.body.iter().chain(judged).all(|part| self.facts.decides(part)) {
            return vec![Complaint::Unchecked];
        }
        match self.refute(&metarule.body, &metarule.consequence) {
            Found::TooLong => vec![Complaint::Unchecked],
            Found::CounterExample(bindings) => vec![Complaint::False(self.text(&bindings))],
            Found::Nothing => self.superfluous(metarule),
        }
    }

    /// The conditions of the body that can be left out.
    fn superfluous(&self, metarule: &Metarule) -> Vec<Complaint> {
        let conclusion = metarule.consequence.as_condition();
        let free = {
            let bound: BTreeSet<Var> = metarule.body.iter().flat_map(condition_vars).collect();
            move |var: &Var| !bound.contains(var)
        };
        let needed: BTreeSet<Var> =
            conclusion.iter().flat_map(own_vars).filter(|var| !free(var)).collect();
        let can_go = |place: &usize| {
            let mut rest = metarule.body.clone();
            rest.remove(*place);
            let bound: BTreeSet<Var> = rest.iter().flat_map(condition_vars).collect();
            needed.is_subset(&bound)
                && matches!(self.refute(&rest, &metarule.consequence), Found::Nothing)
        };
        (0..metarule.body.len()).filter(can_go).map(Complaint::NotMinimal).collect()
    }

    /// Looks for values that make the body hold and not the consequence.
    fn refute(&self, body: &[Condition], consequence: &Consequence) -> Found {
        let mut question = BruteForce { rows: self, consequence, n_rows: 0, found: Found::Nothing };
        let left: Vec<&Condition> = body.iter().collect();
        question.try_all(&left, &mut Bindings::default());
        question.found
    }

    fn text(&self, bindings: &Bindings) -> String {
        let mut values: Vec<(Var, Value)> =
            bindings.iter().map(|(&var, &value)| (var, value)).collect();
        values.sort_unstable();
        let symbols = self.facts.symbols().borrow();
        let text = |(var, value): &(Var, Value)| {
            format!("{} = {}", variable_name(var.0.into()), value_text(&symbols, *value))
        };
        values.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

struct BruteForce<'r, 'f> {
    rows: &'r Rows<'f>,
    consequence: &'r Consequence,
    n_rows: usize,
    found: Found,
}

impl BruteForce<'_, '_> {
    /// Tries all values for the conditions left; true when the question is decided.
    fn try_all(&mut self, left: &[&Condition], bindings: &mut Bindings) -> bool {
        // Tests whose variables are bound come first.
        let test = left.iter().position(|part| {
            !matches!(part, Condition::Holds(_))
                && own_vars(part).iter().all(|var| bindings.contains_key(var))
        });
        if let Some(place) = test {
            let rest = without(left, place);
            return self.holds(left[place], bindings) && self.try_all(&rest, bindings);
        }
        let linked =
            |part: &&Condition| own_vars(part).iter().any(|var| bindings.contains_key(var));
        let is_atom = |part: &&Condition| matches!(part, Condition::Holds(_));
        let next = left.iter().position(|part| is_atom(part) && linked(part));
        let Some(place) = next.or_else(|| left.iter().position(is_atom)) else {
            return self.try_members(left, bindings);
        };
        let Condition::Holds(atom) = left[place] else { return false };
        let rest = without(left, place);
        for row in self.candidates(atom.predicate, &atom.args, bindings) {
            self.n_rows += 1;
            if self.n_rows > ROWS_LIMIT {
                self.found = Found::TooLong;
                return true;
            }
            let mut more = bindings.clone();
            if take(&atom.args, &row, &mut more) && self.try_all(&rest, &mut more) {
                return true;
            }
        }
        false
    }

    /// Only tests with unbound variables are left: memberships are tried, the others may hold.
    fn try_members(&mut self, left: &[&Condition], bindings: &mut Bindings) -> bool {
        let member = left.iter().position(|part| matches!(part, Condition::Member(..)));
        if let Some(place) = member
            && let Condition::Member(Term::Var(var), domain) = left[place]
        {
            let rest = without(left, place);
            let values: Vec<Value> = self
                .rows
                .facts
                .domain(*domain)
                .map_or_else(Vec::new, |domain| domain.values.iter().copied().collect());
            for value in values {
                let mut more = bindings.clone();
                more.insert(*var, value);
                if self.try_all(&rest, &mut more) {
                    return true;
                }
            }
            return false;
        }
        if self.concludes(bindings) {
            return false;
        }
        self.found = Found::CounterExample(bindings.clone());
        true
    }

    /// Does the consequence hold of these values?
    fn concludes(&mut self, bindings: &Bindings) -> bool {
        let value = |term: &Term| match term {
            Term::Var(var) => bindings.get(var).copied(),
            Term::Value(value) => Some(*value),
        };
        match self.consequence {
            Consequence::Equal(left, right) => {
                value(left).is_some_and(|left| Some(left) == value(right))
            }
            Consequence::Within(var, values) => {
                bindings.get(var).is_some_and(|value| values.contains(value))
            }
            Consequence::Holds(condition) => self.holds(condition, bindings),
            Consequence::HasMatch(Condition::Holds(atom)) => {
                let rows = self.candidates(atom.predicate, &atom.args, bindings);
                rows.iter().any(|row| take(&atom.args, row, &mut bindings.clone()))
            }
            Consequence::Impossible | Consequence::HasMatch(_) => false,
        }
    }

    /// Is a condition true whose variables are bound?
    fn holds(&mut self, condition: &Condition, bindings: &Bindings) -> bool {
        let term = |var: Var| bindings.get(&var).map(|value| Term::Value(*value));
        let value = |expr: &Expr| ground_value(expr, &term);
        match condition {
            Condition::Holds(atom) => {
                let rows = self.candidates(atom.predicate, &atom.args, bindings);
                let is_bound = atom_vars_bound(&atom.args, bindings);
                is_bound && rows.iter().any(|row| take(&atom.args, row, &mut bindings.clone()))
            }
            Condition::Compare(comparison, left, right) => value(left)
                .zip(value(right))
                .is_some_and(|(left, right)| compares(*comparison, left, right)),
            Condition::Member(member, domain) => {
                let value = value(&Expr::Term(*member));
                let domain = self.rows.facts.domain(*domain);
                value.zip(domain).is_some_and(|(value, domain)| domain.values.contains(&value))
            }
            Condition::None { body, .. } => {
                // Something that makes the body hold is a counter-example to its impossibility.
                let impossible = Consequence::Impossible;
                let mut inner = BruteForce {
                    rows: self.rows,
                    consequence: &impossible,
                    n_rows: self.n_rows,
                    found: Found::Nothing,
                };
                let left: Vec<&Condition> = body.iter().collect();
                let is_decided = inner.try_all(&left, &mut bindings.clone());
                self.n_rows = inner.n_rows;
                !is_decided
            }
            Condition::Construct { .. } | Condition::AnyOf(_) | Condition::Elsewhere { .. } => {
                false
            }
        }
    }

    /// The rows worth trying: those with the value of a bound argument, or all.
    fn candidates(
        &self,
        predicate: PredicateId,
        args: &[Term],
        bindings: &Bindings,
    ) -> Vec<rulesmith_logic::Row> {
        let rows = self.rows.facts.relation(predicate).map_or(&[][..], |relation| &relation.rows);
        let bound = args.iter().enumerate().find_map(|(column, term)| match term {
            Term::Var(var) => bindings.get(var).map(|value| (column, *value)),
            Term::Value(value) => Some((column, *value)),
        });
        let Some((column, value)) = bound else { return rows.to_vec() };
        let numbers = self.rows.by_value.get(&(predicate, column, value));
        numbers.map_or_else(Vec::new, |numbers| {
            numbers.iter().map(|&number| rows[number].clone()).collect()
        })
    }
}

fn without<'c>(left: &[&'c Condition], place: usize) -> Vec<&'c Condition> {
    let mut rest = left.to_vec();
    rest.remove(place);
    rest
}

fn atom_vars_bound(args: &[Term], bindings: &Bindings) -> bool {
    args.iter().all(|term| match term {
        Term::Var(var) => bindings.contains_key(var),
        Term::Value(_) => true,
    })
}

/// Binds the variables of an atom to a row, if the rest of it agrees.
fn take(args: &[Term], row: &[Value], bindings: &mut Bindings) -> bool {
    args.len() == row.len()
        && args.iter().zip(row).all(|(term, value)| match term {
            Term::Var(var) => *bindings.entry(*var).or_insert(*value) == *value,
            Term::Value(constant) => constant == value,
        })
}
