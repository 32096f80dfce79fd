//! Whole turns: the steps that kernels list and make, put together.
//!
//! In: a state and a role, or a joint move. Out: the turns the role may make, or the state afterwards.
//! Turns of several steps are found depth first. Invariant: a turn that cannot be completed is no turn;
//! only the best turns remain, and of those that are the same by the rules the first.

use rulesmith_game::{Error, JointMove, Random, RoleId};
use rulesmith_kernel::KernelId;
use rulesmith_rules::MoveId;
use rustc_hash::FxHashSet;

use super::game::{NativeGame, NativeState, NativeTurn};
use super::plan::Stepping;
use super::waiting::Waiting;
use crate::reference::turns::{MOST_DRAWN, MOST_WALKS, TURNS, is_too_many_turns};

/// A complete turn, with what it leads to.
struct Complete {
    turn: NativeTurn,
    merit: u64,
    /// The words of the fluents that it leaves, where turns are told apart by them.
    end: Vec<u64>,
}

/// What was found on the way through the turns of a state.
struct Found {
    /// More turns, or states on the way, are an error.
    most: usize,
    complete: Vec<Complete>,
    /// The words of the fluents in states on the way, where ways are one as soon as they meet.
    passed: FxHashSet<Vec<u64>>,
}

/// What a step leads to.
struct Taken {
    merit: u64,
    continues: bool,
}

impl NativeGame {
    /// All turns a role may make; more than so many, or than the limit, are an error.
    pub(super) fn turns(
        &self,
        state: &NativeState,
        role: RoleId,
        most: usize,
    ) -> Result<Vec<NativeTurn>, Error> {
        if !self.plan.has_long_turns {
            let steps = self.legal_steps(&state.words, &state.past, role)?;
            return Ok(steps.into_iter().map(NativeTurn::single).collect());
        }
        let most = self.turn_limits.turns.min(most);
        let start = state.words[..self.n_fluent_words()].to_vec();
        let mut found = Found { most, complete: Vec::new(), passed: FxHashSet::from_iter([start]) };
        self.extend_turn((&state.words, &state.past), role, &mut Vec::new(), &mut found)?;
        let mut complete = found.complete;
        let best = complete.iter().map(|one| one.merit).max();
        complete.retain(|one| Some(one.merit) == best);
        if let Some(by_result) = &self.plan.by_result {
            complete.sort_by_cached_key(|one| by_result.key(&self.plan.steps, one.turn.steps()));
            let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
            complete.retain_mut(|one| seen.insert(std::mem::take(&mut one.end)));
        }
        Ok(complete.into_iter().map(|one| one.turn).collect())
    }

    fn extend_turn(
        &self,
        (words, past): (&[u64], &[u64]),
        role: RoleId,
        steps: &mut Vec<u64>,
        found: &mut Found,
    ) -> Result<(), Error> {
        let limits = self.turn_limits;
        if steps.len() >= limits.steps {
            return Err(Error::Limit { name: "turn-steps", limit: limits.steps as u64 });
        }
        let mut legal = self.legal_steps(words, past, role)?;
        let merging = self.plan.by_result.as_ref().filter(|by_result| by_result.merges_ways);
        if let Some(by_result) = merging {
            // The first way to a state is the one that is followed.
            legal
                .sort_by_cached_key(|step| by_result.key(&self.plan.steps, std::iter::once(*step)));
        }
        for step in legal {
            let mut after = words.to_vec();
            let taken = self.take(&mut after, role, step)?;
            steps.push(step);
            if taken.continues {
                let passed = &after[..self.n_fluent_words()];
                if merging.is_none() || found.passed.insert(passed.to_vec()) {
                    self.extend_turn((&after, past), role, steps, found)?;
                }
            } else {
                after.truncate(self.n_fluent_words());
                let turn = NativeTurn::new(steps);
                found.complete.extend(turn.map(|turn| Complete {
                    turn,
                    merit: taken.merit,
                    end: after,
                }));
            }
            steps.pop();
            if found.complete.len() > found.most || found.passed.len() > found.most {
                return Err(Error::Limit { name: TURNS, limit: found.most as u64 });
            }
        }
        Ok(())
    }

