//! The core of a clause: its body without conditions that the others already say.
//!
//! In: a clause that survived reduction. Out: the clause without every condition that a mapping of the
//! clause into the rest of itself makes redundant. Done last, since what is dropped here may help to
//! match before. Invariant: the answers are the same in every world.

use std::collections::BTreeSet;

use rulesmith_logic::{Clause, Condition, Var, atom_vars, condition_vars};

use crate::literal::{Key, Literal, asked_first, asked_literals, offered_literals};
use crate::ranging::{bind, ranging_vars};
use crate::subsumption::{Asked, Containment, Offered, map_into};
use crate::variants::canonical;

/// A clause and what it did without.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The clause in canonical form, without what is redundant.
    pub clause: Clause,
    /// The conditions dropped, in the order they were, over the variables of the clause they were
    /// dropped from.
    pub dropped: Vec<Condition>,
}

/// Drops conditions, one at a time, as long as the clause maps into what is left of it.
pub fn minimize(clause: &Clause, step_limit: u64) -> Minimized {
    let mut clause = canonical(clause).clause;
    let mut dropped = Vec::new();
    let mut needed = vec![false; clause.body.len()];
    while let Some((place, smaller)) = smaller_clause(&clause, &mut needed, step_limit) {
        dropped.push(clause.body[place].clone());
        needed.remove(place);
        clause = smaller;
    }
    Minimized { clause: canonical(&clause).clause, dropped }
}

/// The clause without its first redundant condition. What is `needed` stays so when others are dropped:
/// a clause that maps into less of itself would have mapped into more. What only keeps a variable bound
/// may be needed no longer, and is looked at again.
fn smaller_clause(
    clause: &Clause,
    needed: &mut [bool],
    step_limit: u64,
) -> Option<(usize, Clause)> {
    let literals = asked_literals(clause);
    let ranging = ranging_vars(&clause.head, &clause.body);
    (0..clause.body.len()).find_map(|place| {
        if needed[place] || !has_rival(&clause.body[place], &literals) {
            return None;
        }
        let mut smaller = clause.clone();
        let condition = smaller.body.remove(place);
        if frees_variable(&ranging, &smaller, &condition) {
            return None;
        }
        let offered = offered_literals(&smaller, &[]);
        let offered = Offered { clause: &smaller, literals: &offered };
        let asked = asked_first(clause, place);
        let verdict = map_into(Asked { clause, literals: &asked }, offered, step_limit);
        needed[place] = verdict != Containment::Contained;
        (!needed[place]).then_some((place, smaller))
    })
}

/// Is there a variable that the condition alone binds? Without it, it would range over its whole domain,
/// or belong to the one negation that mentions it.
fn frees_variable(before: &[Var], smaller: &Clause, condition: &Condition) -> bool {
    let after = ranging_vars(&smaller.head, &smaller.body);
    let mut bound: BTreeSet<Var> = atom_vars(&smaller.head);
    bind(&smaller.body, &mut bound);
    let mut left: BTreeSet<Var> = smaller.body.iter().flat_map(condition_vars).collect();
    left.retain(|var| !bound.contains(var));
    after.iter().any(|var| !before.contains(var))
        || condition_vars(condition).iter().any(|var| left.contains(var))
}

/// Could another condition take its place? Most conditions are the only ones of their predicate.
fn has_rival(condition: &Condition, literals: &[Literal]) -> bool {
    match condition {
        Condition::Holds(atom) => {
            let key = Key::Holds(atom.predicate);
            literals.iter().filter(|literal| literal.key == key).count() > 1
        }
        _ => true,
    }
}
