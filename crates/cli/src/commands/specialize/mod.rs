//! `rulesmith specialize`: what the metaprogram made of a request, and how.

mod graph;
mod json;
mod picture;
mod svg;
mod text;

use std::path::Path;

use rulesmith_player::{
    SpecializeFailure, SpecializeOptions, SpecializeReport, specialize, stop_error,
};

use crate::args::SpecializeArgs;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::open::{self, Front};
use crate::problems;
use crate::progress::Progress;

pub(super) fn run(front: &mut Front, args: &SpecializeArgs) -> anyhow::Result<()> {
    let opened = open::open(front, &args.game.game, &args.game.options)?;
    let options = SpecializeOptions {
        keep: args.keep.clone(),
        bounds: args.bound.clone(),
        without: args.no_metarules.clone(),
        is_proved_only: args.proved_only,
        regresses: !args.no_regress,
        seed: args.seed,
        metarules: args.load.as_ref().map(|file| files::read_text(Path::new(file))).transpose()?,
        at: args.at.clone(),
    };
    let mut progress = Progress::start();
    let mut watch = |n_bodies: u64, n_removed: u64| {
        progress.show(|| format!("unfolding: {n_bodies} bodies, {n_removed} removed"));
    };
    let report = specialize(opened.game, &args.request, &options, &mut watch);
    progress.clear();
    let report = report.map_err(|failure| explain(front, args, failure))?;
    write_files(args, &report)?;
    if args.json {
        front.output.json(&json::to_json(&report))?;
    } else {
        text::print(&mut front.output, args, &report)?;
    }
    compared(front, &report)?;
    stopped(front)
}

/// Answers that are not those of the rules are a fault of whoever vouched for the metarules.
fn compared(front: &mut Front, report: &SpecializeReport) -> anyhow::Result<()> {
    for (metarule, what) in &report.cut {
        front.output.remark(format!("warning: a declared metarule is {what}: {metarule}"));
    }
    let Some((procedure, _)) = report.disagreements().next() else { return Ok(()) };
    let message = format!("`{}` is not answered as the rules answer it", procedure.title);
    if !report.rests_on_declared() {
        return Err(Failure::new(Exit::Bug, message).into());
    }
    let help = "not all declared metarules that were of use are true; `--proved-only` does without";
    front.output.remark(format!("warning: {message}\nhelp: {help}"));
    Ok(())
}

/// Files that were asked for.
fn write_files(args: &SpecializeArgs, report: &SpecializeReport) -> Result<(), Failure> {
    if let Some(file) = &args.save {
        files::replace_text(Path::new(file), &report.saved, "metarules ")?;
    }
    if let Some(file) = &args.svg {
        files::replace_text(Path::new(file), &picture::picture(report), "<svg")?;
    }
    if let Some(file) = &args.html {
        files::replace_text(Path::new(file), &picture::page(report), "<!doctype html")?;
    }
    Ok(())
}

/// What was asked for was printed; if it was stopped before its end, the exit code says so.
fn stopped(front: &Front) -> anyhow::Result<()> {
    let Err(stopped) = front.interrupt.stop.check() else { return Ok(()) };
    let mut failure = Failure::from(stop_error(&stopped));
    failure.message = format!("{}: what was not unfolded by then is called", failure.message);
    Err(failure.into())
}

fn explain(front: &mut Front, args: &SpecializeArgs, failure: SpecializeFailure) -> Failure {
    match failure {
        SpecializeFailure::Request(result) => {
            front.output.remark(problems::render(&result));
            Failure::shown(Exit::Text)
        }
        SpecializeFailure::Option { message, help } => {
            Failure::new(Exit::Usage, message).help(help)
        }
        SpecializeFailure::NotReady(why) => {
            let message = format!("`{}` cannot be answered: {why}", args.request);
            Failure::new(Exit::Text, message).help("mark more arguments as known, with a plus")
        }
        SpecializeFailure::Metarules(why) => {
            let file = args.load.as_deref().unwrap_or_default();
            Failure::new(Exit::Unreadable, format!("`{file}`: {why}"))
        }
        SpecializeFailure::Game(error) => Failure::from(front.interrupt.explain(error)),
    }
}
