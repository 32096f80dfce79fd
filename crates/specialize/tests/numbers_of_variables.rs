//! Numbers of variables have sixteen bits: a step that would need more is not made, and is said to be
//! cut; no two variables ever share a number.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;

use rulesmith_logic::{Limits, Solver, Stop};
use rulesmith_rules::{NoFiles, Settings as TextSettings, Theory, parse, parse_request};
use rulesmith_specialize::metarules::Families;
use rulesmith_specialize::{Bound, Bounds, KeptBecause, Knowledge, Settings, Specializer, unfold};

fn theory(rules: &str) -> Theory {
    let text = format!(
        "rules 1. game wide. role a, b. sort n = 1..2. fluent f(n). fluent g. fluent h. init f(1). init g.
         {rules}
         move pass. legal a does pass. terminal. goal(P, 50) :- role(P)."
    );
    let parsed = parse("wide.rules", &text, &TextSettings::default(), &NoFiles);
    assert!(parsed.theory.is_some(), "{:#?}", parsed.diagnostics.list);
    parsed.theory.unwrap()
}

fn solver(theory: &Theory) -> Solver {
    Solver::new(theory.base.clone(), theory.symbols.clone(), Limits::default(), Stop::default())
}

/// As far as unfolding can go.
fn no_bounds() -> Bounds {
    let most = usize::MAX;
    Bounds {
        conditions: most,
        variables: most,
        depth: most,
        clauses: 1 << 16,
        definitions: most,
        regression: most,
        ..Bounds::default()
    }
}

/// So many conditions, each about a variable of its own.
fn own_variables(n_variables: usize) -> String {
    let mut text = String::new();
    for number in 0..n_variables {
        write!(text, "f(V{number}), ").unwrap();
    }
    text
}

/// So many times one of two.
fn choices(n_choices: usize) -> String {
    vec!["(g ; h)"; n_choices].join(", ")
}

#[test]
fn a_step_with_too_many_variables_is_not_made_and_is_reported() {
    // The definitions of `wide` have 2^10 times 70 variables, and are renamed apart all at once. None
    // of them holds, so that `wide` alone is soon done.
    let rules = format!(
        "static s(n). s(2). p :- not wide. wide :- s(1), {}{}.",
        own_variables(70),
        choices(10)
    );
    let theory = theory(&rules);
    let solver = solver(&theory);
    let knowledge = Knowledge::new(&theory, &solver);
    let request = parse_request(&theory, "p").unwrap();
    let kept = unfold(&knowledge, request[0].predicate, &no_bounds());
    assert_eq!(kept.len(), 1);
    assert!(kept[0].body.len() == 1 && kept[0].variables.is_empty(), "{kept:?}");
    let bounds = Bounds { regress: false, ..no_bounds() };
    let settings = Settings { bounds, families: Families::NONE, mines_eagerly: false };
    let mut specializer = Specializer::new(&knowledge, settings, vec![]);
    let specialized = specializer.specialize(&request).unwrap();
    assert!(specialized.procedures[0].reached.contains_key(&Bound::Variables));
}

#[test]
fn a_clause_with_too_many_variables_in_its_alternatives_is_left_to_the_solver() {
    let locals: Vec<String> = (0..16).map(|number| format!("V{number}")).collect();
    let body = format!("{}{}", own_variables(16), choices(12));
    let rules = format!("p :- none {{ {} : {body} }}.", locals.join(", "));
    let theory = theory(&rules);
    let solver = solver(&theory);
    let knowledge = Knowledge::new(&theory, &solver);
    let settings = Settings { bounds: no_bounds(), ..Settings::default() };
    let mut specializer = Specializer::new(&knowledge, settings, vec![]);
    let request = parse_request(&theory, "p").unwrap();
    let specialized = specializer.specialize(&request).unwrap();
    assert!(specialized.outside.contains(&request[0].predicate));
    let kept = [(request[0].predicate, KeptBecause::Alternatives(1 << 16))];
    assert_eq!(specialized.procedures[0].kept, kept);
}
