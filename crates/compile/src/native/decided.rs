//! What the move that code is made for decides.
//!
//! In: rows, and who makes which kind of move. Out: the rows that may hold then, without the tests that do hold:
//! who moves, what kind of move it is, and closed bodies and derived words that ask for nothing else.
//! Invariant: when such a move is made the same rows hold.

use rustc_hash::FxHashMap;

use super::build::{Builder, number};
use super::ground::{Row, Test, Tested};
use super::judged::Judged;
use super::optimizations::Optimization;
use super::steps::Doing;

/// What is known of questions when a move is made; nothing where that depends on the state.
#[derive(Debug)]
pub(super) struct Decided {
    doing: Doing,
    known: FxHashMap<Tested, Option<bool>>,
}

impl Decided {
    pub(super) fn new(doing: Doing) -> Self {
        Self { doing, known: FxHashMap::default() }
    }
}

impl Builder<'_> {
    /// May the row hold when the move is made? Tests that are decided are taken out of it.
    pub(super) fn decide_row(&self, decided: &mut Decided, row: &mut Row) -> bool {
        if !self.optimizations.has(Optimization::LegalContext) {
            return decided.doing.allows(row);
        }
        let mut may_hold = true;
        row.tests.retain(|test| match self.decide(decided, test.tested, test.key) {
            Some(is_so) => {
                may_hold &= is_so == test.holds;
                false
            }
            None => true,
        });
        may_hold
    }

    /// Is what is tested so when the move is made?
    fn decide(&self, decided: &mut Decided, tested: Tested, key: u32) -> Option<bool> {
        let Doing::One(role, kind) = decided.doing else { return None };
        match tested {
            Tested::Kind => return Some(key == number(kind)),
            Tested::Doer => return Some(key == number(role)),
            Tested::Closed(_) | Tested::Derived(..) => {}
            _ => return None,
        }
        if let Some(known) = decided.known.get(&tested) {
            return *known;
        }
        // What asks itself is left open.
        decided.known.insert(tested, None);
        let is_so = match tested {
            Tested::Closed(body) => match &self.closed[body] {
                Some(Judged::Body(rows)) => self.decide_any(decided, &mut rows.iter()),
                _ => None,
            },
            Tested::Derived(derived, slice) => {
                let layout = &self.places.derived[derived];
                self.derived[derived].as_ref().filter(|_| layout.is_word()).and_then(|rows| {
                    let mut own = rows.iter().filter(|row| layout.split(&row.head).0 == slice);
                    self.decide_any(decided, &mut own)
                })
            }
            _ => None,
        };
        decided.known.insert(tested, is_so);
        is_so
    }

    /// Does one of the rows hold when the move is made?
    fn decide_any(
        &self,
        decided: &mut Decided,
        rows: &mut dyn Iterator<Item = &Row>,
    ) -> Option<bool> {
        let mut is_open = false;
        for row in rows {
            let mut holds = Some(true);
            for test in &row.tests {
                let Test { tested, key, holds: is_wanted } = *test;
                match self.decide(decided, tested, key) {
                    Some(is_so) if is_so == is_wanted => {}
                    Some(_) => {
                        holds = Some(false);
                        break;
                    }
                    None => holds = None,
                }
            }
            match holds {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_open = true,
            }
        }
        (!is_open).then_some(false)
    }
}
