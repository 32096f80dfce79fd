//! Unfolded predicates give the answers of the theory as it was written, for random theories, random
//! requests and random bounds.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may panic, and says how much it compared"
)]

mod random_theories;
mod subjects;

use random_theories::{Random, random_theory, shrink};
use rulesmith_logic::{Error, PredicateId, Solver};
use rulesmith_rules::{NoFiles, Settings, Theory, parse};
use rulesmith_specialize::{Bounds, Knowledge, unfold};
use subjects::{asked_for, is_consistent, patterns, predicates, random_bounds, subject};

/// Theories made by a plain test run; `RANDOM_THEORIES` asks for more, `FIRST_SEED` for others.
const N_THEORIES: u64 = 60;

/// What came of the theories.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    self_contradicting: usize,
    limited: usize,
    compared: usize,
    answers: usize,
    changed: usize,
}

/// The theory with some predicates' clauses replaced by what they unfold into.
fn unfolded(theory: &Theory, solver: &Solver, ids: &[PredicateId], bounds: &Bounds) -> Theory {
    let knowledge = Knowledge::new(theory, solver);
    let mut changed = theory.clone();
    for id in ids {
        changed.base.clauses[id.0 as usize] = unfold(&knowledge, *id, bounds);
    }
    changed.base.settle();
    changed.symbols = solver.symbols().borrow().clone();
    changed
}

/// What came of one theory: how much was compared, or why nothing was.
enum Verdict {
    Rejected,
    Limited,
    SelfContradicting,
    Compared { questions: usize, answers: usize, changed: usize },
}

/// Asks a theory and the same theory unfolded in many ways; the error says where they differ.
fn compare(text: &str, seed: u64) -> Result<Verdict, String> {
    let mut random = Random::new(seed);
    let parsed = parse("random.rules", text, &Settings::default(), &NoFiles);
    let Some(theory) = parsed.theory else { return Ok(Verdict::Rejected) };
    let original = subject(&theory);
    match is_consistent(&theory, &original) {
        Ok(true) => {}
        Ok(false) => return Ok(Verdict::SelfContradicting),
        Err(_) => return Ok(Verdict::Limited),
    }
    let ids = predicates(&theory);
    let mut requests: Vec<Vec<PredicateId>> = ids.iter().map(|id| vec![*id]).collect();
    requests.push(ids.clone());
    let (mut questions, mut answers, mut changed) = (0, 0, 0);
    for request in requests {
        let bounds = random_bounds(&mut random, &theory);
        let other_theory = unfolded(&theory, &original.solver, &request, &bounds);
        let clauses = |theory: &Theory| -> Vec<String> {
            request
                .iter()
                .flat_map(|id| theory.base.clauses_of(*id))
                .map(|one| show(theory, one))
                .collect()
        };
        changed += usize::from(clauses(&theory) != clauses(&other_theory));
        let other = subject(&other_theory);
        for id in &ids {
            for pattern in patterns(&mut random, &theory, *id) {
                // A question far outside the sorts may lead a recursion astray.
                let Ok(expected) = original.answers(*id, &pattern) else { continue };
                let found = other.answers(*id, &pattern);
                // A random body may be dear when nothing orders it.
                if matches!(found, Err(Error::Limit { .. })) {
                    continue;
                }
                if found.as_ref() != Ok(&expected) {
                    let name = &theory.base.predicate(*id).name;
                    return Err(format!(
                        "{name} {pattern:?}\nexpected {expected:?}\nfound {found:?}\n{bounds:?}\n{:#?}",
                        clauses(&other_theory)
                    ));
                }
                questions += 1;
                answers += expected.len();
            }
        }
    }
    Ok(Verdict::Compared { questions, answers, changed })
}

/// The same, with a panic as a difference.
fn attempt(text: &str, seed: u64) -> Result<Verdict, String> {
    let compared = std::panic::catch_unwind(|| compare(text, seed));
    compared.unwrap_or_else(|_| Err("it panics".to_owned()))
}

