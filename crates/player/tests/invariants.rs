//! Invariants: what is proved from samples of one contest holds in all states of other contests.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use beside::Beside;
use expect_test::{Expect, expect};
use rulesmith_compile::{ReferenceGame, Sampling, sample_states};
use rulesmith_logic::{Condition, Limits, Stop};
use rulesmith_matching::{Memory, Setting, first_match};
use rulesmith_player::{BuildRequest, build, reference_game};
use rulesmith_specialize::metarules::{Consequence, Metarule, metarule_text};
use rulesmith_specialize::{Knowledge, Sample, Settings, Specializer};

fn open(name: &str, text: String) -> ReferenceGame {
    let request = BuildRequest { name: name.to_owned(), text, ..BuildRequest::default() };
    reference_game(build(&request, &Beside), &request.limits, &Stop::default()).expect("no errors")
}

fn library_game(name: &str) -> ReferenceGame {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{name}.rules"));
    open(&file.display().to_string(), fs::read_to_string(&file).unwrap())
}

fn samples(game: &ReferenceGame, seed: u64) -> Vec<Sample> {
    let sampling =
        Sampling { seed, contests: 3, steps: 60, stride: 1, moves: 3_000, inferences: u64::MAX };
    sample_states(game, sampling, &[]).unwrap()
}

/// Does the metarule hold in the sample?
fn holds(knowledge: &Knowledge<'_>, metarule: &Metarule, sample: &Sample) -> bool {
    let mut memory = Memory::new(knowledge.facts.static_memory().clone());
    for (predicate, rows) in &sample.rows {
        let arity = knowledge.theory.base.predicate(*predicate).domains.len();
        memory.load(*predicate, arity, rows);
    }
    let mut violation = metarule.body.clone();
    match &metarule.consequence {
        Consequence::Impossible => {}
        Consequence::Equal(left, right) => {
            let (left, right) =
                (rulesmith_logic::Expr::Term(*left), rulesmith_logic::Expr::Term(*right));
            violation.push(Condition::Compare(rulesmith_logic::Comparison::Unequal, left, right));
        }
        other => panic!("{other:?}"),
    }
    let (limits, stop) = (Limits::default(), Stop::default());
    let setting = Setting { symbols: knowledge.symbols(), limits, stop };
    let mut bound = vec![None; metarule.variables.len()];
    first_match(&setting, &memory, &violation, &mut bound).unwrap().is_none()
}

/// What is proved of a game, and how many candidates were not.
#[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
fn check(game: &ReferenceGame, expected: Expect) {
    expected.assert_eq(&invariants(game));
}

/// The same as text; all of it is checked on other contests.
fn invariants(game: &ReferenceGame) -> String {
    let theory = game.theory().clone();
    let fresh = ReferenceGame::new(theory.clone(), None, Limits::default(), Stop::default());
    let knowledge = Knowledge::new(&theory, fresh.solver());
    let mut specializer = Specializer::new(&knowledge, Settings::default(), vec![]);
    let found = specializer.find_invariants(&samples(&fresh, 1));
    let mut text = String::new();
    for metarule in &found.proved {
        writeln!(text, "{}", metarule_text(metarule, &knowledge.facts)).unwrap();
    }
    writeln!(text, "{} not proved", found.unproved.len()).unwrap();
    for seed in 2..5 {
        for sample in samples(&fresh, seed) {
            for metarule in &found.proved {
                let text = metarule_text(metarule, &knowledge.facts);
                assert!(holds(&knowledge, metarule, &sample), "{text}");
            }
        }
    }
    text
}

#[test]
fn no_two_tiles_share_a_square() {
    check(
        &library_game("eight_puzzle"),
        expect![[r#"
        X = Z :- at(X, Y), at(Z, Y).
        0 not proved
    "#]],
    );
}

#[test]
fn the_man_never_stands_on_a_box() {
    check(
        &library_game("sokoban"),
        expect![[r#"
        impossible :- man(X), box(X).
        0 not proved
    "#]],
    );
}

#[test]
fn what_is_proved_of_library_games_holds_in_other_contests() {
    let mut text = String::new();
    let names =
        ["connect_four", "english_draughts", "nine_mens_morris", "reversi", "three_way_snatch"];
    for name in names {
        writeln!(text, "{name}\n{}", invariants(&library_game(name))).unwrap();
    }
    expect![[r#"
        connect_four
        0 not proved

        english_draughts
        1 not proved

        nine_mens_morris
        0 not proved

        reversi
        0 not proved

        three_way_snatch
        0 not proved

    "#]]
    .assert_eq(&text);
}

const CELLS: &str = "rules 1. game cells. role x, o. sort row = 1..3. sort mark = {blank} + role.
    fluent cell(row, row, mark). fluent control(role).
    init cell(R, C, blank) :- row(R), row(C). init control(x).
    move put(row, row).
    legal P does put(R, C) :- control(P), cell(R, C, blank).
    effect P does put(R, C) : cell(R, C, P) := true, cell(R, C, blank) := false.
    effect any : control(Q) := true, control(P) := false :- control(P), opponent(P, Q).
    terminal :- not cell(_, _, blank). goal(_, 50).";

#[test]
fn mutual_exclusions_of_gdl_style_fluents_come_out() {
    check(
        &open("cells", CELLS.to_owned()),
        expect![[r#"
            X = Y :- control(X), control(Y).
            Z = W :- cell(X, Y, Z), cell(X, Y, W).
            0 not proved
        "#]],
    );
}

/// The same game, but a rule asks what two marks in one place would mean, which only an illegal move
/// brings about: that places have one mark is then no invariant of all states that are asked about.
#[test]
fn states_after_illegal_moves_count_where_rules_look_ahead() {
    let looks_ahead = "double(P, R, C) :- role(P), row(R), row(C), control(P),
        after(P does put(R, C), cell(R, C, M), cell(R, C, N), M \\= N).";
    check(
        &open("cells", format!("{CELLS}\n{looks_ahead}")),
        expect![[r#"
            X = Y :- control(X), control(Y).
            1 not proved
        "#]],
    );
}
