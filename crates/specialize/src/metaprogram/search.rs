//! The search for deductions: all ways to make the conditions of one metarule hold.
//!
//! In: a plan and the clauses of the phase. Out: what the metarule wants done, once for each thing.
//! Invariant: every condition tried costs fuel, and nothing is done before the barrier.

use rulesmith_logic::{Clause, Comparison, Condition, Term, Value, Var};
use rulesmith_rules::{Action, Metacondition, Metarule, Quoted, Theory};
use rustc_hash::FxHashSet;

use super::deduce::{self, Wish};
use super::matching::{Bindings, Bound, Mark, Matched, Way, body_set, moved_condition, ways};
use super::plan::Step;

/// The deductions of one metarule in the making.
pub(super) struct Search<'m> {
    pub(super) theory: &'m Theory,
    pub(super) metarule: &'m Metarule,
    pub(super) clauses: &'m [Clause],
    pub(super) bindings: Bindings,
    /// Conditions that may still be tried.
    pub(super) fuel: u64,
    /// What is wanted so far.
    pub(super) wishes: Vec<Wish>,
    /// Bindings of the `once` variables that have had their deduction.
    seen: FxHashSet<Vec<Option<Bound>>>,
    /// The variables one deduction is enough for.
    once: Option<Vec<Var>>,
}

impl<'m> Search<'m> {
    /// Nothing found yet.
    pub(super) fn new(
        theory: &'m Theory,
        metarule: &'m Metarule,
        clauses: &'m [Clause],
        fuel: u64,
    ) -> Self {
        let bindings = Bindings::new(metarule.variables.len());
        let once = metarule.once.clone().or_else(|| dropped_rules(metarule));
        let (wishes, seen) = (vec![], FxHashSet::default());
        Self { theory, metarule, clauses, bindings, fuel, wishes, seen, once }
    }

    /// Goes on with the next steps. Returns true when the search is to stop: a test has its answer, or
    /// the fuel is gone.
    pub(super) fn solve(&mut self, steps: &[Step<'m>], is_test: bool) -> bool {
        if !self.burn(1) {
            return true;
        }
        let Some((step, rest)) = steps.split_first() else {
            if !is_test {
                self.conclude();
            }
            return is_test;
        };
        match step {
            Step::Not(inner) => {
                let mark = self.bindings.mark();
                let holds = self.solve(inner, true);
                self.bindings.undo(mark);
                if self.fuel == 0 {
                    return true;
                }
                !holds && self.solve(rest, is_test)
            }
            Step::Try(condition) => self.attempt(condition, rest, is_test),
        }
    }

    /// Uses fuel; false when there is not enough.
    pub(super) fn burn(&mut self, amount: usize) -> bool {
        self.fuel = self.fuel.saturating_sub(u64::try_from(amount).unwrap_or(u64::MAX));
        self.fuel > 0
    }

    fn attempt(&mut self, condition: &'m Metacondition, rest: &[Step<'m>], is_test: bool) -> bool {
        match condition {
            Metacondition::Rule(rule) => self.try_rules(*rule, rest, is_test),
            Metacondition::NewRule(rule) => {
                let mark = self.bindings.mark();
                let stop = self.bindings.bind(*rule, Bound::New) && self.solve(rest, is_test);
                self.undo_unless(stop, mark)
            }
            Metacondition::Conclusion(rule, quoted) => {
                let Some((clause, offset)) = self.rule(*rule) else { return false };
                let head = Condition::Holds(self.clauses[clause].head.clone());
                self.try_object(quoted, &head, (offset, None), rest, is_test)
            }
            Metacondition::Condition(rule, quoted) => {
                let Some((clause, offset)) = self.rule(*rule) else { return false };
                let clauses = self.clauses;
                let is_subject = self.is_subject(quoted);
                let mut body = clauses[clause].body.iter().enumerate();
                body.any(|(place, object)| {
                    let matched = Matched { clause, place: Some(place), is_subject };
                    self.try_object(quoted, object, (offset, Some(matched)), rest, is_test)
                })
            }
            Metacondition::Member(quoted, set) => {
                let Some(Bound::Set(set)) = self.bindings.get(*set) else { return false };
                let set = set.clone();
                self.burn(set.len());
                set.iter().any(|object| self.try_object(quoted, object, (0, None), rest, is_test))
            }
            _ => {
                let mark = self.bindings.mark();
                let stop = self.holds(condition) && self.solve(rest, is_test);
                self.undo_unless(stop, mark)
            }
        }
    }

