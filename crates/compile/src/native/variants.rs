//! Closed questions by number, and bodies that ask the same.
//!
//! In: conjunctions. Out: whether one is another one with its variables renamed and its conditions in another order,
//! as they have where two clauses were put in order apart from each other. What is local to a negation occurs nowhere
//! outside it. Invariant: a yes is certain; a no says nothing. Questions that ask the same have one shape.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use rulesmith_logic::{Atom, Condition, Expr, Term, Var};
use rustc_hash::{FxHashMap, FxHasher};

use super::ground::Closed;

/// A pair of conditions may be compared so many times for one answer.
const COMPARED_LIMIT: usize = 4096;

/// So many questions that need not be asked are kept: there may be one for each match of a clause.
const NEEDLESS_LIMIT: usize = 1 << 14;

/// The variables of one body beside those of the other that stand for the same.
type Pairs = Vec<(Var, Var)>;

/// Closed questions in the order in which they were first asked.
#[derive(Debug, Default)]
pub(super) struct Questions {
    list: Vec<Closed>,
    by_shape: FxHashMap<u64, Vec<usize>>,
    /// By their shapes those that nobody need ask, as far as they are kept.
    needless: FxHashMap<u64, Vec<Closed>>,
    n_needless: usize,
}

impl Questions {
    pub(super) fn list(&self) -> &[Closed] {
        &self.list
    }

    pub(super) fn into_list(self) -> Vec<Closed> {
        self.list
    }

    /// The number of a question, or of one that asks the same; it gets one if it is new and may be asked.
    pub(super) fn number_if(
        &mut self,
        question: Closed,
        may_be_asked: impl FnOnce(&Closed) -> bool,
    ) -> Option<usize> {
        let shape = shape(&question);
        let alike = self.by_shape.get(&shape).map_or(&[][..], Vec::as_slice);
        let is_variant = |other: &usize| match (&self.list[*other], &question) {
            (Closed::Body(other), Closed::Body(body)) => are_variants(other, body),
            _ => false,
        };
        let equal = alike.iter().find(|other| self.list[**other] == question);
        if let Some(known) = equal.or_else(|| alike.iter().find(|other| is_variant(other))) {
            return Some(*known);
        }
        if self.needless.get(&shape).is_some_and(|needless| needless.contains(&question)) {
            return None;
        }
        if !may_be_asked(&question) {
            if self.n_needless < NEEDLESS_LIMIT {
                self.n_needless += 1;
                self.needless.entry(shape).or_default().push(question);
            }
            return None;
        }
        self.by_shape.entry(shape).or_default().push(self.list.len());
        self.list.push(question);
        Some(self.list.len() - 1)
    }

    /// Forgets all but the first so many.
    pub(super) fn truncate(&mut self, n_questions: usize) {
        self.list.truncate(n_questions);
        self.by_shape.retain(|_, alike| {
            alike.retain(|number| *number < n_questions);
            !alike.is_empty()
        });
    }
}

/// What stays of a question when its variables are renamed and its conditions put in another order, as a hash.
fn shape(question: &Closed) -> u64 {
    match question {
        Closed::Body(body) => shape_of_all(body),
        Closed::Comparison(comparison) => shape_of(comparison),
    }
}

fn shape_of_all(body: &[Condition]) -> u64 {
    body.iter().fold(0, |sum: u64, condition| sum.wrapping_add(shape_of(condition)))
}

fn shape_of(condition: &Condition) -> u64 {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(condition).hash(&mut hasher);
    let mut shape_of_term = |term: &Term| match term {
        Term::Value(value) => value.hash(&mut hasher),
        Term::Var(_) => 0.hash(&mut hasher),
    };
    match condition {
        Condition::Holds(atom) => {
            atom.args.iter().for_each(&mut shape_of_term);
            atom.predicate.hash(&mut hasher);
        }
        Condition::Construct { functor, args, .. } => {
            args.iter().for_each(&mut shape_of_term);
            functor.hash(&mut hasher);
        }
        Condition::Member(_, sort) => sort.hash(&mut hasher),
        Condition::Compare(how, ..) => how.hash(&mut hasher),
        Condition::None { body, .. } => shape_of_all(body).hash(&mut hasher),
        _ => {}
    }
    hasher.finish()
}

