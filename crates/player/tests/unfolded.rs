//! A theory whose rules have been unfolded plays exactly like the theory as it was written.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

use std::fs;
use std::path::{Path, PathBuf};

use rulesmith_compile::ReferenceGame;
use rulesmith_game::{Draws, Game, Notation, Random, RoleId};
use rulesmith_logic::{Limits, PredicateId, Stop};
use rulesmith_player::{BuildRequest, Language, Resolver, Theory, build, reference_game};
use rulesmith_rules::PredicateKind;
use rulesmith_specialize::{Bounds, Knowledge, unfold};

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
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "rules")).collect();
    files.sort();
    files
}

fn unfolded(theory: &Theory) -> Theory {
    let game = ReferenceGame::new(theory.clone(), None, Limits::default(), Stop::default());
    let knowledge = Knowledge::new(theory, game.solver());
    let mut changed = theory.clone();
    for id in (0..theory.kinds.len()).map(|id| PredicateId(u32::try_from(id).unwrap())) {
        let is_asked = matches!(
            theory.kind(id),
            PredicateKind::Legal(_)
                | PredicateKind::Terminal
                | PredicateKind::Goal
                | PredicateKind::Draw
                | PredicateKind::Continue
                | PredicateKind::Prefer
                | PredicateKind::Assign(_)
                | PredicateKind::Deferred(_)
        );
        if is_asked {
            let clauses = unfold(&knowledge, id, &Bounds::default());
            let before = theory.base.clauses_of(id).len();
            if std::env::var("SHOW").is_ok() {
                eprintln!("  {} {} -> {}", theory.base.predicate(id).name, before, clauses.len());
            }
            if std::env::var("SHOW").is_ok_and(|show| show == "clauses") {
                for clause in &clauses {
                    let symbols = game.solver().symbols().borrow();
                    eprintln!("{}", rulesmith_rules::clause_text(theory, &symbols, clause));
                }
            }
            changed.base.clauses[id.0 as usize] = clauses;
        }
    }
    changed.base.settle();
    changed.symbols = game.solver().symbols().borrow().clone();
    changed
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
            let text = |moves: &[rulesmith_compile::Turn]| format!("{moves:?}");
            assert_eq!(text(&ours), text(&theirs), "{}", one.state_text(&left));
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
        let changed = unfolded(original.theory());
        let other = ReferenceGame::new(changed, None, Limits::default(), Stop::default());
        for seed in 0..2 {
            compare(&original, &other, seed, 12);
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
    let changed = unfolded(original.theory());
    let has_after =
        |clauses: &[rulesmith_logic::Clause]| format!("{clauses:?}").contains("Elsewhere");
    for kind in &changed.moves {
        assert!(!has_after(changed.base.clauses_of(kind.legal)), "{}", kind.name);
    }
    let other = ReferenceGame::new(changed, None, Limits::default(), Stop::default());
    for seed in 0..200 {
        compare(&original, &other, seed, 40);
    }
}
