//! The game contract: what a player, a search or a counter may ask of a game.
//!
//! In: states and moves. Out: legal moves, successors, outcomes, hashes, texts. Invariant: nothing
//! here knows how rules are written; a move is a whole turn, and when several roles move at once
//! they make one joint move.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::board::{Board, SquareId};
use crate::error::Error;
use crate::leaves::{LeafKind, Leaves, count_leaves};
use crate::playouts::{Contests, Playout, PlayoutSums, playout};
use crate::random::Random;

/// A role by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub usize);

/// One move for each role that has to move, in the order of the roles.
pub type JointMove<M> = Vec<(RoleId, M)>;

/// Whether drawing rules (repetition, move counters) end a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// They do: play and playouts.
    Apply,
    /// They do not: `perft`.
    Ignore,
}

/// Why a contest is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The rules say the state is terminal.
    Terminal,
    /// A drawing rule applies.
    Draw,
    /// Nobody has a legal move, and the rules do not say that the contest is over.
    Stuck,
}

/// How a contest ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it is over.
    pub ending: Ending,
    /// For each role its goal value from 0 to 100, `None` where the rules give none.
    pub goals: Vec<Option<u8>>,
}

/// A game that can be played: everything follows from its rules.
pub trait Game {
    /// Everything the rules depend on, history included.
    type State: Clone + Debug;
    /// A whole turn of one role.
    type Move: Clone + Debug + PartialEq;
    /// What takes a joint move back.
    type Undo;

    /// The canonical name of the game, such as `go(size=9)`.
    fn name(&self) -> String;
    /// The names of the roles in order.
    fn roles(&self) -> &[String];
    /// The state contests start from.
    fn initial(&self) -> Result<Self::State, Error>;
    /// All turns the role may make, in a fixed order; none when it does not move in this state.
    fn legal_moves(&self, state: &Self::State, role: RoleId) -> Result<Vec<Self::Move>, Error>;
    /// One of the turns the role may make, each equally likely; none when it does not move in this state. An engine may
    /// draw step by step where there are too many turns to list.
    fn random_move(
        &self,
        state: &Self::State,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<Self::Move>, Error> {
        Ok(random.choose(&self.legal_moves(state, role)?).cloned())
    }
    /// Makes one joint move.
    fn apply(
        &self,
        state: &mut Self::State,
        joint: &JointMove<Self::Move>,
    ) -> Result<Self::Undo, Error>;
    /// Takes the last joint move back, exactly.
    fn undo(&self, state: &mut Self::State, undo: Self::Undo);
    /// Do the rules say that the contest is over? Unlike [`Game::outcome`] it does not look for moves.
    fn is_over(&self, state: &Self::State, draws: Draws) -> Result<bool, Error> {
        let outcome = self.outcome(state, draws)?;
        Ok(outcome.is_some_and(|outcome| outcome.ending != Ending::Stuck))
    }
    /// How the contest ended, or `None` while it goes on.
    fn outcome(&self, state: &Self::State, draws: Draws) -> Result<Option<Outcome>, Error>;
    /// Equal for equal states; history is left out.
    fn hash(&self, state: &Self::State) -> u64;
    /// Plays a contest of random moves as [`playout`] does; an engine may have a faster way, which may
    /// draw other numbers.
    fn random_contest(
        &self,
        state: &Self::State,
        random: &mut Random,
        max_length: u64,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Playout, Error>
    where
        Self: Sized,
    {
        playout(self, state, random, max_length, tick)
    }
    /// Plays contests as [`Game::random_contest`] does, each with its own stream, and adds them up; an
    /// engine may have a faster way, which ticks less often. What fails is told with its number.
    fn random_contests(
        &self,
        state: &Self::State,
        contests: &Contests,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
        sums: &mut PlayoutSums,
    ) -> Result<(), (u64, Error)>
    where
        Self: Sized,
    {
        for number in contests.numbers.clone() {
            let mut random = Random::of_contest(contests.seed, number);
            let played = self.random_contest(state, &mut random, contests.max_length, tick);
            sums.add(&played.map_err(|error| (number, error))?);
        }
        Ok(())
    }
    /// Counts leaves as [`count_leaves`] does; an engine may have a faster way, which ticks less often.
    fn leaves(
        &self,
        state: &Self::State,
        depth: u32,
        kind: LeafKind,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Leaves, Error>
    where
        Self: Sized,
    {
        count_leaves(self, &mut state.clone(), (depth, kind), tick)
    }
}

/// Texts of states and moves, for people and for files; every text parses back.
pub trait Notation: Game {
    /// The state as text.
    fn state_text(&self, state: &Self::State) -> String;
    /// The state as players of such games write it (FEN, PDN), where that says all of it.
    fn fen_text(&self, _state: &Self::State) -> Option<String> {
        None
    }
    /// The state a text describes; the rest is as the rules' defaults say.
    fn parse_state(&self, text: &str) -> Result<Self::State, Error>;
    /// What holds in the state, one fact a line, as the rules would write it.
    fn facts(&self, state: &Self::State) -> Vec<String>;
    /// The move as text.
    fn move_text(&self, chosen: &Self::Move) -> String;
    /// The move in its general form, which names it even where two moves are written alike.
    fn exact_text(&self, chosen: &Self::Move) -> String {
        self.move_text(chosen)
    }
    /// The legal move a text names, by its notation or by its general form.
    fn parse_move(
        &self,
        state: &Self::State,
        role: RoleId,
        text: &str,
    ) -> Result<Self::Move, Error>;
    /// The state drawn for a terminal.
    fn picture(&self, state: &Self::State) -> String;
    /// The state as things on squares, where the rules say how its board is laid out.
    fn board(&self, _state: &Self::State) -> Option<Board> {
        None
    }
    /// The squares of that board that a move names, in order, none twice in a row.
    fn squares_of(&self, _chosen: &Self::Move) -> Vec<SquareId> {
        Vec::new()
    }
}
