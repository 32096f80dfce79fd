//! Implication: whether one metarule says what another one says.
//!
//! In: a metarule with its pattern, the body of another one and a consequence. Out: whether the first says that the
//! consequence follows from that body. Invariant: a yes is certain.

use rulesmith_logic::{Flow, Term, Var};

use super::dependency::{Consequence, Metarule};
use super::matching::{Binding, Pattern, Target, unify_consequences};

/// Does the metarule, whose body is this pattern, say that the consequence follows from the target?
pub(crate) fn implies(
    metarule: &Metarule,
    pattern: &Pattern,
    target: &Target<'_>,
    consequence: &Consequence,
) -> bool {
    let n_variables = metarule.variables.len();
    match (&metarule.consequence, consequence) {
        (Consequence::Impossible, _) => pattern.embeds(target),
        (Consequence::Within(var, few), Consequence::Within(other, many)) => {
            few.iter().all(|value| many.contains(value))
                && embeds(pattern, target, &start_with(*var, Term::Var(*other), n_variables))
        }
        (general, special) if general.kind() == special.kind() => {
            let conclusions = general.as_condition().zip(special.as_condition());
            conclusions.is_some_and(|(general, special)| {
                unify_consequences(&general, &special, n_variables)
                    .iter()
                    .any(|start| embeds(pattern, target, start))
            })
        }
        _ => false,
    }
}

fn embeds(pattern: &Pattern, target: &Target<'_>, start: &Binding) -> bool {
    pattern.each_embedding(target, start, &mut |_| Flow::Enough) == Flow::Enough
}

fn start_with(var: Var, term: Term, n_variables: usize) -> Binding {
    let mut start = vec![None; n_variables];
    if let Some(place) = start.get_mut(usize::from(var.0)) {
        *place = Some(term);
    }
    start
}
