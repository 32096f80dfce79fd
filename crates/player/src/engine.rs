//! Engines: what plays a game, from slow and obvious to machine code.
//!
//! In: rules without errors and the engine that is wanted. Out: the game in that engine, or in the next
//! simpler one with the reason. Invariant: all engines give the same answers; a game that one of them
//! cannot play is played by another, and whoever asked is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use rulesmith_compile::{
    Interpreter, KernelGame, NativeGame, NotatedGame, Obstacle, Optimization, Optimizations,
    ReferenceGame, Sampling, build_kernels_ahead, game_requests, kept_for_kernels, kernel_requests,
    sample_states,
};
use rulesmith_game::Error;
use rulesmith_logic::{PredicateId, Stop};
use rulesmith_rules::{Request, Theory, Wording};
use rulesmith_specialize::{
    Bounds, Knowledge, Outset, Sample, Settings, SpecializeError, Specialized, Specializer,
    nested_recursions, shared_predicates, specialize_from,
};

use crate::build::{BuildResult, stop_error};
use crate::limits::{BuildLimits, NATIVE_BYTES};
use crate::store::{self, ProgramStore};

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EngineKind {
    /// Answers straight from the rules.
    Reference,
    /// Runs the specialised program's trees of conditions.
    Interpreter,
    /// Runs machine code made from the specialised program.
    Native,
}

impl EngineKind {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Interpreter => "interpreter",
            Self::Native => "native",
        }
    }

    /// The engine that plays what this one cannot.
    fn simpler(self) -> Self {
        match self {
            Self::Native => Self::Interpreter,
            Self::Interpreter | Self::Reference => Self::Reference,
        }
    }
}

/// What games are made from; threads may share it.
#[derive(Clone, Debug)]
pub struct GameSource {
    /// What the rules say.
    pub theory: Theory,
    /// How the author's own language writes facts and moves, when it is not ours.
    pub wording: Option<Arc<dyn Wording>>,
    /// What reasoning may cost.
    pub limits: BuildLimits,
    /// What native code is made with.
    pub optimizations: Optimizations,
}

impl GameSource {
    /// The source of rules without errors; others come back as they are.
    pub fn new(result: BuildResult, limits: &BuildLimits) -> Result<Self, Box<BuildResult>> {
        match result.theory {
            Some(theory) => Ok(Self {
                theory,
                wording: result.wording,
                limits: limits.clone(),
                optimizations: Optimizations::default(),
            }),
            None => Err(Box::new(result)),
        }
    }

    /// The game as the reference engine plays it.
    pub fn reference_game(&self, stop: &Stop) -> ReferenceGame {
        let (theory, wording) = (self.theory.clone(), self.wording.clone());
        let game = ReferenceGame::new(theory, wording, self.limits.solver, stop.clone());
        game.with_turn_limits(self.limits.turns)
    }
}

/// A part of the way from rules to a game that is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuildStage {
    /// Random contests by the rules as they are, to learn what conditions cost.
    Sample,
    /// From rules to the specialised program.
    Specialize,
    /// From the program to what the engine runs: code of the interpreter, or kernels.
    Lower,
    /// From kernels to machine code.
    Compile,
}

/// Watches a game being made ready, with clocks of its own.
pub trait PrepareWatch {
    /// An engine is tried; what stops the work on it.
    fn engine_begins(&mut self, stop: &Stop) -> Stop;
    /// A stage begins.
    fn stage_begins(&mut self, stage: BuildStage);
    /// The engine is ready, or cannot be.
    fn engine_ends(&mut self);
    /// Where programs and kernels of earlier runs are, if anywhere.
    fn store(&mut self) -> Option<&mut dyn ProgramStore> {
        None
    }
    /// The program or the kernels came from there.
    fn loaded(&mut self) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl PrepareWatch for Unwatched {
    fn engine_begins(&mut self, stop: &Stop) -> Stop {
        stop.clone()
    }

    fn stage_begins(&mut self, _: BuildStage) {}

    fn engine_ends(&mut self) {}
}

/// A game in an engine.
#[derive(Debug)]
pub enum EngineGame {
    /// The reference engine, with or without a program that answers for it.
    Reference(ReferenceGame),
    /// Machine code, with the reference engine for texts.
    Native(NotatedGame),
}

/// An engine that was wanted and could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// The engine.
    pub from: EngineKind,
    /// The one that was tried next.
    pub to: EngineKind,
    /// Why.
    pub why: String,
}

