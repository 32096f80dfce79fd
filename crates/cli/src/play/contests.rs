//! `rulesmith play --contests N`: the program's players against one another.
//!
//! In: a game and its players. Out: how each player did, with the roles taken by turns. Invariant: contest
//! after contest starts from the same state; one that does not end is a draw.

use rulesmith_game::{Game, Outcome, Random, RoleId};
use rulesmith_player::{Seat, Session, Standing, play_contest, player_of, standings};
use serde::Serialize;

use crate::clock::Stopwatch;
use crate::exit::Failure;
use crate::open::Front;
use crate::output::SCHEMA;
use crate::play::args::PlayArgs;
use crate::play::computer::Computer;
use crate::play::seat_name;
use crate::progress::Progress;
use crate::ready::Ready;
use crate::words::plain;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct ContestsJson {
    schema: u32,
    game: String,
    contests: u64,
    players: Vec<PlayerJson>,
    mean_length: f64,
    unfinished: u64,
    seconds: f64,
    engine: &'static str,
}

/// How one player did.
#[derive(Debug, Serialize)]
struct PlayerJson {
    player: &'static str,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    mean_goal: Option<f64>,
}

/// A contest that was played.
struct Played {
    outcome: Option<Outcome>,
    length: u64,
}

/// Plays the contests and prints how it went. There is one player a role.
pub(super) fn run<G: Game>(
    front: &mut Front,
    args: &PlayArgs,
    (ready, game): (&Ready, &G),
    state: &G::State,
    players: &[Seat],
) -> anyhow::Result<()> {
    let computer = Computer::new(&args.opponent, &front.interrupt);
    let (watch, mut progress) = (Stopwatch::start(), Progress::start());
    let mut random = Random::new(args.seed.unwrap_or(0));
    let mut contests: Vec<Played> = Vec::new();
    for contest in 0..args.contests.unwrap_or(1) {
        let mut session = Session::start(game, Some(state.clone())).map_err(Failure::from)?;
        for role in (0..game.roles().len()).map(RoleId) {
            session.seat(role, players[player_of(role, contest, players.len())]);
        }
        let length = play_contest(&mut session, args.max_steps, |session, role| {
            let n_turns = session.n_turns();
            progress.show(|| format!("contest {}, turn {}", contest + 1, n_turns + 1));
            computer.check()?;
            computer.play(session, role, &mut random).map(|choice| choice.chosen)
        });
        let length = length.map_err(|error| Failure::from(front.interrupt.explain(error)))?;
        contests.push(Played { outcome: session.outcome().cloned(), length });
    }
    progress.clear();
    let standings = standings(players.len(), contests.iter().map(|played| played.outcome.as_ref()));
    let result = ContestsJson {
        schema: SCHEMA,
        game: game.name(),
        contests: contests.len() as u64,
        players: players.iter().zip(&standings).map(|(seat, one)| player(*seat, one)).collect(),
        mean_length: mean(contests.iter().map(|played| played.length).sum(), contests.len() as u64)
            .unwrap_or(0.0),
        unfinished: contests.iter().filter(|played| played.outcome.is_none()).count() as u64,
        seconds: watch.seconds(),
        engine: ready.engine(),
    };
    if args.json { front.output.json(&result) } else { print(front, &result) }
}

fn player(seat: Seat, standing: &Standing) -> PlayerJson {
    let Standing { wins, draws, losses, points, goals } = *standing;
    let n_contests = wins + draws + losses;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let score = 100.0 * points / n_contests.max(1) as f64;
    let mean_goal = mean(goals.0, goals.1);
    PlayerJson { player: seat_name(seat), wins, draws, losses, score, mean_goal }
}

#[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

fn print(front: &mut Front, result: &ContestsJson) -> anyhow::Result<()> {
    let output = &mut front.output;
    output.line(format_args!("game         {}", plain(&result.game)))?;
    output.line(format_args!("contests     {}", result.contests))?;
    if result.unfinished > 0 {
        output.line(format_args!("  of these {} were given up", result.unfinished))?;
    }
    output.line(format_args!("mean length  {:.1}", result.mean_length))?;
    output.line(format_args!("seconds      {:.3}", result.seconds))?;
    output.line("player         wins  draws  losses   score  mean goal")?;
    for player in &result.players {
        let PlayerJson { player, wins, draws, losses, score, mean_goal } = player;
        let goal = mean_goal.map_or("none".to_owned(), |goal| format!("{goal:.1}"));
        output.line(format_args!(
            "{player:<12}{wins:>7}{draws:>7}{losses:>8}{score:>6.1} %{goal:>11}"
        ))?;
    }
    Ok(())
}
