//! Objects after a move: strings, groups and regions in terms of those before it.
//!
//! In: conditions on one component after a move. Out: conditions before it, by lemmas that hold for
//! every component whose elements are the points where a fluent has a value: a move that adds one
//! point to a class joins the components of that class that border on it, and leaves the others as
//! they are. Paper: forcedmoves §5, where these clauses are written by hand. Invariant: a lemma is
//! used only when unfolding has proved what it needs: at most one point is added, and what is taken
//! away are whole components; otherwise the conditions stay as they are.

use rulesmith_logic::{
    Atom, Comparison, Component, ComponentId, ComponentPart, Condition, Expr, Level, PredicateId,
    Source, Term, Var, Variable, has_var, substitute_body,
};
use rulesmith_rules::{Fluent, PredicateKind};

use crate::draft::{Draft, Finished};
use crate::flat::fresh;
use crate::regress::{Stage, at_stage, numbered};
use crate::simplify::{Rigid, equation};
use crate::unfold::{Selected, Stuck, Unfolder, is_positive};

/// A component object whose elements are the points where a fluent has a value.
struct Membership<'t> {
    id: ComponentId,
    component: &'t Component,
    fluent: &'t Fluent,
    /// The class of a member: the value its component shares.
    class: Term,
}

/// What a group of conditions says about one component after the move.
struct Group {
    places: Vec<usize>,
    elements: Vec<Term>,
    borders: Vec<Term>,
    classes: Vec<Term>,
}

/// What a move does to the members of a class.
struct Change {
    /// The one point that may be added.
    added: Option<Term>,
    /// May whole components be taken away?
    removes: bool,
}

