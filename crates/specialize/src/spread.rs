//! Spread: how many bodies a program would have, were everything unfolded, and what to call where that is too many.
//!
//! In: a theory with its static facts, and the requests made of it. Out: their program, in which predicates are called
//! ([`Bounds::called`]) if it would have too many bodies otherwise. Unfolding multiplies: a capture whose path has fifty
//! shapes and whose victims stand in three places is hundreds of bodies, and each takes time to be made, ground and
//! translated. Invariant: numbers are estimates and change how much is done beforehand, never what is answered.
//!
//! DIVERGENCE metameta §3: the paper unfolds everything, within bounds on one clause.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{Atom, Clause, Condition, Level, PredicateId, Source, Term};
use rulesmith_rules::{PredicateKind, Request};

use crate::askings::{Askings, asks_move, bodies_in};
use crate::bounds::Bounds;
use crate::definitions::Recursion;
use crate::estimates::Sample;
use crate::knowledge::Knowledge;
use crate::outset::Outset;
use crate::program::{Settings, SpecializeError, Specialized, Specializer};

/// Bodies that are made of rules which look as if they would be very many.
const FEW_BODIES: u64 = 250;

/// What is estimated to be more bodies looks so.
const BODIES_LIMIT: u64 = 12_000;

/// And only where one body has more ways through its recursions: several that cross, as before, over and behind what is
/// hopped over. One alone is soon unfolded.
const CROSSING_WAYS: u64 = 32;

/// Where bodies multiply otherwise, as in eight predicates of four clauses each that ask one another in a row, so many are
/// made before anything is called.
const MANY_BODIES: u64 = 20_000;

/// Predicates of more bodies are called, where predicates are.
const UNFOLDED_BODIES: u64 = 3;

/// So are predicates of so many clauses, and those of more than one clause that have so many conditions: who asks them twice
/// would have their square.
const CALLED_CLAUSES: usize = 3;
const CALLED_CONDITIONS: usize = 8;

/// So are predicates that unfold into so many conditions, if those who ask them learn little: their unknown arguments have so
/// few values together that all answers can be found at once and kept for a while.
const CALLED_SIZE: usize = 12;
const FEW_UNKNOWN: u64 = 4_096;

/// What is asked further down is not looked at.
const MAX_DEPTH: usize = 64;

/// Ways through a recursion that count.
const WAYS_LIMIT: u64 = 64;

/// Specialises requests and all they call, within bounds; where rules would become very many bodies, predicates are called
/// instead of unfolded.
pub fn specialize_within(
    knowledge: &Knowledge<'_>,
    bounds: Bounds,
    samples: Vec<Sample>,
    requests: &[Request],
) -> Result<Specialized, SpecializeError> {
    let outset = Outset::new(knowledge, &Settings::default());
    specialize_from(knowledge, outset, bounds, samples, requests)
}

/// The same with what is known at the outset, by default settings.
pub fn specialize_from(
    knowledge: &Knowledge<'_>,
    outset: Outset,
    bounds: Bounds,
    samples: Vec<Sample>,
    requests: &[Request],
) -> Result<Specialized, SpecializeError> {
    let specialize = |bounds: Bounds, outset, samples| {
        let settings = Settings { bounds, ..Settings::default() };
        Specializer::from_outset(knowledge, settings, outset, samples).specialize(requests)
    };
    let mut unfolded = Spread::new(knowledge, false);
    let is_wide = unfolded.n_all(requests) > BODIES_LIMIT;
    if judges_moves(knowledge) || !is_wide {
        return specialize(bounds, outset, samples);
    }
    // It may look so and come to little.
    let bodies = if unfolded.most_ways > CROSSING_WAYS { FEW_BODIES } else { MANY_BODIES };
    let few = Bounds { bodies, ..bounds.clone() };
    match specialize(few, outset.clone(), samples.clone()) {
        Err(SpecializeError::Bodies(_)) => {
            let called = called_predicates(knowledge, requests);
            specialize(Bounds { called, ..bounds }, outset, samples)
        }
        tried => tried,
    }
}

/// The predicates that a program for these requests calls if it is to have few bodies.
pub fn called_predicates(knowledge: &Knowledge<'_>, requests: &[Request]) -> BTreeSet<PredicateId> {
    let mut spread = Spread::new(knowledge, true);
    spread.n_all(requests);
    for request in requests {
        spread.called.remove(&request.predicate);
    }
    spread.called
}

