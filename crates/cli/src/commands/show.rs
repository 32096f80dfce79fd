//! `rulesmith show`: the parts of a game, its board and the legal moves.

use rulesmith_game::{Draws, Error, Game, JointMoves, Notation, RoleId};
use rulesmith_player::{
    Conclusion, EngineGame, EngineKind, Theory, fluent_signature, move_signature,
};
use serde::Serialize;

use crate::args::ShowArgs;
use crate::exit::{Exit, Failure};
use crate::open::{self, Front};
use crate::output::{BOLD, ByRole, Output, RESET, SCHEMA, WIDTH, columns, counted};
use crate::ready::{Ready, Stages, ready};
use crate::words::{self, plain};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct ShowJson<'g> {
    schema: u32,
    game: String,
    roles: &'g [String],
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    facts: Vec<String>,
    legal: ByRole<Vec<String>>,
    terminal: bool,
    goals: ByRole<Option<u8>>,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Stages>,
}

pub(super) fn run(front: &mut Front, args: &ShowArgs) -> anyhow::Result<()> {
    // One state is soon answered by the rules; another engine takes longer to make ready.
    let ready = ready(front, &args.game.game, &args.game.options, EngineKind::Reference)?;
    match ready.game() {
        EngineGame::Reference(game) => {
            let goal = |state: &_, role| game.goal(state, role);
            show(front, args, &ready, (game, &goal))
        }
        EngineGame::Native(game) => {
            let goal = |state: &_, role| game.native().goal(state, role);
            show(front, args, &ready, (game, &goal))
        }
    }
}

/// The goal value of a role in a state, whether the contest is over there or not.
type Goal<'g, G> = dyn Fn(&<G as Game>::State, RoleId) -> Result<Option<u8>, Error> + 'g;

fn show<G: Notation>(
    front: &mut Front,
    args: &ShowArgs,
    ready: &Ready,
    (game, goal): (&G, &Goal<'_, G>),
) -> anyhow::Result<()> {
    let mut state = open::start(game, args.position.as_deref()).map_err(Failure::from)?;
    make_moves(game, &mut state, &args.moves)?;
    let legal = legal(game, &state).map_err(Failure::from)?;
    if args.json {
        return front.output.json(&ShowJson {
            schema: SCHEMA,
            game: ready.theory().instance_name(),
            roles: game.roles(),
            position: game.state_text(&state),
            fen: game.fen_text(&state),
            facts: game.facts(&state),
            legal,
            terminal: game.is_over(&state, Draws::Ignore).map_err(Failure::from)?,
            goals: goals(game, goal, &state),
            engine: ready.engine(),
            fallback: ready.fallback(),
            stages: args.stages.then_some(ready.stages),
        });
    }
    let output = &mut front.output;
    parts(output, ready.theory())?;
    output.line("")?;
    output.line(plain(game.picture(&state).trim_end()))?;
    output.line("")?;
    if let Some(fen) = game.fen_text(&state) {
        output.line(format_args!("position   {}\n", plain(&fen)))?;
    }
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
    if args.stages {
        output.line(format_args!("\nstages, ms: {}", ready.stages.text()))?;
    }
    Ok(())
}

/// Makes the moves given as text: at each state one for every role that has to move.
fn make_moves<G: Notation>(
    game: &G,
    state: &mut G::State,
    moves: &[String],
) -> Result<(), Failure> {
    let mut texts = moves.iter();
    while texts.len() > 0 {
        let movers = JointMoves::of(game, state)?;
        if movers.choices().is_empty() {
            let message =
                format!("nobody can move any more, {} left over", counted(texts.len(), "move"));
            return Err(Failure::new(Exit::Text, message));
        }
        let mut joint = Vec::new();
        for (role, _) in movers.choices() {
            let name = &game.roles()[role.0];
            let text = texts.next().ok_or_else(|| {
                Failure::new(Exit::Text, format!("`{name}` moves too: its move is missing"))
            })?;
            joint.push((*role, game.parse_move(state, *role, text)?));
        }
        game.apply(state, &joint)?;
    }
    Ok(())
}

/// The goal values the rules give in this state; before the end they need not be unique.
fn goals<G: Game>(game: &G, goal: &Goal<'_, G>, state: &G::State) -> ByRole<Option<u8>> {
    let roles = game.roles().iter().enumerate();
    let goal =
        |(at, name): (usize, &String)| (name.clone(), goal(state, RoleId(at)).unwrap_or_default());
    ByRole(roles.map(goal).collect())
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
