//! `rulesmith bench match`: the paper's two rules, interpreted and in machine code, beside loops written
//! by hand and SWI-Prolog; and the metaprogram's own time.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is where files are written and other programs are started"
)]

use std::collections::BTreeMap;
use std::process::Command;

use rulesmith_player::{
    NativeWorkload, RulePlan, Workload, facts_text, metaprogram_tasks, paper_workloads,
    prolog_text, regress_request, specialize_game,
};
use serde::Serialize;

use super::peers::Peers;
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
    /// How many of them differ.
    distinct: u64,
    /// Seconds of processor time for one run over all memories, interpreted.
    seconds: f64,
    /// The same in machine code.
    tuples_seconds: f64,
    sets_seconds: f64,
    /// Loops written by hand.
    baseline_seconds: Option<f64>,
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
    let (mut prolog, mut baseline) = (None, BTreeMap::new());
    if !args.alone {
        prolog = prolog_seconds(&workloads, args)?;
        if prolog.is_none() {
            front.output.remark("`swipl` is not installed: there are no figures of SWI-Prolog");
        }
        let peers = Peers::find_baselines(front);
        baseline = peers.baseline_rules(&facts_text(&workloads), args.rounds);
    }
    if !args.json {
        front.output.line(format_args!(
            "{:<18} {:>9} {:>11} {:>8}  {:>11} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "rule",
            "successes",
            "conclusions",
            "distinct",
            "interpreted",
            "tuples",
            "sets",
            "by hand",
            r"\==",
            r"=\="
        ))?;
    }
    for workload in &workloads {
        go_on(front)?;
        let by_hand = baseline.get(workload.name).copied();
        let prolog = prolog.as_ref().and_then(|all| all.get(workload.name).copied());
        let result = measure(workload, args.rounds, by_hand, prolog)?;
        if args.json {
            front.output.json(&result)?;
        } else {
            print(front, &result)?;
        }
    }
    if args.metaprogram { metaprogram(front, args) } else { Ok(()) }
}

/// Measures a rule in all our ways, which take turns, and checks that they conclude the same.
fn measure(
    workload: &Workload,
    rounds: u64,
    by_hand: Option<(f64, u64)>,
    prolog_seconds: Option<Prolog>,
) -> anyhow::Result<RuleJson> {
    let native = |plan| {
        let made = NativeWorkload::new(workload, plan);
        made.map_err(|obstacle| Failure::new(Exit::Bug, format!("no native code: {obstacle}")))
    };
    let (mut tuples, mut sets) = (native(RulePlan::Tuples)?, native(RulePlan::Sets)?);
    let matched = workload.run(1);
    let (counted, distinct) = (tuples.matched(), sets.run(1));
    let differs = by_hand.is_some_and(|(_, conclusions)| conclusions != matched.conclusions);
    if counted != matched || differs {
        let message = format!("{}: {matched:?} interpreted, {counted:?} in code", workload.name);
        return Err(Failure::new(Exit::Bug, message).into());
    }
    let mut ways: [&mut dyn FnMut(u64) -> u64; 3] = [
        &mut |times| workload.run(times).conclusions,
        &mut |times| tuples.run(times),
        &mut |times| sets.run(times),
    ];
    let mut seconds = [const { Vec::new() }; 3];
    for _ in 0..rounds.max(1) {
        for (way, seconds) in ways.iter_mut().zip(&mut seconds) {
            seconds.push(round_seconds(*way));
        }
    }
    let [interpreted, tuples, sets] = seconds.map(median);
    Ok(RuleJson {
        schema: SCHEMA,
        rule: workload.name,
        successes: matched.successes,
        conclusions: matched.conclusions,
        distinct,
        seconds: interpreted,
        tuples_seconds: tuples,
        sets_seconds: sets,
        baseline_seconds: by_hand.map(|(seconds, _)| seconds),
        prolog_seconds,
    })
}

/// Prints milliseconds, and below them how many times as long as tuples in machine code each takes.
fn print(front: &mut Front, result: &RuleJson) -> anyhow::Result<()> {
    let prolog = |seconds: fn(&Prolog) -> f64| result.prolog_seconds.as_ref().map(seconds);
    let columns = [
        Some(result.seconds),
        Some(result.tuples_seconds),
        Some(result.sets_seconds),
        result.baseline_seconds,
        prolog(|prolog| prolog.identity),
        prolog(|prolog| prolog.arithmetic),
    ];
    let row = |scale: f64, n_digits: usize| {
        let cell = |seconds: &Option<f64>| match seconds {
            Some(seconds) => format!(" {:>9.n_digits$}", seconds * scale),
            None => format!(" {:>9}", "-"),
        };
        columns.iter().map(cell).collect::<String>()
    };
    front.output.line(format_args!(
        "{:<18} {:>9} {:>11} {:>8} ms{}",
        result.rule,
        result.successes,
        result.conclusions,
        result.distinct,
        row(1e3, 4)
    ))?;
    let (tuples, sets) = (row(1.0 / result.tuples_seconds, 2), row(1.0 / result.sets_seconds, 2));
    front.output.line(format_args!("{:>49}: tuples{tuples}", "times as long as"))?;
    front.output.line(format_args!("{:>49}: sets  {sets}", "times as long as"))
}

/// The processor time of one run, measured over as many as a round needs.
fn round_seconds(run: &mut dyn FnMut(u64) -> u64) -> f64 {
    let watch = ProcessorWatch::start();
    let (mut n_runs, mut next) = (0.0, 1_u32);
    loop {
        std::hint::black_box(run(u64::from(next)));
        n_runs += f64::from(next);
        let seconds = watch.seconds();
        if seconds >= ROUND_SECONDS {
            return seconds / n_runs;
        }
        next = next.saturating_mul(2).min(MOST_RUNS);
    }
}

/// The clock is looked at after so many runs at the latest.
const MOST_RUNS: u32 = 64;

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
