//! Tests of the parser: text in, text out.

mod forms;
mod mistakes;
mod show;
mod soup;

use super::{ParseLimits, parse_file};
use crate::source::{Diagnostics, Sources};

/// What the parser makes of a text: one line for each item, then one for each problem.
fn parsed(text: &str, limits: &ParseLimits) -> String {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let number = sources.add("test", text);
    let file = parse_file(number, text, limits, &mut diagnostics);
    let items = file.items.iter().map(|item| show::item(&item.kind) + "\n");
    let problems = diagnostics.list.iter().map(|diagnostic| show::problem(&sources, diagnostic));
    items.chain(problems).collect()
}
