//! `rulesmith show`: the parts of a game, its board and the legal moves; or a picture of them.

use std::path::Path;

use rulesmith_game::{
    Account, Draws, Error, Game, JointMoves, Notation, RoleId, account, read_move, styled_text,
};
use rulesmith_player::{
    Conclusion, EngineGame, EngineKind, Theory, fluent_signature, move_signature,
};
use serde::Serialize;

use crate::board_picture::{Scene, picture};
use crate::exit::{Exit, Failure};
use crate::files;
use crate::open::{self, Front};
use crate::output::{BOLD, ByRole, Output, RESET, SCHEMA, WIDTH, columns, counted};
use crate::ready::{Ready, Stages, ready};
use crate::show_args::ShowArgs;
use crate::words::{self, plain};

/// What means all moves.
const ANY: &str = "any";

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
    let chosen = chosen_moves(game, &state, args.from.as_deref())?;
    if let Some(file) = &args.svg {
        return draw(front, (game, &state), &chosen, (file, args.from.as_deref()));
    }
    let text = |(role, one): &(RoleId, G::Move)| {
        styled_text(game, &state, (*role, one), args.notation.style())
    };
    let of_role = |(at, name): (usize, &String)| {
        let own = chosen.iter().filter(|(role, _)| role.0 == at);
        (name.clone(), own.map(text).collect())
    };
    let legal: ByRole<Vec<String>> = ByRole(game.roles().iter().enumerate().map(of_role).collect());
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
            joint.push((*role, read_move(game, state, *role, text)?));
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

/// The legal moves that are shown: those of the thing on a square, or those whose text begins so.
fn chosen_moves<G: Notation>(
    game: &G,
    state: &G::State,
    from: Option<&str>,
) -> anyhow::Result<Vec<(RoleId, G::Move)>> {
    let mut moves = Vec::new();
    for role in (0..game.roles().len()).map(RoleId) {
        let legal = game.legal_moves(state, role).map_err(Failure::from)?;
        moves.extend(legal.into_iter().map(|one| (role, one)));
    }
    let Some(from) = from.filter(|from| *from != ANY) else { return Ok(moves) };
    let origin = game.board(state).and_then(|board| board.named(from));
    moves.retain(|(_, one)| match origin {
        Some(square) => game.squares_of(one).first() == Some(&square),
        None => game.move_text(one).starts_with(from),
    });
    // A square may be empty, or stand still; a text must be that of some move.
    if moves.is_empty() && origin.is_none() {
        let message = format!("`{from}` is no square, and no legal move is written so");
        return Err(Failure::new(Exit::Text, message).into());
    }
    Ok(moves)
}

/// Draws the board, and what some moves do on it.
fn draw<G: Notation>(
    front: &mut Front,
    (game, state): (&G, &G::State),
    chosen: &[(RoleId, G::Move)],
    (file, from): (&str, Option<&str>),
) -> anyhow::Result<()> {
    let Some(board) = game.board(state) else {
        let message = "this game has no board of columns and rows to draw";
        return Err(Failure::new(Exit::Text, message).into());
    };
    let shown = if from.is_some() { chosen } else { &[] };
    let accounts: Vec<Account> = shown
        .iter()
        .filter_map(|(role, one)| account(game, state, (*role, one)).map(|(_, account)| account))
        .collect();
    let choices = JointMoves::of(game, state).map_err(Failure::from)?;
    let what = from.map_or(String::new(), |from| format!(": moves from {from}"));
    let scene = Scene {
        roles: game.roles(),
        movers: choices.choices().iter().map(|(role, _)| *role).collect(),
        title: format!("{}{what}", game.name()),
        origin: from.and_then(|from| board.named(from)),
        board: &board,
        accounts,
    };
    let drawn = picture(&scene);
    if file == "-" {
        return front.output.line(drawn.trim_end());
    }
    Ok(files::replace_text(Path::new(file), &drawn, "<svg")?)
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
