//! Specialised programs give exactly the reference solver's answers: random theories, random requests,
//! random facts, every combination of families of metarules.
//!
//! In: seeds. Out: the first difference, with its theory made as short as it can be. What is compared
//! is the whole way from text to answers: metarules mined and learned, unfolding within random bounds,
//! useless conditions, contained clauses, order, tree, bytecode. A family that is off must not be used,
//! and each must have been of use in many theories, so that nothing passes because nothing was done.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may panic, and says how much it compared"
)]

mod programs;
mod random_theories;
mod subjects;

use std::collections::BTreeSet;

use programs::{Difference, FAMILIES, Run, Subset, compare_run, declared_holds};
use random_theories::{Random, random_theory_with_claims, shrink};
use rulesmith_rules::{NoFiles, Settings as TextSettings, parse};
use rulesmith_specialize::Knowledge;
use subjects::{Subject, asked_for, is_consistent, random_state, subject};

/// Theories made by a plain test run; `RANDOM_THEORIES` asks for more, `FIRST_SEED` for others.
const N_THEORIES: u64 = 80;

/// Specialisations of one theory, each with other families, bounds and requests.
const N_RUNS: u64 = 8;

/// What came of the theories.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    limited: usize,
    self_contradicting: usize,
    compared: usize,
    runs: Runs,
    /// The combinations of families that were compared.
    subsets: BTreeSet<u64>,
}

/// What came of specialisations.
#[derive(Debug, Default)]
struct Runs {
    specialized: usize,
    /// Requests whose conditions have no order.
    refused: usize,
    questions: usize,
    answers: usize,
    /// Questions that were too dear for the program.
    limited: usize,
    /// For each family the specialisations in which it was of use.
    used: [usize; FAMILIES.len()],
    /// Specialisations that found, and used, invariants.
    invariants: usize,
}

impl Runs {
    fn add(&mut self, run: &Run) {
        self.specialized += 1;
        self.refused += run.refused;
        self.questions += run.questions;
        self.answers += run.answers;
        self.limited += run.limited;
        self.invariants += usize::from(run.n_invariants > 0);
        for (used, family) in self.used.iter_mut().zip(run.used) {
            *used += usize::from(family > 0);
        }
    }
}

/// What came of one theory.
enum Verdict {
    Rejected,
    Limited,
    SelfContradicting,
    Compared(Vec<(Subset, Run)>),
}

/// The states of a theory in which it does not contradict itself and its author is right.
fn states(
    knowledge: &Knowledge<'_>,
    start: &Subject,
    random: &mut Random,
) -> Result<Vec<(bool, Subject)>, rulesmith_logic::Error> {
    let mut states = vec![(true, start.clone())];
    for _ in 0..4 {
        states.push((false, start.in_state(random_state(random, knowledge.theory))));
    }
    let mut good = Vec::new();
    for (is_start, state) in states {
        if is_consistent(knowledge.theory, &state)? && declared_holds(knowledge, &state)? {
            good.push((is_start, state));
        }
    }
    Ok(good)
}

/// Specialises a theory in many ways; the error says where the answers differ.
fn compare(text: &str, seed: u64, first_subset: u64) -> Result<Verdict, Difference> {
    let mut random = Random::new(seed);
    let parsed = parse("random.rules", text, &TextSettings::default(), &NoFiles);
    let Some(theory) = parsed.theory else { return Ok(Verdict::Rejected) };
    let start = subject(&theory);
    let knowledge = Knowledge::new(&theory, &start.solver);
    let states = match states(&knowledge, &start, &mut random) {
        Err(_) => return Ok(Verdict::Limited),
        Ok(states) if states.is_empty() => return Ok(Verdict::SelfContradicting),
        Ok(states) => states,
    };
    let mut runs = Vec::new();
    for number in 0..N_RUNS {
        let subset = Subset::new(first_subset + number);
        runs.push((subset, compare_run(&knowledge, &states, subset, &mut random)?));
    }
    Ok(Verdict::Compared(runs))
}

/// The same, with a panic as a difference.
fn attempt(text: &str, seed: u64, first_subset: u64) -> Result<Verdict, Difference> {
    let compared = std::panic::catch_unwind(|| compare(text, seed, first_subset));
    compared.unwrap_or_else(|_| Err("it panics".to_owned()))
}

fn check(seed: u64, tally: &mut Tally) {
    let text = random_theory_with_claims(&mut Random::new(seed));
    let first_subset = seed * N_RUNS;
    match attempt(&text, seed, first_subset) {
        Ok(Verdict::Rejected) => tally.rejected += 1,
        Ok(Verdict::Limited) => tally.limited += 1,
        Ok(Verdict::SelfContradicting) => tally.self_contradicting += 1,
        Ok(Verdict::Compared(runs)) => {
            tally.compared += 1;
            for (subset, run) in runs {
                tally.subsets.insert(subset.number());
                tally.runs.add(&run);
            }
        }
        Err(first) => {
            let failure = |text: &str| {
                (seed..seed + 12).find_map(|seed| attempt(text, seed, first_subset).err())
            };
            let shorter = shrink(&text, &|text| failure(text).is_some());
            let error = failure(&shorter).unwrap_or(first);
            panic!("seed {seed}: {error}\n{shorter}");
        }
    }
}

#[test]
fn specialized_programs_answer_like_the_solver_with_any_families() {
    let first = asked_for("FIRST_SEED", 0);
    let mut tally = Tally::default();
    for seed in first..first + asked_for("RANDOM_THEORIES", N_THEORIES) {
        check(seed, &mut tally);
    }
    eprintln!("{tally:?}");
    if asked_for("RANDOM_THEORIES", N_THEORIES) < N_THEORIES {
        return;
    }
    assert_eq!(tally.subsets.len(), 1 << FAMILIES.len(), "{tally:?}");
    assert!(tally.runs.questions > 10_000 && tally.runs.answers > 5_000, "{tally:?}");
    assert!(tally.runs.used.iter().all(|n_runs| *n_runs >= 10), "{tally:?}");
}

/// Compares a short text many times, with every combination of families.
fn check_text(declarations: &str) {
    let ending = "move pass. legal a does pass. terminal. goal(P, 50) :- role(P).";
    let text = format!("rules 1. game short. role a, b.\n{declarations}\n{ending}");
    for seed in 0..16 {
        let compared = compare(&text, seed, seed * N_RUNS);
        let compared = compared.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(matches!(compared, Verdict::Compared(_)), "{text}");
    }
}

#[test]
fn more_alternatives_than_a_bound_allows_are_answered_all_the_same() {
    check_text(
        "sort c = {red, green, blue}. fluent f(c).
         one(blue) :- count { X : (X = red ; c(X)) } + 1 > 0.
         two(X) :- (f(X) ; X = red), (c(X) ; f(blue)), not (f(red) ; f(green)).",
    );
}

#[test]
fn a_static_predicate_that_asks_itself_can_be_requested() {
    check_text(
        "sort c = {red, green, blue}. static s(c). s(red). s(X) :- s(_), X \\= blue.
         static next(c, c). next(red, green). next(green, blue).
         static far(c, c). far(X, Y) :- next(X, Y). far(X, Z) :- far(X, Y), next(Y, Z).",
    );
}
