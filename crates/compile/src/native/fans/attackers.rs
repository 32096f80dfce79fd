//! Attackers: who makes a question about the state after a move true.
//!
//! In: the rows of the question for one role: a thing of its own stands on a key, a thing of another side on another
//! key, and of the keys between them none, or exactly one, is full. Out: tables by both keys. Invariant: the question
//! holds exactly if for one thing and one attacker so many keys between them are full as the table asks for.

use std::collections::BTreeMap;

use rulesmith_rules::FluentId;

use super::super::Obstacle;
use super::super::classes::mask;
use super::super::ground::{Row, Test, Tested};

/// The board that moves change: its fluent, and the value that a key has which was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) fluent: FluentId,
    pub(super) empty: u32,
    pub(super) n_keys: u32,
    pub(super) width: u16,
    /// All values, as bits.
    pub(super) all: u64,
    /// The values of the mover's own things, as bits.
    pub(super) own: u64,
}

/// Attackers with one table of what is between.
#[derive(Clone, Debug)]
pub(super) struct Attackers {
    /// The value of the thing that is attacked.
    pub(super) protected: u32,
    /// So many keys between must be full.
    pub(super) n_between: u64,
    /// By the key of the thing and the key of the attacker.
    pub(super) between: Vec<Option<Vec<u64>>>,
    /// For values of attackers, as bits, by the key of the thing the keys from which they attack.
    pub(super) reach: BTreeMap<u32, Vec<Vec<u64>>>,
}

/// A thing, its key, the attacker and its key.
type Pair = (u32, u32, u32, u32);

/// What may be between a pair: keys that must be empty, and keys that must be full.
type Between = Vec<(Vec<u32>, Vec<u32>)>;

/// The attackers of a role. Rows that ask about more than the board are handed back.
pub(super) fn attackers(
    board: Board,
    rows: &[Row],
) -> Result<(Vec<Attackers>, Vec<Row>), Obstacle> {
    let mut pairs: BTreeMap<Pair, Between> = BTreeMap::new();
    let mut others = Vec::new();
    for row in rows {
        if row.tests.iter().any(|test| !is_of_board(board, test)) {
            others.push(row.clone());
            continue;
        }
        let (pair, empty, full) = pair_of(board, row)?;
        pairs.entry(pair).or_default().push((empty, full));
    }
    let mut groups: Vec<Attackers> = Vec::new();
    for ((protected, key, value, from), between) in pairs {
        for (n_between, cells) in counted(between)? {
            let cells = mask(board.width, cells);
            let place = (key * board.n_keys + from) as usize;
            let fits = |group: &Attackers| {
                (group.protected, group.n_between) == (protected, n_between)
                    && group.between[place].as_ref().is_none_or(|known| *known == cells)
                    && !has(group.reach.get(&value), key, from)
            };
            let found = groups.iter().position(fits).unwrap_or_else(|| {
                let n_pairs = (board.n_keys * board.n_keys) as usize;
                let (between, reach) = (vec![None; n_pairs], BTreeMap::new());
                groups.push(Attackers { protected, n_between, between, reach });
                groups.len() - 1
            });
            let group = &mut groups[found];
            group.between[place] = Some(cells);
            let none = || vec![vec![0; usize::from(board.width)]; board.n_keys as usize];
            let reach = &mut group.reach.entry(value).or_insert_with(none)[key as usize];
            reach[from as usize / 64] |= 1 << (from % 64);
        }
    }
    Ok((groups, others))
}

fn has(reach: Option<&Vec<Vec<u64>>>, key: u32, from: u32) -> bool {
    reach.is_some_and(|reach| reach[key as usize][from as usize / 64] >> (from % 64) & 1 == 1)
}

fn is_of_board(board: Board, test: &Test) -> bool {
    matches!(test.tested, Tested::Fluent(id, _) if id == board.fluent)
}

/// The thing and its attacker in a row, and what it says about other keys.
fn pair_of(board: Board, row: &Row) -> Result<(Pair, Vec<u32>, Vec<u32>), Obstacle> {
    let (mut things, mut from, mut empty, mut full) = (vec![], vec![], vec![], vec![]);
    for test in &row.tests {
        let Tested::Fluent(_, value) = test.tested else { continue };
        match (test.holds, value == board.empty) {
            (true, true) => empty.push(test.key),
            (false, true) => full.push(test.key),
            (true, false) if board.own >> value & 1 == 1 => things.push((value, test.key)),
            (true, false) => from.push((value, test.key)),
            (false, false) => return Err(Obstacle::new("an attack that asks what is not there")),
        }
    }
    let ([(thing, key)], [(value, from)]) = (&things[..], &from[..]) else {
        return Err(Obstacle::new("an attack that is not by one thing on another"));
    };
    Ok(((*thing, *key, *value, *from), empty, full))
}

/// How many of which keys between a pair must be full.
fn counted(between: Between) -> Result<Vec<(u64, Vec<u32>)>, Obstacle> {
    let mut counted = Vec::new();
    // One of several keys must be full: there is a row for each of them.
    let mut screens: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for (empty, full) in between {
        match full[..] {
            [] => counted.push((0, empty)),
            [one] => {
                let mut cells = empty;
                cells.push(one);
                cells.sort_unstable();
                screens.entry(cells).or_default().push(one);
            }
            _ => return Err(Obstacle::new("an attack past several things")),
        }
    }
    for (cells, mut full) in screens {
        full.sort_unstable();
        full.dedup();
        if full != cells {
            return Err(Obstacle::new("an attack past a thing on certain keys"));
        }
        counted.push((1, cells));
    }
    Ok(counted)
}
