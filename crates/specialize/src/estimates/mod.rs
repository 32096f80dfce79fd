//! Ordering metarules: the mean number of bindings of every predicate and binding pattern.
//!
//! In: the static facts, and states sampled from contests, as rows. Out: estimates, each a value that
//! can be printed; those of small arity at once, others when they are asked for. Paper: metameta
//! §3.3. Invariant: an estimate depends on the samples alone, not on when it is asked for; nothing
//! but the order of conditions depends on it.
//!
//! DIVERGENCE metameta §3.3: an argument is not only known or free, it is also known who bound it. A
//! point reached by walking has more neighbors than a point taken at random, 5252/1368 against
//! 1368/361 on a board of 19 x 19. The paper's estimate is what is fallen back to.

mod config;
mod measure;
mod pattern;
mod sample;

use std::sync::{Arc, Mutex, PoisonError};

use rulesmith_logic::{ClauseBase, Condition, DomainId, PredicateId, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

pub use config::OrderingConfig;
pub use measure::Mean;
pub use pattern::{Argument, Binder, Pattern};
pub use sample::Sample;

use measure::{Counted, count};
use sample::Grouping;

/// Up to this arity every pattern of known arguments gets an estimate. Paper: metameta §3.3.
const ALL_PATTERNS_ARITY: usize = 3;

/// A call is never taken to try more than this.
const MOST_TRIED: f64 = 1e6;

/// Everything that was learned about how many bindings conditions have.
#[derive(Debug)]
pub struct Estimates {
    config: OrderingConfig,
    predicates: Vec<Shape>,
    domain_sizes: Vec<f64>,
    fixed: Arc<Sample>,
    states: Arc<[Sample]>,
    /// If given, only these patterns have an estimate.
    only: Option<FxHashSet<Pattern>>,
    /// The predicates that are called, each with how many of its arguments say which call it is.
    calls: FxHashMap<PredicateId, usize>,
    branchings: Mutex<FxHashMap<Pattern, Branching>>,
    widths: Mutex<FxHashMap<(Binder, usize), Option<f64>>>,
    /// What was counted for these: patterns have much in common.
    counted: Mutex<FxHashMap<Grouping, Counted>>,
}

/// What an estimate must know of a predicate.
#[derive(Clone, Debug)]
struct Shape {
    name: String,
    /// The number of values of each argument, where it has a domain.
    sizes: Vec<Option<u64>>,
}

/// One ordering metarule: the mean number of bindings of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Branching {
    /// What it is about.
    pub pattern: Pattern,
    /// The mean.
    pub mean: Mean,
    /// What it was counted on.
    pub evidence: Evidence,
}

/// What a mean was counted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Facts that never change: the mean is exact.
    StaticFacts,
    /// This many sampled states.
    States(usize),
    /// Nothing: every value of a domain is taken to do.
    DomainSizes,
}

impl Branching {
    /// The number an order is chosen by. What never held in many tries is unlikely, not impossible.
    pub fn value(&self) -> f64 {
        match self.mean.exact {
            Some((0, tries)) => Mean::of(1, tries.saturating_mul(2)).map_or(0.0, |mean| mean.value),
            _ => self.mean.value.max(f64::MIN_POSITIVE),
        }
    }
}

impl Estimates {
    /// Learns from the static facts, which are complete and hold in every state, and from states.
    pub fn learn(base: &ClauseBase, fixed: Sample, states: Vec<Sample>) -> Self {
        let size = |domain: DomainId| base.domain(domain).values.len() as u64;
        let shape = |predicate: &rulesmith_logic::Predicate| Shape {
            name: predicate.name.clone(),
            sizes: predicate.domains.iter().map(|domain| domain.map(size)).collect(),
        };
        Self {
            config: OrderingConfig::default(),
            predicates: base.predicates.iter().map(shape).collect(),
            domain_sizes: base
                .domains
                .iter()
                .map(|domain| to_f64(domain.values.len() as u64))
                .collect(),
            fixed: Arc::new(fixed),
            states: states.into(),
            only: None,
            calls: FxHashMap::default(),
            branchings: Mutex::default(),
            widths: Mutex::default(),
            counted: Mutex::default(),
        }
    }

    /// The same with other assumptions.
    #[must_use]
    pub fn with_config(mut self, config: OrderingConfig) -> Self {
        self.config = config;
        self
    }

    /// The same, knowing which predicates are called, each with how many of its arguments, from the
    /// first, say which call it is: all, unless the last one is a function of the others.
    #[must_use]
    pub fn with_calls(mut self, calls: impl IntoIterator<Item = (PredicateId, usize)>) -> Self {
        self.calls = calls.into_iter().collect();
        self
    }

