//! The store: all metarules there are, and the bounded chase that applies them to a clause.
//!
//! In: metarules of all families, and the conditions of a clause. Out: the conditions with terms that
//! are always equal unified, the conditions they imply as ghosts, or the reason why they never hold;
//! with every step the metarule that did it. Paper: metameta §2. Invariant: ghosts are for matching
//! only and are never emitted; the chase makes no variables and every step is bounded, so it ends.

use std::collections::BTreeMap;

use rulesmith_logic::{Atom, Condition, Flow, Term, Value, Var, substitute, substitute_term};
use rustc_hash::FxHashSet;

use super::canonical::{Key, place_key};
use super::dependency::{Consequence, Family, Metarule, Use, Uses};
use super::general::{Declarations, GeneralRule, Verdict, is_trivial, judge};
use super::implication::implies;
use super::matching::{Binding, Pattern, Target};

/// Steps of one chase; what is not derived by then is only a simplification missed.
const STEPS_LIMIT: usize = 400;

/// Ghosts of one clause.
const GHOSTS_LIMIT: usize = 128;

/// A metarule of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetaruleId(pub u32);

/// The families that are switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Families(u8);

impl Families {
    /// No family.
    pub const NONE: Self = Self(0);
    /// Every family.
    pub const ALL: Self = Self(0b11_1111);

    /// These and one more.
    #[must_use]
    pub fn with(self, family: Family) -> Self {
        Self(self.0 | 1 << family as u8)
    }

    /// These without one.
    #[must_use]
    pub fn without(self, family: Family) -> Self {
        Self(self.0 & !(1 << family as u8))
    }

    /// Is the family among them?
    pub fn has(self, family: Family) -> bool {
        self.0 >> family as u8 & 1 == 1
    }
}

/// All metarules there are.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) declarations: Declarations,
    families: Families,
    /// Metarules that others made superfluous stay, so that old steps can still be explained.
    entries: Vec<Entry>,
    /// The places of those that say that a condition has a match.
    matches: Vec<usize>,
    /// By the number of the built-in metarule.
    general_uses: [Uses; GeneralRule::ALL.len()],
}

#[derive(Clone, Debug)]
struct Entry {
    metarule: Metarule,
    pattern: Pattern,
    is_active: bool,
}

/// What did a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A built-in metarule.
    General(GeneralRule),
    /// A metarule of the store.
    Metarule(MetaruleId),
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The clause was found impossible.
    Impossible,
    /// The variable became the term.
    Unified(Var, Term),
    /// The variable was limited to these values.
    Restricted(Var, Vec<Value>),
    /// The condition is implied.
    Ghost(Condition),
}

/// One step of a chase.
#[derive(Clone, Debug)]
pub struct Step {
    /// What did it.
    pub by: By,
    /// What it did.
    pub effect: Effect,
    /// The conditions that made it apply.
    pub support: Vec<Condition>,
}

/// What the chase made of a clause.
#[derive(Clone, Debug)]
pub struct Chased {
    /// Can no binding make the conditions hold?
    pub is_impossible: bool,
    /// The conditions with equal terms unified, each once, true ones left out.
    pub conditions: Vec<Condition>,
    /// Conditions they imply.
    pub ghosts: Vec<Condition>,
    /// What became of the variables that did not stay; to be applied to the head.
    pub substitution: BTreeMap<Var, Term>,
    /// What was done, in order.
    pub steps: Vec<Step>,
}

impl Store {
    /// A store that has nothing but the built-in metarules.
    pub fn new(declarations: Declarations, families: Families) -> Self {
        let (entries, matches, general_uses) = Default::default();
        Self { declarations, families, entries, matches, general_uses }
    }

    /// The families that are switched on.
    pub fn families(&self) -> Families {
        self.families
    }

    /// Switches families on and off.
    pub fn set_families(&mut self, families: Families) {
        self.families = families;
    }

