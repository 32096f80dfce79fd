//! The order of conditions that no tree has ordered, and of those about other states.
//!
//! In: conditions and what is bound. Out: which one comes next. Invariant: a test is not asked before what binds its
//! variables, whatever the order in the rules; what is bound after a move is not asked about before it.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Comparison, Condition, DomainId, Expr, PredicateId, Source, Term, Value, Var,
    condition_vars, has_var,
};
use rulesmith_matching::Node;
use rulesmith_rules::PredicateKind;

use super::super::Obstacle;
use super::super::counts::has_count;
use super::super::optimizations::Optimization;
use super::held::Held;
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

    /// A static condition whose only unknown thing is decided by what the code is made for: the role that moves
    /// has one opponent. Which condition it is, and what the unknown thing is.
    pub(super) fn decided(&self, conditions: &[&Condition]) -> Option<(usize, Var, Value)> {
        if !self.has(Optimization::FunctionsLookedUp) {
            return None;
        }
        let atoms = conditions.iter().enumerate().filter_map(|(place, one)| match one {
            Condition::Holds(atom) => Some((place, atom)),
            _ => None,
        });
        atoms.into_iter().find_map(|(place, atom)| {
            let (var, value) = self.decided_by(atom)?;
            Some((place, var, value))
        })
    }

    fn decided_by(&self, atom: &Atom) -> Option<(Var, Value)> {
        let held: Vec<Option<Held>> = atom.args.iter().map(|term| self.held(*term)).collect();
        let is_fixed = |one: &Option<Held>| matches!(one, Some(Held::Fixed(_)));
        let place = held.iter().position(Option::is_none)?;
        let others = held.iter().enumerate().filter(|(other, _)| *other != place);
        let Term::Var(var) = atom.args[place] else { return None };
        let are_others_fixed = others.into_iter().all(|(_, one)| is_fixed(one));
        if held.len() < 2 || !are_others_fixed || !self.is_static(atom.predicate) {
            return None;
        }
        let (relation, domains) =
            (self.setting.relation(atom.predicate).ok()?, &self.setting.domains);
        let number = |(column, held): (&DomainId, &Option<Held>)| match held {
            Some(Held::Fixed(value)) => Some(domains.place(*column, *value)),
            _ => None,
        };
        let asked: Vec<Option<Option<u32>>> =
            relation.columns.iter().zip(&held).map(number).collect();
        let fits = |row: &&Vec<u32>| {
            row.iter().zip(&asked).all(|(own, asked)| asked.is_none_or(|one| one == Some(*own)))
        };
        let mut rows = relation.rows.iter().filter(fits);
        let (Some(row), None) = (rows.next(), rows.next()) else { return None };
        let found = domains
            .with(relation.columns[place], |all| all.get_index(row[place] as usize).copied());
        Some((var, found?))
    }

    /// Does a predicate say the same in every state, as facts alone?
    fn is_static(&self, predicate: PredicateId) -> bool {
        let setting = self.setting;
        let kind = setting.theory.kinds.get(predicate.0 as usize);
        setting.stored(predicate).is_none()
            && !matches!(setting.source(predicate), Source::Component(..))
            && !matches!(kind, Some(PredicateKind::Does(_)))
            && !setting.is_called(predicate)
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
            other => has_var(other, var),
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
