//! Ranging variables: those that no condition binds, so that their domain decides.
//!
//! In: the head and body of a clause. Out: its variables whose declared domain is part of its meaning.
//! Two clauses that differ only in the domain of such a variable differ; domains of variables that
//! conditions bind say nothing new. Invariant: a variable left out is bound whenever the body holds.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Operation, Quantifier, Term, Var, atom_vars, condition_vars,
    expr_vars, has_var,
};

type Vars = BTreeSet<Var>;

/// The ranging variables, those inside negations, counts and passages included, in order.
pub(crate) fn ranging_vars(head: &Atom, body: &[Condition]) -> Vec<Var> {
    if is_plainly_bound(head, body) {
        return Vec::new();
    }
    let mut ranging = Vars::new();
    collect(body, &Vars::new(), &atom_vars(head), &mut ranging);
    ranging.into_iter().collect()
}

/// Does the variable range over its domain in whatever order the conditions are tried? Then the domain
/// may be relied upon, as if it were a condition.
pub(crate) fn surely_ranges(var: Var, body: &[Condition]) -> bool {
    let may_bind = |condition: &Condition| match condition {
        Condition::None { .. } | Condition::Elsewhere { quantifier: Quantifier::Every, .. } => {
            false
        }
        // An equation is solved for its one unknown, which must occur once.
        Condition::Compare(comparison, left, right) => {
            let n_places = n_plain_places(left, var) + n_plain_places(right, var);
            *comparison == Comparison::Equal && n_places == 1
        }
        // A passage is taken when its arguments are known.
        Condition::Elsewhere { by, .. } if atom_vars(by).contains(&var) => false,
        _ => has_var(condition, var),
    };
    !body.iter().any(may_bind)
}

/// How often the variable occurs in the expression outside counts.
fn n_plain_places(expr: &Expr, var: Var) -> usize {
    match expr {
        Expr::Term(term) => usize::from(*term == Term::Var(var)),
        Expr::Binary(_, left, right) => n_plain_places(left, var) + n_plain_places(right, var),
        Expr::Count { .. } => 0,
    }
}

/// The frequent case at a glance: atoms and tests between their variables.
fn is_plainly_bound(head: &Atom, body: &[Condition]) -> bool {
    let mut bound: Vec<Var> = Vec::new();
    let mut tested: Vec<Term> = head.args.clone();
    for condition in body {
        match condition {
            Condition::Holds(atom) => bound.extend(atom.args.iter().filter_map(|term| var(*term))),
            Condition::Member(term, _) => bound.extend(var(*term)),
            Condition::Compare(_, Expr::Term(left), Expr::Term(right)) => {
                tested.extend([*left, *right]);
            }
            _ => return false,
        }
    }
    bound.sort_unstable();
    tested.into_iter().filter_map(var).all(|var| bound.binary_search(&var).is_ok())
}

/// Walks one scope: `known` holds the variables of the scopes around it, `outside` those it shares with
/// a head or with counted tuples. A variable that occurs in one inner scope only belongs there.
fn collect(body: &[Condition], known: &Vars, outside: &Vars, ranging: &mut Vars) {
    let mut own = outside.clone();
    let mut inside = Vars::new();
    let mut scopes = Vec::new();
    for condition in body {
        let inner = inner_scopes(condition);
        if inner.is_empty() {
            own.extend(condition_vars(condition));
            continue;
        }
        own.extend(plain_vars(condition));
        for (scope, counted) in inner {
            for var in scope.iter().flat_map(condition_vars).collect::<Vars>() {
                if !counted.contains(&var) && !inside.insert(var) {
                    own.insert(var);
                }
            }
            scopes.push((scope, counted));
        }
    }
    let mut around = known.clone();
    bind(body, &mut around);
    ranging.extend(own.iter().filter(|var| !around.contains(var)));
    around.extend(own);
    for (scope, counted) in scopes {
        collect(scope, &around, &counted, ranging);
    }
}

