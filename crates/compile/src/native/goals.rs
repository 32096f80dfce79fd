//! Kernels of goals, and how conclusions about roles are numbered.
//!
//! In: the rows or the tree of `goal`. Out: for each role a kernel that returns one more than its goal value,
//! or zero; several values at once have a number of their own. Invariant: roles and moves are numbered as the rest of the kernels number them, whatever sorts the
//! columns of `goal` and `legal` have.

use std::collections::BTreeSet;

use rulesmith_kernel::{Kernel, Scalar, Statement, Word};
use rulesmith_logic::{DomainId, PredicateId, Value};
use rulesmith_rules::{PredicateKind, Theory};

use super::Obstacle;
use super::build::{Builder, number, to_word};
use super::emit::Emitter;
use super::ground::{Row, number_of};

/// Goals are numbers from zero to this one.
pub(super) const MOST: u32 = 100;

/// Stands for several goals at once. One more than the most stands for what is no goal.
pub(super) const SEVERAL: u32 = MOST + 2;

impl<'b> Builder<'b> {
    /// The kernel of a role's goal.
    pub(super) fn goal_kernel(&mut self, role: usize) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let goal = self.goal_word(&mut emitter, role)?;
        emitter.push(Statement::Return(goal.into()));
        Ok(emitter.into_kernel(format!("goal of {role}"), 0))
    }

    /// One more than a role's goal value, or zero, in the middle of a kernel.
    pub(super) fn goal_word(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
    ) -> Result<Scalar, Obstacle> {
        let goal = emitter.let_word(Word::Constant(0));
        if emitter.attempt(|emitter| self.goal_by_rows(emitter, role, goal)).is_err() {
            let word = self.goal_by_tree(emitter, role)?;
            emitter.push(Statement::Let(goal, word));
        }
        Ok(goal)
    }

    /// All values are looked at: two of them at once are an error of the rules.
    fn goal_by_rows(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
        goal: Scalar,
    ) -> Result<(), Obstacle> {
        let Some(all) = &self.goal else { return Err(Obstacle::new("goals without rows")) };
        let of_role = |row: &&Row| row.head[0] == number(role);
        let rows: Vec<Row> = all.iter().filter(of_role).cloned().collect();
        let values: BTreeSet<u32> = rows.iter().map(|row| row.head[1]).collect();
        for (place, value) in values.into_iter().enumerate() {
            let of_value = |row: &&Row| row.head[1] == value;
            let rows: Vec<Row> = rows.iter().filter(of_value).cloned().collect();
            let word = to_word(self.judge(emitter, &rows)?);
            let found = Statement::Let(goal, Word::Constant(u64::from(self.goal_value(value)) + 1));
            let found = if place == 0 { vec![found] } else { one_goal(goal, found) };
            emitter.push(Statement::If(word, found, Vec::new()));
        }
        Ok(())
    }

    /// The goal that a number in the head of a row means; more than the most for what is no goal.
    fn goal_value(&self, head: u32) -> u32 {
        let base = &self.theory.base;
        let domain = base.predicate(self.theory.goal).domains[1];
        let value = match domain {
            Some(domain) => base.domain(domain).values.get_index(head as usize).copied(),
            None => i32::try_from(head).ok().map(Value::Int),
        };
        let goal = value.and_then(|value| number_of(&self.theory.symbols, value));
        goal.filter(|goal| *goal <= MOST).unwrap_or(MOST + 1)
    }

    /// One more than a role's goal value; zero if it has none.
    fn goal_by_tree(&mut self, emitter: &mut Emitter<'b>, role: usize) -> Result<Word, Obstacle> {
        let predicate = self.theory.goal;
        let Some(procedure) = self.procedure(predicate) else { return Ok(Word::Constant(0)) };
        let inputs = self.role_input(procedure, role)?;
        self.lower(emitter, procedure, |lowering| {
            Ok(lowering.value(&procedure.tree, &inputs, MOST)?.into())
        })
    }
}

/// A goal is found, the only one so far, or one of several.
pub(super) fn one_goal(goal: Scalar, found: Statement) -> Vec<Statement> {
    let several = Statement::Let(goal, Word::Constant(u64::from(SEVERAL) + 1));
    vec![Statement::If(goal.into(), vec![several], vec![found])]
}

/// The domains that number the columns of a conclusion: who has a goal or a legal move is numbered among the
/// roles, and a legal move as one that is made.
pub(super) fn head_columns(
    theory: &Theory,
    predicate: PredicateId,
) -> Result<Vec<Option<DomainId>>, Obstacle> {
    let own = theory.base.predicate(predicate).domains.clone();
    match theory.kinds.get(predicate.0 as usize) {
        Some(PredicateKind::Goal) => Ok(vec![role_domain(theory), own[1]]),
        Some(PredicateKind::Legal(kind)) => {
            let made = theory.base.predicate(theory.move_kind(*kind).does).domains.clone();
            let is_within = |(legal, made): (&Option<DomainId>, &Option<DomainId>)| {
                let (Some(legal), Some(made)) = (legal, made) else { return legal == made };
                let (legal, made) = (theory.base.domain(*legal), theory.base.domain(*made));
                legal.values.iter().all(|value| made.values.contains(value))
            };
            if !own.iter().zip(&made).skip(1).all(is_within) {
                return Err(Obstacle::new("moves that are legal and cannot be made"));
            }
            let columns = made.into_iter().skip(1);
            Ok(std::iter::once(role_domain(theory)).chain(columns).collect())
        }
        _ => Ok(own),
    }
}

/// The domain that numbers the roles.
fn role_domain(theory: &Theory) -> Option<DomainId> {
    let roles = || theory.roles.iter().map(|role| Value::Symbol(*role));
    let is_it = |(domain, _): &(&rulesmith_logic::Domain, u32)| {
        domain.values.len() == theory.roles.len() && domain.values.iter().copied().eq(roles())
    };
    let mut domains = theory.base.domains.iter().zip(0..);
    domains.find(is_it).map(|(_, number)| DomainId(number))
}
