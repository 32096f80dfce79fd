//! Perft, divide and playouts on games small enough to count by hand.

#![expect(clippy::unwrap_used, reason = "a failing test may panic")]

mod toys;

use std::fmt::Write as _;
use std::ops::ControlFlow;

use expect_test::{Expect, expect};
use rulesmith_game::{
    Draws, Error, Game, MoveStyle, Notation, PlayoutSums, Random, RoleId, divide, joint_text,
    perft, playout,
};
use toys::{hands, subtraction};

fn check_perft<G: Game>(game: &G, draws: Draws, depths: u32, expected: &Expect) {
    let state = game.initial().unwrap();
    let mut text = String::new();
    for depth in 0..=depths {
        let count = perft(game, &state, depth, draws, &mut |_| ControlFlow::Continue(())).unwrap();
        writeln!(text, "{depth} {} {}", count.leaves, count.terminals).unwrap();
    }
    expected.assert_eq(&text);
}

fn check_divide<G: Notation>(game: &G, depth: u32, expected: &Expect) {
    let state = game.initial().unwrap();
    let mut go_on = |_| ControlFlow::Continue(());
    let parts = divide(game, &state, depth, Draws::Ignore, &mut go_on).unwrap();
    let mut text = String::new();
    for (joint, part) in parts {
        writeln!(
            text,
            "{}: {} {}",
            joint_text(game, &state, &joint, MoveStyle::Short),
            part.leaves,
            part.terminals
        )
        .unwrap();
    }
    expected.assert_eq(&text);
}

fn check_playouts<G: Game>(game: &G, seed: u64, max_length: u64, expected: &Expect) {
    let state = game.initial().unwrap();
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..4 {
        let mut go_on = || ControlFlow::Continue(());
        let result = playout(game, &state, &mut random, max_length, &mut go_on).unwrap();
        let ending = result.outcome.map(|outcome| (outcome.ending, outcome.goals));
        writeln!(text, "{} {ending:?}", result.length).unwrap();
    }
    expected.assert_eq(&text);
}

#[test]
fn contests_that_end_earlier_add_no_leaves() {
    check_perft(
        &subtraction(4),
        Draws::Ignore,
        5,
        &expect![[r"
            0 1 0
            1 3 0
            2 6 3
            3 4 3
            4 1 1
            5 0 0
        "]],
    );
}

#[test]
fn drawing_rules_count_only_when_applied() {
    let mut game = subtraction(4);
    game.draw_at = Some(2);
    check_perft(
        &game,
        Draws::Apply,
        3,
        &expect![[r"
            0 1 0
            1 3 1
            2 4 3
            3 1 1
        "]],
    );
}

#[test]
fn stuck_states_are_leaves_but_not_terminal() {
    let mut game = subtraction(4);
    game.stuck_at = Some(2);
    check_perft(
        &game,
        Draws::Ignore,
        3,
        &expect![[r"
            0 1 0
            1 3 0
            2 4 2
            3 1 1
        "]],
    );
}

#[test]
fn roles_that_move_at_once_make_joint_moves() {
    check_perft(
        &hands(2),
        Draws::Ignore,
        3,
        &expect![[r"
            0 1 0
            1 9 0
            2 81 81
            3 0 0
        "]],
    );
}

#[test]
fn divide_tells_leaves_apart_by_the_first_move() {
    check_divide(
        &subtraction(4),
        3,
        &expect![[r"
            take 1: 3 2
            take 2: 1 1
            take 3: 0 0
        "]],
    );
    check_divide(
        &hands(1),
        1,
        &expect![[r"
            left rock; the right rock: 1 1
            left rock; the right paper: 1 1
            left rock; the right scissors; sharp: 1 1
            left paper; the right rock: 1 1
            left paper; the right paper: 1 1
            left paper; the right scissors; sharp: 1 1
            left scissors; sharp; the right rock: 1 1
            left scissors; sharp; the right paper: 1 1
            left scissors; sharp; the right scissors; sharp: 1 1
        "]],
    );
    check_divide(&subtraction(4), 0, &expect![""]);
    check_divide(&subtraction(0), 2, &expect![""]);
}

#[test]
fn a_perft_can_be_broken_off() {
    let game = subtraction(40);
    let mut states = 0;
    let stopped = perft(&game, &game.initial().unwrap(), 20, Draws::Ignore, &mut |_| {
        states += 1;
        if states < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(stopped, Err(Error::Interrupted));
}

#[test]
fn a_very_deep_perft_does_not_exhaust_the_stack() {
    let mut game = subtraction(u32::MAX);
    game.stuck_at = Some(u32::MAX - 200_000);
    let mut states = 0;
    let stopped = perft(&game, &game.initial().unwrap(), 1_000_000, Draws::Ignore, &mut |_| {
        states += 1;
        if states < 150_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(stopped, Err(Error::Interrupted));
}

#[test]
fn playouts_follow_their_seed() {
    check_playouts(
        &subtraction(9),
        7,
        100,
        &expect![[r"
        8 Some((Terminal, [Some(0), Some(100)]))
        4 Some((Terminal, [Some(0), Some(100)]))
        6 Some((Terminal, [Some(0), Some(100)]))
        4 Some((Terminal, [Some(0), Some(100)]))
    "]],
    );
    check_playouts(
        &hands(3),
        1,
        100,
        &expect![[r"
        3 Some((Terminal, [Some(3), Some(0)]))
        3 Some((Terminal, [Some(0), Some(2)]))
        3 Some((Terminal, [Some(2), Some(1)]))
        3 Some((Terminal, [Some(2), Some(1)]))
    "]],
    );
}

#[test]
fn playouts_stop_at_the_cap_and_where_nobody_can_move() {
    check_playouts(
        &subtraction(9),
        7,
        2,
        &expect![[r"
        2 None
        2 None
        2 None
        2 None
    "]],
    );
    let mut game = subtraction(4);
    game.stuck_at = Some(1);
    game.draw_at = Some(2);
    check_playouts(
        &game,
        3,
        100,
        &expect![[r"
        2 Some((Draw, [Some(50), Some(50)]))
        2 Some((Terminal, [Some(0), Some(100)]))
        2 Some((Stuck, [None, None]))
        2 Some((Stuck, [None, None]))
    "]],
    );
}

#[test]
fn sums_give_means_over_the_contests_that_have_a_goal() {
    let game = subtraction(4);
    let mut sums = PlayoutSums::default();
    assert_eq!(sums.mean_length(), None);
    let mut random = Random::new(1);
    for _ in 0..1000 {
        let mut go_on = || ControlFlow::Continue(());
        let start = game.initial().unwrap();
        sums.add(&playout(&game, &start, &mut random, 100, &mut go_on).unwrap());
    }
    let (first, second) = (sums.mean_goal(RoleId(0)).unwrap(), sums.mean_goal(RoleId(1)).unwrap());
    assert!((first + second - 100.0).abs() < 1e-9, "{first} + {second}");
    assert!((2.0..3.0).contains(&sums.mean_length().unwrap()), "{sums:?}");
}
