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

/// What is hopped over and what must be empty.
type Screen = (u32, Vec<u32>);

/// For each value at the end the things that may be hopped over, as bits.
type Ends = BTreeMap<Option<u32>, u64>;

type Screens = BTreeMap<Screen, Ends>;

/// The clauses with their hops united; if that cannot be done, those with hops are left to loops.
pub(super) fn with_hops_united(mut clauses: Vec<ClauseWays<'_>>) -> Vec<ClauseWays<'_>> {
    let has_hops = |ways: &ClauseWays<'_>| ways.iter().flatten().any(is_hop);
    let Some(first) = clauses.iter().position(has_hops) else { return clauses };
    let united = all_united(&clauses);
    for ways in clauses.iter_mut().filter(|ways| has_hops(ways)) {
        match (ways, &united) {
            (Some(ways), Some(_)) => ways.retain(|way| !is_hop(way)),
            (ways, _) => *ways = None,
        }
    }
    if let (Some(ways), Some(united)) = (&mut clauses[first], united) {
        ways.extend(united);
    }
    clauses
}

fn is_hop((_, going): &(&Row, Going)) -> bool {
    going.over.is_some()
}

/// All hops, those between the same keys as one for each value at the end.
fn all_united<'r>(clauses: &[ClauseWays<'r>]) -> Option<Vec<(&'r Row, Going)>> {
    let mut hops: BTreeMap<Hop<'_>, (Screens, &(&'r Row, Going))> = BTreeMap::new();
    for way in clauses.iter().flatten().flatten() {
        let (row, going) = way;
        let Some((key, things)) = going.over else { continue };
        let hop = (&row.head[..], going.passage.as_array(), &going.asked);
        let (screens, _) = hops.entry(hop).or_insert_with(|| (Screens::new(), way));
        let ends = screens.entry((key, going.past.clone())).or_default();
        *ends.entry(going.value).or_default() |= things;
    }
    let united = hops.values().map(|(screens, way)| united(screens, way));
    Some(united.collect::<Option<Vec<_>>>()?.concat())
}

/// One way for each value at the end of a hop; nothing if some screens are missing or the keys are on no line.
fn united<'r>(screens: &Screens, (row, going): &(&'r Row, Going)) -> Option<Vec<(&'r Row, Going)>> {
    let keys = |(key, past): &Screen| past.iter().copied().chain([*key]).collect::<BTreeSet<u32>>();
    let (screen, ends) = screens.first_key_value()?;
    let (between, things) = (keys(screen), *ends.values().next()?);
    let is_whole = screens.len() == between.len()
        && screens.keys().all(|one| keys(one) == between && one.1.len() + 1 == between.len())
        && screens.values().all(|own| own == ends)
        && ends.values().all(|own| *own == things);
    let to = going.passage.to;
    let is_line = between.first().is_some_and(|least| to < *least)
        || between.last().is_some_and(|most| *most < to);
    let past: Vec<u32> = between.into_iter().collect();
    let way = |value: &Option<u32>| {
        let (value, past) = (*value, past.clone());
        (*row, Going { value, past, over: None, screens: things, ..going.clone() })
    };
    (is_whole && is_line).then(|| ends.keys().map(way).collect())
}
