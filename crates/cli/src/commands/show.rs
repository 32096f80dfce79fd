//! `rulesmith show`: the parts of a game, its board and the legal moves.

use rulesmith_game::{Draws, Error, Game, Notation, RoleId};
use rulesmith_player::{Conclusion, Theory, fluent_signature, move_signature};
use serde::Serialize;

use crate::args::ShowArgs;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::{BOLD, ByRole, Output, RESET, SCHEMA, WIDTH, columns, counted};
use crate::words::{self, plain};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct ShowJson<'g> {
    schema: u32,
    game: String,
    roles: &'g [String],
    facts: Vec<String>,
    legal: ByRole<Vec<String>>,
}

pub(super) fn run(front: &mut Front, args: &ShowArgs) -> anyhow::Result<()> {
    let opened = open::open(front, &args.game.game, &args.game.options)?;
    let state = opened.state(args.position.as_deref())?;
    let game = &opened.game;
    let legal = legal(game, &state).map_err(Failure::from)?;
    if args.json {
        return front.output.json(&ShowJson {
            schema: SCHEMA,
            game: opened.theory().instance_name(),
            roles: game.roles(),
            facts: game.facts(&state),
            legal,
        });
    }
    let output = &mut front.output;
    parts(output, opened.theory())?;
    output.line("")?;
    output.line(plain(game.picture(&state).trim_end()))?;
    output.line("")?;
    let outcome = game.outcome(&state, Draws::Apply).map_err(Failure::from)?;
    if outcome.is_some() {
        output.line(words::result(&Conclusion::of(game.roles(), outcome.as_ref())))?;
    }
    for (role, moves) in legal.0.iter().filter(|(_, moves)| !moves.is_empty()) {
        let n_moves = counted(moves.len(), "legal move");
        output.line(format_args!("{BOLD}{}{RESET} has {n_moves}:", plain(role)))?;
        for line in columns(moves, 2) {
            output.line(plain(&line))?;
        }
    }
    Ok(())
}

fn legal<G: Notation>(game: &G, state: &G::State) -> Result<ByRole<Vec<String>>, Error> {
    let roles = game.roles().iter().enumerate();
    let legal = roles.map(|(at, name)| {
        let moves = game.legal_moves(state, RoleId(at))?;
        Ok((name.clone(), moves.iter().map(|chosen| game.move_text(chosen)).collect()))
    });
    legal.collect::<Result<_, Error>>().map(ByRole)
}

/// Name, roles, sorts, fluents and moves.
fn parts(output: &mut Output, theory: &Theory) -> anyhow::Result<()> {
    output.line(format_args!("{BOLD}{}{RESET}", plain(&theory.instance_name())))?;
    let roles = theory.roles.iter().map(|role| theory.symbols.name(*role).to_owned());
    let sorts = theory.sorts.iter().map(|sort| match sort.domain {
        Some(domain) => format!("{} ({})", sort.name, theory.base.domain(domain).values.len()),
        None => sort.name.clone(),
    });
    let fluents = theory.fluents.iter().map(|fluent| fluent_signature(theory, fluent));
    let moves = theory.moves.iter().map(|kind| move_signature(theory, kind));
    let params = theory.params.iter().map(|param| format!("{} = {}", param.name, param.value));
    let data = theory.data.iter().map(|data| data.name.clone());
    list(output, "roles", &roles.collect::<Vec<_>>())?;
    list(output, "parameters", &params.collect::<Vec<_>>())?;
    list(output, "data", &data.collect::<Vec<_>>())?;
    list(output, "sorts", &sorts.collect::<Vec<_>>())?;
    list(output, "fluents", &fluents.collect::<Vec<_>>())?;
    list(output, "moves", &moves.collect::<Vec<_>>())
}

fn list(output: &mut Output, title: &str, items: &[String]) -> anyhow::Result<()> {
    let mut line = format!("{title:<10} ");
    for (at, item) in items.iter().enumerate() {
        let item = if at + 1 < items.len() { format!("{item}, ") } else { item.clone() };
        if line.chars().count() + item.trim_end().chars().count() > WIDTH {
            output.line(plain(line.trim_end()))?;
            line = " ".repeat(11);
        }
        line += &item;
    }
    if items.is_empty() { Ok(()) } else { output.line(plain(line.trim_end())) }
}
