//! `rulesmith perft`: counts of states exactly so many turns ahead.

use std::ops::ControlFlow;

use rulesmith_game::{Draws, Error, Notation, Perft, divide, joint_text, perft};
use serde::Serialize;

use crate::args::PerftArgs;
use crate::clock::Stopwatch;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::{SCHEMA, columns};
use crate::progress::Progress;
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
        let mut watched = Watched::new(depth);
        let mut step = |leaves| watched.step(front, leaves);
        let count = perft(self.game, &self.state, depth, self.draws, &mut step);
        let count = count.map_err(|error| watched.explain(front, error))?;
        watched.progress.clear();
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
        let mut watched = Watched::new(depth);
        let mut step = |leaves| watched.step(front, leaves);
        let parts = divide(self.game, &self.state, depth, self.draws, &mut step);
        let parts = parts.map_err(|error| watched.explain(front, error))?;
        watched.progress.clear();
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

/// A count that can be watched and stopped.
struct Watched {
    progress: Progress,
    depth: u32,
    leaves: u64,
}

impl Watched {
    fn new(depth: u32) -> Self {
        Self { progress: Progress::start(), depth, leaves: 0 }
    }

    fn step(&mut self, front: &Front, leaves: u64) -> ControlFlow<()> {
        self.leaves = leaves;
        let depth = self.depth;
        self.progress.show(|| format!("depth {depth}: {leaves} leaves"));
        front.interrupt.flow()
    }

    /// Says how far the count came before it was stopped.
    fn explain(&mut self, front: &Front, error: Error) -> Failure {
        self.progress.clear();
        let mut failure = Failure::from(front.interrupt.explain(error));
        let (depth, leaves) = (self.depth, self.leaves);
        failure.message = format!("{} at depth {depth}, after {leaves} leaves", failure.message);
        failure
    }
}
