//! The knobs of `rulesmith generate`: the defaults, then what a file says, then what the command line says.
//!
//! In: a TOML file and `NAME=VALUE`. Out: a value for each knob, or every problem of the file with its place.
//! Invariant: a problem names the knob as the file does.

use std::ops::Range;
use std::path::Path;

use rulesmith_player::{Diagnostic, Knob, KnobError, Knobs, Sources, Span};
use toml::de::{DeTable, DeValue};

use crate::exit::{Exit, Failure};
use crate::generate_args::GenerateArgs;
use crate::open::Front;
use crate::{files, problems};

/// The defaults, then what the file says, then what the command line says.
pub(super) fn set_knobs(front: &mut Front, args: &GenerateArgs) -> Result<Knobs, Failure> {
    let mut knobs = Knobs::default();
    if let Some(path) = &args.knobs {
        read_file(front, path, &mut knobs)?;
    }
    for (name, text) in &args.set {
        knobs
            .set(name, text)
            .map_err(|error| Failure::new(Exit::Usage, error.to_string()).help(help(&error)))?;
    }
    Ok(knobs)
}

/// Sets what a file says; all that is wrong with it is shown.
fn read_file(front: &mut Front, path: &Path, knobs: &mut Knobs) -> Result<(), Failure> {
    let mut sources = Sources::default();
    let file = sources.add(path.display().to_string(), files::read_text(path)?);
    let found = read(file, &sources.files[file as usize].text, knobs);
    for problem in &found {
        front.output.remark(problems::render_one(&sources, problem));
    }
    if found.is_empty() { Ok(()) } else { Err(Failure::shown(Exit::Usage)) }
}

fn read(file: u32, text: &str, knobs: &mut Knobs) -> Vec<Diagnostic> {
    let span = |range: Range<usize>| {
        let [start, end] = [range.start, range.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Span { file, start, end }
    };
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let place = span(error.span().unwrap_or_default());
            return vec![Diagnostic::error("toml", place, error.message())];
        }
    };
    let problems = table.iter().filter_map(|(name, value)| {
        let (place, key) = (span(value.span()), name.get_ref().as_ref());
        let Some(text) = value_text(value.get_ref()) else {
            let problem = Diagnostic::error("knob", place, format!("`{key}` has a strange value"));
            let kind = Knob::named(key).map(|knob| knob.info().kind);
            return Some(match kind {
                Some(kind) => problem.help(format!("`{key}` is {kind}")),
                None => problem,
            });
        };
        let error = knobs.set(key, &text).err()?;
        let place = match &error {
            KnobError::Unknown { .. } => span(name.span()),
            KnobError::Value { .. } => place,
        };
        Some(Diagnostic::error("knob", place, error.to_string()).help(help(&error)))
    });
    let mut problems: Vec<Diagnostic> = problems.collect();
    problems.sort_by_key(|problem| problem.span);
    problems
}

/// What to write instead.
fn help(error: &KnobError) -> String {
    match error {
        KnobError::Unknown { near: Some(near), .. } => format!("did you mean `{near}`?"),
        KnobError::Unknown { near: None, .. } => {
            "`rulesmith generate --print-knobs` prints all of them".to_owned()
        }
        KnobError::Value { name, kind, .. } => format!("`{name}` is {kind}"),
    }
}

/// A value of TOML as it would be typed: `[5, 6]` is `5..6`, `{ leap = 1, ride = 2 }` is `leap:1 ride:2`.
fn value_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        // What is too large for a number of TOML is too large for every knob, which says so.
        DeValue::Integer(number) => {
            let read = i64::from_str_radix(number.as_str(), number.radix());
            Some(read.map_or_else(|_| number.to_string(), |number| number.to_string()))
        }
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Array(ends) => match &ends[..] {
            [low, high] => {
                Some(format!("{}..{}", value_text(low.get_ref())?, value_text(high.get_ref())?))
            }
            _ => None,
        },
        DeValue::Table(weights) => {
            let pairs = weights.iter().map(|(name, weight)| {
                Some(format!("{}:{}", name.get_ref(), value_text(weight.get_ref())?))
            });
            Some(pairs.collect::<Option<Vec<_>>>()?.join(" "))
        }
        DeValue::Boolean(_) | DeValue::Datetime(_) => None,
    }
}
