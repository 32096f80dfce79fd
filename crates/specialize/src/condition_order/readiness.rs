//! Readiness: what a condition must know before it may be tried, and what it binds.
//!
//! In: a body and the variables used around it. Out: for each condition what it waits for. Invariant:
//! what is ready here is ready for the reference solver too, and binding more never makes a
//! condition less ready.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Comparison, Condition, Expr, Operation, Quantifier, Term, Var, atom_vars, condition_vars,
    expr_vars,
};

/// What a condition waits for, and what is bound when it has been tried.
#[derive(Clone, Debug)]
pub(crate) struct Readiness {
    needs: Needs,
    /// Its variables that mean something outside it.
    pub(crate) vars: Vec<Var>,
}

#[derive(Clone, Debug)]
enum Needs {
    All(Vec<Var>),
    Either(Vec<Var>, Vec<Var>),
    Equation(Side, Side),
}

/// A side of an equation.
#[derive(Clone, Debug)]
enum Side {
    Term(Option<Var>),
    Binary {
        is_invertible: bool,
        left: Box<Side>,
        right: Box<Side>,
    },
    /// A count, which is known when these variables are.
    Count(Vec<Var>),
}

/// What the conditions of a body wait for; `outside` are the variables used around the body.
pub(crate) fn readiness(body: &[Condition], outside: &BTreeSet<Var>) -> Vec<Readiness> {
    let around = around_each(body, outside);
    body.iter().zip(&around).map(|(condition, around)| one_readiness(condition, around)).collect()
}

/// For each condition the variables used outside it.
pub(crate) fn around_each(body: &[Condition], outside: &BTreeSet<Var>) -> Vec<BTreeSet<Var>> {
    let vars: Vec<BTreeSet<Var>> = body.iter().map(condition_vars).collect();
    let mut n_uses = std::collections::BTreeMap::<Var, usize>::new();
    for var in vars.iter().flatten() {
        *n_uses.entry(*var).or_default() += 1;
    }
    // What matters of the surroundings is only which of a condition's own variables are in them.
    let is_around = |var: &&Var| outside.contains(var) || n_uses[*var] > 1;
    vars.iter().map(|vars| vars.iter().filter(is_around).copied().collect()).collect()
}

fn one_readiness(condition: &Condition, around: &BTreeSet<Var>) -> Readiness {
    let shared = || -> Vec<Var> { around.iter().copied().collect() };
    let (needs, vars) = match condition {
        Condition::Holds(atom) => (Needs::All(Vec::new()), to_vec(atom_vars(atom))),
        Condition::None { .. } | Condition::AnyOf(_) => (Needs::All(shared()), shared()),
        Condition::Member(..) => (Needs::All(Vec::new()), to_vec(condition_vars(condition))),
        Condition::Construct { whole, args, .. } => {
            let whole = as_var(*whole).into_iter().collect();
            let args = args.iter().copied().filter_map(as_var).collect();
            (Needs::Either(whole, args), to_vec(condition_vars(condition)))
        }
        Condition::Elsewhere { by, quantifier, body } => {
            let by = atom_vars(by);
            let both: BTreeSet<Var> = by.union(around).copied().collect();
            let vars = to_vec(both.clone());
            match quantifier {
                Quantifier::Some => (Needs::All(to_vec(needed_inside(body, &by, &both))), vars),
                Quantifier::Every => (Needs::All(vars.clone()), vars),
            }
        }
        Condition::Compare(comparison, left, right) => {
            let (left, right) = (side(left, around, right), side(right, around, left));
            let mut vars = BTreeSet::new();
            left.collect_vars(&mut vars);
            right.collect_vars(&mut vars);
            let vars = to_vec(vars);
            match comparison {
                Comparison::Equal => (Needs::Equation(left, right), vars),
                _ => (Needs::All(vars.clone()), vars),
            }
        }
    };
    Readiness { needs, vars }
}

