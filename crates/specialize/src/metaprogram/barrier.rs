//! The barrier: what all metarules of a phase want done is done to all clauses at once.
//!
//! In: clauses and wishes. Out: the clauses afterwards, and what was done. A clause that is dropped
//! takes nothing else; then conditions are added, removed, found useless one at a time while what
//! supports them is still there, and terms unified. Invariant: the order of the wishes decides only
//! which metarule is named as the one that did it.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Clause, Condition, Expr, Term, Var, Variable, atom_vars, condition_vars, substitute_atom,
    substitute_body,
};
use rulesmith_rules::Theory;
use rustc_hash::FxHashSet;

use super::deduce::Wish;
use super::safety::{can_be_one, is_whole, stays_bound};
use super::{Deduction, Deed, MetaprogramOutcome};

/// Carries out wishes, each with the place of its metarule, on the clauses of an outcome.
pub(super) fn carry_out(
    theory: &Theory,
    outcome: &mut MetaprogramOutcome,
    wishes: &[(usize, Wish)],
) {
    let clauses = std::mem::take(&mut outcome.clauses);
    let numbers = std::mem::take(&mut outcome.numbers);
    let mut own: Vec<Vec<&(usize, Wish)>> = vec![Vec::new(); clauses.len()];
    for wish in wishes {
        if let Some(place) = clause_of(&wish.1) {
            own[place].push(wish);
        }
    }
    for ((clause, number), own) in clauses.into_iter().zip(numbers).zip(own) {
        let mut change = Change { theory, number, log: &mut outcome.log };
        let kept = if own.is_empty() { Some(clause) } else { change.changed(clause, &own) };
        if let Some(kept) = kept {
            outcome.clauses.push(kept);
            outcome.numbers.push(number);
        }
    }
    add_new(outcome, wishes);
}

/// Adds the new clauses that are not there yet.
fn add_new(outcome: &mut MetaprogramOutcome, wishes: &[(usize, Wish)]) {
    let new: Vec<(usize, &Clause)> = wishes
        .iter()
        .filter_map(|(metarule, wish)| match wish {
            Wish::Make(made) => Some((*metarule, &made.0)),
            _ => None,
        })
        .collect();
    if new.is_empty() {
        return;
    }
    let key = |clause: &Clause| (clause.head.clone(), clause.body.clone());
    let mut known: FxHashSet<(Atom, Vec<Condition>)> = outcome.clauses.iter().map(key).collect();
    for (metarule, clause) in new {
        if !is_whole(clause) {
            let deed = Deed::NotMade(clause.clone());
            let clause = outcome.n_numbered;
            note_refusal(&mut outcome.log, Deduction { metarule, clause, deed });
        } else if known.insert(key(clause)) {
            let number = outcome.n_numbered;
            outcome.n_numbered += 1;
            let deed = Deed::Made(clause.clone());
            outcome.log.push(Deduction { metarule, clause: number, deed });
            outcome.clauses.push(clause.clone());
            outcome.numbers.push(number);
        }
    }
}

/// Notes what is not done, once.
fn note_refusal(log: &mut Vec<Deduction>, refusal: Deduction) {
    let is_known = |other: &Deduction| {
        // A clause that was not made has no number of its own.
        let is_about_same =
            other.clause == refusal.clause || matches!(refusal.deed, Deed::NotMade(_));
        other.metarule == refusal.metarule
            && is_about_same
            && other.deed.is_same_refusal(&refusal.deed)
    };
    if !log.iter().any(is_known) {
        log.push(refusal);
    }
}

fn clause_of(wish: &Wish) -> Option<usize> {
    match wish {
        Wish::Drop { clause, .. }
        | Wish::Unify { clause, .. }
        | Wish::Add { clause, .. }
        | Wish::Remove { clause, .. }
        | Wish::Useless { clause, .. } => Some(*clause),
        Wish::Make(_) => None,
    }
}

/// One clause being changed.
struct Change<'c> {
    theory: &'c Theory,
    number: usize,
    log: &'c mut Vec<Deduction>,
}

