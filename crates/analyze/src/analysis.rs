//! The analysis: all static tables of a game.
//!
//! In: a checked game. Out: one entry for each man, a kind of piece of one side. Paper: metagamer §2.5.
//! Invariant: the second side's tables are the image of the first side's.

use rulesmith_rules::scl::{KindId, Man, SclGame, Side};

use crate::arrivals::{Arrivals, man_number};
use crate::mobility::{self, Nearest, eventual_mobility, nearest};
use crate::promotion::{Promotion, promotion_distances};
use crate::squares::{SquareId, SquareSet, Squares};
use crate::transition_tables::transitions;

/// The static tables of a game.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The board.
    pub squares: Squares,
    /// Kind by kind, the first side before the second.
    pub men: Vec<ManTables>,
}

impl Analysis {
    /// The tables of one man.
    pub fn of(&self, man: Man) -> &ManTables {
        &self.men[man_number(man)]
    }
}

/// The static tables of one man.
#[derive(Clone, Debug)]
pub struct ManTables {
    /// The man.
    pub man: Man,
    /// What its owner himself can make of it; nothing where he does not decide or it does not promote.
    pub promotions: Vec<Man>,
    /// How many such promotions make each man of it, itself in none.
    pub promotion_distances: Vec<(Man, u32)>,
    /// Where it can go in one move, by square.
    pub transitions: Vec<SquareSet>,
    /// Into how many squares that is, by square.
    pub static_mobility: Vec<u32>,
    /// All squares it can reach, at `2^-distance`, by square.
    pub eventual_mobility: Vec<f64>,
    /// The nearest squares on which it promotes, by square; nothing where none can be reached.
    pub nearest_promotion: Vec<Option<Nearest>>,
}

impl ManTables {
    /// In how many moves each square is reached from a square: one row of the distance matrix.
    pub fn distances(&self, from: SquareId) -> Vec<Option<u32>> {
        mobility::distances(&self.transitions, from)
    }
}

/// The tables of a game.
///
/// ```
/// use rulesmith_rules::scl::{KindId, Man, SclLimits, Side, parse_scl};
/// use rulesmith_rules::{Diagnostics, NoFiles, Sources};
/// let text = "GAME race GOALS stalemate opponent BOARD_SIZE 3 BY 5 BOARD_TYPE planar
///     PROMOTE_RANK 5 SETUP runner AT {a1}
///     DEFINE runner MOVING MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT END MOVING END DEFINE END GAME.";
/// let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
/// let file = sources.add("race.scl", text);
/// let game = parse_scl(&mut sources, file, &NoFiles, &SclLimits::default(), &mut problems).unwrap();
/// let analysis = rulesmith_analyze::analyze(&game);
/// let runner = analysis.of(Man { kind: KindId(0), owner: Side::Player });
/// assert_eq!(runner.static_mobility.iter().sum::<u32>(), 12);
/// ```
pub fn analyze(game: &SclGame) -> Analysis {
    let squares = Squares::of(game);
    let arrivals = Arrivals::of(game, &squares);
    let men = all_men(game);
    let promotions: Vec<Promotion> =
        men.iter().map(|man| Promotion::of(game, &squares, *man)).collect();
    let tables = |man: &Man| {
        let promotion = &promotions[man_number(*man)];
        let transitions = transitions(game, &squares, &arrivals, promotion, *man);
        let is_own = promotion.decider == Some(Side::Player);
        let mobility = transitions.iter().map(|to| u32::try_from(to.len()));
        ManTables {
            man: *man,
            promotions: if is_own { promotion.choices.clone() } else { vec![] },
            promotion_distances: promotion_distances(&promotions, &men, *man),
            static_mobility: mobility.map(|count| count.expect("boards are small")).collect(),
            eventual_mobility: squares
                .ids()
                .map(|id| eventual_mobility(&transitions, id))
                .collect(),
            nearest_promotion: (squares.ids())
                .map(|id| nearest(&transitions, id, &promotion.zone))
                .collect(),
            transitions,
        }
    };
    let men = men.iter().map(tables).collect();
    Analysis { squares, men }
}

/// Every kind of each side, in the order of their numbers.
pub(crate) fn all_men(game: &SclGame) -> Vec<Man> {
    let kinds = (0..game.pieces.len()).map(KindId);
    kinds.flat_map(|kind| Side::BOTH.map(|owner| Man { kind, owner })).collect()
}