    fn undo_unless(&mut self, stop: bool, mark: Mark) -> bool {
        if !stop {
            self.bindings.undo(mark);
        }
        stop
    }

    fn try_rules(&mut self, rule: Var, rest: &[Step<'m>], is_test: bool) -> bool {
        if self.rule(rule).is_some() {
            // Chosen before: the condition is a test.
            return self.solve(rest, is_test);
        }
        for (place, clause) in self.clauses.iter().enumerate() {
            let mark = self.bindings.mark();
            let (offset, n_own) = (self.bindings.n_variables, clause.variables.len());
            let Ok(offset) = u16::try_from(offset) else { return false };
            if usize::from(offset) + n_own >= usize::from(u16::MAX) {
                continue;
            }
            self.bindings.n_variables += n_own;
            let stop =
                self.bindings.bind(rule, Bound::Rule(place, offset)) && self.solve(rest, is_test);
            if self.undo_unless(stop, mark) {
                return true;
            }
        }
        false
    }

    /// Matches one condition of a clause, in every way, and goes on.
    fn try_object(
        &mut self,
        quoted: &Quoted,
        object: &Condition,
        (offset, matched): (u16, Option<Matched>),
        rest: &[Step<'m>],
        is_test: bool,
    ) -> bool {
        let ways = match quoted {
            Quoted::Pattern(pattern) => ways(pattern),
            Quoted::Variable(_) => &[Way::default()],
        };
        for way in ways {
            if !self.burn(1) {
                return true;
            }
            let mark = self.bindings.mark();
            let is_match = match quoted {
                Quoted::Pattern(pattern) => {
                    self.bindings.match_condition(pattern, object, offset, *way)
                }
                Quoted::Variable(var) => {
                    self.bindings.bind(*var, Bound::Condition(moved_condition(object, offset)))
                }
            };
            self.bindings.matched.extend(matched);
            let stop = is_match && self.solve(rest, is_test);
            if self.undo_unless(stop, mark) {
                return true;
            }
        }
        false
    }

    /// Clause and offset of a metavariable.
    pub(super) fn rule(&self, var: Var) -> Option<(usize, u16)> {
        match self.bindings.get(var)? {
            Bound::Rule(clause, offset) => Some((*clause, *offset)),
            _ => None,
        }
    }

    /// Tests, and what has one answer.
    fn holds(&mut self, condition: &Metacondition) -> bool {
        match condition {
            Metacondition::SetOfConditions(rule, set) => {
                let Some((clause, offset)) = self.rule(*rule) else { return false };
                self.burn(self.clauses[clause].body.len());
                self.bindings.matched.push(Matched { clause, place: None, is_subject: false });
                let body = body_set(&self.clauses[clause], offset);
                match self.bindings.get(*set) {
                    Some(Bound::Set(known)) => are_same(known, &body),
                    _ => self.bindings.bind(*set, Bound::Set(body)),
                }
            }
            Metacondition::Variable(term) => {
                matches!(self.bindings.term(*term), Some(Term::Var(_)))
            }
            Metacondition::Constant(term) => {
                matches!(self.bindings.term(*term), Some(Term::Value(_)))
            }
            Metacondition::Same(left, right) => self
                .bindings
                .term(*left)
                .is_some_and(|left| Some(left) == self.bindings.term(*right)),
            Metacondition::Sort(term, sort) => self.is_of_sort(*term, *sort),
            Metacondition::Subset(left, right) => match (self.set(*left), self.set(*right)) {
                (Some(left), Some(right)) => left.iter().all(|one| right.contains(one)),
                _ => false,
            },
            Metacondition::Union(left, right, whole) => self.union(*left, *right, *whole),
            Metacondition::Length(set, number) => {
                let Some(length) = self.set(*set).map(Vec::len) else { return false };
                let length = i64::try_from(length).unwrap_or(i64::MAX);
                match number {
                    Term::Value(Value::Int(wanted)) => i64::from(*wanted) == length,
                    Term::Value(_) => false,
                    Term::Var(var) => self.bindings.bind(*var, Bound::Number(length)),
                }
            }
            Metacondition::Compare(comparison, left, right) => {
                self.compares(*comparison, *left, *right)
            }
            _ => false,
        }
    }

    fn set(&self, var: Var) -> Option<&Vec<Condition>> {
        match self.bindings.get(var)? {
            Bound::Set(set) => Some(set),
            _ => None,
        }
    }

    fn union(&mut self, left: Var, right: Var, whole: Var) -> bool {
        let (Some(left), Some(right)) = (self.set(left), self.set(right)) else { return false };
        let mut union = left.clone();
        union.extend(right.iter().filter(|one| !left.contains(one)).cloned());
        self.burn(union.len());
        match self.bindings.get(whole) {
            Some(Bound::Set(known)) => are_same(known, &union),
            _ => self.bindings.bind(whole, Bound::Set(union)),
        }
    }

    /// Is the term a constant of the sort, or a variable that ranges over it or a part of it?
    fn is_of_sort(&self, term: Term, sort: rulesmith_logic::DomainId) -> bool {
        let base = &self.theory.base;
        let values = &base.domain(sort).values;
        match self.bindings.term(term) {
            Some(Term::Value(value)) => values.contains(&value),
            Some(Term::Var(var)) => {
                let domain = self.variable(var).and_then(|variable| variable.domain);
                domain.is_some_and(|domain| {
                    let own = &base.domain(domain).values;
                    domain == sort || own.iter().all(|value| values.contains(value))
                })
            }
            None => false,
        }
    }

    /// The variable of a chosen clause with this moved number.
    pub(super) fn variable(&self, var: Var) -> Option<&'m rulesmith_logic::Variable> {
        let metavariables =
            (0..self.metarule.variables.len()).filter_map(|place| u16::try_from(place).ok());
        let mut chosen = metavariables.filter_map(|place| self.rule(Var(place)));
        chosen.find_map(|(clause, offset)| {
            let place = var.0.checked_sub(offset)?;
            self.clauses[clause].variables.get(usize::from(place))
        })
    }

    fn compares(&self, comparison: Comparison, left: Term, right: Term) -> bool {
        let side = |term: Term| match term {
            Term::Value(_) => Some(Bound::Term(term)),
            Term::Var(var) => self.bindings.get(var).cloned(),
        };
        let (Some(left), Some(right)) = (side(left), side(right)) else { return false };
        if let (Some(left), Some(right)) = (number(&left), number(&right)) {
            return match comparison {
                Comparison::Equal => left == right,
                Comparison::Unequal => left != right,
                Comparison::Less => left < right,
                Comparison::AtMost => left <= right,
                Comparison::Greater => left > right,
                Comparison::AtLeast => left >= right,
            };
        }
        let is_same = match (&left, &right) {
            (Bound::Set(left), Bound::Set(right)) => are_same(left, right),
            (Bound::Rule(left, _), Bound::Rule(right, _)) => left == right,
            _ => left == right,
        };
        match comparison {
            Comparison::Equal => is_same,
            Comparison::Unequal => !is_same,
            _ => false,
        }
    }

    /// All conditions hold: what is wanted is kept, unless it was before.
    fn conclude(&mut self) {
        if let Some(once) = &self.once {
            let key =
                once.iter().map(|var| self.bindings.get(*var).cloned().map(unmoved)).collect();
            if !self.seen.insert(key) {
                return;
            }
        }
        for wish in deduce::wishes(self) {
            // Looking through what is wanted already is work too.
            self.burn(1 + self.wishes.len() / 16);
            if !self.wishes.contains(&wish) {
                self.wishes.push(wish);
            }
        }
    }

    /// Is this what the metarule calls useless?
    fn is_subject(&self, quoted: &Quoted) -> bool {
        self.metarule
            .actions()
            .any(|action| matches!(action, Action::Useless(_, subject) if subject == quoted))
    }
}

/// The same clause is the same binding, whatever its offset.
fn unmoved(bound: Bound) -> Bound {
    match bound {
        Bound::Rule(clause, _) => Bound::Rule(clause, 0),
        other => other,
    }
}

fn number(bound: &Bound) -> Option<i64> {
    match bound {
        Bound::Number(number) => Some(*number),
        Bound::Term(Term::Value(Value::Int(number))) => Some(i64::from(*number)),
        _ => None,
    }
}

fn are_same(left: &[Condition], right: &[Condition]) -> bool {
    left.len() == right.len() && left.iter().all(|one| right.contains(one))
}

/// The clauses a metarule does nothing but drop: one deduction is enough for each choice of them.
fn dropped_rules(metarule: &Metarule) -> Option<Vec<Var>> {
    let dropped = |action: &Action| match action {
        Action::Impossible(rule) | Action::Kill(rule, _) => Some(*rule),
        _ => None,
    };
    metarule.actions().map(dropped).collect()
}
