//! A game played by kernels.
//!
//! In: the kernels of a game. Out: the game contract, on states that are words. It can be shared by
//! threads: nothing here knows texts, which [`NotatedGame`](super::NotatedGame) adds. Invariant: the same
//! as the reference engine says, state by state.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use rulesmith_game::{
    Contests, Draws, Ending, Error, Game, JointMove, LeafKind, Leaves, Outcome, Playout,
    PlayoutSums, Random, RoleId, playout,
};
use rulesmith_kernel::{Compiled, Verified};

use super::Obstacle;
use super::ahead::Ahead;
use super::coding::encode;
use super::cycles::NEVER;
use super::goals::SEVERAL;
use super::hash::fill_hashes;
use super::plan::{KernelGame, Plan};
use super::reached::check_reached;
use super::run::{Code, Known, with_room};
use crate::reference::{ReferenceGame, State, TurnLimits};

/// A game and the kernels that play it.
#[derive(Debug)]
pub struct NativeGame {
    name: String,
    roles: Vec<String>,
    pub(crate) plan: Plan,
    pub(crate) turn_limits: TurnLimits,
    /// Is one turn better than another, so that none can be told without all?
    pub(super) has_preferences: bool,
    pub(crate) code: Code,
    /// Whole random contests, or why there is no kernel for them.
    pub(super) contests: Result<Code, Obstacle>,
    /// Counts of leaves, or why there is no kernel for them; its code is made when it is needed.
    pub(super) leaves: Result<Verified, Obstacle>,
    pub(super) leaf_code: OnceLock<Result<Code, Obstacle>>,
    pub(super) is_compiled: bool,
    /// Who makes native code already.
    ahead: Option<Ahead>,
    initial: NativeState,
}

/// The state of a contest as words, and its past.
#[derive(Clone, Debug)]
pub struct NativeState {
    /// Those of the fluents, then those that count the past.
    pub(crate) words: Vec<u64>,
    n_fluent_words: usize,
    /// Where repetitions are counted: the hash of what is seen at the start of each turn made.
    pub(crate) past: Vec<u64>,
    /// Turns made, also before the state that play started from: texts say it, kernels do not look at it.
    pub(crate) n_turns: i32,
}

impl PartialEq for NativeState {
    /// The past is left out.
    fn eq(&self, other: &Self) -> bool {
        self.fluents() == other.fluents()
    }
}

impl Eq for NativeState {}

impl NativeState {
    fn fluents(&self) -> &[u64] {
        &self.words[..self.n_fluent_words]
    }
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

    pub(crate) fn single(first: u64) -> Self {
        Self { first, others: Vec::new() }
    }

    /// The step of a turn that has no others.
    pub(crate) fn only_step(&self) -> Option<u64> {
        self.others.is_empty().then_some(self.first)
    }

    /// The steps in order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// So many turns of a random contest are played before the caller is asked again.
pub(super) const TURNS_AT_ONCE: u64 = 4096;

impl NativeGame {
    /// Makes kernels ready to run. They must be of this game's theory.
    pub fn new(kernels: KernelGame, game: &ReferenceGame) -> Result<Self, Obstacle> {
        let KernelGame { module, contests, leaves, plan, ahead } = kernels;
        let failed = |error: Error| Obstacle::new(error.to_string());
        let start = game.initial().map_err(failed)?;
        let initial = encode_state(game, &plan, &start).map_err(failed)?;
        let fluents: Vec<String> =
            game.theory().fluents.iter().map(|fluent| fluent.name.clone()).collect();
        Ok(Self {
            name: game.name(),
            roles: game.roles().to_vec(),
            plan,
            code: Code::new(module, fluents.clone()),
            contests: contests.map(|contests| Code::new(contests, fluents)),
            leaves,
            leaf_code: OnceLock::new(),
            is_compiled: false,
            ahead,
            turn_limits: game.turn_limits(),
            has_preferences: !game.theory().preferences.is_empty(),
            initial,
        })
    }

