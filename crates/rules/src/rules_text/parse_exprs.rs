//! Expressions, terms and applications.
//!
//! In: tokens. Out: expressions; whether a name is a constant, parameter or fluent is not asked here.

use rulesmith_logic::Operation;

use super::ast::{Expr, ExprKind, Name};
use super::cursor::{Parsed, Parser};
use super::lex::Token;

impl Parser<'_> {
    /// An expression: sums of products of operands.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.expr_or("an expression")
    }

    /// An expression, where `what` is expected.
    pub(super) fn expr_or(&mut self, what: &str) -> Parsed<Expr> {
        let product =
            |parser: &mut Self| parser.chain(|inner| inner.operand(what), Self::eat_factor, join);
        self.chain(product, Self::eat_summand, join)
    }

    fn eat_summand(&mut self) -> Option<Operation> {
        let operation = match self.token()? {
            // `1..8 + {none}` is a union of sorts: the sum ends here.
            Token::Plus if self.second() == Some(Token::OpenBrace) => return None,
            Token::Plus => Operation::Add,
            Token::Minus => Operation::Sub,
            _ => return None,
        };
        self.advance();
        Some(operation)
    }

    fn eat_factor(&mut self) -> Option<Operation> {
        let operation = match (self.token()?, self.word_at(self.position)) {
            (Token::Star, _) => Operation::Mul,
            (_, Some("div")) => Operation::Div,
            (_, Some("mod")) => Operation::Mod,
            _ => return None,
        };
        self.advance();
        Some(operation)
    }

    fn operand(&mut self, what: &str) -> Parsed<Expr> {
        let start = self.position;
        let kind = match self.token() {
            Some(Token::Name | Token::Quoted) => return self.named(what),
            Some(Token::Int) => ExprKind::Int(self.integer(what)?),
            Some(Token::Var) => ExprKind::Var(self.variable(what)?.text),
            Some(Token::Wildcard) => {
                self.advance();
                ExprKind::Wildcard
            }
            Some(Token::Minus) => {
                self.advance();
                let inner = self.nested(|inner| inner.operand("an expression"))?;
                match inner.kind {
                    // The least number is written as the negative of one that does not fit.
                    ExprKind::Int(number) if -number == i64::from(i32::MIN) => {
                        ExprKind::Int(-number)
                    }
                    _ => ExprKind::Negate(Box::new(inner)),
                }
            }
            Some(Token::Plus) if self.known.is_some() && self.second() == Some(Token::Var) => {
                self.advance();
                let variable = self.variable(what)?;
                self.known.get_or_insert_default().push(variable.clone());
                ExprKind::Var(variable.text)
            }
            Some(Token::Open) => self.nested(Self::parenthesis)?,
            _ => return self.unexpected(what),
        };
        if matches!(kind, ExprKind::Var(_)) && self.is(Token::Open) {
            return self.capitalized_application(start);
        }
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// `Won(P)`: reported, and understood as `'Won'(P)`.
    fn capitalized_application(&mut self, start: usize) -> Parsed<Expr> {
        self.position = start;
        let name = self.name("a name in front of `(`")?;
        let args = self.nested(Self::arguments)?;
        Ok(Expr { kind: ExprKind::Apply(name, args), span: self.span_from(start) })
    }

    /// `(A + B)`, `(F, R)`.
    fn parenthesis(&mut self) -> Parsed<ExprKind> {
        let mut parts = self.arguments()?;
        if parts.len() == 1 {
            return Ok(parts.pop().map_or(ExprKind::Wildcard, |part| part.kind));
        }
        Ok(ExprKind::Tuple(parts))
    }

    /// `( A, B )`.
    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let opening = self.position;
        self.advance();
        let mut args = vec![self.expr_or("an argument")?];
        while self.eat(Token::Comma) {
            args.push(self.expr_or("an argument")?);
        }
        if self.is(Token::Semicolon) {
            return self.unexpected_with(
                "`,` or `)`",
                Some("arguments are separated by commas".to_owned()),
            );
        }
        self.expect_close(opening, "`,` or `)`")?;
        Ok(args)
    }

    /// `at(F, R)`, `empty`, `undefined`, `count { X : … }`.
    fn named(&mut self, what: &str) -> Parsed<Expr> {
        let start = self.position;
        let kind = if self.is_word("count") && self.second() == Some(Token::OpenBrace) {
            self.advance();
            let (counted, body) = self.nested(Self::comprehension)?;
            ExprKind::Count { counted, body }
        } else if self.is_word("undefined") && self.second() != Some(Token::Open) {
            self.advance();
            ExprKind::Undefined
        } else {
            let name = self.name(what)?;
            if self.is(Token::Open) {
                ExprKind::Apply(name, self.nested(Self::arguments)?)
            } else {
                ExprKind::Name(name.text)
            }
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// A name, or a name with arguments.
    pub(super) fn application(&mut self, what: &str) -> Parsed<Expr> {
        if self.is(Token::Var) {
            let start = self.position;
            let name = self.name(what)?;
            let has_arguments = self.is(Token::Open);
            let args = if has_arguments { self.nested(Self::arguments)? } else { Vec::new() };
            let kind =
                if has_arguments { ExprKind::Apply(name, args) } else { ExprKind::Name(name.text) };
            return Ok(Expr { kind, span: self.span_from(start) });
        }
        if !matches!(self.token(), Some(Token::Name | Token::Quoted)) {
            return self.unexpected(what);
        }
        let expr = self.named(what)?;
        self.as_application(expr, what)
    }

    /// The expression, if it is a name, or a name with arguments.
    pub(super) fn as_application(&mut self, expr: Expr, what: &str) -> Parsed<Expr> {
        if matches!(expr.kind, ExprKind::Name(_) | ExprKind::Apply(..)) {
            return Ok(expr);
        }
        let message = format!("expected {what}, found another expression");
        let diagnostic = crate::source::Diagnostic::error("syntax", expr.span, message);
        self.fail(diagnostic.label(format!("expected {what}")))
    }

    /// Names joined by commas.
    pub(super) fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(Token::Comma) {
            names.push(self.name(what)?);
        }
        self.expected = "`,` or a full stop";
        Ok(names)
    }
}

fn join(_: &Parser<'_>, operation: Operation, left: Expr, right: Expr) -> Expr {
    let span = rulesmith_logic::Span { end: right.span.end, ..left.span };
    Expr { kind: ExprKind::Binary(operation, Box::new(left), Box::new(right)), span }
}
