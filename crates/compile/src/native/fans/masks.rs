//! Masks: where things may go so that nothing that must be protected is attacked afterwards.
//!
//! In: attackers. Out: a mask for all things, and masks of their own for those that stand between an attacker and what
//! it attacks, and for what is protected. Invariant: once a thing has gone to a key that its mask has, the question is
//! not true by an attacker of something that did not move itself.

use std::rc::Rc;

use rulesmith_kernel::{Array, Plane, Scalar, Set, Statement, Table, Word};

use super::super::build::Builder;
use super::super::emit::Emitter;
use super::attackers::{Attackers, Board};
use super::plan::FanPlan;

/// Where things may go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks {
    /// Where most of them may.
    pub(super) most: Plane,
    /// Who has a mask of its own, and where that is.
    pub(super) others: Plane,
    pub(super) own: Array,
}

/// An attack under way.
#[derive(Clone, Copy, Debug)]
struct Attack {
    from: Scalar,
    /// The keys between, and how many of them are full.
    between: Plane,
    n_full: Scalar,
    /// So many must be, for the attack.
    n_asked: u64,
}

/// Who attacks, and which of the mover's things is lifted from the board meanwhile.
#[derive(Clone, Copy, Debug)]
struct Side<'p> {
    board: Board,
    group: &'p Attackers,
    lifted: Option<Scalar>,
}

impl Board {
    /// The plane of a value.
    pub(super) fn value(self, builder: &Builder<'_>, value: u32) -> Set {
        let layout = builder.places.layout.fluent(self.fluent);
        Set::state(layout.plane(value), self.width)
    }

    /// The keys that have one of several values, which are bits.
    pub(super) fn values(self, builder: &Builder<'_>, values: u64) -> Set {
        let each = (0..u64::BITS).filter(|value| values >> value & 1 == 1);
        let planes = each.map(|value| self.value(builder, value));
        planes.reduce(|all, plane| all | plane).unwrap_or_else(|| self.nothing())
    }

    pub(super) fn empty(self, builder: &Builder<'_>) -> Set {
        self.value(builder, self.empty)
    }

    pub(super) fn nothing(self) -> Set {
        Set::Mask(vec![0; usize::from(self.width)])
    }

    fn everything(self) -> Set {
        Set::Mask(super::super::classes::mask(self.width, 0..self.n_keys))
    }
}

impl<'b> Builder<'b> {
    /// The masks of a role's things.
    pub(super) fn emit_masks(&mut self, emitter: &mut Emitter<'b>, plan: &FanPlan) -> Masks {
        let board = plan.board;
        let most = emitter.let_set(board.width, board.everything());
        let own = plan.movers.keys().fold(0, |own, value| own | 1 << value);
        let own = emitter.let_set(board.width, board.values(self, own));
        let protected = plan.attackers.iter().fold(0, |all, one| all | 1 << one.protected);
        let others = emitter.let_set(board.width, board.values(self, protected));
        let empty = board.empty(self);
        for group in &plan.attackers {
            let things = board.value(self, group.protected);
            self.each_attack(
                emitter,
                Side { board, group, lifted: None },
                things,
                &mut |emitter, attack| {
                    let Attack { from, between, n_full, n_asked } = attack;
                    let free = Set::from(between) & empty.clone();
                    let shut = Set::from(most) & (free.clone() | Set::single(board.width, from));
                    let between = Set::from(between) & own;
                    let between = Statement::LetSet(others, Set::from(others) | between);
                    let mut attacked = vec![Statement::LetSet(most, shut)];
                    if n_asked > 0 {
                        attacked.push(between.clone());
                        let opened = Statement::LetSet(most, Set::from(most) - free);
                        let is_one_less = (Word::from(n_full) + 1).equals(n_asked);
                        emitter.push(Statement::If(
                            is_one_less,
                            vec![opened, between.clone()],
                            vec![],
                        ));
                    }
                    let is_one_more = Word::from(n_full).equals(n_asked + 1);
                    let pinned = vec![Statement::If(is_one_more, vec![between], Vec::new())];
                    emitter.push(Statement::If(
                        Word::from(n_full).equals(n_asked),
                        attacked,
                        pinned,
                    ));
                },
            );
        }
        let own = self.mask_room(board);
        let masks = Masks { most, others, own };
        self.emit_own_masks(emitter, plan, masks);
        masks
    }

    /// The masks of things that have one of their own.
    fn emit_own_masks(&mut self, emitter: &mut Emitter<'b>, plan: &FanPlan, masks: Masks) {
        let (board, thing) = (plan.board, emitter.scalar());
        let empty = board.empty(self);
        let (body, ()) = emitter.block(|emitter| {
            let may = emitter.let_set(board.width, board.everything());
            for group in &plan.attackers {
                let single = Set::single(board.width, thing);
                let things = board.value(self, group.protected) - single;
                let side = Side { board, group, lifted: Some(thing) };
                self.each_attack(emitter, side, things, &mut |emitter, attack| {
                    let Attack { from, between, n_full, n_asked } = attack;
                    let free = Set::from(between) & empty.clone();
                    let shut = Set::from(may) & (free.clone() | Set::single(board.width, from));
                    let shut = vec![Statement::LetSet(may, shut)];
                    if n_asked > 0 {
                        let opened = vec![Statement::LetSet(may, Set::from(may) - free)];
                        let is_one_less = (Word::from(n_full) + 1).equals(n_asked);
                        emitter.push(Statement::If(is_one_less, opened, Vec::new()));
                    }
                    let is_attack = Word::from(n_full).equals(n_asked);
                    emitter.push(Statement::If(is_attack, shut, Vec::new()));
                });
            }
            emitter.push(Statement::StoreSetAt(masks.own, thing.into(), may.into()));
        });
        emitter.push(Statement::ForEach(thing, masks.others.into(), body));
    }

