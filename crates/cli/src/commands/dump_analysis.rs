//! `rulesmith dump --stage analysis`: the static tables of a chess-like game.

use std::collections::BTreeMap;

use rulesmith_player::{AnalysisReport, KindReport, SquareId, Theory, analysis_report};
use serde::Serialize;

use crate::dump_args::DumpArgs;
use crate::exit::{Exit, Failure};
use crate::open::Front;
use crate::output::{BOLD, RESET, SCHEMA};
use crate::words::plain;

/// What `--stage analysis --json` prints.
#[derive(Debug, Serialize)]
struct AnalysisJson<'a> {
    schema: u32,
    game: &'a str,
    squares: &'a [String],
    kinds: Vec<KindJson<'a>>,
}

#[derive(Debug, Serialize)]
struct KindJson<'a> {
    kind: &'a str,
    promotions: BTreeMap<&'a str, u32>,
    transitions: Vec<Vec<&'a str>>,
    static_mobility: &'a [u32],
    eventual_mobility: &'a [f64],
    nearest_promotion: Vec<Option<NearestJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distances: Option<&'a [Option<u32>]>,
}

#[derive(Debug, Serialize)]
struct NearestJson<'a> {
    distance: u32,
    squares: Vec<&'a str>,
}

pub(super) fn run(
    front: &mut Front,
    theory: &Theory,
    name: &str,
    args: &DumpArgs,
) -> anyhow::Result<()> {
    let Some(report) = analysis_report(theory, args.from.as_deref()) else {
        let message = format!("`{name}` is not chess-like: there are no static tables of it");
        let help = "games written as `.scl` have them";
        return Err(Failure::new(Exit::NotYet, message).help(help).into());
    };
    let report = report.map_err(|message| Failure::new(Exit::Text, message))?;
    if args.json {
        let kinds = report.kinds.iter().map(|kind| kind_json(&report, kind)).collect();
        let squares = &report.squares;
        return front.output.json(&AnalysisJson { schema: SCHEMA, game: name, squares, kinds });
    }
    summary(front, &report, name)?;
    for kind in &report.kinds {
        boards(front, &report, kind, args.from.as_deref())?;
    }
    Ok(())
}

fn kind_json<'a>(report: &'a AnalysisReport, kind: &'a KindReport) -> KindJson<'a> {
    let name = |square: &SquareId| report.squares[square.0].as_str();
    let names = |squares: &[SquareId]| squares.iter().map(name).collect::<Vec<_>>();
    let nearest = kind.nearest_promotion.iter().map(|nearest| {
        let (distance, squares) = nearest.as_ref()?;
        Some(NearestJson { distance: *distance, squares: names(squares) })
    });
    KindJson {
        kind: &kind.kind,
        promotions: kind
            .promotions
            .iter()
            .map(|(name, distance)| (name.as_str(), *distance))
            .collect(),
        transitions: kind.transitions.iter().map(|to| names(to)).collect(),
        static_mobility: &kind.static_mobility,
        eventual_mobility: &kind.eventual_mobility,
        nearest_promotion: nearest.collect(),
        distances: kind.distances.as_deref(),
    }
}

/// The largest and the mean number of a table.
fn most_and_mean(numbers: &[f64]) -> (f64, f64) {
    let most = numbers.iter().copied().fold(0.0, f64::max);
    let count = u32::try_from(numbers.len()).map_or(f64::NAN, f64::from);
    (most, numbers.iter().sum::<f64>() / count)
}

fn summary(front: &mut Front, report: &AnalysisReport, name: &str) -> anyhow::Result<()> {
    let output = &mut front.output;
    output.line(format_args!("{BOLD}{}{RESET}", plain(name)))?;
    output.line("static tables (docs/analysis.md), as the first side sees the board\n")?;
    let width = report.kinds.iter().map(|kind| kind.kind.len()).max().unwrap_or(0).max(4);
    output.line(format_args!(
        "{:<width$}  {:>6} {:>7}  {:>8} {:>8}  promotes by its owner's choice",
        "kind", "static", "mean", "eventual", "mean"
    ))?;
    for kind in &report.kinds {
        let fixed: Vec<f64> = kind.static_mobility.iter().map(|n| f64::from(*n)).collect();
        let ((most, mean), (eventual, eventual_mean)) =
            (most_and_mean(&fixed), most_and_mean(&kind.eventual_mobility));
        let promotions = kind.promotions.iter();
        let promotions: Vec<String> = promotions
            .map(|(name, distance)| match distance {
                1 => plain(name).to_string(),
                _ => format!("{} in {distance}", plain(name)),
            })
            .collect();
        let promotions = if promotions.is_empty() { "-".to_owned() } else { promotions.join(", ") };
        output.line(format_args!(
            "{:<width$}  {most:>6} {mean:>7.3}  {eventual:>8.3} {eventual_mean:>8.3}  {promotions}",
            plain(&kind.kind).to_string()
        ))?;
    }
    Ok(())
}

/// The tables of one kind as boards side by side.
fn boards(
    front: &mut Front,
    report: &AnalysisReport,
    kind: &KindReport,
    from: Option<&str>,
) -> anyhow::Result<()> {
    let dash = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let mut tables: Vec<(String, Vec<String>)> = vec![
        ("static mobility".to_owned(), kind.static_mobility.iter().map(u32::to_string).collect()),
        (
            "eventual mobility".to_owned(),
            kind.eventual_mobility.iter().map(|one| format!("{one:.2}")).collect(),
        ),
    ];
    if kind.promotes {
        let nearest = kind.nearest_promotion.iter();
        let moves = nearest.map(|nearest| dash(nearest.as_ref().map(|one| one.0))).collect();
        tables.push(("moves to promotion".to_owned(), moves));
    }
    if let (Some(distances), Some(from)) = (&kind.distances, from) {
        let moves = distances.iter().map(|distance| dash(*distance)).collect();
        tables.push((format!("moves from {}", plain(from)), moves));
    }
    let drawn: Vec<Vec<String>> =
        tables.iter().map(|(title, cells)| board(report, title, cells)).collect();
    let output = &mut front.output;
    output.line(format_args!("\n{BOLD}{}{RESET}", plain(&kind.kind)))?;
    for row in 0..=report.rows.len() {
        let parts = drawn.iter().map(|board| board[row].as_str()).collect::<Vec<_>>();
        output.line(parts.join("   ").trim_end())?;
    }
    Ok(())
}

/// A title and the rows of a board, all equally wide.
fn board(report: &AnalysisReport, title: &str, cells: &[String]) -> Vec<String> {
    let width = cells.iter().map(String::len).max().unwrap_or(1);
    let cell = |square: &Option<SquareId>| {
        let text = square.map_or("*", |square| cells[square.0].as_str());
        format!("{text:>width$}")
    };
    let rows = report.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = std::iter::once(title.to_owned()).chain(rows).collect();
    let wide = lines.iter().map(String::len).max().unwrap_or(0);
    lines.into_iter().map(|line| format!("{line:<wide$}")).collect()
}
