//! The metaprogram: an author's metarules, run over clauses.
//!
//! In: clauses with flat bodies, and the metarules of a theory. Out: the clauses afterwards, what each
//! metarule did, and how often. Forward chaining by phases: all metarules of a phase look at the same
//! clauses; what they do is collected and carried out at a barrier, so the result does not depend on
//! the order of the search. Paper: forcedmoves §4, §6. Invariant: the same input gives the same output,
//! and every run ends, at the latest when its fuel does.
//!
//! Read in this order: `plan` (in which order conditions are tried), `matching` (patterns against
//! conditions), `search` (all deductions of one metarule), `deduce` (what a deduction does), `barrier`
//! (doing it), `safety` (what may not be done), `dependency` (metarules that are pure filters as
//! dependencies), `programs` (the others, where clauses are specialised).

mod barrier;
mod deduce;
mod dependency;
mod matching;
mod plan;
mod programs;
mod safety;
mod search;

use rulesmith_logic::{Clause, Condition, Term};
use rulesmith_rules::{Metarule, Phase, Theory};

pub use dependency::as_dependency;
pub(crate) use dependency::{Claim, claim};
pub use programs::RewrittenRules;
pub(crate) use programs::{Cut, Programs};

/// How much a metaprogram may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaprogramLimits {
    /// Metaconditions tried, in all phases together.
    pub fuel: u64,
    /// How often one phase is run again because it changed something.
    pub rounds: usize,
}

impl Default for MetaprogramLimits {
    fn default() -> Self {
        Self { fuel: 10_000_000, rounds: 64 }
    }
}

/// What became of the clauses.
#[derive(Clone, Debug, Default)]
pub struct MetaprogramOutcome {
    /// The clauses afterwards: those that were there, in their order, then the new ones.
    pub clauses: Vec<Clause>,
    /// For each of them its number: the place in the input, or for a new one a number after those.
    pub numbers: Vec<usize>,
    /// What was done, in order.
    pub log: Vec<Deduction>,
    /// For each metarule of the theory how often it did something; what was refused does not count.
    pub uses: Vec<usize>,
    /// The limit that was reached, if one was, and by which metarule of the theory. What that metarule
    /// found in the round in which the fuel ran out is not done; what was done before stays.
    pub cut: Option<(MetaprogramCut, usize)>,
    /// How many numbers were given.
    n_numbered: usize,
}

/// The limit a metaprogram reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MetaprogramCut {
    /// The fuel ran out.
    Fuel,
    /// A phase was still changing clauses.
    Rounds,
}

impl MetaprogramCut {
    /// What happened to a metarule that reached it.
    pub fn text(self) -> String {
        let MetaprogramLimits { fuel, rounds } = MetaprogramLimits::default();
        match self {
            Self::Fuel => format!("cut after {fuel} conditions were tried, and not applied"),
            Self::Rounds => format!("cut while still at work after {rounds} rounds"),
        }
    }
}

/// One thing that a metarule did.
#[derive(Clone, Debug)]
pub struct Deduction {
    /// Which metarule, by its place in the theory.
    pub metarule: usize,
    /// To which clause, by its number (see [`MetaprogramOutcome::numbers`]).
    pub clause: usize,
    /// What it did.
    pub deed: Deed,
}

/// What a metarule did to a clause. Conditions and terms are in the variables of the clause as it came;
/// those that were added come after them.
#[derive(Clone, Debug)]
pub enum Deed {
    /// The clause is gone, and why.
    Dropped(String),
    /// Two terms are one.
    Unified(Term, Term),
    /// A condition is there.
    Added(Condition),
    /// A condition is gone.
    Removed(Condition),
    /// This clause was made.
    Made(Clause),
    /// A condition was to go, but nothing else gives its variables a value.
    NotRemoved(Condition),
    /// A condition was to be added, but nothing gives its variables a value.
    NotAdded(Condition),
    /// This clause was to be made, but nothing gives its variables a value.
    NotMade(Clause),
}

impl Deed {
    /// Was it done, or refused?
    pub fn is_done(&self) -> bool {
        !matches!(self, Self::NotRemoved(_) | Self::NotAdded(_) | Self::NotMade(_))
    }

    /// Is it the same refusal? What is refused is wished for again in every round.
    fn is_same_refusal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NotRemoved(one), Self::NotRemoved(other))
            | (Self::NotAdded(one), Self::NotAdded(other)) => one == other,
            (Self::NotMade(one), Self::NotMade(other)) => {
                one.head == other.head && one.body == other.body
            }
            _ => false,
        }
    }
}

