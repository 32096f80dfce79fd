//! The parser's outer loop: the sections of a game, in any order, whatever goes wrong.
//!
//! In: the tokens of one text. Out: a draft of the game with the places of its parts, and every problem on
//! the way. Invariant: a broken section costs no other section.

use std::collections::BTreeMap;

use rulesmith_logic::Span;

use super::ast::{
    Board, BoardKind, Constraints, Decider, Inversion, Name, Numbering, Piece, Place, Placement,
    Region, SclGame, Setup, Side,
};
use super::blocks::Block;
use super::cursor::{Parsed, Parser};
use super::lex::Token;
use super::words::{SECTIONS, is_reserved, near};
use super::{MAX_BOARD, MAX_COUNT, MAX_TURNS};
use crate::source::Diagnostic;

/// A game as far as it could be read, and where its parts stand.
#[derive(Debug)]
pub(super) struct Draft {
    /// What could be read; the rest is empty.
    pub(super) game: SclGame,
    /// The first place of each section that was there.
    pub(super) sections: BTreeMap<&'static str, Span>,
    /// The places of what has none in the tree.
    pub(super) places: Places,
    /// Texts to be included, with the number of pieces before them.
    pub(super) includes: Vec<(usize, Name)>,
}

/// Where parts of a game stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Each hole.
    pub(super) holes: Vec<Span>,
    /// Square one of the numbering.
    pub(super) numbering: Span,
    /// Each goal, those in `all` apart.
    pub(super) goals: Vec<Span>,
    /// Each area of each region.
    pub(super) regions: Vec<Vec<Span>>,
    /// Each draw.
    pub(super) draws: Vec<Span>,
    /// Each repetition.
    pub(super) repetitions: Vec<Span>,
    /// For each piece the first place of each of its sections.
    pub(super) pieces: Vec<BTreeMap<&'static str, Span>>,
}

/// The sections that may stand more than once.
const REPEATABLE: &[&str] = &["REGION", "DRAWS", "REPETITION", "DEFINE", "INCLUDE"];

/// The sections that every game has, with an example.
const REQUIRED: &[(&str, &str)] = &[
    ("GOALS", "GOALS stalemate opponent"),
    ("BOARD_SIZE", "BOARD_SIZE 8 BY 8"),
    ("BOARD_TYPE", "BOARD_TYPE planar"),
    ("PROMOTE_RANK", "PROMOTE_RANK 8"),
    ("SETUP", "SETUP man AT {(1,1) (3,1)}"),
];

/// A whole game.
pub(super) fn parse_game(parser: &mut Parser<'_>) -> Draft {
    let mut draft = Draft::new();
    if parser.token().is_none() {
        let problem = Diagnostic::error("no-game", parser.place(0), "there is no game here");
        parser.report(problem.label("nothing").help("start with `GAME` and a name"));
        return draft;
    }
    let name = parser.expect_word("GAME").and_then(|()| parser.name("the name of the game"));
    if let Ok(name) = name {
        draft.game.name = name;
    } else {
        parser.open.push((Block::Game, parser.place(0)));
        parser.skip_to_item();
        parser.open.pop();
        if parser.token().is_none() {
            return draft;
        }
    }
    let opening = parser.place(0);
    parser.items_from(Block::Game, opening, |parser, section| {
        let place = parser.place(parser.position - 1);
        let is_first = !draft.sections.contains_key(section);
        if !is_first && !REPEATABLE.contains(&section) {
            parser.duplicate(section, place, draft.sections[section]);
            return parser.section(section, &mut Draft::new());
        }
        draft.sections.entry(section).or_insert(place);
        parser.section(section, &mut draft)
    });
    if !parser.diagnostics.is_full() {
        parser.end_of_game();
        parser.missing_sections(&draft);
    }
    draft
}

/// A text of pieces alone.
pub(super) fn parse_pieces(parser: &mut Parser<'_>) -> Draft {
    let mut draft = Draft::new();
    parser.items(Block::Pieces, |parser, item| parser.section(item, &mut draft));
    draft
}

