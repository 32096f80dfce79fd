//! What a text may say and the general theory cannot do.
//!
//! In: a checked game. Out: the words that would have no effect, each once. Invariant: a game whose words are all
//! understood by the theory has none; nothing is guessed or left out in silence.

use super::ast::{Guard, Movement, Path, SclGame, Setup};

/// The words of a game that the theory does not know.
pub(super) fn gaps(game: &SclGame) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    // A theory has no chance moves.
    if matches!(game.setup, Setup::Assignment { decider: None, .. }) {
        found.push("DECISION random");
    }
    // Victims are counted while they stand on the board.
    let continues = game.pieces.iter().filter_map(|piece| piece.constraints.continue_captures);
    let is_deferred =
        continues.chain(game.constraints.continue_captures).any(|captures| captures.deferred);
    let is_maximal =
        game.constraints.must_capture.as_ref().is_some_and(|must| !must.maximal.is_empty());
    if is_maximal && !is_deferred {
        found.push("maximal");
    }
    // Preferences and promotion in the middle of captures are those of the whole game.
    let of_pieces = game.pieces.iter().filter_map(|piece| piece.constraints.must_capture.as_ref());
    if of_pieces.into_iter().any(|must| !must.maximal.is_empty()) {
        found.push("maximal");
    }
    for piece in &game.pieces {
        found.extend(piece.moving.iter().flat_map(move_gaps));
        found.extend(
            piece.capturing.iter().flat_map(|capture| &capture.movements).flat_map(capture_gaps),
        );
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What a movement of `MOVING` says in vain.
fn move_gaps(movement: &Movement) -> Vec<&'static str> {
    let is_plain = movement.becoming.is_none();
    let said = [
        (is_plain && movement.guards.contains(&Guard::Peaceful), "PEACEFUL without BECOMING"),
        (is_plain && movement.path == Path::Stay, "STAY without BECOMING"),
        (!is_plain && movement.leaving.is_some(), "LEAVING with BECOMING"),
    ];
    said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, word)| word).collect()
}

/// What a movement of a capture says in vain. What `AS_MOVING` copies may leave something behind; captures do not.
fn capture_gaps(movement: &Movement) -> Vec<&'static str> {
    let said = [
        (movement.guards.contains(&Guard::Peaceful), "PEACEFUL for captures"),
        (movement.guards.contains(&Guard::Alone), "ALONE for captures"),
        (movement.path == Path::Stay, "STAY for captures"),
        (movement.becoming.is_some(), "BECOMING for the movement of a capture"),
    ];
    said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use crate::check::NoFiles;
    use crate::scl::{SclLimits, parse_scl, scl_theory};
    use crate::source::{Diagnostics, Sources};
    use crate::{TextLimits, scl};

    /// The problems of a game with these goals and constraints.
    fn problems(goals: &str, constraints: &str, setup: &str) -> Vec<String> {
        let text = format!(
            "GAME g GOALS {goals} BOARD_SIZE 3 BY 3 BOARD_TYPE planar PROMOTE_RANK 3
            SETUP {setup} CONSTRAINTS must_capture {constraints}
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
    fn what_has_no_effect_is_refused() {
        assert!(problems("stalemate opponent", "", "man AT {a1}").is_empty());
        let drawn = "DECISION random ASSIGNS {man} TO {a1} END DECISION";
        let found = problems("line 3 [{player} {man}] stalemate player", "maximal", drawn);
        assert_eq!(
            found,
            ["`DECISION random` cannot be played yet", "`maximal` cannot be played yet"]
                .map(String::from)
        );
    }
}
