//! The lexer: text to tokens.
//!
//! In: a text. Out: tokens with their places; spaces and comments are gone. Invariant: wrong spellings
//! are reported here and replaced by what was meant, so that the parser can go on.

use logos::{Lexer, Logos};
use rulesmith_logic::Span;

use super::{mistakes, strings};
use crate::source::{Diagnostic, Diagnostics};

/// The tokens of a text, in order.
pub(crate) fn lex(file: u32, text: &str, diagnostics: &mut Diagnostics) -> Vec<Lexeme> {
    let mut lexing = Lexing {
        file,
        text,
        diagnostics,
        lexemes: vec![],
        seen: 0,
        is_new_line: true,
        has_meta: false,
    };
    let mut lexer = Token::lexer(text);
    while let Some(found) = lexer.next() {
        match found {
            Ok(token) => lexing.accept(token, &mut lexer),
            Err(()) => lexing.reject(&mut lexer),
        }
    }
    lexing.lexemes
}

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lexeme {
    /// What it is.
    pub(crate) token: Token,
    /// Its first byte.
    pub(crate) start: u32,
    /// One past its last byte.
    pub(crate) end: u32,
    /// Is it the first token of its line?
    pub(crate) starts_line: bool,
}

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(extras = strings::Unclosed)]
#[logos(skip r"[ \t\r\n\x0b\x0c\u{feff}]+")]
#[logos(skip(r"%[^\n]*", allow_greedy = true))]
pub(crate) enum Token {
    /// `at`, also every keyword.
    #[regex("[a-z][a-zA-Z0-9_]*")]
    Name,
    /// `'X 1'`.
    #[token("'", strings::scan_quoted)]
    Quoted,
    /// `P`, `_1`.
    #[regex("[A-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9][a-zA-Z0-9_]*")]
    Var,
    /// `_`.
    #[token("_")]
    Wildcard,
    /// `12`.
    #[regex("[0-9]+")]
    Int,
    /// `"…"`.
    #[token("\"", strings::scan_text)]
    Text,
    /// `"""…"""`.
    #[token("\"\"\"", strings::scan_long_text)]
    LongText,
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
    /// `;`.
    #[token(";")]
    Semicolon,
    /// `:`.
    #[token(":")]
    Colon,
    /// `:-`.
    #[token(":-")]
    If,
    /// `:=`.
    #[token(":=")]
    Assign,
    /// `->`.
    #[token("->")]
    Arrow,
    /// `..`.
    #[token("..")]
    Range,
    /// `.`.
    #[token(".")]
    Stop,
    /// `=`.
    #[token("=")]
    Equal,
    /// `\=`.
    #[token("\\=")]
    Unequal,
    /// `<`.
    #[token("<")]
    Less,
    /// `=<`.
    #[token("=<")]
    AtMost,
    /// `>`.
    #[token(">")]
    Greater,
    /// `>=`.
    #[token(">=")]
    AtLeast,
    /// `+`.
    #[token("+")]
    Plus,
    /// `-`.
    #[token("-")]
    Minus,
    /// `*`.
    #[token("*")]
    Star,
    /// A backquote, around a pattern of a metarule.
    #[token("`")]
    Backquote,
    /// Another way to write `not`; never right, but understood.
    Negation,
    /// An operator of another language.
    #[regex(r"<=|=>|!=|\\==|<>|=\\=|/=|~=|===?|=:=|&&?|\|\|?|\\\+|!|~|//?")]
    Foreign,
    /// A comment of another language: `/* … */`.
    #[token("/*", mistakes::scan_comment)]
    ForeignComment,
    /// `8x`: a name that starts with a digit.
    #[regex("[0-9]+[a-zA-Z_][a-zA-Z0-9_]*")]
    NumberName,
    /// `1.5`.
    #[regex(r"[0-9]+\.[0-9]+")]
    Decimal,
}

/// The state of lexing one text.
#[derive(Debug)]
struct Lexing<'a> {
    file: u32,
    text: &'a str,
    diagnostics: &'a mut Diagnostics,
    lexemes: Vec<Lexeme>,
    /// Up to where line ends were looked for.
    seen: usize,
    /// Was there one since the last token?
    is_new_line: bool,
    /// Was there the word `meta`? Only behind it backquotes mean something.
    has_meta: bool,
}

