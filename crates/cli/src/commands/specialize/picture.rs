//! The report of `specialize` as one picture: clauses, funnel, metarules, tree and costs.
//!
//! In: a report. Out: an SVG, or a page with it, that needs nothing else. The widths of lines and the
//! lengths of bars are success counts.

use rulesmith_player::{
    Agreement, Cost, MetaruleReport, ProcedureReport, SpecializeReport, TreeLine,
};

use super::graph;
use super::svg::{LETTER, Point, Style, Svg};
use crate::output::counted;
use crate::svg_text::escape;

use super::text::{KILLED, answers, funnel_rows, marked, measured_on, pieces, uses};

/// The width of the picture.
const WIDTH: f64 = 1200.0;
/// The empty edge.
const EDGE: f64 = 36.0;
/// Lines of code.
const LINE: f64 = 18.0;
/// Metarules that are drawn.
const METARULES: usize = 12;
/// Clauses that are drawn.
const CLAUSES: usize = 8;
/// Impossible clauses that are drawn.
const IMPOSSIBLE: usize = 4;
/// Lines of a tree that are drawn.
const TREE_LINES: usize = 80;
/// Clauses whose columns are drawn.
const COLUMNS: usize = 4;

/// The picture.
pub(super) fn picture(report: &SpecializeReport) -> String {
    let mut page = Page { svg: Svg::default(), y: EDGE };
    page.heading(report);
    for procedure in report.procedures.iter().filter(|one| one.is_asked_for) {
        page.clauses(procedure);
        page.funnel(procedure);
    }
    page.metarules(report);
    for procedure in report.procedures.iter().filter(|one| one.is_asked_for) {
        page.tree(procedure);
        if let Some(Ok(cost)) = &procedure.cost
            && (!cost.after.is_empty() || cost.agreement != Agreement::Same)
        {
            page.columns(cost);
        }
    }
    page.svg.finish((WIDTH, page.y + EDGE / 2.0))
}

