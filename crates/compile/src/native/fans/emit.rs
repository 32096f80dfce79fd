//! Fans as code.
//!
//! In: a plan. Out: statements that find for each thing of the role where it may go, and leaves that stand for these
//! moves. Invariant: a key is among a thing's targets exactly if the move there is legal.

use rulesmith_kernel::{Array, Plane, Scalar, Set, Statement, Word};
use rustc_hash::FxHashMap;

use super::super::Obstacle;
use super::super::build::{Builder, to_word};
use super::super::emit::{Certainty, Emitter};
use super::super::ground::{Row, Tested};
use super::super::moves::{Found, Leaf};
use super::masks::Masks;
use super::plan::{Aim, Asked, FanParam, FanPlan};
use super::ways::Ways;

/// Moves found by where they start.
#[derive(Clone, Debug)]
pub(crate) struct Fan {
    /// The keys where moves start.
    pub(crate) starts: Set,
    /// For each of them where they end.
    pub(crate) ends: Array,
    /// How many there are.
    pub(crate) n_moves: Scalar,
    params: Vec<FanParam>,
}

impl Fan {
    /// The parameters of the move from one key to another.
    pub(crate) fn words(&self, from: Scalar, to: Scalar) -> Vec<Word> {
        let word = |param: &FanParam| match param {
            FanParam::From => Word::Scalar(from),
            FanParam::To => Word::Scalar(to),
            FanParam::Constant(value) => Word::Constant(u64::from(*value)),
        };
        self.params.iter().map(word).collect()
    }

    /// Takes the move with these parameters out, if it is one of these.
    pub(crate) fn remove(&self, params: &[Scalar]) -> Statement {
        let (mut from, mut to, mut is_own) =
            (Word::Constant(0), Word::Constant(0), Word::Constant(1));
        for (own, param) in self.params.iter().zip(params) {
            match own {
                FanParam::From => from = Word::from(*param),
                FanParam::To => to = Word::from(*param),
                FanParam::Constant(value) => {
                    is_own = is_own & Word::from(*param).equals(u64::from(*value));
                }
            }
        }
        let ends = || Set::at(self.ends, from.clone());
        let is_there = is_own & self.starts.clone().has(from.clone()) & ends().has(to.clone());
        let others = ends() - Set::single(self.ends.width, to);
        let take_out = vec![
            Statement::StoreSetAt(self.ends, from.clone(), others),
            Statement::Let(self.n_moves, Word::from(self.n_moves) - 1),
        ];
        Statement::If(is_there, take_out, Vec::new())
    }

    /// The move of a rank; there are more than that.
    pub(crate) fn find(
        &self,
        emitter: &mut Emitter<'_>,
        rank: Scalar,
    ) -> (Vec<Statement>, Vec<Word>) {
        let (from, to) = (emitter.scalar(), emitter.scalar());
        let (start, left, n_here) = (emitter.scalar(), emitter.scalar(), emitter.scalar());
        let ends = || Set::at(self.ends, start);
        let found = vec![
            Statement::Let(from, start.into()),
            Statement::Let(to, ends().nth(left)),
            Statement::Leave,
        ];
        let each = vec![
            Statement::Let(n_here, ends().count()),
            Statement::If(Word::from(left).is_below(n_here), found, Vec::new()),
            Statement::Let(left, Word::from(left) - n_here),
        ];
        let each = Statement::ForEach(start, self.starts.clone(), each);
        let search = Statement::Repeat(vec![each, Statement::Leave]);
        (vec![Statement::Let(left, rank.into()), search], self.words(from, to))
    }
}

/// What is computed before things are looked at one by one.
struct Ready {
    masks: Option<Masks>,
    /// Unions of planes by their values.
    values: FxHashMap<u64, Plane>,
    /// What words say, by what is asked.
    words: FxHashMap<Vec<super::super::ground::Test>, Certainty>,
    /// For each fan where its targets are, and how many there are.
    rooms: Vec<(Array, Scalar)>,
}

