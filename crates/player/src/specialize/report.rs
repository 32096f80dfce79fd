//! The report: everything the specialiser did for a request, as plain texts and numbers.
//!
//! In: nothing. Out: values that a front end prints, draws or sends. Invariant: no clause and no
//! predicate is in here, so that front ends need to know nothing about logic.

use super::costs::{Agreement, Cost};
use super::metarules::MetaruleReport;

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct SpecializeReport {
    /// The canonical name of the game.
    pub game: String,
    /// What was asked for.
    pub request: String,
    /// What two sets of static facts share only if they are the same.
    pub digest: String,
    /// Each static relation with its arity, and how many facts it has.
    pub facts: Vec<(String, usize)>,
    /// How many states of random contests the order of conditions was learned from.
    pub n_samples: usize,
    /// The procedures: one for each predicate the request names, then those they call.
    pub procedures: Vec<ProcedureReport>,
    /// Predicates that are answered by whoever runs the program.
    pub outside: Vec<String>,
    /// The metarules: those that were of use first.
    pub metarules: Vec<MetaruleReport>,
    /// The author's metarules that reached a limit, each with what happened to it.
    pub cut: Vec<(String, String)>,
    /// The ordering metarules that were asked for, as the paper writes them.
    pub ordering: Vec<String>,
    /// The generated metarules as a text that can be loaded again.
    pub saved: String,
    /// Was the work stopped before its end? What was not unfolded by then is called.
    pub is_stopped: bool,
}

impl SpecializeReport {
    /// Does anything rest on a metarule that its author declares and nothing proves?
    pub fn rests_on_declared(&self) -> bool {
        self.procedures.iter().any(|one| !one.declared.is_empty())
    }

    /// The procedures that answer otherwise than the rules.
    pub fn disagreements(&self) -> impl Iterator<Item = (&ProcedureReport, &Cost)> {
        let costs = self.procedures.iter().filter_map(|one| match &one.cost {
            Some(Ok(cost)) => Some((one, cost)),
            _ => None,
        });
        costs.filter(|(_, cost)| matches!(cost.agreement, Agreement::Differs { .. }))
    }
}

/// One predicate for one pattern of known arguments.
#[derive(Clone, Debug, Default)]
pub struct ProcedureReport {
    /// What is asked, such as `distance(+X, -W, 3)`.
    pub title: String,
    /// Was it asked for, or is it called by another procedure?
    pub is_asked_for: bool,
    /// Its clauses as the rules say them.
    pub before: Vec<String>,
    /// Its clauses in the program.
    pub after: Vec<ClauseReport>,
    /// Some of the clauses that can never hold, each with the metarule that says so.
    pub impossible: Vec<(String, String)>,
    /// What became of the bodies that unfolding made.
    pub funnel: FunnelReport,
    /// Each bound that was reached, and how many bodies it left as they were.
    pub reached: Vec<(&'static str, u64)>,
    /// Each predicate that is called, and why it is not unfolded.
    pub kept: Vec<(String, String)>,
    /// The author's metarules that nothing proves and that this rests on, with how often each was of use.
    pub declared: Vec<(String, u64)>,
    /// The tree of conditions, in the order it is tried.
    pub tree: Vec<TreeLine>,
    /// How many conditions held before and after, or why that is not known.
    pub cost: Option<Result<Cost, String>>,
}

/// A clause of a program.
#[derive(Clone, Debug, Default)]
pub struct ClauseReport {
    /// The clause.
    pub text: String,
    /// How unfolding made it.
    pub steps: Vec<String>,
    /// Its useless conditions, and why they went.
    pub removed: Vec<RemovedReport>,
    /// The author's metarules that made or changed it and that nothing proves.
    pub declared: Vec<String>,
}

/// A useless condition.
#[derive(Clone, Debug, Default)]
pub struct RemovedReport {
    /// The condition.
    pub condition: String,
    /// The metarule that made it useless.
    pub by: String,
    /// The conditions that imply it.
    pub support: Vec<String>,
}

/// How many bodies became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunnelReport {
    /// Bodies made by unfolding steps.
    pub generated: u64,
    /// Bodies that evaluation of what is known decided to be false.
    pub evaluated: u64,
    /// Bodies that an impossibility metarule removed.
    pub impossible: u64,
    /// Variables that a monovaluation metarule unified.
    pub monovalued: u64,
    /// Clauses that an author's metarule dropped once they were unfolded.
    pub killed: u64,
    /// Clauses left out as variants of others.
    pub duplicate: u64,
    /// Clauses left out because others contain them.
    pub subsumed: u64,
    /// Clauses of the program.
    pub kept: u64,
}

/// A place in a tree of conditions.
#[derive(Clone, Debug, Default)]
pub struct TreeLine {
    /// How many conditions are above it.
    pub depth: usize,
    /// The condition, or the conclusion.
    pub text: String,
    /// The number of the clause it concludes, counted from one; none for a condition.
    pub concludes: Option<usize>,
    /// How often it was tried.
    pub tried: u64,
    /// How often it held, and how often conditions inside it did.
    pub held: u64,
    /// How often conditions inside it held.
    pub held_inside: u64,
}
