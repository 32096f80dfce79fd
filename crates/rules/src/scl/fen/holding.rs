//! Which kinds of pieces can be in hand.
//!
//! In: a game. Out: the kinds that a hand holds at the start or that a capture can put there. Invariant: what regular
//! play puts into a hand is among them; a protected piece is never captured, unless removing it is a goal.

use std::collections::BTreeSet;

use super::position::KindId;
use crate::scl::ast::{Capture, Description, Effect, Goal, Name, Place, Protected, SclGame, Setup};

/// The kinds that can be in a hand.
pub(super) fn held_kinds(game: &SclGame) -> BTreeSet<KindId> {
    let mut names: Vec<&Name> = match &game.setup {
        Setup::Assignment { names, .. } => names.iter().collect(),
        Setup::Placements(all) => {
            let in_hand = all.iter().filter(|one| matches!(one.place, Place::InHand(_)));
            in_hand.map(|one| &one.name).collect()
        }
    };
    let fills = |capture: &&Capture| matches!(capture.effect, Effect::Possesses(_));
    for capture in game.pieces.iter().flat_map(|piece| &piece.capturing).filter(fills) {
        for victim in game.kinds_named(&capture.victims.names) {
            let piece = &game.pieces[victim.0];
            if !is_safe(game, victim) {
                names.push(piece.reverts_to.as_ref().unwrap_or(&piece.name));
            }
        }
    }
    names.into_iter().filter_map(|name| game.kind_named(name)).collect()
}

/// Can nobody ever capture such a piece?
fn is_safe(game: &SclGame, kind: KindId) -> bool {
    let is_meant = |who: &Description| game.kinds_named(&who.names).contains(&kind);
    let mut protect = game.constraints.protect.iter();
    let is_protected = protect.any(|one| one.which == Protected::Each && is_meant(&one.who));
    is_protected && !game.goals.iter().any(|goal| is_removed(goal, &is_meant))
}

fn is_removed(goal: &Goal, is_meant: &dyn Fn(&Description) -> bool) -> bool {
    match goal {
        Goal::Eradicate(who) => is_meant(who),
        Goal::All(goals) => goals.iter().any(|one| is_removed(one, is_meant)),
        Goal::Answered(one) | Goal::Evened(one) => is_removed(one, is_meant),
        _ => false,
    }
}
