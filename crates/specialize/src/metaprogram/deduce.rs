//! What one deduction wants done, in terms of the clauses themselves.
//!
//! In: the bindings when all conditions of a metarule hold. Out: wishes about clauses by place, in the
//! clauses' own variables, and finished new clauses. Invariant: a wish about a clause mentions only
//! variables of that clause.

use rulesmith_logic::{Clause, Condition, Span, Term, Var, Variable, substitute};
use rulesmith_rules::{Action, Quoted};

use super::barrier::compact;
use super::matching::{Bound, moved_condition, ways};
use super::search::Search;

/// One thing to be done at the barrier.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    /// The clause is to go.
    Drop { clause: usize, why: String },
    /// Two terms of the clause are one.
    Unify { clause: usize, left: Term, right: Term },
    /// The clause gets a condition; nameless variables after its own are new.
    Add { clause: usize, condition: Condition, n_new: usize },
    /// The clause loses conditions, by place.
    Remove { clause: usize, places: Vec<usize> },
    /// The clause may lose conditions, by place, while these others are there; `None` for all others.
    Useless { clause: usize, places: Vec<usize>, support: Option<Vec<usize>> },
    /// A clause is to join.
    Make(Clause),
}

impl PartialEq for Wish {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Drop { clause, .. }, Self::Drop { clause: same, .. }) => clause == same,
            (
                Self::Unify { clause, left, right },
                Self::Unify { clause: same, left: first, right: second },
            ) => {
                let is_turned = left == second && right == first;
                clause == same && ((left == first && right == second) || is_turned)
            }
            (
                Self::Add { clause, condition, .. },
                Self::Add { clause: same, condition: other, .. },
            ) => clause == same && condition == other,
            (Self::Remove { clause, places }, Self::Remove { clause: same, places: others }) => {
                clause == same && places == others
            }
            (
                Self::Useless { clause, places, support },
                Self::Useless { clause: same, places: others, support: other },
            ) => clause == same && places == others && support == other,
            (Self::Make(clause), Self::Make(other)) => {
                clause.head == other.head && clause.body == other.body
            }
            _ => false,
        }
    }
}

/// What the present bindings of the search want done.
pub(super) fn wishes(search: &mut Search<'_>) -> Vec<Wish> {
    let metarule = search.metarule;
    let mut wishes = Vec::new();
    for action in metarule.actions() {
        match action {
            Action::AddRule(rule) => wishes.extend(made(search, *rule).into_iter().map(Wish::Make)),
            _ => wishes.extend(wish(search, action)),
        }
    }
    wishes
}

fn wish(search: &mut Search<'_>, action: &Action) -> Option<Wish> {
    let (clause, offset) = search.rule(action.rule())?;
    let n_own = search.clauses[clause].variables.len();
    match action {
        Action::Impossible(_) => Some(Wish::Drop { clause, why: "impossible".to_owned() }),
        Action::Kill(_, why) => Some(Wish::Drop { clause, why: why.clone() }),
        Action::Unify(_, left, right) => {
            let own = |term: &Term| own_term(search.bindings.term(*term)?, offset, n_own);
            let (left, right) = (own(left)?, own(right)?);
            (left != right).then_some(Wish::Unify { clause, left, right })
        }
        Action::AddCondition(_, quoted) => {
            let places = places(search, clause, offset, quoted);
            if !places.is_empty() {
                return None;
            }
            let (condition, n_new) = own_condition(search, quoted, offset, n_own)?;
            Some(Wish::Add { clause, condition, n_new })
        }
        Action::AddConditionToSet(..) | Action::AddConclusion(..) | Action::AddRule(_) => None,
        Action::RemoveCondition(_, quoted) => {
            let places = places(search, clause, offset, quoted);
            (!places.is_empty()).then_some(Wish::Remove { clause, places })
        }
        Action::Useless(_, quoted) => {
            let places = places(search, clause, offset, quoted);
            let support = support(search, clause);
            // What makes itself useless is not.
            let is_own = support.iter().flatten().any(|place| places.contains(place));
            let is_wished = !places.is_empty() && !is_own;
            is_wished.then_some(Wish::Useless { clause, places, support })
        }
    }
}

/// The conditions of the clause that the deduction rests on; `None` when those are all of them.
fn support(search: &Search<'_>, clause: usize) -> Option<Vec<usize>> {
    let matched = search.bindings.matched.iter();
    let matched = matched.filter(|matched| matched.clause == clause && !matched.is_subject);
    let mut support: Vec<usize> =
        matched.map(|matched| matched.place).collect::<Option<Vec<usize>>>()?;
    support.sort_unstable();
    support.dedup();
    Some(support)
}

/// The places of the conditions that are so; `_` is any term.
fn places(search: &mut Search<'_>, clause: usize, offset: u16, quoted: &Quoted) -> Vec<usize> {
    let body = &search.clauses[clause].body;
    search.burn(body.len());
    let mut places = Vec::new();
    for (place, object) in body.iter().enumerate() {
        let is_so = match quoted {
            Quoted::Variable(var) => {
                let wanted = search.bindings.get(*var);
                wanted == Some(&Bound::Condition(moved_condition(object, offset)))
            }
            Quoted::Pattern(pattern) => ways(pattern).iter().any(|way| {
                let mark = search.bindings.mark();
                let is_so = search.bindings.match_condition(pattern, object, offset, *way);
                search.bindings.undo(mark);
                is_so
            }),
        };
        if is_so {
            places.push(place);
        }
    }
    places
}

