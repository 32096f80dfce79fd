//! A whole game: the contests of the example are the same interpreted and native.

#[path = "../examples/connect_four/rules.rs"]
mod rules;
mod support;

use rulesmith_kernel::KernelId;
use support::{Start, Twins};

#[test]
fn contests_are_the_same_interpreted_and_native() {
    let twins = Twins::new(rules::module());
    let mut random = 1;
    let mut results = [0; 3];
    for _ in 0..1000 {
        let start =
            Start { state: vec![0; 2], params: vec![], random, fuel: 43, n_output_words: 0 };
        let end = twins.run(KernelId(0), &start);
        results[usize::try_from(end.outcome.unwrap().result).unwrap()] += 1;
        random = end.random;
    }
    // Who starts wins about 55.6 contests in a hundred, who follows 44.2.
    assert_eq!(results, [2, 552, 446]);
}
