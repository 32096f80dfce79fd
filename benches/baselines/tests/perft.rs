//! The baselines play the games of the library: they meet the counts in `games/*.perft`.
//!
//! Every block with the standard size is read from those files, so that a change of the rules
//! shows here; deeper counts from public tables follow.

#![expect(clippy::inline_always, reason = "work has to be inlined into `Bits::enter`")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rulesmith_baselines::{
    Baseline, Bits, Breakthrough, ConnectFour, Go, Leaves, NoughtsAndCrosses, PerftKind, Portable,
    Reversi, Work, run_best,
};

/// One block of a `.perft` file.
#[derive(Default)]
struct Block<'a> {
    id: &'a str,
    settings: Vec<&'a str>,
    state: &'a str,
    counts: Vec<(u32, u64)>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap();
        if word == "id" {
            blocks.push(Block { id: rest, ..Block::default() });
            continue;
        }
        let block = blocks.last_mut().unwrap();
        match word {
            "set" => block.settings.push(rest),
            "state" => block.state = rest,
            "perft" => {
                let (depth, count) = rest.split_once(' ').unwrap();
                block.counts.push((depth.parse().unwrap(), count.parse().unwrap()));
            }
            _ => panic!("unknown line {line}"),
        }
    }
    blocks
}

struct Perft<G>(G, u32, PerftKind);

impl<G: Baseline> Work for Perft<G> {
    type Output = Leaves;

    #[inline(always)]
    fn run<B: Bits>(mut self, bits: B) -> Leaves {
        self.0.perft(bits, self.1, self.2)
    }
}

/// Both kinds of perft, with the best instructions and with those every processor has.
fn check<G: Baseline + Clone>(name: &str, state: &G, depth: u32, count: u64) {
    let applied = run_best(Perft(state.clone(), depth, PerftKind::Applied));
    let portable = Portable.enter(Perft(state.clone(), depth, PerftKind::Applied));
    let bulk = run_best(Perft(state.clone(), depth, PerftKind::Bulk));
    assert_eq!(applied.count, count, "{name}, depth {depth}");
    assert_eq!(bulk.count, count, "{name}, depth {depth}, bulk");
    assert_eq!(portable, applied, "{name}, depth {depth}, portable");
}

/// Checks all blocks of a file that leave the parameters as they are.
fn check_file<G: Baseline + Clone>(text: &str, state: impl Fn(&str) -> G) {
    let blocks = blocks(text);
    let standard: Vec<_> = blocks.iter().filter(|block| block.settings.is_empty()).collect();
    assert!(standard.len() > 1);
    for block in standard {
        let state = if block.state == "initial" { G::start() } else { state(block.state) };
        for (depth, count) in &block.counts {
            check(block.id, &state, *depth, *count);
        }
    }
}

/// The cells of one side in a text like `at(1, 2) = white, turn = black`, one bit each.
fn cells(text: &str, value: &str, bit: impl Fn(u32, u32) -> u32) -> u64 {
    let mut cells = 0;
    for fact in text.split("at(").skip(1) {
        let (place, rest) = fact.split_once(") = ").unwrap();
        let (left, right) = place.trim_matches(['(', ')']).split_once(", ").unwrap();
        if rest.split(',').next() == Some(value) {
            cells |= 1 << bit(left.parse().unwrap(), right.parse().unwrap());
        }
    }
    cells
}

/// Cells of the side to move and of the other one.
fn own_and_other(text: &str, roles: [&str; 2], bit: fn(u32, u32) -> u32) -> (u64, u64) {
    let [first, second] = roles.map(|role| cells(text, role, bit));
    if text.ends_with(&format!("turn = {}", roles[0])) { (first, second) } else { (second, first) }
}

#[test]
fn noughts_and_crosses_meets_its_counts() {
    check_file(include_str!("../../../games/noughts_and_crosses.perft"), |text| {
        let (own, other) = own_and_other(text, ["x", "o"], |column, row| column + 3 * row - 4);
        NoughtsAndCrosses::with(own, other)
    });
    check("start", &NoughtsAndCrosses::start(), 6, 54_720);
    check("start", &NoughtsAndCrosses::start(), 9, 127_872);
}

#[test]
fn connect_four_meets_its_counts() {
    check_file(include_str!("../../../games/connect_four.perft"), |text| {
        let (own, other) =
            own_and_other(text, ["yellow", "red"], |column, row| 7 * column + row - 8);
        ConnectFour::with(own, other)
    });
    // RG's test script.
    check("start", &ConnectFour::start(), 7, 823_536);
    check("start", &ConnectFour::start(), 8, 5_673_234);
}

#[test]
fn breakthrough_meets_its_counts() {
    check_file(include_str!("../../../games/breakthrough.perft"), |text| {
        let bit = |file, rank| file + 8 * rank - 9;
        let (white, black) = (cells(text, "white", bit), cells(text, "black", bit));
        Breakthrough::with(white, black, text.ends_with("turn = white"))
    });
    // RG's test script, Fairy-Stockfish.
    check("start", &Breakthrough::start(), 4, 256_036);
    check("start", &Breakthrough::start(), 5, 6_182_818);
    check("start", &Breakthrough::start(), 6, 149_264_638);
}

#[test]
fn reversi_meets_its_counts() {
    check_file(include_str!("../../../games/reversi.perft"), |text| {
        let (own, other) =
            own_and_other(text, ["black", "white"], |file, rank| file + 8 * rank - 9);
        Reversi::with(own, other, text.ends_with("turn = black"))
    });
    // The published Othello tables; RG's test script for depths 9 and 10, where contests that
    // ended earlier are left out as they are here.
    check("start", &Reversi::start(), 7, 55_092);
    check("start", &Reversi::start(), 8, 390_216);
    check("start", &Reversi::start(), 9, 3_005_288);
    check("start", &Reversi::start(), 10, 24_571_056);
}

/// Checks one block of Go on a board of this size.
fn check_go<const SIZE: usize, const CELLS: usize>(block: &Block<'_>) {
    let state = match block.state {
        "initial" => Go::<SIZE, CELLS>::start(),
        text => Go::parse(text).unwrap(),
    };
    for (depth, count) in &block.counts {
        check(block.id, &state, *depth, *count);
    }
}

#[test]
fn go_meets_its_counts_on_every_size() {
    for block in blocks(include_str!("../../../games/go.perft")) {
        match block.settings[..] {
            ["size = 1"] => check_go::<1, 8>(&block),
            ["size = 2"] => check_go::<2, 16>(&block),
            ["size = 3"] => check_go::<3, 32>(&block),
            ["size = 4"] => check_go::<4, 32>(&block),
            ["size = 5"] => check_go::<5, 64>(&block),
            ["size = 9"] => check_go::<9, 128>(&block),
            _ => panic!("block {} has unknown settings", block.id),
        }
    }
    // The reference engine; OpenSpiel and RBG.
    check("start", &Go::<9, 128>::start(), 2, 6_643);
    check("start", &Go::<19, 512>::start(), 2, 130_683);
}
