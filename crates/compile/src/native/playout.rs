//! A whole random contest as one kernel.
//!
//! In: the rows of moves, effects and ends. Out: a loop that chooses among the legal turns by counting
//! bits, makes the turn and looks whether the contest is over. Invariant: every legal turn is chosen
//! equally often.

use std::collections::BTreeSet;
use std::rc::Rc;

use rulesmith_kernel::{Comparison, Kernel, Operation, Scalar, Statement, Word};
use rulesmith_rules::TurnIdentity;

use super::Obstacle;
use super::build::{Builder, Kinds, Question, compare, number, to_word};
use super::emit::Emitter;
use super::ground::{Test, Tested};
use super::kept::KeptPlaces;
use super::late_cycles::LateCycles;
use super::moves::{Leaf, count};
use super::optimizations::Optimization;
use super::params::{Drawn, Params};
use super::past::Past;
use super::plan::most_params;
use super::rest::{Resting, at_rest};
use super::row::ContestRow;
use super::scratch::Scratch;
use super::steps::{Doing, compute};

/// What the code of a contest shares.
#[derive(Clone, Debug)]
pub(super) struct Contest {
    pub(super) scratch: Scratch,
    /// Turns made so far.
    pub(super) made: Scalar,
    /// The move that was chosen: its kind and its parameters.
    pub(super) kind: Scalar,
    pub(super) params: Vec<Scalar>,
    pub(super) past: Option<Past>,
    /// The number of the move that was chosen, where all are numbered by one set.
    drawn: Option<Rc<Drawn>>,
    /// Components that are kept from turn to turn.
    kept: Rc<KeptPlaces>,
    /// The states of the contest, where questions about cycles are judged late.
    late: Option<Rc<LateCycles>>,
    /// Are there contests in a row, so that one ends by leaving its loop?
    is_in_row: bool,
}

impl<'b> Builder<'b> {
    /// The room that the kernel of contests needs.
    pub(super) fn scratch(&self) -> Result<Scratch, Obstacle> {
        let layout = self.places.layout;
        let has_past = match layout.repeated().count() {
            0 => false,
            1 => true,
            _ => return Err(Obstacle::new("repetition is counted in two ways")),
        };
        let has_long_turns = self.has_long_turns();
        Scratch::new(
            (layout.n_state_words(), self.spare.next),
            self.setting.past,
            has_past,
            has_long_turns,
        )
        .ok_or_else(|| Obstacle::new("states too large to be copied"))
    }

    /// May a turn have several steps, or must turns be compared?
    pub(super) fn has_long_turns(&self) -> bool {
        self.continues.may_hold
            || !self.preferences.is_empty()
            || self.theory.turn_identity == TurnIdentity::Result
    }

