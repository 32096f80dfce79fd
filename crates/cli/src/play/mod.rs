//! `rulesmith play`: a contest at the terminal.
//!
//! In: a game and what a person types. Out: boards, moves, the result, and a saved contest; or, without a
//! person, how the program's players did in many contests. Invariant:
//! whatever is typed, the contest stays legal and can be saved; leaving in any way saves it if asked.

mod args;
mod computer;
mod contests;
mod entry;
mod table;

use rulesmith_game::{Notation, Random, RoleId};
use rulesmith_player::{
    Conclusion, Contest, EngineGame, EngineKind, Place, Seat, Session, nearest, replay,
};

use crate::commands::{load, options_of};
use crate::exit::{Exit, Failure, contest_failure};
use crate::input::Inputs;
use crate::open::{self, Front};
pub(crate) use crate::play::args::PlayArgs;
use crate::play::computer::Computer;
use crate::play::table::{Table, save};
use crate::ready::{Ready, ready};

/// The name of a person in contest files.
const HUMAN: &str = "human";
/// The name of the random player in contest files.
const RANDOM: &str = "random";
/// The name of the player by playouts in contest files.
const MONTE_CARLO: &str = "monte-carlo";

pub(crate) fn run(front: &mut Front, args: &PlayArgs) -> anyhow::Result<()> {
    let loaded = args.load.as_deref().map(load).transpose()?;
    let options = loaded
        .as_ref()
        .map_or_else(|| args.options.clone(), |contest| options_of(contest, &args.options));
    let named = args.game.clone().or_else(|| loaded.as_ref().map(|contest| contest.game.clone()));
    let ready = ready(front, &named.unwrap_or_default(), &options, EngineKind::Native)?;
    match ready.game() {
        EngineGame::Reference(game) => play(front, args, loaded.as_ref(), (&ready, game)),
        EngineGame::Native(game) => play(front, args, loaded.as_ref(), (&ready, game)),
    }
}

/// Plays in one of the engines.
fn play<G: Notation>(
    front: &mut Front,
    args: &PlayArgs,
    loaded: Option<&Contest>,
    (ready, game): (&Ready, &G),
) -> anyhow::Result<()> {
    if args.contests.is_some() {
        let players = program_seats(game.roles().len(), args);
        let state = open::start(game, args.position.as_deref()).map_err(Failure::from)?;
        return contests::run(front, args, (ready, game), &state, &players);
    }
    let mut session = if let Some(contest) = loaded {
        replay(game, contest)
            .map_err(|error| contest_failure(args.load.as_deref().unwrap_or_default(), error))?
    } else {
        let state = open::start(game, args.position.as_deref()).map_err(Failure::from)?;
        Session::start(game, Some(state)).map_err(Failure::from)?
    };
    for (role, seat) in seats(game.roles(), args, loaded)?.into_iter().enumerate() {
        session.seat(RoleId(role), seat);
    }
    let seed = args.seed.or(loaded.and_then(|contest| contest.seed)).unwrap_or(0);
    let header = header(ready, args, loaded, seed);
    let mut table = Table {
        inputs: Inputs::new(&front.interrupt),
        random: Random::new(seed),
        computer: Computer::new(&args.opponent, &front.interrupt),
        n_scores: args.opponent.scores,
        style: args.notation.style(),
        conclusion: resigned(loaded),
        unattended: 0,
        max_unattended: args.max_steps,
        output: &mut front.output,
        header,
        session,
    };
    let ended = table.play();
    if let Some(file) = &args.save {
        save(&table.contest(), file)?;
        table.output.remark(format_args!("saved in {file}"));
    }
    ended.map_err(|error| match error.downcast::<rulesmith_game::Error>() {
        Ok(error) => Failure::from(front.interrupt.explain(error)).into(),
        Err(error) => error,
    })
}

