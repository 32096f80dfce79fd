//! The explosion of unfolding.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rulesmith_logic::{Limits, Solver, Stop};
use rulesmith_rules::{
    MoveId, NoFiles, Settings as TextSettings, Theory, clause_text, parse, parse_request,
};
use rulesmith_specialize::{
    Knowledge, Levels, Precondition, Regression, Selection, Settings, Specializer,
};

const STRINGS: &str = include_str!("theories/strings.rules");
const GO: &str = include_str!("../../../games/go.rules");

fn theory(text: &str) -> Theory {
    let parsed = parse("test.rules", text, &TextSettings::default(), &NoFiles);
    parsed.theory.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

fn levels(theory: &Theory, request: &str, n_moves: usize, selection: Selection) -> Levels {
    let solver = Solver::new(
        theory.base.clone(),
        theory.symbols.clone(),
        Limits::default(),
        Stop::default(),
    );
    let knowledge = Knowledge::new(theory, &solver);
    let mut settings = Settings::default();
    settings.bounds.selection = selection;
    let mut specializer = Specializer::new(&knowledge, settings, Vec::new());
    let goal = parse_request(theory, request).unwrap().remove(0);
    let regression = Regression {
        kind: MoveId(0),
        role: None,
        precondition: Precondition::OnParameters,
        n_moves,
    };
    eprintln!("without: {:?}", specializer.count_derivations(&goal, &regression));
    let start = std::time::Instant::now();
    let levels = specializer.regress_goal(&goal, &regression);
    eprintln!("{:?}", start.elapsed());
    for (k, level) in levels.levels.iter().enumerate() {
        eprintln!("level {k}: {:?}", level.counts);
        for clause in &level.clauses {
            eprintln!("  {}", clause_text(theory, &solver.symbols().borrow(), clause));
        }
    }
    levels
}

#[test]
fn look() {
    let go = theory(GO);
    if let Ok(n) = std::env::var("S") {
        let strings = theory(STRINGS);
        levels(
            &strings,
            "common_liberty(+S, +T)",
            n.parse().unwrap(),
            Selection::FewestDefinitions,
        );
        return;
    }
    let n: usize = std::env::var("N").ok().map_or(1, |n| n.parse().unwrap());
    for request in std::env::var("R").unwrap_or("capture(+X);connect(+X, +Y)".into()).split(';') {
        eprintln!("{request}");
        levels(&go, request, n, Selection::FewestDefinitions);
    }
}
