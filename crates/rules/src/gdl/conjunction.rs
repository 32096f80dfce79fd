//! Rules as conjunctions: one for each way to choose among the alternatives of a body.
//!
//! In: a rule. Out: conjunctions without alternatives that together say what it says. When there
//! would be too many, the alternatives are left out: then the conjunctions say less. Invariant:
//! whenever the rule fires, one of its conjunctions holds; the other way round if they are exact.

use super::rule::{Formula, KifAtom, Rule};

/// A head and conditions without alternatives.
#[derive(Clone, Debug)]
pub(super) struct Conjunction {
    pub(super) head: KifAtom,
    pub(super) body: Vec<Formula>,
    pub(super) n_variables: u32,
    /// Does the head follow from the body?
    pub(super) is_exact: bool,
}

/// A rule with more ways to choose keeps none of its alternatives.
const MAX_CHOICES: usize = 64;

/// The conjunctions of a rule.
pub(super) fn conjunctions(rule: &Rule) -> Vec<Conjunction> {
    let n_variables =
        u32::try_from(rule.variables.len()).expect("a rule within its limits has few variables");
    let make =
        |body, is_exact| Conjunction { head: rule.head.clone(), body, n_variables, is_exact };
    if let Some(bodies) = choices(&rule.body) {
        return bodies.into_iter().map(|body| make(body, true)).collect();
    }
    let is_plain = |formula: &&Formula| !matches!(formula, Formula::AnyOf(_));
    vec![make(rule.body.iter().filter(is_plain).cloned().collect(), false)]
}

/// All ways to choose one alternative everywhere; `None` when there are too many.
pub(super) fn choices(body: &[Formula]) -> Option<Vec<Vec<Formula>>> {
    let mut bodies = vec![Vec::new()];
    for formula in body {
        let Formula::AnyOf(branches) = formula else {
            for body in &mut bodies {
                body.push(formula.clone());
            }
            continue;
        };
        let mut ways = Vec::new();
        for branch in branches {
            ways.extend(choices(branch)?);
            if ways.len() * bodies.len() > MAX_CHOICES {
                return None;
            }
        }
        let extend = |body: &Vec<Formula>| {
            let body = body.clone();
            ways.iter().map(move |way| [body.as_slice(), way].concat()).collect::<Vec<_>>()
        };
        bodies = bodies.iter().flat_map(extend).collect();
    }
    Some(bodies)
}
