//! `rulesmith bench perft`: leaves per second of processor time, applied and bulk.

use rulesmith_game::{Game, LeafKind, Leaves, Notation};
use rulesmith_player::{EngineGame, EngineKind};
use serde::Serialize;

use super::fairy_stockfish::{FairyStockfish, NAME};
use super::peers::Peers;
use super::{go_on, median, options_with_settings};
use crate::args::{BenchPerftArgs, Peer};
use crate::clock::ProcessorWatch;
use crate::exit::{Exit, Failure};
use crate::library;
use crate::open::{self, Front};
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

/// Leaves are counted in these kinds.
const KINDS: [LeafKind; 2] = [LeafKind::Applied, LeafKind::Bulk];

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
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer_leaves_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_leaves_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_ratio: Option<f64>,
}

pub(super) fn run(front: &mut Front, args: &BenchPerftArgs) -> anyhow::Result<()> {
    let games: Vec<String> = if args.games.is_empty() {
        GAMES.iter().map(|(game, _)| (*game).to_owned()).collect()
    } else {
        args.games.clone()
    };
    let peers = if args.beside.alone { Peers::NONE } else { Peers::find_baselines(front) };
    let mut fairy = args.peer.map(|Peer::FairyStockfish| FairyStockfish::start()).transpose()?;
    if !args.json {
        let head = format!(
            "{:<20} {:<8} {:>5} {:>14} {:>14} {:>14} {:>14} {:>6}",
            "game", "kind", "depth", "leaves", "leaves/s", "median", "baseline", "ratio"
        );
        let beside = format!(" {:>14} {:>6} {:>14} {:>6}", "peer", "ratio", "limit", "ratio");
        front.output.line(if fairy.is_some() { head + &beside } else { head })?;
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
        let variant = match &fairy {
            Some(fairy) => Some(variant(fairy, args, &game, &ready)?),
            None => None,
        };
        let mut beside = Beside { peers: &peers, fairy: fairy.as_mut(), variant, fen: None };
        let position = args.position.as_deref();
        match ready.game() {
            EngineGame::Reference(game) => {
                let state = open::start(game, position).map_err(Failure::from)?;
                beside.fen = game.fen_text(&state);
                measure(front, args, &ready, (game, &state, depth, &mut beside))
            }
            EngineGame::Native(game) => {
                let state = open::start(game, position).map_err(Failure::from)?;
                beside.fen = game.fen_text(&state);
                measure(front, args, &ready, (&**game.native(), &state, depth, &mut beside))
            }
        }?;
    }
    Ok(())
}

/// What the peer calls the game: as it was asked for, by its name, or by one of its aliases.
fn variant(
    fairy: &FairyStockfish,
    args: &BenchPerftArgs,
    asked: &str,
    ready: &Ready,
) -> Result<String, Failure> {
    let name = ready.theory().name.clone();
    let entry = library::entries().into_iter().find(|entry| entry.name == name);
    let aliases = entry.map(|entry| entry.aliases).unwrap_or_default();
    let names = match &args.variant {
        Some(variant) => vec![variant.clone()],
        None => [vec![asked.to_owned(), name], aliases].concat(),
    };
    fairy.variant(&names).ok_or_else(|| {
        let message = format!("{NAME} has no variant {}", names.join(", "));
        Failure::new(Exit::Usage, message).help("--variant says what it calls the game")
    })
}

/// The programs that count beside ours, and how they are told from where.
struct Beside<'p> {
    peers: &'p Peers,
    fairy: Option<&'p mut FairyStockfish>,
    variant: Option<String>,
    fen: Option<String>,
}

/// Leaves per second of all programs, one number a round.
#[derive(Debug, Default)]
struct Rates {
    ours: [Vec<f64>; 2],
    baseline: [Vec<f64>; 2],
    peer: Vec<f64>,
    limit: Vec<f64>,
}

