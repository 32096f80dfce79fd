//! Useless conditions: what a finished clause can do without.
//!
//! In: the conditions of a clause that is finished. Out: those it needs, and for each of the others
//! the metarule and the conditions that make it useless. Paper: metameta §3.2. Invariant: conditions
//! go one at a time, and what makes one useless is still present when it goes; two conditions that
//! justify each other never both go. A condition that binds a variable goes only if another binds it.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Flow, Term, Var, condition_vars, has_var, substitute,
};
use rustc_hash::FxHashSet;

use super::canonical::{Key, place_key};
use super::dependency::{Consequence, Family, Metarule, Use};
use super::general::{GeneralRule, is_implied};
use super::lazy::{LazyMiner, Question};
use super::matching::{Binding, Pattern, Target, kind, unify_consequences};
use super::store::{By, Effect, Store};
use crate::static_facts::own_vars;

/// A condition that went.
#[derive(Clone, Debug)]
pub struct Removal {
    /// The condition.
    pub condition: Condition,
    /// What made it useless.
    pub by: By,
    /// The conditions that imply it; they were still there.
    pub support: Vec<Condition>,
}

/// A clause body without useless conditions.
#[derive(Clone, Debug)]
pub struct Trimmed {
    /// The conditions that stay, in their order.
    pub conditions: Vec<Condition>,
    /// Those that went, in the order they went.
    pub removals: Vec<Removal>,
}

/// What the conditions of a body imply together.
#[derive(Default)]
struct Outlook {
    ghosts: Vec<Condition>,
    /// Also those of the conditions that others imply.
    implied: FxHashSet<Key>,
    /// What became of the variables that did not stay.
    substitution: BTreeMap<Var, Term>,
}

impl Store {
    /// Removes useless conditions one at a time, the dearest first; those without a price stay. `outside`
    /// are the variables of the head; with a miner, static conditions are also tried against the facts, and what is learned
    /// is added.
    pub fn remove_useless(
        &mut self,
        conditions: &[Condition],
        outside: &[Var],
        dearness: &dyn Fn(&Condition) -> Option<u64>,
        mut miner: Option<&mut LazyMiner<'_>>,
    ) -> Trimmed {
        let may_be_tried = |part: &&Condition| dearness(part).is_some();
        let mut order: Vec<Condition> = conditions.iter().filter(may_be_tried).cloned().collect();
        order.sort_by_cached_key(|part| std::cmp::Reverse((dearness(part), place_key(part))));
        let mut left: Vec<Condition> = conditions.to_vec();
        let outlook = self.outlook(conditions, &order);
        let mut removals = Vec::new();
        // What went may have been the last to ask about what another one binds.
        loop {
            let n_removals = removals.len();
            for condition in &order {
                let Some(place) = left.iter().position(|part| part == condition) else { continue };
                let clause = Question { body: &left, place, outside };
                if !may_go(clause) {
                    continue;
                }
                let reason = self.reason(clause, outlook.as_ref());
                if let Some(removal) = reason.or_else(|| self.learn(clause, miner.as_deref_mut())) {
                    self.count(removal.by, Use::Removal);
                    left.remove(place);
                    removals.push(removal);
                }
            }
            while let Some(pair) = self.linked_to_border(&left, outside) {
                left.retain(|one| pair.iter().all(|removal| removal.condition != *one));
                self.count(By::General(GeneralRule::Border), Use::Removal);
                removals.extend(pair);
            }
            if removals.len() == n_removals {
                return Trimmed { conditions: left, removals };
            }
        }
    }

    /// An element of a component and its link to a point of the border, if nothing else asks about the
    /// element: there is always one.
    fn linked_to_border(&self, body: &[Condition], outside: &[Var]) -> Option<[Removal; 2]> {
        if !self.families().has(Family::General) {
            return None;
        }
        let atoms = || {
            body.iter().filter_map(|condition| match condition {
                Condition::Holds(atom) => Some((condition, atom)),
                _ => None,
            })
        };
        let is_own = |var: Var| {
            let asking = body.iter().filter(|condition| has_var(condition, var));
            !outside.contains(&var) && asking.count() == 2
        };
        let removal = |condition: &Condition, border: &Condition| Removal {
            condition: condition.clone(),
            by: By::General(GeneralRule::Border),
            support: vec![border.clone()],
        };
        for law in &self.declarations.borders {
            for (border, on) in atoms().filter(|(_, atom)| atom.predicate == law.border) {
                let elements = atoms().filter(|(_, atom)| {
                    atom.predicate == law.element && atom.args[0] == on.args[0]
                });
                for (element, own) in elements {
                    let Term::Var(var) = own.args[1] else { continue };
                    let ends = [own.args[1], on.args[1]];
                    let is_link = |atom: &Atom| {
                        let other = [ends[1], ends[0]];
                        atom.predicate == law.link
                            && (atom.args[..] == ends || atom.args[..] == other)
                    };
                    let link = atoms().find(|(_, atom)| is_link(atom));
                    if let (Some((link, _)), true) = (link, is_own(var)) {
                        return Some([removal(element, border), removal(link, border)]);
                    }
                }
            }
        }
        None
    }

