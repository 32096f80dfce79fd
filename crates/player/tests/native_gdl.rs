//! GDL games through kernels, state by state against the reference engine: the texts of two folders and
//! generated descriptions, interpreted and as native code.
//!
//! What has no kernels is counted, not compared. `GDL_GAMES` names the texts that are wanted, `GDL_STATES` asks
//! for more states of each, `GDL_SEEDS` for more generated descriptions. `GDL_FOLDER` adds the texts of another folder: of
//! these, what has errors or no kernels is told and passed over.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read their games from files, say how much they compared, and may panic"
)]

#[path = "../../rules/tests/gdl_peer/generated.rs"]
mod generated;

mod engines;

use std::fs;
use std::path::{Path, PathBuf};

use engines::{Contest, Hashes, compare, compiled, kernels, native_with};
use rulesmith_compile::{Optimization, Optimizations, ReferenceGame};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, Language, NoFiles, build, reference_game};

/// The folders of texts.
const FOLDERS: [&str; 2] = ["tests/kif", "../rules/tests/kif"];

/// Texts whose fluents hold terms inside terms without end, as far as anybody can tell from the shapes: they
/// have no kernels.
const OPEN: [&str; 2] = ["many_roles", "stairs"];

/// States of each game that are compared, interpreted and native, by planes and by loops.
const N_STATES: usize = 25;

/// States of one contest.
const MAX_STATES: usize = 100;

/// Generated descriptions.
const N_GENERATED: usize = 40;

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A folder of texts that are not ours.
fn outside() -> Option<PathBuf> {
    std::env::var("GDL_FOLDER").ok().map(PathBuf::from)
}

fn texts() -> Vec<PathBuf> {
    let wanted = std::env::var("GDL_GAMES").unwrap_or_default();
    let mut files = Vec::new();
    let ours = FOLDERS.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    for folder in ours.into_iter().chain(outside()) {
        let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.extend(all.filter(|file| file.extension().is_some_and(|ending| ending == "kif")));
    }
    let is_wanted = |file: &PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap();
        wanted.is_empty() || wanted.split_whitespace().any(|wanted| wanted == name)
    };
    files.retain(is_wanted);
    files.sort();
    files
}

fn open(name: &str, text: &str) -> Option<ReferenceGame> {
    let request = BuildRequest {
        name: name.to_owned(),
        text: text.to_owned(),
        language: Language::Gdl,
        ..BuildRequest::default()
    };
    reference_game(build(&request, &NoFiles), &request.limits, &Stop::default()).ok()
}

/// What came of one text.
#[derive(Debug, Default)]
struct Tally {
    interpreted: usize,
    native: usize,
    obstacles: Vec<String>,
}

/// Compares a game by planes and by loops, interpreted and native.
fn agree(mut game: ReferenceGame, n_states: usize, seed: u64) -> Result<Tally, String> {
    let (mut tally, mut hashes) = (Tally::default(), Hashes::new());
    for whole_planes in [true, false] {
        let optimizations = Optimizations::default().with(Optimization::WholePlanes, whole_planes);
        let native = match native_with(game, optimizations) {
            Ok(native) => native,
            Err(refused) => {
                let (obstacle, reference) = *refused;
                tally.obstacles.push(format!("planes {whole_planes}: {obstacle}"));
                game = reference;
                continue;
            }
        };
        if let Some(obstacle) = native.native().contest_obstacle() {
            tally.obstacles.push(format!("planes {whole_planes}, contests: {obstacle}"));
        }
        let explain = |error: String| format!("{error}\n{optimizations:?}");
        let mut play = |native: &_, first: u64| {
            let (mut n_compared, mut seed) = (0, first);
            while n_compared < n_states && seed < first + n_states as u64 {
                let contest = Contest { seed, max_states: MAX_STATES, plays_on: seed % 4 == 3 };
                n_compared += compare(native, contest, &mut hashes).map_err(explain)?;
                seed += 1;
            }
            Ok::<usize, String>(n_compared)
        };
        tally.interpreted += play(&native, seed)?;
        game = match compiled(native) {
            Ok(native) => {
                tally.native += play(&native, seed + 1_000_000)?;
                native.into_parts().1
            }
            Err(reference) => {
                tally.obstacles.push(format!("planes {whole_planes}: too large for native code"));
                reference
            }
        };
    }
    Ok(tally)
}

