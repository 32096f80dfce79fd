//! What a text may say and the general theory cannot do.
//!
//! In: a checked game. Out: the words that would have no effect, each once. Invariant: a game whose words are all
//! understood by the theory has none; nothing is guessed or left out in silence.

use std::collections::BTreeSet;

use rulesmith_logic::Span;

use super::ast::{Area, Guard, Movement, MustCapture, Path, SclGame, Side, Square};
use super::hows::lengths;

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
        found.extend(leaving_gaps(game, &piece.moving));
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

/// Movements of one piece that lead from one square to the same other one and leave different things behind: a move is told
/// by its two squares alone. What a movement becomes tells it apart.
fn leaving_gaps(game: &SclGame, moving: &[Movement]) -> Vec<Gap> {
    let plain: Vec<&Movement> = moving.iter().filter(|one| one.becoming.is_none()).collect();
    let mut found = Vec::new();
    for movement in plain.iter().filter(|one| one.leaving.is_some()) {
        let others = plain.iter().filter(|other| other.leaving != movement.leaving);
        let meets = |other: &Movement| {
            let meets = |side| !turns(game, side, movement).is_disjoint(&turns(game, side, other));
            Side::BOTH.into_iter().any(meets)
        };
        if others.copied().any(meets) {
            found.push(Gap {
                word: "LEAVING beside a movement to the same square",
                help: "a move is told by its squares: let the two movements of the piece lead to different squares, or leave one of them out",
                span: movement.span,
            });
        }
    }
    found
}

/// Where a movement of that side may start and end, whatever stands there.
fn turns(game: &SclGame, side: Side, movement: &Movement) -> BTreeSet<(Square, Square)> {
    let squares: BTreeSet<Square> = game.squares().into_iter().collect();
    let lengths = lengths(game, &movement.path);
    let longest = lengths.last().copied().unwrap_or(0);
    let (mut starts, mut ends) = (squares.clone(), squares.clone());
    for guard in &movement.guards {
        let (Guard::From(name) | Guard::To(name) | Guard::Within(name)) = guard else { continue };
        let region = game.area_squares(&[Area::Region(name.clone())]);
        let is_inside = |square: &Square| region.contains(&game.square_of(side, *square));
        if !matches!(guard, Guard::To(_)) {
            starts.retain(is_inside);
        }
        if !matches!(guard, Guard::From(_)) {
            ends.retain(is_inside);
        }
    }
    let mut found = BTreeSet::new();
    for (start, way) in
        starts.iter().flat_map(|one| movement.ways().into_iter().map(move |way| (*one, way)))
    {
        let step =
            |at: &Square| game.step(*at, game.way_of(side, way)).filter(|to| squares.contains(to));
        let path = (0..=longest).zip(std::iter::successors(Some(start), step));
        let reached = path.filter(|(length, to)| lengths.contains(length) && ends.contains(to));
        found.extend(reached.map(|(_, to)| (start, to)));
    }
    found
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

    /// Is there a problem with a piece that has both these movements?
    fn has_gap(one: &str, other: &str) -> bool {
        let text = format!(
            "GAME g GOALS stalemate opponent BOARD_SIZE 3 BY 4 BOARD_TYPE planar PROMOTE_RANK 3
            REGION low RANKS 1 .. 2 REGION high RANKS 3 .. 4 SETUP man AT {{a1}}
            DEFINE man MOVING MOVEMENT {one} END MOVEMENT MOVEMENT {other} END MOVEMENT END MOVING END DEFINE
            DEFINE stone END DEFINE DEFINE egg END DEFINE END GAME."
        );
        let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
        let file = sources.add("g.scl", text);
        let limits = SclLimits::default();
        let game = parse_scl(&mut sources, file, &NoFiles, &limits, &mut problems);
        scl_theory(&game.expect("no errors"), "g.scl", TextLimits::default(), &mut problems);
        problems.list.iter().any(|one| one.message.starts_with("`LEAVING beside"))
    }

    #[test]
    fn what_is_left_must_be_told_by_the_squares_of_a_move() {
        let layer = "LEAP <0,1> SYMMETRY {} LEAVING stone";
        assert!(has_gap(layer, "LEAP <0,1> SYMMETRY {}"));
        assert!(has_gap("RIDE <0,1> SYMMETRY all_symmetry", layer));
        assert!(has_gap(layer, "LEAP <0,1> SYMMETRY {} LEAVING egg"));
        assert!(!has_gap(layer, "LEAP <0,1> SYMMETRY {} LEAVING stone UNMOVED"));
        assert!(!has_gap(layer, "LEAP <0,1> SYMMETRY {} BECOMING stone"));
        assert!(!has_gap(layer, "RIDE MIN 2 <0,1> SYMMETRY all_symmetry"));
        let low = "LEAP <0,1> SYMMETRY {} LEAVING stone WITHIN low";
        assert!(!has_gap(low, "LEAP <0,1> SYMMETRY {} TO high"));
        assert!(has_gap(low, "LEAP <0,1> SYMMETRY {} FROM low"));
    }

    #[test]
    fn a_draw_at_random_can_be_played() {
        let drawn = "DECISION random ASSIGNS {man} TO {a1} END DECISION";
        assert!(problems("stalemate player", "", drawn).is_empty());
    }
}