impl Change<'_> {
    fn changed(&mut self, mut clause: Clause, wishes: &[&(usize, Wish)]) -> Option<Clause> {
        if let Some((metarule, why)) = wishes.iter().find_map(|(metarule, wish)| match wish {
            Wish::Drop { why, .. } => Some((*metarule, why)),
            _ => None,
        }) {
            self.note(metarule, Deed::Dropped(why.clone()));
            return None;
        }
        let n_before = clause.body.len();
        self.add(&mut clause, wishes);
        let mut is_there = vec![true; clause.body.len()];
        self.remove(&clause, wishes, &mut is_there);
        self.remove_useless(&clause, wishes, &mut is_there[..n_before]);
        let mut place = 0;
        clause.body.retain(|_| {
            place += 1;
            is_there[place - 1]
        });
        self.unify(clause, wishes)
    }

    fn note(&mut self, metarule: usize, deed: Deed) {
        self.log.push(Deduction { metarule, clause: self.number, deed });
    }

    fn refuse(&mut self, metarule: usize, deed: Deed) {
        note_refusal(self.log, Deduction { metarule, clause: self.number, deed });
    }

    /// May the condition go, as far as those that are still there give its variables a value?
    fn may_go(clause: &Clause, place: usize, is_there: &[bool]) -> bool {
        let present = |other: &usize| is_there.get(*other).copied().unwrap_or(true);
        let before: Vec<&Condition> =
            (0..clause.body.len()).filter(present).map(|other| &clause.body[other]).collect();
        let after: Vec<&Condition> = (0..clause.body.len())
            .filter(|other| present(other) && *other != place)
            .map(|other| &clause.body[other])
            .collect();
        stays_bound(&clause.head, &before, &after)
    }

    fn add(&mut self, clause: &mut Clause, wishes: &[&(usize, Wish)]) {
        let n_own = clause.variables.len();
        for (metarule, wish) in wishes {
            let Wish::Add { condition, n_new, .. } = wish else { continue };
            let shift = u16::try_from(clause.variables.len() - n_own).unwrap_or(u16::MAX);
            if clause.variables.len() + n_new >= usize::from(u16::MAX) {
                continue;
            }
            let condition = rulesmith_logic::substitute(condition, &|var| {
                let is_new = usize::from(var.0) >= n_own;
                Term::Var(if is_new { Var(var.0.saturating_add(shift)) } else { var })
            });
            if clause.body.contains(&condition) {
                continue;
            }
            let before: Vec<&Condition> = clause.body.iter().collect();
            let after: Vec<&Condition> = clause.body.iter().chain([&condition]).collect();
            if stays_bound(&clause.head, &before, &after) {
                let new = Variable { name: "_".to_owned(), domain: None };
                clause.variables.extend(std::iter::repeat_n(new, *n_new));
                clause.body.push(condition.clone());
                self.note(*metarule, Deed::Added(condition));
            } else {
                self.refuse(*metarule, Deed::NotAdded(condition));
            }
        }
    }

    fn remove(&mut self, clause: &Clause, wishes: &[&(usize, Wish)], is_there: &mut [bool]) {
        for (metarule, wish) in wishes {
            let Wish::Remove { places, .. } = wish else { continue };
            for place in places.iter().filter(|place| is_there[**place]).collect::<Vec<_>>() {
                let condition = clause.body[*place].clone();
                if Self::may_go(clause, *place, is_there) {
                    is_there[*place] = false;
                    self.note(*metarule, Deed::Removed(condition));
                } else {
                    self.refuse(*metarule, Deed::NotRemoved(condition));
                }
            }
        }
    }

    /// Later conditions go first; each only while the conditions that make it useless are there.
    fn remove_useless(
        &mut self,
        clause: &Clause,
        wishes: &[&(usize, Wish)],
        is_there: &mut [bool],
    ) {
        let mut candidates: Vec<(usize, usize, Option<&Vec<usize>>)> = Vec::new();
        for (metarule, wish) in wishes {
            let Wish::Useless { places, support, .. } = wish else { continue };
            candidates.extend(places.iter().map(|place| (*place, *metarule, support.as_ref())));
        }
        candidates.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        for (place, metarule, support) in candidates {
            let is_supported = match support {
                Some(support) => support.iter().all(|other| is_there[*other]),
                None => is_there.iter().all(|is_there| *is_there),
            };
            if is_there[place] && is_supported {
                let condition = clause.body[place].clone();
                if Self::may_go(clause, place, is_there) {
                    is_there[place] = false;
                    self.note(metarule, Deed::Removed(condition));
                } else {
                    self.refuse(metarule, Deed::NotRemoved(condition));
                }
            }
        }
    }

    /// The clause with all wished terms made one; nothing when two constants would have to be.
    fn unify(&mut self, clause: Clause, wishes: &[&(usize, Wish)]) -> Option<Clause> {
        let mut classes = Classes::new(clause.variables.len());
        for (metarule, wish) in wishes {
            let Wish::Unify { left, right, .. } = wish else { continue };
            let (first, second) = (classes.root(*left), classes.root(*right));
            if first == second {
                continue;
            }
            if classes.join(first, second).is_none() {
                let why = "two constants would have to be one".to_owned();
                self.note(*metarule, Deed::Dropped(why));
                return None;
            }
            let root = classes.root(first);
            let value = match root {
                Term::Value(value) => Some(value),
                Term::Var(_) => None,
            };
            if !can_be_one(self.theory, &clause, &classes.members(root), value) {
                let why = "no value is of both sorts".to_owned();
                self.note(*metarule, Deed::Dropped(why));
                return None;
            }
            self.note(*metarule, Deed::Unified(*left, *right));
        }
        if classes.is_trivial {
            return Some(clause);
        }
        Some(self.rewritten(&clause, &classes))
    }

    fn rewritten(&self, clause: &Clause, classes: &Classes) -> Clause {
        let map = |var: Var| classes.root(Term::Var(var));
        let mut variables = clause.variables.clone();
        for (place, variable) in clause.variables.iter().enumerate() {
            let Term::Var(root) = map(to_var(place)) else { continue };
            let root = &mut variables[usize::from(root.0)];
            let size = |variable: &Variable| {
                variable.domain.map_or(usize::MAX, |id| self.theory.base.domain(id).values.len())
            };
            if size(variable) < size(root) {
                root.domain = variable.domain;
            }
        }
        let mut body: Vec<Condition> = Vec::new();
        for condition in substitute_body(&clause.body, &map) {
            if !body.contains(&condition) {
                body.push(condition);
            }
        }
        Clause { head: substitute_atom(&clause.head, &map), body, variables, span: clause.span }
    }
}

