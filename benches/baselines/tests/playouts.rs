//! Random contests of the baselines are as long, and as often won, as those of the reference engine.
//!
//! The expected means and their numbers of contests come from
//! `rulesmith playouts GAME --engine reference --seed 11 --seconds N --json`.

#![expect(clippy::inline_always, reason = "work has to be inlined into `Bits::enter`")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rulesmith_baselines::{
    Baseline, Bits, Breakthrough, ConnectFour, Contest, Go, NoughtsAndCrosses, Portable, Random,
    Reversi, Work, run_best,
};

/// What the reference engine measured.
struct Reference {
    n_contests: f64,
    length: f64,
    score: f64,
}

struct Playouts<G>(G, u64, u32);

impl<G: Baseline> Work for Playouts<G> {
    type Output = Vec<Contest>;

    #[inline(always)]
    fn run<B: Bits>(mut self, bits: B) -> Vec<Contest> {
        let mut random = Random::new(self.1);
        (0..self.2).map(|_| self.0.playout(bits, &mut random)).collect()
    }
}

/// Is the mean of these within five standard errors of the reference's? Both have the same spread.
fn check_mean(values: impl Iterator<Item = u32> + Clone, expected: f64, n_contests: f64) {
    let n_values = f64::from(u32::try_from(values.clone().count()).unwrap());
    let mean = values.clone().map(f64::from).sum::<f64>() / n_values;
    let squares = values.map(|value| (f64::from(value) - mean).powi(2)).sum::<f64>();
    let variance = squares / (n_values - 1.0);
    let error = (variance / n_values + variance / n_contests).sqrt();
    assert!((mean - expected).abs() < 5.0 * error, "{mean}, expected {expected} +- {error}");
}

fn check<G: Baseline>(n_playouts: u32, reference: &Reference) {
    let contests = run_best(Playouts(G::start(), 5, n_playouts));
    let lengths = contests.iter().map(|contest| contest.length);
    check_mean(lengths, reference.length, reference.n_contests);
    let scores = contests.iter().map(|contest| contest.score);
    check_mean(scores, reference.score, reference.n_contests);
    let portable = Portable.enter(Playouts(G::start(), 5, 100));
    assert_eq!(portable, contests[..100], "a seed plays the same contests on every machine");
}

#[test]
fn noughts_and_crosses_goes_as_in_the_reference_engine() {
    let reference = Reference { n_contests: 185_584.0, length: 7.624_0, score: 64.863_6 };
    check::<NoughtsAndCrosses>(200_000, &reference);
}

#[test]
fn connect_four_goes_as_in_the_reference_engine() {
    let reference = Reference { n_contests: 53_875.0, length: 21.337_2, score: 55.742_0 };
    check::<ConnectFour>(200_000, &reference);
}

#[test]
fn breakthrough_goes_as_in_the_reference_engine() {
    let reference = Reference { n_contests: 16_749.0, length: 64.179_0, score: 50.844_8 };
    check::<Breakthrough>(50_000, &reference);
}

#[test]
fn reversi_goes_as_in_the_reference_engine() {
    let reference = Reference { n_contests: 4_195.0, length: 60.405_0, score: 47.997_6 };
    check::<Reversi>(50_000, &reference);
}

#[test]
fn go_goes_as_in_the_reference_engine() {
    let reference = Reference { n_contests: 818.0, length: 124.114_9, score: 36.430_3 };
    check::<Go<9, 128>>(20_000, &reference);
    // Small boards repeat positions often, so that superko is felt.
    let reference = Reference { n_contests: 3_503.0, length: 37.857_3, score: 26.919_8 };
    check::<Go<5, 64>>(50_000, &reference);
    let reference = Reference { n_contests: 29_510.0, length: 14.988_8, score: 13.544_6 };
    check::<Go<3, 32>>(100_000, &reference);
}