/// A game that is ready.
#[derive(Debug)]
pub struct Prepared {
    /// The game.
    pub game: EngineGame,
    /// The engine it is in.
    pub kind: EngineKind,
    /// Engines that were wanted before.
    pub fallbacks: Vec<Fallback>,
}

/// Makes a game ready in the wanted engine, or in the next simpler one that can play it. Fails only when
/// somebody stops the work.
pub fn prepare(
    source: &GameSource,
    wanted: EngineKind,
    stop: &Stop,
    watch: &mut dyn PrepareWatch,
) -> Result<Prepared, Error> {
    let (mut kind, mut fallbacks) = (wanted, Vec::new());
    loop {
        let part = watch.engine_begins(stop);
        let made = make(source, kind, &part, watch);
        watch.engine_ends();
        stop.check().map_err(|stopped| stop_error(&stopped))?;
        match made {
            Ok(game) => return Ok(Prepared { game, kind, fallbacks }),
            Err(why) => {
                let (from, to) = (kind, kind.simpler());
                fallbacks.push(Fallback { from, to, why });
                kind = to;
            }
        }
    }
}

/// The game in one engine, or why it cannot be.
fn make(
    source: &GameSource,
    kind: EngineKind,
    stop: &Stop,
    watch: &mut dyn PrepareWatch,
) -> Result<EngineGame, String> {
    let game = source.reference_game(stop);
    match kind {
        EngineKind::Reference => Ok(EngineGame::Reference(game)),
        EngineKind::Interpreter => {
            let (interpreter, _) = interpreter(&game, watch)?;
            Ok(EngineGame::Reference(game.with_interpreter(interpreter)))
        }
        EngineKind::Native => native(source, game, watch).map(EngineGame::Native),
    }
}

/// The game as machine code.
fn native(
    source: &GameSource,
    game: ReferenceGame,
    watch: &mut dyn PrepareWatch,
) -> Result<NotatedGame, String> {
    let keep = kept_for_kernels(game.theory());
    let requests = kernel_requests(game.theory());
    let kernels = kernels(source, &game, (&requests, keep), watch)?;
    let within = |n_bytes: u64| match source.limits.native_bytes {
        limit if n_bytes > limit => {
            Err(format!("the limit `{NATIVE_BYTES}` of {limit} was reached"))
        }
        _ => Ok(()),
    };
    let n_bytes = kernels.n_bytes();
    within(n_bytes)?;
    let text = |obstacle: Obstacle| obstacle.to_string();
    let mut native = NativeGame::new(kernels, &game).map_err(text)?;
    watch.stage_begins(BuildStage::Compile);
    native.compile().map_err(text)?;
    let n_code_bytes: usize = native.compiled().map(|one| one.n_code_bytes).sum();
    within(n_bytes + n_code_bytes as u64)?;
    go_on(&game)?;
    Ok(NotatedGame::new(Arc::new(native), game))
}

/// The kernels of a game: those of an earlier run, or made from the program of one, or made anew.
fn kernels(
    source: &GameSource,
    game: &ReferenceGame,
    (requests, keep): (&[Request], BTreeSet<PredicateId>),
    watch: &mut dyn PrepareWatch,
) -> Result<KernelGame, String> {
    let text = |obstacle: Obstacle| obstacle.to_string();
    let lower = |knowledge: &Knowledge<'_>, specialized: &Specialized, lists: Lists| {
        build_kernels_ahead(knowledge, specialized, lists.among(source.optimizations))
    };
    watch.stage_begins(BuildStage::Specialize);
    let Some(key) = store::kernel_program_key(source, (requests, &keep), watch) else {
        return program(game, (requests, keep, &[]), watch, lower)?.lowered.map_err(text);
    };
    let kernel_key = store::kernel_key(&key, source.optimizations);
    if let Some(found) = store::load_kernels(&kernel_key, watch) {
        watch.loaded();
        return found.map_err(text);
    }
    let kernels = if let Some(kernels) = lower_saved(game, &key, watch, lower)? {
        kernels
    } else {
        let made = program(game, (requests, keep, &[]), watch, lower)?;
        // Whether all had to be unfolded hangs on the optimisations, which the key does not name.
        if !made.is_unfolded {
            store::save_program(game, &made.specialized, &key, watch);
        }
        made.lowered
    };
    // What was stopped may have found less than there is.
    go_on(game)?;
    store::save_kernels(&kernels, &kernel_key, watch);
    kernels.map_err(text)
}

