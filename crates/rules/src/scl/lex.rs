//! The lexer: text to tokens.
//!
//! In: a text. Out: tokens with their places; spaces and comments are gone. Invariant: characters
//! that belong to no token are reported here, and replaced by what was meant where that is known.

use logos::{Lexer, Logos};
use rulesmith_logic::Span;

use crate::source::{Diagnostic, Diagnostics};

/// The tokens of a text, in order.
pub(super) fn lex(file: u32, text: &str, diagnostics: &mut Diagnostics) -> Vec<Lexeme> {
    let mut lexemes: Vec<Lexeme> = vec![];
    let mut lexer = Token::lexer(text);
    while let Some(found) = lexer.next() {
        let token = match found {
            Ok(token) => Some(accept(token, file, &lexer, diagnostics)),
            Err(()) => reject(file, &mut lexer, &lexemes, diagnostics),
        };
        let Span { start, end, .. } = span(file, &lexer);
        // Parts of one word, of which one has foreign letters.
        let is_part = |part: &&mut Lexeme| part.token == Token::Word && part.end == start;
        if token == Some(Token::Word)
            && let Some(part) = lexemes.last_mut().filter(is_part)
        {
            part.end = end;
            continue;
        }
        lexemes.extend(token.map(|token| Lexeme { token, start, end }));
    }
    lexemes
}

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lexeme {
    /// What it is.
    pub(super) token: Token,
    /// Its first byte.
    pub(super) start: u32,
    /// One past its last byte.
    pub(super) end: u32,
}

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0b\x0c\u{feff}]+")]
#[logos(skip(r"%[^\n]*", allow_greedy = true))]
pub(super) enum Token {
    /// A name or a word of the language.
    #[regex("[a-zA-Z_][a-zA-Z0-9_]*")]
    Word,
    /// `12`.
    #[regex("[0-9]+")]
    Int,
    /// `"N"`.
    #[regex("\"[^\"\n]*\"")]
    Text,
    /// `(`.
    #[token("(")]
    Open,
    /// `)`.
    #[token(")")]
    Close,
    /// `{`.
    #[token("{")]
    OpenBrace,
    /// `}`.
    #[token("}")]
    CloseBrace,
    /// `[`.
    #[token("[")]
    OpenBracket,
    /// `]`.
    #[token("]")]
    CloseBracket,
    /// `,`.
    #[token(",")]
    Comma,
    /// `+`.
    #[token("+")]
    Plus,
    /// `-`.
    #[token("-")]
    Minus,
    /// `..`.
    #[token("..")]
    Range,
    /// `.`.
    #[token(".")]
    Stop,
    /// `=`.
    #[token("=")]
    Equal,
    /// `>=`.
    #[token(">=")]
    AtLeast,
    /// `<=`.
    #[token("<=")]
    AtMost,
    /// `<`.
    #[token("<")]
    Less,
    /// `>`.
    #[token(">")]
    Greater,
    /// A text without its closing quote; never right, but understood. It ends where a symbol or a path would.
    #[regex("\"[^\" \t\r\n]*", priority = 1)]
    OpenText,
    /// `8x`: a name that starts with a digit; never right.
    #[regex("[0-9]+[a-zA-Z_][a-zA-Z0-9_]*")]
    NumberName,
    /// A comparison of another language; never right, but understood.
    #[regex("=<|=>|==|!=")]
    Foreign,
}

/// A token, or what was meant by it.
fn accept(
    token: Token,
    file: u32,
    lexer: &Lexer<'_, Token>,
    diagnostics: &mut Diagnostics,
) -> Token {
    let (span, slice) = (span(file, lexer), lexer.slice());
    let (meant, problem) = match token {
        Token::OpenText => (
            Token::Text,
            Diagnostic::error("unclosed", span, "the text in quotes is not closed on its line")
                .label("`\"` missing")
                .help("put a `\"` behind it"),
        ),
        Token::Foreign => {
            let (meant, help) = match slice {
                "=<" => (Token::AtMost, "\"at most\" is written `<=`"),
                "=>" => (Token::AtLeast, "\"at least\" is written `>=`"),
                "==" => (Token::Equal, "\"equal\" is written `=`"),
                _ => (Token::Equal, "there are `=`, `>=` and `<=`"),
            };
            (meant, foreign(span, slice).help(help))
        }
        token => return token,
    };
    diagnostics.report(problem);
    meant
}

