//! How tests are read: as a plane, as a word, or as a parameter.
//!
//! In: the rows of a predicate. Out: for each test how the code reads it. Invariant: tests that are shared, or whose
//! fluent is asked at one key alone, are read once and number no row.

use rulesmith_rules::FluentId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::classes::Reading;
use super::emit::Places;
use super::ground::{Row, Test, Tested};

/// Tests that read single bits: those that all rows share, and those of fluents that are asked at one key
/// alone, whatever their value: how many men a role holds is no matter of the board.
pub(crate) fn shared_tests(rows: &[Row]) -> Vec<Test> {
    let Some((first, others)) = rows.split_first() else { return Vec::new() };
    let is_shared = |test: &&Test| others.iter().all(|row| row.tests.contains(test));
    let mut shared: Vec<Test> = first.tests.iter().filter(is_shared).copied().collect();
    // For each fluent the one key that it is asked at, or nothing if there are several.
    let mut keys: FxHashMap<FluentId, Option<u32>> = FxHashMap::default();
    let tests = || rows.iter().flat_map(|row| &row.tests);
    for test in tests() {
        if let Tested::Fluent(id, _) = test.tested {
            let only = keys.entry(id).or_insert(Some(test.key));
            *only = only.filter(|key| *key == test.key);
        }
    }
    // Something must be left to number the rows by.
    let is_told = keys.values().any(Option::is_none);
    if is_told && keys.values().any(Option::is_some) {
        let at_one_key = |test: &&Test| match test.tested {
            Tested::Fluent(id, _) => keys[&id].is_some(),
            _ => false,
        };
        let mut seen: FxHashSet<&Test> = FxHashSet::default();
        shared.extend(tests().filter(at_one_key).filter(|test| seen.insert(test)));
    }
    shared
}

/// How the test is read, if those are shared.
pub(crate) fn reading(places: Places<'_>, shared: &[Test], test: &Test) -> Reading {
    match test.tested {
        Tested::Param(number) => Reading::Param(number),
        tested if places.width(tested).is_none() => Reading::Word,
        // That it has no value is no key of a plane.
        Tested::Fluent(id, _) if places.layout.fluent(id).is_no_value(test.key) => Reading::Word,
        _ if shared.contains(test) => Reading::Word,
        _ => Reading::Plane,
    }
}
