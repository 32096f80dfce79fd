//! The static tables of known games: hand-known values, and values that the papers' tables follow from.

mod games;

use expect_test::expect;
use games::{at, board, library, parse, tables};
use rulesmith_analyze::{Analysis, ManTables, SquareId, SquareSet, analyze};
use rulesmith_rules::scl::{KindId, Man, SclGame, Side};

fn sum(tables: &ManTables) -> u32 {
    tables.static_mobility.iter().sum()
}

#[test]
fn mobility_sums_on_the_chessboard_are_the_known_ones() {
    let game = library("chess_1992");
    let analysis = analyze(&game);
    let sums = ["king", "knight", "bishop", "rook", "queen", "pawn"]
        .map(|kind| sum(tables(&game, &analysis, kind)));
    assert_eq!(sums, [420, 336, 560, 896, 1456, 56]);
}

#[test]
fn knight_distances_on_the_chessboard_are_the_known_ones() {
    let game = library("chess_1992");
    let analysis = analyze(&game);
    let distances = tables(&game, &analysis, "knight").distances(at(&analysis, 1, 1));
    let text = board(&game, &analysis, |square: SquareId| distances[square.0].unwrap().to_string());
    expect![[r"
        5 4 5 4 5 4 5 6
        4 3 4 3 4 5 4 5
        3 4 3 4 3 4 5 4
        2 3 2 3 4 3 4 5
        3 2 3 2 3 4 3 4
        2 1 4 3 2 3 4 5
        3 4 1 2 3 4 3 4
        0 3 2 3 2 3 4 5
    "]]
    .assert_eq(&text);
}

#[test]
fn metagamer_3_spot_values() {
    let game = library("chess_1992");
    let analysis = analyze(&game);
    let spot = |kind: &str, column: i32, row: i32| {
        let (tables, square) = (tables(&game, &analysis, kind), at(&analysis, column, row));
        (tables.static_mobility[square.0], tables.eventual_mobility[square.0])
    };
    let exact = |found: (u32, f64), wanted: (u32, f64)| {
        assert!(found.0 == wanted.0 && (found.1 - wanted.1).abs() < 1e-12, "{found:?} {wanted:?}");
    };
    exact(spot("knight", 1, 1), (2, 8.390_625));
    exact(spot("knight", 2, 2), (4, 10.875));
    exact(spot("knight", 4, 4), (8, 14.8125));
    exact(spot("bishop", 1, 4), (7, 10.5));
    exact(spot("bishop", 4, 4), (13, 12.0));
    exact(spot("queen", 1, 4), (21, 22.0));
    exact(spot("queen", 4, 4), (27, 23.5));
    exact(spot("king", 1, 1), (3, 5.851_562_5));
    exact(spot("king", 4, 1), (5, 8.5625));
    exact(spot("king", 4, 4), (8, 12.9375));
    exact(spot("rook", 1, 1), (14, 20.25));
    exact(spot("rook", 3, 6), (14, 20.25));
    let game = library("american_checkers");
    let analysis = analyze(&game);
    let spot = |kind: &str, column: i32, row: i32| {
        let (tables, square) = (tables(&game, &analysis, kind), at(&analysis, column, row));
        (tables.static_mobility[square.0], tables.eventual_mobility[square.0])
    };
    exact(spot("king", 1, 1), (1, 3.257_812_5));
    exact(spot("king", 4, 4), (4, 6.9375));
    exact(spot("man", 1, 1), (1, 2.625));
    exact(spot("man", 4, 1), (2, 3.71875));
    exact(spot("man", 4, 8), (0, 1.0));
}

#[test]
fn a_xiangqi_general_never_leaves_its_palace() {
    let game = library("xiangqi_1992");
    let analysis = analyze(&game);
    let general = tables(&game, &analysis, "general");
    let in_palace = |square: SquareId| {
        let square = analysis.squares.square(square);
        (4..=6).contains(&square.column) && square.row <= 3
    };
    let from_palace = analysis.squares.ids().filter(|from| in_palace(*from));
    for from in from_palace {
        assert!(general.transitions[from.0].iter().all(in_palace), "{from:?}");
    }
    let most = general.eventual_mobility.iter().copied().fold(0.0, f64::max);
    assert_eq!(format!("{most:.3}"), "7.635");
}

#[test]
fn promotion_squares_are_the_nearest_ones() {
    let game = library("american_checkers");
    let analysis = analyze(&game);
    let man = tables(&game, &analysis, "man");
    let nearest = man.nearest_promotion[at(&analysis, 1, 6).0].as_ref().unwrap();
    let squares = nearest.squares.iter().map(|square| analysis.squares.square(*square).column);
    assert_eq!((nearest.distance, squares.collect::<Vec<_>>()), (2, vec![1, 3]));
    // From the last row nothing further can be reached, and its own square does not count.
    assert_eq!(man.nearest_promotion[at(&analysis, 1, 8).0], None);
    let king = Man { kind: KindId(1), owner: Side::Player };
    assert_eq!(man.promotions, [king]);
    assert_eq!(man.promotion_distances, [(man.man, 0), (king, 1)]);
}

const RUNNERS: &str = "GAME g GOALS stalemate opponent GOALS_HERE BOARD_SIZE 2 BY 4 BOARD_TYPE planar
    PROMOTE_RANK 4 SETUP runner AT {a1}
    DEFINE runner MOVING MOVEMENT LEAP <0,1> SYMMETRY {forward} END MOVEMENT END MOVING PROMOTING_HERE END DEFINE
    DEFINE idol MOVING MOVEMENT LEAP <1,0> SYMMETRY {side} END MOVEMENT END MOVING END DEFINE
    DEFINE wall END DEFINE END GAME.";

/// Who can go from where to where, of the first side's runner on the first column.
fn runner(goals: &str, promoting: &str) -> String {
    let game = parse(&RUNNERS.replace("GOALS_HERE", goals).replace("PROMOTING_HERE", promoting));
    let analysis = analyze(&game);
    let transitions = &tables(&game, &analysis, "runner").transitions;
    let mut text = vec![];
    for row in 1..=4 {
        for to in transitions[at(&analysis, 1, row).0].iter() {
            text.push(format!("{row}-{}", analysis.squares.square(to).row));
        }
    }
    text.join(" ")
}

#[test]
fn transitions_are_constrained_by_arrival_goals() {
    let all = "1-2 2-1 2-3 3-2 3-4 4-3";
    assert_eq!(runner("", ""), all);
    // Who arrives has won, and goes nowhere from there.
    assert_eq!(runner("arrive [{player} {runner}] AT {a3}", ""), "1-2 2-1 2-3 4-3");
    // The enemy wins if it goes there.
    assert_eq!(runner("arrive [{opponent} {runner}] AT {b2}", ""), "1-2 2-1");
    // Both win: nobody loses.
    let both = "arrive [{player} {runner}] AT {a3} arrive [{opponent} {runner}] AT {b2}";
    assert_eq!(runner(both, ""), "1-2 2-1 2-3 4-3");
    // On the last row it becomes something else, which is safe there, or is not.
    let last = "arrive [{opponent} {runner}] AT {b1}";
    assert_eq!(runner(last, ""), "1-2 2-1 2-3 3-2");
    assert_eq!(runner(last, "PROMOTING PROMOTE_TO idol END PROMOTING"), "1-2 2-1 2-3 3-2 3-4");
    let idols = "arrive [{opponent} {idol}] AT {b1}";
    let promoting = |decider: &str, names: &str| {
        format!("PROMOTING DECISION {decider} OPTIONS [{{player}} {{{names}}}] END PROMOTING")
    };
    assert_eq!(runner(idols, &promoting("player", "idol")), "1-2 2-1 2-3 3-2 4-3");
    assert_eq!(runner(idols, &promoting("player", "idol wall")), all);
    assert_eq!(runner(idols, &promoting("opponent", "idol wall")), "1-2 2-1 2-3 3-2 4-3");
    assert_eq!(runner(idols, &promoting("opponent", "wall")), all);
}

/// All pairs of squares by the textbook's three loops.
fn floyd(transitions: &[SquareSet]) -> Vec<Vec<Option<u32>>> {
    let n = transitions.len();
    let start = |from: usize| {
        (0..n).map(move |to| match to {
            to if to == from => Some(0),
            to => transitions[from].contains(SquareId(to)).then_some(1),
        })
    };
    let mut table: Vec<Vec<Option<u32>>> = (0..n).map(|from| start(from).collect()).collect();
    for over in 0..n {
        for from in 0..n {
            let Some(first) = table[from][over] else { continue };
            let further = table[over].clone();
            for (known, second) in table[from].iter_mut().zip(further) {
                let Some(second) = second else { continue };
                *known = Some(known.map_or(first + second, |known| known.min(first + second)));
            }
        }
    }
    table
}

/// The other side's number of a square.
fn mirrored(game: &SclGame, analysis: &Analysis, square: SquareId) -> SquareId {
    let seen = game.square_of(Side::Opponent, analysis.squares.square(square));
    analysis.squares.id(seen).expect("boards are symmetric")
}

#[test]
fn distances_are_shortest_ways_and_both_sides_have_the_same_tables() {
    let names =
        ["chess_1992", "xiangqi_1992", "shogi", "turncoat_chess", "cylinder_chess", "janggi"];
    for name in names {
        let game = library(name);
        let analysis = analyze(&game);
        for tables in &analysis.men {
            let all = floyd(&tables.transitions);
            let other = analysis.of(Man { owner: tables.man.owner.other(), ..tables.man });
            for from in analysis.squares.ids() {
                assert_eq!(tables.distances(from), all[from.0], "{name}");
                let eventual: f64 = all[from.0]
                    .iter()
                    .flatten()
                    .map(|d| 0.5_f64.powi(i32::try_from(*d).unwrap()))
                    .sum();
                assert!((eventual - tables.eventual_mobility[from.0]).abs() < 1e-9, "{name}");
                let image = mirrored(&game, &analysis, from);
                assert_eq!(
                    tables.static_mobility[from.0], other.static_mobility[image.0],
                    "{name}"
                );
            }
        }
    }
}