impl<'b> Builder<'b> {
    /// The leaves of a role's fans; none if it has no plan.
    pub(crate) fn fan_leaves(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
    ) -> Result<Vec<Leaf>, Obstacle> {
        match self.fan_plans.get(role).cloned().flatten() {
            Some(plan) => self.leaves_of_plan(emitter, &plan),
            None => Ok(Vec::new()),
        }
    }

    /// The leaves of a plan.
    pub(crate) fn leaves_of_plan(
        &mut self,
        emitter: &mut Emitter<'b>,
        plan: &FanPlan,
    ) -> Result<Vec<Leaf>, Obstacle> {
        let mut ready = self.get_ready(emitter, plan)?;
        for (value, aims) in &plan.movers {
            let thing = emitter.scalar();
            let (body, done) = emitter.block(|emitter| {
                self.emit_thing(emitter, (plan, &mut ready), (*value, thing), aims)
            });
            done?;
            emitter.push(Statement::ForEach(thing, plan.board.value(self, *value), body));
        }
        let leaf = |(number, fan): (usize, &super::plan::FanKind)| {
            let has = |aims: &[Aim]| aims.iter().any(|aim| aim.fan == number);
            let movers = plan.movers.iter().filter(|(_, aims)| has(aims));
            let starts = movers.fold(0, |all, (value, _)| all | 1 << value);
            let (ends, n_moves) = ready.rooms[number];
            let (starts, params) = (plan.board.values(self, starts), fan.params.clone());
            let fan_moves = Fan { starts, ends, n_moves, params };
            Leaf::of_found(fan.kind, Found::Fan(fan_moves))
        };
        let mut leaves: Vec<Leaf> = plan.fans.iter().enumerate().map(leaf).collect();
        let mask = ready.masks.map(|masks| masks.most);
        for drops in &plan.drops {
            // Where they cannot be found so, all moves of the kind are left to loops.
            let found = emitter.attempt(|emitter| self.drop_leaves(emitter, (plan, drops), mask));
            leaves.extend(found.unwrap_or_default());
        }
        Ok(leaves)
    }

    fn get_ready(&mut self, emitter: &mut Emitter<'b>, plan: &FanPlan) -> Result<Ready, Obstacle> {
        let aims = || plan.movers.values().flatten();
        let tests = aims().flat_map(|aim| &aim.asked.words).copied().collect();
        self.prepare(emitter, &[Row { tests, head: Vec::new(), anchors: Vec::new() }])?;
        let (mut values, mut words) = (FxHashMap::default(), FxHashMap::default());
        for aim in aims() {
            let union = || plan.board.values(self, aim.values);
            let width = plan.board.width;
            values.entry(aim.values).or_insert_with(|| emitter.let_set(width, union()));
            if !words.contains_key(&aim.asked.words) {
                let certainty = match emitter.words(&aim.asked.words)? {
                    Certainty::If(word) => Certainty::If(emitter.let_word(word).into()),
                    certain => certain,
                };
                words.insert(aim.asked.words.clone(), certainty);
            }
        }
        let has_attackers = !plan.attackers.is_empty();
        let masks = has_attackers.then(|| self.emit_masks(emitter, plan));
        let zero = |_| emitter.let_word(Word::Constant(0));
        let counts: Vec<Scalar> = plan.fans.iter().map(zero).collect();
        let ends = (0..counts.len()).map(|number| self.fan_room(plan, number));
        let rooms = ends.zip(counts).collect();
        Ok(Ready { masks, values, words, rooms })
    }

    /// The room of a fan's targets; roles and kernels share it.
    fn fan_room(&mut self, plan: &FanPlan, number: usize) -> Array {
        while self.fan_rooms.len() <= number {
            let (width, n_rows) = (plan.board.width, plan.board.n_keys);
            let offset = self.spare.take(u32::from(width) * n_rows);
            self.fan_rooms.push(Array { offset, width, n_rows });
        }
        self.fan_rooms[number]
    }

