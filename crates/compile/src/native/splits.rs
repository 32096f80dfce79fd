//! Moves that end a turn, told from those that do not.
//!
//! In: the leaves of a state's moves, and what regression says about the state after each move. Out: for each
//! leaf two, one of moves that are counted and one of moves that must be tried. Invariant: every move is in
//! exactly one of both.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Word};
use rulesmith_rules::{FluentId, TurnIdentity};

use super::Obstacle;
use super::build::{Builder, Kinds, number};
use super::emit::Emitter;
use super::ground::{Row, Test, Tested};
use super::moves::{Leaf, count, emit_set, n_shapes};

/// The moves of a state: those that are counted, since they end a turn, and those that must be tried.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    pub(super) counted: Vec<Leaf>,
    pub(super) tried: Vec<Leaf>,
    /// Not zero if those that are counted must be tried, too; nothing if they never must.
    pub(super) is_uneven: Option<Scalar>,
}

impl Split {
    /// All moves are tried.
    fn trying(tried: Vec<Leaf>) -> Self {
        Self { tried, ..Self::default() }
    }

    /// Is every move counted, whatever the state is?
    pub(super) fn counts_all(&self) -> bool {
        self.tried.is_empty() && self.is_uneven.is_none()
    }

    /// Not zero if moves must be tried.
    pub(super) fn must_try(&self, emitter: &mut Emitter<'_>) -> Word {
        let n_tried = Word::from(count(emitter, &self.tried));
        self.is_uneven.into_iter().fold(n_tried, |all, is_uneven| all | Word::from(is_uneven))
    }
}

/// A leaf, and rows that say after which of its moves turns go on.
type Told = (Leaf, Vec<Row>);

/// What a word is known to hold after a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) fluent: FluentId,
    pub(super) word: u32,
}

impl<'b> Builder<'b> {
    /// Work on steps of which it is known whether turns go on after them: the word that says so is not computed
    /// once more.
    pub(super) fn with_settled<T>(
        &mut self,
        goes_on: bool,
        work: impl FnOnce(&mut Self) -> Result<T, Obstacle>,
    ) -> Result<T, Obstacle> {
        let before = self.settled;
        self.settled = self.settled_by(goes_on);
        let done = work(self);
        self.settled = before;
        done
    }

    /// What the word that says whether turns go on holds; nothing if there is none, or several values are left.
    fn settled_by(&self, goes_on: bool) -> Option<Settled> {
        let [row] = self.continues.rows.as_deref()? else { return None };
        let [said] = row.tests[..] else { return None };
        let Tested::Fluent(fluent, _) = said.tested else { return None };
        let layout = self.places.layout.fluent(fluent);
        let is_reset = self.theory.fluent(fluent).is_transient;
        if !layout.is_scalar() || is_reset || self.looped[0].contains(&fluent) {
            return None;
        }
        let word = match (said.holds == goes_on, layout.values) {
            (true, _) => said.key,
            (false, None) => 1 - said.key.min(1),
            (false, Some(_)) => return None,
        };
        // Two values for one word would have to be told.
        let is_plain = |kind: usize| self.values_of(fluent, kind).len() <= 1;
        (0..self.theory.moves.len()).all(is_plain).then_some(Settled { fluent, word })
    }

    /// The values that moves of a kind may assign to a fluent.
    fn values_of(&self, fluent: FluentId, kind: usize) -> BTreeSet<Option<u32>> {
        let is_other =
            |test: &Test| test.tested == Tested::Kind && test.holds == (test.key != number(kind));
        let own = self.assignments.iter().filter(|one| one.fluent == fluent);
        let rows = own.flat_map(|one| &one.rows);
        let rows = rows.filter(|(row, ..)| !row.tests.iter().any(is_other));
        rows.map(|(_, _, value)| *value).collect()
    }

    /// Tells moves that end a turn from those that may not. Where turns are compared with each other, all must
    /// be tried as soon as one is.
    pub(super) fn split(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        leaves: Vec<Leaf>,
    ) -> Result<Split, Obstacle> {
        let by_result = self.theory.turn_identity == TurnIdentity::Result;
        let even = self.even_kinds(role);
        if by_result && !self.ends_are_apart(role) {
            return Ok(Split::trying(leaves));
        }
        let (mut split, mut regressed) = (Split::default(), Vec::new());
        if leaves.iter().any(|leaf| even.contains_key(&leaf.kind)) {
            split.is_uneven = self.is_uneven(&even).map(|word| emitter.let_word(word));
        }
        for leaf in leaves {
            let is_even = even.contains_key(&leaf.kind);
            let going_on = || self.going_on(role, leaf.kind, &leaf.meaning);
            match is_even.then(going_on).flatten() {
                None => split.tried.push(leaf),
                Some(rows) if rows.is_empty() => split.counted.push(leaf),
                Some(rows) => regressed.push((leaf, rows)),
            }
        }
        let mut groups: BTreeMap<(usize, Option<Scalar>), Vec<Told>> = BTreeMap::new();
        for (leaf, rows) in regressed {
            groups.entry((leaf.kind, leaf.guard)).or_default().push((leaf, rows));
        }
        for group in groups.into_values() {
            self.split_group(emitter, group, &mut split)?;
        }
        Ok(split)
    }

