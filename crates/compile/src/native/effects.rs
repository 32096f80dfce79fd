//! Effects as plane operations: what a move assigns, computed from the state before it, then stored.
//!
//! In: the ground rows of effect clauses, one role and one kind of move. Out: statements that change the
//! state. Invariant: all conditions are judged before anything is stored; a key that is assigned a value
//! loses all others.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Word};
use rulesmith_rules::FluentId;

use super::Obstacle;
use super::absent::{Needing, by_need};
use super::carried::{Carried, Known};
use super::classes::{Class, Member, Reading, classify, drop_implied_classes, join_values, mask};
use super::conflicts::stop_if_any_meet;
use super::emit::{Certainty, Emitter, Tables, and, or};
use super::ground::{Row, Test, Tested};
use super::kept_hash::store_plane;
use super::optimizations::Optimization;
use super::params::Params;
use super::readings::{reading, shared_tests};

/// When a key is assigned a value, the key and the value.
pub(crate) type Change = (Row, u32, Option<u32>);

/// What is assigned to a fluent: rows of one clause. The head is the key and the value; no value means
/// that the key has none afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) fluent: FluentId,
    pub(crate) rows: Vec<Change>,
    /// What the rows do in every move that the code is for, if that is found.
    pub(crate) carried: Option<Carried>,
}

impl Assignment {
    /// What every move carries.
    pub(super) fn always(fluent: FluentId, carried: Carried) -> Self {
        let row = Row { tests: Vec::new(), head: Vec::new(), anchors: Vec::new() };
        Self { fluent, rows: vec![(row, 0, None)], carried: Some(carried) }
    }
}

/// A fluent that a step puts back to its default, which is a value or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reset {
    pub(crate) fluent: FluentId,
    pub(crate) default: Option<u32>,
}

/// Everything a kernel of effects needs.
pub(crate) struct Effects<'e, 'l> {
    pub(crate) emitter: &'e mut Emitter<'l>,
    pub(crate) params: &'e Params,
    pub(crate) tables: &'e mut Tables,
    /// What is known of fluents that are carried.
    pub(crate) known: &'e [Known],
    /// The fluent whose assignments could not be emitted.
    pub(crate) failing: &'e mut Option<FluentId>,
}

/// Roots by the value their keys get and how far these are away.
type Moved = BTreeMap<(Option<u32>, i32), Vec<Set>>;

/// An effect that falls into more parts is better a loop: what goes anywhere is not moved equally far.
const OUTS_LIMIT: usize = 96;

/// What is to be stored.
pub(super) enum Stored {
    /// For each value the keys that get it; `None` for keys that lose theirs. With the values that these keys
    /// may have had before, if that is known.
    Planes(FluentId, BTreeMap<Option<u32>, Plane>, Option<BTreeSet<u32>>),
    /// One key gets a value, or loses its own.
    Key(FluentId, Scalar, Option<u32>),
    /// The new value of a word.
    Word(FluentId, Scalar),
}

impl<'e, 'l> Effects<'e, 'l> {
    /// For questions alone.
    pub(crate) fn asking(
        emitter: &'e mut Emitter<'l>,
        params: &'e Params,
        tables: &'e mut Tables,
        failing: &'e mut Option<FluentId>,
    ) -> Self {
        Self { emitter, params, tables, known: &[], failing }
    }

    /// Emits assignments that are all judged in the same state. What is to be reset is, unless something
    /// is assigned to it.
    pub(crate) fn emit(
        &mut self,
        assignments: &[&Assignment],
        resets: &[Reset],
    ) -> Result<(), Obstacle> {
        let mut by_fluent: BTreeMap<usize, Vec<&Assignment>> = BTreeMap::new();
        for reset in resets {
            by_fluent.entry(reset.fluent.0).or_default();
        }
        for assignment in assignments.iter().filter(|assignment| !assignment.rows.is_empty()) {
            by_fluent.entry(assignment.fluent.0).or_default().push(assignment);
        }
        let mut stored = Vec::new();
        for (number, assignments) in by_fluent {
            let fluent = FluentId(number);
            let reset = resets.iter().find(|reset| reset.fluent == fluent).copied();
            *self.failing = Some(fluent);
            stored.push(if self.emitter.places.layout.fluent(fluent).is_scalar() {
                self.word((fluent, reset), &assignments)?
            } else {
                match self.single_key(fluent, &assignments)?.filter(|_| reset.is_none()) {
                    Some((key, value)) => Stored::Key(fluent, key, value),
                    None => self.planes(fluent, &assignments)?,
                }
            });
        }
        *self.failing = None;
        for one in &stored {
            if let Stored::Planes(fluent, targets, _) = one
                && self.known_of(*fluent).is_none_or(|known| !known.is_apart)
            {
                let width = self.emitter.places.layout.fluent(*fluent).keys.width();
                let planes = targets.values().map(|plane| Set::Plane(*plane));
                stop_if_any_meet(self.emitter, (*fluent, width), planes);
            }
        }
        for one in stored {
            self.store(one, resets);
        }
        self.emitter.forget();
        Ok(())
    }

