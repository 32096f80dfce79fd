//! What floods need: the members of components as planes, and their links as shifts.
//!
//! In: a component's definition. Out: sets. Invariant: members are a fluent's keys with some of its values;
//! other definitions are an obstacle.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rulesmith_kernel::{Set, Word};
use rulesmith_logic::{
    Comparison, Component, ComponentId, Condition, DomainId, Expr, PredicateId, Term, Value,
};
use rulesmith_rules::PredicateKind;

use super::super::Obstacle;
use super::super::classes::mask;
use super::setting::Setting;
use super::stored::Stored;

/// The components of one kind.
#[derive(Clone, Debug)]
pub(super) struct Floods {
    pub(super) id: ComponentId,
    /// The domain of the elements.
    pub(super) domain: DomainId,
    pub(super) width: u16,
    pub(super) n_elements: u32,
    /// The fluent whose keys they are.
    pub(super) fluent: PredicateId,
    /// The domain of what they share.
    pub(super) shared: Option<DomainId>,
    pub(super) members: Stored,
    /// The slices of the fluent whose keys belong to components.
    pub(super) slices: Vec<u32>,
    /// For each distance the elements that are linked so far up.
    links: BTreeMap<i32, Vec<u64>>,
}

/// Links of more distances than this are no shifts.
const LINKS_LIMIT: usize = 32;

impl Floods {
    pub(super) fn new(setting: &Setting<'_>, id: ComponentId) -> Result<Self, Obstacle> {
        let component = setting.theory.base.component(id);
        let odd = || Obstacle::new("components of something that is not one fluent");
        let mut fluent = None;
        let mut excluded: Vec<Value> = Vec::new();
        let mut within: Vec<(Term, DomainId)> = Vec::new();
        for condition in &component.body {
            match condition {
                Condition::Holds(atom) if fluent.is_none() => fluent = Some(atom),
                Condition::Compare(Comparison::Unequal, Expr::Term(one), Expr::Term(other)) => {
                    match (one, other) {
                        (Term::Var(var), Term::Value(value))
                        | (Term::Value(value), Term::Var(var))
                            if Some(*var) == component.shared =>
                        {
                            excluded.push(*value);
                        }
                        _ => return Err(odd()),
                    }
                }
                Condition::Member(term, domain) => within.push((*term, *domain)),
                _ => return Err(odd()),
            }
        }
        let atom = fluent.ok_or_else(odd)?;
        let Some(PredicateKind::Fluent(fluent)) =
            setting.theory.kinds.get(atom.predicate.0 as usize)
        else {
            return Err(odd());
        };
        let members = setting.fluent(*fluent);
        if members.keyed != [0] || atom.args[0] != Term::Var(component.element) {
            return Err(odd());
        }
        let domain = members.columns[0];
        let values = members.columns.get(1).copied();
        let slices = match (atom.args.get(1), values) {
            (None, _) => vec![0],
            (Some(Term::Value(value)), Some(values)) => {
                setting.domains.place(values, *value).into_iter().collect()
            }
            (Some(Term::Var(var)), Some(values)) if Some(*var) == component.shared => {
                let excluded: Vec<u32> = excluded
                    .iter()
                    .filter_map(|value| setting.domains.place(values, *value))
                    .collect();
                (0..setting.domains.len(values)).filter(|slice| !excluded.contains(slice)).collect()
            }
            _ => return Err(odd()),
        };
        let slices = within_domains(setting, component, (&within, domain, values), slices)
            .ok_or_else(odd)?;
        if !is_in_order(setting, domain) {
            return Err(Obstacle::new("elements that are not in order"));
        }
        let links = links(setting, component.link, domain)?;
        let shared = component.shared.and(values);
        let width = setting.domains.width(domain);
        let (n_elements, fluent) = (setting.domains.len(domain), atom.predicate);
        Ok(Self { id, domain, width, n_elements, fluent, shared, members, slices, links })
    }

    /// All that is linked to something in a set, and perhaps numbers beyond the last element: for sets that are
    /// joined with others. Links that would lead there need no mask.
    pub(super) fn around(&self, set: &Set) -> Set {
        let n_elements = i64::from(self.n_elements);
        let whole = self.links.iter().map(|(distance, sources)| {
            let has = |place: u32| sources[place as usize / 64] >> (place % 64) & 1 == 1;
            let leads_out = |place: u32| {
                let target = i64::from(place) + i64::from(*distance);
                !(0..n_elements).contains(&target)
            };
            let set = set.clone();
            let needs_mask = (0..self.n_elements).any(|place| !has(place) && !leads_out(place));
            let set = if needs_mask { set & Set::Mask(sources.clone()) } else { set };
            set.shift(*distance)
        });
        let none = || Set::Mask(vec![0; usize::from(self.width)]);
        whole.reduce(|all, one| all | one).unwrap_or_else(none)
    }

