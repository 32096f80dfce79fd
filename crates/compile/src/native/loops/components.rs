//! Components: strings, groups, regions, found where a tree asks about them.
//!
//! In: atoms about the parts of a component. Out: loops over its elements, its border, or over all
//! components. A component is held by its first element. Invariant: a component that is bound has its
//! elements in a register for as long as it is.

use rulesmith_kernel::{Comparison, Plane, Scalar, Set, Statement, Word};
use rulesmith_logic::{
    Atom, ComponentId, ComponentPart, Condition, DomainId, Source, Term, Var, has_var,
};

use super::super::Obstacle;
use super::super::optimizations::Optimization;
use super::fill::{Edge, Filled};
use super::floods::Floods;
use super::held::{Held, Spot};
use super::lower::{Lowering, Then};
use super::stored::all_of;

/// A component that is bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    id: ComponentId,
    /// One of its elements.
    element: Scalar,
    elements: Plane,
    /// Everything that could have been an element, as far as it is linked to one.
    members: Plane,
    /// Its border, where that is kept.
    border: Option<Plane>,
    /// What names it.
    name: Held,
}

impl Found {
    fn border(&self, floods: &Floods) -> Set {
        let elements = self.elements;
        self.border.map_or_else(|| floods.neighbours(&elements.into()) - elements, Set::Plane)
    }
}

/// What later conditions say about a component that is looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Hint {
    /// What its elements share.
    shared: Option<Word>,
    /// What is on its border, or is not: the search ends as soon as some of it is found.
    edge: Option<(Edge, Set)>,
}

impl Lowering<'_, '_> {
    /// Every way in which an atom about a part of a component holds.
    pub(super) fn open_part(
        &mut self,
        (id, part): (ComponentId, ComponentPart),
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let floods = self.floods(id)?;
        let [whole, other] = *args else { return Err(Obstacle::new("an odd part")) };
        let Some(held) = self.held(whole) else {
            let Term::Var(var) = whole else { return Ok(()) };
            if let Some(spot) = self.spot_of_part(&floods, part, other)? {
                return self.open_around((&floods, part), var, spot, then);
            }
            let mut next = |this: &mut Self| this.open_part((id, part), args, then);
            return self.open_everywhere(&floods, var, &mut next);
        };
        let Some(found) = self.found(id, held) else {
            let mut next = |this: &mut Self| this.open_part((id, part), args, then);
            return self.look_for(&floods, held, &mut next);
        };
        let Found { element, elements, .. } = found;
        match part {
            ComponentPart::Element => self.open_member(other, &floods, elements.into(), then),
            ComponentPart::Border => self.open_member(other, &floods, found.border(&floods), then),
            ComponentPart::Shared => self.open_shared(&floods, element, other, then),
            ComponentPart::Size => {
                let size = self.emitter.let_word(Set::Plane(elements).count());
                self.open_equal(other, Held::Number(size), then)
            }
        }
    }

    /// The set of a part of a component that is bound.
    pub(super) fn part_set(
        &mut self,
        (id, part): (ComponentId, ComponentPart),
        args: &[Term],
        place: usize,
    ) -> Result<Option<(DomainId, Set)>, Obstacle> {
        let floods = self.floods(id)?;
        let Some(held) = self.held(args[0]).filter(|_| place == 1) else { return Ok(None) };
        let Some(found) = self.found(id, held) else { return Ok(None) };
        Ok(match part {
            ComponentPart::Element => Some((floods.domain, found.elements.into())),
            ComponentPart::Border => Some((floods.domain, found.border(&floods))),
            _ => None,
        })
    }

    fn open_member(
        &mut self,
        term: Term,
        floods: &Floods,
        set: Set,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let certainty = match self.spot(term, floods.domain)? {
            Spot::Unknown(var) => return self.each(var, floods.domain, set, then),
            Spot::Never => return Ok(()),
            Spot::Known(word) | Spot::Maybe(word) => all_of(Vec::new(), set.has(word)),
        };
        self.when(certainty, then)
    }

