//! Turns: the sequences of steps one role may make before the next role moves.
//!
//! In: a state. Out: all complete turns, in a fixed order. Invariant: a turn that cannot be completed
//! is not legal; of the complete turns only those with the best `prefer` values are.

use std::rc::Rc;

use rulesmith_game::{Error, JointMove, RoleId};
use rulesmith_logic::Value;
use rulesmith_rules::TurnIdentity;
use rustc_hash::FxHashMap;

use super::state::{Fluents, State, StateCore};
use super::step::{Taken, take_step};
use super::world::StateWorld;
use super::{Act, ReferenceGame, Step, Turn};

/// How much one turn may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Steps in one turn.
    pub steps: usize,
    /// Turns in one state.
    pub turns: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self { steps: 500, turns: 100_000 }
    }
}

/// A complete turn, with what it leads to.
struct Complete {
    turn: Turn,
    /// The values it leaves, where turns are told apart by them.
    end: Option<Fluents>,
    /// Its `prefer` values, most important first.
    merits: Vec<Option<Value>>,
}

impl ReferenceGame {
    /// All turns a role may make.
    pub(crate) fn turns(&self, state: &State, role: RoleId) -> Result<Vec<Turn>, Error> {
        let theory = self.theory();
        let has_long_turns = !theory.base.clauses_of(theory.continues).is_empty();
        if !has_long_turns
            && theory.preferences.is_empty()
            && theory.turn_identity == TurnIdentity::Path
        {
            let steps = self.legal_steps(&state.core, role)?;
            return Ok(steps.into_iter().map(|step| Turn { steps: vec![step] }).collect());
        }
        let mut complete = Vec::new();
        self.extend_turn(&state.core, role, &mut Vec::new(), &mut complete)?;
        if let Some(best) = complete.iter().map(|one| one.merits.clone()).max() {
            complete.retain(|one| one.merits == best);
        }
        if theory.turn_identity == TurnIdentity::Result {
            let mut seen: FxHashMap<u64, Vec<Fluents>> = FxHashMap::default();
            complete.retain_mut(|one| {
                let Some(end) = one.end.take() else { return true };
                let same_hash = seen.entry(end.hash).or_default();
                let is_new = !same_hash.contains(&end);
                same_hash.push(end);
                is_new
            });
        }
        Ok(complete.into_iter().map(|one| one.turn).collect())
    }

    /// May the role make this turn? That is told without listing all turns, where turns need not be compared.
    pub fn is_legal_turn(&self, state: &State, role: RoleId, turn: &Turn) -> Result<bool, Error> {
        let theory = self.theory();
        if !theory.preferences.is_empty() || theory.turn_identity == TurnIdentity::Result {
            return Ok(self.turns(state, role)?.contains(turn));
        }
        let (mut core, mut goes_on) = (Rc::clone(&state.core), true);
        for step in &turn.steps {
            if !goes_on || !self.is_legal_step(&core, role, step)? {
                return Ok(false);
            }
            let act = Act { role: self.role_value(role), step: step.clone() };
            let taken = take_step(&self.shared, &core, vec![act]);
            let taken = taken.map_err(|error| self.explain(error))?;
            (core, goes_on) = (taken.core, taken.continues);
        }
        Ok(!goes_on)
    }

    fn extend_turn(
        &self,
        core: &Rc<StateCore>,
        role: RoleId,
        steps: &mut Vec<Step>,
        complete: &mut Vec<Complete>,
    ) -> Result<(), Error> {
        if steps.len() >= self.turn_limits.steps {
            return Err(Error::Limit { name: "turn-steps", limit: self.turn_limits.steps as u64 });
        }
        for step in self.legal_steps(core, role)? {
            let taken = self.take(core, role, &step)?;
            steps.push(step);
            if taken.continues {
                self.extend_turn(&taken.core, role, steps, complete)?;
            } else {
                let (turn, merits) = (Turn { steps: steps.clone() }, self.merits(&taken)?);
                let by_result = self.theory().turn_identity == TurnIdentity::Result;
                let end = by_result.then(|| taken.core.fluents.clone());
                complete.push(Complete { turn, end, merits });
            }
            steps.pop();
            if complete.len() > self.turn_limits.turns {
                return Err(Error::Limit { name: "turns", limit: self.turn_limits.turns as u64 });
            }
        }
        Ok(())
    }

    pub(crate) fn take(
        &self,
        core: &Rc<StateCore>,
        role: RoleId,
        step: &Step,
    ) -> Result<Taken, Error> {
        let act = Act { role: self.role_value(role), step: step.clone() };
        self.take_all(core, vec![act])
    }

    fn merits(&self, taken: &Taken) -> Result<Vec<Option<Value>>, Error> {
        let merit = |predicate| {
            let rows = self.query(&taken.before_deferred, predicate, &[None])?;
            Ok(rows.iter().map(|row| row[0]).max())
        };
        self.theory().preferences.iter().copied().map(merit).collect()
    }

    /// The state after one joint move.
    pub(crate) fn after_joint(
        &self,
        state: &State,
        joint: &JointMove<Turn>,
    ) -> Result<State, Error> {
        let mut core = Rc::clone(&state.core);
        if let [(role, turn)] = &joint[..] {
            for step in &turn.steps {
                core = self.take(&core, *role, step)?.core;
            }
            return Ok(State { core });
        }
        let mut acts = Vec::new();
        for (role, turn) in joint {
            let [step] = &turn.steps[..] else {
                let message =
                    "a turn of several steps cannot be made at the same time as another's";
                return Err(Error::Rules { message: message.to_owned(), places: vec![] });
            };
            acts.push(Act { role: self.role_value(*role), step: step.clone() });
        }
        Ok(State { core: self.take_all(&core, acts)?.core })
    }

    fn take_all(&self, core: &Rc<StateCore>, acts: Vec<Act>) -> Result<Taken, Error> {
        let world = StateWorld::of_state(&self.shared, core);
        let step = || take_step(&self.shared, core, acts);
        self.solver().attempt(&*world, step).map_err(|error| self.explain(error))
    }
}
