//! Counting leaves as one kernel: perft without a list of moves.
//!
//! In: the rows of moves, effects and ends. Out: a kernel that takes a state from a stack, makes each of its
//! turns and puts what they lead to on the stack, or counts and hashes it where it is a leaf. Turns of several
//! steps have a stack of their own. Where the last turn is only counted, it is counted by bits. Invariant: the
//! same leaves as by the game contract; what has no room makes the kernel say so, and nothing is told of it.

use std::array;

use rulesmith_kernel::{Comparison, Kernel, Operation, Scalar, Set, Statement, Word};
use rulesmith_rules::TurnIdentity;

use super::Obstacle;
use super::build::{Builder, Kinds, compare, to_word};
use super::emit::Emitter;
use super::ground::Test;
use super::hash::Packing;
use super::leaf_room::LeafRoom;
use super::loops::n_statements;
use super::moves::{Leaf, count};
use super::optimizations::Optimization;
use super::params::Params;
use super::past::hash_word;
use super::rest::{Resting, at_rest};
use super::scratch::MAX_STEPS;
use super::splits::Split;
use super::steps::{Doing, compute};

/// Where ways to make a turn pass more states, turns are counted outside the kernel.
const MAX_PASSED: u32 = 1 << 16;

/// All leaves are counted.
pub(super) const DONE: u64 = 0;
/// There are more, for another call.
pub(super) const MORE: u64 = 1;
/// Something did not fit, or is not as the kernel expects it.
const NO_ROOM: u64 = 2;

/// The parameters: whether leaves are made, and how many states a call may visit.
const IS_APPLIED: Scalar = Scalar(0);
const N_STATES: Scalar = Scalar(1);

/// Parts of the walk with fewer statements are in place.
const LONG_WALK: usize = 4000;

/// What the code of a count shares.
#[derive(Clone, Copy, Debug)]
struct Walk {
    room: LeafRoom,
    /// Turns from the present state to the leaves.
    depth: Scalar,
    /// Is it one turn, and are leaves only counted then?
    is_last: Scalar,
    is_bulk: Scalar,
    /// States of the turn under way, and ends of turns that are compared.
    n_steps: Scalar,
    n_ends: Scalar,
    /// Where turns are compared: one more than the merit of the best, and what was counted and stacked before them.
    best: Scalar,
    before: [Scalar; 3],
}

impl Walk {
    fn new(emitter: &mut Emitter<'_>, room: LeafRoom, given: [Scalar; 3]) -> Self {
        let [depth, is_last, is_bulk] = given;
        let mut scalar = || emitter.scalar();
        let (n_steps, n_ends, best) = (scalar(), scalar(), scalar());
        let before = [scalar(), scalar(), scalar()];
        Self { room, depth, is_last, is_bulk, n_steps, n_ends, best, before }
    }

    /// What a routine that does a part of it is given.
    fn given(&self) -> [Scalar; 5] {
        [IS_APPLIED, N_STATES, self.depth, self.is_last, self.is_bulk]
    }

    /// What grows as turns are found.
    fn growing(&self) -> [u32; 3] {
        [self.room.n_states, self.room.n_leaves, self.room.hashes]
    }
}

/// A role that moves, its moves at the start of a turn and within one.
#[derive(Clone, Copy, Debug)]
struct Mover<'m> {
    role: usize,
    first: &'m Kinds,
    within: &'m Kinds,
}

fn add(scalar: Scalar, number: u64) -> Word {
    compute(Operation::Add, Word::Scalar(scalar), Word::Constant(number))
}

fn number_of(place: usize) -> u16 {
    u16::try_from(place).unwrap_or(u16::MAX)
}

/// Ends the kernel: it does not know enough.
pub(super) fn stop() -> Vec<Statement> {
    vec![Statement::Return(Word::Constant(NO_ROOM))]
}

/// Stops where a number is not below the rows of an array.
fn stop_if_full(number: Scalar, n_rows: u32) -> Statement {
    let n_rows = Word::Constant(u64::from(n_rows));
    let is_full = compare(Comparison::LessOrEqual, n_rows, Word::Scalar(number));
    Statement::If(is_full, stop(), Vec::new())
}

