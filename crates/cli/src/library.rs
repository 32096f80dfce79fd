//! The library of games, which is part of the binary.
//!
//! In: a name, as in `go`, `checkers` (an alias) or `breakthrough.kif` (one of two languages). Out: the
//! text of its rules. The games are the rules files right in `games/`; folders in it hold what they
//! read. Invariant: everything a library game needs is in the binary.

use std::collections::BTreeMap;

use rulesmith_player::{Resolver, nearest};
use rust_embed::Embed;

use crate::exit::{Exit, Failure};

#[derive(Embed)]
#[folder = "../../games"]
#[exclude = "*.perft"]
struct Embedded;

/// Where library files seem to be, in messages.
pub(crate) const FOLDER: &str = "games/";

/// The table of aliases: one `alias name` a line, `#` starts a comment.
const ALIASES: &str = "aliases.txt";

/// The languages a game may be written in, the preferred one first.
const EXTENSIONS: [&str; 3] = ["rules", "kif", "scl"];

/// A game of the library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: String,
    /// Other names.
    pub(crate) aliases: Vec<String>,
    /// Its files, the preferred one first.
    pub(crate) files: Vec<String>,
}

/// All games by name.
pub(crate) fn entries() -> Vec<Entry> {
    let mut games: BTreeMap<String, Entry> = BTreeMap::new();
    for extension in EXTENSIONS {
        for file in Embedded::iter().filter(|file| !file.contains('/')) {
            let Some((name, _)) = file.rsplit_once('.').filter(|(_, end)| *end == extension) else {
                continue;
            };
            let entry = games.entry(name.to_owned()).or_default();
            name.clone_into(&mut entry.name);
            entry.files.push(file.to_string());
        }
    }
    for (alias, name) in aliases() {
        if let Some(entry) = games.get_mut(&name) {
            entry.aliases.push(alias);
        }
    }
    games.into_values().collect()
}

/// The file of a library game, if the name is one of the library's.
pub(crate) fn find(name: &str) -> Option<String> {
    let (stem, language) = match name.rsplit_once('.') {
        Some((stem, end)) if EXTENSIONS.contains(&end) => (stem, Some(end)),
        _ => (name, None),
    };
    let stem = stem.to_lowercase().replace(['-', ' '], "_");
    let is_named = |entry: &&Entry| entry.name == stem || entry.aliases.contains(&stem);
    let entry = entries().iter().find(is_named).cloned()?;
    let is_wanted = |file: &&String| language.is_none_or(|end| file.ends_with(&format!(".{end}")));
    entry.files.iter().find(is_wanted).cloned()
}

/// The failure for a name that is not in the library.
pub(crate) fn unknown(name: &str) -> Failure {
    let entries = entries();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    if let Some(entry) = entries.iter().find(|entry| entry.name == stem) {
        let help = format!("the library has {}", entry.files.join(", "));
        return Failure::new(Exit::UnknownGame, format!("there is no `{name}` in the library"))
            .help(help);
    }
    let names = entries.iter().flat_map(|entry| {
        std::iter::once(entry.name.as_str()).chain(entry.aliases.iter().map(String::as_str))
    });
    let failure = Failure::new(
        Exit::UnknownGame,
        format!("there is no game `{name}` in the library, and no file of that name"),
    );
    match nearest(name, names) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help("`rulesmith games` lists the library"),
    }
}

/// The text of a file of the library.
pub(crate) fn read(file: &str) -> Result<String, Failure> {
    let found =
        Embedded::get(file).and_then(|found| String::from_utf8(found.data.into_owned()).ok());
    found.ok_or_else(|| {
        Failure::new(Exit::Unreadable, format!("there is no text `{file}` in the library"))
    })
}

/// What library games may read.
pub(crate) struct Shelf;

impl Resolver for Shelf {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let from = from.strip_prefix(FOLDER).unwrap_or(from);
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = format!("{folder}/{}", path.trim_start_matches("./"));
        let file = file.trim_start_matches('/');
        let text = read(file).map_err(|failure| failure.message)?;
        Ok((format!("{FOLDER}{file}"), text))
    }
}

fn aliases() -> Vec<(String, String)> {
    let table = read(ALIASES).unwrap_or_default();
    let lines = table.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines
        .filter_map(|line| {
            let (alias, name) = line.trim().split_once(char::is_whitespace)?;
            Some((alias.to_owned(), name.trim().to_owned()))
        })
        .collect()
}

/// The first line of the comment a rules text starts with.
pub(crate) fn description(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut comments = lines.map_while(|line| line.strip_prefix(['%', ';', '#']));
    let first = comments.find_map(|line| {
        let line = line.trim_start_matches(['%', ';', '#']).trim();
        (!line.is_empty()).then_some(line)
    });
    first.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Embedded, aliases, description, entries, find, unknown};

    #[test]
    fn aliases_name_games_that_exist_and_shadow_none() {
        let names: Vec<String> = entries().into_iter().map(|entry| entry.name).collect();
        for (alias, name) in aliases() {
            assert!(!names.contains(&alias), "the alias `{alias}` is also a game");
            assert!(names.contains(&name), "the alias `{alias}` is for `{name}`, which is no game");
        }
    }

    #[test]
    fn perft_files_stay_outside() {
        assert!(Embedded::iter().all(|file| !file.ends_with(".perft")));
    }

    #[test]
    fn every_game_is_found_by_all_its_names() {
        for entry in entries() {
            for name in entry.aliases.iter().chain([&entry.name]).chain(&entry.files) {
                assert!(entry.files.contains(&find(name).unwrap()), "{name}");
            }
        }
    }

    #[test]
    fn an_unknown_name_gets_a_way_out() {
        assert!(unknown("qqqqqqqq").help.unwrap().contains("rulesmith games"));
    }

    #[test]
    fn descriptions_are_the_first_comment() {
        assert_eq!(description("%\n% Breakthrough: run.\n% More.\nrules 1."), "Breakthrough: run.");
        assert_eq!(description(";;; Tic-tac-toe\n(role x)"), "Tic-tac-toe");
        assert_eq!(description("rules 1. % no"), "");
    }
}
