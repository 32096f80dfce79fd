//! Pieces: movements that lead somewhere, captures that find victims, symbols that differ.
//!
//! In: a draft. Out: problems.

use std::collections::BTreeMap;

use rulesmith_logic::Span;

use super::ast::{
    BoardKind, Capture, Comparison, Direction, Movement, Path, Piece, PromotingOn, Relation,
};
use super::check::Checker;
use crate::source::Diagnostic;

impl Checker<'_> {
    /// Every piece, and their symbols among each other.
    pub(super) fn check_pieces(&mut self) {
        let game = self.game;
        let movements = || game.pieces.iter().flat_map(all_movements);
        // A movement that could not be read may leave one.
        let has_trails =
            self.diagnostics.has_errors() || movements().any(|movement| movement.leaves_trail);
        movements().for_each(|movement| self.check_movement(movement));
        for capture in game.pieces.iter().flat_map(|piece| &piece.capturing) {
            self.check_capture(capture, has_trails);
        }
        for (piece, places) in game.pieces.iter().zip(&self.places.pieces) {
            self.check_castling(piece);
            self.check_promoting(piece, places);
        }
        self.check_symbols();
    }

    fn check_movement(&mut self, movement: &Movement) {
        let span = movement.span;
        let lame = match &movement.path {
            Path::Leap { lame } => &lame[..],
            _ => &[],
        };
        if std::iter::once(&movement.direction).chain(lame).any(|way| *way == NOWHERE) {
            let problem =
                Diagnostic::error("zero-direction", span, "direction <0,0> leads nowhere");
            return self
                .report(problem.label("never leaves its square").help("write another direction"));
        }
        if let Path::Ride { min, max: Some(max), longest: _ } = movement.path
            && min.unwrap_or(1) > max
        {
            let message = format!("at least {} and at most {max} steps are none", min.unwrap_or(1));
            let problem = Diagnostic::error("bad-range", span, message);
            return self.report(
                problem.label("`MIN` is more than `MAX`").help("exchange the two numbers"),
            );
        }
        let is_cylinder = self.game.board.kind == BoardKind::VerticalCylinder;
        if is_cylinder && matches!(movement.path, Path::Ride { longest: true, .. }) {
            let message = "`LONGEST` says nothing on a cylinder";
            let problem = Diagnostic::warning("inert-constraint", span, message);
            self.report(problem.label("has no effect").help("leave `LONGEST` out"));
        }
        self.check_fit(movement);
    }

    /// Is there room on the board for the shortest path?
    fn check_fit(&mut self, movement: &Movement) {
        let board = &self.game.board;
        let steps = least_steps(&movement.path);
        let Direction { right, forward } = movement.direction;
        let is_cylinder = board.kind == BoardKind::VerticalCylinder;
        let fits = |across: i32, up: i32| {
            // Around a cylinder a path ends at the latest where it began.
            let has_width = if is_cylinder {
                up != 0 || (1..steps).all(|n| (n * across) % board.width != 0)
            } else {
                steps * across.abs() < board.width
            };
            has_width && steps * up.abs() < board.height
        };
        if fits(right, forward) || movement.symmetry.rotation && fits(forward, right) {
            return;
        }
        let n_steps = if steps == 1 { "one step".to_owned() } else { format!("{steps} steps") };
        let message = format!("there is no room for {n_steps} of <{right},{forward}> on the board");
        let problem = Diagnostic::warning("too-far", movement.span, message);
        let label = format!("the board has {} columns and {} rows", board.width, board.height);
        self.report(problem.label(label).help("this movement is never possible; shorten it"));
    }

    fn check_capture(&mut self, capture: &Capture, has_trails: bool) {
        let methods = capture.methods;
        let is_hop = |movement: &Movement| matches!(movement.path, Path::Hop { .. });
        let (message, help) = if methods == super::ast::Methods::default() {
            ("a capture by nothing takes nothing", "name a way: `BY {clobber}`")
        } else if methods.hop && !capture.movements.iter().any(is_hop) {
            (
                "captures by `hop` need a movement that hops",
                "add `MOVEMENT HOP ..`, or leave `hop` out",
            )
        } else if methods.trail && !has_trails {
            (
                "no movement leaves a trail",
                "write `TRAIL` behind the movement that can be met on its way",
            )
        } else {
            return;
        };
        let problem = Diagnostic::warning("no-capture", capture.span, message);
        self.report(problem.label("has no effect").help(help));
    }

    fn check_castling(&mut self, piece: &Piece) {
        for castle in &piece.castling {
            self.check_square(castle.to, castle.span);
            self.check_square(castle.partner_to, castle.span);
            for square in castle.from.into_iter().chain(castle.partner_from) {
                self.check_square(square, castle.span);
            }
            if castle.to == castle.partner_to {
                let message = "both pieces would end on one square";
                let problem = Diagnostic::error("castling", castle.span, message);
                self.report(problem.label("the same square").help("give each its own square"));
            }
        }
    }

    fn check_promoting(&mut self, piece: &Piece, places: &BTreeMap<&'static str, Span>) {
        let on = piece.promoting.as_ref().and_then(|promoting| promoting.on);
        if on == Some(PromotingOn::default()) {
            let place = places.get("PROMOTING").copied().unwrap_or(piece.name.span);
            let message = format!("`{}` never promotes", piece.name.text);
            let problem = Diagnostic::warning("no-promotion", place, message);
            self.report(problem.label("`ON {}`").help("say when: `ON {enter within}`"));
        }
    }

    fn check_symbols(&mut self) {
        let mut earlier: BTreeMap<&str, Vec<(usize, Span, &str)>> = BTreeMap::new();
        for (at, (piece, places)) in self.game.pieces.iter().zip(&self.places.pieces).enumerate() {
            let Some(symbol) = &piece.symbol else { continue };
            let place = places.get("SYMBOL").copied().unwrap_or(piece.name.span);
            let same = earlier.entry(symbol).or_default();
            if let Some((_, before, name)) =
                same.iter().copied().find(|(other, ..)| !self.game.may_share(*other, at))
            {
                let message = format!("`{}` and `{name}` have the same symbol", piece.name.text);
                let problem = Diagnostic::error("duplicate", place, message)
                    .label(format!("\"{symbol}\" again"))
                    .related(before, format!("the symbol of `{name}`"))
                    .help("capitals and small letters tell the sides apart, not the pieces");
                self.report(problem);
            }
            same.push((at, place, &piece.name.text));
        }
    }
}

const NOWHERE: Direction = Direction { right: 0, forward: 0 };

fn all_movements(piece: &Piece) -> impl Iterator<Item = &Movement> {
    let captures = piece.capturing.iter().flat_map(|capture| &capture.movements);
    piece.moving.iter().chain(captures)
}

/// The number of steps of the shortest path of this form.
fn least_steps(path: &Path) -> i32 {
    match path {
        Path::Stay => 0,
        Path::Leap { .. } => 1,
        Path::Ride { min, .. } => min.unwrap_or(1),
        Path::Hop { before, over, after, .. } => least(*before) + least(*over) + least(*after) + 1,
    }
}

fn least(comparison: Comparison) -> i32 {
    match comparison.relation {
        Relation::Equal | Relation::AtLeast => comparison.number,
        Relation::AtMost => 0,
    }
}
