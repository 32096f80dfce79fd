//! The moves of a role as leaves: planes in which each bit is a move.
//!
//! In: the rows of each kind of move. Out: statements that compute the leaves. Invariant: each legal move is in exactly
//! one leaf, once.

use std::collections::BTreeSet;

use rulesmith_kernel::{Set, Statement};

use super::Obstacle;
use super::build::{Builder, Kinds, number, to_word};
use super::emit::{Certainty, Emitter};
use super::fans::FanPlan;
use super::ground::{Row, Test, Tested};
use super::moves::{Leaf, Meaning, emit_leaves};
use super::optimizations::Optimization;

/// More moves of a kind are not listed.
const LISTED_MOVES: u32 = 1 << 13;

impl<'b> Builder<'b> {
    /// The leaves of all kinds of moves.
    pub(super) fn emit_moves(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kinds): (usize, &Kinds),
    ) -> Result<Vec<Leaf>, Obstacle> {
        let asked = |kind: &usize| -> usize {
            let tests = kinds[*kind].iter().flatten().flatten().flat_map(|row| &row.tests);
            tests.filter(|test| matches!(test.tested, Tested::Closed(_))).count()
        };
        // Kinds that ask least come first: what they find may answer the others.
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        order.sort_by_key(asked);
        let mut leaves: Vec<Leaf> = self.fan_leaves(emitter, role)?;
        let fans: BTreeSet<usize> = leaves.iter().map(|leaf| leaf.kind).collect();
        for kind in order {
            if kinds[kind].as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let plan = self.fan_plans[role].clone().filter(|_| fans.contains(&kind));
            let odd = self.odd_clauses((role, kind), plan.as_deref());
            if let Some(odd) = &odd
                && let Ok(found) =
                    emitter.attempt(|emitter| self.odd_leaf(emitter, (role, kind), (&odd.0, odd.1)))
            {
                leaves.extend(found);
                continue;
            }
            if fans.contains(&kind) {
                let plan = self.fan_plans[role].as_ref();
                if plan.is_some_and(|plan| plan.odd.contains_key(&kind)) {
                    return Err(Obstacle::new("moves that cannot be judged one by one"));
                }
                continue;
            }
            let by_rows = emitter.attempt(|emitter| match &kinds[kind] {
                Some(clauses) => {
                    self.answer_by_moves(emitter, kinds, (clauses, &leaves));
                    self.guarded_leaves(emitter, kind, clauses)
                }
                None => Err(Obstacle::new("moves without rows")),
            });
            match by_rows {
                Ok(found) => leaves.extend(found),
                Err(_) => leaves.extend(self.tree_leaf(emitter, (role, kind))?),
            }
        }
        Ok(leaves)
    }

    /// The clauses of a kind that a plan leaves to loops, and how many moves these can find: all clauses, if there is
    /// no plan for it.
    pub(super) fn odd_clauses(
        &self,
        (role, kind): (usize, usize),
        plan: Option<&FanPlan>,
    ) -> Option<(BTreeSet<usize>, u32)> {
        let nearly = self.nearly[kind].as_ref()?;
        let clauses: BTreeSet<usize> = match plan {
            Some(plan) => plan.odd.get(&kind)?.clone(),
            None => (0..nearly.clauses.len()).collect(),
        };
        let rows = clauses.iter().flat_map(|clause| &nearly.clauses[*clause]);
        let own = rows.filter(|row| row.head[0] == number(role)).map(|row| &row.head);
        let n_moves = number(own.collect::<BTreeSet<_>>().len());
        (n_moves <= LISTED_MOVES).then_some((clauses, n_moves))
    }

    /// The leaves of a kind. Where all its rows ask for something that has been answered, nothing else is
    /// computed unless it is so.
    fn guarded_leaves(
        &mut self,
        emitter: &mut Emitter<'b>,
        kind: usize,
        clauses: &[Vec<Row>],
    ) -> Result<Vec<Leaf>, Obstacle> {
        let rows = || clauses.iter().flatten();
        let is_answered = |test: &&Test| match test.tested {
            Tested::Closed(number) => emitter.closed.contains_key(&number),
            _ => false,
        };
        let is_common = |test: &&Test| rows().all(|row| row.tests.contains(test));
        let first = rows().next().map_or(&[][..], |row| &row.tests);
        let answered: Vec<Test> =
            first.iter().filter(is_answered).filter(is_common).copied().collect();
        if answered.is_empty() || !self.optimizations.has(Optimization::GuardedMoves) {
            return self.row_leaves(emitter, kind, clauses);
        }
        let guard = to_word(emitter.words(&answered)?);
        let mut outer = Vec::new();
        let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            for leaf in self.row_leaves(emitter, kind, clauses)? {
                let plane = emitter.new_plane(leaf.meaning.width);
                emitter.push(Statement::LetSet(plane, leaf.set));
                outer.push((plane, Leaf { set: Set::Plane(plane), guard: None, ..leaf }));
            }
            Ok(())
        });
        done?;
        for (plane, leaf) in &outer {
            let empty = Set::Mask(vec![0; usize::from(leaf.meaning.width)]);
            emitter.push(Statement::LetSet(*plane, empty));
        }
        emitter.push(Statement::If(guard, statements, Vec::new()));
        Ok(outer.into_iter().map(|(_, leaf)| leaf).collect())
    }

    pub(super) fn row_leaves(
        &mut self,
        emitter: &mut Emitter<'b>,
        kind: usize,
        clauses: &[Vec<Row>],
    ) -> Result<Vec<Leaf>, Obstacle> {
        let sizes = self.param_sizes(kind)?;
        if sizes.is_empty() {
            let rows = clauses.concat();
            let holds = self.judge(emitter, &rows)?;
            return Ok(only_leaf(emitter, kind, &rows, holds));
        }
        self.prepare(emitter, clauses.iter().flatten())?;
        // What follows a step is seen from where it ends.
        let by_last = self.continues.may_hold;
        emit_leaves(emitter, self.places, (kind, &sizes, by_last), clauses)
    }
}

/// The one move of a kind without parameters.
fn only_leaf(emitter: &mut Emitter<'_>, kind: usize, rows: &[Row], holds: Certainty) -> Vec<Leaf> {
    if rows.is_empty() || matches!(holds, Certainty::Never) {
        return Vec::new();
    }
    let plane = emitter.let_set(1, Set::Mask(vec![0]));
    let move_it = Statement::LetSet(plane, Set::Mask(vec![1]));
    match holds {
        Certainty::If(word) => emitter.push(Statement::If(word, vec![move_it], Vec::new())),
        _ => emitter.push(move_it),
    }
    let meaning = Meaning { width: 1, moves: [(0, Vec::new())].into() };
    vec![Leaf::of_set(kind, Set::Plane(plane), meaning)]
}