impl<'a> Lexing<'a> {
    /// Takes a token, or what was meant by it.
    fn accept(&mut self, token: Token, lexer: &mut Lexer<'a, Token>) {
        let span = self.span(lexer);
        match token {
            Token::Foreign => self.accept_foreign(span, lexer),
            Token::ForeignComment => self.report(mistakes::comment(span, "/*")),
            Token::NumberName => {
                self.report(mistakes::name(span, lexer.slice()));
                self.push(Token::Name, span);
            }
            Token::Decimal => {
                self.report(mistakes::decimal(span, lexer.slice()));
                self.push(Token::Int, span);
            }
            Token::Text | Token::LongText | Token::Quoted => {
                strings::check(span, token, self.text, self.diagnostics);
                self.push(token, span);
            }
            Token::Stop => {
                if lexer.remainder().starts_with(is_part_of_item) {
                    self.report(mistakes::tight_stop(span));
                }
                self.push(token, span);
            }
            Token::Name => {
                self.has_meta |= lexer.slice() == "meta";
                self.push(token, span);
            }
            Token::Backquote if !self.has_meta => self.report(mistakes::character(span, '`')),
            _ => self.push(token, span),
        }
    }

    /// Takes an operator of another language: reports it and goes on with ours.
    fn accept_foreign(&mut self, span: Span, lexer: &mut Lexer<'a, Token>) {
        let starts_line = self.is_first_on_line(span);
        if lexer.slice() == "//" && (starts_line || !self.follows_operand()) {
            lexer.bump(line_length(lexer.remainder()));
            return self.report(mistakes::comment(span, "//"));
        }
        let (token, diagnostic) = mistakes::foreign_operator(span, lexer.slice());
        self.report(diagnostic);
        self.push(token, span);
    }

    /// Reports characters that belong to no token; words in other alphabets count as names.
    fn reject(&mut self, lexer: &mut Lexer<'a, Token>) {
        let first = lexer.slice().chars().next().unwrap_or_default();
        if first.is_alphabetic() {
            let rest = lexer.remainder();
            let length =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            lexer.bump(length);
            return self.accept_foreign_word(lexer);
        }
        let span = self.span(lexer);
        if first == '#' && self.is_first_on_line(span) {
            lexer.bump(line_length(lexer.remainder()));
            return self.report(mistakes::comment(span, "#"));
        }
        if let Some((token, diagnostic)) = mistakes::symbol(span, first) {
            self.report(diagnostic);
            return self.push(token, span);
        }
        let rest = lexer.remainder();
        lexer.bump(rest.find(|c: char| c != first).unwrap_or(rest.len()));
        self.report(mistakes::character(self.span(lexer), first));
    }

    /// A word with letters outside a to z, joined to the part of it that was read before.
    fn accept_foreign_word(&mut self, lexer: &Lexer<'a, Token>) {
        let mut span = self.span(lexer);
        if let Some(last) =
            self.lexemes.pop_if(|last| last.end == span.start && is_word(last.token))
        {
            (span.start, self.is_new_line) = (last.start, last.starts_line);
        }
        self.report(mistakes::name(span, &self.text[span.start as usize..span.end as usize]));
        self.push(Token::Name, span);
    }

    fn push(&mut self, token: Token, span: Span) {
        let starts_line = self.is_first_on_line(span);
        (self.seen, self.is_new_line) = (span.end as usize, false);
        self.lexemes.push(Lexeme { token, start: span.start, end: span.end, starts_line });
    }

    fn is_first_on_line(&mut self, span: Span) -> bool {
        let start = (span.start as usize).max(self.seen);
        self.is_new_line |= self.text[self.seen..start].contains('\n');
        self.seen = start;
        self.is_new_line
    }

    fn follows_operand(&self) -> bool {
        let operand = [Token::Name, Token::Var, Token::Int, Token::Close, Token::CloseBrace];
        self.lexemes.last().is_some_and(|last| operand.contains(&last.token))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.report(diagnostic);
    }

    /// The place of the token just read. Texts are shorter than 2^32 bytes.
    fn span(&self, lexer: &Lexer<'a, Token>) -> Span {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { file: self.file, start: place(lexer.span().start), end: place(lexer.span().end) }
    }
}

fn is_word(token: Token) -> bool {
    matches!(token, Token::Name | Token::Var | Token::Int)
}

/// May this character, right after a full stop, be part of an item?
fn is_part_of_item(character: char) -> bool {
    !character.is_whitespace() && character != '%'
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}
