//! The reference engine on the smallest rules that show one thing each: text in, text out.

#![expect(clippy::unwrap_used, reason = "a panic is the verdict of a test")]

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use rulesmith_compile::{ReferenceGame, TurnLimits};
use rulesmith_game::{Draws, Error, Game, JointMoves, Notation, RoleId};
use rulesmith_logic::{Limits, Stop};
use rulesmith_rules::{NoFiles, Settings, parse};

fn game(rules: &str, limits: Limits) -> ReferenceGame {
    let parsed = parse("test.rules", rules, &Settings::default(), &NoFiles);
    let theory = parsed.theory.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics.list));
    ReferenceGame::new(theory, None, limits, Stop::default())
}

/// Makes the moves, joint moves as `a + b`, and shows the state, who can do what, and the outcome.
fn play(game: &ReferenceGame, moves: &[&str]) -> Result<String, Error> {
    let mut state = game.initial()?;
    for text in moves {
        let movers: Vec<RoleId> =
            JointMoves::of(game, &state)?.choices().iter().map(|(role, _)| *role).collect();
        let parts = text.split(" + ").zip(movers);
        let joint: Result<Vec<_>, Error> =
            parts.map(|(text, role)| Ok((role, game.parse_move(&state, role, text)?))).collect();
        game.apply(&mut state, &joint?)?;
    }
    let mut shown = format!("{}\n", game.state_text(&state));
    for role in (0..game.roles().len()).map(RoleId) {
        let turns = game.legal_moves(&state, role)?;
        let legal: Vec<String> = turns.iter().map(|turn| game.move_text(turn)).collect();
        let legal = if legal.is_empty() { "nothing".to_owned() } else { legal.join(" | ") };
        writeln!(shown, "{}: {legal}", game.roles()[role.0]).unwrap();
    }
    if let Some(outcome) = game.outcome(&state, Draws::Apply)? {
        writeln!(shown, "{:?} {:?}", outcome.ending, outcome.goals).unwrap();
    }
    Ok(shown)
}

#[expect(clippy::needless_pass_by_value, reason = "expectations are written in place")]
fn check(rules: &str, moves: &[&str], expected: Expect) {
    let shown = match play(&game(rules, Limits::default()), moves) {
        Ok(shown) => shown,
        Err(Error::Rules { message, places }) => format!("{message} at {}", places.join(" and ")),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&shown);
}

/// A counter that one role moves up and down, when a condition allows it; and more rules.
fn walk_when(condition: &str, more: &str) -> String {
    format!(
        "rules 1. game walk. role a. sort place = 0..9. fluent at : place = 0. move go(-1..1).
        legal a does go(D) :- place(at + D){condition}.
        effect go(D) : at := at + D. goal(a, 100) :- at = 9. terminal :- at = 9.{more}"
    )
}

fn walk(more: &str) -> String {
    walk_when("", more)
}

