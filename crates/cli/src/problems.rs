//! Problems of a rules text, shown to people and to programs.
//!
//! In: diagnostics and the texts they point into. Out: the text with carets below it, or JSON.
//! Invariant: the texts are untrusted; control characters in them never reach the terminal.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use rulesmith_player::{BuildResult, Diagnostic, Severity, Sources, Span};
use serde::Serialize;

use crate::exit::Exit;
use crate::output::counted;

/// All problems with carets, and a last line that counts them.
pub(crate) fn render(result: &BuildResult) -> String {
    let problems = &result.diagnostics.list;
    let shown =
        problems.iter().map(|problem| format!("{}\n\n", render_one(&result.sources, problem)));
    shown.collect::<String>() + &summary(problems)
}

/// `2 errors, 1 warning`, or `no problems`.
pub(crate) fn summary(problems: &[Diagnostic]) -> String {
    let (n_errors, n_warnings) = count(problems);
    match (n_errors, n_warnings) {
        (0, 0) => "no problems".to_owned(),
        (0, _) => counted(n_warnings, "warning"),
        (_, 0) => counted(n_errors, "error"),
        _ => format!("{}, {}", counted(n_errors, "error"), counted(n_warnings, "warning")),
    }
}

/// How many errors and how many warnings.
pub(crate) fn count(problems: &[Diagnostic]) -> (usize, usize) {
    let n_errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    (n_errors, problems.len() - n_errors)
}

/// How a command ends that needs rules without these problems. Where a limit was reached, the other
/// errors may only follow from it.
pub(crate) fn exit(problems: &[Diagnostic]) -> Exit {
    let mut errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    if errors.any(|problem| problem.code == LIMIT) { Exit::Limit } else { Exit::Rules }
}

/// The code of problems that say that a limit was reached.
const LIMIT: &str = "limit";

fn render_one(sources: &Sources, problem: &Diagnostic) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(problem.message.as_str()).id(problem.code);
    let mut group = Group::with_title(title);
    for snippet in snippets(sources, problem) {
        group = group.element(snippet);
    }
    if let Some(help) = &problem.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::styled().decor_style(DecorStyle::Ascii).render(&[group])
}

/// One snippet for each file that the problem points into, the main place first.
fn snippets<'s>(
    sources: &'s Sources,
    problem: &'s Diagnostic,
) -> Vec<Snippet<'s, annotate_snippets::Annotation<'s>>> {
    let main = (problem.span, problem.label.as_str(), AnnotationKind::Primary);
    let related =
        problem.related.iter().map(|(span, why)| (*span, why.as_str(), AnnotationKind::Context));
    let places: Vec<_> = std::iter::once(main).chain(related).collect();
    let mut files: Vec<u32> = Vec::new();
    for (span, ..) in &places {
        if !files.contains(&span.file) {
            files.push(span.file);
        }
    }
    let snippet = |number: u32| {
        let file = sources.files.get(number as usize)?;
        let here: Vec<_> = places.iter().filter(|(span, ..)| span.file == number).collect();
        let ranges: Vec<_> = here.iter().map(|(span, ..)| inside(&file.text, *span)).collect();
        let window = window(&file.text, &ranges);
        let line = file.text[..window.start].matches('\n').count() + 1;
        let annotations = here.iter().zip(ranges).map(|((_, label, kind), range)| {
            let range = range.start - window.start..range.end - window.start;
            let label = (!label.is_empty()).then_some(*label);
            kind.span(range).label(label)
        });
        let snippet = Snippet::source(&file.text[window.clone()]).line_start(line);
        Some(snippet.path(file.name.as_str()).annotations(annotations))
    };
    files.into_iter().filter_map(snippet).collect()
}

/// The span as a range of whole characters of the text.
fn inside(text: &str, span: Span) -> Range<usize> {
    let start = text.floor_char_boundary((span.start as usize).min(text.len()));
    let end = text.ceil_char_boundary((span.end as usize).clamp(start, text.len()));
    start..end
}

/// The lines that hold the ranges: a large file is not searched again for every problem.
fn window(text: &str, ranges: &[Range<usize>]) -> Range<usize> {
    let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
    let last = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
    start..end
}

/// The problems for programs (docs/json.md).
#[derive(Debug, Serialize)]
pub(crate) struct ProblemJson<'s> {
    severity: &'static str,
    code: &'static str,
    message: &'s str,
    #[serde(flatten)]
    place: PlaceJson<'s>,
    label: &'s str,
    help: Option<&'s str>,
    related: Vec<RelatedJson<'s>>,
}

#[derive(Debug, Serialize)]
struct PlaceJson<'s> {
    file: &'s str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

#[derive(Debug, Serialize)]
struct RelatedJson<'s> {
    message: &'s str,
    #[serde(flatten)]
    place: PlaceJson<'s>,
}

/// The problems for programs.
pub(crate) fn to_json(result: &BuildResult) -> Vec<ProblemJson<'_>> {
    let sources = &result.sources;
    result.diagnostics.list.iter().map(|problem| problem_json(sources, problem)).collect()
}

fn problem_json<'s>(sources: &'s Sources, problem: &'s Diagnostic) -> ProblemJson<'s> {
    let Diagnostic { severity, code, message, span, label, related, help } = problem;
    let related = related.iter().map(|(span, why)| {
        let place = place(sources, *span);
        RelatedJson { message: why, place }
    });
    ProblemJson {
        severity: match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code,
        message,
        place: place(sources, *span),
        label,
        help: help.as_deref(),
        related: related.collect(),
    }
}

fn place(sources: &Sources, span: Span) -> PlaceJson<'_> {
    let (line, column) = sources.line_column(span);
    let (end_line, end_column) = sources.line_column(Span { start: span.end, ..span });
    let file = sources.files.get(span.file as usize).map_or("", |file| file.name.as_str());
    PlaceJson { file, line, column, end_line, end_column }
}