    /// Does one of the rows hold?
    pub(crate) fn holds(&mut self, rows: &[Row]) -> Result<Certainty, Obstacle> {
        let (shared, places) = (shared_tests(rows), self.emitter.places);
        let is_plane = |test: &&Test| reading(places, &shared, test) == Reading::Plane;
        let root = |row: &Row| row.tests.iter().find(is_plane).map_or(0, |test| test.key);
        let classes = classify(rows, &root, &|test| reading(places, &shared, test));
        let mut classes = self.joined(classes);
        if places.optimizations.has(Optimization::ImpliedPatterns) {
            drop_implied_classes(&mut classes);
        }
        let mut any: Option<Word> = None;
        for needing in by_need(places, classes, |class| class) {
            let found = if needing.value.is_none() {
                self.one_holds(&needing.patterns)?
            } else {
                Certainty::If(self.one_holds_if_needed(&needing)?)
            };
            any = match (found, any) {
                (Certainty::Always, _) => return Ok(Certainty::Always),
                (Certainty::Never, any) => any,
                (Certainty::If(found), None) => Some(found),
                (Certainty::If(found), Some(any)) => Some(any | found),
            };
        }
        Ok(any.map_or(Certainty::Never, Certainty::If))
    }

    /// One if a class holds that needs a value, which is asked for first.
    fn one_holds_if_needed(&mut self, needing: &Needing<Class>) -> Result<Word, Obstacle> {
        let Self { emitter, params, tables, known, failing } = self;
        let found = emitter.let_word(Word::Constant(0));
        emitter.where_needed(needing.value, |emitter| {
            let mut inner = Effects { emitter, params, tables, known, failing };
            let word = match inner.one_holds(&needing.patterns)? {
                Certainty::Never => return Ok(()),
                Certainty::Always => Word::Constant(1),
                Certainty::If(word) => word,
            };
            emitter.push(Statement::Let(found, word));
            Ok(())
        })?;
        Ok(found.into())
    }

    fn one_holds(&mut self, classes: &[Class]) -> Result<Certainty, Obstacle> {
        let mut any: Option<Word> = None;
        for class in classes {
            let found = match self.class_holds(class)? {
                Certainty::Never => continue,
                Certainty::Always => return Ok(Certainty::Always),
                Certainty::If(word) => word,
            };
            any = Some(match any {
                None => found,
                // A register of its own keeps long alternatives from nesting.
                Some(any) => Word::Scalar(self.emitter.let_word(any | found)),
            });
        }
        Ok(any.map_or(Certainty::Never, Certainty::If))
    }

    fn joined(&self, classes: Vec<Class>) -> Vec<Class> {
        let is_on = self.emitter.places.optimizations.has(Optimization::JoinedValues);
        if is_on { join_values(classes) } else { classes }
    }

    fn class_holds(&mut self, class: &Class) -> Result<Certainty, Obstacle> {
        let words = self.emitter.words(&class.words)?;
        if let Certainty::Never = words {
            return Ok(Certainty::Never);
        }
        let has_params = class.members.iter().any(|member| !member.params.is_empty());
        if class.relatives.is_empty() && !has_params {
            return Ok(words);
        }
        let width = self.width(class);
        let set = self.class_set(class, width, &class.members.iter().collect::<Vec<_>>())?;
        let any = Word::Any(Box::new(set));
        Ok(Certainty::If(match words {
            Certainty::If(word) => and(word, any),
            _ => any,
        }))
    }

