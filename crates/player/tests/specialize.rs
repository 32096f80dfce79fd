//! Requests specialised as front ends ask for it: stopped in the middle, with an author's metarules.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rulesmith_player::{
    Agreement, BuildRequest, NoFiles, SpecializeOptions, SpecializeReport, Stop, build,
    reference_game, specialize,
};

const WALK: &str = "rules 1. game walk. role me. sort n = 1..9. fluent here : n. init here = 1.
    static next(n, n). next(X, X + 1).
    derived two(n, n). two(X, Z) :- next(X, Y), next(Y, Z).
    derived four(n, n). four(X, Z) :- two(X, Y), two(Y, Z).
    derived eight(n, n). eight(X, Z) :- four(X, Y), four(Y, Z).
    target far(X) :- eight(here, X). move go(n). legal me does go(X) :- next(here, X).
    effect go(X) : here := X. terminal :- here = 9. goal(me, 100) :- here = 9.\n";

fn report(text: &str, request: &str, stop_after: u64) -> SpecializeReport {
    report_with(text, request, stop_after, &SpecializeOptions::default())
}

fn report_with(
    text: &str,
    request: &str,
    stop_after: u64,
    options: &SpecializeOptions,
) -> SpecializeReport {
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
    specialize(game, request, options, &mut watch).unwrap()
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

/// How many answers the measured side has, or why there is no measure.
fn n_answers(report: &SpecializeReport) -> Result<u64, String> {
    let cost = report.procedures[0].cost.clone().unwrap();
    cost.map(|cost| cost.n_answers)
}

const STEPS: &str = "rules 1. game steps. role w. sort n = 0..3. fluent q(n). init q(X).
    move m(n). legal w does m(X) :- n(X), q(X). effect m(X) : q(X) := false.
    derived up(n, n). up(X, X + 1) :- q(X).
    derived down(n, n). down(X, Y) :- up(X, Z), Y = Z - 2.
    derived way(n, n). way(X, Y) :- up(X, Y). way(X, Y) :- down(X, Y).
    derived ways(n, n). ways(X, Y) :- way(X, Z), way(Z, Y).
    terminal :- q(0), not q(0). goal(w, 0).\n";

#[test]
fn a_bound_on_clauses_changes_no_answer() {
    for request in ["up(X, Y)", "way(X, Y)", "ways(X, Y)"] {
        let whole = n_answers(&report(STEPS, request, u64::MAX)).unwrap();
        for bound in [0, 1, 2] {
            let bounds = vec![("clauses".to_owned(), bound)];
            let options = SpecializeOptions { bounds, ..SpecializeOptions::default() };
            let bounded = report_with(STEPS, request, u64::MAX, &options);
            assert_eq!(n_answers(&bounded), Ok(whole), "{request}, {bound} clauses");
        }
    }
}

#[test]
fn what_has_too_many_alternatives_is_left_to_the_solver_and_said_to_be() {
    let pairs = ["(q(0) ; not q(1))", "(q(1) ; not q(2))", "(q(2) ; not q(3))"];
    let many: Vec<&str> = pairs.into_iter().cycle().take(12).collect();
    let text = format!(
        "{STEPS}derived many(n, n). many(X, X + 1) :- q(X), {}.
         derived user(n, n). user(X, Y) :- many(X, Y), not many(Y, X).\n",
        many.join(", ")
    );
    for request in ["many(X, Y)", "many(+X, Y)", "many(0, Y)", "user(X, Y)"] {
        let report = report(&text, request, u64::MAX);
        assert_eq!(report.outside, ["many/2"]);
        let why = "its clauses have more than 4000 alternatives, the bound `clauses`";
        assert_eq!(report.procedures[0].kept, [("many/2".to_owned(), why.to_owned())]);
        let wanted = if request.contains('0') { 2 } else { 4 };
        assert_eq!(n_answers(&report), Ok(wanted), "{request}");
    }
}

#[test]
fn clauses_as_written_may_call_with_less_known_than_the_program() {
    let chain = format!(
        "{STEPS}derived chain(0..20). chain(0). chain(N + 1) :- chain(N), q(N mod 4).
         derived add(0..6, 0..6, 0..6). add(0, N, N) :- q(_), N >= 0.
         add(M + 1, N, R + 1) :- add(M, N, R).\n"
    );
    let bounded = |bound: u64| SpecializeOptions {
        bounds: vec![("clauses".to_owned(), bound)],
        ..SpecializeOptions::default()
    };
    for request in ["chain(+N)", "add(+M, +N, R)", "down(X, +Y)", "ways(X, +Y)"] {
        let whole = report(&chain, request, u64::MAX);
        let n_whole = n_answers(&whole);
        assert!(n_whole.is_ok(), "{request}: {n_whole:?}");
        for bound in [0, 1, 2] {
            let bounded = report_with(&chain, request, u64::MAX, &bounded(bound));
            assert_eq!(n_answers(&bounded), n_whole, "{request}, {bound} clauses");
            assert_eq!(bounded.disagreements().count(), 0, "{request}, {bound} clauses");
        }
    }
}

const PAIRS: &str = "rules 1. game pairs. role white, black. sort n = 0..4.
    static beside(n, n). beside(F, F + 1). beside(F, F - 1).
    fluent at(n) : {e} + role = e. fluent turn : role = white.
    move put(n). legal P does put(F) :- turn = P, at(F) = e.
    effect P does put(F) : at(F) := P. effect any : turn := Q :- turn = P, opponent(P, Q).
    derived pair(n, n). pair(F, G) :- beside(F, G), at(F) = white, at(G) = white.
    derived threat(n).
    terminal :- not at(_) = e. goal(P, 50) :- role(P).\n";

#[test]
fn a_declared_metarule_is_named_and_its_answers_are_compared_with_those_of_the_rules() {
    let text = format!("{PAIRS}meta phase filter. useless(R, C) :- rule(R), condition(R, C).\n");
    let wrong = report(&text, "pair(F, G)", u64::MAX);
    let procedure = &wrong.procedures[0];
    assert_eq!(procedure.after[0].declared.len(), 1, "{procedure:?}");
    assert!(procedure.declared[0].0.starts_with("useless(R, C)"), "{procedure:?}");
    let listed = wrong.metarules.iter().find(|one| one.rewrites > 0).unwrap();
    assert_eq!((listed.family, listed.proof.as_str()), ("declared", "declared"));
    assert_eq!(wrong.disagreements().count(), 1);
    let options = SpecializeOptions { is_proved_only: true, ..SpecializeOptions::default() };
    let right = report_with(&text, "pair(F, G)", u64::MAX, &options);
    assert_eq!((right.disagreements().count(), right.rests_on_declared()), (0, false));
}

#[test]
fn what_an_authors_metarule_kills_is_a_row_of_the_funnel() {
    let kill = "meta phase filter. kill(R, \"no\") :- rule(R), setofconditions(R, S), length(S, N), N > 1.\n";
    let report = report(&format!("{PAIRS}{kill}"), "pair(F, G)", u64::MAX);
    let procedure = &report.procedures[0];
    assert_eq!((procedure.funnel.killed, procedure.funnel.kept), (1, 0));
    assert!(procedure.declared[0].0.starts_with("kill(R"), "{procedure:?}");
}

#[test]
fn requests_with_values_and_equal_arguments_are_compared_too() {
    for request in ["pair(1, G)", "pair(F, F)", "pair(+F, 2)", "legal +P does put(F)"] {
        let report = report(PAIRS, request, u64::MAX);
        let cost = report.procedures[0].cost.clone().unwrap().unwrap();
        assert_eq!(cost.agreement, Agreement::Same, "{request}");
    }
}

#[test]
fn a_metarule_that_is_cut_is_named_and_not_applied() {
    let rules: Vec<String> = (0..12).map(|number| format!("rule(R{number})")).collect();
    let more = |n| format!("pair(F, G) :- beside(F, G), F = {n}, at(G) = e.\n");
    let more = (0..5).map(more).collect::<Vec<String>>().concat();
    let kill = format!("meta phase filter. kill(R0, \"no\") :- {}.\n", rules.join(", "));
    let report = report(&format!("{PAIRS}{more}{kill}"), "pair(F, G)", u64::MAX);
    assert_eq!(report.cut.len(), 1, "{:?}", report.cut);
    assert!(report.cut[0].1.contains("not applied"), "{:?}", report.cut);
    assert_eq!((report.procedures[0].funnel.killed, report.disagreements().count()), (0, 0));
}
