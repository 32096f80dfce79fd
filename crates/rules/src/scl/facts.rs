//! A chess-like game as facts for the general theory of its class.
//!
//! In: a checked game. Out: a `.rules` text: sorts and facts, then the theory (`chess_like.rules`), then
//! what few texts say, and what depends on words of the text: draws, letters, how moves are written. Paper: metagamer §2.2.
//! Invariant: nothing here says what a fact means; the theory does.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::ast::{
    BoardKind, Comparison, Decider, Direction, Draw, Effect, Goal, Inversion, Maximal, Movement,
    Name, Path, Place, Protected, Relation, SclGame, Setup, Side, Square,
};
use super::draw::drawn;
use super::hows::{Hows, tell_apart};

/// The general theory of the class.
pub const CHESS_LIKE: &str = include_str!("chess_like.rules");

/// What stands behind it where endings must not last.
pub(super) const ENDINGS: &str = include_str!("endings.rules");

/// The `.rules` text of a game.
pub fn scl_rules(game: &SclGame) -> String {
    let game = drawn(game);
    let mut facts = Facts::of(&game);
    facts.sorts();
    facts.declarations();
    facts.board();
    facts.pieces();
    facts.start();
    facts.constraints();
    facts.goals();
    facts.scarcity();
    facts.text.push_str(CHESS_LIKE);
    facts.clauses();
    facts.endings();
    facts.clauses();
    facts.preferences();
    facts.draws();
    facts.forfeits();
    facts.notation();
    facts.text
}

/// The relations that state a game, with the sorts of their arguments.
const RELATIONS: &str = "
static size(int, int).                      static shape({planar, cylinder}).
static inversion({diagonal, forward, side}).
static direction(movement, way).            static symmetric(movement, flip).
static leap(movement).                      static lame(movement, way).
static ride(movement, number, number).      static longest(movement).
static hop(movement).                       static before(movement, number).
static over(movement, number).              static behind(movement, number).
static over_whom(movement, side, type).     static covers(region, square).
static from(movement, region).              static to(movement, region).
static unmoved(movement).                   static trails(movement).
static moves(type, movement).               static hunts(type, capture).
static paths(capture, movement).            static method(capture, method).
static prey(capture, side, type).           static gives(capture, side).
static explodes(capture).
static spared(capture, side, type).         static reverts(type, type).
static tells(movement, way, how).           static rival(movement, way, movement, way).
static becomes(type, side, side, type).     static zone(type, square).
static when(type, occasion).                static chains(type).
static eager(type).                         static delayed.
static must_capture.                        static hurried(type).
static must_drop.                           static no_dead_end.
static checkless.                           static protecting.
static rooted(type).                        static limited(type, int).
static unchecked(movement).                 static leaving(movement, type).
static turns_into(capture, type).           static yields(type, type).
static mild(type).                          static merciful(type).
static shares(type, int).                   static sharing(type, side, type).
static tinted(type, side, type).            static faces(type).
static gives_up.                            static gives_up_after(int).
static upright(way).                        static stripe(way).
static scarcity(pile).                      static spare(pile, type, int).
static tints(pile, type).                   static mortal(aim).
static aims_line(aim, number).              static aims_fewer(aim).
static aims_than(aim, side, type).          static aims_all(aim).
static part(aim, aim).                      static answered(aim).
static evened(aim).                         static aims_safe(aim).
static stay(movement).                      static remakes(movement, type).
static single(movement).                    static peaceful(movement).
static royal(role, type).                   static last_protected(role, type).
static jointly_protected(role, type).       static castle_from(type, wing, square).
static castle_at(type, wing, square).
static placed(role, type, square).          static held(role, type, stock).
static watched(type).                       static assigned(square).
static assigner(side).                      static protected(role, type).
static landing(type, square).
static alone(type, side, type).             static castles(type, wing, square, square).
static partner(type, type).                 static passing.
static counts_checks.                       static wanted(aim).
static aims_stalemate(aim, side).           static aims_checkmate(aim, side).
static aims_eradicate(aim).                 static aims_arrive(aim).
static aims_at(aim, side, type).            static aims_square(aim, square).
static aims_checks(aim, side, stock).       static aims_count(aim, int, int).
static resets({capture}).                   static resets_type(type).
static refills.                             static presses(type).
static reserved(type).                      static tracks.
";

