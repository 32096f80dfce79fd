//! From what a person calls a game to a game that can be asked.
//!
//! In: a library name, an alias or a path, and the flags. Out: the built rules, or the game itself.
//! Invariant: every problem of the rules is shown before a command gives up on them.

use std::path::Path;

use rulesmith_game::{Error, Notation};
use rulesmith_player::{
    BuildLimits, BuildRequest, BuildResult, DataSetting, GameSource, Language, ReferenceGame,
    Resolver, Theory, build, nearest,
};

use crate::args::GameOptions;
use crate::clock::Stopwatch;
use crate::exit::{Exit, Failure};
use crate::files::{self, Folder};
use crate::interrupt::Interrupt;
use crate::library::{self, Shelf};
use crate::output::{Output, counted};
use crate::ready::{COMPILE_TIME, Stages};
use crate::{clock, problems};

/// What every command has at hand.
pub(crate) struct Front {
    /// Where everything is written.
    pub(crate) output: Output,
    /// Ctrl-C and the limit `time`.
    pub(crate) interrupt: Interrupt,
}

/// A game that can be asked.
pub(crate) struct Opened {
    /// The game itself.
    pub(crate) game: ReferenceGame,
}

impl Opened {
    /// What its rules say.
    pub(crate) fn theory(&self) -> &Theory {
        self.game.theory()
    }
}

/// The state to start from: one given as text, or the initial one.
pub(crate) fn start<G: Notation>(game: &G, position: Option<&str>) -> Result<G::State, Error> {
    position.map_or_else(|| game.initial(), |text| game.parse_state(text))
}

/// Opens a game for play; shows the problems and fails if its rules have errors.
pub(crate) fn open(
    front: &mut Front,
    game: &str,
    options: &GameOptions,
) -> Result<Opened, Failure> {
    let (source, _) = source(front, game, options)?;
    Ok(Opened { game: source.reference_game(&front.interrupt.stop) })
}

/// What a game is made from, and how long reading and checking took; shows the problems and fails if the
/// rules have errors.
pub(crate) fn source(
    front: &mut Front,
    game: &str,
    options: &GameOptions,
) -> Result<(GameSource, Stages), Failure> {
    let mut stages = Stages::default();
    let watch = Stopwatch::start();
    let (request, resolver) = request(front, game, options)?;
    stages.read = watch.seconds();
    let watch = Stopwatch::start();
    let result = build(&request, resolver.as_ref());
    stages.check = watch.seconds();
    let (_, n_warnings) = problems::count(&result.diagnostics.list);
    let source = GameSource::new(result, &request.limits).map_err(|result| {
        front.output.remark(problems::render(&result));
        Failure::shown(problems::exit(&result.diagnostics.list))
    })?;
    if n_warnings > 0 {
        let warnings = counted(n_warnings, "warning");
        front.output.remark(format_args!("{warnings}; `rulesmith check {game}` shows more"));
    }
    Ok((source, stages))
}

/// Reads and checks the rules of a game.
pub(crate) fn read(
    front: &Front,
    game: &str,
    options: &GameOptions,
) -> Result<(BuildResult, BuildLimits), Failure> {
    let (request, resolver) = request(front, game, options)?;
    Ok((build(&request, resolver.as_ref()), request.limits))
}

/// The text of a game, with all that is set from outside.
fn request(
    front: &Front,
    game: &str,
    options: &GameOptions,
) -> Result<(BuildRequest, Box<dyn Resolver>), Failure> {
    let limits = set_limits(front, options)?;
    let found = find(game)?;
    if found.language != Language::Rules && !(options.set.is_empty() && options.data.is_empty()) {
        let name = if found.language == Language::Gdl { "GDL" } else { "SCL" };
        let message = format!("`{}` is {name}, which has no parameters and no data", found.name);
        return Err(Failure::new(Exit::Usage, message));
    }
    let request = BuildRequest {
        data: options.data.iter().map(|data| read_data(data, &found)).collect::<Result<_, _>>()?,
        params: options.set.clone(),
        limits,
        name: found.name,
        text: found.text,
        language: found.language,
    };
    Ok((request, found.resolver))
}

/// A rules text and where it came from.
struct Found {
    name: String,
    text: String,
    language: Language,
    resolver: Box<dyn Resolver>,
    is_in_library: bool,
}

/// The rules text of a library name, an alias or a path. A bare name of the library means the library;
/// otherwise what exists as a file is a path.
fn find(game: &str) -> Result<Found, Failure> {
    let path = Path::new(game);
    let in_library = if game.contains('/') { None } else { library::find(game) };
    let is_bare = path.extension().is_none();
    match in_library {
        Some(file) if is_bare || !files::is_file(path) => Ok(Found {
            text: library::read(&file)?,
            language: language(&file),
            name: format!("{}{file}", library::FOLDER),
            resolver: Box::new(Shelf),
            is_in_library: true,
        }),
        None if !game.contains('/') && !path.exists() => Err(library::unknown(game)),
        _ => Ok(Found {
            text: files::read_text(path)?,
            language: language(game),
            name: game.to_owned(),
            resolver: Box::new(Folder::of(path)),
            is_in_library: false,
        }),
    }
}

fn language(file: &str) -> Language {
    match Path::new(file).extension().and_then(|end| end.to_str()) {
        Some("kif" | "gdl") => Language::Gdl,
        Some("scl") => Language::Scl,
        _ => Language::Rules,
    }
}

/// The text of `[NAME=]FILE`. A library game may name files of the library too.
fn read_data(data: &str, found: &Found) -> Result<DataSetting, Failure> {
    let (name, file) = match data.split_once('=') {
        Some((name, file)) if !files::is_file(Path::new(data)) => (Some(name), file),
        _ => (None, data),
    };
    let from_library = || library::read(file).ok().filter(|_| found.is_in_library);
    let text = match files::read_text(Path::new(file)) {
        Ok(text) => text,
        Err(failure) => from_library().ok_or(failure)?,
    };
    Ok(DataSetting { name: name.map(|name| name.trim().to_owned()), file: file.to_owned(), text })
}

/// The limit on the time of a whole command, in seconds; the others are the builder's.
const TIME: &str = "time";

/// What `--limit` sets.
fn limit_names() -> impl Iterator<Item = &'static str> + Clone {
    BuildLimits::names().into_iter().chain([TIME, COMPILE_TIME])
}

/// Is it a limit that `--limit` sets?
pub(crate) fn is_set_by_limit(name: &str) -> bool {
    limit_names().any(|one| one == name)
}

fn set_limits(front: &Front, options: &GameOptions) -> Result<BuildLimits, Failure> {
    let mut limits = BuildLimits::default();
    for (name, value) in &options.limit {
        if name == TIME {
            clock::stop_after(&front.interrupt.stop, *value);
        } else if name == COMPILE_TIME {
            // Every engine that is tried has it; `ready` keeps the time.
        } else if !limits.set(name, *value) {
            let names = limit_names();
            let failure = Failure::new(Exit::Usage, format!("there is no limit `{name}`"));
            return Err(match nearest(name, names.clone()) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help(format!("there is {}", names.collect::<Vec<_>>().join(", "))),
            });
        }
    }
    Ok(limits)
}
