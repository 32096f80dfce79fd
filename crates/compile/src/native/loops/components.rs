//! Components: strings, groups, regions, found where a tree asks about them.
//!
//! In: atoms about the parts of a component. Out: loops over its elements, its border, or over all
//! components. A component is held by its first element. Invariant: a component that is bound has its
//! elements in a register for as long as it is.

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Word};
use rulesmith_logic::{ComponentId, ComponentPart, DomainId, Term, Var};

use super::super::Obstacle;
use super::floods::Floods;
use super::held::{Held, Spot};
use super::lower::{Lowering, Then};
use super::stored::all_of;

/// A component that is bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    id: ComponentId,
    first: Scalar,
    elements: Plane,
    /// What names it.
    name: Held,
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
        let [whole, other] = args else { return Err(Obstacle::new("an odd part")) };
        let Some(held) = self.held(whole) else {
            let Term::Var(var) = whole else { return Ok(()) };
            let mut next = |this: &mut Self| this.open_part((id, part), args, then);
            return self.open_whole((&floods, part), *var, other, &mut next);
        };
        let Some(Found { first, elements, .. }) = self.found(id, held) else {
            let mut next = |this: &mut Self| this.open_part((id, part), args, then);
            return self.look_for(&floods, held, &mut next);
        };
        match part {
            ComponentPart::Element => self.open_member(other, &floods, elements.into(), then),
            ComponentPart::Border => {
                let border = floods.neighbours(elements.into()) - elements;
                self.open_member(other, &floods, border, then)
            }
            ComponentPart::Shared => self.open_shared(&floods, first, other, then),
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
        let Some(held) = self.held(&args[0]).filter(|_| place == 1) else { return Ok(None) };
        let Some(found) = self.found(id, held) else { return Ok(None) };
        let elements = found.elements;
        Ok(match part {
            ComponentPart::Element => Some((floods.domain, elements.into())),
            ComponentPart::Border => {
                Some((floods.domain, floods.neighbours(elements.into()) - elements))
            }
            _ => None,
        })
    }

    fn open_member(
        &mut self,
        term: &Term,
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
        term: &Term,
        held: Held,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        match (self.held(term), term) {
            (None, Term::Var(var)) => self.with(*var, held, then),
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
        first: Scalar,
        other: &Term,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let Some(domain) = floods.shared else {
            return Err(Obstacle::new("components that share nothing"));
        };
        let slice = self.emitter.let_word(floods.members.slice_of(first));
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
            let elements = this.flood(floods, first);
            let is_first = Set::Plane(elements).nth(0).equals(first);
            this.when(all_of(Vec::new(), is_first), &mut |this| {
                this.bound.push(Found { id: floods.id, first, elements, name: held });
                let done = then(this);
                this.bound.pop();
                done
            })
        })
    }

    /// Every component that a part of it may belong to.
    fn open_whole(
        &mut self,
        (floods, part): (&Floods, ComponentPart),
        var: Var,
        other: &Term,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let width = floods.width;
        match (part, self.spot_of_part(floods, part, other)?) {
            (_, Some(Spot::Never)) => Ok(()),
            (ComponentPart::Element, Some(Spot::Known(word) | Spot::Maybe(word))) => {
                let element = self.emitter.let_word(word);
                self.open_from(floods, var, element, then)
            }
            (ComponentPart::Border, Some(Spot::Known(word) | Spot::Maybe(word))) => {
                let place = Set::single(width, word);
                let around = floods.neighbours(place) & floods.all_members();
                let around = self.emitter.let_set(width, around);
                self.open_all(floods, var, around, then)
            }
            (ComponentPart::Shared, Some(Spot::Known(word) | Spot::Maybe(word))) => {
                let members = floods.members_with(word);
                let rest = self.emitter.let_set(width, members);
                self.open_all(floods, var, rest, then)
            }
            _ => {
                let rest = self.emitter.let_set(width, floods.all_members());
                self.open_all(floods, var, rest, then)
            }
        }
    }

    fn spot_of_part(
        &mut self,
        floods: &Floods,
        part: ComponentPart,
        other: &Term,
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

    /// The component of one element, if it belongs to one.
    fn open_from(
        &mut self,
        floods: &Floods,
        var: Var,
        element: Scalar,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let is_member = floods.all_members().has(element);
        self.when(all_of(Vec::new(), is_member), &mut |this| {
            let elements = this.flood(floods, element);
            this.with_found(floods, var, elements, then)
        })
    }

    /// All components of the elements in a set, each once.
    fn open_all(
        &mut self,
        floods: &Floods,
        var: Var,
        rest: Plane,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let before = std::mem::replace(&mut self.may_leave, false);
        self.emitter.begin();
        let is_left = Set::Plane(rest).any();
        self.emitter.push(Statement::If(is_left, Vec::new(), vec![Statement::Leave]));
        let element = self.emitter.let_word(Set::Plane(rest).nth(0));
        let elements = self.flood(floods, element);
        self.emitter.push(Statement::LetSet(rest, Set::Plane(rest) - elements));
        let done = self.with_found(floods, var, elements, then);
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        self.may_leave = before;
        done
    }

    fn with_found(
        &mut self,
        floods: &Floods,
        var: Var,
        elements: Plane,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let first = self.emitter.let_word(Set::Plane(elements).nth(0));
        let name = Held::Place(first, floods.domain);
        self.bound.push(Found { id: floods.id, first, elements, name });
        let done = self.with(var, name, then);
        self.bound.pop();
        done
    }

    /// The elements of the component that an element belongs to.
    fn flood(&mut self, floods: &Floods, element: Scalar) -> Plane {
        let width = floods.width;
        let members = match floods.shared {
            None => floods.all_members(),
            Some(_) => {
                let slice = self.emitter.let_word(floods.members.slice_of(element));
                floods.members_with(slice.into())
            }
        };
        let members = self.emitter.let_set(width, members);
        let elements = self.emitter.let_set(width, Set::single(width, element));
        self.emitter.begin();
        let grown = (floods.neighbours(elements.into()) & members) | elements;
        let grown = self.emitter.let_set(width, grown);
        let is_new = (Set::Plane(grown) - elements).any();
        self.emitter.push(Statement::If(is_new, Vec::new(), vec![Statement::Leave]));
        self.emitter.push(Statement::LetSet(elements, grown.into()));
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        elements
    }

    /// What is needed to find the components of a kind.
    fn floods(&mut self, id: ComponentId) -> Result<Floods, Obstacle> {
        Floods::new(self.setting, id)
    }
}

impl Floods {
    /// The members that share a value.
    fn members_with(&self, value: Word) -> Set {
        self.allowed_only(self.members.plane_at(value))
    }
}