#[test]
fn a_result_outside_its_sort_makes_the_condition_fail() {
    check(
        &walk(""),
        &[],
        expect![[r#"
        defaults
        a: go(0) | go(1)
    "#]],
    );
}

#[test]
fn effects_read_the_state_before_the_step() {
    let rules = "rules 1. game swap. role a. fluent x : 1..2 = 1. fluent y : 1..2 = 2. move swap.
        legal a does swap. effect swap : x := y, y := x. terminal :- x = 2, y = 2. goal(a, 0).";
    check(
        rules,
        &["swap"],
        expect![[r#"
        x = 2, y = 1
        a: swap
    "#]],
    );
}

#[test]
fn two_values_at_once_are_an_error_that_names_both_effects() {
    let more = "\neffect go(1) : at := 4 :- at = 1.";
    check(
        &walk(more),
        &["go(1)", "go(1)"],
        expect!["one step gives `at` two different values at test.rules:3:9 and test.rules:4:1"],
    );
}

#[test]
fn all_roles_with_a_move_move_together() {
    let rules = "rules 1. game pick. role a, b. sort n = 1..2.
        fluent took(role) : n = undefined. move take(n).
        legal P does take(N) :- role(P), n(N), took(P) = undefined.
        effect P does take(N) : took(P) := N. terminal :- took(a) \\= undefined.
        goal(P, 100) :- took(P) = 2. goal(P, 0) :- took(P) = 1.";
    check(
        rules,
        &["take(1) + take(2)"],
        expect![[r#"
        took(a) = 1, took(b) = 2
        a: nothing
        b: nothing
        Terminal [Some(0), Some(100)]
    "#]],
    );
}

#[test]
fn a_turn_goes_on_while_continue_holds_and_ends_with_its_deferred_effects() {
    let more = " fluent steps : 0..9 = 0. fluent turns : 0..9 = 0. effect any : steps := steps + 1.
        continue :- at = 1, steps < 3. deferred effect any : turns := turns + 1, steps := 0.";
    check(
        &walk(more),
        &["go(1); go(1)"],
        expect![[r#"
        at = 2, turns = 1
        a: go(-1); go(-1) | go(-1); go(0); go(-1) | go(-1); go(0); go(0) | go(-1); go(0); go(1) | go(-1); go(1) | go(0) | go(1)
    "#]],
    );
}

#[test]
fn only_preferred_turns_are_legal_and_equal_results_count_once() {
    let more = " fluent steps : 0..9 = 0. effect any : steps := steps + 1.
        continue :- at = 1, steps < 3. deferred effect any : steps := 0.";
    check(
        &walk(more),
        &[],
        expect![[r#"
        defaults
        a: go(0) | go(1); go(-1) | go(1); go(0); go(-1) | go(1); go(0); go(0) | go(1); go(0); go(1) | go(1); go(1)
    "#]],
    );
    check(
        &walk(&format!("{more} turns by result.")),
        &[],
        expect![[r#"
        defaults
        a: go(0) | go(1); go(0); go(0) | go(1); go(0); go(1)
    "#]],
    );
    check(
        &walk(&format!("{more} turns by result. prefer max(at).")),
        &[],
        expect![[r#"
        defaults
        a: go(1); go(0); go(1)
    "#]],
    );
}

/// A turn of so many steps, each of which picks one thing of some.
fn picks(n_steps: u32, n_things: u32, condition: &str) -> String {
    format!(
        "rules 1. game picks. role a. sort n = 1..{n_things}. fluent has(n). fluent turns : 0..1 = 0. move pick(n).
        turns by result. legal a does pick(N) :- n(N), not has(N), turns = 0{condition}.
        effect pick(N) : has(N) := true. continue :- count {{ N : has(N) }} < {n_steps}.
        deferred effect any : turns := 1. terminal :- turns = 1. goal(a, 100)."
    )
}

#[test]
fn ways_that_meet_within_a_turn_are_one_whoever_takes_them() {
    check(
        &picks(2, 3, ""),
        &[],
        expect![[r#"
            defaults
            a: pick(1); pick(2) | pick(1); pick(3) | pick(2); pick(3)
        "#]],
    );
    check(
        &picks(2, 3, ""),
        &["pick(3); pick(1)"],
        expect![[r#"
            has(1), has(3), turns = 1
            a: nothing
            Terminal [Some(100)]
        "#]],
    );
    // A question about the past keeps ways apart; the turns are the same.
    let turns = |rules: &str| {
        let game = game(rules, Limits::default());
        let state = game.initial().unwrap();
        let turns = game.legal_moves(&state, RoleId(0)).unwrap();
        turns.iter().map(|turn| game.move_text(turn)).collect::<Vec<_>>()
    };
    let merged = turns(&picks(3, 6, ""));
    assert_eq!(merged.len(), 20);
    assert_eq!(merged, turns(&picks(3, 6, ", not repeated(9)")));
    // What is listed is read as it is written, whatever else is written so.
    let twice = "rules 1. game twice. role a. fluent s : 0..2 = 0. move go(1..3). turns by result.
        legal a does go(N) :- s = 0, (N = 1 ; N = 2 ; N = 3).
        effect go(1) : s := 1. effect go(2) : s := 2. effect go(3) : s := 2.
        notation go(1) = \"x\". notation go(2) = \"y\". notation go(3) = \"x\".
        terminal :- s > 0. goal(a, 100).";
    check(
        twice,
        &["x"],
        expect![[r#"
        s = 1
        a: nothing
        Terminal [Some(100)]
    "#]],
    );
    // States on the way count too.
    let many = "rules 1. game subsets. role a. sort k = 1..40. fluent on(k). move set(k). turns by result.
        legal a does set(K) :- k(K), not on(K). effect set(K) : on(K) := true. continue :- k(K), not on(K).
        terminal :- none { K : k(K), not on(K) }. goal(a, 100).";
    let few = TurnLimits { turns: 500, ..TurnLimits::default() };
    let many = game(many, Limits::default()).with_turn_limits(few);
    let error = many.legal_moves(&many.initial().unwrap(), RoleId(0)).unwrap_err();
    assert_eq!(error, Error::Limit { name: "turns", limit: 500 });
    // Of 151,200 ways 210 are left, which is within the limit of turns.
    assert_eq!(turns(&picks(6, 10, "")).len(), 210);
}

#[test]
fn a_turn_that_cannot_be_completed_is_not_legal() {
    let more = " fluent stop. effect go(1) : stop := true. continue :- stop.";
    check(
        &walk_when(", not stop", more),
        &[],
        expect![[r#"
        defaults
        a: go(0)
    "#]],
    );
}

#[test]
fn after_judges_the_state_after_the_step_and_can_be_nested() {
    let nested = ", after(go(D), after(go(1), at = 2))";
    check(
        &walk_when(nested, ""),
        &[],
        expect![[r#"
        defaults
        a: go(1)
    "#]],
    );
}

#[test]
fn a_state_seen_three_times_is_repeated_and_superko_forbids_the_second() {
    check(
        &walk(" draw :- repeated(3)."),
        &["go(0)"],
        expect![[r#"
        defaults
        a: go(0) | go(1)
    "#]],
    );
    check(
        &walk(" draw :- repeated(3)."),
        &["go(0)", "go(0)"],
        expect![[r#"
        defaults
        a: go(0) | go(1)
        Draw [Some(50)]
    "#]],
    );
    let superko = ", after(go(D), not repeated(2, over [at]))";
    check(
        &walk_when(superko, ""),
        &["go(1)"],
        expect![[r#"
        at = 1
        a: go(1)
    "#]],
    );
}

#[test]
fn since_counts_the_steps_after_the_event() {
    let more = " up :- _ does go(1). draw :- since(up, 2).";
    check(
        &walk(more),
        &["go(1)", "go(0)"],
        expect![[r#"
        at = 1
        a: go(-1) | go(0) | go(1)
    "#]],
    );
    check(
        &walk(more),
        &["go(1)", "go(0)", "go(0)"],
        expect![[r#"
        at = 1
        a: go(-1) | go(0) | go(1)
        Draw [Some(50)]
    "#]],
    );
}

#[test]
fn a_cycle_holds_when_every_move_of_the_role_in_it_satisfied_the_condition() {
    let more = " draw :- cycle(a, at =< 1).";
    check(
        &walk(more),
        &["go(1)", "go(-1)"],
        expect![[r#"
        defaults
        a: go(0) | go(1)
        Draw [Some(50)]
    "#]],
    );
    check(
        &walk(more),
        &["go(1)", "go(1)", "go(-1)", "go(-1)"],
        expect![[r#"
        defaults
        a: go(0) | go(1)
    "#]],
    );
}

#[test]
fn components_have_elements_border_shared_value_and_size() {
    let rules = "rules 1. game row. role a. sort cell = 1..6. sort color = {bare, red, blue}.
        fluent at(cell) : color = bare. init at(1) = red. init at(2) = red. init at(4) = blue.
        static next(cell, cell). next(C, C + 1).
        object run = component(C : at(C) = X, X \\= bare ; link next ; same X).
        move see(cell, cell). move edge(cell, cell). move shared(cell, color). move size(cell, cell).
        legal a does see(S, C) :- run_element(S, C). legal a does edge(S, C) :- run_border(S, C).
        legal a does shared(S, X) :- run_shared(S, X). legal a does size(S, N) :- run_size(S, N).
        effect shared(C, X) : at(C) := X. terminal :- at(6) = red. goal(a, 0).";
    check(
        rules,
        &[],
        expect![[r#"
        at(1) = red, at(2) = red, at(4) = blue
        a: see(1, 1) | see(1, 2) | see(4, 4) | edge(1, 3) | edge(4, 3) | edge(4, 5) | shared(1, red) | shared(4, blue) | size(1, 2) | size(4, 1)
    "#]],
    );
}

#[test]
fn transient_fluents_fall_back_and_partial_ones_can_lose_their_value() {
    let rules = "rules 1. game blink. role a. sort bulb = 1..2.
        transient fluent lit. fluent last : bulb = undefined. move on(bulb). move off.
        legal a does on(N) :- bulb(N), not lit. legal a does off :- lit.
        effect on(N) : lit := true, last := N. effect off : last := undefined.
        terminal :- lit, last = 2. goal(a, 0).";
    check(
        rules,
        &["on(1)"],
        expect![[r#"
        lit, last = 1
        a: off
    "#]],
    );
    check(
        rules,
        &["on(1)", "off"],
        expect![[r#"
        defaults
        a: on(1) | on(2)
    "#]],
    );
}

#[test]
fn nobody_able_to_move_is_a_reported_ending() {
    check(
        &walk_when(", D = 1, at < 2", ""),
        &["go(1)", "go(1)"],
        expect![[r#"
        at = 2
        a: nothing
        Stuck [None]
    "#]],
    );
}

#[test]
fn limits_are_answers_with_their_name() {
    let endless = walk(" derived far(int). far(0). far(N + 1) :- far(N). draw :- far(N), N = -1.");
    let few = Limits { derived_facts: 1_000, ..Limits::default() };
    let error = play(&game(&endless, few), &[]).unwrap_err();
    assert_eq!(error, Error::Limit { name: "derived-facts", limit: 1_000 });
    let few = Limits { inferences: 1_000, ..Limits::default() };
    let error = play(&game(&endless, few), &[]).unwrap_err();
    assert_eq!(error, Error::Limit { name: "inferences", limit: 1_000 });
    let deep = walk(" derived low(int). low(N) :- N < 500000, low(N + 1). draw :- low(0).");
    let error = play(&game(&deep, Limits::default()), &[]).unwrap_err();
    assert_eq!(error, Error::Limit { name: "recursion-depth", limit: 20_000 });
}

#[test]
fn a_position_that_cannot_be_read_says_where_and_why() {
    let game = game(&walk(""), Limits::default());
    let error = |text| game.parse_state(text).unwrap_err().to_string();
    expect![[r#"
        position:1:1: there is no fluent `att`
          att = 3
          ^^^
          help: did you mean `at`?"#]]
    .assert_eq(&error("att = 3"));
    expect![[r#"
        position:1:6: this is not a value of the sort `place`
          at = 33
               ^^
          help: its values are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"#]]
    .assert_eq(&error("at = 33"));
    expect![[r#"
        position:1:12: expected an argument, found a full stop
          at = 3, at(
                     ^"#]]
    .assert_eq(&error("at = 3, at("));
}