/// Facts under way.
pub(super) struct Facts<'g> {
    pub(super) game: &'g SclGame,
    pub(super) text: String,
    pub(super) n_aims: usize,
    /// Clauses of what few texts say. They stand behind the theory, so that it is the same for all others, and so are
    /// the programs made of it.
    pub(super) clauses: String,
}

impl<'g> Facts<'g> {
    /// None yet.
    pub(super) fn of(game: &'g SclGame) -> Self {
        Self { game, text: String::new(), n_aims: 0, clauses: String::new() }
    }
}

impl Facts<'_> {
    pub(super) fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("texts can be written to");
        self.text.push('\n');
    }

    /// What is to stand behind what is stated by now.
    fn clauses(&mut self) {
        let clauses = std::mem::take(&mut self.clauses);
        self.text.push_str(&clauses);
    }

    fn sorts(&mut self) {
        let game = self.game;
        let (width, height) = (game.board.width, game.board.height);
        self.line(format_args!("rules 1.\ngame {}.\nrole white, black.", quoted(&game.name.text)));
        self.line(format_args!("sort file = 1..{width}.\nsort rank = 1..{height}."));
        if game.board.holes.is_empty() {
            self.line(format_args!("sort square = file * rank."));
        } else {
            let squares = self.game.squares();
            let texts: Vec<String> = squares.iter().map(|square| square_text(*square)).collect();
            self.line(format_args!("sort square = {{{}}}.", texts.join(", ")));
        }
        self.line(format_args!("sort number = 0..{}.", width.max(height)));
        self.line(format_args!("sort stock = 0..{}.", self.most_in_stock()));
        let ways: Vec<String> = self.ways().iter().map(|way| way_text(*way)).collect();
        self.line(format_args!("sort way = {{{}}}.", ways.join(", ")));
        let types: Vec<String> = game.pieces.iter().map(|one| quoted(&one.name.text)).collect();
        self.line(format_args!("sort type = {{{}}}.", types.join(", ")));
        let n_captures: usize = game.pieces.iter().map(|piece| piece.capturing.len()).sum();
        let n_movements = self.numbered().len();
        let regions: Vec<String> = game.regions.iter().map(|one| quoted(&one.name.text)).collect();
        let regions = if regions.is_empty() { "nowhere".to_owned() } else { regions.join(", ") };
        let n_hows = self.hows().most;
        let n_aims = count_aims(&game.goals) + game.draws.iter().map(n_counts).sum::<usize>();
        self.line(format_args!("sort movement = 1..{}.", n_movements.max(1)));
        self.line(format_args!("sort capture = 1..{}.", n_captures.max(1)));
        self.line(format_args!("sort how = 1..{}.", n_hows.max(1)));
        self.line(format_args!("sort aim = 1..{}.", n_aims.max(1)));
        self.line(format_args!("sort region = {{{regions}}}."));
        self.line(format_args!("sort pile = 1..{}.", self.piles().count().max(1)));
    }

    fn declarations(&mut self) {
        self.text.push_str(RELATIONS);
    }

    /// How many pieces of one kind, or checks, may have to be counted.
    fn most_in_stock(&self) -> i32 {
        let game = self.game;
        let n_squares = game.board.width * game.board.height;
        let checks = game.goals.iter().map(most_checks);
        let passes = game.draws.iter().map(|draw| match draw {
            Draw::Passes(number) => *number,
            _ => 0,
        });
        let held = self.n_held();
        let possessed = if self.gives() { n_squares } else { 0 };
        let waited = if self.hurried().is_empty() { 0 } else { n_squares };
        checks.chain(passes).max().unwrap_or(0).max(possessed + held).max(waited).max(1)
    }

    /// The kinds whose capture is to come early.
    fn hurried(&self) -> Vec<&Name> {
        let must = self.game.constraints.must_capture.iter().flat_map(|must| &must.maximal);
        let first = must.filter_map(|one| match one {
            Maximal::First(name) => Some(name),
            _ => None,
        });
        first.collect()
    }

    /// Does a capture fill a hand?
    fn gives(&self) -> bool {
        let mut captures = self.game.pieces.iter().flat_map(|piece| &piece.capturing);
        captures.any(|one| matches!(one.effect, Effect::Possesses(_)))
    }

    /// Can pieces be in hand, but for those of an army that is being set up?
    pub(super) fn has_hands(&self) -> bool {
        let is_placed = matches!(self.game.setup, Setup::Placements(_));
        self.gives() || is_placed && self.n_held() > 0
    }

    /// How many pieces one side has in hand at the start, or both of them.
    fn n_held(&self) -> i32 {
        match &self.game.setup {
            Setup::Assignment { names, .. } => i32::try_from(names.len()).unwrap_or(i32::MAX),
            Setup::Placements(all) => {
                let held = all.iter().map(|one| match one.place {
                    Place::InHand(n) => n,
                    Place::At(_) => 0,
                });
                held.sum()
            }
        }
    }

    /// Every direction that occurs, with all its images.
    fn ways(&self) -> BTreeSet<Direction> {
        let mut ways = BTreeSet::new();
        for (movement, ..) in self.numbered() {
            ways.extend(images(movement.direction));
            if let Path::Leap { lame } = &movement.path {
                ways.extend(lame.iter().flat_map(|one| images(*one)));
            }
        }
        let faces = self.game.draws.iter().any(|draw| matches!(draw, Draw::Facing(_)));
        if ways.is_empty() || self.has_lines() || faces {
            ways.extend(images(Direction { right: 0, forward: 1 }));
        }
        if self.has_lines() {
            ways.extend(images(Direction { right: 1, forward: 1 }));
        }
        ways
    }

    /// All movements with their owners, in the order of their numbers, which count from one: the place of the piece,
    /// and that of the capture among all captures.
    fn numbered(&self) -> Vec<(&Movement, usize, Option<usize>)> {
        let mut all = Vec::new();
        let mut n_captures = 0;
        for (place, piece) in self.game.pieces.iter().enumerate() {
            all.extend(piece.moving.iter().map(|one| (one, place, None)));
            for capture in &piece.capturing {
                all.extend(capture.movements.iter().map(|one| (one, place, Some(n_captures))));
                n_captures += 1;
            }
        }
        all
    }

    pub(super) fn hows(&self) -> Hows {
        tell_apart(self.game)
    }

    fn board(&mut self) {
        let game = self.game;
        self.line(format_args!("size({}, {}).", game.board.width, game.board.height));
        let shape = match game.board.kind {
            BoardKind::Planar => "planar",
            BoardKind::VerticalCylinder => "cylinder",
        };
        let inversion = match game.inversion.unwrap_or(Inversion::Diagonal) {
            Inversion::Diagonal => "diagonal",
            Inversion::Forward => "forward",
            Inversion::Side => "side",
        };
        self.line(format_args!("shape({shape}).\ninversion({inversion})."));
        for region in &game.regions {
            let name = quoted(&region.name.text);
            self.seen(
                game.area_squares(&region.areas),
                |square| format!("covers({name}, {square})."),
                |square| format!("inside({name}, black, {square})."),
            );
        }
    }

    /// States a fact of every square of an area that the first side sees. Where only the second side sees a square, and the
    /// first one a hole, a clause behind the theory says of that square, on the board, what would follow from the fact.
    pub(super) fn seen(
        &mut self,
        area: impl IntoIterator<Item = Square>,
        fact: impl Fn(String) -> String,
        clause: impl Fn(String) -> String,
    ) {
        let holes = &self.game.board.holes;
        for square in area {
            let of_black = self.game.square_of(Side::Opponent, square);
            if !holes.contains(&square) {
                self.text.push_str(&fact(square_text(square)));
                self.text.push('\n');
            } else if !holes.contains(&of_black) {
                self.clauses.push_str(&clause(square_text(of_black)));
                self.clauses.push('\n');
            }
        }
    }

    fn start(&mut self) {
        let game = self.game;
        match &game.setup {
            Setup::Placements(placements) => {
                for placement in placements {
                    let name = quoted(&placement.name.text);
                    let roles: &[&str] = match placement.side {
                        None => &["white", "black"],
                        Some(Side::Player) => &["white"],
                        Some(Side::Opponent) => &["black"],
                    };
                    for role in roles {
                        self.placement((role, placement.side), &name, &placement.place);
                    }
                }
            }
            Setup::Assignment { decider, names, squares } => {
                let mut kinds: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
                kinds.sort_unstable();
                kinds.dedup();
                for kind in kinds {
                    let count = names.iter().filter(|name| name.text == kind).count();
                    for role in ["white", "black"] {
                        self.line(format_args!("held({role}, {}, {count}).", quoted(kind)));
                    }
                }
                for (square, _) in squares {
                    self.line(format_args!("assigned({}).", square_text(*square)));
                }
                if let Decider::Side(side) = decider {
                    self.line(format_args!("assigner({}).", side_text(*side)));
                }
                if self.gives() {
                    self.line(format_args!("refills."));
                }
            }
        }
    }

    /// Pieces that only the other side has are written as the first side sees the board.
    fn placement(&mut self, (role, side): (&str, Option<Side>), name: &str, place: &Place) {
        match place {
            Place::InHand(count) => self.line(format_args!("held({role}, {name}, {count}).")),
            Place::At(squares) => {
                for (square, _) in squares {
                    let square = square_text(*square);
                    if side == Some(Side::Opponent) {
                        self.line(format_args!("placed(black, {name}, mirrored({square}))."));
                    } else {
                        self.line(format_args!("placed({role}, {name}, {square})."));
                    }
                }
            }
        }
    }

    fn constraints(&mut self) {
        let constraints = &self.game.constraints;
        if let Some(must) = &constraints.must_capture {
            self.line(format_args!("must_capture."));
            debug_assert!(must.maximal.is_empty() || self.is_deferred(), "gaps say so");
        }
        let hurried: Vec<String> = self.hurried().iter().map(|name| quoted(&name.text)).collect();
        for name in hurried {
            self.line(format_args!("hurried({name})."));
        }
        if self.is_deferred() {
            self.line(format_args!("delayed."));
        }
        for protect in &constraints.protect {
            let relation = match protect.which {
                Protected::Each => "protected",
                Protected::Last => "last_protected",
                Protected::Together => "jointly_protected",
            };
            let described = self.all_described(&protect.who).into_iter();
            for (_, name) in described.filter(|(side, _)| *side == Side::Player) {
                for role in ["white", "black"] {
                    self.line(format_args!("{relation}({role}, {name}).\nroyal({role}, {name})."));
                }
            }
        }
        let said = [
            (constraints.pass, "passing"),
            (constraints.must_drop, "must_drop"),
            (constraints.no_dead_end, "no_dead_end"),
            (constraints.no_check, "checkless"),
            (!constraints.protect.is_empty(), "protecting"),
        ];
        for (_, word) in said.into_iter().filter(|(is_said, _)| *is_said) {
            self.line(format_args!("{word}."));
        }
    }

    /// Do victims stay on the board until the turn is over?
    fn is_deferred(&self) -> bool {
        let pieces = self.game.pieces.iter().map(|piece| piece.constraints.continue_captures);
        let game = std::iter::once(self.game.constraints.continue_captures);
        pieces.chain(game).flatten().any(|one| one.deferred)
    }
}

