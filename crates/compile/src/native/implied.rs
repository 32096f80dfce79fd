//! What other rows say already.
//!
//! In: rows of moves. Out: fewer rows, and answers to closed questions by moves that have been found.
//! Invariant: the same moves are legal.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::Word;

use super::build::{Builder, Kinds};
use super::emit::Emitter;
use super::ground::{Closed, Row, Test, Tested};
use super::judged::Judged;
use super::moves::Leaf;
use super::optimizations::Optimization;

/// Leaves out rows that hold only where another row of the same head does.
pub(super) fn drop_implied(clauses: &mut [Vec<Row>]) {
    let mut by_head: BTreeMap<Vec<u32>, Vec<Vec<Test>>> = BTreeMap::new();
    for row in clauses.iter().flatten() {
        by_head.entry(row.head.clone()).or_default().push(row.tests.clone());
    }
    for tests in by_head.values_mut() {
        tests.sort_by_key(Vec::len);
        let mut kept: Vec<Vec<Test>> = Vec::new();
        for one in tests.drain(..) {
            if !kept.iter().any(|other| other.iter().all(|test| one.contains(test))) {
                kept.push(one);
            }
        }
        *tests = kept;
    }
    for row in clauses.iter_mut() {
        row.retain(|row| {
            let Some(kept) = by_head.get_mut(&row.head) else { return false };
            let place = kept.iter().position(|tests| *tests == row.tests);
            place.map(|place| kept.swap_remove(place)).is_some()
        });
    }
}

impl<'b> Builder<'b> {
    /// Where a row of moves denies several closed bodies, it denies their union, which others may deny as well.
    pub(super) fn unite_denied(&mut self) {
        if !self.optimizations.has(Optimization::AnsweredByMoves) {
            return;
        }
        let mut united: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        let closed = &mut self.closed;
        for row in self.legal.iter_mut().flatten().flatten().flatten() {
            let denied = row.tests.iter().filter_map(|test| match test.tested {
                Tested::Closed(number) if !test.holds => Some(number),
                _ => None,
            });
            let is_body =
                |number: &usize| matches!(closed.get(*number), Some(Some(Judged::Body(_))));
            let denied: Vec<usize> = denied.filter(is_body).collect();
            if denied.len() < 2 {
                continue;
            }
            let number = *united.entry(denied.clone()).or_insert_with(|| {
                let bodies = denied.iter().filter_map(|number| match &closed[*number] {
                    Some(Judged::Body(rows)) => Some(rows.clone()),
                    _ => None,
                });
                let all = Judged::Body(bodies.flatten().collect());
                closed.push(Some(all));
                closed.len() - 1
            });
            row.tests.retain(|test| match test.tested {
                Tested::Closed(number) => test.holds || !denied.contains(&number),
                _ => true,
            });
            row.tests.push(Test { tested: Tested::Closed(number), key: 1, holds: false });
            row.tests.sort_unstable();
        }
        self.bodies.resize(self.closed.len(), Closed::Body(Vec::new()));
    }

    /// Closed questions whether there is a move of a kind, if that kind's moves have been found.
    pub(super) fn answer_by_moves(
        &self,
        emitter: &mut Emitter<'b>,
        kinds: &Kinds,
        (clauses, leaves): (&[Vec<Row>], &[Leaf]),
    ) {
        if !self.optimizations.has(Optimization::AnsweredByMoves) {
            return;
        }
        let tests = clauses.iter().flatten().flat_map(|row| &row.tests);
        let asked: BTreeSet<usize> = tests
            .filter_map(|test| match test.tested {
                Tested::Closed(number) => Some(number),
                _ => None,
            })
            .collect();
        let found: BTreeSet<usize> = leaves.iter().map(|leaf| leaf.kind).collect();
        for number in asked {
            let (Some(Judged::Body(body)), false) =
                (&self.closed[number], emitter.closed.contains_key(&number))
            else {
                continue;
            };
            let body: BTreeSet<&[Test]> = body.iter().map(|row| &row.tests[..]).collect();
            let is_it = |kind: &&usize| {
                let own = kinds[**kind].as_ref().map(|clauses| clauses.iter().flatten());
                own.is_some_and(|own| body == own.map(|row| &row.tests[..]).collect())
            };
            let Some(kind) = found.iter().find(is_it) else { continue };
            let planes = leaves.iter().filter(|leaf| leaf.kind == *kind);
            let any = planes.map(Leaf::any);
            let any = any.reduce(|one, other| one | other).unwrap_or(Word::Constant(0));
            let scalar = emitter.let_word(any);
            emitter.closed.insert(number, scalar);
        }
    }
}
