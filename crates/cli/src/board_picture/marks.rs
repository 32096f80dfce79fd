//! What moves do, marked on the board.
//!
//! In: accounts of moves. Out: marks: a dot where a piece may go, a ring around what it takes there, a cross over what it takes
//! elsewhere, an arrow where the way matters, a plus where something comes onto the board, a small disc with what a piece
//! becomes. Invariant: a mark that several moves share is drawn once.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_game::{Account, Journey, SquareId, Thing, is_on_way};

use super::Scene;
use super::places::{CELL, Places, Point};
use super::shapes::{CHANGE, FAINT, MOVE, Shapes, TAKE};

/// What is marked, each once.
#[derive(Debug, Default)]
pub(super) struct Marks {
    arrows: BTreeSet<(Vec<SquareId>, bool)>,
    dots: BTreeMap<SquareId, bool>,
    rings: BTreeSet<SquareId>,
    crosses: BTreeSet<SquareId>,
    pluses: BTreeSet<SquareId>,
    changes: BTreeMap<SquareId, Vec<Thing>>,
}

impl Marks {
    /// What the moves of a scene do.
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let mut marks = Self::default();
        for account in &scene.accounts {
            marks.add(scene, account);
        }
        marks
    }

    /// Draws arrows.
    pub(super) fn draw_ways(&self, shapes: &mut Shapes, scene: &Scene<'_>, places: &Places) {
        for (path, takes) in &self.arrows {
            draw_path(shapes, scene, places, path, if *takes { TAKE } else { MOVE });
        }
    }

    /// Draws everything else.
    pub(super) fn draw(&self, shapes: &mut Shapes, places: &Places) {
        let middle = |square: &SquareId| places.middle(*square);
        self.rings.iter().for_each(|square| shapes.ring(middle(square), TAKE));
        self.crosses.iter().for_each(|square| shapes.cross(middle(square)));
        for (square, takes) in &self.dots {
            shapes.dot(middle(square), if *takes { TAKE } else { MOVE });
        }
        self.pluses.iter().for_each(|square| shapes.plus(middle(square)));
        for (square, things) in &self.changes {
            draw_changes(shapes, middle(square), things);
        }
    }

    fn add(&mut self, scene: &Scene<'_>, account: &Account) {
        let takes = !account.taken.is_empty();
        let mut fallen: BTreeSet<SquareId> = account.taken.iter().map(|(at, _)| *at).collect();
        if let Some(Journey { path, .. }) = &account.mover {
            let (start, end) = (path[0], path[path.len() - 1]);
            if fallen.remove(&end) {
                self.rings.insert(end);
            } else if end != start || path.len() > 1 {
                *self.dots.entry(end).or_default() |= takes;
            }
            if has_arrow(scene, account, path) {
                self.arrows.insert((path.clone(), takes));
            }
            if let Some(now) = &account.becomes {
                self.change(end, now);
            }
        }
        self.arrows.extend(account.followers.iter().map(|one| (one.path.clone(), false)));
        self.crosses.extend(fallen);
        let is_dropped = account.mover.is_none();
        for (square, thing) in &account.placed {
            self.pluses.extend(is_dropped.then_some(*square));
            if !is_dropped || scene.origin.is_none() && scene.accounts.len() == 1 {
                self.change(*square, thing);
            }
        }
        for (square, thing) in &account.changed {
            self.change(*square, thing);
        }
    }

    fn change(&mut self, square: SquareId, thing: &Thing) {
        let things = self.changes.entry(square).or_default();
        if !things.contains(thing) {
            things.push(thing.clone());
        }
    }
}

/// Does the way matter: does it bend, lead over something or over the edge, or take what stands elsewhere?
fn has_arrow(scene: &Scene<'_>, account: &Account, path: &[SquareId]) -> bool {
    let (start, end) = (path[0], path[path.len() - 1]);
    let is_over = |square: SquareId| {
        square != end
            && scene.board.thing(square).is_some()
            && is_on_way(scene.board, (start, end), square)
    };
    path.len() > 2
        || !account.followers.is_empty()
        || account.is_lost
        || account.taken.iter().any(|(square, _)| *square != end)
        || (0..scene.board.squares.len()).map(SquareId).any(is_over)
        || (scene.board.wraps && Places::of(scene.board).over_edge(start, end).is_some())
}

fn draw_path(
    shapes: &mut Shapes,
    scene: &Scene<'_>,
    places: &Places,
    path: &[SquareId],
    color: &str,
) {
    if let ([from, to], true) = (path, scene.board.wraps)
        && let Some(beyond) = places.over_edge(*from, *to)
    {
        draw_over_edge(shapes, places, (*from, *to), beyond, color);
        return;
    }
    let points: Vec<Point> = path.iter().map(|square| places.middle(*square)).collect();
    shapes.arrow(&points, color);
}

/// Two ends of one way: out over one edge, and in over the other.
fn draw_over_edge(
    shapes: &mut Shapes,
    places: &Places,
    (from, to): (SquareId, SquareId),
    beyond: Point,
    color: &str,
) {
    let (start, end) = (places.middle(from), places.middle(to));
    let (right, _) = places.board_end();
    let left = super::places::LEFT;
    let is_left = beyond.0 < start.0;
    let (out, back) = if is_left { (left, right) } else { (right, left) };
    let share = (out - start.0) / (beyond.0 - start.0);
    let y = start.1 + (beyond.1 - start.1) * share;
    let reach = if is_left { -CELL / 4.0 } else { CELL / 4.0 };
    shapes.line(
        &[start, (out + reach, y + (beyond.1 - start.1) * reach / (beyond.0 - start.0))],
        color,
        "",
    );
    shapes.line(&[(back, y), end], color, "");
}

/// What something becomes: small discs along the upper edge of the square.
fn draw_changes(shapes: &mut Shapes, (x, y): Point, things: &[Thing]) {
    /// More would not fit.
    const MOST: usize = 3;
    let n_shown = things.len().min(MOST);
    for (place, thing) in things.iter().take(n_shown).enumerate() {
        let across = x + CELL / 2.0 - 9.0 - super::places::number(n_shown - 1 - place) * 15.0;
        let up = y - CELL / 2.0 + 9.0;
        shapes.badge((across, up), thing, CHANGE);
    }
    if things.len() > MOST {
        shapes.words((x + CELL / 2.0 - 8.0, y - CELL / 2.0 + 29.0), 12.0, FAINT, "…");
    }
}
