//! What other rows say already.
//!
//! In: rows of moves. Out: fewer rows, and answers to closed questions by moves that have been found.
//! Invariant: the same moves are legal.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::Word;
use rustc_hash::{FxHashMap, FxHashSet};

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
    let mut kept: BTreeMap<Vec<u32>, FxHashSet<Vec<Test>>> =
        by_head.into_iter().map(|(head, tests)| (head, not_implied(tests))).collect();
    for rows in clauses.iter_mut() {
        rows.retain(|row| kept.get_mut(&row.head).is_some_and(|kept| kept.remove(&row.tests)));
    }
}

/// The tests of rows of one head, without those that others imply. Tests are sorted.
fn not_implied(mut rows: Vec<Vec<Test>>) -> FxHashSet<Vec<Test>> {
    rows.sort_by_key(Vec::len);
    // Rows that imply a longer one begin with one of its tests.
    let mut by_first: FxHashMap<Option<Test>, Vec<Vec<Test>>> = FxHashMap::default();
    let mut kept = FxHashSet::default();
    for one in rows {
        let firsts = std::iter::once(None).chain(one.iter().copied().map(Some));
        let mut others = firsts.filter_map(|first| by_first.get(&first)).flatten();
        if !others.any(|other| is_part(other, &one)) {
            by_first.entry(one.first().copied()).or_default().push(one.clone());
            kept.insert(one);
        }
    }
    kept
}

/// Are all tests among others? Both are sorted.
fn is_part(tests: &[Test], others: &[Test]) -> bool {
    let mut others = others.iter();
    tests.iter().all(|test| others.any(|other| other == test))
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
            // Most kinds have a row that is not asked for, which tells before all of them are compared.
            let is_it = |kind: &&usize| {
                let own = kinds[**kind].as_ref().map(|clauses| clauses.iter().flatten());
                own.is_some_and(|mut own| {
                    let rows = own.clone().map(|row| &row.tests[..]);
                    own.all(|row| body.contains(&row.tests[..]))
                        && rows.collect::<FxHashSet<_>>().len() == body.len()
                })
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
