//! GDL-I, the game description language of general game playing: `.kif` text to a [`Theory`].
//!
//! In: a text. Out: a theory that plays the same game, and a map back to the author's terms.
//! Read in this order: `kif` (lists), `statement` (facts and rules), `restrictions` with `safety`
//! and `dependency` (what the definition forbids), `rule` (normal form), `shapes` (which terms can
//! stand where), `modes`, `demand` and `range` (what rules that are not safe are asked for),
//! `specialize` (no variable for a whole fluent or move), `reading`, `ground` and `join` (static
//! facts), `exclusion` with `contradiction`, `case` and `entailment` (which fluents are functions),
//! `arrangement` (values last), `frame`, `removal` and `effects` (what a step assigns), `sorts`,
//! `declare`, `flatten` and `build` (the theory), `map` (the way back).
//! Definition: Love, Hinrichs, Haley, Schkufza, Genesereth, *General Game Playing: Game Description
//! Language Specification*, Stanford Logic Group LG-2006-01, 2008.
//! Invariant: no name chosen by the author has a meaning here.

mod arrangement;
mod build;
mod case;
mod components;
mod conjunction;
mod contradiction;
mod declare;
mod demand;
mod dependency;
mod effects;
mod entailment;
mod exclusion;
mod flatten;
mod frame;
mod ground;
mod join;
mod keyword;
mod kif;
mod map;
mod modes;
mod names;
mod range;
mod reading;
mod removal;
mod restrictions;
mod rule;
mod safety;
mod shape_set;
mod shapes;
mod sorts;
mod specialize;
mod statement;

use rulesmith_logic::Symbols;

use self::build::{Parts, build};
use self::keyword::Keywords;
use crate::source::{Diagnostic, Diagnostics, Severity, Sources};
use crate::theory::Theory;

pub use self::map::{GdlMap, Kind, value_kif};

/// Reads a `.kif` text: file number `file` of the sources. `None` when errors were reported.
///
/// ```
/// use rulesmith_rules::gdl::{GdlLimits, parse_gdl};
/// use rulesmith_rules::{Diagnostics, Sources};
/// let text = "(role me) (init off) (<= (legal me press) (true off)) (<= (next on) (does me press))
///     (<= terminal (true on)) (<= (goal me 100) (true on))";
/// let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
/// let file = sources.add("switch.kif", text);
/// let (theory, map) = parse_gdl("switch", sources, file, &GdlLimits::default(), &mut problems).unwrap();
/// assert_eq!((theory.fluents.len(), theory.moves.len()), (2, 1));
/// assert_eq!(map.move_kif(&theory.symbols, theory.move_ids().next().unwrap(), &[]), "press");
/// ```
pub fn parse_gdl(
    name: &str,
    sources: Sources,
    file: u32,
    limits: &GdlLimits,
    diagnostics: &mut Diagnostics,
) -> Option<(Theory, GdlMap)> {
    let mut found = Diagnostics::default();
    let parsed = parse(name, sources, file, limits, &mut found);
    let has_errors = found.has_errors();
    found.list.sort_by_key(|problem| (problem.severity == Severity::Warning, problem.span));
    found.list.into_iter().for_each(|problem| diagnostics.report(problem));
    parsed.filter(|_| !has_errors)
}

fn parse(
    name: &str,
    sources: Sources,
    file: u32,
    limits: &GdlLimits,
    diagnostics: &mut Diagnostics,
) -> Option<(Theory, GdlMap)> {
    let text = &sources.files.get(file as usize)?.text;
    let expressions = kif::read(text, file, limits, diagnostics)?;
    let mut symbols = Symbols::default();
    let keywords = Keywords::new(&mut symbols);
    let mut statements =
        statement::read_statements(&expressions, &keywords, &mut symbols, limits, diagnostics);
    restrictions::check(&statements, &keywords, &symbols, diagnostics);
    restrictions::drop_ignored(&mut statements, &keywords, diagnostics);
    let is_unsafe = |problem: &Diagnostic| problem.code == safety::CODE;
    let mut errors = diagnostics.list.iter().filter(|problem| problem.severity == Severity::Error);
    if diagnostics.is_full() || errors.any(|problem| !is_unsafe(problem)) {
        return None;
    }
    let mut rules = rule::normalize(&statements, &keywords);
    demand::bind_open(&statements, &mut rules, &mut symbols, limits, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let mut specialized = specialize::specialize(&rules, &keywords, limits, diagnostics)?;
    specialized.drop_unread(&keywords);
    let shapes = specialized.shapes(limits, diagnostics)?;
    let facts = ground::StaticFacts::evaluate(&specialized.rules, &mut symbols);
    let proved = exclusion::find_values(&specialized, &shapes, &facts, &mut symbols);
    let parts =
        Parts { name, sources, symbols, specialized, shapes: &shapes, facts: &facts, proved };
    let (theory, map) = build(parts, diagnostics)?;
    Some((theory, GdlMap { letter_case: limits.letter_case, ..map }))
}

/// How much a `.kif` text may ask for. Each limit is named in the message that reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GdlLimits {
    /// Bytes of text.
    pub text: usize,
    /// Parentheses inside parentheses.
    pub nesting: usize,
    /// Variables of one rule.
    pub variables: usize,
    /// Conditions of one rule.
    pub conditions: usize,
    /// Rules, counting one copy for each kind of fluent or move that a variable may stand for.
    pub clause_copies: usize,
    /// Conditions looked at while finding out which terms can stand where.
    pub shape_steps: usize,
    /// Whether names that differ in their capitals are the same.
    pub letter_case: LetterCase,
}

impl Default for GdlLimits {
    fn default() -> Self {
        Self {
            text: 16_000_000,
            nesting: 200,
            variables: 2_000,
            conditions: 5_000,
            clause_copies: 100_000,
            shape_steps: 20_000_000,
            letter_case: LetterCase::default(),
        }
    }
}

/// What capitals mean in names. Keywords may be written either way under both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LetterCase {
    /// `A` and `a` are two names. The community's reference reasoner takes them so.
    #[default]
    Distinct,
    /// Nothing: all names are read in lower case.
    Folded,
}
