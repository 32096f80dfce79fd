//! `rulesmith dump`: what a stage of the pipeline made of a game.

use rulesmith_player::{
    CounterReport, DerivedReport, DumpedProcedure, FluentReport, Kept, LayoutReport, Optimizations,
    ReferenceGame, TreeLine, dump_kernels, dump_layout, dump_program,
};
use serde::Serialize;

use super::{dump_analysis, stopped_or};
use crate::args::{DumpArgs, Stage};
use crate::exit::{Exit, Failure};
use crate::open::{self, Front};
use crate::output::{BOLD, RESET, SCHEMA, counted};
use crate::words::plain;

pub(super) fn run(front: &mut Front, args: &DumpArgs) -> anyhow::Result<()> {
    if args.from.is_some() && args.stage != Stage::Analysis {
        let message = "`--from` goes with `--stage analysis`";
        return Err(Failure::new(Exit::Usage, message).into());
    }
    let text = match args.stage {
        Stage::Theory => Some("the theory is text"),
        Stage::Kernels => Some("kernels are text"),
        _ => None,
    };
    if let (Some(text), true) = (text, args.json) {
        return Err(Failure::new(Exit::Usage, format!("{text}: leave `--json` out")).into());
    }
    let opened = open::open(front, &args.game.game, &args.game.options)?;
    let name = opened.theory().instance_name();
    match args.stage {
        Stage::Theory => front.output.bytes(rulesmith_player::print(opened.theory()).as_bytes()),
        Stage::Program => program(front, &opened.game, &name, args.json),
        Stage::Tree => tree(front, &opened.game, &name, args.json),
        Stage::Kernels => {
            let left_out = args.game.options.without.iter();
            let all = left_out.fold(Optimizations::default(), |all, one| all.without(*one));
            let text = dump_kernels(&opened.game, all);
            let text = text.map_err(|message| stopped_or(front, message))?;
            front.output.bytes(text.as_bytes())
        }
        Stage::Layout => layout(front, &opened.game, &name, args.json),
        Stage::Analysis => dump_analysis::run(front, opened.theory(), &name, args),
    }
}

/// What `--stage program --json` prints.
#[derive(Debug, Serialize)]
struct ProgramJson<'p> {
    schema: u32,
    game: &'p str,
    procedures: Vec<ProcedureJson<'p>>,
}

#[derive(Debug, Serialize)]
struct ProcedureJson<'p> {
    procedure: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    clauses: Option<&'p [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Vec<LineJson<'p>>>,
}

#[derive(Debug, Serialize)]
struct LineJson<'p> {
    depth: usize,
    condition: &'p str,
    clause: Option<usize>,
}

fn procedures(front: &Front, game: &ReferenceGame) -> Result<Vec<DumpedProcedure>, Failure> {
    dump_program(game).map_err(|message| stopped_or(front, message))
}

fn program(front: &mut Front, game: &ReferenceGame, name: &str, json: bool) -> anyhow::Result<()> {
    let procedures = procedures(front, game)?;
    if json {
        let procedures = procedures.iter().map(|one| ProcedureJson {
            procedure: &one.title,
            clauses: Some(&one.clauses),
            tree: None,
        });
        let procedures = procedures.collect();
        return front.output.json(&ProgramJson { schema: SCHEMA, game: name, procedures });
    }
    for one in &procedures {
        let n_clauses = counted(one.clauses.len(), "clause");
        front.output.line(format_args!("% {}: {n_clauses}", plain(&one.title)))?;
        for clause in &one.clauses {
            front.output.line(plain(clause))?;
        }
        front.output.line("")?;
    }
    Ok(())
}

fn tree(front: &mut Front, game: &ReferenceGame, name: &str, json: bool) -> anyhow::Result<()> {
    let procedures = procedures(front, game)?;
    if json {
        let procedures = procedures.iter().map(|one| ProcedureJson {
            procedure: &one.title,
            clauses: None,
            tree: Some(one.tree.iter().map(line_json).collect()),
        });
        let procedures = procedures.collect();
        return front.output.json(&ProgramJson { schema: SCHEMA, game: name, procedures });
    }
    for one in &procedures {
        front.output.line(format_args!("% {}", plain(&one.title)))?;
        for TreeLine { depth, text, concludes, .. } in &one.tree {
            let space = "  ".repeat(*depth);
            let arrow = if concludes.is_some() { "=> " } else { "" };
            front.output.line(format_args!("{space}{arrow}{}", plain(text)))?;
        }
        front.output.line("")?;
    }
    Ok(())
}

fn line_json(one: &TreeLine) -> LineJson<'_> {
    LineJson { depth: one.depth, condition: &one.text, clause: one.concludes }
}

/// What `--stage layout --json` prints.
#[derive(Debug, Serialize)]
struct LayoutJson<'l> {
    schema: u32,
    game: &'l str,
    words: u32,
    bytes: u64,
    fluents: Vec<FluentJson<'l>>,
    derived: Vec<DerivedJson<'l>>,
    counters: Vec<CounterJson<'l>>,
    turns: Option<&'static str>,
    kept_by_contests: &'l [String],
    slower: &'l [String],
    obstacle: Option<&'l str>,
    kernel_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct CounterJson<'l> {
    predicate: &'l str,
    why: &'l str,
    offset: u32,
}

