//! The facts of goals and draws.
//!
//! In: the goals and draws of a game. Out: facts, and the clauses of draws, which hold numbers that a fact cannot.
//! Invariant: goals are numbered from one in the order of the text.

use super::ast::{Draw, Goal, RepetitionVerdict};
use super::facts::{Facts, quoted, range, side_text, square_text};

impl Facts<'_> {
    pub(super) fn goals(&mut self) {
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
    pub(super) fn draws(&mut self) {
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
}
