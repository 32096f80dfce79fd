//! Counts from outside: every chess-like game of the library that has counts in `data/perft.json` meets them, in every position, to the depth that a
//! budget allows; and its start is the FEN that the data give. Some games meet all of them by native code. `data/README.md` says how to raise the budget and
//! choose games.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests read games and counts from their folders, a panic is their verdict, and a long run tells how far it is"
)]

#[path = "../../player/tests/beside/mod.rs"]
mod beside;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use beside::Beside;
use rulesmith_game::{LeafKind, Notation};
use rulesmith_player::{
    BuildRequest, Diagnostics, EngineGame, EngineKind, GameSource, Language, Sources, Stop,
    TurnIdentity, Unwatched, build, import_bases, import_variants, prepare,
};
use serde::Deserialize;

/// A position and its counts.
#[derive(Debug, Deserialize)]
struct Row {
    game: String,
    position: String,
    start: Option<String>,
    duplicates: Option<String>,
    nodes: BTreeMap<u32, u64>,
}

/// So many states may be visited for one count, unless `PERFT_STATES` says otherwise.
const STATES: u64 = 40;

/// Names in the data of texts that have another name in the library, for no alias may shadow a game.
const OTHER_NAMES: &[(&str, &str)] =
    &[("3check", "three_check"), ("breakthrough", "breakthrough_scl")];

/// The chess-like games of the library by their names and aliases.
fn library() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let games = files.filter(|path| path.extension().is_some_and(|end| end == "scl"));
    let mut library: BTreeMap<String, PathBuf> =
        games.map(|path| (squeezed(path.file_stem().unwrap().to_str().unwrap()), path)).collect();
    let aliases = fs::read_to_string(folder.join("aliases.txt")).unwrap();
    let others = aliases.lines().filter_map(|line| line.split_once(char::is_whitespace));
    for (alias, name) in others.chain(OTHER_NAMES.iter().copied()) {
        if let Some(path) = library.get(&squeezed(name)).cloned() {
            library.insert(squeezed(alias), path);
        }
    }
    library
}

fn squeezed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The rows of each of these games that was asked for.
fn wanted(games: &BTreeMap<String, PathBuf>) -> Vec<(PathBuf, Vec<Row>)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/perft.json");
    let rows: Vec<Row> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let names: Option<Vec<String>> =
        setting("PERFT_GAMES").map(|names| names.split(',').map(squeezed).collect());
    let mut found: BTreeMap<PathBuf, Vec<Row>> = BTreeMap::new();
    for row in rows {
        let name = squeezed(&row.game);
        let is_asked = names.as_ref().is_none_or(|names| names.contains(&name));
        if let Some(path) = games.get(&name).filter(|_| is_asked) {
            found.entry(path.clone()).or_default().push(row);
        }
    }
    found.into_iter().collect()
}

/// The deepest count that visits no more states than the budget: the last turn is only counted.
fn depth_within(nodes: &BTreeMap<u32, u64>, budget: u64) -> Option<(u32, u64)> {
    let visits = |depth: &u32| match depth.checked_sub(1) {
        Some(0) | None => 1,
        // Counts grow; what is not in the data is taken for too much.
        Some(above) => nodes.get(&above).copied().unwrap_or(u64::MAX),
    };
    nodes.iter().filter(|(depth, _)| visits(depth) <= budget).map(|(depth, n)| (*depth, *n)).max()
}

/// Checks one row.
fn check_row<G: Notation>(game: &G, row: &Row, budget: u64) -> Result<u64, String> {
    let initial = game.initial().map_err(|error| error.to_string())?;
    let read = |text: &str| game.parse_state(text).map_err(|error| error.to_string());
    if let Some(start) = &row.start
        && game.state_text(&read(start)?) != game.state_text(&initial)
    {
        return Err(format!("the start is {}, not {start}", game.state_text(&initial)));
    }
    let state = if row.position == "start" { initial } else { read(&row.position)? };
    let Some((depth, expected)) = depth_within(&row.nodes, budget) else { return Ok(0) };
    let counted = game.leaves(&state, depth, LeafKind::Bulk, &mut || ControlFlow::Continue(()));
    match counted {
        Ok(leaves) if leaves.count == expected => Ok(expected),
        Ok(leaves) => Err(format!("depth {depth}: {}, not {expected}", leaves.count)),
        Err(error) => Err(error.to_string()),
    }
}

/// How counts are checked.
#[derive(Clone, Copy)]
struct Way {
    engine: EngineKind,
    budget: u64,
}

impl Way {
    /// As the environment asks for.
    fn asked() -> Self {
        let engine = match setting("PERFT_ENGINE").as_deref() {
            Some("interpreter") => EngineKind::Interpreter,
            Some("native") => EngineKind::Native,
            _ => EngineKind::Reference,
        };
        let budget = setting("PERFT_STATES").map_or(STATES, |number| number.parse().unwrap());
        Self { engine, budget }
    }
}

/// When two turns are one, in the counts of a row; nothing if the row does not say.
fn identity(row: &Row) -> Option<TurnIdentity> {
    row.duplicates.as_deref().map(|kept| match kept {
        "keep" => TurnIdentity::Path,
        _ => TurnIdentity::Result,
    })
}