/// The bodies of a condition whose variables are their own, with those a count hands out.
fn inner_scopes(condition: &Condition) -> Vec<(&[Condition], Vars)> {
    match condition {
        Condition::None { body, .. }
        | Condition::Elsewhere { quantifier: Quantifier::Every, body, .. } => {
            vec![(body, Vars::new())]
        }
        Condition::AnyOf(branches) => {
            branches.iter().map(|branch| (branch.as_slice(), Vars::new())).collect()
        }
        Condition::Compare(_, left, right) => {
            let mut scopes = Vec::new();
            count_scopes(left, &mut scopes);
            count_scopes(right, &mut scopes);
            scopes
        }
        _ => Vec::new(),
    }
}

fn count_scopes<'c>(expr: &'c Expr, scopes: &mut Vec<(&'c [Condition], Vars)>) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            count_scopes(left, scopes);
            count_scopes(right, scopes);
        }
        Expr::Count { counted, body } => scopes.push((body, counted.iter().copied().collect())),
    }
}

/// The variables of a condition outside its inner scopes.
pub(crate) fn plain_vars(condition: &Condition) -> Vars {
    match condition {
        Condition::Compare(_, left, right) => {
            let mut vars = plain_expr_vars(left);
            vars.extend(plain_expr_vars(right));
            vars
        }
        Condition::Elsewhere { by, .. } => atom_vars(by),
        _ => Vars::new(),
    }
}

fn plain_expr_vars(expr: &Expr) -> Vars {
    match expr {
        Expr::Term(term) => var(*term).into_iter().collect(),
        Expr::Binary(_, left, right) => {
            let mut vars = plain_expr_vars(left);
            vars.extend(plain_expr_vars(right));
            vars
        }
        Expr::Count { .. } => Vars::new(),
    }
}

/// Adds what the conditions bind, given what is bound already, until nothing new comes.
pub(crate) fn bind(body: &[Condition], bound: &mut Vars) {
    loop {
        let before = bound.len();
        for condition in body {
            bind_one(condition, bound);
        }
        if bound.len() == before {
            return;
        }
    }
}

fn bind_one(condition: &Condition, bound: &mut Vars) {
    let is_bound = |term: &Term, bound: &Vars| var(*term).is_none_or(|var| bound.contains(&var));
    match condition {
        Condition::Holds(atom) => bound.extend(atom_vars(atom)),
        Condition::Member(term, _) => bound.extend(var(*term)),
        Condition::Compare(Comparison::Equal, left, right) => {
            bind_side(left, right, bound);
            bind_side(right, left, bound);
        }
        Condition::Construct { whole, args, .. } => {
            if is_bound(whole, bound) {
                bound.extend(args.iter().filter_map(|term| var(*term)));
            } else if args.iter().all(|term| is_bound(term, bound)) {
                bound.extend(var(*whole));
            }
        }
        Condition::Elsewhere { by, quantifier: Quantifier::Some, body }
            if by.args.iter().all(|term| is_bound(term, bound)) =>
        {
            bind(body, bound);
        }
        _ => {}
    }
}

/// `unknown = known`: binds the one variable of the left side, where the solver can solve for it.
fn bind_side(unknown: &Expr, known: &Expr, bound: &mut Vars) {
    let is_known = match known {
        // What a count shares with its surroundings cannot be seen from here.
        Expr::Count { .. } => true,
        _ => expr_vars(known).iter().all(|var| bound.contains(var)),
    };
    if !is_known {
        return;
    }
    match unknown {
        Expr::Term(term) => bound.extend(var(*term)),
        Expr::Binary(Operation::Add | Operation::Sub, left, right) => {
            if let (Expr::Term(left), Expr::Term(right)) = (&**left, &**right) {
                let free = [left, right].map(|term| var(*term).filter(|var| !bound.contains(var)));
                if let [Some(var), None] | [None, Some(var)] = free {
                    bound.insert(var);
                }
            }
        }
        _ => {}
    }
}

fn var(term: Term) -> Option<Var> {
    match term {
        Term::Var(var) => Some(var),
        Term::Value(_) => None,
    }
}
