//! Mutual exclusion: which fluents have at most one value for given keys in every reachable state.
//!
//! In: rules by kind and static facts. Out: for each kind of fluent the argument place that is a
//! function of the others, if one was proved. Candidates that the start refutes are dropped; then,
//! as in Houdini, every candidate is checked against one step under the hypothesis that all
//! candidates hold before it, and those that fail are dropped until nothing changes.
//! Paper: Flanagan and Leino, Houdini, FME 2001. Invariant: what is left is inductive together.

use indexmap::IndexSet;
use rulesmith_logic::{Symbols, Value};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::case::Case;
use super::conjunction::Conjunction;
use super::contradiction::{Exclusion, FewValues, Prover};
use super::ground::StaticFacts;
use super::rule::{Formula, Functor, Relation};
use super::shapes::{Owner, Shapes};
use super::specialize::Specialized;
use super::statement::KifTerm;

/// Steps that all proofs together may take.
const MAX_STEPS: usize = 2_000_000;

/// Steps that one proof may take.
const MAX_STEPS_PER_PROOF: usize = 40_000;

/// A fluent concluded by more conjunctions than this is not examined.
const MAX_CONJUNCTIONS: usize = 400;

/// Fluents with more arguments are examined for single values only.
const MAX_ARITY_FOR_PAIRS: usize = 4;

/// For each kind of fluent the place of its value.
pub(super) type Values = FxHashMap<Functor, usize>;

/// What was proved.
#[derive(Debug, Default)]
pub(super) struct Proved {
    /// The place of each fluent's value.
    pub(super) values: Values,
    /// All exclusions, also those that no value place was made of.
    pub(super) exclusions: Vec<Exclusion>,
    /// The values of fluents' arguments that can have few of them only.
    pub(super) few_values: FewValues,
}

/// Finds the places that are functions of the others. Places that can hold one value only are left
/// alone: nothing is gained by calling them values.
pub(super) fn find_values(
    specialized: &Specialized,
    shapes: &Shapes,
    facts: &StaticFacts,
    symbols: &mut Symbols,
) -> Proved {
    let fluents = &specialized.fluents;
    let candidates: Vec<Exclusion> =
        fluents.iter().flat_map(|fluent| candidates(*fluent, facts)).collect();
    let mut prover = Prover::new(&specialized.rules, facts, symbols);
    prover.suppose(candidates.iter().cloned());
    prover.few_values = few_values(specialized, shapes);
    let few_values = prover.few_values.clone();
    let mut houdini = Houdini {
        proofs: vec![None; candidates.len()],
        is_alive: vec![true; candidates.len()],
        candidates,
        prover,
    };
    houdini.run();
    let is_choice = |fluent: Functor, place: usize| {
        let mut shapes = shapes.at(Owner::Relation(Relation::HoldsOf(fluent)), place);
        shapes.next().is_some_and(|first| first.arity > 0 || shapes.next().is_some())
    };
    let value = |fluent: &Functor| {
        let free = |place: &usize| is_choice(*fluent, *place) && houdini.is_value(*fluent, *place);
        Some((*fluent, (0..fluent.arity).rev().find(free)?))
    };
    let values = fluents.iter().filter_map(value).collect();
    let alive = houdini.candidates.iter().zip(&houdini.is_alive).filter(|(_, is_alive)| **is_alive);
    let exclusions = alive.map(|(exclusion, _)| exclusion.clone()).collect();
    Proved { values, exclusions, few_values }
}

/// The arguments of fluents that can have few values only.
fn few_values(specialized: &Specialized, shapes: &Shapes) -> FewValues {
    /// More values are not tried one by one.
    const MAX_VALUES: usize = 4;
    let mut few = FewValues::default();
    for &fluent in &specialized.fluents {
        for place in 0..fluent.arity {
            let owner = Owner::Relation(Relation::HoldsOf(fluent));
            let values: Vec<Functor> = shapes.at(owner, place).take(MAX_VALUES + 1).collect();
            if values.len() <= MAX_VALUES && values.iter().all(|value| value.arity == 0) {
                few.insert((fluent, place), values.iter().map(|value| value.name).collect());
            }
        }
    }
    few
}

/// Every exclusion that the start does not refute.
fn candidates(fluent: Functor, facts: &StaticFacts) -> Vec<Exclusion> {
    let places: Vec<usize> = (0..fluent.arity).collect();
    let without =
        |out: &[usize]| places.iter().copied().filter(|place| !out.contains(place)).collect();
    let mut key_sets: Vec<Vec<usize>> =
        places.iter().rev().map(|&value| without(&[value])).collect();
    if (3..=MAX_ARITY_FOR_PAIRS).contains(&fluent.arity) {
        let pairs = places.iter().flat_map(|&i| (i + 1..fluent.arity).map(move |j| [i, j]));
        key_sets.extend(pairs.map(|pair| without(&pair)));
    }
    if fluent.arity > 1 {
        key_sets.push(Vec::new());
    }
    let start = Relation::InitOf(fluent);
    // A relation that no rule concludes has no table and no facts.
    let nothing = IndexSet::default();
    let rows = match facts.table(start) {
        Some(table) => &table.rows,
        None if facts.is_defined(start) => return Vec::new(),
        None => &nothing,
    };
    key_sets.retain(|keys| has_one_row_per_key(rows, keys));
    key_sets.into_iter().map(|keys| Exclusion { fluent, keys }).collect()
}

