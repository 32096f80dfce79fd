//! Running kernels: native code where there is some, otherwise the interpreter.
//!
//! In: a module and calls. Out: results and rows. Buffers belong to the thread and are used again, so a
//! call makes no new ones. Invariant: a question leaves the state it is asked about as it was.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use rulesmith_game::Error;
use rulesmith_kernel::{
    Call, Compiled, KernelId, Native, Outcome, Stop, Verified, Workshop, interpret,
};
use rulesmith_rules::FluentId;

use super::Obstacle;
use super::conflicts::conflict;
use super::loops::ROOM;
use super::scratch::PastRoom;
use crate::reference::turns::TURNS;

/// A module ready to run.
#[derive(Debug)]
pub(crate) struct Code {
    id: CodeId,
    module: Verified,
    native: Option<Native>,
    /// The names of the fluents, to complain about them.
    fluents: Vec<String>,
}

/// No two codes have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CodeId(u64);

impl CodeId {
    fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Runs may take so many passes through loops: a few seconds of the emptiest.
const FUEL: u64 = 1 << 33;

/// Words of rows that a thread keeps room for at first.
const OUTPUT_WORDS: usize = 1 << 12;

/// A state has at most so many words of moves.
const MAX_OUTPUT_WORDS: usize = 1 << 26;

/// What a kernel may ask about beside the state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known<'k> {
    Nothing,
    /// The past, and where it belongs.
    Past(PastRoom, &'k [u64]),
}

/// What a thread keeps from call to call.
#[derive(Debug, Default)]
struct Buffers {
    /// Whose state it is: the code that ran last, so that it finds what it kept beside the state.
    owner: Option<CodeId>,
    state: Vec<u64>,
    output: Vec<u64>,
    /// A state with room to work in.
    room: Vec<u64>,
}

impl Buffers {
    /// Takes over a state, with room for what is computed beside it.
    fn fill(&mut self, state: &[u64], code: &Code) {
        if self.owner != Some(code.id) {
            self.state.clear();
            self.owner = Some(code.id);
        }
        self.state.resize(code.state_words().max(state.len()), 0);
        self.state[..state.len()].copy_from_slice(state);
    }

    /// What a call left that was stopped is of no use.
    fn check<T>(&mut self, found: &Result<T, Stop>) {
        if found.is_err() {
            self.owner = None;
        }
    }
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

impl Code {
    pub(crate) fn new(module: Verified, fluents: Vec<String>) -> Self {
        Self { id: CodeId::next(), module, native: None, fluents }
    }

    /// Another module of the same game.
    pub(crate) fn beside(&self, module: Verified) -> Self {
        Self::new(module, self.fluents.clone())
    }

    /// Makes native code.
    pub(crate) fn compile(&mut self) -> Result<(), Obstacle> {
        let native = Native::compile(&self.module);
        self.native = Some(native.map_err(|error| Obstacle::new(error.to_string()))?);
        Ok(())
    }

    /// Makes native code, except for what was made in a workshop.
    pub(crate) fn compile_in(&mut self, workshop: &Workshop) -> Result<(), Obstacle> {
        let native = Native::compile_in(&self.module, workshop);
        self.native = Some(native.map_err(|error| Obstacle::new(error.to_string()))?);
        Ok(())
    }

    pub(crate) fn module(&self) -> &Verified {
        &self.module
    }

    pub(crate) fn compiled(&self) -> &[Compiled] {
        self.native.as_ref().map_or(&[], |native| native.compiled())
    }