    /// How much is taken to happen inside a call: nothing is known of it but how many bindings of its
    /// unknown arguments it may have to try.
    pub(crate) fn call_cost(&self, pattern: &Pattern) -> f64 {
        let Some(n_keys) = self.calls.get(&pattern.predicate) else { return 0.0 };
        let sizes = self.shape(pattern.predicate).map_or(&[][..], |shape| &shape.sizes);
        let keys = pattern.arguments.iter().zip(sizes).take(*n_keys);
        let free = keys.filter(|(argument, _)| **argument == Argument::Free);
        let tried = free.map(|(_, size)| size.map_or(self.config.open_domain, to_f64));
        tried.product::<f64>().clamp(1.0, MOST_TRIED)
    }

    /// What is assumed where nothing was counted.
    pub fn config(&self) -> &OrderingConfig {
        &self.config
    }

    /// The same samples, with no other metarules than these; without binders, as in the paper.
    #[must_use]
    pub fn restricted_to(&self, patterns: &[Pattern]) -> Self {
        Self {
            config: self.config,
            predicates: self.predicates.clone(),
            domain_sizes: self.domain_sizes.clone(),
            fixed: Arc::clone(&self.fixed),
            states: Arc::clone(&self.states),
            only: Some(patterns.iter().cloned().collect()),
            calls: self.calls.clone(),
            branchings: Mutex::default(),
            widths: Mutex::default(),
            counted: Mutex::default(),
        }
    }

    /// The paper's metarules: each pattern of known arguments up to arity three, all but one known
    /// above, for the predicates that were looked at; and the patterns of these conditions with their
    /// constants.
    pub fn metarules(&self, conditions: &[Condition]) -> Vec<Branching> {
        let mut patterns = Vec::new();
        for (index, shape) in (0..).zip(&self.predicates) {
            let predicate = PredicateId(index);
            if self.is_measured(predicate) {
                let masks = masks(shape.sizes.len());
                patterns.extend(masks.iter().map(|mask| Pattern::of_mask(predicate, mask)));
            }
        }
        let mut seen: FxHashSet<Pattern> = patterns.iter().cloned().collect();
        for pattern in conditions.iter().flat_map(constant_patterns) {
            if self.is_measured(pattern.predicate) && seen.insert(pattern.clone()) {
                patterns.push(pattern);
            }
        }
        patterns.iter().map(|pattern| self.branching(pattern)).collect()
    }

    /// The estimate of a pattern: with its binders, else without them, else from domain sizes.
    pub fn branching(&self, pattern: &Pattern) -> Branching {
        let lock = || self.branchings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(pattern) {
            return found.clone();
        }
        let found = self.back_off(pattern);
        lock().insert(pattern.clone(), found.clone());
        found
    }

    /// The estimates that were asked for so far, each once, in a fixed order.
    pub fn asked(&self) -> Vec<Branching> {
        let asked = self.branchings.lock().unwrap_or_else(PoisonError::into_inner);
        let mut asked: Vec<Branching> = asked.values().cloned().collect();
        asked.sort_by(|one, other| one.pattern.cmp(&other.pattern));
        asked.dedup_by(|one, other| one.pattern == other.pattern);
        asked
    }

    fn back_off(&self, pattern: &Pattern) -> Branching {
        let plain = pattern.without_binders();
        let is_allowed = |pattern: &Pattern| match &self.only {
            Some(only) => only.contains(pattern),
            None => self.is_measured(pattern.predicate),
        };
        for candidate in [pattern, &plain] {
            if is_allowed(candidate)
                && let Some((mean, evidence)) = self.measure(candidate)
            {
                return Branching { pattern: candidate.clone(), mean, evidence };
            }
        }
        self.uniform(plain)
    }

    /// Counts a pattern on all samples that say something about it.
    fn measure(&self, pattern: &Pattern) -> Option<(Mean, Evidence)> {
        let predicates = pattern.binders.iter().map(|binder| binder.predicate);
        let is_fixed = predicates.chain([pattern.predicate]).all(|id| self.fixed.lists(id));
        let size = match self.shape(pattern.predicate)?.sizes.as_slice() {
            [only] => *only,
            _ => None,
        };
        let (n_states, evidence) = if is_fixed {
            (1, Evidence::StaticFacts)
        } else {
            (self.states.len(), Evidence::States(self.states.len()))
        };
        Some((count(pattern, n_states, size, &|of| self.frequencies(of)).mean()?, evidence))
    }

