//! Component objects: strings, groups and chains as maximal sets of linked elements.
//!
//! In: who belongs to a component at all, what links neighbours, what they must share. Out: elements,
//! border, shared value and size of each component. Invariant: a component is named by its first
//! element in the order of values; links are taken both ways.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use crate::base::{ComponentId, ComponentPart, Source};
use crate::clause::PredicateId;
use crate::limits::Error;
use crate::run::{Scope, Task};
use crate::solve::{Flow, Solver, World};
use crate::table::{Call, Row};
use crate::term::Value;

/// A member: an element with the value it shares.
type Member = (Value, Option<Value>);

/// One component: its elements in order, what they share, and its border.
struct Found {
    elements: Vec<Value>,
    shared: Option<Value>,
    border: Vec<Value>,
}

impl Solver {
    /// The rows of a component relation that match the pattern.
    pub(crate) fn component_rows(
        &self,
        world: &dyn World,
        (predicate, pattern): (PredicateId, &[Option<Value>]),
        id: ComponentId,
        part: ComponentPart,
    ) -> Result<Rc<Vec<Row>>, Error> {
        if self.reading.is_on() {
            let found = self.find_components(world, id)?;
            let rows = found.iter().flat_map(|one| part_rows(one, part));
            return Ok(Rc::new(rows.filter(|row| agrees(row, pattern)).collect()));
        }
        let tables = world.tables(self.base.predicate(predicate).level);
        let call = Call { predicate, known: pattern.into() };
        if let Some(rows) = tables.borrow().kept(&call) {
            return Ok(rows);
        }
        let all = all_of(predicate);
        let kept = tables.borrow().kept(&all);
        let rows = if let Some(rows) = kept {
            rows
        } else {
            let found = self.find_components(world, id)?;
            self.keep_parts(world, id, &found);
            tables.borrow().kept(&all).unwrap_or_default()
        };
        if pattern.iter().all(Option::is_none) {
            return Ok(rows);
        }
        let matching = Rc::new(rows.iter().filter(|row| agrees(row, pattern)).cloned().collect());
        tables.borrow_mut().keep(&call, Rc::clone(&matching));
        Ok(matching)
    }

    /// Keeps the rows of all parts: who asks for one will ask for another.
    fn keep_parts(&self, world: &dyn World, id: ComponentId, found: &[Found]) {
        for (predicate, place) in self.base.predicates.iter().zip(0..) {
            if let Source::Component(other, part) = predicate.source
                && other == id
            {
                let rows = Rc::new(found.iter().flat_map(|one| part_rows(one, part)).collect());
                let all = all_of(PredicateId(place));
                world.tables(predicate.level).borrow_mut().keep(&all, rows);
            }
        }
    }

    fn find_components(&self, world: &dyn World, id: ComponentId) -> Result<Vec<Found>, Error> {
        let members = self.component_members(world, id)?;
        let is_member: FxHashSet<Member> = members.iter().copied().collect();
        let mut placed = FxHashSet::default();
        let mut links = FxHashMap::default();
        let mut components = Vec::new();
        for first in members {
            if !placed.insert(first) {
                continue;
            }
            let mut one = Found { elements: vec![], shared: first.1, border: vec![] };
            let mut queue = VecDeque::from([first.0]);
            let mut on_border = FxHashSet::default();
            while let Some(element) = queue.pop_front() {
                one.elements.push(element);
                for &other in self.linked(world, id, element, &mut links)?.iter() {
                    let member = (other, first.1);
                    if !is_member.contains(&member) {
                        if on_border.insert(other) {
                            one.border.push(other);
                        }
                    } else if placed.insert(member) {
                        queue.push_back(other);
                    }
                }
            }
            let symbols = self.symbols().borrow();
            one.elements.sort_by(|a, b| symbols.compare(*a, *b));
            one.border.sort_by(|a, b| symbols.compare(*a, *b));
            components.push(one);
        }
        Ok(components)
    }

    /// The members in the order of values.
    fn component_members(&self, world: &dyn World, id: ComponentId) -> Result<Vec<Member>, Error> {
        let component = self.base.component(id);
        let goals = &self.component_goals[id.0 as usize];
        let scope = Scope { variables: &component.variables, span: component.span };
        let mut frame = vec![None; component.variables.len()];
        let mut members = FxHashSet::default();
        self.run(Task { world, goals, scope }, &mut frame, &mut |frame| {
            let unbound = |var: crate::term::Var| Error::Unbound {
                variable: component.variables[var.0 as usize].name.clone(),
                span: component.span,
            };
            let element =
                frame[component.element.0 as usize].ok_or_else(|| unbound(component.element))?;
            let shared = match component.shared {
                Some(var) => Some(frame[var.0 as usize].ok_or_else(|| unbound(var))?),
                None => None,
            };
            members.insert((element, shared));
            Ok(Flow::More)
        })?;
        let symbols = self.symbols().borrow();
        let mut members: Vec<Member> = members.into_iter().collect();
        members.sort_by(|a, b| symbols.compare(a.0, b.0).then(a.1.cmp(&b.1)));
        Ok(members)
    }

    fn linked(
        &self,
        world: &dyn World,
        id: ComponentId,
        element: Value,
        links: &mut FxHashMap<Value, Rc<Vec<Value>>>,
    ) -> Result<Rc<Vec<Value>>, Error> {
        if let Some(known) = links.get(&element) {
            return Ok(Rc::clone(known));
        }
        let link = self.base.component(id).link;
        let forth = self.call(world, link, &[Some(element), None])?;
        let back = self.call(world, link, &[None, Some(element)])?;
        self.reading.count((forth.len() + back.len()) as u64)?;
        let mut others: Vec<Value> =
            forth.iter().map(|row| row[1]).chain(back.iter().map(|row| row[0])).collect();
        others.retain(|other| *other != element);
        others.sort_unstable();
        others.dedup();
        let others = Rc::new(others);
        links.insert(element, Rc::clone(&others));
        Ok(others)
    }
}

/// The question for all rows of a part.
fn all_of(predicate: PredicateId) -> Call {
    Call { predicate, known: smallvec![None, None] }
}

fn agrees(row: &[Value], pattern: &[Option<Value>]) -> bool {
    row.iter().zip(pattern).all(|(value, known)| known.is_none_or(|known| known == *value))
}

fn part_rows(one: &Found, part: ComponentPart) -> Vec<Row> {
    let name = one.elements[0];
    let pairs = |values: &[Value]| values.iter().map(|value| smallvec![name, *value]).collect();
    match part {
        ComponentPart::Element => pairs(&one.elements),
        ComponentPart::Border => pairs(&one.border),
        ComponentPart::Shared => one.shared.iter().map(|value| smallvec![name, *value]).collect(),
        ComponentPart::Size => {
            let size = i32::try_from(one.elements.len()).unwrap_or(i32::MAX);
            vec![smallvec![name, Value::Int(size)]]
        }
    }
}
