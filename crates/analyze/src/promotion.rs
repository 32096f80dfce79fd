//! Promotion: who becomes what, by whose choice, and on which squares.
//!
//! In: a game. Out: for each man its choices, and the distances by promotions that its owner himself decides.
//! Paper: metagamer §2.4 (promotion). Invariant: a man that promotes into nothing has distance zero to itself alone.

use rulesmith_rules::scl::{Area, Into, Man, PromotingOn, SclGame, Side, Square};

use crate::arrivals::{described, man_number};
use crate::squares::{SquareId, SquareSet, Squares};

/// How one man promotes.
#[derive(Clone, Debug)]
pub(crate) struct Promotion {
    /// Who decides, seen from the owner; nobody where the man does not promote.
    pub(crate) decider: Option<Side>,
    /// What it can become.
    pub(crate) choices: Vec<Man>,
    /// Where.
    pub(crate) zone: SquareSet,
    on: PromotingOn,
}

impl Promotion {
    pub(crate) fn of(game: &SclGame, squares: &Squares, man: Man) -> Self {
        let promoting = game.pieces[man.kind.0].promoting.as_ref();
        let own = |kind| Man { kind, owner: man.owner };
        let (decider, choices) = match promoting.map(|promoting| &promoting.into) {
            None => (None, vec![]),
            Some(Into::Kind(name)) => {
                (Some(Side::Player), game.kind_named(name).map(own).into_iter().collect())
            }
            Some(Into::Decision { decider, options }) => {
                (Some(*decider), described(game, man.owner, options))
            }
        };
        let region = promoting.and_then(|promoting| promoting.area.clone());
        let zone: Vec<Square> = if let Some(region) = region {
            game.area_squares(&[Area::Region(region)]).into_iter().collect()
        } else {
            let is_far = |square: &Square| square.row >= game.promote_rank;
            game.places().into_iter().filter(is_far).collect()
        };
        let ends = PromotingOn { enter: true, within: true, ..PromotingOn::default() };
        let on = promoting.and_then(|promoting| promoting.on).unwrap_or(ends);
        Self { decider, choices, zone: squares.seen_by(game, man.owner, zone), on }
    }

    /// Does a move from one square to another promote?
    pub(crate) fn is_ripe(&self, from: SquareId, to: SquareId) -> bool {
        let happens = match (self.zone.contains(from), self.zone.contains(to)) {
            (false, true) => self.on.enter,
            (true, true) => self.on.within,
            (true, false) => self.on.leave,
            (false, false) => false,
        };
        happens && self.decider.is_some()
    }
}

/// How many promotions that its owner himself decides make one man of another: the shortest ways. A man that has
/// changed sides promotes no more for its first owner.
pub(crate) fn promotion_distances(
    promotions: &[Promotion],
    men: &[Man],
    man: Man,
) -> Vec<(Man, u32)> {
    let mut distances = vec![None; men.len()];
    distances[man_number(man)] = Some(0);
    let mut layer = vec![man];
    let mut distance = 0;
    while !layer.is_empty() {
        distance += 1;
        let mut next = vec![];
        for one in layer.into_iter().filter(|one| one.owner == man.owner) {
            let promotion = &promotions[man_number(one)];
            let choices =
                promotion.choices.iter().filter(|_| promotion.decider == Some(Side::Player));
            for choice in choices {
                let known = &mut distances[man_number(*choice)];
                if known.is_none() {
                    *known = Some(distance);
                    next.push(*choice);
                }
            }
        }
        layer = next;
    }
    men.iter().filter_map(|one| Some((*one, distances[man_number(*one)]?))).collect()
}
