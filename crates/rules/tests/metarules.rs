//! Metarules: text in, text out, and the same again when it is read once more; wrong ones with a reason.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use expect_test::{Expect, expect};
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use rulesmith_rules::{NoFiles, Settings, Severity, Theory, metarule_text, parse, print};

const GAME: &str = r"
rules 1. game test. role white, black. param size = 3.
sort file = 1..8. sort content = {empty} + role. sort square = file * file. sort piece = man(role) + {none}.
static next(file -> file). next(F, F + 1). static connected(square, square). connected(S, S).
fluent at(square) : content = empty. fluent turn : role. fluent owner(file) : role = undefined. fluent done.
move step(file, file). move pass.
init turn = white. init done.
legal P does pass :- turn = P. legal P does step(F, F) :- turn = P.
effect any : turn := Q :- turn = P, opponent(P, Q).
object string = component(P : at(P) = C, C \= empty ; link connected ; same C).
won(P) :- turn = P, piece(_), string_element(_, _). p(1). forced(1).
terminal :- done. goal(P, 50) :- role(P).
";

fn read(text: &str) -> rulesmith_rules::Parsed {
    parse("test.rules", &format!("{GAME}{text}"), &Settings::default(), &NoFiles)
}

fn theory(text: &str) -> Theory {
    let parsed = read(text);
    assert!(parsed.theory.is_some(), "{:#?}", parsed.diagnostics.list);
    parsed.theory.unwrap()
}

/// The metarules of a text, which print and parse back to the same.
fn check(text: &str, expected: &Expect) {
    let first = theory(text);
    let printed = print(&first);
    let again = parse("printed.rules", &printed, &Settings::default(), &NoFiles);
    let second = again.theory.unwrap_or_else(|| panic!("{:#?}\n{printed}", again.diagnostics.list));
    assert_eq!(print(&second), printed);
    for (one, other) in first.metarules.iter().zip(&second.metarules) {
        assert_eq!(one.conclusions.len(), other.conclusions.len());
        assert_eq!(one.phase, other.phase);
    }
    assert_eq!(first.metarules.len(), second.metarules.len());
    let line = |metarule| metarule_text(&first, &first.symbols, metarule) + "\n";
    expected.assert_eq(&first.metarules.iter().map(line).collect::<String>());
}

/// The problems of a text, each with its line and a caret line.
fn check_wrong(text: &str, expected: &Expect) {
    let parsed = read(text);
    let problems = parsed.diagnostics.list.iter().map(|problem| {
        let (line, column) = parsed.sources.line_column(problem.span);
        let whole = &parsed.sources.files[0].text;
        let width = whole[problem.span.start as usize..problem.span.end as usize].chars().count();
        let caret = " ".repeat(column - 1) + &"^".repeat(width.max(1));
        let help = problem.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        let source = whole.lines().nth(line - 1).unwrap_or_default();
        format!("{source}\n{caret} {}{help}\n", problem.message)
    });
    expected.assert_eq(&problems.collect::<String>());
    let has_errors =
        parsed.diagnostics.list.iter().any(|problem| problem.severity == Severity::Error);
    assert_eq!(parsed.theory.is_none(), has_errors);
}

