//! Joint moves: every way in which the roles that have to move can move together.
//!
//! In: the legal moves of each role. Out: joint moves, one after another, or one at random.
//! Invariant: a role without a legal move has no part in a joint move; the order is fixed, the last
//! role's moves changing fastest.

use crate::error::Error;
use crate::game::{Game, JointMove, Notation, RoleId};
use crate::random::Random;
use crate::sentence::{MoveStyle, styled_text};

/// The joint moves of a state, listed without being stored.
#[derive(Clone, Debug)]
pub struct JointMoves<M> {
    choices: Vec<(RoleId, Vec<M>)>,
    next: Option<Vec<usize>>,
}

impl<M: Clone> JointMoves<M> {
    /// The joint moves of a state; none where nobody can move.
    pub fn of<G: Game<Move = M>>(game: &G, state: &G::State) -> Result<Self, Error> {
        let mut choices = Vec::new();
        for role in (0..game.roles().len()).map(RoleId) {
            let moves = game.legal_moves(state, role)?;
            if !moves.is_empty() {
                choices.push((role, moves));
            }
        }
        let next = (!choices.is_empty()).then(|| vec![0; choices.len()]);
        Ok(Self { choices, next })
    }

    /// For each role that has to move, its legal moves.
    pub fn choices(&self) -> &[(RoleId, Vec<M>)] {
        &self.choices
    }

    /// One joint move, every one equally likely; `None` where nobody can move.
    pub fn choose(&self, random: &mut Random) -> Option<JointMove<M>> {
        let chosen =
            self.choices.iter().map(|(role, moves)| Some((*role, random.choose(moves)?.clone())));
        chosen.collect::<Option<JointMove<M>>>().filter(|joint| !joint.is_empty())
    }

    /// Sets the counter to the joint move after `places`, if there is one.
    fn advance(&mut self, mut places: Vec<usize>) {
        for (place, (_, moves)) in places.iter_mut().zip(&self.choices).rev() {
            *place += 1;
            if *place < moves.len() {
                self.next = Some(places);
                return;
            }
            *place = 0;
        }
    }
}

impl<M: Clone> Iterator for JointMoves<M> {
    type Item = JointMove<M>;

    fn next(&mut self) -> Option<Self::Item> {
        let places = self.next.take()?;
        let parts = self.choices.iter().zip(&places);
        let joint = parts.map(|((role, moves), &place)| (*role, moves[place].clone())).collect();
        self.advance(places);
        Some(joint)
    }
}

/// A joint move for people: the move alone where one role moves, else each with its role's name.
pub fn joint_text<G: Notation>(
    game: &G,
    state: &G::State,
    joint: &JointMove<G::Move>,
    style: MoveStyle,
) -> String {
    match joint.as_slice() {
        [(role, chosen)] => styled_text(game, state, (*role, chosen), style),
        several => {
            let parts = several.iter().map(|(role, chosen)| {
                format!("{} {}", game.roles()[role.0], game.move_text(chosen))
            });
            parts.collect::<Vec<_>>().join("; ")
        }
    }
}
