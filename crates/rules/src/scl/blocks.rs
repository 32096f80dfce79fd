//! Blocks: what is opened by a word and closed by `END` and the same word, and how to go on after a mistake.
//!
//! In: tokens. Out: the items of a block, one after the other, whatever goes wrong between them.
//! Invariant: a broken item costs no other item: parsing goes on where the next item of this block or of
//! one around it starts, and every round moves forward.

use rulesmith_logic::Span;

use super::cursor::{Failed, Parsed, Parser};
use super::words::{PIECE_ITEMS, PIECE_SECTIONS, SECTIONS, is_reserved, near};
use crate::source::Diagnostic;

/// What is closed by `END` and a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// `GAME`.
    Game,
    /// A text of pieces alone; nothing closes it.
    Pieces,
    /// `DEFINE`.
    Define,
    /// `MOVING`.
    Moving,
    /// `MOVEMENT`.
    Movement,
    /// `CAPTURING`.
    Capturing,
    /// `CAPTURE`.
    Capture,
    /// `CASTLING`.
    Castling,
    /// `PROMOTING`.
    Promoting,
    /// `DROPPING`.
    Dropping,
    /// `DECISION` in a setup.
    Decision,
}

/// The words behind `END`.
const CLOSING: &[&str] = &[
    "GAME",
    "DEFINE",
    "MOVING",
    "MOVEMENT",
    "CAPTURING",
    "CAPTURE",
    "CASTLING",
    "PROMOTING",
    "DROPPING",
    "DECISION",
];

impl Block {
    /// The word that opens it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Game => "GAME",
            Self::Pieces => "",
            Self::Define => "DEFINE",
            Self::Moving => "MOVING",
            Self::Movement => "MOVEMENT",
            Self::Capturing => "CAPTURING",
            Self::Capture => "CAPTURE",
            Self::Castling => "CASTLING",
            Self::Promoting => "PROMOTING",
            Self::Dropping => "DROPPING",
            Self::Decision => "DECISION",
        }
    }

    /// The words that start its items.
    fn items(self) -> &'static [&'static str] {
        match self {
            Self::Game => SECTIONS,
            Self::Pieces => PIECE_ITEMS,
            Self::Define => PIECE_SECTIONS,
            Self::Moving | Self::Capture => &["MOVEMENT"],
            Self::Capturing => &["CAPTURE"],
            Self::Castling => &["CASTLE"],
            Self::Movement | Self::Promoting | Self::Dropping | Self::Decision => &[],
        }
    }

    /// What may stand in it, for messages.
    fn content(self) -> &'static str {
        match self {
            Self::Game => "a section or `END GAME.`",
            Self::Pieces => "`DEFINE` or `INCLUDE`",
            Self::Define => "a section of the piece or `END DEFINE`",
            Self::Moving => "`MOVEMENT` or `END MOVING`",
            Self::Movement => {
                "`FROM`, `TO`, `WITHIN`, `UNMOVED`, `UNCHECKED`, `ALONE`, `PEACEFUL`, `TRAIL`, `LEAVING`, \
                 `BECOMING` or `END MOVEMENT`"
            }
            Self::Capturing => "`CAPTURE` or `END CAPTURING`",
            Self::Capture => "`MOVEMENT` or `END CAPTURE`",
            Self::Castling => "`CASTLE` or `END CASTLING`",
            Self::Promoting => "`END PROMOTING`",
            Self::Dropping => "`END DROPPING`",
            Self::Decision => "`END DECISION`",
        }
    }
}

/// How a hop is written, for messages.
pub(super) const HOP_EXAMPLE: &str = "a hop is written like `MOVEMENT HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X = 0] \
     HOP_OVER [any_player any_piece] <1,0> SYMMETRY all_symmetry END MOVEMENT`";

