//! A theory whose rules have been unfolded plays exactly like the theory as it was written.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read the library from its folder, say how much they compared, and may panic"
)]

mod beside;
#[path = "../../specialize/tests/random_theories/mod.rs"]
mod random_theories;

mod pairs;
mod random_games;

use std::fs;
use std::path::{Path, PathBuf};

use beside::Beside;
use pairs::{compare, random_bounds};
use random_games::{random_game, random_object_game};
use random_theories::shrink;
use rulesmith_compile::{ReferenceGame, TurnLimits};
use rulesmith_game::Random;
use rulesmith_logic::{Clause, Limits, PredicateId, Stop};
use rulesmith_player::{BuildRequest, Language, Theory, build, reference_game};
use rulesmith_rules::PredicateKind;
use rulesmith_specialize::{Bounds, Knowledge, unfold};

fn library() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "rules")).collect();
    files.sort();
    files
}

/// The predicates a game asks.
fn asked(theory: &Theory) -> Vec<PredicateId> {
    let all = (0..theory.kinds.len()).map(|id| PredicateId(u32::try_from(id).unwrap()));
    let is_asked = |id: &PredicateId| {
        matches!(
            theory.kind(*id),
            PredicateKind::Legal(_)
                | PredicateKind::Terminal
                | PredicateKind::Goal
                | PredicateKind::Draw
                | PredicateKind::Continue
                | PredicateKind::Prefer
                | PredicateKind::Assign(_)
                | PredicateKind::Deferred(_)
        )
    };
    all.filter(is_asked).collect()
}

fn unfolded(theory: &Theory, bounds: &Bounds, limits: Limits) -> Theory {
    let game = ReferenceGame::new(theory.clone(), None, limits, Stop::default());
    let knowledge = Knowledge::new(theory, game.solver());
    let mut changed = theory.clone();
    for id in asked(theory) {
        changed.base.clauses[id.0 as usize] = unfold(&knowledge, id, bounds);
    }
    changed.base.settle();
    changed.symbols = game.solver().symbols().borrow().clone();
    changed
}

#[test]
fn unfolded_rules_play_like_the_rules() {
    let only = std::env::var("GAME").ok();
    for file in library() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        eprintln!("{name}");
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
        let changed = unfolded(original.theory(), &Bounds::default(), Limits::default());
        let other = ReferenceGame::new(changed, None, Limits::default(), Stop::default());
        for seed in 0..2 {
            compare(&original, &other, seed, 12, false).unwrap();
        }
    }
}

const AFTER: &str = "rules 1. game after. role a, b. sort cell = 1..6. sort content = {empty} + role.
    static next(cell, cell). next(X, X + 1). next(X, X - 1).
    fluent at(cell) : content = empty. fluent turn : role. fluent marked(cell).
    transient fluent last : cell = undefined. fluent hops : 0..3 = 0. transient fluent glow(cell) : 0..2 = 1.
    init at(1) = a. init at(6) = b. init turn = a. init marked(3).
    move hop(cell, cell). move mark(cell).
    alone(P, X) :- at(X) = P, none { Y : next(X, Y), at(Y) = P }.
    men(P, count { X : at(X) = P }) :- role(P).
    legal P does hop(X, Y) :- turn = P, at(X) = P, next(X, Y),
        after(hop(X, Y), not marked(Y), at(Y) = P, (turn = P ; hops = 0)).
    legal P does mark(X) :- turn = P, at(X) \\= P,
        after(mark(X), marked(X), alone(Q, _), opponent(P, Q), men(P, N), N > 0, turn \\= P, last = X, glow(X) = 2).
    legal P does mark(X) :- turn = P, at(X) = P,
        after(mark(X), not last = 3, after(mark(3), marked(3), marked(X), glow(X) = 1)).
    effect P does hop(X, Y) : at(X) := empty, at(Y) := P.
    effect P does hop(X, Y) : hops := hops + 1 :- hops < 3, at(Y) = empty.
    effect P does hop(X, Y) : marked(X) := true :- next(Y, Z), at(Z) = empty.
    effect mark(X) : marked(X) := true, last := X, glow(X) := 2.
    effect mark(X) : marked(Y) := false :- next(X, Y), not at(Y) = empty.
    continue :- hops = 1, _ does hop(_, _).
    deferred effect any : turn := Q :- turn = P, opponent(P, Q).
    deferred effect hop(_, _) : hops := 0 :- hops >= 2.
    terminal :- not at(_) = a. goal(P, 50) :- role(P).";

#[test]
fn conditions_after_a_move_are_exact_before_it() {
    let request = BuildRequest { text: AFTER.to_owned(), ..BuildRequest::default() };
    let result = build(&request, &Beside);
    assert!(result.theory.is_some(), "{:?}", result.diagnostics);
    let original = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
    let changed = unfolded(original.theory(), &Bounds::default(), Limits::default());
    for kind in &changed.moves {
        assert!(!has_after(changed.base.clauses_of(kind.legal)), "{}", kind.name);
    }
    let other = ReferenceGame::new(changed, None, Limits::default(), Stop::default());
    for seed in 0..200 {
        compare(&original, &other, seed, 40, false).unwrap();
    }
}

fn has_after(clauses: &[Clause]) -> bool {
    format!("{clauses:?}").contains("Elsewhere")
}

/// What came of random games.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    played: usize,
    steps: usize,
    /// Legal predicates with conditions after a move, and how many are without after unfolding.
    afters: usize,
    regressed: usize,
}

impl Tally {
    /// Too few games to expect anything of them?
    fn is_small(&self) -> bool {
        self.rejected + self.played < 50
    }
}