/// Reports characters that belong to no token; words in other alphabets count as words.
fn reject(
    file: u32,
    lexer: &mut Lexer<'_, Token>,
    lexemes: &[Lexeme],
    diagnostics: &mut Diagnostics,
) -> Option<Token> {
    let first = lexer.slice().chars().next().unwrap_or_default();
    let rest = lexer.remainder();
    if first.is_alphabetic() {
        let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
        lexer.bump(rest.find(is_end).unwrap_or(rest.len()));
        let mut span = span(file, lexer);
        let part =
            lexemes.last().filter(|part| part.token == Token::Word && part.end == span.start);
        span.start = part.map_or(span.start, |part| part.start);
        let word = &lexer.source()[span.start as usize..span.end as usize];
        let problem = Diagnostic::error("bad-name", span, format!("`{word}` is not a name"));
        let label = "letters outside a to z";
        diagnostics.report(problem.label(label).help("names use a to z, digits and `_`"));
        return Some(Token::Word);
    }
    if let Some((meant, help)) = symbol(first) {
        let shown = first.to_string();
        diagnostics.report(foreign(span(file, lexer), &shown).help(help));
        return Some(meant);
    }
    let is_digit = |token: &Lexeme| token.token == Token::Int;
    let is_between = lexemes.last().is_some_and(is_digit)
        && rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if is_between && matches!(first, ';' | ':') {
        let help = "a comma stands between the two numbers of a direction or square: `<1,2>`";
        diagnostics.report(foreign(span(file, lexer), &first.to_string()).help(help));
        return Some(Token::Comma);
    }
    let is_comment = matches!(first, '#' | '/');
    let is_end = |c: char| if is_comment { c == '\n' } else { c != first };
    lexer.bump(rest.find(is_end).unwrap_or(rest.len()));
    diagnostics.report(character(span(file, lexer), first));
    None
}

/// Our token for a sign that only looks like it.
fn symbol(sign: char) -> Option<(Token, &'static str)> {
    Some(match sign {
        '≤' => (Token::AtMost, "\"at most\" is written `<=`"),
        '≥' => (Token::AtLeast, "\"at least\" is written `>=`"),
        '−' | '–' => (Token::Minus, "minus is written `-`"),
        '⟨' | '‹' | '〈' => (Token::Less, "a direction is written `<1,2>`"),
        '⟩' | '›' | '〉' => (Token::Greater, "a direction is written `<1,2>`"),
        '…' => (Token::Range, "a range is written `1 .. 8`"),
        _ => return None,
    })
}

fn foreign(span: Span, spelling: &str) -> Diagnostic {
    let message = format!("`{spelling}` is not a sign of this language");
    Diagnostic::error("foreign-sign", span, message).label("not a sign")
}

fn character(span: Span, character: char) -> Diagnostic {
    let shown = if character.is_control() || character.is_whitespace() {
        format!("character U+{:04X}", u32::from(character))
    } else {
        format!("character `{character}`")
    };
    let help = match character {
        '#' | '/' => "comments start with `%` and go to the end of the line",
        '“' | '”' | '„' | '\'' => {
            "symbols and file names stand between straight quotes: \"…\""
        }
        ';' | ':' => "nothing stands between the sections; leave it out",
        '!' | '|' => "strokes come from scanned texts: `1`, `[` or `]` was meant",
        _ => "leave it out",
    };
    Diagnostic::error("unknown-character", span, format!("unexpected {shown}"))
        .label("not part of the language")
        .help(help)
}

/// The place of the token just read. Texts are shorter than 2^32 bytes.
fn span(file: u32, lexer: &Lexer<'_, Token>) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { file, start: place(lexer.span().start), end: place(lexer.span().end) }
}
