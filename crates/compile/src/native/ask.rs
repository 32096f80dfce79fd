//! Asking: does a question about a state hold?
//!
//! In: the rows of a question, or its tree. Out: a word. Closed bodies that have no rows are loops, which run
//! only where everything else that a row asks for holds. Invariant: a question that is asked by rows holds
//! exactly when one of them does.

use rulesmith_kernel::{Kernel, Scalar, Statement, Word};
use rulesmith_logic::{Condition, Expr, Source};
use rulesmith_rules::PredicateKind;

use super::Obstacle;
use super::build::{Builder, Question, to_word};
use super::effects::Effects;
use super::emit::{Certainty, Emitter};
use super::ground::{Closed, Row, Test, Tested};
use super::loops::Lowering;
use super::optimizations::Optimization;
use super::params::Params;

/// More closed bodies than this are better asked by one tree.
const LOOPED_LIMIT: usize = 8;

impl<'b> Builder<'b> {
    /// A kernel that returns whether a question about a state holds.
    pub(super) fn judging_kernel(
        &mut self,
        name: &str,
        question: &Question,
    ) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let word = to_word(self.ask(&mut emitter, question)?);
        emitter.push(Statement::Return(word));
        Ok(emitter.into_kernel(name.to_owned(), 0))
    }

    /// Does a question about a state hold?
    pub(super) fn ask(
        &mut self,
        emitter: &mut Emitter<'b>,
        question: &Question,
    ) -> Result<Certainty, Obstacle> {
        if let Some(rows) = &question.rows
            && let Ok(certainty) = emitter.attempt(|emitter| self.judge_in_turn(emitter, rows))
        {
            return Ok(certainty);
        }
        Ok(Certainty::If(self.tree_flag(emitter, question.predicate)?))
    }

    /// Does one of the rows hold? Closed bodies are judged first.
    pub(super) fn judge(
        &mut self,
        emitter: &mut Emitter<'b>,
        rows: &[Row],
    ) -> Result<Certainty, Obstacle> {
        self.prepare(emitter, rows)?;
        let params = Params::default();
        Effects::asking(emitter, &params, &mut self.tables, &mut None).holds(rows)
    }

    /// As [`Self::judge`], where some rows ask for closed bodies that are loops: these come last, and only
    /// those run that are needed.
    fn judge_in_turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        rows: &[Row],
    ) -> Result<Certainty, Obstacle> {
        let is_looped = |row: &Row| row.tests.iter().any(|test| self.is_looped(test));
        let (looped, plain): (Vec<Row>, Vec<Row>) = rows.iter().cloned().partition(is_looped);
        let certainty = self.judge(emitter, &plain)?;
        let asked = looped.iter().flat_map(|row| &row.tests).filter(|test| self.is_looped(test));
        if asked.clone().count() > LOOPED_LIMIT {
            return Err(Obstacle::new("too many closed bodies that are loops"));
        }
        if looped.is_empty() || matches!(certainty, Certainty::Always) {
            return Ok(certainty);
        }
        let flag = emitter.let_word(to_word(certainty));
        // Rows that are told from others by the same tests stand together.
        let mut groups: Vec<(Vec<Test>, Vec<Row>)> = Vec::new();
        for row in looped {
            let (closed, rest): (Vec<Test>, Vec<Test>) =
                row.tests.iter().partition(|test| self.is_looped(test));
            let row = Row { tests: closed, ..row };
            match groups.iter_mut().find(|(own, _)| *own == rest) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((rest, vec![row])),
            }
        }
        for (tests, rows) in groups {
            let guard = Row { tests, head: Vec::new(), anchors: Vec::new() };
            let guard = self.judge(emitter, &[guard])?;
            let (statements, done) =
                emitter.block(|emitter| self.judge_looped(emitter, &rows, flag));
            done?;
            emitter.push(Statement::If(to_word(guard), statements, Vec::new()));
        }
        Ok(Certainty::If(flag.into()))
    }

    /// Sets a flag if one of the rows holds, which ask for nothing but closed bodies.
    fn judge_looped(
        &mut self,
        emitter: &mut Emitter<'b>,
        rows: &[Row],
        flag: Scalar,
    ) -> Result<(), Obstacle> {
        let Some((row, others)) = rows.split_first() else { return Ok(()) };
        for test in &row.tests {
            let Tested::Closed(number) = test.tested else { continue };
            if !emitter.closed.contains_key(&number) {
                let scalar = self.closed_flag(emitter, number)?;
                emitter.closed.insert(number, scalar);
            }
        }
        let holds = to_word(emitter.words(&row.tests)?);
        let found = vec![Statement::Let(flag, Word::Constant(1))];
        let (next, done) = emitter.block(|emitter| self.judge_looped(emitter, others, flag));
        done?;
        emitter.push(Statement::If(holds, found, next));
        Ok(())
    }

    /// Is this a closed body without rows that loops can judge?
    fn is_looped(&self, test: &Test) -> bool {
        let Tested::Closed(number) = test.tested else { return false };
        self.optimizations.has(Optimization::LoopedBodies)
            && self.closed[number].is_none()
            && self.is_of_state(&closed_body(&self.bodies[number]))
    }

    /// Do conditions ask about fluents, components and static facts alone?
    fn is_of_state(&self, body: &[Condition]) -> bool {
        body.iter().all(|condition| match condition {
            Condition::Holds(atom) => {
                let source = &self.theory.base.predicate(atom.predicate).source;
                let kind = self.theory.kinds.get(atom.predicate.0 as usize);
                matches!(source, Source::Component(..))
                    || matches!(kind, Some(PredicateKind::Fluent(_) | PredicateKind::Static { .. }))
            }
            Condition::None { body, .. } => self.is_of_state(body),
            Condition::AnyOf(branches) => branches.iter().all(|branch| self.is_of_state(branch)),
            Condition::Compare(_, left, right) => [left, right].iter().all(|expr| match expr {
                Expr::Term(_) => true,
                Expr::Count { body, .. } => self.is_of_state(body),
                Expr::Binary(..) => false,
            }),
            Condition::Member(..) | Condition::Construct { .. } => true,
            Condition::Elsewhere { .. } => false,
        })
    }

    /// Whether a closed body holds, by loops.
    fn closed_flag(
        &mut self,
        emitter: &mut Emitter<'b>,
        number: usize,
    ) -> Result<Scalar, Obstacle> {
        let body = closed_body(&self.bodies[number]);
        let mut lowering = Lowering::new(&self.setting, emitter, &mut self.tables, &mut self.spare);
        lowering.holds(&body)
    }
}

/// The conditions of a closed question.
fn closed_body(closed: &Closed) -> Vec<Condition> {
    match closed {
        Closed::Body(body) => body.clone(),
        Closed::Comparison(comparison) => vec![comparison.clone()],
    }
}