    /// Makes native code of the kernels.
    pub fn compile(&mut self) -> Result<(), Obstacle> {
        self.is_compiled = true;
        // Leaves that were counted before were counted by an interpreter.
        self.leaf_code = OnceLock::new();
        let ahead = self.ahead.take().unwrap_or_else(Ahead::begin);
        let contests = self.contests.as_ref().ok().map(Code::module);
        // What contests run alone takes longest.
        let workshop = ahead.finish(contests.into_iter().chain([self.code.module()]));
        // Contests that are too large for it are played turn by turn.
        if let Ok(contests) = &mut self.contests
            && let Err(obstacle) = contests.compile_in(&workshop)
        {
            self.contests = Err(obstacle);
        }
        self.code.compile_in(&workshop)
    }

    /// What became of each kernel.
    pub fn compiled(&self) -> impl Iterator<Item = &Compiled> {
        let contests = self.contests.as_ref().map_or(&[][..], Code::compiled);
        self.code.compiled().iter().chain(contests)
    }

    /// Why there is no kernel that plays whole random contests; nothing if there is one.
    pub fn contest_obstacle(&self) -> Option<&Obstacle> {
        self.contests.as_ref().err()
    }

    /// The kernels as text.
    pub fn text(&self) -> String {
        let contests = self.contests.as_ref().ok().map(Code::text);
        format!("{}\n{}", self.code.text(), contests.unwrap_or_default())
    }

    /// A state of the reference engine as words; its past is left out.
    pub fn encode(&self, game: &ReferenceGame, state: &State) -> Result<NativeState, Error> {
        encode_state(game, &self.plan, state)
    }

    pub(super) fn n_fluent_words(&self) -> usize {
        self.initial.n_fluent_words
    }

    /// Plays at most so many random turns by the kernel for whole contests; how many were made, or nothing
    /// if there is no such kernel.
    pub fn play_on(
        &self,
        state: &mut NativeState,
        random: &mut u64,
        limit: u64,
    ) -> Option<Result<u64, Error>> {
        let (contests, scratch) = (self.contests.as_ref().ok()?, self.plan.scratch.as_ref()?);
        with_room(|room| {
            scratch.fill(room, &state.words, &state.past)?;
            let made = contests.change(self.plan.contest, room, &[limit, 0], random);
            scratch.take(room, &mut state.words, &mut state.past);
            let n_made = made.as_ref().map_or(0, |made| i32::try_from(*made).unwrap_or(i32::MAX));
            state.n_turns = state.n_turns.saturating_add(n_made);
            if !self.plan.contests_keep_hashes {
                fill_hashes(&self.plan.layout, &mut state.words);
            }
            Some(made)
        })
    }

    fn is_terminal(&self, state: &NativeState) -> Result<bool, Error> {
        Ok(self.code.ask(self.plan.terminal, &state.words)? != 0)
    }

    /// The goal value of one role in this state, if the rules give one.
    pub fn goal(&self, state: &NativeState, role: RoleId) -> Result<Option<u8>, Error> {
        self.goal_value(self.code.ask(self.plan.goals[role.0], &state.words)?, role)
    }

    /// What a kernel of goals means.
    pub(super) fn goal_value(&self, result: u64, role: RoleId) -> Result<Option<u8>, Error> {
        let Some(number) = result.checked_sub(1) else { return Ok(None) };
        let value = u8::try_from(number).ok().filter(|value| *value <= 100);
        let name = &self.roles[role.0];
        value.map(Some).ok_or_else(|| Error::Rules {
            message: if number == u64::from(SEVERAL) {
                format!("the rules give `{name}` different goals at once")
            } else {
                format!("the goal of `{name}` is not a number from 0 to 100")
            },
            places: Vec::new(),
        })
    }

    /// The steps that a role may make now.
    pub(super) fn legal_steps(
        &self,
        state: &[u64],
        past: &[u64],
        role: RoleId,
    ) -> Result<Vec<u64>, Error> {
        let known = self.known(past);
        self.code.rows(self.plan.moves[role.0], (state, known), |outcome, output| {
            let rows = output.chunks(self.plan.row_words).take(outcome.n_rows);
            rows.map(|row| self.plan.steps.pack(row)).collect()
        })
    }

