//! A chess-like game as facts for the general theory of its class.
//!
//! In: a checked game. Out: a `.rules` text: sorts and facts, then the theory (`chess_like.rules`), then
//! what depends on words of the text: draws, letters, how moves are written. Paper: metagamer §2.2.
//! Invariant: nothing here says what a fact means; the theory does.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::ast::{
    Area, BoardKind, Capture, Comparison, Description, Direction, Draw, Effect, Goal, Guard, Into,
    Inversion, Movement, Names, Path, Piece, Place, Promoting, Relation, RepetitionVerdict, SclGame,
    Setup, Side, Square,
};
use super::hows::{Hows, tell_apart};

/// The general theory of the class.
pub const CHESS_LIKE: &str = include_str!("chess_like.rules");

/// The `.rules` text of a game.
pub fn scl_rules(game: &SclGame) -> String {
    let mut facts = Facts { game, text: String::new(), n_aims: 0 };
    facts.sorts();
    facts.declarations();
    facts.board();
    facts.pieces();
    facts.start();
    facts.constraints();
    facts.goals();
    facts.text.push_str(CHESS_LIKE);
    facts.draws();
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
static prey(capture, side, type).           static fate(capture, fate).
static spared(capture, side, type).         static reverts(type, type).
static tells(movement, way, how).           static rival(movement, way, movement, way).
static becomes(type, side, side, type).     static zone(type, square).
static when(type, occasion).                static chains(type).
static eager(type).                         static delayed.
static must_capture.                        static maximal({count} + victims(type) + by(type)).
static placed(role, type, square).          static held(role, type, stock).
static watched(type).                       static assigned(square).
static assigner(side).                      static protected(role, type).
static droppable(type).                     static landing(type, square).
static alone(type, side, type).             static castles(type, wing, square, square).
static partner(type, type).                 static passing.
static counts_checks.                       static wanted(aim).
static aims_stalemate(aim, side).           static aims_checkmate(aim, side).
static aims_eradicate(aim).                 static aims_arrive(aim).
static aims_at(aim, side, type).            static aims_square(aim, square).
static aims_checks(aim, side, stock).       static aims_count(aim, int, int).
static resets({capture}).                   static resets_type(type).
";

/// Facts under way.
struct Facts<'g> {
    game: &'g SclGame,
    text: String,
    n_aims: usize,
}