    /// Does something for each thing and each attacker that is on a line with it. A thing that is lifted is not there.
    fn each_attack(
        &mut self,
        emitter: &mut Emitter<'b>,
        side: Side<'_>,
        things: Set,
        work: &mut dyn FnMut(&mut Emitter<'b>, Attack),
    ) {
        let key = emitter.scalar();
        let (body, ()) = emitter.block(|emitter| {
            self.each_attacker(emitter, side, key, work);
        });
        emitter.push(Statement::ForEach(key, things, body));
    }

    /// The same for what is on one key.
    fn each_attacker(
        &mut self,
        emitter: &mut Emitter<'b>,
        Side { board, group, lifted }: Side<'_>,
        key: Scalar,
        work: &mut dyn FnMut(&mut Emitter<'b>, Attack),
    ) {
        let candidates = self.candidates(board, group, key);
        let from = emitter.scalar();
        let (body, ()) = emitter.block(|emitter| {
            let words = group.between.iter().flat_map(|cells| {
                cells.clone().unwrap_or_else(|| vec![0; usize::from(board.width)])
            });
            let table = Table { width: board.width, words: words.collect() };
            let place = Word::from(key) * u64::from(board.n_keys) + from;
            let between = Set::row(self.tables.add(table), place);
            let between = emitter.let_set(board.width, between);
            let full = Set::from(between) - board.empty(self);
            let full = match lifted {
                Some(lifted) => full - Set::single(board.width, lifted),
                None => full,
            };
            let n_full = emitter.let_word(full.count());
            work(emitter, Attack { from, between, n_full, n_asked: group.n_between });
        });
        emitter.push(Statement::ForEach(from, candidates, body));
    }

    /// Who may attack what is on a key, as far as its value and its key say.
    fn candidates(&mut self, board: Board, group: &Attackers, key: Scalar) -> Set {
        // Values that attack from the same keys are looked up once.
        let mut alike: Vec<(&Vec<Vec<u64>>, u64)> = Vec::new();
        for (value, reach) in &group.reach {
            match alike.iter_mut().find(|(known, _)| *known == reach) {
                Some((_, values)) => *values |= 1 << value,
                None => alike.push((reach, 1 << value)),
            }
        }
        let mut all: Option<Set> = None;
        for (reach, values) in alike {
            let table = Table { width: board.width, words: reach.concat() };
            let set = board.values(self, values) & Set::row(self.tables.add(table), key);
            all = Some(all.map_or(set.clone(), |all| all | set));
        }
        all.unwrap_or_else(|| board.nothing())
    }

    /// Is something attacked that must not be?
    pub(crate) fn emit_attacked(&mut self, emitter: &mut Emitter<'b>, plan: &FanPlan) -> Scalar {
        let is_attacked = emitter.let_word(Word::Constant(0));
        for group in &plan.attackers {
            let things = plan.board.value(self, group.protected);
            let side = Side { board: plan.board, group, lifted: None };
            self.each_attack(emitter, side, things, &mut |emitter, attack| {
                let is_attack = Word::from(attack.n_full).equals(attack.n_asked);
                emitter.push(Statement::Let(is_attacked, Word::from(is_attacked) | is_attack));
            });
        }
        is_attacked
    }

    /// The plan whose attackers say of which role a slice of a derived predicate holds.
    pub(crate) fn attack_plan(&self, (number, slice): (usize, u32)) -> Option<Rc<FanPlan>> {
        let layout = &self.places.derived[number];
        let mut plans = self.fan_plans.iter().enumerate();
        plans.find_map(|(role, plan)| {
            let plan = plan.as_ref().filter(|plan| plan.denied == number && plan.is_attack)?;
            let role = u32::try_from(role).ok()?;
            (layout.split(&[role]).0 == slice).then(|| Rc::clone(plan))
        })
    }

    /// Takes out of a set the keys on which a thing of this value would be attacked once it has left its own, if it
    /// has one.
    pub(super) fn drop_attacked(
        &mut self,
        emitter: &mut Emitter<'b>,
        plan: &FanPlan,
        (value, thing, reached): (u32, Option<Scalar>, Plane),
    ) {
        let board = plan.board;
        let key = emitter.scalar();
        let (body, ()) = emitter.block(|emitter| {
            let is_attacked = emitter.let_word(Word::Constant(0));
            for group in plan.attackers.iter().filter(|group| group.protected == value) {
                let side = Side { board, group, lifted: thing };
                self.each_attacker(emitter, side, key, &mut |emitter, attack| {
                    let is_attack = Word::from(attack.n_full).equals(attack.n_asked);
                    emitter.push(Statement::Let(is_attacked, Word::from(is_attacked) | is_attack));
                });
            }
            let safe = Set::from(reached) - Set::single(board.width, key);
            let drop = vec![Statement::LetSet(reached, safe)];
            emitter.push(Statement::If(is_attacked.into(), drop, Vec::new()));
        });
        emitter.push(Statement::ForEach(key, reached.into(), body));
    }

    /// The room of masks that things have of their own.
    fn mask_room(&mut self, board: Board) -> Array {
        let spare = &mut self.spare;
        *self.mask_room.get_or_insert_with(|| {
            let (width, n_rows) = (board.width, board.n_keys);
            Array { offset: spare.take(u32::from(width) * n_rows), width, n_rows }
        })
    }
}
