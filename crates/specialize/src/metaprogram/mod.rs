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
//! (doing it), `dependency` (metarules that are pure filters as dependencies).

mod barrier;
mod deduce;
mod dependency;
mod matching;
mod plan;
mod search;

use rulesmith_logic::{Clause, Condition, Term};
use rulesmith_rules::{Metarule, Phase, Theory};

pub use dependency::{Consequence, as_dependency};

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
    /// What was done, in order.
    pub log: Vec<Deduction>,
    /// For each metarule of the theory how often it did something.
    pub uses: Vec<usize>,
    /// The limit that was reached, if one was; what was deduced before is done all the same.
    pub cut: Option<MetaprogramCut>,
}

/// The limit a metaprogram reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaprogramCut {
    /// The fuel ran out.
    Fuel,
    /// A phase was still changing clauses.
    Rounds,
}

/// One thing that a metarule did.
#[derive(Clone, Debug)]
pub struct Deduction {
    /// Which metarule, by its place in the theory.
    pub metarule: usize,
    /// To which clause, by its place in the list the round started with; for a new clause its place
    /// afterwards.
    pub clause: usize,
    /// What it did.
    pub deed: Deed,
}

/// What a metarule did to a clause. Conditions and terms are those of the clause before the round.
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
    /// The clause was made.
    Made,
}

/// Runs all metarules of the theory, phase after phase. `normalize` and `filter` run until nothing
/// changes, `generate` and `order` once.
pub fn run_metaprogram(
    theory: &Theory,
    clauses: Vec<Clause>,
    limits: &MetaprogramLimits,
) -> MetaprogramOutcome {
    let uses = vec![0; theory.metarules.len()];
    let mut outcome = MetaprogramOutcome { clauses, uses, ..MetaprogramOutcome::default() };
    let mut fuel = limits.fuel;
    for phase in Phase::ALL {
        let is_repeated = matches!(phase, Phase::Normalize | Phase::Filter);
        let n_rounds = if is_repeated { limits.rounds } else { 1 };
        for round in 0..n_rounds {
            let n_deductions = outcome.log.len();
            run_round(theory, phase, &mut outcome, &mut fuel);
            if outcome.log.len() == n_deductions || outcome.cut.is_some() {
                break;
            }
            if is_repeated && round + 1 == n_rounds {
                outcome.cut = Some(MetaprogramCut::Rounds);
            }
        }
        if outcome.cut == Some(MetaprogramCut::Fuel) {
            break;
        }
    }
    outcome
}

/// Runs the metarules of one phase once, up to its barrier.
pub fn run_phase(
    theory: &Theory,
    phase: Phase,
    clauses: Vec<Clause>,
    limits: &MetaprogramLimits,
) -> MetaprogramOutcome {
    let uses = vec![0; theory.metarules.len()];
    let mut outcome = MetaprogramOutcome { clauses, uses, ..MetaprogramOutcome::default() };
    let mut fuel = limits.fuel;
    run_round(theory, phase, &mut outcome, &mut fuel);
    outcome
}

fn run_round(theory: &Theory, phase: Phase, outcome: &mut MetaprogramOutcome, fuel: &mut u64) {
    let clauses = std::mem::take(&mut outcome.clauses);
    let mut deeds = Vec::new();
    let metarules = theory.metarules.iter().enumerate();
    for (place, metarule) in metarules.filter(|(_, metarule)| metarule.phase == phase) {
        let found = deduced(theory, metarule, &clauses, fuel);
        deeds.extend(found.into_iter().map(|deed| (place, deed)));
        if *fuel == 0 {
            outcome.cut = Some(MetaprogramCut::Fuel);
            break;
        }
    }
    let (clauses, log) = barrier::carry_out(theory, clauses, &deeds);
    for deduction in &log {
        outcome.uses[deduction.metarule] += 1;
    }
    outcome.clauses = clauses;
    outcome.log.extend(log);
}

/// All that one metarule wants done.
fn deduced(
    theory: &Theory,
    metarule: &Metarule,
    clauses: &[Clause],
    fuel: &mut u64,
) -> Vec<deduce::Wish> {
    let plan = plan::plan(metarule);
    let mut search = search::Search::new(theory, metarule, clauses, *fuel);
    search.solve(&plan, false);
    *fuel = search.fuel;
    search.wishes
}