/// Checks all rows of a game, each with turns told apart as it says; how many leaves were counted, and what is wrong.
fn check_game(path: &Path, text: String, rows: &[Row], way: Way) -> (u64, Vec<String>) {
    let request = BuildRequest {
        name: path.display().to_string(),
        text,
        language: Language::Scl,
        ..BuildRequest::default()
    };
    let mut source = match GameSource::new(build(&request, &Beside), &request.limits) {
        Ok(source) => source,
        Err(result) => return (0, vec![format!("{}: {:?}", path.display(), result.diagnostics)]),
    };
    let own = source.theory.turn_identity;
    let (mut n_leaves, mut problems) = (0, Vec::new());
    for identity in [TurnIdentity::Result, TurnIdentity::Path] {
        let is_counted_so = |row: &&Row| self::identity(row).unwrap_or(own) == identity;
        let rows: Vec<&Row> = rows.iter().filter(is_counted_so).collect();
        if !rows.is_empty() {
            source.theory.turn_identity = identity;
            n_leaves += check_rows(&source, &rows, way, &mut problems);
        }
    }
    (n_leaves, problems)
}

/// Checks rows of a game; how many leaves were counted.
fn check_rows(source: &GameSource, rows: &[&Row], way: Way, problems: &mut Vec<String>) -> u64 {
    let Way { engine, budget } = way;
    let prepared = prepare(source, engine, &Stop::default(), &mut Unwatched).unwrap();
    let mut n_leaves = 0;
    for row in rows {
        let checked = match &prepared.game {
            EngineGame::Reference(game) => check_row(game, row, budget),
            EngineGame::Native(game) => check_row(game, row, budget),
        };
        match checked {
            Ok(leaves) => n_leaves += leaves,
            Err(problem) => problems.push(format!("{}, {}: {problem}", row.game, row.position)),
        }
    }
    n_leaves
}

/// Checks all games, each with the text that `read` gives, if it gives one. How many were there?
fn check_all(
    games: &[(PathBuf, Vec<Row>)],
    read: &(dyn Fn(&Path) -> Option<String> + Sync),
    way: Way,
) -> usize {
    let (next, n_checked) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let problems = Mutex::new(Vec::new());
    let work = || {
        while let Some((path, rows)) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(text) = read(path) else { continue };
            let (n_leaves, found) = check_game(path, text, rows, way);
            n_checked.fetch_add(1, Ordering::Relaxed);
            println!("{}: {n_leaves} leaves, {} problems", path.display(), found.len());
            problems.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(work);
        }
    });
    let mut problems = problems.into_inner().unwrap();
    problems.sort();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    n_checked.into_inner()
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// Games that meet all their counts in a plain run: one or two of each family, with what only depth shows.
const DEEP: &[&str] = &[
    "american_checkers",
    "antichess",
    "atomic",
    "chess",
    "crazyhouse",
    "international_draughts",
    "makruk",
    "racingkings",
    "shogi",
    "sittuyin",
    "xiangqi",
];

#[test]
fn some_games_meet_all_counts_by_native_code() {
    let mut games = library();
    games.retain(|name, _| DEEP.iter().any(|deep| squeezed(deep) == *name));
    let way = Way { engine: EngineKind::Native, budget: u64::MAX };
    let n_checked = check_all(&wanted(&games), &read, way);
    assert!(n_checked == DEEP.len() || setting("PERFT_GAMES").is_some(), "{n_checked} games");
}

#[test]
fn the_library_meets_counts_from_outside() {
    let games = wanted(&library());
    let n_checked = check_all(&games, &read, Way::asked());
    assert!(n_checked > 0 || setting("PERFT_GAMES").is_some(), "no game of the library has counts");
}

/// Variants that others inherit from, turned into texts of the language. Those that the theory cannot play yet are left out.
#[test]
fn imported_variants_meet_counts_from_outside() {
    let bases = import_bases().into_iter();
    let bases: BTreeMap<String, PathBuf> =
        bases.map(|base| (squeezed(&base), PathBuf::from(base))).collect();
    let read = |base: &Path| {
        let mut sources = Sources::default();
        let file = sources.add("bases.ini", format!("[imported:{}]", base.display()));
        let text =
            import_variants(&sources, file, &[], &mut Diagnostics::default()).remove(0).text?;
        let request =
            BuildRequest { text: text.clone(), language: Language::Scl, ..BuildRequest::default() };
        let problems = build(&request, &Beside).diagnostics.list;
        (!problems.iter().any(|problem| problem.code == "not-yet")).then_some(text)
    };
    let n_checked = check_all(&wanted(&bases), &read, Way::asked());
    assert!(n_checked > 20 || setting("PERFT_GAMES").is_some(), "only {n_checked} variants");
}

#[test]
fn depths_stay_within_the_budget() {
    let nodes = BTreeMap::from([(1, 20), (2, 400), (3, 8902), (5, 4_865_609)]);
    assert_eq!(depth_within(&nodes, 1), Some((1, 20)));
    assert_eq!(depth_within(&nodes, 20), Some((2, 400)));
    assert_eq!(depth_within(&nodes, 8901), Some((3, 8902)));
    assert_eq!(depth_within(&nodes, 1_000_000), Some((3, 8902)));
    assert_eq!(depth_within(&nodes, 0), None);
}
