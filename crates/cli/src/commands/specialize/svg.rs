//! Drawing: rectangles, lines and texts that make up one picture.
//!
//! In: shapes and untrusted texts. Out: SVG. Invariant: the result is well-formed whatever the texts
//! say, and refers to nothing outside itself.

use std::fmt::Write as _;

use crate::svg_text::escape;

/// A picture in the making.
#[derive(Debug, Default)]
pub(super) struct Svg {
    shapes: String,
}

/// A place.
pub(super) type Point = (f64, f64);

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Large.
    Title,
    /// The heading of a part.
    Heading,
    /// Plain words.
    Words,
    /// Plain words that matter less.
    Faint,
    /// Conditions and clauses.
    Code,
    /// A number, its end at the place.
    Number,
    /// A sign, its middle at the place.
    Sign,
}

impl Style {
    fn class(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Heading => "heading",
            Self::Words => "words",
            Self::Faint => "faint",
            Self::Code => "code",
            Self::Number => "number",
            Self::Sign => "sign",
        }
    }
}

/// The look of the texts.
const LOOK: &str = "text{font-family:Inter,Segoe UI,Helvetica,Arial,sans-serif;fill:#1d2433;font-size:14px}\
.title{font-size:26px;font-weight:700}.heading{font-size:17px;font-weight:700}\
.faint{fill:#667085;font-size:12.5px}\
.code{font-family:ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,monospace;font-size:12.5px;white-space:pre}\
.number{font-family:ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,monospace;font-size:12.5px;text-anchor:end}\
.sign{font-size:13px;font-weight:600;text-anchor:middle}";

/// The width of a letter of code.
pub(super) const LETTER: f64 = 7.55;

impl Svg {
    /// A text whose line stands at this place.
    pub(super) fn text(&mut self, (x, y): Point, style: Style, text: &str) {
        let (class, text) = (style.class(), escape(text));
        self.push(format_args!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"));
    }

    /// A filled rectangle with round corners.
    pub(super) fn rectangle(&mut self, (x, y): Point, (width, height): Point, fill: &str) {
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\" fill=\"{fill}\"/>"
        ));
    }

    /// A card that things stand on.
    pub(super) fn card(&mut self, (x, y): Point, (width, height): Point, edge: &str) {
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d9dee8\"/>\
             <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"5\" height=\"{height:.1}\" rx=\"2\" fill=\"{edge}\"/>"
        ));
    }

    /// A line along points.
    pub(super) fn line(&mut self, points: &[Point], color: &str, width: f64) {
        self.path(&along(points), color, width, "");
    }

    /// A dashed line along points.
    pub(super) fn dashes(&mut self, points: &[Point], color: &str, width: f64) {
        self.path(&along(points), color, width, " stroke-dasharray=\"5 4\"");
    }

    /// An arrow along a path.
    pub(super) fn arrow(&mut self, path: &str, color: &str) {
        self.path(path, color, 1.8, " marker-end=\"url(#tip)\"");
    }

    /// A filled circle.
    pub(super) fn circle(&mut self, (x, y): Point, radius: f64, fill: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" stroke=\"#344054\"/>"
        ));
    }

    fn path(&mut self, path: &str, color: &str, width: f64, more: &str) {
        self.push(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width:.2}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{more}/>"
        ));
    }

    fn push(&mut self, shape: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.shapes.write_fmt(shape);
        self.shapes.push('\n');
    }

    /// The whole picture.
    pub(super) fn finish(self, (width, height): Point) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n\
             <style>{LOOK}</style>\n\
             <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto-start-reverse\">\
             <path d=\"M0,0 L8,4 L0,8 z\" fill=\"#344054\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#f5f7fb\"/>\n{}</svg>\n",
            self.shapes
        )
    }
}

fn along(points: &[Point]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let command = if at == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{command}{x:.1},{y:.1} ");
    }
    path
}
