//! What GDL forbids is named, with its place and a way out.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
#![allow(clippy::needless_pass_by_value, reason = "`expect!` is written in the call")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use rulesmith_rules::gdl::{GdlLimits, parse_gdl};
use rulesmith_rules::{Diagnostics, Severity, Sources};

/// A game without problems; every test adds one.
const GAME: &str = "(role r) (init (f a)) (<= (legal r (m ?x)) (true (f ?x)))
    (<= (next (f ?x)) (does r (m ?x))) (<= terminal (true (f b))) (goal r 100)";

fn problems(text: &str, limits: &GdlLimits) -> String {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("test.kif", text);
    let parsed = parse_gdl("test", sources.clone(), file, limits, &mut diagnostics);
    assert_eq!(parsed.is_none(), diagnostics.has_errors());
    let mut lines = String::new();
    for problem in &diagnostics.list {
        let (line, column) = sources.line_column(problem.span);
        let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
        let help = problem.help.as_deref().expect("every problem has a way out");
        let (code, message) = (problem.code, &problem.message);
        writeln!(lines, "{line}:{column} {severity} {code}: {message}; {help}").unwrap();
        for (span, why) in &problem.related {
            let (line, column) = sources.line_column(*span);
            writeln!(lines, "  {line}:{column} {why}").unwrap();
        }
    }
    lines
}

fn check(added: &str, expected: Expect) {
    expected.assert_eq(&problems(&format!("{added}\n{GAME}"), &GdlLimits::default()));
}