    /// Where one thing may go.
    fn emit_thing(
        &mut self,
        emitter: &mut Emitter<'b>,
        (plan, ready): (&FanPlan, &mut Ready),
        (value, thing): (u32, Scalar),
        aims: &[Aim],
    ) -> Result<(), Obstacle> {
        let (board, width) = (plan.board, plan.board.width);
        let may = ready.masks.map(|masks| {
            let may = emitter.let_set(width, masks.most.into());
            let own = vec![Statement::LetSet(may, Set::at(masks.own, thing))];
            let has_own = Set::from(masks.others).has(thing);
            emitter.push(Statement::If(has_own, own, Vec::new()));
            may
        });
        let is_protected = plan.attackers.iter().any(|group| group.protected == value);
        let mut ends: Vec<Option<Plane>> = vec![None; plan.fans.len()];
        for (ways, aims) in by_ways(aims) {
            let empty = board.empty(self);
            let reached = match ways.screens {
                0 => ways.emit(emitter, &mut self.tables, (thing, &empty)),
                things => {
                    let anything = board.all & !(1 << board.empty);
                    let screens = (things != anything).then(|| board.values(self, things));
                    ways.emit_hops(emitter, &mut self.tables, (thing, &empty, screens.as_ref()))
                }
            };
            let reached = match may {
                Some(may) => reached & may,
                None => reached,
            };
            let aimed = aims.iter().map(|aim| Set::from(ready.values[&aim.values]));
            let aimed = aimed.reduce(|all, plane| all | plane);
            let reached = match aimed {
                Some(aimed) if is_protected => reached & aimed,
                _ => reached,
            };
            let reached = emitter.let_set(width, reached);
            if is_protected {
                self.drop_attacked(emitter, plan, (value, Some(thing), reached));
            }
            for aim in aims {
                let found = self.aimed(aim, (reached, ready.values[&aim.values]))?;
                let end =
                    *ends[aim.fan].get_or_insert_with(|| emitter.let_set(width, board.nothing()));
                let more = vec![Statement::LetSet(end, Set::from(end) | found)];
                let asked = to_word(ready.words[&aim.asked.words].clone());
                let asked =
                    self.starts_well(&aim.asked, thing)?.map_or(asked.clone(), |at| asked & at);
                match asked {
                    Word::Constant(1) => emitter.push_all(more),
                    asked => emitter.push(Statement::If(asked, more, Vec::new())),
                }
            }
        }
        for (end, (room, n_moves)) in ends.into_iter().zip(&ready.rooms) {
            let Some(end) = end else { continue };
            emitter.push(Statement::StoreSetAt(*room, thing.into(), end.into()));
            let more = Word::from(*n_moves) + Set::from(end).count();
            emitter.push(Statement::Let(*n_moves, more));
        }
        Ok(())
    }

    /// Of what is reached, what an aim has in mind.
    fn aimed(&self, aim: &Aim, (reached, values): (Plane, Plane)) -> Result<Set, Obstacle> {
        let mut found = Set::from(reached) & values;
        for (tested, holds) in &aim.asked.at_end {
            let plane = self.plane_of(*tested)?;
            found = if *holds { found & plane } else { found - plane };
        }
        Ok(found)
    }

    /// Is the start as an aim asks? Nothing if it asks nothing.
    fn starts_well(&self, asked: &Asked, thing: Scalar) -> Result<Option<Word>, Obstacle> {
        let mut all: Option<Word> = None;
        for (tested, holds) in &asked.at_start {
            let has = self.plane_of(*tested)?.has(thing);
            let has = if *holds { has } else { has.equals(0) };
            all = Some(all.map_or(has.clone(), |all| all & has));
        }
        Ok(all)
    }

    fn plane_of(&self, tested: Tested) -> Result<Set, Obstacle> {
        let Tested::Fluent(id, value) = tested else {
            return Err(Obstacle::new("a move that asks about something else on a key"));
        };
        let layout = self.places.layout.fluent(id);
        Ok(Set::state(layout.plane(value), layout.keys.width()))
    }
}

/// Aims by the ways that they share.
fn by_ways(aims: &[Aim]) -> Vec<(&Ways, Vec<&Aim>)> {
    let mut groups: Vec<(&Ways, Vec<&Aim>)> = Vec::new();
    for aim in aims {
        match groups.iter_mut().find(|(ways, _)| **ways == aim.ways) {
            Some((_, group)) => group.push(aim),
            None => groups.push((&aim.ways, vec![aim])),
        }
    }
    groups
}
