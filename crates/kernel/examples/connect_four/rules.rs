//! Uniformly random contests of connect four as a kernel.
//!
//! Seven columns of six cells and a spare one, one bit each, the lowest first. A state has two planes: the
//! stones of the role to move, and all stones. The kernel plays to the end and returns which role won,
//! counted from one, or zero.

use rulesmith_kernel::Statement::{Draw, If, Leave, Let, LetSet, Repeat, Return};
use rulesmith_kernel::{Kernel, Module, Plane, Scalar, Set, Word};

/// The lowest cells of all columns.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
/// All cells but the spare ones.
const BOARD: u64 = BOTTOM * 0x3F;
const OWN: Plane = Plane(0);
const ALL: Plane = Plane(1);
const LEGAL: Plane = Plane(2);
const STONE: Plane = Plane(3);
const ROLE: Scalar = Scalar(0);
const N_MOVES: Scalar = Scalar(1);
const RANK: Scalar = Scalar(2);

/// The module with its one kernel.
pub(crate) fn module() -> Module {
    let mask = |word| Set::Mask(vec![word]);
    let ply = vec![
        LetSet(LEGAL, ((Set::from(ALL).shift(1) | mask(BOTTOM)) - ALL) & mask(BOARD)),
        Let(N_MOVES, Set::from(LEGAL).count()),
        If(Word::from(N_MOVES).equals(0), vec![Leave], vec![]),
        Draw(RANK, N_MOVES.into()),
        LetSet(STONE, Set::from(LEGAL).nth_alone(RANK)),
        LetSet(OWN, Set::from(OWN) | STONE),
        LetSet(ALL, Set::from(ALL) | STONE),
        If(four_in_line().any(), vec![Return(Word::from(ROLE) + 1)], vec![]),
        LetSet(OWN, Set::from(OWN) ^ ALL),
        Let(ROLE, Word::from(ROLE) ^ 1),
    ];
    let body = vec![
        LetSet(OWN, Set::state(0, 1) & mask(BOARD)),
        LetSet(ALL, Set::state(1, 1) & mask(BOARD)),
        Let(ROLE, Set::from(ALL).count() & 1),
        Repeat(ply),
    ];
    let plane_widths = vec![1; 4];
    let kernel = Kernel { name: "playout".into(), n_params: 0, n_scalars: 3, plane_widths, body };
    Module { state_words: 2, kernels: vec![kernel], ..Module::default() }
}

/// Cells where a line of four own stones starts.
fn four_in_line() -> Set {
    let pair = |set: Set, by: i32| set.clone() & set.shift(-by);
    let line = |step| pair(pair(OWN.into(), step), 2 * step);
    line(1) | line(6) | line(7) | line(8)
}
