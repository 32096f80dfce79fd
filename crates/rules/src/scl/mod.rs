//! Chess-like games: `.scl` text to an [`SclGame`], and back.
//!
//! In: a text and what it includes. Out: a checked game, or all its problems at once.
//! Read in this order: `ast`, `ast_goals` and `ast_pieces` (the game), `words` and `lex` (tokens), `cursor` and `blocks` (steps, and how to
//! go on after a mistake), `parse` with `parse_goals`, `parse_piece`, `parse_movement`, `parse_phrases`
//! (the grammar), `check` with `check_names`, `check_board`, `check_pieces` and `symbols` (what the
//! grammar cannot say), `facts` with `facts_pieces`, `facts_goals`, `draw`, `hows` and `gaps` (a game for the general theory), `geometry` (its board, for those who look at it without playing), `places` (a game without them), `fen` (positions as people write them), `import` (variants of another program), `print` with `print_piece` (a game as text again).
//! Paper: metagamer §1.3. Invariant: no text panics, hangs, or asks for more memory than a multiple of its length.

mod ast;
mod ast_goals;
mod ast_pieces;
mod blocks;
mod check;
mod check_board;
mod check_names;
mod check_pieces;
mod cursor;
mod draw;
mod facts;
mod facts_goals;
mod facts_notation;
mod facts_pieces;
mod fen;
mod gaps;
mod geometry;
mod hows;
mod import;
mod lex;
mod owners;
mod parse;
mod parse_goals;
mod parse_movement;
mod parse_phrases;
mod parse_piece;
mod places;
mod print;
mod print_piece;
mod symbols;
mod words;

use rulesmith_logic::Span;

use self::cursor::Parser;
use self::parse::{Draft, parse_game, parse_pieces};
use crate::check::{NoFiles, Resolver, Settings, TextLimits, parse_unlinted};
use crate::prune::prune;
use crate::source::{Diagnostic, Diagnostics, Severity, Sources};
use crate::theory::Theory;

pub use self::ast::*;
pub use self::facts::{CHESS_LIKE, scl_rules};
pub use self::fen::{Fen, KindId, Man, Position};
pub use self::import::{Imported, import_bases, import_variants};
pub use self::print::print_scl;

/// Boards are at most so wide and so high; no step, hop or ride is longer.
pub const MAX_BOARD: i32 = 32;

/// The largest number of pieces, checks or repetitions that can be asked for.
pub const MAX_COUNT: i32 = MAX_BOARD * MAX_BOARD;

/// The largest number of turns that can be asked for.
pub const MAX_TURNS: i32 = 100_000;

/// How much a `.scl` text may ask for. Each limit is named in the message that reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SclLimits {
    /// Bytes of one text.
    pub text_bytes: usize,
    /// Goals inside goals.
    pub nesting: usize,
    /// Included texts.
    pub includes: usize,
    /// Kinds of pieces; there are 78 symbols.
    pub pieces: usize,
}

impl Default for SclLimits {
    fn default() -> Self {
        Self { text_bytes: 1 << 20, nesting: 16, includes: 64, pieces: symbols::N_SYMBOLS }
    }
}

/// Reads a `.scl` text: file number `file` of the sources, to which included texts are added.
/// `None` when errors were reported. Names that no `DEFINE` explains become pieces without powers.
///
/// ```
/// use rulesmith_rules::scl::{SclLimits, parse_scl, print_scl};
/// use rulesmith_rules::{Diagnostics, NoFiles, Sources};
/// let text = "GAME race GOALS arrive [{player} {runner}] AT {a5} BOARD_SIZE 3 BY 5 BOARD_TYPE planar
///     PROMOTE_RANK 5 SETUP runner AT {a1}
///     DEFINE runner MOVING MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT END MOVING END DEFINE END GAME.";
/// let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
/// let file = sources.add("race.scl", text);
/// let game = parse_scl(&mut sources, file, &NoFiles, &SclLimits::default(), &mut problems).unwrap();
/// assert_eq!(game.pieces[0].name.text, "runner");
/// assert!(print_scl(&game).starts_with("GAME race\n"));
/// ```
pub fn parse_scl(
    sources: &mut Sources,
    file: u32,
    resolver: &dyn Resolver,
    limits: &SclLimits,
    diagnostics: &mut Diagnostics,
) -> Option<SclGame> {
    let mut found = Diagnostics::default();
    let game = parse(sources, file, resolver, limits, &mut found);
    let has_errors = found.has_errors();
    found.list.sort_by_key(|problem| (problem.severity, problem.span));
    found.list.into_iter().for_each(|problem| diagnostics.report(problem));
    game.filter(|_| !has_errors)
}

