//! Reduction: of many clauses only those that say something of their own.
//!
//! In: clauses with ghosts. Out: one of each set of variants, without those that another one contains,
//! and for each clause left out the one that stands for it. Features (which predicates, with which
//! values, on which arguments of the head) tell most pairs apart without matching. Invariant: the kept
//! clauses together have the answers of all; the result does not depend on the order they came in.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash};

use rulesmith_logic::{Atom, Clause, Condition, Term};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::literal::{Key, Literal, asked_literals, offered_literals};
use crate::normal::arrange;
use crate::subsumption::{Asked, Containment, Offered, WithGhosts, map_into, rename_ghosts};
use crate::variants::{Canonical, canonical};

/// What is left of many clauses, and what became of the others.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// What is kept, in canonical order.
    pub kept: Vec<Kept>,
    /// Variants left out.
    pub duplicates: Vec<LeftOut>,
    /// Clauses left out because another one contains them.
    pub subsumed: Vec<LeftOut>,
    /// How many pairs were matched.
    pub n_matched: u64,
    /// How many of them ran out of steps: each may have kept a redundant clause.
    pub n_missed: u64,
}

/// A clause that is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its place among the clauses given.
    pub index: usize,
    /// The clause in canonical form, with the ghosts of all its variants.
    pub clause: WithGhosts,
}

/// A clause that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its place among the clauses given.
    pub index: usize,
    /// The place of the kept clause that stands for it.
    pub by: usize,
}

/// Leaves out variants and contained clauses.
pub fn reduce(clauses: Vec<WithGhosts>, step_limit: u64) -> Reduced {
    reduce_until(clauses, step_limit, &|| false)
}

/// [`reduce`] until somebody stops it: from then on no pair is matched, and what is redundant stays.
pub(crate) fn reduce_until(
    clauses: Vec<WithGhosts>,
    step_limit: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Reduced {
    let mut reduced = Reduced::default();
    let entries = merge_variants(clauses, &mut reduced.duplicates);
    let containers = find_containers(&entries, (step_limit, is_stopped), &mut reduced);
    let index_of = |place: usize| entries[place].index;
    let root = |mut place: usize| {
        while let Some(by) = containers[place] {
            place = by;
        }
        index_of(place)
    };
    for (place, container) in containers.iter().enumerate() {
        if container.is_some() {
            let left_out = LeftOut { index: index_of(place), by: root(place) };
            reduced.subsumed.push(left_out);
        }
    }
    let places: FxHashMap<usize, usize> =
        entries.iter().enumerate().map(|(place, entry)| (entry.index, place)).collect();
    for duplicate in &mut reduced.duplicates {
        duplicate.by = root(places[&duplicate.by]);
    }
    let is_kept = |(place, entry): (usize, Entry)| {
        let clause = WithGhosts { clause: entry.clause, ghosts: entry.ghosts };
        containers[place].is_none().then_some(Kept { index: entry.index, clause })
    };
    reduced.kept = entries.into_iter().enumerate().filter_map(is_kept).collect();
    reduced
}

/// One of each set of variants, ready to be matched both ways.
struct Entry {
    index: usize,
    clause: Clause,
    ghosts: Vec<Condition>,
    asked: Vec<Literal>,
    offered: Vec<Literal>,
    /// What every clause that this one contains must offer.
    needs: Vec<u64>,
    has: Vec<u64>,
    /// `has` at a glance.
    has_bits: u128,
}

/// Groups variants, in canonical order. The one written first stands for the others.
fn merge_variants(clauses: Vec<WithGhosts>, duplicates: &mut Vec<LeftOut>) -> Vec<Entry> {
    let mut forms: Vec<(usize, Canonical, Vec<Condition>)> = Vec::new();
    for (index, clause) in clauses.into_iter().enumerate() {
        let form = canonical(&clause.clause);
        let ghosts = rename_ghosts(&clause.ghosts, &form.renaming);
        forms.push((index, form, ghosts));
    }
    forms.sort_by(|(one_index, one, _), (other_index, other, _)| {
        one.compare(other).then(written(one, other)).then(one_index.cmp(other_index))
    });
    let mut entries: Vec<Entry> = Vec::new();
    for variants in forms.chunk_by_mut(|(_, one, _), (_, other, _)| one.is_variant_of(other)) {
        let first = variants[0].0;
        duplicates
            .extend(variants[1..].iter().map(|(index, ..)| LeftOut { index: *index, by: first }));
        let mut ghosts: Vec<Condition> =
            variants.iter_mut().flat_map(|(_, _, ghosts)| std::mem::take(ghosts)).collect();
        arrange(&mut ghosts);
        entries.push(Entry::new(first, variants[0].1.clause.clone(), ghosts));
    }
    entries
}

/// The order of writing, for clauses of one form.
fn written(one: &Canonical, other: &Canonical) -> Ordering {
    let names = |form: &'_ Canonical| -> Vec<String> {
        form.clause.variables.iter().map(|variable| variable.name.clone()).collect()
    };
    one.clause.span.cmp(&other.clause.span).then_with(|| names(one).cmp(&names(other)))
}

