//! The one binary: arguments in, texts, boards and numbers out.
//!
//! Read in this order: `args` (what can be asked), `commands` (what happens then), `open` (from a name
//! to a game), `output` (the one place that writes). Invariant: every way out is an [`Exit`].

mod args;
mod bench_args;
mod board_picture;
mod cache;
mod cache_args;
mod clock;
mod commands;
mod dump_args;
mod exit;
mod files;
mod generate_args;
mod import_args;
mod input;
mod interrupt;
mod library;
mod open;
mod output;
mod play;
mod problems;
mod progress;
mod ready;
mod sample_args;
mod show_args;
mod svg_text;
mod watched;
mod words;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::Cli;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::open::Front;
use crate::output::Output;

/// Making code of rules allocates and frees many small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return print_clap(&error).into(),
    };
    let mut front = Front { output: Output::new(cli.color), interrupt: Interrupt::install() };
    // A panic has been shown by its hook when it arrives here; only the exit code is left to set.
    let ended =
        std::panic::catch_unwind(AssertUnwindSafe(|| commands::run(&mut front, cli.command)));
    let ended = ended.unwrap_or_else(|_| {
        let help = "please report it, with the command and the rules";
        Err(Failure::new(Exit::Bug, "this is a bug of rulesmith").help(help).into())
    });
    let ended = ended.and_then(|()| Ok(front.output.flush()?));
    ended.map_or_else(|error| explain(&mut front.output, error), |()| Exit::Done).into()
}

/// Shows why a command failed. A closed pipe is no failure: the reader has seen enough.
fn explain(output: &mut Output, error: anyhow::Error) -> Exit {
    match error.downcast::<Failure>() {
        Ok(failure) => {
            output.failure(&failure);
            failure.exit
        }
        Err(error) if is_closed_pipe(&error) => Exit::Done,
        Err(error) => {
            output.failure(&Failure::new(Exit::Unwritable, format!("{error:#}")));
            Exit::Unwritable
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Help and version are answers; anything else is a mistake on the command line.
fn print_clap(error: &clap::Error) -> Exit {
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    match error.print() {
        _ if !is_answer => Exit::Usage,
        Err(io) if io.kind() != std::io::ErrorKind::BrokenPipe => Exit::Unwritable,
        _ => Exit::Done,
    }
}
