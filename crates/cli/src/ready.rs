//! From the rules of a game to a game that is ready to play, in the wanted engine.
//!
//! In: what a person calls a game, the flags, and the engine that a command takes by itself. Out: the game,
//! and how long each stage took. Invariant: an engine that cannot play a game is never replaced without a
//! notice.

use std::time::Duration;

use rulesmith_game::Error;
use rulesmith_player::{
    BuildStage, EngineGame, EngineKind, Fallback, GameSource, Optimization, OwnGame, PrepareWatch,
    Prepared, ProgramStore, ReferenceGame, Stop, Theory, Unwatched, prepare,
};
use serde::Serialize;

use crate::args::GameOptions;
use crate::cache::Cache;
use crate::clock::{Alarm, Stopwatch};
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::{BOLD, RESET};
use crate::progress::Progress;

/// The limit on the time that making a game ready may take, in seconds, in all engines that are tried.
pub(crate) const COMPILE_TIME: &str = "compile-time";

/// What it is unless it is set: twice what the slowest game of the library took.
const COMPILE_SECONDS: u64 = 60;

/// A game that is ready to play.
pub(crate) struct Ready {
    /// What it was called on the command line.
    pub(crate) asked: String,
    /// What it was made from.
    pub(crate) source: GameSource,
    /// The game.
    pub(crate) prepared: Prepared,
    /// How long it took.
    pub(crate) stages: Stages,
}

impl Ready {
    /// What its rules say.
    pub(crate) fn theory(&self) -> &Theory {
        &self.source.theory
    }

    /// The game.
    pub(crate) fn game(&self) -> &EngineGame {
        &self.prepared.game
    }

    /// The engine that plays it, as results name it.
    pub(crate) fn engine(&self) -> &'static str {
        self.prepared.kind.name()
    }

    /// Makes the game of one more thread, as the reference engine and the interpreter need it: they cannot
    /// share theirs.
    pub(crate) fn own_game(
        source: &GameSource,
        kind: EngineKind,
        (stop, position): (&Stop, Option<&str>),
    ) -> Result<OwnGame<ReferenceGame>, Error> {
        match prepare(source, kind, stop, &mut Unwatched)?.game {
            EngineGame::Reference(game) => {
                let state = open::start(&game, position)?;
                Ok((Box::new(Box::new(game)), state))
            }
            EngineGame::Native(_) => Err(Error::Text("native games are shared".to_owned())),
        }
    }

    /// Why it is not the one that was wanted; nothing if it is.
    pub(crate) fn fallback(&self) -> Option<String> {
        let notices: Vec<String> = self.prepared.fallbacks.iter().map(notice).collect();
        (!notices.is_empty()).then(|| notices.join("; "))
    }
}

/// Seconds of each stage from the rules to a game that is ready. Stages of engines that were tried in vain
/// count too: they were waited for.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Stages {
    /// Finding the text and reading it.
    pub(crate) read: f64,
    /// Parsing and checking it.
    pub(crate) check: f64,
    /// Random contests by the rules as they are.
    pub(crate) sample: f64,
    /// From rules to the specialised program.
    pub(crate) specialize: f64,
    /// From the program to what the engine runs.
    pub(crate) lower: f64,
    /// From kernels to machine code.
    pub(crate) compile: f64,
    /// Did the program or the kernels come from the cache? Then nothing was sampled or specialised.
    pub(crate) from_cache: bool,
}

impl Stages {
    /// All of them together.
    pub(crate) fn total(&self) -> f64 {
        self.parts().iter().map(|(_, seconds)| seconds).sum()
    }

    fn parts(&self) -> [(&'static str, f64); 6] {
        [
            ("read", self.read),
            ("check", self.check),
            ("sample", self.sample),
            ("specialize", self.specialize),
            ("lower", self.lower),
            ("compile", self.compile),
        ]
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let part = |(name, seconds): (&str, f64)| format!("{name} {:.1}", seconds * 1e3);
        let parts = self.parts().map(part).join(", ");
        let cached = if self.from_cache { ", from the cache" } else { "" };
        format!("{parts}; ready after {:.1} ms{cached}", self.total() * 1e3)
    }
}

/// Makes a game ready; shows the problems and fails if its rules have errors.
pub(crate) fn ready(
    front: &mut Front,
    game: &str,
    options: &GameOptions,
    by_default: EngineKind,
) -> Result<Ready, Failure> {
    let wanted = options.engine.map_or(by_default, EngineKind::from);
    let (mut source, mut stages) = open::source(front, game, options)?;
    // What counts leaves takes long to make, and few want it.
    let unwanted = (!options.counts_leaves).then_some(&Optimization::LeavesByKernel);
    let left_out = options.without.iter().chain(unwanted);
    source.optimizations = left_out.fold(source.optimizations, |all, one| all.without(*one));
    let seconds = options.limit.iter().rev().find(|(name, _)| name == COMPILE_TIME);
    let seconds = seconds.map_or(COMPILE_SECONDS, |(_, seconds)| *seconds);
    let cache = if options.no_cache { None } else { Cache::open() };
    let mut watch = Watch {
        seconds,
        begun: Stopwatch::start(),
        alarm: None,
        stages: &mut stages,
        current: None,
        cache,
        progress: Progress::start(),
    };
    let prepared = prepare(&source, wanted, &front.interrupt.stop, &mut watch);
    watch.progress.clear();
    let prepared = prepared?;
    for fallback in &prepared.fallbacks {
        front.output.remark(format_args!("{BOLD}note{RESET}: {}", notice(fallback)));
    }
    Ok(Ready { asked: game.to_owned(), source, prepared, stages })
}

fn notice(Fallback { from, to, why }: &Fallback) -> String {
    let (from, to) = (from.name(), to.name());
    format!("the engine `{from}` cannot play this game ({why}); `{to}` plays instead")
}

/// Clocks of an engine that is made ready.
struct Watch<'s> {
    seconds: u64,
    begun: Stopwatch,
    alarm: Option<Alarm>,
    stages: &'s mut Stages,
    current: Option<(BuildStage, Stopwatch)>,
    cache: Option<Cache>,
    progress: Progress,
}

impl Watch<'_> {
    fn end_stage(&mut self) {
        let Some((stage, watch)) = self.current.take() else { return };
        let slot = match stage {
            BuildStage::Sample => &mut self.stages.sample,
            BuildStage::Specialize => &mut self.stages.specialize,
            BuildStage::Lower => &mut self.stages.lower,
            BuildStage::Compile => &mut self.stages.compile,
        };
        *slot += watch.seconds();
    }
}

impl PrepareWatch for Watch<'_> {
    fn engine_begins(&mut self, stop: &Stop) -> Stop {
        let part = stop.part(COMPILE_TIME);
        let left = Duration::from_secs(self.seconds).saturating_sub(self.begun.elapsed());
        self.alarm = Some(Alarm::start(part.clone(), left, self.seconds));
        part
    }

    fn stage_begins(&mut self, stage: BuildStage) {
        self.end_stage();
        self.progress.work_on("making the game ready");
        self.current = Some((stage, Stopwatch::start()));
    }

    fn engine_ends(&mut self) {
        self.end_stage();
        self.alarm = None;
    }

    fn store(&mut self) -> Option<&mut dyn ProgramStore> {
        self.cache.as_mut().map(|cache| -> &mut dyn ProgramStore { cache })
    }

    fn loaded(&mut self) {
        self.stages.from_cache = true;
    }
}