    pub(crate) fn text(&self) -> String {
        let kernels = self.module.module().kernels.iter();
        kernels.map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn state_words(&self) -> usize {
        self.module.module().state_words as usize
    }

    fn call(&self, id: KernelId, call: &mut Call<'_>) -> Result<Outcome, Stop> {
        match &self.native {
            Some(native) => native.run(id, call),
            None => interpret(&self.module, id, call),
        }
    }

    /// Runs a kernel that changes the state.
    pub(crate) fn change(
        &self,
        id: KernelId,
        state: &mut [u64],
        params: &[u64],
        random: &mut u64,
    ) -> Result<u64, Error> {
        let mut fuel = FUEL;
        let n_words = self.state_words();
        if state.len() >= n_words {
            let mut call = Call { state, params, random, fuel: &mut fuel, output: &mut [] };
            let found = self.call(id, &mut call).map_err(to_error);
            return found.and_then(|outcome| self.without_conflict(outcome.result));
        }
        // What kernels compute on the way lies beyond the state.
        let mut buffers = BUFFERS.take();
        buffers.fill(state, self);
        let whole = &mut buffers.state;
        let mut call = Call { state: whole, params, random, fuel: &mut fuel, output: &mut [] };
        let found = self.call(id, &mut call);
        buffers.check(&found);
        let found = found.map_err(to_error);
        let found = found.and_then(|outcome| self.without_conflict(outcome.result));
        state.copy_from_slice(&buffers.state[..state.len()]);
        BUFFERS.set(buffers);
        found
    }

    /// The result of a step or a contest, unless it says that a fluent was given two values.
    fn without_conflict(&self, result: u64) -> Result<u64, Error> {
        let Some(FluentId(number)) = conflict(result) else { return Ok(result) };
        let name = self.fluents.get(number).map_or("?", |name| name);
        let message = format!("one step gives `{name}` two different values");
        Err(Error::Rules { message, places: Vec::new() })
    }

    /// What a kernel returns about a state.
    pub(crate) fn ask(&self, id: KernelId, state: &[u64]) -> Result<u64, Error> {
        self.rows(id, (state, Known::Nothing), |outcome, _| outcome.result)
    }

    /// What a kernel returns about a state, and its rows, one after another.
    pub(crate) fn rows<T>(
        &self,
        id: KernelId,
        (state, known): (&[u64], Known<'_>),
        read: impl FnOnce(Outcome, &[u64]) -> T,
    ) -> Result<T, Error> {
        // `read` may ask in turn, so the buffers are taken out of their place.
        let mut buffers = BUFFERS.take();
        buffers.output.resize(buffers.output.len().max(OUTPUT_WORDS), 0);
        let found = loop {
            buffers.fill(state, self);
            if let Known::Past(room, past) = known
                && room.fill(&mut buffers.state, past).is_none()
            {
                BUFFERS.set(buffers);
                return Err(Error::Limit { name: "past", limit: u64::from(room.past.n_rows) });
            }
            let (mut random, mut fuel) = (0, FUEL);
            let mut call = Call {
                state: &mut buffers.state,
                params: &[],
                random: &mut random,
                fuel: &mut fuel,
                output: &mut buffers.output,
            };
            let found = self.call(id, &mut call);
            buffers.check(&found);
            match found {
                Err(Stop::OutputFull) if buffers.output.len() < MAX_OUTPUT_WORDS => {
                    buffers.output.resize(4 * buffers.output.len(), 0);
                }
                found => break found,
            }
        };
        let found = found.map(|outcome| read(outcome, &buffers.output)).map_err(to_error);
        BUFFERS.set(buffers);
        found
    }
}

/// Lends a state with room to work in, as the last work in this thread left it.
pub(crate) fn with_room<T>(work: impl FnOnce(&mut Vec<u64>) -> T) -> T {
    let mut room = BUFFERS.with_borrow_mut(|buffers| std::mem::take(&mut buffers.room));
    let done = work(&mut room);
    BUFFERS.with_borrow_mut(|buffers| buffers.room = room);
    done
}

fn to_error(stop: Stop) -> Error {
    match stop {
        Stop::OutOfFuel => Error::Limit { name: "fuel", limit: FUEL },
        Stop::OutputFull => Error::Limit { name: TURNS, limit: MAX_OUTPUT_WORDS as u64 },
        Stop::ListFull => Error::Limit { name: "tuples", limit: ROOM },
        // Ids and lengths come from the module itself.
        Stop::NoSuchKernel | Stop::ShortState | Stop::FewParams => {
            Error::Rules { message: stop.to_string(), places: Vec::new() }
        }
    }
}
