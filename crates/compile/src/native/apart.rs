//! Moves and questions that are long work, as routines.
//!
//! In: a role and a kind of move, or a question. Out: a routine that makes such a move, and ends the turn unless it goes on (a turn of one step always ends), or that
//! answers the question, where its code is long: kernels of contests and of leaves run it, which stay small enough to be translated.
//! Invariant: a routine does what the code in its place would do; a conflict ends the kernel.

use std::mem;

use rulesmith_kernel::{Comparison, RoutineId, Scalar, Statement, Word};

use super::Obstacle;
use super::build::{Builder, Question, compare, to_word};
use super::conflicts::CONFLICT;
use super::emit::{Certainty, Emitter};
use super::loops::n_statements;
use super::moves::Leaf;
use super::optimizations::Optimization;
use super::params::Params;
use super::steps::Doing;

/// What a routine makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// A turn of one step.
    Turn,
    /// One step, and the end of the turn unless it goes on.
    Step,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Step => "step in a turn",
        }
    }
}

/// Moves of fewer statements are made in place.
const LONG_MOVE: usize = 200;

/// Questions of fewer statements are asked in place.
const LONG_QUESTION: usize = 600;

impl<'b> Builder<'b> {
    /// Makes a move and ends the turn: in place, or by a routine if that is long work.
    pub(super) fn make_turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        made: (Doing, Option<&Leaf>),
        params: &Params,
    ) -> Result<(), Obstacle> {
        self.make(emitter, Part::Turn, made, params).map(drop)
    }

    /// Makes a step, and ends the turn unless it goes on. Zero if it does, else one more than the merit of the turn.
    pub(super) fn try_step(
        &mut self,
        emitter: &mut Emitter<'b>,
        made: (Doing, Option<&Leaf>),
        params: &Params,
    ) -> Result<Word, Obstacle> {
        self.make(emitter, Part::Step, made, params)
    }

    fn make(
        &mut self,
        emitter: &mut Emitter<'b>,
        part: Part,
        (doing, leaf): (Doing, Option<&Leaf>),
        params: &Params,
    ) -> Result<Word, Obstacle> {
        let (in_place, worth) =
            emitter.block(|emitter| self.make_in_place(emitter, part, (doing, leaf), params));
        let mut worth = worth?;
        let is_long = n_statements(&in_place) >= LONG_MOVE;
        let routine = if is_long { self.part_routine(emitter, part, doing)? } else { None };
        if let Some(routine) = routine {
            let result = emitter.scalar();
            let params = params.scalars.iter().map(|param| Word::from(*param)).collect();
            emitter.push(Statement::Run(result, routine, params));
            let is_stopped =
                compare(Comparison::LessOrEqual, Word::Constant(CONFLICT), result.into());
            let stop = vec![Statement::Return(result.into())];
            emitter.push(Statement::If(is_stopped, stop, Vec::new()));
            worth = result.into();
        } else {
            emitter.push_all(in_place);
            // What was held in the block is free again.
            if !matches!(worth, Word::Constant(_)) {
                worth = emitter.let_word(worth).into();
            }
        }
        emitter.forget();
        Ok(worth)
    }

    /// The routine that makes a part of turns by moves of a kind, which is made if it is not there yet.
    fn part_routine(
        &mut self,
        emitter: &Emitter<'b>,
        part: Part,
        doing: Doing,
    ) -> Result<Option<RoutineId>, Obstacle> {
        let (Doing::One(role, kind), true) = (doing, emitter.kept.is_empty()) else {
            return Ok(None);
        };
        if !self.optimizations.has(Optimization::Routines) {
            return Ok(None);
        }
        let key = (role, kind, part, emitter.keeps_hashes);
        let known = self.setting.routines.borrow().parts.get(&key).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let sizes = self.param_sizes(kind)?;
        let n_params = u16::try_from(sizes.len()).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.places, n_params);
        emitter.keeps_hashes = key.3;
        let scalars = (0..n_params).map(Scalar).collect();
        let params = Params { scalars, sizes, drawn: None };
        let worth = self.make_in_place(&mut emitter, part, (doing, None), &params)?;
        emitter.push(Statement::Return(worth));
        let name = format!("{} of {role} doing {kind}", part.name());
        let kernel = emitter.into_kernel(name, n_params);
        let mut routines = self.setting.routines.borrow_mut();
        let routine = routines.add(kernel);
        routines.parts.insert(key, routine);
        Ok(routine)
    }

    fn make_in_place(
        &mut self,
        emitter: &mut Emitter<'b>,
        part: Part,
        (doing, leaf): (Doing, Option<&Leaf>),
        params: &Params,
    ) -> Result<Word, Obstacle> {
        let narrow = self.narrow(doing, leaf);
        let before = mem::replace(&mut self.narrow, narrow);
        let made = match part {
            Part::Turn => self.turn_in_place(emitter, doing, params),
            Part::Step => self.step_in_place(emitter, doing, params),
        };
        self.narrow = before;
        made
    }

    fn turn_in_place(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
    ) -> Result<Word, Obstacle> {
        self.with_settled(false, |builder| builder.emit_effects(emitter, doing, params))?;
        self.emit_deferred(emitter, doing, params)?;
        Ok(Word::Constant(0))
    }

    fn step_in_place(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
    ) -> Result<Word, Obstacle> {
        self.emit_effects(emitter, doing, params)?;
        let goes_on = self.goes_on(emitter, doing, params)?;
        let worth = emitter.let_word(Word::Constant(0));
        let (ending, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let merit = self.merit(emitter, doing, params)?;
            self.emit_deferred(emitter, doing, params)?;
            let merit = merit.map_or(Word::Constant(0), Word::from);
            emitter.push(Statement::Let(worth, merit + 1));
            Ok(())
        });
        done?;
        match goes_on {
            Certainty::Never => emitter.push_all(ending),
            certainty => emitter.push(Statement::If(to_word(certainty), Vec::new(), ending)),
        }
        Ok(worth.into())
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
