//! The table of peers: which program knows which game, which games nobody else has, and the differences
//! that are known and decided.
//!
//! In: `golden/peers.toml`. Out: its rows, and what is wrong with them. Invariant: every chess-like game of
//! the library stands in it once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::compare::Telling;
use super::notation::Squares;

/// Where the table is.
pub(super) const FILE: &str = "golden/peers.toml";

/// The whole table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) game: Vec<Compared>,
    pub(super) alone: Vec<Alone>,
    pub(super) difference: Vec<Known>,
}

/// A game that another program knows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Compared {
    /// Its name in the library.
    pub(super) name: String,
    /// Who is asked.
    pub(super) peer: String,
    /// What it is called there.
    pub(super) variant: String,
    /// How draughts count their squares there.
    pub(super) squares: Option<Squares>,
    /// Symbols that are written otherwise there, capitals and small letters alike.
    #[serde(default)]
    pub(super) letters: BTreeMap<String, String>,
    /// How positions are told, where only one way works.
    pub(super) told: Option<Telling>,
    /// Do drawing rules end contests at once there?
    #[serde(default)]
    pub(super) draws: bool,
}

/// A game that is not compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Alone {
    pub(super) name: String,
    pub(super) because: String,
}

/// A difference that is known and decided.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The games that have it.
    pub(super) games: Vec<String>,
    /// What it is like; a difference of this kind is recognized in any position.
    pub(super) kind: Kind,
    /// A position of the first game that shows it.
    pub(super) position: String,
    /// The moves that only we have there.
    #[serde(default)]
    pub(super) ours: Vec<String>,
    /// The moves that only the other program has there.
    #[serde(default)]
    pub(super) theirs: Vec<String>,
    /// Who is right, and why.
    pub(super) decision: String,
}

/// What a difference is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// They list a pawn drop that leaves the other side without a move.
    MatingDrop,
    /// The clocks of positions after moves differ, and nothing else.
    Clock,
}

impl Table {
    /// Reads the table of a checkout.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let table: Self = toml::from_str(&fs::read_to_string(root.join(FILE)).context(FILE)?)?;
        table.check(&library(root)?)?;
        Ok(table)
    }

    /// Fails unless each game stands in it once.
    fn check(&self, library: &BTreeSet<String>) -> Result<()> {
        let compared = self.game.iter().map(|game| &game.name);
        let names: Vec<&String> = compared.chain(self.alone.iter().map(|one| &one.name)).collect();
        let mut seen = BTreeSet::new();
        for name in &names {
            if !library.contains(*name) {
                bail!("{FILE}: the library has no {name}.scl");
            }
            if !seen.insert(*name) {
                bail!("{FILE}: {name} stands there twice");
            }
        }
        if let Some(missing) = library.iter().find(|name| !seen.contains(name)) {
            bail!("{FILE}: {missing} is neither compared nor alone");
        }
        for known in &self.difference {
            let named =
                known.games.iter().find(|name| self.game.iter().all(|game| game.name != **name));
            if let Some(name) = named {
                bail!("{FILE}: a difference names {name}, which is not compared");
            }
            if known.games.is_empty() || known.decision.trim().is_empty() {
                bail!("{FILE}: a difference needs games and a decision: {}", known.position);
            }
        }
        Ok(())
    }
}

/// The chess-like games of the library.
fn library(root: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(root.join("games"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "scl") {
            names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Result<()> {
        let table: Table = toml::from_str(text)?;
        table.check(&BTreeSet::from(["chess".to_owned(), "shogi".to_owned()]))
    }

    const BOTH: &str = r#"
        game = [{ name = "chess", peer = "pyffish", variant = "chess" }]
        alone = [{ name = "shogi", because = "nobody has it" }]
    "#;

    #[test]
    fn every_game_of_the_library_stands_in_the_table_once() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let read = Table::read(root).unwrap();
        assert!(read.alone.iter().all(|one| one.because.len() > 3));
        assert!(table(&format!("{BOTH} difference = []")).is_ok());
        let one =
            "difference = []\nalone = []\ngame = [{ name = 'chess', peer = 'x', variant = 'y' }]";
        assert!(table(one).unwrap_err().to_string().contains("shogi is neither"));
        let other = BOTH.replace("shogi", "chess");
        assert!(
            table(&format!("{other} difference = []")).unwrap_err().to_string().contains("twice")
        );
    }

    #[test]
    fn a_difference_needs_a_compared_game_and_a_decision() {
        let row = |games: &str, decision: &str| {
            let row = format!(
                "games = [{games}], kind = 'clock', position = 'p', decision = '{decision}'"
            );
            table(&format!("{BOTH} difference = [{{ {row} }}]"))
        };
        assert!(row("'chess'", "ours").is_ok());
        assert!(row("'chess'", "").is_err());
        assert!(row("'shogi'", "ours").is_err());
        assert!(row("", "ours").is_err());
    }
}
