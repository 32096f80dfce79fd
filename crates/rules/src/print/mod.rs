//! Printing: a theory as `.rules` text that parses and checks back to the same theory.
//!
//! In: a theory from any front end. Out: text, section by section: what there is, how it starts, what
//! may be done, what that changes, what follows, how it ends, how it is written. Invariant: printing
//! what was printed and parsed gives the same text.
//!
//! Read in this order: `domains`, `constants`, `declarations`, `notation`, `clauses`, `raise`,
//! `raise_exprs`, `variables`, which make a syntax tree, then `write`, `write_conditions`, `wrap`,
//! which make text. `clause_text` and `metarules` write
//! single clauses and what is said about clauses.

mod clause_text;
mod clauses;
mod constants;
mod declarations;
mod domains;
mod metarules;
mod notation;
mod raise;
mod raise_exprs;
mod variables;
mod wrap;
mod write;
mod write_conditions;

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
mod tests;

pub use clause_text::{atom_text, clause_text, condition_text, conditions_text, variable_names};
use domains::SortNames;
pub use metarules::metarule_text;

use crate::rules_text::ast::{ItemKind, Name};
use crate::theory::Theory;

/// The theory as `.rules` text.
///
/// ```
/// use rulesmith_rules::{NoFiles, Settings, parse, print};
/// let text = "rules 1. game one. role me. fluent done. move go.
///     legal me does go. effect go : done := true. terminal :- done. goal(me, 100) :- done.";
/// let theory = parse("one.rules", text, &Settings::default(), &NoFiles).theory.expect("no errors");
/// assert!(print(&theory).contains("effect go : done := true."));
/// ```
pub fn print(theory: &Theory) -> String {
    let sorts = SortNames::new(theory);
    let sections = sections(theory, &sorts);
    let sections = sections.iter().filter(|items| !items.is_empty());
    let mut texts: Vec<String> =
        sections.map(|items| items.iter().map(write::item_text).collect()).collect();
    texts.extend(metarules::blocks(theory));
    texts.join("\n")
}

/// The items of each section.
fn sections(theory: &Theory, sorts: &SortNames<'_>) -> Vec<Vec<ItemKind>> {
    let mut sections = vec![
        vec![ItemKind::Version(1), ItemKind::Game(name(&theory.name))],
        declarations::params(theory),
        declarations::data(theory, sorts),
        vec![declarations::roles(theory)],
        declarations::sorts(sorts),
    ];
    sections.extend(clauses::statics(theory, sorts));
    sections.extend([
        declarations::fluents(theory, sorts),
        declarations::moves(theory, sorts),
        clauses::init(theory, sorts),
        clauses::legal(theory, sorts),
        clauses::effects(theory, sorts),
        clauses::turns(theory, sorts),
    ]);
    sections.extend(joined(clauses::derived(theory, sorts)));
    sections.extend([
        clauses::ends(theory, sorts),
        clauses::targets(theory, sorts),
        clauses::objects(theory, sorts),
        notation::notation(theory, sorts),
    ]);
    sections
}

/// Neighbouring sections of one item each become one section.
fn joined(sections: Vec<Vec<ItemKind>>) -> Vec<Vec<ItemKind>> {
    let mut joined: Vec<Vec<ItemKind>> = Vec::new();
    let mut was_single = false;
    for section in sections {
        let is_single = section.len() == 1;
        match joined.last_mut().filter(|_| is_single && was_single) {
            Some(last) => last.extend(section),
            None => joined.push(section),
        }
        was_single = is_single;
    }
    joined
}

/// A name that stands nowhere in a text.
fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: rulesmith_logic::Span::default() }
}
