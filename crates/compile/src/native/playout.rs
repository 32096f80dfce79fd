//! A whole random contest as one kernel.
//!
//! In: the rows of moves, effects and ends. Out: a loop that chooses among the legal moves by counting
//! bits, makes the move and looks whether the contest is over. Invariant: every legal move is chosen
//! equally often.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Kernel, Operation, Scalar, Statement, Word};

use super::Obstacle;
use super::build::{Builder, Kinds, compare, number, to_word};
use super::emit::Emitter;
use super::ground::{Test, Tested};
use super::moves::{Leaf, count};
use super::params::Params;
use super::steps::Doing;

impl<'b> Builder<'b> {
    /// A contest of uniformly random moves from the state that is handed over, at most so many: the first
    /// parameter. It returns how many were made.
    pub(super) fn playout_kernel(&mut self) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 1);
        let made = emitter.let_word(Word::Constant(0));
        let limit = compare(Comparison::Equal, Word::Scalar(Scalar(0)), Word::Constant(0));
        let terminal = self.terminal.clone();
        let word = to_word(self.ask(&mut emitter, &terminal)?);
        for over in [limit, word] {
            emitter.push(Statement::If(
                over,
                vec![Statement::Return(Word::Constant(0))],
                Vec::new(),
            ));
        }
        if self.is_joint || self.draw.may_hold || self.continues.may_hold {
            return Err(Obstacle::new("not yet"));
        }
        let turns = self.all_legal_rows();
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            emitter.forget();
            let before = emitter.let_word(Word::Scalar(made));
            for (role, (common, kinds)) in turns.iter().enumerate() {
                let guard = to_word(emitter.words(common)?);
                let (statements, done) =
                    emitter.block(|emitter| self.turn(emitter, (role, kinds), made));
                done?;
                emitter.push(Statement::If(guard, statements, Vec::new()));
                emitter.forget();
            }
            let stuck = compare(Comparison::Equal, Word::Scalar(made), Word::Scalar(before));
            let over = vec![Statement::Return(Word::Scalar(made))];
            emitter.push(Statement::If(stuck, over, Vec::new()));
            Ok(())
        });
        done?;
        emitter.push(Statement::Repeat(body));
        Ok(emitter.into_kernel("playout".to_owned(), 1))
    }

    /// One random move of a role, and whether the contest is over.
    fn turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kinds): (usize, &Kinds),
        made: Scalar,
    ) -> Result<(), Obstacle> {
        let leaves = self.emit_moves(emitter, (role, kinds))?;
        let n_moves = emitter.let_word(count(&leaves));
        let (moving, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            self.random_move(emitter, role, (&leaves, n_moves), made)?;
            emitter.forget();
            let mut terminal = self.terminal.clone();
            if let Some(rows) = &mut terminal.rows
                && self.optimizations.touched_ends
            {
                *rows = self.touched(rows, &self.changes(number(role)));
            }
            let word = to_word(self.ask(emitter, &terminal)?);
            let limit = compare(Comparison::Equal, Word::Scalar(made), Word::Scalar(Scalar(0)));
            for over in [word, limit] {
                let end = vec![Statement::Return(Word::Scalar(made))];
                emitter.push(Statement::If(over, end, Vec::new()));
            }
            Ok(())
        });
        done?;
        emitter.push(Statement::If(Word::Scalar(n_moves), moving, Vec::new()));
        Ok(())
    }

    fn random_move(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        (leaves, n_moves): (&[Leaf], Scalar),
        made: Scalar,
    ) -> Result<(), Obstacle> {
        let rank = emitter.scalar();
        emitter.push(Statement::Draw(rank, Word::Scalar(n_moves)));
        let n_params = self.theory.moves.iter().map(|kind| kind.n_params).max().unwrap_or(0);
        let params: Vec<Scalar> = (0..n_params).map(|_| emitter.scalar()).collect();
        let chosen = emitter.scalar();
        let chain = self.choose(emitter, leaves, (rank, chosen), &params);
        emitter.push_all(chain);
        let kinds: BTreeSet<usize> = leaves.iter().map(|leaf| leaf.kind).collect();
        for kind in &kinds {
            let sizes = self.param_sizes(*kind)?;
            let params = Params { scalars: params.clone(), sizes };
            let doing = Doing::One(role, *kind);
            let (effects, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
                self.emit_effects(emitter, doing, &params)?;
                self.emit_deferred(emitter, doing, &params)
            });
            done?;
            if kinds.len() == 1 {
                emitter.push_all(effects);
            } else {
                let is_it =
                    compare(Comparison::Equal, Word::Scalar(chosen), Word::Constant(*kind as u64));
                emitter.push(Statement::If(is_it, effects, Vec::new()));
            }
        }
        let one = Box::new(Word::Constant(1));
        let next = Word::Compute(Operation::Add, Box::new(Word::Scalar(made)), one);
        emitter.push(Statement::Let(made, next));
        Ok(())
    }

    /// Finds the leaf and the number in it that a rank among all moves means.
    fn choose(
        &mut self,
        emitter: &mut Emitter<'b>,
        leaves: &[Leaf],
        (rank, chosen): (Scalar, Scalar),
        params: &[Scalar],
    ) -> Vec<Statement> {
        let Some((leaf, others)) = leaves.split_first() else { return Vec::new() };
        let set = || Box::new(leaf.set.clone());
        let root = emitter.scalar();
        let nth = Word::Nth(set(), Box::new(Word::Scalar(rank)));
        let mut found = vec![Statement::Let(root, nth)];
        for (param, word) in params.iter().zip(self.meanings(leaf, root)) {
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
        vec![Statement::Let(n_here, Word::Count(set())), Statement::If(is_here, found, otherwise)]
    }
}

/// Can two roles never move in one state? Each waits for another value of one word.
pub(super) fn roles_are_apart(turns: &[(Vec<Test>, Kinds)]) -> bool {
    let excludes = |one: &Test, other: &Test| {
        one.tested == other.tested
            && one.holds
            && other.holds
            && one.key != other.key
            && matches!(one.tested, Tested::Fluent(..))
    };
    let has_moves = |rows: &Option<Vec<Vec<_>>>| {
        rows.as_ref().is_none_or(|rows| rows.iter().any(|rows| !rows.is_empty()))
    };
    let may_move = |turn: &&(Vec<Test>, Kinds)| turn.1.iter().any(has_moves);
    let turns: Vec<_> = turns.iter().filter(may_move).collect();
    let is_apart = |(place, (one, _)): (usize, &&(Vec<Test>, Kinds))| {
        let mut others = turns[place + 1..].iter();
        others
            .all(|(other, _)| one.iter().any(|one| other.iter().any(|other| excludes(one, other))))
    };
    turns.iter().enumerate().all(is_apart)
}
