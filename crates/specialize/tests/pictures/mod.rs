//! Pictures of series of numbers, as SVG.
//!
//! In: panels of lines. Out: the text of a picture with axes, grid and labels. Invariant: the same
//! numbers give the same bytes.

use std::fmt::Write as _;

/// How values become heights.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    Linear,
    /// Decades.
    Logarithmic,
}

/// A picture: panels side by side with one vertical axis.
pub(crate) struct Picture {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) vertical: String,
    pub(crate) horizontal: String,
    pub(crate) scale: Scale,
    /// The highest value of the vertical axis; a power of ten on a logarithmic one.
    pub(crate) highest: f64,
    /// The values with a line across.
    pub(crate) marks: Vec<f64>,
    pub(crate) panels: Vec<Panel>,
    pub(crate) source: String,
}

pub(crate) struct Panel {
    pub(crate) title: String,
    /// The last number of the horizontal axis, which starts at 0.
    pub(crate) last: usize,
    /// One number of so many is written below.
    pub(crate) stride: usize,
    pub(crate) lines: Vec<Line>,
}

pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) color: &'static str,
    pub(crate) is_dashed: bool,
    /// Points, and what is written at them.
    pub(crate) points: Vec<(usize, f64, String)>,
    /// Is the writing above the points?
    pub(crate) is_above: bool,
}

const LEFT: f64 = 86.0;
const RIGHT: f64 = 34.0;
const TOP: f64 = 108.0;
const BOTTOM: f64 = 78.0;
const GAP: f64 = 26.0;
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 480.0;
/// Room at the left and the right of the points of a panel.
const MARGIN: f64 = 34.0;
const INK: &str = "#1c2430";
const PALE: &str = "#5d6775";

impl Picture {
    pub(crate) fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
             font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n\
             <title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n",
            escaped(&self.title)
        );
        let words = Words { size: 17.0, color: INK, anchor: "start", is_bold: true };
        svg += &words.at(24.0, 32.0, &self.title);
        let small = Words { size: 12.5, color: PALE, anchor: "start", is_bold: false };
        svg += &small.at(24.0, 52.0, &self.subtitle);
        svg += &self.key();
        svg += &self.vertical_axis();
        for (place, panel) in self.panels.iter().enumerate() {
            svg += &self.panel(place, panel);
        }
        let middle = Words { anchor: "middle", ..small };
        svg += &middle.at(f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 34.0, &self.horizontal);
        svg += &Words { size: 11.0, ..small }.at(24.0, HEIGHT - 10.0, &self.source);
        svg + "</svg>\n"
    }

    /// What the colors mean.
    fn key(&self) -> String {
        let (mut svg, mut x) = (String::new(), LEFT);
        for line in self.panels.first().map_or(&[][..], |panel| &panel.lines[..]) {
            svg += &stroke(&[(x, 74.0), (x + 26.0, 74.0)], line.color, 2.2, line.is_dashed);
            if !line.is_dashed {
                svg += &dot(x + 13.0, 74.0, line.color);
            }
            let words = Words { size: 12.5, color: INK, anchor: "start", is_bold: false };
            svg += &words.at(x + 33.0, 78.0, &line.name);
            x += 62.0 + 6.4 * number(line.name.chars().count());
        }
        svg
    }

    fn vertical_axis(&self) -> String {
        let mut svg = String::new();
        for mark in &self.marks {
            let y = self.y(*mark);
            svg += &stroke(&[(LEFT, y), (WIDTH - RIGHT, y)], "#e3e7ec", 1.0, false);
            let words = Words { size: 12.0, color: PALE, anchor: "end", is_bold: false };
            svg += &match self.scale {
                Scale::Logarithmic if *mark >= 1000.0 => {
                    words.power(LEFT - 9.0, y + 4.0, mark.log10())
                }
                _ => words.at(LEFT - 9.0, y + 4.0, &grouped(*mark)),
            };
        }
        let y = f64::midpoint(TOP, HEIGHT - BOTTOM);
        writeln!(
            svg,
            "<text transform=\"translate(24 {y:.1}) rotate(-90)\" font-size=\"12.5\" \
             fill=\"{PALE}\" text-anchor=\"middle\">{}</text>",
            escaped(&self.vertical)
        )
        .unwrap();
        svg
    }

    fn panel(&self, place: usize, panel: &Panel) -> String {
        let n_panels = number(self.panels.len());
        let width = (WIDTH - LEFT - RIGHT - GAP * (n_panels - 1.0)) / n_panels;
        let left = LEFT + number(place) * (width + GAP);
        let x = |at: usize| {
            left + MARGIN + (width - 2.0 * MARGIN) * number(at) / number(panel.last.max(1))
        };
        let floor = HEIGHT - BOTTOM;
        let mut svg = stroke(&[(left, floor), (left + width, floor)], INK, 1.2, false);
        let words = Words { size: 13.0, color: INK, anchor: "middle", is_bold: true };
        svg += &words.at(left + width / 2.0, TOP - 8.0, &panel.title);
        for at in (0..=panel.last).step_by(panel.stride) {
            svg += &stroke(&[(x(at), floor), (x(at), floor + 5.0)], INK, 1.2, false);
            let words = Words { size: 12.0, color: PALE, is_bold: false, ..words };
            svg += &words.at(x(at), floor + 20.0, &at.to_string());
        }
        for line in &panel.lines {
            let points: Vec<(f64, f64)> =
                line.points.iter().map(|(at, value, _)| (x(*at), self.y(*value))).collect();
            svg += &stroke(&points, line.color, 2.2, line.is_dashed);
            for ((px, py), (_, _, label)) in points.iter().zip(&line.points) {
                if !line.is_dashed {
                    svg += &dot(*px, *py, line.color);
                }
                let words = Words { size: 12.0, color: line.color, ..words };
                svg += &if line.is_above {
                    let anchor = if *px < left + 2.0 * MARGIN { "start" } else { "end" };
                    let aside = if anchor == "end" { -9.0 } else { 0.0 };
                    Words { anchor, ..words }.at(px + aside, py - 10.0, label)
                } else {
                    words.at(*px, py + 19.0, label)
                };
            }
        }
        svg
    }

    fn y(&self, value: f64) -> f64 {
        // On a logarithmic scale the floor is not zero: what is written below a one needs room.
        let (share, room) = match self.scale {
            Scale::Linear => (value / self.highest, 0.0),
            Scale::Logarithmic => (value.max(1.0).log10() / self.highest.log10(), 30.0),
        };
        HEIGHT - BOTTOM - room - share * (HEIGHT - BOTTOM - TOP - 14.0 - room)
    }
}

