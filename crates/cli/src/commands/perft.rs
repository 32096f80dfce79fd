//! `rulesmith perft`: counts of states exactly so many turns ahead.

use std::sync::Arc;

use rulesmith_game::{Draws, Error, Game, JointMove, Perft, joint_text};
use rulesmith_player::{
    Crew, Done, EngineGame, EngineKind, NativeGame, OwnGame, divide_in_threads, perft_in_threads,
    sum,
};
use serde::Serialize;

use crate::args::PerftArgs;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::{SCHEMA, columns};
use crate::ready::{Ready, ready};
use crate::watched::Watched;
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
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<&'g str>,
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
struct Count<'g, G: Game> {
    crew: Crew<'g, G>,
    name: String,
    draws: Draws,
    engine: &'static str,
    fallback: Option<String>,
    is_json: bool,
    text: &'g JointText<'g, G>,
}

/// Writes a joint move.
type JointText<'g, G> = dyn Fn(&JointMove<<G as Game>::Move>) -> String + 'g;

pub(super) fn run(front: &mut Front, args: &PerftArgs) -> anyhow::Result<()> {
    let ready = ready(front, &args.game.game, &args.game.options, EngineKind::Native)?;
    let style = args.notation.style();
    let (position, stop) = (args.position.as_deref(), front.interrupt.stop.clone());
    match ready.game() {
        EngineGame::Reference(game) => {
            let state = open::start(game, position).map_err(Failure::from)?;
            let (source, kind) = (&ready.source, ready.prepared.kind);
            let make = || Ready::own_game(source, kind, (&stop, position));
            let crew = Crew { game, state: &state, make: &make, threads: args.threads };
            count(front, args, &ready, (crew, &|joint| joint_text(game, &state, joint, style)))
        }
        EngineGame::Native(game) => {
            let state = open::start(game, position).map_err(Failure::from)?;
            let native = game.native();
            let make = || -> Result<OwnGame<NativeGame>, Error> {
                Ok((Box::new(Arc::clone(native)), state.clone()))
            };
            let crew = Crew { game: &**native, state: &state, make: &make, threads: args.threads };
            count(front, args, &ready, (crew, &|joint| joint_text(game, &state, joint, style)))
        }
    }
}

fn count<G: Game>(
    front: &mut Front,
    args: &PerftArgs,
    ready: &Ready,
    (crew, text): (Crew<'_, G>, &JointText<'_, G>),
) -> anyhow::Result<()> {
    let count = Count {
        crew,
        name: ready.theory().instance_name(),
        draws: if args.draws { Draws::Apply } else { Draws::Ignore },
        engine: ready.engine(),
        fallback: ready.fallback(),
        is_json: args.json,
        text,
    };
    if args.divide {
        return count.divide(front, args.depth);
    }
    if !args.json {
        front.output.line("depth           leaves      terminals    seconds     leaves/s")?;
    }
    (1..=args.depth).try_for_each(|depth| count.depth(front, depth))
}

impl<G: Game> Count<'_, G> {
    fn depth(&self, front: &mut Front, depth: u32) -> anyhow::Result<()> {
        let words = |done: Done| format!("depth {depth}: {} leaves", done.states);
        let mut watched = Watched::new(front, f64::INFINITY, &words);
        let count = perft_in_threads(&self.crew, depth, self.draws, &watched);
        watched.clear();
        let count = count.map_err(|error| explain(front, &watched, depth, error))?;
        self.row(front, depth, count, watched.seconds())
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
        let fallback = self.fallback.as_deref();
        PerftJson { schema: SCHEMA, game, depth, leaves, terminals, seconds, engine, fallback }
    }

    fn divide(&self, front: &mut Front, depth: u32) -> anyhow::Result<()> {
        let words = |done: Done| format!("depth {depth}: {} leaves", done.states);
        let mut watched = Watched::new(front, f64::INFINITY, &words);
        let parts = divide_in_threads(&self.crew, depth, self.draws, &watched);
        watched.clear();
        let parts = parts.map_err(|error| explain(front, &watched, depth, error))?;
        let (seconds, total) = (watched.seconds(), sum(&parts));
        let parts = parts.iter().map(|(joint, Perft { leaves, terminals })| PartJson {
            chosen: (self.text)(joint),
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

/// Says how far the count came before it was stopped.
fn explain(front: &Front, watched: &Watched<'_>, depth: u32, error: Error) -> Failure {
    let mut failure = Failure::from(front.interrupt.explain(error));
    let leaves = watched.done().states;
    failure.message = format!("{} at depth {depth}, after {leaves} leaves", failure.message);
    failure
}
