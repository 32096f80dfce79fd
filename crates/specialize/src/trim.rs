//! Trimming: a finished clause without what is useless in it, inside its negations and counts too.
//!
//! In: a finished clause. Out: the clause without useless conditions, and for each of them why it went.
//! Paper: metameta §3.2. Invariant: what makes a condition useless is still in the clause, or holds
//! around the body it went from.

use rulesmith_logic::{Clause, Condition, Expr, Var, condition_vars, has_var};

use crate::metarules::{LazyMiner, Removal, Store};
use crate::share::head_vars;
use crate::unfold::is_positive;

/// A condition that went, and how deep inside negations and counts it stood.
#[derive(Clone, Debug)]
pub struct Removed {
    /// What went, and why.
    pub removal: Removal,
    /// Did it stand inside a negation or a count?
    pub is_nested: bool,
}

/// Removes the useless conditions of a clause.
pub(crate) fn trim(
    store: &mut Store,
    miner: &mut LazyMiner<'_>,
    clause: &Clause,
) -> (Clause, Vec<Removed>) {
    let outside = head_vars(&clause.head);
    let dear =
        |condition: &Condition| Some(dearness(condition) + loneliness(&clause.body, condition));
    let trimmed = store.remove_useless(&clause.body, &outside, &dear, Some(miner));
    let to_removed = |removal| Removed { removal, is_nested: false };
    let mut removed: Vec<Removed> = trimmed.removals.into_iter().map(to_removed).collect();
    let body = trimmed.conditions;
    let context: Vec<Condition> = body.iter().filter(|one| is_positive(one)).cloned().collect();
    let mut trimmer = Trimmer { store, miner, removed: &mut removed };
    let body = trimmer.all_inside(&body, &context, &outside);
    (Clause { body, ..clause.clone() }, removed)
}

struct Trimmer<'t, 'f> {
    store: &'t mut Store,
    miner: &'t mut LazyMiner<'f>,
    removed: &'t mut Vec<Removed>,
}

impl Trimmer<'_, '_> {
    /// Each condition without what is useless inside it. Around all of them are these variables.
    fn all_inside(
        &mut self,
        body: &[Condition],
        context: &[Condition],
        outside: &[Var],
    ) -> Vec<Condition> {
        let inside = |(place, condition): (usize, &Condition)| {
            let others = body.iter().enumerate().filter(|(other, _)| *other != place);
            let mut outside = outside.to_vec();
            outside.extend(others.flat_map(|(_, other)| condition_vars(other)));
            self.inside(condition, context, &outside)
        };
        body.iter().enumerate().map(inside).collect()
    }

    fn inside(
        &mut self,
        condition: &Condition,
        context: &[Condition],
        outside: &[Var],
    ) -> Condition {
        match condition {
            Condition::None { locals, body } => {
                let body = self.body(body, context, outside);
                Condition::None { locals: locals.clone(), body }
            }
            Condition::Compare(comparison, left, Expr::Count { counted, body }) => {
                let outside = [outside, counted].concat();
                // What is counted does not hold around the count.
                let context: Vec<Condition> =
                    context.iter().filter(|one| *one != condition).cloned().collect();
                let body = match &body[..] {
                    [Condition::AnyOf(branches)] => {
                        let branches = branches.iter();
                        let trimmed = branches.map(|branch| self.body(branch, &context, &outside));
                        vec![Condition::AnyOf(trimmed.collect())]
                    }
                    _ => self.body(body, &context, &outside),
                };
                let count = Expr::Count { counted: counted.clone(), body };
                Condition::Compare(*comparison, left.clone(), count)
            }
            other => other.clone(),
        }
    }

    /// A nested body without what is useless in it. Around it, `context` holds, and these variables occur.
    fn body(
        &mut self,
        body: &[Condition],
        context: &[Condition],
        outside: &[Var],
    ) -> Vec<Condition> {
        let plain = |condition: &&Condition| {
            !matches!(condition, Condition::Compare(_, _, Expr::Count { .. }))
        };
        let around: Vec<Condition> = context.iter().filter(plain).cloned().collect();
        let all = [body, &around[..]].concat();
        // What holds around the body stays.
        let dear = |condition: &Condition| body.contains(condition).then(|| dearness(condition));
        let trimmed = self.store.remove_useless(&all, outside, &dear, Some(self.miner));
        let mut went = Vec::new();
        for removal in trimmed.removals {
            if body.contains(&removal.condition) && !context.contains(&removal.condition) {
                went.push(removal.condition.clone());
                self.removed.push(Removed { removal, is_nested: true });
            }
        }
        let kept: Vec<Condition> =
            body.iter().filter(|condition| !went.contains(condition)).cloned().collect();
        let kept = if kept.is_empty() { body.to_vec() } else { kept };
        let positive = kept.iter().filter(|one| is_positive(one)).cloned();
        let context: Vec<Condition> = context.iter().cloned().chain(positive).collect();
        self.all_inside(&kept, &context, outside)
    }
}

/// Has the condition a variable that only one other condition knows? Then both may go together.
fn loneliness(body: &[Condition], condition: &Condition) -> u64 {
    let is_lonely = |var: &Var| body.iter().filter(|other| has_var(other, *var)).count() <= 2;
    u64::from(condition_vars(condition).iter().any(is_lonely))
}

/// How much a condition costs to try: the dearest is tried first for removal.
fn dearness(condition: &Condition) -> u64 {
    match condition {
        Condition::Elsewhere { .. } => 10,
        Condition::None { .. } | Condition::Compare(_, _, Expr::Count { .. }) => 8,
        Condition::Member(..) => 6,
        Condition::Holds(_) => 4,
        _ => 2,
    }
}
