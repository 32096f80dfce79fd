//! A game without its places, so that two texts that say the same are equal.
//!
//! In: a game. Out: the same game with all places empty. Names need no treatment: they are compared
//! without their places.

use rulesmith_logic::Span;

use super::ast::{Area, Constraints, Draw, Goal, Movement, Piece, Place, SclGame, Setup, Square};

impl SclGame {
    /// The same game, as if it had been written nowhere.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        self.goals.iter_mut().for_each(clear_goal);
        self.draws.iter_mut().for_each(clear_draw);
        self.regions.iter_mut().flat_map(|region| &mut region.areas).for_each(clear_area);
        match &mut self.setup {
            Setup::Placements(placements) => {
                for placement in placements {
                    if let Place::At(squares) = &mut placement.place {
                        clear_squares(squares);
                    }
                }
            }
            Setup::Assignment { squares, .. } => clear_squares(squares),
        }
        clear_constraints(&mut self.constraints);
        self.pieces.iter_mut().for_each(clear_piece);
        self
    }
}

fn clear_goal(goal: &mut Goal) {
    match goal {
        Goal::Arrive { at, .. } => clear_area(at),
        Goal::Line { on, .. } => on.iter_mut().for_each(clear_area),
        Goal::All(goals) => goals.iter_mut().for_each(clear_goal),
        Goal::Answered(goal) | Goal::Evened(goal) => clear_goal(goal),
        Goal::Stalemate(_)
        | Goal::Eradicate(_)
        | Goal::Checkmate(_)
        | Goal::Checks(..)
        | Goal::Fewer(..)
        | Goal::Count(..) => {}
    }
}

fn clear_draw(draw: &mut Draw) {
    if let Draw::Ending { on: Some(area), .. } = draw {
        clear_area(area);
    }
}

fn clear_area(area: &mut Area) {
    if let Area::Squares(squares) = area {
        clear_squares(squares);
    }
}

fn clear_squares(squares: &mut [(Square, Span)]) {
    for (_, span) in squares {
        *span = Span::default();
    }
}

fn clear_constraints(constraints: &mut Constraints) {
    if let Some(must) = &mut constraints.must_capture {
        must.span = Span::default();
    }
}

fn clear_piece(piece: &mut Piece) {
    clear_constraints(&mut piece.constraints);
    clear_movements(&mut piece.moving);
    for capture in &mut piece.capturing {
        clear_movements(&mut capture.movements);
        capture.span = Span::default();
    }
    piece.castling.iter_mut().for_each(|castle| castle.span = Span::default());
}

fn clear_movements(movements: &mut [Movement]) {
    for movement in movements {
        movement.span = Span::default();
    }
}
