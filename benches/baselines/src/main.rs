//! Baselines only: measures the hand-written games and rules on one core.
//!
//! In: the command line. Out: speed of random contests or perft, as text or as JSON. Invariant:
//! time is processor time of this thread, so other work on the machine counts as little as it can.

#![expect(clippy::inline_always, reason = "work has to be inlined into `Bits::enter`")]

use std::io::{self, Read, Write};
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Parser, Subcommand, ValueEnum};
use rulesmith_baselines::{
    Baseline, Bits, Breakthrough, Conclusions, ConnectFour, Go, Leaves, NoughtsAndCrosses,
    PerftKind, Portable, Random, Reversi, RuleFacts, Work, run_best,
};
use serde_json::json;

/// Hand-written games, measured; for comparison only
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play random contests from the start
    Playouts(PlayoutArguments),
    /// Count the states so many moves ahead: applied, then bulk
    Perft {
        game: Game,
        depth: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Match the rules of the paper on facts read from standard input, and print JSON
    Match {
        /// Rounds, of which the median counts
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..))]
        rounds: u64,
        /// Processor seconds of a round
        #[arg(long, default_value_t = 0.2)]
        seconds: f64,
    },
}

#[derive(Args)]
struct PlayoutArguments {
    game: Game,
    /// Processor seconds of a round
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Play so many contests and never look at the clock: for counting instructions
    #[arg(long, conflicts_with = "seconds")]
    count: Option<u64>,
    /// Rounds, of which the fastest counts
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Seed of the first round; later rounds add one each
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use only what every processor has
    #[arg(long)]
    portable: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Game {
    NoughtsAndCrosses,
    ConnectFour,
    Breakthrough,
    Reversi,
    #[value(name = "go(size=9)", alias = "go_9")]
    Go9,
    #[value(name = "go(size=19)", alias = "go_19")]
    Go19,
}

fn main() -> Result<()> {
    let mut out = io::stdout().lock();
    match Arguments::parse().command {
        Command::Playouts(arguments) => {
            let rounds = (0..arguments.rounds).map(|one| measure_playouts(&arguments, one));
            let rounds: Vec<Totals> = rounds.collect();
            report_playouts(&mut out, &arguments, &rounds)
        }
        Command::Perft { game, depth, json } => {
            for kind in [PerftKind::Applied, PerftKind::Bulk] {
                let start = thread_seconds();
                let leaves = measure_perft(game, depth, kind);
                let seconds = thread_seconds() - start;
                report_perft(&mut out, (game, depth, kind), leaves, seconds, json)?;
            }
            Ok(())
        }
        Command::Match { rounds, seconds } => {
            let mut text = String::new();
            io::stdin().lock().read_to_string(&mut text)?;
            for (rule, facts) in RuleFacts::read(&text) {
                report_match(&mut out, (&rule, &facts), rounds, seconds)?;
            }
            Ok(())
        }
    }
}

/// Matches one rule in rounds and prints the median.
fn report_match(
    out: &mut impl Write,
    (rule, facts): (&str, &RuleFacts),
    rounds: u64,
    seconds: f64,
) -> Result<()> {
    let (mut paths, mut threats) = (Conclusions::default(), Conclusions::default());
    let mut run = || match rule {
        "distance-4" => Some(facts.paths(&mut paths)),
        "threattoconnect-1" => Some(facts.threats_first(&mut threats)),
        "threattoconnect-2" => Some(facts.threats_second(&mut threats)),
        _ => None,
    };
    let Some(conclusions) = run() else { return Ok(()) };
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..rounds {
        let (start, mut n_runs, mut spent) = (thread_seconds(), 0.0, 0.0);
        while spent < seconds {
            std::hint::black_box(run());
            n_runs += 1.0;
            spent = thread_seconds() - start;
        }
        times.push(spent / n_runs);
    }
    times.sort_by(f64::total_cmp);
    let seconds = times[times.len() / 2];
    let line = json!({ "rule": rule, "engine": "baseline", "conclusions": conclusions, "seconds": seconds });
    writeln!(out, "{line}")?;
    Ok(())
}

/// The sums over one round of contests.
#[derive(Clone, Copy, Default)]
struct Totals {
    n_playouts: u64,
    n_states: u64,
    score: u64,
    seconds: f64,
}

impl Totals {
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no 53 bits")]
    fn rate(self) -> f64 {
        self.n_playouts as f64 / self.seconds
    }
}

fn measure_playouts(arguments: &PlayoutArguments, round: u64) -> Totals {
    match arguments.game {
        Game::NoughtsAndCrosses => playouts::<NoughtsAndCrosses>(arguments, round),
        Game::ConnectFour => playouts::<ConnectFour>(arguments, round),
        Game::Breakthrough => playouts::<Breakthrough>(arguments, round),
        Game::Reversi => playouts::<Reversi>(arguments, round),
        Game::Go9 => playouts::<Go<9, 128>>(arguments, round),
        Game::Go19 => playouts::<Go<19, 512>>(arguments, round),
    }
}

/// Plays batches until the time is over; the clock is read between them, about once a millisecond.
fn playouts<G: Baseline>(arguments: &PlayoutArguments, round: u64) -> Totals {
    let mut game = G::start();
    let mut random = Random::new(arguments.seed.wrapping_add(round));
    let mut totals = Totals::default();
    let mut play = |n_contests, totals: &mut Totals| {
        let batch = Batch { n_contests, game: &mut game, random: &mut random, totals };
        if arguments.portable { Portable.enter(batch) } else { run_best(batch) }
    };
    if let Some(count) = arguments.count {
        play(count, &mut totals);
        return totals;
    }
    let mut n_contests = 1;
    let start = thread_seconds();
    while totals.seconds < arguments.seconds {
        let before = totals.seconds;
        play(n_contests, &mut totals);
        totals.seconds = thread_seconds() - start;
        if totals.seconds - before < 0.001 {
            n_contests *= 2;
        }
    }
    totals
}

/// Some contests in a row.
struct Batch<'a, G> {
    n_contests: u64,
    game: &'a mut G,
    random: &'a mut Random,
    totals: &'a mut Totals,
}

