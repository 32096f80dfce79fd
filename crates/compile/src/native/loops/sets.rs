//! Conditions about one unknown thing: sets.
//!
//! In: conditions. Out: the set of numbers that make them hold, joined with the sets of those that follow.
//! Invariant: the set is over the domain that the first condition numbers the unknown by.

use rulesmith_kernel::Set;
use rulesmith_logic::{Comparison, Condition, DomainId, Expr, Source, Term, Var};
use rulesmith_rules::PredicateKind;

use super::super::Obstacle;
use super::super::classes::mask;
use super::super::optimizations::Optimization;
use super::held::{Held, Spot};
use super::lower::Lowering;

/// Conditions joined to one set.
pub(super) struct Joined {
    pub(super) var: Var,
    pub(super) domain: DomainId,
    pub(super) set: Set,
    /// How many of the conditions are in it.
    pub(super) n_conditions: usize,
}

impl Lowering<'_, '_> {
    /// As many of the first conditions as ask about one and the same unknown thing.
    pub(super) fn joined(&mut self, conditions: &[&Condition]) -> Result<Option<Joined>, Obstacle> {
        let Some((first, rest)) = conditions.split_first() else { return Ok(None) };
        let Some(var) = self.only_unknown(first) else { return Ok(None) };
        let Some((domain, mut set)) = self.set(first, var, None)? else { return Ok(None) };
        let mut n_conditions = 1;
        for condition in rest {
            if self.only_unknown(condition) != Some(var) || !self.has(Optimization::SetsJoined) {
                break;
            }
            let Some((_, other)) = self.set(condition, var, Some(domain))? else { break };
            set = match other {
                // What is outside of a set is taken away rather than kept out of all.
                Set::Without(all, out) if matches!(*all, Set::Mask(_)) => {
                    Set::Without(Box::new(set), out)
                }
                other => set & other,
            };
            n_conditions += 1;
        }
        Ok(Some(Joined { var, domain, set, n_conditions }))
    }

    /// The one unknown variable of a condition, if it occurs once.
    fn only_unknown(&self, condition: &Condition) -> Option<Var> {
        let unknown = match condition {
            Condition::Holds(atom) => self.unknown(&atom.args),
            Condition::Member(term, _) => self.unknown([term]),
            Condition::Compare(_, Expr::Term(left), Expr::Term(right)) => {
                self.unknown([left, right])
            }
            Condition::None { locals, body } if locals.is_empty() => match body.as_slice() {
                [condition] => return self.only_unknown(condition),
                _ => return None,
            },
            _ => return None,
        };
        match unknown.as_slice() {
            [var] => Some(*var),
            _ => None,
        }
    }

    /// The set of numbers that make a condition hold, in a given domain if one is given.
    fn set(
        &mut self,
        condition: &Condition,
        var: Var,
        domain: Option<DomainId>,
    ) -> Result<Option<(DomainId, Set)>, Obstacle> {
        let fits = |own: DomainId| domain.is_none_or(|domain| domain == own);
        match condition {
            Condition::Holds(atom) => {
                let Some((own, set)) = self.atom_set(atom, var, domain.is_some())? else {
                    return Ok(None);
                };
                Ok(fits(own).then_some((own, set)))
            }
            Condition::Member(_, own) => {
                let to = domain.unwrap_or(*own);
                let places = self.setting.domains.translation(*own, to);
                let bits = mask(self.setting.domains.width(to), places.into_iter().flatten());
                Ok(Some((to, Set::Mask(bits))))
            }
            Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
                let Some(domain) = domain else { return Ok(None) };
                let other = if *left == Term::Var(var) { right } else { left };
                let is_equal = match comparison {
                    Comparison::Equal => true,
                    Comparison::Unequal => false,
                    _ => return Ok(None),
                };
                let Some(held) = self.held(*other) else { return Ok(None) };
                Ok(self.single(held, domain).map(|single| {
                    let all = || Set::Mask(self.setting.domains.all(domain));
                    (domain, if is_equal { single } else { all() - single })
                }))
            }
            Condition::None { body, .. } => {
                let (Some(domain), [condition]) = (domain, body.as_slice()) else {
                    return Ok(None);
                };
                let set = self.set(condition, var, Some(domain))?;
                let all = Set::Mask(self.setting.domains.all(domain));
                Ok(set.map(|(_, set)| (domain, all - set)))
            }
            _ => Ok(None),
        }
    }

    fn single(&mut self, held: Held, domain: DomainId) -> Option<Set> {
        let width = self.setting.domains.width(domain);
        if let Held::Number(_) = held {
            return None;
        }
        match self.spot_of(held, domain).ok()? {
            Spot::Known(word) | Spot::Maybe(word) => Some(Set::single(width, word)),
            Spot::Never => Some(Set::Mask(vec![0; usize::from(width)])),
            Spot::Unknown(_) => None,
        }
    }

    /// The set of an atom. A static function is looked up rather than joined, unless it joins others.
    fn atom_set(
        &mut self,
        atom: &rulesmith_logic::Atom,
        var: Var,
        is_joining: bool,
    ) -> Result<Option<(DomainId, Set)>, Obstacle> {
        let place = atom.args.iter().position(|term| *term == Term::Var(var));
        let Some(place) = place else { return Ok(None) };
        let mut guards = Vec::new();
        if let Some(stored) = self.stored(atom.predicate) {
            if stored.keyed != [place] || stored.is_one_word() || stored.is_listed() {
                return Ok(None);
            }
            let plane = self.plane_of(&stored, &atom.args, &mut guards)?;
            let domain = stored.columns[place];
            return Ok(plane.filter(|_| guards.is_empty()).map(|plane| (domain, plane)));
        }
        if let Source::Component(id, part) = self.setting.source(atom.predicate) {
            return self.part_set((id, part), &atom.args, place);
        }
        if let Some(PredicateKind::Does(_)) =
            self.setting.theory.kinds.get(atom.predicate.0 as usize)
        {
            return Ok(None);
        }
        if self.setting.is_called(atom.predicate) {
            return Ok(None);
        }
        let relation = self.setting.relation(atom.predicate)?;
        let known: Vec<usize> = (0..atom.args.len()).filter(|column| *column != place).collect();
        let row = self.number((&atom.args, &relation.columns), &known, &mut guards)?;
        let Some(row) = row.filter(|_| guards.is_empty()) else { return Ok(None) };
        if !is_joining && self.setting.function(&relation, &known, place).is_some() {
            return Ok(None);
        }
        let table = self.setting.masks(&relation, &known, place)?;
        Ok(Some((relation.columns[place], Set::row(table.place(self.tables), row))))
    }
}
