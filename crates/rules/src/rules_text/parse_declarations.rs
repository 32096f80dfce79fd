//! Declarations: parameters, data, sorts, relations, fluents, moves, objects.
//!
//! In: tokens behind the keyword. Out: what is declared.

use super::ast::{DataSource, ItemKind};
use super::cursor::{Parsed, Parser};
use super::lex::Token;

impl Parser<'_> {
    /// `param size = 19.`
    pub(super) fn param_item(&mut self) -> Parsed<ItemKind> {
        let name = self.name("the name of a parameter")?;
        self.expect_definition("`=` and a value")?;
        Ok(ItemKind::Param { name, value: self.expr()? })
    }

    /// Moves past `=`; `:=` is reported and understood.
    fn expect_definition(&mut self, what: &str) -> Parsed<()> {
        if self.is(Token::Assign) {
            self.report_sign("definitions are written with `=`; `:=` assigns, in effects");
            self.advance();
            return Ok(());
        }
        self.expect(Token::Equal, what)
    }

    /// `data level : tile = "first.xsb".`, `data level : tile.`
    pub(super) fn data_item(&mut self) -> Parsed<ItemKind> {
        let name = self.name("the name of the data")?;
        self.expect(Token::Colon, "`:` and the sort of the characters")?;
        let sort = self.sort()?;
        self.expected = "`=` or a full stop";
        if !self.eat(Token::Equal) {
            return Ok(ItemKind::Data { name, sort, source: DataSource::Required });
        }
        let is_inline = self.is(Token::LongText);
        let text = self.string("a file name \"…\" or a text \"\"\"…\"\"\"")?;
        let source = if is_inline { DataSource::Inline(text) } else { DataSource::File(text) };
        self.expected = "a full stop";
        Ok(ItemKind::Data { name, sort, source })
    }

    /// `sort file = 1..8.`
    pub(super) fn sort_item(&mut self) -> Parsed<ItemKind> {
        let name = self.name("the name of a sort")?;
        self.expect_definition("`=` and a definition")?;
        let definition = self.sort()?;
        self.expected = "`+`, `*` or a full stop";
        Ok(ItemKind::Sort { name, definition })
    }

    /// `static forward(role, rank, rank).`, `static next(role -> role).`, `derived path(square).`
    pub(super) fn predicate_item(&mut self, is_static: bool) -> Parsed<ItemKind> {
        let name = self.name("the name of a relation")?;
        let (mut args, mut result) = (Vec::new(), None);
        if self.is(Token::Open) {
            let opening = self.position;
            if self.second() == Some(Token::Arrow) {
                self.advance();
            } else {
                args = self.sorts()?;
            }
            if self.eat(Token::Arrow) {
                result = Some(self.sort()?);
            }
            self.expect_close(opening, "`,`, `->` or `)`")?;
        }
        Ok(ItemKind::Predicate { is_static, name, args, result })
    }

    /// `fluent at(file, rank) : content = empty.`, `fluent blocked(square).`
    pub(super) fn fluent_item(&mut self, is_transient: bool) -> Parsed<ItemKind> {
        let name = self.name("the name of a fluent")?;
        let keys = self.parameters()?;
        self.expected = "`:` or a full stop";
        let (mut value, mut default) = (None, None);
        if self.eat(Token::Colon) {
            value = Some(self.sort()?);
            self.expected = "`=` or a full stop";
            if self.is(Token::Equal) || self.is(Token::Assign) {
                self.expect_definition("`=`")?;
                default = Some(self.expr()?);
                self.expected = "a full stop";
            }
        } else if self.is(Token::Equal) {
            let help = "give the sort of its values: `fluent at(square) : content = empty`; \
                        without one it is boolean and false unless `init` says otherwise";
            return self.unexpected_with("`:` or a full stop", Some(help.to_owned()));
        } else if self.is(Token::If) {
            let help = "a sort that starts with a minus needs a space: `: -1..1`".to_owned();
            return self.unexpected_with("`:` or a full stop", Some(help));
        }
        Ok(ItemKind::Fluent { name, keys, value, default, is_transient })
    }

    /// `move step(file, rank).`, `move pass.`
    pub(super) fn move_item(&mut self) -> Parsed<ItemKind> {
        let name = self.name("the name of a move")?;
        Ok(ItemKind::Move { name, params: self.parameters()? })
    }

    /// `(file, rank)`, or nothing.
    fn parameters(&mut self) -> Parsed<Vec<super::ast::SortExpr>> {
        let opening = self.position;
        if !self.is(Token::Open) {
            return Ok(Vec::new());
        }
        let sorts = self.sorts()?;
        self.expect_close(opening, "`,` or `)`")?;
        Ok(sorts)
    }

    /// `turns by result.`, `turns by path.`
    pub(super) fn turns_item(&mut self) -> Parsed<ItemKind> {
        self.expect_word("by")?;
        if self.eat_word("path") {
            return Ok(ItemKind::TurnsByResult(false));
        }
        if self.eat_word("result") {
            return Ok(ItemKind::TurnsByResult(true));
        }
        self.unexpected("`path` or `result`")
    }

    /// `object string = component(P : at(P) = C ; link adjacent ; same C).`
    pub(super) fn object_item(&mut self) -> Parsed<ItemKind> {
        let name = self.name("the name of an object")?;
        self.expect_definition("`=`")?;
        self.expect_word("component")?;
        let opening = self.position;
        self.expect(Token::Open, "`(`")?;
        let element = self.variable("a variable for the elements")?;
        self.expect(Token::Colon, "`:` and conditions")?;
        let body = self.conditions()?;
        self.expect(Token::Semicolon, "`,` or `; link RELATION`")?;
        self.expect_word("link")?;
        let link = self.name("the name of a relation")?;
        let mut same = None;
        if self.eat(Token::Semicolon) {
            self.expect_word("same")?;
            same = Some(self.variable("the variable all elements share")?);
        }
        self.expect_close(opening, "`; same VARIABLE` or `)`")?;
        Ok(ItemKind::Object { name, element, body, link, same })
    }
}
