//! The check: what the grammar cannot say.
//!
//! In: a draft of a game. Out: the game, with a piece for every name, and every further problem.
//! Invariant: in a game without errors every name has a piece or a region, every square is on the board,
//! and every part finds the parts that it needs.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::Span;

use super::SclLimits;
use super::ast::{
    Constraints, Draw, Goal, Guard, Name, Piece, RepetitionVerdict, Resets, SclGame, Square,
};
use super::parse::{Draft, Places};
use super::symbols::N_SYMBOLS;
use crate::source::{Diagnostic, Diagnostics};

/// A checked game.
pub(super) fn check(draft: Draft, limits: &SclLimits, diagnostics: &mut Diagnostics) -> SclGame {
    let Draft { mut game, sections, places, .. } = draft;
    let most = limits.pieces.min(N_SYMBOLS);
    if game.pieces.len() > most {
        too_many_pieces(&game.pieces[most].name, most, diagnostics);
        game.pieces.truncate(most);
    }
    let regions = game.regions.iter().map(|region| region.name.text.as_str()).collect();
    let holes = game.board.holes.iter().copied().collect();
    let mut checker =
        Checker { game: &game, places: &places, sections: &sections, regions, holes, diagnostics };
    checker.check_definitions();
    checker.check_regions();
    checker.check_board();
    checker.check_setup();
    checker.check_goals();
    checker.check_draws();
    checker.check_pieces();
    checker.check_protection();
    checker.check_constraints();
    let inert = checker.undefined_names();
    if let Some(name) = inert.get(most - game.pieces.len()) {
        too_many_pieces(name, most, diagnostics);
    } else {
        game.pieces.extend(inert.into_iter().map(Piece::inert));
    }
    game
}

fn too_many_pieces(name: &Name, most: usize, diagnostics: &mut Diagnostics) {
    let message = format!("more kinds of pieces than the limit `pieces` of {most}");
    let problem = Diagnostic::error("limit", name.span, message).label("one too many");
    diagnostics.report(problem.help("there are no more symbols; use fewer kinds"));
}