/// Plays a text as it is and unfolded; nothing when the text is no game.
fn play_both(text: &str, seed: u64) -> Result<Option<Tally>, String> {
    let mut request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    request.limits.solver = Limits {
        inferences: 1_000_000,
        derived_facts: 20_000,
        recursion_depth: 500,
        terms: 20_000,
    };
    request.limits.turns = TurnLimits { steps: 5, turns: 300 };
    let result = build(&request, &Beside);
    let Ok(original) = reference_game(result, &request.limits, &Stop::default()) else {
        return Ok(None);
    };
    let mut random = Random::new(seed);
    let mut tally = Tally { played: 1, ..Tally::default() };
    for number in 0..2 {
        let theory = original.theory();
        let bounds = match number {
            0 => Bounds { clauses: 200, ..Bounds::default() },
            _ => random_bounds(&mut random, theory),
        };
        let changed = unfolded(theory, &bounds, request.limits.solver);
        if number == 0 {
            let with_after = theory.moves.iter().map(|kind| kind.legal);
            let with_after: Vec<PredicateId> =
                with_after.filter(|id| has_after(theory.base.clauses_of(*id))).collect();
            tally.afters += with_after.len();
            let is_regressed = |id: &&PredicateId| !has_after(changed.base.clauses_of(**id));
            tally.regressed += with_after.iter().filter(is_regressed).count();
        }
        let solver = request.limits.solver;
        let other = ReferenceGame::new(changed, None, solver, Stop::default());
        let other = other.with_turn_limits(request.limits.turns);
        for contest in 0..3 {
            let steps = compare(&original, &other, seed + contest, 8, true);
            tally.steps += steps.map_err(|error| format!("{error}\n{bounds:?}"))?;
        }
    }
    Ok(Some(tally))
}

/// The same, with a panic as a difference.
fn attempt(text: &str, seed: u64) -> Result<Option<Tally>, String> {
    let played = std::panic::catch_unwind(|| play_both(text, seed));
    played.unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// Plays many random games; `RANDOM_GAMES` asks for more, `FIRST_SEED` for others.
fn check_games(n_games: u64, make: fn(&mut random_theories::Random) -> String) -> Tally {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let first = number("FIRST_SEED", 0);
    let mut all = Tally::default();
    for seed in first..first + number("RANDOM_GAMES", n_games) {
        let text = make(&mut random_theories::Random::new(seed));
        match attempt(&text, seed) {
            Ok(None) => all.rejected += 1,
            Ok(Some(one)) => {
                all.played += one.played;
                all.steps += one.steps;
                all.afters += one.afters;
                all.regressed += one.regressed;
            }
            Err(first) => {
                let failure =
                    |text: &str| (seed..seed + 4).find_map(|seed| attempt(text, seed).err());
                let shorter = shrink(&text, &|text| failure(text).is_some());
                let error = failure(&shorter).unwrap_or(first);
                panic!("seed {seed}: {error}\n{shorter}");
            }
        }
    }
    eprintln!("{all:?}");
    all
}

#[test]
fn random_games_play_alike_when_they_are_unfolded() {
    let all = check_games(50, random_game);
    assert!(all.is_small() || all.regressed > 10, "{all:?}");
}

#[test]
fn random_games_with_objects_play_alike_when_they_are_unfolded() {
    let all = check_games(50, random_object_game);
    assert!(all.is_small() || all.steps > 100, "{all:?}");
}

/// Plays a short text with stones on four points in a row.
fn check_stones(rules: &str) {
    let text = format!(
        "rules 1. game stones. role a, b. sort p = 1..4. sort content = {{empty}} + role.
         static link(p, p). link(X, X + 1).
         fluent at(p) : content = empty. fluent turn : role = a. fluent cut(p).
         init at(1) = a. init at(2) = a. init at(4) = b.
         uncut(X, Y) :- link(X, Y), not cut(X).
         {rules}
         move play(p). move take(p). move cut(p).
         effect P does play(X) : at(X) := P. effect cut(X) : cut(X) := true.
         effect any : turn := Q :- turn = P, opponent(P, Q).
         terminal :- not at(_) = empty. goal(P, 50) :- role(P)."
    );
    for seed in 0..20 {
        let tally = play_both(&text, seed).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(tally.is_some_and(|tally| tally.steps > 0), "{text}");
    }
}

#[test]
fn a_point_taken_from_a_string_is_not_the_whole_string() {
    check_stones(
        "object string = component(X : at(X) = C, C \\= empty ; link link ; same C).
         effect take(X) : at(X) := empty :- string_element(S, X), string_shared(S, _).
         legal P does play(X) :- turn = P, at(X) = empty.
         legal P does take(X) :- turn = P,
             after(take(X), string_element(S, Y), string_element(S, Z), Y \\= Z).
         legal P does cut(X) :- turn = P, p(X).",
    );
}

#[test]
fn strings_change_when_their_links_do() {
    check_stones(
        "object string = component(X : at(X) = C, C \\= empty ; link uncut ; same C).
         effect take(X) : at(X) := empty.
         legal P does play(X) :- turn = P, at(X) = empty.
         legal P does take(X) :- turn = P, at(X) = P.
         legal P does cut(X) :- turn = P, not cut(X),
             after(cut(X), string_element(S, 1), string_element(S, 2)).",
    );
}

#[test]
fn what_is_judged_after_a_move_waits_for_what_is_computed_before() {
    check_stones(
        "object string = component(X : at(X) = C, C \\= empty ; link link ; same C).
         effect take(X) : at(X) := empty.
         legal P does play(X) :- turn = P, at(X) = empty.
         legal P does take(X) :- turn = P, at(X) = P.
         legal P does cut(X) :- turn = P,
             after(cut(X), none { S : string_element(S, 3) }, Y = 2 * X - 1, not string_shared(Y, _)).",
    );
}
