//! `rulesmith bench conditions`: conditions that hold for a state's questions, before and after.

use rulesmith_game::Notation;
use rulesmith_player::{
    BeforeAfter, ConditionsConfig, Means, compare_conditions, profile, sampled_states,
};
use serde::Serialize;

use super::bench_legal::{LegalTimes, time_legal};
use super::{go_on, options_with_settings, stopped_or};
use crate::args::BenchConditionsArgs;
use crate::exit::Failure;
use crate::library;
use crate::open::{self, Front};
use crate::output::SCHEMA;
use crate::words::plain;

/// The games the bar is set for, taken together.
const JUDGED: [&str; 7] = [
    "abalone",
    "amazons",
    "english_draughts",
    "go",
    "lines_of_action",
    "nine_mens_morris",
    "reversi",
];

/// What `--json` prints for each game.
#[derive(Debug, Serialize)]
struct ConditionsJson {
    schema: u32,
    game: String,
    states: usize,
    too_dear: usize,
    as_written: Option<MeansJson>,
    static_facts: MeansJson,
    program: MeansJson,
    program_apart: MeansJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_microseconds: Option<LegalTimes>,
}

#[derive(Debug, Serialize)]
struct MeansJson {
    terminal: f64,
    legal: f64,
    goal: f64,
}

impl From<Means> for MeansJson {
    fn from(Means { terminal, legal, goal }: Means) -> Self {
        Self { terminal, legal, goal }
    }
}

/// Logarithms of ratios, for a geometric mean.
#[derive(Debug, Default)]
struct Together {
    n_games: u32,
    sum: f64,
    sum_facts: f64,
}

pub(super) fn run(front: &mut Front, args: &BenchConditionsArgs) -> anyhow::Result<()> {
    let games = if args.games.is_empty() {
        library::entries().into_iter().map(|entry| entry.name).collect()
    } else {
        args.games.clone()
    };
    if !args.json {
        front.output.line(format_args!(
            "{:<20} {:>6} {:>12} {:>12} {:>10} {:>10} {:>8} {:>8}",
            "game", "states", "as written", "facts", "program", "apart", "ratio", "to facts"
        ))?;
    }
    let mut together = Together::default();
    for game in games {
        go_on(front)?;
        let (game, options) = options_with_settings(&game)?;
        let opened = open::open(front, &game, &options)?;
        let name = opened.theory().instance_name();
        let before = if args.time { Some(open::open(front, &game, &options)?.game) } else { None };
        let config = ConditionsConfig {
            seed: args.seed,
            contests: args.contests,
            states: args.states,
            success_limit: args.successes,
            ..ConditionsConfig::default()
        };
        let (result, game_after, specialized) = compare_conditions(opened.game, &config)
            .map_err(|message| stopped_or(front, message))?;
        if JUDGED.contains(&game.as_str()) {
            together.add(&result);
        }
        let times = match &before {
            Some(before) => {
                let states = sampled_states(before, &config).map_err(Failure::from)?;
                let texts: Vec<String> =
                    states.iter().map(|state| before.state_text(state)).collect();
                Some(time_legal(front, (before, &game_after), (&game, &options), &texts)?)
            }
            None => None,
        };
        if args.json {
            front.output.json(&to_json(&name, &result, times))?;
        } else {
            print(front, &name, &result)?;
            times.map(|times| print_times(front, times)).transpose()?;
        }
        if args.profile {
            front.output.line(profile(&game_after, &specialized))?;
        }
    }
    if !args.json && together.n_games > 0 {
        let (mean, facts) = together.means();
        front.output.line(format_args!(
            "\ngeometric mean of {} judged games: {mean:.1} times fewer than as written, {facts:.1} \
             times fewer than with static predicates as facts",
            together.n_games
        ))?;
    }
    Ok(())
}

impl Together {
    fn add(&mut self, result: &BeforeAfter) {
        // A game that is too dear to read as written is left out, and its line says so.
        let Some(as_written) = &result.clauses else { return };
        self.n_games += 1;
        self.sum += ratio(as_written, &result.program).ln();
        self.sum_facts += ratio(&result.facts, &result.program).ln();
    }

    fn means(&self) -> (f64, f64) {
        let n_games = f64::from(self.n_games);
        ((self.sum / n_games).exp(), (self.sum_facts / n_games).exp())
    }
}

/// How many times fewer. Where nothing holds before and after, nothing is gained or lost.
fn ratio(before: &Means, after: &Means) -> f64 {
    if before.total() <= 0.0 && after.total() <= 0.0 { 1.0 } else { before.total() / after.total() }
}

fn print(front: &mut Front, name: &str, result: &BeforeAfter) -> anyhow::Result<()> {
    let shown = |means: &Means| format!("{:.1}", means.total());
    let fewer = |before: &Means| format!("{:.1}", ratio(before, &result.program));
    front.output.line(format_args!(
        "{:<20} {:>6} {:>12} {:>12} {:>10} {:>10} {:>8} {:>8.1}",
        plain(name),
        result.n_states,
        result.clauses.as_ref().map_or("-".to_owned(), shown),
        shown(&result.facts),
        shown(&result.program),
        shown(&result.apart),
        result.clauses.as_ref().map_or("-".to_owned(), fewer),
        ratio(&result.facts, &result.program),
    ))?;
    for (part, of) in [
        ("terminal", (|means| means.terminal) as fn(&Means) -> f64),
        ("legal", |means| means.legal),
        ("goal", |means| means.goal),
    ] {
        front.output.line(format_args!(
            "  {part:<18} {:>6} {:>12} {:>12.1} {:>10.1} {:>10.1}",
            "",
            result.clauses.as_ref().map_or("-".to_owned(), |means| format!("{:.1}", of(means))),
            of(&result.facts),
            of(&result.program),
            of(&result.apart),
        ))?;
    }
    Ok(())
}

fn print_times(front: &mut Front, times: LegalTimes) -> anyhow::Result<()> {
    let LegalTimes { reference, interpreter, native } = times;
    let native = native.map_or("-".to_owned(), |native| format!("{native:.2}"));
    front.output.line(format_args!(
        "  legal moves, µs: reference {reference:.1}, interpreter {interpreter:.1}, native {native}"
    ))
}

fn to_json(name: &str, result: &BeforeAfter, times: Option<LegalTimes>) -> ConditionsJson {
    ConditionsJson {
        schema: SCHEMA,
        game: name.to_owned(),
        states: result.n_states,
        too_dear: result.n_too_dear,
        as_written: result.clauses.map(MeansJson::from),
        static_facts: result.facts.into(),
        program: result.program.into(),
        program_apart: result.apart.into(),
        legal_microseconds: times,
    }
}
