//! The parser's outer loop: one item after the other, whatever goes wrong.
//!
//! In: tokens. Out: the syntax tree of all items that could be read; every other item has a problem
//! reported. Invariant: a broken item costs no other item: parsing goes on behind its full stop, or
//! where the next item visibly starts.

use rulesmith_logic::Span;

use super::ast::{File, Item};
use super::cursor::{Failed, Parsed, Parser};
use super::lex::Token;
use crate::source::Diagnostic;

/// All items of a text.
pub(crate) fn parse(mut parser: Parser<'_>) -> File {
    let mut file = File::default();
    while parser.token().is_some() {
        let start = parser.position;
        if let Ok(item) = parser.item() {
            file.items.push(item);
        } else {
            parser.skip_item(start);
            file.broken.push(parser.span_from(start));
        }
    }
    file
}

/// The words that start an item when something other than `(`, `:-` or a full stop follows.
pub(super) const ITEM_KEYWORDS: [&str; 26] = [
    "rules",
    "game",
    "include",
    "param",
    "data",
    "role",
    "sort",
    "static",
    "derived",
    "fluent",
    "transient",
    "move",
    "init",
    "legal",
    "effect",
    "deferred",
    "prefer",
    "turns",
    "target",
    "object",
    "glyph",
    "letters",
    "notation",
    "display",
    "picture",
    "meta",
];

/// The words that head a clause of their own.
pub(super) const CLAUSE_KEYWORDS: [&str; 4] = ["terminal", "draw", "continue", "goal"];

/// How many tokens are looked through for the `:-` of a possible item.
const LOOK_AHEAD: usize = 64;

impl Parser<'_> {
    /// One item with its full stop.
    fn item(&mut self) -> Parsed<Item> {
        let start = self.position;
        (self.expected, self.last_condition, self.resume_at) = ("a full stop", start, None);
        let kind = self.item_kind()?;
        self.end_item(start)?;
        Ok(Item { kind, span: self.span_from(start) })
    }

    /// Moves past the full stop, or says that it is missing.
    fn end_item(&mut self, start: usize) -> Parsed<()> {
        if self.eat(Token::Stop) {
            return Ok(());
        }
        if self.is_swallowed() {
            return Err(Failed);
        }
        if self.token().is_none() || self.starts_item(self.position) {
            let diagnostic = missing_stop(self.end_of_previous());
            self.diagnostics.report(diagnostic.help("end the item with `.`"));
            return Ok(());
        }
        let condition = self.last_condition;
        if condition > start && (self.is(Token::If) || self.is_at_margin(condition)) {
            return self.swallowed_item(condition);
        }
        let expected = self.expected;
        self.unexpected(expected)
    }

    /// The next item was taken for the last condition of this one: `a :- b, c :- d.`
    fn swallowed_item(&mut self, condition: usize) -> Parsed<()> {
        self.resume_at = Some(condition);
        let before = self.place(condition.saturating_sub(1));
        let diagnostic = missing_stop(before)
            .related(self.place(condition), "this starts the next item")
            .help("replace the comma by a full stop");
        self.fail(diagnostic)
    }

    /// Moves to where the next item starts.
    fn skip_item(&mut self, start: usize) {
        if let Some(position) = self.resume_at.take().filter(|position| *position > start) {
            self.position = position;
            return;
        }
        while self.token().is_some() && !self.eat(Token::Stop) {
            if self.position > start && self.starts_item(self.position) {
                return;
            }
            self.advance();
        }
    }

    /// Does an item start at this token, although no full stop stands before it?
    pub(super) fn starts_item(&self, index: usize) -> bool {
        let Some(word) = self.word_at(index) else { return false };
        if index == 0 || !self.ends_item(index - 1) {
            return false;
        }
        let has_neck = self.has_neck(index);
        let is_keyword = self.is_keyword_form(index, word) && word != "legal";
        has_neck || is_keyword || self.is_at_margin(index)
    }

    /// Could an item have ended with this token?
    fn ends_item(&self, index: usize) -> bool {
        use Token::{Close, CloseBrace, Int, LongText, Name, Quoted, Text, Var, Wildcard};
        let is_infix = matches!(self.word_at(index), Some("does" | "div" | "mod" | "not" | "by"));
        let ends = [Close, CloseBrace, Int, LongText, Name, Quoted, Text, Var, Wildcard];
        !is_infix && self.token_at(index).is_some_and(|token| ends.contains(&token))
    }

    /// Is the word followed by what follows it as an item's keyword?
    pub(super) fn is_keyword_form(&self, index: usize, word: &str) -> bool {
        use Token::{If, Int, LongText, Name, Open, Quoted, Stop, Text, Var, Wildcard};
        let Some(next) = self.token_at(index + 1) else { return false };
        if CLAUSE_KEYWORDS.contains(&word) {
            return if word == "goal" { next == Open } else { matches!(next, If | Stop) };
        }
        let is_infix = matches!(self.word_at(index + 1), Some("does" | "div" | "mod"));
        let starts = [Name, Quoted, Var, Wildcard, Int, Text, LongText];
        ITEM_KEYWORDS.contains(&word) && starts.contains(&next) && !is_infix
    }

    /// Is there a `:-` behind the head that may start at this token, before any comma?
    fn has_neck(&self, start: usize) -> bool {
        use Token::{Comma, If, Semicolon, Stop};
        let mut index = start;
        for _ in 0..LOOK_AHEAD {
            match self.token_at(index) {
                Some(If) => return true,
                Some(Stop | Comma | Semicolon) | None => return false,
                Some(_) => index = self.partner(index).unwrap_or(index) + 1,
            }
        }
        false
    }
}

fn missing_stop(span: Span) -> Diagnostic {
    Diagnostic::error("missing-stop", span, "missing full stop")
        .label("a full stop is missing here")
}