impl<'b> Builder<'b> {
    /// The kernel that counts leaves.
    pub(super) fn leaves_kernel(&mut self, room: LeafRoom) -> Result<Kernel, Obstacle> {
        self.check_walk()?;
        let path = self.path(room.path)?;
        self.take_unrepeated();
        let (turns, resting) = (self.all_legal_rows(), self.resting());
        self.check_guards(&turns)?;
        let mut emitter = Emitter::new(self.places, 2);
        let n_visited = emitter.let_word(Word::Constant(0));
        let given = [emitter.scalar(), emitter.scalar(), emitter.scalar()];
        let walk = Walk::new(&mut emitter, room, given);
        let kept = self.keep_components(&mut emitter)?;
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            next_state(emitter, n_visited, walk);
            if let Some(path) = &path {
                path.count(emitter, walk.depth);
            }
            // Its counter is what every move finds.
            emitter.push(keep(room));
            // The state before was another turn's: what that changed is taken back with what this one changes.
            self.update_for_turn(emitter, &kept)?;
            self.update_for_end(emitter, &kept)?;
            self.each_turn(emitter, (&turns, &resting), walk)
        });
        done?;
        emitter.push(Statement::Repeat(body));
        Ok(emitter.into_kernel("leaves".to_owned(), 2))
    }

    /// What this kernel does not count.
    fn check_walk(&self) -> Result<(), Obstacle> {
        let obstacle = if self.is_joint {
            "leaves of roles that move at once"
        } else if self.waiting.is_some() {
            "leaves of roles that wait for each other"
        } else if self.setting.past.is_some() {
            "leaves of moves that are judged by the past"
        } else if !self.cycles_are_guarded() {
            "leaves of a game that asks about cycles of any length"
        } else {
            return Ok(());
        };
        Err(Obstacle::new(obstacle))
    }

    /// The turns of the present state, unless the contest is over.
    fn each_turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        (turns, resting): (&[(Vec<Test>, Kinds)], &[Resting]),
        walk: Walk,
    ) -> Result<(), Obstacle> {
        self.leave_unless_at_rest(emitter, resting, &stop());
        let mut terminal = self.terminal.clone();
        // A role that has no moves has no leaves, whatever the rules call it.
        terminal.rows = self.ends_beside_stuck().cloned();
        let over = self.ask_apart(emitter, &terminal)?;
        // One role moves; the others are not even asked.
        let mut otherwise = Vec::new();
        for (role, (common, kinds)) in turns.iter().enumerate().rev() {
            let guard = to_word(emitter.words(common)?);
            let first = &at_rest(kinds, resting);
            let mover = Mover { role, first, within: kinds };
            let name = format!("leaves of {role}");
            let (statements, done) = emitter.block(|emitter| {
                self.walk_apart(emitter, &name, walk, |builder, emitter, walk| {
                    builder.mover(emitter, mover, walk)
                })
            });
            done?;
            otherwise = vec![Statement::If(guard, statements, otherwise)];
        }
        emitter.push(Statement::If(over, Vec::new(), otherwise));
        Ok(())
    }

    /// Does a part of the walk: in place, or by a routine if that is long work.
    fn walk_apart(
        &mut self,
        emitter: &mut Emitter<'b>,
        name: &str,
        walk: Walk,
        work: impl Fn(&mut Self, &mut Emitter<'b>, Walk) -> Result<(), Obstacle>,
    ) -> Result<(), Obstacle> {
        let (in_place, done) = emitter.block(|emitter| work(self, emitter, walk));
        done?;
        let is_long = n_statements(&in_place) >= LONG_WALK && emitter.kept.is_empty();
        if !is_long || !self.optimizations.has(Optimization::Routines) {
            emitter.push_all(in_place);
            return Ok(());
        }
        let given: [Scalar; 5] = array::from_fn(|place| Scalar(number_of(place)));
        let [.., depth, is_last, is_bulk] = given;
        let mut apart = Emitter::new(self.places, number_of(given.len()));
        apart.keeps_hashes = emitter.keeps_hashes;
        let inside = Walk::new(&mut apart, walk.room, [depth, is_last, is_bulk]);
        work(self, &mut apart, inside)?;
        apart.push(Statement::Return(Word::Constant(0)));
        let kernel = apart.into_kernel(name.to_owned(), number_of(given.len()));
        let Some(routine) = self.setting.routines.borrow_mut().add(kernel) else {
            emitter.push_all(in_place);
            return Ok(());
        };
        let result = emitter.scalar();
        emitter.push(Statement::Run(result, routine, walk.given().map(Word::from).to_vec()));
        let stop = vec![Statement::Return(result.into())];
        emitter.push(Statement::If(result.into(), stop, Vec::new()));
        emitter.forget();
        Ok(())
    }

    /// The turns of a role.
    fn mover(
        &mut self,
        emitter: &mut Emitter<'b>,
        mover: Mover<'_>,
        walk: Walk,
    ) -> Result<(), Obstacle> {
        let leaves = self.emit_moves(emitter, (mover.role, mover.first))?;
        let split = self.split(emitter, mover.role, leaves)?;
        let (counting, done) =
            emitter.block(|emitter| self.counted(emitter, mover.role, &split.counted, walk));
        done?;
        if split.counts_all() {
            emitter.push_all(counting);
            return Ok(());
        }
        let must_try = split.must_try(emitter);
        let name = format!("leaves of {} by steps", mover.role);
        let (trying, done) = emitter.block(|emitter| {
            self.walk_apart(emitter, &name, walk, |builder, emitter, walk| {
                builder.try_all(emitter, mover, walk)
            })
        });
        done?;
        emitter.push(Statement::If(must_try, trying, counting));
        Ok(())
    }

    /// Moves that end a turn, each in a way of its own.
    fn counted(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        leaves: &[Leaf],
        walk: Walk,
    ) -> Result<(), Obstacle> {
        let room = walk.room;
        let n_moves = count(emitter, leaves);
        let total = compute(Operation::Add, Word::State(room.n_leaves), n_moves.into());
        let count_all = Statement::Store(room.n_leaves, total);
        let hash = self.hash();
        if leaves.iter().any(|leaf| !leaf.is_numbered()) {
            // Code for moves that go anywhere is long: once is enough.
            let (applied, done) = emitter.block(|emitter| {
                leaves.iter().try_for_each(|leaf| {
                    self.each_turn_of(emitter, (role, leaf), room, |emitter| {
                        let sum = Word::State(room.hashes) + hash.clone();
                        let (further, ()) = emitter.block(|emitter| put(emitter, walk));
                        let last = vec![Statement::Store(room.hashes, sum)];
                        emitter.push(Statement::If(walk.is_last.into(), last, further));
                    })
                })
            });
            done?;
            let counted = vec![count_all.clone()];
            emitter.push(Statement::If(walk.is_last.into(), counted, Vec::new()));
            emitter.push(Statement::If(walk.is_bulk.into(), Vec::new(), applied));
            return Ok(());
        }
        let mut ways = Vec::new();
        for is_last in [true, false] {
            let (statements, done) = emitter.block(|emitter| {
                leaves.iter().try_for_each(|leaf| {
                    self.each_turn_of(emitter, (role, leaf), room, |emitter| {
                        if is_last {
                            let sum = Word::State(room.hashes) + hash.clone();
                            emitter.push(Statement::Store(room.hashes, sum));
                        } else {
                            put(emitter, walk);
                        }
                    })
                })
            });
            done?;
            ways.push(statements);
        }
        let (further, mut last) = (ways.pop().unwrap_or_default(), vec![count_all.clone()]);
        last.extend(ways.pop().unwrap_or_default());
        let applied = vec![Statement::If(walk.is_last.into(), last, further)];
        emitter.push(Statement::If(walk.is_bulk.into(), vec![count_all], applied));
        Ok(())
    }

    /// Makes each move of a leaf and ends the turn, does some work and puts the state back.
    fn each_turn_of(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, leaf): (usize, &Leaf),
        room: LeafRoom,
        work: impl FnOnce(&mut Emitter<'b>),
    ) -> Result<(), Obstacle> {
        let doing = Doing::One(role, leaf.kind);
        self.each_move(emitter, leaf, room, |builder, emitter, params| {
            builder.make_turn(emitter, (doing, Some(leaf)), params)?;
            work(emitter);
            Ok(())
        })
    }

    /// Does some work that makes a move, for each move of a leaf, and puts the state back.
    fn each_move(
        &mut self,
        emitter: &mut Emitter<'b>,
        leaf: &Leaf,
        room: LeafRoom,
        work: impl FnOnce(&mut Self, &mut Emitter<'b>, &Params) -> Result<(), Obstacle>,
    ) -> Result<(), Obstacle> {
        let sizes = self.param_sizes(leaf.kind)?;
        let (words, around) = self.each_of(emitter, leaf);
        // What is stored beside the state is of the state before or of the one after the move.
        emitter.forget_stored();
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let scalars = words.into_iter().map(|word| emitter.let_word(word)).collect();
            work(self, emitter, &Params { scalars, sizes, drawn: None })?;
            emitter.push(Statement::StoreSet(0, room.kept()));
            Ok(())
        });
        done?;
        emitter.push_all(around(body));
        emitter.forget_stored();
        Ok(())
    }

    /// All turns from the present state, step by step.
    fn try_all(
        &mut self,
        emitter: &mut Emitter<'b>,
        mover: Mover<'_>,
        walk: Walk,
    ) -> Result<(), Obstacle> {
        let Walk { room, n_steps, n_ends, .. } = walk;
        emitter.push(Statement::Let(n_ends, Word::Constant(0)));
        emitter.push(Statement::Let(n_steps, Word::Constant(1)));
        if !self.preferences.is_empty() {
            emitter.push(Statement::Let(walk.best, Word::Constant(0)));
            let grows = walk.before.into_iter().zip(walk.growing());
            emitter.push_all(
                grows.map(|(kept, now)| Statement::Let(kept, Word::State(now))).collect(),
            );
        }
        emitter.push(Statement::StoreSetAt(room.turn, Word::Constant(0), room.present()));
        emitter.push(Statement::StoreAt(room.steps, Word::Constant(0), Word::Constant(0)));
        let n_passed = emitter.let_word(Word::Constant(0));
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let leave = vec![Statement::Leave];
            emitter.push(Statement::If(n_steps.into(), Vec::new(), leave));
            emitter.push(stop_if_full(n_passed, MAX_PASSED));
            emitter.push(Statement::Let(n_passed, add(n_passed, 1)));
            emitter.push(Statement::Let(n_steps, Word::from(n_steps) - 1));
            let steps = emitter.let_word(Word::at(room.steps, n_steps) + 1);
            emitter.push(stop_if_full(steps, MAX_STEPS));
            emitter.push(Statement::StoreSet(0, Set::at(room.turn, n_steps)));
            emitter.push(keep(room));
            emitter.forget();
            let Split { counted, tried, .. } =
                self.split_within(emitter, mover.role, mover.within)?;
            if !counted.is_empty() {
                self.counted(emitter, mover.role, &counted, walk)?;
            }
            tried.iter().try_for_each(|leaf| {
                let doing = Doing::One(mover.role, leaf.kind);
                self.each_move(emitter, leaf, room, |builder, emitter, params| {
                    let worth = builder.try_step(emitter, (doing, Some(leaf)), params)?;
                    builder.step_made(emitter, worth, steps, walk);
                    Ok(())
                })
            })
        });
        done?;
        emitter.push(Statement::Repeat(body));
        Ok(())
    }

    /// A step has been made: the turn goes on, or is at its end.
    fn step_made(&self, emitter: &mut Emitter<'b>, worth: Word, steps: Scalar, walk: Walk) {
        let Walk { room, n_steps, .. } = walk;
        let further = vec![
            stop_if_full(n_steps, room.turn.n_rows),
            Statement::StoreSetAt(room.turn, n_steps.into(), room.present()),
            Statement::StoreAt(room.steps, n_steps.into(), steps.into()),
            Statement::Let(n_steps, add(n_steps, 1)),
        ];
        let (ending, ()) = emitter.block(|emitter| self.if_best(emitter, worth.clone(), walk));
        emitter.push(Statement::If(worth, ending, further));
    }

    /// A turn has come to its end. A better one than all that were found makes these as if they had never been.
    fn if_best(&self, emitter: &mut Emitter<'b>, worth: Word, walk: Walk) {
        if self.preferences.is_empty() {
            return self.turn_found(emitter, walk);
        }
        let is_better = compare(Comparison::Less, walk.best.into(), worth.clone());
        let mut better = vec![
            Statement::Let(walk.best, worth.clone()),
            Statement::Let(walk.n_ends, Word::Constant(0)),
        ];
        let grows = walk.before.into_iter().zip(walk.growing());
        better.extend(grows.map(|(kept, now)| Statement::Store(now, kept.into())));
        emitter.push(Statement::If(is_better, better, Vec::new()));
        let is_best = compare(Comparison::Equal, walk.best.into(), worth);
        let (found, ()) = emitter.block(|emitter| self.turn_found(emitter, walk));
        emitter.push(Statement::If(is_best, found, Vec::new()));
    }

    /// A turn has come to its end, and counts. Where turns are told apart by their ends, one that was found before is
    /// the same turn; hashes are taken for the states they stand for.
    fn turn_found(&self, emitter: &mut Emitter<'b>, walk: Walk) {
        let Walk { room, n_ends, .. } = walk;
        let hash = emitter.let_word(self.hash());
        let is_new = emitter.let_word(Word::Constant(1));
        if self.theory.turn_identity == TurnIdentity::Result {
            let place = emitter.let_word(Word::Constant(0));
            let is_end = compare(Comparison::Equal, place.into(), n_ends.into());
            let is_known = compare(Comparison::Equal, Word::at(room.ends, place), hash.into());
            let known = vec![Statement::Let(is_new, Word::Constant(0)), Statement::Leave];
            emitter.push(Statement::Repeat(vec![
                Statement::If(is_end, vec![Statement::Leave], Vec::new()),
                Statement::If(is_known, known, Vec::new()),
                Statement::Let(place, add(place, 1)),
            ]));
        }
        let (mut new, ()) = emitter.block(|emitter| put(emitter, walk));
        let hashes = compute(Operation::Multiply, hash.into(), IS_APPLIED.into());
        let leaf = vec![
            Statement::Store(room.n_leaves, Word::State(room.n_leaves) + 1),
            Statement::Store(room.hashes, Word::State(room.hashes) + hashes),
        ];
        new = vec![
            stop_if_full(n_ends, room.ends.n_rows),
            Statement::StoreAt(room.ends, n_ends.into(), hash.into()),
            Statement::Let(n_ends, add(n_ends, 1)),
            Statement::If(walk.is_last.into(), leaf, new),
        ];
        emitter.push(Statement::If(is_new.into(), new, Vec::new()));
    }

    /// The hash of the present state.
    fn hash(&self) -> Word {
        hash_word(&Packing::of_all(self.places.layout))
    }
}

