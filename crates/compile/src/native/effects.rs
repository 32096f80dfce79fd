//! Effects as plane operations: what a move assigns, computed from the state before it, then stored.
//!
//! In: the ground rows of effect clauses, one role and one kind of move. Out: statements that change the
//! state. Invariant: all conditions are judged before anything is stored; a key that is assigned a value
//! loses all others.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Table, Word};
use rulesmith_rules::FluentId;

use super::Obstacle;
use super::classes::{Class, Member, Reading, classify, join_values, mask};
use super::conflicts::{Given, stop_if_any_meet};
use super::emit::{Certainty, Emitter, Tables, and, or};
use super::ground::{Row, Test, Tested};
use super::kept_hash::store_plane;
use super::moves::{reading, shared_tests};
use super::optimizations::Optimization;
use super::params::Params;
use super::steps::Doing;

/// So many rows are compared with each other to see that they are apart.
const COMPARED_ROWS: usize = 64;

/// What is assigned to a fluent: rows of one clause. The head is the key and the value; no value means
/// that the key has none afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) fluent: FluentId,
    pub(crate) rows: Vec<(Row, u32, Option<u32>)>,
}

impl Assignment {
    /// What one kind of move may bring about.
    pub(super) fn of(&self, doing: Doing) -> Self {
        let rows = self.rows.iter().filter(|(row, ..)| doing.allows(row));
        Self { fluent: self.fluent, rows: rows.cloned().collect() }
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
}

/// Roots by the value their keys get and how far these are away.
type Moved = BTreeMap<(Option<u32>, i32), Vec<Set>>;

/// A new value of a word, and the row that says when it is given.
struct Value {
    word: Word,
    common: Vec<Row>,
}

/// An effect that falls into more parts is better a loop: what goes anywhere is not moved equally far.
const OUTS_LIMIT: usize = 96;

/// A chain of fewer rows is as good as a table.
const TABLE_ROWS: usize = 4;

/// What is to be stored.
enum Stored {
    /// For each value the keys that get it; `None` for keys that lose theirs. With the values that these keys
    /// may have had before, if that is known.
    Planes(FluentId, BTreeMap<Option<u32>, Plane>, Option<BTreeSet<u32>>),
    /// One key gets a value, or loses its own.
    Key(FluentId, Scalar, Option<u32>),
    /// The new value of a word.
    Word(FluentId, Scalar),
}

impl Effects<'_, '_> {
    /// Emits assignments that are all judged in the same state. What is to be reset is, unless something
    /// is assigned to it.
    pub(crate) fn emit(
        &mut self,
        assignments: &[Assignment],
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
            stored.push(if self.emitter.places.layout.fluent(fluent).is_scalar() {
                self.word((fluent, reset), &assignments)?
            } else {
                match self.single_key(fluent, &assignments)?.filter(|_| reset.is_none()) {
                    Some((key, value)) => Stored::Key(fluent, key, value),
                    None => self.planes(fluent, &assignments)?,
                }
            });
        }
        for one in &stored {
            if let Stored::Planes(fluent, targets, _) = one {
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

    fn word(
        &mut self,
        (fluent, reset): (FluentId, Option<Reset>),
        assignments: &[&Assignment],
    ) -> Result<Stored, Obstacle> {
        let layout = self.emitter.places.layout.fluent(fluent);
        let new = self.emitter.let_word(match reset {
            Some(Reset { default, .. }) => {
                Word::Constant(u64::from(default.unwrap_or(layout.no_value())))
            }
            None => Word::State(layout.offset),
        });
        let mut given: Vec<(Vec<Row>, Word)> = Vec::new();
        for assignment in assignments {
            if let Some(param) = self.param_of_values(assignment) {
                let rows = assignment.rows.iter().map(|(row, ..)| row.clone()).collect();
                given.push((rows, Word::Scalar(self.params.scalars[param])));
                continue;
            }
            let mut by_value: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
            for (row, _, value) in &assignment.rows {
                by_value.entry(value.unwrap_or(layout.no_value())).or_default().push(row.clone());
            }
            given.extend(
                by_value.into_iter().map(|(value, rows)| (rows, Word::Constant(u64::from(value)))),
            );
        }
        if let Some(Value { word, common }) = self.by_table((fluent, reset), assignments) {
            self.set_if(&common, vec![Statement::Let(new, word)])?;
            return Ok(Stored::Word(fluent, new));
        }
        if self.are_apart(&given) {
            for (rows, value) in given {
                self.set_if(&rows, vec![Statement::Let(new, value)])?;
            }
            return Ok(Stored::Word(fluent, new));
        }
        let is_given = self.emitter.let_word(Word::Constant(0));
        for (rows, value) in given {
            let give = Given { is_given, value: new }.give(fluent, value);
            self.set_if(&rows, give)?;
        }
        Ok(Stored::Word(fluent, new))
    }

    /// The new value by a table, where each row asks for one value of the same word, and otherwise for the same.
    fn by_table(
        &mut self,
        (fluent, reset): (FluentId, Option<Reset>),
        assignments: &[&Assignment],
    ) -> Option<Value> {
        let rows = || assignments.iter().flat_map(|one| &one.rows);
        let (first, ..) = rows().next()?;
        let layout = self.emitter.places.layout;
        let is_word = |test: &&Test| match test.tested {
            Tested::Fluent(id, _) => {
                let asked = layout.fluent(id);
                test.holds && asked.is_scalar() && asked.values.is_some()
            }
            _ => false,
        };
        let rest = |row: &Row, tested: Tested| -> Vec<Test> {
            row.tests.iter().filter(|test| test.tested != tested).copied().collect()
        };
        let is_told = |tested: &Tested| {
            let common = rest(first, *tested);
            rows().all(|(row, ..)| {
                row.tests.len() == common.len() + 1 && rest(row, *tested) == common
            })
        };
        let mut asked = first.tests.iter().filter(is_word).map(|test| test.tested);
        let tested = asked.find(is_told).filter(|_| rows().count() >= TABLE_ROWS)?;
        let Tested::Fluent(by, _) = tested else { return None };
        let (own, by) = (layout.fluent(fluent), layout.fluent(by));
        let kept = |value: u32| match reset {
            Some(reset) => Some(reset.default.unwrap_or(own.no_value())),
            None => (own.offset == by.offset).then_some(value),
        };
        let mut values: Vec<Option<u32>> = vec![None; by.no_value() as usize + 1];
        for (row, _, value) in rows() {
            let key = row.tests.iter().find(|test| test.tested == tested && test.holds)?.key;
            let value = value.unwrap_or(own.no_value());
            let place = values.get_mut(key as usize)?;
            // Two values at once are found where they are given.
            if place.is_some_and(|before| before != value) {
                return None;
            }
            *place = Some(value);
        }
        let words =
            values.into_iter().zip(0..).map(|(value, number)| value.or_else(|| kept(number)));
        let words = words.map(|word| word.map(u64::from)).collect::<Option<Vec<u64>>>()?;
        let table = self.tables.add(Table { width: 1, words });
        let tests = rest(first, tested);
        let common = vec![Row { tests, head: Vec::new(), anchors: Vec::new() }];
        Some(Value { word: Word::Look(table, Box::new(Word::State(by.offset))), common })
    }

    /// Can rows with different values never hold together?
    fn are_apart(&self, given: &[(Vec<Row>, Word)]) -> bool {
        let n_rows: usize = given.iter().map(|(rows, _)| rows.len()).sum();
        let layout = self.emitter.places.layout;
        let are_apart = |one: &Row, other: &Row| {
            one.tests.iter().any(|one| other.tests.iter().any(|other| layout.excludes(one, other)))
        };
        let is_apart = |(place, (rows, value)): (usize, &(Vec<Row>, Word))| {
            let mut others = given[place + 1..].iter().filter(|(_, other)| other != value);
            others.all(|(others, _)| {
                rows.iter().all(|one| others.iter().all(|other| are_apart(one, other)))
            })
        };
        given.len() < 2 || (n_rows <= COMPARED_ROWS && given.iter().enumerate().all(is_apart))
    }

    fn set_if(&mut self, rows: &[Row], set: Vec<Statement>) -> Result<(), Obstacle> {
        match self.holds(rows)? {
            Certainty::Never => {}
            Certainty::Always => self.emitter.push_all(set),
            Certainty::If(word) => self.emitter.push(Statement::If(word, set, Vec::new())),
        }
        Ok(())
    }

    /// The parameter of the move that is the new value in every row.
    fn param_of_values(&self, assignment: &Assignment) -> Option<usize> {
        let is_value = |number: &usize| {
            assignment.rows.iter().all(|(row, _, value)| {
                let tested = Tested::Param(*number);
                row.tests.iter().any(|test| test.tested == tested && Some(test.key) == *value)
            })
        };
        let mut numbers = 0..self.params.scalars.len();
        numbers.find(is_value).filter(|_| assignment.rows.len() > 1)
    }

    /// Does one of the rows hold?
    pub(crate) fn holds(&mut self, rows: &[Row]) -> Result<Certainty, Obstacle> {
        let (shared, places) = (shared_tests(rows), self.emitter.places);
        let mut any: Option<Word> = None;
        let is_plane = |test: &&Test| reading(places, &shared, test) == Reading::Plane;
        let root = |row: &Row| row.tests.iter().find(is_plane).map_or(0, |test| test.key);
        let classes = classify(rows, &root, &|test| reading(places, &shared, test));
        for class in self.joined(classes) {
            let found = match self.class_holds(&class)? {
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
        let before = rows.map(|(row, key, _)| value_before(fluent, row, *key)).collect();
        Ok(Stored::Planes(fluent, targets, before))
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
            let target = *targets.entry(value).or_insert_with(|| {
                self.emitter.let_set(width, Set::Mask(vec![0; usize::from(width)]))
            });
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
