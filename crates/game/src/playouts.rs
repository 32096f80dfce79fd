//! Playouts: contests of uniformly random joint moves.
//!
//! In: a state and a random stream. Out: how long each contest was and how it ended, and the means
//! over many. Invariant: the same stream gives the same contests; drawing rules apply.

use std::ops::{ControlFlow, Range};

use crate::error::Error;
use crate::game::{Draws, Ending, Game, JointMove, Outcome, RoleId};
use crate::random::Random;

/// One random contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// Turns made.
    pub length: u64,
    /// How it ended; `None` when it was stopped at the cap on its length.
    pub outcome: Option<Outcome>,
}

/// Plays one random contest of at most `max_length` turns; `tick` is called before every turn and
/// may break off the work, which gives [`Error::Interrupted`].
pub fn playout<G: Game>(
    game: &G,
    state: &G::State,
    random: &mut Random,
    max_length: u64,
    tick: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Playout, Error> {
    let mut state = state.clone();
    for length in 0..=max_length {
        if let Some(outcome) = game.outcome(&state, Draws::Apply)? {
            return Ok(Playout { length, outcome: Some(outcome) });
        }
        if length == max_length {
            break;
        }
        if tick().is_break() {
            return Err(Error::Interrupted);
        }
        let joint = random_joint(game, &state, random)?;
        if joint.is_empty() {
            let goals = vec![None; game.roles().len()];
            let outcome = Outcome { ending: Ending::Stuck, goals };
            return Ok(Playout { length, outcome: Some(outcome) });
        }
        game.apply(&mut state, &joint)?;
    }
    Ok(Playout { length: max_length, outcome: None })
}

/// A turn of each role that may make one.
fn random_joint<G: Game>(
    game: &G,
    state: &G::State,
    random: &mut Random,
) -> Result<JointMove<G::Move>, Error> {
    let mut joint = Vec::new();
    for role in (0..game.roles().len()).map(RoleId) {
        joint.extend(game.random_move(state, role, random)?.map(|turn| (role, turn)));
    }
    Ok(joint)
}

/// Some of the contests that belong to a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contests {
    /// The seed.
    pub seed: u64,
    /// Their numbers.
    pub numbers: Range<u64>,
    /// Turns of one contest at most.
    pub max_length: u64,
}

/// Sums over many playouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayoutSums {
    /// Contests played.
    pub playouts: u64,
    /// Contests that were stopped at the cap on their length.
    pub capped: u64,
    /// Turns made in all of them.
    pub turns: u64,
    /// For each role the sum of its goal values, and how many contests gave it one.
    pub goals: Vec<(u64, u64)>,
}

impl PlayoutSums {
    /// Adds one contest.
    pub fn add(&mut self, playout: &Playout) {
        self.playouts += 1;
        self.turns += playout.length;
        let Some(outcome) = &playout.outcome else {
            self.capped += 1;
            return;
        };
        self.goals.resize(outcome.goals.len().max(self.goals.len()), (0, 0));
        for ((sum, given), goal) in self.goals.iter_mut().zip(&outcome.goals) {
            *sum += goal.map_or(0, u64::from);
            *given += u64::from(goal.is_some());
        }
    }

    /// Adds what others have played.
    pub fn merge(&mut self, others: &Self) {
        self.playouts += others.playouts;
        self.capped += others.capped;
        self.turns += others.turns;
        self.goals.resize(others.goals.len().max(self.goals.len()), (0, 0));
        for ((sum, given), (more, also_given)) in self.goals.iter_mut().zip(&others.goals) {
            *sum += more;
            *given += also_given;
        }
    }

    /// Turns a contest, on average; `None` before the first contest.
    pub fn mean_length(&self) -> Option<f64> {
        mean(self.turns, self.playouts)
    }

    /// The mean goal value of a role over the contests that gave it one.
    pub fn mean_goal(&self, role: RoleId) -> Option<f64> {
        self.goals.get(role.0).and_then(|&(sum, given)| mean(sum, given))
    }
}

#[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}