/// Takes the next state from the stack.
fn next_state(emitter: &mut Emitter<'_>, n_visited: Scalar, walk: Walk) {
    let Walk { room, depth, is_last, is_bulk, .. } = walk;
    let top = emitter.let_word(Word::State(room.n_states));
    let done = vec![Statement::Return(Word::Constant(DONE))];
    emitter.push(Statement::If(Word::Scalar(top), Vec::new(), done));
    let enough = compare(Comparison::Equal, n_visited.into(), N_STATES.into());
    let more = vec![Statement::Return(Word::Constant(MORE))];
    emitter.push(Statement::If(enough, more, Vec::new()));
    emitter.push(Statement::Let(n_visited, add(n_visited, 1)));
    let top = emitter.let_word(Word::from(top) - 1);
    emitter.push(Statement::Store(room.n_states, top.into()));
    emitter.push(Statement::Let(depth, Word::at(room.depths, top)));
    let one = compare(Comparison::Equal, depth.into(), Word::Constant(1));
    emitter.push(Statement::Let(is_last, one));
    emitter.push(Statement::Let(is_bulk, Word::from(is_last) & (Word::from(IS_APPLIED) ^ 1)));
    emitter.push(Statement::StoreSet(0, Set::at(room.stack, top)));
    emitter.forget();
}

/// Keeps the present state, to be put back.
fn keep(room: LeafRoom) -> Statement {
    Statement::StoreSet(room.kept, room.present())
}

/// Puts the present state on the stack, one turn nearer to the leaves.
fn put(emitter: &mut Emitter<'_>, walk: Walk) {
    let Walk { room, depth, .. } = walk;
    let top = emitter.let_word(Word::State(room.n_states));
    emitter.push(stop_if_full(top, room.stack.n_rows));
    emitter.push(Statement::StoreSetAt(room.stack, top.into(), room.present()));
    emitter.push(Statement::StoreAt(room.depths, top.into(), Word::from(depth) - 1));
    emitter.push(Statement::Store(room.n_states, add(top, 1)));
}
