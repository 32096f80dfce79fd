//! Ends that are nothing but the lack of moves.
//!
//! In: the rows of `terminal`. Out: those that must be judged after a turn; rows that say that the role to
//! move has no legal move are left out, since the next turn finds that anyway. Invariant: where a role's
//! turn has begun, a row that was left out holds only if that role has no legal move.

use rustc_hash::FxHashSet;

use super::build::Builder;
use super::ground::{Row, Test, Tested};
use super::judged::Judged;

/// Rows are not taken apart into more than so many.
const ROWS_LIMIT: usize = 4096;

impl Builder<'_> {
    /// The rows of `terminal` that the lack of moves does not say.
    pub(super) fn ends_beside_stuck(&self) -> Option<Vec<Row>> {
        let terminal = self.terminal.rows.as_ref()?;
        let Some(rows) = self.taken_apart(terminal) else { return Some(terminal.clone()) };
        let turns = self.all_legal_rows();
        let layout = self.places.layout;
        // In every state in which a role may be to move the row must say the same.
        let is_stuck = |row: &Row| {
            let mut at_turn = (0..turns.len()).filter(|role| {
                let (common, kinds) = &turns[*role];
                let may_move = kinds.iter().any(|kind| match kind {
                    Some(clauses) => clauses.iter().flatten().next().is_some(),
                    None => true,
                });
                let excludes = |one: &Test| row.tests.iter().any(|test| layout.excludes(one, test));
                may_move && !common.iter().any(excludes)
            });
            match (at_turn.next(), at_turn.next()) {
                (Some(role), None) => self.says_stuck(row, role, &turns[role].0),
                _ => false,
            }
        };
        Some(if rows.iter().any(is_stuck) {
            rows.into_iter().filter(|row| !is_stuck(row)).collect()
        } else {
            terminal.clone()
        })
    }

    /// The rows of `terminal` with the rows of the words that they ask for in their place.
    fn taken_apart(&self, terminal: &[Row]) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        let mut open = terminal.to_vec();
        while let Some(row) = open.pop() {
            if rows.len() + open.len() > ROWS_LIMIT {
                return None;
            }
            let is_word = |test: &&Test| match test.tested {
                Tested::Derived(number, _) => self.places.derived[number].is_word() && test.holds,
                _ => false,
            };
            let Some(asked) = row.tests.iter().find(is_word).copied() else {
                rows.push(row);
                continue;
            };
            let Tested::Derived(number, slice) = asked.tested else { return None };
            let layout = &self.places.derived[number];
            let own = self.derived[number].as_ref()?.iter();
            for other in own.filter(|other| layout.split(&other.head).0 == slice) {
                // A word that asks itself is not taken apart.
                if other.tests.contains(&asked) {
                    return None;
                }
                let rest = row.tests.iter().filter(|test| **test != asked);
                let mut tests: Vec<Test> = rest.chain(&other.tests).copied().collect();
                tests.sort_unstable();
                tests.dedup();
                open.push(Row { tests, ..row.clone() });
            }
        }
        Some(rows)
    }

    /// Does the row say, among other things, that the role, whose turn it is, has no legal move?
    fn says_stuck(&self, row: &Row, role: usize, common: &[Test]) -> bool {
        let rest: Vec<&Test> = row.tests.iter().filter(|test| !common.contains(test)).collect();
        if !common.iter().any(|test| row.tests.contains(test)) || rest.is_empty() {
            return false;
        }
        let strip = |tests: &[Test]| -> Vec<Test> {
            tests.iter().filter(|test| !common.contains(test)).copied().collect()
        };
        let mut denied: FxHashSet<Vec<Test>> = FxHashSet::default();
        for test in rest {
            // Whatever else the row asks for makes it hold more seldom.
            let Tested::Closed(number) = test.tested else { continue };
            if let (Some(Judged::Body(rows)), false) = (&self.closed[number], test.holds) {
                denied.extend(rows.iter().map(|row| strip(&row.tests)));
            }
        }
        if self.legal.iter().any(Option::is_none) {
            return false;
        }
        let legal = self.legal.iter().flatten().flatten().flatten();
        let legal = legal.filter(|row| row.head[0] as usize == role);
        let legal: FxHashSet<Vec<Test>> = legal.map(|row| strip(&row.tests)).collect();
        let is_within = |one: &FxHashSet<Vec<Test>>, other: &FxHashSet<Vec<Test>>| {
            let implied = |tests: &Vec<Test>| {
                other.contains(tests)
                    || other.iter().any(|less| less.iter().all(|test| tests.contains(test)))
            };
            one.iter().all(implied)
        };
        is_within(&legal, &denied)
    }
}