/// The kernels of the program of an earlier run; nothing if there is none, or if it cannot be lowered but another one may be.
fn lower_saved(
    game: &ReferenceGame,
    key: &str,
    watch: &mut dyn PrepareWatch,
    lower: impl Fn(&Knowledge<'_>, &Specialized, Lists) -> Result<KernelGame, Obstacle>,
) -> Result<Option<Result<KernelGame, Obstacle>>, String> {
    let Some(specialized) = store::load_program(game, key, watch) else { return Ok(None) };
    watch.loaded();
    let knowledge = Knowledge::new(game.theory(), game.solver());
    go_on(game)?;
    watch.stage_begins(BuildStage::Lower);
    let kernels = lower(&knowledge, &specialized, Lists::of(&specialized));
    Ok(Some(kernels).filter(|kernels| kernels.is_ok() || specialized.called.is_empty()))
}

/// The program of a game, as the interpreter runs it.
pub(crate) fn interpreter(
    game: &ReferenceGame,
    watch: &mut dyn PrepareWatch,
) -> Result<(Interpreter, Specialized), String> {
    let requests = game_requests(game.theory());
    let keep = shared_predicates(game.theory(), &requests);
    let besides: Vec<_> = keep.iter().copied().collect();
    let lower = |knowledge: &Knowledge<'_>, specialized: &Specialized, _| {
        Interpreter::new(knowledge, specialized)
    };
    let made = program(game, (&requests, keep, &besides), watch, lower)?;
    Ok((made.lowered.map_err(|error| error.to_string())?, made.specialized))
}

/// Bodies that may be made to regress the conditions after one move: what takes more would become a program
/// that is longer than making the move.
const REGRESSION: usize = 400;

/// A program, and what became of it.
pub(crate) struct Made<T, E> {
    pub(crate) lowered: Result<T, E>,
    pub(crate) specialized: Specialized,
    /// Was everything unfolded because predicates that are called could not be lowered?
    is_unfolded: bool,
}

/// May recursions of very many conceivable tuples be listed when a program is lowered?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    Allowed,
    Forbidden,
}

impl Lists {
    /// Where predicates are called, everything is better unfolded than recursions listed.
    fn of(specialized: &Specialized) -> Self {
        if specialized.called.is_empty() { Self::Allowed } else { Self::Forbidden }
    }

    /// These optimisations, without lists where they are forbidden.
    pub(crate) fn among(self, optimizations: Optimizations) -> Optimizations {
        match self {
            Self::Allowed => optimizations,
            Self::Forbidden => optimizations.without(Optimization::ListedRecursions),
        }
    }
}

/// Bodies that are made to see whether nested recursions can be unfolded.
const NESTED_BODIES: u64 = 1_000;

/// Bodies that are made to see what becomes of a program that computes them whole.
const TRIED_BODIES: u64 = 2_500;