/// Which variables of a clause are one, and which are a constant.
struct Classes {
    parents: Vec<Term>,
    is_trivial: bool,
}

impl Classes {
    fn new(n_variables: usize) -> Self {
        let parents = (0..n_variables).map(|place| Term::Var(to_var(place))).collect();
        Self { parents, is_trivial: true }
    }

    /// The term that stands for all that are one with this.
    fn root(&self, mut term: Term) -> Term {
        while let Term::Var(var) = term {
            match self.parents.get(usize::from(var.0)) {
                Some(parent) if *parent != term => term = *parent,
                _ => break,
            }
        }
        term
    }

    /// The variables that are one with this root.
    fn members(&self, root: Term) -> Vec<Var> {
        let vars = (0..self.parents.len()).map(to_var);
        vars.filter(|var| self.root(Term::Var(*var)) == root).collect()
    }

    /// Makes two roots one: the constant, or the earlier variable. Nothing for two constants.
    fn join(&mut self, first: Term, second: Term) -> Option<()> {
        let (from, to) = match (first, second) {
            (Term::Value(_), Term::Value(_)) => return None,
            (Term::Var(var), value @ Term::Value(_)) | (value @ Term::Value(_), Term::Var(var)) => {
                (var, value)
            }
            (Term::Var(one), Term::Var(other)) => (one.max(other), Term::Var(one.min(other))),
        };
        self.parents[usize::from(from.0)] = to;
        self.is_trivial = false;
        Some(())
    }
}

/// The clause without the variables that it does not use.
pub(super) fn compact(clause: Clause) -> Clause {
    let mut used = atom_vars(&clause.head);
    used.extend(clause.body.iter().flat_map(condition_vars));
    add_locals(&clause.body, &mut used);
    if used.len() == clause.variables.len() {
        return clause;
    }
    let order: Vec<Var> = used.into_iter().collect();
    let map = |var: Var| {
        let place = order.binary_search(&var).unwrap_or(usize::from(var.0));
        Term::Var(to_var(place))
    };
    let variables = order
        .iter()
        .map(|var| clause.variables.get(usize::from(var.0)).cloned())
        .map(|known| known.unwrap_or(Variable { name: "_".to_owned(), domain: None }))
        .collect();
    let head = substitute_atom(&clause.head, &map);
    Clause { head, body: substitute_body(&clause.body, &map), variables, span: clause.span }
}

/// The locals of negations, also those that occur nowhere.
fn add_locals(body: &[Condition], used: &mut BTreeSet<Var>) {
    for condition in body {
        match condition {
            Condition::None { locals, body } => {
                used.extend(locals);
                add_locals(body, used);
            }
            Condition::Elsewhere { body, .. } => add_locals(body, used),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    add_locals(branch, used);
                }
            }
            Condition::Compare(_, left, right) => {
                add_expr_locals(left, used);
                add_expr_locals(right, used);
            }
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

fn add_expr_locals(expr: &Expr, used: &mut BTreeSet<Var>) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            add_expr_locals(left, used);
            add_expr_locals(right, used);
        }
        Expr::Count { body, .. } => add_locals(body, used),
    }
}

fn to_var(place: usize) -> Var {
    Var(u16::try_from(place).unwrap_or(u16::MAX))
}
