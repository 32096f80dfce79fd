//! Rules of turns that ask about the move just made or about the state after a move, preferences that say more than a sum,
//! and long rules: kernels agree with the reference engine, or there are none.

mod engines;

use std::ops::ControlFlow;

use engines::{Contest, Hashes, compare, kernels, native_with};
use rulesmith_compile::{Optimization, Optimizations, ReferenceGame};
use rulesmith_game::{Contests, Game, PlayoutSums};
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, NoFiles, build, reference_game};

fn open(text: &str) -> ReferenceGame {
    let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    let built = build(&request, &NoFiles);
    reference_game(built, &request.limits, &Stop::default()).expect("no errors")
}

fn agree(text: &str) {
    agree_with(text, Optimizations::default());
}

fn agree_with(text: &str, optimizations: Optimizations) {
    let game = native_with(open(text), optimizations)
        .unwrap_or_else(|failed| panic!("{}: {text}", failed.0));
    for seed in 0..4 {
        let contest = Contest { seed, max_states: 12, plays_on: false };
        let compared = compare(&game, contest, &mut Hashes::new());
        compared.unwrap_or_else(|why| panic!("{why}: {text}"));
    }
}

/// Marks from one place to another, with other rules.
fn marks(more: &str) -> String {
    format!(
        "rules 1. game marks. role a. sort p = 1..4. fluent at(p). fluent steps : 0..3 = 0. fluent k : 0..9 = 0.
        move go(p, p). move wait. terminal :- k = 5. goal(a, 5).
        legal a does go(X, Y) :- p(X), p(Y), not at(Y), X \\= Y, k < 3. legal a does wait.
        effect go(X, Y) : at(Y) := true. effect any : steps := steps + 1 :- steps < 3.
        deferred effect any : steps := 0, k := k + 1. {more}"
    )
}

/// Clauses that ask about different parameters of the move, or about none.
#[test]
fn questions_about_the_move_ask_for_other_parameters() {
    for more in [
        "continue :- steps < 3, at(2). continue :- steps < 3, _ does go(_, Y), at(Y - 1).",
        "continue :- _ does go(X, _), at(X). continue :- _ does go(_, Y), at(Y - 1).",
        "continue :- _ does go(_, Y), at(Y - 1). continue :- _ does go(X, Y), at(X), at(Y).",
        "ev :- _ does go(X, _), at(X). ev :- _ does go(_, Y), at(Y - 1). ev :- at(2). draw :- since(ev, 2).",
    ] {
        agree(&marks(more));
    }
}

/// What is never so is not answered by whether there are moves of a kind that loops find.
#[test]
fn nothing_is_answered_by_moves_without_rows() {
    for never in ["< 0", "> 5", "= 7"] {
        agree(&format!(
            "rules 1. game flips. role a, b. sort p = 1..5. sort content = {{e}} + role. fluent at(p) : content = e.
            fluent mark(p). fluent steps : 0..3 = 0. fluent turn : role = a. fluent k : 0..15 = 0.
            move put(p). move flip(p). move wait. static adj(p, p). adj(X, X - 1).
            near(P, X) :- adj(X, Y), at(Y) = P. near(P, X) :- role(P), mark(X), turn = a.
            effect flip(X) : mark(X) := true. effect any : steps := steps + 1.
            deferred effect any : steps := 0, turn := Q, k := K + 1 :- turn = P, opponent(P, Q), k = K.
            continue :- steps < 3, near(b, 5). terminal :- k = 6.
            legal P does put(X) :- turn = P, count {{ X : mark(X) }} {never}.
            legal P does flip(X) :- turn = P, after(flip(X), not near(P, X)).
            legal P does wait :- turn = P. goal(P, 100)."
        ));
    }
}

/// Sums that have conditions beside them, or that leave the range of numbers, are left to the interpreter.
#[test]
fn preferences_that_are_no_plain_sums_have_no_kernels() {
    let marked = "count { X : at(X) }";
    for more in [
        format!(
            "derived h(0..1 -> int). h(0, N) :- 1 = {marked}, N = count {{ X : at(X), X > 1 }}. prefer max(h(0))."
        ),
        format!(
            "derived h(0..1 -> int). h(0, N) :- N = {marked}, N = count {{ X : at(X), X > 1 }}. prefer max(1 + h(0))."
        ),
        format!("prefer max(2147483647 + {marked})."),
        format!("prefer max(1200000000 * {marked})."),
    ] {
        let text = marks(&format!("continue :- steps < 2. {more}"));
        let kernels = native_with(open(&text), Optimizations::default());
        assert!(kernels.is_err(), "{text}");
    }
    agree(&marks(&format!("continue :- steps < 2. prefer max(2 * {marked} + 1).")));
}

