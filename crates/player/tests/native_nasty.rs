//! Rules made to hurt the native engine: each is played like the reference engine plays it, or refused with a
//! reason; nothing panics, hangs or takes memory without end.
//!
//! `NASTY` names the rules that are wanted, `NASTY_WITHOUT` those that are not. Under valgrind the contests are shorter: `NASTY_STATES=3`.

#![expect(clippy::print_stderr, reason = "tests say what became of each text")]

mod engines;

use std::fmt::Write as _;

use engines::{Contest, Hashes, compare, native_with};
use rulesmith_compile::{Optimization, Optimizations};
use rulesmith_game::{Error, Game, RoleId};
use rulesmith_logic::Stop;
use rulesmith_player::{
    BuildRequest, EngineGame, EngineKind, GameSource, NoFiles, Prepared, Unwatched, build, prepare,
    reference_game,
};

/// What becomes of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// They have errors, or reach a limit, before any engine sees them.
    Rejected,
    /// They are left to a simpler engine.
    Refused,
    /// Machine code plays them.
    Played,
}

/// A game of one role that counts to three; `more` stands beside it.
fn counting(more: &str) -> String {
    format!(
        "rules 1. game nasty. role a. fluent n : 0..3 = 0. move tick. legal a does tick.
        effect tick : n := n + 1 :- n < 3. terminal :- n = 3. goal(a, 50).\n{more}"
    )
}

fn n_states() -> usize {
    let wanted = std::env::var("NASTY_STATES").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(8)
}

fn prepared(text: &str) -> Option<Result<Prepared, Error>> {
    let mut request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    request.limits.solver.inferences = 20_000_000;
    let source = GameSource::new(build(&request, &NoFiles), &request.limits);
    let source = match source {
        Ok(source) => source,
        Err(result) => {
            let messages = result.diagnostics.list.iter().map(|problem| &problem.message);
            eprintln!("  {:?}", messages.take(3).collect::<Vec<_>>());
            return None;
        }
    };
    Some(prepare(&source, EngineKind::Native, &Stop::default(), &mut Unwatched))
}

/// Machine code plays them where it is not too large.
fn is_played_or_refused(fate: Fate) -> bool {
    fate != Fate::Rejected
}

fn check(name: &str, text: &str, expected: Fate) {
    let is_it = |fate| fate == expected;
    check_that(name, text, &is_it);
}

fn check_that(name: &str, text: &str, is_it: &dyn Fn(Fate) -> bool) {
    let named = |list: &str| std::env::var(list).unwrap_or_default();
    let is_in = |list: &str| named(list).split_whitespace().any(|one| one == name);
    if is_in("NASTY_WITHOUT") || (!named("NASTY").is_empty() && !is_in("NASTY")) {
        return;
    }
    let found = match prepared(text) {
        None => Fate::Rejected,
        Some(made) => {
            let made = made.unwrap_or_else(|error| panic!("{name}: {error}"));
            for fallback in &made.fallbacks {
                assert!(!fallback.why.is_empty(), "{name}");
                eprintln!("  {name}: {:?} refuses: {}", fallback.from, fallback.why);
            }
            match made.game {
                EngineGame::Native(game) => {
                    for seed in 0..2 {
                        let max_states = n_states();
                        let contest = Contest { seed, max_states, plays_on: seed == 1 };
                        let compared = compare(&game, contest, &mut Hashes::new());
                        compared.unwrap_or_else(|error| panic!("{name}: {error}"));
                    }
                    Fate::Played
                }
                EngineGame::Reference(game) => {
                    let _ = game.initial();
                    Fate::Refused
                }
            }
        }
    };
    eprintln!("{name}: {found:?}");
    assert!(is_it(found), "{name}: {found:?}");
}

#[test]
fn sorts_without_values() {
    let more = "sort digit = 0..9. sort none = {X : digit(X), X > 9}. fluent at(none) : 0..2 = 0. derived near(none).
        near(X) :- at(X) = 1. move put(none). legal a does put(X) :- none(X).
        effect put(X) : at(X) := 1.";
    check("empty-sort", &counting(more), Fate::Rejected);
    // Nothing is ever in it, and nobody is told so.
    let more =
        more.replace("sort none = {X : digit(X), X > 9}.", "sort none = {X : digit(X), X > 8}.");
    let more = more.replace("none(X)", "none(X), X > 9");
    check("never-any", &counting(&more), Fate::Played);
}

