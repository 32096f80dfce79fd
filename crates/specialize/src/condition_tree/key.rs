//! Keys: a condition as it stands in a tree, equal for clauses that would do the same there.
//!
//! In: a condition and the registers of the path above it. Out: the condition over registers in a
//! normal form, and the registers after it. Invariant: new variables get the next registers in the
//! order they are mentioned, those inside negations and counts too; the normal form means the same.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{Comparison, Condition, Expr, Operation, Term, Var, substitute};
use rustc_hash::FxHashMap;

use crate::condition_order::OrderError;

/// Which register holds each variable of a clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    of: FxHashMap<Var, Var>,
    n_used: usize,
}

impl Registers {
    pub(super) fn of_inputs(inputs: &[Var]) -> Result<Self, OrderError> {
        let mut registers = Self::default();
        inputs.iter().try_for_each(|input| registers.add(*input))?;
        Ok(registers)
    }

    fn add(&mut self, var: Var) -> Result<(), OrderError> {
        if !self.of.contains_key(&var) {
            let register = u16::try_from(self.n_used).map_err(|_| OrderError::Registers)?;
            self.of.insert(var, Var(register));
            self.n_used += 1;
        }
        Ok(())
    }

    pub(super) fn get(&self, var: Var) -> Option<Var> {
        self.of.get(&var).copied()
    }

    pub(super) fn term(&self, var: Var) -> Term {
        Term::Var(self.get(var).unwrap_or(var))
    }

    pub(super) fn n_used(&self) -> usize {
        self.n_used
    }

    /// Which variable each register holds.
    pub(super) fn held(&self) -> BTreeMap<Var, Var> {
        self.of.iter().map(|(var, register)| (*register, *var)).collect()
    }

    /// The variables that have a register: they are bound.
    pub(super) fn bound(&self) -> BTreeSet<Var> {
        self.of.keys().copied().collect()
    }
}

/// The condition over registers, and the registers after it.
pub(super) fn key(
    condition: &Condition,
    registers: &Registers,
) -> Result<(Condition, Registers), OrderError> {
    let mut mentioned = Vec::new();
    let directed = directed(condition);
    mention(&directed, &mut mentioned);
    let mut after = registers.clone();
    mentioned.into_iter().try_for_each(|var| after.add(var))?;
    let over_registers = substitute(&directed, &|var| after.term(var));
    Ok((sorted(&over_registers), after))
}

/// `>` and `>=` turned around, a lone term on the left of an equation.
fn directed(condition: &Condition) -> Condition {
    rewrite(condition, &|comparison, left, right| match comparison {
        Comparison::Greater => (Comparison::Less, right, left),
        Comparison::AtLeast => (Comparison::AtMost, right, left),
        Comparison::Equal if matches!(right, Expr::Term(_)) && !matches!(left, Expr::Term(_)) => {
            (comparison, right, left)
        }
        _ => (comparison, left, right),
    })
}

/// The sides of symmetric comparisons, and of symmetric operations on terms, in order.
fn sorted(condition: &Condition) -> Condition {
    rewrite(condition, &|comparison, left, right| {
        let (left, right) = (sorted_expr(left), sorted_expr(right));
        match (comparison, &left, &right) {
            (Comparison::Equal | Comparison::Unequal, Expr::Term(a), Expr::Term(b)) if a > b => {
                (comparison, right, left)
            }
            _ => (comparison, left, right),
        }
    })
}

fn sorted_expr(expr: Expr) -> Expr {
    match expr {
        Expr::Binary(operation, left, right) => match (operation, *left, *right) {
            (
                Operation::Add | Operation::Mul | Operation::Min | Operation::Max,
                Expr::Term(a),
                Expr::Term(b),
            ) if a > b => Expr::Binary(operation, Box::new(Expr::Term(b)), Box::new(Expr::Term(a))),
            (_, left, right) => Expr::Binary(operation, Box::new(left), Box::new(right)),
        },
        other => other,
    }
}

type Rewrite<'r> = dyn Fn(Comparison, Expr, Expr) -> (Comparison, Expr, Expr) + 'r;

/// Rewrites each comparison, inner ones first; lists of local variables are sorted.
fn rewrite(condition: &Condition, change: &Rewrite<'_>) -> Condition {
    let body = |body: &[Condition]| -> Vec<Condition> {
        body.iter().map(|condition| rewrite(condition, change)).collect()
    };
    match condition {
        Condition::None { locals, body: inner } => {
            Condition::None { locals: in_order(locals), body: body(inner) }
        }
        Condition::AnyOf(branches) => {
            Condition::AnyOf(branches.iter().map(|branch| body(branch)).collect())
        }
        Condition::Compare(comparison, left, right) => {
            let (left, right) = (rewrite_expr(left, change), rewrite_expr(right, change));
            let (comparison, left, right) = change(*comparison, left, right);
            Condition::Compare(comparison, left, right)
        }
        Condition::Elsewhere { by, quantifier, body: inner } => {
            Condition::Elsewhere { by: by.clone(), quantifier: *quantifier, body: body(inner) }
        }
        plain => plain.clone(),
    }
}

fn rewrite_expr(expr: &Expr, change: &Rewrite<'_>) -> Expr {
    match expr {
        Expr::Term(term) => Expr::Term(*term),
        Expr::Binary(operation, left, right) => Expr::Binary(
            *operation,
            Box::new(rewrite_expr(left, change)),
            Box::new(rewrite_expr(right, change)),
        ),
        Expr::Count { counted, body } => Expr::Count {
            counted: in_order(counted),
            body: body.iter().map(|condition| rewrite(condition, change)).collect(),
        },
    }
}

fn in_order(vars: &[Var]) -> Vec<Var> {
    let mut vars = vars.to_vec();
    vars.sort_unstable();
    vars
}

/// The variables of a condition in the order they are mentioned.
fn mention(condition: &Condition, found: &mut Vec<Var>) {
    match condition {
        Condition::Holds(atom) => mention_terms(&atom.args, found),
        Condition::None { locals, body } => {
            mention_body(body, found);
            found.extend(locals);
        }
        Condition::AnyOf(branches) => {
            for branch in branches {
                mention_body(branch, found);
            }
        }
        Condition::Compare(_, left, right) => {
            mention_expr(left, found);
            mention_expr(right, found);
        }
        Condition::Construct { whole, args, .. } => {
            mention_terms(&[*whole], found);
            mention_terms(args, found);
        }
        Condition::Member(term, _) => mention_terms(&[*term], found),
        Condition::Elsewhere { by, body, .. } => {
            mention_terms(&by.args, found);
            mention_body(body, found);
        }
    }
}

fn mention_body(body: &[Condition], found: &mut Vec<Var>) {
    for condition in body {
        mention(condition, found);
    }
}

fn mention_expr(expr: &Expr, found: &mut Vec<Var>) {
    match expr {
        Expr::Term(term) => mention_terms(&[*term], found),
        Expr::Binary(_, left, right) => {
            mention_expr(left, found);
            mention_expr(right, found);
        }
        Expr::Count { counted, body } => {
            mention_body(body, found);
            found.extend(counted);
        }
    }
}

fn mention_terms(terms: &[Term], found: &mut Vec<Var>) {
    found.extend(terms.iter().filter_map(|term| match term {
        Term::Var(var) => Some(*var),
        Term::Value(_) => None,
    }));
}
