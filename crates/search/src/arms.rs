//! Which move to try next: UCB1 over moves whose playouts give scores from 0 to 1.
//!
//! In: scores of tried moves. Out: the move to try next, and in the end the best. Invariant: only exact or
//! correctly rounded arithmetic is used, so every machine makes the same choice; a tie goes to the move
//! that comes first in a random order drawn once.

use rulesmith_game::Random;

/// How much a move that was seldom tried is favored. UCB1's proof has 2; scores of playouts lie close
/// together and there are often more moves than one can try often, so less is better here.
const EXPLORATION: f64 = 0.5;
/// So many moves are tried at once.
const FIRST_ARMS: u64 = 64;
/// After them a new one for every so many playouts, so that none of many moves is judged by a single playout.
const PLAYOUTS_PER_ARM: u64 = 4;

/// The moves of one choice and what is known of each.
#[derive(Clone, Debug)]
pub(crate) struct Arms {
    known: Vec<Arm>,
    /// The arms in the order in which they are opened.
    order: Vec<usize>,
    playouts: u64,
}

/// What is known of one move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arm {
    pub(crate) visits: u64,
    sum: f64,
}

impl Arm {
    /// The mean score, from 0 to 1.
    pub(crate) fn mean(self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum / real(self.visits))
    }
}

impl Arms {
    /// Arms of which nothing is known.
    pub(crate) fn new(n_arms: usize, random: &mut Random) -> Self {
        let mut order: Vec<usize> = (0..n_arms).collect();
        for last in (1..n_arms).rev() {
            order.swap(last, random.below(last + 1));
        }
        Self { known: vec![Arm::default(); n_arms], order, playouts: 0 }
    }

    /// What is known of each move, in the order of the moves.
    pub(crate) fn arms(&self) -> &[Arm] {
        &self.known
    }

    /// Scores added so far.
    pub(crate) fn playouts(&self) -> u64 {
        self.playouts
    }

    /// The arm to try next; there is at least one.
    pub(crate) fn next(&self) -> usize {
        let n_open = FIRST_ARMS.max(self.playouts / PLAYOUTS_PER_ARM);
        let n_open = usize::try_from(n_open).unwrap_or(usize::MAX);
        // A logarithm by counting bits: a real one may differ in its last digit between systems.
        let log = real(u64::from(self.playouts.max(1).ilog2())) * std::f64::consts::LN_2;
        let urgency = |arm: Arm| match arm.mean() {
            Some(mean) => mean + (EXPLORATION * log / real(arm.visits)).sqrt(),
            None => f64::INFINITY,
        };
        self.first_best(n_open, |arm| (urgency(arm), 0.0))
    }

    /// The arm tried most often, which UCB1 makes the best one; by the mean where that does not decide.
    pub(crate) fn best(&self) -> usize {
        self.first_best(usize::MAX, |arm| (real(arm.visits), arm.mean().unwrap_or(0.0)))
    }

    /// Adds the score of a playout, from 0 to 1.
    pub(crate) fn add(&mut self, arm: usize, score: f64) {
        self.playouts += 1;
        self.known[arm].visits += 1;
        self.known[arm].sum += score;
    }

    /// The first of the highest arms among the first so many of the order.
    fn first_best(&self, n_open: usize, height: impl Fn(Arm) -> (f64, f64)) -> usize {
        let mut best = (self.order[0], height(self.known[self.order[0]]));
        for &arm in self.order.iter().take(n_open).skip(1) {
            let height = height(self.known[arm]);
            if height > best.1 {
                best = (arm, height);
            }
        }
        best.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use rulesmith_game::Random;

    use super::{Arms, FIRST_ARMS};

    /// Tries arms so many times, each giving its own score.
    fn tried(scores: &[f64], playouts: u64) -> Arms {
        let mut arms = Arms::new(scores.len(), &mut Random::new(1));
        for _ in 0..playouts {
            let arm = arms.next();
            arms.add(arm, scores[arm]);
        }
        arms
    }

    #[test]
    fn every_arm_is_tried_and_the_best_most_often() {
        let arms = tried(&[0.2, 0.9, 0.5, 0.0], 400);
        assert_eq!(arms.best(), 1);
        let visits: Vec<u64> = arms.arms().iter().map(|arm| arm.visits).collect();
        assert!(visits.iter().all(|&visits| visits > 0), "{visits:?}");
        assert!(visits[1] > 200 && visits[2] > visits[0] && visits[0] > visits[3], "{visits:?}");
        assert_eq!(arms.arms()[1].mean().map(|mean| (mean - 0.9).abs() < 1e-9), Some(true));
    }

    #[test]
    fn with_too_many_arms_some_are_tried_more_than_once() {
        let arms = tried(&vec![0.5; 5_000], 1_000);
        let n_tried = arms.arms().iter().filter(|arm| arm.visits > 0).count();
        assert_eq!(n_tried, 999 / 4, "the last choice is made after 999 playouts");
        let n_first = tried(&vec![0.5; 5_000], FIRST_ARMS);
        assert!(n_first.arms().iter().all(|arm| arm.visits <= 1));
    }

    #[test]
    fn nothing_known_is_a_tie_that_chance_decides() {
        let first = |seed| Arms::new(100, &mut Random::new(seed)).best();
        assert_eq!(first(1), first(1));
        assert!((2..9).any(|seed| first(seed) != first(1)));
    }
}