/// Steps on a short row, or takes the neighbour, and goes on taking; turns are compared by what is preferred.
fn taking(more: &str) -> String {
    format!(
        "rules 1. game taking. role a, b. sort p = 1..7. sort c = {{e}} + role. fluent at(p) : c = e. fluent gone(p).
        fluent n_gone : 0..3 = 0. fluent turn : role. init turn = a. fluent k : 0..20 = 0. move step(p, p). move take(p, p).
        init at(1) = a. init at(3) = a. init at(4) = b. init at(6) = b. static adj(p, p). adj(X, X + 1). adj(X, X - 1).
        legal P does step(X, Y) :- turn = P, at(X) = P, adj(X, Y), at(Y) = e, n_gone = 0.
        legal P does take(X, Y) :- turn = P, opponent(P, Q), at(X) = P, adj(X, Y), at(Y) = Q, not gone(Y), n_gone < 3.
        effect P does step(X, Y) : at(X) := e, at(Y) := P.
        effect take(X, Y) : gone(Y) := true, n_gone := N + 1 :- n_gone = N.
        continue :- n_gone > 0, n_gone < 3, turn = P, opponent(P, Q), at(X) = P, adj(X, Y), at(Y) = Q, not gone(Y).
        deferred effect any : turn := Q, k := K + 1, n_gone := 0 :- turn = P, opponent(P, Q), k = K.
        deferred effect any : at(X) := e :- p(X), gone(X). goal(P, 50) :- role(P).
        terminal :- k = 12. terminal :- turn = P, not legal P does any. {more}"
    )
}

/// Moves after which no preference could differ are counted and not compared, and only those.
#[test]
fn even_turns_are_those_that_no_preference_tells_apart() {
    let back = "deferred effect any : gone(X) := false :- p(X), gone(X).";
    let at_times = "deferred effect any : gone(X) := false :- p(X), gone(X), k < 5.";
    let most = "prefer max(count { X : gone(X) }).";
    // What steps change is asked about where something is gone alone.
    let mixed =
        "prefer max(count { X : gone(X), at(X) = a } + 2 * count { X : gone(X), at(X) = b }).";
    let without = Optimizations::default().without(Optimization::EvenTurns);
    for (more, is_even) in [
        (format!("{back} {most}"), true),
        (format!("{back} {most} turns by result."), true),
        (format!("{back} prefer max(n_gone)."), true),
        (format!("{back} {most} init gone(5). init at(5) = b."), true),
        (format!("{back} {most} init n_gone = 1."), true),
        (format!("{at_times} {most}"), true),
        (format!("{back} {mixed} init gone(5). init at(5) = b."), true),
        (format!("{at_times} {mixed}"), false),
        (
            format!(
                "{back} prefer max(count {{ X : at(X) = a, X > 3 }} + count {{ X : gone(X) }})."
            ),
            false,
        ),
        (format!("{back} effect step(X, Y) : gone(7) := true :- at(7) = e. {most}"), false),
    ] {
        let text = taking(&more);
        let kernels = |optimizations| {
            let made = kernels(&open(&text), optimizations);
            made.unwrap_or_else(|why| panic!("{why:?}: {text}")).text()
        };
        assert_eq!(kernels(Optimizations::default()) != kernels(without), is_even, "{text}");
        agree(&text);
        agree_with(&text, without);
    }
}

/// Moves that fill a place, and other rules; turns are the same where they lead to the same state.
fn fillings(more: &str) -> String {
    format!(
        "rules 1. game fillings. role a. sort p = 1..4. sort c = {{e, s}}. fluent at(p) : c = e. fluent k : 0..9 = 0.
        move put(p). turns by result. effect any : k := k + 1. terminal :- k = 3.
        goal(a, N) :- N = count {{ X : at(X) = s }}. {more}"
    )
}