    /// Tells moves of one kind that end a turn from those that do not, by rows that say which these are. What the
    /// rows of several leaves have in common is computed once.
    fn split_group(
        &mut self,
        emitter: &mut Emitter<'b>,
        group: Vec<Told>,
        split: &mut Split,
    ) -> Result<(), Obstacle> {
        let mut parts = Vec::new();
        for (leaf, _) in &group {
            let width = leaf.meaning.width;
            let tried = emitter.let_set(width, Set::Mask(vec![0; usize::from(width)]));
            parts.push((tried, emitter.let_set(width, leaf.set.clone())));
        }
        // Where there is no such move nothing has to be told apart.
        let (telling, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let likely = self.likely(emitter, &group)?;
            for ((leaf, rows), part) in group.iter().zip(&parts) {
                let Some(likely) = likely else {
                    self.split_leaf(emitter, (leaf, rows), *part)?;
                    continue;
                };
                let (telling, done) =
                    emitter.block(|emitter| self.split_leaf(emitter, (leaf, rows), *part));
                done?;
                let any = (leaf.set.clone() & Set::Plane(likely)).any();
                emitter.push(Statement::If(any, telling, Vec::new()));
            }
            Ok(())
        });
        done?;
        let any = group.iter().map(|(leaf, _)| leaf.set.clone().any());
        let any = any.reduce(|one, other| one | other).unwrap_or(Word::Constant(0));
        let is_needed = group.first().and_then(|(leaf, _)| leaf.guard).map_or(any, Word::from);
        emitter.push(Statement::If(is_needed, telling, Vec::new()));
        for ((leaf, _), (tried, counted)) in group.into_iter().zip(parts) {
            split.tried.push(Leaf { set: Set::Plane(tried), ..leaf.clone() });
            split.counted.push(Leaf { set: Set::Plane(counted), ..leaf });
        }
        Ok(())
    }

    /// Where turns may go on after a move of any of the leaves: outside of that none has to be looked at. Nothing
    /// if that is not found much sooner than where they do.
    fn likely(
        &mut self,
        emitter: &mut Emitter<'b>,
        group: &[Told],
    ) -> Result<Option<Plane>, Obstacle> {
        let Some((first, _)) = group.first() else { return Ok(None) };
        let width = first.meaning.width;
        let mut all: Vec<Row> = group.iter().flat_map(|(_, rows)| rows).cloned().collect();
        let shapes = group.iter().map(|(_, rows)| n_shapes(self.places, rows));
        let n_apart: usize = shapes.sum();
        all.sort_by(|one, other| (&one.head, &one.tests).cmp(&(&other.head, &other.tests)));
        all.dedup_by(|one, other| one.head == other.head && one.tests == other.tests);
        let is_same = group.iter().all(|(leaf, _)| leaf.meaning.width == width);
        if group.len() == 1 || !is_same || n_shapes(self.places, &all) * 2 > n_apart {
            return Ok(None);
        }
        self.prepare(emitter, &all)?;
        Ok(Some(emit_set(emitter, self.places, width, &all)?))
    }

    /// Tells the moves of a leaf apart by rows that say after which of them a turn goes on.
    fn split_leaf(
        &mut self,
        emitter: &mut Emitter<'b>,
        (leaf, rows): (&Leaf, &[Row]),
        (tried, counted): (Plane, Plane),
    ) -> Result<(), Obstacle> {
        self.prepare(emitter, rows)?;
        let going_on = emit_set(emitter, self.places, leaf.meaning.width, rows)?;
        let part = leaf.set.clone() & Set::Plane(going_on);
        emitter.push(Statement::LetSet(tried, part));
        let part = leaf.set.clone() - Set::Plane(going_on);
        emitter.push(Statement::LetSet(counted, part));
        Ok(())
    }

    /// The moves of a state in the middle of a search for turns.
    pub(super) fn split_within(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        kinds: &Kinds,
    ) -> Result<Split, Obstacle> {
        let leaves = self.emit_moves(emitter, (role, kinds))?;
        if self.theory.turn_identity == TurnIdentity::Result || !self.preferences.is_empty() {
            return Ok(Split::trying(leaves));
        }
        self.split(emitter, role, leaves)
    }
}