/// What is known while a game is checked.
pub(super) struct Checker<'a> {
    pub(super) game: &'a SclGame,
    pub(super) places: &'a Places,
    pub(super) sections: &'a BTreeMap<&'static str, Span>,
    /// The names of all regions.
    pub(super) regions: BTreeSet<&'a str>,
    pub(super) holes: BTreeSet<Square>,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl Checker<'_> {
    pub(super) fn report(&mut self, problem: Diagnostic) {
        self.diagnostics.report(problem);
    }

    /// The place of a section's first word.
    pub(super) fn section(&self, section: &str) -> Span {
        self.sections.get(section).copied().unwrap_or_default()
    }

    fn check_goals(&mut self) {
        if self.game.goals.is_empty()
            && self.sections.contains_key("GOALS")
            && !self.diagnostics.has_errors()
        {
            let message = "there is no goal, so nobody can win";
            let problem = Diagnostic::warning("no-goal", self.section("GOALS"), message);
            self.report(
                problem.label("nothing follows").help("add one, like `stalemate opponent`"),
            );
        }
        for (goal, place) in self.game.goals.iter().zip(&self.places.goals) {
            self.check_goal(goal, *place);
        }
    }

    fn check_draws(&mut self) {
        for (draw, place) in self.game.draws.iter().zip(&self.places.draws) {
            match draw {
                Draw::Ending { on: Some(area), .. } => self.check_area(area, *place),
                Draw::Quiet { resets, .. } => self.check_resets(resets, *place),
                _ => {}
            }
        }
    }

    /// What sets a count back is told from the names of pieces, and by single turns.
    fn check_resets(&mut self, resets: &Resets, place: Span) {
        let words = [("capture", resets.on_capture), ("promotion", resets.on_promotion)];
        for (word, _) in words.into_iter().filter(|(_, is_meant)| *is_meant) {
            if let Some(piece) = self.game.pieces.iter().find(|one| one.name.text == word) {
                let message = format!("`{word}` here is not the piece of that name");
                let problem = Diagnostic::error("bad-name", piece.name.span, message);
                let problem = problem.related(place, "it stands for any of them here");
                self.report(problem.label("a word of `RESET`").help("choose another name"));
            }
        }
        let goes_on = |piece: &&Piece| {
            piece.constraints.continue_captures.is_some() && piece.promoting.is_some()
        };
        if resets.on_promotion
            && !resets.on_capture
            && let Some(piece) = self.game.pieces.iter().find(goes_on)
        {
            let message = "promotions in captures that go on cannot be told from other captures";
            let problem = Diagnostic::error("unclear-promotion", place, message);
            let problem = problem.related(piece.name.span, "its captures go on, and it promotes");
            self.report(
                problem
                    .label("`promotion` without `capture`")
                    .help("write `RESET {capture promotion}`"),
            );
        }
    }

    fn check_goal(&mut self, goal: &Goal, place: Span) {
        match goal {
            Goal::Arrive { at, .. } => self.check_area(at, place),
            Goal::Line { on: Some(area), .. } => self.check_area(area, place),
            Goal::Checkmate(_) => self.needs_protect(place, "`checkmate`"),
            Goal::Checks(..) => self.needs_protect(place, "`checks`"),
            Goal::All(goals) => goals.iter().for_each(|goal| self.check_goal(goal, place)),
            Goal::Answered(goal) | Goal::Evened(goal) => self.check_goal(goal, place),
            _ => {}
        }
    }

    /// Parts that speak of check outside the goals.
    fn check_protection(&mut self) {
        if self.game.constraints.no_check {
            self.needs_protect(self.section("CONSTRAINTS"), "`no_check`");
        }
        for (repetition, place) in self.game.repetitions.iter().zip(&self.places.repetitions) {
            if repetition.verdict == RepetitionVerdict::LossForChecker {
                self.needs_protect(*place, "`loss_for checker`");
            }
        }
        for (piece, places) in self.game.pieces.iter().zip(&self.places.pieces) {
            let place_of = |section: &str| places.get(section).copied().unwrap_or(piece.name.span);
            if piece.dropping.as_ref().is_some_and(|dropping| dropping.no_checkmate) {
                self.needs_protect(place_of("DROPPING"), "`NO_CHECKMATE`");
            }
            if piece.dropping.as_ref().is_some_and(|dropping| dropping.no_check) {
                self.needs_protect(place_of("DROPPING"), "`NO_CHECK`");
            }
            if piece.constraints.no_flight {
                self.needs_protect(place_of("CONSTRAINTS"), "`no_flight`");
            }
            let captures = piece.capturing.iter().flat_map(|capture| &capture.movements);
            for movement in piece.moving.iter().chain(captures) {
                if movement.guards.contains(&Guard::Unchecked) {
                    self.needs_protect(movement.span, "`UNCHECKED`");
                }
            }
        }
    }

    /// Says that there is no check where nothing is protected.
    fn needs_protect(&mut self, place: Span, what: &str) {
        // Constraints that could not be read may have said so.
        let is_unread = self.sections.contains_key("CONSTRAINTS")
            && self.game.constraints == Constraints::default();
        if !self.game.constraints.protect.is_empty() || is_unread {
            return;
        }
        let message = format!("{what} needs a piece that is protected");
        let problem = Diagnostic::error("needs-protect", place, message);
        self.report(
            problem
                .label("no piece is protected")
                .help("write `CONSTRAINTS protect [{player} {king}]` before the first `DEFINE`"),
        );
    }

    fn check_constraints(&mut self) {
        if self.game.constraints.continue_captures.is_some() {
            let message = "`continue_captures` says nothing about a whole game";
            let place = self.section("CONSTRAINTS");
            let problem = Diagnostic::warning("inert-constraint", place, message);
            let help = "write `CONSTRAINTS continue_captures` in the `DEFINE` of each piece that may go on";
            self.report(problem.label("has no effect here").help(help));
        }
    }
}
