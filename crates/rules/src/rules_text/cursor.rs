//! The token cursor: where the parser stands, what it may expect, and what it says when it is wrong.
//!
//! In: tokens. Out: single steps through them, places, and "expected this, found that". Invariant: a
//! [`Failed`] is returned only after the problem was reported; looking ahead is bounded.

use rulesmith_logic::Span;

use super::ast::{Name, Text};
use super::lex::{Lexeme, Token};
use super::strings;
use crate::metarule::Phase;
use crate::source::{Diagnostic, Diagnostics};

/// The problem has been reported; the caller gives up or recovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

/// What was parsed, if it could be.
pub(crate) type Parsed<T> = Result<T, Failed>;

/// The parser: a position in the tokens of one text.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    file: u32,
    text: &'a str,
    lexemes: Vec<Lexeme>,
    /// For each opening bracket the index of its closing one in the same item.
    partners: Vec<Option<usize>>,
    /// Index of the next token.
    pub(super) position: usize,
    /// What may follow what was parsed so far; for messages.
    pub(super) expected: &'static str,
    /// Index of the first token of the last condition of the item's body.
    pub(super) last_condition: usize,
    /// Where to go on after a failure, when that is known better than by looking for a full stop.
    pub(super) resume_at: Option<usize>,
    /// The phase of the `meta` block that is open.
    pub(super) phase: Option<Phase>,
    /// In a request: the variables marked as known so far.
    pub(super) known: Option<Vec<Name>>,
    depth: usize,
    height: usize,
    nesting: usize,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    /// At the first token.
    pub(crate) fn new(
        file: u32,
        text: &'a str,
        lexemes: Vec<Lexeme>,
        nesting: usize,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let partners = partners(&lexemes);
        Self {
            file,
            text,
            lexemes,
            partners,
            position: 0,
            expected: "",
            last_condition: 0,
            resume_at: None,
            phase: None,
            known: None,
            depth: 0,
            height: 0,
            nesting,
            diagnostics,
        }
    }

    /// The next token; `None` at the end of the text.
    pub(super) fn token(&self) -> Option<Token> {
        self.token_at(self.position)
    }

    /// The token with this index.
    pub(super) fn token_at(&self, index: usize) -> Option<Token> {
        self.lexemes.get(index).map(|lexeme| lexeme.token)
    }

    /// The token behind the next one.
    pub(super) fn second(&self) -> Option<Token> {
        self.token_at(self.position + 1)
    }

    /// Is the next token this one?
    pub(super) fn is(&self, token: Token) -> bool {
        self.token() == Some(token)
    }

    /// Is the next token this unquoted word?
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_at(self.position, word)
    }

    /// Is the token with this index this unquoted word?
    pub(super) fn is_word_at(&self, index: usize, word: &str) -> bool {
        self.word_at(index) == Some(word)
    }

    /// The unquoted word with this index.
    pub(super) fn word_at(&self, index: usize) -> Option<&'a str> {
        (self.token_at(index)? == Token::Name).then(|| self.slice(index))
    }

    /// The characters of the token with this index.
    pub(super) fn slice(&self, index: usize) -> &'a str {
        let range =
            self.lexemes.get(index).map(|lexeme| lexeme.start as usize..lexeme.end as usize);
        range.map_or("", |range| &self.text[range])
    }

    /// Is it the first token of its line?
    pub(super) fn starts_line(&self, index: usize) -> bool {
        self.lexemes.get(index).is_some_and(|lexeme| lexeme.starts_line)
    }

    /// Does it stand at the very left?
    pub(super) fn is_at_margin(&self, index: usize) -> bool {
        self.starts_line(index) && {
            let before = &self.text[..self.place(index).start as usize];
            before.is_empty() || before.ends_with('\n')
        }
    }

    /// Index of the closing bracket for the opening one with this index.
    pub(super) fn partner(&self, index: usize) -> Option<usize> {
        self.partners.get(index).copied().flatten()
    }

    /// Moves on by one token.
    pub(super) fn advance(&mut self) {
        self.position += 1;
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

    /// Moves past the word, or reports what stands there instead.
    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    /// Moves past `)`, `}` or `]`; when the item ends instead, says where the bracket was opened.
    pub(super) fn expect_close(&mut self, opening: usize, what: &str) -> Parsed<()> {
        use Token::{Close, CloseBrace, CloseBracket, If, Stop};
        let (close, sign, bracket) = match self.token_at(opening) {
            Some(Token::OpenBrace) => (CloseBrace, "}", "brace"),
            Some(Token::OpenBracket) => (CloseBracket, "]", "bracket"),
            _ => (Close, ")", "parenthesis"),
        };
        if self.eat(close) {
            return Ok(());
        }
        let is_end =
            matches!(self.token(), Some(Close | CloseBrace | CloseBracket | If | Stop) | None);
        if is_end || self.starts_item(self.position) {
            let at = self.end_of_previous();
            let diagnostic =
                Diagnostic::error("unclosed", at, format!("unclosed {bracket}, expected {what}"))
                    .label(format!("`{sign}` missing"))
                    .related(self.place(opening), format!("the {bracket} was opened here"));
            return self.fail(diagnostic);
        }
        self.unexpected(what)
    }

    /// A name, quoted or not.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let (at, span) = (self.position, self.place(self.position));
        let text = match self.token() {
            Some(Token::Name) => self.slice(at).to_owned(),
            Some(Token::Quoted) => strings::resolve(self.slice(at), Token::Quoted),
            Some(Token::Var) => {
                let word = self.slice(at);
                self.diagnostics.report(capitalized(span, word, what));
                word.to_owned()
            }
            _ => return self.unexpected(what),
        };
        self.advance();
        Ok(Name { text, span })
    }

    /// A variable.
    pub(super) fn variable(&mut self, what: &str) -> Parsed<Name> {
        if !self.is(Token::Var) {
            return self.unexpected(what);
        }
        let name =
            Name { text: self.slice(self.position).to_owned(), span: self.place(self.position) };
        self.advance();
        Ok(name)
    }

    /// A string in `"…"` or `"""…"""`.
    pub(super) fn string(&mut self, what: &str) -> Parsed<Text> {
        let Some(token @ (Token::Text | Token::LongText)) = self.token() else {
            return self.unexpected(what);
        };
        let (text, span) =
            (strings::resolve(self.slice(self.position), token), self.place(self.position));
        self.advance();
        Ok(Text { text, span })
    }

    /// A whole number.
    pub(super) fn integer(&mut self, what: &str) -> Parsed<i64> {
        if !self.is(Token::Int) {
            return self.unexpected(what);
        }
        let (digits, span) = (self.slice(self.position), self.place(self.position));
        self.advance();
        let whole = digits.split('.').next().unwrap_or_default();
        if let Ok(number) = whole.parse() {
            return Ok(number);
        }
        let diagnostic =
            Diagnostic::error("bad-number", span, "the number is too large").label("too large");
        self.fail(diagnostic.help(format!("the largest number is {}", i64::MAX)))
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.nesting {
            return self.too_deep();
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let parsed = inner(self);
        self.depth -= 1;
        self.height = outer.max(self.height + 1);
        parsed
    }

    /// Runs `operand`, then as long as there is an operator joins the next operand to the tree so far.
    /// Such chains are trees that lean to the left: each operator counts as one level.
    pub(super) fn chain<T, O>(
        &mut self,
        operand: impl Fn(&mut Self) -> Parsed<T>,
        operator: impl Fn(&mut Self) -> Option<O>,
        join: impl Fn(&Self, O, T, T) -> T,
    ) -> Parsed<T> {
        let outer = std::mem::take(&mut self.height);
        let mut whole = operand(self)?;
        while let Some(found) = operator(self) {
            let left = std::mem::take(&mut self.height);
            let right = operand(self)?;
            self.height = left.max(self.height) + 1;
            if self.depth + self.height > self.nesting {
                return self.too_deep();
            }
            whole = join(self, found, whole, right);
        }
        self.height = outer.max(self.height);
        Ok(whole)
    }

    /// Is the parser inside nothing else?
    pub(super) fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        let message = format!("nested deeper than the limit `nesting` of {}", self.nesting);
        let diagnostic = Diagnostic::error("limit", self.place(self.position), message)
            .label("too deep from here on")
            .help("give the inner part a name: make it a predicate of its own");
        self.fail(diagnostic)
    }

    /// Reports the problem and gives up.
    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.diagnostics.report(diagnostic);
        Err(Failed)
    }

    /// The place of the token with this index; an empty place at the end of the text.
    pub(super) fn place(&self, index: usize) -> Span {
        let end = self.lexemes.last().map_or(0, |lexeme| lexeme.end);
        let (start, end) =
            self.lexemes.get(index).map_or((end, end), |lexeme| (lexeme.start, lexeme.end));
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

    /// Has a text that was never closed swallowed the rest? Then its end is no further problem.
    pub(super) fn is_swallowed(&self) -> bool {
        let last = self.lexemes.len().wrapping_sub(1);
        self.position > last
            && self.token_at(last).is_some_and(|token| {
                token == Token::LongText && !strings::is_closed(self.slice(last), token)
            })
    }
}

fn capitalized(span: Span, word: &str, what: &str) -> Diagnostic {
    Diagnostic::error("bad-name", span, format!("expected {what}, found variable `{word}`"))
        .label("starts with a capital, so it is a variable")
        .help(format!("names start with a small letter; quote it: '{word}'"))
}

/// For each opening bracket its closing one, looked for up to the full stop.
fn partners(lexemes: &[Lexeme]) -> Vec<Option<usize>> {
    let mut partners = vec![None; lexemes.len()];
    let mut open: Vec<(usize, Token)> = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        match lexeme.token {
            Token::Open => open.push((index, Token::Close)),
            Token::OpenBrace => open.push((index, Token::CloseBrace)),
            Token::OpenBracket => open.push((index, Token::CloseBracket)),
            Token::Stop => open.clear(),
            token => {
                if let Some((opening, _)) = open.pop_if(|(_, close)| *close == token) {
                    partners[opening] = Some(index);
                }
            }
        }
    }
    partners
}
