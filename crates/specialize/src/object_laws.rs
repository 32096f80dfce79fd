//! Laws of objects: what the definition of a component alone makes true in every state.
//!
//! In: the objects of a theory. Out: metarules that need no facts: a point belongs to one component,
//! elements are members, a border point is not an element. The papers write these by hand ("the color
//! of a string is never empty"). Paper: metameta §2. Invariant: each law follows from the definition of
//! components as maximal sets of linked members.

use rulesmith_logic::{
    Atom, Component, ComponentId, ComponentPart, Condition, Expr, PredicateId, Source, Term, Var,
    condition_vars, has_var, substitute_body,
};
use rulesmith_rules::{PredicateKind, Theory};

use crate::metarules::{Border, Consequence, Metarule, Origin, Proof};
use crate::static_facts::StaticFacts;

/// The laws of all objects of a theory.
pub fn object_laws(theory: &Theory) -> Vec<Metarule> {
    let ids = (0..theory.base.components.len())
        .map(|place| ComponentId(u32::try_from(place).expect("fewer than 2^32 objects")));
    ids.filter_map(|id| Laws::of(theory, id)).flat_map(|laws| laws.all()).collect()
}

/// The objects whose links hold both ways.
pub(crate) fn borders(theory: &Theory, facts: &StaticFacts) -> Vec<Border> {
    let ids = (0..theory.base.components.len())
        .map(|place| ComponentId(u32::try_from(place).expect("fewer than 2^32 objects")));
    let border = |id: ComponentId| {
        let link = theory.base.component(id).link;
        let there = [atom(link, S, X)];
        if !facts.always_holds(&there, &atom(link, X, S), &[]) {
            return None;
        }
        Some(Border {
            element: part_predicate(theory, id, ComponentPart::Element)?,
            border: part_predicate(theory, id, ComponentPart::Border)?,
            link,
        })
    };
    ids.filter_map(border).collect()
}

/// The predicate that names a part of a component.
pub(crate) fn part_predicate(
    theory: &Theory,
    id: ComponentId,
    part: ComponentPart,
) -> Option<PredicateId> {
    let wanted = Source::Component(id, part);
    let place = theory.base.predicates.iter().position(|one| one.source == wanted)?;
    u32::try_from(place).ok().map(PredicateId)
}

/// What the laws of one object speak of. Variables: components 0 and 1, points 2 and 3, classes 4 and 5.
struct Laws<'t> {
    theory: &'t Theory,
    component: &'t Component,
    element: PredicateId,
    border: PredicateId,
    shared: PredicateId,
    size: PredicateId,
}

const S: Term = Term::Var(Var(0));
const S1: Term = Term::Var(Var(1));
const X: Term = Term::Var(Var(2));
const C: Term = Term::Var(Var(4));
const C1: Term = Term::Var(Var(5));

impl<'t> Laws<'t> {
    fn of(theory: &'t Theory, id: ComponentId) -> Option<Self> {
        Some(Self {
            theory,
            component: theory.base.component(id),
            element: part_predicate(theory, id, ComponentPart::Element)?,
            border: part_predicate(theory, id, ComponentPart::Border)?,
            shared: part_predicate(theory, id, ComponentPart::Shared)?,
            size: part_predicate(theory, id, ComponentPart::Size)?,
        })
    }

    fn all(&self) -> Vec<Metarule> {
        // A component is named by its first element: with several classes one name may stand for several.
        if !self.has_one_class() {
            return Vec::new();
        }
        let twice = [atom(self.element, S, X), atom(self.element, S1, X)];
        let mut laws = vec![
            law(&[atom(self.element, S, X), atom(self.border, S, X)], &Consequence::Impossible),
            law(&[atom(self.shared, S, C), atom(self.shared, S, C1)], &Consequence::Equal(C, C1)),
            law(&[atom(self.size, S, C), atom(self.size, S, C1)], &Consequence::Equal(C, C1)),
            law(&twice, &Consequence::Equal(S, S1)),
        ];
        laws.extend(self.laws_of_members());
        laws
    }

    /// What elements and their class have to do with one another.
    fn laws_of_members(&self) -> Vec<Metarule> {
        let element = [self.element_x()];
        let member = self.member(X, C);
        if self.component.shared.is_none() {
            let member = member.into_iter().flatten();
            return member.map(|condition| implied(&element, condition)).collect();
        }
        let of_class = [self.element_x(), atom(self.shared, S, C)];
        let mut laws = vec![law(&of_class[1..], &Consequence::HasMatch(self.element_x()))];
        let Some(member) = member else { return laws };
        for condition in member.clone() {
            // What does not speak of the point holds of the class of every component.
            let speaks_of_point = condition_vars(&condition).contains(&Var(2));
            let body = if speaks_of_point { &of_class[..] } else { &of_class[1..] };
            laws.push(implied(body, condition));
        }
        // A member of a component's class on its border would be an element.
        let mut outside = vec![atom(self.border, S, X), atom(self.shared, S, C)];
        outside.extend(member.clone());
        laws.push(law(&outside, &Consequence::Impossible));
        // An element shares its value, and there is one.
        let of_point = |condition: &Condition| has_var(condition, Var(2));
        let mut inside = vec![self.element_x()];
        inside.extend(member.into_iter().filter(of_point));
        if inside.len() > 1 {
            laws.push(implied(&inside, atom(self.shared, S, C)));
        }
        laws
    }

    fn element_x(&self) -> Condition {
        atom(self.element, S, X)
    }

    /// What makes a point a member of a class; nothing if it asks about other things.
    fn member(&self, point: Term, class: Term) -> Option<Vec<Condition>> {
        let map = |var: Var| {
            if var == self.component.element {
                point
            } else if Some(var) == self.component.shared {
                class
            } else {
                Term::Var(Var(var.0 + 100))
            }
        };
        let body = substitute_body(&self.component.body, &map);
        let is_plain = |condition: &Condition| {
            matches!(
                condition,
                Condition::Holds(_) | Condition::Compare(_, Expr::Term(_), Expr::Term(_))
            ) && condition_vars(condition).iter().all(|var| var.0 < 100)
        };
        body.iter().all(is_plain).then_some(body)
    }

    /// Does a point have one class at most, because a function of the point gives it?
    fn has_one_class(&self) -> bool {
        let Some(class) = self.component.shared else { return true };
        let element = Term::Var(self.component.element);
        self.component.body.iter().any(|condition| match condition {
            Condition::Holds(atom) => match self.theory.kind(atom.predicate) {
                PredicateKind::Fluent(id) => {
                    self.theory.fluent(*id).is_functional
                        && atom.args[..] == [element, Term::Var(class)]
                }
                PredicateKind::Static { arrow: true, .. } => {
                    atom.args[..] == [element, Term::Var(class)]
                }
                _ => false,
            },
            _ => false,
        })
    }
}

fn atom(predicate: PredicateId, left: Term, right: Term) -> Condition {
    Condition::Holds(Atom { predicate, args: vec![left, right] })
}

fn implied(body: &[Condition], condition: Condition) -> Metarule {
    law(body, &Consequence::Holds(condition))
}

fn law(body: &[Condition], consequence: &Consequence) -> Metarule {
    Metarule::new(body, consequence, Proof::General, Origin::Object)
}
