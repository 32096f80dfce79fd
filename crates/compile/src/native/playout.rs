//! A whole random contest as one kernel.
//!
//! In: the rows of moves, effects and ends. Out: a loop that chooses among the legal moves by counting
//! bits, makes the move and looks whether the contest is over. Invariant: every legal move is chosen
//! equally often.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Kernel, Operation, Scalar, Set, Statement, Word};

use super::Obstacle;
use super::build::{Builder, compare, to_word};
use super::emit::{Emitter, and};
use super::moves::{Leaf, count};
use super::params::Params;

impl<'b> Builder<'b> {
    /// A contest of uniformly random moves from the state that is handed over, at most so many: the first
    /// parameter. It returns how many were made.
    pub(super) fn playout_kernel(&mut self) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 1);
        let made = emitter.let_word(Word::Constant(0));
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let limit = compare(Comparison::Equal, Word::Scalar(made), Word::Scalar(Scalar(0)));
            let over = vec![Statement::Return(Word::Scalar(made))];
            emitter.push(Statement::If(limit, over.clone(), Vec::new()));
            emitter.forget();
            let word = self.terminal_word(emitter)?;
            emitter.push(Statement::If(word, over.clone(), Vec::new()));
            let before = emitter.let_word(Word::Scalar(made));
            for role in 0..self.theory.roles.len() {
                let (guard, statements) = self.turn(emitter, role, made)?;
                // Only one role moves: once it has, the others wait.
                let waits = compare(Comparison::Equal, Word::Scalar(made), Word::Scalar(before));
                let guard = and(waits, guard);
                emitter.push(Statement::If(guard, statements, Vec::new()));
                emitter.forget();
            }
            let stuck = compare(Comparison::Equal, Word::Scalar(made), Word::Scalar(before));
            emitter.push(Statement::If(stuck, over, Vec::new()));
            Ok(())
        });
        done?;
        emitter.push(Statement::Repeat(body));
        Ok(emitter.into_kernel("playout".to_owned(), 1))
    }

    /// One random move of a role, under the word that says it may move.
    fn turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        made: Scalar,
    ) -> Result<(Word, Vec<Statement>), Obstacle> {
        let (common, kinds) = self.legal_rows(emitter, role)?;
        let guard = to_word(emitter.words(&common)?);
        let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let leaves = self.emit_moves(emitter, &kinds)?;
            let n_moves = emitter.let_word(count(&leaves));
            let (moving, done) =
                emitter.block(|emitter| self.random_move(emitter, role, (&leaves, n_moves), made));
            done?;
            emitter.push(Statement::If(Word::Scalar(n_moves), moving, Vec::new()));
            Ok(())
        });
        done?;
        Ok((guard, statements))
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
            let (effects, done) =
                emitter.block(|emitter| self.emit_effects(emitter, (role, *kind), &params));
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
        let set = || Box::new(Set::Plane(leaf.plane));
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