fn check(seed: u64, tally: &mut Tally) {
    let text = random_theory(&mut Random::new(seed));
    match attempt(&text, seed) {
        Ok(Verdict::Rejected) => tally.rejected += 1,
        Ok(Verdict::Limited) => tally.limited += 1,
        Ok(Verdict::SelfContradicting) => tally.self_contradicting += 1,
        Ok(Verdict::Compared { questions, answers, changed }) => {
            tally.compared += questions;
            tally.answers += answers;
            tally.changed += changed;
        }
        Err(first) => {
            let failure = |text: &str| (seed..seed + 12).find_map(|seed| attempt(text, seed).err());
            let shorter = shrink(&text, &|text| failure(text).is_some());
            let error = failure(&shorter).unwrap_or(first);
            panic!("seed {seed}: {error}\n{shorter}");
        }
    }
}

fn show(theory: &Theory, clause: &rulesmith_logic::Clause) -> String {
    let atom = |a: &rulesmith_logic::Atom| {
        format!("{}{:?}", theory.base.predicate(a.predicate).name, a.args)
    };
    format!("{} :- {:?}", atom(&clause.head), clause.body)
}

#[test]
fn unfolded_predicates_answer_like_the_theory() {
    let first = asked_for("FIRST_SEED", 0);
    let mut tally = Tally::default();
    for seed in first..first + asked_for("RANDOM_THEORIES", N_THEORIES) {
        check(seed, &mut tally);
    }
    eprintln!("{tally:?}");
    let is_whole = asked_for("RANDOM_THEORIES", N_THEORIES) >= N_THEORIES;
    assert!(!is_whole || (tally.compared > 10_000 && tally.changed > 100), "{tally:?}");
}

/// Compares a short text under many bounds.
fn check_text(declarations: &str) {
    let ending = "move pass. legal P does pass :- role(P). terminal. goal(P, 50) :- role(P).";
    let text = format!("rules 1. game short. role a, b.\n{declarations}\n{ending}");
    for seed in 0..60 {
        let compared = compare(&text, seed).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(matches!(compared, Verdict::Compared { .. }), "{text}");
    }
}

#[test]
fn conclusions_outside_their_sort_do_not_count() {
    check_text(
        "sort n = 1..3. sort m = 0..5. fluent f(n). init f(3). init f(1).
         derived up(n). up(X + 1) :- f(X).
         beyond(Y) :- up(Y), Y > 3. some :- up(_). number(count { Y : up(Y) }).
         derived far(m). far(Y + 1) :- up(Y). far(X) :- up(X - 2), not up(X).",
    );
}

#[test]
fn alternatives_beyond_the_bound_are_kept() {
    check_text(
        "sort n = 1..3. fluent f(n). init f(2).
         one(X) :- n(X), (f(X) ; X = 1), (X < 3 ; f(2)), (X > 1 ; f(1)).
         derived left(n). derived right(n).
         left(X) :- (f(X) ; n(X), right(X - 1)). right(X) :- (left(X) ; f(X), left(_)).
         both :- not left(1), right(3).",
    );
}

#[test]
fn what_is_computed_from_a_head_variable_may_leave_every_sort() {
    check_text(
        "sort n = 1..3. sort c = {red, blue}. fluent f(n). init f(2).
         derived ends(c, n). ends(blue, X) :- (Y = X + 3 ; n(Y), f(Y), X = Y).",
    );
}

#[test]
fn recursion_ends_by_static_facts_or_is_called() {
    check_text(
        "sort n = 1..5. static next(n, n). next(X, X + 1). fluent f(n). init f(3). init f(4).
         derived right(n, n). right(X, X). right(X, Z) :- next(X, Y), f(Y), right(Y, Z).
         derived left(n, n). left(X, X). left(X, Z) :- left(X, Y), next(Y, Z), f(Z).
         derived even(n). derived odd(n). even(5). even(X) :- next(X, Y), odd(Y). odd(X) :- next(X, Y), even(Y).
         alone(X) :- even(X), none { Y : right(X, Y), Y \\= X }.
         sum(N) :- N = count { X, Y : left(X, Y) }.",
    );
}
