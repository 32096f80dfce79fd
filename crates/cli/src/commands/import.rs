//! `rulesmith import`: chess variants of another program as rules.

use rulesmith_player::{Diagnostics, Imported, Sources, import_variants, nearest};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::import_args::ImportArgs;
use crate::open::Front;
use crate::output::{SCHEMA, counted};
use crate::words::plain;
use crate::{files, problems};

/// So many reasons are shown with their lines; nobody reads more, and each looks for its place in the text.
const MAX_SHOWN: usize = 1000;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct ImportJson<'v> {
    schema: u32,
    variants: Vec<VariantJson<'v>>,
}

#[derive(Debug, Serialize)]
struct VariantJson<'v> {
    name: &'v str,
    text: Option<&'v str>,
    problems: Vec<ReasonJson<'v>>,
}

#[derive(Debug, Serialize)]
struct ReasonJson<'v> {
    line: usize,
    message: &'v str,
}

pub(super) fn run(front: &mut Front, args: &ImportArgs) -> anyhow::Result<()> {
    let mut sources = Sources::default();
    let file = sources.add(args.file.display().to_string(), files::read_text(&args.file)?);
    let mut faults = Diagnostics::default();
    let all = import_variants(&sources, file, &args.ignore, &mut faults);
    for fault in &faults.list {
        front.output.remark(problems::render_one(&sources, fault));
    }
    let wanted = choose(&all, &args.variants)?;
    if let Some(folder) = &args.out {
        files::make_folder(folder)?;
        for one in &wanted {
            if let Some(text) = &one.text {
                files::write(&folder.join(file_name(&one.name)), text.as_bytes())?;
            }
        }
    }
    if args.json {
        front.output.json(&to_json(&sources, &wanted))?;
    } else {
        show(front, args, &sources, &wanted)?;
    }
    let is_refused = wanted.iter().any(|one| one.text.is_none());
    // Whoever names no variant asks which can be imported; that is answered.
    let is_failed = !faults.list.is_empty() || is_refused && !args.variants.is_empty();
    if is_failed { Err(Failure::shown(Exit::Rules).into()) } else { Ok(()) }
}

/// The variants of these names, or all.
fn choose<'v>(all: &'v [Imported], names: &[String]) -> Result<Vec<&'v Imported>, Failure> {
    if names.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        all.iter().find(|one| one.name == *name).ok_or_else(|| {
            let failure = Failure::new(Exit::UnknownGame, format!("there is no variant `{name}`"));
            match nearest(name, all.iter().map(|one| one.name.as_str())) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure,
            }
        })
    };
    names.iter().map(find).collect()
}

fn show(
    front: &mut Front,
    args: &ImportArgs,
    sources: &Sources,
    wanted: &[&Imported],
) -> anyhow::Result<()> {
    let mut n_shown = 0;
    for one in wanted {
        let shown = one.problems.iter().take(MAX_SHOWN - n_shown);
        n_shown += shown.len();
        for problem in shown {
            front.output.remark(problems::render_one(sources, problem));
        }
        match &one.text {
            Some(text) if args.out.is_none() && !args.variants.is_empty() => {
                front.output.line(plain(text.trim_end()))?;
            }
            Some(_) => front.output.line(format_args!("{}: imported", plain(&one.name)))?,
            None => {
                let reasons = counted(one.problems.len(), "reason");
                front.output.line(format_args!("{}: refused, {reasons}", plain(&one.name)))?;
            }
        }
    }
    let n_reasons: usize = wanted.iter().map(|one| one.problems.len()).sum();
    if n_reasons > n_shown {
        let more = counted(n_reasons - n_shown, "more reason");
        front.output.remark(format_args!("{more} not shown"));
    }
    if args.variants.is_empty() {
        let n_imported = wanted.iter().filter(|one| one.text.is_some()).count();
        let n_all = counted(wanted.len(), "variant");
        front.output.line(format_args!("{n_imported} of {n_all} can be imported"))?;
    }
    Ok(())
}

fn to_json<'v>(sources: &Sources, wanted: &[&'v Imported]) -> ImportJson<'v> {
    let text = sources.files.first().map_or("", |file| file.text.as_str());
    let ends: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
    let line = |start: u32| ends.partition_point(|end| *end < start as usize) + 1;
    let variant = |one: &&'v Imported| VariantJson {
        name: &one.name,
        text: one.text.as_deref(),
        problems: one
            .problems
            .iter()
            .map(|problem| ReasonJson { line: line(problem.span.start), message: &problem.message })
            .collect(),
    };
    ImportJson { schema: SCHEMA, variants: wanted.iter().map(variant).collect() }
}

/// The name of a file that cannot leave its folder.
fn file_name(variant: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    format!("{}.scl", variant.chars().map(plain).collect::<String>())
}