/// The variables a body waits for when it is tried in another state: those of the passage, and of the
/// others only what it does not bind itself. They go one by one, the last first.
fn needed_inside(body: &[Condition], by: &BTreeSet<Var>, all: &BTreeSet<Var>) -> BTreeSet<Var> {
    if is_orderable(body, by, all) {
        return by.clone();
    }
    let mut needed = all.clone();
    for var in all.iter().rev().filter(|var| !by.contains(var)) {
        needed.remove(var);
        if !is_orderable(body, &needed, all) {
            needed.insert(*var);
        }
    }
    needed
}

/// Has the body a safe order when only these variables are known?
fn is_orderable(body: &[Condition], known: &BTreeSet<Var>, outside: &BTreeSet<Var>) -> bool {
    let mut waiting = readiness(body, outside);
    let mut bound = known.clone();
    loop {
        let (ready, others): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|one| one.is_ready(&|var| bound.contains(&var)));
        if ready.is_empty() {
            return others.is_empty();
        }
        bound.extend(ready.iter().flat_map(|one| &one.vars));
        waiting = others;
    }
}

fn side(expr: &Expr, around: &BTreeSet<Var>, other: &Expr) -> Side {
    match expr {
        Expr::Term(term) => Side::Term(as_var(*term)),
        Expr::Binary(operation, left, right) => Side::Binary {
            is_invertible: matches!(operation, Operation::Add | Operation::Sub),
            left: Box::new(side(left, &with_vars(around, other), right)),
            right: Box::new(side(right, &with_vars(around, other), left)),
        },
        Expr::Count { counted, body } => {
            let around = with_vars(around, other);
            let inside: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
            let is_shared = |var: &&Var| around.contains(var) && !counted.contains(var);
            Side::Count(inside.iter().filter(is_shared).copied().collect())
        }
    }
}

fn with_vars(around: &BTreeSet<Var>, expr: &Expr) -> BTreeSet<Var> {
    around.iter().copied().chain(expr_vars(expr)).collect()
}

impl Readiness {
    /// May the condition be tried?
    pub(crate) fn is_ready(&self, is_bound: &dyn Fn(Var) -> bool) -> bool {
        let all = |vars: &[Var]| vars.iter().all(|var| is_bound(*var));
        match &self.needs {
            Needs::All(vars) => all(vars),
            Needs::Either(whole, args) => all(whole) || all(args),
            Needs::Equation(left, right) => {
                match (left.is_known(is_bound), right.is_known(is_bound)) {
                    (true, true) => true,
                    (true, false) => right.has_one_unknown(is_bound),
                    (false, true) => left.has_one_unknown(is_bound),
                    (false, false) => false,
                }
            }
        }
    }

    /// Would it bind nothing?
    pub(crate) fn is_test(&self, is_bound: &dyn Fn(Var) -> bool) -> bool {
        self.vars.iter().all(|var| is_bound(*var))
    }
}

impl Side {
    fn is_known(&self, is_bound: &dyn Fn(Var) -> bool) -> bool {
        match self {
            Self::Term(var) => var.is_none_or(is_bound),
            Self::Binary { left, right, .. } => left.is_known(is_bound) && right.is_known(is_bound),
            Self::Count(shared) => shared.iter().all(|var| is_bound(*var)),
        }
    }

    /// Is there one unknown, under nothing but sums and differences?
    fn has_one_unknown(&self, is_bound: &dyn Fn(Var) -> bool) -> bool {
        match self {
            Self::Term(_) => true,
            Self::Binary { is_invertible: true, left, right } => {
                match (left.is_known(is_bound), right.is_known(is_bound)) {
                    (true, false) => right.has_one_unknown(is_bound),
                    (false, true) => left.has_one_unknown(is_bound),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn collect_vars(&self, found: &mut BTreeSet<Var>) {
        match self {
            Self::Term(var) => found.extend(*var),
            Self::Binary { left, right, .. } => {
                left.collect_vars(found);
                right.collect_vars(found);
            }
            Self::Count(shared) => found.extend(shared),
        }
    }
}

pub(crate) fn as_var(term: Term) -> Option<Var> {
    match term {
        Term::Var(var) => Some(var),
        Term::Value(_) => None,
    }
}

fn to_vec(vars: BTreeSet<Var>) -> Vec<Var> {
    vars.into_iter().collect()
}
