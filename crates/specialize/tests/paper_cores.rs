//! The metarules of the paper, and the counts worked out for them.
//!
//! In: grids, the Abalone board, tori. Out: which sets of conditions are minimal, in how many tests,
//! and how many patterns, denials and useless tests there are. Paper: metameta §3.1, §3.2.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod worlds;

use expect_test::{Expect, expect};
use rulesmith_logic::Var;
use rulesmith_specialize::StaticFacts;
use rulesmith_specialize::metarules::{
    Declarations, Families, LazyMiner, Mined, Minimization, MiningLimits, Origin, Question, Store,
    Symmetry, metarule_text, mine,
};
use worlds::{abalone, conditions, grid, torus};

fn counts(mined: &Mined) -> [usize; 4] {
    [mined.n_patterns, mined.n_denials(), mined.n_monovaluations(), mined.n_useless_tests()]
}

fn mined(facts: &StaticFacts, symmetry: Symmetry) -> Mined {
    mine(facts, symmetry, MiningLimits::default())
}

#[test]
fn metameta_3_eighteen_patterns_of_a_grid_give_three_denials_and_five_useless_tests() {
    for side in [2, 3, 4, 19] {
        assert_eq!(counts(&mined(&grid(side), Symmetry::AsWritten)), [18, 3, 0, 5], "side {side}");
    }
    for side in [4, 5] {
        assert_eq!(
            counts(&mined(&torus(side), Symmetry::AsWritten))[1..],
            [3, 0, 5],
            "side {side}"
        );
    }
}

#[test]
fn metameta_3_a_torus_of_side_three_has_triangles() {
    assert_eq!(counts(&mined(&torus(3), Symmetry::AsWritten))[1..], [1, 0, 1]);
}

#[test]
fn metameta_3_eleven_patterns_of_abalone_give_two_denials_and_three_monovaluations() {
    assert_eq!(counts(&mined(&abalone(), Symmetry::AsWritten)), [11, 2, 3, 3]);
}

#[test]
fn metameta_3_a_symmetric_grid_needs_two_denials_and_two_useless_tests() {
    assert_eq!(counts(&mined(&grid(19), Symmetry::Normalized))[1..], [2, 0, 2]);
}

fn check_mined(facts: &StaticFacts, symmetry: Symmetry, expected: &Expect) {
    let mined = mined(facts, symmetry);
    let texts: Vec<String> =
        mined.metarules.iter().map(|metarule| metarule_text(metarule, facts) + "\n").collect();
    expected.assert_eq(&texts.concat());
}

