//! Texts made to hurt: each ends soon, with a named limit or an ordinary answer.

use rulesmith_game::{Error, Game};
use rulesmith_player::{BuildRequest, NoFiles, Stop, build, reference_game};

const COIN: &str = "rules 1. game coin. role a. sort side = 0..1. fluent up : side = 0. move flip.
    legal a does flip. effect flip : up := 1 - up. terminal :- up = 9. goal(a, 0).\n";

fn request(more: &str) -> BuildRequest {
    let text = format!("{}{more}", COIN.replace("up = 9", "up = 1"));
    BuildRequest { text, ..BuildRequest::default() }
}

/// The messages of all errors.
fn errors(more: &str) -> Vec<String> {
    let result = build(&request(more), &NoFiles);
    result.diagnostics.list.iter().map(|problem| problem.message.clone()).collect()
}

fn is_limited(more: &str, limit: &str) {
    let messages = errors(more);
    assert!(messages.iter().any(|message| message.contains(limit)), "{messages:#?}");
}

#[test]
fn a_body_without_end_reaches_the_limit_on_conditions() {
    is_limited(&format!("long :- {} up = 0.", "up = 1, ".repeat(30_000)), "`conditions`");
}

#[test]
fn a_fluent_over_too_many_keys_reaches_its_limit() {
    is_limited("fluent at(0..9999, 0..9999) : side = 0.", "`fluent-keys`");
}

#[test]
fn sorts_reach_their_limit_however_they_are_made() {
    is_limited("sort big = 1..1000000000.", "`sort-size`");
    is_limited("sort some = 1..1000. sort big = some * some * some.", "`sort-size`");
    is_limited("sort some = 1..1000. sort big = {(X, Y) : some(X), some(Y)}.", "`sort-size`");
}

#[test]
fn nesting_reaches_its_limit() {
    let deep = format!("x :- {}up = 1{}.", "(".repeat(5_000), ")".repeat(5_000));
    is_limited(&deep, "`nesting`");
    let deep = format!("x :- {} up = 1.", "not ".repeat(5_000));
    is_limited(&deep, "`nesting`");
}

#[test]
fn effects_that_are_hard_to_compare_do_not_hang() {
    let body: Vec<String> = (0..30).map(|n| format!("side(X{n}), up = X{n}")).collect();
    let other: Vec<String> = (0..30).map(|n| format!("up = Y{n}")).collect();
    let more = format!(
        "effect flip : up := 0 :- {}, up = 5 - 4.\neffect flip : up := 1 :- {}.",
        body.join(", "),
        other.join(", ")
    );
    let _ = errors(&more);
}

#[test]
fn questions_without_answers_take_memory_too() {
    let more = "derived far(int). far(N) :- N < 100000000, N >= 0, far(N + 1), far(N + 2).
        draw :- far(0).";
    let mut request = request(more);
    request.limits.solver.derived_facts = 10_000;
    let result = build(&request, &NoFiles);
    let game = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
    let state = game.initial().expect("a start");
    let outcome = game.outcome(&state, rulesmith_game::Draws::Apply);
    assert_eq!(outcome, Err(Error::Limit { name: "derived-facts", limit: 10_000 }));
}