/// What the end of a turn asks is asked of the state after the step, and steps reset what is transient.
#[test]
fn ends_of_turns_that_may_be_equal_are_compared() {
    let put = "legal a does put(X) :- at(X) = e. effect put(X) : at(X) := s.";
    let back = "deferred effect put(X) : at(X) := e :- at(X) = s, X > 2.";
    let most = "move grab(p). legal a does grab(X) :- at(X) = s, k > 1. effect grab(X) : gone(X) := true.
        fluent gone(p). deferred effect any : gone(X) := false :- p(X), gone(X). deferred effect grab(X) : at(X) := e.
        prefer max(count { X : gone(X) }).";
    let once = "transient fluent f(p). init f(1). init f(2). legal a does put(X) :- f(X). effect put(X) : f(X) := false.";
    for more in [format!("{put} {back}"), format!("{put} {back} {most}"), once.to_owned()] {
        agree(&fillings(&more));
    }
    let stays = "deferred effect any : gone(X) := false :- p(X), gone(X). prefer max(count { X : gone(X) }). turns by result.
        deferred effect step(X, Y) : at(Y) := e :- at(Y) = P, role(P), Y > 4.";
    agree(&taking(stays));
}

/// Tallies of one state are not taken for those of another, whose move was made and taken back.
#[test]
fn tallies_are_those_of_the_present_state() {
    for more in ["", "continue :- k = 2. prefer max(count { Z : m(Z) })."] {
        agree(&format!(
            "rules 1. game tallies. role a. sort f = 1..4. sort p = f * f. sort c = {{e, a, b}}. fluent at(p) : c = e.
            fluent m(p). fluent n(p). fluent k : 0..9 = 0. static adj(p, p).
            adj((F, R), (F + 1, R)). adj((F, R), (F - 1, R)). adj((F, R), (F, R + 1)). adj((F, R), (F, R - 1)).
            init at((2, 2)) = a. init at((3, 3)) = a. move put(p). move go(p).
            legal a does put(X) :- at(X) = e, count {{ Y : adj(X, Y), at(Y) = a }} = 1.
            effect put(X) : at(X) := a. effect any : k := k + 1.
            effect any : m(Z) := true :- at(Z) = e, count {{ Y : adj(Z, Y), at(Y) = a }} = 2, not m(Z).
            deferred effect any : n(Z) := true :- at(Z) = e, count {{ Y : adj(Z, Y), at(Y) = a }} = 2, not n(Z).
            legal a does go(X) :- m(X), at(X) = e. legal a does go(X) :- n(X), at(X) = e, k > 1. effect go(X) : at(X) := b.
            terminal :- k = 4. goal(a, 50). {more}"
        ));
    }
}

/// Where others wait, they add to a turn, too.
#[test]
fn preferences_among_turns_of_several_roles_have_no_kernels() {
    let text = "rules 1. game waits. role a, b. sort p = 1..4. fluent hot(p). fluent m(p). fluent turn : role = a.
        fluent k : 0..9 = 0. move put(p). move noop. legal P does put(X) :- turn = P, p(X), not m(X).
        legal P does noop :- role(P), turn \\= P. effect put(X) : m(X) := true. terminal :- k = 4. goal(P, 50) :- role(P).
        effect any : k := k + 1, turn := Q :- turn = P, opponent(P, Q). effect b does noop : hot(2) := true.";
    agree(text);
    let kernels = native_with(
        open(&format!("{text} prefer max(count {{ X : m(X), X < 3 }}).")),
        Optimizations::default(),
    );
    assert!(kernels.is_err());
}

/// Puts stones on a row; a stone may not be put where something holds afterwards.
fn stones(after: &str) -> String {
    // So many clauses that they are computed and not unfolded.
    let clauses = |name: &str, steps: &[(i32, i32)]| -> String {
        let clause = |(one, other): &(i32, i32)| {
            format!(
                "{name}(X) :- p(X), at(X + {one}) = b, at(X + {other}) = e. {name}(X) :- p(X), at(X + {other}) = w. "
            )
        };
        steps.iter().map(clause).collect()
    };
    let (near, far) = (
        [(1, 2), (2, 3), (3, 1), (-1, 1), (-2, 2)],
        [(4, 2), (-4, 3), (-3, -1), (3, -2), (-1, -2)],
    );
    format!(
        "rules 1. game stones. role w, b. sort p = 1..9. sort c = {{e}} + role. fluent at(p) : c = e.
        fluent turn : role = w. move put(p). effect P does put(X) : at(X) := P.
        effect any : turn := Q :- turn = P, opponent(P, Q). {} {} both(X) :- p(X), near(1), at(X - 3) = e, near(7).
        both(X) :- p(X), near(2), at(X - 2) = w. both(X) :- p(X), near(X), at(X + 3) = b.
        legal P does put(X) :- turn = P, at(X) = e, {after}.
        terminal :- turn = P, not legal P does any. goal(P, 50) :- role(P).",
        clauses("near", &near),
        clauses("far", &far)
    )
}