fn has_one_row_per_key(rows: &IndexSet<Vec<Value>, FxBuildHasher>, keys: &[usize]) -> bool {
    let mut seen: FxHashMap<Vec<Value>, &Vec<Value>> = FxHashMap::default();
    rows.iter().all(|row| {
        let key = keys.iter().map(|key| row[*key]).collect();
        *seen.entry(key).or_insert(row) == row
    })
}

struct Houdini<'a> {
    candidates: Vec<Exclusion>,
    is_alive: Vec<bool>,
    /// The hypotheses that the last proof of each candidate used; `None` while it is unproved.
    proofs: Vec<Option<Vec<usize>>>,
    prover: Prover<'a>,
}

impl Houdini<'_> {
    fn run(&mut self) {
        loop {
            let is_open = |number: &usize| self.is_alive[*number] && self.proofs[*number].is_none();
            let Some(number) = (0..self.candidates.len()).find(is_open) else { return };
            match self.check_step(number) {
                Some(used) => self.proofs[number] = Some(used),
                None => self.drop_candidate(number),
            }
        }
    }

    fn drop_candidate(&mut self, number: usize) {
        self.is_alive[number] = false;
        let fluent = self.candidates[number].fluent;
        if let Some(hypotheses) = self.prover.hypotheses.get_mut(&fluent) {
            hypotheses.retain(|(known, _)| *known != number);
        }
        for proof in &mut self.proofs {
            if proof.as_ref().is_some_and(|used| used.contains(&number)) {
                *proof = None;
            }
        }
    }

    /// Does one step keep the exclusion? The hypotheses used.
    fn check_step(&mut self, number: usize) -> Option<Vec<usize>> {
        let exclusion = self.candidates[number].clone();
        let concluding = self.prover.rules.get(&Relation::NextOf(exclusion.fluent));
        let concluding = concluding.cloned().unwrap_or_default();
        if concluding.len() > MAX_CONJUNCTIONS {
            return None;
        }
        self.prover.used.clear();
        for (place, left) in concluding.iter().enumerate() {
            for right in &concluding[place..] {
                if !self.is_impossible(&exclusion, left, right) {
                    return None;
                }
            }
        }
        let mut used = std::mem::take(&mut self.prover.used);
        used.sort_unstable();
        used.dedup();
        Some(used)
    }

    /// Can the two never conclude different values for the same keys?
    fn is_impossible(
        &mut self,
        exclusion: &Exclusion,
        left: &Conjunction,
        right: &Conjunction,
    ) -> bool {
        let mut case = Case::default();
        let (first, second) = (case.fresh(left.n_variables), case.fresh(right.n_variables));
        let shift = |term: &KifTerm, by: u32| {
            term.map_variables(&|variable| KifTerm::Variable(variable + by))
        };
        let terms = |place: usize| {
            (shift(&left.head.args[place], first), shift(&right.head.args[place], second))
        };
        let mut keys = exclusion.keys.iter().map(|&key| terms(key));
        if keys.try_for_each(|(left, right)| case.unify(&left, &right)).is_err() {
            return true;
        }
        let bodies = left.body.iter().map(|formula| formula.shifted(first));
        let mut bodies = bodies.chain(right.body.iter().map(|formula| formula.shifted(second)));
        if bodies.try_for_each(|formula| case.assume(&formula)).is_err() {
            return true;
        }
        let mut values =
            (0..exclusion.fluent.arity).filter(|place| !exclusion.keys.contains(place));
        values.all(|place| {
            let (left, right) = terms(place);
            let mut case = case.clone();
            if case.assume(&Formula::Distinct(left, right)).is_err() {
                return true;
            }
            let left_of_all = MAX_STEPS.saturating_sub(self.prover.spent);
            self.prover.left = MAX_STEPS_PER_PROOF.min(left_of_all);
            self.prover.refute(case, 0)
        })
    }

    /// Is the place a function of others, by some proved exclusion?
    fn is_value(&self, fluent: Functor, place: usize) -> bool {
        let mut alive =
            self.candidates.iter().zip(&self.is_alive).filter(|(_, is_alive)| **is_alive);
        alive.any(|(exclusion, _)| exclusion.fluent == fluent && !exclusion.keys.contains(&place))
    }
}
