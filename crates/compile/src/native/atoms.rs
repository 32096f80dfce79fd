//! Tests: what an atom asks of the words of a state, or of the move being made.
//!
//! In: an atom whose arguments are known. Out: the tests that say that it holds. Invariant: an atom that never
//! holds has none, and is told from one that always does.

use rulesmith_logic::{Atom, Condition, PredicateId, Term, Value, Var, substitute};
use rulesmith_rules::{FluentId, MoveId, PredicateKind};

use super::Obstacle;
use super::counts::has_count;
use super::cycles::is_cycle;
use super::ground::{Closed, Dynamic, Grounded, Grounding, Row, Test, Tested};
use super::optimizations::Optimization;
use super::plan::most_params;
use crate::state_layout::{place, split_row};

/// That a fluent of more values has none is a question of its own.
const VALUES_LIMIT: u32 = 8;

/// A negation is so many tests at most; otherwise it is a question of its own.
const DENIED_LIMIT: usize = 8;

/// So many of them at most ask for the same value at different keys: more are one question about a plane.
const SAME_LIMIT: usize = 4;

impl Grounding<'_> {
    /// The ways in which what a state decides can hold, each as tests; none if it never holds.
    pub(super) fn dynamic_ways(
        &self,
        dynamic: &Dynamic<'_>,
        value: &dyn Fn(&Term) -> Option<Value>,
        known: &dyn Fn(Var) -> Term,
    ) -> Result<Vec<Vec<Test>>, Obstacle> {
        match dynamic {
            Dynamic::Does { kind, atom, used } => {
                let columns = atom.args.iter().zip(used);
                let args: Vec<Option<Value>> =
                    columns.map(|(term, used)| if *used { value(term) } else { None }).collect();
                Ok(self.ways_to_do(*kind, &args))
            }
            Dynamic::Atom { atom, holds: false } if self.kind_done(atom).is_some() => {
                let Some(kind) = self.kind_done(atom) else { return Ok(Vec::new()) };
                let args: Option<Vec<Option<Value>>> =
                    atom.args.iter().map(|term| value(term).map(Some)).collect();
                args.map_or(Ok(Vec::new()), |args| self.ways_not_to_do(kind, &args))
            }
            _ => {
                let tests = self.dynamic_tests(dynamic, value, known)?;
                Ok(tests.into_iter().collect())
            }
        }
    }

    /// The test of an atom, where that is all there is to it.
    pub(super) fn atom_test(
        &self,
        dynamic: &Dynamic<'_>,
        value: &dyn Fn(&Term) -> Option<Value>,
    ) -> Option<Test> {
        let Dynamic::Atom { atom, holds } = dynamic else { return None };
        if self.kind_done(atom).is_some() {
            return None;
        }
        let args: Vec<Value> = atom.args.iter().map(value).collect::<Option<_>>()?;
        let found = self.test(atom.predicate, &args)?;
        Some(Test { holds: *holds, ..found })
    }

    /// The fluent without keys of which the condition asks only whether it has a value.
    pub(super) fn about_value(
        &self,
        condition: &Condition,
        is_used: &dyn Fn(Var) -> bool,
    ) -> Option<(FluentId, bool)> {
        let (atom, has) = match condition {
            Condition::Holds(atom) => (atom, true),
            Condition::None { body, .. } => match body.as_slice() {
                [Condition::Holds(atom)] => (atom, false),
                _ => return None,
            },
            _ => return None,
        };
        let [Term::Var(var)] = &atom.args[..] else { return None };
        match self.theory.kinds.get(atom.predicate.0 as usize)? {
            PredicateKind::Fluent(id) => {
                let fluent = self.layout.fluent(*id);
                let is_asked = fluent.is_scalar() && fluent.values.is_some() && !is_used(*var);
                is_asked.then_some((*id, has))
            }
            _ => None,
        }
    }

    /// The columns of a move that a clause tests. Who moves must be known where roles move at once.
    pub(super) fn used_columns(&self, atom: &Atom, is_used: &dyn Fn(Var) -> bool) -> Vec<bool> {
        let is_used_here = |(column, term): (usize, &Term)| match term {
            Term::Value(_) => true,
            Term::Var(var) => {
                is_used(*var)
                    || atom.args.iter().filter(|other| *other == term).count() > 1
                    || (column == 0 && self.is_joint)
            }
        };
        atom.args.iter().enumerate().map(is_used_here).collect()
    }

    /// The kind of move that an atom asks for, if it does.
    fn kind_done(&self, atom: &Atom) -> Option<MoveId> {
        match self.theory.kinds.get(atom.predicate.0 as usize) {
            Some(PredicateKind::Does(kind)) => Some(*kind),
            _ => None,
        }
    }

    /// The ways to do something: at one's turn, or by waiting.
    fn ways_to_do(&self, kind: MoveId, args: &[Option<Value>]) -> Vec<Vec<Test>> {
        let Some(keys) = self.move_keys(kind, args) else { return Vec::new() };
        let mut ways: Vec<Vec<Test>> = self.does(kind, args).into_iter().collect();
        if let (Some(waiting), Some((role, params))) = (self.waiting, keys.split_first()) {
            let doer = |key| vec![Test { tested: Tested::Doer, key, holds: true }];
            ways.extend(waiting.movers(kind.0, *role, params).map(doer));
        }
        ways
    }

    /// The ways not to do something, which must be known.
    fn ways_not_to_do(
        &self,
        kind: MoveId,
        args: &[Option<Value>],
    ) -> Result<Vec<Vec<Test>>, Obstacle> {
        let mut ways = vec![Vec::new()];
        for way in self.ways_to_do(kind, args) {
            if way.iter().any(|test| matches!(test.tested, Tested::Param(_))) {
                return Err(Obstacle::new("a move that must not be made"));
            }
            let not = way.iter().map(|test| Test { holds: false, ..*test });
            let longer = |before: &Vec<Test>| {
                let longer = not.clone().map(|test| [&before[..], &[test]].concat());
                longer.collect::<Vec<_>>()
            };
            ways = ways.iter().flat_map(longer).collect();
        }
        Ok(ways)
    }

    /// The tests of what a state decides; nothing if they never hold.
    fn dynamic_tests(
        &self,
        dynamic: &Dynamic<'_>,
        value: &dyn Fn(&Term) -> Option<Value>,
        known: &dyn Fn(Var) -> Term,
    ) -> Result<Option<Vec<Test>>, Obstacle> {
        let closed = |closed: Closed, holds: bool| {
            let test = |number| Test { tested: Tested::Closed(number), key: 1, holds };
            self.close(closed).map(|number| vec![test(number)])
        };
        let (atom, holds) = match dynamic {
            Dynamic::Atom { atom, holds } => (atom, *holds),
            Dynamic::Does { .. } => return Err(Obstacle::new("a move in the wrong place")),
            Dynamic::Value { fluent, has } => {
                let tested = Tested::Fluent(*fluent, 0);
                let key = self.layout.fluent(*fluent).no_value();
                return Ok(Some(vec![Test { tested, key, holds: !has }]));
            }
            Dynamic::Cycle(number) => {
                let tested = Tested::Cycle(*number);
                return Ok(Some(vec![Test { tested, key: 1, holds: true }]));
            }
            Dynamic::Not { body, is_single } => {
                if let Some(tests) = self.without_value(body, value) {
                    return Ok(Some(tests));
                }
                let body: Vec<Condition> =
                    body.iter().map(|condition| substitute(condition, &known)).collect();
                let rows = is_single.get().then(|| self.single_tests(&body)).flatten();
                is_single.set(rows.is_some());
                if let Some(rows) = rows {
                    let is_always = rows.iter().any(Option::is_none);
                    let denied = rows.into_iter().flatten();
                    let denied = denied.map(|test| Test { holds: !test.holds, ..test }).collect();
                    return Ok((!is_always).then_some(denied));
                }
                return Ok(closed(Closed::Body(body), false).or_else(|| Some(Vec::new())));
            }
            Dynamic::Counts(condition, keyed) => {
                let test = keyed.and_then(|key| self.tally_test(condition, key, value, known));
                if let Some(test) = test {
                    return Ok(Some(vec![test]));
                }
                return Ok(closed(Closed::Comparison(substitute(condition, &known)), true));
            }
        };
        let args: Option<Vec<Value>> = atom.args.iter().map(value).collect();
        let Some(args) = args else { return Ok(None) };
        match self.test(atom.predicate, &args) {
            None => Ok((!holds).then(Vec::new)),
            Some(found) => Ok(Some(vec![Test { holds, ..found }])),
        }
    }

    /// Do static facts say that a body holds in no state?
    pub(super) fn never_holds(&self, body: &[Condition]) -> bool {
        let is_fixed = |one: &&Condition| self.is_fixed(std::slice::from_ref(*one)) == Ok(true);
        let fixed: Vec<Condition> = body.iter().filter(is_fixed).cloned().collect();
        !fixed.is_empty() && !self.may_match(&fixed)
    }

    /// The tests of which one must hold for a body to hold, if that is so; nothing for what holds anyway.
    fn single_tests(&self, body: &[Condition]) -> Option<Vec<Option<Test>>> {
        if !self.optimizations.has(Optimization::Negations) {
            return None;
        }
        let is_plain = |condition: &Condition| match condition {
            Condition::Holds(atom) => {
                !self.is_legality(atom.predicate) && self.kind_done(atom).is_none()
            }
            Condition::Compare(_, left, right) => !has_count(left) && !has_count(right),
            Condition::Member(..) | Condition::Construct { .. } => true,
            Condition::Elsewhere { by, .. } => is_cycle(self.theory, by),
            _ => false,
        };
        if !body.iter().all(is_plain) {
            return None;
        }
        let rows = self.rows(Grounded { head: &[], columns: &[], body }).ok()?;
        let single = |row: Row| match row.tests[..] {
            [] => Some(None),
            [test] => Some(Some(test)),
            _ => None,
        };
        let tests: Option<Vec<Option<Test>>> = rows.into_iter().map(single).collect();
        tests.filter(|tests| {
            let n_alike = |one: &Test| {
                let sort = (one.tested, one.holds);
                tests.iter().flatten().filter(|other| (other.tested, other.holds) == sort).count()
            };
            tests.len() <= DENIED_LIMIT
                && tests.iter().flatten().all(|one| n_alike(one) <= SAME_LIMIT)
        })
    }

    /// The tests that say that a key of a fluent has no value at all, if that is what must not hold.
    fn without_value(
        &self,
        body: &[Condition],
        value: &dyn Fn(&Term) -> Option<Value>,
    ) -> Option<Vec<Test>> {
        let [Condition::Holds(atom)] = body else { return None };
        let PredicateKind::Fluent(id) = self.theory.kinds.get(atom.predicate.0 as usize)? else {
            return None;
        };
        let fluent = self.layout.fluent(*id);
        let (own, keys) = atom.args.split_last()?;
        let is_meant = self.optimizations.has(Optimization::Negations)
            && !fluent.is_scalar()
            && fluent.n_values <= VALUES_LIMIT
            && value(own).is_none();
        let domain = fluent.values.filter(|_| is_meant)?;
        let keys: Vec<Value> = keys.iter().map(value).collect::<Option<_>>()?;
        let values = self.theory.base.domain(domain).values.iter();
        let tests = values.filter_map(|value| {
            let args = [&keys[..], &[*value]].concat();
            let test = self.test(atom.predicate, &args)?;
            Some(Test { holds: false, ..test })
        });
        Some(tests.collect())
    }

    /// The test that says that an atom holds; nothing if it never does.
    fn test(&self, predicate: PredicateId, args: &[Value]) -> Option<Test> {
        let theory = self.theory;
        let test = |tested, key| Test { tested, key, holds: true };
        let derived = self.derived.iter().position(|layout| layout.predicate == predicate);
        if let Some(number) = derived {
            let layout = &self.derived[number];
            let (slice, key) = layout.index(&theory.base, args)?;
            let key = if layout.is_word() { 1 } else { key };
            return Some(test(Tested::Derived(number, slice), key));
        }
        match theory.kind(predicate) {
            PredicateKind::Fluent(id) => {
                let (key, value) = split_row(theory, self.layout, *id, args)?;
                let fluent = self.layout.fluent(*id);
                Some(match (fluent.is_scalar(), fluent.values) {
                    (true, Some(_)) => test(Tested::Fluent(*id, 0), value),
                    (true, None) => test(Tested::Fluent(*id, 0), 1),
                    (false, _) => test(Tested::Fluent(*id, value), key),
                })
            }
            PredicateKind::Since(_) | PredicateKind::Repeated(_) => {
                let counters = &self.layout.counters;
                let number = counters.iter().position(|one| one.predicate == predicate)?;
                let [Value::Int(least)] = args else { return None };
                // Everything counts at least what is negative.
                Some(test(Tested::Counter(number), u32::try_from(*least).unwrap_or(0)))
            }
            _ => None,
        }
    }

    /// The role and the parameters of a move by their places; nothing if there is no such move.
    fn move_keys(&self, kind: MoveId, args: &[Option<Value>]) -> Option<Vec<Option<u32>>> {
        let domains = &self.theory.base.predicate(self.theory.move_kind(kind).does).domains;
        let mut keys = Vec::new();
        for (value, domain) in args.iter().zip(domains) {
            keys.push(match value {
                Some(value) => Some(place(&self.theory.base, (*domain)?, *value)?),
                None => None,
            });
        }
        Some(keys)
    }

    /// The tests that say what is done, as far as it is asked; nothing if it never can be.
    fn does(&self, kind: MoveId, args: &[Option<Value>]) -> Option<Vec<Test>> {
        let number = u32::try_from(kind.0).unwrap_or(u32::MAX);
        let test = |tested, key| Test { tested, key, holds: true };
        let keys = self.move_keys(kind, args)?;
        let (doer, params) = keys.split_first()?;
        let (mut tests, first) = if self.is_joint {
            let role = (*doer)?;
            let first = (role as usize).saturating_mul(most_params(self.theory));
            (vec![test(Tested::Joins(role), number + 1)], first)
        } else {
            let kind = test(Tested::Kind, number);
            let doer = doer.map(|doer| test(Tested::Doer, doer));
            (std::iter::once(kind).chain(doer).collect(), 0)
        };
        let params = params.iter().enumerate();
        tests.extend(
            params.filter_map(|(place, key)| Some(test(Tested::Param(first + place), (*key)?))),
        );
        Some(tests)
    }
}
