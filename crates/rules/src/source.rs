//! Source texts and diagnostics: what went wrong, where, and what to do about it.
//!
//! In: texts by name. Out: problems with spans, collected, never thrown. Rendering (carets, colours)
//! is the front end's business. Invariant: every span lies inside its file.

use rulesmith_logic::Span;

/// One text, with the name shown to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path or library name.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// All texts that make up one theory: the main file first, then what it includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The files by [`Span::file`].
    pub files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a text and returns its file number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push(SourceFile { name: name.into(), text: text.into() });
        u32::try_from(self.files.len() - 1).expect("fewer than 2^32 files")
    }

    /// Line and column of a span's start, both from one; the column counts characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(file) = self.files.get(span.file as usize) else { return (1, 1) };
        let mut start = (span.start as usize).min(file.text.len());
        while !file.text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &file.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// `file:line:column` of a span's start.
    pub fn locate(&self, span: Span) -> String {
        let (line, column) = self.line_column(span);
        let name = self.files.get(span.file as usize).map_or("?", |file| &file.name);
        format!("{name}:{line}:{column}")
    }
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The rules cannot be used.
    Error,
    /// The rules can be used, but the author would want to know.
    Warning,
}

/// One problem of a rules text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable short name of the kind of problem, such as `unknown-predicate`.
    pub code: &'static str,
    /// One sentence in lower case without full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands under the caret.
    pub label: String,
    /// Other places that matter, each with a word on why.
    pub related: Vec<(Span, String)>,
    /// What to do, where that is known ("did you mean `at`?").
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        let (message, label) = (message.into(), String::new());
        Self { severity: Severity::Error, code, message, span, label, related: vec![], help: None }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// With words under the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With another place that matters.
    #[must_use]
    pub fn related(mut self, span: Span, why: impl Into<String>) -> Self {
        self.related.push((span, why.into()));
        self
    }
}

/// All problems found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// The problems in the order they were found.
    pub list: Vec<Diagnostic>,
}

/// More problems than this are not kept: a reader has seen enough, and memory is finite.
pub const MAX_DIAGNOSTICS: usize = 200;

impl Diagnostics {
    /// Adds a problem, unless the same one stands there already. When there are too many, an error
    /// takes the place of a warning: no text with an error may pass for one without.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.list.contains(&diagnostic) {
            return;
        }
        if self.list.len() < MAX_DIAGNOSTICS {
            self.list.push(diagnostic);
        } else if diagnostic.severity == Severity::Error {
            let is_warning = |kept: &Diagnostic| kept.severity == Severity::Warning;
            if let Some(place) = self.list.iter().rposition(is_warning) {
                self.list[place] = diagnostic;
            }
        }
    }

    /// Is there no room for another error?
    pub fn is_full(&self) -> bool {
        self.list.len() >= MAX_DIAGNOSTICS
            && self.list.iter().all(|kept| kept.severity == Severity::Error)
    }

    /// Is there an error among them?
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// The candidate most like `word`, if one is near enough to be what the author meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.into_iter().filter(|candidate| *candidate != word).map(|candidate| {
        (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), candidate)
    });
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    near.filter(|(distance, _)| *distance <= allowed).min().map(|(_, candidate)| candidate)
}