/// What later conditions ask about is computed when they are asked, once, whatever earlier ones asked.
#[test]
fn conditions_after_a_move_ask_in_turn() {
    for after in [
        "not after(put(X), both(2), near(3), not far(4))",
        "not after(put(X), near(3), far(X), both(2))",
        "after(put(X), not both(2), not near(3), not far(4), at(1) \\= w)",
        "not after(put(X), far(4), at(2) = e, near(3), both(2), at(5) = b)",
        "none { Y : after(put(X), near(Y), far(Y), both(Y)) }",
    ] {
        agree(&stones(after));
    }
    // The second condition asks for less than what the first one had computed, the third one for more.
    agree(ASKED_IN_TURN);
}

const ASKED_IN_TURN: &str = "rules 1. game turns.
        role w, b.
        sort p = 1..9.
        sort c = {e} + role.
        fluent at(p) : c = e.
        fluent turn : role = w.
        fluent k : 0..9 = 0.
        move put(p).
        d3(X) :- p(X), at(X + 3) = b, at(X + 3) = e.
        d3(X) :- p(X), at(X + 2) = b, at(X - 3) = b, at(X + 2) = w.
        d3(X) :- p(X), at(X + 2) = b, at(X - 3) = w, at(X - 1) = b.
        d3(X) :- p(X), at(X - 2) = e, at(X - 3) = e, at(X - 1) = e.
        d3(X) :- p(X), at(X - 3) = w, at(X - 2) = w.
        d3(X) :- p(X), at(X - 1) = e, at(X + 2) = b.
        d3(X) :- p(X), at(X - 1) = b, at(X - 2) = w, at(X + 2) = b.
        d3(X) :- p(X), at(X + 1) = b, at(X - 2) = b.
        d3(X) :- p(X), at(X + 2) = w, at(X + 2) = e.
        d2(X) :- p(X), d1(1), at(X - 3) = e, d1(7).
        d1(X) :- p(X), at(X + 2) = b, at(X - 3) = e.
        d1(X) :- p(X), at(X + 3) = b, at(X + 3) = w, at(X + 1) = w.
        d1(X) :- p(X), at(X + 1) = e, at(X + 1) = e.
        d1(X) :- p(X), at(X + 1) = e, at(X + 1) = w, at(X + 1) = w.
        d1(X) :- p(X), at(X + 1) = b, at(X + 3) = e, at(X - 1) = w.
        d1(X) :- p(X), at(X + 3) = e, at(X - 1) = e.
        d1(X) :- p(X), at(X - 1) = w, at(X + 2) = b, at(X + 3) = b.
        d1(X) :- p(X), at(X - 2) = w, at(X + 1) = e.
        d1(X) :- p(X), at(X + 1) = b, at(X + 1) = b.
        legal P does put(X) :- turn = P, at(X) = e, not after(put(X), d2(2), d1(3), not d3(4)).
        goal(P, 50) :- role(P).";

/// Numbers that are compared with constants, from either side, also with such as are never reached.
#[test]
fn few_values_are_said_by_what_they_are_not() {
    for compared in [
        "N > 0",
        "0 < N",
        "N =< 3",
        "N >= 1, 4 > N",
        "N \\= 2",
        "N < 9, N > -1",
        "N >= 4, N < 9",
        "N > 2",
    ] {
        agree(&format!(
            "rules 1. game heaps. role a. sort p = 1..4. fluent heap(p) : 0..4 = 2. fluent k : 0..9 = 0.
            move take(p). move add(p). terminal :- k = 9. goal(a, N) :- heap(1) = N. effect any : k := k + 1.
            legal a does take(X) :- heap(X) = N, {compared}. legal a does add(X) :- heap(X) = N, N < 4.
            effect take(X) : heap(X) := N - 1 :- heap(X) = N, N > 0. effect add(X) : heap(X) := N + 1 :- heap(X) = N."
        ));
    }
}