/// Counts in both kinds, the programs taking turns.
fn measure<G: Game>(
    front: &mut Front,
    args: &BenchPerftArgs,
    ready: &Ready,
    (game, state, depth, beside): (&G, &G::State, u32, &mut Beside<'_>),
) -> anyhow::Result<()> {
    let name = ready.theory().instance_name();
    let mut rates = Rates::default();
    let mut leaves = [Leaves::default(); KINDS.len()];
    let mut progress = Progress::start();
    for round in 0..args.rounds {
        for ((kind, rates), leaves) in KINDS.iter().zip(&mut rates.ours).zip(&mut leaves) {
            progress.show(|| format!("{name}: round {} of {}", round + 1, args.rounds));
            let watch = ProcessorWatch::start();
            let counted = game.leaves(state, depth, *kind, &mut || front.interrupt.flow());
            *leaves = counted.map_err(|error| Failure::from(front.interrupt.explain(error)))?;
            rates.push(rate(leaves.count, watch.seconds()));
        }
        let n_leaves = agreed(&name, depth, leaves.map(|leaves| leaves.count))?;
        beside.count(&name, (depth, n_leaves), args.position.is_some(), &mut rates)?;
    }
    progress.clear();
    for (at, kind) in KINDS.iter().enumerate() {
        let best = |rates: &[f64]| rates.iter().copied().max_by(f64::total_cmp);
        let ours = best(&rates.ours[at]).unwrap_or(f64::NAN);
        // The others count the last turn in bulk.
        let bulk = |rates: &[f64]| best(rates).filter(|_| *kind == LeafKind::Bulk);
        let (baseline, peer) = (best(&rates.baseline[at]), bulk(&rates.peer));
        let limit = bulk(&rates.limit);
        let result = PerftJson {
            schema: SCHEMA,
            game: &name,
            engine: ready.engine(),
            fallback: ready.fallback(),
            kind: kind.name(),
            depth,
            leaves: leaves[at].count,
            leaves_per_second: ours,
            median_leaves_per_second: median(rates.ours[at].clone()),
            baseline_leaves_per_second: baseline,
            ratio: baseline.map(|baseline| ours / baseline),
            peer: peer.and(beside.variant.as_ref()).map(|variant| format!("{NAME} {variant}")),
            peer_leaves_per_second: peer,
            peer_ratio: peer.map(|peer| ours / peer),
            limit_leaves_per_second: limit,
            limit_ratio: limit.map(|limit| ours / limit),
        };
        if args.json { front.output.json(&result)? } else { print(front, args, &result)? }
    }
    Ok(())
}

/// The count of all kinds; kinds that do not count the same are an error.
fn agreed(name: &str, depth: u32, [applied, bulk]: [u64; 2]) -> Result<u64, Failure> {
    let message =
        format!("{name}, depth {depth}: {applied} leaves if applied, {bulk} leaves in bulk");
    if applied == bulk { Ok(applied) } else { Err(Failure::new(Exit::Bug, message)) }
}

#[expect(clippy::cast_precision_loss, reason = "rates need no 53 bits")]
fn rate(leaves: u64, seconds: f64) -> f64 {
    leaves as f64 / seconds.max(1e-9)
}

impl Beside<'_> {
    /// One round of the others; a count that is not ours is an error.
    fn count(
        &mut self,
        name: &str,
        (depth, leaves): (u32, u64),
        is_elsewhere: bool,
        rates: &mut Rates,
    ) -> Result<(), Failure> {
        let agree = |program: &str, theirs: u64| {
            let message =
                format!("{name}, depth {depth}: {leaves} leaves, {program} counts {theirs}");
            if theirs == leaves { Ok(()) } else { Err(Failure::new(Exit::Bug, message)) }
        };
        if !is_elsewhere && let Some(both) = self.peers.baseline_leaves(name, depth) {
            rates.baseline.iter_mut().zip(both).for_each(|(rates, rate)| rates.push(rate));
        }
        let Some(fairy) = self.fairy.as_mut() else { return Ok(()) };
        let variant = self.variant.as_deref().unwrap_or(name);
        let fen = self.fen.as_deref().filter(|_| is_elsewhere);
        let counted = fairy.perft((variant, fen), depth)?;
        agree(NAME, counted.leaves)?;
        rates.peer.push(rate(counted.leaves, counted.seconds));
        if let Some(fen) = &self.fen
            && let Some((theirs, rate)) = self.peers.limit_leaves(name, fen, depth)
        {
            agree("the program that sets the limit", theirs)?;
            rates.limit.push(rate);
        }
        Ok(())
    }
}

fn print(front: &mut Front, args: &BenchPerftArgs, result: &PerftJson<'_>) -> anyhow::Result<()> {
    let shown = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{rate:.0}"));
    let ratio = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
    let line = format!(
        "{:<20} {:<8} {:>5} {:>14} {:>14.0} {:>14.0} {:>14} {:>6}",
        plain(result.game),
        result.kind,
        result.depth,
        result.leaves,
        result.leaves_per_second,
        result.median_leaves_per_second,
        shown(result.baseline_leaves_per_second),
        ratio(result.ratio),
    );
    let beside = format!(
        " {:>14} {:>6} {:>14} {:>6}",
        shown(result.peer_leaves_per_second),
        ratio(result.peer_ratio),
        shown(result.limit_leaves_per_second),
        ratio(result.limit_ratio),
    );
    front.output.line(if args.peer.is_some() { line + &beside } else { line })
}

#[cfg(test)]
mod tests {
    use super::agreed;
    use crate::exit::Exit;

    #[test]
    fn kinds_that_count_differently_are_an_error() {
        assert_eq!(agreed("go", 2, [7, 7]).unwrap(), 7);
        let failure = agreed("go", 2, [7, 8]).unwrap_err();
        assert_eq!(failure.exit, Exit::Bug);
        assert_eq!(failure.message, "go, depth 2: 7 leaves if applied, 8 leaves in bulk");
    }
}
