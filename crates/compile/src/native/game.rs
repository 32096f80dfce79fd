//! A game played by kernels.
//!
//! In: the kernels of a game. Out: the game contract, on states that are words. It can be shared by
//! threads: nothing here knows texts, which [`NotatedGame`](super::NotatedGame) adds. Invariant: the same
//! as the reference engine says, state by state.

use std::ops::ControlFlow;

use rulesmith_game::{
    Draws, Ending, Error, Game, JointMove, Outcome, Playout, Random, RoleId, playout,
};
use rulesmith_kernel::Compiled;
use rulesmith_rules::MoveId;

use super::Obstacle;
use super::build::{KernelGame, Plan};
use super::coding::encode;
use super::run::Code;
use crate::reference::{ReferenceGame, State};

/// A game and the kernels that play it.
#[derive(Debug)]
pub struct NativeGame {
    name: String,
    roles: Vec<String>,
    pub(crate) plan: Plan,
    code: Code,
    /// Whole random contests, if there is a kernel for them.
    contests: Option<Code>,
    initial: NativeState,
}

/// The state of a contest as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeState {
    pub(crate) words: Vec<u64>,
}

/// A whole turn of one role, each step as one word. Most turns are one step long.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NativeTurn {
    first: u64,
    others: Vec<u64>,
}

impl NativeTurn {
    /// The turn of these steps; nothing without any.
    pub(crate) fn new(steps: &[u64]) -> Option<Self> {
        let (first, others) = steps.split_first()?;
        Some(Self { first: *first, others: others.to_vec() })
    }

    /// The steps in order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// So many turns of a random contest are played before the caller is asked again.
const TURNS_AT_ONCE: u64 = 4096;

impl NativeGame {
    /// Makes kernels ready to run. They must be of this game's theory.
    pub fn new(kernels: KernelGame, game: &ReferenceGame) -> Result<Self, Obstacle> {
        let KernelGame { module, contests, plan } = kernels;
        let failed = |error: Error| Obstacle::new(error.to_string());
        let start = game.initial().map_err(failed)?;
        let words = encode(game, &plan.layout, &start).map_err(failed)?;
        Ok(Self {
            name: game.name(),
            roles: game.roles().to_vec(),
            plan,
            code: Code::new(module)?,
            contests: contests.map(Code::new).transpose()?,
            initial: NativeState { words },
        })
    }

    /// Makes native code of the kernels.
    pub fn compile(&mut self) -> Result<(), Obstacle> {
        self.code.compile()?;
        // Contests that are too large for it are played turn by turn.
        if self.contests.as_mut().is_some_and(|contests| contests.compile().is_err()) {
            self.contests = None;
        }
        Ok(())
    }

    /// What became of each kernel.
    pub fn compiled(&self) -> impl Iterator<Item = &Compiled> {
        let contests = self.contests.as_ref().map_or(&[][..], Code::compiled);
        self.code.compiled().iter().chain(contests)
    }

    /// Has it a kernel that plays whole random contests?
    pub fn has_contest_kernel(&self) -> bool {
        self.contests.is_some()
    }

    /// The kernels as text.
    pub fn text(&self) -> String {
        let contests = self.contests.as_ref().map(Code::text);
        format!("{}\n{}", self.code.text(), contests.unwrap_or_default())
    }

    /// A state of the reference engine as words.
    pub fn encode(&self, game: &ReferenceGame, state: &State) -> Result<NativeState, Error> {
        Ok(NativeState { words: encode(game, &self.plan.layout, state)? })
    }

    /// Plays at most so many random turns by the kernel for whole contests; how many were made, or nothing
    /// if there is no such kernel.
    pub fn play_on(
        &self,
        state: &mut NativeState,
        random: &mut u64,
        limit: u64,
    ) -> Option<Result<u64, Error>> {
        let contests = self.contests.as_ref()?;
        Some(contests.change(self.plan.contest, &mut state.words, &[limit], random))
    }

    fn is_terminal(&self, state: &NativeState) -> Result<bool, Error> {
        Ok(self.code.ask(self.plan.terminal, &state.words)? != 0)
    }

    /// The goal value of one role in this state, if the rules give one.
    pub fn goal(&self, state: &NativeState, role: RoleId) -> Result<Option<u8>, Error> {
        let Some(place) = self.code.ask(self.plan.goals[role.0], &state.words)?.checked_sub(1)
        else {
            return Ok(None);
        };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let value = self.plan.goal_values.get(place).copied().flatten();
        value.map(Some).ok_or_else(|| Error::Rules {
            message: format!("the goal of `{}` is not a number from 0 to 100", self.roles[role.0]),
            places: Vec::new(),
        })
    }

