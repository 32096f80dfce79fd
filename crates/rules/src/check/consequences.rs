//! Problems that only follow from others are dropped, so that each mistake is reported once.
//!
//! In: all problems, and the places of items that could not be read. Out: the problems without those
//! about names that a broken item would have declared. Invariant: at least one error stays.

use std::collections::BTreeSet;

use rulesmith_logic::Span;

use crate::source::{Diagnostic, Diagnostics, Severity, Sources};

/// Codes of problems that a missing declaration causes elsewhere.
const CONSEQUENCES: [&str; 9] = [
    "unknown-predicate",
    "unknown-name",
    "unknown-function",
    "unknown-fluent",
    "unknown-sort",
    "unknown-move",
    "no-role",
    "no-game",
    "value-missing",
];

/// Codes of problems after which the sorts of variables are not known.
const BAD_SORTS: [&str; 5] = ["empty-sort", "circular-sort", "open-sort", "unknown-sort", "limit"];

/// Codes of problems that unknown sorts cause elsewhere.
const OF_SORTS: [&str; 2] = ["unsafe-variable", "sort-mismatch"];

/// Drops what follows from broken items, from missing roles, or from an error at the same place.
pub(super) fn drop_consequences(diagnostics: &mut Diagnostics, sources: &Sources, broken: &[Span]) {
    let lost: BTreeSet<&str> =
        broken.iter().flat_map(|span| words(text_at(sources, *span))).collect();
    let has_no_role = diagnostics.list.iter().any(|problem| problem.code == "no-role");
    let has_bad_sort =
        diagnostics.list.iter().any(|problem| BAD_SORTS.contains(&problem.code)) || has_no_role;
    let errors: BTreeSet<Span> = diagnostics
        .list
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| problem.span)
        .collect();
    let is_own = |problem: &Diagnostic| {
        let word = words(text_at(sources, problem.span)).next().unwrap_or_default();
        let subject = match problem.code {
            "no-role" => "role",
            "no-game" => "game",
            _ => word,
        };
        let is_consequence = CONSEQUENCES.contains(&problem.code) && lost.contains(subject);
        let is_of_roles = has_no_role && problem.code == "unknown-name";
        let is_repeated = problem.code == "singleton" && errors.contains(&problem.span);
        let is_of_sorts = has_bad_sort && OF_SORTS.contains(&problem.code);
        !(is_consequence || is_of_roles || is_repeated || is_of_sorts)
    };
    diagnostics.list.retain(is_own);
}

fn text_at(sources: &Sources, span: Span) -> &str {
    let file = sources.files.get(span.file as usize);
    file.and_then(|file| file.text.get(span.start as usize..span.end as usize)).unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
