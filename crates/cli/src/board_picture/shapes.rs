//! How squares, pieces and marks look.
//!
//! In: places, colors and untrusted texts. Out: SVG shapes. The colors are told apart by people who see fewer of them, and
//! by brightness alone. Invariant: the result is well-formed whatever the texts say.

use std::fmt::{Arguments, Write as _};

use rulesmith_game::Thing;

use super::places::{CELL, Places, Point, TOP};
use crate::svg_text::escape;

/// Squares.
pub(super) const LIGHT: &str = "#f1f3f6";
/// Every other square.
pub(super) const DARK: &str = "#d5dbe3";
/// The square whose moves are shown.
pub(super) const HOLD: &str = "#f5dd6b";
/// Words and edges.
pub(super) const INK: &str = "#1d2433";
/// Words that matter less.
pub(super) const FAINT: &str = "#5b6577";
/// A move.
pub(super) const MOVE: &str = "#0067a5";
/// A capture.
pub(super) const TAKE: &str = "#c8500a";
/// A change.
pub(super) const CHANGE: &str = "#00795a";

/// Disc, edge and letter of what each role owns; further roles take the last.
const OWNED: [(&str, &str, &str); 4] = [
    ("#ffffff", "#1d2433", "#1d2433"),
    ("#2b3344", "#11151f", "#ffffff"),
    ("#e69f00", "#6b4a00", "#1d2433"),
    ("#56b4e9", "#1c5577", "#1d2433"),
];
/// What nobody owns.
const UNOWNED: (&str, &str, &str) = ("#aab3c0", "#5b6577", "#1d2433");

/// Shapes under way.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    pub(super) text: String,
}

impl Shapes {
    fn push(&mut self, shape: Arguments<'_>) {
        self.text.write_fmt(shape).expect("texts can be written to");
        self.text.push('\n');
    }

    /// What follows is shown with a name when it is pointed at.
    pub(super) fn titled(&mut self, title: &str) {
        self.push(format_args!("<g><title>{}</title>", escape(title)));
    }

    pub(super) fn end_titled(&mut self) {
        self.push(format_args!("</g>"));
    }