/// A page with the picture.
pub(super) fn page(report: &SpecializeReport) -> String {
    let title = escape(&format!("{}: {}", report.game, report.request));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <style>body{{margin:0;background:#f5f7fb}}svg{{display:block;margin:0 auto;max-width:100%;height:auto}}</style>\n\
         </head><body>\n{}</body></html>\n",
        picture(report)
    )
}

struct Page {
    svg: Svg,
    y: f64,
}

impl Page {
    fn heading(&mut self, report: &SpecializeReport) {
        self.svg.text((EDGE, self.y + 20.0), Style::Title, &report.request);
        self.y += 46.0;
        let n_facts: usize = report.facts.iter().map(|(_, n)| n).sum();
        let mut words =
            format!("{} · {n_facts} static facts, digest {}", report.game, report.digest);
        if report.n_samples > 0 {
            words.push_str(" · ");
            words.push_str(&counted(report.n_samples, "sampled state"));
        }
        self.svg.text((EDGE, self.y), Style::Faint, &words);
        self.y += 18.0;
    }

    fn part(&mut self, title: &str, words: &str) {
        self.y += 38.0;
        self.svg.text((EDGE, self.y), Style::Heading, title);
        let indent = EDGE + 12.0 + 9.4 * number(title.chars().count());
        self.svg.text((indent, self.y), Style::Faint, words);
        self.y += 14.0;
    }

    /// Clauses before on the left, after on the right.
    fn clauses(&mut self, procedure: &ProcedureReport) {
        self.part("Clauses", &format!("of {}", procedure.title));
        let half = (WIDTH - 2.0 * EDGE - 20.0) / 2.0;
        let after: Vec<String> = procedure.after.iter().map(marked).collect();
        let top = self.y;
        let left = self.clause_list((EDGE, top), half, "as the rules say it", &procedure.before);
        let right = (EDGE + half + 20.0, top);
        let right = self.clause_list(right, half, "specialized", &after);
        self.y = left.max(right);
        self.impossible(procedure);
    }

    /// Clauses that can never hold, each with the metarule that says so.
    fn impossible(&mut self, procedure: &ProcedureReport) {
        if procedure.impossible.is_empty() {
            return;
        }
        let width = WIDTH - 2.0 * EDGE;
        let mut lines: Vec<(Style, String)> = Vec::new();
        for (clause, by) in procedure.impossible.iter().take(IMPOSSIBLE) {
            let code = wrap(clause, letters(width - 36.0)).into_iter();
            lines.extend(code.map(|line| (Style::Code, line)));
            lines.push((Style::Faint, format!("by {by}")));
        }
        let height = 40.0 + LINE * number(lines.len());
        self.y += 14.0;
        self.svg.card((EDGE, self.y), (width, height), "#e5484d");
        self.svg.text((EDGE + 18.0, self.y + 22.0), Style::Faint, "impossible, among others");
        for (at, (style, line)) in lines.iter().enumerate() {
            self.svg.text((EDGE + 18.0, self.y + 42.0 + LINE * number(at)), *style, line);
        }
        self.y += height;
    }

    fn clause_list(&mut self, (x, y): Point, width: f64, title: &str, clauses: &[String]) -> f64 {
        let n_letters = letters(width - 36.0);
        let shown = clauses.iter().take(CLAUSES).map(|clause| wrap(clause, n_letters));
        let mut lines: Vec<String> = shown.flatten().collect();
        if clauses.len() > CLAUSES {
            lines.push(format!("… {} more clauses", clauses.len() - CLAUSES));
        }
        if clauses.is_empty() {
            lines.push("no clause is left: it never holds".to_owned());
        }
        let height = 40.0 + LINE * number(lines.len());
        self.svg.card((x, y), (width, height), "#4f6bed");
        self.svg.text((x + 18.0, y + 22.0), Style::Faint, title);
        for (at, line) in lines.iter().enumerate() {
            self.svg.text((x + 18.0, y + 42.0 + LINE * number(at)), Style::Code, line);
        }
        y + height
    }

    fn funnel(&mut self, procedure: &ProcedureReport) {
        self.part("Funnel", "what became of the bodies that unfolding made");
        let rows = funnel_rows(&procedure.funnel);
        let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
        let room = WIDTH - 2.0 * EDGE - 290.0;
        for (name, count) in rows {
            let color = row_color(name);
            self.svg.text((EDGE, self.y + 14.0), Style::Words, name);
            self.svg.text((EDGE + 250.0, self.y + 14.0), Style::Number, &count.to_string());
            let width = (room * ratio(count, most)).max(if count > 0 { 3.0 } else { 0.0 });
            self.svg.rectangle((EDGE + 270.0, self.y + 2.0), (width, 15.0), color);
            self.y += 22.0;
        }
        for (name, why) in &procedure.kept {
            self.svg.text((EDGE, self.y + 14.0), Style::Faint, &format!("{name} is called: {why}"));
            self.y += 18.0;
        }
        for (bound, bodies) in &procedure.reached {
            let words = format!("bound `{bound}` reached by {bodies} bodies");
            self.svg.text((EDGE, self.y + 14.0), Style::Faint, &words);
            self.y += 18.0;
        }
        for (metarule, n_uses) in &procedure.declared {
            let words = format!("declared, not proved, of use {n_uses} times: {metarule}");
            let words = shorten(&words, letters(WIDTH - 2.0 * EDGE));
            self.svg.text((EDGE, self.y + 14.0), Style::Faint, &words);
            self.y += 18.0;
        }
    }

    fn metarules(&mut self, report: &SpecializeReport) {
        let used: Vec<&MetaruleReport> =
            report.metarules.iter().filter(|one| one.n_uses() > 0).collect();
        let words = format!("{} of {} were of use", used.len(), report.metarules.len());
        self.part("Metarules", &words);
        let width = (WIDTH - 2.0 * EDGE - 20.0) / 2.0;
        for pair in used.iter().take(METARULES).collect::<Vec<_>>().chunks(2) {
            let heights = pair
                .iter()
                .zip([EDGE, EDGE + width + 20.0])
                .map(|(metarule, x)| self.metarule((x, self.y), width, metarule));
            let heights: Vec<f64> = heights.collect();
            self.y += heights.into_iter().fold(0.0, f64::max) + 14.0;
        }
        if used.len() > METARULES {
            let more = format!("… {} more", used.len() - METARULES);
            self.svg.text((EDGE, self.y + 8.0), Style::Faint, &more);
            self.y += 18.0;
        }
        for (metarule, what) in &report.cut {
            let words = shorten(&format!("{what}: {metarule}"), letters(WIDTH - 2.0 * EDGE));
            self.svg.text((EDGE, self.y + 8.0), Style::Faint, &words);
            self.y += 18.0;
        }
    }

    fn metarule(&mut self, (x, y): Point, width: f64, metarule: &MetaruleReport) -> f64 {
        let (color, size) = (color(metarule.family), 124.0);
        let indent = if metarule.picture.is_some() { size + 26.0 } else { 18.0 };
        let code = wrap(&metarule.text, letters(width - indent - 16.0));
        let evidence = format!("{}; {}", metarule.evidence, metarule.derivation);
        let evidence = wrap(&evidence, letters((width - indent - 16.0) * 1.2));
        let n_lines = number(code.len()) * LINE + number(evidence.len()) * 16.0;
        let least = if metarule.picture.is_some() { size + 16.0 } else { 0.0 };
        let height = (n_lines + 56.0).max(least);
        self.svg.card((x, y), (width, height), color);
        if let Some(picture) = &metarule.picture {
            graph::draw(&mut self.svg, (x + 14.0, y + 8.0), size, picture, color);
        }
        let mut line = y + 24.0;
        for text in &code {
            self.svg.text((x + indent, line), Style::Code, text);
            line += LINE;
        }
        line += 4.0;
        let words = format!("{}: {}", metarule.family, uses(metarule));
        self.svg.text((x + indent, line), Style::Words, &words);
        for text in &evidence {
            line += 16.0;
            self.svg.text((x + indent, line), Style::Faint, text);
        }
        height
    }

    fn tree(&mut self, procedure: &ProcedureReport) {
        if procedure.tree.is_empty() {
            return;
        }
        self.part("Tree of conditions", "lines are as wide as conditions held often; held / tried");
        let most = procedure.tree.iter().map(|line| line.held).max().unwrap_or(0);
        let shown = &procedure.tree[..procedure.tree.len().min(TREE_LINES)];
        let height = 20.0 + 22.0 * number(shown.len());
        self.svg.card((EDGE, self.y), (WIDTH - 2.0 * EDGE, height), "#30a46c");
        let mut above: Vec<Point> = Vec::new();
        for line in shown {
            self.y += 22.0;
            above.truncate(line.depth);
            let place = (EDGE + 26.0 + 24.0 * number(line.depth.min(24)), self.y);
            if let Some(parent) = above.last() {
                let corner = (parent.0, place.1 - 4.0);
                let start = (parent.0, parent.1 + 2.0);
                let width = 1.0 + 8.0 * share_of_log(line.held, most);
                self.svg.line(&[start, corner, (place.0 - 6.0, place.1 - 4.0)], "#a8d8bd", width);
            }
            above.push(place);
        }
        self.y -= 22.0 * number(shown.len());
        for line in shown {
            self.y += 22.0;
            self.tree_line(line, most);
        }
        self.y += 20.0;
        if procedure.tree.len() > shown.len() {
            let more = format!("… {} more lines", procedure.tree.len() - shown.len());
            self.svg.text((EDGE, self.y + 12.0), Style::Faint, &more);
            self.y += 16.0;
        }
    }

    fn tree_line(&mut self, line: &TreeLine, most: u64) {
        let x = EDGE + 26.0 + 24.0 * number(line.depth.min(24));
        let color = if line.concludes.is_some() { "#4f6bed" } else { "#30a46c" };
        let radius = 3.0 + 4.0 * share_of_log(line.held, most);
        self.svg.circle((x, self.y - 4.0), radius, color);
        let arrow = if line.concludes.is_some() { "⇒ " } else { "" };
        let right = WIDTH - EDGE - 200.0;
        let text = shorten(&format!("{arrow}{}", line.text), letters(right - x - 24.0));
        self.svg.text((x + 14.0, self.y), Style::Code, &text);
        let counts = format!("{} / {}", line.held, line.tried);
        self.svg.text((WIDTH - EDGE - 16.0, self.y), Style::Number, &counts);
    }

    /// The two columns of the paper, with bars.
    fn columns(&mut self, cost: &Cost) {
        let (before, after) = (cost.total_before, cost.total_after);
        let words =
            format!("{before} before, {after} after ({}); {}", measured_on(cost), answers(cost));
        self.part("Successes of each condition", &words);
        let half = (WIDTH - 2.0 * EDGE - 20.0) / 2.0;
        let n_clauses = cost.before.len();
        for (number, (before, after)) in
            (1..).zip(cost.before.iter().zip(&cost.after)).take(COLUMNS)
        {
            let of = if n_clauses > 1 { format!(", clause {number}") } else { String::new() };
            let most = before.iter().chain(after).map(|(_, count)| *count).max().unwrap_or(1);
            let top = self.y;
            let left = self.column((EDGE, top), half, (&format!("before{of}"), before), most);
            let right = (EDGE + half + 20.0, top);
            let right = self.column(right, half, (&format!("after{of}"), after), most);
            self.y = left.max(right) + 14.0;
        }
        if n_clauses > COLUMNS {
            let more = format!("… {} more clauses", n_clauses - COLUMNS);
            self.svg.text((EDGE, self.y + 6.0), Style::Faint, &more);
            self.y += 16.0;
        }
    }

    fn column(
        &mut self,
        (x, y): Point,
        width: f64,
        (title, conditions): (&str, &[(String, u64)]),
        most: u64,
    ) -> f64 {
        let height = 74.0 + 22.0 * number(conditions.len());
        self.svg.card((x, y), (width, height), "#f5a524");
        self.svg.text((x + 18.0, y + 22.0), Style::Faint, title);
        let mut line = y + 46.0;
        for (text, count) in conditions {
            let bar = (width - 110.0) * ratio(*count, most.max(1));
            self.svg.rectangle((x + 12.0, line - 15.0), (bar, 19.0), "#fdecc8");
            let text = shorten(text, letters(width - 120.0));
            self.svg.text((x + 18.0, line), Style::Code, &text);
            self.svg.text((x + width - 16.0, line), Style::Number, &count.to_string());
            line += 22.0;
        }
        let sum: u64 = conditions.iter().map(|(_, count)| count).sum();
        self.svg.line(&[(x + 18.0, line - 14.0), (x + width - 16.0, line - 14.0)], "#98a2b3", 1.0);
        self.svg.text((x + 18.0, line + 6.0), Style::Words, "sum");
        self.svg.text((x + width - 16.0, line + 6.0), Style::Number, &sum.to_string());
        y + height
    }
}

/// The color of a row of the funnel.
fn row_color(name: &str) -> &'static str {
    match name {
        "generated" => "#4f6bed",
        "impossible" => "#e5484d",
        "monovalued (variables)" => "#f5a524",
        KILLED => "#8e4ec6",
        "kept" => "#30a46c",
        _ => "#98a2b3",
    }
}

