//! Clauses that can never apply are told from those whose numbers only the state tells.

use rulesmith_player::{BuildRequest, NoFiles, build};

/// What is said about a game of counting down in which this decides whether one may go on.
fn codes(condition: &str) -> Vec<&'static str> {
    let text = format!(
        "rules 1. game down. role a. sort n = 0..3. static odd(n). odd(1). odd(3). fluent lim : n = 2.
        fluent on(n). init on(1). move dec. legal a does dec :- {condition}.
        effect dec : lim := lim - 1. effect dec : on(N) := true :- lim = N. terminal :- lim = 0. goal(a, 50)."
    );
    let result = build(&BuildRequest { text, ..BuildRequest::default() }, &NoFiles);
    let codes = result.diagnostics.list.iter().map(|problem| problem.code);
    codes.filter(|code| code.starts_with("never")).collect()
}

#[test]
fn what_only_the_state_tells_is_not_denied() {
    for condition in [
        "lim = N, not odd(N)",
        "lim = N, none { M : odd(M), M = N }",
        "N = count { X : on(X) }, not odd(N)",
        "lim = N, M = N + 1, not odd(M), N > 0",
        "lim = N, count { X : odd(X), X = N } = 0",
        "lim = N, (odd(N) ; not odd(N))",
        "n(N), not odd(N), lim = N",
    ] {
        assert!(codes(condition).is_empty(), "{condition}: {:?}", codes(condition));
    }
}

#[test]
fn what_no_state_allows_is_found() {
    for condition in [
        "odd(N), N = 2, lim = N",
        "odd(N), not odd(N), lim = N",
        "odd(N), M = N + 1, odd(M), lim = N",
        "odd(N), count { X : odd(X), X < N + 1 } = 0, lim = N",
    ] {
        assert_eq!(codes(condition), ["never-legal"], "{condition}");
    }
}