/// Moves and ends of so many statements that contests run them as routines.
#[test]
fn long_moves_and_ends_are_routines() {
    let effect = |n: u32| {
        let (far, value, first) = (n % 7 + 1, n % 5, (n * 3) % 5);
        let lamp = format!("lamp{n}");
        format!(
            "fluent {lamp}(p) : 0..4 = {first}.
            effect go(X) : {lamp}(X) := {value} :- {lamp}(X) < {value}, {lamp}(X + {far}) > 1."
        )
    };
    let effects: Vec<String> = (1..=60).map(effect).collect();
    let effects = effects.join(" ");
    let text = format!(
        "rules 1. game lamps. role a. sort p = 1..40. fluent k : 0..30 = 0. move go(p). {effects}
        legal a does go(X) :- p(X), lamp1(X) < 4. effect any : k := k + 1. terminal :- k = 12. goal(a, N) :- lamp1(3) = N."
    );
    let kernels = kernels(&open(&text), Optimizations::default()).expect("kernels");
    assert!(kernels.text().contains("turn of 0 doing 0"), "no routine");
    agree(&text);
}

/// Sums over random contests of a game.
fn sums(game: &impl Game) -> PlayoutSums {
    let contests = Contests { seed: 1, numbers: 0..200, max_length: 50 };
    let (start, mut sums) = (game.initial().expect("a start"), PlayoutSums::default());
    let mut tick = || ControlFlow::Continue(());
    let played = game.random_contests(&start, &contests, &mut tick, &mut sums);
    played.expect("contests without faults");
    sums
}

/// Kings and rooks that step, and rooks that jump to any empty square far from them: too many moves to be listed.
const JUMPS: &str = "rules 1. game jumps. role white, black. sort f = 1..10. sort sq = f * f. sort kind = {king, rook}.
    sort dir = {n1, e1, s1, w1}. sort content = {empty} + role * kind. fluent at(sq) : content = empty.
    fluent turn : role. init turn = white. fluent over. fluent far.
    init at((1, 1)) = (white, king). init at((5, 1)) = (white, rook). init at((10, 1)) = (white, rook).
    init at((1, 10)) = (black, king). init at((3, 10)) = (black, rook). init at((10, 10)) = (black, rook).
    static next(sq, dir, sq). next((F, R), e1, (F + 1, R)). next((F, R), w1, (F - 1, R)).
    next((F, R), n1, (F, R + 1)). next((F, R), s1, (F, R - 1)).
    static near(sq, sq). near(A, B) :- next(A, _, B). near(A, A) :- sq(A).
    derived ray(sq, dir, sq). ray(A, D, B) :- next(A, D, B).
    ray(A, D, C) :- ray(A, D, B), at(B) = empty, next(B, D, C).
    derived bad(role). bad(P) :- opponent(P, Q), at(A) = (Q, rook), ray(A, _, B), at(B) = (P, king).
    bad(P) :- at(A) = (P, rook), next(A, _, B), at(B) = (P, king).
    bad(P) :- opponent(P, Q), at(A) = (Q, king), next(A, _, B), at(B) = (P, king).
    static takes(role, content). takes(P, empty) :- role(P). takes(P, (Q, K)) :- opponent(P, Q), kind(K).
    move go(sq, sq).
    legal P does go(A, B) :-
        turn = P, at(A) = (P, K), kind(K), next(A, _, B), at(B) = C, takes(P, C), after(go(A, B), not bad(P)).
    legal P does go(A, B) :- turn = P, at(A) = (P, rook), at(B) = empty, sq(B), not near(A, B),
        at((5, 5)) \\= (white, king), after(go(A, B), not bad(P)).
    effect go(A, B) : at(A) := empty, at(B) := at(A), over := true. effect go(A, B) : far := true :- not near(A, B).
    effect any : turn := Q :- turn = P, opponent(P, Q).
    terminal :- over. goal(P, 100) :- role(P), far. goal(P, 0) :- role(P), not far.";

#[test]
fn moves_that_are_too_many_to_be_listed_are_drawn_too() {
    let game = native_with(open(JUMPS), Optimizations::default()).expect("kernels");
    // Most moves of the start are jumps.
    assert!(sums(&game).mean_goal(rulesmith_game::RoleId(0)).expect("goals") > 80.0);
}

/// A turn of so many steps, each of which can be made in four ways that lead to one state, or not.
fn meeting(n_steps: u32, more: &str) -> String {
    format!(
        "rules 1. game meeting. role white, black. sort side = {{left, right, up, down}}.
        fluent pos : 0..72 = 0. fluent turn : role. init turn = white. move go(side). {more}
        legal P does go(S) :- turn = P, side(S). effect any : pos := pos + 1. continue :- pos mod {n_steps} \\= 0.
        deferred effect any : turn := Q :- turn = P, opponent(P, Q). terminal :- pos = 72. goal(P, 50) :- role(P)."
    )
}