#[test]
fn sorts_of_one_value() {
    let text = "rules 1. game one. role a. sort p = 1..1. sort c = {red}. fluent at(p) : c = undefined.
        fluent here : p = 1. fluent flag(c). fluent none(p, c) : p = undefined. move put(p, c). move take(p).
        legal a does put(X, C) :- at(X) = undefined. legal a does take(X) :- at(X) = red.
        effect put(X, C) : at(X) := C. effect put(X, C) : flag(C) := true. effect put(X, C) : none(X, C) := X.
        effect take(X) : at(X) := undefined. effect take(X) : none(X, red) := undefined :- flag(red).
        terminal :- count { X, C : none(X, C) = X } > 1. goal(a, 0).";
    check("one-value", text, Fate::Played);
}

#[test]
fn sorts_of_65536_values() {
    let text = "rules 1. game large. role a. sort p = 0..65535. fluent at : p = 0. fluent seen(p).
        move go(p). legal a does go(X + 1) :- at = X. legal a does go(X * 2) :- at = X, X > 0.
        effect go(X) : at := X. effect go(X) : seen(X) := true.
        terminal :- seen(65535). goal(a, 50).";
    check("sort-65536", text, Fate::Refused);
    let text =
        text.replace("fluent seen(p).", "fluent seen(0..9).").replace("seen(65535)", "seen(9)");
    let text = text.replace("seen(X) := true", "seen(X) := true :- X < 10");
    check("value-65536", &text, Fate::Played);
    let text = text.replace("legal a does go(X + 1) :- at = X.", "legal a does go(X) :- p(X).");
    check("moves-65536", &text, Fate::Played);
    let text = text.replace("0..65535", "0..65536").replace("seen(65535)", "seen(65536)");
    check("moves-65537", &text, Fate::Rejected);
}

#[test]
fn ten_thousand_clauses() {
    let mut more = String::new();
    for number in 0..10_000 {
        let _ = writeln!(more, "d{} :- d{number}, n < 3.", number + 1);
    }
    more.push_str("d0 :- n > 0. draw :- d10000.");
    check("chain-of-10000", &counting(&more), Fate::Played);
    let mut more = String::from("sort p = 0..9999. move put(p).\n");
    for number in 0..10_000 {
        let _ = writeln!(more, "legal a does put({number}) :- n = {}.", number % 4);
    }
    check_that("legal-10000", &counting(&more), &is_played_or_refused);
    let mut more = String::new();
    for number in 0..2_000 {
        let _ = writeln!(more, "fluent f{number} : 0..3 = 0. effect tick : f{number} := n.");
    }
    check_that("fluents-2000", &counting(&more), &is_played_or_refused);
    let mut more = String::new();
    for number in 0..2_000 {
        let _ = writeln!(more, "move m{number}. legal a does m{number} :- n = {}.", number % 4);
    }
    check_that("moves-2000", &counting(&more), &is_played_or_refused);
}

#[test]
fn deep_recursion() {
    let more = "sort p = 0..9999. derived far(p). far(0). far(X) :- far(Y), X = Y + 1, n > 0.
        draw :- far(9999).";
    check("far-10000", &counting(more), Fate::Refused);
    check("far-500", &counting(&more.replace("9999", "499")), Fate::Played);
    let more = "sort p = 0..99. fluent open(p). effect tick : open(X) := true :- p(X), X mod 7 = n.
        derived even(p). derived odd(p). even(0). odd(X) :- even(Y), X = Y + 1, not open(X).
        even(X) :- odd(Y), X = Y + 1, not open(X). draw :- even(98).";
    check("ask-each-other", &counting(more), Fate::Refused);
    let deep = format!("draw :- {} n = 3 {}.", "not (n > 0, ".repeat(25), ")".repeat(25));
    check("deep-negation", &counting(&deep), Fate::Played);
}

/// Recursions of too many conceivable answers for planes: asked for all that they hold of, and of what is known.
#[test]
fn recursions_in_lists() {
    let up = "sort p = 0..99. fluent open(p). effect tick : open(X) := true :- p(X), X mod 7 = n.
        derived up(p, p, p). up(X, X, 0) :- p(X), open(X).
        up(X, Y, K) :- up(X, Z, J), Y = Z + 1, K = J + 1, not open(Y).";
    for (name, asked) in [
        ("list-all", "draw :- up(X, Y, K), K > 8."),
        ("list-known", "fluent at : 0..99 = 7. draw :- at = A, up(A, Y, K), K > 4."),
        ("list-denied", "fluent at : 0..99 = 7. draw :- at = A, not up(A, A, 0), n = 3."),
    ] {
        check(name, &counting(&format!("{up} {asked}")), Fate::Played);
    }
}

