//! Small games written by hand, so that walks over games can be tested without any rules.

#![allow(dead_code, reason = "every test file uses some of the toys")]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use rulesmith_game::{Draws, Ending, Error, Game, JointMove, Notation, Outcome, RoleId};

/// One to three counters are taken from a heap by turns; who takes the last one wins. A heap of
/// exactly `draw_at` is a draw when drawing rules apply, one of exactly `stuck_at` has no moves.
#[derive(Debug)]
pub(crate) struct Subtraction {
    pub(crate) heap: u32,
    pub(crate) draw_at: Option<u32>,
    pub(crate) stuck_at: Option<u32>,
    roles: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Heap {
    left: u32,
    mover: usize,
}

pub(crate) fn subtraction(heap: u32) -> Subtraction {
    let roles = vec!["first".to_owned(), "second".to_owned()];
    Subtraction { heap, draw_at: None, stuck_at: None, roles }
}

impl Game for Subtraction {
    type State = Heap;
    type Move = u32;
    type Undo = Heap;

    fn name(&self) -> String {
        "subtraction".to_owned()
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> Result<Heap, Error> {
        Ok(Heap { left: self.heap, mover: 0 })
    }

    fn legal_moves(&self, state: &Heap, role: RoleId) -> Result<Vec<u32>, Error> {
        let moves = role.0 == state.mover && Some(state.left) != self.stuck_at;
        Ok(if moves { (1..=3.min(state.left)).collect() } else { Vec::new() })
    }

    fn apply(&self, state: &mut Heap, joint: &JointMove<u32>) -> Result<Heap, Error> {
        let before = state.clone();
        state.left -= joint[0].1;
        state.mover = 1 - state.mover;
        Ok(before)
    }

    fn undo(&self, state: &mut Heap, undo: Heap) {
        *state = undo;
    }

    fn outcome(&self, state: &Heap, draws: Draws) -> Result<Option<Outcome>, Error> {
        if draws == Draws::Apply && Some(state.left) == self.draw_at {
            return Ok(Some(Outcome { ending: Ending::Draw, goals: vec![Some(50), Some(50)] }));
        }
        let goals = (0..2).map(|role| Some(if role == state.mover { 0 } else { 100 })).collect();
        Ok((state.left == 0).then_some(Outcome { ending: Ending::Terminal, goals }))
    }

    fn hash(&self, state: &Heap) -> u64 {
        hash_of(state)
    }
}

impl Notation for Subtraction {
    fn state_text(&self, state: &Heap) -> String {
        format!("{} {}", state.left, self.roles[state.mover])
    }

    fn parse_state(&self, text: &str) -> Result<Heap, Error> {
        let bad = || Error::Text(format!("`{text}` is not a heap and a role"));
        let (left, role) = text.split_once(' ').ok_or_else(bad)?;
        let mover = self.roles.iter().position(|name| name == role).ok_or_else(bad)?;
        Ok(Heap { left: left.parse().map_err(|_| bad())?, mover })
    }

    fn facts(&self, state: &Heap) -> Vec<String> {
        vec![format!("heap = {}", state.left), format!("turn = {}", self.roles[state.mover])]
    }

    fn move_text(&self, chosen: &u32) -> String {
        format!("take {chosen}")
    }

    fn parse_move(&self, state: &Heap, role: RoleId, text: &str) -> Result<u32, Error> {
        parse_by_listing(self, state, role, text)
    }

    fn picture(&self, state: &Heap) -> String {
        "o".repeat(state.left as usize)
    }
}

/// Both roles show a hand at once, `rounds` times; who wins more rounds wins.
#[derive(Debug)]
pub(crate) struct Hands {
    pub(crate) rounds: usize,
    roles: Vec<String>,
}

const HANDS: [&str; 3] = ["rock", "paper", "scissors; sharp"];

pub(crate) fn hands(rounds: usize) -> Hands {
    Hands { rounds, roles: vec!["left".to_owned(), "the right".to_owned()] }
}

impl Game for Hands {
    type State = Vec<(usize, usize)>;
    type Move = usize;
    type Undo = ();

    fn name(&self) -> String {
        "hands".to_owned()
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> Result<Self::State, Error> {
        Ok(Vec::new())
    }

    fn legal_moves(&self, state: &Self::State, _: RoleId) -> Result<Vec<usize>, Error> {
        Ok(if state.len() < self.rounds { (0..3).collect() } else { Vec::new() })
    }

    fn apply(&self, state: &mut Self::State, joint: &JointMove<usize>) -> Result<(), Error> {
        state.push((joint[0].1, joint[1].1));
        Ok(())
    }

    fn undo(&self, state: &mut Self::State, (): ()) {
        state.pop();
    }

    fn outcome(&self, state: &Self::State, _: Draws) -> Result<Option<Outcome>, Error> {
        let wins = |beats: usize| {
            u8::try_from(state.iter().filter(|(a, b)| (3 + a - b) % 3 == beats).count())
                .unwrap_or(u8::MAX)
        };
        let goals = vec![Some(wins(1)), Some(wins(2))];
        Ok((state.len() == self.rounds).then_some(Outcome { ending: Ending::Terminal, goals }))
    }

    fn hash(&self, state: &Self::State) -> u64 {
        hash_of(state)
    }
}

impl Notation for Hands {
    fn state_text(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    fn parse_state(&self, text: &str) -> Result<Self::State, Error> {
        Err(Error::Text(format!("`{text}` is not a state")))
    }

    fn facts(&self, state: &Self::State) -> Vec<String> {
        vec![format!("rounds = {}", state.len())]
    }

    fn move_text(&self, chosen: &usize) -> String {
        HANDS[*chosen].to_owned()
    }

    fn parse_move(&self, state: &Self::State, role: RoleId, text: &str) -> Result<usize, Error> {
        parse_by_listing(self, state, role, text)
    }

    fn picture(&self, state: &Self::State) -> String {
        format!("round {}", state.len() + 1)
    }
}

fn parse_by_listing<G: Notation>(
    game: &G,
    state: &G::State,
    role: RoleId,
    text: &str,
) -> Result<G::Move, Error> {
    let moves = game.legal_moves(state, role)?;
    let found = moves.into_iter().find(|chosen| game.move_text(chosen) == text);
    found.ok_or_else(|| Error::Text(format!("`{text}` is not a legal move")))
}

fn hash_of(state: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}