/// A term in the clause's own variables, if it is one of its terms.
fn own_term(term: Term, offset: u16, n_own: usize) -> Option<Term> {
    match term {
        Term::Value(_) => Some(term),
        Term::Var(var) => {
            let place = var.0.checked_sub(offset)?;
            (usize::from(place) < n_own).then_some(Term::Var(Var(place)))
        }
    }
}

/// The quoted condition in the clause's own variables, and how many new ones it has after them.
fn own_condition(
    search: &Search<'_>,
    quoted: &Quoted,
    offset: u16,
    n_own: usize,
) -> Option<(Condition, usize)> {
    let (condition, new) = object_condition(search, quoted)?;
    let vars = rulesmith_logic::condition_vars(&condition);
    let first_new = u16::try_from(search.bindings.n_variables).ok()?;
    let own = |var: Var| match var.0.checked_sub(first_new) {
        Some(place) => Some(Term::Var(Var(u16::try_from(n_own).ok()?.checked_add(place)?))),
        None => own_term(Term::Var(var), offset, n_own),
    };
    if vars.iter().any(|var| own(*var).is_none()) {
        return None;
    }
    Some((substitute(&condition, &|var| own(var).unwrap_or(Term::Var(var))), new))
}

/// The quoted condition in moved variables; each `_` of a pattern is a new one after all others.
fn object_condition(search: &Search<'_>, quoted: &Quoted) -> Option<(Condition, usize)> {
    let pattern = match quoted {
        Quoted::Variable(var) => {
            return match search.bindings.get(*var)? {
                Bound::Condition(condition) => Some((condition.clone(), 0)),
                _ => None,
            };
        }
        Quoted::Pattern(pattern) => pattern,
    };
    let free: Vec<Var> = rulesmith_logic::condition_vars(pattern)
        .into_iter()
        .filter(|var| search.bindings.term(Term::Var(*var)).is_none())
        .collect();
    let first_new = u16::try_from(search.bindings.n_variables).ok()?;
    let last_new = first_new.checked_add(u16::try_from(free.len()).ok()?)?;
    debug_assert!(first_new <= last_new, "numbers of variables fit");
    let object = |var: Var| {
        let place = free.iter().position(|other| *other == var);
        let place = place.and_then(|place| u16::try_from(place).ok());
        match place {
            Some(place) => Term::Var(Var(first_new.saturating_add(place))),
            None => search.bindings.term(Term::Var(var)).unwrap_or(Term::Var(var)),
        }
    };
    Some((substitute(pattern, &object), free.len()))
}

/// The clauses a new rule makes: one for each of its conclusions.
fn made(search: &Search<'_>, rule: Var) -> Vec<Clause> {
    let metarule = search.metarule;
    let mut body: Vec<Condition> = Vec::new();
    let mut variables = chosen_variables(search);
    let mut heads = Vec::new();
    for action in metarule.actions().filter(|action| action.rule() == rule) {
        match action {
            Action::AddCondition(_, quoted) => {
                let Some((condition, n_new)) = object_condition(search, quoted) else {
                    return vec![];
                };
                let first_new = variables.len() - search.bindings.n_variables;
                let shift = u16::try_from(first_new).unwrap_or(u16::MAX);
                let condition = renumbered(&condition, search.bindings.n_variables, shift);
                let new = Variable { name: "_".to_owned(), domain: None };
                variables.extend(std::iter::repeat_n(new, n_new));
                body.push(condition);
            }
            Action::AddConditionToSet(_, set) => {
                if let Some(Bound::Set(set)) = search.bindings.get(*set) {
                    body.extend(set.iter().cloned());
                }
            }
            Action::AddConclusion(_, quoted) => {
                if let Some((Condition::Holds(head), 0)) = object_condition(search, quoted) {
                    heads.push(head);
                }
            }
            _ => {}
        }
    }
    if variables.len() >= usize::from(u16::MAX) {
        return vec![];
    }
    let span: Span = metarule.span;
    let clause =
        |head| compact(Clause { head, body: body.clone(), variables: variables.clone(), span });
    heads.into_iter().map(clause).collect()
}

/// The condition with its new variables moved behind those that others have made.
fn renumbered(condition: &Condition, first_new: usize, shift: u16) -> Condition {
    substitute(condition, &|var| {
        let is_new = usize::from(var.0) >= first_new;
        Term::Var(if is_new { Var(var.0.saturating_add(shift)) } else { var })
    })
}

/// The variables of all chosen clauses, in the order of their moved numbers.
fn chosen_variables(search: &Search<'_>) -> Vec<Variable> {
    let fresh = || Variable { name: "_".to_owned(), domain: None };
    let numbers = (0..search.bindings.n_variables).filter_map(|place| u16::try_from(place).ok());
    numbers.map(|place| search.variable(Var(place)).cloned().unwrap_or_else(fresh)).collect()
}
