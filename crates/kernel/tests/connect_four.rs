//! A whole game: the contests of the example are the same interpreted and native.

#[path = "../examples/connect_four/rules.rs"]
mod rules;
mod support;

use std::thread;

use rulesmith_kernel::{KernelId, Native, Workshop, verify};
use support::{Start, Twins};

#[test]
fn contests_are_the_same_interpreted_and_native() {
    let twins = Twins::new(rules::module());
    let mut random = 1;
    let mut results = [0; 3];
    for _ in 0..1000 {
        let end = twins.run(KernelId(0), &contest(random));
        results[usize::try_from(end.outcome.unwrap().result).unwrap()] += 1;
        random = end.random;
    }
    // Who starts wins about 55.6 contests in a hundred, who follows 44.2.
    assert_eq!(results, [2, 552, 446]);
}

#[test]
fn threads_share_code() {
    let native = Native::compile(&verify(rules::module()).unwrap()).unwrap();
    let entry = native.entry(KernelId(0)).unwrap();
    let play = || {
        let mut end = contest(1).run(|call| entry.run(call));
        for _ in 0..1000 {
            end = contest(end.random).run(|call| entry.run(call));
        }
        end
    };
    let (here, there) = thread::scope(|scope| {
        let there = scope.spawn(play);
        (play(), there.join().unwrap())
    });
    assert_eq!(here, there);
}

#[test]
fn code_made_in_a_workshop_does_the_same() {
    let verified = verify(rules::module()).unwrap();
    let workshop = Workshop::default();
    thread::scope(|scope| {
        scope.spawn(|| workshop.work());
        workshop.order(rules::module());
        workshop.order_verified(&verified);
        workshop.close();
        workshop.work();
    });
    let made = Native::compile_in(&verified, &workshop).unwrap();
    // What nobody made there is made when it is asked for.
    let alone = Native::compile_in(&verified, &Workshop::default()).unwrap();
    assert_eq!(made.compiled(), alone.compiled());
    let play = |native: &Native| contest(1).run(|call| native.run(KernelId(0), call));
    assert_eq!(play(&made), play(&alone));
}

/// The start of a contest.
fn contest(random: u64) -> Start {
    Start { state: vec![0; 2], params: vec![], random, fuel: 43, n_output_words: 0 }
}