/// Does something that may differ decide, in the state after a move, whether it is legal? Then unfolding spares making
/// moves, and is worth its time.
fn judges_moves(knowledge: &Knowledge<'_>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<PredicateId> = knowledge.theory.moves.iter().map(|kind| kind.legal).collect();
    while let Some(predicate) = open.pop() {
        if !seen.insert(predicate) {
            continue;
        }
        for condition in conditions_of(knowledge.theory.base.clauses_of(predicate)) {
            match condition {
                Condition::Holds(atom) => open.push(atom.predicate),
                Condition::Elsewhere { body, .. } if !is_compared(body) => return true,
                _ => {}
            }
        }
    }
    false
}

fn is_compared(body: &[Condition]) -> bool {
    body.iter().all(|one| matches!(one, Condition::Compare(..)))
}

/// All conditions of clauses, also those inside of others.
fn conditions_of(clauses: &[Clause]) -> Vec<&Condition> {
    let mut all: Vec<&Condition> = clauses.iter().flat_map(|clause| &clause.body).collect();
    let mut place = 0;
    while let Some(condition) = all.get(place) {
        all.extend(bodies_in(condition).into_iter().flatten());
        place += 1;
    }
    all
}

fn n_conditions(clauses: &[Clause]) -> usize {
    clauses.iter().map(|clause| clause.body.len()).sum()
}

/// How many bodies predicates become.
struct Spread<'k> {
    knowledge: &'k Knowledge<'k>,
    recursion: Recursion,
    /// Are predicates of many bodies called?
    calls: bool,
    called: BTreeSet<PredicateId>,
    n_bodies: BTreeMap<PredicateId, u64>,
    /// Conditions of what was looked at, by predicate.
    sizes: BTreeMap<PredicateId, usize>,
    askings: Askings,
    /// The most ways through the recursions of one body.
    most_ways: u64,
    /// How many predicates are being looked at, one asked by the other.
    depth: usize,
}

impl<'k> Spread<'k> {
    fn new(knowledge: &'k Knowledge<'k>, calls: bool) -> Self {
        let recursion = Recursion::new(knowledge);
        Self {
            knowledge,
            recursion,
            calls,
            called: BTreeSet::new(),
            n_bodies: BTreeMap::new(),
            sizes: BTreeMap::new(),
            askings: Askings::new(knowledge.theory),
            most_ways: 1,
            depth: 0,
        }
    }

    /// Bodies of all requests.
    fn n_all(&mut self, requests: &[Request]) -> u64 {
        let each = requests.iter().map(|request| self.of_predicate(request.predicate));
        each.fold(0, u64::saturating_add)
    }

    /// Bodies of a predicate; what is met again on the way counts once.
    fn of_predicate(&mut self, predicate: PredicateId) -> u64 {
        if let Some(known) = self.n_bodies.get(&predicate) {
            return *known;
        }
        self.n_bodies.insert(predicate, 1);
        if self.depth >= MAX_DEPTH {
            return 1;
        }
        self.depth += 1;
        let clauses = self.knowledge.theory.base.clauses_of(predicate);
        let each = clauses.iter().map(|clause| self.of_body(clause, &clause.body));
        let mut n_bodies = each.fold(0, u64::saturating_add);
        self.depth -= 1;
        let mut size = clauses.iter().map(|clause| self.size(&clause.body)).sum();
        let is_many = n_bodies > UNFOLDED_BODIES
            || clauses.len() >= CALLED_CLAUSES
            || (clauses.len() > 1 && n_conditions(clauses) >= CALLED_CONDITIONS)
            || self.recursion.is_recursive(predicate)
            || (size >= CALLED_SIZE && self.askings.most_unknown(predicate) <= FEW_UNKNOWN);
        if self.calls && is_many && self.may_be_called(predicate) {
            self.called.insert(predicate);
            (n_bodies, size) = (1, 1);
        }
        self.sizes.insert(predicate, size);
        self.n_bodies.insert(predicate, n_bodies);
        n_bodies
    }

    /// How many conditions a body has at least once it is unfolded, those inside of others included.
    fn size(&self, body: &[Condition]) -> usize {
        let size = |condition: &Condition| match condition {
            Condition::Holds(atom) => self.sizes.get(&atom.predicate).copied().unwrap_or(1),
            other => 1 + bodies_in(other).into_iter().map(|body| self.size(body)).sum::<usize>(),
        };
        body.iter().map(size).fold(0, usize::saturating_add)
    }