/// The color of a family.
fn color(family: &str) -> &'static str {
    match family {
        "impossibility" => "#e5484d",
        "monovaluation" => "#f5a524",
        "useless" => "#4f6bed",
        "invariant" => "#30a46c",
        "declared" => "#8e4ec6",
        _ => "#98a2b3",
    }
}

/// Code in lines of so many letters, broken between conditions where possible.
fn wrap(text: &str, n_letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let pieces = if text.contains(":-") { pieces(text) } else { text.split(' ').collect() };
    for piece in pieces {
        let is_long = piece.chars().count() + 4 > n_letters;
        let words: Vec<&str> = if is_long { piece.split(' ').collect() } else { vec![piece] };
        for word in words {
            let length = line.chars().count() + 1 + word.chars().count();
            if !line.trim().is_empty() && length > n_letters {
                lines.push(std::mem::replace(&mut line, "    ".to_owned()));
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.push(line);
    lines
}

fn shorten(text: &str, n_letters: usize) -> String {
    if text.chars().count() <= n_letters {
        return text.to_owned();
    }
    let start: String = text.chars().take(n_letters.saturating_sub(1)).collect();
    start + "…"
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of letters in a room that is not negative"
)]
fn letters(room: f64) -> usize {
    (room.max(0.0) / LETTER) as usize
}

#[expect(clippy::cast_precision_loss, reason = "places in a picture")]
fn number(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "lengths in a picture")]
fn ratio(count: u64, most: u64) -> f64 {
    count as f64 / most as f64
}

/// The share of the most, on a scale on which every further digit counts the same.
#[expect(clippy::cast_precision_loss, reason = "widths in a picture")]
fn share_of_log(count: u64, most: u64) -> f64 {
    (count as f64).ln_1p() / (most.max(1) as f64).ln_1p()
}