#[derive(Clone, Copy)]
struct Words<'w> {
    size: f64,
    color: &'w str,
    anchor: &'w str,
    is_bold: bool,
}

impl Words<'_> {
    fn at(&self, x: f64, y: f64, text: &str) -> String {
        if text.is_empty() { String::new() } else { self.element(x, y, &escaped(text)) }
    }

    /// A power of ten.
    fn power(&self, x: f64, y: f64, exponent: f64) -> String {
        let small = self.size * 0.75;
        let inner = format!("10<tspan dy=\"-4.5\" font-size=\"{small:.1}\">{exponent:.0}</tspan>");
        self.element(x, y, &inner)
    }

    fn element(&self, x: f64, y: f64, inner: &str) -> String {
        let weight = if self.is_bold { " font-weight=\"600\"" } else { "" };
        let Self { size, color, anchor, .. } = self;
        format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{color}\" \
             text-anchor=\"{anchor}\"{weight}>{inner}</text>\n"
        )
    }
}

fn stroke(points: &[(f64, f64)], color: &str, width: f64, is_dashed: bool) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dashes = if is_dashed { " stroke-dasharray=\"6 5\"" } else { "" };
    format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes}/>\n",
        points.join(" ")
    )
}

fn dot(x: f64, y: f64, color: &str) -> String {
    format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.2\" fill=\"{color}\" stroke=\"#ffffff\" \
         stroke-width=\"1.4\"/>\n"
    )
}

/// A count as people write it: with commas, or with a power of ten when it is long.
pub(crate) fn grouped(count: f64) -> String {
    if count >= 1e9 {
        let exponent = count.log10().floor();
        let superscript: String = format!("{exponent:.0}").chars().map(raised).collect();
        return format!("{:.1}·10{superscript}", count / 10_f64.powf(exponent));
    }
    let digits = format!("{count:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn raised(digit: char) -> char {
    "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).map_or(0, |digit| digit as usize)).unwrap_or(digit)
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