    fn of_body(&mut self, clause: &Clause, body: &[Condition]) -> u64 {
        let ways = body.iter().map(|condition| match condition {
            Condition::Holds(atom) if self.is_followed(atom.predicate) => self.n_ways(clause, atom),
            _ => 1,
        });
        self.most_ways = self.most_ways.max(ways.fold(1, u64::saturating_mul));
        let each = body.iter().map(|condition| self.of_condition(clause, condition));
        each.fold(1, u64::saturating_mul)
    }

    /// Bodies that a condition makes of the one it stands in. Negations, counts and questions about other states
    /// stay in one, whatever becomes of them.
    fn of_condition(&mut self, clause: &Clause, condition: &Condition) -> u64 {
        match condition {
            Condition::Holds(atom) if self.is_unfolded(atom.predicate) => {
                let n_bodies = self.of_predicate(atom.predicate);
                let is_called = self.called.contains(&atom.predicate);
                if self.recursion.is_recursive(atom.predicate) && !is_called {
                    self.n_ways(clause, atom)
                } else {
                    n_bodies
                }
            }
            Condition::AnyOf(branches) => {
                let each = branches.iter().map(|branch| self.of_body(clause, branch));
                each.fold(0, u64::saturating_add)
            }
            other => {
                for body in bodies_in(other) {
                    self.of_body(clause, body);
                }
                1
            }
        }
    }

    /// Would the recursion of a predicate be followed?
    fn is_followed(&self, predicate: PredicateId) -> bool {
        self.recursion.is_recursive(predicate) && self.is_unfolded(predicate)
    }

    /// Is a predicate unfolded? What is static and not a fact is, too, but most of its bodies die at once: they count only
    /// where predicates are called, who need not try them all.
    fn is_unfolded(&self, predicate: PredicateId) -> bool {
        let described = self.knowledge.theory.base.predicate(predicate);
        described.source == Source::Clauses
            && (self.calls || described.level != Level::Static)
            && !self.knowledge.is_complete(predicate)
    }

    /// May a predicate be called? Moves, effects and ends are requests, and what a move says of itself is known where it
    /// is asked. Of predicates that ask each other one is called: its answers are all ways through the others.
    fn may_be_called(&self, predicate: PredicateId) -> bool {
        let kind = self.knowledge.theory.kind(predicate);
        let is_derived =
            matches!(kind, PredicateKind::Derived { .. } | PredicateKind::DerivedFunction);
        let is_together = |other: &PredicateId| self.recursion.are_together(*other, predicate);
        is_derived
            && !asks_move(self.knowledge.theory, predicate)
            && !self.called.iter().any(is_together)
    }

    /// Ways through the recursion that an atom of this clause begins: by the values that its changing arguments may have.
    fn n_ways(&self, clause: &Clause, atom: &Atom) -> u64 {
        let columns =
            (0..atom.args.len()).filter(|column| self.is_changing(atom.predicate, *column));
        let each = columns.map(|column| self.n_values(clause, atom, column));
        each.fold(1, u64::saturating_mul).min(WAYS_LIMIT)
    }

    /// Does a recursion change an argument on its way?
    fn is_changing(&self, predicate: PredicateId, column: usize) -> bool {
        self.knowledge.theory.base.clauses_of(predicate).iter().any(|clause| {
            clause.body.iter().any(|condition| match condition {
                Condition::Holds(atom) if atom.predicate == predicate => {
                    atom.args[column] != clause.head.args[column]
                }
                _ => false,
            })
        })
    }

    /// How many values an argument may have, by its domain and by the facts that the clause asks about it.
    fn n_values(&self, clause: &Clause, atom: &Atom, column: usize) -> u64 {
        let term = atom.args[column];
        if matches!(term, Term::Value(_)) {
            return 1;
        }
        let base = &self.knowledge.theory.base;
        let declared = base.predicate(atom.predicate).domains[column];
        let declared = declared.map_or(WAYS_LIMIT, |id| base.domain(id).values.len() as u64);
        let stated = clause.body.iter().filter_map(|condition| {
            let Condition::Holds(other) = condition else { return None };
            let relation = self.knowledge.facts.relation(other.predicate)?;
            let place = other.args.iter().position(|other| *other == term)?;
            let values: BTreeSet<_> = relation.rows.iter().map(|row| row[place]).collect();
            Some(values.len() as u64)
        });
        stated.fold(declared, u64::min)
    }
}