#[derive(Debug, Serialize)]
struct FluentJson<'l> {
    fluent: &'l str,
    kept: &'static str,
    why: &'l str,
    keys: u32,
    values: u32,
    bits: u64,
    words: u32,
    offset: u32,
}

#[derive(Debug, Serialize)]
struct DerivedJson<'l> {
    predicate: &'l str,
    kept: &'static str,
    why: &'l str,
    slices: u32,
    keys: u32,
    words: u32,
}

fn layout(front: &mut Front, game: &ReferenceGame, name: &str, json: bool) -> anyhow::Result<()> {
    let dumped = dump_layout(game).map_err(|why| {
        let failure = stopped_or(front, String::new());
        if failure.exit != Exit::Bug {
            return failure;
        }
        Failure::new(Exit::NotYet, format!("native states cannot hold this game: {why}"))
    })?;
    let report = &dumped.layout;
    if json {
        return front.output.json(&LayoutJson {
            schema: SCHEMA,
            game: name,
            words: report.n_words,
            bytes: report.n_bytes,
            fluents: report.fluents.iter().map(fluent_json).collect(),
            derived: report.derived.iter().map(derived_json).collect(),
            counters: report.counters.iter().map(counter_json).collect(),
            turns: dumped.turns.as_ref().ok().copied(),
            kept_by_contests: &dumped.kept,
            slower: &dumped.slower,
            obstacle: dumped.turns.as_ref().err().map(String::as_str),
            kernel_bytes: dumped.n_kernel_bytes,
        });
    }
    print_layout(front, name, report)?;
    for one in &dumped.kept {
        front.output.line(format_args!("\nrandom contests keep {one}"))?;
    }
    match &dumped.turns {
        Ok(turns) => front.output.line(format_args!("\nturns: {turns}"))?,
        Err(why) => front.output.line(format_args!("\nthere are no kernels: {why}"))?,
    }
    for one in &dumped.slower {
        front.output.line(format_args!("slower: {one}"))?;
    }
    if let Some(n_bytes) = dumped.n_kernel_bytes {
        front.output.line(format_args!("tables and one state take {n_bytes} bytes"))?;
    }
    Ok(())
}

fn print_layout(front: &mut Front, name: &str, report: &LayoutReport) -> anyhow::Result<()> {
    let output = &mut front.output;
    output.line(format_args!("{BOLD}{}{RESET}", plain(name)))?;
    let (words, bytes) = (counted(report.n_words as usize, "word"), report.n_bytes);
    output.line(format_args!("a state takes {words}, {bytes} bytes"))?;
    output.line(format_args!(
        "\n{:<20} {:<7} {:>6} {:>7} {:>7} {:>6} {:>7}",
        "fluent", "kept as", "keys", "values", "bits", "words", "offset"
    ))?;
    for one in &report.fluents {
        let FluentReport { n_keys, n_values, n_bits, n_words, offset, .. } = one;
        let (name, kept) = (plain(&one.name), kept(one.kept));
        output.line(format_args!(
            "{name:<20} {kept:<7} {n_keys:>6} {n_values:>7} {n_bits:>7} {n_words:>6} {offset:>7}"
        ))?;
        output.line(format_args!("  {}", one.why))?;
    }
    for one in &report.counters {
        let (name, offset) = (plain(&one.name), one.offset);
        output.line(format_args!(
            "{name:<20} {:<7} {:>6} {:>7} {:>7} {:>6} {offset:>7}",
            "word", "", "", 64, 1
        ))?;
        output.line(format_args!("  {}", plain(&one.why)))?;
    }
    if report.derived.is_empty() {
        return Ok(());
    }
    output.line(format_args!(
        "\n{:<20} {:<7} {:>6} {:>7} {:>7} {:>6}",
        "derived", "kept as", "keys", "slices", "", "words"
    ))?;
    for one in &report.derived {
        let DerivedReport { n_slices, n_keys, n_words, .. } = one;
        let (name, kept) = (plain(&one.name), kept(one.kept));
        output.line(format_args!(
            "{name:<20} {kept:<7} {n_keys:>6} {n_slices:>7} {:>7} {n_words:>6}",
            ""
        ))?;
        output.line(format_args!("  {}", one.why))?;
    }
    Ok(())
}

fn fluent_json(one: &FluentReport) -> FluentJson<'_> {
    FluentJson {
        fluent: &one.name,
        kept: kept(one.kept),
        why: &one.why,
        keys: one.n_keys,
        values: one.n_values,
        bits: one.n_bits,
        words: one.n_words,
        offset: one.offset,
    }
}

fn counter_json(one: &CounterReport) -> CounterJson<'_> {
    CounterJson { predicate: &one.name, why: &one.why, offset: one.offset }
}

fn derived_json(one: &DerivedReport) -> DerivedJson<'_> {
    DerivedJson {
        predicate: &one.name,
        kept: kept(one.kept),
        why: &one.why,
        slices: one.n_slices,
        keys: one.n_keys,
        words: one.n_words,
    }
}

fn kept(kept: Kept) -> &'static str {
    match kept {
        Kept::Planes => "planes",
        Kept::Word => "word",
    }
}
