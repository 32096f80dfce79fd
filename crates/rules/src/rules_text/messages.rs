//! What the parser says when something else stands where it expected something.
//!
//! In: the token that stands there. Out: a problem that names it, with a way out where one is known.

use super::cursor::{Parsed, Parser};
use super::lex::Token;
use crate::source::Diagnostic;

impl Parser<'_> {
    /// Reports that something else was expected at the next token, and gives up.
    pub(super) fn unexpected<T>(&mut self, what: &str) -> Parsed<T> {
        let hint = self.hint();
        self.unexpected_with(what, hint)
    }

    /// `unexpected` with a way out.
    pub(super) fn unexpected_with<T>(&mut self, what: &str, help: Option<String>) -> Parsed<T> {
        if self.is_swallowed() {
            return Err(super::cursor::Failed);
        }
        let message = format!("expected {what}, found {}", self.found(self.position));
        let mut diagnostic = Diagnostic::error("syntax", self.place(self.position), message);
        diagnostic.label = format!("expected {what}");
        diagnostic.help = help;
        self.fail(diagnostic)
    }

    /// What stands there, in words.
    pub(super) fn found(&self, index: usize) -> String {
        let slice = self.slice(index);
        match self.token_at(index) {
            None => "the end of the text".to_owned(),
            Some(Token::Stop) => "a full stop".to_owned(),
            Some(Token::Text | Token::LongText) => "a string".to_owned(),
            Some(Token::Quoted) => format!("name {slice}"),
            Some(Token::Backquote) => "a backquote".to_owned(),
            Some(Token::Var) => format!("variable `{slice}`"),
            Some(Token::Int) => format!("number {slice}"),
            Some(_) => format!("`{slice}`"),
        }
    }

    /// A way out that depends only on what stands there.
    fn hint(&self) -> Option<String> {
        let help = match self.token()? {
            Token::Assign => "`:=` assigns, in effects; a comparison or definition is written `=`",
            Token::If => "an item has at most one `:-`; end the item before it with a full stop",
            Token::Arrow => {
                "`->` stands in declarations only: `static next(role -> role)`; cases are written `(C, D ; E)`"
            }
            Token::Semicolon => "`;` stands between alternatives, inside parentheses: `(C ; D)`",
            Token::Range => "ranges stand in sorts only; write `1 =< X, X =< 8`",
            Token::Text => {
                "strings stand in declarations only; a name is quoted with single quotes: 'X'"
            }
            Token::Backquote => "patterns in backquotes are arguments of metapredicates",
            Token::Less if self.second() == Some(Token::Minus) => {
                "a clause is written `head :- body`"
            }
            Token::Stop if self.is_after(Token::Comma) => {
                "remove the comma, or add what is missing behind it"
            }
            Token::Comma if self.is_after(Token::Comma) => "remove one of the commas",
            Token::Close | Token::CloseBrace | Token::CloseBracket => {
                return Some(self.hint_for_closing());
            }
            Token::Name => return self.hint_for_word(),
            _ => return None,
        };
        Some(help.to_owned())
    }

    fn hint_for_closing(&self) -> String {
        let slice = self.slice(self.position);
        if self.is_after(Token::Comma) {
            "remove the comma, or add what is missing behind it".to_owned()
        } else {
            format!("is there one `{slice}` too many?")
        }
    }

    fn hint_for_word(&self) -> Option<String> {
        let help = match self.slice(self.position) {
            "and" => "\"and\" is written `,`",
            "or" => "\"or\" is written `;`, inside parentheses: `(C ; D)`",
            "is" => "a value is given with `=`: `N = A + 1`",
            "in" => "membership of a sort is written `sort(X)`",
            "if" => "\"if\" is written `:-`",
            "then" | "else" => "cases are written `(C, D ; E)`",
            _ => return None,
        };
        Some(help.to_owned())
    }

    fn is_after(&self, token: Token) -> bool {
        self.position.checked_sub(1).and_then(|index| self.token_at(index)) == Some(token)
    }
}
