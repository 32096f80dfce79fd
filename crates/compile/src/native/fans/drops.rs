//! Drops: moves that put a thing on a key where nothing was.
//!
//! In: the rows of a kind that is legal but for what follows it. Out: the rows of its drops, and which parameter says
//! where. Invariant: once a thing is dropped on a key that the mask of most things has, nothing that must not be is
//! attacked: a thing that comes from nowhere shuts ways and opens none, but for those that it is hopped over on.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::Plane;

use super::super::Obstacle;
use super::super::build::{Builder, number};
use super::super::emit::Emitter;
use super::super::ground::{Row, Test, Tested};
use super::super::moves::Leaf;
use super::super::steps::Doing;
use super::attackers::{Attackers, Board};
use super::plain::Changes;
use super::plan::{Draft, FanPlan};

/// The drops of one kind of move.
#[derive(Clone, Debug)]
pub(super) struct Drops {
    pub(super) kind: usize,
    /// The parameter that says where.
    to: usize,
    /// The rows of each clause, without the role in their heads and without what all moves of the role ask for: of
    /// things that must not be attacked by their value, and of all others.
    clauses: BTreeMap<Option<u32>, Vec<Vec<Row>>>,
}

/// Where a thing is dropped, and what it is.
type Dropped = (u32, u32);

impl<'b> Builder<'b> {
    /// The drops of a kind of which no move is planned yet; clauses of other moves are left.
    pub(super) fn draft_drops(
        &self,
        kind: usize,
        (board, attackers): (Board, &[Attackers]),
        draft: &mut Draft,
    ) -> Option<Drops> {
        let nearly = self.nearly[kind].as_ref().filter(|one| Some(one.denied) == draft.denied)?;
        if draft.has_kind(kind) {
            return None;
        }
        let doing = Doing::One(draft.role, kind);
        let changes = self.changes_on(doing, board.fluent)?;
        let own = |row: &&Row| row.head[0] == number(draft.role);
        let clauses: Vec<Vec<&Row>> =
            nearly.clauses.iter().map(|rows| rows.iter().filter(own).collect()).collect();
        let is_harmless =
            |(_, value): &Dropped| !attackers.iter().any(|one| one.reach.contains_key(value));
        let drops_of = |(clause, rows): (usize, &Vec<&Row>)| -> Option<Vec<Dropped>> {
            let drop = |row: &&Row| self.drop_of(board, &changes, row).filter(is_harmless);
            let is_odd = nearly.odd.contains(&clause);
            (!is_odd).then(|| rows.iter().map(drop).collect()).flatten()
        };
        let drops: Vec<Option<Vec<Dropped>>> = clauses.iter().enumerate().map(drops_of).collect();
        let odd = drops.iter().enumerate().filter(|(_, drops)| drops.is_none());
        let odd: BTreeSet<usize> = odd.map(|(clause, _)| clause).collect();
        if odd.len() == clauses.len() || !self.are_apart(&clauses, &odd) {
            return None;
        }
        let rows =
            || clauses.iter().zip(&drops).filter_map(|(rows, drops)| Some((rows, drops.as_ref()?)));
        let all = || rows().flat_map(|(rows, drops)| rows.iter().zip(drops));
        let says = |place: &usize| all().all(|(row, (to, _))| row.head[place + 1] == *to);
        let to = (0..all().next()?.0.head.len() - 1).find(says)?;
        let protected = |value: u32| {
            Some(value).filter(|value| attackers.iter().any(|one| one.protected == *value))
        };
        let mut by_value: BTreeMap<Option<u32>, Vec<Vec<Row>>> = BTreeMap::new();
        for (rows, drops) in rows() {
            let mut own: BTreeMap<Option<u32>, Vec<Row>> = BTreeMap::new();
            for (row, (_, value)) in rows.iter().zip(drops) {
                let row = without_role(row, &draft.common);
                own.entry(protected(*value)).or_default().push(row);
            }
            for (value, rows) in own {
                by_value.entry(value).or_default().push(rows);
            }
        }
        if !odd.is_empty() {
            draft.odd.insert(kind, odd);
        }
        Some(Drops { kind, to, clauses: by_value })
    }

    /// What a move drops where, if that is certainly all that it does to the board.
    fn drop_of(&self, board: Board, changes: &Changes, row: &Row) -> Option<Dropped> {
        let mut all = self.possible(changes, (&row.head[1..], &row.tests));
        let ((_, to, value), is_sure) = all.next()?;
        let others_agree =
            all.all(|((_, key, other), is_sure)| is_sure && (key, other) == (to, value));
        let value = value.filter(|value| is_sure && others_agree && *value != board.empty)?;
        let empty =
            Test { tested: Tested::Fluent(board.fluent, board.empty), key: *to, holds: true };
        row.tests.contains(&empty).then_some((*to, value))
    }

    /// The leaves of drops, on keys that a mask has.
    pub(super) fn drop_leaves(
        &mut self,
        emitter: &mut Emitter<'b>,
        (plan, drops): (&FanPlan, &Drops),
        mask: Option<Plane>,
    ) -> Result<Vec<Leaf>, Obstacle> {
        let mut all = Vec::new();
        for (protected, clauses) in &drops.clauses {
            for mut leaf in self.row_leaves(emitter, drops.kind, clauses)? {
                let mut moves = leaf.meaning.moves.iter();
                if !leaf.is_numbered() || !moves.all(|(root, params)| params[drops.to] == *root) {
                    return Err(Obstacle::new("drops that are not numbered by their keys"));
                }
                if let Some(mask) = mask {
                    leaf.set = leaf.set & mask;
                }
                if let Some(value) = protected {
                    let safe = emitter.let_set(leaf.meaning.width, leaf.set);
                    self.drop_attacked(emitter, plan, (*value, None, safe));
                    leaf = Leaf { set: safe.into(), guard: None, ..leaf };
                }
                all.push(leaf);
            }
        }
        Ok(all)
    }
}

fn without_role(row: &Row, common: &[Test]) -> Row {
    let tests = row.tests.iter().filter(|test| !common.contains(test)).copied().collect();
    Row { tests, head: row.head[1..].to_vec(), anchors: row.anchors.clone() }
}
