//! A session: one contest in the making, with who plays and the way back.
//!
//! In: joint moves. Out: the present state, who may do what, how it ended. Invariant: every turn made
//! is legal; taking turns back restores the very states that were left.

use rulesmith_game::{
    Draws, Ending, Error, Game, JointMove, JointMoves, Notation, Outcome, Random, RoleId,
};

use crate::contest::{PlayedMove, Turn};

/// Who moves for a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seat {
    /// A person.
    #[default]
    Human,
    /// Every legal move with the same chance.
    Random,
    /// The program, by playouts.
    MonteCarlo,
}

/// A contest being played.
pub struct Session<'g, G: Game> {
    game: &'g G,
    seats: Vec<Seat>,
    state: G::State,
    made: Vec<Made<G>>,
    joints: JointMoves<G::Move>,
    outcome: Option<Outcome>,
}

/// A turn made, and what takes it back.
struct Made<G: Game> {
    joint: JointMove<G::Move>,
    /// What could have been done instead.
    instead: JointMoves<G::Move>,
    undo: G::Undo,
    /// Had a person a choice in it?
    is_decision: bool,
}

impl<'g, G: Game> Session<'g, G> {
    /// Starts a contest, all roles played by people, from the initial state or another.
    pub fn start(game: &'g G, state: Option<G::State>) -> Result<Self, Error> {
        let state = state.map_or_else(|| game.initial(), Ok)?;
        let (joints, outcome) = survey(game, &state)?;
        let seats = vec![Seat::Human; game.roles().len()];
        Ok(Self { game, seats, state, made: Vec::new(), joints, outcome })
    }

    /// Says who plays a role from now on.
    pub fn seat(&mut self, role: RoleId, seat: Seat) {
        self.seats[role.0] = seat;
    }

    /// Who plays each role.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// The rules.
    pub fn game(&self) -> &'g G {
        self.game
    }

    /// The present state.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// How many turns were made.
    pub fn n_turns(&self) -> usize {
        self.made.len()
    }

    /// The joint moves made so far.
    pub fn joints_made(&self) -> impl Iterator<Item = &JointMove<G::Move>> {
        self.made.iter().map(|made| &made.joint)
    }

    /// For each role that has to move now, its legal moves; empty when the contest is over.
    pub fn choices(&self) -> &[(RoleId, Vec<G::Move>)] {
        if self.outcome.is_some() { &[] } else { self.joints.choices() }
    }

    /// How the contest ended, or `None` while it goes on. Nobody having a move ends it too.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Makes one turn. It must hold exactly one legal move for every role that has to move.
    pub fn make(&mut self, joint: JointMove<G::Move>) -> Result<(), Error> {
        self.check(&joint)?;
        let is_decision = self.is_decision();
        let undo = self.game.apply(&mut self.state, &joint)?;
        let (joints, outcome) = match survey(self.game, &self.state) {
            Ok(surveyed) => surveyed,
            Err(error) => {
                self.game.undo(&mut self.state, undo);
                return Err(error);
            }
        };
        let instead = std::mem::replace(&mut self.joints, joints);
        self.outcome = outcome;
        self.made.push(Made { joint, instead, undo, is_decision });
        Ok(())
    }

    /// Has a person to choose now?
    pub fn is_decision(&self) -> bool {
        let mut movers = self.choices().iter();
        movers.any(|(role, _)| self.seats[role.0] == Seat::Human && self.has_choice(*role))
    }

    /// Has the role to choose now? A single move beside other roles' moves is no choice: roles that
    /// wait in GDL have one.
    pub fn has_choice(&self, role: RoleId) -> bool {
        let choice = self.choices().iter().find(|(mover, _)| *mover == role);
        choice.is_some_and(|(_, moves)| moves.len() > 1 || self.choices().len() == 1)
    }

    /// A random legal move of a role that has to move.
    pub fn random_move(&self, role: RoleId, random: &mut Random) -> Option<G::Move> {
        let (_, moves) = self.choices().iter().find(|(mover, _)| *mover == role)?;
        random.choose(moves).cloned()
    }

    /// Takes the last turn back.
    pub fn undo(&mut self) -> Result<Option<JointMove<G::Move>>, Error> {
        let Some(made) = self.made.pop() else { return Ok(None) };
        self.game.undo(&mut self.state, made.undo);
        (self.joints, self.outcome) = survey(self.game, &self.state)?;
        Ok(Some(made.joint))
    }

    /// Takes turns back to the last one in which a person had a choice, that one included. Returns
    /// how many were taken back: none when no person has chosen anything yet.
    pub fn take_back(&mut self) -> Result<usize, Error> {
        let Some(last) = self.made.iter().rposition(|made| made.is_decision) else { return Ok(0) };
        let n_back = self.made.len() - last;
        for _ in 0..n_back {
            self.undo()?;
        }
        Ok(n_back)
    }

    fn check(&self, joint: &JointMove<G::Move>) -> Result<(), Error> {
        let movers = self.choices().iter().map(|(role, _)| *role);
        if !movers.eq(joint.iter().map(|(role, _)| *role)) {
            let names = self.choices().iter().map(|(role, _)| self.game.roles()[role.0].as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let movers = if names.is_empty() { "nobody".to_owned() } else { names };
            return Err(Error::Text(format!(
                "a turn needs one move of each role to move: {movers}"
            )));
        }
        let mut parts = self.choices().iter().zip(joint);
        match parts.find(|((_, moves), (_, chosen))| !moves.contains(chosen)) {
            Some((_, (role, chosen))) => {
                let role = &self.game.roles()[role.0];
                Err(Error::Text(format!("{chosen:?} is not a legal move of {role}")))
            }
            None => Ok(()),
        }
    }
}

impl<G: Notation> Session<'_, G> {
    /// The turns made so far, as texts that name each move alone.
    pub fn turns(&self) -> Vec<Turn> {
        let names = self.game.roles();
        let turn = |made: &Made<G>| {
            let moves = made.joint.iter().map(|(role, chosen)| {
                PlayedMove::new(&names[role.0], &self.unique_text(made, *role, chosen))
            });
            Turn { moves: moves.collect(), ..Turn::default() }
        };
        self.made.iter().map(turn).collect()
    }

    /// The move's notation, or its general form where another legal move is written alike.
    fn unique_text(&self, made: &Made<G>, role: RoleId, chosen: &G::Move) -> String {
        let text = self.game.move_text(chosen);
        let choices = made.instead.choices().iter().filter(|(mover, _)| *mover == role);
        let alike = |other: &&G::Move| *other != chosen && self.game.move_text(other) == text;
        let is_alone = choices.flat_map(|(_, moves)| moves).find(alike).is_none();
        if is_alone { text } else { self.game.exact_text(chosen) }
    }
}

impl<G: Game> std::fmt::Debug for Session<'_, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("state", &self.state)
            .field("n_turns", &self.made.len())
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

/// Who may do what in a state, and whether the contest is over there.
fn survey<G: Game>(
    game: &G,
    state: &G::State,
) -> Result<(JointMoves<G::Move>, Option<Outcome>), Error> {
    let joints = JointMoves::of(game, state)?;
    let outcome = game.outcome(state, Draws::Apply)?;
    let stuck = || Outcome { ending: Ending::Stuck, goals: vec![None; game.roles().len()] };
    let is_stuck = outcome.is_none() && joints.choices().is_empty();
    Ok((joints, if is_stuck { Some(stuck()) } else { outcome }))
}
