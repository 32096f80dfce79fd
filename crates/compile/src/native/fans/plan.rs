//! The plan of fans: what a role's things can do, judged by masks rather than by making moves.
//!
//! In: moves that are legal but for what follows them. Out: for each value of a thing of the role where it can go, and
//! who attacks what must not be attacked. Clauses whose moves are not plain are left to loops. Invariant: every move
//! that is legal but for what follows is found by the plan or by one of the clauses that are left, never by both.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rulesmith_rules::FluentId;
use rustc_hash::FxHashMap;

use super::super::Obstacle;
use super::super::build::{Builder, number};
use super::super::ground::{Row, Test, Tested};
use super::super::optimizations::Optimization;
use super::super::steps::Doing;
use super::attackers::{Attackers, Board, attackers};
use super::drops::Drops;
use super::full::with_full_keys;
use super::hops::{ClauseWays, with_hops_united};
use super::plain::{Changes, Passage};
use super::ways::{Ways, WaysFrom};

/// How the moves of a role are found.
#[derive(Clone, Debug)]
pub(crate) struct FanPlan {
    pub(super) role: usize,
    pub(super) board: Board,
    /// The derived predicate that must not hold after a move, by the place of its layout, and who makes it hold.
    pub(crate) denied: usize,
    pub(super) attackers: Vec<Attackers>,
    /// Does nothing else make it hold?
    pub(crate) is_attack: bool,
    pub(super) fans: Vec<FanKind>,
    /// For each value of a thing where it can go.
    pub(super) movers: BTreeMap<u32, Vec<Aim>>,
    pub(super) drops: Vec<Drops>,
    /// For kinds of which some moves are not plain, the clauses that are left.
    pub(crate) odd: BTreeMap<usize, BTreeSet<usize>>,
}

/// Moves of one kind that differ by where they start and end alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FanKind {
    pub(super) kind: usize,
    pub(super) params: Vec<FanParam>,
}

/// What a parameter of a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FanParam {
    From,
    To,
    Constant(u32),
}

/// Where things of one value can go by one fan.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    pub(super) fan: usize,
    pub(super) asked: Asked,
    /// What may be at the end of the way: values, as bits.
    pub(super) values: u64,
    pub(super) ways: Ways,
}

/// What a move asks for beside the things that go and that are in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Asked {
    pub(super) words: Vec<Test>,
    /// Planes that the start must be in, or not.
    pub(super) at_start: Vec<(Tested, bool)>,
    /// And the end.
    pub(super) at_end: Vec<(Tested, bool)>,
}

/// A row as a way.
#[derive(Clone, Debug)]
pub(super) struct Going {
    pub(super) passage: Passage,
    pub(super) asked: Asked,
    /// What is at the end, if the row says so.
    pub(super) value: Option<u32>,
    /// The keys that must be empty; of a hop those of which one must be full.
    pub(super) past: Vec<u32>,
    /// Another key with one of these things on it, as bits.
    pub(super) over: Option<(u32, u64)>,
    /// The things that a hop may go over, as bits; none for other ways.
    pub(super) screens: u64,
}

/// Start, end, what is between, and what is hopped over.
type GoingWay = (u32, u32, Vec<u32>, u64);

/// Ways of one value by one fan, under the same conditions: what may be at the end of each.
type Goings = BTreeMap<GoingWay, u64>;

/// All of them, by value, fan and conditions.
pub(super) type AllGoings = BTreeMap<(u32, usize, Asked), Goings>;

fn no_moves() -> Obstacle {
    Obstacle::new("no moves to be judged by masks")
}