    /// The roots of these members of a class at which it holds, words left out.
    fn class_set(
        &mut self,
        class: &Class,
        width: u16,
        members: &[&Member],
    ) -> Result<Set, Obstacle> {
        let roots = self.params.roots(members, width, self.tables);
        let roots = roots.ok_or_else(|| Obstacle::new("a table of moves would be too large"))?;
        Ok(match self.emitter.pattern(width, class)? {
            None => roots,
            Some(pattern) => Set::And(Box::new(pattern), Box::new(roots)),
        })
    }

    fn width(&self, class: &Class) -> u16 {
        let places = self.emitter.places;
        let plane = class.relatives.iter().filter_map(|one| places.width(one.tested)).max();
        let most = class.members.iter().map(|member| member.root).max().unwrap_or(0);
        plane.unwrap_or_else(|| u16::try_from(most / 64 + 1).unwrap_or(u16::MAX))
    }

    fn planes(
        &mut self,
        fluent: FluentId,
        assignments: &[&Assignment],
    ) -> Result<Stored, Obstacle> {
        let width = self.emitter.places.layout.fluent(fluent).keys.width();
        let mut targets: BTreeMap<Option<u32>, Plane> = BTreeMap::new();
        let mut moved = Moved::new();
        for assignment in assignments {
            if let Some(carried) = &assignment.carried {
                for (value, set) in self.carried_sets(fluent, carried) {
                    let target = self.target(width, value, &mut targets);
                    self.emitter.push(Statement::LetSet(target, or(Set::Plane(target), set)));
                }
                continue;
            }
            // The key and the value become the head, so that classes keep them.
            let rows: Vec<Row> = assignment
                .rows
                .iter()
                .map(|(row, key, value)| Row {
                    head: vec![*key, value.map_or(u32::MAX, |value| value)],
                    ..row.clone()
                })
                .collect();
            let classes = self.joined(self.target_classes(&rows));
            let n_outs: usize = classes.iter().map(n_outs).sum();
            if n_outs > OUTS_LIMIT {
                return Err(Obstacle::new("an effect of too many shapes"));
            }
            for class in classes {
                self.assign(width, &class, (&mut targets, &mut moved))?;
            }
        }
        // What goes equally far is moved together.
        for ((target, shift), sets) in moved {
            let Some(all) = sets.into_iter().reduce(or) else { continue };
            let all = if shift == 0 { all } else { Set::Shift(Box::new(all), shift) };
            let plane = targets[&target];
            self.emitter.push(Statement::LetSet(plane, or(Set::Plane(plane), all)));
        }
        let rows = assignments.iter().flat_map(|one| &one.rows);
        let before = match self.known_of(fluent) {
            Some(known) => Some(known.had.clone()),
            None => rows.map(|(row, key, _)| value_before(fluent, row, *key)).collect(),
        };
        Ok(Stored::Planes(fluent, targets, before))
    }

    fn known_of(&self, fluent: FluentId) -> Option<&Known> {
        self.known.iter().find(|known| known.fluent == fluent)
    }

    /// The plane of the keys that get a value, empty at first.
    fn target(
        &mut self,
        width: u16,
        value: Option<u32>,
        targets: &mut BTreeMap<Option<u32>, Plane>,
    ) -> Plane {
        *targets
            .entry(value)
            .or_insert_with(|| self.emitter.let_set(width, Set::Mask(vec![0; usize::from(width)])))
    }

    /// Classes by the key that is assigned, or by a parameter if that gives no more.
    fn target_classes(&self, rows: &[Row]) -> Vec<Class> {
        let (shared, places) = (shared_tests(rows), self.emitter.places);
        let by_key = classify(rows, &|row| row.head[0], &|test| reading(places, &shared, test));
        let mut best = by_key;
        for number in 0..self.params.scalars.len() {
            let param = |row: &Row| {
                let test = row.tests.iter().find(|test| test.tested == Tested::Param(number));
                test.map(|test| test.key)
            };
            if rows.iter().any(|row| param(row).is_none()) {
                continue;
            }
            let root = |row: &Row| param(row).unwrap_or(0);
            let classes = classify(rows, &root, &|test| reading(places, &shared, test));
            // Patterns around a parameter begin alike, whichever key they assign.
            let has_patterns = classes.iter().any(|class| !class.relatives.is_empty());
            if classes.len() < best.len() + usize::from(has_patterns) {
                best = classes;
            }
        }
        best
    }

