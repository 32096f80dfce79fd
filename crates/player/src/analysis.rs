//! The static tables of a chess-like game, in the words of its text.
//!
//! In: the theory of a game. Out: its tables as names and numbers, for whoever shows them; nothing for games that are not
//! chess-like. All of it is as the first side has it; the second side's is the image. Paper: metagamer §2.5.

use rulesmith_analyze::{Analysis, ManTables, SquareId, analyze};
use rulesmith_rules::Theory;
use rulesmith_rules::scl::{KindId, Man, SclGame, Side, Square};

/// The tables of a game.
#[derive(Clone, Debug)]
pub struct AnalysisReport {
    /// The squares by name, column by column; tables that go by square are in this order.
    pub squares: Vec<String>,
    /// The rows of the board, the last one first, each from the left; nothing where there is a hole.
    pub rows: Vec<Vec<Option<SquareId>>>,
    /// The kinds of pieces, in the order of the text.
    pub kinds: Vec<KindReport>,
}

/// The tables of one kind of piece.
#[derive(Clone, Debug)]
pub struct KindReport {
    /// Its name.
    pub kind: String,
    /// What its owner can make of it by his own choice, in how many promotions; `-` stands before kinds that the other side
    /// then has.
    pub promotions: Vec<(String, u32)>,
    /// Does it promote at all?
    pub promotes: bool,
    /// Where it can go in one move, by square.
    pub transitions: Vec<Vec<SquareId>>,
    /// Into how many squares that is.
    pub static_mobility: Vec<u32>,
    /// All squares it can reach, each at `2^-distance`.
    pub eventual_mobility: Vec<f64>,
    /// In how many moves it promotes, and on which squares.
    pub nearest_promotion: Vec<Option<(u32, Vec<SquareId>)>>,
    /// In how many moves it reaches each square from the one that was asked for.
    pub distances: Option<Vec<Option<u32>>>,
}

/// The tables of a chess-like game; `None` for others. Distances are those from a square, if it is given by its name.
pub fn analysis_report(
    theory: &Theory,
    from: Option<&str>,
) -> Option<Result<AnalysisReport, String>> {
    let game = theory.notation.fen.as_ref()?.game();
    let analysis = analyze(game);
    let squares: Vec<String> =
        analysis.squares.ids().map(|id| square_name(game, analysis.squares.square(id))).collect();
    let from = match from {
        None => None,
        Some(name) => match squares.iter().position(|square| square == name) {
            Some(place) => Some(SquareId(place)),
            None => return Some(Err(no_square(name, &squares))),
        },
    };
    let row = |row: i32| {
        let columns = 1..=game.board.width;
        columns.map(|column| analysis.squares.id(Square { column, row })).collect()
    };
    Some(Ok(AnalysisReport {
        rows: (1..=game.board.height).rev().map(row).collect(),
        kinds: (0..game.pieces.len())
            .map(|kind| kind_report(game, &analysis, KindId(kind), from))
            .collect(),
        squares,
    }))
}

fn no_square(name: &str, squares: &[String]) -> String {
    let example = squares.first().map(|square| format!("; squares are written `{square}`"));
    format!("there is no square `{name}`{}", example.unwrap_or_default())
}

fn kind_report(
    game: &SclGame,
    analysis: &Analysis,
    kind: KindId,
    from: Option<SquareId>,
) -> KindReport {
    let tables: &ManTables = analysis.of(Man { kind, owner: Side::Player });
    let piece = &game.pieces[kind.0];
    let promotions = tables.promotion_distances.iter().filter(|(man, _)| *man != tables.man);
    let name = |man: &Man| {
        let sign = if man.owner == Side::Player { "" } else { "-" };
        format!("{sign}{}", game.pieces[man.kind.0].name.text)
    };
    let nearest = tables.nearest_promotion.iter().map(|nearest| {
        let nearest = nearest.as_ref().filter(|_| piece.promoting.is_some())?;
        Some((nearest.distance, nearest.squares.clone()))
    });
    KindReport {
        kind: piece.name.text.clone(),
        promotions: promotions.map(|(man, distance)| (name(man), *distance)).collect(),
        promotes: piece.promoting.is_some(),
        transitions: tables.transitions.iter().map(|to| to.iter().collect()).collect(),
        static_mobility: tables.static_mobility.clone(),
        eventual_mobility: tables.eventual_mobility.clone(),
        nearest_promotion: nearest.collect(),
        distances: from.map(|from| tables.distances(from)),
    }
}

/// Columns have letters while there are enough of them.
const N_LETTERS: i32 = 26;

fn square_name(game: &SclGame, square: Square) -> String {
    let letter = u8::try_from(square.column - 1).ok().filter(|_| game.board.width <= N_LETTERS);
    match letter {
        Some(column) => format!("{}{}", char::from(b'a' + column), square.row),
        None => format!("({},{})", square.column, square.row),
    }
}