    fn open_equal(
        &mut self,
        term: Term,
        held: Held,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        match (self.held(term), term) {
            (None, Term::Var(var)) => self.with(var, held, then),
            (Some(known), _) => {
                let certainty = self.same(known, held)?;
                self.when(certainty, then)
            }
            _ => Ok(()),
        }
    }

    fn open_shared(
        &mut self,
        floods: &Floods,
        element: Scalar,
        other: Term,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let Some(domain) = floods.shared else {
            return Err(Obstacle::new("components that share nothing"));
        };
        let slice = self.emitter.let_word(floods.members.slice_of(element));
        self.open_equal(other, Held::Place(slice, domain), then)
    }

    /// The component of this name, if it is bound here.
    fn found(&self, id: ComponentId, held: Held) -> Option<Found> {
        self.bound.iter().rev().find(|found| found.id == id && found.name == held).copied()
    }

    /// Binds the component that something names, if it is the first element of one.
    fn look_for(
        &mut self,
        floods: &Floods,
        held: Held,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let first = match self.spot_of(held, floods.domain)? {
            Spot::Never | Spot::Unknown(_) => return Ok(()),
            Spot::Known(word) | Spot::Maybe(word) => self.emitter.let_word(word),
        };
        let is_member = floods.all_members().has(first);
        self.when(all_of(Vec::new(), is_member), &mut |this| {
            let (Filled { elements, members, border }, _) = this.flood(floods, first, None);
            let is_first = Set::Plane(elements).nth(0).equals(first);
            this.when(all_of(Vec::new(), is_first), &mut |this| {
                let (id, element) = (floods.id, first);
                let found = Found { id, element, elements, members, border, name: held };
                this.bound.push(found);
                let done = then(this);
                this.bound.pop();
                done
            })
        })
    }

    /// What the conditions that follow say about a component that a condition binds, and which of them are
    /// settled when it is found.
    pub(super) fn hint_for(
        &mut self,
        first: &Condition,
        rest: &[&Condition],
    ) -> Result<(Hint, Vec<usize>), Obstacle> {
        let (mut hint, mut settled) = (Hint::default(), Vec::new());
        let Condition::Holds(atom) = first else { return Ok((hint, settled)) };
        let Source::Component(id, part) = self.setting.source(atom.predicate) else {
            return Ok((hint, settled));
        };
        let whole = atom.args[0];
        if self.held(whole).is_some() {
            return Ok((hint, settled));
        }
        let (floods, may_end) = (self.floods(id)?, self.has(Optimization::FloodsThatEnd));
        for (place, condition) in rest.iter().enumerate() {
            match condition {
                Condition::Holds(other) => {
                    let shared = Source::Component(id, ComponentPart::Shared);
                    let is_it = self.setting.source(other.predicate) == shared;
                    if let (true, true, Some(domain)) =
                        (is_it, other.args[0] == whole, floods.shared)
                        && let Spot::Known(word) = self.spot(other.args[1], domain)?
                        && part != ComponentPart::Shared
                        && hint.shared.is_none()
                    {
                        hint.shared = Some(word);
                        settled.push(place);
                    }
                }
                Condition::None { body, .. } if hint.edge.is_none() && may_end => {
                    let body: Vec<&Condition> = body.iter().collect();
                    if let Some(set) = self.border_part(&floods, whole, &body)? {
                        hint.edge = Some((Edge::Without, set));
                        settled.push(place);
                    }
                }
                _ => {}
            }
        }
        if hint.edge.is_none() && self.sought.is_some() && may_end {
            let (set, places) = self.enough_border((&floods, whole), atom, (rest, &settled))?;
            if let Some(set) = set {
                hint.edge = Some((Edge::With, set));
                settled.extend(places);
            }
        }
        Ok((hint, settled))
    }

