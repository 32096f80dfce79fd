//! `rulesmith play`: a contest at the terminal.
//!
//! In: a game and what a person types. Out: boards, moves, the result, and a saved contest. Invariant:
//! whatever is typed, the contest stays legal and can be saved; leaving in any way saves it if asked.

mod entry;
mod table;

use rulesmith_game::{Notation, Random, RoleId};
use rulesmith_player::{
    Conclusion, Contest, EngineGame, EngineKind, Place, Seat, Session, nearest, replay,
};

use crate::args::PlayArgs;
use crate::commands::{load, options_of};
use crate::exit::{Exit, Failure, contest_failure};
use crate::input::Inputs;
use crate::open::{self, Front};
use crate::play::table::{Table, save};
use crate::ready::{Ready, ready};

/// The name of a person in contest files.
const HUMAN: &str = "human";
/// The name of the random player in contest files.
const RANDOM: &str = "random";

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
    let mut session = match loaded {
        Some(contest) => replay(game, contest)
            .map_err(|error| contest_failure(args.load.as_deref().unwrap_or_default(), error))?,
        None => {
            let state = open::start(game, args.position.as_deref()).map_err(Failure::from)?;
            Session::start(game, Some(state)).map_err(Failure::from)?
        }
    };
    for (role, seat) in seats(game.roles(), args, loaded)?.into_iter().enumerate() {
        session.seat(RoleId(role), seat);
    }
    let seed = args.seed.or(loaded.and_then(|contest| contest.seed)).unwrap_or(0);
    let header = header(ready, args, loaded, seed);
    let mut table = Table {
        inputs: Inputs::new(&front.interrupt),
        random: Random::new(seed),
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
    let mut seats = vec![Seat::Random; roles.len()];
    if args.role.is_empty() {
        let players = loaded.map(|contest| contest.players.as_slice()).unwrap_or_default();
        if players.is_empty() {
            seats.iter_mut().take(1).for_each(|seat| *seat = Seat::Human);
        }
        for (role, seat) in roles.iter().zip(&mut seats) {
            if players.iter().any(|(name, player)| name == role && player == HUMAN) {
                *seat = Seat::Human;
            }
        }
    }
    for wanted in &args.role {
        match (roles.iter().position(|role| role == wanted), wanted.as_str()) {
            (Some(role), _) => seats[role] = Seat::Human,
            (None, "all" | "both") => seats.fill(Seat::Human),
            (None, "none") => {}
            (None, _) => return Err(unknown_role(wanted, roles)),
        }
    }
    Ok(seats)
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
    }
}

/// The names of the roles a person plays, for a sentence.
fn human_roles<'g, G: Notation>(session: &Session<'g, G>) -> Vec<&'g str> {
    let roles = session.game().roles().iter().zip(session.seats());
    roles.filter(|(_, seat)| **seat == Seat::Human).map(|(role, _)| role.as_str()).collect()
}
