//! Conditions and bodies.
//!
//! In: tokens behind `:-`, `not`, `{ X :` and the like. Out: conditions. Invariant: no backtracking: a
//! parenthesis is an expression exactly when an operator follows its closing one, else a group.

use rulesmith_logic::Comparison;

use super::ast::{Condition, ConditionKind, Expr, ExprKind, Name};
use super::cursor::{Failed, Parsed, Parser};
use super::lex::Token;
use crate::source::Diagnostic;

impl Parser<'_> {
    /// The body of an item. A broken condition is skipped, to find what else is wrong.
    pub(super) fn body(&mut self) -> Parsed<Vec<Condition>> {
        let (mut conditions, mut outcome) = (Vec::new(), Ok(()));
        loop {
            let start = self.position;
            self.last_condition = start;
            match self.condition() {
                Ok(condition) => conditions.push(condition),
                Err(Failed) if self.skip_condition(start) => outcome = Err(Failed),
                Err(Failed) => return Err(Failed),
            }
            self.expected = "`,` or a full stop";
            if self.is(Token::Semicolon) || self.is_word("or") {
                let diagnostic = Diagnostic::error(
                    "syntax",
                    self.place(self.position),
                    "alternatives need parentheses",
                )
                .label("not inside parentheses")
                .help("write `(C ; D)`, or two clauses");
                self.diagnostics.report(diagnostic);
                outcome = Err(Failed);
                self.advance();
            } else if self.is_comma_missing() {
                let help = "is a comma missing?".to_owned();
                outcome = self.unexpected_with("`,` or a full stop", Some(help));
            } else if !self.eat_comma() {
                return outcome.map(|()| conditions);
            }
        }
    }

    /// Does another condition follow at once?
    fn is_comma_missing(&self) -> bool {
        use Token::{Int, Name, Negation, Open, Quoted, Var};
        let words = ["and", "or", "if", "is", "in", "then", "else"];
        let is_other_word = self.word_at(self.position).is_some_and(|word| words.contains(&word));
        matches!(self.token(), Some(Int | Name | Negation | Open | Quoted | Var))
            && !is_other_word
            && !self.starts_item(self.position)
            && !self.is_at_margin(self.last_condition)
    }

    /// Moves past a comma; `and` is reported and understood.
    fn eat_comma(&mut self) -> bool {
        if self.is_word("and") {
            let message = "`and` does not join conditions";
            let diagnostic = Diagnostic::error("syntax", self.place(self.position), message)
                .label("not a comma");
            self.diagnostics.report(diagnostic.help("\"and\" is written `,`"));
            self.advance();
            return true;
        }
        self.eat(Token::Comma)
    }

    /// From a broken condition to the comma behind it, if its brackets are in order.
    fn skip_condition(&mut self, start: usize) -> bool {
        use Token::{
            Close, CloseBrace, CloseBracket, Comma, If, Open, OpenBrace, OpenBracket, Stop,
        };
        let mut index = start;
        loop {
            match self.token_at(index) {
                Some(Comma) if index >= self.position => break,
                None | Some(Stop | If | Close | CloseBrace | CloseBracket) => return false,
                Some(Open | OpenBrace | OpenBracket) => match self.partner(index) {
                    Some(partner) => index = partner + 1,
                    None => return false,
                },
                Some(_) if index > start && self.starts_item(index) => return false,
                Some(_) => index += 1,
            }
        }
        self.position = index;
        true
    }

    /// Conditions joined by commas, inside brackets.
    pub(super) fn conditions(&mut self) -> Parsed<Vec<Condition>> {
        let mut conditions = vec![self.condition()?];
        while self.eat_comma() {
            conditions.push(self.condition()?);
        }
        Ok(conditions)
    }

    /// One condition.
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let start = self.position;
        let kind = self.nested(Self::condition_kind)?;
        Ok(Condition { kind, span: self.span_from(start) })
    }

    fn condition_kind(&mut self) -> Parsed<ConditionKind> {
        let second = self.second();
        match self.word_at(self.position) {
            Some("not") => self.negation(),
            Some("none") if second == Some(Token::OpenBrace) => self.none(),
            Some("legal") if self.is_legal_form() => self.legal(),
            Some("after") if self.is_after_form() => self.after(),
            Some("repeated") if second == Some(Token::Open) => self.repeated(),
            Some("since") if self.is_since_form() => self.since(),
            Some("cycle") if second == Some(Token::Open) => self.cycle(),
            _ if self.is(Token::Negation) => self.negation(),
            _ if self.is(Token::Open) && !self.is_operand(self.position) => {
                self.group().map(as_condition)
            }
            _ => self.comparison(),
        }
    }

    /// Is the parenthesis at this token an operand, as in `(A + B) * 2 = C` or `(F, R) = S`?
    fn is_operand(&self, opening: usize) -> bool {
        use Token::{AtLeast, AtMost, Equal, Greater, Less, Minus, Plus, Star, Unequal};
        let Some(next) = self.partner(opening).map(|partner| partner + 1) else { return false };
        let operators = [AtLeast, AtMost, Equal, Greater, Less, Minus, Plus, Star, Unequal];
        self.token_at(next).is_some_and(|token| operators.contains(&token))
            || matches!(self.word_at(next), Some("div" | "mod" | "does"))
    }

    /// `(C, D ; E)`.
    fn group(&mut self) -> Parsed<Vec<Vec<Condition>>> {
        let opening = self.position;
        self.advance();
        let mut alternatives = vec![self.conditions()?];
        while self.eat(Token::Semicolon) || self.eat_or() {
            alternatives.push(self.conditions()?);
        }
        self.expect_close(opening, "`,`, `;` or `)`")?;
        Ok(alternatives)
    }

    /// Moves past `or`, which is reported and understood.
    fn eat_or(&mut self) -> bool {
        let found = self.is_word("or");
        if found {
            let message = "`or` does not join conditions";
            let diagnostic = Diagnostic::error("syntax", self.place(self.position), message)
                .label("not a semicolon");
            self.diagnostics.report(diagnostic.help("\"or\" is written `;`"));
            self.advance();
        }
        found
    }

    /// `not C`, `not (C, D)`.
    fn negation(&mut self) -> Parsed<ConditionKind> {
        self.advance();
        if self.is(Token::Open) && !self.is_operand(self.position) {
            let start = self.position;
            let mut alternatives = self.nested(Self::group)?;
            if alternatives.len() == 1 {
                return Ok(ConditionKind::Not(alternatives.pop().unwrap_or_default()));
            }
            let kind = ConditionKind::AnyOf(alternatives);
            return Ok(ConditionKind::Not(vec![Condition { kind, span: self.span_from(start) }]));
        }
        Ok(ConditionKind::Not(vec![self.condition()?]))
    }

    /// `none { X, Y : C, D }`.
    fn none(&mut self) -> Parsed<ConditionKind> {
        self.advance();
        let (locals, body) = self.comprehension()?;
        Ok(ConditionKind::None { locals, body })
    }

    /// `{ X, Y : C, D }`.
    pub(super) fn comprehension(&mut self) -> Parsed<(Vec<Name>, Vec<Condition>)> {
        let opening = self.position;
        self.advance();
        let mut variables = vec![self.variable("a variable: `{ X : … }`")?];
        while self.eat(Token::Comma) {
            variables.push(self.variable("a variable")?);
        }
        self.expect(Token::Colon, "`,` or `:`")?;
        let body = self.conditions()?;
        self.expect_close(opening, "`,` or `}`")?;
        Ok((variables, body))
    }

    fn is_legal_form(&self) -> bool {
        use Token::{Int, Minus, Name, Plus, Quoted, Var, Wildcard};
        let is_marked = self.known.is_some() && matches!(self.second(), Some(Minus | Plus));
        (matches!(self.second(), Some(Int | Name | Quoted | Var | Wildcard)) || is_marked)
            && !matches!(
                self.word_at(self.position + 1),
                Some("does" | "div" | "mod" | "and" | "or")
            )
    }

    /// `legal P does step(F, R)`, `legal P does any`.
    fn legal(&mut self) -> Parsed<ConditionKind> {
        self.advance();
        let role = self.expr()?;
        self.expect_does()?;
        if self.is_word("any") && self.second() != Some(Token::Open) {
            self.advance();
            return Ok(ConditionKind::Legal { role, act: None });
        }
        Ok(ConditionKind::Legal { role, act: Some(self.application("a move, or `any`")?) })
    }

    /// `after(` and a move or somebody who does one; else `after` is an ordinary predicate.
    fn is_after_form(&self) -> bool {
        let first = self.position + 2;
        let is_move = matches!(self.token_at(first), Some(Token::Name | Token::Quoted));
        self.second() == Some(Token::Open) && (is_move || self.is_word_at(first + 1, "does"))
    }

    /// `after(step(F, R), C, D)`, `after(P does step(F, R), C)`.
    fn after(&mut self) -> Parsed<ConditionKind> {
        let opening = self.position + 1;
        self.position += 2;
        let first = self.expr()?;
        let (role, act) = if self.eat_word("does") {
            (Some(first), self.application("a move")?)
        } else {
            (None, self.as_application(first, "a move")?)
        };
        if !self.eat(Token::Comma) {
            let help = "write `after(MOVE, C)`: C is judged after the move".to_owned();
            return self.unexpected_with("`,` and a condition", Some(help));
        }
        let body = self.conditions()?;
        self.expect_close(opening, "`,` or `)`")?;
        Ok(ConditionKind::After { role, act, body })
    }

    /// `repeated(3)`, `repeated(2, over [at, turn])`; with more arguments an ordinary predicate.
    fn repeated(&mut self) -> Parsed<ConditionKind> {
        let (name, opening) = (self.name("`repeated`")?, self.position);
        self.advance();
        let times = self.expr()?;
        let over = if self.is(Token::Comma) && self.is_over(self.position + 1) {
            Some(self.over()?)
        } else {
            None
        };
        if over.is_none() && self.is(Token::Comma) {
            let mut args = vec![times];
            while self.eat(Token::Comma) {
                args.push(self.expr()?);
            }
            self.expect_close(opening, "`,` or `)`")?;
            let span = self.span_from(opening - 1);
            return Ok(ConditionKind::Holds(Expr { kind: ExprKind::Apply(name, args), span }));
        }
        self.expect_close(opening, "`, over […]` or `)`")?;
        Ok(ConditionKind::Repeated { times, over })
    }

    fn is_over(&self, index: usize) -> bool {
        self.is_word_at(index, "over") && self.token_at(index + 1) == Some(Token::OpenBracket)
    }

    /// `, over [at, turn]`.
    fn over(&mut self) -> Parsed<Vec<Name>> {
        let opening = self.position + 2;
        self.position += 3;
        let names = self.names("the name of a fluent")?;
        self.expect_close(opening, "`,` or `]`")?;
        Ok(names)
    }

    fn is_since_form(&self) -> bool {
        let first = self.position + 2;
        self.second() == Some(Token::Open)
            && matches!(self.token_at(first), Some(Token::Name | Token::Quoted))
            && self.token_at(first + 1) == Some(Token::Comma)
    }

    /// `since(capture, 100)`.
    fn since(&mut self) -> Parsed<ConditionKind> {
        let opening = self.position + 1;
        self.position += 2;
        let event = self.name("the name of a predicate")?;
        self.expect(Token::Comma, "`,` and a number of steps")?;
        let steps = self.expr()?;
        self.expect_close(opening, "`)`")?;
        Ok(ConditionKind::Since { event, steps })
    }

    /// `cycle(P, C, D)`, `cycle(P, C, over [at])`.
    fn cycle(&mut self) -> Parsed<ConditionKind> {
        let opening = self.position + 1;
        self.position += 2;
        let role = self.expr()?;
        let (mut body, mut over) = (Vec::new(), None);
        while over.is_none() && self.is(Token::Comma) {
            if self.is_over(self.position + 1) {
                over = Some(self.over()?);
            } else {
                self.advance();
                body.push(self.condition()?);
            }
        }
        if body.is_empty() && self.is(Token::Close) {
            let help = "write `cycle(P, C)`: C held after every move of P".to_owned();
            return self.unexpected_with("`,` and a condition", Some(help));
        }
        self.expect_close(opening, "`,` or `)`")?;
        Ok(ConditionKind::Cycle { role, body, over })
    }

    /// `won(P)`, `at(F, R) = P`, `P does step(F)`.
    fn comparison(&mut self) -> Parsed<ConditionKind> {
        let left = self.expr_or("a condition")?;
        if let Some(comparison) = self.token().and_then(comparison_of) {
            self.advance();
            return Ok(ConditionKind::Compare(comparison, left, self.expr()?));
        }
        if self.eat_word("does") {
            return Ok(ConditionKind::Does { role: left, act: self.application("a move")? });
        }
        if matches!(left.kind, ExprKind::Name(_) | ExprKind::Apply(..)) {
            return Ok(ConditionKind::Holds(left));
        }
        if matches!(left.kind, ExprKind::Var(_)) && self.is(Token::Open) {
            let help = "names of predicates start with a small letter".to_owned();
            return self.unexpected_with("a comparison", Some(help));
        }
        let hint =
            "a variable, number or expression is no condition by itself: compare it".to_owned();
        let is_end = matches!(self.token(), Some(Token::Comma | Token::Stop | Token::Close) | None);
        if is_end {
            self.unexpected_with("a comparison", Some(hint))
        } else {
            self.unexpected("a comparison")
        }
    }
}

fn as_condition(mut alternatives: Vec<Vec<Condition>>) -> ConditionKind {
    match (alternatives.len(), alternatives.first().map_or(0, Vec::len)) {
        (1, 1) => {
            let only = alternatives.pop().and_then(|mut conditions| conditions.pop());
            only.map_or(ConditionKind::AnyOf(Vec::new()), |condition| condition.kind)
        }
        _ => ConditionKind::AnyOf(alternatives),
    }
}

/// The comparison a token stands for.
pub(super) fn comparison_of(token: Token) -> Option<Comparison> {
    Some(match token {
        Token::Equal => Comparison::Equal,
        Token::Unequal => Comparison::Unequal,
        Token::Less => Comparison::Less,
        Token::AtMost => Comparison::AtMost,
        Token::Greater => Comparison::Greater,
        Token::AtLeast => Comparison::AtLeast,
        _ => return None,
    })
}
