//! Requests: text in, predicates with their known arguments out.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use expect_test::{Expect, expect};
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use rulesmith_rules::{NoFiles, RequestArg, Settings, Theory, parse, parse_request};

const GAME: &str = r"
rules 1. game test. role white, black. param size = 3.
sort file = 1..8. sort content = {empty} + role. sort square = file * file. sort piece = man(role) + {none}.
static next(file -> file). next(F, F + 1). static link(square, square). link(S, S).
fluent at(square) : content = empty. fluent turn : role. fluent owner(file) : role = undefined. fluent done.
move step(file, file). move pass.
init turn = white. init done.
legal P does pass :- turn = P. legal P does step(F, F) :- turn = P.
effect any : turn := Q :- turn = P, opponent(P, Q).
derived distance(square, square, 0..9).
distance(X, X, 0). distance(X, Z, N) :- distance(X, Y, N - 1), link(Y, Z).
object string = component(P : at(P) = C, C \= empty ; link link ; same C).
target reach(S) :- at(S) = white, string_element(S, S).
prefer max(1).
won(P) :- turn = P, piece(_), since(won1, 3). won1.
terminal :- done. goal(P, 50) :- role(P).
";

fn theory() -> Theory {
    let parsed = parse("test.rules", GAME, &Settings::default(), &NoFiles);
    assert!(parsed.theory.is_some(), "{:?}", parsed.diagnostics.list);
    parsed.theory.unwrap()
}

/// One line for each request, or for each problem with a caret line below it.
fn read(theory: &Theory, text: &str) -> String {
    match parse_request(theory, text) {
        Ok(requests) => {
            let kind = |arg: &RequestArg| match arg {
                RequestArg::Known(_) => 'k',
                RequestArg::Unknown(_) => 'u',
                RequestArg::Value(_) => 'v',
            };
            let line = |request: &rulesmith_rules::Request| {
                let name = &theory.base.predicate(request.predicate).name;
                let args: String = request.args.iter().map(kind).collect();
                format!("{} [{name} {args}]\n", request.text)
            };
            requests.iter().map(line).collect()
        }
        Err(problems) => {
            let line = |problem: &rulesmith_rules::Diagnostic| {
                let (start, end) = (problem.span.start as usize, problem.span.end as usize);
                let caret = " ".repeat(start) + &"^".repeat((end - start).max(1));
                let help = problem.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
                format!("{text}\n{caret} {}{help}\n", problem.message)
            };
            problems.list.iter().map(line).collect()
        }
    }
}

fn check(texts: &[&str], expected: &Expect) {
    let theory = theory();
    expected.assert_eq(&texts.iter().map(|text| read(&theory, text)).collect::<String>());
}