    /// A contest of uniformly random turns from the state that is handed over, at most so many: the first
    /// parameter. It returns how many were made; fewer than asked for mean that the contest is over or
    /// that the kernel has no room to go on. With room for contests in a row, and if the second parameter
    /// asks for them, it plays these instead.
    pub(super) fn playout_kernel(
        &mut self,
        scratch: Scratch,
        row: Option<&ContestRow>,
    ) -> Result<Kernel, Obstacle> {
        if self.is_joint && self.has_long_turns() {
            return Err(Obstacle::new("turns to be compared of roles that move at once"));
        }
        let mut emitter = Emitter::new(self.places, 2);
        emitter.keeps_hashes = self.contests_ask_hashes();
        emitter.keeps_planes = true;
        let made = emitter.let_word(Word::Constant(0));
        let limit = compare(Comparison::Equal, Word::Scalar(Scalar(0)), Word::Constant(0));
        for question in [self.terminal.clone(), self.draw.clone()] {
            let word = self.ask_apart(&mut emitter, &question)?;
            let none = vec![Statement::Return(Word::Constant(0))];
            emitter.push(Statement::If(word, none, Vec::new()));
        }
        let none = vec![Statement::Return(Word::Constant(0))];
        emitter.push(Statement::If(limit, none, Vec::new()));
        let kind = emitter.scalar();
        let n_params = most_params(self.theory) * usize::from(!self.is_joint);
        let params = (0..n_params).map(|_| emitter.scalar()).collect();
        let past = Past::start(&mut emitter, scratch);
        let is_in_row = row.is_some();
        let kept = self.keep_components(&mut emitter)?;
        let late = self.late_cycles(&mut emitter, scratch).map(Rc::new);
        let contest =
            Contest { scratch, made, kind, params, past, drawn: None, kept, late, is_in_row };
        let (turns, resting) = (self.all_legal_rows(), self.resting());
        self.check_guards(&turns)?;
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            emitter.forget();
            self.leave_if_full(emitter, &contest)?;
            if self.is_joint {
                return self.joint_turn(emitter, &turns, &contest);
            }
            self.leave_unless_at_rest(emitter, &resting, &[contest.leave()]);
            let before = emitter.let_word(Word::Scalar(made));
            for (role, (common, kinds)) in turns.iter().enumerate() {
                if self.turn_guard(role).is_none() {
                    continue;
                }
                let guard = to_word(emitter.words(common)?);
                let (statements, done) =
                    emitter.block(|emitter| self.turn(emitter, (role, kinds, &resting), &contest));
                done?;
                emitter.push(Statement::If(guard, statements, Vec::new()));
                emitter.forget();
            }
            let stuck = compare(Comparison::Equal, Word::Scalar(made), Word::Scalar(before));
            let (stop, done) = emitter.block(|emitter| self.only_wait(emitter, before, &contest));
            done?;
            emitter.push(Statement::If(stuck, stop, Vec::new()));
            Ok(())
        });
        done?;
        match row {
            Some(row) => self.in_a_row(&mut emitter, body, made, row)?,
            None => emitter.push(Statement::Repeat(body)),
        }
        Ok(emitter.into_kernel("contest".to_owned(), 2))
    }

    /// The kernel ends where it has no room for a turn of each role.
    fn leave_if_full(
        &mut self,
        emitter: &mut Emitter<'b>,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let Some(past) = &contest.past else { return Ok(()) };
        let is_full = past.is_full(number(self.theory.roles.len()));
        self.judge_cycles_if(emitter, contest.late.as_deref(), (contest.made, &is_full))?;
        let leave = vec![Statement::Return(Word::Scalar(contest.made))];
        emitter.push(Statement::If(is_full, leave, Vec::new()));
        Ok(())
    }

    /// What all moves of a role ask for is tested at the start of a turn alone, so steps must not change it.
    pub(super) fn check_guards(&self, turns: &[(Vec<Test>, Kinds)]) -> Result<(), Obstacle> {
        let is_assigned = |test: &Test| {
            let Tested::Fluent(id, _) = test.tested else { return true };
            let is_reset = self.theory.fluent(id).is_transient;
            is_reset
                || self.looped[0].contains(&id)
                || self.assignments.iter().any(|one| one.fluent == id && !one.rows.is_empty())
        };
        let mut guards = turns.iter().flat_map(|(common, _)| common);
        if self.continues.may_hold && guards.any(is_assigned) {
            return Err(Obstacle::new("what all moves ask for changes within a turn"));
        }
        Ok(())
    }

    /// One random turn of a role, and whether the contest is over.
    fn turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kinds, resting): (usize, &Kinds, &[Resting]),
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        self.update_for_turn(emitter, &contest.kept)?;
        let leaves = self.emit_candidates(emitter, (role, &at_rest(kinds, resting)))?;
        if leaves.iter().any(|leaf| !leaf.is_sure) {
            self.draw_by_rejection(emitter, (role, &leaves), contest)?;
            emitter.forget();
            let is_made = |leaf: &Leaf| !leaf.is_sure && self.is_made_by_judge(leaf.kind);
            let (made, unmade): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(is_made);
            let (making, done) =
                emitter.block(|emitter| self.make_chosen(emitter, role, &unmade, contest));
            done?;
            let is_unmade = made.iter().fold(Word::Constant(1), |all, leaf| {
                let kind = Word::Constant(leaf.kind as u64);
                all & compare(Comparison::Unequal, Word::Scalar(contest.kind), kind)
            });
            emitter.push(Statement::If(is_unmade, making, Vec::new()));
            emitter.forget();
            return self.end_turn(emitter, role, contest);
        }
        let split = self.split(emitter, role, leaves)?;
        let made = Word::Scalar(contest.made);
        if split.counts_all() {
            let n_moves = count(emitter, &split.counted);
            let (moving, done) = emitter.block(|emitter| {
                let contest = &self.drawing(emitter, &split.counted, contest);
                self.draw_leaf(emitter, &split.counted, n_moves, contest);
                self.make_chosen(emitter, role, &split.counted, contest)?;
                self.end_turn(emitter, role, contest)
            });
            done?;
            emitter.push(Statement::If(Word::Scalar(n_moves), moving, Vec::new()));
            return Ok(());
        }
        if let Some(seconds) = self.second_steps(kinds) {
            let drawn = emitter
                .attempt(|emitter| self.turn_of_two(emitter, (role, &seconds), &split, contest));
            if drawn.is_ok() {
                emitter.forget();
                return self.end_turn(emitter, role, contest);
            }
        }
        let must_try = split.must_try(emitter);
        let is_made = emitter.let_word(Word::Constant(0));
        let (trying, done) =
            emitter.block(|emitter| self.try_turns(emitter, (role, kinds), is_made, contest));
        let within = done?;
        let (choosing, ()) = emitter.block(|emitter| {
            let n_moves = count(emitter, &split.counted);
            let stuck = vec![Statement::Return(made.clone())];
            emitter.push(Statement::If(Word::Scalar(n_moves), Vec::new(), stuck));
            self.draw_leaf(emitter, &split.counted, n_moves, contest);
        });
        emitter.push(Statement::If(must_try, trying, choosing));
        emitter.forget();
        // The move that ends the turn may be the first step or a later one.
        let last = [split.counted, within].concat();
        let (making, done) =
            emitter.block(|emitter| self.make_chosen(emitter, role, &last, contest));
        done?;
        emitter.push(Statement::If(Word::Scalar(is_made), Vec::new(), making));
        emitter.forget();
        self.end_turn(emitter, role, contest)
    }

    /// Leaves that have all legal moves, and perhaps more where a turn is one step and testing pays.
    fn emit_candidates(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kinds): (usize, &Kinds),
    ) -> Result<Vec<Leaf>, Obstacle> {
        if self.continues.may_hold || !self.preferences.is_empty() {
            return self.emit_moves(emitter, (role, kinds));
        }
        let (mut sure, mut leaves) = (kinds.clone(), self.unjudged_leaves(emitter, role));
        for leaf in &leaves {
            sure[leaf.kind] = Some(Vec::new());
        }
        for (kind, clauses) in kinds.iter().enumerate() {
            if clauses.is_some() || sure[kind].is_some() {
                continue;
            }
            if let Some(leaf) = self.generator(emitter, (role, kind))? {
                sure[kind] = Some(Vec::new());
                leaves.push(leaf);
            }
        }
        leaves.extend(self.emit_moves(emitter, (role, &sure))?);
        Ok(leaves)
    }

    /// The same, where a move is drawn from these leaves and made at once.
    fn drawing(&self, emitter: &mut Emitter<'b>, leaves: &[Leaf], contest: &Contest) -> Contest {
        let mut contest = contest.clone();
        if let [leaf] = leaves
            && leaf.is_numbered()
            && self.optimizations.has(Optimization::DrawnNumbers)
        {
            let (number, moves) = (emitter.scalar(), leaf.meaning.moves.clone());
            contest.drawn = Some(Rc::new(Drawn { number, kind: leaf.kind, moves }));
        }
        contest
    }

    /// Chooses one of the moves; each is equally likely.
    pub(super) fn draw_leaf(
        &mut self,
        emitter: &mut Emitter<'b>,
        leaves: &[Leaf],
        n_moves: Scalar,
        contest: &Contest,
    ) {
        let rank = emitter.scalar();
        emitter.push(Statement::Draw(rank, Word::Scalar(n_moves)));
        let chain = self.choose(emitter, leaves, (rank, contest.kind), &contest.params);
        let found = chain.first().cloned();
        emitter.push_all(chain);
        if let (Some(drawn), Some(Statement::Let(number, _))) = (&contest.drawn, found) {
            // The number is one of the moves', so this changes nothing but what is known of it.
            let most = drawn.moves.last_key_value().map_or(0, |(number, _)| *number);
            let number = Word::from(number).compute(Operation::Least, u64::from(most));
            emitter.push(Statement::Let(drawn.number, number));
        }
    }

    /// Makes the chosen move, which ends the turn.
    pub(super) fn make_chosen(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        leaves: &[Leaf],
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        self.each_kind(emitter, leaves, contest, |builder, emitter, kind, params| {
            builder.make_turn(emitter, (Doing::One(role, kind), None), params)
        })
    }

    /// Code for each kind of move that may have been chosen.
    pub(super) fn each_kind(
        &mut self,
        emitter: &mut Emitter<'b>,
        leaves: &[Leaf],
        contest: &Contest,
        mut work: impl FnMut(&mut Self, &mut Emitter<'b>, usize, &Params) -> Result<(), Obstacle>,
    ) -> Result<(), Obstacle> {
        let kinds: BTreeSet<usize> = leaves.iter().map(|leaf| leaf.kind).collect();
        for kind in &kinds {
            let sizes = self.param_sizes(*kind)?;
            let params = contest.params(*kind, sizes);
            let (statements, done) = emitter.block(|emitter| work(self, emitter, *kind, &params));
            done?;
            if kinds.len() == 1 {
                emitter.push_all(statements);
            } else {
                let (chosen, kind) = (Word::Scalar(contest.kind), Word::Constant(*kind as u64));
                let is_it = compare(Comparison::Equal, chosen, kind);
                emitter.push(Statement::If(is_it, statements, Vec::new()));
            }
        }
        Ok(())
    }

    /// A turn has been made: is the contest over?
    fn end_turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        if let Some(late) = &contest.late {
            contest.count_turn(emitter);
            self.keep_for_cycles(emitter, late, contest.made)?;
        } else {
            self.count_cycles(emitter)?;
            contest.count_turn(emitter);
        }
        self.update_for_end(emitter, &contest.kept)?;
        let mut terminal = self.terminal.clone();
        if self.optimizations.has(Optimization::TouchedEnds)
            && let Some(rows) = self.ends_beside_stuck()
        {
            let changes = self.changes(number(role));
            let mut rows = self.touched(rows, &changes);
            let over = self.runs_through(emitter, &mut rows, (role, &changes), contest)?;
            contest.leave_if(emitter, over);
            terminal.rows = Some(rows);
        }
        self.end_turn_by(emitter, &terminal, contest)
    }

    pub(super) fn end_turn_by(
        &mut self,
        emitter: &mut Emitter<'b>,
        terminal: &Question,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let over = self.ask_apart(emitter, terminal)?;
        let draw = self.draw.clone();
        let draw = self.ask_apart(emitter, &draw)?;
        for over in [over, draw] {
            contest.leave_if(emitter, over);
        }
        let limit = compare(Comparison::Equal, Word::Scalar(contest.made), Word::Scalar(Scalar(0)));
        self.judge_cycles_if(emitter, contest.late.as_deref(), (contest.made, &limit))?;
        contest.leave_if(emitter, limit);
        Ok(())
    }

    /// One random move of every role that has one.
    fn joint_turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        turns: &[(Vec<Test>, Kinds)],
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let most = most_params(self.theory);
        let mut scalars = Vec::new();
        let can_move = emitter.let_word(Word::Constant(0));
        self.update_for_turn(emitter, &contest.kept)?;
        for (role, (common, kinds)) in turns.iter().enumerate() {
            let joins = emitter.let_word(Word::Constant(0));
            let params: Vec<Scalar> =
                (0..most).map(|_| emitter.let_word(Word::Constant(0))).collect();
            let chosen = emitter.scalar();
            let guard = to_word(emitter.words(common)?);
            let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
                let leaves = self.emit_moves(emitter, (role, kinds))?;
                let n_moves = count(emitter, &leaves);
                let (moving, ()) = emitter.block(|emitter| {
                    let rank = emitter.scalar();
                    emitter.push(Statement::Draw(rank, Word::Scalar(n_moves)));
                    let chain = self.choose(emitter, &leaves, (rank, chosen), &params);
                    emitter.push_all(chain);
                    let kind = compute(Operation::Add, Word::Scalar(chosen), Word::Constant(1));
                    emitter.push(Statement::Let(joins, kind));
                    emitter.push(Statement::Let(can_move, Word::Constant(1)));
                });
                emitter.push(Statement::If(Word::Scalar(n_moves), moving, Vec::new()));
                Ok(())
            });
            done?;
            emitter.push(Statement::If(guard, statements, Vec::new()));
            scalars.push(joins);
            scalars.extend(params);
        }
        let stuck = vec![contest.leave()];
        emitter.push(Statement::If(Word::Scalar(can_move), Vec::new(), stuck));
        self.emit_joint(emitter, &scalars)?;
        contest.count_turn(emitter);
        self.update_for_end(emitter, &contest.kept)?;
        let terminal = self.terminal.clone();
        self.end_turn_by(emitter, &terminal, contest)
    }

    /// Finds the leaf and the number in it that a rank among all moves means.
    pub(super) fn choose(
        &mut self,
        emitter: &mut Emitter<'b>,
        leaves: &[Leaf],
        (rank, chosen): (Scalar, Scalar),
        params: &[Scalar],
    ) -> Vec<Statement> {
        let Some((leaf, others)) = leaves.split_first() else { return Vec::new() };
        let (mut found, words) = self.find_in(emitter, leaf, rank);
        for (param, word) in params.iter().zip(words) {
            found.push(Statement::Let(*param, word));
        }
        found.push(Statement::Let(chosen, Word::Constant(leaf.kind as u64)));
        if others.is_empty() {
            return found;
        }
        let n_here = emitter.scalar();
        let left = Word::Compute(
            Operation::Subtract,
            Box::new(Word::Scalar(rank)),
            Box::new(Word::Scalar(n_here)),
        );
        let mut otherwise = vec![Statement::Let(rank, left)];
        otherwise.extend(self.choose(emitter, others, (rank, chosen), params));
        let is_here = compare(Comparison::Less, Word::Scalar(rank), Word::Scalar(n_here));
        let counting = Statement::Let(n_here, leaf.n_moves());
        // Of a leaf that was not computed nothing is known.
        let mut chain = match leaf.guard {
            Some(guard) => {
                let none = Statement::Let(n_here, Word::Constant(0));
                vec![none, Statement::If(guard.into(), vec![counting], Vec::new())]
            }
            None => vec![counting],
        };
        chain.push(Statement::If(is_here, found, otherwise));
        chain
    }
}

impl Contest {
    /// The parameters of a move of a kind that was chosen.
    pub(super) fn params(&self, kind: usize, sizes: Vec<u32>) -> Params {
        let drawn = self.drawn.clone().filter(|drawn| drawn.kind == kind);
        Params { scalars: self.params[..sizes.len()].to_vec(), sizes, drawn }
    }

    /// One more turn has been made.
    pub(super) fn count_turn(&self, emitter: &mut Emitter<'_>) {
        emitter.push(Statement::Let(self.made, Word::from(self.made) + 1));
        emitter.forget();
        if let Some(past) = &self.past {
            past.remember(emitter);
        }
    }

    /// The contest ends if a word says so.
    fn leave_if(&self, emitter: &mut Emitter<'_>, over: Word) {
        if over != Word::Constant(0) {
            emitter.push(Statement::If(over, vec![self.leave()], Vec::new()));
        }
    }

    /// The contest ends. Where it is the only one the kernel ends and says how many turns were made.
    pub(super) fn leave(&self) -> Statement {
        if self.is_in_row { Statement::Leave } else { Statement::Return(Word::Scalar(self.made)) }
    }
}
