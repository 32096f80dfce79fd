//! Effects on single words: counters, and fluents without keys.
//!
//! In: what a move assigns to a fluent that is one word. Out: statements that find its new value: a parameter of the
//! move, a row of a table, or one constant after another. Invariant: what may be given two different values ends the
//! kernel.

use std::collections::BTreeMap;

use rulesmith_kernel::{Statement, Table, Word};
use rulesmith_rules::FluentId;

use super::Obstacle;
use super::conflicts::Given;
use super::effects::{Assignment, Effects, Reset, Stored};
use super::emit::Certainty;
use super::ground::{Row, Test, Tested};

/// So many rows are compared with each other to see that they are apart.
const COMPARED_ROWS: usize = 64;

/// A chain of fewer rows is as good as a table.
const TABLE_ROWS: usize = 4;

/// A new value of a word, and the row that says when it is given.
struct Value {
    word: Word,
    common: Vec<Row>,
}

impl Effects<'_, '_> {
    pub(super) fn word(
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
}
