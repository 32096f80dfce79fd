//! Two games that should be one, played side by side.
//!
//! In: a game as it is written and the same made in another way. Out: how far one contest went, or where
//! the two differ. Invariant: what the rules as written answer, the other game must.

use rulesmith_compile::{ReferenceGame, Turn};
use rulesmith_game::{Draws, Error, Game, JointMove, Notation, Random, RoleId};
use rulesmith_logic::PredicateId;
use rulesmith_player::Theory;
use rulesmith_specialize::{Bounds, Selection};

/// Two games at the same point of one contest.
struct Pair<'g> {
    games: [&'g ReferenceGame; 2],
    states: [rulesmith_compile::State; 2],
}

/// Why a comparison ends: the rules as written fail, or the two differ.
enum End {
    Fault,
    Difference(String),
}

impl<'g> Pair<'g> {
    fn new(one: &'g ReferenceGame, other: &'g ReferenceGame) -> Result<Self, End> {
        let state = |game: &ReferenceGame| game.initial().map_err(|_| End::Fault);
        Ok(Self { games: [one, other], states: [state(one)?, state(other)?] })
    }

    /// The same question to both: what the rules as written answer, the unfolded ones must.
    fn ask<T>(
        &self,
        what: &str,
        question: impl Fn(&ReferenceGame, &rulesmith_compile::State) -> Result<T, Error>,
    ) -> Result<T, End>
    where
        T: PartialEq + std::fmt::Debug,
    {
        let expected = question(self.games[0], &self.states[0]).map_err(|_| End::Fault)?;
        let found = question(self.games[1], &self.states[1]);
        match &found {
            Ok(found) if *found == expected => return Ok(expected),
            // A random body may be dear when nothing orders it.
            Err(Error::Limit { .. }) => return Err(End::Fault),
            _ => {}
        }
        let state = self.games[0].state_text(&self.states[0]);
        let text = format!("{what} in {state}\nexpected {expected:?}\nfound {found:?}");
        Err(End::Difference(text))
    }

    /// Everything that can be asked about a state; the moves chosen from it.
    fn look(&self, random: &mut Random) -> Result<(bool, JointMove<Turn>), End> {
        let over = self.ask("end", |game, state| game.is_over(state, Draws::Apply))?;
        self.ask("goals", ReferenceGame::goals)?;
        let mut joint = Vec::new();
        for role in (0..self.games[0].roles().len()).map(RoleId) {
            let moves = self.ask("moves", |game, state| {
                let moves = game.legal_moves(state, role)?;
                Ok(moves.iter().map(|one| game.exact_text(one)).collect::<Vec<_>>())
            })?;
            if !moves.is_empty() {
                let turns = self.games[0].legal_moves(&self.states[0], role);
                let turns = turns.map_err(|_| End::Fault)?;
                joint.push((role, turns[random.below(turns.len())].clone()));
            }
        }
        Ok((over, joint))
    }

    fn step(&mut self, joint: &JointMove<Turn>) -> Result<(), End> {
        self.ask("step", |game, state| {
            let mut after = state.clone();
            game.apply(&mut after, joint)?;
            Ok(game.state_text(&after))
        })?;
        for (game, state) in self.games.iter().zip(&mut self.states) {
            game.apply(state, joint).map_err(|_| End::Fault)?;
        }
        Ok(())
    }
}

/// Plays one contest in both games; the number of steps that were compared.
pub(crate) fn compare(
    one: &ReferenceGame,
    other: &ReferenceGame,
    seed: u64,
    steps: usize,
    plays_on: bool,
) -> Result<usize, String> {
    let mut random = Random::new(seed);
    let mut play = || {
        let mut pair = Pair::new(one, other).map_err(|end| (0, end))?;
        for step in 0..steps {
            let (over, joint) = pair.look(&mut random).map_err(|end| (step, end))?;
            if joint.is_empty() || (over && !plays_on) {
                return Ok(step);
            }
            pair.step(&joint).map_err(|end| (step, end))?;
        }
        Ok(steps)
    };
    match play() {
        Ok(steps) | Err((steps, End::Fault)) => Ok(steps),
        Err((step, End::Difference(text))) => Err(format!("step {step}: {text}")),
    }
}

/// Half of them reach a bound soon.
pub(crate) fn random_bounds(random: &mut Random, theory: &Theory) -> Bounds {
    let mut bounds = Bounds { clauses: 200, ..Bounds::default() };
    let mut pick = |items: &[usize]| items[random.below(items.len())];
    if pick(&[0, 1]) == 0 {
        bounds.conditions = pick(&[3, 8, 30, 200]);
        bounds.depth = pick(&[1, 5, 20, 200]);
        bounds.clauses = pick(&[1, 5, 50, 200]);
        bounds.definitions = pick(&[1, 2, 8]);
        bounds.recursion = pick(&[0, 3, 24]);
        bounds.variables = pick(&[20, 100, 2_000]);
        bounds.regress = pick(&[0, 1, 1, 1]) == 1;
    }
    if pick(&[0, 1]) == 0 {
        bounds.selection = Selection::LeftToRight;
    }
    for id in 0..theory.kinds.len() {
        if pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) == 0 {
            bounds.keep.insert(PredicateId(u32::try_from(id).unwrap()));
        }
    }
    bounds
}
