//! Import: variants as Fairy-Stockfish configures them, to texts of the language.
//!
//! In: a `variants.ini`. Out: for each variant the text of a game, or why it is refused, every reason with its place. Read in this order: `ini` (sections and keys),
//! `keys` (what there is), `betza` and `movement_text` (how pieces move), `variant` (keys with their types), `board`, `pieces` and
//! `goals` (the parts of a game). Variants to inherit from are in `bases.ini`. Invariant: nothing is guessed: a key that cannot be said refuses its variant.

mod betza;
mod board;
mod goals;
mod ini;
mod keys;
mod movement_text;
mod pieces;
mod variant;

use std::collections::BTreeMap;

use self::ini::{Entry, Section};
use self::variant::Variant;
use super::{Fen, SclLimits, parse_scl};
use crate::check::NoFiles;
use crate::source::{Diagnostic, Diagnostics, Severity, Sources, nearest};

/// What can be inherited from without being in the text.
const BASES: &str = include_str!("bases.ini");

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
    let known: Vec<&Section> = bases.iter().chain(&sections).collect();
    sections.iter().map(|section| import(section, &known, ignored)).collect()
}

/// The names of the variants that can be inherited from.
pub fn import_bases() -> Vec<String> {
    let bases = ini::read(0, BASES, &mut Diagnostics::default());
    bases.into_iter().map(|section| section.name).collect()
}

fn import(section: &Section, known: &[&Section], ignored: &[String]) -> Imported {
    let mut problems = Diagnostics::default();
    let text = game_text(section, known, ignored, &mut problems);
    let is_refused = problems.has_errors();
    problems.list.sort_by_key(|problem| problem.span);
    let name = section.name.clone();
    Imported { name, text: text.filter(|_| !is_refused), problems: problems.list }
}

fn game_text(
    section: &Section,
    known: &[&Section],
    ignored: &[String],
    problems: &mut Diagnostics,
) -> Option<String> {
    let keys = inherited(section, known, problems)?;
    let mut variant = Variant::new(section, keys, problems);
    variant.keys.retain(|key, _| !ignored.contains(key));
    variant.check_keys();
    let text = variant.game_text()?;
    if variant.problems.has_errors() {
        return None;
    }
    variant.check_text(&text);
    Some(text)
}

/// The keys of a variant with all it inherits; later ones count.
fn inherited(
    section: &Section,
    known: &[&Section],
    problems: &mut Diagnostics,
) -> Option<BTreeMap<String, Entry>> {
    let mut chain = vec![section];
    let mut first = section;
    while let Some(base) = &first.base {
        // What stands before it counts, as in the program that reads such texts.
        let before = known.iter().position(|one| std::ptr::eq(*one, first)).unwrap_or(known.len());
        let Some(found) = known[..before].iter().rev().find(|one| one.name == *base) else {
            let message = format!("there is no variant `{base}` to inherit from");
            let problem = Diagnostic::error("unknown-variant", section.span, message);
            let names = known.iter().map(|one| one.name.as_str());
            problems.report(match nearest(base, names) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("these are known: {}", import_bases().join(", "))),
            });
            return None;
        };
        chain.push(found);
        first = found;
    }
    let mut keys: BTreeMap<String, Entry> = BTreeMap::new();
    let mut order = 0;
    for one in chain.iter().rev() {
        for entry in &one.entries {
            order += 1;
            let span = if one.span.file == section.span.file { entry.span } else { section.span };
            keys.insert(entry.key.clone(), Entry { span, order, ..entry.clone() });
        }
        name_letters(&mut keys, &one.name);
    }
    Some(keys)
}

/// Finds the pieces that the letters of a section name there.
fn name_letters(keys: &mut BTreeMap<String, Entry>, section: &str) {
    let kinds = variant::kinds(keys);
    let own = keys
        .values_mut()
        .filter(|entry| entry.section == section && keys::LETTERS.contains(&entry.key.as_str()));
    for entry in own {
        let letters = entry.value.chars().filter(|letter| !" \t:-*".contains(*letter));
        let named = letters.map(|letter| {
            let capital = letter.to_ascii_uppercase();
            let kind = kinds.iter().find(|kind| kind.letter == capital);
            kind.map(|kind| kind.key.clone()).ok_or(letter)
        });
        entry.named = named.collect();
    }
}

impl Variant<'_> {
    /// Names every key that is unknown or cannot be said.
    fn check_keys(&mut self) {
        for entry in self.keys.clone().into_values() {
            let Entry { key, value, .. } = &entry;
            match keys::kind(key, value) {
                keys::Kind::Piece | keys::Kind::Fine => {}
                keys::Kind::Unsupported => {
                    self.refuse(&entry, format!("`{key} = {value}` cannot be said"), String::new());
                }
                keys::Kind::Unknown => {
                    let near = nearest(key, keys::all());
                    let help = near.map_or(String::new(), |near| format!("did you mean `{near}`?"));
                    self.refuse(&entry, format!("the key `{key}` is not known"), help);
                }
            }
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
        match Fen::new(&game).read(&start.value) {
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
