//! Texts of variants: sections, what they inherit from, keys and values.
//!
//! In: a text. Out: its sections in order, every part with its place, and a problem for each line that is neither. Lines that start with `#` or
//! `;` are comments. Invariant: no line is skipped in silence.

use rulesmith_logic::Span;

use crate::source::{Diagnostic, Diagnostics};

/// `[name:base]` and what follows.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) base: Option<String>,
    pub(super) span: Span,
    pub(super) entries: Vec<Entry>,
    /// A line of it cannot be read: nobody knows what it should have said.
    pub(super) is_broken: bool,
}

/// `key = value`.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: String,
    /// The whole line.
    pub(super) span: Span,
    /// The section it stands in.
    pub(super) section: String,
    /// The pieces that its letters named where it stands: the key of each, or the letter of nobody. Others may have the letters later.
    pub(super) named: Vec<Result<String, char>>,
}

impl Entry {
    /// Where the value stands: at the end of the line.
    pub(super) fn value_span(&self) -> Span {
        let length = u32::try_from(self.value.len()).unwrap_or(u32::MAX);
        let start = self.span.end.saturating_sub(length).max(self.span.start);
        Span { start, ..self.span }
    }
}

/// The sections of a text.
pub(super) fn read(file: u32, text: &str, problems: &mut Diagnostics) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let content = line.trim();
        let at = start + line.len() - line.trim_start().len();
        let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        let span = Span { file, start: place(at), end: place(at + content.len()) };
        start += line.len() + 1;
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = content.strip_prefix('[') {
            let closed = header.strip_suffix(']');
            if closed.is_none() {
                problems.report(
                    Diagnostic::error("ini", span, "the name of a variant is not closed")
                        .help("write `[name]` or `[name:base]`"),
                );
            }
            // What follows a broken name belongs to it, not to the variant above.
            let is_broken = closed.is_none();
            sections.push(Section { is_broken, ..section(closed.unwrap_or(header), span) });
        } else if let (Some((key, value)), Some(section)) =
            (content.split_once('='), sections.last_mut())
        {
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            let section_name = section.name.clone();
            section.entries.push(Entry { key, value, span, section: section_name, named: vec![] });
        } else {
            let problem =
                Diagnostic::error("ini", span, "this is neither a variant nor a key of one");
            problems
                .report(problem.help("write `[name:base]`, then lines such as `castling = false`"));
            if let Some(section) = sections.last_mut() {
                section.is_broken = true;
            }
        }
    }
    sections
}

fn section(header: &str, span: Span) -> Section {
    let (name, base) = match header.split_once(':') {
        Some((name, base)) => (name, Some(base.trim().to_owned())),
        None => (header, None),
    };
    Section { name: name.trim().to_owned(), base, span, entries: vec![], is_broken: false }
}
