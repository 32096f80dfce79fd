//! Phrases that stand in many sections: sides, descriptions, comparisons, squares, areas, directions.
//!
//! In: tokens. Out: their syntax trees.

use rulesmith_logic::Span;

use super::ast::{Area, Comparison, Description, Direction, Name, Names, Relation, Side, Square};
use super::cursor::{Parsed, Parser, scanned};
use super::lex::Token;
use super::words;
use super::{MAX_BOARD, MAX_COUNT};
use crate::source::Diagnostic;

/// What authors may write for a side.
const OTHER_SIDES: &[&str] = &["white", "black", "enemy", "me", "self", "own", "mine", "other"];

impl Parser<'_> {
    /// `player` or `opponent`.
    pub(super) fn side(&mut self) -> Parsed<Side> {
        let (what, words) = ("`player` or `opponent`", &["player", "opponent"]);
        if self
            .word()
            .is_some_and(|word| OTHER_SIDES.iter().any(|one| word.eq_ignore_ascii_case(one)))
        {
            let help = "a text is written for both sides: `player` is the one that a piece belongs to, \
                        `opponent` the other one";
            return self.unexpected_with(what, Some(help.to_owned()));
        }
        let word = self.choose(what, words)?;
        Ok(if word == "player" { Side::Player } else { Side::Opponent })
    }

    /// `player` or `opponent`, if one of them is next.
    pub(super) fn optional_side(&mut self) -> Option<Side> {
        if self.eat_word("player") {
            return Some(Side::Player);
        }
        self.eat_word("opponent").then_some(Side::Opponent)
    }

    /// `[{player} {king queen}]`.
    pub(super) fn description(&mut self) -> Parsed<Description> {
        let what = "a description like `[{opponent} any_piece]`";
        let opening = self.open(Token::OpenBracket, what)?;
        let owner = self.owner()?;
        let names = self.described_names()?;
        self.close(opening, Token::CloseBracket, "]")?;
        Ok(Description { owner, names })
    }

    /// `any_player`, or a side in braces; both sides are any.
    fn owner(&mut self) -> Parsed<Option<Side>> {
        let place = self.place(self.position);
        if let Some(side) = self.optional_side() {
            let word = if side == Side::Player { "{player}" } else { "{opponent}" };
            let problem = Diagnostic::error("syntax", place, "a side stands in braces here");
            self.report(problem.label("braces missing").help(format!("write `{word}`")));
            return Ok(Some(side));
        }
        if !self.is(Token::OpenBrace) {
            self.choose("`any_player`, `{player}` or `{opponent}`", &["any_player"])?;
            return Ok(None);
        }
        let sides = self.braces("a side", Self::side)?;
        match sides[..] {
            [] => self.empty(self.span_between(place), "side"),
            [first, ..] => Ok(sides.iter().all(|side| *side == first).then_some(first)),
        }
    }

    /// `any_piece`, perhaps `EXCEPT {..}`, or names in braces.
    fn described_names(&mut self) -> Parsed<Names> {
        if self.is(Token::OpenBrace) {
            return self.names().map(Names::Listed);
        }
        self.choose("`any_piece` or the names of pieces in braces", &["any_piece"])?;
        let except = if self.eat_word("EXCEPT") { self.names()? } else { vec![] };
        Ok(Names::Any { except })
    }

    /// `{king queen}`.
    pub(super) fn names(&mut self) -> Parsed<Vec<Name>> {
        let place = self.place(self.position);
        let names =
            self.braces("the names of pieces", |parser| parser.name("the name of a piece"))?;
        if names.is_empty() { self.empty(self.span_between(place), "name") } else { Ok(names) }
    }

    fn span_between(&self, start: Span) -> Span {
        Span { end: self.end_of_previous().end, ..start }
    }

    /// `[X = 1]`.
    pub(super) fn comparison(&mut self, most: i32) -> Parsed<Comparison> {
        let place = self.place(self.position);
        // Scanned texts have letters for brackets and ones.
        let opening = if self.is_word("IX") {
            self.report(scanned(place, self.slice(self.position), "[X"));
            self.position += 1;
            place
        } else {
            let opening = self.open(Token::OpenBracket, "a comparison like `[X = 1]`")?;
            self.expect_word("X")?;
            opening
        };
        let relation = match self.token() {
            Some(Token::Equal) => Relation::Equal,
            Some(Token::AtLeast) => Relation::AtLeast,
            Some(Token::AtMost) => Relation::AtMost,
            _ => return self.unexpected("`=`, `>=` or `<=`"),
        };
        self.position += 1;
        if self.is_word("II") || self.is_word("ll") {
            self.report(scanned(self.place(self.position), self.slice(self.position), "1]"));
            self.position += 1;
            return Ok(Comparison { relation, number: 1 });
        }
        let number = self.number("the number of a comparison", 0..=most)?;
        self.close(opening, Token::CloseBracket, "]")?;
        Ok(Comparison { relation, number })
    }

    /// `[X >= 2]` for a number of pieces.
    pub(super) fn count_comparison(&mut self) -> Parsed<Comparison> {
        self.comparison(MAX_COUNT)
    }

    /// `<1,2>` or `(1,2)`.
    pub(super) fn direction(&mut self) -> Parsed<Direction> {
        let place = self.place(self.position);
        let is_round = self.eat(Token::Open);
        if !is_round {
            self.expect(Token::Less, "a direction like `<1,1>`")?;
        }
        let size = MAX_BOARD - 1;
        let right = self.number("a step of a direction", -size..=size)?;
        self.expect(Token::Comma, "`,` between the two steps of a direction")?;
        let forward = self.number("a step of a direction", -size..=size)?;
        let (token, sign) = if is_round { (Token::Close, ")") } else { (Token::Greater, ">") };
        self.close(place, token, sign)?;
        Ok(Direction { right, forward })
    }

    /// Is a direction next?
    pub(super) fn is_at_direction(&self) -> bool {
        self.is(Token::Open) || self.is(Token::Less)
    }

    /// `(5,1)`, `(e,1)` or `e1`.
    pub(super) fn square(&mut self) -> Parsed<(Square, Span)> {
        let start = self.position;
        if let Some(square) = self.word().and_then(words::square) {
            self.position += 1;
            return Ok((square, self.span_from(start)));
        }
        let opening = self.open(Token::Open, "a square like `(5,1)` or `e1`")?;
        let column = self.column()?;
        self.expect(Token::Comma, "`,` between column and row")?;
        let row = self.number("a row", 1..=MAX_BOARD)?;
        self.close(opening, Token::Close, ")")?;
        Ok((Square { column, row }, self.span_from(start)))
    }

    /// A column: a number or a letter.
    fn column(&mut self) -> Parsed<i32> {
        if let Some(column) = self.word().and_then(words::column) {
            self.position += 1;
            return Ok(column);
        }
        self.number("a column", 1..=MAX_BOARD)
    }

    /// `{(1,1) (2,1)}`; one square may stand without braces.
    pub(super) fn squares(&mut self) -> Parsed<Vec<(Square, Span)>> {
        let start = self.place(self.position);
        if self.is(Token::Open) || self.word().is_some_and(|word| words::square(word).is_some()) {
            let mut squares = vec![self.square()?];
            if self.is_at_further_square() {
                self.further_squares(&mut squares)?;
            }
            return Ok(squares);
        }
        let squares = self.braces("squares like `(5,1)`", Self::square)?;
        if squares.is_empty() {
            return self.empty(self.span_between(start), "square");
        }
        Ok(squares)
    }

    /// Is a square next, and not a piece with the name of one?
    fn is_at_further_square(&self) -> bool {
        let next = self.position + 1;
        let is_name = self.is_word_at(next, "AT") || self.is_word_at(next, "IN_HAND");
        let is_square = self.word().is_some_and(|word| words::square(word).is_some());
        self.is(Token::Open) || is_square && !is_name
    }

    /// Squares behind one that has no braces: they are read and reported.
    fn further_squares(&mut self, squares: &mut Vec<(Square, Span)>) -> Parsed<()> {
        while self.is_at_further_square() {
            squares.push(self.square()?);
        }
        let names = squares.iter().map(|(square, _)| match words::file_letter(square.column) {
            Some(letter) => format!("{letter}{}", square.row),
            None => format!("({},{})", square.column, square.row),
        });
        let names: Vec<String> = names.collect();
        let span = squares.first().map_or(Span::default(), |(_, first)| *first);
        let message = "several squares stand in braces";
        let problem = Diagnostic::error("syntax", self.span_between(span), message);
        let help = format!("write `{{{}}}`", names.join(" "));
        self.report(problem.label("braces missing").help(help));
        Ok(())
    }

    /// Squares, a region's name, or `RANKS 1 .. 2 FILES 3 .. 4`.
    pub(super) fn area(&mut self) -> Parsed<(Area, Span)> {
        let start = self.position;
        let area = if self.is_word("RANKS") || self.is_word("FILES") {
            self.block_of_squares()?
        } else if self.word().is_some_and(|word| words::square(word).is_none()) {
            Area::Region(self.name("squares or the name of a region")?)
        } else {
            Area::Squares(self.squares()?)
        };
        Ok((area, self.span_from(start)))
    }

    fn block_of_squares(&mut self) -> Parsed<Area> {
        let (mut ranks, mut files) = (None, None);
        loop {
            if ranks.is_none() && self.eat_word("RANKS") {
                ranks = Some(self.range(|parser| parser.number("a row", 1..=MAX_BOARD))?);
            } else if files.is_none() && self.eat_word("FILES") {
                files = Some(self.range(Self::column)?);
            } else {
                return Ok(Area::Block { ranks, files });
            }
        }
    }

    /// `1 .. 3`; one end may stand alone.
    fn range(&mut self, end: impl Fn(&mut Self) -> Parsed<i32>) -> Parsed<(i32, i32)> {
        let first = end(self)?;
        let place = self.place(self.position);
        let is_dash = self.eat(Token::Minus);
        let last = if is_dash || self.eat(Token::Range) { end(self)? } else { first };
        if is_dash {
            let problem = Diagnostic::error("syntax", place, "a range is not written with `-`");
            self.report(problem.label("not a range").help("write `..`, like `1 .. 3`"));
        }
        Ok((first, last))
    }
}
