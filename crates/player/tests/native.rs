//! Kernels against the reference engine, state by state.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rulesmith_compile::{
    NativeGame, ReferenceGame, Sampling, build_kernels, game_requests, sample_states,
};
use rulesmith_game::{Draws, Game, Random, RoleId};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, Resolver, build, reference_game};
use rulesmith_specialize::{Knowledge, Settings, Specializer};

struct Beside;

impl Resolver for Beside {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(from).parent().unwrap().join(path);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((file.display().to_string(), text))
    }
}

fn library() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rules"));
    files.sort();
    files
}

fn open(file: &Path) -> ReferenceGame {
    let text = fs::read_to_string(file).unwrap();
    let request =
        BuildRequest { name: file.display().to_string(), text, ..BuildRequest::default() };
    reference_game(build(&request, &Beside), &request.limits, &Stop::default()).expect("no errors")
}

fn kernels(game: &ReferenceGame) -> Result<NativeGame, String> {
    let samples = sample_states(game, Sampling::default(), &[]).unwrap();
    let knowledge = Knowledge::new(game.theory(), game.solver());
    let mut specializer = Specializer::new(&knowledge, Settings::default(), samples);
    let specialized = specializer.specialize(&game_requests(game.theory())).unwrap();
    let kernels = build_kernels(&knowledge, &specialized).map_err(|error| error.to_string())?;
    NativeGame::new(kernels).map_err(|error| error.to_string())
}

fn compare(game: &ReferenceGame, native: &NativeGame, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut state = game.initial().unwrap();
    let mut n_states = 0;
    for _ in 0..200 {
        let words = native.encode(game, &state).unwrap();
        n_states += 1;
        let is_over = game.is_over(&state, Draws::Ignore).unwrap();
        assert_eq!(native.is_terminal(&words), is_over);
        if is_over {
            break;
        }
        let mut all = Vec::new();
        for role in 0..game.roles().len() {
            let turns = game.legal_moves(&state, RoleId(role)).unwrap();
            let expected: BTreeSet<Vec<u64>> = turns
                .iter()
                .map(|turn| native.encode_step(game, &turn.steps[0]).unwrap())
                .collect();
            let found = native.moves(&words, RoleId(role));
            let n_params = expected.iter().map(Vec::len).max().unwrap_or(1);
            let listed: BTreeSet<Vec<u64>> =
                found.iter().map(|one| one[..n_params.min(one.len())].to_vec()).collect();
            let cut = |one: &Vec<u64>| one[..one.len().min(n_params)].to_vec();
            assert_eq!(found.len(), turns.len(), "{listed:?} {expected:?}");
            let padded: BTreeSet<Vec<u64>> = expected
                .iter()
                .map(|one| {
                    let mut one = one.clone();
                    one.resize(n_params, 0);
                    cut(&one)
                })
                .collect();
            assert_eq!(listed, padded);
            all.extend(turns.into_iter().map(|turn| (RoleId(role), turn)));
        }
        let Some((role, turn)) = random.choose(&all).cloned() else { break };
        let mut after = words.clone();
        native.apply(&mut after, role, &native.encode_step(game, &turn.steps[0]).unwrap());
        game.apply(&mut state, &vec![(role, turn)]).unwrap();
        assert_eq!(after, native.encode(game, &state).unwrap());
    }
    n_states
}

#[test]
fn kernels_do_what_the_reference_engine_does() {
    let only = std::env::var("GAME").ok();
    for file in library() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let game = open(&file);
        match kernels(&game) {
            Err(obstacle) => eprintln!("{name}: {obstacle}"),
            Ok(native) => {
                if only.is_some() {
                    eprintln!("{}", native.text());
                }
                let n_states: usize = (0..3).map(|seed| compare(&game, &native, seed)).sum();
                eprintln!("{name}: {n_states} states agree");
            }
        }
    }
}
