//! Sorts, written out.
//!
//! In: tokens. Out: sort expressions. Bounds of ranges are arithmetic as far as it goes, so
//! `1..size + 1` is one range; a range beside a named sort stands in parentheses: `(1..8) + role`.

use super::ast::{SortExpr, SortExprKind};
use super::cursor::{Parsed, Parser};
use super::lex::Token;

impl Parser<'_> {
    /// A sort: unions of products of names, enumerations and ranges.
    pub(super) fn sort(&mut self) -> Parsed<SortExpr> {
        self.nested(Self::union)
    }

    fn union(&mut self) -> Parsed<SortExpr> {
        let start = self.position;
        let mut range_free_up_to = start;
        let mut parts = Vec::new();
        loop {
            let is_range = self.position >= range_free_up_to && {
                let range = self.find_range();
                range_free_up_to = range.err().unwrap_or(self.position);
                range.is_ok()
            };
            parts.push(if is_range { self.range()? } else { self.product()? });
            if !self.eat(Token::Plus) {
                break;
            }
        }
        let span = self.span_from(start);
        Ok(one_or(parts, |parts| SortExpr { kind: SortExprKind::Union(parts), span }))
    }

    /// Is there a `..` before anything that is no arithmetic? If not, where that is.
    fn find_range(&self) -> Result<(), usize> {
        use Token::{Int, Minus, Name, Open, Plus, Range, Star};
        let mut index = self.position;
        loop {
            match self.token_at(index) {
                Some(Range) => return Ok(()),
                Some(Open) => index = self.partner(index).ok_or(index)? + 1,
                Some(Int | Minus | Name | Plus | Star) => index += 1,
                _ => return Err(index),
            }
        }
    }

    /// `1..8`.
    fn range(&mut self) -> Parsed<SortExpr> {
        let start = self.position;
        let low = self.expr()?;
        self.expect(Token::Range, "`..`")?;
        let high = self.expr()?;
        if self.is(Token::Range) {
            let help =
                "ranges in products and unions stand in parentheses: `(1..8) * (1..8)`".to_owned();
            return self.unexpected_with("the end of the range", Some(help));
        }
        Ok(SortExpr { kind: SortExprKind::Range(low, high), span: self.span_from(start) })
    }

    /// `file * rank`.
    fn product(&mut self) -> Parsed<SortExpr> {
        let start = self.position;
        let mut parts = vec![self.factor()?];
        while self.eat(Token::Star) {
            parts.push(self.factor()?);
        }
        let span = self.span_from(start);
        Ok(one_or(parts, |parts| SortExpr { kind: SortExprKind::Product(None, parts), span }))
    }

    fn factor(&mut self) -> Parsed<SortExpr> {
        let start = self.position;
        let kind = match self.token() {
            Some(Token::OpenBrace) => self.enumeration()?,
            Some(Token::Open) => {
                self.advance();
                let inner = self.sort()?;
                self.expect_close(start, "`)`")?;
                return Ok(inner);
            }
            Some(Token::Int | Token::Minus) => {
                let help =
                    "a sort of numbers is a range: `1..8`, or an enumeration: `{1, 3}`".to_owned();
                return self.unexpected_with("a sort", Some(help));
            }
            _ => {
                let name = self.name("a sort")?;
                if self.is(Token::Open) {
                    let opening = self.position;
                    let args = self.sorts()?;
                    self.expect_close(opening, "`,` or `)`")?;
                    SortExprKind::Product(Some(name), args)
                } else {
                    SortExprKind::Name(name.text)
                }
            }
        };
        Ok(SortExpr { kind, span: self.span_from(start) })
    }

    /// `{a, b, 3}`, or `{(X, Y) : …}`.
    fn enumeration(&mut self) -> Parsed<SortExprKind> {
        let opening = self.position;
        self.advance();
        let mut values = vec![self.expr_or("a value")?];
        if self.eat(Token::Colon) {
            let body = self.conditions()?;
            self.expect_close(opening, "`,` or `}`")?;
            return Ok(SortExprKind::Comprehension(values.remove(0), body));
        }
        while self.eat(Token::Comma) {
            values.push(self.expr_or("a value")?);
        }
        if self.is(Token::Range) {
            let help = "a range stands without braces: `1..8`, joined to others by `+`".to_owned();
            return self.unexpected_with("`,` or `}`", Some(help));
        }
        self.expect_close(opening, "`,` or `}`")?;
        Ok(SortExprKind::Enumeration(values))
    }

    /// `(file, rank`, up to the closing parenthesis.
    pub(super) fn sorts(&mut self) -> Parsed<Vec<SortExpr>> {
        self.advance();
        let mut sorts = vec![self.sort()?];
        while self.eat(Token::Comma) {
            sorts.push(self.sort()?);
        }
        Ok(sorts)
    }
}

fn one_or(mut parts: Vec<SortExpr>, many: impl FnOnce(Vec<SortExpr>) -> SortExpr) -> SortExpr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            many(parts)
        }
    }
}