    /// Why the condition can go, by what is known. The outlook tells in most cases that there is no reason.
    fn reason(&self, clause: Question<'_>, outlook: Option<&Outlook>) -> Option<Removal> {
        let condition = clause.body[clause.place].clone();
        let all: Vec<&Condition> = clause.body.iter().collect();
        if self.families().has(Family::General)
            && is_implied(&self.declarations, &all, clause.place)
        {
            let by = By::General(match condition {
                Condition::Member(..) => GeneralRule::Sorts,
                _ => GeneralRule::Comparison,
            });
            return Some(Removal { condition, by, support: Vec::new() });
        }
        if outlook.is_some_and(|outlook| !self.may_have_reason(outlook, clause)) {
            return None;
        }
        let mut rest = clause.body.to_vec();
        rest.remove(clause.place);
        let chased = self.chase(&rest);
        if chased.is_impossible || !chased.substitution.is_empty() {
            return None;
        }
        let key = place_key(&condition);
        let is_it =
            |effect: &Effect| matches!(effect, Effect::Ghost(ghost) if place_key(ghost) == key);
        if let Some(step) = chased.steps.iter().find(|step| is_it(&step.effect)) {
            return Some(Removal { condition, by: step.by, support: step.support.clone() });
        }
        let around: Vec<&Condition> = rest.iter().chain(&chased.ghosts).collect();
        self.active_matches().find_map(|(id, metarule, pattern)| {
            let support = has_match(metarule, pattern, clause, &around)?;
            Some(Removal { condition: condition.clone(), by: By::Metarule(id), support })
        })
    }

    /// What follows from all conditions together, as far as it may be one of those that are tried: what follows from fewer of
    /// them is among it.
    fn outlook(&self, conditions: &[Condition], tried: &[Condition]) -> Option<Outlook> {
        let kinds: BTreeSet<u32> = tried.iter().map(kind).collect();
        let may_be_tried = |metarule: &Metarule| match &metarule.consequence {
            Consequence::Holds(said) => kinds.contains(&kind(said)),
            Consequence::HasMatch(said) => tried.iter().any(|condition| may_say(said, condition)),
            _ => false,
        };
        if !self.active().any(|(_, metarule, _)| may_be_tried(metarule)) {
            return Some(Outlook::default());
        }
        let chased = self.chase(conditions);
        if chased.is_impossible {
            return None;
        }
        let all: Vec<&Condition> = chased.conditions.iter().chain(&chased.ghosts).collect();
        let target = Target::new(all.iter().copied());
        let mut implied = FxHashSet::default();
        for (_, metarule, pattern) in self.active() {
            let Consequence::Holds(said) = &metarule.consequence else { continue };
            if !may_be_tried(metarule) {
                continue;
            }
            pattern.each_embedding(&target, &[], &mut |embedding| {
                let of = |var: Var| embedding.binding.get(usize::from(var.0)).copied().flatten();
                let said = substitute(said, &|var| of(var).unwrap_or(Term::Var(var)));
                let key = place_key(&said);
                let is_itself = |place: &usize| place_key(all[*place]) == key;
                if !embedding.places.iter().flatten().any(is_itself) {
                    implied.insert(key);
                }
                Flow::More
            });
        }
        Some(Outlook { ghosts: chased.ghosts, implied, substitution: chased.substitution })
    }

    /// May there be a reason for the condition to go, by what is known?
    fn may_have_reason(&self, outlook: &Outlook, clause: Question<'_>) -> bool {
        let condition = &clause.body[clause.place];
        let map = |var: Var| outlook.substitution.get(&var).copied().unwrap_or(Term::Var(var));
        if outlook.implied.contains(&place_key(&substitute(condition, &map))) {
            return true;
        }
        let around: Vec<&Condition> = others(clause).chain(&outlook.ghosts).collect();
        self.active_matches().any(|(_, metarule, pattern)| match &metarule.consequence {
            Consequence::HasMatch(said) if outlook.substitution.is_empty() => {
                may_say(said, condition) && has_match(metarule, pattern, clause, &around).is_some()
            }
            Consequence::HasMatch(said) => may_say(said, condition),
            _ => false,
        })
    }