    /// One of the turns of a role, each equally likely. Where there are very many, and none has to be compared with all
    /// others, it is drawn step by step.
    pub(super) fn random_turn(
        &self,
        state: &NativeState,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<NativeTurn>, Error> {
        let most = if self.has_preferences { usize::MAX } else { MOST_DRAWN };
        let error = match self.turns(state, role, most) {
            Ok(turns) => return Ok(random.choose(&turns).cloned()),
            Err(error) => error,
        };
        if !self.has_preferences && is_too_many_turns(&error) {
            for _ in 0..MOST_WALKS {
                if let Some(turn) = self.walk(state, role, random)? {
                    return Ok(Some(turn));
                }
            }
        }
        Err(error)
    }

    /// A turn of steps that are drawn one by one; nothing if it cannot be completed.
    fn walk(
        &self,
        state: &NativeState,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<NativeTurn>, Error> {
        let (mut words, mut steps) = (state.words.clone(), Vec::new());
        while steps.len() < self.turn_limits.steps {
            let legal = self.legal_steps(&words, &state.past, role)?;
            let Some(step) = random.choose(&legal).copied() else { return Ok(None) };
            steps.push(step);
            if !self.take(&mut words, role, step)?.continues {
                return Ok(NativeTurn::new(&steps));
            }
        }
        Ok(None)
    }

    /// Makes one step of one role alone.
    fn take(&self, words: &mut [u64], role: RoleId, step: u64) -> Result<Taken, Error> {
        match &self.plan.stepping {
            Stepping::Single(kernels) => {
                let mut params = Vec::new();
                let MoveId(kind) = self.plan.steps.unpack(step, &mut params);
                let result = self.code.change(kernels[role.0][kind], words, &params, &mut 0)?;
                Ok(Taken { merit: result / 2, continues: result % 2 == 1 })
            }
            Stepping::InTurn { .. } | Stepping::Joint(..) => {
                self.take_joint(words, &[(role, step)])?;
                Ok(Taken { merit: 0, continues: false })
            }
        }
    }

    /// Makes one step of several roles at once.
    fn take_joint(&self, words: &mut [u64], acts: &[(RoleId, u64)]) -> Result<(), Error> {
        let (kernel, most_params) = match &self.plan.stepping {
            Stepping::Joint(kernel, most_params) => (*kernel, *most_params),
            Stepping::InTurn { whose, steps, waiting } => {
                return self.take_in_turn(words, acts, (*whose, steps, waiting));
            }
            Stepping::Single(_) => return Err(impossible()),
        };
        let mut joint = vec![0; self.plan.moves.len() * (1 + most_params)];
        let mut params = Vec::new();
        for (role, step) in acts {
            let MoveId(kind) = self.plan.steps.unpack(*step, &mut params);
            let place = role.0 * (1 + most_params);
            joint[place] = kind as u64 + 1;
            joint[place + 1..=place + params.len()].copy_from_slice(&params);
        }
        self.code.change(kernel, words, &joint, &mut 0)?;
        Ok(())
    }

    /// Makes one step of the role at turn, while the others wait.
    fn take_in_turn(
        &self,
        words: &mut [u64],
        acts: &[(RoleId, u64)],
        (whose, steps, waiting): (KernelId, &[Vec<KernelId>], &Waiting),
    ) -> Result<(), Error> {
        let mover = usize::try_from(self.code.ask(whose, words)?).unwrap_or(usize::MAX);
        let mut own: Option<(usize, Vec<u64>)> = None;
        for role in 0..self.plan.moves.len() {
            let step = acts.iter().find(|(other, _)| other.0 == role).map(|(_, step)| *step);
            let mut params = Vec::new();
            let kind = step.map(|step| self.plan.steps.unpack(step, &mut params).0);
            if role == mover {
                own = kind.map(|kind| (kind, params));
            } else if !waiting.is_wait(mover, role, kind.map(|kind| (kind, &params[..]))) {
                return Err(impossible());
            }
        }
        let of_mover = steps.get(mover).ok_or_else(impossible)?;
        let kernel = match &own {
            Some((kind, _)) => of_mover.get(*kind),
            None => of_mover.last(),
        };
        let params = own.as_ref().map_or(&[][..], |(_, params)| params);
        self.code.change(*kernel.ok_or_else(impossible)?, words, params, &mut 0)?;
        Ok(())
    }

    /// Makes a joint move.
    pub(super) fn make(
        &self,
        state: &mut NativeState,
        joint: &JointMove<NativeTurn>,
    ) -> Result<(), Error> {
        let seen = self.seen(&state.words);
        if let [(role, turn)] = &joint[..] {
            for step in turn.steps() {
                self.take(&mut state.words, *role, step)?;
            }
        } else {
            let mut acts = Vec::new();
            for (role, turn) in joint {
                let Some(step) = turn.only_step() else {
                    let message =
                        "a turn of several steps cannot be made at the same time as another's";
                    return Err(Error::Rules { message: message.to_owned(), places: vec![] });
                };
                acts.push((*role, step));
            }
            self.take_joint(&mut state.words, &acts)?;
        }
        self.remember(state, seen)?;
        state.n_turns = state.n_turns.saturating_add(1);
        Ok(())
    }

    /// The hash of what each counter of repetitions sees.
    fn seen(&self, words: &[u64]) -> Vec<u64> {
        self.plan.repeated.iter().map(|repeated| repeated.hash(words)).collect()
    }

    /// Counts how often the present state occurred, where the last turn began in a state seen so.
    fn remember(&self, state: &mut NativeState, before: Vec<u64>) -> Result<(), Error> {
        if let Some(kernel) = self.plan.cycles {
            self.code.change(kernel, &mut state.words, &[], &mut 0)?;
        }
        state.past.extend(before);
        let n_counters = self.plan.repeated.len();
        for (place, repeated) in self.plan.repeated.iter().enumerate() {
            let hash = repeated.hash(&state.words);
            let earlier = state.past.iter().skip(place).step_by(n_counters);
            let n_times = 1 + earlier.filter(|past| **past == hash).count();
            state.words[repeated.counter] = n_times as u64;
            if let Some(gap) = repeated.gap {
                let mut latest = state.past.iter().skip(place).step_by(n_counters).rev();
                let distance = latest.position(|past| *past == hash);
                state.words[gap] = distance.map_or(0, |distance| distance as u64 + 1);
            }
        }
        Ok(())
    }
}

/// Moves are made together that never are legal together.
fn impossible() -> Error {
    let message = "roles move at once that never can";
    Error::Rules { message: message.to_owned(), places: Vec::new() }
}
