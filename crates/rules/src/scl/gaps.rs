//! What a text may say and the general theory cannot do yet.
//!
//! In: a checked game. Out: the words that would have no effect, each once. Invariant: a game whose words are all
//! understood by the theory has none; nothing is guessed or left out in silence.

use super::ast::{Draw, Goal, Maximal, RepetitionVerdict, SclGame, Setup};

/// The words of a game that the theory does not know.
pub(super) fn gaps(game: &SclGame) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    found.extend(game.goals.iter().flat_map(goal_gaps));
    found.extend(game.draws.iter().filter_map(|draw| match draw {
        Draw::Material(_) => Some("DRAWS material"),
        Draw::Facing(_) => Some("DRAWS facing"),
        Draw::Stalemate | Draw::Quiet { .. } | Draw::Turns(_) => None,
    }));
    found.extend(game.repetitions.iter().filter_map(|one| match one.verdict {
        RepetitionVerdict::Draw => None,
        RepetitionVerdict::LossForChecker
        | RepetitionVerdict::LossForChaser
        | RepetitionVerdict::LossForMover => Some("loss_for"),
    }));
    if matches!(game.setup, Setup::Assignment { decider: None, .. }) {
        found.push("DECISION random");
    }
    let constraints = &game.constraints;
    let said = [(constraints.no_check, "no_check"), (constraints.no_dead_end, "no_dead_end")];
    found.extend(said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, word)| word));
    let maximal = constraints.must_capture.iter().flat_map(|must| &must.maximal);
    if maximal.into_iter().any(|one| matches!(one, Maximal::First(_))) {
        found.push("maximal {first}");
    }
    for piece in &game.pieces {
        if piece.dropping.as_ref().is_some_and(|dropping| dropping.no_checkmate) {
            found.push("NO_CHECKMATE");
        }
        let on = piece.promoting.as_ref().and_then(|promoting| promoting.on);
        if on.is_some_and(|on| on.passing) {
            found.push("PROMOTING ON {passing}");
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn goal_gaps(goal: &Goal) -> Vec<&'static str> {
    match goal {
        Goal::Line { .. } => vec!["line"],
        Goal::All(_) => vec!["all"],
        Goal::Arrive { answered: true, .. } => vec!["ANSWERED"],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::check::NoFiles;
    use crate::scl::{SclLimits, parse_scl, scl_theory};
    use crate::source::{Diagnostics, Sources};
    use crate::{TextLimits, scl};

    /// The problems of a game with these goals and constraints.
    fn problems(goals: &str, constraints: &str) -> Vec<String> {
        let text = format!(
            "GAME g GOALS {goals} BOARD_SIZE 3 BY 3 BOARD_TYPE planar PROMOTE_RANK 3
            SETUP man AT {{a1}} CONSTRAINTS must_capture {constraints}
            DEFINE man MOVING MOVEMENT LEAP <0,1> SYMMETRY {{}} END MOVEMENT END MOVING END DEFINE
            END GAME."
        );
        let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
        let file = sources.add("g.scl", text);
        let limits = SclLimits::default();
        let game: scl::SclGame =
            parse_scl(&mut sources, file, &NoFiles, &limits, &mut problems).expect("no errors");
        let theory = scl_theory(&game, "g.scl", TextLimits::default(), &mut problems);
        assert_eq!(theory.is_some(), problems.list.is_empty());
        problems.list.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn what_has_no_effect_yet_is_refused() {
        assert!(problems("stalemate opponent", "").is_empty());
        let found = problems("line 3 [{player} {man}] stalemate player", "no_dead_end");
        assert_eq!(
            found,
            ["`line` cannot be played yet", "`no_dead_end` cannot be played yet"].map(String::from)
        );
    }
}
