//! Metarules as little graphs: variables are points, relations arrows, what follows a dashed line.
//!
//! In: the relations of a metarule. Out: shapes inside a square. Paper: metameta §3.1, where a triangle
//! on a grid is what never happens.

use std::f64::consts::{FRAC_PI_2, TAU};

use rulesmith_player::MetarulePicture;

use super::svg::{Point, Style, Svg};

/// The size of a point, and of one among many.
const RADIUS: f64 = 12.0;
const SMALL: f64 = 9.0;
/// So many points are many.
const MANY: usize = 7;
const INK: &str = "#344054";

/// Draws a graph into a square of this size; `color` is what follows drawn in.
pub(super) fn draw(
    svg: &mut Svg,
    corner: Point,
    size: f64,
    picture: &MetarulePicture,
    color: &str,
) {
    let places = places(corner, size, picture.points.len());
    for (number, (from, to, label)) in picture.arrows.iter().enumerate() {
        let twins = picture.arrows[..number].iter();
        let twins = twins.filter(|(a, b, _)| (a.min(b), a.max(b)) == (from.min(to), from.max(to)));
        let bend = [0.0, 22.0, -22.0, 40.0][twins.count().min(3)];
        if from == to {
            draw_loop(svg, places[*from]);
        } else {
            let label = if places.len() < MANY { label } else { "" };
            draw_arrow(svg, (places[*from], places[*to]), bend, radius(places.len()), label);
        }
    }
    match picture.said {
        Some((sign, left, right)) if left != right => {
            let bend = if picture
                .arrows
                .iter()
                .any(|(a, b, _)| (a.min(b), a.max(b)) == (&left.min(right), &left.max(right)))
            {
                24.0
            } else {
                0.0
            };
            let middle = bent(places[left], places[right], bend);
            svg.dashes(&[places[left], middle, places[right]], color, 2.4);
            svg.circle(middle, 9.5, "#ffffff");
            svg.text((middle.0, middle.1 + 4.5), Style::Sign, sign);
        }
        _ => {
            let middle = (corner.0 + size - 13.0, corner.1 + 15.0);
            svg.line(
                &[(middle.0 - 8.0, middle.1 - 8.0), (middle.0 + 8.0, middle.1 + 8.0)],
                color,
                3.5,
            );
            svg.line(
                &[(middle.0 - 8.0, middle.1 + 8.0), (middle.0 + 8.0, middle.1 - 8.0)],
                color,
                3.5,
            );
        }
    }
    for (place, name) in places.iter().zip(&picture.points) {
        svg.circle(*place, radius(places.len()), "#ffffff");
        svg.text((place.0, place.1 + 4.5), Style::Sign, name);
    }
}

fn radius(n_points: usize) -> f64 {
    if n_points < MANY { RADIUS } else { SMALL }
}

/// Points around a circle, the first on the left.
fn places((x, y): Point, size: f64, n_points: usize) -> Vec<Point> {
    let middle = (x + size / 2.0, y + size / 2.0);
    if n_points == 1 {
        return vec![(middle.0, middle.1 + 14.0)];
    }
    let radius = size / 2.0 - RADIUS - 6.0;
    let start = if n_points == 3 { -FRAC_PI_2 } else { FRAC_PI_2 * 2.0 };
    let place = |number: usize| {
        let share = f64::from(u32::try_from(number).unwrap_or(0))
            / f64::from(u32::try_from(n_points).unwrap_or(1));
        let angle = start + TAU * share;
        (middle.0 + radius * angle.cos(), middle.1 + radius * angle.sin())
    };
    (0..n_points).map(place).collect()
}

/// The middle of two places, moved sideways.
fn bent(from: Point, to: Point, bend: f64) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
    (middle.0 - dy / length * bend, middle.1 + dx / length * bend)
}

fn draw_arrow(svg: &mut Svg, (from, to): (Point, Point), bend: f64, radius: f64, label: &str) {
    let middle = bent(from, to, bend);
    let edge = |place: Point| {
        let (dx, dy) = (middle.0 - place.0, middle.1 - place.1);
        let length = dx.hypot(dy).max(1.0);
        (place.0 + dx / length * (radius + 1.5), place.1 + dy / length * (radius + 1.5))
    };
    let ((x1, y1), (x2, y2), (cx, cy)) = (edge(from), edge(to), bent(from, to, bend * 1.6));
    svg.arrow(&format!("M{x1:.1},{y1:.1} Q{cx:.1},{cy:.1} {x2:.1},{y2:.1}"), INK);
    if !label.is_empty() {
        let (x, y) = bent(from, to, bend + 11.0);
        svg.text((x, y + 4.0), Style::Sign, label);
    }
}

fn draw_loop(svg: &mut Svg, (x, y): Point) {
    let (x1, x2, top) = (x - 9.0, x + 9.0, y - 9.0);
    let high = y - 54.0;
    svg.arrow(
        &format!(
            "M{x1:.1},{top:.1} C{:.1},{high:.1} {:.1},{high:.1} {x2:.1},{top:.1}",
            x - 38.0,
            x + 38.0
        ),
        INK,
    );
}
