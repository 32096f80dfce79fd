//! Subjects: one thing that rules conclude or ask, written by itself, in requests and in quotes.
//!
//! In: tokens. Out: a condition, or what the head of an `init` or `effect` says. In a request `+X`
//! marks a variable as known.

use super::ParseLimits;
use super::ast::{Condition, ConditionKind, Expr, Name, Subject};
use super::cursor::{Parsed, Parser};
use super::lex::{Token, lex};
use crate::source::Diagnostics;

/// A subject that makes up a whole text, and the variables marked as known.
pub(crate) fn parse_request_text(
    text: &str,
    limits: &ParseLimits,
    diagnostics: &mut Diagnostics,
) -> Option<(Subject, Vec<Name>)> {
    if text.len() > limits.text_bytes.min(u32::MAX as usize) {
        diagnostics.report(super::too_long(0, text, limits));
        return None;
    }
    let tokens = lex(0, text, diagnostics);
    let mut parser = Parser::new(0, text, tokens, limits.nesting, diagnostics);
    parser.known = Some(Vec::new());
    let subject = parser.whole_subject().ok()?;
    let known = parser.known.take().unwrap_or_default();
    Some((subject, known))
}

impl Parser<'_> {
    fn whole_subject(&mut self) -> Parsed<Subject> {
        let subject = self.subject()?;
        self.eat(Token::Stop);
        if self.token().is_some() {
            let help = "a request is about one predicate".to_owned();
            return self.unexpected_with("the end of the request", Some(help));
        }
        Ok(subject)
    }

    /// `won(P)`, `at(S) = C`, `legal P does any`, `init at(S) = C`, `effect at(S) := C`.
    pub(super) fn subject(&mut self) -> Parsed<Subject> {
        let is_followed_by_name = matches!(self.second(), Some(Token::Name | Token::Quoted));
        match self.word_at(self.position).filter(|_| is_followed_by_name) {
            Some("init") => {
                self.advance();
                self.assigned().map(|(fluent, value)| Subject::Init { fluent, value })
            }
            Some("effect") => {
                self.advance();
                self.effect_subject(false)
            }
            Some("deferred") if self.is_word_at(self.position + 1, "effect") => {
                self.position += 2;
                self.effect_subject(true)
            }
            Some("target") => {
                self.advance();
                self.condition().map(Subject::Condition)
            }
            Some("prefer") if self.is_word_at(self.position + 1, "max") => self.prefer_subject(),
            _ => self.condition().map(Subject::Condition),
        }
    }

    fn effect_subject(&mut self, is_deferred: bool) -> Parsed<Subject> {
        let (fluent, value) = self.assigned()?;
        Ok(Subject::Effect { is_deferred, fluent, value })
    }

    /// `prefer max(V)`.
    fn prefer_subject(&mut self) -> Parsed<Subject> {
        let start = self.position;
        let name = self.name("`prefer`")?;
        let preferred = self.application("`max(V)`")?;
        let args = match preferred.kind {
            super::ast::ExprKind::Apply(_, args) => args,
            _ => Vec::new(),
        };
        let span = self.span_from(start);
        let holds = Expr { kind: super::ast::ExprKind::Apply(name, args), span };
        Ok(Subject::Condition(Condition { kind: ConditionKind::Holds(holds), span }))
    }

    /// `at(S)`, `at(S) = C` or `at(S) := C`: the sign does not matter where nothing is assigned.
    fn assigned(&mut self) -> Parsed<(Expr, Option<Expr>)> {
        let fluent = self.application("a fluent")?;
        let has_value = self.eat(Token::Equal) || self.eat(Token::Assign);
        let value = if has_value { Some(self.expr()?) } else { None };
        Ok((fluent, value))
    }
}
