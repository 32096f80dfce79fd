//! Tallies: how many of the keys that belong to a key have some value, for all keys at once.
//!
//! In: comparisons of counts in clauses that test a fluent at one of the counted body's variables. Out: for
//! each number a plane of the keys that count so many, so that a count is a test of the board like any other.
//! Keys that count the same set share one counting of bits. Invariant: a key is in exactly one plane of a
//! tally.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Array, Set, Statement, Word};
use rulesmith_logic::{Comparison, Condition, Expr, Term, Value, Var, condition_vars, substitute};
use rulesmith_rules::{FluentId, PredicateKind};

use super::build::Builder;
use super::classes::mask;
use super::derived::domain_of;
use super::emit::{Emitter, or};
use super::ground::{Dynamic, Grounded, Grounding, Test, Tested};
use super::optimizations::Optimization;
use crate::state_layout::place;

/// So many sets of keys may be counted apart.
const SETS_LIMIT: usize = 256;

/// For each key the number of some others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// The fluent whose keys count.
    fluent: FluentId,
    /// A key is counted if it passes one of these tests.
    tests: BTreeSet<(Tested, bool)>,
    /// For each set of counted keys those that it belongs to.
    sets: BTreeMap<Vec<u64>, Vec<u32>>,
    most: u32,
}

/// The tallies of a game, and what each way to ask was found to be.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    pub(crate) tallies: Vec<Tally>,
    known: Vec<(Condition, Var, Option<usize>)>,
}

/// A variable that is the key of a fluent.
pub(super) type Keyed = (Var, FluentId);

impl Tally {
    /// The planes of a tally that begins at this word: none beyond the greatest number, and an empty one.
    pub(crate) fn planes(&self, offset: u32, width: u16) -> Array {
        Array { offset, width, n_rows: self.most + 2 }
    }

    pub(crate) fn fluent(&self) -> FluentId {
        self.fluent
    }
}

