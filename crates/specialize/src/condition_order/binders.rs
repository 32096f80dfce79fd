//! Binders: which of the placed atoms is said to have bound the arguments of another.
//!
//! In: the atoms of a body and how many values their arguments have. Out: the pattern of an atom, with
//! the binder of each known argument. Invariant: the pattern depends on what the placed atoms say, not
//! on their order.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rulesmith_logic::{Atom, Condition, Term, Var, atom_vars};

use crate::estimates::{Argument, Binder, Estimates, Pattern};

/// Of the placed atoms with a variable this many are looked at, those that leave it the fewest values,
/// when several arguments are to be bound together.
const MOST_CANDIDATES: usize = 16;

/// The atoms of a body as binders.
#[derive(Debug)]
pub(super) struct Binders<'a> {
    atoms: Vec<Option<Candidate<'a>>>,
    /// For each variable the atoms that may bind it, those that leave it the fewest values first.
    of_variable: BTreeMap<Var, Vec<usize>>,
}

#[derive(Debug)]
struct Candidate<'a> {
    atom: &'a Atom,
    binder: Binder,
    /// How many values each argument has.
    widths: Vec<f64>,
}

impl<'a> Binders<'a> {
    pub(super) fn new(estimates: &Estimates, conditions: &'a [Condition]) -> Self {
        let atoms: Vec<Option<Candidate<'a>>> =
            conditions.iter().map(|condition| candidate(estimates, condition)).collect();
        let mut of_variable: BTreeMap<Var, Vec<usize>> = BTreeMap::new();
        for (place, candidate) in atoms.iter().enumerate() {
            for var in candidate.iter().flat_map(|candidate| atom_vars(candidate.atom)) {
                of_variable.entry(var).or_default().push(place);
            }
        }
        let mut binders = Self { atoms, of_variable: BTreeMap::new() };
        for (var, places) in &mut of_variable {
            places.sort_by(|left, right| binders.compare(*left, *right, &[(0, *var)]));
        }
        binders.of_variable = of_variable;
        binders
    }

    /// The pattern of an atom after the placed conditions.
    pub(super) fn pattern(
        &self,
        atom: &Atom,
        is_bound: &dyn Fn(Var) -> bool,
        is_placed: &dyn Fn(usize) -> bool,
    ) -> Pattern {
        let mut arguments = Vec::with_capacity(atom.args.len());
        let mut bound: Vec<(usize, Var)> = Vec::new();
        for (place, term) in atom.args.iter().enumerate() {
            let first = atom.args[..place].iter().position(|earlier| earlier == term);
            arguments.push(match (term, first) {
                (Term::Value(value), _) => Argument::Constant(*value),
                (Term::Var(_), Some(first)) => Argument::Same(first),
                (Term::Var(var), None) if is_bound(*var) => {
                    bound.push((place, *var));
                    Argument::Known
                }
                (Term::Var(_), None) => Argument::Free,
            });
        }
        let mut pattern = Pattern { predicate: atom.predicate, arguments, binders: Vec::new() };
        self.bind(&mut pattern, bound, is_placed);
        pattern
    }

    /// Says who bound the known arguments: first atoms that bound several of them together, then for
    /// each of the others the atom that leaves it the fewest values.
    fn bind(
        &self,
        pattern: &mut Pattern,
        mut bound: Vec<(usize, Var)>,
        is_placed: &dyn Fn(usize) -> bool,
    ) {
        while !bound.is_empty() {
            let most = if bound.len() == 1 { 1 } else { MOST_CANDIDATES };
            let candidates = bound.iter().flat_map(|(_, var)| {
                let places = self.of_variable.get(var).map_or(&[][..], Vec::as_slice);
                places.iter().copied().filter(|place| is_placed(*place)).take(most)
            });
            let best = candidates.min_by(|left, right| self.compare(*left, *right, &bound));
            let Some(candidate) = best.and_then(|place| self.atoms[place].as_ref()) else { return };
            let number = pattern.binders.len();
            pattern.binders.push(candidate.binder.clone());
            bound.retain(|(argument, var)| {
                let there = candidate.place_of(*var);
                if let Some(place) = there {
                    pattern.arguments[*argument] = Argument::Bound { binder: number, place };
                }
                there.is_none()
            });
        }
    }

    /// Which of two atoms is the better binder: the one that bound more of the arguments, then the
    /// one that leaves fewer values. What they say decides a tie, where they stand only if they say
    /// the same.
    fn compare(&self, left: usize, right: usize, bound: &[(usize, Var)]) -> Ordering {
        let (Some(first), Some(second)) = (&self.atoms[left], &self.atoms[right]) else {
            return left.cmp(&right);
        };
        let ((covers, width), (others, other)) = (first.judge(bound), second.judge(bound));
        let places = |candidate: &Candidate<'_>| -> Vec<Option<usize>> {
            bound.iter().map(|(_, var)| candidate.place_of(*var)).collect()
        };
        let by_merit = others.cmp(&covers).then(width.total_cmp(&other));
        let by_words =
            || first.binder.cmp(&second.binder).then_with(|| places(first).cmp(&places(second)));
        by_merit.then_with(by_words).then(left.cmp(&right))
    }
}

impl Candidate<'_> {
    fn place_of(&self, var: Var) -> Option<usize> {
        self.atom.args.iter().position(|term| *term == Term::Var(var))
    }

    /// How many of the arguments it bound together, and how many values it leaves to one of them.
    fn judge(&self, bound: &[(usize, Var)]) -> (usize, f64) {
        let places = bound.iter().filter_map(|(_, var)| self.place_of(*var));
        places.fold((0, f64::INFINITY), |(covers, narrowest), place| {
            (covers + 1, narrowest.min(self.widths[place]))
        })
    }
}

/// The condition as a binder, if it is an atom that something is known about.
fn candidate<'a>(estimates: &Estimates, condition: &'a Condition) -> Option<Candidate<'a>> {
    let Condition::Holds(atom) = condition else { return None };
    let constant = |(place, term): (usize, &Term)| match term {
        Term::Value(value) => Some((place, *value)),
        Term::Var(_) => None,
    };
    let constants = atom.args.iter().enumerate().filter_map(constant).collect();
    let binder = Binder { predicate: atom.predicate, constants };
    let widths: Option<Vec<f64>> =
        (0..atom.args.len()).map(|place| estimates.width(&binder, place)).collect();
    Some(Candidate { atom, binder, widths: widths? })
}