#[test]
fn metarules_print_as_they_were_written() {
    check(
        r#"
meta phase filter.
impossible(R) :- rule(R), condition(R, `connected(X, Y)`), condition(R, `connected(Y, Z)`), condition(R, `connected(Z, X)`).
unify(R, C, D) :- rule(R), condition(R, `string_shared(B, C)`), condition(R, `string_shared(B, D)`).
useless(R, `X \= Y`) :- rule(R), condition(R, `connected(X, Y)`), condition(R, `X \= Y`).
kill(R, "too \"long\"") :- rule(R), setofconditions(R, S), length(S, N), N > 200.
impossible(R) :- rule(R), condition(R, `at(S) = C`), condition(R, `at(S) = D`), constant(C), constant(D), not same(C, D).
impossible(R) :- rule(R), condition(R, `piece(X)`), condition(R, `X = man(P)`), sort(P, role), P \= white.
impossible(R) :- rule(R), condition(R, `S = (F, F)`), condition(R, `F = G + 1`), condition(R, `G = max(F, 2)`).
impossible(R) :- rule(R), condition(R, `legal P does step(F, _)`), condition(R, `-1 < F`), condition(R, `next(F) = 1`).
meta phase generate.
addrule(R1), addconclusion(R1, `forced(V)`) :- rule(R), conclusion(R, `p(V)`), setofconditions(R, S), length(S, N), N < 5, newrule(R1), addconditiontoset(R1, S), once { R }.
addcondition(R, `at(S) = _`) :- rule(R), conclusion(R, `effect at(S) := C`), variable(C), not condition(R, `at(S) = _`).
removecondition(R, C) :- rule(R), condition(R, C), rule(Q), R \= Q, setofconditions(Q, S), member(C, S), subset(S, T), setofconditions(R, T), union(S, T, U), length(U, size).
meta end.
meta(X) :- file(X).
"#,
        &expect![[r#"
            impossible(R) :- rule(R), condition(R, `connected(X, Y)`), condition(R, `connected(Y, Z)`), condition(R, `connected(Z, X)`).
            unify(R, C, D) :- rule(R), condition(R, `string_shared(B, C)`), condition(R, `string_shared(B, D)`).
            useless(R, `X \= Y`) :- rule(R), condition(R, `connected(X, Y)`), condition(R, `X \= Y`).
            kill(R, "too \"long\"") :- rule(R), setofconditions(R, S), length(S, N), N > 200.
            impossible(R) :- rule(R), condition(R, `at(S, C)`), condition(R, `at(S, D)`), constant(C), constant(D), not same(C, D).
            impossible(R) :- rule(R), condition(R, `piece(X)`), condition(R, `X = man(P)`), sort(P, role), P \= white.
            impossible(R) :- rule(R), condition(R, `S = (F, F)`), condition(R, `F = G + 1`), condition(R, `G = max(F, 2)`).
            impossible(R) :- rule(R), condition(R, `legal P does step(F, _)`), condition(R, `-1 < F`), condition(R, `next(F, 1)`).
            addrule(R1), addconclusion(R1, `forced(V)`) :- rule(R), conclusion(R, `p(V)`), setofconditions(R, S), length(S, N), N < 5, newrule(R1), addconditiontoset(R1, S), once { R }.
            addcondition(R, `at(S, _)`) :- rule(R), conclusion(R, `effect at(S) := C`), variable(C), not condition(R, `at(S, _)`).
            removecondition(R, C) :- rule(R), condition(R, C), rule(Q), R \= Q, setofconditions(Q, S), member(C, S), subset(S, T), setofconditions(R, T), union(S, T, U), length(U, 3).
        "#]],
    );
}

#[test]
fn wrong_metarules_are_refused_with_a_reason() {
    check_wrong(
        r"meta phase filtre.
impossible(R) :- rule(R), condition(R, `conected(X, Y)`).
impossible(R) :- rule(R), condition(R, `connected(X, Y, Z)`).
impossible(R) :- rule(R), conditon(R, `connected(X, X)`).
impossible(R) :- rule(R), condition(R).
impossible(R) :- rule(R), connected(X, X).
impossible(R) :- condition(R, `connected(X, X)`).
unify(R, X, Y) :- rule(R), condition(R, `connected(X, X)`).
impossible(R) :- rule(R), condition(R, `p(R)`).
impossible(R) :- rule(R), condition(R, `at(S) = red`).
impossible(R) :- rule(R), condition(R, `at(X) = C`), condition(R, `turn = X`), same(C, C).
impossible(R) :- rule(R), condition(R, `none { X : p(X) }`).
impossible(R) :- rule(R), condition(R, `p(X + 1)`), same(X, X).
impossible(R) :- rule(R), `p(X)`.
rule(R) :- rule(R).
addrule(R) :- rule(R).
addrule(R) :- newrule(R).
addconclusion(R, `forced(X)`) :- newrule(R), rule(Q), condition(Q, `p(X)`).
addconclusion(R, `X < Y`), addrule(R) :- newrule(R), rule(Q), condition(Q, `X < Y`).
impossible(R) :- rule(R), length(R, N), N < 3.
impossible(R) :- rule(R), setofconditions(R, S), length(S, N), N < red.
impossible(R) :- rule(R), condition(R, `p(X)`), sort(X, fil).
kill(R, why) :- rule(R).
impossible(R) :- rule(R), not impossible(R).
",
        &expect![[r#"
            meta phase filtre.
                       ^^^^^^ there is no phase `filtre`; did you mean `filter`?
            impossible(R) :- rule(R), condition(R, `conected(X, Y)`).
                                                    ^^^^^^^^ there is no predicate `conected` with 2 arguments; did you mean `connected`?
            impossible(R) :- rule(R), condition(R, `connected(X, Y, Z)`).
                                                    ^^^^^^^^^ `connected` takes 2 arguments, 3 are given
            impossible(R) :- rule(R), conditon(R, `connected(X, X)`).
                                      ^^^^^^^^ there is no metapredicate `conditon`; did you mean `condition`?
            impossible(R) :- rule(R), condition(R).
                                      ^^^^^^^^^ the metapredicate `condition` takes 2 arguments, 1 are given; write condition(R, `p(X)`)
            impossible(R) :- rule(R), connected(X, X).
                                      ^^^^^^^^^ there is no metapredicate `connected`; conditions of clauses are quoted: condition(R, `connected(…)`)
            impossible(R) :- condition(R, `connected(X, X)`).
                                       ^ `R` is used, but no condition gives it; say which one: rule(R), or newrule(R)
            unify(R, X, Y) :- rule(R), condition(R, `connected(X, X)`).
                        ^ `Y` is used, but no condition gives it; get it from a rule: condition(R, `…`)
            impossible(R) :- rule(R), condition(R, `p(R)`).
                                                      ^ `R` stands for a rule and for a term
            impossible(R) :- rule(R), condition(R, `at(S) = red`).
                                                            ^^^ `red` is not a value of any sort
            impossible(R) :- rule(R), condition(R, `at(X) = C`), condition(R, `turn = X`), same(C, C).
                                                       ^ `X` would have to be of the sort `square` and of the sort `role`, which have nothing in common
            impossible(R) :- rule(R), condition(R, `none { X : p(X) }`).
                                                   ^^^^^^^^^^^^^^^^^^^ a pattern is one relation, fluent, comparison, computation, compound or sort; other conditions can be named by a variable: condition(R, C)
            impossible(R) :- rule(R), condition(R, `p(X + 1)`), same(X, X).
                                                      ^^^^^ a variable or a constant is needed here; what is computed or put together is a condition of its own: condition(R, `S = (F, G)`)
            impossible(R) :- rule(R), `p(X)`.
                                      ^ expected a metapredicate, found a backquote; a pattern stands inside a metapredicate: condition(R, `p(X)`)
            rule(R) :- rule(R).
            ^^^^^^^ `rule` is a test, it does nothing; a metarule concludes what is done: impossible, unify, useless, addrule, …
            addrule(R) :- rule(R).
                               ^ `R` is no new rule; make one with newrule(R)
            addrule(R) :- newrule(R).
                                  ^ `R` is a new rule without a conclusion: addconclusion(R, `p(X)`)
            addconclusion(R, `forced(X)`) :- newrule(R), rule(Q), condition(Q, `p(X)`).
                                                     ^ `R` is a new rule that is never added: addrule(R)
            addconclusion(R, `X < Y`), addrule(R) :- newrule(R), rule(Q), condition(Q, `X < Y`).
                             ^^^^^^^ a clause concludes a predicate with its arguments
            impossible(R) :- rule(R), length(R, N), N < 3.
                                             ^ `R` stands for a rule and for a set of conditions
            impossible(R) :- rule(R), setofconditions(R, S), length(S, N), N < red.
                                                                               ^^^ a constant number is needed here; use integers, parameters, + - * div mod, min and max
            impossible(R) :- rule(R), condition(R, `p(X)`), sort(X, fil).
                                                                    ^^^ there is no sort `fil`; did you mean `file`?
            kill(R, why) :- rule(R).
                    ^^^ a reason: "why" is needed here
            impossible(R) :- rule(R), not impossible(R).
                                      ^^^^^^^^^^^^^^^^^ a negation only tests, it cannot do anything
        "#]],
    );
}

#[test]
fn broken_metarules_are_reported_where_they_break() {
    check_wrong(
        r"meta fase filter.
meta phase filter.
impossible(R) :- rule(R), condition(R, `connected(X, Y), connected(Y, X)`).
impossible(R) :- rule(R), condition(R, `connected(X, X)).
impossible(R) :- rule(R), condition(R, connected(X, X)).
impossible(R) :- rule(R), N.
impossible(R) :- rule(R) condition(R, `p(X)`).
impossible(R) & kill(R, `p(1)`) :- rule(R).
impossible(R)
sort broken = 1..3.
q(X) :- p(X), `p(X)`.
",
        &expect![[r#"
            meta fase filter.
                 ^^^^ expected `phase` or `end`, found `fase`; a block starts with `meta phase filter.` and ends with `meta end.`
            impossible(R) :- rule(R), condition(R, `connected(X, Y), connected(Y, X)`).
                                                                   ^ expected a closing backquote, found `,`; a pattern is one condition; write one `condition(R, …)` for each
            impossible(R) :- rule(R), condition(R, `connected(X, X)).
                                                                   ^ expected a closing backquote, found `)`; a pattern stands between two backquotes: `p(X)`
            impossible(R) :- rule(R), condition(R, connected(X, X)).
                                                   ^^^^^^^^^^^^^^^ a pattern in backquotes: `p(X)` is needed here
            impossible(R) :- rule(R), N.
                                       ^ expected a comparison, found a full stop; a metapredicate has arguments: rule(R), condition(R, `p(X)`)
            impossible(R) :- rule(R) condition(R, `p(X)`).
                                     ^^^^^^^^^ expected `,` or a full stop, found `condition`
            impossible(R) & kill(R, `p(1)`) :- rule(R).
                          ^ `&` is not an operator of this language; "and" is written `,`
            impossible(R) & kill(R, `p(1)`) :- rule(R).
                                    ^^^^^^ a reason: "why" is needed here
            impossible(R)
                       ^ `R` is used, but no condition gives it; say which one: rule(R), or newrule(R)
            impossible(R)
                         ^ missing full stop; end the item with `.`
            sort broken = 1..3.
            ^^^^ `sort` starts no metarule; end the block with `meta end.`
            q(X) :- p(X), `p(X)`.
                          ^ expected a condition, found a backquote; patterns in backquotes are arguments of metapredicates
        "#]],
    );
    check_wrong(
        "q(X) :- p(X), `p`(X).\n",
        &expect![[r#"
        q(X) :- p(X), `p`(X).
                      ^ unexpected character ```; quoted names stand between straight quotes: 'X'
        q(X) :- p(X), `p`(X).
                        ^ unexpected character ```; quoted names stand between straight quotes: 'X'
    "#]],
    );
}

#[test]
fn a_block_ends_with_its_file() {
    struct One;
    impl rulesmith_rules::Resolver for One {
        fn read(&self, _from: &str, path: &str) -> Result<(String, String), String> {
            let text = "meta phase order. impossible(R) :- rule(R), condition(R, `p(8)`).";
            Ok((path.to_owned(), text.to_owned()))
        }
    }
    let text = format!("{GAME} include \"meta.rules\". q(X) :- p(X).");
    let parsed = parse("test.rules", &text, &Settings::default(), &One);
    assert_eq!(parsed.theory.unwrap().metarules.len(), 1, "{:?}", parsed.diagnostics.list);
}

/// Metarules to be broken in all ways.
const MUTATED: &str = r#"meta phase filter.
impossible(R) :- rule(R), condition(R, `connected(X, Y)`), not (condition(R, `at(X) = _`), Y \= X).
addrule(R1), addconclusion(R1, `forced(V)`) :- rule(R), conclusion(R, `p(V)`), setofconditions(R, S), length(S, N),
    newrule(R1), addconditiontoset(R1, S), once { R, V }.
kill(R, "no") :- rule(R), condition(R, `legal P does step(F, 1)`), useless(R, `S = (F, G)`), condition(R, `S = (F, G)`), condition(R, `F = G + 1`),
    constant(P), sort(G, file), not P = white. meta end.
"#;

fn mutated() -> impl Strategy<Value = String> {
    let pieces = "` ( ) , . :- meta phase end rule condition R X _ { } \" ' not once \\= < 1 99999999999 + at man \
                  addrule newrule unify kill none count ; : undefined effect init deferred legal does any";
    let pieces: Vec<&'static str> = pieces.split_ascii_whitespace().collect();
    let piece = prop_oneof![9 => prop::sample::select(pieces).prop_map(str::to_owned), 1 => any::<String>()];
    let edit = (any::<prop::sample::Index>(), 0_usize..12, piece);
    prop::collection::vec(edit, 1..6).prop_map(|edits| {
        let mut characters: Vec<char> = MUTATED.chars().collect();
        for (place, length, piece) in edits {
            let start = place.index(characters.len() + 1);
            let end = (start + length).min(characters.len());
            characters.splice(start..end, piece.chars());
        }
        characters.into_iter().collect()
    })
}

#[test]
fn what_is_mutated_is_right() {
    assert_eq!(theory(MUTATED).metarules.len(), 3);
}

proptest! {
    #[test]
    fn broken_metarules_never_panic(text in mutated()) {
        let parsed = read(&text);
        if let Some(theory) = parsed.theory {
            let printed = print(&theory);
            let again = parse("printed.rules", &printed, &Settings::default(), &NoFiles);
            let again = again.theory.unwrap_or_else(|| panic!("{:#?}\n{printed}", again.diagnostics.list));
            assert_eq!(print(&again), printed);
        }
    }
}
