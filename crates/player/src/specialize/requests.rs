//! Requests as they are typed: what is asked, and the calls it is measured with.
//!
//! In: the text of a request, and values for its known arguments. Out: requests, each with the
//! questions to ask. Invariant: a text that makes no sense gives problems that point into it.

use rulesmith_logic::{Level, Value};
use rulesmith_rules::{Diagnostics, Request, RequestArg, Sources, Theory, parse_request};

use super::SpecializeFailure;
use super::costs::{Calls, combinations};
use crate::build::BuildResult;

/// A request and the questions it is measured with.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) request: Request,
    /// What was typed.
    pub(super) text: String,
    /// The questions, or why there are none.
    pub(super) calls: Result<Calls, String>,
}

/// Reads a request.
pub(super) fn read_requests(
    theory: &Theory,
    text: &str,
    at: &[(String, String)],
) -> Result<Vec<Asked>, SpecializeFailure> {
    let requests = parse(theory, text)?;
    for (name, _) in at {
        let is_it = |arg: &RequestArg| matches!(arg, RequestArg::Known(known) if known == name);
        if !requests.iter().any(|request| request.args.iter().any(is_it)) {
            let message = format!("the request has no known argument `{name}`");
            let help = "known arguments are marked with a plus, as in `distance(+X, -W, 3)`";
            return Err(SpecializeFailure::Option { message, help: help.to_owned() });
        }
    }
    // A value is read as the request would read it in the argument's place.
    let fixed =
        at.iter().fold(text.to_owned(), |text, (name, value)| with_value(&text, name, value));
    let fixed = if at.is_empty() { requests.clone() } else { parse(theory, &fixed)? };
    let asked = requests.into_iter().zip(fixed).map(|(request, fixed)| Asked {
        text: text.trim().to_owned(),
        calls: calls(theory, &request, &fixed, at),
        request,
    });
    Ok(asked.collect())
}

fn parse(theory: &Theory, text: &str) -> Result<Vec<Request>, SpecializeFailure> {
    parse_request(theory, text).map_err(|diagnostics: Diagnostics| {
        let mut sources = Sources::default();
        sources.add("request", text);
        let result = BuildResult { theory: None, wording: None, diagnostics, sources };
        SpecializeFailure::Request(Box::new(result))
    })
}

/// The request with a value in the place of a variable.
fn with_value(text: &str, name: &str, value: &str) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut written = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        if word == name {
            written.push_str(before.trim_end_matches(['+', '-']));
            written.push_str(value);
        } else {
            written.push_str(before);
            written.push_str(word);
        }
        rest = after;
    }
    written + rest
}

/// The questions to ask: all values of the known arguments, or some of them.
fn calls(
    theory: &Theory,
    request: &Request,
    fixed: &Request,
    at: &[(String, String)],
) -> Result<Calls, String> {
    let described = theory.base.predicate(request.predicate);
    let is_static = described.level == Level::Static;
    if described.level == Level::Step {
        return Err("it is asked in the middle of a step".to_owned());
    }
    let mut names: Vec<&str> = Vec::new();
    let mut lists: Vec<Vec<Value>> = Vec::new();
    for ((arg, fixed), domain) in request.args.iter().zip(&fixed.args).zip(&described.domains) {
        let RequestArg::Known(name) = arg else { continue };
        if names.contains(&name.as_str()) {
            continue;
        }
        names.push(name);
        lists.push(match (fixed, domain) {
            (RequestArg::Value(value), _) => vec![*value],
            (_, Some(domain)) => theory.base.domain(*domain).values.iter().copied().collect(),
            (_, None) => return Err(format!("`{name}` has no sort to take values from")),
        });
    }
    let pattern = |values: Vec<Value>| {
        let value = |arg: &RequestArg| match arg {
            RequestArg::Known(name) => {
                names.iter().position(|other| other == name).map(|place| values[place])
            }
            _ => None,
        };
        request.args.iter().map(value).collect()
    };
    let patterns = combinations(&lists, is_static).into_iter().map(pattern).collect();
    Ok(Calls { patterns, is_static, words: words(&names, &lists, at) })
}

/// What is known, and how many values it takes.
fn words(names: &[&str], lists: &[Vec<Value>], at: &[(String, String)]) -> String {
    let each = names.iter().zip(lists).map(|(name, values)| {
        match at.iter().find(|(other, _)| other == name) {
            Some((_, value)) => format!("{name} = {value}"),
            None => format!("{} values of {name}", values.len()),
        }
    });
    each.collect::<Vec<_>>().join(", ")
}
