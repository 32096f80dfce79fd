//! Pure filters as dependencies: what can be proved on the facts of a domain.
//!
//! In: a metarule. Out: a body and what follows from it, when the metarule says nothing but that.
//! Invariant: if the dependency is true in a domain, carrying out the metarule changes no answers there.

use std::collections::BTreeSet;

use rulesmith_logic::{Comparison, Condition, Expr, Term, Var, condition_vars, substitute};
use rulesmith_rules::{Action, Metacondition, Metarule as AuthorsMetarule, Quoted};

use crate::metarules::{Consequence, Metarule, Origin, Proof};

/// The dependency a metarule states, as a candidate that nothing has proved yet. `None` unless it looks
/// at the conditions of one rule only and does one thing to that rule.
pub fn as_dependency(metarule: &AuthorsMetarule) -> Option<Metarule> {
    let Claim { body, consequence } = claim(metarule)?;
    Some(Metarule::new(&body, &consequence, Proof::Declared, Origin::Author))
}

/// A dependency in the author's own variables.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// Flat conditions over the variables of the metarule.
    pub(crate) body: Vec<Condition>,
    /// What follows.
    pub(crate) consequence: Consequence,
}

/// What a metarule claims, if it is a dependency.
pub(crate) fn claim(metarule: &AuthorsMetarule) -> Option<Claim> {
    let mut actions = metarule.actions();
    let (action, None) = (actions.next()?, actions.next()) else { return None };
    let rule = action.rule();
    let mut body = Vec::new();
    for condition in &metarule.conditions {
        match condition {
            Metacondition::Rule(other) if *other == rule => {}
            Metacondition::Condition(other, Quoted::Pattern(pattern)) if *other == rule => {
                body.push(pattern.clone());
            }
            Metacondition::Act(_) => {}
            _ => return None,
        }
    }
    let consequence = match action {
        Action::Impossible(_) => Consequence::Impossible,
        Action::Unify(_, left, right) => Consequence::Equal(*left, *right),
        Action::Useless(_, Quoted::Pattern(useless)) => {
            // That it is there is not what makes it hold.
            let place = body.iter().position(|pattern| is_same(metarule, pattern, useless))?;
            let useless = body.remove(place);
            useless_beside(&body, &useless)?
        }
        _ => return None,
    };
    Some(Claim { body, consequence })
}

/// Are both the same pattern? Each `_` is a variable of its own.
fn is_same(metarule: &AuthorsMetarule, one: &Condition, other: &Condition) -> bool {
    let nameless = |var: Var| {
        let named = metarule.variables.get(usize::from(var.0));
        let is_nameless = named.is_some_and(|variable| variable.name == "_");
        Term::Var(if is_nameless { Var(u16::MAX) } else { var })
    };
    substitute(one, &nameless) == substitute(other, &nameless)
}

/// A condition whose variables the others give holds; an atom with other variables has a match.
fn useless_beside(body: &[Condition], useless: &Condition) -> Option<Consequence> {
    let given: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
    if condition_vars(useless).is_subset(&given) {
        return Some(Consequence::Holds(useless.clone()));
    }
    matches!(useless, Condition::Holds(_)).then(|| Consequence::HasMatch(useless.clone()))
}

impl Claim {
    /// The conditions that hold together where the claim is false.
    pub(crate) fn violation(&self) -> Vec<Condition> {
        let mut violation = self.body.clone();
        violation.extend(self.negated());
        violation
    }

    /// The consequence denied; nothing for an impossibility, whose body is its violation.
    pub(crate) fn negated(&self) -> Option<Condition> {
        let compare = |how, left: &Expr, right: &Expr| {
            Some(Condition::Compare(how, left.clone(), right.clone()))
        };
        match &self.consequence {
            Consequence::Impossible => None,
            Consequence::Equal(left, right) => {
                compare(Comparison::Unequal, &Expr::Term(*left), &Expr::Term(*right))
            }
            // Of terms, these two are each other's negation whatever the values are.
            Consequence::Holds(Condition::Compare(
                how @ (Comparison::Equal | Comparison::Unequal),
                left @ Expr::Term(_),
                right @ Expr::Term(_),
            )) => {
                let is_equal = *how == Comparison::Equal;
                compare(if is_equal { Comparison::Unequal } else { Comparison::Equal }, left, right)
            }
            other => {
                let condition = other.as_condition()?;
                let given: BTreeSet<Var> = self.body.iter().flat_map(condition_vars).collect();
                let locals: Vec<Var> =
                    condition_vars(&condition).difference(&given).copied().collect();
                Some(Condition::None { locals, body: vec![condition] })
            }
        }
    }
}
