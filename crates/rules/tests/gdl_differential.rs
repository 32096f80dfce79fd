//! Random contests of every file in `tests/kif`, played by the theory and by a naive interpreter:
//! legal moves, next states, ends and goals must agree move by move.

#![allow(clippy::disallowed_methods, reason = "tests read their games from files")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod gdl_peer;

use std::collections::BTreeSet;
use std::path::PathBuf;

use rulesmith_rules::Severity;

use gdl_peer::generated::{Random, description, open_description};
use gdl_peer::naive::Naive;
use gdl_peer::played::{Played, parse};

fn games() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/kif");
    let mut games: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    games.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    games.sort();
    games
}

/// Plays one contest both ways; returns how many steps it took.
fn compare(naive: &Naive, played: &Played, random: &mut Random, n_steps: usize) -> usize {
    let (mut theirs, mut ours) = (naive.initial(), played.initial());
    for step in 0..n_steps {
        assert_eq!(theirs, played.facts(&ours), "facts after {step} steps");
        let look = naive.look(&theirs);
        assert_eq!(look, played.look(&ours), "after {step} steps");
        if look.is_terminal || look.legal.iter().any(BTreeSet::is_empty) {
            return step;
        }
        let choose = |(role, moves): (&String, &BTreeSet<_>)| {
            let chosen = random.below(moves.len());
            (role.clone(), moves.iter().nth(chosen).cloned().unwrap())
        };
        let joint: Vec<_> = naive.roles.iter().zip(&look.legal).map(choose).collect();
        theirs = naive.next(&theirs, &joint);
        ours = played.next(&ours, &joint);
    }
    n_steps
}

#[test]
fn random_contests_agree_with_a_naive_interpreter() {
    for path in games() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let (naive, played) = (Naive::new(&text), Played::new(&name, &text));
        let mut random = Random(1);
        let steps: usize = (0..6).map(|_| compare(&naive, &played, &mut random, 60)).sum();
        assert!(steps > 0, "{name} was played");
    }
}

/// How many generated descriptions are played; more with `GDL_SEEDS`.
const N_GENERATED: u64 = 150;

#[test]
fn generated_descriptions_agree_with_a_naive_interpreter() {
    let n_seeds =
        std::env::var("GDL_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(N_GENERATED);
    for seed in 0..n_seeds {
        let text = description(seed);
        let (naive, played) =
            (Naive::new(&text), Played::new(&format!("seed {seed}\n{text}"), &text));
        let mut random = Random(seed);
        for _ in 0..2 {
            compare(&naive, &played, &mut random, 6);
        }
    }
}

/// Rules that are not safe mean what a prover from the top down makes of them: the same as if a
/// variable that nothing binds could be any term at all.
#[test]
fn generated_descriptions_with_open_rules_agree_with_a_naive_interpreter() {
    let n_seeds =
        std::env::var("GDL_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(N_GENERATED);
    let mut n_read = 0;
    for seed in 0..n_seeds {
        let text = open_description(seed);
        let name = format!("seed {seed}\n{text}");
        let (parsed, problems, _) = parse(&name, &text);
        if parsed.is_none() {
            let mut errors =
                problems.list.iter().filter(|problem| problem.severity == Severity::Error);
            assert!(errors.all(|error| error.code == "unsafe-variable"), "{name}\n{problems:#?}");
            continue;
        }
        n_read += 1;
        let (naive, played) = (Naive::new(&text), Played::new(&name, &text));
        let mut random = Random(seed);
        for _ in 0..2 {
            compare(&naive, &played, &mut random, 6);
        }
    }
    assert!(n_read * 4 > n_seeds, "{n_read} of {n_seeds} are read");
}
