//! The conditions that rule kernels understand, and trees of them as clauses.
//!
//! In: flat conditions. Out: atoms, equalities and inequalities of terms. Invariant: anything else is an
//! obstacle; nothing is left out.

use std::collections::BTreeSet;

use rulesmith_logic::{Atom, Comparison, Condition, Expr, PredicateId, Term, Var};
use rulesmith_matching::Node;

use super::super::Obstacle;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// These terms are a row of the relation.
    Holds(PredicateId, Vec<Term>),
    /// Both are the same, or they are not.
    Compare { is_same: bool, left: Term, right: Term },
}

/// A clause: a way down the tree.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) conditions: Vec<Asked>,
    pub(super) head: Vec<Term>,
}

impl Asked {
    pub(super) fn new(condition: &Condition) -> Result<Self, Obstacle> {
        match condition {
            Condition::Holds(Atom { predicate, args }) if !args.is_empty() => {
                Ok(Self::Holds(*predicate, args.clone()))
            }
            Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
                let is_same = match comparison {
                    Comparison::Equal => true,
                    Comparison::Unequal => false,
                    _ => return Err(Obstacle::new("an order of values in a rule")),
                };
                Ok(Self::Compare { is_same, left: *left, right: *right })
            }
            _ => Err(Obstacle::new("a condition that rule kernels do not know")),
        }
    }

    pub(super) fn terms(&self) -> Vec<Term> {
        match self {
            Self::Holds(_, args) => args.clone(),
            Self::Compare { left, right, .. } => vec![*left, *right],
        }
    }

    pub(super) fn vars(&self) -> BTreeSet<Var> {
        self.terms().into_iter().filter_map(as_var).collect()
    }
}

/// The variable that a term is, if it is one.
pub(super) fn as_var(term: Term) -> Option<Var> {
    match term {
        Term::Var(var) => Some(var),
        Term::Value(_) => None,
    }
}

/// Every way down the tree, in its order.
pub(super) fn clauses(roots: &[Node]) -> Result<Vec<Clause>, Obstacle> {
    let mut found = Vec::new();
    go_down(roots, &mut Vec::new(), &mut found)?;
    Ok(found)
}

fn go_down(
    nodes: &[Node],
    above: &mut Vec<Asked>,
    found: &mut Vec<Clause>,
) -> Result<(), Obstacle> {
    for node in nodes {
        match node {
            Node::Conclusion { row, .. } => {
                found.push(Clause { conditions: above.clone(), head: row.clone() });
            }
            Node::Condition { condition, children } => {
                above.push(Asked::new(condition)?);
                go_down(children, above, found)?;
                above.pop();
            }
        }
    }
    Ok(())
}