fn count_aims(goals: &[Goal]) -> usize {
    let inner = |goal: &Goal| match goal {
        Goal::All(goals) => 1 + count_aims(goals),
        Goal::Answered(goal) | Goal::Evened(goal) => count_aims(std::slice::from_ref(goal)),
        _ => 1,
    };
    goals.iter().map(inner).sum()
}

/// How many counts a draw asks for, which are told apart like goals.
fn n_counts(draw: &Draw) -> usize {
    match draw {
        Draw::Quiet { counts, .. } => counts.len(),
        _ => 0,
    }
}

/// How many checks a goal asks for.
fn most_checks(goal: &Goal) -> i32 {
    match goal {
        Goal::Checks(_, number) => *number,
        Goal::All(goals) => goals.iter().map(most_checks).max().unwrap_or(0),
        Goal::Answered(goal) | Goal::Evened(goal) => most_checks(goal),
        _ => 0,
    }
}

/// All images of a direction, each once.
pub(super) fn images(direction: Direction) -> BTreeSet<Direction> {
    let Direction { right, forward } = direction;
    let mut all = BTreeSet::new();
    for (x, y) in [(right, forward), (forward, right)] {
        for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            all.insert(Direction { right: a * x, forward: b * y });
        }
    }
    all
}

pub(super) fn range(comparison: Comparison) -> (i32, i32) {
    match comparison.relation {
        Relation::Equal => (comparison.number, comparison.number),
        Relation::AtLeast => (comparison.number, super::MAX_COUNT),
        Relation::AtMost => (0, comparison.number),
    }
}

pub(super) fn side_text(side: Side) -> &'static str {
    match side {
        Side::Player => "player",
        Side::Opponent => "opponent",
    }
}

pub(super) fn square_text(square: Square) -> String {
    format!("({}, {})", square.column, square.row)
}

pub(super) fn way_text(way: Direction) -> String {
    format!("({}, {})", way.right, way.forward)
}

/// A name that no keyword of the rules can be mistaken for.
pub(super) fn quoted(name: &str) -> String {
    format!("'{name}'")
}