#[test]
fn negations_about_what_is_counted() {
    for asked in ["odd(M)", "odd(M), on(M)", "odd(M), none { K : succ(M, K), on(K) }"] {
        let text = format!(
            "rules 1. game counted. role a. sort n = 0..7. fluent on(n). init on(1).
            static succ(n, n). succ(X, X + 1). static odd(n). odd(1). odd(3). odd(5).
            move flip(n). legal a does flip(X) :- n(X), not on(X). effect a does flip(X) : on(X) := true.
            calm :- N = count {{ X : on(X) }}, none {{ M : succ(N, M), {asked} }}.
            terminal :- calm. goal(a, 50)."
        );
        check(asked, &text, Fate::Played);
    }
}

/// Numbers that only the state tells, where something is denied or counted about them.
#[test]
fn counts_that_others_ask_about() {
    let rules = "rules 1. game counted. role a, b. sort p = 1..4. sort n = 0..6. static odd(n).
        odd(1). odd(3). odd(5). fluent at(p) : {e} + role = e. fluent turn : role = a. fluent sc(n).
        fluent lim : n = 2. init sc(2). init sc(3). move put(p). effect P does put(X) : at(X) := P.
        effect any : turn := Q :- turn = P, opponent(P, Q). effect put(X) : sc(X + 2) := true :- X > 1.
        effect put(X) : sc(X) := false :- X < 3. terminal :- not at(_) = e. goal(P, 50) :- role(P).";
    let legal = "legal P does put(X) :- turn = P, at(X) = e.";
    let count = "N = count { Y : at(Y) = e }";
    let texts = [
        format!("legal P does put(X) :- turn = P, at(X) = e, {count}, not sc(N)."),
        format!("legal P does put(X) :- turn = P, at(X) = e, {count}, not lim = N."),
        format!("{legal} terminal :- {count}, M = N + 1, not sc(M)."),
        format!("{legal} terminal :- {count}, not odd(N), not sc(N)."),
        format!("{legal} effect put(X) : at(X + 1) := b :- {count}, at(X + 1) = e, not sc(N)."),
        format!(
            "{legal} deferred effect any : lim := 0 :- {count}, not sc(N). terminal :- lim = 0."
        ),
        format!(
            "{legal} ob(N) :- {count}. terminal :- ob(N), not sc(N), none {{ M : ob(M), odd(M) }}."
        ),
        format!("{legal} terminal :- {count}, count {{ Y : sc(Y), Y = N }} = 1."),
        format!("{legal} terminal :- {count}, count {{ Y : p(Y), not at(Y) = e, sc(N) }} > 1."),
        format!("{legal} terminal :- {count}, count {{ Z, W : sc(Z), at(W) = e, Z = W + N }} > 1."),
    ];
    for (number, text) in texts.iter().enumerate() {
        check(&format!("counted-{number}"), &format!("{rules} {text}"), Fate::Played);
    }
}

/// The effects of an answer ask about the state after the move that it answers.
#[test]
fn answers_have_their_effects_where_they_are_made() {
    let text =
        "rules 1. game stones. role a, b. sort file = 1..3. sort rank = 1..3. sort p = file * rank.
        sort content = {empty} + role. static near(p, p). near((F, R), (F + 1, R)).
        near((F, R), (F - 1, R)). near((F, R), (F, R + 1)). near((F, R), (F, R - 1)).
        fluent at(p) : content = empty. fluent turn : role = a. derived reach(p, p).
        reach(X, Y) :- near(X, Y), turn = P, opponent(P, Q), at(Y) = Q.
        reach(X, Y) :- reach(X, Z), near(Z, Y), turn = P, opponent(P, Q), at(Y) = Q.
        move play(p). legal P does play(X) :- turn = P, at(X) = empty, opponent(P, Q), near(X, Z),
            at(Z) = empty, after(P does play(X), after(Q does play(Z), (near(Z, L), at(L) = P))).
        legal P does play(X) :- turn = P, at(X) = empty, X = (1, 1).
        legal P does play(X) :- turn = P, at(X) = empty, X = (2, 2).
        effect P does play(X) : at(X) := P.
        effect play(X) : at(Y) := empty :- reach(X, Y), Y \\= (2, 1), Y \\= (1, 2).
        effect any : turn := Q :- turn = P, opponent(P, Q). terminal :- not legal _ does any.
        terminal :- repeated(2). goal(P, 50) :- role(P).";
    check_that("answers", text, &is_played_or_refused);
}