    /// The steps that a role may make now.
    fn legal_steps(&self, state: &[u64], role: RoleId) -> Result<Vec<u64>, Error> {
        self.code.rows(self.plan.moves[role.0], state, |outcome, output| {
            let rows = output.chunks(self.plan.row_words).take(outcome.n_rows);
            rows.map(|row| self.plan.steps.pack(row)).collect()
        })
    }

    fn is_stuck(&self, state: &NativeState) -> Result<bool, Error> {
        for kernel in &self.plan.moves {
            if self.code.rows(*kernel, &state.words, |outcome, _| outcome.n_rows)? > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn make_step(&self, state: &mut NativeState, role: RoleId, step: u64) -> Result<(), Error> {
        let mut params = Vec::new();
        let MoveId(kind) = self.plan.steps.unpack(step, &mut params);
        let kernel = self.plan.effects[role.0][kind];
        self.code.change(kernel, &mut state.words, &params, &mut 0)?;
        Ok(())
    }
}

impl Game for NativeGame {
    type State = NativeState;
    type Move = NativeTurn;
    type Undo = NativeState;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> Result<NativeState, Error> {
        Ok(self.initial.clone())
    }

    fn legal_moves(&self, state: &NativeState, role: RoleId) -> Result<Vec<NativeTurn>, Error> {
        let steps = self.legal_steps(&state.words, role)?;
        Ok(steps.into_iter().map(|first| NativeTurn { first, others: Vec::new() }).collect())
    }

    fn apply(
        &self,
        state: &mut NativeState,
        joint: &JointMove<NativeTurn>,
    ) -> Result<NativeState, Error> {
        let before = state.clone();
        for (role, turn) in joint {
            for step in turn.steps() {
                self.make_step(state, *role, step)?;
            }
        }
        Ok(before)
    }

    fn undo(&self, state: &mut NativeState, undo: NativeState) {
        *state = undo;
    }

    fn is_over(&self, state: &NativeState, _draws: Draws) -> Result<bool, Error> {
        self.is_terminal(state)
    }

    fn outcome(&self, state: &NativeState, _draws: Draws) -> Result<Option<Outcome>, Error> {
        let ending = if self.is_terminal(state)? {
            Ending::Terminal
        } else if self.is_stuck(state)? {
            Ending::Stuck
        } else {
            return Ok(None);
        };
        let goals = (0..self.roles.len()).map(|role| self.goal(state, RoleId(role)));
        Ok(Some(Outcome { ending, goals: goals.collect::<Result<_, _>>()? }))
    }

    fn hash(&self, state: &NativeState) -> u64 {
        hash_words(&state.words)
    }

    fn random_contest(
        &self,
        state: &NativeState,
        random: &mut Random,
        max_length: u64,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Playout, Error> {
        if self.contests.is_none() {
            return playout(self, state, random, max_length, tick);
        }
        let (mut state, mut bits, mut length) = (state.clone(), random.next_bits(), 0);
        loop {
            if tick().is_break() {
                return Err(Error::Interrupted);
            }
            let limit = (max_length - length).min(TURNS_AT_ONCE);
            let made = self.play_on(&mut state, &mut bits, limit).transpose()?.unwrap_or(0);
            length += made;
            if made < limit || length == max_length {
                let outcome = self.outcome(&state, Draws::Apply)?;
                return Ok(Playout { length, outcome });
            }
        }
    }
}

/// A number that tells states apart: each word is mixed with its place, so that equal words in different
/// places do not cancel out.
pub(crate) fn hash_words(words: &[u64]) -> u64 {
    let mark = |(word, place): (&u64, u64)| {
        let bits = (word ^ place.wrapping_mul(HASH_PLACE)).wrapping_mul(HASH_FACTOR);
        (bits ^ (bits >> 32)).wrapping_mul(HASH_PLACE)
    };
    words.iter().zip(1..).map(mark).fold(0, |hash, mark| hash ^ mark ^ (mark >> 29))
}

/// Odd numbers without a pattern, from a published generator (`SplitMix64`).
const HASH_FACTOR: u64 = 0xBF58_476D_1CE4_E5B9;
const HASH_PLACE: u64 = 0x94D0_49BB_1331_11EB;