    /// What kernels of moves may ask about beside the state.
    fn known<'k>(&self, past: &'k [u64]) -> Known<'k> {
        self.plan.past.map_or(Known::Nothing, |room| Known::Past(room, past))
    }

    fn is_stuck(&self, state: &NativeState) -> Result<bool, Error> {
        for kernel in &self.plan.moves {
            if self.code.rows(*kernel, (&state.words, self.known(&state.past)), |outcome, _| {
                outcome.n_rows
            })? > 0
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_draw(&self, state: &NativeState, draws: Draws) -> Result<bool, Error> {
        match self.plan.draw {
            Some(kernel) if draws == Draws::Apply => Ok(self.code.ask(kernel, &state.words)? != 0),
            _ => Ok(false),
        }
    }
}

fn encode_state(game: &ReferenceGame, plan: &Plan, state: &State) -> Result<NativeState, Error> {
    let mut words = encode(game, &plan.layout, state)?;
    let n_fluent_words = words.len();
    check_reached(game.theory(), &plan.layout, &plan.reached, &words)?;
    words.resize(plan.layout.n_state_words() as usize, 0);
    for repeated in &plan.repeated {
        words[repeated.counter] = 1;
    }
    for number in 0..plan.layout.n_cycles {
        words[plan.layout.cycle(number as usize) as usize] = NEVER;
    }
    for (word, event) in plan.layout.since() {
        let steps = state.core.earlier_steps_since(event);
        words[word as usize] = u64::try_from(steps).unwrap_or(0);
    }
    fill_hashes(&plan.layout, &mut words);
    let n_turns = game.world(state).n_turns();
    Ok(NativeState { words, n_fluent_words, past: Vec::new(), n_turns })
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
        self.turns(state, role, usize::MAX)
    }

    fn random_move(
        &self,
        state: &NativeState,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<NativeTurn>, Error> {
        self.random_turn(state, role, random)
    }

    fn apply(
        &self,
        state: &mut NativeState,
        joint: &JointMove<NativeTurn>,
    ) -> Result<NativeState, Error> {
        let before = state.clone();
        if let Err(error) = self.make(state, joint) {
            *state = before;
            return Err(error);
        }
        Ok(before)
    }

    fn undo(&self, state: &mut NativeState, undo: NativeState) {
        *state = undo;
    }

    fn is_over(&self, state: &NativeState, draws: Draws) -> Result<bool, Error> {
        Ok(self.is_terminal(state)? || self.is_draw(state, draws)?)
    }

    fn outcome(&self, state: &NativeState, draws: Draws) -> Result<Option<Outcome>, Error> {
        let ending = if self.is_terminal(state)? {
            Ending::Terminal
        } else if self.is_draw(state, draws)? {
            let goals = vec![Some(50); self.roles.len()];
            return Ok(Some(Outcome { ending: Ending::Draw, goals }));
        } else if self.is_stuck(state)? {
            Ending::Stuck
        } else {
            return Ok(None);
        };
        let goals = (0..self.roles.len()).map(|role| self.goal(state, RoleId(role)));
        Ok(Some(Outcome { ending, goals: goals.collect::<Result<_, _>>()? }))
    }

    fn hash(&self, state: &NativeState) -> u64 {
        self.plan.hashed.hash(&state.words)
    }

    fn random_contest(
        &self,
        state: &NativeState,
        random: &mut Random,
        max_length: u64,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Playout, Error> {
        if self.contests.is_err() {
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
            if made == limit && length < max_length {
                continue;
            }
            let outcome = self.outcome(&state, Draws::Apply)?;
            if outcome.is_some() || length == max_length {
                return Ok(Playout { length, outcome });
            }
            // The kernel has no room to go on.
            let rest = playout(self, &state, random, max_length - length, tick)?;
            return Ok(Playout { length: length + rest.length, outcome: rest.outcome });
        }
    }

    fn random_contests(
        &self,
        state: &NativeState,
        contests: &Contests,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
        sums: &mut PlayoutSums,
    ) -> Result<(), (u64, Error)> {
        self.contests_in_a_row(state, contests, tick, sums)
    }

    fn leaves(
        &self,
        state: &NativeState,
        depth: u32,
        kind: LeafKind,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Leaves, Error> {
        self.leaves_by_kernel(state, (depth, kind), tick)
    }
}