#[test]
fn a_correct_description_has_no_problems() {
    check("", expect![[r#""#]]);
}

#[test]
fn parentheses_must_match() {
    check(
        "(p a))",
        expect![[r#"
        1:6 error unbalanced-parenthesis: this parenthesis closes nothing; remove it, or open one before
    "#]],
    );
    check(
        "(p (a)",
        expect![[r#"
        1:1 error unbalanced-parenthesis: this parenthesis is never closed; add `)` where the rule ends
    "#]],
    );
}

#[test]
fn a_list_starts_with_a_name() {
    check(
        "((p) a) (?x a) ()",
        expect![[r#"
        1:1 error malformed-rule: a list must start with a name; write the name first: (name argument …)
        1:9 error malformed-rule: a list must start with a name; write the name first: (name argument …)
        1:16 error malformed-rule: a list must start with a name; write the name first: (name argument …)
    "#]],
    );
    check(
        "(<= (p a) ?x)",
        expect![[r#"
        1:11 error malformed-rule: a variable stands where a relation is needed; write the relation's name; a variable may only stand for a term
    "#]],
    );
    check(
        "(<=)",
        expect![[r#"
        1:1 error malformed-rule: this rule has no head; write (<= head condition …)
    "#]],
    );
}

#[test]
fn connectives_have_their_arguments_and_stand_in_bodies() {
    check(
        "(<= (p a) (distinct a)) (<= (p b) (not)) (<= (p c) (not (p a) (p b)))",
        expect![[r#"
        1:11 error malformed-rule: `distinct` compares two terms; write (distinct term term)
        1:35 error malformed-rule: `not` negates one condition; write one `not` for each condition
        1:52 error malformed-rule: `not` negates one condition; write one `not` for each condition
    "#]],
    );
    check(
        "(or (p a) (p b)) (<= (not (p a)) (p b)) (<= (p a) (<= (p b) (p c)))",
        expect![[r#"
        1:1 error malformed-rule: `or` cannot be concluded: a head is a single relation; write one rule for each relation that is to be concluded
        1:22 error malformed-rule: `not` cannot be concluded: a head is a single relation; write one rule for each relation that is to be concluded
        1:51 error malformed-rule: a rule stands inside a rule; close the parentheses before `(<=`
    "#]],
    );
}

#[test]
fn keywords_have_a_fixed_arity() {
    check(
        "(role a b) (<= (legal r) (true f g)) (<= (terminal x) (role x))",
        expect![[r#"
            1:1 error keyword-arity: `role` takes 1 argument, here it has 2; write (role name)
            1:1 error role-rule: `role` must be given by facts that name one role each, not by rules; write (role name) for each role
            1:16 error keyword-arity: `legal` takes 2 arguments, here it has 1; write (legal role move)
            1:26 error keyword-arity: `true` takes 1 argument, here it has 2; write (true fluent)
            1:42 error keyword-arity: `terminal` takes 0 arguments, here it has 1; write (<= terminal condition …)
        "#]],
    );
}

#[test]
fn a_relation_has_one_arity() {
    check(
        "(p a) (<= (q ?x) (p ?x ?x))",
        expect![[r#"
            1:18 error relation-arity: the relation `p` has 2 arguments here and 1 elsewhere; give one of the two another name
              1:1 with 1 argument here
        "#]],
    );
}

#[test]
fn a_function_may_have_two_arities() {
    check(
        "(p (g a)) (p (g a b))",
        expect![[r#"
            1:11 warning function-arity: the function `g` has 2 arguments here and 1 elsewhere; the two are different things; give one another name
              1:1 with 1 argument here
        "#]],
    );
}

#[test]
fn role_is_given_by_facts() {
    check(
        "(q s) (<= (role ?x) (q ?x))",
        expect![[r#"
        1:7 error role-rule: `role` must be given by facts that name one role each, not by rules; write (role name) for each role
    "#]],
    );
    check(
        "(role (team a))",
        expect![[r#"
        1:1 error role-rule: `role` must be given by facts that name one role each, not by rules; write (role name) for each role
    "#]],
    );
}

#[test]
fn true_and_does_stand_in_bodies_only() {
    check(
        "(<= (true (f b)) (true (f a))) (does r (m a))",
        expect![[r#"
        1:5 error keyword-in-head: `true` cannot be concluded: it may stand in bodies only; conclude `next` or `init`
        1:32 error keyword-in-head: `does` cannot be concluded: it may stand in bodies only; conclude `legal`
    "#]],
    );
}

#[test]
fn init_and_next_stand_in_heads_only() {
    check(
        "(<= (p ?x) (init (f ?x))) (<= (q ?x) (next (f ?x)))",
        expect![[r#"
        1:12 error keyword-in-body: `init` may stand in heads only; read the state with `true`
        1:38 error keyword-in-body: `next` may stand in heads only; read the state with `true`
    "#]],
    );
}

#[test]
fn base_and_input_in_bodies_are_read_as_relations() {
    check(
        "(base (f a)) (<= (p ?x) (base (f ?x)))",
        expect![[r#"
        1:25 warning keyword-in-body: `base` may stand in heads only; it is read as any other relation
    "#]],
    );
}

#[test]
fn mistakes_in_base_and_input_matter_only_if_they_are_read() {
    check(
        "(base (g ?x)) (<= (input r ?m) (true (f ?m)))",
        expect![[r#"
        1:1 warning unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `base`
        1:32 warning keyword-dependency: `input` must not depend on `true`: `input` reads `true`; the game is played without it, as if it were not there
    "#]],
    );
    check(
        "(base (g ?x)) (<= (p ?x) (base ?x)) (<= terminal (p ?x))",
        expect![[r#"
            1:1 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `base`, or ask for `base` after conditions that give it a value
              1:15 asks for `base` before `?x` has a value
            1:26 warning keyword-in-body: `base` may stand in heads only; it is read as any other relation
        "#]],
    );
}

#[test]
fn the_start_does_not_depend_on_the_state() {
    check(
        "(<= (init (f ?x)) (p ?x)) (<= (p ?x) (q ?x)) (<= (q ?x) (true (f ?x)))",
        expect![[r#"
        1:19 error keyword-dependency: `init` must not depend on `true`: `init` reads `p`, which reads `q`, which reads `true`; decide the start from static relations alone
          1:38 reads `q` here
          1:57 reads `true` here
    "#]],
    );
    check(
        "(<= (init (f b)) terminal)",
        expect![[r#"
        1:18 error keyword-dependency: `init` must not depend on `terminal`: `init` reads `terminal`; decide the start from static relations alone
    "#]],
    );
}

#[test]
fn legal_goal_and_terminal_do_not_depend_on_does() {
    check(
        "(<= (legal r (m b)) moved) (<= moved (does r (m a)))",
        expect![[r#"
        1:21 error keyword-dependency: `legal` must not depend on `does`: `legal` reads `moved`, which reads `does`; decide it from the state alone; what is being done is known only to `next`
          1:38 reads `does` here
    "#]],
    );
    check(
        "(<= (goal r 0) (does r (m a))) (<= terminal (not (does r (m a))))",
        expect![[r#"
        1:16 error keyword-dependency: `goal` must not depend on `does`: `goal` reads `does`; decide it from the state alone; what is being done is known only to `next`
        1:50 error keyword-dependency: `terminal` must not depend on `does`: `terminal` reads `does`; decide it from the state alone; what is being done is known only to `next`
    "#]],
    );
}

#[test]
fn rules_are_safe() {
    check(
        "(<= (p ?x) (q ?y)) (q a) (<= terminal (p ?x))",
        expect![[r#"
            1:5 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `p`, or ask for `p` after conditions that give it a value
              1:26 asks for `p` before `?x` has a value
        "#]],
    );
    check(
        "(<= (p a) (not (q ?x))) (<= (p b) (distinct ?x a)) (q a)",
        expect![[r#"
            1:11 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in a `not`; add a condition that says what `?x` may be in this rule for `p`
            1:35 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in a `distinct`; add a condition that says what `?x` may be in this rule for `p`
        "#]],
    );
    check(
        "(<= (next (f ?x)) (true (f ?y)))",
        expect![[r#"
        1:5 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `next`
    "#]],
    );
    check(
        "(<= (legal r (m ?x)) (true (f a)))",
        expect![[r#"
        1:5 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `legal`
    "#]],
    );
    check(
        "(init (f ?x)) (<= (goal r ?n) (true (f a)))",
        expect![[r#"
        1:1 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `init`
        1:19 error unsafe-variable: the rule is not safe: no positive condition binds `?n`, used in the head; add a condition that says what `?n` may be in this rule for `goal`
    "#]],
    );
}

#[test]
fn what_everybody_who_asks_says_may_be_left_open() {
    check(
        "(<= (p ?x ?y) (distinct ?x ?y)) (<= terminal (true (f ?x)) (p ?x a))",
        expect![[r#"
            1:5 warning unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head: it is what those who ask for `p` say; add a condition that says what `?x` may be in this rule for `p`
            1:5 warning unsafe-variable: the rule is not safe: no positive condition binds `?y`, used in the head: it is what those who ask for `p` say; add a condition that says what `?y` may be in this rule for `p`
        "#]],
    );
    check(
        "(<= (p ?x 0 ?x) (true (f a))) (<= terminal (true (f ?x)) (p ?y 0 ?x) (p ?y 0 b))",
        expect![[r#"
        1:5 warning unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head: it is what those who ask for `p` say; add a condition that says what `?x` may be in this rule for `p`
    "#]],
    );
    check(
        "(role s) (legal ?who (m a)) (<= (goal ?who 0) (true (f a)))",
        expect![[r#"
        1:10 warning unsafe-variable: the rule is not safe: no positive condition binds `?who`, used in the head: it is what those who ask for `legal` say; add a condition that says what `?who` may be in this rule for `legal`
        1:33 warning unsafe-variable: the rule is not safe: no positive condition binds `?who`, used in the head: it is what those who ask for `goal` say; add a condition that says what `?who` may be in this rule for `goal`
    "#]],
    );
}

#[test]
fn what_is_asked_without_a_value_is_not_left_open() {
    check(
        "(<= (p ?x ?y) (q ?y)) (q a) (<= (next (f ?x)) (p ?x a))",
        expect![[r#"
            1:5 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `p`, or ask for `p` after conditions that give it a value
              1:29 asks for `p` before `?x` has a value
        "#]],
    );
    // A prover would compare `?x` before it has a value.
    check(
        "(<= (p ?x) (distinct ?x a)) (<= terminal (p ?x) (true (f ?x)))",
        expect![[r#"
            1:5 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `p`, or ask for `p` after conditions that give it a value
              1:29 asks for `p` before `?x` has a value
        "#]],
    );
    check(
        "(same ?x ?x) (<= terminal (same ?x ?y) (not (true (f ?x))) (true (f ?y)))",
        expect![[r#"
            1:1 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `same`, or ask for `same` after conditions that give it a value
              1:14 asks for `same` before `?x` has a value
        "#]],
    );
    // Here nothing is compared, and the value comes in time.
    check(
        "(same ?x ?x) (<= terminal (same ?x ?y) (true (f ?x)))",
        expect![[r#"
        1:1 warning unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head: it is what those who ask for `same` say; add a condition that says what `?x` may be in this rule for `same`
    "#]],
    );
    check(
        "(<= (goal ?who 0) (true (f a))) (<= terminal (goal ?who 0))",
        expect![[r#"
        1:5 error unsafe-variable: the rule is not safe: no positive condition binds `?who`, used in the head; add a condition that says what `?who` may be in this rule for `goal`, or ask for `goal` after conditions that give it a value
          1:33 asks for `goal` before `?who` has a value
    "#]],
    );
}

#[test]
fn endless_ranges_and_double_negations_are_refused() {
    check(
        "(n 0) (<= (n (s ?x)) (n ?x)) (any ?x) (<= terminal (n ?x) (any ?x))",
        expect![[r#"
            1:30 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `any`
            1:22 warning recursion-restriction: the recursive condition `n` has an argument that may grow without end; use an argument of the head, or bind it by a condition that is not recursive
        "#]],
    );
    check(
        "(<= (p ?x) (not (not (true (f ?x))))) (<= terminal (p a))",
        expect![[r#"
            1:5 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `p`
        "#]],
    );
}

#[test]
fn what_nothing_asks_for_is_left_out() {
    check(
        "(<= (p ?x) (distinct ?x a))",
        expect![[r#"
        1:5 warning unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head, and nothing in the game asks for `p`; leave the rule out, as is done here, or bind the variable
    "#]],
    );
    check(
        "(p ?x)",
        expect![[r#"
        1:1 warning unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head, and nothing in the game asks for `p`; leave the rule out, as is done here, or bind the variable
    "#]],
    );
}

#[test]
fn an_or_binds_what_every_alternative_binds() {
    check("(q a) (s a) (<= (p ?x) (or (q ?x) (s ?x)))", expect![[r#""#]]);
    check(
        "(q a) (s a) (<= (p ?x) (or (q ?x) (s ?y))) (<= terminal (p ?x))",
        expect![[r#"
            1:17 error unsafe-variable: the rule is not safe: no positive condition binds `?x`, used in the head; add a condition that says what `?x` may be in this rule for `p`, or ask for `p` after conditions that give it a value
              1:44 asks for `p` before `?x` has a value
        "#]],
    );
    check(
        "(q a) (s a) (<= (p ?x) (q ?x) (or (s ?y) (not (s ?y))))",
        expect![[r#"
            1:42 error unsafe-variable: the rule is not safe: no positive condition binds `?y`, used in a `not`; add a condition that says what `?y` may be in this rule for `p`
        "#]],
    );
}

#[test]
fn negation_is_stratified() {
    check(
        "(d a) (<= (p ?x) (d ?x) (not (q ?x))) (<= (q ?x) (s ?x)) (<= (s ?x) (p ?x))",
        expect![[r#"
        1:30 error unstratified-negation: negation is not stratified: `p` reads `not q`, which depends on `p`; let `q` be decided without `p`, or drop the `not`
    "#]],
    );
    check(
        "(<= p (not p))",
        expect![[r#"
        1:12 error unstratified-negation: negation is not stratified: `p` reads `not p`, which depends on `p`; let `p` be decided without `p`, or drop the `not`
    "#]],
    );
}

#[test]
fn recursion_is_restricted() {
    check("(n 0) (<= (n (s ?x)) (n ?x) (limit ?x)) (limit 0)", expect![[r#""#]]);
    check(
        "(e a b) (<= (path ?x ?z) (e ?x ?y) (path ?y ?z)) (<= (path ?x ?y) (e ?x ?y))",
        expect![[r#""#]],
    );
    check(
        "(<= (n (s ?x)) (n ?x) (true (f c)))",
        expect![[r#"
        1:16 warning recursion-restriction: the recursive condition `n` has an argument that may grow without end; use an argument of the head, or bind it by a condition that is not recursive
    "#]],
    );
}

#[test]
fn what_can_never_hold_is_a_warning() {
    check(
        "(<= (p ?x) (undefined_thing ?x)) (<= p2 (goa r 1)) (<= (q ?x) (true (g ?x)))",
        expect![[r#"
        1:12 warning undefined-relation: nothing defines the relation `undefined_thing`, so it never holds; add facts or rules for it
        1:41 warning undefined-relation: nothing defines the relation `goa`, so it never holds; did you mean `goal`?
        1:52 warning never-true: a condition of this rule waits for a fluent that no `init` or `next` gives; check the spelling and the number of arguments
    "#]],
    );
}

#[test]
fn goal_values_go_from_0_to_100() {
    check(
        "(<= (goal r 101) (true (f a))) (<= (goal r high) (true (f a)))",
        expect![[r#"
        1:5 warning goal-value: the goal value `101` is not a whole number from 0 to 100; scale the values of `goal` to 0..100
        1:36 warning goal-value: the goal value `high` is not a whole number from 0 to 100; scale the values of `goal` to 0..100
    "#]],
    );
}

#[test]
fn a_game_has_roles_and_moves() {
    let text = "(init a) (<= (next a) (true a))";
    expect![[r#"
        1:10 error missing-relation: nothing defines `role`: there are no players; write (role name)
        1:10 error missing-relation: nothing defines `legal`: nobody ever has a move; write (legal role move)
        1:10 warning missing-relation: nothing defines `terminal`: no contest ends; write (<= terminal condition …)
        1:10 warning missing-relation: nothing defines `goal`: no state is worth anything; write (<= (goal role value) condition …)
    "#]].assert_eq(&problems(text, &GdlLimits::default()));
}

#[test]
fn limits_are_named() {
    let small = GdlLimits {
        text: 500,
        nesting: 5,
        variables: 3,
        conditions: 4,
        clause_copies: 3,
        ..GdlLimits::default()
    };
    let check = |added: &str, expected: Expect| {
        expected.assert_eq(&problems(&format!("{added}{GAME}"), &small));
    };
    check(
        &" ".repeat(500),
        expect![[r#"
        1:1 error limit: the text is longer than the limit `text` of 500 bytes; raise the limit `text`
    "#]],
    );
    check(
        "(p (a (b (c (d (e f))))))",
        expect![[r#"
        1:16 error limit: parentheses are nested deeper than the limit `nesting` of 5; close a parenthesis before, or raise the limit `nesting`
    "#]],
    );
    check(
        "(<= (p ?a) (q ?a ?b ?c ?d))",
        expect![[r#"
        1:1 error limit: this rule has 4 variables, the limit `variables` is 3; split the rule, or raise the limit `variables`
    "#]],
    );
    check(
        "(q a) (<= (p a) (q a) (q a) (q a) (q a) (q a))",
        expect![[r#"
        1:7 error limit: this rule has 5 conditions, the limit `conditions` is 4; split the rule, or raise the limit `conditions`
    "#]],
    );
    check(
        "(init g) (init h) (<= (next ?x) (true ?x) (true ?y))",
        expect![[r#"
            1:19 error limit: the rules need more than the limit `clause-copies` of 3; name kinds of fluents and moves instead of using a variable for all of them
        "#]],
    );
}

#[test]
fn keywords_inside_terms_are_plain_names() {
    check(
        "(<= (init (goal true)) (role r)) (init (role (legal does)))",
        expect![[r#"
        1:5 warning keyword-as-function: the keyword `goal` is used as a function; it has no special meaning inside a term
        1:34 warning keyword-as-function: the keyword `role` is used as a function; it has no special meaning inside a term
        1:34 warning keyword-as-function: the keyword `legal` is used as a function; it has no special meaning inside a term
    "#]],
    );
}
