//! The arrangement of arguments: a fluent's value comes last.
//!
//! In: rules by kind and the place of each fluent's value. Out: the same rules with the values moved
//! to the end, and for each kind the order of its arguments in the text. Invariant: only the atoms of
//! fluents change, all of one kind in the same way.

use rulesmith_logic::Symbol;

use super::contradiction::Exclusion;
use super::exclusion::{Proved, Values};
use super::rule::{Formula, Functor, KifAtom, Relation, Rule};

/// For each argument of the theory its place in the text.
pub(super) fn order_of(functor: Functor, values: &Values) -> Vec<usize> {
    let value = values.get(&functor).copied();
    let mut order: Vec<usize> = (0..functor.arity).filter(|place| Some(*place) != value).collect();
    order.extend(value);
    order
}

/// What was proved, for the arranged arguments.
pub(super) fn arrange_proved(proved: &Proved) -> Proved {
    let values = &proved.values;
    let arranged = |fluent: Functor, place: usize| {
        order_of(fluent, values).iter().position(|original| *original == place).unwrap_or(place)
    };
    let exclusion = |exclusion: &Exclusion| {
        let Exclusion { fluent, keys } = exclusion;
        let keys = keys.iter().map(|&key| arranged(*fluent, key)).collect();
        Exclusion { fluent: *fluent, keys }
    };
    let few = |(&(fluent, place), few): (&(Functor, usize), &Vec<Symbol>)| {
        ((fluent, arranged(fluent, place)), few.clone())
    };
    Proved {
        values: values.clone(),
        exclusions: proved.exclusions.iter().map(exclusion).collect(),
        few_values: proved.few_values.iter().map(few).collect(),
    }
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
