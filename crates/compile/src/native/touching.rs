//! Moves that touch nothing of what a question about the state after them reads.
//!
//! In: the rows of what the moves of a role deny of the state after them, and what each kind of move changes. Out: by
//! the key of a thing that every row asks for, the keys that these rows read; for each kind the parameters that name
//! every key it changes. Invariant: if none of the keys that are read now is changed, the answer after the move is
//! the one before it: a row that holds in one of the two states has its thing, and all else it asks for, in the other.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Table, Word};
use rulesmith_rules::FluentId;

use super::Obstacle;
use super::build::{Builder, number};
use super::emit::Emitter;
use super::ground::{Row, Test, Tested};
use super::optimizations::Optimization;
use super::steps::Doing;

/// What a question reads, and what moves change.
#[derive(Clone, Debug)]
pub(crate) struct Touching {
    /// The derived predicate that is denied of the role, by the place of its layout.
    pub(crate) denied: usize,
    pub(crate) role: usize,
    thing: Thing,
    /// By the key of the thing, the keys that are read.
    reads: Vec<Vec<u64>>,
    /// For each kind of move the parameters that name what it changes; none if others may change.
    named: Vec<Option<Vec<usize>>>,
}

/// A value of a fluent that every row asks for somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Thing {
    fluent: FluentId,
    value: u32,
}

/// What is known of the present state, so that moves need not be made in order to be judged.
#[derive(Clone, Debug)]
pub(crate) struct Untouched {
    pub(crate) touching: Rc<Touching>,
    /// The keys that are read.
    reads: Plane,
    /// Does what is denied hold?
    pub(crate) now: Scalar,
}

impl Untouched {
    /// Not zero if a move of a role may change the answer; nothing if it is another role's answer or the parameters
    /// do not tell.
    pub(crate) fn may_change(
        &self,
        (role, kind): (usize, usize),
        params: &[Scalar],
    ) -> Option<Word> {
        if self.touching.role != role {
            return None;
        }
        let places = self.touching.named.get(kind)?.as_ref()?;
        let touched = places.iter().map(|place| Set::from(self.reads).has(params[*place]));
        touched.reduce(|all, one| all | one)
    }
}

impl Thing {
    /// The key at which a test asks for the thing.
    fn key(self, test: &Test) -> Option<u32> {
        let is_it = test.holds && test.tested == Tested::Fluent(self.fluent, self.value);
        is_it.then_some(test.key)
    }

    fn key_in(self, row: &Row) -> Option<u32> {
        row.tests.iter().find_map(|test| self.key(test))
    }
}

impl<'b> Builder<'b> {
    /// What the question that a role's moves are judged by reads; nothing if that does not help.
    pub(super) fn touching(&self, role: usize) -> Option<Touching> {
        if !self.optimizations.has(Optimization::TouchedAfter) || self.continues.may_hold {
            return None;
        }
        let denied = self.nearly.iter().flatten().next()?.denied;
        self.deny_one_thing().ok()?;
        let own = |row: &&Row| row.head.first() == Some(&number(role));
        let rows: Vec<&Row> = self.derived.get(denied)?.as_ref()?.iter().filter(own).collect();
        let thing = self.thing_of(&rows)?;
        let layout = self.places.layout.fluent(thing.fluent);
        let none = vec![0; usize::from(layout.keys.width())];
        let mut reads = vec![none; layout.keys.len() as usize];
        let mut others = BTreeSet::new();
        for row in rows {
            let at = &mut reads[thing.key_in(row)? as usize];
            for test in &row.tests {
                match test.tested {
                    Tested::Fluent(fluent, _) if fluent == thing.fluent => {
                        at[test.key as usize / 64] |= 1 << (test.key % 64);
                    }
                    Tested::Fluent(fluent, _) => {
                        others.insert(fluent.0);
                    }
                    _ => return None,
                }
            }
        }
        let kinds = 0..self.theory.moves.len();
        let is_judged =
            |kind: usize| self.nearly[kind].as_ref().is_some_and(|nearly| nearly.denied == denied);
        let named = |kind: usize| {
            let is_left = |fluent: &usize| self.leaves((role, kind), FluentId(*fluent));
            let is_known = is_judged(kind) && others.iter().all(is_left);
            is_known.then(|| self.named((role, kind), thing)).flatten()
        };
        let named: Vec<Option<Vec<usize>>> = kinds.map(named).collect();
        let helps = named.iter().any(Option::is_some);
        helps.then_some(Touching { denied, role, thing, reads, named })
    }

