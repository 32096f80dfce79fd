//! Metarules: `meta phase filter.`, the rules that follow it, and `meta end.`.
//!
//! In: tokens of a block. Out: metarules as written, each with its phase. Invariant: a block ends with
//! `meta end.` or with its text, so that it never reaches into a file that includes it.

use super::ast::{ItemKind, MetaArg, MetaAtom, MetaCondition, MetaConditionKind};
use super::cursor::{Parsed, Parser};
use super::lex::Token;
use super::parse_conditions::comparison_of;
use crate::metarule::Phase;
use crate::source::{Diagnostic, nearest};

impl Parser<'_> {
    /// `meta phase filter`, `meta end`; behind `meta`.
    pub(super) fn meta_item(&mut self) -> Parsed<ItemKind> {
        if self.eat_word("end") {
            self.phase = None;
            return Ok(ItemKind::Meta);
        }
        if !self.eat_word("phase") {
            let help = "a block starts with `meta phase filter.` and ends with `meta end.`";
            return self.unexpected_with("`phase` or `end`", Some(help.to_owned()));
        }
        let (span, word) = (self.place(self.position), self.name("the name of a phase")?.text);
        let phase = Phase::ALL.into_iter().find(|phase| phase.name() == word);
        if phase.is_none() {
            let names = Phase::ALL.map(Phase::name);
            let message = format!("there is no phase `{word}`");
            let help = nearest(&word, names).map_or_else(
                || format!("the phases are {}", names.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            self.diagnostics.report(Diagnostic::error("unknown-phase", span, message).help(help));
        }
        // A wrong phase is reported, but what follows is a block all the same.
        self.phase = Some(phase.unwrap_or(Phase::Filter));
        Ok(ItemKind::Meta)
    }

    /// Does an item that is no metarule start here, inside a block? Then the block was not closed.
    pub(super) fn is_out_of_block(&self) -> bool {
        let word = self.word_at(self.position);
        word.is_some_and(|word| self.is_keyword_form(self.position, word))
    }

    /// Reports a block that was not closed, and closes it.
    pub(super) fn close_block(&mut self) {
        let word = self.slice(self.position);
        let message = format!("`{word}` starts no metarule");
        let diagnostic = Diagnostic::error("open-meta-block", self.place(self.position), message)
            .label("still inside a `meta` block")
            .help("end the block with `meta end.`");
        self.diagnostics.report(diagnostic);
        self.phase = None;
    }

    /// ``impossible(R) :- rule(R), condition(R, `p(X)`)``; several conclusions are joined by commas.
    pub(super) fn metarule_item(&mut self, phase: Phase) -> Parsed<ItemKind> {
        let mut conclusions = vec![self.meta_atom("a metarule")?];
        while self.eat(Token::Comma) {
            conclusions.push(self.meta_atom("another conclusion")?);
        }
        self.expected = "`,`, `:-` or a full stop";
        let mut body = Vec::new();
        if self.eat(Token::If) {
            body = self.meta_conditions()?;
            self.expected = "`,` or a full stop";
        }
        Ok(ItemKind::Metarule { phase, conclusions, body })
    }

    fn meta_conditions(&mut self) -> Parsed<Vec<MetaCondition>> {
        let mut conditions = Vec::new();
        loop {
            if self.is_outermost() {
                self.last_condition = self.position;
            }
            conditions.push(self.meta_condition()?);
            if !self.eat(Token::Comma) {
                return Ok(conditions);
            }
        }
    }

    fn meta_condition(&mut self) -> Parsed<MetaCondition> {
        let start = self.position;
        let kind = self.nested(Self::meta_condition_kind)?;
        Ok(MetaCondition { kind, span: self.span_from(start) })
    }

    fn meta_condition_kind(&mut self) -> Parsed<MetaConditionKind> {
        if self.is_word("not") || self.is(Token::Negation) {
            self.advance();
            return self.meta_negation();
        }
        if self.is_word("once") && self.second() == Some(Token::OpenBrace) {
            self.advance();
            let opening = self.position;
            self.advance();
            let mut variables = vec![self.variable("a variable: `once { R }`")?];
            while self.eat(Token::Comma) {
                variables.push(self.variable("a variable")?);
            }
            self.expect_close(opening, "`,` or `}`")?;
            return Ok(MetaConditionKind::Once(variables));
        }
        if self.is(Token::Backquote) {
            let help = "a pattern stands inside a metapredicate: condition(R, `p(X)`)".to_owned();
            return self.unexpected_with("a metapredicate", Some(help));
        }
        if matches!(self.token(), Some(Token::Name | Token::Quoted))
            && self.second() == Some(Token::Open)
        {
            return self.meta_atom("a metapredicate").map(MetaConditionKind::Holds);
        }
        let left = self.expr_or("a metapredicate or a comparison")?;
        let Some(comparison) = self.token().and_then(comparison_of) else {
            let help = "a metapredicate has arguments: rule(R), condition(R, `p(X)`)".to_owned();
            return self.unexpected_with("a comparison", Some(help));
        };
        self.advance();
        Ok(MetaConditionKind::Compare(comparison, left, self.expr()?))
    }

    /// `not C`, `not (C, D)`.
    fn meta_negation(&mut self) -> Parsed<MetaConditionKind> {
        if !self.is(Token::Open) {
            return Ok(MetaConditionKind::Not(vec![self.meta_condition()?]));
        }
        let opening = self.position;
        self.advance();
        let body = self.meta_conditions()?;
        self.expect_close(opening, "`,` or `)`")?;
        Ok(MetaConditionKind::Not(body))
    }

    /// ``condition(R, `p(X)`)``.
    fn meta_atom(&mut self, what: &str) -> Parsed<MetaAtom> {
        let start = self.position;
        let name = self.name(what)?;
        let mut args = Vec::new();
        if self.is(Token::Open) {
            let opening = self.position;
            self.advance();
            args.push(self.meta_arg()?);
            while self.eat(Token::Comma) {
                args.push(self.meta_arg()?);
            }
            self.expect_close(opening, "`,` or `)`")?;
        }
        Ok(MetaAtom { name, args, span: self.span_from(start) })
    }

    fn meta_arg(&mut self) -> Parsed<MetaArg> {
        match self.token() {
            Some(Token::Backquote) => self.quoted(),
            Some(Token::Text | Token::LongText) => self.string("a reason").map(MetaArg::Text),
            _ => self.expr_or("an argument").map(MetaArg::Expr),
        }
    }

    /// A pattern between backquotes.
    fn quoted(&mut self) -> Parsed<MetaArg> {
        let start = self.position;
        self.advance();
        let subject = self.nested(Self::subject)?;
        if self.eat(Token::Backquote) {
            return Ok(MetaArg::Quoted(subject, self.span_from(start)));
        }
        let found = self.found(self.position);
        let message = format!("expected a closing backquote, found {found}");
        let help = if self.is(Token::Comma) {
            "a pattern is one condition; write one `condition(R, …)` for each"
        } else {
            "a pattern stands between two backquotes: `p(X)`"
        };
        let diagnostic = Diagnostic::error("unclosed", self.place(self.position), message)
            .label("the pattern should end here")
            .related(self.place(start), "the pattern starts here")
            .help(help);
        self.fail(diagnostic)
    }
}