impl Draft {
    pub(super) fn new() -> Self {
        let name = Name { text: String::new(), span: Span::default() };
        let (width, height, kind) = (MAX_BOARD, MAX_BOARD, BoardKind::Planar);
        let game = SclGame {
            name,
            goals: vec![],
            board: Board { width, height, kind, holes: vec![], numbering: None },
            inversion: None,
            promote_rank: 1,
            regions: vec![],
            setup: Setup::Placements(vec![]),
            constraints: Constraints::default(),
            draws: vec![],
            repetitions: vec![],
            pieces: vec![],
        };
        let (sections, places, includes) = (BTreeMap::new(), Places::default(), vec![]);
        Self { game, sections, places, includes }
    }

    /// Adds a piece and the places of its sections.
    pub(super) fn add_piece(&mut self, piece: Piece, places: BTreeMap<&'static str, Span>) {
        self.game.pieces.push(piece);
        self.places.pieces.push(places);
    }
}

impl Parser<'_> {
    fn section(&mut self, section: &'static str, draft: &mut Draft) -> Parsed<()> {
        self.section = section;
        let game = &mut draft.game;
        match section {
            "GOALS" => {
                (game.goals, draft.places.goals) = self.goals().into_iter().unzip();
            }
            "BOARD_SIZE" => {
                let n_known = self.diagnostics.list.len();
                let width = self.number("the width of a board", 1..=MAX_BOARD)?;
                self.expect_word("BY")?;
                let height = self.number("the height of a board", 1..=MAX_BOARD)?;
                // With a wrong size no square can be judged.
                if self.diagnostics.list.len() == n_known {
                    (game.board.width, game.board.height) = (width, height);
                }
            }
            "BOARD_TYPE" => game.board.kind = self.board_kind()?,
            "BOARD_HOLES" => {
                (game.board.holes, draft.places.holes) = self.squares()?.into_iter().unzip();
            }
            "BOARD_NUMBERS" => {
                let (numbering, place) = self.numbering()?;
                draft.places.numbering = place;
                game.board.numbering = Some(numbering);
            }
            "INVERSION" => game.inversion = Some(self.inversion()?),
            "PROMOTE_RANK" => game.promote_rank = self.number("a row", 1..=MAX_BOARD)?,
            "REGION" => {
                let (region, places) = self.region()?;
                game.regions.push(region);
                draft.places.regions.push(places);
            }
            "SETUP" => game.setup = self.setup()?,
            "CONSTRAINTS" => game.constraints = self.constraints(true)?,
            "DRAWS" => {
                for (draw, place) in self.draws()? {
                    game.draws.push(draw);
                    draft.places.draws.push(place);
                }
            }
            "REPETITION" => {
                let start = self.position;
                game.repetitions.push(self.repetition()?);
                draft.places.repetitions.push(self.span_from(start));
            }
            "INCLUDE" => {
                let path = self.quoted("the name of a file in quotes")?;
                draft.includes.push((draft.game.pieces.len(), path));
            }
            _ => {
                let (piece, places) = self.piece()?;
                draft.add_piece(piece, places);
            }
        }
        Ok(())
    }

    /// How the squares of draughts are numbered, and where that begins.
    fn numbering(&mut self) -> Parsed<(Numbering, Span)> {
        let (first, place) = self.square()?;
        let mut numbering = Numbering { first, is_black_first: false, is_algebraic: false };
        loop {
            if !numbering.is_black_first && self.eat_word("black_first") {
                numbering.is_black_first = true;
            } else if !numbering.is_algebraic && self.eat_word("algebraic") {
                numbering.is_algebraic = true;
            } else {
                return Ok((numbering, place));
            }
        }
    }

    /// Says that a section stands there again.
    pub(super) fn duplicate(&mut self, section: &str, place: Span, first: Span) {
        let problem =
            Diagnostic::error("duplicate", place, format!("`{section}` stands here twice"))
                .label("again")
                .related(first, "the first one")
                .help("put everything into one section");
        self.report(problem);
    }

    /// A text in quotes.
    pub(super) fn quoted(&mut self, what: &str) -> Parsed<Name> {
        let (slice, span) = (self.slice(self.position), self.place(self.position));
        self.expect(Token::Text, what)?;
        Ok(Name { text: slice.trim_matches('"').to_owned(), span })
    }

    fn board_kind(&mut self) -> Parsed<BoardKind> {
        let kinds = &["planar", "vertical_cylinder"];
        let kind = self.choose("`planar` or `vertical_cylinder`", kinds)?;
        Ok(if kind == "planar" { BoardKind::Planar } else { BoardKind::VerticalCylinder })
    }

    fn inversion(&mut self) -> Parsed<Inversion> {
        let inversions = &["diagonal", "forward", "side"];
        Ok(match self.choose("`diagonal`, `forward` or `side`", inversions)? {
            "diagonal" => Inversion::Diagonal,
            "forward" => Inversion::Forward,
            _ => Inversion::Side,
        })
    }

    /// `name area + area`.
    fn region(&mut self) -> Parsed<(Region, Vec<Span>)> {
        let name = self.name("the name of a region")?;
        let (mut areas, mut places) = (vec![], vec![]);
        loop {
            let (area, place) = self.area()?;
            areas.push(area);
            places.push(place);
            if !self.eat(Token::Plus) {
                return Ok((Region { name, areas }, places));
            }
        }
    }

    fn setup(&mut self) -> Parsed<Setup> {
        if self.eat_word("DECISION") {
            return self.leaf(Block::Decision, Self::assignment);
        }
        let mut placements = vec![];
        while self.is_at_placement() || placements.is_empty() {
            placements.push(self.placement()?);
        }
        Ok(Setup::Placements(placements))
    }

    /// Is a placement next, or a broken one, rather than the next section, perhaps misspelled?
    fn is_at_placement(&self) -> bool {
        let Some(word) = self.word() else { return false };
        if ["player", "opponent"].iter().any(|side| word.eq_ignore_ascii_case(side)) {
            return true;
        }
        let next = self.position + 1;
        let is_place = self.is_word_at(next, "AT") || self.is_word_at(next, "IN_HAND");
        !is_reserved(word) && (is_place || near(word, SECTIONS.iter().copied()).is_none())
    }

    /// `rook AT {..}` or `opponent pawn IN_HAND 2`.
    fn placement(&mut self) -> Parsed<Placement> {
        let side = self.optional_side();
        let name = self.name("the name of a piece")?;
        let place = match self.choose("`AT` and squares, or `IN_HAND`", &["AT", "IN_HAND"])? {
            "AT" => Place::At(self.squares()?),
            _ => Place::InHand(self.number("a number of pieces in hand", 1..=MAX_COUNT)?),
        };
        Ok(Placement { side, name, place })
    }

    /// `player ASSIGNS {..} TO {..}`, or `random 7 ASSIGNS ..`.
    fn assignment(&mut self) -> Parsed<Setup> {
        let deciders = &["player", "opponent", "random"];
        let decider = match self.choose("`player`, `opponent` or `random`", deciders)? {
            "player" => Decider::Side(Side::Player),
            "opponent" => Decider::Side(Side::Opponent),
            _ if self.is(Token::Int) => {
                Decider::Random(self.number("the number of a draw", 0..=MAX_TURNS)?)
            }
            _ => Decider::Random(0),
        };
        self.expect_word("ASSIGNS")?;
        let names = self.names()?;
        self.expect_word("TO")?;
        let squares = self.squares()?;
        Ok(Setup::Assignment { decider, names, squares })
    }

    /// The full stop, and nothing behind it.
    fn end_of_game(&mut self) {
        let last = self.position.saturating_sub(1);
        let is_ended =
            self.is_word_at(last, "GAME") && self.is_word_at(last.wrapping_sub(1), "END");
        if !self.eat(Token::Stop) && is_ended {
            let place = self.end_of_previous();
            let problem = Diagnostic::error("missing-stop", place, "missing full stop");
            self.report(problem.label("a full stop is missing here").help("write `END GAME.`"));
        }
        if is_ended && self.token().is_some() {
            let problem = Diagnostic::error(
                "syntax",
                self.place(self.position),
                "something stands behind the end of the game",
            );
            let help = "remove it, or move it before `END GAME.`";
            self.report(problem.label("not part of the game").help(help));
        }
    }

    fn missing_sections(&mut self, draft: &Draft) {
        for (section, example) in REQUIRED {
            if !draft.sections.contains_key(section) {
                let place = self.end_of_previous();
                let message = format!("the game has no section `{section}`");
                let problem = Diagnostic::error("missing-section", place, message);
                self.report(
                    problem
                        .label(format!("`{section}` missing"))
                        .help(format!("add one, like `{example}`")),
                );
            }
        }
    }
}
