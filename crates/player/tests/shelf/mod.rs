//! The games of the library, read from their folder.

#![allow(dead_code, reason = "each test that includes this module uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use rulesmith_compile::ReferenceGame;
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, Language, build, reference_game};

use crate::beside::Beside;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")
}

/// The text of a game of the library, and the language it is in.
fn file_of(game: &str) -> (PathBuf, Language) {
    let rules = folder().join(format!("{game}.rules"));
    if rules.exists() {
        return (rules, Language::Rules);
    }
    (folder().join(format!("{game}.scl")), Language::Scl)
}

/// A game by its name, perhaps with parameters: `go size=5`.
pub(crate) fn open(game: &str) -> ReferenceGame {
    let mut words = game.split(' ');
    let (file, language) = file_of(words.next().unwrap());
    let set = words.map(|word| word.split_once('=').unwrap());
    let params = set.map(|(name, value)| (name.to_owned(), value.parse().unwrap())).collect();
    let text = fs::read_to_string(&file).unwrap();
    let name = file.display().to_string();
    let request = BuildRequest { name, text, language, params, ..BuildRequest::default() };
    reference_game(build(&request, &Beside), &request.limits, &Stop::default()).expect("no errors")
}

/// The names of the games whose texts have this ending, in order.
pub(crate) fn library_in(ending: &str) -> Vec<String> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let own = files.filter(|file| file.extension().is_some_and(|own| own == ending));
    let mut names: Vec<String> =
        own.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}
