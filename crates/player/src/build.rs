//! The pipeline: from rules text to a game that can be played.
//!
//! In: a text in one of the rule languages, settings, and a way to read the files it names. Out: the
//! theory and all problems found on the way, then the game. Invariant: nothing here reads files or
//! clocks; whoever calls passes a [`Resolver`], limits and a [`Stop`].

use std::sync::Arc;

use rulesmith_compile::ReferenceGame;
use rulesmith_game::Error;
use rulesmith_logic::Stop;
use rulesmith_rules::gdl::parse_gdl;
use rulesmith_rules::scl::{parse_scl, scl_theory};
use rulesmith_rules::{
    DataSetting, Diagnostics, Parsed, Resolver, Settings, Sources, Theory, Wording,
};

use crate::limits::BuildLimits;

/// The language of a rules text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// `.rules`.
    #[default]
    Rules,
    /// `.kif`, the game description language.
    Gdl,
    /// `.scl`, chess-like games.
    Scl,
}

/// What to build a game from.
#[derive(Clone, Debug, Default)]
pub struct BuildRequest {
    /// The name of the text in messages; a resolver sees included files from here.
    pub name: String,
    /// The text.
    pub text: String,
    /// Its language.
    pub language: Language,
    /// Parameters to set.
    pub params: Vec<(String, i32)>,
    /// Data texts to set.
    pub data: Vec<DataSetting>,
    /// What reading and reasoning may cost.
    pub limits: BuildLimits,
}

/// What came of it.
#[derive(Debug)]
pub struct BuildResult {
    /// The theory; `None` when there are errors.
    pub theory: Option<Theory>,
    /// How the author's own language writes facts and moves, when it is not ours.
    pub wording: Option<Arc<dyn Wording>>,
    /// All problems found.
    pub diagnostics: Diagnostics,
    /// The texts read, for showing the problems.
    pub sources: Sources,
}

/// Reads and checks the rules.
///
/// ```
/// use rulesmith_game::Game;
/// use rulesmith_player::{BuildRequest, NoFiles, Stop, build, reference_game};
/// let text = "rules 1. game one. role me. fluent done. move go.
///     legal me does go. effect go : done := true. terminal :- done. goal(me, 100) :- done.";
/// let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
/// let game = reference_game(build(&request, &NoFiles), &request.limits, &Stop::default());
/// assert_eq!(game.expect("no errors").roles(), ["me"]);
/// ```
pub fn build(request: &BuildRequest, resolver: &dyn Resolver) -> BuildResult {
    match request.language {
        Language::Rules => build_rules(request, resolver),
        Language::Gdl => build_gdl(request),
        Language::Scl => build_scl(request, resolver),
    }
}

/// The game of rules without errors, played by the slow engine that answers straight from them.
/// Rules with errors come back as they are.
pub fn reference_game(
    result: BuildResult,
    limits: &BuildLimits,
    stop: &Stop,
) -> Result<ReferenceGame, Box<BuildResult>> {
    match result.theory {
        Some(theory) => {
            let game = ReferenceGame::new(theory, result.wording, limits.solver, stop.clone());
            Ok(game.with_turn_limits(limits.turns))
        }
        None => Err(Box::new(result)),
    }
}

fn build_rules(request: &BuildRequest, resolver: &dyn Resolver) -> BuildResult {
    let settings = Settings {
        params: request.params.clone(),
        data: request.data.clone(),
        limits: request.limits.text,
    };
    let parsed = rulesmith_rules::parse(&request.name, &request.text, &settings, resolver);
    let Parsed { theory, diagnostics, sources } = parsed;
    BuildResult { theory, wording: None, diagnostics, sources }
}

fn build_gdl(request: &BuildRequest) -> BuildResult {
    let mut sources = Sources::default();
    let file = sources.add(&*request.name, &*request.text);
    let mut diagnostics = Diagnostics::default();
    let limits = &request.limits.gdl;
    let name = gdl_name(&request.name);
    let parsed = parse_gdl(&name, sources.clone(), file, limits, &mut diagnostics);
    let (theory, wording) = match parsed {
        Some((theory, map)) => (Some(theory), Some(Arc::new(map) as Arc<dyn Wording>)),
        None => (None, None),
    };
    BuildResult { theory, wording, diagnostics, sources }
}

fn build_scl(request: &BuildRequest, resolver: &dyn Resolver) -> BuildResult {
    let mut sources = Sources::default();
    let file = sources.add(&*request.name, &*request.text);
    let mut diagnostics = Diagnostics::default();
    let limits = &request.limits.scl;
    let game = parse_scl(&mut sources, file, resolver, limits, &mut diagnostics);
    let theory = game
        .and_then(|game| scl_theory(&game, &request.name, request.limits.text, &mut diagnostics));
    BuildResult { theory, wording: None, diagnostics, sources }
}

/// GDL texts have no name of their own: the file's is taken.
fn gdl_name(file: &str) -> String {
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    last.strip_suffix(".kif").unwrap_or(last).to_owned()
}

/// The error of a raised stop, as games report it.
pub fn stop_error(error: &rulesmith_logic::Error) -> Error {
    match error {
        rulesmith_logic::Error::Limit { name, limit } => Error::Limit { name, limit: *limit },
        _ => Error::Interrupted,
    }
}
