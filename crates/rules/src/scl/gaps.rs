//! What a text may say and the general theory cannot do.
//!
//! In: a checked game. Out: the words that would have no effect, each once. Invariant: a game whose words are all
//! understood by the theory has none; nothing is guessed or left out in silence.

use rulesmith_logic::Span;

use super::ast::{Guard, Movement, MustCapture, Path, SclGame};

/// Words of a game that the theory does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gap {
    /// The words.
    pub(super) word: &'static str,
    /// What can be done about it.
    pub(super) help: &'static str,
    /// Where they stand, or the movement they belong to.
    pub(super) span: Span,
}

/// The words of a game that would have no effect.
pub(super) fn gaps(game: &SclGame) -> Vec<Gap> {
    let mut found: Vec<Gap> = Vec::new();
    // Victims are counted while they stand on the board.
    let continues = game.pieces.iter().filter_map(|piece| piece.constraints.continue_captures);
    let is_deferred =
        continues.chain(game.constraints.continue_captures).any(|captures| captures.deferred);
    let is_maximal = |must: &&MustCapture| !must.maximal.is_empty();
    if !is_deferred && let Some(must) = game.constraints.must_capture.as_ref().filter(is_maximal) {
        let help = "victims are counted while they stand on the board: give the pieces that capture \
                    `CONSTRAINTS continue_captures deferred`, or leave `maximal` out";
        found.push(Gap { word: "maximal", help, span: must.span });
    }
    // Preferences are those of the whole game.
    let of_pieces = game.pieces.iter().filter_map(|piece| piece.constraints.must_capture.as_ref());
    found.extend(of_pieces.filter(is_maximal).map(|must| Gap {
        word: "maximal",
        help: "captures are compared in the whole game: put `CONSTRAINTS must_capture maximal` before the first `DEFINE`",
        span: must.span,
    }));
    for piece in &game.pieces {
        found.extend(piece.moving.iter().flat_map(move_gaps));
        found.extend(
            piece.capturing.iter().flat_map(|capture| &capture.movements).flat_map(capture_gaps),
        );
    }
    found.sort_unstable_by_key(|gap| (gap.word, gap.span));
    found.dedup();
    found
}

/// What a movement of `MOVING` says in vain.
fn move_gaps(movement: &Movement) -> Vec<Gap> {
    let is_plain = movement.becoming.is_none();
    let said = [
        (
            is_plain && movement.guards.contains(&Guard::Peaceful),
            "PEACEFUL without BECOMING",
            "write `BECOMING` and a kind of piece behind it, or leave `PEACEFUL` out",
        ),
        (
            is_plain && movement.path == Path::Stay,
            "STAY without BECOMING",
            "write `BECOMING` and a kind of piece behind it; `CONSTRAINTS pass` lets a side pass",
        ),
        (!is_plain && movement.leaving.is_some(), "LEAVING with BECOMING", "leave one of them out"),
    ];
    told(movement, &said)
}

/// What a movement of a capture says in vain. What `AS_MOVING` copies may leave something behind; captures do not.
fn capture_gaps(movement: &Movement) -> Vec<Gap> {
    let said = [
        (
            movement.guards.contains(&Guard::Peaceful),
            "PEACEFUL for captures",
            "leave `PEACEFUL` out, or write the movements of the capture in the place of `AS_MOVING`",
        ),
        (
            movement.guards.contains(&Guard::Alone),
            "ALONE for captures",
            "leave `ALONE` out, or write the movements of the capture in the place of `AS_MOVING`",
        ),
        (
            movement.path == Path::Stay,
            "STAY for captures",
            "a capture goes somewhere: write `LEAP`, `RIDE` or `HOP`",
        ),
        (
            movement.becoming.is_some(),
            "BECOMING for the movement of a capture",
            "write `BECOMING` behind `EFFECT remove`, before the movements",
        ),
    ];
    told(movement, &said)
}

fn told(movement: &Movement, said: &[(bool, &'static str, &'static str)]) -> Vec<Gap> {
    let said = said.iter().filter(|(is_said, ..)| *is_said);
    said.map(|(_, word, help)| Gap { word, help, span: movement.span }).collect()
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
        let found = problems("line 3 [{player} {man}] stalemate player", "maximal", "man AT {a1}");
        assert_eq!(found, ["`maximal` cannot be played".to_owned()]);
    }

    #[test]
    fn what_has_no_effect_is_shown_with_a_way_out() {
        let said = "MOVEMENT LEAP <0,1> SYMMETRY {} PEACEFUL END MOVEMENT";
        let text = format!(
            "GAME g GOALS stalemate opponent BOARD_SIZE 3 BY 3 BOARD_TYPE planar PROMOTE_RANK 3
            SETUP man AT {{a1}} CONSTRAINTS must_capture maximal
            DEFINE man MOVING {said} END MOVING END DEFINE END GAME."
        );
        let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
        let file = sources.add("g.scl", text.clone());
        let limits = SclLimits::default();
        let game = parse_scl(&mut sources, file, &NoFiles, &limits, &mut problems);
        scl_theory(&game.expect("no errors"), "g.scl", TextLimits::default(), &mut problems);
        let places = problems.list.iter().map(|problem| {
            assert!(problem.help.is_some(), "{}", problem.message);
            &text[problem.span.start as usize..problem.span.end as usize]
        });
        assert_eq!(places.collect::<Vec<_>>(), [said, "maximal"]);
    }

    #[test]
    fn a_draw_at_random_can_be_played() {
        let drawn = "DECISION random ASSIGNS {man} TO {a1} END DECISION";
        assert!(problems("stalemate player", "", drawn).is_empty());
    }
}