impl Builder<'_> {
    /// Plans the moves of all roles, where they are judged by the state after them.
    pub(crate) fn plan_fans(&mut self) {
        for role in 0..self.theory.roles.len() {
            let plan = self.fan_plan(role);
            if let (Err(why), true) = (&plan, self.nearly.iter().any(Option::is_some)) {
                let name = self.theory.symbols.name(self.theory.roles[role]);
                self.slower.push(format!("moves of {name} are made to be judged: {why}"));
            }
            self.fan_plans.push(plan.ok().map(Rc::new));
        }
    }

    /// The plan of a role's moves.
    pub(crate) fn fan_plan(&self, role: usize) -> Result<FanPlan, Obstacle> {
        if !self.optimizations.has(Optimization::AfterMasks) {
            return Err(no_moves());
        }
        self.deny_one_thing()?;
        let (mut draft, board, denied) = self.draft_fans(role, &|_| true)?;
        let rows = self.derived[denied].as_ref().ok_or_else(no_moves)?;
        let own = |row: &&Row| row.head.first() == Some(&number(role));
        let rows: Vec<Row> = rows.iter().filter(own).cloned().collect();
        let (attackers, others) = attackers(board, &with_full_keys(board, rows))?;
        draft.check(board, &attackers)?;
        self.check_others(board, &others, &draft)?;
        if !others.is_empty() && draft.has_hops() {
            return Err(Obstacle::new("hops, where what is denied asks about more than the board"));
        }
        let kinds = (0..self.theory.moves.len()).filter(|_| others.is_empty());
        let drops =
            kinds.filter_map(|kind| self.draft_drops(kind, (board, &attackers), &mut draft));
        let drops: Vec<Drops> = drops.collect();
        let movers = self.movers(board, draft.goings);
        let is_attack = others.is_empty();
        let (fans, odd) = (draft.fans, draft.odd);
        Ok(FanPlan { role, board, denied, attackers, is_attack, fans, movers, drops, odd })
    }

    /// The plain moves of a role, on which board they are, and what they deny of the state after them.
    pub(super) fn draft_fans(
        &self,
        role: usize,
        has_kind: &dyn Fn(usize) -> bool,
    ) -> Result<(Draft, Board, usize), Obstacle> {
        let is_plain_turn = !self.continues.may_hold && self.preferences.is_empty();
        if self.is_joint || !is_plain_turn {
            return Err(no_moves());
        }
        let mut draft = Draft { role, common: self.legal_rows(role).0, ..Draft::default() };
        for kind in (0..self.theory.moves.len()).filter(|kind| has_kind(*kind)) {
            self.draft_kind(kind, &mut draft)?;
        }
        let board = draft.board.ok_or_else(no_moves)?;
        let denied = draft.denied.ok_or_else(no_moves)?;
        let board = Board { own: draft.own, ..board };
        Ok((draft, board, denied))
    }

    /// For each value of a thing where it can go.
    pub(super) fn movers(&self, board: Board, goings: AllGoings) -> BTreeMap<u32, Vec<Aim>> {
        let has_lines = self.optimizations.has(Optimization::FirstBlockers);
        let mut movers: BTreeMap<u32, Vec<Aim>> = BTreeMap::new();
        for ((value, fan, asked), goings) in goings {
            let mut by_values: BTreeMap<(u64, u64), WaysFrom> = BTreeMap::new();
            for ((from, to, past, screens), values) in goings {
                let ways = by_values.entry((values, screens)).or_default();
                ways.entry(from).or_default().push((to, past));
            }
            for ((values, screens), ways) in by_values {
                let size = (board.n_keys, board.width);
                let ways = match screens {
                    0 => Ways::of(size, &ways, has_lines),
                    screens => Ways::hops(size, &ways, screens),
                };
                let asked = asked.clone();
                movers.entry(value).or_default().push(Aim { fan, asked, values, ways });
            }
        }
        movers
    }

    /// Adds the plain moves of a kind; its other clauses are left.
    fn draft_kind<'s>(&'s self, kind: usize, draft: &mut Draft) -> Result<(), Obstacle> {
        let Some(nearly) = &self.nearly[kind] else { return Ok(()) };
        let doing = Doing::One(draft.role, kind);
        let own = |row: &&Row| row.head[0] == number(draft.role);
        let clauses: Vec<Vec<&Row>> =
            nearly.clauses.iter().map(|rows| rows.iter().filter(own).collect()).collect();
        let Some((board, empty)) = self.board_of(doing) else {
            return Ok(());
        };
        let Some(changes) = self.changes_on(doing, board) else {
            return Ok(());
        };
        let board = self.board(board, empty)?;
        let goings = |(clause, rows): (usize, &Vec<&'s Row>)| -> ClauseWays<'s> {
            if nearly.odd.contains_key(&clause) {
                return None;
            }
            let going = |row: &&'s Row| {
                let passage = self.passage((board.fluent, empty), &changes, row)?;
                Some((*row, self.going(board, (row, &draft.common), passage)?))
            };
            rows.iter().map(going).collect()
        };
        let goings = with_hops_united(clauses.iter().enumerate().map(goings).collect());
        let odd = goings.iter().enumerate().filter(|(_, goings)| goings.is_none());
        let odd: BTreeSet<usize> = odd.map(|(clause, _)| clause).collect();
        if odd.len() == clauses.len() || !self.are_apart(&clauses, &odd) {
            return Ok(());
        }
        draft.stand_on(board, nearly.denied)?;
        let told = goings.iter().flatten().flatten();
        let told = told.map(|(row, going)| (&row.head[1..], going.passage));
        let ends = told_by(told)
            .ok_or_else(|| Obstacle::new("moves whose parameters do not tell start and end"))?;
        for (row, going) in goings.into_iter().flatten().flatten() {
            draft.add((kind, ends), row, going);
        }
        if !odd.is_empty() {
            draft.odd.insert(kind, odd);
        }
        draft.kinds.push((kind, changes));
        Ok(())
    }

    /// A row as a way from one key to another; nothing if it asks about keys beside it.
    fn going(
        &self,
        board: Board,
        (row, common): (&Row, &[Test]),
        passage: Passage,
    ) -> Option<Going> {
        let (asked, past) = (Asked::default(), Vec::new());
        let mut going = Going { passage, asked, value: None, past, over: None, screens: 0 };
        for test in row.tests.iter().filter(|test| !common.contains(test)) {
            let Tested::Fluent(id, value) = test.tested else {
                self.places.width(test.tested).is_none().then_some(())?;
                going.asked.words.push(*test);
                continue;
            };
            let is_board = id == board.fluent;
            match test.key {
                _ if self.places.layout.fluent(id).is_scalar() => going.asked.words.push(*test),
                key if key == passage.from && is_board && test.holds => {}
                key if key == passage.to && is_board && test.holds => going.value = Some(value),
                key if is_board && test.holds && value == board.empty => going.past.push(key),
                key if is_board && ![passage.from, passage.to].contains(&key) => {
                    let things = self.screens(board, test)?;
                    going.over.replace((key, things)).is_none().then_some(())?;
                }
                _ if self.places.layout.fluent(id).keys
                    != self.places.layout.fluent(board.fluent).keys =>
                {
                    return None;
                }
                key if key == passage.from => going.asked.at_start.push((test.tested, test.holds)),
                key if key == passage.to => going.asked.at_end.push((test.tested, test.holds)),
                _ => return None,
            }
        }
        going.past.sort_unstable();
        Some(going)
    }

    /// The things that a test asks for on a key that is hopped over, as bits.
    fn screens(&self, board: Board, test: &Test) -> Option<u64> {
        let Tested::Fluent(_, value) = test.tested else { return None };
        let has_lines = self.optimizations.has(Optimization::FirstBlockers);
        let things = if test.holds { 1 << value } else { board.all & !(1 << value) };
        (has_lines && things >> board.empty & 1 == 0).then_some(things)
    }

    fn board(&self, fluent: FluentId, empty: u32) -> Result<Board, Obstacle> {
        let layout = self.places.layout.fluent(fluent);
        if layout.n_values > u64::BITS {
            return Err(Obstacle::new("a board with too many values"));
        }
        let (n_keys, width) = (layout.keys.len(), layout.keys.width());
        let all = u64::MAX >> (64 - layout.n_values.clamp(1, 64));
        Ok(Board { fluent, empty, n_keys, width, all, own: 0 })
    }

    /// The board of a kind of move: the fluent with keys that every move gives two values, one of them the same for
    /// all, which is what a key has that was left.
    fn board_of(&self, doing: Doing) -> Option<(FluentId, u32)> {
        let own = |fluent: FluentId| {
            let own = self.assignments.iter().filter(move |one| one.fluent == fluent);
            own.filter(|one| one.rows.iter().any(|(row, ..)| doing.allows(row)))
        };
        let keyed = |id: &FluentId| {
            let layout = self.places.layout.fluent(*id);
            !layout.is_scalar() && layout.n_values > 2 && own(*id).count() >= 2
        };
        let fluent = self.theory.fluent_ids().find(keyed)?;
        let only = own(fluent).find_map(|one| {
            let rows = one.rows.iter().filter(|(row, ..)| doing.allows(row));
            let values: BTreeSet<Option<u32>> = rows.map(|(_, _, value)| *value).collect();
            let [value] = values.into_iter().collect::<Vec<_>>()[..] else { return None };
            value
        });
        Some((fluent, only?))
    }

    /// Can no move be found by a clause that is left and by another one?
    pub(super) fn are_apart(&self, clauses: &[Vec<&Row>], odd: &BTreeSet<usize>) -> bool {
        let mut left: FxHashMap<&[u32], Vec<&Row>> = FxHashMap::default();
        for clause in odd {
            for row in &clauses[*clause] {
                left.entry(&row.head).or_default().push(row);
            }
        }
        let layout = self.places.layout;
        let is_apart = |one: &Row, other: &Row| {
            let excludes = |test: &Test| other.tests.iter().any(|own| layout.excludes(own, test));
            one.tests.iter().any(excludes)
        };
        let others = clauses.iter().enumerate().filter(|(clause, _)| !odd.contains(clause));
        others.flat_map(|(_, rows)| rows).all(|row| {
            left.get(&row.head[..]).is_none_or(|left| left.iter().all(|other| is_apart(row, other)))
        })
    }

    /// Rows of the question that ask about more than the board: none may hold after one of the moves. Each must ask
    /// for something that a step takes back, and that no move brings about where the rest of the row may hold.
    fn check_others(&self, board: Board, others: &[Row], draft: &Draft) -> Result<(), Obstacle> {
        if others.is_empty() {
            return Ok(());
        }
        let failed = || Obstacle::new("what is denied after a move asks about more than the board");
        let resets = self.resets();
        let transient = |test: &Test| match test.tested {
            Tested::Fluent(id, plane) if test.holds => {
                let reset = resets.iter().find(|reset| reset.fluent == id)?;
                let fluent = self.places.layout.fluent(id);
                let is_default = if fluent.is_scalar() {
                    test.key == reset.default.unwrap_or(fluent.no_value())
                } else {
                    reset.default == Some(plane)
                };
                // What a step takes back is not what it puts in place of it.
                (!is_default).then_some(id)
            }
            _ => None,
        };
        let fluents: BTreeSet<usize> =
            others.iter().flat_map(|row| &row.tests).filter_map(transient).map(|id| id.0).collect();
        if others.iter().any(|row| row.tests.iter().all(|test| transient(test).is_none())) {
            return Err(failed());
        }
        for (kind, _) in &draft.kinds {
            let doing = Doing::One(draft.role, *kind);
            let changes: Option<Vec<(FluentId, Changes)>> = fluents
                .iter()
                .map(|id| Some((FluentId(*id), self.changes_on(doing, FluentId(*id))?)))
                .collect();
            let changes = changes.ok_or_else(failed)?;
            for (row, passage) in &draft.passages[kind] {
                let mut made: BTreeSet<Test> = BTreeSet::new();
                for (id, changes) in &changes {
                    for ((_, key, value), _) in self.possible(changes, (&row.head[1..], &row.tests))
                    {
                        made.extend(self.held_by(*id, *key, *value));
                    }
                }
                let fails = |test: &Test| match test.tested {
                    Tested::Fluent(id, value) if id == board.fluent && test.holds => {
                        (test.key == passage.to && value != passage.after)
                            || (test.key == passage.from && value != board.empty)
                    }
                    _ => transient(test).is_some() && !made.contains(test),
                };
                if made.is_empty() {
                    continue;
                }
                if !others.iter().all(|other| other.tests.iter().any(fails)) {
                    return Err(failed());
                }
            }
        }
        Ok(())
    }

    /// The test that holds once a key of a fluent has a value.
    fn held_by(&self, id: FluentId, key: u32, value: Option<u32>) -> Option<Test> {
        let value = value?;
        let is_scalar = self.places.layout.fluent(id).is_scalar();
        let (plane, key) = if is_scalar { (0, value) } else { (value, key) };
        Some(Test { tested: Tested::Fluent(id, plane), key, holds: true })
    }
}

