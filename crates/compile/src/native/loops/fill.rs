//! Filling a component from one of its elements, or looking it up where components are kept.
//!
//! In: an element, and what the border must have or must not. Out: the component's elements, as far as they matter.
//! Invariant: a component that is kept is looked up whole; one that is filled may be left unfinished where its border
//! shows that it is not sought.

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Word};

use super::super::kept::KeptComponents;
use super::floods::Floods;
use super::lower::Lowering;

/// What was found of a component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    pub(super) elements: Plane,
    pub(super) members: Plane,
    pub(super) border: Option<Plane>,
}

/// What is known of a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Something of a set is there, and that is all that matters.
    With,
    /// Nothing of a set is there.
    Without,
}

impl Lowering<'_, '_> {
    /// The elements of the component that an element belongs to, what could be one, and whether its border is as it must be: the
    /// search ends where that shows.
    pub(super) fn flood(
        &mut self,
        floods: &Floods,
        element: Scalar,
        edge: Option<(Edge, Plane)>,
    ) -> (Filled, Word) {
        let width = floods.width;
        if let Some(kept) = self.emitter.kept_components(floods.id) {
            return self.look_up(kept, (width, element), edge);
        }
        let members = if floods.shared.is_some() {
            let slice = self.emitter.let_word(floods.members.slice_of(element));
            floods.members_with(slice.into())
        } else {
            floods.all_members()
        };
        let members = self.emitter.let_set(width, members);
        let elements = self.emitter.let_set(width, Set::single(width, element));
        let start = u64::from(edge.is_none_or(|(edge, _)| edge == Edge::Without));
        let is_it = match edge {
            Some(_) => self.emitter.let_word(Word::Constant(start)).into(),
            None => Word::Constant(start),
        };
        self.emitter.begin();
        let around = self.emitter.let_set(width, floods.around(&elements.into()));
        if let (Some((_, plane)), Word::Scalar(flag)) = (edge, &is_it) {
            let is_met = (Set::Plane(around) & plane).any();
            let leave = vec![Statement::Let(*flag, Word::Constant(1 - start)), Statement::Leave];
            self.emitter.push(Statement::If(is_met, leave, Vec::new()));
        }
        let new = (Set::Plane(around) & members) - elements;
        let new = self.emitter.let_set(width, new);
        let is_new = Set::Plane(new).any();
        self.emitter.push(Statement::If(is_new, Vec::new(), vec![Statement::Leave]));
        self.emitter.push(Statement::LetSet(elements, Set::Plane(elements) | new));
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        (Filled { elements, members, border: None }, is_it)
    }

    /// The component that an element belongs to, where components are kept.
    fn look_up(
        &mut self,
        kept: KeptComponents,
        (width, element): (u16, Scalar),
        edge: Option<(Edge, Plane)>,
    ) -> (Filled, Word) {
        let label = self.emitter.let_word(Word::at(kept.labels, element));
        let elements = self.emitter.let_set(width, Set::at(kept.elements, label));
        let border = self.emitter.let_set(width, Set::at(kept.borders, label));
        let is_it = edge.map_or(Word::Constant(1), |(edge, plane)| {
            let is_met = (Set::Plane(border) & plane).any();
            if edge == Edge::With { is_met } else { is_met.equals(0) }
        });
        (Filled { elements, members: elements, border: Some(border) }, is_it)
    }
}
