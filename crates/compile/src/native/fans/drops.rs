//! Drops: moves that put a thing on a key where nothing was.
//!
//! In: the rows of a kind that is legal but for what follows it. Out: the rows of its drops, and which parameter says
//! where. Invariant: once a thing is dropped on a key that the mask of most things has, nothing that must not be is
//! attacked: a thing that comes from nowhere shuts ways and opens none, but for those that it is hopped over on.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Plane, Set, Statement};
use rulesmith_logic::Value;

use super::super::Obstacle;
use super::super::build::{Builder, number};
use super::super::emit::Emitter;
use super::super::ground::{Row, Test, Tested};
use super::super::loops::{Held, Lowering};
use super::super::moves::{Leaf, Meaning};
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
    /// The rows of each clause, without the role in their heads and without what all moves of the role ask for.
    clauses: BTreeMap<Judging, Vec<Vec<Row>>>,
}

/// What drops are judged by beside the mask: the value of a thing that must not be attacked, and the clause that asks
/// for more than its rows say.
type Judging = (Option<u32>, Option<usize>);

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
            let is_odd = nearly.odd.get(&clause).is_some_and(|more| !more.is_of_move);
            (!is_odd).then(|| rows.iter().map(drop).collect()).flatten()
        };
        let drops: Vec<Option<Vec<Dropped>>> = clauses.iter().enumerate().map(drops_of).collect();
        let odd = drops.iter().enumerate().filter(|(_, drops)| drops.is_none());
        let odd: BTreeSet<usize> = odd.map(|(clause, _)| clause).collect();
        let judged = nearly.odd.keys().filter(|clause| !odd.contains(clause));
        let mut apart = judged.map(|clause| BTreeSet::from([*clause])).chain([odd.clone()]);
        if odd.len() == clauses.len() || !apart.all(|odd| self.are_apart(&clauses, &odd)) {
            return None;
        }
        let rows = || {
            let rows = clauses.iter().zip(&drops).enumerate();
            rows.filter_map(|(clause, (rows, drops))| Some((clause, rows, drops.as_ref()?)))
        };
        let all = || rows().flat_map(|(_, rows, drops)| rows.iter().zip(drops));
        let says = |place: &usize| all().all(|(row, (to, _))| row.head[place + 1] == *to);
        let to = (0..all().next()?.0.head.len() - 1).find(says)?;
        let protected = |value: u32| {
            Some(value).filter(|value| attackers.iter().any(|one| one.protected == *value))
        };
        let mut by_judging: BTreeMap<Judging, Vec<Vec<Row>>> = BTreeMap::new();
        for (clause, rows, drops) in rows() {
            let judged = Some(clause).filter(|clause| nearly.odd.contains_key(clause));
            let mut own: BTreeMap<Judging, Vec<Row>> = BTreeMap::new();
            for (row, (_, value)) in rows.iter().zip(drops) {
                let row = without_role(row, &draft.common);
                own.entry((protected(*value), judged)).or_default().push(row);
            }
            for (judging, rows) in own {
                by_judging.entry(judging).or_default().push(rows);
            }
        }
        if !odd.is_empty() {
            draft.odd.insert(kind, odd);
        }
        Some(Drops { kind, to, clauses: by_judging })
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
        for ((protected, judged), clauses) in &drops.clauses {
            for mut leaf in self.row_leaves(emitter, drops.kind, clauses)? {
                let mut moves = leaf.meaning.moves.iter();
                if !leaf.is_numbered() || !moves.all(|(root, params)| params[drops.to] == *root) {
                    return Err(Obstacle::new("drops that are not numbered by their keys"));
                }
                // Some are found in planes of more than the board's keys.
                if leaf.meaning.width != plan.board.width {
                    leaf.set = leaf.set.resize(plan.board.width);
                    leaf.meaning.width = plan.board.width;
                }
                if let Some(mask) = mask {
                    leaf.set = leaf.set & mask;
                }
                if protected.is_some() || judged.is_some() {
                    let legal = emitter.let_set(leaf.meaning.width, leaf.set);
                    leaf = Leaf { set: legal.into(), guard: None, ..leaf };
                    if let Some(value) = protected {
                        self.drop_attacked(emitter, plan, (*value, None, legal));
                    }
                    if let Some(clause) = judged {
                        self.drop_failing(emitter, (plan, drops), (*clause, &leaf.meaning, legal))?;
                    }
                }
                all.push(leaf);
            }
        }
        Ok(all)
    }

    /// Takes out of a set the drops for which what their clause asks for beside its rows does not hold.
    fn drop_failing(
        &mut self,
        emitter: &mut Emitter<'b>,
        (plan, drops): (&FanPlan, &Drops),
        (clause, meaning, legal): (usize, &Meaning, Plane),
    ) -> Result<(), Obstacle> {
        let other = || Obstacle::new("drops that differ by more than where they end");
        let more = self.nearly[drops.kind].as_ref().and_then(|nearly| nearly.odd.get(&clause));
        let more = more.ok_or_else(other)?.clone();
        let does = self.theory.moves[drops.kind].does;
        let domains = &self.theory.base.predicate(does).domains;
        let key = emitter.scalar();
        let mut held = vec![Held::Fixed(Value::Symbol(self.theory.roles[plan.role]))];
        for (place, domain) in domains.iter().skip(1).enumerate() {
            let domain = domain.ok_or_else(other)?;
            let mut values = meaning.moves.values().map(|params| params[place]);
            let first = values.next().ok_or_else(other)?;
            held.push(if place == drops.to {
                Held::Place(key, domain)
            } else if values.all(|value| value == first) {
                let values = &self.theory.base.domain(domain).values;
                Held::Fixed(*values.get_index(first as usize).ok_or_else(other)?)
            } else {
                return Err(other());
            });
        }
        self.store_asked(emitter, &more.conditions)?;
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let (tables, spare) = (&mut self.tables, &mut self.spare);
            let mut lowering = Lowering::new(&self.setting, emitter, tables, spare);
            let holds = lowering.holds_of((&more.head, &held), &more.conditions)?;
            let rest = Set::from(legal) - Set::single(meaning.width, key);
            let drop = vec![Statement::LetSet(legal, rest)];
            emitter.push(Statement::If(holds.into(), Vec::new(), drop));
            Ok(())
        });
        done?;
        emitter.push(Statement::ForEach(key, legal.into(), body));
        Ok(())
    }
}

fn without_role(row: &Row, common: &[Test]) -> Row {
    let tests = row.tests.iter().filter(|test| !common.contains(test)).copied().collect();
    Row { tests, head: row.head[1..].to_vec(), anchors: row.anchors.clone() }
}
