//! The order of conditions that no tree has ordered, and of those about other states.
//!
//! In: conditions and what is bound. Out: which one comes next. Invariant: a test is not asked before what binds its
//! variables, whatever the order in the rules; what is bound after a move is not asked about before it.

use std::collections::BTreeSet;

use rulesmith_logic::{Comparison, Condition, Expr, Term, Var, condition_vars};
use rulesmith_matching::Node;

use super::super::Obstacle;
use super::super::counts::has_count;
use super::lower::Lowering;

impl Lowering<'_, '_> {
    /// The condition to take before the first, if that must wait for what another one binds.
    pub(super) fn sooner(&self, conditions: &[&Condition]) -> Option<usize> {
        let must_wait = |place: usize| {
            let others = conditions.iter().enumerate().filter(|(other, _)| *other != place);
            self.must_wait(conditions[place], &others.map(|(_, one)| *one).collect::<Vec<_>>())
        };
        if !must_wait(0) {
            return None;
        }
        (1..conditions.len()).find(|place| !must_wait(*place))
    }

    /// Does a test ask about something that others bind?
    fn must_wait(&self, condition: &Condition, others: &[&Condition]) -> bool {
        let is_test = match condition {
            Condition::Compare(Comparison::Equal, left, right) => {
                (!self.is_known(left) && !self.is_known(right))
                    || has_count(left)
                    || has_count(right)
            }
            Condition::Compare(..) | Condition::None { .. } | Condition::Elsewhere { .. } => true,
            Condition::Holds(_)
            | Condition::Member(..)
            | Condition::Construct { .. }
            | Condition::AnyOf(_) => false,
        };
        let binds = |other: &&Condition, var: Var| match other {
            Condition::None { .. } | Condition::Elsewhere { .. } => false,
            Condition::Compare(comparison, ..) if *comparison != Comparison::Equal => false,
            other => condition_vars(other).contains(&var),
        };
        let names_a_count = |var: Var| match condition {
            Condition::Compare(Comparison::Equal, Expr::Term(term), _)
            | Condition::Compare(Comparison::Equal, _, Expr::Term(term)) => *term == Term::Var(var),
            _ => false,
        };
        is_test
            && condition_vars(condition).into_iter().any(|var| {
                self.held(Term::Var(var)).is_none()
                    && !names_a_count(var)
                    && others.iter().any(|other| binds(other, var))
            })
    }

    /// Are variables of a body about another state open that the rest asks about too? It is an obstacle if nothing
    /// but such bodies binds them.
    pub(super) fn binds_for(
        &self,
        body: &[Condition],
        rest: &[&Condition],
    ) -> Result<bool, Obstacle> {
        let is_open = |var: &Var| self.held(Term::Var(*var)).is_none();
        let open: BTreeSet<Var> = body.iter().flat_map(condition_vars).filter(is_open).collect();
        let asks = |one: &&&Condition| condition_vars(one).iter().any(|var| open.contains(var));
        let is_elsewhere = |one: &&&Condition| matches!(one, Condition::Elsewhere { .. });
        let is_asked = rest.iter().any(|one| asks(&one));
        if !open.is_disjoint(&self.below) || (is_asked && rest.iter().all(|one| is_elsewhere(&one)))
        {
            return Err(Obstacle::new(
                "something that is bound after a move is asked about before",
            ));
        }
        Ok(is_asked)
    }
}

/// The variables of parts of a tree.
pub(super) fn vars_of(nodes: &[Node]) -> BTreeSet<Var> {
    let of_node = |node: &Node| match node {
        Node::Conclusion { row, .. } => row
            .iter()
            .filter_map(|term| match term {
                Term::Var(var) => Some(*var),
                Term::Value(_) => None,
            })
            .collect(),
        Node::Condition { condition, children } => {
            let mut vars = vars_of(children);
            vars.extend(condition_vars(condition));
            vars
        }
    };
    nodes.iter().flat_map(of_node).collect()
}