#[test]
fn ways_that_meet_or_are_past_counting_end_contests_in_time() {
    for more in ["turns by result.", "turns by path."] {
        let game = native_with(open(&meeting(24, more)), Optimizations::default());
        let game = game.unwrap_or_else(|failed| panic!("{}: {more}", failed.0));
        assert_eq!(sums(&game).turns, 600, "{more}");
        assert_eq!(sums(game.reference()).turns, 600, "{more}");
    }
    agree(&meeting(4, "turns by result."));
    agree(&meeting(3, "turns by path."));
}

/// Moves are judged by a past of thousands of states: to a place above 3 only who was there before, or at one time.
#[test]
fn a_long_past_is_asked_about() {
    let text = "rules 1. game long. role a. sort place = 0..9. fluent at : place = 0. fluent n : 0..3000 = 0.
        move go(place). terminal :- n = 3000. goal(a, 5).
        legal a does go(X) :- X < 4, X \\= at.
        legal a does go(X) :- X > 3, X \\= at, after(a does go(X), repeated(2, over [at])).
        legal a does go(X) :- X > 3, n = 400 * X - 1500.
        effect go(X) : at := X, n := n + 1.";
    let game = native_with(open(text), Optimizations::default()).expect("native code");
    let contest = Contest { seed: 1, max_states: 2_500, plays_on: false };
    assert_eq!(engines::follow(&game, contest, &mut Hashes::new()), Ok(2_500));
}

/// Whether a turn goes on is told before a step that makes a boolean false, by an effect or by itself.
#[test]
fn what_a_step_makes_false_does_not_hold_after_it() {
    let text = |fluents: &str, rules: &str| {
        format!(
            "rules 1. game offs. role a, b. sort p = 1..4. fluent on(p). fluent n : 0..3 = 0. fluent k : 0..9 = 0.
            fluent turn : role = a. init on(_). {fluents} move put(p). legal P does put(X) :- turn = P, on(X). {rules}
            effect any : n := n + 1 :- n < 3. terminal :- k = 2. goal(P, 10 * N) :- role(P), N = count {{ X : on(X) }}.
            deferred effect any : turn := Q, k := K + 1, n := 0 :- turn = P, opponent(P, Q), k = K."
        )
    };
    agree(&text("", "effect put(X) : on(X) := false. continue :- n < 2, not on(2)."));
    agree(&text("", "effect put(X) : on(X) := false. continue :- n < 2, on(2)."));
    agree(&text("transient fluent tr(p).", "continue :- n < 2, on(Z), not tr(Z)."));
    agree(&text(
        "transient fluent tr(p).",
        "effect put(X) : tr(X) := true. continue :- n < 2, tr(2).",
    ));
}

/// What a negation denies of things that only the state binds may hold, whatever static facts say of other things.
#[test]
fn a_negation_within_a_negation_is_not_answered_too_early() {
    agree(
        "rules 1. game stones. role white, black. sort cell = 1..6. sort content = {empty} + role.
        static safe(cell). safe(1). safe(3). fluent at(cell) : content = empty. fluent turn : role = white.
        move place(cell). move pass. legal P does pass :- turn = P.
        legal P does place(S) :- turn = P, at(S) = empty, not astray. astray :- at(T) = white, not safe(T).
        effect P does place(S) : at(S) := P. effect any : turn := Q :- turn = P, opponent(P, Q).
        terminal :- not open(_). open(S) :- at(S) = empty. goal(_, 50).",
    );
}

/// Each of five things may be so because of any of twelve effects: the ways in which all come about are past counting.
#[test]
fn what_may_come_about_in_too_many_ways_is_asked_after_the_step() {
    agree(
        "rules 1. game ways. role a. sort z = 1..12. sort y = 1..5. fluent flag(z). fluent on(y). fluent k : 0..4 = 0.
        fluent n : 0..3 = 0. init flag(X) :- z(X), X > 8. move put(z). legal a does put(X) :- z(X), k < 3.
        static near(y, z). near(Y, Z) :- y(Y), z(Z), Z >= Y.
        effect put(X) : flag(X) := true :- not flag(X).
        effect any : on(Y) := true :- y(Y), flag(Z), near(Y, Z).
        effect any : n := n + 1 :- n < 3.
        continue :- n < 2, on(1), on(2), on(3), on(4), on(5).
        deferred effect any : k := k + 1, n := 0. terminal :- k = 3. goal(a, 5).",
    );
}
