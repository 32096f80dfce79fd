//! `rulesmith perft`: counts of states exactly so many turns ahead.

use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressStyle};
use rulesmith_game::{Draws, Error, Notation, Perft, divide, joint_text, perft};
use serde::Serialize;

use crate::args::PerftArgs;
use crate::clock::Stopwatch;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::{Output, SCHEMA, columns};
use crate::words::plain;

/// What `--json` prints for each depth.
#[derive(Debug, Serialize)]
struct PerftJson<'g> {
    schema: u32,
    game: &'g str,
    depth: u32,
    leaves: u64,
    terminals: u64,
    seconds: f64,
    engine: &'static str,
}

/// What `--divide --json` prints.
#[derive(Debug, Serialize)]
struct DivideJson<'g> {
    #[serde(flatten)]
    total: PerftJson<'g>,
    divide: Vec<PartJson>,
}

#[derive(Debug, Serialize)]
struct PartJson {
    #[serde(rename = "move")]
    chosen: String,
    leaves: u64,
    terminals: u64,
}

/// A count under way: from where, by which rules.
struct Count<'g, G: Notation> {
    game: &'g G,
    name: String,
    state: G::State,
    draws: Draws,
    engine: &'static str,
    is_json: bool,
}

pub(super) fn run(front: &mut Front, args: &PerftArgs) -> anyhow::Result<()> {
    let opened = open::open(front, &args.game.game, &args.game.options)?;
    let count = Count {
        game: &opened.game,
        name: opened.theory().instance_name(),
        state: opened.state(args.position.as_deref())?,
        draws: if args.draws { Draws::Apply } else { Draws::Ignore },
        engine: args.game.options.engine.name(),
        is_json: args.json,
    };
    if args.divide {
        return count.divide(front, args.depth);
    }
    if !args.json {
        front.output.line("depth           leaves      terminals    seconds     leaves/s")?;
    }
    (1..=args.depth).try_for_each(|depth| count.depth(front, depth))
}

impl<G: Notation> Count<'_, G> {
    fn depth(&self, front: &mut Front, depth: u32) -> anyhow::Result<()> {
        let watch = Stopwatch::start();
        let mut progress = Progress::new(depth);
        let mut step = |leaves| progress.step(front, leaves);
        let count = perft(self.game, &self.state, depth, self.draws, &mut step);
        let count = count.map_err(|error| progress.explain(front, error))?;
        progress.clear();
        self.row(front, depth, count, watch.seconds())
    }

    fn row(&self, front: &mut Front, depth: u32, count: Perft, seconds: f64) -> anyhow::Result<()> {
        if self.is_json {
            return front.output.json(&self.total(depth, count, seconds));
        }
        let Perft { leaves, terminals } = count;
        let rate = rate(leaves, seconds);
        front.output.line(format_args!(
            "{depth:>5} {leaves:>16} {terminals:>14} {seconds:>10.3} {rate:>12}"
        ))
    }

    fn total(&self, depth: u32, count: Perft, seconds: f64) -> PerftJson<'_> {
        let Perft { leaves, terminals } = count;
        let (game, engine) = (self.name.as_str(), self.engine);
        PerftJson { schema: SCHEMA, game, depth, leaves, terminals, seconds, engine }
    }

    fn divide(&self, front: &mut Front, depth: u32) -> anyhow::Result<()> {
        let watch = Stopwatch::start();
        let mut progress = Progress::new(depth);
        let mut step = |leaves| progress.step(front, leaves);
        let parts = divide(self.game, &self.state, depth, self.draws, &mut step);
        let parts = parts.map_err(|error| progress.explain(front, error))?;
        progress.clear();
        let seconds = watch.seconds();
        let total = Perft {
            leaves: parts.iter().map(|(_, part)| part.leaves).sum(),
            terminals: parts.iter().map(|(_, part)| part.terminals).sum(),
        };
        let parts = parts.iter().map(|(joint, Perft { leaves, terminals })| PartJson {
            chosen: joint_text(self.game, joint),
            leaves: *leaves,
            terminals: *terminals,
        });
        let divide: Vec<_> = parts.collect();
        if self.is_json {
            return front
                .output
                .json(&DivideJson { total: self.total(depth, total, seconds), divide });
        }
        let lines: Vec<_> =
            divide.iter().map(|part| format!("{}: {}", plain(&part.chosen), part.leaves)).collect();
        for line in columns(&lines, 0) {
            front.output.line(line)?;
        }
        front.output.line(format_args!(
            "\ndepth {depth}: {} leaves, {} terminals, {} moves, {seconds:.3} seconds",
            total.leaves,
            total.terminals,
            divide.len()
        ))
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is shown to people, rounded"
)]
fn rate(leaves: u64, seconds: f64) -> u64 {
    (leaves as f64 / seconds.max(1e-6)) as u64
}

/// Progress is shown after this many seconds, and as often again.
const PROGRESS_SECONDS: f64 = 0.3;

/// A spinner on stderr for counts that take long.
struct Progress {
    bar: Option<ProgressBar>,
    watch: Stopwatch,
    shown_at: f64,
    depth: u32,
    leaves: u64,
}

impl Progress {
    fn new(depth: u32) -> Self {
        Self { bar: None, watch: Stopwatch::start(), shown_at: 0.0, depth, leaves: 0 }
    }

    fn step(&mut self, front: &Front, leaves: u64) -> ControlFlow<()> {
        self.leaves = leaves;
        let seconds = self.watch.seconds();
        if seconds - self.shown_at > PROGRESS_SECONDS && Output::shows_progress() {
            self.shown_at = seconds;
            let depth = self.depth;
            let bar = self.bar.get_or_insert_with(|| spinner(depth));
            bar.set_position(leaves);
            bar.tick();
        }
        front.interrupt.flow()
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Says how far the count came before it was stopped.
    fn explain(&mut self, front: &mut Front, error: Error) -> Failure {
        self.clear();
        let mut failure = Failure::from(front.interrupt.explain(error));
        let (depth, leaves) = (self.depth, self.leaves);
        failure.message = format!("{} at depth {depth}, after {leaves} leaves", failure.message);
        failure
    }
}

fn spinner(depth: u32) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{spinner} depth {prefix}: {human_pos} leaves, {elapsed}, {per_sec}",
    );
    let bar = ProgressBar::new_spinner().with_prefix(depth.to_string());
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}
