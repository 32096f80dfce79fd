//! Turns of at most two steps inside the kernel of contests.
//!
//! In: the moves of a state, those that end a turn told from those that do not, where one word says that a turn
//! goes on and every step that is legal then ends it. Out: statements that make each first step that does not
//! end the turn, count what may follow, and keep one of all turns, each equally likely. The code of second
//! steps is made for that word. Invariant: a turn that is drawn has been made when the statements end.

use rulesmith_kernel::{Comparison, Scalar, Set, Statement, Word};
use rulesmith_rules::TurnIdentity;

use super::Obstacle;
use super::build::{Builder, Kinds, compare};
use super::emit::Emitter;
use super::ground::{Test, Tested};
use super::moves::{Leaf, count};
use super::optimizations::Optimization;
use super::playout::Contest;
use super::rest::with_known;
use super::splits::Split;
use super::steps::Doing;

/// Which turn is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    n_turns: Scalar,
    /// Has it two steps?
    is_pair: Scalar,
    /// The rank of its last step.
    rank: Scalar,
}

impl<'b> Builder<'b> {
    /// The moves that are legal in the middle of a turn, if one word says that a turn goes on.
    pub(super) fn second_steps(&self, kinds: &Kinds) -> Option<Kinds> {
        let is_compared =
            !self.preferences.is_empty() || self.theory.turn_identity == TurnIdentity::Result;
        if is_compared || !self.optimizations.has(Optimization::Pairs) {
            return None;
        }
        let [row] = self.continues.rows.as_deref()? else { return None };
        let [said] = row.tests[..] else { return None };
        let Tested::Fluent(id, _) = said.tested else { return None };
        self.places.layout.fluent(id).is_scalar().then(|| where_so(kinds, said))
    }

    /// Draws a turn and makes it.
    pub(super) fn turn_of_two(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, seconds): (usize, &Kinds),
        split: &Split,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let n_turns = count(emitter, &split.counted);
        let is_pair = emitter.let_word(Word::Constant(0));
        let rank = emitter.scalar();
        emitter.push(Statement::Draw(rank, n_turns.into()));
        let kept = Kept { n_turns, is_pair, rank };
        let n_tried = count(emitter, &split.tried);
        let next = emitter.let_word(Word::Constant(0));
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let is_done = compare(Comparison::Equal, next.into(), n_tried.into());
            emitter.push(Statement::If(is_done, vec![Statement::Leave], Vec::new()));
            let rank = emitter.let_word(next.into());
            let chain = self.choose(emitter, &split.tried, (rank, contest.kind), &contest.params);
            emitter.push_all(chain);
            emitter.push(Statement::Let(next, Word::from(next) + 1));
            self.try_first(emitter, (role, seconds), &split.tried, (kept, contest))
        });
        done?;
        emitter.push(Statement::Repeat(body));
        emitter.forget();
        let stuck = vec![contest.leave()];
        emitter.push(Statement::If(n_turns.into(), Vec::new(), stuck));
        let (making, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let (kept, width) = (contest.scratch.kept, contest.scratch.state_words);
            emitter.push(Statement::StoreSet(0, Set::State { offset: kept, width }));
            emitter.forget();
            let leaves = self.emit_moves(emitter, (role, seconds))?;
            self.make_ranked(emitter, (role, &leaves), rank, contest)
        });
        done?;
        let (choosing, done) = emitter
            .block(|emitter| self.make_ranked(emitter, (role, &split.counted), rank, contest));
        done?;
        emitter.push(Statement::If(is_pair.into(), making, choosing));
        Ok(())
    }

    /// Makes a first step that does not end the turn, counts what may follow, and takes the step back.
    fn try_first(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, seconds): (usize, &Kinds),
        tried: &[Leaf],
        (kept, contest): (Kept, &Contest),
    ) -> Result<(), Obstacle> {
        let scratch = &contest.scratch;
        let state = Set::State { offset: 0, width: scratch.state_words };
        let zero = || Word::Constant(0);
        emitter.push(Statement::StoreSetAt(scratch.stack, zero(), state.clone()));
        self.each_kind(emitter, tried, contest, |builder, emitter, kind, params| {
            let doing = Doing::One(role, kind);
            builder.with_settled(true, |builder| builder.emit_effects(emitter, doing, params))
        })?;
        emitter.forget();
        let leaves = self.emit_moves(emitter, (role, seconds))?;
        let ends = |leaf: &Leaf| {
            self.going_on(role, leaf.kind, &leaf.meaning).is_some_and(|rows| rows.is_empty())
        };
        if !leaves.iter().all(ends) {
            return Err(Obstacle::new("a turn may have more than two steps"));
        }
        let n_here = count(emitter, &leaves);
        let Kept { n_turns, is_pair, rank } = kept;
        emitter.push(Statement::Let(n_turns, Word::from(n_turns) + n_here));
        let drawn = emitter.scalar();
        emitter.push(Statement::Draw(drawn, n_turns.into()));
        let is_here = compare(Comparison::Less, drawn.into(), n_here.into());
        let keep = vec![
            Statement::StoreSet(scratch.kept, state),
            Statement::Let(is_pair, Word::Constant(1)),
            Statement::Let(rank, drawn.into()),
        ];
        emitter.push(Statement::If(is_here, keep, Vec::new()));
        emitter.push(Statement::StoreSet(0, Set::At(scratch.stack, Box::new(zero()))));
        Ok(())
    }

    /// Makes the move of a rank, which ends the turn.
    fn make_ranked(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, leaves): (usize, &[Leaf]),
        rank: Scalar,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let chain = self.choose(emitter, leaves, (rank, contest.kind), &contest.params);
        emitter.push_all(chain);
        self.make_chosen(emitter, role, leaves, contest)
    }
}

/// The rows of moves that are legal where a test of a word holds, without what it says.
fn where_so(kinds: &Kinds, said: Test) -> Kinds {
    let known = |test: &Test| -> Option<bool> {
        let is_same = test.key == said.key;
        let is_decided = test.tested == said.tested && (said.holds || is_same);
        is_decided.then_some((is_same == said.holds) == test.holds)
    };
    with_known(kinds, &known)
}