impl Entry {
    fn new(index: usize, clause: Clause, ghosts: Vec<Condition>) -> Self {
        let asked = asked_literals(&clause);
        let offered = offered_literals(&clause, &ghosts);
        let needs = needed_features(&clause.head, &asked);
        let has = offered_features(&clause.head, &offered);
        let has_bits = has.iter().fold(0, |bits, feature| bits | bit(*feature));
        Self { index, clause, ghosts, asked, offered, needs, has, has_bits }
    }
}

fn bit(feature: u64) -> u128 {
    1 << (feature >> 57)
}

/// For each entry the one that contains it, if any. Entries are sorted: of two that contain each other
/// the first stays.
fn find_containers(
    entries: &[Entry],
    (step_limit, is_stopped): (u64, &dyn Fn() -> bool),
    reduced: &mut Reduced,
) -> Vec<Option<usize>> {
    let mut offering: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (place, entry) in entries.iter().enumerate() {
        for feature in &entry.has {
            offering.entry(*feature).or_default().push(place);
        }
    }
    let mut containers: Vec<Option<usize>> = vec![None; entries.len()];
    for (place, general) in entries.iter().enumerate() {
        if containers[place].is_some() {
            continue;
        }
        if is_stopped() {
            break;
        }
        let lists =
            general.needs.iter().map(|need| offering.get(need).map_or(&[][..], |list| list));
        let rarest = lists.min_by_key(|list| list.len()).unwrap_or_default();
        let needed_bits = general.needs.iter().fold(0, |bits, feature| bits | bit(*feature));
        for &other in rarest {
            let specific = &entries[other];
            let is_possible = other != place
                && containers[other].is_none()
                && needed_bits & !specific.has_bits == 0
                && general.needs.iter().all(|need| specific.has.binary_search(need).is_ok());
            if !is_possible {
                continue;
            }
            reduced.n_matched += 1;
            let asked = Asked { clause: &general.clause, literals: &general.asked };
            let offered = Offered { clause: &specific.clause, literals: &specific.offered };
            match map_into(asked, offered, step_limit) {
                Containment::Contained => containers[other] = Some(place),
                Containment::NotShown => {}
                Containment::OutOfSteps => reduced.n_missed += 1,
            }
        }
    }
    containers
}

/// What a contained clause must offer: the same predicates, with the same values, and on what the head
/// of the general one has at the same places.
fn needed_features(head: &Atom, literals: &[Literal]) -> Vec<u64> {
    let mut features = vec![head_feature(head)];
    for literal in literals {
        // A comparison of values may hold by itself.
        if matches!(literal.key, Key::Compare(_)) {
            continue;
        }
        features.push(feature((literal.key, 0)));
        for (place, term) in fixed_terms(literal) {
            match term {
                Term::Value(value) => features.push(feature((literal.key, 1, place, value))),
                Term::Var(_) => features.extend(head_places(head, literal.key, place, term)),
            }
        }
    }
    sorted(features)
}

fn offered_features(head: &Atom, literals: &[Literal]) -> Vec<u64> {
    let mut features = vec![head_feature(head)];
    for literal in literals {
        features.push(feature((literal.key, 0)));
        for (place, term) in fixed_terms(literal) {
            if let Term::Value(value) = term {
                features.push(feature((literal.key, 1, place, value)));
            }
            features.extend(head_places(head, literal.key, place, term));
        }
    }
    sorted(features)
}

fn head_feature(head: &Atom) -> u64 {
    feature((head.predicate, head.args.len()))
}

fn head_places(head: &Atom, key: Key, place: usize, term: Term) -> impl Iterator<Item = u64> {
    let places = head.args.iter().enumerate().filter(move |(_, arg)| **arg == term);
    places.map(move |(at, _)| feature((key, 2, place, at)))
}

/// The terms that cannot change places.
fn fixed_terms(literal: &Literal) -> impl Iterator<Item = (usize, Term)> {
    let n_fixed = literal.terms.len() - if literal.is_symmetric { 2 } else { 0 };
    literal.terms[..n_fixed].iter().copied().enumerate()
}

fn sorted(mut features: Vec<u64>) -> Vec<u64> {
    features.sort_unstable();
    features.dedup();
    features
}

fn feature(what: impl Hash) -> u64 {
    FxBuildHasher.hash_one(what).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
