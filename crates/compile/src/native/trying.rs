//! Turns of several steps inside the kernel of contests.
//!
//! In: the moves of a state that may not end a turn. Out: statements that try them depth first and keep one
//! of all turns found so far, each equally likely, until all are found. Turns that end with a counted move
//! are kept by the state before it and a rank. Invariant: at the end either the state is that after the
//! kept turn, or the move that ends it is chosen and the state is that before it.

use rulesmith_kernel::{Comparison, Operation, Scalar, Set, Statement, Word};
use rulesmith_rules::TurnIdentity;

use super::Obstacle;
use super::build::{Builder, Kinds, compare};
use super::emit::Emitter;
use super::hash::Packing;
use super::moves::{Leaf, count};
use super::past::hash_word;
use super::playout::Contest;
use super::scratch::MAX_STEPS;
use super::splits::Split;
use super::steps::{Doing, compute};

/// Where the search is.
#[derive(Clone, Copy, Debug)]
struct Search {
    /// Steps made on the way here.
    depth: Scalar,
    /// The rank of the move that is tried next.
    next: Scalar,
    /// Is this state met for the first time?
    is_new: Scalar,
    has_gone_on: Scalar,
    /// Moves tried so far.
    n_tried: Scalar,
    /// Turns found so far, ends of them that are compared, and one more than their merit.
    n_turns: Scalar,
    n_ends: Scalar,
    best: Scalar,
    /// The rank of the counted move that ends the kept turn; all ones if it is made already.
    kept_rank: Scalar,
}

/// Where a turn may begin in more ways, it is found outside the kernel.
const MAX_TRIED: u64 = 1 << 13;

/// The kept turn has been made to its end.
const MADE: u64 = u64::MAX;

fn set(scalar: Scalar, word: Word) -> Statement {
    Statement::Let(scalar, word)
}

fn set_to(scalar: Scalar, number: u64) -> Statement {
    Statement::Let(scalar, Word::Constant(number))
}

fn step(scalar: Scalar, operation: Operation) -> Statement {
    set(scalar, compute(operation, Word::Scalar(scalar), Word::Constant(1)))
}