    /// All that is linked to something in a set.
    pub(super) fn neighbours(&self, set: &Set) -> Set {
        let whole = self
            .links
            .iter()
            .map(|(distance, sources)| (set.clone() & Set::Mask(sources.clone())).shift(*distance));
        let none = || Set::Mask(vec![0; usize::from(self.width)]);
        whole.reduce(|all, one| all | one).unwrap_or_else(none)
    }

    /// For each element the words of what it is linked to.
    pub(super) fn neighbour_rows(&self) -> Vec<u64> {
        let width = usize::from(self.width);
        let mut words = vec![0; width * self.n_elements as usize];
        for (distance, sources) in &self.links {
            for place in 0..self.n_elements {
                if sources[place as usize / 64] >> (place % 64) & 1 == 1 {
                    let other = place.wrapping_add_signed(*distance) as usize;
                    words[place as usize * width + other / 64] |= 1 << (other % 64);
                }
            }
        }
        words
    }

    /// Everything that belongs to a component.
    pub(super) fn all_members(&self) -> Set {
        let planes = self.slices.iter().map(|slice| self.members.plane_of_slice(*slice));
        let none = || Set::Mask(vec![0; usize::from(self.width)]);
        planes.reduce(|all, one| all | one).unwrap_or_else(none)
    }

    /// The members that share a value.
    pub(super) fn members_with(&self, value: Word) -> Set {
        self.allowed_only(self.members.plane_at(value))
    }

    /// A plane of the fluent, less what belongs to no component.
    fn allowed_only(&self, set: Set) -> Set {
        if self.slices.len() == self.members.n_slices as usize {
            set
        } else {
            set & self.all_members()
        }
    }
}

/// The slices whose values are in all domains that the body of a component names for what is shared. Nothing if the
/// elements are only some of the fluent's keys, or something else has to be in a domain.
fn within_domains(
    setting: &Setting<'_>,
    component: &Component,
    (within, keys, values): (&[(Term, DomainId)], DomainId, Option<DomainId>),
    mut slices: Vec<u32>,
) -> Option<Vec<u32>> {
    let base = &setting.theory.base;
    for (term, domain) in within {
        let named = &base.domain(*domain).values;
        let Term::Var(var) = term else { return None };
        if *var == component.element {
            let is_whole = base.domain(keys).values.iter().all(|value| named.contains(value));
            is_whole.then_some(())?;
        } else {
            let values = values.filter(|_| Some(*var) == component.shared)?;
            let values = &base.domain(values).values;
            let is_named = |slice: &u32| {
                let value = values.get_index(*slice as usize);
                value.is_some_and(|value| named.contains(value))
            };
            slices.retain(is_named);
        }
    }
    Some(slices)
}

/// Are the values of a domain numbered in their order?
fn is_in_order(setting: &Setting<'_>, domain: DomainId) -> bool {
    let symbols = setting.knowledge.symbols().borrow();
    setting.domains.with(domain, |values| {
        let mut pairs = values.iter().zip(values.iter().skip(1));
        pairs.all(|(one, next)| symbols.compare(*one, *next) == Ordering::Less)
    })
}

fn links(
    setting: &Setting<'_>,
    link: PredicateId,
    domain: DomainId,
) -> Result<BTreeMap<i32, Vec<u64>>, Obstacle> {
    let relation = setting.relation(link)?;
    let [first, second] = relation.columns[..] else {
        return Err(Obstacle::new("links that do not join two things"));
    };
    let places = [first, second].map(|own| setting.domains.translation(own, domain));
    let mut sources: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
    let number = |place: u32| i32::try_from(place).unwrap_or(i32::MAX);
    for row in &relation.rows {
        let (one, other) = match (places[0][row[0] as usize], places[1][row[1] as usize]) {
            (Some(one), Some(other)) => (one, other),
            (None, None) => continue,
            _ => return Err(Obstacle::new("links that lead to what is never an element")),
        };
        for (one, other) in [(one, other), (other, one)] {
            if one != other {
                sources.entry(number(other) - number(one)).or_default().push(one);
            }
        }
    }
    if sources.len() > LINKS_LIMIT {
        return Err(Obstacle::new("links of too many distances"));
    }
    let width = setting.domains.width(domain);
    Ok(sources.into_iter().map(|(distance, sources)| (distance, mask(width, sources))).collect())
}
