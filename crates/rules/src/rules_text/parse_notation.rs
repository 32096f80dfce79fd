//! Notation: glyphs, letters, move and position texts, boards and drawings.
//!
//! In: tokens behind the keyword. Out: how things are written and drawn.

use super::ast::{Expr, ItemKind, Name, NotationPart, Text};
use super::cursor::{Parsed, Parser};
use super::lex::Token;

impl Parser<'_> {
    /// `glyph white = "O", empty = ".".`, `glyph at : white = "O".`
    pub(super) fn glyph_item(&mut self) -> Parsed<ItemKind> {
        let mut fluent = None;
        if self.second() == Some(Token::Colon) {
            fluent = Some(self.name("the name of a fluent")?);
            self.advance();
        }
        let mut glyphs = vec![self.glyph()?];
        while self.eat(Token::Comma) {
            glyphs.push(self.glyph()?);
        }
        self.expected = "`,` or a full stop";
        Ok(ItemKind::Glyphs { fluent, glyphs })
    }

    /// `white = "O"`.
    fn glyph(&mut self) -> Parsed<(Expr, Text)> {
        let value = self.expr_or("a value")?;
        self.expect(Token::Equal, "`=` and its glyph")?;
        Ok((value, self.string("a glyph: \"O\"")?))
    }

    /// `letters file = "abcdefgh".`
    pub(super) fn letters_item(&mut self) -> Parsed<ItemKind> {
        let sort = self.name("the name of a sort")?;
        self.expect(Token::Equal, "`=` and the letters")?;
        Ok(ItemKind::Letters { sort, text: self.string("the letters: \"abc\"")? })
    }

    /// `notation step(F, R) = F "-" R.`, `notation position = at " " turn.`
    pub(super) fn notation_item(&mut self) -> Parsed<ItemKind> {
        if self.is_word("position") && self.second() == Some(Token::Equal) {
            self.position += 2;
            return Ok(ItemKind::PositionNotation { parts: self.notation_parts()? });
        }
        let act = self.application("a move, or `position`")?;
        self.expect(Token::Equal, "`=` and how it is written")?;
        Ok(ItemKind::MoveNotation { act, parts: self.notation_parts()? })
    }

    fn notation_parts(&mut self) -> Parsed<Vec<NotationPart>> {
        let mut parts = Vec::new();
        while parts.is_empty()
            || !(self.starts_line(self.position) && self.starts_item(self.position))
        {
            parts.push(match self.token() {
                Some(Token::Text | Token::LongText) => NotationPart::Text(self.string("a text")?),
                Some(Token::Var) => NotationPart::Name(self.variable("a variable")?),
                Some(Token::Name | Token::Quoted) => NotationPart::Name(self.name("a name")?),
                _ if parts.is_empty() => return self.unexpected("a string, variable or fluent"),
                _ => break,
            });
        }
        self.expected = "a string, variable, fluent or full stop";
        Ok(parts)
    }

    /// `display at(X, Y) across X, down Y, slant 1.`
    pub(super) fn display_item(&mut self) -> Parsed<ItemKind> {
        let fluent = self.application("a fluent")?;
        self.expect_word("across")?;
        let across = self.variable("a variable of the fluent")?;
        let (mut down, mut is_up, mut slant) = (None, false, 0);
        self.expected = "`, up`, `, down`, `, slant` or a full stop";
        while self.eat(Token::Comma) {
            if self.is_word("up") || self.is_word("down") {
                (is_up, down) = (self.is_word("up"), Some(self.display_key()?));
            } else if self.eat_word("slant") {
                let sign = if self.eat(Token::Minus) { -1 } else { 1 };
                slant = sign * self.integer("how many half cells each row is shifted")?;
            } else {
                return self.unexpected("`up`, `down` or `slant`");
            }
        }
        Ok(ItemKind::Display { fluent, across, down, is_up, slant })
    }

    fn display_key(&mut self) -> Parsed<Name> {
        self.advance();
        self.variable("a variable of the fluent")
    }

    /// `picture at = """…""".`
    pub(super) fn picture_item(&mut self) -> Parsed<ItemKind> {
        let fluent = self.name("the name of a fluent")?;
        self.expect(Token::Equal, "`=` and a drawing")?;
        Ok(ItemKind::Picture { fluent, text: self.string("a drawing: \"\"\"…\"\"\"")? })
    }
}
