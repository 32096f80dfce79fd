//! The kinds of pieces: `DEFINE name .. END DEFINE`.
//!
//! In: tokens behind `DEFINE`. Out: the piece, and the places of its sections. Invariant: a piece with a
//! broken section is still a piece, so that its name is known.

use std::collections::BTreeMap;

use rulesmith_logic::Span;

use super::ast::{
    Capture, Castle, Description, Dropping, Effect, Into, Methods, Name, Piece, Promoting,
    PromotingOn, Side,
};
use super::blocks::Block;
use super::cursor::{Failed, Parsed, Parser};
use super::{MAX_BOARD, MAX_COUNT};
use crate::source::Diagnostic;

/// What limits drops, beside `TO`, which stands elsewhere too.
const DROPS: &[&str] = &["AS", "NOT_SHARING_FILE", "NOT_SHARING_COLOR", "NO_CHECK", "NO_CHECKMATE"];

/// What stands before the movements of a capture.
struct CaptureHead {
    methods: Methods,
    victims: Description,
    effect: Effect,
    becoming: Option<Name>,
    /// `AS_MOVING`: the paths are those of `MOVING`.
    as_moving: bool,
}

impl Parser<'_> {
    /// A piece; `DEFINE` was read.
    pub(super) fn piece(&mut self) -> Parsed<(Piece, BTreeMap<&'static str, Span>)> {
        let opening = self.place(self.position - 1);
        let name = self.name("the name of a piece");
        let is_named = name.is_ok();
        let name =
            name.unwrap_or_else(|_| Name { text: String::new(), span: self.place(self.position) });
        let mut piece = Piece::inert(name);
        let (mut places, mut as_moving) = (BTreeMap::new(), vec![]);
        if !is_named && !self.word().is_some_and(|word| self.is_boundary_word(word)) {
            // A word of the language in the place of the name.
            self.position += usize::from(self.word().is_some());
        }
        self.items_from(Block::Define, opening, |parser, section| {
            let place = parser.place(parser.position - 1);
            if let Some(first) = places.get(section) {
                parser.duplicate(section, place, *first);
                let mut other = Piece::inert(piece.name.clone());
                return parser.piece_section(section, &mut other, &mut vec![]);
            }
            places.insert(section, place);
            parser.piece_section(section, &mut piece, &mut as_moving)
        });
        // Sections stand in any order, so this waits for all of them.
        for at in as_moving {
            piece.capturing[at].movements.extend(piece.moving.iter().cloned());
        }
        if is_named { Ok((piece, places)) } else { Err(Failed) }
    }

    /// One section; the captures that go the ways of `MOVING` are noted.
    fn piece_section(
        &mut self,
        section: &'static str,
        piece: &mut Piece,
        as_moving: &mut Vec<usize>,
    ) -> Parsed<()> {
        match section {
            "SYMBOL" => piece.symbol = Some(self.symbol()?),
            "MOVING" => {
                let place = self.place(self.position - 1);
                piece.moving = self.movements(Block::Moving);
                if piece.moving.is_empty() {
                    self.nothing_in(place, "movement");
                }
            }
            "CAPTURING" => (piece.capturing, *as_moving) = self.captures(),
            "CASTLING" => piece.castling = self.castles(),
            "PROMOTING" => piece.promoting = Some(self.leaf(Block::Promoting, Self::promoting)?),
            "DROPPING" => piece.dropping = Some(self.leaf(Block::Dropping, Self::dropping)?),
            "LIMIT" => piece.limit = Some(self.number("a number of pieces", 0..=MAX_COUNT)?),
            "REVERTS_TO" => piece.reverts_to = Some(self.name("the name of a piece")?),
            _ => piece.constraints = self.constraints(false)?,
        }
        Ok(())
    }

    /// Says that a section holds nothing, unless something in it was reported already.
    fn nothing_in(&mut self, place: Span, what: &str) {
        let is_inside = |problem: &Diagnostic| {
            problem.span.file == place.file && problem.span.start >= place.start
        };
        if !self.diagnostics.list.iter().any(is_inside) {
            let _ = self.empty::<()>(place, what);
        }
    }

    /// `"N"`, `"+P"` or `"N~"`.
    fn symbol(&mut self) -> Parsed<String> {
        if let Some(word) = self.word().filter(|word| word.len() == 1) {
            let help = format!("write `SYMBOL \"{word}\"`");
            return self.unexpected_with("a symbol in quotes like \"N\"", Some(help));
        }
        let text = self.quoted("a symbol in quotes like \"N\"")?;
        let symbol = text.text.to_ascii_uppercase();
        let is_letter = |byte: u8| byte.is_ascii_alphabetic();
        let is_symbol = match *symbol.as_bytes() {
            [letter] | [b'+', letter] | [letter, b'~'] => is_letter(letter),
            _ => false,
        };
        if is_symbol {
            return Ok(symbol);
        }
        let message = "a symbol is a letter, perhaps with `+` before it or `~` behind it";
        let problem = Diagnostic::error("bad-symbol", text.span, message);
        self.fail(problem.label("not a symbol").help("write it like \"N\", \"+P\" or \"N~\""))
    }

    /// The captures, and the places of those that go the ways of `MOVING` too.
    fn captures(&mut self) -> (Vec<Capture>, Vec<usize>) {
        let place = self.place(self.position - 1);
        let (mut captures, mut as_moving) = (vec![], vec![]);
        self.items(Block::Capturing, |parser, _| {
            if let Some((capture, is_as_moving)) = parser.capture() {
                as_moving.extend(is_as_moving.then_some(captures.len()));
                captures.push(capture);
            }
            Ok(())
        });
        if captures.is_empty() {
            self.nothing_in(place, "capture");
        }
        (captures, as_moving)
    }

    /// `BY {..} TYPE .. EFFECT ..` and movements; whether those of `MOVING` count too.
    fn capture(&mut self) -> Option<(Capture, bool)> {
        let start = self.position - 1;
        let opening = self.place(start);
        self.open.push((Block::Capture, opening));
        let head = self.capture_head();
        if head.is_err() {
            self.skip_to_item();
        }
        self.open.pop();
        let movements = self.movements_from(Block::Capture, opening);
        let CaptureHead { methods, victims, effect, becoming, as_moving } = head.ok()?;
        if movements.is_empty() && !as_moving {
            self.nothing_in(opening, "movement");
        }
        let span = self.span_from(start);
        Some((Capture { methods, victims, effect, becoming, movements, span }, as_moving))
    }

    fn capture_head(&mut self) -> Parsed<CaptureHead> {
        self.expect_word("BY")?;
        let mut methods = Methods::default();
        self.braces("ways to capture", |parser| {
            let words = &["retrieve", "clobber", "hop", "trail"];
            // `HOP` is also the word for a path.
            let is_hop = parser.eat_word("HOP");
            let word = if is_hop {
                "hop"
            } else {
                parser.choose("`retrieve`, `clobber`, `hop` or `trail`", words)?
            };
            match word {
                "retrieve" => methods.retrieve = true,
                "clobber" => methods.clobber = true,
                "hop" => methods.hop = true,
                _ => methods.trail = true,
            }
            Ok(())
        })?;
        self.expect_word("TYPE")?;
        let victims = self.description()?;
        self.expect_word("EFFECT")?;
        let effect = self.effect()?;
        let becomes = self.eat_word("BECOMING");
        let becoming = if becomes { Some(self.name("the name of a piece")?) } else { None };
        let as_moving = self.eat_word("AS_MOVING");
        Ok(CaptureHead { methods, victims, effect, becoming, as_moving })
    }

    fn effect(&mut self) -> Parsed<Effect> {
        let words = &["remove", "explode", "player", "opponent"];
        let what = "`remove`, `player possesses`, `opponent possesses` or `explode`";
        let Ok(word) = self.choose(what, words) else {
            // `EFFECT capture` opens no other capture.
            let is_meant = self.is_word("CAPTURE") && !self.is_word_at(self.position + 1, "BY");
            self.position += usize::from(is_meant);
            return Err(Failed);
        };
        let side = match word {
            "remove" => return Ok(Effect::Remove),
            "explode" => {
                let spares = self.eat_word("SPARING");
                let sparing = if spares { Some(self.description()?) } else { None };
                return Ok(Effect::Explode { sparing });
            }
            "player" => Side::Player,
            _ => Side::Opponent,
        };
        self.expect_word("possesses")?;
        Ok(Effect::Possesses(side))
    }

    fn castles(&mut self) -> Vec<Castle> {
        let place = self.place(self.position - 1);
        let mut castles = vec![];
        self.items(Block::Castling, |parser, _| {
            castles.push(parser.castle()?);
            Ok(())
        });
        if castles.is_empty() {
            self.nothing_in(place, "`CASTLE`");
        }
        castles
    }

    /// `RIGHT WITH rook TO (7,1) PARTNER TO (6,1)`.
    fn castle(&mut self) -> Parsed<Castle> {
        let start = self.position - 1;
        let is_right = self.choose("`RIGHT` or `LEFT`", &["RIGHT", "LEFT"])? == "RIGHT";
        let from = if self.eat_word("FROM") { Some(self.square()?.0) } else { None };
        self.expect_word("WITH")?;
        let partner = self.name("the name of the partner")?;
        let partner_from = if self.eat_word("AT") { Some(self.square()?.0) } else { None };
        self.expect_word("TO")?;
        let (to, _) = self.square()?;
        self.expect_word("PARTNER")?;
        self.expect_word("TO")?;
        let (partner_to, _) = self.square()?;
        let span = self.span_from(start);
        Ok(Castle { is_right, from, partner, partner_from, to, partner_to, span })
    }

    fn promoting(&mut self) -> Parsed<Promoting> {
        let on = if self.eat_word("ON") { Some(self.promoting_on()?) } else { None };
        let is_in = self.eat_word("IN");
        let area = if is_in { Some(self.name("the name of a region")?) } else { None };
        let words = &["PROMOTE_TO", "DECISION"];
        let into = if self.choose("`PROMOTE_TO` or `DECISION`", words)? == "PROMOTE_TO" {
            Into::Kind(self.name("the name of a piece")?)
        } else {
            let decider = self.side()?;
            self.expect_word("OPTIONS")?;
            Into::Decision { decider, options: self.description()? }
        };
        Ok(Promoting { on, area, into })
    }

    fn promoting_on(&mut self) -> Parsed<PromotingOn> {
        let mut on = PromotingOn::default();
        self.braces("when it promotes", |parser| {
            let words = &["enter", "within", "leave", "passing"];
            match parser.choose("`enter`, `within`, `leave` or `passing`", words)? {
                "enter" => on.enter = true,
                "within" => on.within = true,
                "leave" => on.leave = true,
                _ => on.passing = true,
            }
            Ok(())
        })?;
        Ok(on)
    }

    /// The limits in any order, each at most once.
    fn dropping(&mut self) -> Parsed<Dropping> {
        let mut dropping = Dropping::default();
        loop {
            let start = self.position;
            let word = if self.eat_word("TO") { Some("TO") } else { self.choose_phrase(DROPS) };
            match word {
                Some("TO") if dropping.to.is_none() => {
                    dropping.to = Some(self.name("the name of a region")?);
                }
                Some("AS") if dropping.kinds.is_empty() => dropping.kinds = self.names()?,
                Some("NOT_SHARING_FILE") if dropping.not_sharing_file.is_none() => {
                    dropping.not_sharing_file = Some(self.description()?);
                    if self.eat_word("UP_TO") {
                        dropping.up_to = Some(self.number("a number of pieces", 1..=MAX_BOARD)?);
                    }
                }
                Some("NOT_SHARING_COLOR") if dropping.not_sharing_color.is_none() => {
                    dropping.not_sharing_color = Some(self.description()?);
                    dropping.reserved = self.eat_word("RESERVED");
                }
                Some("NO_CHECK") if !dropping.no_check => dropping.no_check = true,
                Some("NO_CHECKMATE") if !dropping.no_checkmate => dropping.no_checkmate = true,
                _ => {
                    self.position = start;
                    return Ok(dropping);
                }
            }
        }
    }
}