/// Do the bodies ask the same? All their variables are their own.
fn are_variants(one: &[Condition], other: &[Condition]) -> bool {
    let left = Cell::new(COMPARED_LIMIT);
    let mut others: Vec<Option<&Condition>> = other.iter().map(Some).collect();
    one.len() == other.len()
        && Matching { left: &left }.all(one, &mut others, &mut Pairs::new(), &mut |_| true)
}

struct Matching<'l> {
    left: &'l Cell<usize>,
}

impl Matching<'_> {
    /// Matches each condition with one of those that are left, and goes on with `then`.
    fn all(
        &self,
        conditions: &[Condition],
        others: &mut Vec<Option<&Condition>>,
        pairs: &mut Pairs,
        then: &mut dyn FnMut(&mut Pairs) -> bool,
    ) -> bool {
        let Some((first, rest)) = conditions.split_first() else { return then(pairs) };
        for place in 0..others.len() {
            let Some(other) = others[place] else { continue };
            let Some(left) = self.left.get().checked_sub(1) else { return false };
            self.left.set(left);
            let n_pairs = pairs.len();
            others[place] = None;
            if self.one((first, other), pairs, &mut |pairs| self.all(rest, others, pairs, then)) {
                return true;
            }
            others[place] = Some(other);
            pairs.truncate(n_pairs);
        }
        false
    }

    fn one(
        &self,
        (one, other): (&Condition, &Condition),
        pairs: &mut Pairs,
        then: &mut dyn FnMut(&mut Pairs) -> bool,
    ) -> bool {
        match (one, other) {
            (Condition::Holds(one), Condition::Holds(other)) => {
                are_same_atoms(one, other, pairs) && then(pairs)
            }
            (
                Condition::Construct { whole, functor, args },
                Condition::Construct { whole: other, functor: other_functor, args: other_args },
            ) => {
                functor == other_functor
                    && args.len() == other_args.len()
                    && are_same(*whole, *other, pairs)
                    && args.iter().zip(other_args).all(|(one, other)| are_same(*one, *other, pairs))
                    && then(pairs)
            }
            (Condition::Member(one, sort), Condition::Member(other, other_sort)) => {
                sort == other_sort && are_same(*one, *other, pairs) && then(pairs)
            }
            (Condition::Compare(how, left, right), Condition::Compare(other, first, second)) => {
                how == other
                    && are_same_numbers(left, first, pairs)
                    && are_same_numbers(right, second, pairs)
                    && then(pairs)
            }
            (
                Condition::None { body: one, locals },
                Condition::None { body: other, locals: other_locals },
            ) => {
                let mut others: Vec<Option<&Condition>> = other.iter().map(Some).collect();
                one.len() == other.len()
                    && locals.len() == other_locals.len()
                    && self.all(one, &mut others, pairs, then)
            }
            _ => false,
        }
    }
}

fn are_same_atoms(one: &Atom, other: &Atom, pairs: &mut Pairs) -> bool {
    one.predicate == other.predicate
        && one.args.len() == other.args.len()
        && one.args.iter().zip(&other.args).all(|(one, other)| are_same(*one, *other, pairs))
}

fn are_same_numbers(one: &Expr, other: &Expr, pairs: &mut Pairs) -> bool {
    match (one, other) {
        (Expr::Term(one), Expr::Term(other)) => are_same(*one, *other, pairs),
        (Expr::Binary(how, left, right), Expr::Binary(other, first, second)) => {
            how == other
                && are_same_numbers(left, first, pairs)
                && are_same_numbers(right, second, pairs)
        }
        _ => false,
    }
}