#[test]
fn metameta_3_the_metarules_of_a_grid() {
    check_mined(
        &grid(19),
        Symmetry::AsWritten,
        &expect![[r#"
            impossible :- connected(X, X).
            useless X \= Y :- connected(X, Y).
            useless connected(Y, X) :- connected(X, Y).
            impossible :- connected(X, Y), connected(Y, Z), connected(Z, X).
            impossible :- connected(X, Y), connected(X, Z), connected(Z, Y).
            useless X \= W :- connected(X, Y), connected(Z, Y), connected(W, Z).
            useless X \= W :- connected(X, Y), connected(Y, Z), connected(Z, W).
            useless Z \= W :- connected(X, Y), connected(Y, Z), connected(X, W).
            useless Z \= W :- connected(X, Y), connected(X, Z), connected(W, Y).
        "#]],
    );
}

#[test]
fn metameta_3_the_metarules_of_abalone() {
    check_mined(
        &abalone(),
        Symmetry::AsWritten,
        &expect![[r#"
            impossible :- connected(X, X, Y).
            useless X \= Y :- connected(X, Y, Z).
            impossible :- connected(X, Y, Z), connected(Y, X, Z).
            X = W :- connected(X, Y, Z), connected(W, Y, Z).
            useless X \= W :- connected(X, Y, Z), connected(Y, W, Z).
            useless Z \= W :- connected(X, Y, Z), connected(Y, X, W).
            Y = W :- connected(X, Y, Z), connected(X, W, Z).
            Z = W :- connected(X, Y, Z), connected(X, Y, W).
        "#]],
    );
}

/// Refutes a body, one condition after the other, and says what is left and at what price.
fn check_core(facts: &StaticFacts, body: &str, expected: &Expect) {
    let mut miner = LazyMiner::with_minimization(facts, Minimization::OneByOne);
    let metarule = miner.refute(&conditions(body)).unwrap();
    let Origin::Clause { conditions, tests } = metarule.origin else { panic!("not from a clause") };
    let text = metarule_text(&metarule, facts);
    expected.assert_eq(&format!("{text}\n{} of {conditions}, {tests} tests", metarule.body.len()));
}

#[test]
fn metameta_3_1_distance_three_to_itself_keeps_its_three_conditions() {
    let body = "connected(X,Y), connected(Y,Z), connected(Z,X)";
    check_core(
        &grid(19),
        body,
        &expect![[r#"
        impossible :- connected(X, Y), connected(Y, Z), connected(Z, X).
        3 of 3, 4 tests"#]],
    );
}

#[test]
fn metameta_3_1_a_cycle_of_five_is_found_among_nine_conditions() {
    let body = "connected(A,B), A\\=B, connected(B,C), A\\=C, connected(C,D), connected(D,E), \
                connected(E,A), connected(A,F), F\\=C";
    check_core(
        &grid(19),
        body,
        &expect![[r#"
            impossible :- connected(X, Y), connected(Y, Z), connected(Z, W), connected(W, V), connected(V, X).
            5 of 9, 8 tests"#]],
    );
}

#[test]
fn metameta_3_1_two_points_have_no_three_common_neighbors() {
    let body = "connected(A,P), connected(P,B), connected(A,Q), connected(Q,B), connected(A,R), \
                connected(R,B), P\\=Q, Q\\=R, P\\=R, A\\=B, connected(B,S)";
    check_core(
        &grid(19),
        body,
        &expect![[r#"
            impossible :- connected(X, Y), connected(Y, Z), connected(X, W), connected(W, Z), connected(X, V), connected(V, Z), X \= Z, Y \= W, Y \= V, W \= V.
            10 of 11, 11 tests"#]],
    );
}

#[test]
fn metameta_3_1_no_way_back_in_the_same_direction() {
    check_core(
        &abalone(),
        "connected(X,Y,D), connected(Y,X,D)",
        &expect![[r#"
            impossible :- connected(X, Y, Z), connected(Y, X, Z).
            2 of 2, 3 tests"#]],
    );
}

#[test]
fn metameta_3_1_two_steps_in_one_direction_are_not_undone_by_one() {
    check_core(
        &abalone(),
        "connected(X,Y,D), connected(Y,Z,D), connected(Z,X,E)",
        &expect![[r#"
            impossible :- connected(X, Y, Z), connected(Y, W, Z), connected(W, X, V).
            3 of 3, 4 tests"#]],
    );
}

#[test]
fn halving_finds_the_same_cores() {
    let bodies = [
        "connected(A,B), A\\=B, connected(B,C), A\\=C, connected(C,D), connected(D,E), \
         connected(E,A), connected(A,F), F\\=C",
        "connected(A,P), connected(P,B), connected(A,Q), connected(Q,B), connected(A,R), \
         connected(R,B), P\\=Q, Q\\=R, P\\=R, A\\=B, connected(B,S)",
    ];
    let facts = grid(19);
    for body in bodies {
        let core =
            |how| LazyMiner::with_minimization(&facts, how).refute(&conditions(body)).unwrap();
        let (one_by_one, halves) = (core(Minimization::OneByOne), core(Minimization::Halves));
        assert!(one_by_one.says_the_same(&halves));
    }
}

const DISTANCE_FOUR: &str = "connected(X,Y), X\\=Y, connected(Y,Z), Z\\=X, Z\\=Y, connected(Z,W), \
                             W\\=X, W\\=Y, W\\=Z, connected(W,D)";

#[test]
fn metameta_3_2_the_useless_tests_of_the_path_of_four() {
    let facts = grid(19);
    let body = conditions(DISTANCE_FOUR);
    let outside = [worlds::variable("X"), worlds::variable("D")];
    let mut miner = LazyMiner::new(&facts);
    let found = |place: usize, miner: &mut LazyMiner<'_>| {
        let useless = miner.useless(Question { body: &body, place, outside: &outside });
        useless.map(|metarule| metarule_text(&metarule, &facts))
    };
    let texts: Vec<String> =
        (0..body.len()).map(|place| format!("{place}: {:?}\n", found(place, &mut miner))).collect();
    expect![[r#"
        0: None
        1: Some("useless X \\= Y :- connected(X, Y).")
        2: None
        3: None
        4: Some("useless X \\= Y :- connected(X, Y).")
        5: None
        6: Some("useless X \\= W :- connected(X, Y), connected(Y, Z), connected(Z, W).")
        7: None
        8: Some("useless X \\= Y :- connected(X, Y).")
        9: None
    "#]]
    .assert_eq(&texts.concat());
}

#[test]
fn metameta_3_2_the_path_of_four_keeps_two_tests() {
    let facts = grid(19);
    let outside: [Var; 2] = [worlds::variable("X"), worlds::variable("D")];
    let wanted =
        conditions("connected(X,Y), connected(Y,Z), Z\\=X, connected(Z,W), W\\=Y, connected(W,D)");
    let dearness = |_: &_| Some(0);
    let mut lazy = Store::new(Declarations::default(), Families::ALL);
    let mut miner = LazyMiner::new(&facts);
    let trimmed =
        lazy.remove_useless(&conditions(DISTANCE_FOUR), &outside, &dearness, Some(&mut miner));
    assert_eq!(trimmed.conditions, wanted);
    for symmetry in [Symmetry::AsWritten, Symmetry::Normalized] {
        let mut eager = Store::new(Declarations::default(), Families::ALL);
        for metarule in mined(&facts, symmetry).metarules {
            eager.add(metarule);
        }
        let trimmed = eager.remove_useless(&conditions(DISTANCE_FOUR), &outside, &dearness, None);
        assert_eq!(trimmed.conditions, wanted, "{symmetry:?}");
    }
}