/// The places of the parameters that say where a move starts and ends.
type Ends = (usize, usize);

/// The parameters that say of all these moves where they start and end; nothing if there are none.
fn told_by<'r>(moves: impl Iterator<Item = (&'r [u32], Passage)>) -> Option<Ends> {
    let mut ends: Option<Vec<Ends>> = None;
    for (head, passage) in moves {
        let is_told =
            |&(from, to): &Ends| from != to && head[from] == passage.from && head[to] == passage.to;
        let pairs = || (0..head.len()).flat_map(|from| (0..head.len()).map(move |to| (from, to)));
        ends.get_or_insert_with(|| pairs().collect()).retain(is_told);
    }
    ends?.first().copied()
}

/// A plan under way.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) role: usize,
    /// What all moves of the role ask for, which is tested before.
    pub(super) common: Vec<Test>,
    board: Option<Board>,
    pub(super) denied: Option<usize>,
    own: u64,
    pub(super) fans: Vec<FanKind>,
    pub(super) goings: AllGoings,
    pub(super) odd: BTreeMap<usize, BTreeSet<usize>>,
    kinds: Vec<(usize, Changes)>,
    passages: BTreeMap<usize, Vec<(Row, Passage)>>,
}

impl Draft {
    /// All kinds move on one board and deny one thing.
    fn stand_on(&mut self, board: Board, denied: usize) -> Result<(), Obstacle> {
        let is_same = *self.board.get_or_insert(board) == board
            && *self.denied.get_or_insert(denied) == denied;
        is_same.then_some(()).ok_or_else(|| Obstacle::new("moves on several boards"))
    }

