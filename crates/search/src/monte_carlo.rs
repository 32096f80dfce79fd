//! Flat Monte Carlo: each move of one role is judged by random contests that begin with it.
//!
//! In: a state and the role that has to move. Out: a move, with the visits and the mean score of every
//! move. Invariant: exactly as many playouts count as the limits allow, unless a pace stops them
//! earlier; whatever the rules leave open (goals that are not given, states without moves, contests without
//! end) has a score.

use std::ops::ControlFlow;

use rulesmith_game::{Draws, Error, Game, JointMoves, Playout, Random, RoleId};

use crate::arms::Arms;
use crate::limits::{MonteCarlo, Pace};

/// A chosen move, and what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M> {
    /// The move.
    pub chosen: M,
    /// All legal moves of the role, in the order the game lists them.
    pub scores: Vec<MoveScore<M>>,
    /// Playouts that count.
    pub playouts: u64,
    /// Those of them that were given up at the cap on their length.
    pub capped: u64,
}

/// What playouts say of one move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveScore<M> {
    /// The move.
    pub chosen: M,
    /// Playouts that began with it.
    pub visits: u64,
    /// The mean goal value of the role in them, from 0 to 100; `None` without playouts.
    pub mean: Option<f64>,
}

impl<M> Choice<M> {
    /// The moves that were tried, the most visited first.
    pub fn ranked(&self) -> Vec<&MoveScore<M>> {
        let mut tried: Vec<_> = self.scores.iter().filter(|score| score.visits > 0).collect();
        let mean = |score: &MoveScore<M>| score.mean.unwrap_or(0.0);
        tried.sort_by(|a, b| b.visits.cmp(&a.visits).then(mean(b).total_cmp(&mean(a))));
        tried
    }
}

/// Chooses a move for a role; `None` where it has none or the contest is over. A single legal move is
/// chosen without playouts.
///
/// Where other roles move at the same time, what they do is drawn at random for every playout.
pub fn choose<G: Game>(
    game: &G,
    state: &G::State,
    role: RoleId,
    limits: &MonteCarlo,
    pace: &mut dyn FnMut() -> Pace,
) -> Result<Option<Choice<G::Move>>, Error> {
    let Some(mut root) = Root::of(game, state, role)? else { return Ok(None) };
    let mut random = Random::new(limits.seed);
    let mut arms = Arms::new(root.moves.len(), &mut random);
    let mut capped = 0;
    while root.moves.len() > 1 && arms.playouts() < limits.playouts {
        let arm = arms.next();
        let Some(playout) = root.try_out(arm, limits.max_length, &mut random, pace)? else { break };
        capped += u64::from(playout.outcome.is_none());
        arms.add(arm, score(game, role, &playout) / 100.0);
    }
    let scores = root.moves.iter().zip(arms.arms()).map(|(chosen, arm)| MoveScore {
        chosen: chosen.clone(),
        visits: arm.visits,
        mean: arm.mean().map(|mean| 100.0 * mean),
    });
    let scores = scores.collect();
    let chosen = root.moves.swap_remove(arms.best());
    Ok(Some(Choice { chosen, scores, playouts: arms.playouts(), capped }))
}

/// The goal value of a playout for a role. Where the rules give none, or the playout was given up,
/// several roles share a win evenly and a single role has reached nothing.
fn score<G: Game>(game: &G, role: RoleId, playout: &Playout) -> f64 {
    let goals = playout.outcome.as_ref().map(|outcome| outcome.goals.as_slice());
    let goal = goals.and_then(|goals| goals.get(role.0).copied().flatten());
    goal.map_or_else(|| even_score(game.roles().len()), |goal| f64::from(goal.min(100)))
}

fn even_score(n_roles: usize) -> f64 {
    match u32::try_from(n_roles) {
        Ok(0 | 1) | Err(_) => 0.0,
        Ok(n_roles) => 100.0 / f64::from(n_roles),
    }
}

/// The state a move is chosen in.
struct Root<'g, G: Game> {
    game: &'g G,
    state: &'g G::State,
    role: RoleId,
    moves: Vec<G::Move>,
    joints: JointMoves<G::Move>,
    /// The state after each move, kept from its first playout on; not where other roles have a
    /// choice at the same time.
    after: Option<Vec<Option<G::State>>>,
}

impl<'g, G: Game> Root<'g, G> {
    /// `None` where the role has nothing to choose.
    fn of(game: &'g G, state: &'g G::State, role: RoleId) -> Result<Option<Self>, Error> {
        if game.is_over(state, Draws::Apply)? {
            return Ok(None);
        }
        let joints = JointMoves::of(game, state)?;
        let own = joints.choices().iter().find(|(mover, _)| *mover == role);
        let Some((_, moves)) = own else { return Ok(None) };
        let moves = moves.clone();
        let mut others = joints.choices().iter().filter(|(mover, _)| *mover != role);
        let after = others.all(|(_, moves)| moves.len() == 1).then(|| vec![None; moves.len()]);
        Ok(Some(Self { game, state, role, moves, joints, after }))
    }

    /// Plays a random contest after a move; `None` if the time was up.
    fn try_out(
        &mut self,
        arm: usize,
        max_length: u64,
        random: &mut Random,
        pace: &mut dyn FnMut() -> Pace,
    ) -> Result<Option<Playout>, Error> {
        match pace() {
            Pace::GoOn => {}
            Pace::Enough => return Ok(None),
            Pace::Interrupt => return Err(Error::Interrupted),
        }
        let kept = self.after.as_mut().and_then(|after| after[arm].take());
        let after = kept.map_or_else(|| self.after(arm, random), Ok)?;
        let mut is_enough = false;
        let mut tick = || match pace() {
            Pace::GoOn => ControlFlow::Continue(()),
            stop => {
                is_enough = stop == Pace::Enough;
                ControlFlow::Break(())
            }
        };
        let played = self.game.random_contest(&after, random, max_length, &mut tick);
        if let Some(kept) = &mut self.after {
            kept[arm] = Some(after);
        }
        match played {
            Err(Error::Interrupted) if is_enough => Ok(None),
            played => played.map(Some),
        }
    }

    /// The state after a move, the others' part of the turn drawn at random.
    fn after(&self, arm: usize, random: &mut Random) -> Result<G::State, Error> {
        let mut joint = self.joints.choose(random).unwrap_or_default();
        for (role, chosen) in &mut joint {
            if *role == self.role {
                chosen.clone_from(&self.moves[arm]);
            }
        }
        let mut state = self.state.clone();
        self.game.apply(&mut state, &joint)?;
        Ok(state)
    }
}
