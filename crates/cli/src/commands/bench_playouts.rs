//! `rulesmith bench playouts`: random contests per second of processor time, beside other programs.

use std::ops::ControlFlow;

use rulesmith_game::{Contests, Game, PlayoutSums};
use rulesmith_player::{EngineGame, EngineKind};
use serde::Serialize;

use super::peers::{Peers, Round};
use super::{go_on, median, options_with_settings};
use crate::args::BenchPlayoutsArgs;
use crate::clock::ProcessorWatch;
use crate::exit::Failure;
use crate::open::Front;
use crate::output::SCHEMA;
use crate::progress::Progress;
use crate::ready::{Ready, ready};
use crate::words::plain;

/// The games that are measured unless others are named, and how many times `OpenSpiel`'s speed is the aim.
const BARS: [(&str, &str, f64); 11] = [
    ("noughts_and_crosses", "noughts_and_crosses", 8.0),
    ("connect_four", "connect_four", 30.0),
    ("breakthrough", "breakthrough", 12.0),
    ("english_draughts", "english_draughts", 25.0),
    ("reversi", "reversi", 30.0),
    ("hex", "hex", 5.0),
    ("gomoku", "gomoku", 36.0),
    ("go:size=9", "go(size=9)", 4.0),
    ("go:size=19", "go(size=19)", 4.0),
    ("lines_of_action", "lines_of_action", 10.0),
    ("nine_mens_morris", "nine_mens_morris", 4.0),
];

/// Half the speed of hand-written bit code is the aim.
const BASELINE_BAR: f64 = 0.5;

/// Contests whose mean lengths differ by more than this are not the same contests: states are compared.
const SAME_LENGTH: f64 = 0.02;

/// Seconds that `OpenSpiel`'s mean length is measured for.
const LENGTH_SECONDS: f64 = 2.0;

/// The clock is read about so often, in seconds.
const BATCH_SECONDS: f64 = 0.001;

/// A contest longer than this is broken off.
const MAX_LENGTH: u64 = 10_000;

/// What `--json` prints for each game.
#[derive(Debug, Serialize)]
struct PlayoutsJson<'g> {
    schema: u32,
    game: &'g str,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
    playouts: u64,
    states: u64,
    mean_length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ours: Option<SpeedJson>,
    openspiel: Option<PeerJson>,
    baseline: Option<PeerJson>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "they are the names in JSON")]
struct SpeedJson {
    playouts_per_second: f64,
    median_playouts_per_second: f64,
    states_per_second: f64,
}

/// Another program, and how many times as fast ours is.
#[derive(Clone, Copy, Debug, Serialize)]
struct PeerJson {
    #[serde(flatten)]
    speed: SpeedJson,
    mean_length: f64,
    compared: &'static str,
    ratio: f64,
    bar: Option<f64>,
    reached: Option<bool>,
}

pub(super) fn run(front: &mut Front, args: &BenchPlayoutsArgs) -> anyhow::Result<()> {
    let games: Vec<String> = if args.games.is_empty() {
        BARS.iter().map(|(game, ..)| (*game).to_owned()).collect()
    } else {
        args.games.clone()
    };
    let is_alone = args.beside.alone || args.count.is_some();
    let peers =
        if is_alone { Peers::NONE } else { Peers::find(front, args.beside.peers.as_deref())? };
    if !args.json && args.count.is_none() {
        front.output.line(format_args!(
            "{:<20} {:>12} {:>12} {:>11} {:>8} {:>11} {:>7} {:>5} {:>11} {:>6}",
            "game",
            "playouts/s",
            "median",
            "states/s",
            "length",
            "OpenSpiel",
            "ratio",
            "bar",
            "baseline",
            "ratio"
        ))?;
    }
    for asked in games {
        go_on(front)?;
        let (game, mut options) = options_with_settings(&asked)?;
        options.engine = Some(args.beside.engine);
        options.limit.clone_from(&args.beside.limit);
        options.without.clone_from(&args.beside.without);
        let ready = ready(front, &game, &options, EngineKind::Native)?;
        // A parameter at its default is not in the name of the instance; the others' names have it.
        let known = BARS.iter().find(|(game, ..)| *game == asked);
        let name = known.map_or_else(|| ready.theory().instance_name(), |known| known.1.to_owned());
        let measured = match ready.game() {
            EngineGame::Reference(game) => measure(front, args, &name, (game, &peers)),
            EngineGame::Native(game) => measure(front, args, &name, (&**game.native(), &peers)),
        }?;
        show(front, args, (&ready, &name), &measured)?;
    }
    Ok(())
}

/// The rounds of all programs.
#[derive(Debug, Default)]
struct Measured {
    sums: PlayoutSums,
    ours: Vec<Round>,
    openspiel: Vec<Round>,
    baseline: Vec<Round>,
}

/// Plays the rounds; the programs take turns, so that what slows the machine slows all of them.
fn measure<G: Game>(
    front: &Front,
    args: &BenchPlayoutsArgs,
    name: &str,
    (game, peers): (&G, &Peers),
) -> anyhow::Result<Measured> {
    let state = game.initial().map_err(Failure::from)?;
    let mut measured = Measured::default();
    if let Some(count) = args.count {
        play(front, (game, &state), args.seed, 0..count, &mut measured.sums)?;
        return Ok(measured);
    }
    let mut progress = Progress::start();
    for round in 0..args.rounds {
        go_on(front)?;
        progress.show(|| format!("{name}: round {} of {}", round + 1, args.rounds));
        measured.ours.push(our_round(front, args, (game, &state), &mut measured.sums)?);
        let seed = args.seed + round;
        // The length is the same in every round, and takes time to measure.
        let length_seconds = if round == 0 { LENGTH_SECONDS } else { 0.0 };
        measured.openspiel.extend(peers.openspiel(name, args.seconds, seed, length_seconds));
        measured.baseline.extend(peers.baseline(name, args.seconds, seed));
    }
    progress.clear();
    Ok(measured)
}