    /// Why the condition can go, by matching against the facts.
    fn learn(
        &mut self,
        clause: Question<'_>,
        miner: Option<&mut LazyMiner<'_>>,
    ) -> Option<Removal> {
        if !self.families().has(Family::Useless) {
            return None;
        }
        let learned = miner?.useless(clause)?;
        let id = self.add(learned);
        let rest: Vec<&Condition> = others(clause).collect();
        let (metarule, pattern) = self.active_entry(id)?;
        let support = match &metarule.consequence {
            Consequence::Holds(said) => {
                let condition = &clause.body[clause.place];
                let starts = unify_consequences(said, condition, metarule.variables.len());
                support_of(pattern, &rest, &starts)
            }
            _ => has_match(metarule, pattern, clause, &rest),
        };
        let condition = clause.body[clause.place].clone();
        Some(Removal { condition, by: By::Metarule(id), support: support? })
    }
}

/// The conditions that the body of a metarule about matches falls on, if it applies: its free
/// variables must stand for variables that occur nowhere else.
fn has_match(
    metarule: &Metarule,
    pattern: &Pattern,
    clause: Question<'_>,
    around: &[&Condition],
) -> Option<Vec<Condition>> {
    let Consequence::HasMatch(general) = &metarule.consequence else { return None };
    let condition = &clause.body[clause.place];
    let starts = unify_consequences(general, condition, metarule.variables.len());
    if starts.is_empty() {
        return None;
    }
    let used = used_elsewhere(clause);
    let bound: BTreeSet<Var> = metarule.body.iter().flat_map(condition_vars).collect();
    let is_free = |start: &Binding| {
        let free = own_vars(general).into_iter().filter(|var| !bound.contains(var));
        let images: Vec<_> = free.map(|var| start[usize::from(var.0)]).collect();
        let distinct: BTreeSet<_> = images.iter().collect();
        let is_unused =
            |image: &Option<Term>| matches!(image, Some(Term::Var(var)) if !used.contains(var));
        distinct.len() == images.len() && images.iter().all(is_unused)
    };
    let starts: Vec<Binding> = starts.into_iter().filter(is_free).collect();
    support_of(pattern, around, &starts)
}

/// The conditions that the pattern falls on, if it does so from one of these starts.
fn support_of(
    pattern: &Pattern,
    around: &[&Condition],
    starts: &[Binding],
) -> Option<Vec<Condition>> {
    let target = Target::new(around.iter().copied());
    starts.iter().find_map(|start| {
        let mut support = None;
        pattern.each_embedding(&target, start, &mut |embedding| {
            let places = embedding.places.iter().flatten();
            support = Some(places.map(|&place| around[place].clone()).collect());
            Flow::Enough
        });
        support
    })
}

/// The other conditions of the clause.
fn others(clause: Question<'_>) -> impl Iterator<Item = &Condition> {
    let is_other = move |(place, _): &(usize, &Condition)| *place != clause.place;
    clause.body.iter().enumerate().filter(is_other).map(|(_, condition)| condition)
}

/// At a glance: may the one be the other?
fn may_say(general: &Condition, special: &Condition) -> bool {
    match (general, special) {
        (Condition::Holds(general), Condition::Holds(special)) => {
            general.predicate == special.predicate
        }
        _ => std::mem::discriminant(general) == std::mem::discriminant(special),
    }
}

fn used_elsewhere(clause: Question<'_>) -> BTreeSet<Var> {
    others(clause).flat_map(condition_vars).chain(clause.outside.iter().copied()).collect()
}

/// Is every variable the condition may bind also bound by another, or used by no other?
fn may_go(clause: Question<'_>) -> bool {
    let condition = &clause.body[clause.place];
    let binds = |part: &Condition| match part {
        Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => true,
        Condition::Compare(comparison, left, right) => {
            *comparison == Comparison::Equal
                && !matches!((left, right), (Expr::Count { .. }, _) | (_, Expr::Count { .. }))
        }
        Condition::None { .. } | Condition::AnyOf(_) | Condition::Elsewhere { .. } => false,
    };
    if matches!(condition, Condition::AnyOf(_) | Condition::Elsewhere { .. }) {
        return false;
    }
    if !binds(condition) {
        return true;
    }
    let used = used_elsewhere(clause);
    let is_atom = |part: &&Condition| matches!(part, Condition::Holds(_));
    let bound: BTreeSet<Var> = others(clause).filter(is_atom).flat_map(condition_vars).collect();
    own_vars(condition).iter().all(|var| bound.contains(var) || !used.contains(var))
}
