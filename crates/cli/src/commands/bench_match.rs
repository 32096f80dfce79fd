//! `rulesmith bench match`: the paper's two rules against SWI-Prolog, and the metaprogram's own time.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is where files are written and other programs are started"
)]

use std::collections::BTreeMap;
use std::process::Command;

use rulesmith_player::{
    Workload, metaprogram_tasks, paper_workloads, prolog_text, regress_request, specialize_game,
};
use serde::Serialize;

use super::{go_on, median, stopped_or};
use crate::args::{BenchMatchArgs, GameOptions};
use crate::clock::{ProcessorWatch, Stopwatch};
use crate::exit::{Exit, Failure};
use crate::library;
use crate::open::{self, Front};
use crate::output::SCHEMA;

/// What `--json` prints for each rule.
#[derive(Debug, Serialize)]
struct RuleJson {
    schema: u32,
    rule: &'static str,
    successes: u64,
    conclusions: u64,
    /// Seconds of processor time for one run over all memories.
    seconds: f64,
    prolog_seconds: Option<Prolog>,
}

/// What it took the Prolog system, by how inequality is written.
#[derive(Clone, Copy, Debug, Serialize)]
struct Prolog {
    identity: f64,
    arithmetic: f64,
}

/// What `--json` prints for each task.
#[derive(Debug, Serialize)]
struct TaskJson<'t> {
    schema: u32,
    task: &'t str,
    results: usize,
    seconds: f64,
}

/// One round takes at least this many seconds of our own time.
const ROUND_SECONDS: f64 = 0.2;

pub(super) fn run(front: &mut Front, args: &BenchMatchArgs) -> anyhow::Result<()> {
    let workloads = paper_workloads(args.seed, args.positions);
    let prolog = prolog_seconds(&workloads, args)?;
    if prolog.is_none() && !args.json {
        front.output.remark("`swipl` is not installed: only our own side is shown");
    }
    if !args.json {
        front.output.line(format_args!(
            "{:<20} {:>10} {:>12} {:>10} {:>10} {:>7} {:>10} {:>7}",
            "rule", "successes", "conclusions", "ours ms", r"\== ms", "ratio", r"=\= ms", "ratio"
        ))?;
    }
    for workload in &workloads {
        go_on(front)?;
        let (matched, seconds) = (workload.run(1), our_seconds(workload, args.rounds));
        let result = RuleJson {
            schema: SCHEMA,
            rule: workload.name,
            successes: matched.successes,
            conclusions: matched.conclusions,
            seconds,
            prolog_seconds: prolog.as_ref().and_then(|all| all.get(workload.name).copied()),
        };
        if args.json {
            front.output.json(&result)?;
        } else {
            print(front, &result)?;
        }
    }
    if args.metaprogram { metaprogram(front, args) } else { Ok(()) }
}

fn print(front: &mut Front, result: &RuleJson) -> anyhow::Result<()> {
    let ours = result.seconds * 1e3;
    let theirs = |seconds: fn(&Prolog) -> f64| match &result.prolog_seconds {
        Some(prolog) => {
            let theirs = seconds(prolog) * 1e3;
            format!("{theirs:>10.3} {:>7.1}", theirs / ours)
        }
        None => format!("{:>10} {:>7}", "-", "-"),
    };
    front.output.line(format_args!(
        "{:<20} {:>10} {:>12} {ours:>10.3} {} {}",
        result.rule,
        result.successes,
        result.conclusions,
        theirs(|prolog| prolog.identity),
        theirs(|prolog| prolog.arithmetic),
    ))
}

/// The median over rounds of the processor time of one run.
fn our_seconds(workload: &Workload, rounds: u64) -> f64 {
    let watch = ProcessorWatch::start();
    workload.run(1);
    let once = watch.seconds().max(1e-6);
    let times = (ROUND_SECONDS / once).ceil().clamp(1.0, 1e6);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 1e6")]
    let n_times = times as u64;
    let round = |_| {
        let watch = ProcessorWatch::start();
        workload.run(n_times);
        watch.seconds() / times
    };
    median((0..rounds).map(round).collect())
}

/// Runs the Prolog program; nothing if there is no `swipl`.
fn prolog_seconds(
    workloads: &[Workload],
    args: &BenchMatchArgs,
) -> anyhow::Result<Option<BTreeMap<String, Prolog>>> {
    if Command::new("swipl").arg("--version").output().is_err() {
        return Ok(None);
    }
    let file = std::env::temp_dir().join(format!("rulesmith_match_{}.pl", std::process::id()));
    std::fs::write(&file, prolog_text(workloads, args.times, args.rounds))?;
    let output = Command::new("swipl").arg("-q").arg(&file).output();
    std::fs::remove_file(&file)?;
    let output = output?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut sums: BTreeMap<(String, String, String), f64> = BTreeMap::new();
    for line in text.lines() {
        let [name, other, round, seconds] = line.split(' ').collect::<Vec<_>>()[..] else {
            continue;
        };
        let key = (name.to_owned(), other.to_owned(), round.to_owned());
        *sums.entry(key).or_default() += seconds.parse::<f64>().unwrap_or(f64::NAN);
    }
    #[expect(clippy::cast_precision_loss, reason = "a small number of repetitions")]
    let times = args.times as f64;
    let seconds = |name: &str, other: &str| {
        let mine = sums.iter().filter(|((a, b, _), _)| a == name && b == other);
        median(mine.map(|(_, sum)| *sum / times).collect())
    };
    let result = |one: &Workload| {
        let (identity, arithmetic) =
            (seconds(one.name, "identity"), seconds(one.name, "arithmetic"));
        (one.name.to_owned(), Prolog { identity, arithmetic })
    };
    if sums.is_empty() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Failure::new(Exit::Bug, format!("swipl: {message}")).into());
    }
    Ok(Some(workloads.iter().map(result).collect()))
}

/// The metaprogram's own time.
fn metaprogram(front: &mut Front, args: &BenchMatchArgs) -> anyhow::Result<()> {
    if !args.json {
        front.output.line(format_args!("\n{:<40} {:>8} {:>10}", "task", "results", "ms"))?;
    }
    for task in metaprogram_tasks() {
        go_on(front)?;
        let mut results = 0;
        let round = |_| {
            let watch = Stopwatch::start();
            results = (task.run)();
            watch.seconds()
        };
        let seconds = median((0..args.rounds).map(round).collect());
        task_line(front, args, (task.name, results, seconds))?;
    }
    let go = open::open(front, "go", &GameOptions::default())?;
    let watch = Stopwatch::start();
    let results = regress_request(go.theory(), "connect(+X, +Y)", 2).unwrap_or_default();
    task_line(front, args, ("connecting two stones, two moves before", results, watch.seconds()))?;
    for entry in library::entries() {
        let opened = open::open(front, &entry.name, &GameOptions::default())?;
        let watch = Stopwatch::start();
        let (_, specialized) =
            specialize_game(opened.game).map_err(|message| stopped_or(front, message))?;
        let results = specialized.procedures.iter().map(|one| one.clauses.len()).sum();
        let name = format!("specialising {}", entry.name);
        task_line(front, args, (&name, results, watch.seconds()))?;
    }
    Ok(())
}

fn task_line(
    front: &mut Front,
    args: &BenchMatchArgs,
    (task, results, seconds): (&str, usize, f64),
) -> anyhow::Result<()> {
    if args.json {
        return front.output.json(&TaskJson { schema: SCHEMA, task, results, seconds });
    }
    front.output.line(format_args!("{task:<40} {results:>8} {:>10.3}", seconds * 1e3))
}