/// One round of ours: batches of contests until the time is over.
#[expect(clippy::cast_precision_loss, reason = "rates need no 53 bits")]
fn our_round<G: Game>(
    front: &Front,
    args: &BenchPlayoutsArgs,
    game: (&G, &G::State),
    sums: &mut PlayoutSums,
) -> Result<Round, Failure> {
    let (watch, mut seconds, mut n_batch) = (ProcessorWatch::start(), 0.0, 1);
    let (playouts, turns) = (sums.playouts, sums.turns);
    while seconds < args.seconds {
        let first = sums.playouts;
        play(front, game, args.seed, first..first + n_batch, sums)?;
        let before = std::mem::replace(&mut seconds, watch.seconds());
        if seconds - before < BATCH_SECONDS {
            n_batch *= 2;
        }
    }
    let n_playouts = (sums.playouts - playouts) as f64;
    let mean_length = (sums.turns - turns) as f64 / n_playouts;
    Ok(Round { playouts_per_second: n_playouts / seconds, mean_length })
}

fn play<G: Game>(
    front: &Front,
    (game, state): (&G, &G::State),
    seed: u64,
    numbers: std::ops::Range<u64>,
    sums: &mut PlayoutSums,
) -> Result<(), Failure> {
    let contests = Contests { seed, numbers, max_length: MAX_LENGTH };
    let mut tick = || -> ControlFlow<()> { front.interrupt.flow() };
    let played = game.random_contests(state, &contests, &mut tick, sums);
    played.map_err(|(_, error)| Failure::from(front.interrupt.explain(error)))
}

fn speed(rounds: &[Round], mean_length: f64) -> Option<SpeedJson> {
    let rates: Vec<f64> = rounds.iter().map(|round| round.playouts_per_second).collect();
    let best = rates.iter().copied().max_by(f64::total_cmp)?;
    Some(SpeedJson {
        playouts_per_second: best,
        median_playouts_per_second: median(rates),
        states_per_second: best * mean_length,
    })
}

/// The other program beside ours. What is compared depends on whether it plays the same contests.
fn beside(ours: &SpeedJson, length: f64, rounds: &[Round], bar: Option<f64>) -> Option<PeerJson> {
    let mean_length = rounds.first()?.mean_length;
    let speed = speed(rounds, mean_length)?;
    let is_same = (mean_length - length).abs() <= SAME_LENGTH * length;
    let (compared, ratio) = if is_same {
        ("playouts", ours.playouts_per_second / speed.playouts_per_second)
    } else {
        ("states", ours.states_per_second / speed.states_per_second)
    };
    Some(PeerJson {
        speed,
        mean_length,
        compared,
        ratio,
        bar,
        reached: bar.map(|bar| ratio >= bar),
    })
}

fn show(
    front: &mut Front,
    args: &BenchPlayoutsArgs,
    (ready, name): (&Ready, &str),
    measured: &Measured,
) -> anyhow::Result<()> {
    let length = measured.sums.mean_length().unwrap_or(0.0);
    let ours = speed(&measured.ours, length);
    let bar = BARS.iter().find(|(_, known, _)| *known == name).map(|(.., bar)| *bar);
    let peer = |rounds: &[Round], bar| beside(ours.as_ref()?, length, rounds, bar);
    let result = PlayoutsJson {
        schema: SCHEMA,
        game: name,
        engine: ready.engine(),
        fallback: ready.fallback(),
        playouts: measured.sums.playouts,
        states: measured.sums.turns,
        mean_length: measured.sums.mean_length(),
        ours,
        openspiel: peer(&measured.openspiel, bar),
        baseline: peer(&measured.baseline, Some(BASELINE_BAR)),
    };
    if args.json {
        return front.output.json(&result);
    }
    print(front, &result)
}

fn print(front: &mut Front, result: &PlayoutsJson<'_>) -> anyhow::Result<()> {
    let (name, length) = (plain(result.game), result.mean_length.unwrap_or(0.0));
    let Some(ours) = &result.ours else {
        let (playouts, states) = (result.playouts, result.states);
        return front.output.line(format_args!(
            "{name}: {playouts} playouts, {states} states, mean length {length:.3}"
        ));
    };
    let dash = || "-".to_owned();
    let rate = |peer: &PeerJson| format!("{:.0}", peer.speed.playouts_per_second);
    // A star: lengths differ, so states are compared.
    let ratio = |peer: &PeerJson| {
        let star = if peer.compared == "states" { "*" } else { "" };
        format!("{:.2}{star}", peer.ratio)
    };
    let bar = |peer: &PeerJson| {
        let (bar, reached) = (peer.bar?, peer.reached?);
        Some(format!("{bar}{}", if reached { "+" } else { "-" }))
    };
    let (openspiel, baseline) = (result.openspiel.as_ref(), result.baseline.as_ref());
    front.output.line(format_args!(
        "{name:<20} {:>12.0} {:>12.0} {:>11.0} {length:>8.2} {:>11} {:>7} {:>5} {:>11} {:>6}",
        ours.playouts_per_second,
        ours.median_playouts_per_second,
        ours.states_per_second,
        openspiel.map_or_else(dash, rate),
        openspiel.map_or_else(dash, ratio),
        openspiel.and_then(bar).unwrap_or_else(dash),
        baseline.map_or_else(dash, rate),
        baseline.map_or_else(dash, ratio),
    ))
}