impl<G: Baseline> Work for Batch<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) {
        let mut random = self.random.clone();
        let (mut n_states, mut score) = (0, 0);
        for _ in 0..self.n_contests {
            let contest = self.game.playout(bits, &mut random);
            n_states += u64::from(contest.length);
            score += u64::from(contest.score);
        }
        *self.random = random;
        self.totals.n_playouts += self.n_contests;
        self.totals.n_states += n_states;
        self.totals.score += score;
    }
}

fn measure_perft(game: Game, depth: u32, kind: PerftKind) -> Leaves {
    match game {
        Game::NoughtsAndCrosses => perft::<NoughtsAndCrosses>(depth, kind),
        Game::ConnectFour => perft::<ConnectFour>(depth, kind),
        Game::Breakthrough => perft::<Breakthrough>(depth, kind),
        Game::Reversi => perft::<Reversi>(depth, kind),
        Game::Go9 => perft::<Go<9, 128>>(depth, kind),
        Game::Go19 => perft::<Go<19, 512>>(depth, kind),
    }
}

fn perft<G: Baseline>(depth: u32, kind: PerftKind) -> Leaves {
    run_best(Perft { game: G::start(), depth, kind })
}

struct Perft<G> {
    game: G,
    depth: u32,
    kind: PerftKind,
}

impl<G: Baseline> Work for Perft<G> {
    type Output = Leaves;

    #[inline(always)]
    fn run<B: Bits>(mut self, bits: B) -> Leaves {
        self.game.perft(bits, self.depth, self.kind)
    }
}

#[expect(clippy::cast_precision_loss, reason = "means need no 53 bits")]
fn report_playouts(
    out: &mut impl Write,
    arguments: &PlayoutArguments,
    rounds: &[Totals],
) -> Result<()> {
    let best = rounds.iter().copied().max_by(|one, other| one.rate().total_cmp(&other.rate()));
    let best = best.unwrap_or_default();
    let n_playouts = rounds.iter().map(|one| one.n_playouts).sum::<u64>();
    let mean =
        |sum: fn(&Totals) -> u64| rounds.iter().map(sum).sum::<u64>() as f64 / n_playouts as f64;
    let (length, score) = (mean(|one| one.n_states), mean(|one| one.score));
    let mut line = json!({
        "game": name(arguments.game), "engine": "baseline", "seed": arguments.seed,
        "rounds": rounds.len(), "playouts": n_playouts, "mean_length": length, "first_role": score,
    });
    if arguments.count.is_none() {
        line["playouts_per_second"] = json!(best.rate().round());
        line["states_per_second"] = json!((best.n_states as f64 / best.seconds).round());
    }
    if arguments.json {
        writeln!(out, "{line}")?;
        return Ok(());
    }
    let game = name(arguments.game);
    write!(out, "{game}: {n_playouts} playouts, mean length {length:.3}, first role {score:.2}")?;
    if arguments.count.is_none() {
        let (playouts, states) = (best.rate(), best.n_states as f64 / best.seconds);
        write!(out, ", {playouts:.0} playouts/s, {states:.0} states/s")?;
    }
    writeln!(out)?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a rate needs no 53 bits")]
fn report_perft(
    out: &mut impl Write,
    (game, depth, kind): (Game, u32, PerftKind),
    leaves: Leaves,
    seconds: f64,
    json: bool,
) -> Result<()> {
    let rate = leaves.count as f64 / seconds;
    let game = name(game);
    let kind = match kind {
        PerftKind::Applied => "applied",
        PerftKind::Bulk => "bulk",
    };
    if json {
        let line = json!({
            "game": game, "engine": "baseline", "depth": depth, "kind": kind,
            "leaves": leaves.count, "seconds": seconds, "leaves_per_second": rate.round(),
            "checksum": leaves.checksum,
        });
        writeln!(out, "{line}")?;
    } else {
        let count = leaves.count;
        writeln!(out, "{game} perft {depth} {kind}: {count} in {seconds:.3} s, {rate:.0}/s")?;
    }
    Ok(())
}

fn name(game: Game) -> String {
    game.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Processor time of this thread.
fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default().as_secs_f64()
}