impl<'k> Unfolder<'k> {
    /// The relation of an object a condition asks for.
    pub(crate) fn component_atom<'c>(
        &self,
        condition: &'c Condition,
    ) -> Option<(ComponentId, ComponentPart, &'c Atom)> {
        let Condition::Holds(atom) = condition else { return None };
        match self.knowledge.theory.base.predicate(atom.predicate).source {
            Source::Component(id, part) => Some((id, part, atom)),
            _ => None,
        }
    }

    /// The ways a component after a move can be what the conditions at and around a place say.
    pub(crate) fn object_ways(
        &mut self,
        draft: &Draft,
        place: usize,
        variables: &mut Vec<Variable>,
    ) -> Result<Selected, Stuck> {
        let Condition::Elsewhere { by, body, .. } = &draft.body[place] else { return Err(Stuck) };
        let (id, _, atom) = body.first().and_then(|one| self.component_atom(one)).ok_or(Stuck)?;
        let membership = self.membership(id).ok_or(Stuck)?;
        let Some(group) = self.group(draft, by, id, atom.args[0]) else {
            return self.detached(draft, place, variables).ok_or(Stuck);
        };
        let change = self.change(draft, by, &membership, variables)?;
        let lemma = Lemma { by, membership: &membership, change: &change };
        let bodies = self.group_bodies(&lemma, &group, variables);
        Ok(Selected { places: group.places, alternatives: numbered(by, bodies) })
    }

    /// The conditions after this move about one component, which nothing else may name.
    fn group(&self, draft: &Draft, by: &Atom, id: ComponentId, name: Term) -> Option<Group> {
        let Term::Var(name) = name else { return None };
        let mut group =
            Group { places: vec![], elements: vec![], borders: vec![], classes: vec![] };
        let is_named = |terms: &[Term]| terms.contains(&Term::Var(name));
        if draft.rigid.contains(&name) || is_named(&draft.head) {
            return None;
        }
        for (place, condition) in draft.body.iter().enumerate() {
            if !has_var(condition, name) {
                continue;
            }
            let Condition::Elsewhere { by: other, body, .. } = condition else { return None };
            let (other_id, part, atom) = self.component_atom(body.first()?)?;
            if other != by || other_id != id || atom.args[0] != Term::Var(name) {
                return None;
            }
            let listed = match part {
                ComponentPart::Element => &mut group.elements,
                ComponentPart::Border => &mut group.borders,
                ComponentPart::Shared => &mut group.classes,
                ComponentPart::Size => return None,
            };
            if atom.args[1] == Term::Var(name) {
                return None;
            }
            listed.push(atom.args[1]);
            group.places.push(place);
        }
        Some(group)
    }

    /// The name of a component taken out of negations and counts. Inside them it becomes the name of
    /// the component that has a certain element: a point belongs to one component at most.
    fn detached(
        &self,
        draft: &Draft,
        place: usize,
        variables: &mut Vec<Variable>,
    ) -> Option<Selected> {
        let Condition::Elsewhere { by, body, .. } = &draft.body[place] else { return None };
        let (id, _, atom) = self.component_atom(body.first()?)?;
        let name = crate::binding::term_var(atom.args[0])?;
        let anchors = draft.body.iter().filter_map(|condition| match condition {
            Condition::Elsewhere { by: other, body, .. } if other == by => {
                let (other_id, part, atom) = self.component_atom(body.first()?)?;
                let is_element = other_id == id && part == ComponentPart::Element;
                (is_element && atom.args[0] == Term::Var(name)).then_some(atom.args[1])
            }
            _ => None,
        });
        let known = anchors.into_iter().next();
        let anchor = known.unwrap_or_else(|| Term::Var(fresh(variables, "X")));
        let element = |name: Term| {
            let element = vec![self.atom(id, ComponentPart::Element, name, anchor)];
            at_stage(self.knowledge.theory, by, Stage::After, element)
        };
        let (mut places, mut conditions) = (Vec::new(), Vec::new());
        for (place, condition) in draft.body.iter().enumerate() {
            if matches!(condition, Condition::None { .. } | Condition::Compare(..))
                && has_var(condition, name)
            {
                let own = fresh(variables, "S");
                let element = element(Term::Var(own));
                conditions.push(with_own_name(condition, name, own, &element)?);
                places.push(place);
            }
        }
        if places.is_empty() {
            return None;
        }
        if known.is_none() {
            conditions.push(element(Term::Var(name)));
        }
        Some(Selected { places, alternatives: numbered(by, vec![conditions]) })
    }

    fn membership(&self, id: ComponentId) -> Option<Membership<'k>> {
        let theory = self.knowledge.theory;
        let component = theory.base.component(id);
        let element = Term::Var(component.element);
        let mut fluents = component.body.iter().filter_map(|condition| match condition {
            Condition::Holds(atom) => match theory.kind(atom.predicate) {
                PredicateKind::Fluent(id) => Some((theory.fluent(*id), atom)),
                _ => None,
            },
            _ => None,
        });
        let (fluent, atom) = fluents.next()?;
        let is_simple = |condition: &Condition| match condition {
            Condition::Holds(other) => other == atom,
            Condition::Compare(_, Expr::Term(_), Expr::Term(_)) => true,
            _ => false,
        };
        let is_fluent_of_element =
            fluent.is_functional && fluent.n_keys == 1 && atom.args[0] == element;
        let class = atom.args[1];
        let is_class = match class {
            Term::Var(var) => component.shared == Some(var),
            Term::Value(_) => component.shared.is_none(),
        };
        // A link that changes from state to state would change objects that no stone touches.
        let simple = component.body.iter().all(is_simple)
            && theory.base.predicate(component.link).level == Level::Static
            && !fluent.is_transient
            && theory.base.clauses_of(fluent.deferred).is_empty();
        (simple && is_fluent_of_element && is_class).then_some(Membership {
            id,
            component,
            fluent,
            class,
        })
    }

    /// Proves what the move does to the members of a class.
    fn change(
        &mut self,
        draft: &Draft,
        by: &Atom,
        membership: &Membership<'_>,
        variables: &mut Vec<Variable>,
    ) -> Result<Change, Stuck> {
        let theory = self.knowledge.theory;
        let point = fresh(variables, "X");
        let class = membership.fresh_class(variables);
        let member = membership.conditions(Term::Var(point), class);
        let mut context = draft.context.clone();
        context.extend(draft.body.iter().filter(|one| is_positive(one)).cloned());

        let after = at_stage(theory, by, Stage::After, member.clone());
        let not_before = Condition::None { locals: vec![], body: member.clone() };
        let added = [context.clone(), vec![after, not_before]].concat();
        let added = self.prove(Proving { draft, by, point }, added, variables)?;
        let mut points: Vec<Term> = added.iter().map(|one| one.head[0]).collect();
        points.dedup();
        let added = match &points[..] {
            [] => None,
            [one] if by.args.contains(one) => Some(*one),
            _ => return Err(Stuck),
        };

        let value = fresh(variables, "V");
        let args = vec![Term::Var(point), Term::Var(value)];
        let assigned = Condition::Holds(Atom { predicate: membership.fluent.assign, args });
        let assigned = at_stage(theory, by, Stage::During, vec![assigned]);
        let (value, class) = (Expr::Term(Term::Var(value)), Expr::Term(class));
        let differs = Condition::Compare(Comparison::Unequal, value, class);
        let removed = [context, member, vec![assigned, differs]].concat();
        let removed = self.prove(Proving { draft, by, point }, removed, variables)?;
        let element = self.part(membership.id, ComponentPart::Element);
        // One of the move's own points stands for itself alone, not for all elements like it.
        let is_whole = |one: &Finished| {
            !by.args.contains(&one.head[0]) && is_whole_component(one, element, membership.fluent)
        };
        if !removed.iter().all(is_whole) {
            return Err(Stuck);
        }
        Ok(Change { added, removes: !removed.is_empty() })
    }

    /// All bodies that conditions unfold into, with the point in the head.
    fn prove(
        &mut self,
        Proving { draft, by, point }: Proving<'_>,
        body: Vec<Condition>,
        variables: &mut Vec<Variable>,
    ) -> Result<Vec<Finished>, Stuck> {
        let mut rigid = Rigid::new();
        rigid.extend(by.args.iter().copied().filter_map(crate::binding::term_var));
        let mut nested = draft.nested(body, rigid, Vec::new());
        nested.head = vec![Term::Var(point)];
        self.expand(nested, variables)
    }

    /// The predicate that names a part of a component.
    fn part(&self, id: ComponentId, part: ComponentPart) -> PredicateId {
        let wanted = Source::Component(id, part);
        let predicates = &self.knowledge.theory.base.predicates;
        let place = predicates.iter().position(|predicate| predicate.source == wanted);
        let place = place.expect("a component has all its parts");
        PredicateId(u32::try_from(place).expect("fewer than 2^32 predicates"))
    }

    /// The bodies before the move that say what the group says after it.
    fn group_bodies(
        &mut self,
        lemma: &Lemma<'_>,
        group: &Group,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let class = lemma.membership.fresh_class(variables);
        let anchor =
            group.elements.first().copied().unwrap_or_else(|| Term::Var(fresh(variables, "X")));
        let mut first = self.member_after(lemma, anchor, class);
        first.extend(group.classes.iter().map(|other| equation(*other, class)));
        let mut bodies = vec![first];
        for element in group.elements.iter().skip(1) {
            let member = self.member_after(lemma, *element, class);
            let ways = self.same_component(lemma, (anchor, *element), class, variables);
            bodies = combined(&bodies, &[member], &ways);
        }
        for border in &group.borders {
            let member = self.member_after(lemma, *border, class);
            let outside = vec![Condition::None { locals: vec![], body: member }];
            let ways = self.near_component(lemma, (anchor, *border), class, variables);
            bodies = combined(&bodies, &[outside], &ways);
        }
        bodies
    }

    fn member_after(&self, lemma: &Lemma<'_>, point: Term, class: Term) -> Vec<Condition> {
        let member = lemma.membership.conditions(point, class);
        vec![at_stage(self.knowledge.theory, lemma.by, Stage::After, member)]
    }

    /// The ways two members are in one component after the move.
    fn same_component(
        &self,
        lemma: &Lemma<'_>,
        (anchor, element): (Term, Term),
        class: Term,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let name = Term::Var(fresh(variables, "S"));
        let mut ways = vec![vec![
            self.atom(lemma.membership.id, ComponentPart::Element, name, anchor),
            self.atom(lemma.membership.id, ComponentPart::Element, name, element),
        ]];
        let Some(added) = lemma.change.added else { return ways };
        let joined = self.member_after(lemma, added, class);
        for near in self.joined(lemma, anchor, class, variables) {
            for far in self.joined(lemma, element, class, variables) {
                ways.push([joined.clone(), near.clone(), far].concat());
            }
        }
        ways
    }

    /// The ways a point is next to the component of a member after the move.
    fn near_component(
        &self,
        lemma: &Lemma<'_>,
        (anchor, border): (Term, Term),
        class: Term,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let name = Term::Var(fresh(variables, "S"));
        let mut ways = vec![vec![
            self.atom(lemma.membership.id, ComponentPart::Element, name, anchor),
            self.atom(lemma.membership.id, ComponentPart::Border, name, border),
        ]];
        let Some(added) = lemma.change.added else { return ways };
        let joined = self.member_after(lemma, added, class);
        let link = lemma.membership.component.link;
        let linked =
            |from, to| vec![Condition::Holds(Atom { predicate: link, args: vec![from, to] })];
        for near in self.joined(lemma, anchor, class, variables) {
            for next in [linked(added, border), linked(border, added)] {
                ways.push([joined.clone(), near.clone(), next].concat());
            }
            let name = Term::Var(fresh(variables, "S"));
            let mut far = self.bordering(lemma, name, class, variables);
            far.push(self.atom(lemma.membership.id, ComponentPart::Border, name, border));
            ways.push([joined.clone(), near, far].concat());
        }
        ways
    }

    /// The ways a member belongs to the component of the added point.
    fn joined(
        &self,
        lemma: &Lemma<'_>,
        member: Term,
        class: Term,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let Some(added) = lemma.change.added else { return vec![] };
        if member == added {
            return vec![vec![]];
        }
        let name = Term::Var(fresh(variables, "S"));
        let mut through = self.bordering(lemma, name, class, variables);
        through.push(self.atom(lemma.membership.id, ComponentPart::Element, name, member));
        vec![vec![equation(member, added)], through]
    }

    /// A component of the class that borders on the added point and is not taken away.
    fn bordering(
        &self,
        lemma: &Lemma<'_>,
        name: Term,
        class: Term,
        variables: &mut Vec<Variable>,
    ) -> Vec<Condition> {
        let Some(added) = lemma.change.added else { return vec![] };
        let mut conditions =
            vec![self.atom(lemma.membership.id, ComponentPart::Border, name, added)];
        if lemma.membership.component.shared.is_some() {
            conditions.push(self.atom(lemma.membership.id, ComponentPart::Shared, name, class));
        }
        if lemma.change.removes {
            let element = Term::Var(fresh(variables, "X"));
            conditions.push(self.atom(lemma.membership.id, ComponentPart::Element, name, element));
            conditions.extend(self.member_after(lemma, element, class));
        }
        conditions
    }

    fn atom(&self, id: ComponentId, part: ComponentPart, name: Term, other: Term) -> Condition {
        Condition::Holds(Atom { predicate: self.part(id, part), args: vec![name, other] })
    }
}

