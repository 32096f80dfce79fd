//! Problems of a rules text, shown to people and to programs.
//!
//! In: diagnostics and the texts they point into. Out: the text with carets below it, or JSON.
//! Invariant: the texts are untrusted; control characters in them never reach the terminal.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use rulesmith_player::{BuildResult, Diagnostic, Severity, SourceFile, Sources, Span};
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

/// One problem with carets.
pub(crate) fn render_one(sources: &Sources, problem: &Diagnostic) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(problem.message.as_str()).id(problem.code);
    let mut group = Group::with_title(title);
    for excerpt in excerpts(sources, problem) {
        group = group.element(excerpt.element());
    }
    if let Some(help) = &problem.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::styled().decor_style(DecorStyle::Ascii).render(&[group])
}

/// A part of a text with carets below it, and nothing else.
pub(crate) fn render_place(sources: &Sources, span: Span, label: &str) -> String {
    let problem = Diagnostic::error("", span, "").label(label);
    let mut group = Group::with_level(Level::ERROR);
    for excerpt in excerpts(sources, &problem) {
        group = group.element(excerpt.element());
    }
    Renderer::styled().decor_style(DecorStyle::Ascii).render(&[group])
}

/// A place that a problem points to.
struct Pointer<'s> {
    range: Range<usize>,
    label: &'s str,
    kind: AnnotationKind,
}

/// Places of one file that are shown together, and the part of the text that is shown.
struct Excerpt<'s> {
    file: &'s SourceFile,
    pointers: Vec<Pointer<'s>>,
    window: Range<usize>,
}

/// More text than this is not shown for a place, in bytes: lines and files may be huge.
const MAX_WINDOW: usize = 16 << 10;

/// The texts that a problem points into, the main place first.
fn excerpts<'s>(sources: &'s Sources, problem: &'s Diagnostic) -> Vec<Excerpt<'s>> {
    let main = (problem.span, &problem.label, AnnotationKind::Primary);
    let related = problem.related.iter().map(|(span, why)| (*span, why, AnnotationKind::Context));
    let mut excerpts: Vec<Excerpt<'s>> = Vec::new();
    for (span, label, kind) in std::iter::once(main).chain(related) {
        let Some(file) = sources.files.get(span.file as usize) else { continue };
        let pointer = Pointer { range: inside(&file.text, span), label, kind };
        let near = excerpts.iter_mut().find(|near| {
            std::ptr::eq(near.file, file) && near.window_with(&pointer.range).len() <= MAX_WINDOW
        });
        if let Some(near) = near {
            near.window = near.window_with(&pointer.range);
            near.pointers.push(pointer);
        } else {
            let window = lines(&file.text, &pointer.range);
            excerpts.push(Excerpt { file, pointers: vec![pointer], window });
        }
    }
    excerpts
}

impl<'s> Excerpt<'s> {
    fn window_with(&self, range: &Range<usize>) -> Range<usize> {
        let lines = lines(&self.file.text, range);
        self.window.start.min(lines.start)..self.window.end.max(lines.end)
    }

    /// The text with carets below it, or only the place where that is too much.
    fn element(self) -> Element<'s> {
        let Self { file, pointers, window } = self;
        let line_of = |at: usize| file.text[..at].matches('\n').count() + 1;
        if window.len() > MAX_WINDOW {
            let first = pointers.first().map_or(0, |pointer| pointer.range.start);
            let column = file.text[window.start..first].chars().count() + 1;
            let origin = Origin::path(file.name.as_str());
            return origin.line(line_of(first)).char_column(column).into();
        }
        let annotations = pointers.into_iter().map(|Pointer { range, label, kind }| {
            let range = range.start - window.start..range.end - window.start;
            kind.span(range).label((!label.is_empty()).then_some(label))
        });
        let snippet = Snippet::source(&file.text[window.clone()]).line_start(line_of(window.start));
        snippet.path(file.name.as_str()).annotations(annotations).into()
    }
}

/// The span as a range of whole characters of the text.
fn inside(text: &str, span: Span) -> Range<usize> {
    let start = text.floor_char_boundary((span.start as usize).min(text.len()));
    let end = text.ceil_char_boundary((span.end as usize).clamp(start, text.len()));
    start..end
}

/// The whole lines that hold a range.
fn lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
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
