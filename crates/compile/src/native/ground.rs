//! Ground clauses: every way the static part of a clause can hold, and what is left to be tested.
//!
//! In: a flat clause. Out: rows; each has the head as numbers and tests of single bits: a fluent has a
//! value at a key, a parameter of the move has a value, a derived predicate holds of a tuple. What static
//! facts, sorts and arithmetic decide is decided here, once. Invariant: the clause holds of a head in a
//! state exactly when all tests of one of its rows do.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Condition, DomainId, PredicateId, Term, Value, Var, condition_vars, has_var,
};
use rulesmith_rules::{FluentId, MoveId, PredicateKind, Theory};
use rulesmith_specialize::Knowledge;
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::counts::{has_count, inline_counts};
use super::cycles::Cycle;
use super::derived::DerivedLayout;
use super::judged::plain;
pub(crate) use super::number_names::number_of;
use super::optimizations::{Optimization, Optimizations};
use super::possible::Possible;
use super::same_move::of_same_move;
use super::tallies::{Keyed, Tallies};
use super::values::{merge_values, say_by_others};
use super::variants::Questions;
use super::waiting::Waiting;
use crate::state_layout::{StateLayout, place};

/// What a test reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Tested {
    /// The plane of a fluent's value, or the fluent's word if it has no keys: then the key is the value.
    Fluent(FluentId, u32),
    /// A parameter of the move that is being made; the key is its value.
    Param(usize),
    /// The role that makes it; the key is its number.
    Doer,
    /// The kind of move that is made; the key is its number.
    Kind,
    /// A slice of a derived predicate, by the place of its layout; the key is one if it has no keys.
    Derived(usize, u32),
    /// Whether a closed body holds, by its place among those; the key is one.
    Closed(usize),
    /// A counter of the past: does it count at least the key?
    Counter(usize),
    /// What a role does where roles move at once: the key is one more than the kind of move, or zero.
    Joins(u32),
    /// A tally of a fluent's keys: is the key one that counts so many?
    Tally(FluentId, usize, u32),
    /// Whether a question about a cycle holds, by its place among those; the key is one.
    Cycle(usize),
    /// Whether a fluent has one of several values, which are bits. No row asks so; classes do.
    OneOf(FluentId, u64),
}

/// One bit is set, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Test {
    pub(crate) tested: Tested,
    pub(crate) key: u32,
    pub(crate) holds: bool,
}

/// One way a clause can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Sorted, without repetition.
    pub(crate) tests: Vec<Test>,
    /// The arguments of the head by their places in their domains.
    pub(crate) head: Vec<u32>,
    /// For each atom of the clause that states decide and that must hold, the key it reads; the same
    /// atoms in all rows of a clause.
    pub(crate) anchors: Vec<u32>,
}

/// What grounding needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Grounding<'g> {
    pub(crate) theory: &'g Theory,
    pub(crate) knowledge: &'g Knowledge<'g>,
    pub(crate) layout: &'g StateLayout,
    /// The derived predicates that are computed.
    pub(crate) derived: &'g [DerivedLayout],
    /// The questions about cycles.
    pub(crate) cycles: &'g [Cycle],
    /// What shares nothing with its clause, as it is met.
    pub(crate) closed: &'g RefCell<Questions>,
    /// What is counted around keys, as it is met.
    pub(crate) tallies: &'g RefCell<Tallies>,
    /// May roles move at once? Then each has parameters of its own.
    pub(crate) is_joint: bool,
    /// Who waits, if turns are taken so: then a move may be made by waiting.
    pub(crate) waiting: Option<&'g Waiting>,
    /// The moves that may be legal, where effects are grounded.
    pub(crate) possible: Option<&'g Possible<'g>>,
    pub(crate) optimizations: Optimizations,
}

