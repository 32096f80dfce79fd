//! Specialised programs, matched by the interpreter, play every library game exactly like the rules.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;

use std::fs;
use std::path::{Path, PathBuf};

use beside::Beside;
use rulesmith_compile::{Interpreter, ReferenceGame, Sampling, game_requests, sample_states};
use rulesmith_game::{Draws, Game, Notation, Random, RoleId};
use rulesmith_logic::{Limits, Stop};
use rulesmith_player::{BuildRequest, Language, Theory, build, reference_game, specialize_game};
use rulesmith_specialize::{Knowledge, Settings, Specializer};

fn library() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "rules")).collect();
    files.sort();
    files
}

fn new_game(theory: &Theory) -> ReferenceGame {
    ReferenceGame::new(theory.clone(), None, Limits::default(), Stop::default())
}

/// The game specialised as the product does it, and with every predicate unfolded that can be.
fn specialized(theory: &Theory) -> [ReferenceGame; 2] {
    let (as_played, _) = specialize_game(new_game(theory)).unwrap();
    let game = new_game(theory);
    let samples = sample_states(&game, Sampling::default(), &[]).unwrap();
    let knowledge = Knowledge::new(theory, game.solver());
    let mut specializer = Specializer::new(&knowledge, Settings::default(), samples);
    let specialized = specializer.specialize(&game_requests(theory)).unwrap();
    let interpreter = Interpreter::new(&knowledge, &specialized).unwrap();
    drop(specializer);
    drop(knowledge);
    [as_played, game.with_interpreter(interpreter)]
}

fn compare(one: &ReferenceGame, other: &ReferenceGame, seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let (mut left, mut right) = (one.initial().unwrap(), other.initial().unwrap());
    for _ in 0..steps {
        let over = one.is_over(&left, Draws::Apply).unwrap();
        assert_eq!(over, other.is_over(&right, Draws::Apply).unwrap());
        assert_eq!(one.goals(&left).unwrap(), other.goals(&right).unwrap());
        if over {
            return;
        }
        let mut joint = Vec::new();
        for role in (0..one.roles().len()).map(RoleId) {
            let ours = one.legal_moves(&left, role).unwrap();
            let theirs = other.legal_moves(&right, role).unwrap();
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{}", one.state_text(&left));
            if !ours.is_empty() {
                joint.push((role, ours[random.below(ours.len())].clone()));
            }
        }
        if joint.is_empty() {
            return;
        }
        one.apply(&mut left, &joint).unwrap();
        other.apply(&mut right, &joint).unwrap();
    }
}

#[test]
fn specialized_games_play_like_their_rules() {
    let only = std::env::var("GAME").ok();
    for file in library() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let request = BuildRequest {
            name: file.display().to_string(),
            text,
            language: Language::Rules,
            ..BuildRequest::default()
        };
        let result = build(&request, &Beside);
        let original =
            reference_game(result, &request.limits, &Stop::default()).expect("no errors");
        for other in specialized(original.theory()) {
            for seed in 0..2 {
                compare(&original, &other, seed, 12);
            }
        }
    }
}
