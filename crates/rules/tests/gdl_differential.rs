//! Random contests of every file in `tests/kif`, played by the theory and by a naive interpreter:
//! legal moves, next states, ends and goals must agree move by move.

#![allow(clippy::disallowed_methods, reason = "tests read their games from files")]

mod gdl_peer;

use std::path::PathBuf;

use gdl_peer::naive::Naive;
use gdl_peer::played::Played;

fn games() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/kif");
    let mut games: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    games.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    games.sort();
    games
}

/// A small generator of its own, so that contests never change.
fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap() % below
}

/// Plays one contest both ways; returns how many steps it took.
fn compare(naive: &Naive, played: &Played, seed: &mut u64) -> usize {
    let (mut theirs, mut ours) = (naive.initial(), played.initial());
    for step in 0..60 {
        assert_eq!(theirs, played.facts(&ours), "facts after {step} steps");
        let look = naive.look(&theirs);
        assert_eq!(look, played.look(&ours), "after {step} steps");
        if look.is_terminal || look.legal.iter().any(|moves| moves.is_empty()) {
            return step;
        }
        let choose = |(role, moves): (&String, &std::collections::BTreeSet<_>)| {
            let chosen = random(seed, moves.len());
            (role.clone(), moves.iter().nth(chosen).cloned().unwrap())
        };
        let joint: Vec<_> = naive.roles.iter().zip(&look.legal).map(choose).collect();
        theirs = naive.next(&theirs, &joint);
        ours = played.next(&ours, &joint);
    }
    60
}

#[test]
fn random_contests_agree_with_a_naive_interpreter() {
    for path in games() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let (naive, played) = (Naive::new(&text), Played::new(&name, &text));
        let mut seed = 1;
        let steps: usize = (0..6).map(|_| compare(&naive, &played, &mut seed)).sum();
        assert!(steps > 0, "{name} was played");
    }
}
