//! `rulesmith games`: the library.

use rulesmith_player::Theory;
use serde::Serialize;

use crate::args::{GameOptions, GamesArgs};
use crate::library::{self, Entry};
use crate::open::{self, Front};
use crate::output::{BOLD, RESET, SCHEMA};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct GamesJson {
    schema: u32,
    games: Vec<GameJson>,
}

#[derive(Debug, Serialize)]
struct GameJson {
    name: String,
    aliases: Vec<String>,
    roles: Vec<String>,
    description: String,
    files: Vec<String>,
}

pub(super) fn run(front: &mut Front, args: &GamesArgs) -> anyhow::Result<()> {
    let entries = library::entries().into_iter();
    let games = entries.map(|entry| describe(front, entry)).collect::<anyhow::Result<Vec<_>>>()?;
    if args.json {
        return front.output.json(&GamesJson { schema: SCHEMA, games });
    }
    let width = games.iter().map(|game| game.name.len()).max().unwrap_or(0);
    for game in games {
        let GameJson { name, aliases, roles, description, .. } = game;
        front.output.line(format_args!("{BOLD}{name:<width$}{RESET}  {description}"))?;
        let mut details = format!("{:width$}  roles: {}", "", roles.join(", "));
        if !aliases.is_empty() {
            details = format!("{details}; also called {}", aliases.join(", "));
        }
        front.output.line(details)?;
    }
    Ok(())
}

fn describe(front: &Front, entry: Entry) -> anyhow::Result<GameJson> {
    let file = entry.files.first().map_or("", String::as_str);
    let description = library::description(&library::read(file)?);
    let (result, _) = open::read(front, file, &GameOptions::default())?;
    let roles = result.theory.as_ref().map(role_names).unwrap_or_default();
    Ok(GameJson {
        description,
        roles,
        name: entry.name,
        aliases: entry.aliases,
        files: entry.files,
    })
}

fn role_names(theory: &Theory) -> Vec<String> {
    theory.roles.iter().map(|role| theory.symbols.name(*role).to_owned()).collect()
}
