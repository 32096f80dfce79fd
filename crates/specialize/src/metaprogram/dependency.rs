//! Pure filters as dependencies: what can be proved on the facts of a domain.
//!
//! In: a metarule. Out: a body and what follows from it, when the metarule says nothing but that.
//! Invariant: if the dependency is true in a domain, carrying out the metarule changes no answers there.

use rulesmith_logic::{Condition, Term, Var, condition_vars};
use rulesmith_rules::{Action, Metacondition, Metarule, Quoted};

/// What follows from the body of a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The body never holds.
    Impossible,
    /// The two terms are equal.
    Equal(Term, Term),
    /// The condition holds.
    Holds(Condition),
}

/// The dependency a metarule states: flat conditions over its variables by number, and what follows.
/// `None` unless it looks at the conditions of one rule only and does one thing to that rule.
pub fn as_dependency(metarule: &Metarule) -> Option<(Vec<Condition>, Consequence)> {
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
        Action::Impossible(_) | Action::Kill(..) => Consequence::Impossible,
        Action::Unify(_, left, right) => Consequence::Equal(*left, *right),
        Action::Useless(_, Quoted::Pattern(useless)) => {
            // That it is there is not what makes it hold.
            let place = body.iter().position(|pattern| pattern == useless)?;
            body.remove(place);
            let given: Vec<Var> = body.iter().flat_map(condition_vars).collect();
            if condition_vars(useless).iter().any(|var| !given.contains(var)) {
                return None;
            }
            Consequence::Holds(useless.clone())
        }
        _ => return None,
    };
    Some((body, consequence))
}