impl MetaprogramOutcome {
    fn start(theory: &Theory, clauses: Vec<Clause>) -> Self {
        let (numbers, uses) = ((0..clauses.len()).collect(), vec![0; theory.metarules.len()]);
        let n_numbered = clauses.len();
        Self { clauses, numbers, uses, n_numbered, ..Self::default() }
    }

    /// How many deductions were carried out.
    fn n_done(&self) -> usize {
        self.log.iter().filter(|deduction| deduction.deed.is_done()).count()
    }

    /// Variables are kept until now, so that the log can name them.
    fn finish(mut self) -> Self {
        self.clauses = self.clauses.into_iter().map(barrier::compact).collect();
        self
    }
}

/// Runs all metarules of the theory, phase after phase. `normalize` and `filter` run until nothing
/// changes, `generate` and `order` once.
pub fn run_metaprogram(
    theory: &Theory,
    clauses: Vec<Clause>,
    limits: &MetaprogramLimits,
) -> MetaprogramOutcome {
    run_some(theory, &|_| true, &Phase::ALL, clauses, limits)
}

/// Runs those metarules, by their places in the theory, that are wanted, in some phases.
pub(crate) fn run_some(
    theory: &Theory,
    is_wanted: &dyn Fn(usize) -> bool,
    phases: &[Phase],
    clauses: Vec<Clause>,
    limits: &MetaprogramLimits,
) -> MetaprogramOutcome {
    let mut outcome = MetaprogramOutcome::start(theory, clauses);
    let mut fuel = limits.fuel;
    for phase in phases {
        let is_repeated = matches!(phase, Phase::Normalize | Phase::Filter);
        let n_rounds = if is_repeated { limits.rounds } else { 1 };
        let is_run = |place: usize| theory.metarules[place].phase == *phase && is_wanted(place);
        for round in 0..n_rounds {
            let n_done = outcome.n_done();
            run_round(theory, &is_run, &mut outcome, &mut fuel);
            if outcome.n_done() == n_done || outcome.cut.is_some() {
                break;
            }
            if is_repeated && round + 1 == n_rounds {
                let last = outcome.log.iter().rfind(|deduction| deduction.deed.is_done());
                outcome.cut = last.map(|last| (MetaprogramCut::Rounds, last.metarule));
            }
        }
        if matches!(outcome.cut, Some((MetaprogramCut::Fuel, _))) {
            break;
        }
    }
    outcome.finish()
}

/// Runs the metarules of one phase once, up to its barrier.
pub fn run_phase(
    theory: &Theory,
    phase: Phase,
    clauses: Vec<Clause>,
    limits: &MetaprogramLimits,
) -> MetaprogramOutcome {
    let mut outcome = MetaprogramOutcome::start(theory, clauses);
    let mut fuel = limits.fuel;
    let is_run = |place: usize| theory.metarules[place].phase == phase;
    run_round(theory, &is_run, &mut outcome, &mut fuel);
    outcome.finish()
}

fn run_round(
    theory: &Theory,
    is_run: &dyn Fn(usize) -> bool,
    outcome: &mut MetaprogramOutcome,
    fuel: &mut u64,
) {
    let clauses = std::mem::take(&mut outcome.clauses);
    let mut deeds = Vec::new();
    let metarules = theory.metarules.iter().enumerate();
    for (place, metarule) in metarules.filter(|(place, _)| is_run(*place)) {
        let found = deduced(theory, metarule, &clauses, fuel);
        if *fuel == 0 {
            // Half of what a metarule wants may be wrong where the whole is right.
            outcome.cut = Some((MetaprogramCut::Fuel, place));
            break;
        }
        deeds.extend(found.map(|deed| (place, deed)));
    }
    let n_deductions = outcome.log.len();
    outcome.clauses = clauses;
    barrier::carry_out(theory, outcome, &deeds);
    for deduction in &outcome.log[n_deductions..] {
        outcome.uses[deduction.metarule] += usize::from(deduction.deed.is_done());
    }
}

/// All that one metarule wants done.
fn deduced(
    theory: &Theory,
    metarule: &Metarule,
    clauses: &[Clause],
    fuel: &mut u64,
) -> impl Iterator<Item = deduce::Wish> + use<> {
    let plan = plan::plan(metarule);
    let mut search = search::Search::new(theory, metarule, clauses, *fuel);
    search.solve(&plan, false);
    *fuel = search.fuel;
    search.wishes.into_iter()
}