impl<'b> Builder<'b> {
    /// Finds all turns and keeps one of them. `is_made` says afterwards whether it has been made; if not,
    /// a move of the leaves that are returned is chosen.
    pub(super) fn try_turns(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kinds): (usize, &Kinds),
        is_made: Scalar,
        contest: &Contest,
    ) -> Result<Vec<Leaf>, Obstacle> {
        let mut zero = || emitter.let_word(Word::Constant(0));
        let search = Search {
            depth: zero(),
            next: zero(),
            has_gone_on: zero(),
            n_tried: zero(),
            n_turns: zero(),
            n_ends: zero(),
            best: zero(),
            kept_rank: zero(),
            is_new: zero(),
        };
        emitter.push(set_to(search.is_new, 1));
        let (body, done) =
            emitter.block(|emitter| self.try_state(emitter, (role, kinds), search, contest));
        done?;
        emitter.push(Statement::Repeat(body));
        emitter.forget();
        let stuck = vec![contest.leave()];
        emitter.push(Statement::If(Word::Scalar(search.n_turns), Vec::new(), stuck));
        let (kept, width) = (contest.scratch.kept, contest.scratch.state_words);
        emitter.push(Statement::StoreSet(0, Set::State { offset: kept, width }));
        let (choosing, counted) = emitter.block(|emitter| -> Result<Vec<Leaf>, Obstacle> {
            let Split { counted, .. } = self.split_within(emitter, role, kinds)?;
            let rank = search.kept_rank;
            let chain = self.choose(emitter, &counted, (rank, contest.kind), &contest.params);
            emitter.push_all(chain);
            Ok(counted)
        });
        let is_whole =
            compare(Comparison::Equal, Word::Scalar(search.kept_rank), Word::Constant(MADE));
        let made = vec![set_to(is_made, 1)];
        emitter.push(Statement::If(is_whole, made, choosing));
        emitter.forget();
        counted
    }

    /// One state in the middle of a turn.
    fn try_state(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kinds): (usize, &Kinds),
        search: Search,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        emitter.forget();
        let split = self.split_within(emitter, role, kinds)?;
        if !split.counted.is_empty() {
            let (counting, ()) =
                emitter.block(|emitter| keep_counted(emitter, &split.counted, search, contest));
            emitter.push(Statement::If(Word::Scalar(search.is_new), counting, Vec::new()));
        }
        let n_tried = count(emitter, &split.tried);
        emitter.push(set_to(search.has_gone_on, 0));
        emitter.forget_stored();
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let is_done =
                compare(Comparison::LessOrEqual, Word::Scalar(n_tried), Word::Scalar(search.next));
            emitter.push(Statement::If(is_done, vec![Statement::Leave], Vec::new()));
            self.try_move(emitter, role, &split.tried, (search, contest))
        });
        done?;
        emitter.push(Statement::Repeat(body));
        emitter.forget();
        let at_start = compare(Comparison::Equal, Word::Scalar(search.depth), Word::Constant(0));
        let back = vec![
            Statement::If(at_start, vec![Statement::Leave], Vec::new()),
            step(search.depth, Operation::Subtract),
            restore(search, contest),
            set(search.next, Word::At(contest.scratch.ranks, Box::new(Word::Scalar(search.depth)))),
            set_to(search.is_new, 0),
        ];
        emitter.push(Statement::If(Word::Scalar(search.has_gone_on), Vec::new(), back));
        Ok(())
    }

    /// The next move of a state.
    fn try_move(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        leaves: &[Leaf],
        (search, contest): (Search, &Contest),
    ) -> Result<(), Obstacle> {
        let Search { depth, next, .. } = search;
        let (stack, ranks) = (contest.scratch.stack, contest.scratch.ranks);
        let state = Set::State { offset: 0, width: contest.scratch.state_words };
        let too_deep = compare(
            Comparison::LessOrEqual,
            Word::Constant(u64::from(MAX_STEPS)),
            Word::Scalar(depth),
        );
        let leave = vec![back_to_start(contest), contest.leave()];
        emitter.push(step(search.n_tried, Operation::Add));
        let too_many =
            compare(Comparison::Less, Word::Constant(MAX_TRIED), Word::Scalar(search.n_tried));
        emitter.push(Statement::If(too_deep | too_many, leave, Vec::new()));
        let rank = emitter.let_word(Word::Scalar(next));
        let chain = self.choose(emitter, leaves, (rank, contest.kind), &contest.params);
        emitter.push_all(chain);
        emitter.push(step(next, Operation::Add));
        emitter.push(Statement::StoreSetAt(stack, Word::Scalar(depth), state));
        emitter.push(Statement::StoreAt(ranks, Word::Scalar(depth), Word::Scalar(next)));
        self.each_kind(emitter, leaves, contest, |builder, emitter, kind, params| {
            let doing = Doing::One(role, kind);
            let worth = builder.try_step(emitter, (doing, None), params)?;
            let further = vec![
                step(depth, Operation::Add),
                set_to(next, 0),
                set_to(search.is_new, 1),
                set_to(search.has_gone_on, 1),
                Statement::Leave,
            ];
            let (ending, ()) =
                emitter.block(|emitter| builder.end_found(emitter, worth.clone(), search, contest));
            emitter.push(Statement::If(worth, ending, further));
            Ok(())
        })
    }

    /// A turn has come to its end: it is kept with the chance of one among all found so far.
    fn end_found(&self, emitter: &mut Emitter<'b>, worth: Word, search: Search, contest: &Contest) {
        let is_equal = emitter.let_word(Word::Constant(1));
        if !self.preferences.is_empty() {
            let is_better = compare(Comparison::Less, Word::Scalar(search.best), worth.clone());
            let better = vec![
                set(search.best, worth.clone()),
                set_to(search.n_turns, 0),
                set_to(search.n_ends, 0),
            ];
            emitter.push(Statement::If(is_better, better, Vec::new()));
            let is_best = compare(Comparison::Equal, Word::Scalar(search.best), worth);
            emitter.push(set(is_equal, is_best));
        }
        if self.theory.turn_identity == TurnIdentity::Result {
            self.compare_ends(emitter, is_equal, search, contest);
        }
        let (keeping, ()) = emitter.block(|emitter| {
            emitter.push(step(search.n_turns, Operation::Add));
            let rank = emitter.scalar();
            emitter.push(Statement::Draw(rank, Word::Scalar(search.n_turns)));
            let keep = vec![keep_state(contest), set_to(search.kept_rank, MADE)];
            emitter.push(Statement::If(Word::Scalar(rank), Vec::new(), keep));
        });
        emitter.push(Statement::If(Word::Scalar(is_equal), keeping, Vec::new()));
        emitter.push(restore(search, contest));
    }

    /// An end that was found before counts no more. Hashes are taken for the states they stand for.
    fn compare_ends(
        &self,
        emitter: &mut Emitter<'b>,
        is_equal: Scalar,
        search: Search,
        contest: &Contest,
    ) {
        let ends = contest.scratch.ends;
        let hash = emitter.let_word(hash_word(&Packing::of_all(self.places.layout)));
        let place = emitter.let_word(Word::Constant(0));
        let is_last = compare(Comparison::Equal, Word::Scalar(place), Word::Scalar(search.n_ends));
        let found = Word::At(ends, Box::new(Word::Scalar(place)));
        let is_known = compare(Comparison::Equal, found, Word::Scalar(hash));
        emitter.push(Statement::Repeat(vec![
            Statement::If(is_last, vec![Statement::Leave], Vec::new()),
            Statement::If(is_known, vec![set_to(is_equal, 0), Statement::Leave], Vec::new()),
            step(place, Operation::Add),
        ]));
        let is_full = compare(
            Comparison::LessOrEqual,
            Word::Constant(u64::from(ends.n_rows)),
            Word::Scalar(search.n_ends),
        );
        let push = vec![
            Statement::If(is_full, vec![back_to_start(contest), contest.leave()], Vec::new()),
            Statement::StoreAt(ends, Word::Scalar(search.n_ends), Word::Scalar(hash)),
            step(search.n_ends, Operation::Add),
        ];
        emitter.push(Statement::If(Word::Scalar(is_equal), push, Vec::new()));
    }
}