/// A clause to be grounded: its head with the domain of each column, and its body.
#[derive(Clone, Copy)]
pub(crate) struct Grounded<'c> {
    pub(crate) head: &'c [Term],
    /// Numbers stand for themselves in a column without a domain, negative ones as the same bits; everything else is
    /// [`NO_NUMBER`].
    pub(crate) columns: &'c [Option<DomainId>],
    pub(crate) body: &'c [Condition],
}

/// Where a row is made before it is known whether it can hold: most cannot.
#[derive(Debug, Default)]
pub(super) struct RowRoom {
    tests: Vec<Test>,
    anchors: Vec<u32>,
}

/// Stands in a head, where a column has no domain, for what is not a number.
pub(crate) const NO_NUMBER: u32 = 1 << 31;

/// A game may have so many closed bodies.
const CLOSED_LIMIT: usize = 512;

/// What the state alone decides, whatever else a clause says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Do the conditions hold together?
    Body(Vec<Condition>),
    /// Do two expressions, with counts in them, compare so?
    Comparison(Condition),
}

/// What states decide.
pub(super) enum Dynamic<'c> {
    /// An atom holds, or does not.
    Atom { atom: &'c Atom, holds: bool },
    /// A move of a kind is made; columns that nothing else uses are left out.
    Does { kind: MoveId, atom: &'c Atom, used: Vec<bool> },
    /// A fluent without keys has some value, or has none.
    Value { fluent: FluentId, has: bool },
    /// A body does not hold once the variables it shares with the clause are known. Was it nothing but single tests
    /// wherever that was tried? Where it once was not, it is not tried again.
    Not { body: &'c [Condition], is_single: Cell<bool> },
    /// Something was so in a cycle, by the place of the question.
    Cycle(usize),
    /// A comparison of counts, once the variables it shares with the clause are known.
    Counts(&'c Condition, Option<Keyed>),
}

impl Grounding<'_> {
    /// All rows of a clause.
    pub(crate) fn rows(&self, clause: Grounded<'_>) -> Result<Vec<Row>, Obstacle> {
        let body = inline_counts(&self.theory.base, clause.head, clause.body);
        let is_one = !self.is_joint && self.optimizations.has(Optimization::SameMove);
        let body = if is_one { of_same_move(self.theory, self.waiting, body) } else { Some(body) };
        let Some(body) = body else { return Ok(Vec::new()) };
        let has_negations = self.optimizations.has(Optimization::Negations);
        let body = if has_negations {
            say_by_others(self.theory, self.layout, clause.head, body)
        } else {
            body
        };
        let (mut fixed, dynamics) = self.sorted(clause, &body)?;
        self.range(clause, &dynamics, &mut fixed)?;
        let bound: BTreeSet<Var> = fixed.iter().flat_map(condition_vars).collect();
        let is_bound = |term: &Term| match term {
            Term::Var(var) => bound.contains(var),
            Term::Value(_) => true,
        };
        if !clause.head.iter().all(is_bound) {
            return Err(Obstacle::new("a conclusion that is computed"));
        }
        let n_closed = self.closed.borrow().list().len();
        let rows = self.matches(clause, &fixed, &dynamics);
        if self.has_too_many_closed() {
            // Other clauses have room for theirs.
            self.closed.borrow_mut().truncate(n_closed);
            return Err(Obstacle::new("a negation is different for too many bindings"));
        }
        let rows = rows?;
        Ok(if has_negations { merge_values(self.theory, self.layout, rows) } else { rows })
    }

    /// The conditions of a clause: those that static facts decide, and those that the state does.
    fn sorted<'c>(
        &self,
        clause: Grounded<'_>,
        body: &'c [Condition],
    ) -> Result<(Vec<Condition>, Vec<Dynamic<'c>>), Obstacle> {
        let mut fixed = Vec::new();
        let mut dynamics = Vec::new();
        for (place, condition) in body.iter().enumerate() {
            let others = body.iter().enumerate().filter(|(other, _)| *other != place);
            let is_used = |var: Var| {
                clause.head.contains(&Term::Var(var))
                    || others.clone().any(|(_, other)| has_var(other, var))
            };
            if let Some((fluent, has)) = self.about_value(condition, &is_used) {
                dynamics.push(Dynamic::Value { fluent, has });
                continue;
            }
            if let Condition::Holds(atom) = condition
                && let Some(PredicateKind::Does(kind)) =
                    self.theory.kinds.get(atom.predicate.0 as usize)
            {
                let used = self.used_columns(atom, &is_used);
                dynamics.push(Dynamic::Does { kind: *kind, atom, used });
                continue;
            }
            self.sort_out(condition, &mut fixed, &mut dynamics)?;
        }
        for place in 0..dynamics.len() {
            if let Dynamic::Counts(condition, _) = dynamics[place] {
                dynamics[place] = Dynamic::Counts(condition, self.keyed(condition, &dynamics));
            }
        }
        // What is asked of each binding comes last: most bindings are impossible without it.
        dynamics.sort_by_key(is_body);
        Ok((fixed, dynamics))
    }

    fn sort_out<'c>(
        &self,
        condition: &'c Condition,
        fixed: &mut Vec<Condition>,
        dynamics: &mut Vec<Dynamic<'c>>,
    ) -> Result<(), Obstacle> {
        match condition {
            Condition::Holds(atom) if self.is_dynamic(atom.predicate)? => {
                dynamics.push(Dynamic::Atom { atom, holds: true });
            }
            Condition::None { locals, body } => match body.as_slice() {
                [Condition::Holds(atom)]
                    if locals.is_empty() && self.is_dynamic(atom.predicate)? =>
                {
                    dynamics.push(Dynamic::Atom { atom, holds: false });
                }
                body if self.is_fixed(body)? => fixed.push(condition.clone()),
                body => dynamics.push(Dynamic::Not { body, is_single: Cell::new(true) }),
            },
            Condition::Compare(_, left, right) if has_count(left) || has_count(right) => {
                dynamics.push(Dynamic::Counts(condition, None));
            }
            Condition::AnyOf(_) => return Err(Obstacle::new("alternatives")),
            Condition::Elsewhere { by, body, .. } => {
                let number = Cycle::number(self.theory, self.cycles, by, body)?;
                let asked = number.ok_or_else(|| Obstacle::new("a question about another state"));
                dynamics.push(Dynamic::Cycle(asked?));
            }
            _ => fixed.push(condition.clone()),
        }
        Ok(())
    }

    /// The number of a question; nothing for a body that holds in no state.
    pub(super) fn close(&self, what: Closed) -> Option<usize> {
        let may_hold = |question: &Closed| match question {
            Closed::Body(body) => !self.never_holds(body),
            Closed::Comparison(_) => true,
        };
        self.closed.borrow_mut().number_if(plain(what), may_hold)
    }

    pub(super) fn has_too_many_closed(&self) -> bool {
        self.closed.borrow().list().len() > CLOSED_LIMIT
    }

    pub(super) fn is_fixed(&self, body: &[Condition]) -> Result<bool, Obstacle> {
        for condition in body {
            let is_fixed = match condition {
                Condition::Holds(atom) if self.is_legality(atom.predicate) => false,
                Condition::Holds(atom) => !self.is_dynamic(atom.predicate)?,
                Condition::Compare(_, left, right) => !has_count(left) && !has_count(right),
                Condition::Member(..) | Condition::Construct { .. } => true,
                Condition::None { body, .. } => self.is_fixed(body)?,
                Condition::AnyOf(_) | Condition::Elsewhere { .. } => false,
            };
            if !is_fixed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does the predicate say which moves are legal? That there are none is a closed question.
    pub(super) fn is_legality(&self, predicate: PredicateId) -> bool {
        let kind = self.theory.kinds.get(predicate.0 as usize);
        matches!(kind, Some(PredicateKind::Legal(_)))
    }

    /// Is the predicate decided by the state or the move, not by static facts?
    fn is_dynamic(&self, predicate: PredicateId) -> Result<bool, Obstacle> {
        let mut derived = self.derived.iter();
        if let Some(layout) = derived.find(|layout| layout.predicate == predicate) {
            // Rows test bits.
            let listed = || Obstacle::new("a predicate whose tuples are listed");
            return layout.listed.is_none().then_some(true).ok_or_else(listed);
        }
        let Some(kind) = self.theory.kinds.get(predicate.0 as usize) else {
            return Err(Obstacle::new("a predicate nobody computes"));
        };
        match kind {
            PredicateKind::Fluent(_)
            | PredicateKind::Does(_)
            | PredicateKind::Since(_)
            | PredicateKind::Repeated(_) => Ok(true),
            PredicateKind::Static { .. } if self.knowledge.is_complete(predicate) => Ok(false),
            _ => {
                let name = &self.theory.base.predicate(predicate).name;
                Err(Obstacle::new(format!("`{name}` is neither a fluent nor static")))
            }
        }
    }

    /// Variables of the head and of tests range over their columns where nothing else binds them.
    fn range(
        &self,
        clause: Grounded<'_>,
        dynamics: &[Dynamic<'_>],
        fixed: &mut Vec<Condition>,
    ) -> Result<(), Obstacle> {
        let base = &self.theory.base;
        let mut member = |term: &Term, domain: DomainId| {
            if let Term::Var(_) = term {
                fixed.push(Condition::Member(*term, domain));
            }
        };
        for (term, domain) in clause.head.iter().zip(clause.columns) {
            if let Some(domain) = domain {
                member(term, *domain);
            }
        }
        for dynamic in dynamics {
            let (atom, used) = match dynamic {
                // What must not hold binds nothing: outside of its columns it does not hold.
                Dynamic::Atom { atom, holds: true } => (atom, None),
                Dynamic::Does { atom, used, .. } => (atom, Some(used)),
                _ => continue,
            };
            let derived = self.derived.iter().find(|layout| layout.predicate == atom.predicate);
            let columns = match derived {
                Some(layout) => &layout.columns,
                None => &base.predicate(atom.predicate).domains,
            };
            for (column, (term, domain)) in atom.args.iter().zip(columns).enumerate() {
                let is_used = used.is_none_or(|used| used[column]);
                if !is_used || matches!(term, Term::Value(_)) {
                    continue;
                }
                let domain = domain.ok_or_else(|| Obstacle::new("a column without a sort"))?;
                member(term, domain);
            }
        }
        Ok(())
    }

    /// The rows of one match; none if a test can never hold or the head is outside its columns.
    pub(super) fn rows_of(
        &self,
        clause: Grounded<'_>,
        dynamics: &[Dynamic<'_>],
        value: &dyn Fn(&Term) -> Option<Value>,
        room: &mut RowRoom,
    ) -> Result<Vec<Row>, Obstacle> {
        let head = clause.head.iter().zip(clause.columns);
        let head: Option<Vec<u32>> =
            head.map(|(term, domain)| head_place(self.theory, *domain, value(term)?)).collect();
        let Some(head) = head else { return Ok(Vec::new()) };
        let known = |var: Var| match value(&Term::Var(var)) {
            Some(value) => Term::Value(value),
            None => Term::Var(var),
        };
        let first_body = dynamics.iter().position(is_body);
        let RowRoom { tests, anchors } = room;
        tests.clear();
        anchors.clear();
        for (place, dynamic) in dynamics.iter().enumerate() {
            if Some(place) == first_body && !self.is_possible(tests) {
                return Ok(Vec::new());
            }
            let is_anchor = is_anchor(dynamic);
            if let Some(test) = self.atom_test(dynamic, value) {
                anchors.extend(is_anchor.then_some(test.key));
                tests.push(test);
                continue;
            }
            let ways = self.dynamic_ways(dynamic, value, &known)?;
            match &ways[..] {
                [] => return Ok(Vec::new()),
                [way] => {
                    anchors.extend(way.first().filter(|_| is_anchor).map(|test| test.key));
                    tests.extend_from_slice(way);
                }
                _ => {
                    let row = Row { tests: tests.clone(), head, anchors: anchors.clone() };
                    let rows = lengthened(&[row], &ways, is_anchor);
                    return self.longer_rows(rows, (dynamics, place + 1), value);
                }
            }
        }
        let is_possible = self.is_possible(tests);
        // There are many rows, which live long: they take no more room than they need.
        let row = || Row { tests: tests.clone(), head, anchors: anchors.clone() };
        Ok(is_possible.then(row).into_iter().collect())
    }

    /// Rows with what is asked from a place on.
    fn longer_rows(
        &self,
        mut rows: Vec<Row>,
        (dynamics, first): (&[Dynamic<'_>], usize),
        value: &dyn Fn(&Term) -> Option<Value>,
    ) -> Result<Vec<Row>, Obstacle> {
        let known = |var: Var| match value(&Term::Var(var)) {
            Some(value) => Term::Value(value),
            None => Term::Var(var),
        };
        let first_body = dynamics.iter().position(is_body);
        for (place, dynamic) in dynamics.iter().enumerate().skip(first) {
            if Some(place) == first_body {
                rows.retain_mut(|row| self.is_possible(&mut row.tests));
            }
            if rows.is_empty() {
                return Ok(rows);
            }
            let ways = self.dynamic_ways(dynamic, value, &known)?;
            rows = lengthened(&rows, &ways, is_anchor(dynamic));
        }
        rows.retain_mut(|row| self.is_possible(&mut row.tests));
        for row in &mut rows {
            row.tests = row.tests.as_slice().to_vec();
            row.anchors = row.anchors.as_slice().to_vec();
        }
        Ok(rows)
    }

    /// May the tests hold together? What others say already is left out.
    fn is_possible(&self, tests: &mut Vec<Test>) -> bool {
        tests.sort_unstable();
        tests.dedup();
        let mut rest = &tests[..];
        while let Some((one, others)) = rest.split_first() {
            if self.layout.any_excludes(others, one) {
                return false;
            }
            rest = others;
        }
        // That a thing has another value is said by what it has.
        let is_said = |test: &Test| {
            let denied = Test { holds: true, ..*test };
            let excludes = |other: &Test| other.holds && self.layout.excludes(other, &denied);
            !test.holds && tests.iter().any(excludes)
        };
        if tests.iter().any(is_said) {
            *tests = tests.iter().filter(|test| !is_said(test)).copied().collect();
        }
        true
    }
}

/// Does what is asked for have a key that rows are told by?
fn is_anchor(dynamic: &Dynamic<'_>) -> bool {
    matches!(dynamic, Dynamic::Atom { holds: true, .. } | Dynamic::Does { .. })
}

/// The rows that each of these becomes if what is asked next may hold in several ways.
fn lengthened(rows: &[Row], ways: &[Vec<Test>], is_anchor: bool) -> Vec<Row> {
    let longer = |row: &Row, way: &Vec<Test>| {
        let mut row = row.clone();
        row.anchors.extend(way.first().filter(|_| is_anchor).map(|test| test.key));
        row.tests.extend_from_slice(way);
        row
    };
    rows.iter().flat_map(|row| ways.iter().map(move |way| longer(row, way))).collect()
}

/// Is it a body that must not hold?
fn is_body(dynamic: &Dynamic<'_>) -> bool {
    matches!(dynamic, Dynamic::Not { .. })
}

fn head_place(theory: &Theory, domain: Option<DomainId>, value: Value) -> Option<u32> {
    match domain {
        Some(domain) => place(&theory.base, domain, value),
        None => Some(match value {
            Value::Int(number) => number.cast_unsigned(),
            _ => number_of(&theory.symbols, value).unwrap_or(NO_NUMBER),
        }),
    }
}
