//! The KIF reader: text to nested lists of words.
//!
//! In: the text of a `.kif` file. Out: its expressions with their places. Comments run from `;` to
//! the end of the line; a word is any run of characters that are not blanks, parentheses or `;`.
//! Invariant: never deeper than the limit `nesting`, so that what walks the result may recurse.

use rulesmith_logic::Span;

use super::keyword::is_keyword;
use super::{GdlLimits, LetterCase};
use crate::source::{Diagnostic, Diagnostics};

/// A word or a list, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    /// What stands there.
    pub(super) kind: ExpressionKind,
    /// Where.
    pub(super) span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExpressionKind {
    /// A name, numeral or variable, its letters folded.
    Word(String),
    /// `(…)`.
    List(Vec<Expression>),
}

/// Reads all expressions of a text; `None` when a problem was reported.
pub(super) fn read(
    text: &str,
    file: u32,
    limits: &GdlLimits,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Expression>> {
    if text.len() > limits.text || u32::try_from(text.len()).is_err() {
        let message = format!("the text is longer than the limit `text` of {} bytes", limits.text);
        let help = "raise the limit `text`";
        diagnostics.report(Diagnostic::error("limit", span(file, 0, 0), message).help(help));
        return None;
    }
    let mut lists = OpenLists { open: Vec::new(), finished: Vec::new(), is_balanced: true };
    for token in tokens(text) {
        let place = span(file, token.start, token.end);
        match token.kind {
            TokenKind::Open if lists.open.len() >= limits.nesting => {
                let message = format!(
                    "parentheses are nested deeper than the limit `nesting` of {}",
                    limits.nesting
                );
                let error = Diagnostic::error("limit", place, message);
                diagnostics
                    .report(error.help("close a parenthesis before, or raise the limit `nesting`"));
                return None;
            }
            TokenKind::Open => lists.open.push((place, Vec::new())),
            TokenKind::Close => lists.close(place, diagnostics),
            TokenKind::Word => {
                let word = fold(&text[token.start..token.end], limits.letter_case);
                lists.add(Expression { kind: ExpressionKind::Word(word), span: place });
            }
        }
    }
    lists.finish(diagnostics)
}

fn fold(word: &str, letter_case: LetterCase) -> String {
    match letter_case {
        LetterCase::Folded => word.to_lowercase(),
        LetterCase::Distinct if is_keyword(&word.to_lowercase()) => word.to_lowercase(),
        LetterCase::Distinct => word.to_owned(),
    }
}

/// The lists being read, outermost first.
struct OpenLists {
    open: Vec<(Span, Vec<Expression>)>,
    finished: Vec<Expression>,
    is_balanced: bool,
}

impl OpenLists {
    fn add(&mut self, expression: Expression) {
        match self.open.last_mut() {
            Some((_, items)) => items.push(expression),
            None => self.finished.push(expression),
        }
    }

    fn close(&mut self, place: Span, diagnostics: &mut Diagnostics) {
        if let Some((start, items)) = self.open.pop() {
            let kind = ExpressionKind::List(items);
            self.add(Expression { kind, span: Span { end: place.end, ..start } });
        } else {
            self.is_balanced = false;
            let message = "this parenthesis closes nothing";
            let error = Diagnostic::error("unbalanced-parenthesis", place, message);
            diagnostics.report(error.help("remove it, or open one before"));
        }
    }

    fn finish(self, diagnostics: &mut Diagnostics) -> Option<Vec<Expression>> {
        for (place, _) in &self.open {
            let message = "this parenthesis is never closed";
            let error = Diagnostic::error("unbalanced-parenthesis", *place, message);
            diagnostics.report(error.help("add `)` where the rule ends"));
        }
        (self.is_balanced && self.open.is_empty()).then_some(self.finished)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Open,
    Close,
    Word,
}

struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

fn tokens(text: &str) -> impl Iterator<Item = Token> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        at = skip_blanks(text, at);
        let first = text[at..].chars().next()?;
        let start = at;
        let kind = match first {
            '(' => TokenKind::Open,
            ')' => TokenKind::Close,
            _ => TokenKind::Word,
        };
        at += match kind {
            TokenKind::Word => text[at..].find(ends_word).unwrap_or(text.len() - at),
            _ => first.len_utf8(),
        };
        Some(Token { kind, start, end: at })
    })
}

/// The first place at or after `at` where a token starts, or the end of the text.
fn skip_blanks(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        at += rest.find(|c: char| !is_blank(c)).unwrap_or(rest.len());
        if !text[at..].starts_with(';') {
            return at;
        }
        at += text[at..].find(['\n', '\r']).unwrap_or(text.len() - at);
    }
}

fn is_blank(c: char) -> bool {
    /// Stands at the start of many files made on Windows.
    const BYTE_ORDER_MARK: char = '\u{feff}';
    c.is_whitespace() || c == BYTE_ORDER_MARK
}

fn ends_word(c: char) -> bool {
    is_blank(c) || matches!(c, '(' | ')' | ';')
}

fn span(file: u32, start: usize, end: usize) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { file, start: place(start), end: place(end) }
}
