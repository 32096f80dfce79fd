//! Every text in `games` has no problems, says what it is, and prints and parses back.

#![expect(clippy::disallowed_methods, reason = "the library is a folder of files")]

use std::fs;
use std::path::Path;

use rulesmith_rules::scl::{SclGame, SclLimits, parse_scl, print_scl};
use rulesmith_rules::{Diagnostic, Diagnostics, Resolver, Sources};

/// Files beside the text that includes them.
struct Beside;

impl Resolver for Beside {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((file.display().to_string(), text))
    }
}

fn parse(name: &str, text: &str) -> SclGame {
    let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
    let file = sources.add(name, text);
    let game = parse_scl(&mut sources, file, &Beside, &SclLimits::default(), &mut problems);
    assert_eq!(problems.list, Vec::<Diagnostic>::new(), "{name}");
    game.expect("no problems").without_places()
}

#[test]
fn every_text_prints_and_parses_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|it| it == "scl")).collect();
    files.sort();
    assert!(files.len() >= 11, "the folder was found");
    for file in files {
        let (name, text) = (file.display().to_string(), fs::read_to_string(&file).unwrap());
        assert!(text.starts_with("% "), "{name} says what it is");
        let game = parse(&name, &text);
        assert_eq!(Some(game.name.text.as_str()), file.file_stem().unwrap().to_str());
        let printed = print_scl(&game);
        let again = parse(&name, &printed);
        assert_eq!(again, game, "{name}");
        assert_eq!(print_scl(&again), printed, "{name}");
    }
}

#[test]
fn symbols_of_shogi() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/shogi_1992.scl");
    let game = parse("shogi_1992.scl", &fs::read_to_string(file).unwrap());
    let symbols = game.symbols().concat();
    assert_eq!(symbols, "PLKSGIBRTOMEHD");
}
