//! Subsumption: a clause is redundant when a more general one says all it says.
//!
//! In: two clauses, the second with ghosts (conditions that its body implies). Out: does the body of the
//! first map into body and ghosts of the second, heads onto each other? Paper: none; the usual
//! θ-subsumption, extended to negations (a mapping the other way round inside), counts (equality) and
//! passages (a mapping inside). Invariant: a contained clause adds no answer in any world; running out of
//! steps means "not contained".

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, PredicateId, Span, Term, Value, Var, Variable,
    condition_vars, substitute, substitute_body,
};

use crate::literal::{Inner, Key, Literal, asked_literals, inner_literals, offered_literals};
use crate::variants::canonical;

/// How many pairs of conditions are matched before a question is given up.
pub const STEP_LIMIT: u64 = 10_000;

/// How many pairs are looked at for each step, while the next condition is chosen.
const GLANCES_PER_STEP: u64 = 256;

/// Longer bodies are not matched: the search is as deep as they are long.
const LITERAL_LIMIT: usize = 2_000;

/// A clause with conditions that its body implies: good to match with, never emitted.
#[derive(Clone, Debug)]
pub struct WithGhosts {
    /// The clause.
    pub clause: Clause,
    /// What follows from its body, over its variables.
    pub ghosts: Vec<Condition>,
}

/// Whether one clause contains another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// Every answer of the second is one of the first.
    Contained,
    /// No mapping shows it.
    NotShown,
    /// The steps ran out.
    OutOfSteps,
}

/// Does the general clause make the specific one redundant?
pub fn contains(general: &Clause, specific: &WithGhosts, step_limit: u64) -> Containment {
    let general = canonical(general).clause;
    let specific = in_canonical_form(specific);
    let asked = Asked { clause: &general, literals: &asked_literals(&general) };
    let literals = offered_literals(&specific.clause, &specific.ghosts);
    let offered = Offered { clause: &specific.clause, literals: &literals };
    map_into(asked, offered, step_limit)
}

/// The clause in canonical form, its ghosts renamed with it. A ghost over other variables is dropped.
pub(crate) fn in_canonical_form(clause: &WithGhosts) -> WithGhosts {
    let form = canonical(&clause.clause);
    let ghosts = rename_ghosts(&clause.ghosts, &form.renaming);
    WithGhosts { clause: form.clause, ghosts }
}

pub(crate) fn rename_ghosts(ghosts: &[Condition], renaming: &[Option<Var>]) -> Vec<Condition> {
    let new = |var: Var| renaming.get(usize::from(var.0)).copied().flatten();
    let is_known =
        |ghost: &&Condition| condition_vars(ghost).into_iter().all(|var| new(var).is_some());
    let rename = |var: Var| Term::Var(new(var).unwrap_or(var));
    ghosts.iter().filter(is_known).map(|ghost| substitute(ghost, &rename)).collect()
}

/// The clause that is mapped.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'c> {
    pub(crate) clause: &'c Clause,
    pub(crate) literals: &'c [Literal],
}

/// The clause it is mapped into.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'c> {
    pub(crate) clause: &'c Clause,
    pub(crate) literals: &'c [Literal],
}

/// Is there a substitution that takes head to head and every literal asked to one offered?
pub(crate) fn map_into(asked: Asked<'_>, offered: Offered<'_>, step_limit: u64) -> Containment {
    let (head, goal_head) = (&asked.clause.head, &offered.clause.head);
    if head.predicate != goal_head.predicate || head.args.len() != goal_head.args.len() {
        return Containment::NotShown;
    }
    let mut fuel = Fuel { steps: step_limit, glances: step_limit.saturating_mul(GLANCES_PER_STEP) };
    let mut mapping = Mapping {
        bindings: vec![None; asked.clause.variables.len()],
        trail: Vec::new(),
        variables: &[&asked.clause.variables],
        offered_variables: &[&offered.clause.variables],
        fuel: &mut fuel,
    };
    if !mapping.bind_terms(&head.args, &goal_head.args) {
        return Containment::NotShown;
    }
    let goals = asked.literals.iter().map(|literal| Goal { literal, among: offered.literals });
    if mapping.map_all(goals.collect()) {
        Containment::Contained
    } else if fuel.is_empty() {
        Containment::OutOfSteps
    } else {
        Containment::NotShown
    }
}