impl Facts<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("texts can be written to");
        self.text.push('\n');
    }

    fn sorts(&mut self) {
        let game = self.game;
        let (width, height) = (game.board.width, game.board.height);
        self.line(format_args!("rules 1.\ngame {}.\nrole white, black.", quoted(&game.name.text)));
        self.line(format_args!("sort file = 1..{width}.\nsort rank = 1..{height}."));
        if game.board.holes.is_empty() {
            self.line(format_args!("sort square = file * rank."));
        } else {
            let squares = self.all_squares();
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
        let n_hows = self.hows().n_hows;
        let n_aims = count_aims(&game.goals);
        self.line(format_args!("sort movement = 1..{}.", n_movements.max(1)));
        self.line(format_args!("sort capture = 1..{}.", n_captures.max(1)));
        self.line(format_args!("sort how = 1..{}.", n_hows.max(1)));
        self.line(format_args!("sort aim = 1..{}.", n_aims.max(1)));
        self.line(format_args!("sort region = {{{regions}}}."));
    }

    fn declarations(&mut self) {
        self.text.push_str(RELATIONS);
    }

    /// How many pieces of one kind, or checks, may have to be counted.
    fn most_in_stock(&self) -> i32 {
        let game = self.game;
        let n_squares = game.board.width * game.board.height;
        let gives = |piece: &Piece| {
            piece.capturing.iter().any(|one| matches!(one.effect, Effect::Possesses(_)))
        };
        let checks = game.goals.iter().filter_map(|goal| match goal {
            Goal::Checks(_, n) => Some(*n),
            _ => None,
        });
        let held: i32 = match &game.setup {
            Setup::Assignment { names, .. } => i32::try_from(names.len()).unwrap_or(i32::MAX),
            Setup::Placements(all) => {
                let held = all.iter().map(|one| match one.place {
                    Place::InHand(n) => n,
                    Place::At(_) => 0,
                });
                held.sum()
            }
        };
        let possessed = if game.pieces.iter().any(gives) { n_squares } else { 0 };
        checks.max().unwrap_or(0).max(possessed + held).max(1)
    }

    fn all_squares(&self) -> Vec<Square> {
        let board = &self.game.board;
        let all = (1..=board.width)
            .flat_map(|column| (1..=board.height).map(move |row| Square { column, row }));
        all.filter(|square| !board.holes.contains(square)).collect()
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
        if ways.is_empty() {
            ways.extend(images(Direction { right: 0, forward: 1 }));
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

    fn hows(&self) -> Hows {
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
            for square in self.area_squares(&region.areas) {
                let (name, square) = (quoted(&region.name.text), square_text(square));
                self.line(format_args!("covers({name}, {square})."));
            }
        }
    }

    /// The squares of some areas, each once.
    fn area_squares(&self, areas: &[Area]) -> BTreeSet<Square> {
        let mut squares = BTreeSet::new();
        for area in areas {
            match area {
                Area::Squares(some) => squares.extend(some.iter().map(|(square, _)| *square)),
                Area::Region(name) => {
                    // A region may only use those before it, so this ends.
                    let known = self.game.regions.iter().position(|one| one.name == *name);
                    let Some(known) = known.map(|place| &self.game.regions[place]) else { continue };
                    squares.extend(self.area_squares(&known.areas));
                }
                Area::Block { ranks, files } => {
                    let within = |number: i32, range: &Option<(i32, i32)>| {
                        range.is_none_or(|(low, high)| (low..=high).contains(&number))
                    };
                    let all = self.all_squares().into_iter();
                    squares.extend(
                        all.filter(|one| within(one.row, ranks) && within(one.column, files)),
                    );
                }
            }
        }
        squares
    }

    fn pieces(&mut self) {
        let game = self.game;
        let mut n_movements = 0;
        let mut n_captures = 0;
        for piece in &game.pieces {
            let name = quoted(&piece.name.text);
            for movement in &piece.moving {
                n_movements += 1;
                self.line(format_args!("moves({name}, {n_movements})."));
                self.movement(n_movements, movement);
            }
            for capture in &piece.capturing {
                n_captures += 1;
                self.line(format_args!("hunts({name}, {n_captures})."));
                self.capture(n_captures, capture);
                for movement in &capture.movements {
                    n_movements += 1;
                    self.line(format_args!("paths({n_captures}, {n_movements})."));
                    self.movement(n_movements, movement);
                }
            }
            self.powers(piece, &name);
        }
        let hows = self.hows();
        for (movement, way, how) in &hows.tells {
            self.line(format_args!("tells({movement}, {}, {how}).", way_text(*way)));
        }
        for ((movement, way), (other, other_way)) in &hows.rivals {
            let (way, other_way) = (way_text(*way), way_text(*other_way));
            self.line(format_args!("rival({movement}, {way}, {other}, {other_way})."));
        }
    }

    fn movement(&mut self, number: usize, movement: &Movement) {
        let longest = self.game.board.width.max(self.game.board.height);
        self.line(format_args!("direction({number}, {}).", way_text(movement.direction)));
        let symmetry = movement.symmetry;
        let flips = [
            (symmetry.forward, "forward"),
            (symmetry.side, "side"),
            (symmetry.rotation, "rotation"),
        ];
        for (_, flip) in flips.into_iter().filter(|(is_there, _)| *is_there) {
            self.line(format_args!("symmetric({number}, {flip})."));
        }
        match &movement.path {
            Path::Leap { lame } => {
                self.line(format_args!("leap({number})."));
                for leg in lame {
                    self.line(format_args!("lame({number}, {}).", way_text(*leg)));
                }
            }
            Path::Ride { min, max, longest: is_longest } => {
                let (least, most) = (min.unwrap_or(1).max(1), max.unwrap_or(longest).min(longest));
                if least <= longest {
                    self.line(format_args!("ride({number}, {least}, {most})."));
                }
                // The release ignores `LONGEST` on cylinders.
                if *is_longest && self.game.board.kind == BoardKind::Planar {
                    self.line(format_args!("longest({number})."));
                }
            }
            Path::Hop { before, over, after, over_whom } => {
                self.line(format_args!("hop({number})."));
                for (word, comparison) in [("before", before), ("over", over), ("behind", after)] {
                    for count in (0..=longest).filter(|count| allows(*comparison, *count)) {
                        self.line(format_args!("{word}({number}, {count})."));
                    }
                }
                self.described("over_whom", &number.to_string(), over_whom);
            }
        }
        for guard in &movement.guards {
            match guard {
                Guard::From(name) => self.line(format_args!("from({number}, {}).", quoted(&name.text))),
                Guard::To(name) => self.line(format_args!("to({number}, {}).", quoted(&name.text))),
                Guard::Within(name) => {
                    let name = quoted(&name.text);
                    self.line(format_args!("from({number}, {name}).\nto({number}, {name})."));
                }
                Guard::Unmoved => self.line(format_args!("unmoved({number}).")),
            }
        }
        if movement.leaves_trail {
            self.line(format_args!("trails({number})."));
        }
    }

    fn capture(&mut self, number: usize, capture: &Capture) {
        let methods = capture.methods;
        let named = [
            (methods.retrieve, "retrieve"),
            (methods.clobber, "clobber"),
            (methods.hop, "hop"),
            (methods.trail, "trail"),
        ];
        for (_, method) in named.into_iter().filter(|(is_there, _)| *is_there) {
            self.line(format_args!("method({number}, {method})."));
        }
        self.described("prey", &number.to_string(), &capture.victims);
        let fate = match &capture.effect {
            Effect::Remove => "removed".to_owned(),
            Effect::Possesses(side) => format!("given({})", side_text(*side)),
            Effect::Explode { sparing } => {
                if let Some(sparing) = sparing {
                    self.described("spared", &number.to_string(), sparing);
                }
                "exploded".to_owned()
            }
        };
        self.line(format_args!("fate({number}, {fate})."));
    }

    /// One fact for each piece that a description describes.
    fn described(&mut self, relation: &str, first: &str, description: &Description) {
        for (side, name) in self.all_described(description) {
            self.line(format_args!("{relation}({first}, {}, {name}).", side_text(side)));
        }
    }

    fn all_described(&self, description: &Description) -> Vec<(Side, String)> {
        let sides = match description.owner {
            Some(side) => vec![side],
            None => vec![Side::Player, Side::Opponent],
        };
        let names = self.named(&description.names);
        let pair = |side: Side| names.iter().map(move |name| (side, name.clone()));
        sides.into_iter().flat_map(pair).collect()
    }

    fn named(&self, names: &Names) -> Vec<String> {
        match names {
            Names::Listed(names) => names.iter().map(|name| quoted(&name.text)).collect(),
            Names::Any { except } => {
                let kept = self.game.pieces.iter().filter(|piece| !except.contains(&piece.name));
                kept.map(|piece| quoted(&piece.name.text)).collect()
            }
        }
    }

    /// Promotion, captures that go on, drops, castling.
    fn powers(&mut self, piece: &Piece, name: &str) {
        if let Some(promoting) = &piece.promoting {
            self.promoting(promoting, name);
        }
        if piece.constraints.continue_captures.is_some() {
            self.line(format_args!("chains({name})."));
        }
        if piece.constraints.must_capture.is_some() {
            self.line(format_args!("eager({name})."));
        }
        if let Some(reverts) = &piece.reverts_to {
            self.line(format_args!("reverts({name}, {}).", quoted(&reverts.text)));
        }
        let is_unmoved = |one: &Movement| one.guards.contains(&Guard::Unmoved);
        let mut movements = piece.moving.iter();
        let mut captures = piece.capturing.iter().flat_map(|one| &one.movements);
        if movements.any(is_unmoved) || captures.any(is_unmoved) {
            self.line(format_args!("watched({name})."));
        }
        for castle in &piece.castling {
            let wing = if castle.is_right { "right" } else { "left" };
            let (to, partner_to) = (square_text(castle.to), square_text(castle.partner_to));
            let partner = quoted(&castle.partner.text);
            self.line(format_args!("castles({name}, {wing}, {to}, {partner_to})."));
            self.line(format_args!("partner({name}, {partner}).\nwatched({partner})."));
        }
        self.line(format_args!("droppable({name})."));
        let dropping = piece.dropping.clone().unwrap_or_default();
        let squares = match &dropping.to {
            Some(region) => self.area_squares(&[Area::Region(region.clone())]).into_iter().collect(),
            None => self.all_squares(),
        };
        for square in squares {
            self.line(format_args!("landing({name}, {}).", square_text(square)));
        }
        if let Some(description) = &dropping.not_sharing_file {
            self.described("alone", name, description);
        }
    }

    fn promoting(&mut self, promoting: &Promoting, name: &str) {
        match &promoting.into {
            Into::Kind(kind) => {
                let kind = quoted(&kind.text);
                self.line(format_args!("becomes({name}, player, player, {kind})."));
            }
            Into::Decision { decider, options } => {
                for (side, kind) in self.all_described(options) {
                    let (decider, side) = (side_text(*decider), side_text(side));
                    self.line(format_args!("becomes({name}, {decider}, {side}, {kind})."));
                }
            }
        }
        let squares = match &promoting.area {
            Some(region) => self.area_squares(&[Area::Region(region.clone())]).into_iter().collect(),
            None => self.all_squares(),
        };
        let is_far = |one: &Square| promoting.area.is_some() || one.row >= self.game.promote_rank;
        let squares: Vec<Square> = squares.into_iter().filter(is_far).collect();
        for square in squares {
            self.line(format_args!("zone({name}, {}).", square_text(square)));
        }
        let occasions = match promoting.on {
            None => vec!["enter", "within"],
            Some(on) => {
                let all = [
                    (on.enter, "enter"),
                    (on.within, "within"),
                    (on.leave, "leave"),
                    (on.passing, "passing"),
                ];
                all.into_iter().filter(|(is_on, _)| *is_on).map(|(_, word)| word).collect()
            }
        };
        for occasion in occasions {
            self.line(format_args!("when({name}, {occasion})."));
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
                let decider = side_text(decider.unwrap_or(Side::Player));
                self.line(format_args!("assigner({decider})."));
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
            for one in &must.maximal {
                match one {
                    super::ast::Maximal::Count => self.line(format_args!("maximal(count).")),
                    super::ast::Maximal::Victims(name) => {
                        self.line(format_args!("maximal(victims({})).", quoted(&name.text)));
                    }
                    super::ast::Maximal::By(name) => {
                        self.line(format_args!("maximal(by({})).", quoted(&name.text)));
                    }
                    super::ast::Maximal::First(_) => {}
                }
            }
        }
        let continues = |piece: &Piece| piece.constraints.continue_captures;
        let pieces = self.game.pieces.iter().filter_map(continues);
        if pieces.chain(constraints.continue_captures).any(|one| one.deferred) {
            self.line(format_args!("delayed."));
        }
        for description in &constraints.protect {
            for (side, name) in self.all_described(description) {
                match side {
                    Side::Player => {
                        self.line(format_args!("protected(white, {name}).\nprotected(black, {name})."));
                    }
                    Side::Opponent => {}
                }
            }
        }
        if constraints.pass {
            self.line(format_args!("passing."));
        }
    }

    fn goals(&mut self) {
        for goal in &self.game.goals {
            let aim = self.goal(goal);
            self.line(format_args!("wanted({aim})."));
        }
    }

    /// States a goal, and gives its number.
    fn goal(&mut self, goal: &Goal) -> usize {
        self.n_aims += 1;
        let aim = self.n_aims;
        match goal {
            Goal::Stalemate(side) => {
                self.line(format_args!("aims_stalemate({aim}, {}).", side_text(*side)));
            }
            Goal::Checkmate(side) => {
                self.line(format_args!("aims_checkmate({aim}, {}).", side_text(*side)));
            }
            Goal::Eradicate(description) => {
                self.line(format_args!("aims_eradicate({aim})."));
                self.described("aims_at", &aim.to_string(), description);
            }
            Goal::Arrive { who, at, .. } => {
                self.line(format_args!("aims_arrive({aim})."));
                self.described("aims_at", &aim.to_string(), who);
                for square in self.area_squares(std::slice::from_ref(at)) {
                    self.line(format_args!("aims_square({aim}, {}).", square_text(square)));
                }
            }
            Goal::Checks(side, count) => {
                self.line(format_args!("aims_checks({aim}, {}, {count}).", side_text(*side)));
                self.line(format_args!("counts_checks."));
            }
            Goal::Count(description, comparison) => {
                self.described("aims_at", &aim.to_string(), description);
                let (low, high) = range(*comparison);
                self.line(format_args!("aims_count({aim}, {low}, {high})."));
            }
            Goal::Line { .. } | Goal::All(_) => {}
        }
        aim
    }

    /// What ends a contest without a winner.
    fn draws(&mut self) {
        let game = self.game;
        let mut has_draws = !game.repetitions.is_empty();
        for draw in &game.draws {
            has_draws = true;
            match draw {
                Draw::Quiet { turns, resets_on_capture, resets_on } => {
                    if *resets_on_capture {
                        self.line(format_args!("resets(capture)."));
                    }
                    for name in resets_on {
                        self.line(format_args!("resets_type({}).", quoted(&name.text)));
                    }
                    self.line(format_args!("draw :- since(progress, {turns})."));
                }
                Draw::Turns(turns) => {
                    self.line(format_args!("never :- leaves_now(P, S), S \\= S, role(P)."));
                    self.line(format_args!("draw :- since(never, {turns})."));
                }
                Draw::Stalemate | Draw::Material(_) | Draw::Facing(_) => {}
            }
        }
        for repetition in &game.repetitions {
            if repetition.verdict == RepetitionVerdict::Draw {
                self.line(format_args!("draw :- repeated({}).", repetition.times));
            }
        }
        if !has_draws {
            // The release ends every contest after 200 turns.
            self.line(format_args!("never :- leaves_now(P, S), S \\= S, role(P)."));
            self.line(format_args!("draw :- since(never, 200)."));
        }
    }

    /// How squares, pieces and moves are written.
    fn notation(&mut self) {
        let symbols = self.game.symbols();
        self.line(format_args!("glyph empty = \".\"."));
        for (piece, symbol) in self.game.pieces.iter().zip(&symbols) {
            let name = quoted(&piece.name.text);
            let small = symbol.to_lowercase();
            self.line(format_args!(
                "glyph piece({name}, white) = {symbol:?}, piece({name}, black) = {small:?}."
            ));
        }
        if self.game.board.width <= 26 {
            let letters: String =
                ('a'..='z').take(usize::try_from(self.game.board.width).unwrap_or(26)).collect();
            self.line(format_args!("letters file = {letters:?}."));
        }
        self.text.push_str(NOTATION);
    }
}

/// How moves are written, whatever the game.
const NOTATION: &str = "notation move(S, T) = S T.
notation promote(S, T, N) = S T N.
notation take(H, S, T) = S T.
notation take_promote(H, S, T, N) = S T N.
notation drop(K, T) = K \"@\" T.
notation castle(S, R) = S R.
display at((F, R)) across F, up R.
";

fn count_aims(goals: &[Goal]) -> usize {
    let inner = |goal: &Goal| match goal {
        Goal::All(goals) => 1 + count_aims(goals),
        _ => 1,
    };
    goals.iter().map(inner).sum()
}

/// All images of a direction.
fn images(direction: Direction) -> Vec<Direction> {
    let Direction { right, forward } = direction;
    let mut all = Vec::new();
    for (x, y) in [(right, forward), (forward, right)] {
        for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            all.push(Direction { right: a * x, forward: b * y });
        }
    }
    all
}

pub(super) fn allows(comparison: Comparison, number: i32) -> bool {
    let (low, high) = range(comparison);
    (low..=high).contains(&number)
}

fn range(comparison: Comparison) -> (i32, i32) {
    match comparison.relation {
        Relation::Equal => (comparison.number, comparison.number),
        Relation::AtLeast => (comparison.number, super::MAX_COUNT),
        Relation::AtMost => (0, comparison.number),
    }
}

fn side_text(side: Side) -> &'static str {
    match side {
        Side::Player => "player",
        Side::Opponent => "opponent",
    }
}

fn square_text(square: Square) -> String {
    format!("({}, {})", square.column, square.row)
}

fn way_text(way: Direction) -> String {
    format!("({}, {})", way.right, way.forward)
}

/// A name that no keyword of the rules can be mistaken for.
fn quoted(name: &str) -> String {
    format!("'{name}'")
}
