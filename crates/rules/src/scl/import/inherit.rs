//! What a variant has from others: its keys with all it inherits.
//!
//! In: all sections of a text and the variants that are built in. Out: the keys of one variant. A key of an heir replaces the inherited one, but pairs of
//! `promotedPieceType` are added to those that are there, and who takes a letter takes it for good. Invariant: letters mean the
//! pieces that have them where the key stands.

use std::collections::BTreeMap;

use super::import_bases;
use super::ini::{Entry, Section};
use super::keys::{self, is_piece};
use super::variant::{Kind, kinds};
use crate::source::{Diagnostic, Diagnostics, nearest};

/// No honest variant is the heir of so many others, one after the other.
const MAX_DEPTH: usize = 100;

/// Among so many names is looked for what was probably meant.
const MAX_NAMES: usize = 1000;

/// A key that says which pieces turn into which.
const PAIRS: &str = "promotedPieceType";

/// The piece of a letter, or the letter of nobody.
type Named = Result<String, char>;

/// All sections, those that are built in first.
#[derive(Debug)]
pub(super) struct Known<'s> {
    pub(super) sections: Vec<&'s Section>,
    /// Where the first section of each name is.
    first: BTreeMap<&'s str, usize>,
}

impl<'s> Known<'s> {
    pub(super) fn new(sections: Vec<&'s Section>) -> Self {
        let mut first = BTreeMap::new();
        for (place, section) in sections.iter().enumerate() {
            first.entry(section.name.as_str()).or_insert(place);
        }
        Self { sections, first }
    }
}

/// The keys of a variant with all it inherits; later ones count.
pub(super) fn inherited(
    place: usize,
    known: &Known<'_>,
    problems: &mut Diagnostics,
) -> Option<BTreeMap<String, Entry>> {
    let section = known.sections[place];
    if known.first.get(section.name.as_str()) != Some(&place) {
        let message =
            format!("there is a variant `{}` already, and the first counts", section.name);
        problems.report(Diagnostic::error("import", section.span, message));
        return None;
    }
    let chain = chain(place, known, problems)?;
    let mut keys: BTreeMap<String, Entry> = BTreeMap::new();
    for one in chain.iter().rev() {
        if one.is_broken {
            let message = format!("a line of `{}` cannot be read", one.name);
            problems.report(Diagnostic::error("import", section.span, message));
            return None;
        }
        let is_here = one.span.file == section.span.file;
        let place = |entry: &Entry| Entry {
            span: if is_here { entry.span } else { section.span },
            ..entry.clone()
        };
        let own: BTreeMap<String, Entry> =
            one.entries.iter().map(|entry| (entry.key.clone(), place(entry))).collect();
        add_pieces(&mut keys, &own);
        let pairs = keys.get(PAIRS).map_or(vec![], |entry| entry.named.clone());
        keys.extend(own);
        name_letters(&mut keys, &one.name, &pairs);
    }
    Some(keys)
}

/// A variant, the one it inherits from, the one that that one inherits from, ..
fn chain<'s>(
    place: usize,
    known: &Known<'s>,
    problems: &mut Diagnostics,
) -> Option<Vec<&'s Section>> {
    let section = known.sections[place];
    let mut chain = vec![section];
    let mut heir = place;
    while let Some(base) = &known.sections[heir].base {
        // What stands before it counts, as in the program that reads such texts.
        let Some(found) = known.first.get(base.as_str()).copied().filter(|found| *found < heir)
        else {
            let message = format!("there is no variant `{base}` to inherit from");
            let problem = Diagnostic::error("unknown-variant", section.span, message);
            let before = &known.sections[..heir];
            let names = before.iter().map(|one| one.name.as_str()).take(MAX_NAMES);
            problems.report(match nearest(base, names) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("these are known: {}", import_bases().join(", "))),
            });
            return None;
        };
        if chain.len() > MAX_DEPTH {
            let message = format!("it inherits through more than {MAX_DEPTH} variants");
            problems.report(Diagnostic::error("import", section.span, message));
            return None;
        }
        chain.push(known.sections[found]);
        heir = found;
    }
    Some(chain)
}

/// Adds the pieces of a section in the order of their types, which is not that of its lines. Who takes a letter, even the own one again, takes its former
/// owner out of the pieces that pawns become.
fn add_pieces(keys: &mut BTreeMap<String, Entry>, own: &BTreeMap<String, Entry>) {
    let mut pieces: Vec<&Entry> = own.values().filter(|entry| is_piece(&entry.key)).collect();
    pieces.sort_by_key(|entry| keys::place(&entry.key));
    for piece in pieces {
        let first = piece.value.chars().next();
        let letter = first.filter(char::is_ascii_alphabetic).map(|one| one.to_ascii_uppercase());
        let is_lost = |kind: &&Kind| match letter {
            Some(letter) => kind.letter == letter,
            None => kind.key == piece.key,
        };
        for kind in kinds(keys).iter().filter(is_lost) {
            if let Some(former) = keys.get_mut(&kind.key) {
                "-".clone_into(&mut former.value);
            }
            if let Some(promotion) = keys.get_mut("promotionPieceTypes") {
                promotion.named.retain(|named| named.as_ref() != Ok(&kind.key));
            }
        }
        keys.insert(piece.key.clone(), piece.clone());
    }
}

/// Finds the pieces that the letters of a section name there. `pairs` are those it inherits.
fn name_letters(keys: &mut BTreeMap<String, Entry>, section: &str, pairs: &[Named]) {
    let kinds = kinds(keys);
    let name = |letter: char| {
        let capital = letter.to_ascii_uppercase();
        let kind = kinds.iter().find(|kind| kind.letter == capital);
        kind.map(|kind| kind.key.clone()).ok_or(letter)
    };
    let own = keys
        .values_mut()
        .filter(|entry| entry.section == section && keys::LETTERS.contains(&entry.key.as_str()));
    for entry in own {
        if entry.key == PAIRS {
            let new = pairs_of(&entry.value).unwrap_or_default();
            entry.named = merged(pairs, new.iter().map(|(from, to)| (name(*from), to.map(name))));
            continue;
        }
        let letters = entry.value.chars().filter(|letter| !" \t:-*".contains(*letter));
        entry.named = letters.map(name).collect();
    }
}

/// `p:g s:-`: pairs of letters, the second of which may be missing; `None` if it is something else.
pub(super) fn pairs_of(value: &str) -> Option<Vec<(char, Option<char>)>> {
    if value == "-" {
        return Some(vec![]);
    }
    let letters: Vec<char> = value.chars().filter(|letter| !letter.is_whitespace()).collect();
    let pair = |three: &[char]| match *three {
        [from, ':', to] => Some((from, Some(to).filter(|to| *to != '-'))),
        _ => None,
    };
    letters.chunks(3).map(pair).collect()
}

/// Pairs, one piece after the other: old ones unless there is a new one of the same piece.
fn merged(old: &[Named], new: impl Iterator<Item = (Named, Option<Named>)>) -> Vec<Named> {
    let mut pairs: Vec<(Named, Named)> =
        old.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    for (from, to) in new {
        pairs.retain(|(known, _)| *known != from);
        pairs.extend(to.map(|to| (from, to)));
    }
    pairs.into_iter().flat_map(|(from, to)| [from, to]).collect()
}