/// How often a state after two moves occurred is not told, wherever the second one stands.
#[test]
fn repetition_after_two_moves() {
    let mut text = String::from(
        "rules 1. game rep. role a, b. sort p = 1..6. fluent at : p = 1. fluent turn : role = a.
        derived d(p). move put(p). effect put(X) : at := X. terminal :- repeated(3).
        effect any : turn := Q :- turn = P, opponent(P, Q). goal(P, 50) :- role(P).
        legal P does put(X) :- turn = P, at = Y, X \\= Y, after(P does put(X), not d(X)).
        legal P does put(X) :- turn = P, X = 2.\n",
    );
    for number in 1..40 {
        let to = number % 6 + 1;
        let _ = writeln!(
            text,
            "d(X) :- turn = P, p(X), X \\= {number}, X \\= {}, after(P does put({to}), repeated(2)).",
            number + 1
        );
    }
    check_that("repeated-later", &text, &is_played_or_refused);
}

/// Questions about cycles that native code leaves to others.
#[test]
fn cycles_in_odd_places() {
    let walk =
        "rules 1. game walk. role a, b. sort p = 1..4. fluent at(p) : {empty} + role = empty.
        fluent turn : role = a. fluent seen. init at(1) = a. init at(4) = b. move go(p).
        near(P, T) :- at(S) = P, p(T), at(T) = empty, (T = S + 1 ; T = S - 1).
        effect P does go(T) : at(T) := P, at(S) := empty :- at(S) = P.
        effect any : turn := Q :- turn = P, opponent(P, Q). goal(P, 50) :- role(P).";
    let legal = "legal P does go(T) :- turn = P, near(P, T).";
    let perpetual = "perpetual :- cycle(a, not at(3) = a).";
    let texts = [
        format!("{legal} terminal :- seen. effect any : seen := true :- cycle(a, at(2) = a)."),
        format!("{legal} terminal :- seen. deferred effect any : seen := true :- cycle(a, at(2) = a)."),
        format!("{legal} terminal :- cycle(a, not repeated(2))."),
        format!("{legal} terminal :- cycle(a, repeated(2))."),
        "legal P does go(T) :- turn = P, near(P, T), not cycle(P, not at(3) = P). terminal :- seen.".to_owned(),
        "legal P does go(T) :- turn = P, near(P, T), not cycle(a, not at(3) = a). terminal :- seen.".to_owned(),
        format!("{perpetual} legal P does go(T) :- turn = P, near(P, T), after(go(T), not perpetual). terminal :- seen."),
        "legal P does go(T) :- turn = P, near(P, T), after(go(T), not repeated(4)). terminal :- cycle(a, not at(3) = a)."
            .to_owned(),
    ];
    for (number, text) in texts.iter().enumerate() {
        check_that(&format!("cycle-{number}"), &format!("{walk} {text}"), &is_played_or_refused);
    }
}

#[test]
fn huge_move_spaces() {
    let more = "sort p = 0..999. move put(p, p). legal a does put(X, Y) :- p(X), p(Y), X < Y.";
    check("moves-million", &counting(more), Fate::Refused);
    let more = "sort p = 0..249. move put(p, p, p). legal a does put(X, X, X) :- p(X), n < 3.";
    check("moves-few-of-many", &counting(more), Fate::Played);
}

#[test]
fn huge_states() {
    let more = "sort p = 0..255. fluent at(p, p) : 0..255 = 0. move put(p, p). legal a does put(X, Y) :- p(X), X = Y.
        effect put(X, Y) : at(X, Y) := X.";
    check("state-65536-bytes", &counting(more), Fate::Refused);
    let more = "sort p = 0..65535. fluent one(p). fluent two(p). fluent three(p). fluent four(p). fluent five(p).";
    check("state-40960-bytes", &counting(more), Fate::Refused);
}

#[test]
fn many_roles() {
    let roles = |n_roles: usize| -> String {
        let names: Vec<String> = (0..n_roles).map(|role| format!("r{role}")).collect();
        format!(
            "rules 1. game many. role {}. fluent n : 0..9 = 0. fluent has(role). move tick. move rest.
            legal P does tick :- role(P). legal P does rest :- role(P), n > 0.
            effect P does tick : has(P) := true. effect P does tick : n := 9 :- has(P).
            terminal :- n = 9. goal(P, 50) :- role(P).",
            names.join(", ")
        )
    };
    check("roles-64", &roles(64), Fate::Played);
    check("roles-300", &roles(300), Fate::Played);
}

#[test]
fn numbers_that_leave_every_word() {
    let more = "derived big(int). big(X) :- n = Y, X = (Y + 65535) * 32767.
        fluent sum : 0..9 = 0. effect tick : sum := 1 :- big(X), X > 2147352577.
        draw :- n = X, (X - 2) * 2147483647 < -2147483646, X div (X - 1) > 7.";
    check("large-numbers", &counting(more), Fate::Played);
}