    /// Adds a metarule unless one of its family implies it; those it implies are retired, unless they
    /// are shorter: a short one is found sooner, and a person understands it at once. Returns the one
    /// that says it now.
    pub fn add(&mut self, metarule: Metarule) -> MetaruleId {
        let family = metarule.family();
        let peer = |entry: &Entry| entry.is_active && entry.metarule.family() == family;
        let is_same = |entry: &Entry| {
            peer(entry)
                && entry.metarule.body == metarule.body
                && entry.metarule.consequence == metarule.consequence
        };
        if let Some(known) = self.entries.iter().position(is_same) {
            return id_of(known);
        }
        let target = Target::new(&metarule.body);
        let known = |entry: &Entry| {
            peer(entry) && implies(&entry.metarule, &entry.pattern, &target, &metarule.consequence)
        };
        if let Some(known) = self.entries.iter().position(known) {
            return id_of(known);
        }
        let pattern = Pattern::new(&metarule.body, metarule.variables.len());
        for entry in &mut self.entries {
            let is_shorter = entry.metarule.body.len() < metarule.body.len();
            let body = &entry.metarule.body;
            let is_said =
                || implies(&metarule, &pattern, &Target::new(body), &entry.metarule.consequence);
            if peer(entry) && !is_shorter && is_said() {
                entry.is_active = false;
            }
        }
        if let Consequence::HasMatch(_) = metarule.consequence {
            self.matches.push(self.entries.len());
        }
        self.entries.push(Entry { metarule, pattern, is_active: true });
        id_of(self.entries.len() - 1)
    }

    /// The metarule, also a retired one.
    pub fn get(&self, id: MetaruleId) -> Option<&Metarule> {
        self.entries.get(id.0 as usize).map(|entry| &entry.metarule)
    }

    /// The metarule with its pattern, if it is in force and its family is switched on.
    pub(super) fn active_entry(&self, id: MetaruleId) -> Option<(&Metarule, &Pattern)> {
        let entry = self.entries.get(id.0 as usize)?;
        let is_on = entry.is_active && self.families.has(entry.metarule.family());
        is_on.then_some((&entry.metarule, &entry.pattern))
    }

    /// The metarules in force, in the order they were added.
    pub fn metarules(&self) -> impl Iterator<Item = (MetaruleId, &Metarule)> {
        let active = self.entries.iter().enumerate().filter(|(_, entry)| entry.is_active);
        active.map(|(place, entry)| (id_of(place), &entry.metarule))
    }

    /// The metarules in force whose family is switched on, with their patterns.
    pub(super) fn active(&self) -> impl Iterator<Item = (MetaruleId, &Metarule, &Pattern)> {
        let entries = self.entries.iter().enumerate();
        let is_on = |entry: &Entry| entry.is_active && self.families.has(entry.metarule.family());
        entries
            .filter(move |(_, entry)| is_on(entry))
            .map(|(place, entry)| (id_of(place), &entry.metarule, &entry.pattern))
    }

    /// Those of them that say that a condition has a match.
    pub(super) fn active_matches(&self) -> impl Iterator<Item = (MetaruleId, &Metarule, &Pattern)> {
        self.matches.iter().filter_map(|place| {
            let (metarule, pattern) = self.active_entry(id_of(*place))?;
            Some((id_of(*place), metarule, pattern))
        })
    }

    /// Applies all metarules to the conditions of a clause until nothing changes.
    pub fn apply(&self, conditions: &[Condition]) -> Chased {
        let chased = self.chase(conditions);
        for step in &chased.steps {
            let way = match step.effect {
                Effect::Impossible => Use::Kill,
                Effect::Unified(..) | Effect::Restricted(..) => Use::Unification,
                Effect::Ghost(_) => Use::Ghost,
            };
            self.count(step.by, way);
        }
        chased
    }

    /// How often a built-in metarule was of use.
    pub fn general_uses(&self, rule: GeneralRule) -> &Uses {
        &self.general_uses[rule as usize]
    }

    /// Counts a use of a metarule.
    pub(crate) fn count(&self, by: By, way: Use) {
        match by {
            By::General(rule) => self.general_uses(rule).count(way),
            By::Metarule(id) => {
                if let Some(metarule) = self.get(id) {
                    metarule.uses.count(way);
                }
            }
        }
    }

    /// The chase without counting.
    pub(super) fn chase(&self, conditions: &[Condition]) -> Chased {
        let chased = Chased {
            is_impossible: false,
            conditions: conditions.to_vec(),
            ghosts: Vec::new(),
            substitution: BTreeMap::new(),
            steps: Vec::new(),
        };
        let (restrictions, known, atoms) = Default::default();
        let mut chase = Chase { store: self, chased, restrictions, known, atoms };
        while chase.chased.steps.len() < STEPS_LIMIT && !chase.chased.is_impossible {
            chase.tidy();
            if !chase.general() && !chase.dependencies() {
                return chase.chased;
            }
        }
        chase.tidy();
        chase.chased
    }
}

