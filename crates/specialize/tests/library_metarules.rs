//! Metarules of every game in the library, found by looking: each one is true of the game's facts.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

use std::fs;
use std::path::{Path, PathBuf};

use rulesmith_logic::{Limits, Solver, Stop};
use rulesmith_rules::{Resolver, Settings, Theory, parse};
use rulesmith_specialize::StaticFacts;
use rulesmith_specialize::metarules::{
    Complaint, Declarations, Families, MiningLimits, Store, Symmetry, audit, metarule_text, mine,
    read_metarules, write_metarules,
};

/// Reads files beside the rules.
struct Beside;

impl Resolver for Beside {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(from).parent().unwrap().join(path);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((file.display().to_string(), text))
    }
}

fn library() -> Vec<Theory> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_rules = |path: &PathBuf| path.extension().is_some_and(|end| end == "rules");
    let mut files: Vec<PathBuf> = entries.filter(is_rules).collect();
    files.sort();
    assert!(files.len() >= 20, "the library has shrunk to {} games", files.len());
    let load = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        parse(&file.display().to_string(), &text, &Settings::default(), &Beside).theory.unwrap()
    };
    files.into_iter().map(load).collect()
}

#[test]
fn metarules_of_every_library_game_are_true_of_its_facts_and_come_back_from_text() {
    let mut n_metarules = 0;
    for theory in library() {
        let solver = Solver::new(
            theory.base.clone(),
            theory.symbols.clone(),
            Limits::default(),
            Stop::default(),
        );
        let facts = StaticFacts::of(&theory, &solver);
        let limits =
            MiningLimits { patterns: 300, matches: 30_000, rows: 5_000, ..MiningLimits::default() };
        let mined = mine(&facts, Symmetry::Normalized, limits);
        for (place, complaint) in audit(&mined.metarules, &facts) {
            let text = metarule_text(&mined.metarules[place], &facts);
            // Mining is cut short here, so that a smaller pattern may not have been looked at; that sets are
            // minimal is tested where mining is complete (`metarules.rs`).
            assert!(
                matches!(complaint, Complaint::Unchecked | Complaint::NotMinimal(_)),
                "{}: {text} {complaint:?}",
                theory.name
            );
        }
        let text = write_metarules(&mined.metarules, &facts);
        let read = read_metarules(&text, &facts).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(write_metarules(&read, &facts), text, "{}", theory.name);
        let mut store = Store::new(Declarations::of(&theory), Families::ALL);
        for metarule in mined.metarules {
            store.add(metarule);
        }
        n_metarules += store.metarules().count();
    }
    assert!(n_metarules > 100, "{n_metarules}");
}