    fn add(&mut self, (kind, ends): (usize, Ends), row: &Row, going: Going) {
        let passage = going.passage;
        self.own |= 1 << passage.before | 1 << passage.after;
        let fan = self.fan(kind, &row.head[1..], ends);
        let key = (passage.before, fan, going.asked);
        let way = (passage.from, passage.to, going.past, going.screens);
        let all = self.board.map_or(0, |board| board.all);
        let values = going.value.map_or(all, |value| 1 << value);
        *self.goings.entry(key).or_default().entry(way).or_default() |= values;
        self.passages.entry(kind).or_default().push((row.clone(), passage));
    }

    /// Are moves of a kind planned?
    pub(super) fn has_kind(&self, kind: usize) -> bool {
        self.kinds.iter().any(|(known, _)| *known == kind)
    }

    fn has_hops(&self) -> bool {
        self.goings.values().flat_map(BTreeMap::keys).any(|(.., screens)| *screens != 0)
    }

    /// The fan of a move: those whose other parameters are the same.
    fn fan(&mut self, kind: usize, head: &[u32], (from, to): Ends) -> usize {
        let param = |(place, value): (usize, &u32)| match place {
            place if place == from => FanParam::From,
            place if place == to => FanParam::To,
            _ => FanParam::Constant(*value),
        };
        let params = head.iter().enumerate().map(param).collect();
        let fan = FanKind { kind, params };
        let known = self.fans.iter().position(|known| *known == fan);
        known.unwrap_or_else(|| {
            self.fans.push(fan);
            self.fans.len() - 1
        })
    }

    /// What masks take for granted: the mover's things attack none of its own, what is protected stays what it is
    /// and is never taken by its own side.
    fn check(&self, board: Board, attackers: &[Attackers]) -> Result<(), Obstacle> {
        let failed = || Obstacle::new("moves that change who attacks whom");
        let protected = attackers.iter().fold(0_u64, |all, one| all | 1 << one.protected);
        let attacking = attackers.iter().flat_map(|one| one.reach.keys());
        let attacking = attacking.fold(0_u64, |all, value| all | 1 << value);
        let is_own = |value: u32| board.own >> value & 1 == 1;
        if attacking & board.own != 0 || is_own(board.empty) {
            return Err(failed());
        }
        let is_protected = |value: u32| protected >> value & 1 == 1;
        for (_, passage) in self.passages.values().flatten() {
            let stays = passage.before == passage.after;
            if (is_protected(passage.before) || is_protected(passage.after)) && !stays {
                return Err(failed());
            }
        }
        let mut ends = self.goings.values().flat_map(|goings| goings.values());
        if ends.any(|values| values & protected != 0) {
            return Err(failed());
        }
        Ok(())
    }
}
