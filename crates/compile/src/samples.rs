//! Samples: working memories from states that random contests reach.
//!
//! In: a game and a seed. Out: what holds in some of its states, row by row, for the estimates of the
//! specialiser. Paper: metameta §3.3. Invariant: the same seed gives the same samples; nothing but the
//! order of conditions may ever depend on them.

use std::rc::Rc;

use rulesmith_game::{Draws, Error, Game, Random, RoleId};
use rulesmith_logic::{PredicateId, Source};
use rulesmith_rules::PredicateKind;
use rulesmith_specialize::Sample;

use crate::random_turn::TurnChooser;
use crate::reference::{ReferenceGame, State, Turn};

/// How many states are sampled, and from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Seed of the random contests.
    pub seed: u64,
    /// How many contests are played.
    pub contests: usize,
    /// Steps of each contest at most.
    pub steps: usize,
    /// One state of so many is looked at.
    pub stride: usize,
    /// Moves looked at, at most, shared among the contests: where turns are long, there are many.
    pub moves: usize,
    /// Inferences of the reference engine, at most, shared among the contests: where rules are long, or
    /// moves are judged by the states after them, few states are enough.
    pub inferences: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { seed: 1, contests: 2, steps: 60, stride: 7, moves: 12_000, inferences: 800_000 }
    }
}

/// What holds in states of random contests: fluents and objects, and these predicates besides.
pub fn sample_states(
    game: &ReferenceGame,
    sampling: Sampling,
    besides: &[PredicateId],
) -> Result<Vec<Sample>, Error> {
    let mut samples = Vec::new();
    let mut chooser = TurnChooser::new(game);
    let mut choose = |state: &State, random: &mut Random| {
        let mut joint = Vec::new();
        for role in roles(game) {
            joint.extend(chooser.turn(state, role, random)?.map(|turn| (role, turn)));
        }
        Ok((joint, std::mem::take(&mut chooser.n_looked_at)))
    };
    walk(game, sampling, &mut choose, &mut |state| {
        samples.push(sample(game, state, besides)?);
        Ok(())
    })?;
    Ok(samples)
}

/// Visits states of random contests in which every turn is equally likely.
pub fn visit_states(
    game: &ReferenceGame,
    sampling: Sampling,
    visit: &mut dyn FnMut(&State) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut choose = |state: &State, random: &mut Random| {
        let (mut joint, mut n_moves) = (Vec::new(), 0);
        for role in roles(game) {
            let moves = game.legal_moves(state, role)?;
            n_moves += moves.len();
            joint.extend(random.choose(&moves).map(|chosen| (role, chosen.clone())));
        }
        Ok((joint, n_moves))
    };
    walk(game, sampling, &mut choose, visit)
}

fn roles(game: &ReferenceGame) -> impl Iterator<Item = RoleId> {
    (0..game.roles().len()).map(RoleId)
}

/// Chooses the next joint move, and says how many moves were looked at.
type Choose<'c> =
    &'c mut dyn FnMut(&State, &mut Random) -> Result<(Vec<(RoleId, Turn)>, usize), Error>;

/// Plays contests and visits some of their states: the start, some on the way, and the last one of each
/// contest, so that short contests are seen to their end. Later contests are looked at in other places.
fn walk(
    game: &ReferenceGame,
    sampling: Sampling,
    choose: Choose<'_>,
    visit: &mut dyn FnMut(&State) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut random = Random::new(sampling.seed);
    let (stride, contests) = (sampling.stride.max(1), sampling.contests.max(1));
    for contest in 0..sampling.contests {
        let (mut state, mut n_moves) = (game.initial()?, 0);
        let n_before = game.solver().total_inferences();
        let phase = contest * stride / contests;
        for step in 0..sampling.steps {
            let is_looked_at = step % stride == phase;
            if is_looked_at {
                visit(&state)?;
            }
            let is_over = game.is_over(&state, Draws::Apply)?;
            let (joint, n_more) =
                if is_over { (Vec::new(), 0) } else { choose(&state, &mut random)? };
            n_moves += n_more;
            let n_inferences = game.solver().total_inferences() - n_before;
            let is_enough = n_moves > sampling.moves / contests
                || n_inferences > sampling.inferences / contests as u64;
            if joint.is_empty() || is_enough || step + 1 == sampling.steps {
                if !is_looked_at {
                    visit(&state)?;
                }
                break;
            }
            game.apply(&mut state, &joint)?;
        }
    }
    Ok(())
}

/// What holds in one state.
fn sample(game: &ReferenceGame, state: &State, besides: &[PredicateId]) -> Result<Sample, Error> {
    let theory = game.theory();
    let world = game.world(state);
    let mut sample = Sample::default();
    for (place, kind) in theory.kinds.iter().enumerate() {
        let id = PredicateId(u32::try_from(place).unwrap_or(u32::MAX));
        let described = theory.base.predicate(id);
        let is_object = matches!(described.source, Source::Component(..));
        if is_object || matches!(kind, PredicateKind::Fluent(_)) || besides.contains(&id) {
            let free = vec![None; described.domains.len()];
            // What cannot be listed has no estimate; it is ordered by its domains.
            let Ok(rows) = game.solver().query(&*world, id, &free) else { continue };
            sample.rows.insert(id, Rc::unwrap_or_clone(rows));
        }
    }
    add_moves(game, state, &mut sample)?;
    Ok(sample)
}

/// One step for each role that has one: what effects are asked about.
fn add_moves(game: &ReferenceGame, state: &State, sample: &mut Sample) -> Result<(), Error> {
    let theory = game.theory();
    let mut random = Random::new(game.hash(state));
    for (place, kind) in theory.kinds.iter().enumerate() {
        if let PredicateKind::Does(_) = kind {
            let id = PredicateId(u32::try_from(place).unwrap_or(u32::MAX));
            sample.rows.insert(id, Vec::new());
        }
    }
    let mut chooser = TurnChooser::new(game);
    for role in roles(game) {
        let Some(step) = chooser.step(&state.core, role, &mut random)? else { continue };
        let does = theory.move_kind(step.kind).does;
        let row = [game.role_value(role)].into_iter().chain(step.args.iter().copied()).collect();
        sample.rows.entry(does).or_default().push(row);
    }
    Ok(())
}
