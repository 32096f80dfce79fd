//! Turns: the sequences of steps one role may make before the next role moves.
//!
//! In: a state. Out: all complete turns, in a fixed order. Invariant: a turn that cannot be completed
//! is not legal; of the complete turns only those with the best `prefer` values are.

use std::rc::Rc;

use rulesmith_game::{Error, JointMove, RoleId};
use rulesmith_logic::Value;
use rulesmith_rules::TurnIdentity;
use rustc_hash::{FxHashMap, FxHashSet};

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

/// So many ways are looked at when somebody types another one than those that are listed.
const MOST_WAYS: usize = 1000;

/// Turns that a random one is drawn from; where there are more, it is drawn step by step.
pub(crate) const MOST_DRAWN: usize = 3000;

/// Turns that cannot be completed may be begun so often.
pub(crate) const MOST_WALKS: usize = 64;

/// The states that ways to make a turn pass.
type Passed = FxHashSet<Fluents>;

/// What was found on the way through the turns of a state.
struct Found {
    passed: Option<Passed>,
    /// More turns, or states on the way, are an error.
    most: usize,
    complete: Vec<Complete>,
}

impl Found {
    /// Does nothing lead through a state yet? What is there, is there whatever led to it.
    fn is_new(&mut self, core: &StateCore) -> bool {
        self.passed.as_mut().is_none_or(|passed| passed.insert(core.fluents.clone()))
    }
}

/// A way to make a turn.
pub(crate) struct Path {
    pub(crate) turn: Turn,
    /// The place in the list of the first turn that is the same by the rules.
    pub(crate) same_as: usize,
}

/// Of ways to make the same turn the first, each a turn of its own.
pub(crate) fn first_ways(paths: &[Path]) -> Vec<Path> {
    let all = paths.iter().enumerate();
    let firsts = all.filter(|(place, path)| path.same_as == *place).map(|(_, path)| &path.turn);
    firsts.enumerate().map(|(same_as, turn)| Path { turn: turn.clone(), same_as }).collect()
}

fn turns_of(paths: Vec<Path>) -> Vec<Turn> {
    let all = paths.into_iter().enumerate();
    all.filter(|(place, path)| path.same_as == *place).map(|(_, path)| path.turn).collect()
}

/// Was a limit of turns reached, so that there are more?
pub(crate) fn is_too_many_turns(error: &Error) -> bool {
    matches!(error, Error::Limit { name: TURNS, .. })
}

/// The name of the limit of turns.
pub(crate) const TURNS: &str = "turns";

impl ReferenceGame {
    /// All turns a role may make. Of those that lead to one state, where they are one by the rules, the first.
    pub(crate) fn turns(&self, state: &State, role: RoleId) -> Result<Vec<Turn>, Error> {
        Ok(turns_of(self.paths(state, role)?))
    }

    /// Ways to make the turns of a role: all but those that join another one before their end.
    pub(crate) fn paths(&self, state: &State, role: RoleId) -> Result<Vec<Path>, Error> {
        self.find_paths(state, role, self.merges_ways.then(Passed::default), usize::MAX)
    }

    /// All turns of a role; nothing if there are more than so many, and none has to be compared with all others.
    pub(crate) fn few_turns(
        &self,
        state: &State,
        role: RoleId,
        most: usize,
    ) -> Result<Option<Vec<Turn>>, Error> {
        if !self.theory().preferences.is_empty() {
            return self.turns(state, role).map(Some);
        }
        let passed = self.merges_ways.then(Passed::default);
        match self.find_paths(state, role, passed, most) {
            Ok(paths) => Ok(Some(turns_of(paths))),
            Err(error) if is_too_many_turns(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All ways to make the turns of a role, where [`Self::paths`] leaves some out.
    pub(crate) fn other_paths(&self, state: &State, role: RoleId) -> Result<Vec<Path>, Error> {
        if !self.merges_ways {
            return Ok(Vec::new());
        }
        self.find_paths(state, role, None, MOST_WAYS)
    }

    fn find_paths(
        &self,
        state: &State,
        role: RoleId,
        passed: Option<Passed>,
        most: usize,
    ) -> Result<Vec<Path>, Error> {
        let theory = self.theory();
        let has_long_turns = !theory.base.clauses_of(theory.continues).is_empty();
        let by_result = theory.turn_identity == TurnIdentity::Result;
        if !has_long_turns && theory.preferences.is_empty() && !by_result {
            let turns = self.legal_steps(&state.core, role)?.into_iter();
            let turns = turns.map(|step| Turn { steps: vec![step] });
            return Ok(turns.enumerate().map(|(same_as, turn)| Path { turn, same_as }).collect());
        }
        let most = self.turn_limits.turns.min(most);
        let mut found = Found { passed, most, complete: Vec::new() };
        found.is_new(&state.core);
        self.extend_turn(&state.core, role, &mut Vec::new(), &mut found)?;
        let mut complete = found.complete;
        if let Some(best) = complete.iter().map(|one| one.merits.clone()).max() {
            complete.retain(|one| one.merits == best);
        }
        let mut firsts: FxHashMap<Fluents, usize> = FxHashMap::default();
        let path = |(place, Complete { turn, end, .. }): (usize, Complete)| {
            let same_as = end.map_or(place, |end| *firsts.entry(end).or_insert(place));
            Path { turn, same_as }
        };
        Ok(complete.into_iter().enumerate().map(path).collect())
    }

    /// May the role make this turn? That is told without listing all turns, where turns need not be compared. Another
    /// way to the same end may be among them then.
    pub fn is_legal_turn(&self, state: &State, role: RoleId, turn: &Turn) -> Result<bool, Error> {
        let theory = self.theory();
        if !theory.preferences.is_empty() {
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
        found: &mut Found,
    ) -> Result<(), Error> {
        if steps.len() >= self.turn_limits.steps {
            return Err(Error::Limit { name: "turn-steps", limit: self.turn_limits.steps as u64 });
        }
        for step in self.legal_steps(core, role)? {
            let taken = self.take(core, role, &step)?;
            steps.push(step);
            if taken.continues {
                if found.is_new(&taken.core) {
                    self.extend_turn(&taken.core, role, steps, found)?;
                }
            } else {
                let (turn, merits) = (Turn { steps: steps.clone() }, self.merits(&taken)?);
                let by_result = self.theory().turn_identity == TurnIdentity::Result;
                let end = by_result.then(|| taken.core.fluents.clone());
                found.complete.push(Complete { turn, end, merits });
            }
            steps.pop();
            let n_passed = found.passed.as_ref().map_or(0, FxHashSet::len);
            if found.complete.len() > found.most || n_passed > found.most {
                return Err(Error::Limit { name: TURNS, limit: found.most as u64 });
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
