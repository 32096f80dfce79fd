//! The commands, one module each: arguments in, output out.

mod bench_conditions;
mod bench_legal;
mod bench_match;
mod bench_perft;
mod bench_playouts;
mod cache;
mod check;
mod dump;
mod dump_analysis;
mod fairy_stockfish;
mod games;
mod generate;
mod generate_knobs;
mod import;
mod manual;
mod peers;
mod perft;
mod playouts;
mod replay;
mod sample;
mod show;
mod specialize;

use clap::CommandFactory;

pub(crate) use replay::{load, options_of};

use crate::args::{Bench, Cli, Command, GameOptions};
use crate::exit::{Exit, Failure};
use crate::open::Front;
use crate::play;

/// Runs a command; without one, shows the help.
pub(crate) fn run(front: &mut Front, command: Option<Command>) -> anyhow::Result<()> {
    let Some(command) = command else {
        return front.output.line(Cli::command().render_long_help().ansi());
    };
    match command {
        Command::Games(args) => games::run(front, &args),
        Command::Check(args) => check::run(front, &args),
        Command::Show(args) => show::run(front, &args),
        Command::Play(args) => play::run(front, &args),
        Command::Replay(args) => replay::run(front, &args),
        Command::Perft(args) => perft::run(front, &args),
        Command::Playouts(args) => playouts::run(front, &args),
        Command::Sample(args) => sample::run(front, &args),
        Command::Specialize(args) => specialize::run(front, &args),
        Command::Dump(args) => dump::run(front, &args),
        Command::Generate(args) => generate::run(front, &args),
        Command::Import(args) => import::run(front, &args),
        Command::Bench { bench: Bench::Conditions(args) } => bench_conditions::run(front, &args),
        Command::Bench { bench: Bench::Match(args) } => bench_match::run(front, &args),
        Command::Bench { bench: Bench::Perft(args) } => bench_perft::run(front, &args),
        Command::Bench { bench: Bench::Playouts(args) } => bench_playouts::run(front, &args),
        Command::Cache { command } => cache::run(front, &command),
        Command::Completions { shell } => manual::completions(front, shell),
        Command::Man { out } => manual::pages(front, out.as_deref()),
    }
}

/// Why the work ended early: somebody stopped it, or else it is our fault.
fn stopped_or(front: &Front, message: String) -> Failure {
    match front.interrupt.stop.check() {
        Err(stopped) => Failure::from(rulesmith_player::stop_error(&stopped)),
        Ok(()) => Failure::new(Exit::Bug, message),
    }
}

/// Ends the work here if somebody stopped it.
fn go_on(front: &Front) -> Result<(), Failure> {
    let stopped = |stopped| Failure::from(rulesmith_player::stop_error(&stopped));
    front.interrupt.stop.check().map_err(stopped)
}

/// `go:size=9` is the game `go` with a parameter.
fn options_with_settings(text: &str) -> Result<(String, GameOptions), Failure> {
    // What is measured must not depend on earlier runs.
    let mut options = GameOptions { no_cache: true, ..GameOptions::default() };
    let Some((game, settings)) = text.split_once(':') else {
        return Ok((text.to_owned(), options));
    };
    for setting in settings.split(',') {
        let parsed = crate::args::parse_setting(setting);
        options.set.push(parsed.map_err(|message| Failure::new(Exit::Usage, message))?);
    }
    Ok((game.to_owned(), options))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