/// Are the terms the same, if some variables stand for others? Those that were not paired yet are.
fn are_same(one: Term, other: Term, pairs: &mut Pairs) -> bool {
    match (one, other) {
        (Term::Value(one), Term::Value(other)) => one == other,
        (Term::Var(one), Term::Var(other)) => {
            let mut known = pairs.iter().filter(|pair| pair.0 == one || pair.1 == other);
            if let Some(pair) = known.next() {
                return *pair == (one, other);
            }
            pairs.push((one, other));
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rulesmith_logic::{Comparison, PredicateId, Value};

    use super::*;

    fn atom(predicate: u32, args: &[i32]) -> Condition {
        // Numbers below ten are variables.
        let term = |arg: &i32| match u16::try_from(*arg) {
            Ok(var) if var < 10 => Term::Var(Var(var)),
            _ => Term::Value(Value::Int(*arg)),
        };
        let args = args.iter().map(term).collect();
        Condition::Holds(Atom { predicate: PredicateId(predicate), args })
    }

    fn none(locals: &[u16], body: Vec<Condition>) -> Condition {
        Condition::None { locals: locals.iter().copied().map(Var).collect(), body }
    }

    #[test]
    fn of_questions_that_need_not_be_asked_some_are_kept() {
        let mut questions = Questions::default();
        let question = |number| Closed::Body(vec![atom(1, &[10 + number])]);
        for number in (0..20_000).chain(0..10) {
            assert_eq!(questions.number_if(question(number), |_| false), None);
        }
        let n_kept: usize = questions.needless.values().map(Vec::len).sum();
        assert_eq!((n_kept, questions.by_shape.len()), (NEEDLESS_LIMIT, 0));
        assert_eq!(questions.number_if(question(30_000), |_| true), Some(0));
        assert_eq!(questions.number_if(question(30_000), |_| false), Some(0));
    }

    #[test]
    fn another_order_and_other_names_ask_the_same() {
        let one = [atom(1, &[0, 1]), atom(1, &[1, 2]), none(&[3], vec![atom(2, &[2, 3, 10])])];
        let other = [none(&[0], vec![atom(2, &[1, 0, 10])]), atom(1, &[2, 1]), atom(1, &[3, 2])];
        assert!(are_variants(&one, &other));
    }

    #[test]
    fn what_is_bound_inside_is_not_what_is_bound_outside() {
        let inside = [atom(1, &[0]), none(&[1], vec![atom(2, &[1]), atom(3, &[1, 1])])];
        let outside = [atom(1, &[0]), none(&[1], vec![atom(2, &[1]), atom(3, &[0, 1])])];
        assert!(!are_variants(&inside, &outside));
        let nested = |var| [none(&[0], vec![atom(1, &[0]), none(&[1], vec![atom(2, &[var, 1])])])];
        assert!(are_variants(&nested(0), &nested(0)));
        assert!(!are_variants(&nested(0), &nested(1)));
    }

    #[test]
    fn two_variables_are_not_one() {
        assert!(!are_variants(&[atom(1, &[0, 1])], &[atom(1, &[0, 0])]));
        assert!(!are_variants(&[atom(1, &[0, 0])], &[atom(1, &[0, 1])]));
        let (chain, fork) =
            ([atom(1, &[0, 1]), atom(1, &[1, 2])], [atom(1, &[0, 1]), atom(1, &[0, 2])]);
        assert!(!are_variants(&chain, &fork));
    }

    #[test]
    fn other_values_and_comparisons_ask_for_something_else() {
        assert!(!are_variants(&[atom(1, &[0, 10])], &[atom(1, &[0, 11])]));
        let compared = |how| {
            let var = |var: u16| Expr::Term(Term::Var(Var(var)));
            [atom(1, &[0, 1]), Condition::Compare(how, var(0), var(1))]
        };
        assert!(are_variants(&compared(Comparison::Less), &compared(Comparison::Less)));
        assert!(!are_variants(&compared(Comparison::Less), &compared(Comparison::AtMost)));
    }

    #[test]
    fn what_has_too_many_ways_to_be_compared_is_given_up() {
        let ways = |last: i32| -> Vec<Condition> {
            let edges = (0..9).map(|var| atom(1, &[var, (var + 1) % 9]));
            edges.chain([atom(2, &[0, last])]).rev().collect()
        };
        assert!(are_variants(&ways(10), &ways(10)));
        assert!(!are_variants(&ways(10), &ways(11)));
    }
}