    /// What must be on the border of a component, if that is all that is left to say about it, with the places of
    /// the conditions that say so: as soon as some of it is found, the rest of the component does not matter.
    fn enough_border(
        &mut self,
        (floods, whole): (&Floods, Term),
        atom: &Atom,
        (rest, settled): (&[&Condition], &[usize]),
    ) -> Result<(Option<Set>, Vec<usize>), Obstacle> {
        let is_about = |condition: &Condition, term: Term| match term {
            Term::Var(var) => has_var(condition, var),
            Term::Value(_) => false,
        };
        let open = |place: &usize| !settled.contains(place);
        let border = Source::Component(floods.id, ComponentPart::Border);
        let place = (0..rest.len()).filter(open).find(|place| match rest[*place] {
            Condition::Holds(other) => {
                let is_border = self.setting.source(other.predicate) == border;
                is_border && other.args[0] == whole && self.held(other.args[1]).is_none()
            }
            _ => false,
        });
        let Some(Condition::Holds(Atom { args, .. })) = place.map(|place| rest[place]) else {
            return Ok((None, Vec::new()));
        };
        let point = args[1];
        let places: Vec<usize> = (0..rest.len())
            .filter(open)
            .filter(|place| is_about(rest[*place], whole) || is_about(rest[*place], point))
            .collect();
        let is_below = |term: Term| matches!(term, Term::Var(var) if self.below.contains(&var));
        let is_known = self.held(atom.args[1]).is_some();
        if !is_known || is_below(whole) || is_below(point) {
            return Ok((None, Vec::new()));
        }
        let body: Vec<&Condition> = places.iter().map(|place| rest[*place]).collect();
        Ok((self.border_part(floods, whole, &body)?, places))
    }

    /// The set that conditions speak of, if all they say is that something of it is on the border of a component.
    fn border_part(
        &mut self,
        floods: &Floods,
        whole: Term,
        body: &[&Condition],
    ) -> Result<Option<Set>, Obstacle> {
        let border = Source::Component(floods.id, ComponentPart::Border);
        let is_border = |condition: &&Condition| match condition {
            Condition::Holds(atom) => {
                self.setting.source(atom.predicate) == border && atom.args[0] == whole
            }
            _ => false,
        };
        let (own, others): (Vec<&Condition>, Vec<&Condition>) =
            body.iter().copied().partition(is_border);
        let [Condition::Holds(atom)] = own.as_slice() else { return Ok(None) };
        // A comparison tells nothing by itself what it is about; what binds comes first.
        let mut others = others;
        others.sort_by_key(|one| matches!(one, Condition::Compare(..)));
        let Some(joined) = self.joined(&others)? else { return Ok(None) };
        let is_it = Term::Var(joined.var) == atom.args[1]
            && joined.domain == floods.domain
            && joined.n_conditions == others.len();
        Ok(is_it.then_some(joined.set))
    }

    /// Every component.
    fn open_everywhere(
        &mut self,
        floods: &Floods,
        var: Var,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let (members, edge) = self.take_hint(floods);
        let rest = self.emitter.let_set(floods.width, members);
        self.open_all((floods, edge), var, rest, then)
    }

    /// The components that a known thing is part of, in this way. What is found this way needs no test.
    fn open_around(
        &mut self,
        (floods, part): (&Floods, ComponentPart),
        var: Var,
        spot: Spot,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let is_known = matches!(spot, Spot::Known(_));
        let (Spot::Known(word) | Spot::Maybe(word)) = spot else { return Ok(()) };
        let width = floods.width;
        let (members, edge) = self.take_hint(floods);
        match part {
            ComponentPart::Element => {
                let element = self.emitter.let_word(word);
                let is_member = members.has(element);
                self.when(all_of(Vec::new(), is_member), &mut |this| {
                    this.open_flood((floods, var), (element, edge), &mut |_, _| {}, then)
                })
            }
            ComponentPart::Border => {
                let point = self.emitter.let_word(word);
                // A row of a table takes one operation a word, shifts take several.
                let around = if is_known && width > 1 {
                    Set::row(self.neighbour_table(floods), point)
                } else {
                    floods.neighbours(&Set::single(width, point))
                };
                let around = around & members;
                let around = self.emitter.let_set(width, around);
                self.open_all((floods, edge), var, around, &mut |this| {
                    // What is linked to an element and could be one, is one, and not on the border.
                    let Some(found) = this.bound.last().copied() else { return Ok(()) };
                    let is_inside = Set::Plane(found.members).has(point);
                    let is_outside = is_inside.compare(Comparison::Equal, 0);
                    this.when(all_of(Vec::new(), is_outside), then)
                })
            }
            ComponentPart::Shared => {
                let rest = self.emitter.let_set(width, floods.members_with(word));
                self.open_all((floods, edge), var, rest, then)
            }
            ComponentPart::Size => Err(Obstacle::new("components of a given size")),
        }
    }

