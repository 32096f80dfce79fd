//! Goals: one stalemate, and what else is drawn, if it can be reached and says something new.
//!
//! In: dice, and a game that has everything but goals. Out: its goals. Paper: metagamer §1.2. Constraints: own pieces that
//! are to arrive are of kinds that only promotion makes; the other side's arrive nowhere where they start; what is to be
//! gone is there at the start. Invariant: no goal follows from another one of the list, for either side.

use std::collections::BTreeSet;

use rulesmith_analyze::Prospects;
use rulesmith_logic::Span;
use rulesmith_rules::scl::{
    Area, Description, Goal, KindId, Man, Name, Names, SclGame, Side, Square,
};

use super::army::Army;
use super::dice::Dice;
use super::knobs::Knob;
use super::pieces::draw_names;

/// A goal that will not do is drawn again, at most so often.
const MOST_DRAWS: usize = 20;

/// Draws the goals of a game.
pub(super) fn draw_goals(dice: &mut Dice<'_>, army: &Army, game: &SclGame) -> Vec<Goal> {
    let mut goals = vec![Goal::Stalemate(side(dice, Knob::STALEMATE_SIDE))];
    let prospects = Prospects::new(game);
    for _ in 0..dice.more(Knob::GOAL_COMPLEXITY) {
        for _ in 0..MOST_DRAWS {
            let Some(goal) = draw_goal(dice, army, game) else { continue };
            let is_new =
                |other: &Goal| !follows(game, &goal, other) && !follows(game, other, &goal);
            if goals.iter().all(is_new) && prospects.may_meet(Side::Player, &goal) {
                goals.push(goal);
                break;
            }
        }
    }
    goals
}

fn side(dice: &mut Dice<'_>, knob: Knob) -> Side {
    match dice.word(knob) {
        "player" => Side::Player,
        _ => Side::Opponent,
    }
}

fn draw_goal(dice: &mut Dice<'_>, army: &Army, game: &SclGame) -> Option<Goal> {
    if dice.word(Knob::GOAL_TYPE) == "eradicate" {
        draw_eradicate(dice, army, &army.kinds())
    } else {
        draw_arrive(dice, army, game)
    }
}

fn draw_eradicate(dice: &mut Dice<'_>, army: &Army, kinds: &[Name]) -> Option<Goal> {
    let owner = Some(side(dice, Knob::ERADICATE_OWNER));
    if dice.chance(Knob::ERADICATE_ANY) {
        return Some(Goal::Eradicate(Description { owner, names: Names::Any { except: vec![] } }));
    }
    let names = draw_names(dice, kinds, Knob::ERADICATE_MORE);
    let is_there = names.iter().any(|name| army.placed.contains(name));
    is_there.then_some(Goal::Eradicate(Description { owner, names: Names::Listed(names) }))
}

fn draw_arrive(dice: &mut Dice<'_>, army: &Army, game: &SclGame) -> Option<Goal> {
    let owner = side(dice, Knob::ARRIVE_OWNER);
    let kinds = match owner {
        Side::Player => army.promote_only.clone(),
        Side::Opponent => army.kinds(),
    };
    let names = draw_names(dice, &kinds, Knob::ARRIVE_MORE);
    let is_start = |square: &Square| {
        let seen = game.square_of(Side::Opponent, *square);
        owner == Side::Opponent && army.squares.contains(&seen)
    };
    let squares: Vec<Square> =
        game.squares().into_iter().filter(|square| !is_start(square)).collect();
    let squares = dice.some(&squares, Knob::ARRIVE_SQUARES);
    if names.is_empty() || squares.is_empty() {
        return None;
    }
    let at = Area::Squares(squares.into_iter().map(|square| (square, Span::default())).collect());
    let who = Description { owner: Some(owner), names: Names::Listed(names) };
    Some(Goal::Arrive { who, at, is_safe: false })
}

/// Whenever the first goal is met, is the second one met too, by the same side or by the other one?
fn follows(game: &SclGame, first: &Goal, second: &Goal) -> bool {
    Side::BOTH.into_iter().any(|side| match (first, second) {
        (Goal::Stalemate(one), Goal::Stalemate(other)) => *one == side.whose(*other),
        (Goal::Eradicate(one), Goal::Eradicate(other)) => {
            men(game, Side::Player, one).is_superset(&men(game, side, other))
        }
        (Goal::Arrive { who, at, .. }, Goal::Arrive { who: other, at: where_else, .. }) => {
            men(game, Side::Player, who).is_subset(&men(game, side, other))
                && squares(game, Side::Player, at).is_subset(&squares(game, side, where_else))
        }
        _ => false,
    })
}

/// The men that a description means when a side reads it.
fn men(game: &SclGame, reader: Side, who: &Description) -> BTreeSet<Man> {
    let kinds: Vec<KindId> = game.kinds_named(&who.names);
    let owners = Side::BOTH.into_iter().filter(|side| who.is_owned_by(*side));
    let of =
        |side: Side| kinds.iter().map(move |kind| Man { kind: *kind, owner: reader.whose(side) });
    owners.flat_map(of).collect()
}

/// The squares of an area, as a side sees it.
fn squares(game: &SclGame, side: Side, at: &Area) -> BTreeSet<Square> {
    let all = game.area_squares(std::slice::from_ref(at)).into_iter();
    all.map(|square| game.square_of(side, square)).collect()
}
