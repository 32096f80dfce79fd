//! Computing what clauses ask about beside fluents: closed questions and derived predicates.
//!
//! In: ground rows. Out: statements that compute what the rows test, once in each stretch of code in which
//! the state stays as it is. Invariant: nothing is read before it is computed.

use std::collections::BTreeSet;

use rulesmith_kernel::{Plane, Set, Statement, Word};

use super::Obstacle;
use super::build::{Builder, to_word};
use super::emit::{Computed, Emitter, or};
use super::ground::{Row, Tested};
use super::judged::{Judged, Sum, compared};
use super::moves::emit_set;

impl<'b> Builder<'b> {
    /// Computes what the rows ask about beside fluents, if that was not done yet.
    pub(super) fn prepare<'r>(
        &mut self,
        emitter: &mut Emitter<'b>,
        rows: impl IntoIterator<Item = &'r Row>,
    ) -> Result<(), Obstacle> {
        let is_beside = |tested: &Tested| {
            matches!(tested, Tested::Closed(_) | Tested::Derived(..) | Tested::Tally(..))
        };
        let tests = rows.into_iter().flat_map(|row| &row.tests);
        let asked: BTreeSet<Tested> = tests.map(|test| test.tested).filter(is_beside).collect();
        for tested in asked {
            match tested {
                Tested::Closed(number) if !emitter.closed.contains_key(&number) => {
                    let word = self.closed_word(emitter, number)?;
                    let scalar = emitter.let_word(word);
                    emitter.closed.insert(number, scalar);
                }
                Tested::Derived(number, slice)
                    if !emitter.computed.contains_key(&(number, slice)) =>
                {
                    self.compute(emitter, (number, slice))?;
                }
                Tested::Tally(_, number, _) => self.emit_tally(emitter, number),
                _ => {}
            }
        }
        Ok(())
    }

    fn closed_word(&mut self, emitter: &mut Emitter<'b>, number: usize) -> Result<Word, Obstacle> {
        let judged = self.closed[number].clone();
        if judged.is_none()
            && let Some((role, _)) = self.legality(number)
        {
            self.judge_legality(emitter, role)?;
            return Ok(emitter.closed[&number].into());
        }
        Ok(match judged.ok_or_else(|| Obstacle::new("a closed question without rows"))? {
            Judged::Body(rows) => to_word(self.judge(emitter, &rows)?),
            Judged::Comparison(comparison, [left, right]) => {
                let (left, right) = (self.sum(emitter, &left)?, self.sum(emitter, &right)?);
                compared(comparison, left, right)
            }
        })
    }

    /// Computes a slice of a derived predicate. One that asks itself is computed again and again from
    /// nothing until it stays as it is.
    fn compute(
        &mut self,
        emitter: &mut Emitter<'b>,
        (number, slice): (usize, u32),
    ) -> Result<(), Obstacle> {
        if self.under_way.contains(&(number, slice)) {
            return Err(Obstacle::new("predicates that ask each other"));
        }
        if let Some(plan) = self.attack_plan((number, slice)) {
            let computed = Computed::Word(self.emit_attacked(emitter, &plan));
            emitter.computed.insert((number, slice), computed);
            return Ok(());
        }
        let layout = &self.places.derived[number];
        let (is_word, width) = (layout.is_word(), layout.keys.width());
        let own = |row: &Row| {
            let (own, key) = layout.split(&row.head);
            (own == slice).then(|| Row { head: vec![key], ..row.clone() })
        };
        let Some(rows) = &self.derived[number] else {
            return self.load(emitter, (number, slice));
        };
        let rows: Vec<Row> = rows.iter().filter_map(own).collect();
        self.under_way.push((number, slice));
        let computed = if is_word {
            let word = self.judge(emitter, &rows).map(to_word);
            word.map(|word| Computed::Word(emitter.let_word(word)))
        } else {
            self.plane_by_rows(emitter, (number, slice), width, &rows).map(Computed::Plane)
        };
        self.under_way.pop();
        emitter.computed.insert((number, slice), computed?);
        Ok(())
    }

    fn plane_by_rows(
        &mut self,
        emitter: &mut Emitter<'b>,
        slice: (usize, u32),
        width: u16,
        rows: &[Row],
    ) -> Result<Plane, Obstacle> {
        let itself = Tested::Derived(slice.0, slice.1);
        if rows.iter().any(|row| row.tests.iter().any(|test| test.tested == itself)) {
            return self.least(emitter, slice, width, rows);
        }
        self.prepare(emitter, rows)?;
        emit_set(emitter, self.places, width, rows)
    }

    /// What loops have computed of a derived predicate.
    fn load(
        &mut self,
        emitter: &mut Emitter<'b>,
        (number, slice): (usize, u32),
    ) -> Result<(), Obstacle> {
        self.ensure_stored(emitter, number)?;
        let stored = self.setting.derived[number].1.clone();
        let layout = &self.places.derived[number];
        let (word, width) = (stored.word_of_slice(slice), layout.keys.width());
        let computed = if layout.is_word() {
            Computed::Word(emitter.let_word(Word::State(word)))
        } else {
            Computed::Plane(emitter.let_set(width, Set::state(word, width)))
        };
        emitter.computed.insert((number, slice), computed);
        Ok(())
    }

    /// A slice of a derived predicate by its rows.
    pub(super) fn slice(
        &mut self,
        emitter: &mut Emitter<'b>,
        slice: (usize, u32),
    ) -> Result<Computed, Obstacle> {
        if self.derived[slice.0].is_none() {
            return Err(Obstacle::new("a derived predicate without rows"));
        }
        if !emitter.computed.contains_key(&slice) {
            self.compute(emitter, slice)?;
        }
        emitter.computed.get(&slice).copied().ok_or_else(|| Obstacle::new("nothing computed"))
    }

    /// The least plane that the rows of a predicate that asks itself allow.
    fn least(
        &mut self,
        emitter: &mut Emitter<'b>,
        slice: (usize, u32),
        width: u16,
        rows: &[Row],
    ) -> Result<Plane, Obstacle> {
        let itself = Tested::Derived(slice.0, slice.1);
        let asks = |row: &&Row| row.tests.iter().any(|test| test.tested == itself);
        let others: Vec<Row> = rows.iter().filter(|row| !asks(row)).cloned().collect();
        if rows.iter().flat_map(|row| &row.tests).any(|test| test.tested == itself && !test.holds) {
            return Err(Obstacle::new("a predicate that denies itself"));
        }
        self.prepare(emitter, &others)?;
        let first = emit_set(emitter, self.places, width, &others)?;
        let kept = self.kept_plane(emitter, slice, (width, rows));
        let all = match kept {
            Some(kept) => {
                let start = self.start_from(emitter, slice, (width, rows), kept);
                emitter.let_set(width, or(Set::Plane(start), Set::Plane(first)))
            }
            None => emitter.let_set(width, Set::Plane(first)),
        };
        let again: Vec<Row> = rows.iter().filter(asks).cloned().collect();
        emitter.computed.insert(slice, Computed::Plane(all));
        self.prepare(emitter, &again)?;
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let more = emit_set(emitter, self.places, width, &again)?;
            let new = Set::Without(Box::new(Set::Plane(more)), Box::new(Set::Plane(all)));
            let is_new = Word::Any(Box::new(new));
            emitter.push(Statement::If(is_new, Vec::new(), vec![Statement::Leave]));
            emitter.push(Statement::LetSet(all, or(Set::Plane(all), Set::Plane(more))));
            Ok(())
        });
        done?;
        emitter.push(Statement::Repeat(body));
        if let Some(kept) = kept {
            self.keep_plane(emitter, slice, (all, rows), kept);
        }
        Ok(all)
    }

    pub(super) fn sum(&mut self, emitter: &mut Emitter<'b>, sum: &Sum) -> Result<Word, Obstacle> {
        Ok(match sum {
            Sum::Constant(number) => Word::Constant(*number),
            Sum::Count(space, rows) => {
                self.prepare(emitter, rows)?;
                let plane = emit_set(emitter, self.places, space.width(), rows)?;
                Word::Count(Box::new(Set::Plane(plane)))
            }
            Sum::Compute(operation, parts) => {
                let [left, right] = &**parts;
                let (left, right) = (self.sum(emitter, left)?, self.sum(emitter, right)?);
                Word::Compute(*operation, Box::new(left), Box::new(right))
            }
        })
    }
}