/// The turns that end with a counted move of this state are kept with their chance among all found so far.
fn keep_counted(emitter: &mut Emitter<'_>, leaves: &[Leaf], search: Search, contest: &Contest) {
    let n_here = count(emitter, leaves);
    let total = compute(Operation::Add, Word::Scalar(search.n_turns), Word::Scalar(n_here));
    emitter.push(set(search.n_turns, total));
    let rank = emitter.scalar();
    emitter.push(Statement::Draw(rank, Word::Scalar(search.n_turns)));
    let is_here = compare(Comparison::Less, Word::Scalar(rank), Word::Scalar(n_here));
    let keep = vec![keep_state(contest), set(search.kept_rank, Word::Scalar(rank))];
    emitter.push(Statement::If(is_here, keep, Vec::new()));
}

fn keep_state(contest: &Contest) -> Statement {
    let width = contest.scratch.state_words;
    Statement::StoreSet(contest.scratch.kept, Set::State { offset: 0, width })
}

/// The state is again the one whose moves are being tried.
fn restore(search: Search, contest: &Contest) -> Statement {
    let depth = Box::new(Word::Scalar(search.depth));
    Statement::StoreSet(0, Set::At(contest.scratch.stack, depth))
}

/// The state is again the one in which the turn began.
fn back_to_start(contest: &Contest) -> Statement {
    Statement::StoreSet(0, Set::At(contest.scratch.stack, Box::new(Word::Constant(0))))
}
