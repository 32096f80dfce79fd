//! The cost of a state's questions: how many conditions hold while they are answered.
//!
//! In: a game and a state. Out: successes of conditions for all of `terminal`, `legal` and `goal`, read
//! from the theory as it is written, or run by a specialised program. Paper: metameta §3.2, §4.
//! Invariant: both are asked the same questions and count the same things; answers are not changed.

use rulesmith_game::{Error, RoleId};
use rulesmith_logic::{AsWritten, PredicateId, Value};

use crate::reference::state::StateCore;
use crate::reference::{ReferenceGame, State};

/// How many conditions held for each kind of question about one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConditionCost {
    /// For `terminal`.
    pub terminal: u64,
    /// For `legal`: every kind of move, each role.
    pub legal: u64,
    /// For `goal`: each role.
    pub goal: u64,
}

impl ConditionCost {
    /// For all questions.
    pub fn total(&self) -> u64 {
        self.terminal + self.legal + self.goal
    }
}

/// Which part of the cost a question belongs to.
type Part = fn(&mut ConditionCost) -> &mut u64;

/// The state with nothing known about it but its values and its past.
pub fn fresh_state(state: &State) -> State {
    let core = &state.core;
    let (fluents, past) = (core.fluents.clone(), core.past.clone());
    let core = if core.is_turn_start {
        StateCore::new(fluents, past)
    } else {
        StateCore::within_turn(fluents, past)
    };
    State { core }
}

impl ReferenceGame {
    /// What the questions about a state cost as the theory is written; nothing if it is more than the
    /// reading's limit for one of them.
    pub fn cost_as_written(
        &self,
        state: &State,
        reading: AsWritten,
    ) -> Result<Option<ConditionCost>, Error> {
        let mut cost = ConditionCost::default();
        for (predicate, pattern, part) in self.questions() {
            let world = self.world(&fresh_state(state));
            let ask = || self.solver().call(&*world, predicate, &pattern);
            match self.solver().as_written(&*world, reading, ask) {
                Ok((_, n_successes)) => *part(&mut cost) += n_successes,
                Err(rulesmith_logic::Error::Limit { name: "successes", .. }) => return Ok(None),
                Err(error) => return Err(self.explain(error)),
            }
        }
        Ok(Some(cost))
    }

    /// What the same questions cost the specialised program of this game, asked in this order about
    /// one working memory; what the solver does for the program is counted if the program says so.
    pub fn cost_of_program(&self, state: &State) -> Result<Option<ConditionCost>, Error> {
        let Some(interpreter) = self.interpreter() else { return Ok(None) };
        let mut cost = ConditionCost::default();
        let state = fresh_state(state);
        for (predicate, pattern, part) in self.questions() {
            let before = interpreter.successes();
            self.query(&self.world(&state), predicate, &pattern)?;
            *part(&mut cost) += interpreter.successes() - before;
        }
        Ok(Some(cost))
    }

    /// The same with a new working memory for each question: nothing is shared between them.
    pub fn cost_of_program_apart(&self, state: &State) -> Result<Option<ConditionCost>, Error> {
        let Some(interpreter) = self.interpreter() else { return Ok(None) };
        let mut cost = ConditionCost::default();
        for (predicate, pattern, part) in self.questions() {
            let before = interpreter.successes();
            self.query(&self.world(&fresh_state(state)), predicate, &pattern)?;
            *part(&mut cost) += interpreter.successes() - before;
        }
        Ok(Some(cost))
    }

    fn questions(&self) -> Vec<(PredicateId, Vec<Option<Value>>, Part)> {
        let theory = self.theory();
        let roles: Vec<Value> =
            (0..theory.roles.len()).map(|role| self.role_value(RoleId(role))).collect();
        let mut questions: Vec<(PredicateId, Vec<Option<Value>>, Part)> =
            vec![(theory.terminal, vec![], |cost| &mut cost.terminal)];
        for kind in theory.move_ids() {
            let legal = theory.move_kind(kind);
            for role in &roles {
                let mut pattern = vec![None; legal.n_params + 1];
                pattern[0] = Some(*role);
                questions.push((legal.legal, pattern, |cost| &mut cost.legal));
            }
        }
        for role in &roles {
            questions.push((theory.goal, vec![Some(*role), None], |cost| &mut cost.goal));
        }
        questions
    }
}
