//! Pictures of boards: squares, what stands on them, hands, and what moves do.
//!
//! In: a board, the names of the roles, who is to move, accounts of moves. Out: one SVG that refers to nothing outside itself. Read
//! in this order: `places` (where squares are), `shapes` (how things look), `marks` (what moves do). Invariant: no game
//! is known; letters, owners and squares are those that the rules name.

mod marks;
mod places;
mod shapes;

use rulesmith_game::{Account, Board, InHand, RoleId, Square, SquareId, Thing};

use self::marks::Marks;
use self::places::{CELL, Places};
use self::shapes::{DARK, FAINT, HOLD, INK, LIGHT, Shapes};
use crate::svg_text::escape;

/// What is drawn.
#[derive(Debug)]
pub(crate) struct Scene<'s> {
    /// The board before any of the moves.
    pub(crate) board: &'s Board,
    /// The names of the roles.
    pub(crate) roles: &'s [String],
    /// Who is to move.
    pub(crate) movers: Vec<RoleId>,
    /// What the picture is of, for readers who cannot see it.
    pub(crate) title: String,
    /// The square whose moves are shown.
    pub(crate) origin: Option<SquareId>,
    /// The moves.
    pub(crate) accounts: Vec<Account>,
}

/// The picture.
pub(crate) fn picture(scene: &Scene<'_>) -> String {
    let places = Places::of(scene.board);
    let mut shapes = Shapes::default();
    squares(&mut shapes, scene, &places);
    labels(&mut shapes, scene.board, &places);
    if scene.board.wraps {
        shapes.seams(&places);
    }
    // Ways lead under what stands on them, so that it stays legible.
    let marks = Marks::of(scene);
    marks.draw_ways(&mut shapes, scene, &places);
    for (at, square) in scene.board.squares.iter().enumerate() {
        if let Some(thing) = &square.thing {
            let name = described(scene.roles, thing);
            shapes.titled(format!("{name} {}", square.name).trim());
            shapes.thing(places.middle(SquareId(at)), CELL, thing);
            shapes.end_titled();
        }
    }
    hands(&mut shapes, scene, &places);
    marks.draw(&mut shapes, &places);
    caption(&mut shapes, scene, &places);
    let (width, height) = places.size(scene.board);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
         <title>{}</title>\n\
         <style>text{{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;text-anchor:middle}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#ffffff\"/>\n{}</svg>\n",
        escape(&scene.title),
        shapes.text
    )
}

/// Whose it is and what it is.
fn described(roles: &[String], thing: &Thing) -> String {
    let owner = thing.owner.map(|role| roles[role.0].as_str()).unwrap_or_default();
    format!("{owner} {}", thing.kind).trim().to_owned()
}

fn squares(shapes: &mut Shapes, scene: &Scene<'_>, places: &Places) {
    let n_rows = scene.board.row_labels.len();
    for (at, Square { column, row, name, .. }) in scene.board.squares.iter().enumerate() {
        let is_dark = (column + n_rows - row) % 2 == 1;
        let corner = places.corner(SquareId(at));
        shapes.square(corner, if is_dark { DARK } else { LIGHT });
        if scene.origin == Some(SquareId(at)) {
            shapes.square(corner, HOLD);
        }
        let columns_and_rows = [
            format!("{}{}", scene.board.column_labels[*column], scene.board.row_labels[*row]),
            format!("{}{}", scene.board.row_labels[*row], scene.board.column_labels[*column]),
        ];
        // A square whose name says more than column and row has it in its corner.
        if !columns_and_rows.contains(name) && !name.starts_with('(') && name.chars().count() <= 3 {
            shapes.words((corner.0 + 8.0, corner.1 + 9.0), 9.0, FAINT, name);
        }
    }
}

fn labels(shapes: &mut Shapes, board: &Board, places: &Places) {
    let last = board.row_labels.len().saturating_sub(1);
    let (row, below) = if board.is_up || last == 0 { (last, true) } else { (0, false) };
    for (column, label) in board.column_labels.iter().enumerate() {
        let (x, y) = places.middle_of(column, row);
        let y = if below { y + CELL / 2.0 + 17.0 } else { y - CELL / 2.0 - 8.0 };
        shapes.words((x, y), 13.0, FAINT, label);
    }
    for (row, label) in board.row_labels.iter().enumerate() {
        let (x, y) = places.middle_of(0, row);
        shapes.words((x - CELL / 2.0 - 13.0, y + 4.5), 13.0, FAINT, label);
    }
}

/// Hands stand to the right: the first role's at the bottom, the others' from the top.
fn hands(shapes: &mut Shapes, scene: &Scene<'_>, places: &Places) {
    let (right, bottom) = places.board_end();
    for role in (0..scene.roles.len()).map(RoleId) {
        let held: Vec<&InHand> =
            scene.board.hands.iter().filter(|hand| hand.role == role).collect();
        for (place, InHand { thing, count, .. }) in held.iter().enumerate() {
            let steps = places::number(place) * CELL * 0.82;
            let y = if role.0 == 0 {
                bottom - CELL / 2.0 - steps
            } else {
                places::TOP + CELL / 2.0 + steps
            };
            let x = right + CELL * 0.62;
            let name = described(scene.roles, thing);
            shapes.titled(&format!("{count} {name} in hand"));
            shapes.thing((x, y), CELL * 0.85, thing);
            shapes.end_titled();
            if *count > 1 {
                shapes.words((x + CELL * 0.58, y + 4.5), 13.0, INK, &format!("×{count}"));
            }
        }
    }
}

fn caption(shapes: &mut Shapes, scene: &Scene<'_>, places: &Places) {
    let names: Vec<&str> = scene.movers.iter().map(|role| scene.roles[role.0].as_str()).collect();
    if !names.is_empty() {
        let (right, bottom) = places.board_end();
        let middle = f64::midpoint(places::LEFT, right);
        let words = format!("{} to move", names.join(" and "));
        shapes.words((middle, bottom + 36.0), 12.0, FAINT, &words);
    }
}
