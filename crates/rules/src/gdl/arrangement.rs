//! The arrangement of arguments: a fluent's value comes last.
//!
//! In: rules by kind and the place of each fluent's value. Out: the same rules with the values moved
//! to the end, and for each kind the order of its arguments in the text. Invariant: only the atoms of
//! fluents change, all of one kind in the same way.

use super::contradiction::Exclusion;
use super::exclusion::Values;
use super::rule::{Formula, Functor, KifAtom, Relation, Rule};

/// For each argument of the theory its place in the text.
pub(super) fn order_of(functor: Functor, values: &Values) -> Vec<usize> {
    let value = values.get(&functor).copied();
    let mut order: Vec<usize> = (0..functor.arity).filter(|place| Some(*place) != value).collect();
    order.extend(value);
    order
}

/// The exclusion for the arranged arguments.
pub(super) fn arrange_exclusion(exclusion: &Exclusion, values: &Values) -> Exclusion {
    let order = order_of(exclusion.fluent, values);
    let keys = (0..order.len()).filter(|place| exclusion.keys.contains(&order[*place])).collect();
    Exclusion { fluent: exclusion.fluent, keys }
}

/// Moves the values of all fluents to the end.
pub(super) fn arrange(rules: &mut [Rule], values: &Values) {
    for rule in rules {
        arrange_atom(&mut rule.head, values);
        rule.body.iter_mut().for_each(|formula| arrange_formula(formula, values));
    }
}

fn arrange_formula(formula: &mut Formula, values: &Values) {
    match formula {
        Formula::Holds(atom) | Formula::Fails(atom) => arrange_atom(atom, values),
        Formula::Equal(..) | Formula::Distinct(..) => {}
        Formula::AnyOf(branches) => {
            branches.iter_mut().flatten().for_each(|formula| arrange_formula(formula, values));
        }
    }
}

fn arrange_atom(atom: &mut KifAtom, values: &Values) {
    let (Relation::InitOf(functor) | Relation::HoldsOf(functor) | Relation::NextOf(functor)) =
        atom.relation
    else {
        return;
    };
    if let Some(&value) = values.get(&functor) {
        let value = atom.args.remove(value);
        atom.args.push(value);
    }
}