/// How what is open is written, for messages.
pub(super) fn example(block: Option<Block>, section: &str) -> &'static str {
    match block {
        None => "a game starts with `GAME` and a name",
        Some(Block::Game) => example_of_section(section),
        Some(Block::Pieces) => "a text that is included has `DEFINE name .. END DEFINE` alone",
        Some(Block::Define) => {
            "a piece has `SYMBOL`, `MOVING`, `CAPTURING`, `CASTLING`, `PROMOTING`, `DROPPING`, \
             `REVERTS_TO`, `LIMIT`, `CONSTRAINTS`"
        }
        Some(Block::Moving | Block::Movement) => {
            "a movement is written like `MOVEMENT LEAP <1,2> SYMMETRY all_symmetry END MOVEMENT`"
        }
        Some(Block::Capturing | Block::Capture) => {
            "a capture is written like `CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove`, \
             then movements, then `END CAPTURE`"
        }
        Some(Block::Castling) => {
            "it is written like `CASTLE RIGHT WITH rook TO (7,1) PARTNER TO (6,1)`"
        }
        Some(Block::Promoting) => {
            "it is written like `PROMOTE_TO queen` or `DECISION player OPTIONS [{player} {queen rook}]`"
        }
        Some(Block::Dropping) => {
            "there are `TO region`, `AS {rook}`, `NOT_SHARING_FILE [{player} {pawn}]` (perhaps `UP_TO 2`), \
             `NOT_SHARING_COLOR [{player} {bishop}]` (perhaps `RESERVED`), `NO_CHECK` and `NO_CHECKMATE`"
        }
        Some(Block::Decision) => {
            "it is written like `DECISION player ASSIGNS {man man} TO {(1,1) (2,1)} END DECISION`"
        }
    }
}

fn example_of_section(section: &str) -> &'static str {
    match section {
        "GOALS" => "a goal is written like `stalemate opponent` or `eradicate [{opponent} {king}]`",
        "BOARD_SIZE" => "it is written like `BOARD_SIZE 8 BY 8`, columns first",
        "BOARD_TYPE" => "it is written `BOARD_TYPE planar` or `BOARD_TYPE vertical_cylinder`",
        "BOARD_HOLES" => "it is written like `BOARD_HOLES {(1,1) (8,8)}`",
        "BOARD_NUMBERS" => {
            "it is written like `BOARD_NUMBERS b10`, perhaps with `black_first` or `algebraic` behind it"
        }
        "INVERSION" => "`diagonal` turns the board, `forward` turns its rows, `side` its columns",
        "PROMOTE_RANK" => "it is written like `PROMOTE_RANK 8`",
        "REGION" => "it is written like `REGION home {(1,1) (2,1)} + RANKS 2 .. 3 FILES 1 .. 8`",
        "SETUP" => {
            "it is written like `rook AT {(1,1) (8,1)}` or `rook AT {a1 h1}`, each square written out; \
             a kind of piece starts with `DEFINE`"
        }
        "CONSTRAINTS" => {
            "it is written like `CONSTRAINTS must_capture` or `CONSTRAINTS protect [{player} {king}]`"
        }
        "DRAWS" => {
            "it is written like `DRAWS quiet 100 RESET {capture pawn}`, perhaps with `WITH {count [{player} {king}] [X >= 1]}` behind it, or `ending 10 {{king king}} AGAINST {{king}}`, perhaps with `ON {a1 b2}`"
        }
        "REPETITION" => "it is written like `REPETITION 3 draw`",
        "INCLUDE" => "it is written like `INCLUDE \"pieces.scl\"`",
        _ => {
            "a kind of piece is written `DEFINE name .. END DEFINE`; the game ends with `END GAME.`"
        }
    }
}