    pub(super) fn square(&mut self, (x, y): Point, fill: &str) {
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\"/>"
        ));
    }

    pub(super) fn words(&mut self, (x, y): Point, size: f64, color: &str, words: &str) {
        let words = escape(words);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\" fill=\"{color}\">{words}</text>"
        ));
    }

    /// A thing in the middle of a square of that size: a disc in its owner's color, with its letters.
    pub(super) fn thing(&mut self, (x, y): Point, size: f64, thing: &Thing) {
        let letters = letters(thing);
        let (fill, edge, ink) = match thing.owner {
            Some(role) => OWNED[role.0.min(OWNED.len() - 1)],
            None => UNOWNED,
        };
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"{:.1}\"/>",
            size * 0.36,
            size * 0.04
        ));
        let n_letters = letters.chars().count();
        if n_letters > 0 {
            let height = size * [0.44, 0.34, 0.26][n_letters.clamp(1, 3) - 1];
            let letters = escape(&letters);
            self.push(format_args!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"{height:.1}\" font-weight=\"bold\" fill=\"{ink}\">{letters}</text>",
                y + height * 0.36
            ));
        }
    }

    /// A small thing with an edge in a color.
    pub(super) fn badge(&mut self, (x, y): Point, thing: &Thing, edge: &str) {
        self.push(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"10\" fill=\"{edge}\"/>"));
        self.thing((x, y), CELL * 0.46, thing);
    }

    /// A filled dot.
    pub(super) fn dot(&mut self, (x, y): Point, color: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7.5\" fill=\"{color}\" stroke=\"#ffffff\" stroke-width=\"1.5\"/>"
        ));
    }

    /// A ring around a piece.
    pub(super) fn ring(&mut self, (x, y): Point, color: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"21.5\" fill=\"none\" stroke=\"{color}\" stroke-width=\"3.5\"/>"
        ));
    }

    /// A cross over what is taken.
    pub(super) fn cross(&mut self, (x, y): Point) {
        let (left, right, top, bottom) = (x - 11.0, x + 11.0, y - 11.0, y + 11.0);
        let path = format!(
            "M{left:.1},{top:.1} L{right:.1},{bottom:.1} M{right:.1},{top:.1} L{left:.1},{bottom:.1}"
        );
        // A light edge keeps it legible on dark and on light pieces.
        for (color, width) in [("#ffffff", 7.0), (TAKE, 4.0)] {
            self.push(format_args!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width:.1}\" stroke-linecap=\"round\"/>"
            ));
        }
    }

    /// Where something comes onto the board: a plus.
    pub(super) fn plus(&mut self, (x, y): Point) {
        self.push(format_args!(
            "<path d=\"M{:.1},{y:.1} H{:.1} M{x:.1},{:.1} V{:.1}\" fill=\"none\" stroke=\"{MOVE}\" stroke-width=\"4\" stroke-linecap=\"round\"/>",
            x - 8.0,
            x + 8.0,
            y - 8.0,
            y + 8.0
        ));
    }

    /// A line along points, with an arrow's head at its end.
    pub(super) fn arrow(&mut self, points: &[Point], color: &str) {
        let Some((&(x, y), before)) = points.split_last() else { return };
        let Some(&(from_x, from_y)) = before.last() else { return };
        let length = (x - from_x).hypot(y - from_y).max(1.0);
        let (ahead_x, ahead_y) = ((x - from_x) / length, (y - from_y) / length);
        let back = |by: f64, aside: f64| {
            (x - ahead_x * by - ahead_y * aside, y - ahead_y * by + ahead_x * aside)
        };
        let (left, right, neck) = (back(20.0, 7.0), back(20.0, -7.0), back(16.0, 0.0));
        let tip = back(7.0, 0.0);
        let mut line = before.to_vec();
        line.push(neck);
        line[0] = off_disc(line[0], line[1]);
        self.line(&line, color, "");
        self.push(format_args!(
            "<path d=\"M{:.1},{:.1} L{:.1},{:.1} L{:.1},{:.1} Z\" fill=\"{color}\"/>",
            tip.0, tip.1, left.0, left.1, right.0, right.1
        ));
    }

    /// A line along points.
    pub(super) fn line(&mut self, points: &[Point], color: &str, more: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"3.5\" stroke-linejoin=\"round\" stroke-linecap=\"round\" opacity=\"0.75\"{more}/>",
            points.join(" ")
        ));
    }

    /// The edges of a board that meet: broken lines, and an arrow outwards at each.
    pub(super) fn seams(&mut self, places: &Places) {
        let (left, _) = places.middle_of(0, 0);
        let (right, bottom) = places.board_end();
        let left = left - CELL / 2.0;
        let middle = f64::midpoint(TOP, bottom);
        for (x, out) in [(left, -1.0), (right, 1.0)] {
            self.push(format_args!(
                "<path d=\"M{x:.1},{TOP:.1} V{bottom:.1}\" stroke=\"{MOVE}\" stroke-width=\"3\" stroke-dasharray=\"6 5\"/>"
            ));
            // Between two rows, where no label stands.
            let y = if places.n_rows.is_multiple_of(2) { middle } else { middle - CELL / 2.0 };
            let (near, far) = (x + out * 5.0, x + out * 15.0);
            self.push(format_args!(
                "<path d=\"M{near:.1},{:.1} L{far:.1},{y:.1} L{near:.1},{:.1}\" fill=\"none\" stroke=\"{MOVE}\" stroke-width=\"3\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
                y - 8.0,
                y + 8.0
            ));
        }
    }
}

/// Where a line leaves the disc that it starts on.
fn off_disc((x, y): Point, (to_x, to_y): Point) -> Point {
    let length = (to_x - x).hypot(to_y - y).max(1.0);
    let share = (CELL * 0.40 / length).min(1.0);
    (x + (to_x - x) * share, y + (to_y - y) * share)
}

/// The letters on a thing: capitals where the color says whose it is; a glyph without letters is only a disc.
fn letters(thing: &Thing) -> String {
    if !thing.glyph.chars().any(char::is_alphanumeric) && thing.owner.is_some() {
        return String::new();
    }
    if thing.owner.is_some() && !thing.kind.is_empty() {
        return thing.glyph.to_uppercase();
    }
    if thing.owner.is_some() { String::new() } else { thing.glyph.clone() }
}
