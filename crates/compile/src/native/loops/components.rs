//! Components: strings, groups, regions, found where a tree asks about them.
//!
//! In: atoms about the parts of a component. Out: loops over its elements, its border, or over all
//! components. A component is held by its first element. Invariant: a component that is bound has its
//! elements in a register for as long as it is.

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Word};
use rulesmith_logic::{ComponentId, ComponentPart, Condition, DomainId, Source, Term, Var};

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

/// What later conditions say about a component that is looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Hint {
    /// What its elements share.
    shared: Option<Word>,
    /// Nothing of this may be on its border: as soon as something is, the search goes on without it.
    unbordered: Option<Set>,
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
            let mut next = |this: &mut Self| this.open_part((id, part), args, then);
            return self.open_whole((&floods, part), var, other, &mut next);
        };
        let Some(Found { first, elements, .. }) = self.found(id, held) else {
            let mut next = |this: &mut Self| this.open_part((id, part), args, then);
            return self.look_for(&floods, held, &mut next);
        };
        match part {
            ComponentPart::Element => self.open_member(other, &floods, elements.into(), then),
            ComponentPart::Border => {
                let border = floods.neighbours(&elements.into()) - elements;
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
        let Some(held) = self.held(args[0]).filter(|_| place == 1) else { return Ok(None) };
        let Some(found) = self.found(id, held) else { return Ok(None) };
        let elements = found.elements;
        Ok(match part {
            ComponentPart::Element => Some((floods.domain, elements.into())),
            ComponentPart::Border => {
                Some((floods.domain, floods.neighbours(&elements.into()) - elements))
            }
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
        first: Scalar,
        other: Term,
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
            let (elements, _) = this.flood(floods, first, None);
            let is_first = Set::Plane(elements).nth(0).equals(first);
            this.when(all_of(Vec::new(), is_first), &mut |this| {
                this.bound.push(Found { id: floods.id, first, elements, name: held });
                let done = then(this);
                this.bound.pop();
                done
            })
        })
    }

    /// What the conditions that follow say about a component that a condition binds.
    pub(super) fn hint_for(
        &mut self,
        first: &Condition,
        rest: &[&Condition],
    ) -> Result<Hint, Obstacle> {
        let mut hint = Hint::default();
        let Condition::Holds(atom) = first else { return Ok(hint) };
        let Source::Component(id, _) = self.setting.source(atom.predicate) else {
            return Ok(hint);
        };
        let floods = self.floods(id)?;
        for condition in rest {
            match condition {
                Condition::Holds(other) => {
                    let shared = Source::Component(id, ComponentPart::Shared);
                    let is_it = self.setting.source(other.predicate) == shared;
                    if let (true, true, Some(domain)) =
                        (is_it, other.args[0] == atom.args[0], floods.shared)
                        && let Spot::Known(word) = self.spot(other.args[1], domain)?
                    {
                        hint.shared = Some(word);
                    }
                }
                Condition::None { body, .. } => {
                    let set = self.border_part(&floods, atom.args[0], body)?;
                    hint.unbordered = hint.unbordered.or(set);
                }
                _ => {}
            }
        }
        Ok(hint)
    }

    /// What must not be on the border of a component, if that is all that the body of a negation says.
    fn border_part(
        &mut self,
        floods: &Floods,
        whole: Term,
        body: &[Condition],
    ) -> Result<Option<Set>, Obstacle> {
        let border = Source::Component(floods.id, ComponentPart::Border);
        let is_border = |condition: &&Condition| match condition {
            Condition::Holds(atom) => {
                self.setting.source(atom.predicate) == border && atom.args[0] == whole
            }
            _ => false,
        };
        let (own, others): (Vec<&Condition>, Vec<&Condition>) = body.iter().partition(is_border);
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

    /// Every component that a part of it may belong to.
    fn open_whole(
        &mut self,
        (floods, part): (&Floods, ComponentPart),
        var: Var,
        other: Term,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let width = floods.width;
        let Hint { shared, unbordered } = std::mem::take(&mut self.hint);
        let members = match shared {
            Some(value) => floods.members_with(value),
            None => floods.all_members(),
        };
        let outside = unbordered.map(|set| self.emitter.let_set(width, set));
        match (part, self.spot_of_part(floods, part, other)?) {
            (_, Some(Spot::Never)) => Ok(()),
            (ComponentPart::Element, Some(Spot::Known(word) | Spot::Maybe(word))) => {
                let element = self.emitter.let_word(word);
                let is_member = members.has(element);
                self.when(all_of(Vec::new(), is_member), &mut |this| {
                    this.open_flood((floods, var), (element, outside), &mut |_, _| {}, then)
                })
            }
            (ComponentPart::Border, Some(Spot::Known(word) | Spot::Maybe(word))) => {
                let place = Set::single(width, word);
                let around = floods.neighbours(&place) & members;
                let around = self.emitter.let_set(width, around);
                self.open_all((floods, outside), var, around, then)
            }
            (ComponentPart::Shared, Some(Spot::Known(word) | Spot::Maybe(word))) => {
                let members = floods.members_with(word);
                let rest = self.emitter.let_set(width, members);
                self.open_all((floods, outside), var, rest, then)
            }
            _ => {
                let rest = self.emitter.let_set(width, members);
                self.open_all((floods, outside), var, rest, then)
            }
        }
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
        (floods, outside): (&Floods, Option<Plane>),
        var: Var,
        rest: Plane,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let before = std::mem::replace(&mut self.may_leave, false);
        self.emitter.begin();
        let is_left = Set::Plane(rest).any();
        self.emitter.push(Statement::If(is_left, Vec::new(), vec![Statement::Leave]));
        let element = self.emitter.let_word(Set::Plane(rest).nth(0));
        let mut take_out = |this: &mut Self, elements: Plane| {
            this.emitter.push(Statement::LetSet(rest, Set::Plane(rest) - elements));
        };
        let done = self.open_flood((floods, var), (element, outside), &mut take_out, then);
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        self.may_leave = before;
        done
    }

    /// The component of an element, unless something that must not be is on its border. What was found of it
    /// is told either way.
    fn open_flood(
        &mut self,
        (floods, var): (&Floods, Var),
        (element, outside): (Scalar, Option<Plane>),
        found: &mut dyn FnMut(&mut Self, Plane),
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let (elements, is_whole) = self.flood(floods, element, outside);
        found(self, elements);
        self.when(all_of(Vec::new(), is_whole), &mut |this| {
            this.with_found(floods, var, elements, then)
        })
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

    /// The elements of the component that an element belongs to, and whether all were found: the search ends
    /// where it meets something outside on the border.
    fn flood(&mut self, floods: &Floods, element: Scalar, outside: Option<Plane>) -> (Plane, Word) {
        let width = floods.width;
        let members = if floods.shared.is_some() {
            let slice = self.emitter.let_word(floods.members.slice_of(element));
            floods.members_with(slice.into())
        } else {
            floods.all_members()
        };
        let members = self.emitter.let_set(width, members);
        let elements = self.emitter.let_set(width, Set::single(width, element));
        let is_whole = match outside {
            Some(_) => self.emitter.let_word(Word::Constant(1)).into(),
            None => Word::Constant(1),
        };
        self.emitter.begin();
        let around = self.emitter.let_set(width, floods.neighbours(&elements.into()));
        if let (Some(outside), Word::Scalar(flag)) = (outside, &is_whole) {
            let is_met = (Set::Plane(around) & outside).any();
            let leave = vec![Statement::Let(*flag, Word::Constant(0)), Statement::Leave];
            self.emitter.push(Statement::If(is_met, leave, Vec::new()));
        }
        let grown = (Set::Plane(around) & members) | elements;
        let grown = self.emitter.let_set(width, grown);
        let is_new = (Set::Plane(grown) - elements).any();
        self.emitter.push(Statement::If(is_new, Vec::new(), vec![Statement::Leave]));
        self.emitter.push(Statement::LetSet(elements, grown.into()));
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        (elements, is_whole)
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
