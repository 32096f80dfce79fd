//! The matches of what static facts decide of a clause.
//!
//! In: the conditions that no state changes, and those that one does. Out: the rows of all matches, or whether there
//! is a match at all. Invariant: a clause with more rows or matches than the limits allow is not grounded in part, and
//! whoever has too little room to find a match may have one.

use rulesmith_logic::{Condition, Flow, Limits, Term, Var, condition_vars};
use rulesmith_matching::{Memory, Setting, each_match};

use super::Obstacle;
use super::ground::{Dynamic, Grounded, Grounding, Row, RowRoom};
use super::open_vars::{asks_too_early, has_open_negation};

/// A clause may have so many rows: more are slower to read as code than loops are.
const ROWS_LIMIT: usize = 200_000;

/// So many matches of a clause are looked at, also those of which no row comes: a second or two of work.
const MATCHES_LIMIT: usize = 300_000;

/// So many facts are looked at for a clause, or to find out whether there is a match: some seconds, too.
const INFERENCES_LIMIT: u64 = 20_000_000;

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
        let setting = self.setting();
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
        let first = each_match(&self.setting(), &memory, fixed, &mut bound, &mut |_| Flow::Enough);
        !matches!(first, Ok(Flow::More))
    }

    fn setting(&self) -> Setting<'_> {
        Setting {
            symbols: self.knowledge.facts.symbols(),
            limits: Limits { inferences: INFERENCES_LIMIT, ..Limits::default() },
            stop: self.knowledge.solver.stop().clone(),
        }
    }
}
