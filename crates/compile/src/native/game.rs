//! A game played by kernels.
//!
//! In: a reference game and its kernels. Out: moves, successors, ends and goals of states that are words.
//! Invariant: the same as the reference engine says, state by state.

use rulesmith_game::{Error, RoleId};
use rulesmith_kernel::{Call, Compiled, KernelId, Native, Outcome, Verified, interpret, verify};
use rulesmith_rules::MoveId;

use super::Obstacle;
use super::build::KernelGame;
use super::coding::encode;
use crate::reference::{ReferenceGame, State, Step};

/// A game and the kernels that play it.
#[derive(Debug)]
pub struct NativeGame {
    kernels: KernelGame,
    module: Verified,
    native: Option<Native>,
}

/// Runs may take so many passes through loops.
const FUEL: u64 = 1 << 40;

/// A state has at most so many words of moves.
const OUTPUT_WORDS: usize = 1 << 16;

impl NativeGame {
    /// Makes kernels ready to run.
    pub fn new(mut kernels: KernelGame) -> Result<Self, Obstacle> {
        let module = std::mem::take(&mut kernels.module);
        let module = verify(module).map_err(|error| Obstacle::new(error.to_string()))?;
        Ok(Self { kernels, module, native: None })
    }

    /// Makes native code of the kernels.
    pub fn compile(&mut self) -> Result<(), Obstacle> {
        let native = Native::compile(&self.module);
        self.native = Some(native.map_err(|error| Obstacle::new(error.to_string()))?);
        Ok(())
    }

    /// What became of each kernel.
    pub fn compiled(&self) -> &[Compiled] {
        self.native.as_ref().map_or(&[], |native| native.compiled())
    }

    /// Plays a contest of random moves to its end, or to a limit; how many were made.
    pub fn playout(&self, state: &mut [u64], random: &mut u64, limit: u64) -> u64 {
        let kernel = 1 + 2 * self.kernels.n_roles + self.kernels.n_roles * self.kernels.n_kinds;
        let id = KernelId(u16::try_from(kernel).unwrap_or(u16::MAX));
        let mut fuel = FUEL;
        let params = &[limit];
        let mut call = Call { state, params, random, fuel: &mut fuel, output: &mut [] };
        let outcome = match &self.native {
            Some(native) => native.run(id, &mut call),
            None => interpret(&self.module, id, &mut call),
        };
        outcome.map_or(0, |outcome| outcome.result)
    }

    /// The kernels as text.
    pub fn text(&self) -> String {
        let kernels = self.module.module().kernels.iter();
        kernels.map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// A state of the reference engine as words.
    pub fn encode(&self, game: &ReferenceGame, state: &State) -> Result<Vec<u64>, Error> {
        encode(game, &self.kernels.layout, state)
    }

    fn run(&self, kernel: usize, state: &mut [u64], params: &[u64]) -> (Outcome, Vec<u64>) {
        let mut output = vec![0; OUTPUT_WORDS];
        let (mut random, mut fuel) = (0, FUEL);
        let mut call =
            Call { state, params, random: &mut random, fuel: &mut fuel, output: &mut output };
        let id = KernelId(u16::try_from(kernel).unwrap_or(u16::MAX));
        let outcome =
            interpret(&self.module, id, &mut call).unwrap_or_else(|stop| panic!("{stop}"));
        (outcome, output)
    }

    /// Do the rules say that the contest is over?
    pub fn is_terminal(&self, state: &[u64]) -> bool {
        self.run(0, &mut state.to_vec(), &[]).0.result != 0
    }

    /// The place of the role's goal value in its sort, if the rules give one.
    pub fn goal(&self, state: &[u64], role: RoleId) -> Option<u64> {
        self.run(1 + role.0, &mut state.to_vec(), &[]).0.result.checked_sub(1)
    }

    /// The legal moves of a role: the kind and the parameters of each by their places.
    pub fn moves(&self, state: &[u64], role: RoleId) -> Vec<Vec<u64>> {
        let kernel = 1 + self.kernels.n_roles + role.0;
        let (outcome, output) = self.run(kernel, &mut state.to_vec(), &[]);
        let width = self.kernels.row_words;
        output.chunks(width).take(outcome.n_rows).map(<[u64]>::to_vec).collect()
    }

    /// Makes a move.
    pub fn apply(&self, state: &mut [u64], role: RoleId, chosen: &[u64]) {
        let kind = usize::try_from(chosen[0]).unwrap_or(usize::MAX);
        let kernel = 1 + 2 * self.kernels.n_roles + role.0 * self.kernels.n_kinds + kind;
        self.run(kernel, state, &chosen[1..]);
    }

    /// A step of the reference engine as the kernels number it.
    pub fn encode_step(&self, game: &ReferenceGame, step: &Step) -> Option<Vec<u64>> {
        let theory = game.theory();
        let MoveId(kind) = step.kind;
        let domains = &theory.base.predicate(theory.moves[kind].does).domains;
        let mut words = vec![kind as u64];
        for (value, domain) in step.args.iter().zip(domains.iter().skip(1)) {
            let place = crate::state_layout::place(&theory.base, (*domain)?, *value)?;
            words.push(u64::from(place));
        }
        Some(words)
    }
}
