//! The token cursor: where the parser stands, what it may expect, and what it says when it is wrong.
//!
//! In: tokens. Out: single steps through them, and "expected this, found that". Misspelled words are
//! reported and taken for what they are most like. Invariant: a [`Failed`] is returned only after
//! the problem was reported.

use std::ops::RangeInclusive;

use rulesmith_logic::Span;

use super::ast::Name;
use super::blocks::{Block, HOP_EXAMPLE, example};
use super::lex::{Lexeme, Token};
use super::words::{SECTIONS, did_you_mean, is_reserved, near};
use crate::source::{Diagnostic, Diagnostics};

/// The problem has been reported; the caller gives up or recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed;

/// What was parsed, if it could be.
pub(super) type Parsed<T> = Result<T, Failed>;

/// Longer names are refused.
const NAME_LENGTH: usize = 64;

/// The parser: a position in the tokens of one text.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    pub(super) file: u32,
    text: &'a str,
    lexemes: Vec<Lexeme>,
    /// Index of the next token.
    pub(super) position: usize,
    /// What was opened and is not closed yet, with the place of its opening.
    pub(super) open: Vec<(Block, Span)>,
    /// The section of the game that was started last.
    pub(super) section: &'static str,
    /// Is a hop being read? Its words are told apart from other movements in messages.
    pub(super) is_in_hop: bool,
    /// How deep `all { .. }` may still be nested.
    pub(super) nesting: usize,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    /// At the first token.
    pub(super) fn new(
        file: u32,
        text: &'a str,
        lexemes: Vec<Lexeme>,
        nesting: usize,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let (open, section, is_in_hop) = (vec![], "", false);
        Self { file, text, lexemes, position: 0, open, section, is_in_hop, nesting, diagnostics }
    }

    /// The next token; `None` at the end of the text.
    pub(super) fn token(&self) -> Option<Token> {
        self.token_at(self.position)
    }

    /// The token with this index.
    pub(super) fn token_at(&self, index: usize) -> Option<Token> {
        self.lexemes.get(index).map(|lexeme| lexeme.token)
    }

    /// The characters of the token with this index.
    pub(super) fn slice(&self, index: usize) -> &'a str {
        let lexeme = self.lexemes.get(index);
        lexeme.map_or("", |lexeme| &self.text[lexeme.start as usize..lexeme.end as usize])
    }

    /// The next token, if it is a word.
    pub(super) fn word(&self) -> Option<&'a str> {
        self.word_at(self.position)
    }

    /// The token with this index, if it is a word.
    pub(super) fn word_at(&self, index: usize) -> Option<&'a str> {
        (self.token_at(index)? == Token::Word).then(|| self.slice(index))
    }

    /// Is the next token this one?
    pub(super) fn is(&self, token: Token) -> bool {
        self.token() == Some(token)
    }

    /// Is the next token this word?
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_at(self.position, word)
    }

    /// Is the token with this index this word?
    pub(super) fn is_word_at(&self, index: usize, word: &str) -> bool {
        self.word_at(index).is_some_and(|found| found.eq_ignore_ascii_case(word))
    }

    /// Does it stand on the same line as the token before it?
    pub(super) fn is_on_line(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map_or(0, |before| self.place(before).end) as usize;
        !self.text[before..self.place(index).start as usize].contains('\n')
    }

    /// Moves past the token if it is the next one.
    pub(super) fn eat(&mut self, token: Token) -> bool {
        let found = self.is(token);
        self.position += usize::from(found);
        found
    }

    /// Moves past the word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.position += usize::from(found);
        found
    }

    /// Moves past the token, or reports what stands there instead.
    pub(super) fn expect(&mut self, token: Token, what: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { self.unexpected(what) }
    }

    /// Moves past the word, or past what looks like it; otherwise reports what stands there.
    pub(super) fn expect_word(&mut self, word: &'static str) -> Parsed<()> {
        self.choose(&format!("`{word}`"), &[word]).map(drop)
    }

    /// Moves past the opening bracket and returns its place.
    pub(super) fn open(&mut self, token: Token, what: &str) -> Parsed<Span> {
        let place = self.place(self.position);
        self.expect(token, what).map(|()| place)
    }

    /// Moves past the closing bracket. Another bracket, or a word that cannot stand inside, is
    /// reported, and the bracket counts as closed.
    pub(super) fn close(&mut self, opening: Span, token: Token, sign: &str) -> Parsed<()> {
        if self.eat(token) {
            return Ok(());
        }
        let closings = [Token::Close, Token::CloseBrace, Token::CloseBracket, Token::Greater];
        let is_closing = self.token().is_some_and(|token| closings.contains(&token));
        let place = if is_closing { self.place(self.position) } else { self.end_of_previous() };
        let message = format!("expected `{sign}`, found {}", self.found(self.position));
        let problem = Diagnostic::error("unclosed", place, message)
            .label(format!("`{sign}` missing"))
            .related(opening, "opened here")
            .help(format!("write `{sign}` here"));
        self.report(problem);
        self.position += usize::from(is_closing);
        let is_outside = self.word().is_none_or(is_reserved);
        if is_closing || is_outside { Ok(()) } else { Err(Failed) }
    }

    /// `{ .. }` around things that `each` reads.
    pub(super) fn braces<T>(
        &mut self,
        what: &str,
        mut each: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let opening = self.open(Token::OpenBrace, &format!("`{{` and {what}"))?;
        let mut things = vec![];
        while !self.is(Token::CloseBrace) {
            let (word, is_end) = (self.word(), self.token().is_none());
            // A word that cannot stand here, but is the last before the brace, is only the wrong one.
            let is_last = self.token_at(self.position + 1) == Some(Token::CloseBrace);
            let is_outside = !is_last && word.is_some_and(|word| self.is_boundary_word(word));
            if is_end || is_outside || self.is(Token::Close) || self.is(Token::CloseBracket) {
                break;
            }
            let Ok(thing) = each(self) else {
                self.position += if is_last { 2 } else { 0 };
                return Err(Failed);
            };
            things.push(thing);
            self.skip_comma();
        }
        self.close(opening, Token::CloseBrace, "}")?;
        Ok(things)
    }

    /// Reports a comma between elements, and goes on.
    fn skip_comma(&mut self) {
        if self.is(Token::Comma) {
            let place = self.place(self.position);
            self.position += 1;
            let problem = Diagnostic::error("syntax", place, "no comma stands between elements");
            self.report(problem.label("one too many").help("leave the comma out: `{king queen}`"));
        }
    }

    /// One of these words, or what looks like one.
    pub(super) fn choose(&mut self, what: &str, words: &[&'static str]) -> Parsed<&'static str> {
        let Some(found) = self.word() else { return self.unexpected(what) };
        if let Some(word) = words.iter().find(|word| found.eq_ignore_ascii_case(word)) {
            self.position += 1;
            return Ok(word);
        }
        match near(found, words.iter().copied()).filter(|_| !is_reserved(found)) {
            Some(word) => {
                self.misspelled(word);
                Ok(words.iter().find(|known| **known == word).expect("it was among them"))
            }
            None => self.unexpected(what),
        }
    }

    /// Reports that the next word is misspelled and moves past it.
    pub(super) fn misspelled(&mut self, word: &str) {
        let (found, place) = (self.slice(self.position), self.place(self.position));
        let message = format!("unknown word `{found}`");
        let problem = Diagnostic::error("misspelled", place, message);
        self.report(problem.label("not known here").help(format!("did you mean `{word}`?")));
        self.position += 1;
    }

    /// A name, in small letters.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let (start, place) = (self.position, self.place(self.position));
        let is_number = self.is(Token::NumberName);
        let word = if is_number { Some(self.slice(start)) } else { self.word() };
        let Some(word) = word else { return self.unexpected(what) };
        if is_reserved(word) {
            let is_section =
                self.open.is_empty() && SECTIONS.iter().any(|one| word.eq_ignore_ascii_case(one));
            let help = if is_section || self.is_boundary_word(word) {
                format!("a name is missing before `{word}`")
            } else {
                format!("`{word}` is a word of the language; choose another name")
            };
            return self.unexpected_with(what, Some(help));
        }
        if is_number {
            let problem = Diagnostic::error("bad-name", place, format!("`{word}` is not a name"));
            let help = "names start with a letter and use letters, digits and `_`";
            self.report(problem.label("starts with a digit").help(help));
        }
        self.position += 1;
        while self.is_joined(Token::Minus) {
            self.position += 1;
            self.position += usize::from(self.is_joined(Token::Word) || self.is_joined(Token::Int));
        }
        let span = Span { end: self.end_of_previous().end, ..place };
        let written = &self.text[span.start as usize..span.end as usize];
        let mut text = written.to_lowercase();
        if self.position > start + 1 {
            text = text.replace('-', "_");
            let problem = Diagnostic::error("bad-name", span, format!("`{written}` is not a name"));
            self.report(problem.label("has a `-`").help(format!("write `{text}`")));
        }
        if text.len() > NAME_LENGTH {
            let cut = (0..=NAME_LENGTH).rev().find(|at| text.is_char_boundary(*at));
            text.truncate(cut.unwrap_or(0));
            let message = format!("the name is longer than {NAME_LENGTH} letters");
            let problem = Diagnostic::error("bad-name", span, message);
            self.report(problem.label("too long").help("choose a shorter name"));
        }
        Ok(Name { text, span })
    }

    /// Does this token follow the last one without a space?
    fn is_joined(&self, token: Token) -> bool {
        self.is(token) && self.place(self.position).start == self.end_of_previous().end
    }

    /// A whole number in a range.
    pub(super) fn number(&mut self, what: &str, range: RangeInclusive<i32>) -> Parsed<i32> {
        let place = self.place(self.position);
        let is_negative = self.is(Token::Minus);
        self.position += usize::from(is_negative);
        let digits = self.slice(self.position);
        let number = match (self.token(), self.word()) {
            (Some(Token::Int), _) => digits.parse().unwrap_or(i32::MAX),
            (_, Some(word)) => match scanned_digit(word) {
                Some(digit) => {
                    self.report(scanned(self.place(self.position), word, &digit.to_string()));
                    digit
                }
                None => return self.unexpected(what),
            },
            _ => return self.unexpected(what),
        };
        self.position += 1;
        let number = if is_negative { -number } else { number };
        if !range.contains(&number) {
            let (least, most) = range.clone().into_inner();
            let span = Span { end: self.end_of_previous().end, ..place };
            let message = format!("{what} is {least} to {most}");
            let problem = Diagnostic::error("bad-number", span, message);
            let label = if number < least { "too small" } else { "too large" };
            self.report(
                problem.label(label).help(format!("write a number from {least} to {most}")),
            );
        }
        Ok(number.clamp(*range.start(), *range.end()))
    }

    /// Reports that something else was expected at the next token, and gives up.
    pub(super) fn unexpected<T>(&mut self, what: &str) -> Parsed<T> {
        let help = match self.open.last() {
            Some((Block::Movement, _)) if self.is_in_hop => HOP_EXAMPLE,
            open => example(open.map(|open| open.0), self.section),
        };
        self.unexpected_with(what, Some(help.to_owned()))
    }

    /// `unexpected` with a way out.
    pub(super) fn unexpected_with<T>(&mut self, what: &str, help: Option<String>) -> Parsed<T> {
        let message = format!("expected {what}, found {}", self.found(self.position));
        let mut problem = Diagnostic::error("syntax", self.place(self.position), message);
        problem.label = format!("expected {what}");
        problem.help = help;
        self.fail(problem)
    }

    /// Reports a word that is none of these, and gives up.
    pub(super) fn unknown<T>(&mut self, what: &str, words: &[&'static str]) -> Parsed<T> {
        let listed: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let meant = self.word().and_then(|word| did_you_mean(word, words.iter().copied()));
        let help = meant.unwrap_or_else(|| format!("there are {}", listed.join(", ")));
        self.unexpected_with(what, Some(help))
    }

    /// What stands there, in words.
    pub(super) fn found(&self, index: usize) -> String {
        match self.token_at(index) {
            None => "the end of the text".to_owned(),
            Some(Token::Int) => format!("number {}", self.slice(index)),
            Some(Token::Text) => "a text in quotes".to_owned(),
            Some(Token::Stop) => "a full stop".to_owned(),
            Some(_) => format!("`{}`", shortened(self.slice(index))),
        }
    }

    /// Reports the problem.
    pub(super) fn report(&mut self, problem: Diagnostic) {
        self.diagnostics.report(problem);
    }

    /// Reports the problem and gives up.
    pub(super) fn fail<T>(&mut self, problem: Diagnostic) -> Parsed<T> {
        self.report(problem);
        Err(Failed)
    }

    /// The place of the token with this index; an empty place at the end of the text.
    pub(super) fn place(&self, index: usize) -> Span {
        let end = self.lexemes.last().map_or(0, |lexeme| lexeme.end);
        let lexeme = self.lexemes.get(index);
        let (start, end) = lexeme.map_or((end, end), |lexeme| (lexeme.start, lexeme.end));
        Span { file: self.file, start, end }
    }

    /// From the token with this index up to the last one read.
    pub(super) fn span_from(&self, index: usize) -> Span {
        let start = self.place(index);
        Span { end: self.end_of_previous().end.max(start.start), ..start }
    }

    /// The empty place right behind the last token read.
    pub(super) fn end_of_previous(&self) -> Span {
        let end = self.position.checked_sub(1).map_or(0, |index| self.place(index).end);
        Span { file: self.file, start: end, end }
    }
}

/// A letter that scanned texts have for a digit.
fn scanned_digit(word: &str) -> Option<i32> {
    match word {
        "I" | "l" | "i" => Some(1),
        "O" | "o" => Some(0),
        _ => None,
    }
}

/// Says that a letter was taken for a digit or bracket.
pub(super) fn scanned(span: Span, found: &str, meant: &str) -> Diagnostic {
    Diagnostic::error("misspelled", span, format!("`{found}` stands where `{meant}` belongs"))
        .label("letters for signs")
        .help(format!("write `{meant}`"))
}

/// Long words are cut in messages.
fn shortened(word: &str) -> String {
    const SHOWN: usize = 40;
    if word.chars().count() <= SHOWN {
        return word.to_owned();
    }
    word.chars().take(SHOWN).chain(std::iter::once('…')).collect()
}