/// Where something is proved of a point.
struct Proving<'p> {
    draft: &'p Draft,
    by: &'p Atom,
    point: Var,
}

/// What the lemmas are about.
struct Lemma<'l> {
    by: &'l Atom,
    membership: &'l Membership<'l>,
    change: &'l Change,
}

impl Membership<'_> {
    /// What makes a point a member of a class.
    fn conditions(&self, point: Term, class: Term) -> Vec<Condition> {
        let map = |var: Var| {
            if var == self.component.element {
                point
            } else if Term::Var(var) == self.class {
                class
            } else {
                Term::Var(var)
            }
        };
        substitute_body(&self.component.body, &map)
    }

    /// A variable for the class, or the one class there is.
    fn fresh_class(&self, variables: &mut Vec<Variable>) -> Term {
        match self.class {
            Term::Var(var) => {
                let variable = self.component.variables[var.0 as usize].clone();
                Term::Var(crate::flat::push(variables, variable))
            }
            value @ Term::Value(_) => value,
        }
    }
}

/// A negation or a count with a name of its own for a component, and what says which one it is.
fn with_own_name(
    condition: &Condition,
    name: Var,
    own: Var,
    element: &Condition,
) -> Option<Condition> {
    let map = |var: Var| Term::Var(if var == name { own } else { var });
    let renamed = |body: &[Condition]| {
        let mut body = substitute_body(body, &map);
        body.push(element.clone());
        body
    };
    match condition {
        Condition::None { locals, body } => {
            let locals = locals.iter().copied().chain([own]).collect();
            Some(Condition::None { locals, body: renamed(body) })
        }
        Condition::Compare(comparison, left @ Expr::Term(_), Expr::Count { counted, body }) => {
            let body = match &body[..] {
                [Condition::AnyOf(branches)] => {
                    let branches = branches.iter().map(|branch| renamed(branch)).collect();
                    vec![Condition::AnyOf(branches)]
                }
                _ => renamed(body),
            };
            let count = Expr::Count { counted: counted.clone(), body };
            Some(Condition::Compare(*comparison, left.clone(), count))
        }
        _ => None,
    }
}

/// Does the body take the point away only because of the component it belongs to?
fn is_whole_component(one: &Finished, element: PredicateId, fluent: &Fluent) -> bool {
    let point = one.head[0];
    let Term::Var(var) = point else { return false };
    let is_element = |condition: &Condition| match condition {
        Condition::Holds(atom) => {
            atom.predicate == element && atom.args[1] == point && atom.args[0] != point
        }
        _ => false,
    };
    let is_value = |condition: &Condition| match condition {
        Condition::Holds(atom) => atom.predicate == fluent.predicate && atom.args[0] == point,
        _ => false,
    };
    let others = one.body.iter().filter(|condition| !is_element(condition) && !is_value(condition));
    one.body.iter().any(is_element) && others.into_iter().all(|condition| !has_var(condition, var))
}

/// Every body with every way, and what all of them need.
fn combined(
    bodies: &[Vec<Condition>],
    common: &[Vec<Condition>],
    ways: &[Vec<Condition>],
) -> Vec<Vec<Condition>> {
    let common = common.concat();
    let with = |body: &Vec<Condition>| {
        let body = [body.clone(), common.clone()].concat();
        ways.iter().map(move |way| [body.clone(), way.clone()].concat())
    };
    bodies.iter().flat_map(with).collect()
}