#[test]
fn a_request_names_a_predicate_and_what_is_known() {
    check(
        &[
            "distance(+X, -W, 4)",
            "distance((1, 2), W, size).",
            "distance(+X, X, _)",
            "terminal",
            "goal(+P, V)",
            "legal +P does step(S, 1)",
            "legal P does any",
            "next(+F) = G",
            "next(+F, G)",
            "opponent(+P) = Q",
            "effect at(+S) := C",
            "effect turn",
            "effect owner(1) := undefined",
            "deferred effect at(S)",
            "init at(S) = empty",
            "init done",
            "reach(+S)",
            "target reach(S)",
            "prefer max(V)",
            "continue",
        ],
        &expect![[r#"
            distance(+X, W, 4) [distance kuv]
            distance((1, 2), W, 3) [distance vuv]
            distance(+X, +X, _) [distance kku]
            terminal [terminal ]
            goal(+P, V) [goal ku]
            legal +P does step(S, 1) [legal step kuv]
            legal P does step(_, _) [legal step uuu]
            legal P does pass [legal pass u]
            next(+F, G) [next ku]
            next(+F, G) [next ku]
            opponent(+P, Q) [opponent ku]
            effect at(+S) := C [effect on at ku]
            effect turn := _ [effect on turn u]
            effect owner(1) := undefined [effect on owner vv]
            deferred effect at(S) := _ [deferred effect on at uu]
            init at(S) = empty [init at uv]
            init done [init done ]
            reach(+S) [reach k]
            reach(S) [reach u]
            prefer max(V) [prefer u]
            continue [continue ]
        "#]],
    );
}

#[test]
fn what_no_clause_answers_is_refused_with_a_reason() {
    check(
        &[
            "string_element(S, +P)",
            "at(S) = C",
            "at(S, C)",
            "done",
            "white does pass",
            "legal P does stepp(A, B)",
            "legal P does step(A)",
            "distanse(+X, -W, 4)",
            "distance(+X, -W)",
            "step(+X)",
            "distance(+X, -W, 10)",
            "distance(+X, (1, 9), 1)",
            "legal P does step(P, 1)",
            "goal(red, 100)",
        ],
        &expect![[r#"
            string_element(S, +P)
            ^^^^^^^^^^^^^^^^^^^^^ `string_element` belongs to an object: it is kept by the state, no clause defines it; ask for a predicate that uses it
            at(S) = C
            ^^^^^^^^^ `at` is a fluent: it is read from the state, no clause defines it; its start is `init at`, its changes are `effect at`, or ask for a predicate that uses it
            at(S, C)
            ^^^^^^^^ `at` is a fluent: it is read from the state, no clause defines it; its start is `init at`, its changes are `effect at`, or ask for a predicate that uses it
            done
            ^^^^ `done` is a fluent: it is read from the state, no clause defines it; its start is `init done`, its changes are `effect done`, or ask for a predicate that uses it
            white does pass
            ^^^^^^^^^^^^^^^ which move is being made is given, no clause defines it; ask who may do it: `legal P does MOVE`
            legal P does stepp(A, B)
                         ^^^^^ there is no move `stepp`; did you mean `step`?
            legal P does step(A)
                         ^^^^ the move `step` takes 2 arguments, 1 are given
            distanse(+X, -W, 4)
            ^^^^^^^^ there is no predicate `distanse` with 3 arguments; did you mean `distance`?
            distance(+X, -W)
            ^^^^^^^^ `distance` takes 3 arguments, 2 are given
            step(+X)
            ^^^^ there is no predicate `step` with 1 argument; `step` is a move: write `legal P does step…`
            distance(+X, -W, 10)
                             ^^ this is not a value of the sort `0..9`; its values are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
            distance(+X, (1, 9), 1)
                         ^^^^^^ this is not a value of the sort `square`; its values are (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8), (2, 1), (2, 2), (2, 3), (2, 4), …
            legal P does step(P, 1)
                              ^ `P` would have to be of the sort `role` and of the sort `file`, which have nothing in common
            goal(red, 100)
                 ^^^ this is not a value of the sort `role`; its values are white, black
        "#]],
    );
}

#[test]
fn what_is_no_request_is_refused_with_a_reason() {
    check(
        &[
            "distance(+X, -X, 1)",
            "effect ad(S) := C",
            "effect at(S, T) := C",
            "init done = true",
            "terminal :- done",
            "won(P), won(Q)",
            "won(P",
            "",
            "not done",
            "3 = 4",
            "won(turn)",
            "x = 3",
        ],
        &expect![[r#"
            distance(+X, -X, 1)
                         ^^ `X` is marked as known and as unknown
            effect ad(S) := C
                   ^^ there is no fluent `ad`; did you mean `at`?
            effect at(S, T) := C
                   ^^ `at` takes 1 argument, 2 are given
            init done = true
                        ^^^^ `done` is boolean: it has no value
            terminal :- done
                     ^^ expected the end of the request, found `:-`; a request is about one predicate
            won(P), won(Q)
                  ^ expected the end of the request, found `,`; a request is about one predicate
            won(P
                 ^ unclosed parenthesis, expected `,` or `)`

            ^ expected a condition, found the end of the text
            not done
            ^^^^^^^^ one predicate with its arguments is needed here
            3 = 4
            ^ one predicate with its arguments is needed here
            won(turn)
                ^^^^ this is not a value; use a name, a number or a compound of the rules, `+X` or `-X`
            x = 3
            ^ there is no fluent or function `x`
        "#]],
    );
}

fn soup() -> impl Strategy<Value = String> {
    let pieces = "distance ( ) + - X _ W 4 , legal does any step effect init := = at done terminal ` meta . :- \
                  deferred target prefer max count { } : none ; ' \" (1,2) undefined";
    let pieces: Vec<&'static str> = pieces.split_ascii_whitespace().collect();
    let piece = prop_oneof![9 => prop::sample::select(pieces).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn any_request_is_answered(text in soup()) {
        let theory = theory();
        let _ = parse_request(&theory, &text);
    }
}
