//! What a GDL description becomes: which fluents are functions, which persist, and over what sorts.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
#![allow(clippy::needless_pass_by_value, reason = "`expect!` is written in the call")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::disallowed_methods, reason = "tests read their games from files")]

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use rulesmith_logic::{DomainId, PredicateId};
use rulesmith_rules::gdl::{GdlLimits, GdlMap, LetterCase, parse_gdl, value_kif};
use rulesmith_rules::{Diagnostics, FluentId, Sources, Theory, Wording};

fn parse(text: &str, limits: &GdlLimits) -> (Theory, GdlMap) {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("test.kif", text);
    let parsed = parse_gdl("test", sources, file, limits, &mut diagnostics);
    parsed.unwrap_or_else(|| panic!("{diagnostics:#?}"))
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/kif/{name}.kif", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Fluents and moves with their sorts, and how many clauses assign to each fluent.
fn outline(theory: &Theory, map: &GdlMap) -> String {
    let sort = |domain: &Option<DomainId>| match domain {
        Some(domain) => {
            let domain = theory.base.domain(*domain);
            let values = domain.values.iter().map(|value| value_kif(&theory.symbols, *value));
            let mut values: Vec<String> = values.collect();
            if values.len() > 10 {
                values.drain(2..values.len() - 1);
                values.insert(2, format!("… {} values …", domain.values.len()));
            }
            format!("{{{}}}", values.join(" "))
        }
        None => "any".to_owned(),
    };
    let sorts = |id: PredicateId| -> Vec<String> {
        theory.base.predicate(id).domains.iter().map(sort).collect()
    };
    let mut text = String::new();
    for (fluent, kind) in theory.fluents.iter().zip(&map.fluents) {
        let mut sorts = sorts(fluent.predicate);
        let value = if fluent.is_functional { sorts.pop() } else { None };
        let value = value.map_or(String::new(), |value| format!(" : {value}"));
        let dynamics = if fluent.is_transient { "transient" } else { "persistent" };
        let n_assignments = theory.base.clauses_of(fluent.assign).len();
        let (name, order, keys) = (&fluent.name, &kind.order, sorts.join(", "));
        writeln!(
            text,
            "{dynamics} {name}({keys}){value} from {order:?}, {n_assignments} assignments"
        )
        .unwrap();
    }
    for kind in &theory.moves {
        writeln!(text, "move {}({})", kind.name, sorts(kind.does)[1..].join(", ")).unwrap();
    }
    text
}

fn check(text: &str, expected: Expect) {
    let (theory, map) = parse(text, &GdlLimits::default());
    expected.assert_eq(&outline(&theory, &map));
}

/// Two roles that move in turn, to be completed by a test.
const TURNS: &str =
    "(role x) (role o) (init (control x)) (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
    (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
    (<= terminal (true (control nobody))) (<= (goal ?p 50) (role ?p))";

#[test]
fn a_board_is_a_function_that_persists() {
    check(
        &file("tic_tac_toe"),
        expect![[r#"
            persistent cell({1 2 3}, {1 2 3}) : {b o x} from [0, 1, 2], 2 assignments
            persistent control() : {xplayer oplayer} from [0], 2 assignments
            move mark({1 2 3}, {1 2 3})
            move noop()
        "#]],
    );
}

#[test]
fn what_one_step_can_make_two_is_no_function() {
    check(
        &file("looks_exclusive"),
        expect![[r#"
            transient at({pawn}, {1 2 3}) from [0, 1], 1 assignments
            transient step() : {0 1 2 3 4} from [0], 1 assignments
            transient marker({1 2 3}) from [0], 1 assignments
            move push({1 2 3})
        "#]],
    );
}

#[test]
fn whole_variables_are_copied_for_each_kind() {
    check(
        &file("whole_variables"),
        expect![[r#"
        persistent p() from [], 2 assignments
        persistent q({1 2 3}) from [0], 3 assignments
        persistent turn() : {a b} from [0], 1 assignments
        persistent r({1}, {2}) from [0, 1], 2 assignments
        transient history({a b}) : {(toggle p) (toggle (q 1)) (toggle (q 2)) (toggle (q 3)) (toggle (r 1 2)) (copy 1 2) (copy 1 3) (copy 2 2) (copy 2 3) pass} from [0, 1], 3 assignments
        transient count() : {1 2 3 4 5 6} from [0], 4 assignments
        move toggle({p (q 1) (q 2) (q 3) (r 1 2)})
        move copy({1 2}, {2 3})
        move pass()
    "#]],
    );
}

#[test]
fn many_constants_in_the_place_of_a_variable_are_one_kind() {
    check(
        &file("many_constants"),
        expect![[r#"
        persistent lamp({a b}) from [0], 2 assignments
        transient round() : {0 1 … 14 values … 13} from [0], 1 assignments
        transient last({ann bea}) : {0 1 … 14 values … 13} from [0, 1], 1 assignments
        transient bigger({ann bea}) from [0], 1 assignments
        persistent fact({l1 l2 … 13 values … l13}) from [0], 2 assignments
        move choice({0 1 … 15 values … noop})
    "#]],
    );
}

#[test]
fn terms_inside_terms_are_values_and_endless_ones_have_no_sort() {
    check(
        &file("nested_cells"),
        expect![[r#"
            persistent cell({hunter fox}) : {(pos 1 1) (pos 1 2) (pos 1 3) (pos 2 1) (pos 2 2) (pos 2 3) (pos 3 1) (pos 3 2) (pos 3 3)} from [1, 0], 1 assignments
            transient clock() : {(left (of 0)) (left (of 1)) (left (of 2)) (left (of 3)) (left (of 4)) (left (of 5)) (left (of 6))} from [0], 1 assignments
            persistent trace({hunter fox}) : {(go (from (pos 1 1)) (to (pos 1 1))) (go (from (pos 1 1)) (to (pos 1 2))) … 90 values … (stay (pos 3 3))} from [0, 1], 2 assignments
            move go({(from (pos 1 1)) (from (pos 1 2)) (from (pos 1 3)) (from (pos 2 1)) (from (pos 2 2)) (from (pos 2 3)) (from (pos 3 1)) (from (pos 3 2)) (from (pos 3 3))}, {(to (pos 1 1)) (to (pos 1 2)) (to (pos 1 3)) (to (pos 2 1)) (to (pos 2 2)) (to (pos 2 3)) (to (pos 3 1)) (to (pos 3 2)) (to (pos 3 3))})
            move stay({(pos 1 1) (pos 1 2) (pos 1 3) (pos 2 1) (pos 2 2) (pos 2 3) (pos 3 1) (pos 3 2) (pos 3 3)})
        "#]],
    );
    check(
        &file("stairs"),
        expect![[r#"
        persistent at() : any from [0], 2 assignments
        persistent energy() : any from [0], 2 assignments
        persistent seen(any) from [0], 1 assignments
        move up(any)
        move down(any)
        move rest()
    "#]],
    );
}

#[test]
fn a_value_that_is_not_last_is_moved_to_the_end() {
    let rules = "(square 1) (square 2) (init (holds x 1)) (init (holds o 2))
        (<= (legal ?p (take ?s)) (true (control ?p)) (square ?s))
        (<= (next (holds ?p ?s)) (does ?p (take ?s)))
        (<= (next (holds ?p ?s)) (true (holds ?p ?s)) (not (taken ?s)))
        (<= (taken ?s) (does ?p (take ?s)))";
    check(
        &format!("{TURNS} {rules}"),
        expect![[r#"
        persistent control() : {x o} from [0], 2 assignments
        persistent holds({1 2}) : {x o} from [1, 0], 1 assignments
        move noop()
        move take({1 2})
    "#]],
    );
}

#[test]
fn two_arities_of_a_functor_are_two_kinds() {
    let rules = "(init (f a)) (init (f a b)) (f 1 2 3) (legal x (go a)) (legal o (go a b)) (legal x (go a b c))
        (<= (next (f ?x)) (true (f ?x))) (<= (next (f ?x ?y)) (true (f ?x ?y)))";
    check(
        &format!("{TURNS} {rules}"),
        expect![[r#"
        persistent control() : {x o} from [0], 2 assignments
        persistent f({a}) from [0], 0 assignments
        persistent f_2({a}, {b}) from [0, 1], 0 assignments
        move noop()
        move go({a})
        move go_2({a}, {b})
        move go_3({a}, {b}, {c})
    "#]],
    );
}

#[test]
fn scrambled_names_give_the_same_game() {
    let [plain, scrambled] = ["tic_tac_toe", "tic_tac_toe_scrambled"].map(|name| {
        let (theory, _) = parse(&file(name), &GdlLimits::default());
        let sizes: Vec<usize> =
            theory.base.domains.iter().map(|domain| domain.values.len()).collect();
        let clauses: Vec<Vec<usize>> = theory
            .base
            .clauses
            .iter()
            .map(|own| own.iter().map(|clause| clause.body.len()).collect())
            .collect();
        let fluents: Vec<_> = theory
            .fluents
            .iter()
            .map(|fluent| (fluent.n_keys, fluent.is_functional, fluent.is_transient))
            .collect();
        (sizes, clauses, fluents, theory.roles.len(), theory.kinds)
    });
    assert_eq!(plain, scrambled);
}

#[test]
fn base_and_input_are_left_out_unless_something_reads_them() {
    let rules = "(helper a) (<= (base (f ?x)) (helper ?x)) (input x noop)";
    let (theory, _) = parse(&format!("{TURNS} {rules}"), &GdlLimits::default());
    let names = |theory: &Theory| -> Vec<String> {
        theory.base.predicates.iter().map(|predicate| predicate.name.clone()).collect()
    };
    assert!(
        ["base", "input", "helper"]
            .iter()
            .all(|name| !names(&theory).contains(&(*name).to_owned()))
    );
    let read = format!("{TURNS} {rules} (<= (next (g ?x)) (base (f ?x)))");
    let (theory, _) = parse(&read, &GdlLimits::default());
    assert!(["base", "helper"].iter().all(|name| names(&theory).contains(&(*name).to_owned())));
}

#[test]
fn names_are_unique_among_fluents_and_relations() {
    let rules = "(cell 1) (init (cell 1 2)) (init (goal 1)) (init (opponent 2)) (<= (next (cell ?x ?x)) (cell ?x))";
    let (theory, _) = parse(&format!("{TURNS} {rules}"), &GdlLimits::default());
    let mut names: Vec<&str> =
        theory.base.predicates.iter().map(|predicate| &*predicate.name).collect();
    names.sort_unstable();
    let n_names = names.len();
    names.dedup();
    assert_eq!(names.len(), n_names);
}

#[test]
fn capitals_may_tell_names_apart() {
    let rules = "(init (f a)) (init (f A)) (<= (NEXT (f ?x)) (true (f ?x)) (TRUE (f ?X)))";
    let text = format!("{TURNS} {rules}");
    check(
        &text,
        expect![[r#"
            persistent control() : {x o} from [0], 2 assignments
            persistent f({A a}) from [0], 0 assignments
            move noop()
        "#]],
    );
    let limits = GdlLimits { letter_case: LetterCase::Folded, ..GdlLimits::default() };
    let (theory, map) = parse(&text, &limits);
    expect![[r#"
        persistent control() : {x o} from [0], 2 assignments
        persistent f({a}) from [0], 0 assignments
        move noop()
    "#]]
    .assert_eq(&outline(&theory, &map));
}

#[test]
fn facts_are_written_and_read_as_kif() {
    let (theory, map) = parse(&file("nested_cells"), &GdlLimits::default());
    let mut symbols = theory.symbols.clone();
    let text = "(cell (pos 1 2) fox) (TRUE (clock (left (of 3))))";
    let facts = map.parse_facts(&mut symbols, text).unwrap();
    let written: Vec<String> =
        facts.iter().map(|(fluent, args)| map.fact(&symbols, *fluent, args)).collect();
    assert_eq!(written, ["(cell (pos 1 2) fox)", "(clock (left (of 3)))"]);
    assert_eq!(facts[0].0, FluentId(0));
    for wrong in ["(cell 1 2 3)", "(cell ?x fox)", "(cell", "nothing"] {
        assert!(map.parse_facts(&mut symbols, wrong).is_err(), "{wrong}");
    }
}