    /// The members that a component may have, and what its border must have or must not.
    fn take_hint(&mut self, floods: &Floods) -> (Set, Option<(Edge, Plane)>) {
        let Hint { shared, edge } = std::mem::take(&mut self.hint);
        let members = match shared {
            Some(value) => floods.members_with(value),
            None => floods.all_members(),
        };
        let edge = edge.map(|(edge, set)| (edge, self.emitter.let_set(floods.width, set)));
        (members, edge)
    }

    fn spot_of_part(
        &mut self,
        floods: &Floods,
        part: ComponentPart,
        other: Term,
    ) -> Result<Option<Spot>, Obstacle> {
        let domain = match part {
            ComponentPart::Element | ComponentPart::Border => Some(floods.domain),
            ComponentPart::Shared => floods.shared,
            ComponentPart::Size => None,
        };
        let Some(domain) = domain else { return Ok(None) };
        Ok(match self.spot(other, domain)? {
            Spot::Unknown(_) => None,
            spot => Some(spot),
        })
    }

    /// All components of the elements in a set, each once.
    fn open_all(
        &mut self,
        (floods, edge): (&Floods, Option<(Edge, Plane)>),
        var: Var,
        rest: Plane,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let enough = self.enough.take();
        self.emitter.begin();
        let is_left = Set::Plane(rest).any();
        self.emitter.push(Statement::If(is_left, Vec::new(), vec![Statement::Leave]));
        let element = self.emitter.let_word(Set::Plane(rest).nth(0));
        let mut take_out = |this: &mut Self, elements: Plane| {
            this.emitter.push(Statement::LetSet(rest, Set::Plane(rest) - elements));
        };
        let done = self.open_flood((floods, var), (element, edge), &mut take_out, then);
        if let Some((n, most)) = enough {
            // What is left is at least one more.
            let more = vec![Statement::Let(n, Word::from(n) + 1), Statement::Leave];
            let is_more = vec![Statement::If(Set::Plane(rest).any(), more, Vec::new())];
            self.emitter.push(Statement::If(Word::from(n).equals(most), is_more, Vec::new()));
        }
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        if let Some(flag) = self.sought {
            // Found inside: the search around ends too.
            self.emitter.push(Statement::If(flag.into(), vec![Statement::Leave], Vec::new()));
        }
        done
    }

    /// The component of an element, if its border is as it must be. What was found of it is told either way.
    fn open_flood(
        &mut self,
        (floods, var): (&Floods, Var),
        (element, edge): (Scalar, Option<(Edge, Plane)>),
        found: &mut dyn FnMut(&mut Self, Plane),
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let (filled, is_it) = self.flood(floods, element, edge);
        found(self, filled.elements);
        self.when(all_of(Vec::new(), is_it), &mut |this| {
            this.with_found((floods, var), (filled, element), then)
        })
    }

    fn with_found(
        &mut self,
        (floods, var): (&Floods, Var),
        (Filled { elements, members, border }, element): (Filled, Scalar),
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let first = self.emitter.let_word(Set::Plane(elements).nth(0));
        let name = Held::Place(first, floods.domain);
        self.bound.push(Found { id: floods.id, element, elements, members, border, name });
        let done = self.with(var, name, then);
        self.bound.pop();
        done
    }

    /// What is needed to find the components of a kind.
    fn floods(&mut self, id: ComponentId) -> Result<Floods, Obstacle> {
        Floods::new(self.setting, id)
    }
}