/// Specialises what is asked of a game and lowers the program. `keep` is called rather than unfolded; `besides` is sampled
/// beside the fluents. Where predicates are called to have fewer bodies, and that cannot be lowered, all are unfolded. If it can
/// be once recursions are listed, that is done instead, unless recursions ask recursions: then these are computed whole and the
/// rest is unfolded, if that is soon done.
pub(crate) fn program<T, E>(
    game: &ReferenceGame,
    (requests, keep, besides): (&[Request], BTreeSet<PredicateId>, &[PredicateId]),
    watch: &mut dyn PrepareWatch,
    lower: impl Fn(&Knowledge<'_>, &Specialized, Lists) -> Result<T, E>,
) -> Result<Made<T, E>, String> {
    let (knowledge, outset, samples) = learn(game, besides, watch)?;
    let bounds = Bounds { keep, regression: REGRESSION, ..Bounds::default() };
    let nested = nested_recursions(game.theory());
    let keep: BTreeSet<PredicateId> = bounds.keep.union(&nested).copied().collect();
    // Unfolded, the ways through recursions that ask recursions multiply: if they are many, these are computed whole.
    let bodies = if nested.is_empty() { bounds.bodies } else { NESTED_BODIES };
    let tried = Bounds { bodies, ..bounds.clone() };
    let specialize =
        |bounds, outset| specialize_from(&knowledge, outset, bounds, samples.clone(), requests);
    let specialized = match specialize(tried, outset.clone()) {
        Err(SpecializeError::Bodies(_)) if !nested.is_empty() => {
            specialize(Bounds { keep: keep.clone(), ..bounds.clone() }, outset)
        }
        tried => tried,
    };
    let specialized = specialized.map_err(|error| error.to_string())?;
    // A specialiser that is stopped gives a program all the same: a poor one.
    go_on(game)?;
    watch.stage_begins(BuildStage::Lower);
    let lowered = lower(&knowledge, &specialized, Lists::of(&specialized));
    go_on(game)?;
    if lowered.is_ok() || specialized.called.is_empty() {
        return Ok(Made { lowered, specialized, is_unfolded: false });
    }
    let listed = lower(&knowledge, &specialized, Lists::Allowed);
    go_on(game)?;
    if listed.is_ok() && nested.is_empty() {
        return Ok(Made { lowered: listed, specialized, is_unfolded: false });
    }
    watch.stage_begins(BuildStage::Specialize);
    let bounds =
        if listed.is_ok() { Bounds { bodies: TRIED_BODIES, keep, ..bounds } } else { bounds };
    let settings = Settings { bounds, ..Settings::default() };
    let unfolded = Specializer::new(&knowledge, settings, samples).specialize(requests);
    go_on(game)?;
    let unfolded = match unfolded {
        Err(SpecializeError::Bodies(_)) if listed.is_ok() => {
            return Ok(Made { lowered: listed, specialized, is_unfolded: false });
        }
        unfolded => unfolded.map_err(|error| error.to_string())?,
    };
    watch.stage_begins(BuildStage::Lower);
    let lowered = lower(&knowledge, &unfolded, Lists::Allowed);
    go_on(game)?;
    if lowered.is_err() && listed.is_ok() {
        return Ok(Made { lowered: listed, specialized, is_unfolded: false });
    }
    Ok(Made { lowered, specialized: unfolded, is_unfolded: true })
}

/// What is known of a game before its requests are looked at, and samples of its states, which another thread collects
/// meanwhile. The stage of samples is what they have to be waited for.
fn learn<'g>(
    game: &'g ReferenceGame,
    besides: &[PredicateId],
    watch: &mut dyn PrepareWatch,
) -> Result<(Knowledge<'g>, Outset, Vec<Sample>), String> {
    watch.stage_begins(BuildStage::Specialize);
    let apart = game.apart();
    let (knowledge, outset, sampled) = std::thread::scope(|scope| {
        let sampling = scope.spawn(move || {
            let game = apart();
            let samples = sample_states(&game, Sampling::default(), besides);
            samples.map(|samples| (samples, game.solver().symbols().borrow().clone()))
        });
        let knowledge = Knowledge::new(game.theory(), game.solver());
        let outset = Outset::new(&knowledge, &Settings::default());
        watch.stage_begins(BuildStage::Sample);
        (knowledge, outset, sampling.join().expect("sampling does not panic"))
    });
    let (mut samples, from) = sampled.map_err(|error| error.to_string())?;
    // Terms that were made on the way may have other numbers here.
    let mut symbols = game.solver().symbols().borrow_mut();
    for row in samples.iter_mut().flat_map(|sample| sample.rows.values_mut()).flatten() {
        for value in row {
            *value = symbols.adopt(*value, &from);
        }
    }
    drop(symbols);
    watch.stage_begins(BuildStage::Specialize);
    Ok((knowledge, outset, samples))
}

/// Ends the work here if somebody stopped it.
fn go_on(game: &ReferenceGame) -> Result<(), String> {
    game.solver().stop().check().map_err(|stopped| stopped.to_string())
}
