//! Goals of Go regressed over moves: the three cases of the explosion.
//!
//! In: a theory and a goal. Out: by number of moves, how many bodies unfolding alone would make, and
//! the levels that are left with metarules at every step. Paper: metameta §4.1, figures 5 and 6.

#![allow(dead_code, reason = "each test file uses its part")]

use rulesmith_logic::{Limits, Solver, Stop, Symbols};
use rulesmith_rules::{
    MoveId, NoFiles, Settings as TextSettings, Theory, clause_text, parse, parse_request,
};
use rulesmith_specialize::{
    Knowledge, Levels, Precondition, Regression, Selection, Settings, Specializer,
};

pub(crate) const GO: &str = include_str!("../../../../games/go.rules");
pub(crate) const STRINGS: &str = include_str!("../theories/strings.rules");

/// A goal and the moves it is regressed over.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) rules: &'static str,
    pub(crate) request: &'static str,
    pub(crate) n_moves: usize,
}

pub(crate) const CASES: [Case; 3] = [
    Case { name: "capture a stone", rules: GO, request: "capture(+X)", n_moves: 3 },
    Case { name: "connect two stones", rules: GO, request: "connect(+X, +Y)", n_moves: 2 },
    Case {
        name: "two strings share a liberty",
        rules: STRINGS,
        request: "common_liberty(+S, +T)",
        n_moves: 2,
    },
];

/// What came of a case.
pub(crate) struct Explosion {
    pub(crate) theory: Theory,
    symbols: Symbols,
    /// Bodies that unfolding alone would make, by number of moves.
    pub(crate) alone: Vec<u128>,
    pub(crate) levels: Levels,
}

impl Explosion {
    pub(crate) fn of(case: &Case, selection: Selection) -> Self {
        let parsed = parse("test.rules", case.rules, &TextSettings::default(), &NoFiles);
        let theory = parsed.theory.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
        let (base, symbols) = (theory.base.clone(), theory.symbols.clone());
        let solver = Solver::new(base, symbols, Limits::default(), Stop::default());
        let knowledge = Knowledge::new(&theory, &solver);
        let mut settings = Settings::default();
        settings.bounds.selection = selection;
        let mut specializer = Specializer::new(&knowledge, settings, Vec::new());
        let goal = parse_request(&theory, case.request).unwrap().remove(0);
        let precondition = Precondition::OnParameters;
        let n_moves = case.n_moves;
        let regression = Regression { kind: MoveId(0), role: None, precondition, n_moves };
        let levels = specializer.regress_goal(&goal, &regression);
        let alone = specializer.count_derivations(&goal, &regression);
        let symbols = solver.symbols().borrow().clone();
        drop(specializer);
        drop(knowledge);
        Self { theory, symbols, alone, levels }
    }

    /// The clauses of a level as text.
    pub(crate) fn clauses(&self, n_moves: usize) -> Vec<String> {
        let clauses = &self.levels.levels[n_moves].clauses;
        clauses.iter().map(|clause| clause_text(&self.theory, &self.symbols, clause)).collect()
    }
}
