//! The `.rules` language: text to a syntax tree.
//!
//! In: a text. Out: its items, and all its syntax errors in one go. The grammar is `docs/language.md`.
//! Invariant: any text is answered, without panic and in time linear in its length; what is nested
//! deeper than [`ParseLimits::nesting`] is a problem, never a stack overflow.
//!
//! Read in this order: `ast`, `lex`, `mistakes`, `parse` and its parts `parse_items`,
//! `parse_declarations`, `parse_notation`, `parse_conditions`, `parse_exprs`, `parse_sorts`,
//! `parse_subjects`, `parse_meta`, `cursor`, `messages`.

pub(crate) mod ast;
mod cursor;
mod lex;
mod messages;
mod mistakes;
mod parse;
mod parse_conditions;
mod parse_declarations;
mod parse_exprs;
mod parse_items;
mod parse_meta;
mod parse_notation;
mod parse_sorts;
mod parse_subjects;
mod strings;

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
mod tests;

pub(crate) use parse_subjects::parse_request_text;

use crate::source::{Diagnostic, Diagnostics};
use rulesmith_logic::Span;

/// How much a text may ask of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// How deep parentheses, operators and negations may be nested.
    pub nesting: usize,
    /// How long one text may be.
    pub text_bytes: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self { nesting: 64, text_bytes: 8 << 20 }
    }
}

/// The items of a text. Items with syntax errors are left out and reported.
pub(crate) fn parse_file(
    file: u32,
    text: &str,
    limits: &ParseLimits,
    diagnostics: &mut Diagnostics,
) -> ast::File {
    if text.len() > limits.text_bytes.min(u32::MAX as usize) {
        diagnostics.report(too_long(file, text, limits));
        return ast::File::default();
    }
    let n_known = diagnostics.list.len();
    let tokens = lex::lex(file, text, diagnostics);
    let parser = cursor::Parser::new(file, text, tokens, limits.nesting, diagnostics);
    let parsed = parse::parse(parser);
    diagnostics.list[n_known..].sort_by_key(|diagnostic| diagnostic.span);
    parsed
}

fn too_long(file: u32, text: &str, limits: &ParseLimits) -> Diagnostic {
    let (length, limit) = (text.len(), limits.text_bytes);
    let message =
        format!("the text has {length} bytes, more than the limit `text-bytes` of {limit}");
    Diagnostic::error("limit", Span { file, start: 0, end: 0 }, message)
        .label("the text starts here")
}
