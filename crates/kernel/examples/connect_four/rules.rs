//! Uniformly random contests of connect four as a kernel.
//!
//! Seven columns of six cells and a spare one, one bit each, the lowest first. A state has two planes: the
//! stones of the role to move, and all stones. The kernel plays to the end and returns which role won,
//! counted from one, or zero.

use rulesmith_kernel::Statement::{Draw, If, Leave, Let, LetSet, Repeat, Return};
use rulesmith_kernel::{Comparison, Kernel, Module, Operation, Plane, Scalar, Set, Word};

/// The lowest cells of all columns.
const BOTTOM: u64 = 0x0040_8102_0408_1;
const OWN: Plane = Plane(0);
const ALL: Plane = Plane(1);
const LEGAL: Plane = Plane(2);
const STONE: Plane = Plane(3);
const ROLE: Scalar = Scalar(0);
const N_MOVES: Scalar = Scalar(1);
const RANK: Scalar = Scalar(2);

/// The module with its one kernel.
pub(crate) fn module() -> Module {
    let state = |offset| Set::State { offset, width: 1 };
    let board = || Set::Mask(vec![BOTTOM * 0x3F]);
    let plane = |plane| Box::new(Set::Plane(plane));
    let word = |scalar| Box::new(Word::Scalar(scalar));
    let above = Set::Or(Box::new(Set::Shift(plane(ALL), 1)), Box::new(Set::Mask(vec![BOTTOM])));
    let legal = Set::And(Box::new(Set::Without(Box::new(above), plane(ALL))), Box::new(board()));
    let other = Word::Compute(Operation::Xor, word(ROLE), Box::new(Word::Constant(1)));
    let winner = Word::Compute(Operation::Add, word(ROLE), Box::new(Word::Constant(1)));
    let is_over = Word::Compare(Comparison::Equal, word(N_MOVES), Box::new(Word::Constant(0)));
    let parity = Box::new(Word::Count(Box::new(state(1))));
    let ply = vec![
        LetSet(LEGAL, legal),
        Let(N_MOVES, Word::Count(plane(LEGAL))),
        If(is_over, vec![Leave], vec![]),
        Draw(RANK, Word::Scalar(N_MOVES)),
        LetSet(STONE, Set::Nth(plane(LEGAL), word(RANK))),
        LetSet(OWN, Set::Or(plane(OWN), plane(STONE))),
        LetSet(ALL, Set::Or(plane(ALL), plane(STONE))),
        If(Word::Any(Box::new(four_in_line())), vec![Return(winner)], vec![]),
        LetSet(OWN, Set::Xor(plane(OWN), plane(ALL))),
        Let(ROLE, other),
    ];
    let body = vec![
        LetSet(OWN, Set::And(Box::new(state(0)), Box::new(board()))),
        LetSet(ALL, Set::And(Box::new(state(1)), Box::new(board()))),
        Let(ROLE, Word::Compute(Operation::And, parity, Box::new(Word::Constant(1)))),
        Repeat(ply),
    ];
    let plane_widths = vec![1; 4];
    let kernel = Kernel { name: "playout".into(), n_params: 0, n_scalars: 3, plane_widths, body };
    Module { state_words: 2, tables: vec![], kernels: vec![kernel] }
}

/// Cells where a line of four own stones starts.
fn four_in_line() -> Set {
    let line = |step| {
        let pair = |set: Set, by: i32| {
            Set::And(Box::new(set.clone()), Box::new(Set::Shift(Box::new(set), -by)))
        };
        pair(pair(Set::Plane(OWN), step), 2 * step)
    };
    [7, 6, 8].map(line).into_iter().fold(line(1), |all, one| Set::Or(Box::new(all), Box::new(one)))
}
