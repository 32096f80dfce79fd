//! The army: the board, who there is, and who stands where.
//!
//! In: dice. Out: board, kinds of pieces by name, and the set-up. Paper: metagamer §1.2.
//! Invariant: the two armies never meet at the start, and every kind of the first part of the names stands there.

use rulesmith_logic::Span;
use rulesmith_rules::scl::{
    Board, BoardKind, Decider, Inversion, Name, Place, Placement, Setup, Side, Square,
};

use super::Refusal;
use super::dice::Dice;
use super::knobs::Knob;

/// Kinds have these names: one for each letter, so that each has a symbol of its own.
const NAMES: [&str; 26] = [
    "ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay", "kiwi", "lynx", "mole",
    "newt", "owl", "pig", "quail", "rat", "slug", "toad", "urchin", "vole", "wasp", "xerus", "yak",
    "zebra",
];

/// Board and army.
#[derive(Clone, Debug)]
pub(super) struct Army {
    pub(super) board: Board,
    pub(super) inversion: Inversion,
    pub(super) promote_rank: i32,
    /// Those that stand on the board at the start, in the order of the alphabet.
    pub(super) placed: Vec<Name>,
    /// Those that only promotion makes.
    pub(super) promote_only: Vec<Name>,
    /// Where the first side's pieces stand.
    pub(super) squares: Vec<Square>,
    pub(super) setup: Setup,
}

impl Army {
    /// All kinds, in the order of the alphabet.
    pub(super) fn kinds(&self) -> Vec<Name> {
        let mut all: Vec<Name> = self.placed.iter().chain(&self.promote_only).cloned().collect();
        all.sort_by(|one, other| one.text.cmp(&other.text));
        all
    }
}

/// Draws board and army.
pub(super) fn draw_army(dice: &mut Dice<'_>) -> Result<Army, Refusal> {
    let (width, height) = (dice.range(Knob::COLUMNS), dice.range(Knob::ROWS));
    let kind = match dice.word(Knob::BOARD_TYPE) {
        "planar" => BoardKind::Planar,
        _ => BoardKind::VerticalCylinder,
    };
    let inversion = match dice.word(Knob::INVERSION) {
        "forward" => Inversion::Forward,
        _ => Inversion::Diagonal,
    };
    // The middle row of an odd number belongs to nobody.
    let n_rows = part(height, dice.number(Knob::BOARD_CROWDING) / 2.0).min(height / 2);
    let mut squares = vec![];
    for row in 1..=n_rows {
        let n_filled = part(width, dice.number(Knob::ROW_CROWDING));
        let left = (width - n_filled) / 2;
        squares.extend((left + 1..=left + n_filled).map(|column| Square { column, row }));
    }
    if squares.is_empty() {
        return Err(Refusal::NoRoom);
    }
    let fraction = dice.number(Knob::PROMOTION_FRACTION);
    let promote_rank = (height - part(n_rows, fraction)).max(1);
    let (placed, promote_only) = draw_kinds(dice, width, squares.len());
    let setup = draw_setup(dice, &placed, &squares);
    let board = Board { width, height, kind, holes: vec![], numbering: None };
    Ok(Army { board, inversion, promote_rank, placed, promote_only, squares, setup })
}

/// A share of a number, rounded.
#[expect(clippy::cast_possible_truncation, reason = "boards are small")]
pub(super) fn part(number: i32, share: f64) -> i32 {
    (f64::from(number) * share).round() as i32
}

/// The kinds that are placed, and those that are not.
fn draw_kinds(dice: &mut Dice<'_>, width: i32, n_squares: usize) -> (Vec<Name>, Vec<Name>) {
    let mut left: Vec<&str> = NAMES.to_vec();
    let wanted = part(width, dice.number(Knob::PIECE_VARIETY));
    let n_promote_only = usize::try_from(dice.range(Knob::PROMOTE_ONLY)).unwrap_or(0);
    let n_promote_only = n_promote_only.min(NAMES.len() - 1);
    let most = n_squares.min(NAMES.len() - n_promote_only);
    let n_placed = usize::try_from(wanted).unwrap_or(0).clamp(1, most);
    let mut draw = |count: usize| {
        let mut names: Vec<&str> = (0..count).filter_map(|_| dice.take(&mut left)).collect();
        names.sort_unstable();
        names.into_iter().map(named).collect::<Vec<Name>>()
    };
    (draw(n_placed), draw(n_promote_only))
}

/// A name that was written nowhere.
pub(super) fn named(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

/// Every kind once, then whatever is drawn.
fn draw_setup(dice: &mut Dice<'_>, placed: &[Name], squares: &[Square]) -> Setup {
    let more = squares.len() - placed.len();
    let drawn = (0..more).filter_map(|_| dice.choose(placed).cloned());
    let mut names: Vec<Name> = placed.iter().cloned().chain(drawn).collect();
    let decider = match dice.word(Knob::PLACEMENT) {
        "player" => Some(Decider::Side(Side::Player)),
        "opponent" => Some(Decider::Side(Side::Opponent)),
        // DIVERGENCE metagamer §1.2: `random` was drawn by the referee before each contest. The rules have no chance,
        // so it is drawn once, here, as `fixed` is.
        _ => None,
    };
    if let Some(decider) = decider {
        names.sort_by(|one, other| one.text.cmp(&other.text));
        let squares = squares.iter().map(|square| (*square, Span::default())).collect();
        return Setup::Assignment { decider, names, squares };
    }
    let mut shuffled = vec![];
    while let Some(name) = dice.take(&mut names) {
        shuffled.push(name);
    }
    Setup::Placements(placements(&shuffled, squares))
}

/// Each name on the square of its place, kind by kind.
pub(super) fn placements(names: &[Name], squares: &[Square]) -> Vec<Placement> {
    let mut kinds: Vec<&Name> = names.iter().collect();
    kinds.sort_by(|one, other| one.text.cmp(&other.text));
    kinds.dedup();
    let placement = |kind: &Name| {
        let own = names.iter().zip(squares).filter(|(name, _)| *name == kind);
        let own = own.map(|(_, square)| (*square, Span::default())).collect();
        Placement { side: None, name: kind.clone(), place: Place::At(own) }
    };
    kinds.into_iter().map(placement).collect()
}
