//! Clauses made ready for a call: what the head says about known arguments becomes conditions.
//!
//! In: a clause and which arguments are known. Out: its conditions, with equations for constants and
//! repeated variables among the known arguments. Invariant: the known arguments are distinct
//! variables that are bound before the first condition.

use std::collections::BTreeSet;

use rulesmith_logic::{Clause, Comparison, Condition, Expr, Term, Var, atom_vars, condition_vars};

use crate::condition_order::{OrderError, around_each};

/// A clause made ready.
pub(super) struct Prepared {
    pub(super) number: usize,
    pub(super) conditions: Vec<Condition>,
    /// For each condition its variables that are used outside it.
    pub(super) around: Vec<BTreeSet<Var>>,
    /// The variables of the known arguments, in order.
    pub(super) inputs: Vec<Var>,
    /// The same as a set.
    pub(super) known: BTreeSet<Var>,
    /// The variables used outside the body.
    pub(super) outside: BTreeSet<Var>,
    /// The arguments of the head.
    pub(super) row: Vec<Term>,
}

impl Prepared {
    pub(super) fn head_vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.row.iter().filter_map(|term| match term {
            Term::Var(var) => Some(*var),
            Term::Value(_) => None,
        })
    }
}

pub(super) fn prepare(
    number: usize,
    clause: &Clause,
    known: &[bool],
) -> Result<Prepared, OrderError> {
    let used: BTreeSet<Var> = atom_vars(&clause.head)
        .into_iter()
        .chain(clause.body.iter().flat_map(condition_vars))
        .collect();
    let mut next = used.last().map_or(0, |var| u32::from(var.0) + 1);
    let mut inputs = Vec::new();
    let mut conditions = Vec::new();
    let args = clause.head.args.iter().zip(known).filter(|(_, known)| **known);
    for (term, _) in args {
        match term {
            Term::Var(var) if !inputs.contains(var) => inputs.push(*var),
            term => {
                let fresh = Var(u16::try_from(next).map_err(|_| OrderError::Registers)?);
                next += 1;
                inputs.push(fresh);
                let sides = (Expr::Term(Term::Var(fresh)), Expr::Term(*term));
                conditions.push(Condition::Compare(Comparison::Equal, sides.0, sides.1));
            }
        }
    }
    conditions.extend(clause.body.iter().cloned());
    let known: BTreeSet<Var> = inputs.iter().copied().collect();
    let outside: BTreeSet<Var> = atom_vars(&clause.head).union(&known).copied().collect();
    let around = around_each(&conditions, &outside);
    let row = clause.head.args.clone();
    Ok(Prepared { number, conditions, around, inputs, known, outside, row })
}
