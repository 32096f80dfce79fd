//! Strings and quoted names: where they end, what is wrong inside, and what they say.
//!
//! In: the text from an opening quote on. Out: how far it reaches, and the characters meant.
//! Invariant: an unclosed string ends with its line, before the full stop, so that the item survives.

use logos::Lexer;
use rulesmith_logic::Span;

use super::lex::Token;
use crate::source::{Diagnostic, Diagnostics};

const LONG: &str = "\"\"\"";

/// How many quoted names were left open so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unclosed(usize);

/// After so many unclosed quoted names the rest of the line is skipped, so that lexing stays linear.
const PATIENCE: usize = 16;

/// Moves the lexer past the rest of a `'…'`; past a word only when it is not closed.
pub(crate) fn scan_quoted(lexer: &mut Lexer<'_, Token>) {
    let rest = lexer.remainder();
    let length = closing(rest, '\'').unwrap_or_else(|| {
        lexer.extras.0 += 1;
        let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
        let end = if lexer.extras.0 > PATIENCE { rest.find('\n') } else { rest.find(is_end) };
        end.unwrap_or(rest.len())
    });
    lexer.bump(length);
}

/// Moves the lexer past the rest of a `"…"`.
pub(crate) fn scan_text(lexer: &mut Lexer<'_, Token>) {
    let rest = lexer.remainder();
    let unclosed = || {
        let line = rest.lines().next().unwrap_or_default().trim_end();
        line.strip_suffix('.').unwrap_or(line).len()
    };
    lexer.bump(closing(rest, '"').unwrap_or_else(unclosed));
}

/// Moves the lexer past the rest of a `"""…"""`.
pub(crate) fn scan_long_text(lexer: &mut Lexer<'_, Token>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find(LONG).map_or(rest.len(), |at| at + LONG.len()));
}

/// How many bytes up to and with the closing quote on this line.
fn closing(rest: &str, quote: char) -> Option<usize> {
    let mut characters = rest.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\n' => return None,
            '\\' if !rest[at + 1..].starts_with('\n') => drop(characters.next()),
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Are the closing quotes there?
pub(crate) fn is_closed(slice: &str, token: Token) -> bool {
    inside(slice, token).is_some()
}

/// Reports what is wrong with a string or quoted name.
pub(crate) fn check(span: Span, token: Token, text: &str, diagnostics: &mut Diagnostics) {
    let slice = &text[span.start as usize..span.end as usize];
    let Some(content) = inside(slice, token) else {
        return diagnostics.report(unclosed(span, token));
    };
    if token == Token::Quoted && content.is_empty() {
        let diagnostic = Diagnostic::error("syntax", span, "a name must not be empty");
        diagnostics.report(diagnostic.label("nothing between the quotes"));
    }
    if token == Token::Quoted && content.contains('\0') {
        let diagnostic =
            Diagnostic::error("syntax", span, "a name must not contain the character 0");
        diagnostics.report(diagnostic.label("character 0 inside"));
    }
    if token != Token::LongText {
        check_escapes(span, token, content, diagnostics);
    }
}

fn check_escapes(span: Span, token: Token, content: &str, diagnostics: &mut Diagnostics) {
    let mut characters = content.char_indices();
    while let Some((at, character)) = characters.next() {
        let Some((_, escaped)) = (character == '\\').then(|| characters.next()).flatten() else {
            continue;
        };
        if resolve_escape(token, escaped).is_none() {
            let start = span.start + 1 + u32::try_from(at).unwrap_or_default();
            let end = start + 1 + u32::try_from(escaped.len_utf8()).unwrap_or_default();
            let known = if token == Token::Quoted {
                r"`\'` and `\\`"
            } else {
                r#"`\n`, `\t`, `\"` and `\\`"#
            };
            let message = format!("unknown escape `\\{}`", escaped.escape_debug());
            let diagnostic = Diagnostic::error("syntax", Span { start, end, ..span }, message);
            let help = format!("the escapes are {known}; a backslash itself is written `\\\\`");
            diagnostics.report(diagnostic.label("not an escape").help(help));
        }
    }
}

fn unclosed(span: Span, token: Token) -> Diagnostic {
    let (what, quotes, reach) = match token {
        Token::Quoted => ("quoted name", "'", "on the same line"),
        Token::Text => ("string", "\"", "on the same line"),
        _ => ("text", LONG, "before the end of the file"),
    };
    let end = Span { start: span.end, ..span };
    let opening =
        Span { end: (span.start + u32::try_from(quotes.len()).unwrap_or(1)).min(span.end), ..span };
    Diagnostic::error("unclosed", end, format!("unclosed {what}, expected `{quotes}` {reach}"))
        .label(format!("`{quotes}` missing"))
        .related(opening, format!("the {what} was opened here"))
}

/// What stands between the quotes, if the closing ones are there.
fn inside(slice: &str, token: Token) -> Option<&str> {
    match token {
        Token::LongText => slice.strip_prefix(LONG)?.strip_suffix(LONG),
        Token::Text => slice
            .strip_prefix('"')
            .filter(|rest| closing(rest, '"') == Some(rest.len()))?
            .strip_suffix('"'),
        _ => slice
            .strip_prefix('\'')
            .filter(|rest| closing(rest, '\'') == Some(rest.len()))?
            .strip_suffix('\''),
    }
}

/// The characters a string or quoted name stands for.
pub(crate) fn resolve(slice: &str, token: Token) -> String {
    let quotes = if token == Token::LongText { 3 } else { 1 };
    let content = inside(slice, token).or_else(|| slice.get(quotes..)).unwrap_or_default();
    if token == Token::LongText {
        let content =
            content.strip_prefix("\r\n").or_else(|| content.strip_prefix('\n')).unwrap_or(content);
        return content.to_owned();
    }
    let mut resolved = String::with_capacity(content.len());
    let mut characters = content.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => resolved
                .extend(characters.next().and_then(|escaped| resolve_escape(token, escaped))),
            _ => resolved.push(character),
        }
    }
    resolved
}

fn resolve_escape(token: Token, escaped: char) -> Option<char> {
    match (token, escaped) {
        (_, '\\') => Some('\\'),
        (Token::Quoted, '\'') => Some('\''),
        (Token::Text, '"') => Some('"'),
        (Token::Text, 'n') => Some('\n'),
        (Token::Text, 't') => Some('\t'),
        _ => None,
    }
}