#[test]
fn turns_without_end() {
    let more = "continue :- n >= 0.";
    check("endless-turn", &counting(more), Fate::Refused);
}

#[test]
fn nothing_at_all() {
    let text = "rules 1. game nothing. role a. move pass. legal a does pass. terminal. goal(a, 0).";
    check("nothing", text, Fate::Played);
    let text = "rules 1. game nothing. role a. fluent n : 0..1 = 0. terminal :- n = 1. goal(a, 0).";
    check("no-moves", text, Fate::Played);
}

/// What both engines say about the only move of the start, by planes and by loops.
fn complaints(text: &str) -> Vec<String> {
    let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    let mut found = Vec::new();
    for whole_planes in [true, false] {
        let game = reference_game(build(&request, &NoFiles), &request.limits, &Stop::default());
        let game = game.expect("no errors");
        let optimizations = Optimizations::default().with(Optimization::WholePlanes, whole_planes);
        let game =
            native_with(game, optimizations).unwrap_or_else(|refused| panic!("{}", refused.0));
        let mut state = game.initial().expect("a start");
        let before = state.clone();
        let turns = game.legal_moves(&state, RoleId(0)).expect("moves");
        let error = game.apply(&mut state, &vec![(RoleId(0), turns[0].clone())]);
        found.push(error.expect_err("two values").to_string());
        assert_eq!(state, before);
        let error = game.native().play_on(&mut state, &mut 1, 5).expect("a kernel of contests");
        found.push(error.expect_err("two values").to_string());
        let mut state = game.reference().initial().expect("a start");
        let turns = game.reference().legal_moves(&state, RoleId(0)).expect("moves");
        let error = game.reference().apply(&mut state, &vec![(RoleId(0), turns[0].clone())]);
        found.push(error.map(|_| ()).expect_err("two values").to_string());
    }
    found
}

/// The specialiser sees through most of this; what is left is found when it happens.
#[test]
fn one_step_gives_two_values() {
    let start = "rules 1. game two. role a. sort p = 0..4. fluent at(p) : p = 0. fluent n : p = 0. fluent on(p).
        init at(1) = 1. init at(2) = 2. move go(p). legal a does go(1). terminal :- n = 4. goal(a, 50).\n";
    let effects = [
        ("n", "effect go(X) : n := Y :- at(Y) = Y, Y > 0."),
        ("n", "effect go(X) : n := X. effect go(X) : n := 2 :- at(2) = 2."),
        ("n", "deferred effect go(X) : n := Y + 1 :- at(Y) = Y, Y > 0."),
        ("at", "effect go(X) : at(3) := Y :- at(Y) = Y."),
        ("at", "effect go(X) : at(X) := 3. effect go(X) : at(Y) := 4 :- at(Y) = Y, Y > 0."),
        ("on", "effect go(X) : on(X) := true. effect go(X) : on(Y) := false :- at(Y) = Y."),
    ];
    for (fluent, effect) in effects {
        for message in complaints(&format!("{start}{effect}")) {
            let expected = format!("one step gives `{fluent}` two different values");
            assert!(message.contains(&expected), "{effect}: {message}");
        }
    }
}

/// Predicates of many clauses, asked one after the other: code for every combination would be without end.
#[test]
fn predicates_of_many_clauses() {
    let mut text = "rules 1. game nasty. role a, b. sort file = 1..5. sort rank = 1..13. sort point = file * rank.
        sort content = {empty} + role. static adjacent(point, point).
        adjacent((F, R), (F + 1, R)). adjacent((F, R), (F, R + 1)). fluent at(point) : content = empty.
        fluent turn : role = a. object string = component(X : at(X) = C, C \\= empty ; link adjacent ; same C).
        wide(S) :- edge(S, X0), edge(S, X1), edge(S, X2), edge(S, X3), X1 \\= X0,
        X2 \\= X0, X2 \\= X1, X3 \\= X0, X3 \\= X1, X3 \\= X2.
        move play(point). legal P does play(X) :- turn = P, at(X) = empty. effect P does play(X) : at(X) := P.
        effect any : turn := Q :- turn = P, opponent(P, Q). terminal :- wide(S), string_size(S, 3).
        goal(P, 50) :- role(P).\n"
        .to_owned();
    for n in 0..60 {
        let _ = writeln!(
            text,
            "edge(S, X) :- string_border(S, X), at(X) = empty, X = (F, R), (F + {}) * (R + 1) > {}.",
            n + 1,
            3 * n
        );
    }
    check("many-clauses", &text, Fate::Refused);
}