    fn assign(
        &mut self,
        width: u16,
        class: &Class,
        (targets, moved): (&mut BTreeMap<Option<u32>, Plane>, &mut Moved),
    ) -> Result<(), Obstacle> {
        let certainty = self.emitter.words(&class.words)?;
        if let Certainty::Never = certainty {
            return Ok(());
        }
        let mut outs: BTreeMap<(i64, u32), Vec<&Member>> = BTreeMap::new();
        for member in &class.members {
            let shift = i64::from(member.head[0]) - i64::from(member.root);
            outs.entry((shift, member.head[1])).or_default().push(member);
        }
        let mut statements = Vec::new();
        for ((shift, value), members) in outs {
            let value = (value != u32::MAX).then_some(value);
            let target = self.target(width, value, targets);
            let set = self.class_set(class, width, &members)?;
            let shift = i32::try_from(shift).map_err(|_| Obstacle::new("a key too far away"))?;
            if let Certainty::Always = certainty {
                moved.entry((value, shift)).or_default().push(set);
                continue;
            }
            let set = if shift == 0 { set } else { Set::Shift(Box::new(set), shift) };
            statements.push(Statement::LetSet(target, or(Set::Plane(target), set)));
        }
        match certainty {
            Certainty::If(word) => self.emitter.push(Statement::If(word, statements, Vec::new())),
            _ => self.emitter.push_all(statements),
        }
        Ok(())
    }

    fn store(&mut self, stored: Stored, resets: &[Reset]) {
        let (fluent, targets, had) = match stored {
            Stored::Word(fluent, new) => {
                let offset = self.emitter.places.layout.fluent(fluent).offset;
                self.emitter.push(Statement::Store(offset, Word::Scalar(new)));
                return;
            }
            Stored::Key(fluent, key, value) => return self.store_key(fluent, key, value),
            Stored::Planes(fluent, targets, had) => (fluent, targets, had),
        };
        let layout = self.emitter.places.layout.fluent(fluent);
        let width = layout.keys.width();
        let reset = resets.iter().find(|reset| reset.fluent == fluent);
        let all = targets.values().map(|plane| Set::Plane(*plane)).reduce(or);
        if all.is_none() && reset.is_none() {
            return;
        }
        let none = Set::Mask(vec![0; usize::from(width)]);
        let all = self.emitter.let_set(width, all.unwrap_or_else(|| none.clone()));
        for value in 0..layout.n_values {
            let offset = layout.plane(value);
            // Keys that had another value need not lose this one.
            let may_lose = had.as_ref().is_none_or(|had| had.contains(&value));
            if reset.is_none() && !may_lose {
                if let Some(target) = targets.get(&Some(value)) {
                    let set = or(Set::State { offset, width }, Set::Plane(*target));
                    store_plane(self.emitter, self.tables, (fluent, value), set);
                }
                continue;
            }
            let before = match reset {
                None => Set::State { offset, width },
                Some(reset) if reset.default == Some(value) => {
                    Set::Mask(mask(width, 0..layout.keys.len()))
                }
                Some(_) => none.clone(),
            };
            let rest = Set::Without(Box::new(before), Box::new(Set::Plane(all)));
            let set = match targets.get(&Some(value)) {
                Some(target) => or(rest, Set::Plane(*target)),
                None => rest,
            };
            store_plane(self.emitter, self.tables, (fluent, value), set);
        }
    }
}

/// Into how many parts a class falls by what it assigns, and how far away.
fn n_outs(class: &Class) -> usize {
    let out = |member: &Member| (member.head[0].wrapping_sub(member.root), member.head[1]);
    class.members.iter().map(out).collect::<BTreeSet<_>>().len()
}

/// The value that a key must have for a row to assign something to it, if the row says so.
fn value_before(fluent: FluentId, row: &Row, key: u32) -> Option<u32> {
    row.tests.iter().find_map(|test| match test.tested {
        Tested::Fluent(id, value) if id == fluent && test.key == key && test.holds => Some(value),
        _ => None,
    })
}
