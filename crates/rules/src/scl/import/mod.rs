//! Import: variants as Fairy-Stockfish configures them, to texts of the language.
//!
//! In: a `variants.ini`. Out: for each variant the text of a game, or why it is refused, every reason with its place. Read in this order: `ini` (sections and keys), `inherit` (what a variant has from others),
//! `keys` (what there is), `betza` and `movement_text` (how pieces move), `variant` (keys with their types), `board`, `start`, `pieces`, `promotion` and
//! `goals` (the parts of a game). Variants to inherit from are in `bases.ini`. Invariant: nothing is guessed: a key that cannot be said refuses its variant.

mod betza;
mod board;
mod goals;
mod inherit;
mod ini;
mod keys;
mod movement_text;
mod pieces;
mod promotion;
mod start;
mod variant;

use self::inherit::{Known, inherited};
use self::ini::Entry;
use self::variant::Variant;
use super::{Fen, SclLimits, parse_scl};
use crate::check::NoFiles;
use crate::source::{Diagnostic, Diagnostics, Severity, Sources, nearest};

/// What can be inherited from without being in the text.
const BASES: &str = include_str!("bases.ini");

/// Whoever sees so many reasons against one variant needs no more of them.
const MAX_REASONS: usize = 50;

/// A variant of a text.
#[derive(Clone, Debug)]
pub struct Imported {
    /// As it is called in the text.
    pub name: String,
    /// The game; `None` if the variant is refused.
    pub text: Option<String>,
    /// Why it is refused.
    pub problems: Vec<Diagnostic>,
}

/// Reads the variants of a text: file number `file` of the sources. `ignored` keys are left out, as whoever asks for it wants it. Problems of lines
/// that belong to no variant are reported.
///
/// ```
/// use rulesmith_rules::scl::import_variants;
/// use rulesmith_rules::{Diagnostics, Sources};
/// let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
/// let file = sources.add("variants.ini", "[centaurking:chess]\nking = k:KN\n[duck:chess]\nduckGating = true\n");
/// let variants = import_variants(&sources, file, &[], &mut problems);
/// assert!(variants[0].text.as_ref().unwrap().starts_with("GAME centaurking\n"));
/// assert_eq!(variants[1].problems[0].message, "`duckGating = true` cannot be said");
/// ```
pub fn import_variants(
    sources: &Sources,
    file: u32,
    ignored: &[String],
    diagnostics: &mut Diagnostics,
) -> Vec<Imported> {
    let Some(source) = sources.files.get(file as usize) else { return vec![] };
    let sections = ini::read(file, &source.text, diagnostics);
    let bases = ini::read(u32::MAX, BASES, &mut Diagnostics::default());
    let known = Known::new(bases.iter().chain(&sections).collect());
    let places = bases.len()..known.sections.len();
    places.map(|place| import(place, &known, ignored)).collect()
}

/// The names of the variants that can be inherited from.
pub fn import_bases() -> Vec<String> {
    let bases = ini::read(0, BASES, &mut Diagnostics::default());
    bases.into_iter().map(|section| section.name).collect()
}

fn import(place: usize, known: &Known<'_>, ignored: &[String]) -> Imported {
    let mut problems = Diagnostics::default();
    let section = known.sections[place];
    let text = game_text(place, known, ignored, &mut problems);
    let is_refused = problems.has_errors();
    problems.list.sort_by_key(|problem| problem.span);
    let name = section.name.clone();
    Imported { name, text: text.filter(|_| !is_refused), problems: problems.list }
}

fn game_text(
    place: usize,
    known: &Known<'_>,
    ignored: &[String],
    problems: &mut Diagnostics,
) -> Option<String> {
    let keys = inherited(place, known, problems)?;
    let mut variant = Variant::new(known.sections[place], keys, problems);
    variant.keys.retain(|key, _| !ignored.contains(key));
    variant.check_keys();
    let text = variant.game_text()?;
    if variant.problems.has_errors() {
        return None;
    }
    variant.check_text(&text);
    Some(text)
}

impl Variant<'_> {
    /// Names every key that is unknown or cannot be said, as long as somebody might read it, and leaves them out.
    fn check_keys(&mut self) {
        let kind = |entry: &Entry| keys::kind(&entry.key, &entry.value);
        let is_wrong =
            |entry: &Entry| matches!(kind(entry), keys::Kind::Unsupported | keys::Kind::Unknown);
        let mut wrong: Vec<Entry> =
            self.keys.values().filter(|entry| is_wrong(entry)).cloned().collect();
        self.keys.retain(|_, entry| !is_wrong(entry));
        wrong.sort_by_key(|entry| entry.span);
        for entry in wrong.iter().take(MAX_REASONS) {
            let Entry { key, value, .. } = entry;
            if matches!(kind(entry), keys::Kind::Unsupported) {
                self.refuse(entry, format!("`{key} = {value}` cannot be said"), String::new());
                continue;
            }
            let near = nearest(key, keys::all());
            let help = near.map_or(String::new(), |near| format!("did you mean `{near}`?"));
            self.refuse(entry, format!("the key `{key}` is not known"), help);
        }
        if wrong.len() > MAX_REASONS {
            let n_more = wrong.len() - MAX_REASONS;
            let message = format!("{n_more} more keys are unknown or cannot be said");
            self.problems.report(Diagnostic::error("import", self.section.span, message));
        }
    }

    /// The text is a game, and its start is the one that was given.
    fn check_text(&mut self, text: &str) {
        let (mut sources, mut found) = (Sources::default(), Diagnostics::default());
        let file = sources.add("imported", text);
        let game = parse_scl(&mut sources, file, &NoFiles, &SclLimits::default(), &mut found);
        let errors = found.list.iter().filter(|problem| problem.severity == Severity::Error);
        for error in errors.take(1) {
            let message = format!("the language cannot say it: {}", error.message);
            self.problems.report(Diagnostic::error("import", self.section.span, message));
        }
        let Some(game) = game else { return };
        let start = self.start_entry();
        match Fen::new(&game).read(&self.start_text()) {
            Err(problems) => {
                for problem in problems.list {
                    self.refuse(
                        &start,
                        format!("the start cannot be read: {}", problem.message),
                        String::new(),
                    );
                }
            }
            Ok(position) if !Fen::new(&game).has_all_rights(&position) => {
                let message = "only some of the pieces that have not moved may castle".to_owned();
                self.refuse(&start, message, String::new());
            }
            Ok(_) => {}
        }
    }
}
