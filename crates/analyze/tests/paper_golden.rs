//! The rows of `metagamer`'s tables 2 and 3 that are static tables.
//!
//! In: checkers and chess of the library. Out: complaints, or with `REWRITE_PAPERS` the files
//! `golden/papers/metagamer/*.toml`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the golden numbers are files, and a test may panic"
)]
#![allow(dead_code, reason = "of the shared modules a part is used")]

mod games;
#[path = "../../specialize/tests/golden/mod.rs"]
mod golden;

use games::{library, tables};
use golden::{Number, check, printed};
use rulesmith_analyze::analyze;

/// Half a unit of the third digit: the paper prints three. A trifle more, since 20.25 is printed as 20.2.
fn rounding(printed: f64) -> f64 {
    10_f64.powf(printed.abs().log10().floor() - 2.0) * 0.501
}

/// The four rows of a game's table; each column is a kind of piece.
fn rows(name: &str, kinds: &[&str], paper: [&[f64]; 4]) -> Vec<Number> {
    let game = library(name);
    let analysis = analyze(&game);
    let mut numbers = Vec::new();
    for (place, kind) in kinds.iter().enumerate() {
        let tables = tables(&game, &analysis, kind);
        let fixed: Vec<f64> = tables.static_mobility.iter().map(|n| f64::from(*n)).collect();
        let count = f64::from(u32::try_from(fixed.len()).unwrap());
        let most = |row: &[f64]| row.iter().copied().fold(0.0, f64::max);
        let mean = |row: &[f64]| row.iter().sum::<f64>() / count;
        let eventual = &tables.eventual_mobility;
        let ours = [most(&fixed), most(eventual), mean(&fixed), mean(eventual)];
        let names = ["max-static-mob", "max-eventual-mob", "avg-static-mob", "avg-eventual-mob"];
        for ((row, ours), paper) in names.iter().zip(ours).zip(paper) {
            let paper = paper[place];
            let one = printed(&format!("{kind} {row}"), paper, ours);
            numbers.push(if (paper - ours).abs() > 0.0 {
                one.within(rounding(paper), "the paper prints three digits")
            } else {
                one
            });
        }
    }
    numbers
}

#[test]
fn metagamer_table_2_mobility() {
    let paper: [&[f64]; 4] = [&[4.0, 2.0], &[6.94, 3.72], &[3.06, 1.53], &[5.19, 2.64]];
    let numbers = rows("american_checkers", &["king", "man"], paper);
    check("metagamer/table_2_mobility", "metagamer table 2: mobility in checkers", &numbers);
}

#[test]
fn metagamer_table_3_mobility() {
    let kinds = ["bishop", "king", "knight", "pawn", "queen", "rook"];
    let paper: [&[f64]; 4] = [
        &[13.0, 8.0, 8.0, 1.0, 27.0, 14.0],
        &[12.0, 12.9, 14.8, 1.99, 23.5, 20.2],
        &[8.75, 6.56, 5.25, 0.875, 22.8, 14.0],
        &[10.9, 9.65, 11.8, 1.75, 22.4, 20.2],
    ];
    let numbers = rows("chess_1992", &kinds, paper);
    check("metagamer/table_3_mobility", "metagamer table 3: mobility in chess", &numbers);
}