fn id_of(place: usize) -> MetaruleId {
    MetaruleId(u32::try_from(place).expect("fewer than 2^32 metarules"))
}

/// The term a pattern's term stands for.
fn image(term: Term, binding: &Binding) -> Option<Term> {
    match term {
        Term::Var(var) => binding.get(usize::from(var.0)).copied().flatten(),
        value @ Term::Value(_) => Some(value),
    }
}

struct Chase<'s> {
    store: &'s Store,
    chased: Chased,
    restrictions: Vec<(Var, Vec<Value>)>,
    /// The keys of all conditions and ghosts, since it was tidied.
    known: FxHashSet<Key>,
    /// Those of them that are atoms, which are found without a key.
    atoms: FxHashSet<Atom>,
}

impl Chase<'_> {
    /// Leaves out true conditions, repeated ones, and ghosts that are conditions.
    fn tidy(&mut self) {
        let Self { known, atoms, .. } = self;
        known.clear();
        atoms.clear();
        let mut keep = |part: &Condition| {
            if let Condition::Holds(atom) = part {
                atoms.insert(atom.clone());
            }
            !is_trivial(part) && known.insert(place_key(part))
        };
        self.chased.conditions.retain(&mut keep);
        self.chased.ghosts.retain(&mut keep);
    }

    fn all(&self) -> Vec<&Condition> {
        self.chased.conditions.iter().chain(&self.chased.ghosts).collect()
    }

    /// One step of the built-in metarules; did something change?
    fn general(&mut self) -> bool {
        if !self.store.families.has(Family::General) {
            return false;
        }
        let all = self.all();
        let support = |places: &[usize]| places.iter().map(|&place| all[place].clone()).collect();
        match judge(&self.store.declarations, &all, &self.restrictions) {
            Verdict::Open => false,
            Verdict::Impossible(rule, places) => {
                let support = support(&places);
                self.kill(By::General(rule), support)
            }
            Verdict::Same(left, right, rule, places) => {
                let support = support(&places);
                self.unify(By::General(rule), left, right, support)
            }
        }
    }

    fn kill(&mut self, by: By, support: Vec<Condition>) -> bool {
        self.chased.is_impossible = true;
        self.chased.steps.push(Step { by, effect: Effect::Impossible, support });
        true
    }

    /// Makes two different terms one: the variable that goes is the later one.
    fn unify(&mut self, by: By, left: Term, right: Term, support: Vec<Condition>) -> bool {
        let (var, term) = match (left, right) {
            (Term::Value(_), Term::Value(_)) => return self.kill(by, support),
            (Term::Var(left), Term::Var(right)) => (left.max(right), Term::Var(left.min(right))),
            (Term::Var(var), value) | (value, Term::Var(var)) => (var, value),
        };
        let map = |other: Var| if other == var { term } else { Term::Var(other) };
        let chased = &mut self.chased;
        for part in chased.conditions.iter_mut().chain(&mut chased.ghosts) {
            *part = substitute(part, &map);
        }
        for earlier in chased.substitution.values_mut() {
            *earlier = substitute_term(*earlier, &map);
        }
        chased.substitution.insert(var, term);
        chased.steps.push(Step { by, effect: Effect::Unified(var, term), support });
        self.move_restrictions(by, var, term);
        true
    }

    fn move_restrictions(&mut self, by: By, var: Var, term: Term) {
        let (moved, kept) = std::mem::take(&mut self.restrictions)
            .into_iter()
            .partition(|(other, _)| *other == var);
        self.restrictions = kept;
        let moved: Vec<(Var, Vec<Value>)> = moved;
        for (_, values) in moved {
            match term {
                Term::Var(var) => self.restrictions.push((var, values)),
                Term::Value(value) if !values.contains(&value) => {
                    self.kill(by, Vec::new());
                }
                Term::Value(_) => {}
            }
        }
    }

    /// One step of the stored metarules, or all that add no more than knowledge; did something change?
    fn dependencies(&mut self) -> bool {
        let all = self.all();
        let target = Target::new(all.iter().copied());
        let may_apply = |(_, _, pattern): &(_, _, &Pattern)| pattern.may_fall_on(&target);
        let near: Vec<_> = self.store.active().filter(may_apply).collect();
        let mut effects: Vec<Applied> = Vec::new();
        // Where no more ghosts are taken, none are looked for: bodies with many of them have the most ways to match.
        let last: &[u32] = if self.chased.ghosts.len() < GHOSTS_LIMIT { &[5, 3] } else { &[5] };
        // A kill is worth most, then what makes the clause smaller.
        for wanted in [&[1][..], &[2], last] {
            for &(id, metarule, pattern) in &near {
                if !wanted.contains(&metarule.consequence.kind()) {
                    continue;
                }
                pattern.each_embedding(&target, &[], &mut |embedding| {
                    let found = self.consequence(metarule, embedding.binding);
                    let Some(found) = found else { return Flow::More };
                    let is_last = matches!(found, Found::Impossible | Found::Same(..));
                    let support = embedding.places.iter().flatten();
                    let support = support.map(|&place| all[place].clone()).collect();
                    effects.push(Applied { by: By::Metarule(id), support, found });
                    if is_last || effects.len() >= GHOSTS_LIMIT { Flow::Enough } else { Flow::More }
                });
                if effects.last().is_some_and(|last| matches!(last.found, Found::Same(..))) {
                    break;
                }
            }
            if !effects.is_empty() {
                break;
            }
        }
        let mut has_changed = false;
        for Applied { by, support, found } in effects {
            has_changed |= !self.chased.is_impossible && self.take(by, support, found);
        }
        has_changed
    }

    /// What follows here and is not known yet.
    fn consequence(&self, metarule: &Metarule, binding: &Binding) -> Option<Found> {
        match &metarule.consequence {
            Consequence::Impossible => Some(Found::Impossible),
            Consequence::Equal(left, right) => {
                let (left, right) = (image(*left, binding)?, image(*right, binding)?);
                (left != right).then_some(Found::Same(left, right))
            }
            Consequence::Within(var, values) => match image(Term::Var(*var), binding)? {
                Term::Value(value) => (!values.contains(&value)).then_some(Found::Impossible),
                Term::Var(var) => {
                    let is_known = |(other, few): &(Var, Vec<Value>)| {
                        *other == var && few.iter().all(|value| values.contains(value))
                    };
                    let is_new = !self.restrictions.iter().any(is_known);
                    is_new.then(|| Found::Restricted(var, values.clone()))
                }
            },
            Consequence::Holds(condition) => {
                let map = |var: Var| image(Term::Var(var), binding).unwrap_or(Term::Var(var));
                let implied = substitute(condition, &map);
                if let Condition::Holds(atom) = &implied
                    && self.atoms.contains(atom)
                {
                    return None;
                }
                let is_new = self.chased.ghosts.len() < GHOSTS_LIMIT
                    && !is_trivial(&implied)
                    && !self.known.contains(&place_key(&implied));
                is_new.then_some(Found::Ghost(implied))
            }
            Consequence::HasMatch(_) => None,
        }
    }

    fn take(&mut self, by: By, support: Vec<Condition>, found: Found) -> bool {
        match found {
            Found::Impossible => self.kill(by, support),
            Found::Same(left, right) => self.unify(by, left, right, support),
            Found::Restricted(var, values) => {
                self.restrictions.push((var, values.clone()));
                let effect = Effect::Restricted(var, values);
                self.chased.steps.push(Step { by, effect, support });
                true
            }
            Found::Ghost(condition) => {
                if !self.known.insert(place_key(&condition)) {
                    return false;
                }
                if let Condition::Holds(atom) = &condition {
                    self.atoms.insert(atom.clone());
                }
                self.chased.ghosts.push(condition.clone());
                self.chased.steps.push(Step { by, effect: Effect::Ghost(condition), support });
                true
            }
        }
    }
}

/// A consequence, what it comes from and what made it apply.
struct Applied {
    by: By,
    support: Vec<Condition>,
    found: Found,
}

/// A consequence in terms of the clause.
enum Found {
    Impossible,
    Same(Term, Term),
    Restricted(Var, Vec<Value>),
    Ghost(Condition),
}
