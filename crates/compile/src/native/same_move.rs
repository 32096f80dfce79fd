//! One move at a time: what else a clause asks about the move that is made.
//!
//! In: the conditions of a clause that asks for a move, where one role moves at a time. Out: the same without
//! other moves in what it denies: another kind of move is not made, and a move of the same kind is the same one,
//! so that its parameters are compared. Invariant: the conditions hold of the same values.

use rulesmith_logic::{Atom, Comparison, Condition, Expr, Term, Var, substitute};
use rulesmith_rules::{MoveId, PredicateKind, Theory};

use super::waiting::Waiting;

/// The conditions with what they say of the move that is made; nothing if they can never hold.
pub(crate) fn of_same_move(
    theory: &Theory,
    waiting: Option<&Waiting>,
    body: Vec<Condition>,
) -> Option<Vec<Condition>> {
    // A role that waits makes a move too.
    let at_turn = |atom: &Atom| match theory.kinds.get(atom.predicate.0 as usize) {
        Some(PredicateKind::Does(MoveId(kind))) => {
            let mut waits = waiting.iter().flat_map(|waiting| waiting.waits.iter().flatten());
            (!waits.any(|wait| wait.as_ref().is_some_and(|wait| wait.kind == *kind)))
                .then_some(*kind)
        }
        _ => None,
    };
    let made = body.iter().find_map(|condition| match condition {
        Condition::Holds(atom) => Some((at_turn(atom)?, atom.clone())),
        _ => None,
    });
    let Some((made, by)) = made else { return Some(body) };
    let mut same = Vec::new();
    for condition in body {
        let Condition::None { locals, body } = &condition else {
            same.push(condition);
            continue;
        };
        let other = body.iter().position(|condition| match condition {
            Condition::Holds(atom) => at_turn(atom).is_some(),
            _ => false,
        });
        let Some(place) = other else {
            same.push(condition);
            continue;
        };
        let Condition::Holds(atom) = &body[place] else { continue };
        if at_turn(atom) != Some(made) {
            continue;
        }
        let rest = [&body[..place], &body[place + 1..]].concat();
        let denied = compared(atom, &by, locals.clone(), rest);
        if denied.1.is_empty() {
            return None;
        }
        same.push(Condition::None { locals: denied.0, body: denied.1 });
    }
    Some(same)
}

/// What is left of conditions that ask for a move if that is the move that is made.
fn compared(
    atom: &Atom,
    by: &Atom,
    mut locals: Vec<Var>,
    mut rest: Vec<Condition>,
) -> (Vec<Var>, Vec<Condition>) {
    let mut asked = atom.args.clone();
    for (place, own) in by.args.iter().enumerate() {
        let term = asked[place];
        match term {
            Term::Var(var) if locals.contains(&var) => {
                let put = |other: Var| if other == var { *own } else { Term::Var(other) };
                rest = rest.iter().map(|condition| substitute(condition, &put)).collect();
                asked =
                    asked.iter().map(|other| if *other == term { *own } else { *other }).collect();
                locals.retain(|local| *local != var);
            }
            term if term == *own => {}
            term => {
                rest.push(Condition::Compare(
                    Comparison::Equal,
                    Expr::Term(term),
                    Expr::Term(*own),
                ));
            }
        }
    }
    (locals, rest)
}
