//! Clauses as they are written, as a tree: one chain for each, nothing shared, nothing moved.
//!
//! In: clauses of one predicate and the arguments that are known when it is called. Out: a tree that
//! tries the conditions of each clause in their order. It shows what ordering and sharing are worth.
//! Paper: metameta §3.2, the column before. Invariant: a condition comes as early as it stands, unless
//! it must wait for what it has to know.

use rulesmith_logic::Clause;

use super::prepare::{Prepared, prepare};
use super::{Branch, Builder, NamedTree, TreeError};
use crate::condition_order::{Body, Plan, readiness, stuck};
use crate::estimates::Estimates;
use rulesmith_matching::Node;

use super::key::Registers;

/// The tree of clauses as they are written. Only conditions inside negations and counts are ordered by
/// the estimates.
pub fn written_tree(
    estimates: &Estimates,
    known: &[bool],
    clauses: &[(usize, &Clause)],
) -> Result<NamedTree, TreeError> {
    let mut builder = Builder::new(estimates);
    let mut roots = Vec::with_capacity(clauses.len());
    for (number, clause) in clauses {
        let error = |why| TreeError { clause: *number, why };
        let prepared = prepare(*number, clause, known).map_err(error)?;
        roots.push(builder.chain(&prepared)?);
    }
    Ok(builder.into_tree(known, roots))
}

impl Builder<'_> {
    fn chain(&mut self, prepared: &Prepared) -> Result<Node, TreeError> {
        let error = |why| TreeError { clause: prepared.number, why };
        let body = Body {
            conditions: &prepared.conditions,
            known: &prepared.known,
            outside: &prepared.outside,
        };
        let waits = readiness(&prepared.conditions, &prepared.outside);
        let plan = Plan::new(self.estimates, body).map_err(error)?;
        let registers = Registers::of_inputs(&prepared.inputs).map_err(error)?;
        let placed = vec![false; prepared.conditions.len()];
        let mut branch = Branch { prepared, plan: &plan, placed, registers };
        let mut bound = prepared.known.clone();
        let mut chain = Vec::new();
        while !branch.placed.iter().all(|placed| *placed) {
            let is_next = |place: &usize| {
                !branch.placed[*place] && waits[*place].is_ready(&|var| bound.contains(&var))
            };
            let next = (0..waits.len()).find(is_next);
            let place = next.ok_or_else(|| error(stuck(self.estimates, body, &branch.placed)))?;
            let (condition, registers) = self.key(&branch, place)?;
            branch.registers = registers;
            branch.placed[place] = true;
            bound.extend(&waits[place].vars);
            chain.push(condition);
        }
        let end = self.conclude(&branch)?;
        let around = |node, condition| Node::Condition { condition, children: vec![node] };
        Ok(chain.into_iter().rev().fold(end, around))
    }
}
