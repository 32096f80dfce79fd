//! Keys with anything on them, where rows name each thing that may be there.
//!
//! In: rows that are alike but for what is on one key. Out: one row that asks that the key is not empty, where they
//! name everything but that. Invariant: the rows hold together exactly where they did.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ground::{Row, Test, Tested};
use super::attackers::Board;

/// What a row asks for beside what is on one key.
type Rest = (Vec<u32>, Vec<Test>, u32);

/// The same rows, with one in place of those that name everything that may be on a key.
pub(super) fn with_full_keys(board: Board, rows: Vec<Row>) -> Vec<Row> {
    let mut alike: BTreeMap<Rest, (u64, Vec<usize>)> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        for (value, rest) in rests(board, row) {
            let (values, places) = alike.entry(rest).or_default();
            *values |= 1 << value;
            places.push(place);
        }
    }
    let anything = board.all & !(1 << board.empty);
    let (mut united, mut full) = (BTreeSet::new(), Vec::new());
    for ((head, mut tests, key), (values, places)) in alike {
        if values != anything || places.iter().any(|place| united.contains(place)) {
            continue;
        }
        united.extend(places);
        tests.push(Test { tested: Tested::Fluent(board.fluent, board.empty), key, holds: false });
        full.push(Row { tests, head, anchors: Vec::new() });
    }
    let others = rows.into_iter().enumerate().filter(|(place, _)| !united.contains(place));
    others.map(|(_, row)| row).chain(full).collect()
}

/// For each thing that a row asks for: its value, and all else.
fn rests(board: Board, row: &Row) -> Vec<(u32, Rest)> {
    let things = row.tests.iter().filter_map(|test| match test.tested {
        Tested::Fluent(id, value) if id == board.fluent && value != board.empty && test.holds => {
            Some((*test, value))
        }
        _ => None,
    });
    let things: Vec<(Test, u32)> = things.collect();
    if things.len() < 3 {
        return Vec::new();
    }
    let rest = |(thing, value): (Test, u32)| {
        let mut tests: Vec<Test> =
            row.tests.iter().copied().filter(|test| *test != thing).collect();
        tests.sort_unstable();
        (value, (row.head.clone(), tests, thing.key))
    };
    things.into_iter().map(rest).collect()
}