impl Grounding<'_> {
    /// The variable of a comparison of counts that other conditions look up as the key of a fluent.
    pub(super) fn keyed(&self, condition: &Condition, dynamics: &[Dynamic<'_>]) -> Option<Keyed> {
        if !self.optimizations.has(Optimization::Tallies) {
            return None;
        }
        let asked = condition_vars(condition);
        dynamics.iter().find_map(|dynamic| {
            let Dynamic::Atom { atom, holds: true } = dynamic else { return None };
            let kind = self.theory.kinds.get(atom.predicate.0 as usize)?;
            let PredicateKind::Fluent(id) = kind else { return None };
            let (Term::Var(var), 1) =
                (atom.args.first()?, self.layout.fluent(*id).keys.domains.len())
            else {
                return None;
            };
            asked.contains(var).then_some((*var, *id))
        })
    }

    /// The test of a plane that says what a comparison of counts does; nothing if no tally does.
    pub(super) fn tally_test(
        &self,
        condition: &Condition,
        (var, fluent): Keyed,
        value: &dyn Fn(&Term) -> Option<Value>,
        known: &dyn Fn(Var) -> Term,
    ) -> Option<Test> {
        let Condition::Compare(comparison, left, right) = condition else { return None };
        let holds = match comparison {
            Comparison::Equal => true,
            Comparison::Unequal => false,
            _ => return None,
        };
        let ((count @ Expr::Count { .. }, Expr::Term(number))
        | (Expr::Term(number), count @ Expr::Count { .. })) = (left, right)
        else {
            return None;
        };
        let Value::Int(number) = value(number)? else { return None };
        let number = u32::try_from(number).ok()?;
        let zero = Expr::Term(Term::Value(Value::Int(0)));
        let asked = Condition::Compare(Comparison::Equal, count.clone(), zero);
        let but_key = |other: Var| if other == var { Term::Var(var) } else { known(other) };
        let tally = self.tally(substitute(&asked, &but_key), (var, fluent))?;
        let domain = *self.layout.fluent(fluent).keys.domains.first()?;
        let key = place(&self.theory.base, domain, value(&Term::Var(var))?)?;
        let most = self.tallies.borrow().tallies[tally].most;
        Some(Test { tested: Tested::Tally(fluent, tally, number.min(most + 1)), key, holds })
    }

    /// The tally of a count in which only the key is open, found once.
    fn tally(&self, asked: Condition, (var, fluent): Keyed) -> Option<usize> {
        let is_it = |(known, own, _): &&(Condition, Var, _)| *own == var && *known == asked;
        if let Some((_, _, found)) = self.tallies.borrow().known.iter().find(is_it) {
            return *found;
        }
        let found = self.find_tally(&asked, (var, fluent));
        let mut tallies = self.tallies.borrow_mut();
        let number = found.map(|tally| {
            let known = tallies.tallies.iter().position(|other| *other == tally);
            known.unwrap_or_else(|| {
                tallies.tallies.push(tally);
                tallies.tallies.len() - 1
            })
        });
        tallies.known.push((asked, var, number));
        number
    }

    fn find_tally(&self, asked: &Condition, (var, fluent): Keyed) -> Option<Tally> {
        let Condition::Compare(_, Expr::Count { counted, body }, _) = asked else { return None };
        let ([counted], keys) = (counted.as_slice(), &self.layout.fluent(fluent).keys) else {
            return None;
        };
        let columns = [keys.domains.first().copied(), domain_of(&self.theory.base, *counted, body)];
        let head = [Term::Var(var), Term::Var(*counted)];
        let rows = self.rows(Grounded { head: &head, columns: &columns, body }).ok()?;
        let mut tests: BTreeMap<(u32, u32), BTreeSet<(Tested, bool)>> = BTreeMap::new();
        let mut width = None;
        for row in &rows {
            let ([test], &[key, other]) = (row.tests.as_slice(), row.head.as_slice()) else {
                return None;
            };
            let Tested::Fluent(id, _) = test.tested else { return None };
            let layout = self.layout.fluent(id);
            let own = *width.get_or_insert(layout.keys.width());
            if layout.is_scalar() || test.key != other || own != layout.keys.width() {
                return None;
            }
            tests.entry((key, other)).or_default().insert((test.tested, test.holds));
        }
        let (width, first) = (width?, tests.values().next()?.clone());
        if tests.values().any(|other| *other != first) {
            return None;
        }
        let mut sets: BTreeMap<Vec<u64>, Vec<u32>> = BTreeMap::new();
        for key in 0..keys.len() {
            let others = tests.range((key, 0)..=(key, u32::MAX)).map(|((_, other), _)| *other);
            sets.entry(mask(width, others)).or_default().push(key);
        }
        let sizes = sets.keys().map(|set| set.iter().map(|word| word.count_ones()).sum());
        let most = sizes.max()?;
        (sets.len() <= SETS_LIMIT).then_some(Tally { fluent, tests: first, sets, most })
    }
}

impl<'b> Builder<'b> {
    /// Computes the planes of a tally, if that was not done yet.
    pub(super) fn emit_tally(&mut self, emitter: &mut Emitter<'b>, number: usize) {
        if emitter.tallied.contains_key(&number) {
            return;
        }
        let (tally, offset) = self.tallies[number].clone();
        let width = self.places.layout.fluent(tally.fluent).keys.width();
        let planes = tally.planes(offset, width);
        for row in 0..planes.n_rows {
            let empty = Set::Mask(vec![0; usize::from(width)]);
            emitter.push(Statement::StoreSet(offset + row * u32::from(width), empty));
        }
        let mut counted: Option<(u16, Set)> = None;
        for (tested, holds) in &tally.tests {
            let Tested::Fluent(id, value) = tested else { continue };
            let fluent = self.places.layout.fluent(*id);
            let own = fluent.keys.width();
            let plane = Set::state(fluent.plane(*value), own);
            let all = Set::Mask(vec![u64::MAX; usize::from(own)]);
            let set = if *holds { plane } else { all - plane };
            counted = Some((own, counted.map_or(set.clone(), |(_, others)| or(others, set))));
        }
        let Some((own, counted)) = counted else { return };
        let counted = emitter.let_set(own, counted);
        let n = emitter.scalar();
        for (set, keys) in &tally.sets {
            let count = (Set::Plane(counted) & Set::Mask(set.clone())).count();
            emitter.push(Statement::Let(n, count));
            let keys = Set::Mask(mask(width, keys.iter().copied()));
            let with = or(Set::At(planes, Box::new(Word::Scalar(n))), keys);
            emitter.push(Statement::StoreSetAt(planes, Word::Scalar(n), with));
        }
        emitter.tallied.insert(number, offset);
    }
}
