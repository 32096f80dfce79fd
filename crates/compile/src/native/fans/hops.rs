//! Hops: moves over one thing, as lines.
//!
//! In: the ways of a kind of move, some of them over something. Out: for each start and end of a hop one way, with the
//! keys between them, of which exactly one is full. Invariant: the ways that are united are all those, and only those,
//! in which one of the keys between has one of the things that may be hopped over, and the others are empty.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ground::Row;
use super::plan::{Asked, Going};

/// The ways of a clause, with their rows; nothing for a clause that is left to loops.
pub(super) type ClauseWays<'r> = Option<Vec<(&'r Row, Going)>>;

/// Hops of one kind from one key to another: the move, what goes from where to where, and what is asked beside.
type Hop<'r> = (&'r [u32], [u32; 4], &'r Asked);

/// What is hopped over and what must be empty: for each value at the end the things that may be hopped over, as bits.
type Screens = BTreeMap<(u32, Vec<u32>), BTreeMap<Option<u32>, u64>>;

/// The clauses with their hops united; if that cannot be done, those with hops are left to loops.
pub(super) fn with_hops_united(clauses: Vec<ClauseWays<'_>>) -> Vec<ClauseWays<'_>> {
    let is_hop = |(_, going): &(&Row, Going)| going.over.is_some();
    let all = || clauses.iter().flatten().flatten().filter(|one| is_hop(one));
    let mut hops: BTreeMap<Hop<'_>, (Screens, &(&Row, Going))> = BTreeMap::new();
    for one in all() {
        let (row, going) = one;
        let Some((key, things)) = going.over else { continue };
        let (screens, _) = hops
            .entry((&row.head, going.passage.as_array(), &going.asked))
            .or_insert_with(|| (Screens::new(), one));
        let ends = screens.entry((key, going.past.clone())).or_default();
        *ends.entry(going.value).or_default() |= things;
    }
    let united: Option<Vec<Vec<(&Row, Going)>>> =
        hops.values().map(|(screens, one)| united(screens, one)).collect();
    let mut united = united.map(|all| all.concat());
    let first = clauses.iter().position(|ways| ways.iter().flatten().any(is_hop));
    let mut clauses: Vec<ClauseWays<'_>> = clauses
        .iter()
        .map(|ways| {
            let ways = ways.as_ref()?;
            if !ways.iter().any(is_hop) {
                return Some(ways.clone());
            }
            united.as_ref()?;
            Some(ways.iter().filter(|one| !is_hop(one)).cloned().collect())
        })
        .collect();
    if let (Some(first), Some(united)) = (first, united.take()) {
        clauses[first].iter_mut().for_each(|ways| ways.extend(united.clone()));
    }
    clauses
}

/// One way for each value at the end of a hop; nothing if some screens are missing or the keys are on no line.
fn united<'r>(screens: &Screens, (row, going): &(&'r Row, Going)) -> Option<Vec<(&'r Row, Going)>> {
    let (key, past) = screens.keys().next()?;
    let between: BTreeSet<u32> = past.iter().copied().chain([*key]).collect();
    let ends = screens.values().next()?;
    let things = *ends.values().next()?;
    let is_whole = |((key, past), own): (&(u32, Vec<u32>), &BTreeMap<Option<u32>, u64>)| {
        let with: BTreeSet<u32> = past.iter().copied().chain([*key]).collect();
        with == between && past.len() + 1 == between.len() && own == ends
    };
    let to = going.passage.to;
    let is_line = between.first().is_some_and(|least| to < *least)
        || between.last().is_some_and(|most| *most < to);
    let is_all = screens.len() == between.len()
        && screens.iter().all(is_whole)
        && ends.values().all(|own| *own == things);
    let past: Vec<u32> = between.into_iter().collect();
    let way = |value: &Option<u32>| {
        let (value, past) = (*value, past.clone());
        (*row, Going { value, past, over: None, screens: things, ..going.clone() })
    };
    (is_all && is_line).then(|| ends.keys().map(way).collect())
}
