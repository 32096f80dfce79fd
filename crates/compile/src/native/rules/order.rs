//! What a set plan decides before it is written: which conditions remain, and the order of the head's loops.
//!
//! In: a clause and the facts of some memories. Out: the clause without equalities and without tests that
//! the static facts make useless, and its unknown variables of the head, the one concluded as a plane last.
//! Paper: metameta §3.2 (useless conditions), §4.2 (order). Invariant: the clause holds as before.

use std::collections::BTreeSet;

use rulesmith_logic::{PredicateId, Term, Var};

use super::asked::{Asked, Clause, as_var};
use super::layout::Layout;

/// Orders of more variables than this are not compared.
const MOST_COMPARED: usize = 6;
/// The facts of so many memories are looked at.
const MOST_SAMPLES: usize = 4;

/// The clause with every equality done: one side stands for both.
pub(super) fn without_equalities(mut clause: Clause, inputs: &[Var]) -> Clause {
    let mut place = 0;
    while let Some(condition) = clause.conditions.get(place) {
        let Some((var, term)) = equality(condition, inputs) else {
            place += 1;
            continue;
        };
        clause.conditions.remove(place);
        let put = |old: &mut Term| {
            if as_var(*old) == Some(var) {
                *old = term;
            }
        };
        clause.head.iter_mut().for_each(put);
        for condition in &mut clause.conditions {
            match condition {
                Asked::Holds(_, args) => args.iter_mut().for_each(put),
                Asked::Compare { left, right, .. } => [left, right].into_iter().for_each(put),
            }
        }
    }
    clause
}

/// A variable that is no input, and the term that it is equal to.
fn equality(condition: &Asked, inputs: &[Var]) -> Option<(Var, Term)> {
    let Asked::Compare { is_same: true, left, right } = condition else { return None };
    let free = |term: &Term| as_var(*term).filter(|var| !inputs.contains(var));
    let other_way = || free(right).map(|var| (var, *left));
    free(left).map(|var| (var, *right)).or_else(other_way)
}

/// The conditions without inequalities that a static atom among them implies.
pub(super) fn without_useless(layout: &Layout, conditions: &[Asked]) -> Vec<Asked> {
    let is_useless = |condition: &&Asked| {
        let Asked::Compare { is_same: false, left, right } = condition else { return false };
        conditions.iter().any(|other| match other {
            Asked::Holds(predicate, args) if layout.is_static(*predicate) => {
                let place = |term: &Term| args.iter().position(|arg| arg == term);
                let (Some(one), Some(other)) = (place(left), place(right)) else { return false };
                let facts = layout.known_facts(*predicate);
                one != other
                    && facts.iter().all(|rows| rows.iter().all(|row| row[one] != row[other]))
            }
            _ => false,
        })
    };
    conditions.iter().filter(|condition| !is_useless(condition)).cloned().collect()
}

/// The order of loops over variables of the head that is estimated to cost least.
pub(super) fn loop_order(layout: &Layout, clause: &Clause, inputs: &[Var]) -> Vec<Var> {
    let vars: BTreeSet<Var> = clause.head.iter().filter_map(|term| as_var(*term)).collect();
    let vars: Vec<Var> = vars.into_iter().filter(|var| !inputs.contains(var)).collect();
    if vars.len() > MOST_COMPARED {
        return vars;
    }
    let mut best = (f64::INFINITY, vars.clone());
    let mut bound: BTreeSet<Var> = inputs.iter().copied().collect();
    let mut search = Search { layout, conditions: &clause.conditions, best: &mut best };
    search.extend(&mut Vec::new(), &vars, &mut bound, (1.0, 0.0));
    best.1
}

/// Goes through all orders.
struct Search<'s> {
    layout: &'s Layout,
    conditions: &'s [Asked],
    best: &'s mut (f64, Vec<Var>),
}

impl Search<'_> {
    fn extend(
        &mut self,
        order: &mut Vec<Var>,
        vars: &[Var],
        bound: &mut BTreeSet<Var>,
        (passes, cost): (f64, f64),
    ) {
        if cost >= self.best.0 {
            return;
        }
        if order.len() == vars.len() {
            *self.best = (cost, order.clone());
            return;
        }
        for var in vars {
            if order.contains(var) {
                continue;
            }
            let passes = passes * self.mean_size(*var, bound);
            // The last one is a plane, made once for each pass of the loops around it.
            let is_last = order.len() + 1 == vars.len();
            let cost = if is_last { cost } else { cost + passes };
            order.push(*var);
            bound.insert(*var);
            self.extend(order, vars, bound, (passes, cost));
            bound.remove(var);
            order.pop();
        }
    }

    /// How many values a variable has on average, by the atom that leaves fewest.
    fn mean_size(&self, var: Var, bound: &BTreeSet<Var>) -> f64 {
        let sizes = self.conditions.iter().filter_map(|condition| match condition {
            Asked::Holds(predicate, args) => self.mean_of(*predicate, args, (var, bound)),
            Asked::Compare { .. } => None,
        });
        sizes.fold(f64::MAX.sqrt().sqrt(), f64::min)
    }

    fn mean_of(
        &self,
        predicate: PredicateId,
        args: &[Term],
        (var, bound): (Var, &BTreeSet<Var>),
    ) -> Option<f64> {
        let own = args.iter().position(|term| as_var(*term) == Some(var))?;
        let is_known = |term: &Term| as_var(*term).is_none_or(|var| bound.contains(&var));
        let known: Vec<usize> = (0..args.len()).filter(|place| is_known(&args[*place])).collect();
        let (mut n_keys, mut n_pairs) = (0, 0);
        for rows in self.layout.known_facts(predicate).into_iter().take(MOST_SAMPLES) {
            let key = |row: &Vec<u32>| known.iter().map(|place| row[*place]).collect::<Vec<u32>>();
            let keys: BTreeSet<Vec<u32>> = rows.iter().map(key).collect();
            let pairs: BTreeSet<(Vec<u32>, u32)> =
                rows.iter().map(|row| (key(row), row[own])).collect();
            n_keys += keys.len();
            n_pairs += pairs.len();
        }
        let float = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
        Some(float(n_pairs) / float(n_keys.max(1)))
    }
}
