//! The matches of what static facts decide of a clause.
//!
//! In: the conditions that no state changes, and those that one does. Out: the rows of all matches, or whether there
//! is a match at all. Invariant: a clause with more rows or matches than the limits allow is not grounded in part, and
//! whoever has too little room to find a match may have one.

use std::collections::BTreeSet;

use rulesmith_logic::{Clause, Condition, Flow, Limits, Term, Var, condition_vars};
use rulesmith_matching::{Memory, Setting, each_match};
use rulesmith_specialize::Knowledge;
use rustc_hash::FxHashSet;

use super::Obstacle;
use super::ground::{Dynamic, Grounded, Grounding, Row, RowRoom};
use super::open_vars::{asks_too_early, has_open_negation};

/// A clause may have so many rows: more are slower to read as code than loops are.
const ROWS_LIMIT: usize = 200_000;

/// So many matches of a clause are looked at, also those of which no row comes: a second or two of work.
const MATCHES_LIMIT: usize = 300_000;

/// So many facts are looked at for a clause, or to find out whether there is a match: some seconds, too.
const INFERENCES_LIMIT: u64 = 20_000_000;

/// Heads of a clause that static facts allow are counted up to this.
const HEADS_LIMIT: usize = 1 << 20;

/// How many different heads a clause may have in one state, by its static conditions alone; nothing if that would take long to
/// find out. Who acts is known.
pub(super) fn most_heads(knowledge: &Knowledge<'_>, clause: &Clause) -> Option<u64> {
    let is_fact = |condition: &&Condition| match condition {
        Condition::Holds(atom) => knowledge.is_complete(atom.predicate),
        _ => false,
    };
    let facts: Vec<Condition> = clause.body.iter().filter(is_fact).cloned().collect();
    let told: BTreeSet<Var> = facts.iter().flat_map(condition_vars).collect();
    let vars = clause.head.args.iter().skip(1).filter_map(|term| match term {
        Term::Var(var) => Some(*var),
        Term::Value(_) => None,
    });
    let vars: BTreeSet<Var> = vars.collect();
    let (asked, open): (Vec<Var>, Vec<Var>) = vars.into_iter().partition(|var| told.contains(var));
    let size = |var: Var| {
        let domain = clause.variables.get(usize::from(var.0))?.domain?;
        u64::try_from(knowledge.theory.base.domain(domain).values.len()).ok()
    };
    let open = open.into_iter().map(size).collect::<Option<Vec<u64>>>()?;
    let memory = Memory::new(knowledge.facts.static_memory().clone());
    let n_vars = told.iter().map(|var| usize::from(var.0) + 1).max().unwrap_or(0);
    let (mut heads, mut n_matches) = (FxHashSet::default(), 0);
    let mut bound = vec![None; n_vars];
    let flow = each_match(&setting(knowledge), &memory, &facts, &mut bound, &mut |found| {
        heads.insert(asked.iter().map(|var| found[usize::from(var.0)]).collect::<Vec<_>>());
        n_matches += 1;
        if n_matches < HEADS_LIMIT { Flow::More } else { Flow::Enough }
    });
    let is_all = matches!(flow, Ok(Flow::More));
    is_all.then(|| open.into_iter().fold(heads.len() as u64, u64::saturating_mul))
}

fn setting<'k>(knowledge: &'k Knowledge<'_>) -> Setting<'k> {
    Setting {
        symbols: knowledge.facts.symbols(),
        limits: Limits { inferences: INFERENCES_LIMIT, ..Limits::default() },
        stop: knowledge.solver.stop().clone(),
    }
}

impl Grounding<'_> {
    /// A row for each match of what static facts decide.
    pub(super) fn matches(
        &self,
        clause: Grounded<'_>,
        fixed: &[Condition],
        dynamics: &[Dynamic<'_>],
    ) -> Result<Vec<Row>, Obstacle> {
        let vars = fixed.iter().flat_map(condition_vars);
        let n_vars = vars.map(|var| usize::from(var.0) + 1).max().unwrap_or(0);
        let facts = &self.knowledge.facts;
        let mut memory = Memory::new(facts.static_memory().clone());
        let named = self.named_move(dynamics, &mut memory);
        let fixed: Vec<Condition> =
            fixed.iter().chain(named.as_ref().map(|(_, condition)| condition)).cloned().collect();
        if asks_too_early(&fixed, dynamics) {
            return Err(Obstacle::new("a negation about what only the state tells"));
        }
        let setting = setting(self.knowledge);
        let (mut rows, mut n_matches) = (Vec::new(), 0);
        let mut room = RowRoom::default();
        let mut bound = vec![None; n_vars];
        let (universe, mut failed) = (memory.universe(), None);
        let flow = each_match(&setting, &memory, &fixed, &mut bound, &mut |found| {
            let value = |term: &Term| match term {
                Term::Value(value) => Some(*value),
                Term::Var(Var(number)) => {
                    let id = found.get(usize::from(*number)).copied().flatten()?;
                    Some(universe.value(id))
                }
            };
            match self.rows_of(clause, dynamics, &value, &mut room) {
                Ok(found) => rows.extend(found.into_iter().filter(|row| {
                    named.as_ref().is_none_or(|(named, _)| self.may_come_about(named, row))
                })),
                Err(obstacle) => failed = Some(obstacle),
            }
            n_matches += 1;
            let is_enough =
                rows.len() > ROWS_LIMIT || n_matches > MATCHES_LIMIT || failed.is_some();
            if is_enough || self.has_too_many_closed() { Flow::Enough } else { Flow::More }
        });
        if let Some(obstacle) = failed {
            return Err(obstacle);
        }
        match flow {
            Ok(Flow::More) => Ok(rows),
            Ok(Flow::Enough) => Err(Obstacle::new("a clause has too many ground rows, or matches")),
            Err(error) => Err(Obstacle::new(format!("a clause cannot be grounded: {error}"))),
        }
    }

    /// Do static facts match conditions that ask for nothing else? What cannot be told may match.
    pub(super) fn may_match(&self, fixed: &[Condition]) -> bool {
        if has_open_negation(fixed) {
            return true;
        }
        let memory = Memory::new(self.knowledge.facts.static_memory().clone());
        let vars = fixed.iter().flat_map(condition_vars);
        let n_vars = vars.map(|var| usize::from(var.0) + 1).max().unwrap_or(0);
        let mut bound = vec![None; n_vars];
        let first =
            each_match(&setting(self.knowledge), &memory, fixed, &mut bound, &mut |_| Flow::Enough);
        !matches!(first, Ok(Flow::More))
    }
}