#[test]
fn texts_play_alike_in_kernels() {
    let n_states = number("GDL_STATES", N_STATES);
    let mut failures = Vec::new();
    for file in texts() {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let is_ours = outside().is_none_or(|folder| !file.starts_with(folder));
        let Some(game) = open(&name, &text) else {
            eprintln!("{name}: has errors");
            if is_ours {
                failures.push(format!("{name}: has errors"));
            }
            continue;
        };
        match agree(game, n_states, 0) {
            Ok(tally) => {
                eprintln!("{name}: {tally:?}");
                if is_ours && (tally.native == 0) != OPEN.contains(&&*name) {
                    failures.push(format!("{name}: {:?}", tally.obstacles));
                }
            }
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Texts in which all roles but one wait in every state, which the rows of moves show.
const IN_TURN: [&str; 5] =
    ["breakthrough_8", "nobody_at_turn", "one_chooses", "reversi_8", "three_in_turn"];

/// Those of them in which also trees show it.
const IN_TURN_BY_TREES: [&str; 3] = ["breakthrough_8", "nobody_at_turn", "reversi_8"];

/// Texts in which two roles may have a choice in one state, or one may be unable to wait.
const AT_ONCE: [&str; 4] = ["both_at_once", "second_move", "two_controls", "waits_sometimes"];

#[test]
fn roles_take_turns_where_all_others_can_only_wait() {
    let mut failures = Vec::new();
    for name in IN_TURN.into_iter().chain(AT_ONCE) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDERS[0]);
        let text = fs::read_to_string(folder.join(format!("{name}.kif"))).unwrap();
        let game = open(name, &text).unwrap();
        let cases = [
            (true, true, IN_TURN.contains(&name)),
            (true, false, IN_TURN_BY_TREES.contains(&name)),
            (false, true, false),
        ];
        for (waiting, planes, expected) in cases {
            let optimizations = Optimizations::default()
                .with(Optimization::WaitingRoles, waiting)
                .with(Optimization::WholePlanes, planes);
            let turns = kernels(&game, optimizations).unwrap().turns_text();
            if turns.contains("can only wait") != expected {
                failures.push(format!("{name}, planes {planes}, waiting {waiting}: {turns}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Texts that need lists, and why they would have no kernels without them; the others need room alone.
const LISTED: [(&str, Option<&str>); 4] = [
    ("counted_rows", Some("a large predicate that asks itself")),
    ("long_walks", None),
    ("many_ties", None),
    ("turned_rows", None),
];

#[test]
fn large_texts_have_kernels() {
    for (name, obstacle) in LISTED {
        let path = format!("{}/tests/kif/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        let game = open(name, &fs::read_to_string(path).unwrap()).unwrap();
        let all = Optimizations::default();
        assert!(kernels(&game, all).is_ok(), "{name}");
        let without = kernels(&game, all.without(Optimization::ListedRecursions));
        let found = without.err().map(|obstacle| obstacle.to_string());
        let is_expected = match (&found, obstacle) {
            (Some(found), Some(obstacle)) => found.contains(obstacle),
            (found, obstacle) => found.is_none() && obstacle.is_none(),
        };
        assert!(is_expected, "{name}: {found:?}");
    }
}

#[test]
fn generated_descriptions_play_alike_in_kernels() {
    let (mut all, mut rejected) = (Tally::default(), 0);
    let seeds = 0..number("GDL_SEEDS", N_GENERATED) as u64;
    let texts = seeds.flat_map(|seed| {
        [generated::description(seed), generated::open_description(seed)].map(|text| (seed, text))
    });
    for (seed, text) in texts {
        let Some(game) = open("generated", &text) else {
            rejected += 1;
            continue;
        };
        let played = agree(game, 6, seed);
        let tally = played.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        all.interpreted += tally.interpreted;
        all.native += tally.native;
        all.obstacles.extend(tally.obstacles);
    }
    all.obstacles.sort();
    let mut counted: Vec<(String, usize)> = Vec::new();
    for obstacle in all.obstacles.drain(..) {
        match counted.last_mut() {
            Some((last, n_times)) if *last == obstacle => *n_times += 1,
            _ => counted.push((obstacle, 1)),
        }
    }
    eprintln!("{all:?}, {rejected} rejected, {counted:#?}");
    assert!(all.native > 0, "{all:?}");
}