impl Parser<'_> {
    /// A block with items: `each` is called behind the first word of each item.
    pub(super) fn items(
        &mut self,
        block: Block,
        each: impl FnMut(&mut Self, &'static str) -> Parsed<()>,
    ) {
        let opening = self.place(self.position.saturating_sub(1));
        self.items_from(block, opening, each);
    }

    /// A block with items that was opened there.
    pub(super) fn items_from(
        &mut self,
        block: Block,
        opening: Span,
        mut each: impl FnMut(&mut Self, &'static str) -> Parsed<()>,
    ) {
        self.open.push((block, opening));
        // When no further problem would be kept, there is nothing more to say.
        while !self.diagnostics.is_full() {
            if let Some(item) = self.next_item(block) {
                if each(self, item).is_err() {
                    self.skip_to_item();
                }
                continue;
            }
            if self.expect_end(block).is_ok() {
                break;
            }
            self.skip_to_item();
            if self.eat_own_end(block) || !self.is_at_item_of(block) {
                break;
            }
        }
        self.open.pop();
    }

    /// A block without items.
    pub(super) fn leaf<T>(
        &mut self,
        block: Block,
        inner: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        self.open.push((block, self.place(self.position.saturating_sub(1))));
        let parsed = inner(self).and_then(|value| self.expect_end(block).map(|()| value));
        if parsed.is_err() {
            self.skip_to_item();
            self.eat_own_end(block);
        }
        self.open.pop();
        parsed
    }

    /// The word that starts the next item, if there is one; misspelled words count.
    fn next_item(&mut self, block: Block) -> Option<&'static str> {
        let found = self.word()?;
        let items = block.items();
        if let Some(item) = items.iter().find(|item| found.eq_ignore_ascii_case(item)) {
            self.position += 1;
            return Some(item);
        }
        if is_reserved(found) {
            return None;
        }
        let near = near(found, items.iter().copied())?;
        self.misspelled(near);
        items.iter().find(|item| **item == near).copied()
    }

    /// `END` and the block's word; a wrong or missing one is reported and the block counts as closed.
    fn expect_end(&mut self, block: Block) -> Parsed<()> {
        let (word, next) = (block.word(), self.position + 1);
        if block == Block::Pieces {
            return if self.token().is_none() { Ok(()) } else { self.unexpected(block.content()) };
        }
        if self.is_word("END") {
            self.check_end(block);
            return Ok(());
        }
        let is_outside = self.word().is_some_and(|found| self.is_boundary_word(found));
        if self.token().is_none() || is_outside {
            self.missing_end(block);
            return Ok(());
        }
        let is_end = |found: &str| near(found, ["END"]).is_some() && !is_reserved(found);
        if self.word().is_some_and(is_end) && self.is_word_at(next, word) {
            self.misspelled("END");
            self.position += 1;
            return Ok(());
        }
        self.unexpected(block.content())
    }

    /// What stands behind `END`.
    fn check_end(&mut self, block: Block) {
        let (word, next) = (block.word(), self.position + 1);
        let is_next_piece = self.is_next_piece(block, next);
        if self.is_word_at(next, word) && !is_next_piece {
            self.position += 2;
            return;
        }
        let Some(found) = self.word_at(next).filter(|_| self.is_on_line(next)) else {
            let problem = self.mismatch(block, "`END` says not what it ends".to_owned());
            self.report(problem);
            self.position += 1;
            return;
        };
        if self.open.iter().any(|(open, _)| found.eq_ignore_ascii_case(open.word())) {
            self.missing_end(block);
            return;
        }
        let closes_other = CLOSING.iter().any(|closing| found.eq_ignore_ascii_case(closing));
        if !closes_other && near(found, CLOSING.iter().copied()) == Some(word) {
            self.position += 1;
            self.misspelled(word);
            return;
        }
        let problem = self.mismatch(block, format!("`END {found}` does not close `{word}`"));
        self.report(problem);
        self.position += if closes_other || !is_reserved(found) { 2 } else { 1 };
    }

    /// Is the next word the name of a piece rather than what `END` ends: `END` and a new `DEFINE`?
    fn is_next_piece(&self, block: Block, word: usize) -> bool {
        let name = self.word_at(word + 1);
        block == Block::Define
            && !self.is_on_line(word)
            && name.is_some_and(|name| !is_reserved(name))
    }

    fn mismatch(&self, block: Block, message: String) -> Diagnostic {
        let mut problem = Diagnostic::error("mismatched-end", self.place(self.position), message)
            .label("closes something else")
            .help(format!("write `END {}`", block.word()));
        problem.related.extend(self.opening());
        problem
    }

    fn missing_end(&mut self, block: Block) {
        let word = block.word();
        let place = self.end_of_previous();
        let mut problem =
            Diagnostic::error("missing-end", place, format!("`{word}` is never closed"))
                .label(format!("`END {word}` missing"))
                .help(format!("write `END {word}` here"));
        problem.related.extend(self.opening());
        self.report(problem);
    }

    fn opening(&self) -> Option<(Span, String)> {
        self.open
            .last()
            .map(|(block, place)| (*place, format!("`{}` was opened here", block.word())))
    }

    /// Moves to where an item of an open block starts, or an open block ends.
    pub(super) fn skip_to_item(&mut self) {
        while let Some(word) = self.word_or_sign() {
            if !word.eq_ignore_ascii_case("END") {
                if self.is_boundary_word(word) || self.is_at_misspelled_section() {
                    return;
                }
                self.position += 1;
                continue;
            }
            let closed = self.word_at(self.position + 1).unwrap_or_default();
            let exact = CLOSING.iter().find(|closing| closed.eq_ignore_ascii_case(closing));
            let meant = exact.copied().or_else(|| near(closed, CLOSING.iter().copied()));
            if self.open.iter().any(|(open, _)| Some(open.word()) == meant) {
                return;
            }
            self.position += if meant.is_some() { 2 } else { 1 };
        }
    }

    /// The next token; an empty word for those that are none; `None` at the end.
    fn word_or_sign(&self) -> Option<&str> {
        self.token().map(|_| self.word().unwrap_or_default())
    }

    /// Does this word start an item of an open block, or end one?
    pub(super) fn is_boundary_word(&self, word: &str) -> bool {
        let is = |item: &&str| word.eq_ignore_ascii_case(item);
        is(&"END") || self.open.iter().any(|(open, _)| open.items().iter().any(is))
    }

    fn is_at_item_of(&self, block: Block) -> bool {
        let is_misspelled = block == Block::Game && self.is_at_misspelled_section();
        is_misspelled || block.items().iter().any(|item| self.is_word(item))
    }

    /// Does a line start with what looks like a section, where nothing but the game is open?
    fn is_at_misspelled_section(&self) -> bool {
        let is_placed = ["AT", "IN_HAND"].iter().any(|at| self.is_word_at(self.position + 1, at));
        let is_like =
            |word: &str| !is_reserved(word) && near(word, SECTIONS.iter().copied()).is_some();
        matches!(self.open[..], [(Block::Game, _)])
            && !self.is_on_line(self.position)
            && !is_placed
            && self.word().is_some_and(is_like)
    }

    /// Moves past the block's own `END`, also when it is misspelled.
    fn eat_own_end(&mut self, block: Block) -> bool {
        let closed = self.word_at(self.position + 1);
        let is_own = |found: &str| {
            found.eq_ignore_ascii_case(block.word())
                || near(found, CLOSING.iter().copied()) == Some(block.word())
                    && !CLOSING.iter().any(|closing| found.eq_ignore_ascii_case(closing))
        };
        let found = self.is_word("END") && closed.is_some_and(is_own);
        self.position += if found { 2 } else { 0 };
        found
    }

    /// Reports that an item has nothing in it, and gives up.
    pub(super) fn empty<T>(&mut self, span: Span, what: &str) -> Parsed<T> {
        let problem = Diagnostic::error("empty-section", span, format!("there is no {what} here"));
        self.report(
            problem.label("empty").help("leave the section out, or write what belongs here"),
        );
        Err(Failed)
    }
}