/// The theory of a game: its facts and the general theory of the class, without what it does not use. Errors are
/// words that the theory does not know yet, and games too large to be stated.
pub fn scl_theory(
    game: &SclGame,
    file: &str,
    limits: TextLimits,
    diagnostics: &mut Diagnostics,
) -> Option<Theory> {
    let gaps = gaps::gaps(game);
    for gap in &gaps {
        // A game that no text says has no places.
        let span = if gap.span == Span::default() { game.name.span } else { gap.span };
        let message = format!("`{}` cannot be played", gap.word);
        let problem = Diagnostic::error("not-yet", span, message);
        diagnostics.report(problem.label("would have no effect").help(gap.help));
    }
    if !gaps.is_empty() {
        return None;
    }
    let settings = Settings { limits, ..Settings::default() };
    let name = format!("facts of {file}");
    let parsed = parse_unlinted(&name, &scl_rules(game), &settings, &NoFiles);
    for problem in parsed.diagnostics.list {
        if problem.severity == Severity::Error {
            let place = parsed.sources.locate(problem.span);
            let message = format!("{} ({place})", problem.message);
            diagnostics.report(Diagnostic::error(problem.code, game.name.span, message));
        }
    }
    let mut theory = parsed.theory?;
    prune(&mut theory);
    theory.notation.fen = Some(Fen::new(&draw::drawn(game)));
    Some(theory)
}

fn parse(
    sources: &mut Sources,
    file: u32,
    resolver: &dyn Resolver,
    limits: &SclLimits,
    diagnostics: &mut Diagnostics,
) -> Option<SclGame> {
    let source = sources.files.get(file as usize)?.clone();
    let mut draft = read(&source.text, file, parse_game, limits, diagnostics)?;
    let mut including = Including { sources, resolver, limits, diagnostics, n_included: 0 };
    including.include(&source.name, &mut draft);
    Some(check::check(draft, limits, diagnostics))
}

/// Reads one text as a game or as pieces.
fn read(
    text: &str,
    file: u32,
    as_what: fn(&mut Parser<'_>) -> Draft,
    limits: &SclLimits,
    diagnostics: &mut Diagnostics,
) -> Option<Draft> {
    if text.len() > limits.text_bytes.min(u32::MAX as usize) {
        let (length, limit) = (text.len(), limits.text_bytes);
        let message =
            format!("the text has {length} bytes, more than the limit `text-bytes` of {limit}");
        let problem = Diagnostic::error("limit", Span { file, start: 0, end: 0 }, message);
        diagnostics.report(problem.help("raise the limit `text-bytes`"));
        return None;
    }
    let lexemes = lex::lex(file, text, diagnostics);
    Some(as_what(&mut Parser::new(file, text, lexemes, limits.nesting, diagnostics)))
}

/// What is needed to read further texts.
struct Including<'a> {
    sources: &'a mut Sources,
    resolver: &'a dyn Resolver,
    limits: &'a SclLimits,
    diagnostics: &'a mut Diagnostics,
    n_included: usize,
}

impl Including<'_> {
    /// Puts the pieces of each included text in the place of its `INCLUDE`.
    fn include(&mut self, from: &str, draft: &mut Draft) {
        let (own, places) =
            (std::mem::take(&mut draft.game.pieces), std::mem::take(&mut draft.places.pieces));
        let mut own = own.into_iter().zip(places);
        let mut n_before = 0;
        for (before, path) in std::mem::take(&mut draft.includes) {
            for (piece, places) in own.by_ref().take(before - n_before) {
                draft.add_piece(piece, places);
            }
            n_before = before;
            let Some((file, name, text)) = self.find(from, &path) else { continue };
            let read = read(&text, file, parse_pieces, self.limits, self.diagnostics);
            let Some(mut pieces) = read else { continue };
            self.include(&name, &mut pieces);
            for (piece, places) in pieces.game.pieces.into_iter().zip(pieces.places.pieces) {
                draft.add_piece(piece, places);
            }
        }
        for (piece, places) in own {
            draft.add_piece(piece, places);
        }
    }

    /// The text that an `INCLUDE` names; no text is read twice.
    fn find(&mut self, from: &str, path: &Name) -> Option<(u32, String, String)> {
        if self.n_included >= self.limits.includes {
            let message = format!("the limit `includes` of {} was reached", self.limits.includes);
            self.report(path.span, "limit", message, "include fewer texts");
            return None;
        }
        match self.resolver.read(from, &path.text) {
            Ok((name, _)) if self.sources.files.iter().any(|file| file.name == name) => {
                let message = format!("`{name}` is included twice");
                self.report(
                    path.span,
                    "include",
                    message,
                    "include it once, where it is needed first",
                );
                None
            }
            Ok((name, text)) => {
                self.n_included += 1;
                Some((self.sources.add(name.clone(), text.clone()), name, text))
            }
            Err(why) => {
                let message = format!("cannot include `{}`: {why}", path.text);
                self.report(path.span, "include", message, "check the name of the file");
                None
            }
        }
    }

    fn report(&mut self, span: Span, code: &'static str, message: String, help: &str) {
        self.diagnostics.report(Diagnostic::error(code, span, message).help(help));
    }
}
