//! A whole random contest as one kernel.
//!
//! In: the rows of moves, effects and ends. Out: a loop that chooses among the legal moves by counting
//! bits, makes the move and looks whether the contest is over. Invariant: every legal move is chosen
//! equally often.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Kernel, Operation, Scalar, Set, Statement, Word};

use super::Obstacle;
use super::build::{Builder, Kinds, compare, number, to_word};
use super::emit::Emitter;
use super::ground::{Test, Tested};
use super::moves::{Leaf, count};
use super::params::Params;

impl<'b> Builder<'b> {
    /// A contest of uniformly random moves from the state that is handed over, at most so many: the first
    /// parameter. It returns how many were made.
    pub(super) fn playout_kernel(&mut self) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 1);
        let made = emitter.let_word(Word::Constant(0));
        let limit = compare(Comparison::Equal, Word::Scalar(Scalar(0)), Word::Constant(0));
        let word = self.terminal_word(&mut emitter)?;
        for over in [limit, word] {
            emitter.push(Statement::If(
                over,
                vec![Statement::Return(Word::Constant(0))],
                Vec::new(),
            ));
        }
        let turns: Vec<(Vec<Test>, Kinds)> =
            (0..self.theory.roles.len()).map(|role| self.legal_rows(role)).collect();
        check_turns(&turns)?;
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
            let word = match &self.terminal {
                Some(terminal) if self.optimizations.touched_ends => {
                    let rows = self.touched(terminal, &self.changes(number(role)));
                    let judged = emitter.attempt(|emitter| self.judge(emitter, &rows));
                    judged.map(to_word).or_else(|_| self.terminal_word(emitter))?
                }
                _ => self.terminal_word(emitter)?,
            };
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

/// Two roles must never be able to move in one state: each waits for another value of one word.
fn check_turns(turns: &[(Vec<Test>, Kinds)]) -> Result<(), Obstacle> {
    let excludes = |one: &Test, other: &Test| {
        one.tested == other.tested
            && one.holds
            && other.holds
            && one.key != other.key
            && matches!(one.tested, Tested::Fluent(..))
    };
    for (place, (one, _)) in turns.iter().enumerate() {
        for (other, kinds) in &turns[place + 1..] {
            let is_apart = one.iter().any(|one| other.iter().any(|other| excludes(one, other)));
            let has_moves =
                kinds.iter().any(|rows| rows.as_ref().is_none_or(|rows| !rows.concat().is_empty()));
            if has_moves && !is_apart {
                return Err(Obstacle::new("roles that may move at once"));
            }
        }
    }
    Ok(())
}
