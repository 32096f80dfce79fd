//! Movements: `MOVEMENT .. END MOVEMENT`.
//!
//! In: tokens. Out: the form of the path, its direction, the images of it that count, and guards.

use rulesmith_logic::Span;

use super::MAX_BOARD;
use super::ast::{Direction, Guard, Movement, Path, Symmetry};
use super::blocks::Block;
use super::cursor::{Parsed, Parser};
use super::lex::Token;
use crate::source::Diagnostic;

/// What `STAY` has in the place of a direction, which nothing looks at.
const NO_DIRECTION: Direction = Direction { right: 0, forward: 1 };

impl Parser<'_> {
    /// The movements of a block whose word was just read.
    pub(super) fn movements(&mut self, block: Block) -> Vec<Movement> {
        let opening = self.place(self.position - 1);
        self.movements_from(block, opening)
    }

    /// The movements of a block that was opened there.
    pub(super) fn movements_from(&mut self, block: Block, opening: Span) -> Vec<Movement> {
        let mut movements = vec![];
        self.items_from(block, opening, |parser, _| {
            movements.push(parser.movement()?);
            Ok(())
        });
        movements
    }

    /// A movement; `MOVEMENT` was read.
    fn movement(&mut self) -> Parsed<Movement> {
        let start = self.position - 1;
        let mut movement = self.leaf(Block::Movement, Self::movement_inside)?;
        movement.span = self.span_from(start);
        Ok(movement)
    }

    fn movement_inside(&mut self) -> Parsed<Movement> {
        let what = "`LEAP`, `RIDE`, `HOP` or `STAY`";
        let (path, direction) = match self.choose(what, &["LEAP", "RIDE", "HOP", "STAY"])? {
            "LEAP" => self.leap()?,
            "RIDE" => self.ride_and_direction()?,
            "STAY" => (Path::Stay, NO_DIRECTION),
            _ => (self.hop()?, self.direction()?),
        };
        let symmetry = if path == Path::Stay {
            Symmetry::default()
        } else {
            self.expect_word("SYMMETRY")?;
            self.symmetry()?
        };
        let (guards, leaves_trail, leaving, becoming) = (vec![], false, None, None);
        let span = Span::default();
        let mut movement =
            Movement { path, direction, symmetry, guards, leaves_trail, leaving, becoming, span };
        self.endings(&mut movement)?;
        Ok(movement)
    }

    /// `LEAP <1,2>` or `LEAP LAME <0,1> <1,2>`: the last direction is the leap itself.
    fn leap(&mut self) -> Parsed<(Path, Direction)> {
        if !self.eat_word("LAME") {
            return Ok((Path::Leap { lame: vec![] }, self.direction()?));
        }
        let start = self.position;
        let mut lame = vec![self.direction()?];
        while self.is_at_direction() {
            lame.push(self.direction()?);
        }
        let direction = lame.pop().unwrap_or(Direction { right: 0, forward: 0 });
        if lame.is_empty() {
            let message = "`LAME` needs the squares that must be empty, and then the leap";
            let problem = Diagnostic::error("syntax", self.span_from(start), message);
            let help = "write both, like `LEAP LAME <0,1> <1,2>`";
            self.report(problem.label("only one direction").help(help));
        }
        Ok((Path::Leap { lame }, direction))
    }

    /// `RIDE MAX 3 <1,0>`. Bounds behind the direction are read too, and reported.
    fn ride_and_direction(&mut self) -> Parsed<(Path, Direction)> {
        let (path, direction) = (self.ride()?, self.direction()?);
        let start = self.position;
        let Some(word) = ["MIN", "MAX", "LONGEST"].into_iter().find(|word| self.is_word(word))
        else {
            return Ok((path, direction));
        };
        self.ride()?;
        let message = format!("`{word}` stands before the direction");
        let problem = Diagnostic::error("syntax", self.span_from(start), message);
        let bound = if word == "LONGEST" { word.to_owned() } else { format!("{word} 3") };
        let help = format!("write it like `RIDE {bound} <1,0>`");
        self.report(problem.label("behind the direction").help(help));
        Ok((path, direction))
    }

    fn ride(&mut self) -> Parsed<Path> {
        let (mut min, mut max, mut longest) = (None, None, false);
        loop {
            if min.is_none() && self.eat_word("MIN") {
                min = Some(self.number("the least number of steps", 1..=MAX_BOARD)?);
            } else if max.is_none() && self.eat_word("MAX") {
                max = Some(self.number("the greatest number of steps", 1..=MAX_BOARD)?);
            } else if !longest && self.eat_word("LONGEST") {
                longest = true;
            } else {
                return Ok(Path::Ride { min, max, longest });
            }
        }
    }

    fn hop(&mut self) -> Parsed<Path> {
        self.is_in_hop = true;
        let path = self.hop_inside();
        self.is_in_hop = false;
        path
    }

    fn hop_inside(&mut self) -> Parsed<Path> {
        self.expect_word("BEFORE")?;
        let before = self.comparison(MAX_BOARD)?;
        self.expect_word("OVER")?;
        let over = self.comparison(MAX_BOARD)?;
        self.expect_word("AFTER")?;
        let after = self.comparison(MAX_BOARD)?;
        self.expect_word("HOP_OVER")?;
        let over_whom = self.description()?;
        Ok(Path::Hop { before, over, after, over_whom })
    }

    fn symmetry(&mut self) -> Parsed<Symmetry> {
        let words = ["forward", "side", "rotation"];
        if let Some(word) = words.into_iter().find(|word| self.is_word(word)) {
            let place = self.place(self.position);
            let problem = Diagnostic::error("syntax", place, "symmetries stand in braces");
            let help = format!("write `SYMMETRY {{{word}}}`");
            self.report(problem.label("braces missing").help(help));
            self.position += 1;
            return Ok(Symmetry {
                forward: word == "forward",
                side: word == "side",
                rotation: word == "rotation",
            });
        }
        if !self.is(Token::OpenBrace) {
            self.choose("`all_symmetry` or `{forward side rotation}`", &["all_symmetry"])?;
            return Ok(Symmetry { forward: true, side: true, rotation: true });
        }
        let mut symmetry = Symmetry::default();
        self.braces("symmetries", |parser| {
            match parser.choose("`forward`, `side` or `rotation`", &words)? {
                "forward" => symmetry.forward = true,
                "side" => symmetry.side = true,
                _ => symmetry.rotation = true,
            }
            Ok(())
        })?;
        Ok(symmetry)
    }

    /// Guards, and what the movement leaves and makes of the piece, in any order.
    fn endings(&mut self, movement: &mut Movement) -> Parsed<()> {
        let what = "the name of a piece";
        loop {
            movement.guards.extend(self.guards()?);
            let (start, place) = (self.position, self.place(self.position));
            let is_again = if self.eat_word("TRAIL") {
                std::mem::replace(&mut movement.leaves_trail, true)
            } else if self.eat_word("LEAVING") {
                movement.leaving.replace(self.name(what)?).is_some()
            } else if self.eat_word("BECOMING") {
                movement.becoming.replace(self.name(what)?).is_some()
            } else {
                return Ok(());
            };
            if is_again {
                let message = format!("`{}` stands here twice", self.slice(start));
                let problem = Diagnostic::error("duplicate", place, message);
                self.report(problem.label("again").help("leave one of them out"));
            }
        }
    }

    fn guards(&mut self) -> Parsed<Vec<Guard>> {
        let mut guards = vec![];
        loop {
            let what = "the name of a region";
            guards.push(if self.eat_word("FROM") {
                Guard::From(self.name(what)?)
            } else if self.eat_word("TO") {
                Guard::To(self.name(what)?)
            } else if self.eat_word("WITHIN") {
                Guard::Within(self.name(what)?)
            } else if self.eat_word("UNMOVED") {
                Guard::Unmoved
            } else if self.eat_word("UNCHECKED") {
                Guard::Unchecked
            } else if self.eat_word("ALONE") {
                Guard::Alone
            } else if self.eat_word("PEACEFUL") {
                Guard::Peaceful
            } else {
                return Ok(guards);
            });
        }
    }
}
