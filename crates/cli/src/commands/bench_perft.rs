//! `rulesmith bench perft`: leaves per second of processor time, applied and bulk.

use rulesmith_game::{Game, LeafKind, Leaves};
use rulesmith_player::{EngineGame, EngineKind};
use serde::Serialize;

use super::peers::Peers;
use super::{go_on, median, options_with_settings};
use crate::args::BenchPerftArgs;
use crate::clock::ProcessorWatch;
use crate::exit::Failure;
use crate::open::Front;
use crate::output::SCHEMA;
use crate::progress::Progress;
use crate::ready::{Ready, ready};
use crate::words::plain;

/// The games that are counted unless others are named, and how deep.
const GAMES: [(&str, u32); 5] = [
    ("noughts_and_crosses", 9),
    ("connect_four", 8),
    ("breakthrough", 5),
    ("english_draughts", 8),
    ("reversi", 8),
];

/// How deep other games are counted.
const DEPTH: u32 = 3;

/// What `--json` prints for each game and kind.
#[derive(Debug, Serialize)]
struct PerftJson<'g> {
    schema: u32,
    game: &'g str,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
    kind: &'static str,
    depth: u32,
    leaves: u64,
    leaves_per_second: f64,
    median_leaves_per_second: f64,
    baseline_leaves_per_second: Option<f64>,
    ratio: Option<f64>,
}

pub(super) fn run(front: &mut Front, args: &BenchPerftArgs) -> anyhow::Result<()> {
    let games: Vec<String> = if args.games.is_empty() {
        GAMES.iter().map(|(game, _)| (*game).to_owned()).collect()
    } else {
        args.games.clone()
    };
    let peers = if args.beside.alone { Peers::NONE } else { Peers::find_baselines(front) };
    if !args.json {
        front.output.line(format_args!(
            "{:<20} {:<8} {:>5} {:>14} {:>14} {:>14} {:>14} {:>6}",
            "game", "kind", "depth", "leaves", "leaves/s", "median", "baseline", "ratio"
        ))?;
    }
    for asked in games {
        go_on(front)?;
        let (game, mut options) = options_with_settings(&asked)?;
        options.engine = Some(args.beside.engine);
        options.limit.clone_from(&args.beside.limit);
        options.without.clone_from(&args.beside.without);
        options.counts_leaves = true;
        let ready = ready(front, &game, &options, EngineKind::Native)?;
        let own = GAMES.iter().find(|(name, _)| *name == asked).map_or(DEPTH, |(_, depth)| *depth);
        // Counts that take native code seconds take the other engines hours.
        let own = if ready.prepared.kind == EngineKind::Native { own } else { own.min(DEPTH) };
        let depth = args.depth.unwrap_or(own);
        match ready.game() {
            EngineGame::Reference(game) => measure(front, args, &ready, (game, depth, &peers)),
            EngineGame::Native(game) => {
                measure(front, args, &ready, (&**game.native(), depth, &peers))
            }
        }?;
    }
    Ok(())
}

/// Counts in both kinds, the programs taking turns.
fn measure<G: Game>(
    front: &mut Front,
    args: &BenchPerftArgs,
    ready: &Ready,
    (game, depth, peers): (&G, u32, &Peers),
) -> anyhow::Result<()> {
    let state = game.initial().map_err(Failure::from)?;
    let name = ready.theory().instance_name();
    let kinds = [LeafKind::Applied, LeafKind::Bulk];
    let mut rates = [Vec::new(), Vec::new()];
    let mut theirs: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    let mut leaves = Leaves::default();
    let mut progress = Progress::start();
    for round in 0..args.rounds {
        for (kind, rates) in kinds.iter().zip(&mut rates) {
            progress.show(|| format!("{name}: round {} of {}", round + 1, args.rounds));
            let watch = ProcessorWatch::start();
            let counted = game.leaves(&state, depth, *kind, &mut || front.interrupt.flow());
            let counted = counted.map_err(|error| Failure::from(front.interrupt.explain(error)))?;
            #[expect(clippy::cast_precision_loss, reason = "rates need no 53 bits")]
            rates.push(counted.count as f64 / watch.seconds().max(1e-9));
            leaves = counted;
        }
        if let Some(both) = peers.baseline_leaves(&name, depth) {
            theirs.iter_mut().zip(both).for_each(|(rates, rate)| rates.push(rate));
        }
    }
    progress.clear();
    for ((kind, rates), theirs) in kinds.iter().zip(rates).zip(theirs) {
        let best = |rates: &[f64]| rates.iter().copied().max_by(f64::total_cmp);
        let (ours, baseline) = (best(&rates).unwrap_or(f64::NAN), best(&theirs));
        let result = PerftJson {
            schema: SCHEMA,
            game: &name,
            engine: ready.engine(),
            fallback: ready.fallback(),
            kind: kind.name(),
            depth,
            leaves: leaves.count,
            leaves_per_second: ours,
            median_leaves_per_second: median(rates),
            baseline_leaves_per_second: baseline,
            ratio: baseline.map(|baseline| ours / baseline),
        };
        if args.json { front.output.json(&result)? } else { print(front, &result)? }
    }
    Ok(())
}

fn print(front: &mut Front, result: &PerftJson<'_>) -> anyhow::Result<()> {
    let dash = || "-".to_owned();
    front.output.line(format_args!(
        "{:<20} {:<8} {:>5} {:>14} {:>14.0} {:>14.0} {:>14} {:>6}",
        plain(result.game),
        result.kind,
        result.depth,
        result.leaves,
        result.leaves_per_second,
        result.median_leaves_per_second,
        result.baseline_leaves_per_second.map_or_else(dash, |rate| format!("{rate:.0}")),
        result.ratio.map_or_else(dash, |ratio| format!("{ratio:.3}")),
    ))
}