    /// The thing that every row asks for: of several the one that is on the fewest keys.
    fn thing_of(&self, rows: &[&Row]) -> Option<Thing> {
        let mut things: BTreeMap<Thing, BTreeSet<u32>> = BTreeMap::new();
        for test in &rows.first()?.tests {
            if let Tested::Fluent(fluent, value) = test.tested
                && test.holds
                && !self.places.layout.fluent(fluent).is_scalar()
            {
                things.insert(Thing { fluent, value }, BTreeSet::new());
            }
        }
        things.retain(|thing, keys| {
            let own: Option<BTreeSet<u32>> = rows.iter().map(|row| thing.key_in(row)).collect();
            own.map(|own| *keys = own).is_some()
        });
        things.into_iter().min_by_key(|(_, keys)| keys.len()).map(|(thing, _)| thing)
    }

    /// Does a kind of move leave a fluent as it is?
    fn leaves(&self, (role, kind): (usize, usize), fluent: FluentId) -> bool {
        let doing = Doing::One(role, kind);
        let mut all = self.assignments.iter().chain(&self.deferred);
        let is_looped = self.looped.iter().flatten().any(|looped| *looped == fluent);
        !is_looped
            && !self.theory.fluent(fluent).is_transient
            && !all.any(|one| {
                one.fluent == fluent && one.rows.iter().any(|(row, ..)| doing.allows(row))
            })
    }

    /// The parameters that name every key of a thing's fluent that a kind of move changes. A key gets the thing only
    /// if that is taken from another one, which is named too.
    fn named(&self, (role, kind): (usize, usize), thing: Thing) -> Option<Vec<usize>> {
        let doing = Doing::One(role, kind);
        let is_own = |fluent: FluentId| fluent == thing.fluent;
        let is_looped = self.looped.iter().flatten().any(|looped| is_own(*looped));
        let mut late = self.deferred.iter().filter(|one| is_own(one.fluent));
        let is_late = late.any(|one| one.rows.iter().any(|(row, ..)| doing.allows(row)));
        if is_looped || is_late || self.theory.fluent(thing.fluent).is_transient {
            return None;
        }
        let n_keys = self.places.layout.fluent(thing.fluent).keys.len();
        let sizes = self.param_sizes(kind).ok()?;
        let mut places = BTreeSet::new();
        let mut name = |row: &Row, key: u32| {
            let place = row.tests.iter().find_map(|test| match test.tested {
                Tested::Param(place) if test.holds && test.key == key => Some(place),
                _ => None,
            });
            let place = place.filter(|place| sizes.get(*place).is_some_and(|n| *n <= n_keys));
            place.map(|place| places.insert(place))
        };
        let own = self.assignments.iter().filter(|one| is_own(one.fluent));
        for (row, key, value) in own.flat_map(|one| &one.rows) {
            if !doing.allows(row) {
                continue;
            }
            name(row, *key)?;
            if *value == Some(thing.value) {
                name(row, thing.key_in(row)?)?;
            }
        }
        Some(places.into_iter().collect())
    }

    /// Finds out what is read now and whether what is denied holds, if moves of a kind can be judged by that.
    pub(super) fn find_untouched(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
    ) -> Result<(), Obstacle> {
        let Some(touching) = self.touching.get(role).cloned().flatten() else { return Ok(()) };
        let is_known = emitter.untouched.as_ref().is_some_and(|one| one.touching.role == role);
        if is_known || touching.named[kind].is_none() {
            return Ok(());
        }
        let layout = self.places.layout.fluent(touching.thing.fluent);
        let width = layout.keys.width();
        let table = Table { width, words: touching.reads.concat() };
        let table = self.tables.add(table);
        let reads = emitter.let_set(width, Set::Mask(vec![0; usize::from(width)]));
        let key = emitter.scalar();
        let more = Statement::LetSet(reads, Set::from(reads) | Set::row(table, key));
        let things = Set::state(layout.plane(touching.thing.value), width);
        emitter.push(Statement::ForEach(key, things, vec![more]));
        let now = self.is_denied_now(emitter, &touching)?;
        emitter.untouched = Some(Untouched { touching, reads, now });
        Ok(())
    }

    /// Whether what is denied of moves holds already.
    fn is_denied_now(
        &mut self,
        emitter: &mut Emitter<'b>,
        touching: &Touching,
    ) -> Result<Scalar, Obstacle> {
        let Touching { denied, role, .. } = *touching;
        let layout = &self.places.derived[denied];
        let (slice, key) = layout.split(&[number(role)]);
        if let Some(plan) = layout.is_word().then(|| self.attack_plan((denied, slice))).flatten() {
            return Ok(self.emit_attacked(emitter, &plan));
        }
        let width = layout.keys.width();
        self.ensure_stored(emitter, denied)?;
        let word = self.setting.derived[denied].1.word_of_slice(slice);
        Ok(emitter.let_word(Set::state(word, width).has(Word::Constant(u64::from(key)))))
    }
}