    /// How often rows have the same values at some places: on the static facts, else on each state.
    fn frequencies(&self, grouping: Grouping) -> Counted {
        let lock = || self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&grouping) {
            return known.clone();
        }
        let counted = if self.fixed.lists(grouping.predicate) {
            Counted::Fixed(Arc::new(grouping.count(&self.fixed)))
        } else {
            Counted::States(self.states.iter().map(|state| grouping.count(state)).collect())
        };
        lock().insert(grouping, counted.clone());
        counted
    }

    /// Nothing was counted. Relations of games are thin, most often one argument follows from the
    /// others: there are taken to be as many rows as the domains allow when the smallest is left out,
    /// spread evenly.
    fn uniform(&self, pattern: Pattern) -> Branching {
        let sizes = self.shape(pattern.predicate).map_or(&[][..], |shape| &shape.sizes);
        let size = |place: usize| match sizes.get(place) {
            Some(Some(size)) => to_f64(*size).max(1.0),
            _ => self.config.open_domain,
        };
        let arguments = pattern.arguments.iter().enumerate();
        let is_free = |argument: &Argument| *argument == Argument::Free;
        let free =
            arguments.filter(|(_, argument)| is_free(argument)).map(|(place, _)| size(place));
        let smallest = (0..pattern.arguments.len()).map(size).fold(f64::INFINITY, f64::min);
        let n_rows =
            free.product::<f64>() / if pattern.arguments.len() < 2 { 1.0 } else { smallest };
        let value = if pattern.is_test() { n_rows.min(self.config.test) } else { n_rows };
        Branching { pattern, mean: Mean { exact: None, value }, evidence: Evidence::DomainSizes }
    }

    /// How many values an argument of an atom has in a working memory, on the average.
    pub(crate) fn width(&self, binder: &Binder, place: usize) -> Option<f64> {
        if self.only.is_some() || !self.is_measured(binder.predicate) {
            return None;
        }
        let lock = || self.widths.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (binder.clone(), place);
        if let Some(found) = lock().get(&key) {
            return *found;
        }
        let constants = binder.constants.clone();
        let by_place = Grouping::of_place(binder.predicate, place);
        let counted = self.frequencies(Grouping { constants, ..by_place });
        let total: u64 = counted.samples().iter().map(|found| found.len() as u64).sum();
        let found = Mean::of(total, counted.samples().len() as u64).map(|mean| mean.value);
        lock().insert(key, found);
        found
    }

    /// The number of values of a domain.
    pub(crate) fn domain_size(&self, domain: DomainId) -> f64 {
        self.domain_sizes.get(domain.0 as usize).copied().unwrap_or(self.config.open_domain)
    }

    /// `branching(connected(+X, -Y)) = 3.79, 1368 of 361, static facts`.
    pub fn describe(&self, branching: &Branching, show: &dyn Fn(Value) -> String) -> String {
        let name =
            |id: PredicateId| self.shape(id).map_or_else(String::new, |shape| shape.name.clone());
        let pattern = branching.pattern.describe(&name, show);
        let counts = branching
            .mean
            .exact
            .map_or_else(String::new, |(found, tries)| format!(", {found} of {tries}"));
        let evidence = match branching.evidence {
            Evidence::StaticFacts => "static facts".to_owned(),
            Evidence::States(1) => "1 state".to_owned(),
            Evidence::States(n) => format!("{n} states"),
            Evidence::DomainSizes => "domain sizes".to_owned(),
        };
        format!("branching({pattern}) = {:.2}{counts}, {evidence}", branching.mean.value)
    }

    fn shape(&self, predicate: PredicateId) -> Option<&Shape> {
        self.predicates.get(predicate.0 as usize)
    }

    fn is_measured(&self, predicate: PredicateId) -> bool {
        self.fixed.lists(predicate) || self.states.iter().any(|state| state.lists(predicate))
    }
}

/// The masks of known arguments the paper generates metarules for.
fn masks(arity: usize) -> Vec<Vec<bool>> {
    if arity > ALL_PATTERNS_ARITY {
        return (0..arity).map(|free| (0..arity).map(|place| place != free).collect()).collect();
    }
    (0..1_usize << arity)
        .map(|bits| (0..arity).map(|place| bits >> place & 1 == 1).collect())
        .collect()
}

/// The patterns of an atom with constants: each mask of its other arguments.
fn constant_patterns(condition: &Condition) -> Vec<Pattern> {
    let Condition::Holds(atom) = condition else { return Vec::new() };
    let is_constant = |term: &Term| matches!(term, Term::Value(_));
    if !atom.args.iter().any(is_constant) {
        return Vec::new();
    }
    let n_variables = atom.args.iter().filter(|term| !is_constant(term)).count();
    let with_constants = |mask: Vec<bool>| {
        let mut known = mask.into_iter();
        let mut argument = |term: &Term| match term {
            Term::Value(value) => Argument::Constant(*value),
            Term::Var(_) if known.next() == Some(true) => Argument::Known,
            Term::Var(_) => Argument::Free,
        };
        let arguments = atom.args.iter().map(&mut argument).collect();
        Pattern { predicate: atom.predicate, arguments, binders: Vec::new() }
    };
    masks(n_variables).into_iter().map(with_constants).collect()
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs few digits")]
fn to_f64(number: u64) -> f64 {
    number as f64
}
