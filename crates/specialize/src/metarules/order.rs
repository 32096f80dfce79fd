//! Differences: what comparisons and sums of integers say together.
//!
//! In: `<`, `=<`, sums with constants, bounds of domains. Out: a contradiction, terms forced to be
//! equal, or whether a comparison follows. Every constraint is `left - right =< limit`, and the
//! shortest paths between terms say all that follows. Invariant: only integers have an order, so a
//! term under an order comparison or an operation is an integer wherever the clause holds.

use rulesmith_logic::{Comparison, Condition, Expr, Operation, Term, Value};

use super::domains::Ranges;
use super::general::{GeneralRule, Verdict};

/// Clauses with more ordered terms than this are not looked at: the work is cubic.
const TERMS_LIMIT: usize = 48;

/// Farther than any sum of bounded integers.
const UNKNOWN: i64 = i64::MAX / 4;

/// The closed system: `limits[a][b]` is the greatest possible `a - b`.
pub(crate) struct Differences {
    terms: Vec<Term>,
    limits: Vec<Vec<i64>>,
    places: Vec<usize>,
}

impl Differences {
    /// The system of the conditions; `None` if they order nothing. With `asked`, only bounds of
    /// domains that hold nothing but integers count, and the two terms are part of the system.
    pub(crate) fn of(
        conditions: &[&Condition],
        ranges: &Ranges<'_>,
        asked: Option<(Term, Term)>,
    ) -> Option<Self> {
        let zero = Term::Value(Value::Int(0));
        let mut system = Self { terms: vec![zero], limits: vec![vec![0]], places: Vec::new() };
        for (place, condition) in conditions.iter().enumerate() {
            if system.add_condition(condition) {
                system.places.push(place);
            }
        }
        if let Some((left, right)) = asked {
            system.index(left)?;
            system.index(right)?;
        }
        if system.terms.len() == 1 || system.terms.len() > TERMS_LIMIT {
            return None;
        }
        system.add_bounds(ranges, asked.is_some());
        system.close();
        system.add_sums(conditions);
        system.close();
        Some(system)
    }

    /// A contradiction, or two terms that are forced to be equal.
    pub(crate) fn judge(&self) -> Verdict {
        let rule = GeneralRule::Arithmetic;
        if (0..self.terms.len()).any(|term| self.limits[term][term] < 0) {
            return Verdict::Impossible(rule, self.places.clone());
        }
        for left in 0..self.terms.len() {
            let Term::Var(_) = self.terms[left] else { continue };
            let (high, low) = (self.limits[left][0], -self.limits[0][left]);
            if high == low
                && let Ok(number) = i32::try_from(high)
            {
                let value = Term::Value(Value::Int(number));
                return Verdict::Same(self.terms[left], value, rule, self.places.clone());
            }
            for right in 0..left {
                if self.limits[left][right] == 0
                    && self.limits[right][left] == 0
                    && let Term::Var(_) = self.terms[right]
                {
                    let pair = (self.terms[right], self.terms[left]);
                    return Verdict::Same(pair.0, pair.1, rule, self.places.clone());
                }
            }
        }
        Verdict::Open
    }

    /// Does the comparison follow?
    pub(crate) fn implies(&self, comparison: Comparison, left: Term, right: Term) -> bool {
        let find = |term: Term| self.terms.iter().position(|other| *other == term);
        let Some((left, right)) = find(left).zip(find(right)) else { return false };
        // A term is not known to be an integer by being compared with itself.
        if left == right {
            return false;
        }
        let (ahead, behind) = (self.limits[left][right], self.limits[right][left]);
        match comparison {
            Comparison::Equal => false,
            Comparison::Unequal => ahead < 0 || behind < 0,
            Comparison::Less => ahead < 0,
            Comparison::AtMost => ahead <= 0,
            Comparison::Greater => behind < 0,
            Comparison::AtLeast => behind <= 0,
        }
    }

    /// The place of an integer term, added on first mention; `None` for another value.
    fn index(&mut self, term: Term) -> Option<usize> {
        if let Term::Value(Value::Symbol(_) | Value::Compound(_)) = term {
            return None;
        }
        if let Some(found) = self.terms.iter().position(|other| *other == term) {
            return Some(found);
        }
        let place = self.terms.len();
        self.terms.push(term);
        for row in &mut self.limits {
            row.push(UNKNOWN);
        }
        self.limits.push(vec![UNKNOWN; place + 1]);
        self.limits[place][place] = 0;
        if let Term::Value(Value::Int(number)) = term {
            self.limits[place][0] = number.into();
            self.limits[0][place] = -i64::from(number);
        }
        Some(place)
    }

