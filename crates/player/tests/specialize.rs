//! Requests specialised as front ends ask for it: stopped in the middle, with an author's metarules.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rulesmith_player::{
    BuildRequest, NoFiles, SpecializeOptions, SpecializeReport, Stop, build, reference_game,
    specialize,
};

const WALK: &str = "rules 1. game walk. role me. sort n = 1..9. fluent here : n. init here = 1.
    static next(n, n). next(X, X + 1).
    derived two(n, n). two(X, Z) :- next(X, Y), next(Y, Z).
    derived four(n, n). four(X, Z) :- two(X, Y), two(Y, Z).
    derived eight(n, n). eight(X, Z) :- four(X, Y), four(Y, Z).
    target far(X) :- eight(here, X). move go(n). legal me does go(X) :- next(here, X).
    effect go(X) : here := X. terminal :- here = 9. goal(me, 100) :- here = 9.\n";

fn report(text: &str, request: &str, stop_after: u64) -> SpecializeReport {
    let build_request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    let result = build(&build_request, &NoFiles);
    assert!(!result.diagnostics.has_errors(), "{:?}", result.diagnostics);
    let stop = Stop::default();
    let game = reference_game(result, &build_request.limits, &stop).unwrap();
    let mut watch = |n_bodies: u64, _| {
        if n_bodies >= stop_after {
            stop.interrupt();
        }
    };
    specialize(game, request, &SpecializeOptions::default(), &mut watch).unwrap()
}

#[test]
fn work_that_is_stopped_calls_what_it_did_not_unfold() {
    let whole = &report(WALK, "eight(+X, -Z)", u64::MAX);
    assert!(!whole.is_stopped);
    assert!(whole.procedures[0].kept.is_empty());
    assert_eq!(whole.procedures[0].after[0].text.matches("next(").count(), 8);
    let stopped = report(WALK, "eight(+X, -Z)", 2);
    assert!(stopped.is_stopped);
    let first = &stopped.procedures[0];
    assert_eq!(first.reached, [("stopped", 1)]);
    assert!(!first.kept.is_empty(), "{first:?}");
    assert!(first.after[0].text.contains("four("), "{first:?}");
    assert!(matches!(&first.cost, Some(Err(why)) if why.contains("interrupted")), "{first:?}");
}

#[test]
fn an_authors_metarule_is_proved_where_the_facts_prove_it() {
    let metarules = "meta phase filter.
        impossible(R) :- rule(R), condition(R, `next(X, X)`).
        impossible(R) :- rule(R), condition(R, `next(1, X)`).\n";
    let report = report(&format!("{WALK}{metarules}"), "two(+X, -Z)", u64::MAX);
    let author = report.metarules.iter().filter(|one| one.derivation.contains("author"));
    let proofs: Vec<(&str, &str)> = author.map(|one| (one.text.as_str(), one.family)).collect();
    // The first is mined anyway; the facts refute the second, so it is not used at all.
    assert_eq!(proofs, []);
}
