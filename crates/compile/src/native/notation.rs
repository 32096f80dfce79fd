//! A native game with its texts.
//!
//! In: a game played by kernels, and the reference game of the same rules. Out: both contracts, of play and
//! of texts. The reference game is asked for texts alone. Invariant: every text is the one that the
//! reference engine writes or reads.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

use rulesmith_game::{
    Board, Contests, Draws, Error, Game, JointMove, LeafKind, Leaves, Notation, Outcome, Playout,
    PlayoutSums, Random, RoleId, SquareId,
};

use super::coding::decode;
use super::game::{NativeGame, NativeState, NativeTurn};
use crate::reference::{ReferenceGame, State, Step, Turn};

/// A game played by kernels, with texts.
#[derive(Debug)]
pub struct NotatedGame {
    game: Arc<NativeGame>,
    reference: ReferenceGame,
}

impl NotatedGame {
    /// The two must be of the same rules.
    pub fn new(game: Arc<NativeGame>, reference: ReferenceGame) -> Self {
        Self { game, reference }
    }

    /// The part that plays and the part for texts.
    pub fn into_parts(self) -> (Arc<NativeGame>, ReferenceGame) {
        (self.game, self.reference)
    }

    /// The part that plays; threads may share it.
    pub fn native(&self) -> &Arc<NativeGame> {
        &self.game
    }

    /// The part that writes and reads texts.
    pub fn reference(&self) -> &ReferenceGame {
        &self.reference
    }

    /// The state as the reference engine has it, without its past but for how many turns it has.
    pub fn decode(&self, state: &NativeState) -> Result<State, Error> {
        decode(&self.reference, &self.game.plan.layout, (&state.words, state.n_turns))
    }

    /// The turn as the reference engine has it.
    pub fn decode_turn(&self, turn: &NativeTurn) -> Turn {
        let (theory, coding) = (self.reference.theory(), &self.game.plan.steps);
        let steps = turn.steps().map(|step| coding.decode(theory, step));
        Turn { steps: steps.map(|step| step.expect("a step of this game")).collect() }
    }

    /// The turn of the reference engine as the kernels number it.
    pub fn encode_turn(&self, turn: &Turn) -> Result<NativeTurn, Error> {
        let (theory, coding) = (self.reference.theory(), &self.game.plan.steps);
        let steps: Option<Vec<u64>> =
            turn.steps.iter().map(|step| coding.encode(theory, step)).collect();
        let turn = steps.and_then(|steps| NativeTurn::new(&steps));
        turn.ok_or_else(|| Error::Text("no turn of this game".to_owned()))
    }

    fn known(&self, state: &NativeState) -> State {
        self.decode(state).expect("words of this game mean a state of it")
    }
}

impl Game for NotatedGame {
    type State = NativeState;
    type Move = NativeTurn;
    type Undo = NativeState;

    fn name(&self) -> String {
        self.game.name()
    }

    fn roles(&self) -> &[String] {
        self.game.roles()
    }

    fn initial(&self) -> Result<NativeState, Error> {
        self.game.initial()
    }

    fn legal_moves(&self, state: &NativeState, role: RoleId) -> Result<Vec<NativeTurn>, Error> {
        let turns = self.game.legal_moves(state, role)?.into_iter();
        let mut turns: Vec<(Turn, NativeTurn)> =
            turns.map(|turn| (self.decode_turn(&turn), turn)).collect();
        // People see the order, so it is the reference engine's.
        let symbols = self.reference.solver().symbols().borrow();
        let order = |one: &Step, other: &Step| {
            one.kind.0.cmp(&other.kind.0).then(symbols.compare_rows(&one.args, &other.args))
        };
        turns.sort_by(|(one, _), (other, _)| {
            let mut steps =
                one.steps.iter().zip(&other.steps).map(|(one, other)| order(one, other));
            steps.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        Ok(turns.into_iter().map(|(_, turn)| turn).collect())
    }

    fn random_move(
        &self,
        state: &NativeState,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<NativeTurn>, Error> {
        self.game.random_move(state, role, random)
    }

    fn apply(
        &self,
        state: &mut NativeState,
        joint: &JointMove<NativeTurn>,
    ) -> Result<NativeState, Error> {
        self.game.apply(state, joint)
    }

    fn undo(&self, state: &mut NativeState, undo: NativeState) {
        self.game.undo(state, undo);
    }

    fn is_over(&self, state: &NativeState, draws: Draws) -> Result<bool, Error> {
        self.game.is_over(state, draws)
    }

    fn outcome(&self, state: &NativeState, draws: Draws) -> Result<Option<Outcome>, Error> {
        self.game.outcome(state, draws)
    }

    fn hash(&self, state: &NativeState) -> u64 {
        self.game.hash(state)
    }

    fn random_contest(
        &self,
        state: &NativeState,
        random: &mut Random,
        max_length: u64,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Playout, Error> {
        self.game.random_contest(state, random, max_length, tick)
    }

    fn random_contests(
        &self,
        state: &NativeState,
        contests: &Contests,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
        sums: &mut PlayoutSums,
    ) -> Result<(), (u64, Error)> {
        self.game.random_contests(state, contests, tick, sums)
    }

    fn leaves(
        &self,
        state: &NativeState,
        depth: u32,
        kind: LeafKind,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Leaves, Error> {
        self.game.leaves(state, depth, kind, tick)
    }
}

impl Notation for NotatedGame {
    fn state_text(&self, state: &NativeState) -> String {
        self.reference.state_text(&self.known(state))
    }

    fn fen_text(&self, state: &NativeState) -> Option<String> {
        self.reference.fen_text(&self.known(state))
    }

    fn parse_state(&self, text: &str) -> Result<NativeState, Error> {
        self.game.encode(&self.reference, &self.reference.parse_state(text)?)
    }

    fn facts(&self, state: &NativeState) -> Vec<String> {
        self.reference.facts(&self.known(state))
    }

    fn move_text(&self, chosen: &NativeTurn) -> String {
        self.reference.move_text(&self.decode_turn(chosen))
    }

    fn exact_text(&self, chosen: &NativeTurn) -> String {
        self.reference.exact_text(&self.decode_turn(chosen))
    }

    fn parse_move(
        &self,
        state: &NativeState,
        role: RoleId,
        text: &str,
    ) -> Result<NativeTurn, Error> {
        self.encode_turn(&self.reference.parse_move(&self.decode(state)?, role, text)?)
    }

    fn picture(&self, state: &NativeState) -> String {
        self.reference.picture(&self.known(state))
    }

    fn board(&self, state: &NativeState) -> Option<Board> {
        self.reference.board(&self.known(state))
    }

    fn squares_of(&self, chosen: &NativeTurn) -> Vec<SquareId> {
        self.reference.squares_of(&self.decode_turn(chosen))
    }
}