struct Fuel {
    steps: u64,
    glances: u64,
}

impl Fuel {
    fn is_empty(&self) -> bool {
        self.steps == 0 || self.glances == 0
    }
}

/// A literal that must find its match.
#[derive(Clone, Copy)]
struct Goal<'m> {
    literal: &'m Literal,
    among: &'m [Literal],
}

impl<'m> Goal<'m> {
    /// The literals of the same key.
    fn candidates(&self) -> &'m [Literal] {
        let start = self.among.partition_point(|other| other.key < self.literal.key);
        let rest = &self.among[start..];
        &rest[..rest.partition_point(|other| other.key == self.literal.key)]
    }
}

/// A substitution in the making.
struct Mapping<'m> {
    /// What each variable of the asking clause becomes.
    bindings: Vec<Option<Term>>,
    trail: Vec<Var>,
    variables: Tables<'m>,
    offered_variables: Tables<'m>,
    fuel: &'m mut Fuel,
}

/// Variables whose numbers go on from one table to the next, so that none has to be copied.
type Tables<'m> = &'m [&'m [Variable]];

fn n_variables(tables: Tables<'_>) -> usize {
    tables.iter().map(|table| table.len()).sum()
}

/// What to do next.
enum Choice {
    Stuck,
    Granted(usize),
    Try(usize),
}

impl<'m> Mapping<'m> {
    /// Maps all goals, the one with the fewest candidates first.
    fn map_all(&mut self, mut goals: Vec<Goal<'_>>) -> bool {
        if goals.len() > LITERAL_LIMIT {
            self.fuel.steps = 0;
        }
        let chosen = loop {
            if goals.is_empty() {
                return true;
            }
            match self.choose(&goals) {
                Choice::Stuck => return false,
                Choice::Granted(place) => _ = goals.swap_remove(place),
                Choice::Try(place) => break goals.swap_remove(place),
            }
        };
        for candidate in chosen.candidates() {
            for is_swapped in [false, true] {
                if is_swapped && !chosen.literal.is_symmetric {
                    continue;
                }
                if self.fuel.is_empty() {
                    return false;
                }
                self.fuel.steps -= 1;
                let mark = self.trail.len();
                if self.match_literal(chosen.literal, candidate, is_swapped) {
                    let mut rest = goals.clone();
                    if let (Inner::Body(inside), Inner::Body(among)) =
                        (&chosen.literal.inner, &candidate.inner)
                    {
                        rest.extend(inside.iter().map(|literal| Goal { literal, among }));
                    }
                    if self.map_all(rest) {
                        return true;
                    }
                    // What bound nothing cannot have been the wrong choice.
                    let is_inside = matches!(chosen.literal.inner, Inner::Body(_));
                    if self.trail.len() == mark && !is_inside {
                        return false;
                    }
                }
                self.undo(mark);
            }
        }
        false
    }

    fn choose(&mut self, goals: &[Goal<'_>]) -> Choice {
        let mut best = Choice::Stuck;
        let mut fewest = usize::MAX;
        for (place, goal) in goals.iter().enumerate() {
            if self.is_granted(goal.literal) {
                return Choice::Granted(place);
            }
            let candidates = goal.candidates();
            if !self.is_ready(goal.literal) {
                // A comparison waits, since it may hold by itself once its terms are known; it binds
                // them only when nothing else does.
                if fewest == usize::MAX && !candidates.is_empty() && is_comparison(goal.literal) {
                    best = Choice::Try(place);
                }
                continue;
            }
            let is_anchored = goal.literal.terms.iter().any(|term| self.image(*term).is_some());
            let n_candidates = if is_anchored || candidates.len() < 2 {
                let n_glances = candidates.len() as u64 + 1;
                self.fuel.glances = self.fuel.glances.saturating_sub(n_glances);
                candidates.iter().filter(|other| self.may_match(goal.literal, other)).count()
            } else {
                // Nothing is known about it: any anchored goal comes first.
                candidates.len() + self.bindings.len()
            };
            if n_candidates < fewest {
                (best, fewest) = (Choice::Try(place), n_candidates);
            }
            if n_candidates == 0 {
                return Choice::Stuck;
            }
        }
        best
    }

    /// A condition inside which variables are looked up can be compared when they are bound.
    fn is_ready(&self, literal: &Literal) -> bool {
        match &literal.inner {
            Inner::Whole(_, outer) => {
                let is_own = |var: &Var| literal.terms.contains(&Term::Var(*var));
                outer.iter().all(|var| is_own(var) || self.bindings[usize::from(var.0)].is_some())
            }
            Inner::Nothing | Inner::Body(_) => {
                !is_comparison(literal)
                    || literal.terms.iter().all(|term| self.image(*term).is_some())
            }
        }
    }

    /// A comparison of values that holds by itself.
    fn is_granted(&self, literal: &Literal) -> bool {
        if !is_comparison(literal) {
            return false;
        }
        let [Some(left), Some(right)] = [0, 1].map(|place| self.image(literal.terms[place])) else {
            return false;
        };
        let key = Key::of_comparison;
        match (left, right) {
            (Term::Value(Value::Int(left)), Term::Value(Value::Int(right))) => {
                literal.key == key(Comparison::Equal) && left == right
                    || literal.key == key(Comparison::Unequal) && left != right
                    || literal.key == key(Comparison::Less) && left < right
                    || literal.key == key(Comparison::AtMost) && left <= right
            }
            (Term::Value(left), Term::Value(right)) => {
                literal.key == key(Comparison::Equal) && left == right
                    || literal.key == key(Comparison::Unequal) && left != right
            }
            _ => literal.key == key(Comparison::Equal) && left == right,
        }
    }

    fn may_match(&self, literal: &Literal, other: &Literal) -> bool {
        let agrees = |term: &Term, other: &Term| self.image(*term).is_none_or(|one| one == *other);
        let agree = |others: &[Term]| {
            literal.terms.iter().zip(others).all(|(term, other)| agrees(term, other))
        };
        literal.terms.len() == other.terms.len()
            && (agree(&other.terms) || literal.is_symmetric && agree(&swapped(&other.terms)))
    }

    fn match_literal(&mut self, literal: &Literal, other: &Literal, is_swapped: bool) -> bool {
        let is_bound = if is_swapped {
            self.bind_terms(&literal.terms, &swapped(&other.terms))
        } else {
            self.bind_terms(&literal.terms, &other.terms)
        };
        is_bound
            && match (&literal.inner, &other.inner) {
                (Inner::Whole(condition, _), Inner::Whole(offered, outer)) => {
                    self.match_whole(condition, offered, outer)
                }
                _ => true,
            }
    }

    /// Does the offered condition imply the image of the asked one? No variable is bound any more.
    fn match_whole(&mut self, asked: &Condition, offered: &Condition, outer: &[Var]) -> bool {
        let n_offered = n_variables(self.offered_variables);
        if n_offered + n_variables(self.variables) > usize::from(u16::MAX) {
            return false;
        }
        // Variables inside get numbers that the other clause does not use.
        let bindings = &self.bindings;
        let image = |var: Var| {
            bindings[usize::from(var.0)].unwrap_or_else(|| Term::Var(shifted(var, n_offered)))
        };
        if let (Condition::None { body, .. }, Condition::None { body: inner, .. }) =
            (asked, offered)
        {
            return may_map(inner, body)
                && self.maps_inside(inner, outer, &substitute_body(body, &image));
        }
        let all = self.all_variables().concat();
        are_equal(&substitute(asked, &image), (offered, outer), n_offered, &all)
    }

    /// The variables of both clauses, those offered first.
    fn all_variables(&self) -> Vec<&'m [Variable]> {
        self.offered_variables.iter().chain(self.variables).copied().collect()
    }

    /// `none B` follows from `none A` if `A` maps into `B`, what they share with the clause kept.
    fn maps_inside(&mut self, body: &[Condition], outer: &[Var], into: &[Condition]) -> bool {
        let fixed: BTreeSet<Var> = outer.iter().copied().collect();
        let n_offered = n_variables(self.offered_variables);
        let mut shared: BTreeSet<Var> = into.iter().flat_map(condition_vars).collect();
        shared.retain(|var| usize::from(var.0) < n_offered);
        let (Some(literals), Some(among)) =
            (inner_literals(body, &fixed), inner_literals(into, &shared))
        else {
            return false;
        };
        let keep = |var: usize| {
            let var = shifted(Var(0), var);
            fixed.contains(&var).then_some(Term::Var(var))
        };
        let all = self.all_variables();
        let mut inside = Mapping {
            bindings: (0..n_offered).map(keep).collect(),
            trail: Vec::new(),
            variables: self.offered_variables,
            offered_variables: &all,
            fuel: self.fuel,
        };
        let goals = literals.iter().map(|literal| Goal { literal, among: &among });
        inside.map_all(goals.collect())
    }

    fn bind_terms(&mut self, terms: &[Term], others: &[Term]) -> bool {
        terms.len() == others.len()
            && terms.iter().zip(others).all(|(term, other)| self.bind(*term, *other))
    }

    fn bind(&mut self, term: Term, other: Term) -> bool {
        match (term, self.image(term)) {
            (_, Some(image)) => image == other,
            (Term::Var(var), None) => {
                self.bindings[usize::from(var.0)] = Some(other);
                self.trail.push(var);
                true
            }
            (Term::Value(_), None) => false,
        }
    }

    fn undo(&mut self, mark: usize) {
        for var in self.trail.drain(mark..) {
            self.bindings[usize::from(var.0)] = None;
        }
    }

    fn image(&self, term: Term) -> Option<Term> {
        match term {
            Term::Var(var) => self.bindings[usize::from(var.0)],
            value @ Term::Value(_) => Some(value),
        }
    }
}

/// At a glance: has the body that is mapped no atom without one of its predicate in the other?
fn may_map(body: &[Condition], into: &[Condition]) -> bool {
    let predicate = |condition: &Condition| match condition {
        Condition::Holds(atom) => Some(atom.predicate),
        _ => None,
    };
    let has_match = |wanted| into.iter().any(|other| predicate(other) == Some(wanted));
    body.iter().filter_map(predicate).all(has_match)
}

/// Are two conditions equal up to the names of variables inside them? Those below `n_outer` of the left
/// one and the `outer` of the right one are not inside.
fn are_equal(
    left: &Condition,
    (right, outer): (&Condition, &[Var]),
    n_outer: usize,
    all: &[Variable],
) -> bool {
    let is_outer = |var: &Var| usize::from(var.0) < n_outer;
    if !condition_vars(left).into_iter().filter(is_outer).eq(outer.iter().copied()) {
        return false;
    }
    let form = |condition: &Condition| {
        // Arguments of a head keep their places, so outer variables are not taken for one another.
        let args = outer.iter().map(|var| Term::Var(*var)).collect();
        canonical(&Clause {
            head: Atom { predicate: PredicateId(0), args },
            body: vec![condition.clone()],
            variables: all.to_vec(),
            span: Span::default(),
        })
    };
    form(left).is_variant_of(&form(right))
}

fn is_comparison(literal: &Literal) -> bool {
    matches!(literal.key, Key::Compare(_))
}

fn swapped(terms: &[Term]) -> Vec<Term> {
    let mut terms = terms.to_vec();
    let end = terms.len();
    terms.swap(end - 2, end - 1);
    terms
}

fn shifted(var: Var, by: usize) -> Var {
    Var(u16::try_from(usize::from(var.0) + by).expect("variables were counted before"))
}