    /// `left - right =< limit`.
    fn at_most(&mut self, left: Term, right: Term, limit: i64) -> bool {
        // The number of terms is checked at the end; this keeps untrusted clauses small on the way.
        if self.terms.len() > TERMS_LIMIT {
            return false;
        }
        if let Some((left, right)) = self.index(left).zip(self.index(right)) {
            let place = &mut self.limits[left][right];
            *place = limit.min(*place);
            return true;
        }
        false
    }

    fn add_condition(&mut self, condition: &Condition) -> bool {
        match condition {
            Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => match comparison
            {
                Comparison::Less => self.at_most(*left, *right, -1),
                Comparison::AtMost => self.at_most(*left, *right, 0),
                Comparison::Greater => self.at_most(*right, *left, -1),
                Comparison::AtLeast => self.at_most(*right, *left, 0),
                Comparison::Equal | Comparison::Unequal => false,
            },
            Condition::Compare(
                Comparison::Equal,
                Expr::Term(result),
                Expr::Binary(operation, left, right),
            ) => match (&**left, &**right) {
                (Expr::Term(left), Expr::Term(right)) => {
                    self.add_operation(*operation, *result, *left, *right)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn add_operation(
        &mut self,
        operation: Operation,
        result: Term,
        left: Term,
        right: Term,
    ) -> bool {
        let number = |term: Term| match term {
            Term::Value(Value::Int(number)) => Some(i64::from(number)),
            _ => None,
        };
        match (operation, number(left), number(right)) {
            (Operation::Add, _, Some(step)) => {
                self.at_most(result, left, step) && self.at_most(left, result, -step)
            }
            (Operation::Add, Some(step), _) => {
                self.at_most(result, right, step) && self.at_most(right, result, -step)
            }
            (Operation::Sub, _, Some(step)) => {
                self.at_most(result, left, -step) && self.at_most(left, result, step)
            }
            (Operation::Add | Operation::Sub, ..) => {
                let terms = [result, left, right];
                terms.into_iter().all(|term| self.at_most(term, term, 0))
            }
            (Operation::Min, ..) => self.at_most(result, left, 0) && self.at_most(result, right, 0),
            (Operation::Max, ..) => self.at_most(left, result, 0) && self.at_most(right, result, 0),
            (Operation::Mul | Operation::Div | Operation::Mod, ..) => false,
        }
    }

    fn add_bounds(&mut self, ranges: &Ranges<'_>, only_integers: bool) {
        for place in 1..self.terms.len() {
            let Term::Var(var) = self.terms[place] else { continue };
            if let Some((low, high, is_all)) = ranges.bounds(var)
                && (is_all || !only_integers)
            {
                self.limits[place][0] = self.limits[place][0].min(high.into());
                self.limits[0][place] = self.limits[0][place].min(-i64::from(low));
            }
        }
    }

    /// Bounds of sums and differences of two unknowns, from the bounds of these.
    fn add_sums(&mut self, conditions: &[&Condition]) {
        for condition in conditions {
            let Condition::Compare(
                Comparison::Equal,
                Expr::Term(result),
                Expr::Binary(operation @ (Operation::Add | Operation::Sub), left, right),
            ) = condition
            else {
                continue;
            };
            let (Expr::Term(left), Expr::Term(right)) = (&**left, &**right) else { continue };
            let find = |term: &Term| self.terms.iter().position(|other| other == term);
            let (Some(result), Some(left), Some(right)) = (find(result), find(left), find(right))
            else {
                continue;
            };
            let (high, low) =
                (|term: usize| self.limits[term][0], |term: usize| self.limits[0][term]);
            let (above, below) = match operation {
                Operation::Add => ([high(left), high(right)], [low(left), low(right)]),
                _ => ([high(left), low(right)], [low(left), high(right)]),
            };
            if !above.contains(&UNKNOWN) {
                let bound = above[0].saturating_add(above[1]);
                self.limits[result][0] = self.limits[result][0].min(bound);
            }
            if !below.contains(&UNKNOWN) {
                let bound = below[0].saturating_add(below[1]);
                self.limits[0][result] = self.limits[0][result].min(bound);
            }
        }
    }

    /// Shortest paths between all terms.
    fn close(&mut self) {
        let n_terms = self.terms.len();
        for middle in 0..n_terms {
            for left in 0..n_terms {
                if self.limits[left][middle] >= UNKNOWN {
                    continue;
                }
                for right in 0..n_terms {
                    if self.limits[middle][right] < UNKNOWN {
                        let through =
                            self.limits[left][middle].saturating_add(self.limits[middle][right]);
                        // Far below any bound: a contradiction already, and safe from running away.
                        let through = through.max(-UNKNOWN);
                        self.limits[left][right] = self.limits[left][right].min(through);
                    }
                }
            }
        }
    }
}
