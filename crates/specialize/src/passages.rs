//! Passages: conditions judged in another state, taken apart for unfolding and put together again.
//!
//! In: a body. Out: one passage for each condition after a move, or one for all of them. Invariant:
//! only a step leads to exactly one state, so only what holds after steps is taken apart.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Expr, Level, Var, condition_vars};

use crate::regress::{Stage, stage_of};
use crate::simplify::Rigid;
use crate::unfold::Unfolder;

/// Does the condition, or one inside it, speak of another state?
pub(crate) fn has_passage(condition: &Condition) -> bool {
    match condition {
        Condition::Elsewhere { .. } => true,
        Condition::None { body, .. } => body.iter().any(has_passage),
        Condition::AnyOf(branches) => branches.iter().flatten().any(has_passage),
        Condition::Compare(_, left, right) => [left, right].into_iter().any(|expr| match expr {
            Expr::Count { body, .. } => body.iter().any(has_passage),
            _ => false,
        }),
        _ => false,
    }
}

impl Unfolder<'_> {
    /// What holds after a move holds condition by condition; what never changes, holds here too.
    pub(crate) fn split_passages(&self, body: &mut Vec<Condition>) {
        let is_split = |condition: &Condition| match condition {
            Condition::Elsewhere { by, body, .. } => {
                stage_of(self.knowledge.theory, by.predicate).is_some()
                    && !matches!(&body[..], [one] if !self.is_timeless(one))
            }
            _ => false,
        };
        while let Some(place) = body.iter().position(is_split) {
            let Condition::Elsewhere { by, quantifier, body: inner } = body.remove(place) else {
                unreachable!("only passages are split");
            };
            let one = |condition: Condition| {
                if self.is_timeless(&condition) {
                    return condition;
                }
                Condition::Elsewhere { by: by.clone(), quantifier, body: vec![condition] }
            };
            body.splice(place..place, inner.into_iter().map(one));
        }
    }

    /// Is it judged in the middle of a step, or after one that is being regressed?
    pub(crate) fn is_within_step(&self, condition: &Condition) -> bool {
        let Condition::Elsewhere { by, .. } = condition else { return false };
        let stage = stage_of(self.knowledge.theory, by.predicate).map(|(_, stage)| stage);
        stage.is_some_and(|stage| stage != Stage::After || self.n_regressing > 0)
    }

    /// Does it hold in all states or in none?
    fn is_timeless(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Holds(atom) => {
                self.knowledge.theory.base.predicate(atom.predicate).level == Level::Static
            }
            Condition::Compare(_, Expr::Term(_), Expr::Term(_) | Expr::Binary(..))
            | Condition::Construct { .. }
            | Condition::Member(..) => true,
            _ => false,
        }
    }

    /// Puts what holds after one move together again.
    pub(crate) fn join_passages(&self, body: &mut Vec<Condition>) {
        let mut joined: Vec<Condition> = Vec::new();
        for condition in std::mem::take(body) {
            if let Condition::Elsewhere { by, body: inner, .. } = &condition
                && stage_of(self.knowledge.theory, by.predicate).is_some()
            {
                let same = joined.iter_mut().find_map(|other| match other {
                    Condition::Elsewhere { by: twin, body, .. } if twin == by => Some(body),
                    _ => None,
                });
                if let Some(same) = same {
                    same.extend(inner.iter().cloned());
                    continue;
                }
            }
            joined.push(condition);
        }
        *body = joined;
    }
}

/// Puts what is judged elsewhere after the conditions that give its variables a value. The solver tries
/// it as soon as the passage is known, and would let them range over their domains.
pub(crate) fn order_passages(body: &mut Vec<Condition>, rigid: &Rigid) {
    let mut bound = rigid.clone();
    let mut ordered: Vec<Condition> = Vec::new();
    let mut waiting: Vec<Condition> = std::mem::take(body);
    while !waiting.is_empty() {
        let next = waiting.iter().position(|condition| is_fed(condition, &waiting, &bound));
        let condition = waiting.remove(next.unwrap_or(0));
        crate::binding::bound_by(std::slice::from_ref(&condition), &mut bound);
        ordered.push(condition);
    }
    *body = ordered;
}

/// Does nothing that waits give a value to what the condition can only test?
fn is_fed(condition: &Condition, waiting: &[Condition], bound: &BTreeSet<Var>) -> bool {
    let Condition::Elsewhere { body: inner, .. } = condition else {
        return true;
    };
    let mut after = bound.clone();
    crate::binding::bound_by(inner, &mut after);
    let mut later = after.clone();
    let others: Vec<Condition> =
        waiting.iter().filter(|other| *other != condition).cloned().collect();
    crate::binding::bound_by(&others, &mut later);
    condition_vars(condition).iter().all(|var| after.contains(var) || !later.contains(var))
}
