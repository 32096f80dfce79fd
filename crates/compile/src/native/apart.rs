//! Moves and questions that are long work, as routines.
//!
//! In: a role and a kind of move, or a question. Out: a routine that makes such a move and ends the turn, or that answers the
//! question, where its code is long: kernels of contests and of leaves run it, which stay small enough to be translated.
//! Invariant: a routine does what the code in its place would do; a move's result that is not zero ends the kernel.

use rulesmith_kernel::{RoutineId, Scalar, Statement, Word};

use super::Obstacle;
use super::build::{Builder, Question, to_word};
use super::emit::Emitter;
use super::loops::n_statements;
use super::moves::Leaf;
use super::optimizations::Optimization;
use super::params::Params;
use super::steps::Doing;

/// Moves of fewer statements are made in place.
const LONG_MOVE: usize = 200;

/// Questions of fewer statements are asked in place.
const LONG_QUESTION: usize = 600;

impl<'b> Builder<'b> {
    /// Makes a move and ends the turn: in place, or by a routine if that is long work.
    pub(super) fn make_turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        (doing, leaf): (Doing, Option<&Leaf>),
        params: &Params,
    ) -> Result<(), Obstacle> {
        let (in_place, done) =
            emitter.block(|emitter| self.make_in_place(emitter, (doing, leaf), params));
        done?;
        let is_long = n_statements(&in_place) >= LONG_MOVE;
        let routine = if is_long { self.step_routine(emitter, doing)? } else { None };
        match routine {
            Some(routine) => {
                let result = emitter.scalar();
                let params = params.scalars.iter().map(|param| Word::from(*param)).collect();
                emitter.push(Statement::Run(result, routine, params));
                let stop = vec![Statement::Return(result.into())];
                emitter.push(Statement::If(result.into(), stop, Vec::new()));
            }
            None => emitter.push_all(in_place),
        }
        emitter.forget();
        Ok(())
    }

    /// The routine that makes moves of a kind, which is made if it is not there yet.
    fn step_routine(
        &mut self,
        emitter: &Emitter<'b>,
        doing: Doing,
    ) -> Result<Option<RoutineId>, Obstacle> {
        let (Doing::One(role, kind), true) = (doing, emitter.kept.is_empty()) else {
            return Ok(None);
        };
        if !self.optimizations.has(Optimization::Routines) {
            return Ok(None);
        }
        let key = (role, kind, emitter.keeps_hashes);
        let known = self.setting.routines.borrow().steps.get(&key).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let sizes = self.param_sizes(kind)?;
        let n_params = u16::try_from(sizes.len()).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.places, n_params);
        emitter.keeps_hashes = key.2;
        let scalars = (0..n_params).map(Scalar).collect();
        let params = Params { scalars, sizes, drawn: None };
        self.make_in_place(&mut emitter, (doing, None), &params)?;
        emitter.push(Statement::Return(Word::Constant(0)));
        let kernel = emitter.into_kernel(format!("turn of {role} doing {kind}"), n_params);
        let mut routines = self.setting.routines.borrow_mut();
        let routine = routines.add(kernel);
        routines.steps.insert(key, routine);
        Ok(routine)
    }

    fn make_in_place(
        &mut self,
        emitter: &mut Emitter<'b>,
        (doing, leaf): (Doing, Option<&Leaf>),
        params: &Params,
    ) -> Result<(), Obstacle> {
        self.narrow = self.narrow(doing, leaf);
        let done = self.with_settled(false, |builder| builder.emit_effects(emitter, doing, params));
        let done = done.and_then(|()| self.emit_deferred(emitter, doing, params));
        self.narrow = None;
        done
    }

    /// Does a question hold? It is asked by a routine if that is long work.
    pub(super) fn ask_apart(
        &mut self,
        emitter: &mut Emitter<'b>,
        question: &Question,
    ) -> Result<Word, Obstacle> {
        if emitter.kept.is_empty() && self.optimizations.has(Optimization::Routines) {
            let name = &self.theory.base.predicate(question.predicate).name;
            let kernel = self.judging_kernel(&format!("ask {name}"), question)?;
            let is_long = n_statements(&kernel.body) >= LONG_QUESTION;
            let add = || self.setting.routines.borrow_mut().add(kernel);
            if let Some(routine) = is_long.then(add).flatten() {
                let result = emitter.scalar();
                emitter.push(Statement::Run(result, routine, Vec::new()));
                return Ok(result.into());
            }
        }
        self.ask(emitter, question).map(to_word)
    }
}