/// What the contest's file says before its turns.
fn header(ready: &Ready, args: &PlayArgs, loaded: Option<&Contest>, seed: u64) -> Contest {
    let theory = ready.theory();
    let params = theory.params.iter().filter(|param| param.is_set);
    let data =
        theory.data.iter().filter_map(|data| Some((data.name.clone(), data.set_from.clone()?)));
    let position = loaded.and_then(|contest| contest.position.clone());
    let given = args.position.clone().map(|text| (text, Place::default()));
    Contest {
        game: ready.asked.clone(),
        settings: params.map(|param| (param.name.clone(), param.value)).collect(),
        data: data.collect(),
        position: position.or(given),
        seed: Some(seed),
        ..Contest::default()
    }
}

/// A loaded contest that was given up is over, though the rules would go on.
fn resigned(loaded: Option<&Contest>) -> Option<Conclusion> {
    let (result, _) = loaded?.result.as_ref()?;
    matches!(result, Conclusion::Resigned(_)).then(|| result.clone())
}

/// Who plays: as the flags say, else as the loaded contest says, else a person for the first role.
fn seats(
    roles: &[String],
    args: &PlayArgs,
    loaded: Option<&Contest>,
) -> Result<Vec<Seat>, Failure> {
    let is_human = human_seats(roles, args, loaded)?;
    let mut program = program_seats(is_human.iter().filter(|human| !**human).count(), args);
    if args.opponent.opponent.is_empty() {
        let others = roles.iter().zip(&is_human).filter(|(_, human)| !**human);
        for ((role, _), seat) in others.zip(&mut program) {
            if player_name(loaded, role) == Some(RANDOM) {
                *seat = Seat::Random;
            }
        }
    }
    let mut program = program.into_iter();
    let mut seat = |human| if human { Some(Seat::Human) } else { program.next() };
    Ok(is_human.into_iter().filter_map(&mut seat).collect())
}

/// Whether a person plays, for each role.
fn human_seats(
    roles: &[String],
    args: &PlayArgs,
    loaded: Option<&Contest>,
) -> Result<Vec<bool>, Failure> {
    let mut is_human = vec![false; roles.len()];
    if args.role.is_empty() {
        for (at, role) in roles.iter().enumerate() {
            let has_players = loaded.is_some_and(|contest| !contest.players.is_empty());
            is_human[at] =
                if has_players { player_name(loaded, role) == Some(HUMAN) } else { at == 0 };
        }
    }
    for wanted in &args.role {
        match (roles.iter().position(|role| role == wanted), wanted.as_str()) {
            (Some(role), _) => is_human[role] = true,
            (None, "all" | "both") => is_human.fill(true),
            (None, "none") => {}
            (None, _) => return Err(unknown_role(wanted, roles)),
        }
    }
    Ok(is_human)
}

/// Who played a role in a loaded contest.
fn player_name<'c>(loaded: Option<&'c Contest>, role: &str) -> Option<&'c str> {
    let mut players = loaded?.players.iter();
    players.find(|(name, _)| name == role).map(|(_, player)| player.as_str())
}

/// The program's seats: as many ways to play as were given, in order and from the start again.
fn program_seats(n_seats: usize, args: &PlayArgs) -> Vec<Seat> {
    let given = args.opponent.opponent.iter().map(|opponent| opponent.seat());
    let given: Vec<Seat> = given.collect();
    let ways = if given.is_empty() { vec![Seat::MonteCarlo] } else { given };
    ways.into_iter().cycle().take(n_seats).collect()
}

fn unknown_role(wanted: &str, roles: &[String]) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("the game has no role `{wanted}`"));
    match nearest(wanted, roles.iter().map(String::as_str)) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help(format!("there is {}, and `all` and `none`", roles.join(", "))),
    }
}

/// The name of a seat in contest files.
fn seat_name(seat: Seat) -> &'static str {
    match seat {
        Seat::Human => HUMAN,
        Seat::Random => RANDOM,
        Seat::MonteCarlo => MONTE_CARLO,
    }
}

/// The names of the roles played so, for a sentence.
fn roles_of<G: Notation>(session: &Session<'_, G>, wanted: Seat) -> String {
    let roles = session.game().roles().iter().zip(session.seats());
    let roles = roles.filter(|(_, seat)| **seat == wanted).map(|(role, _)| role.as_str());
    roles.collect::<Vec<_>>().join(" and ")
}
