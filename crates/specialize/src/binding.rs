//! Binding: which conditions bind which variables, and domains for those that nothing binds.
//!
//! In: a flat body. Out: the same body with `Member` conditions for variables that would range over
//! their domain. Invariant: what the reference solver leaves to a domain is said by a condition.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Operation, Term, Var, Variable, atom_vars, condition_vars,
    expr_vars,
};

/// Adds `Member` conditions for the variables of head and body that no condition binds.
pub(crate) fn add_members(head: &Atom, body: &mut Vec<Condition>, variables: &[Variable]) {
    bind_body(&atom_vars(head), &BTreeSet::new(), body, variables);
}

/// The same for a body inside another, whose variables `around` are bound before it.
fn bind_body(
    wanted: &BTreeSet<Var>,
    around: &BTreeSet<Var>,
    body: &mut Vec<Condition>,
    variables: &[Variable],
) {
    let vars: Vec<BTreeSet<Var>> = body.iter().map(condition_vars).collect();
    let mut bound = around.clone();
    // What the head declares ranges first: the front end counts it as known, and what a condition
    // computes from it is not limited to a sort.
    let mut needed: Vec<Var> = wanted.iter().copied().collect();
    for (place, condition) in body.iter().enumerate() {
        let mut others = wanted.clone();
        others.extend(around);
        let elsewhere = vars.iter().enumerate().filter(|(other, _)| *other != place);
        others.extend(elsewhere.flat_map(|(_, set)| set));
        let (shared, own): (Vec<Var>, Vec<Var>) =
            own_vars(condition, &others).into_iter().partition(|var| others.contains(var));
        needed.extend(shared.into_iter().chain(own));
    }
    let mut members = Vec::new();
    loop {
        bound_by(body, &mut bound);
        let unbound =
            |var: &&Var| !bound.contains(var) && variables[var.0 as usize].domain.is_some();
        let Some(var) = needed.iter().find(unbound).copied() else { break };
        let domain = variables[var.0 as usize].domain.expect("only such variables are chosen");
        members.push(Condition::Member(Term::Var(var), domain));
        bound.insert(var);
    }
    let everything: BTreeSet<Var> = vars.iter().flatten().chain(wanted).copied().collect();
    for (place, condition) in body.iter_mut().enumerate() {
        let mut outer = around.clone();
        outer.extend(wanted);
        let others = vars.iter().enumerate().filter(|(other, _)| *other != place);
        outer.extend(others.flat_map(|(_, set)| set));
        outer.retain(|var| everything.contains(var) || around.contains(var));
        bind_nested(condition, &outer, variables);
    }
    body.splice(0..0, members);
}

fn bind_nested(condition: &mut Condition, outer: &BTreeSet<Var>, variables: &[Variable]) {
    match condition {
        Condition::None { body, .. } => bind_body(&BTreeSet::new(), outer, body, variables),
        Condition::Elsewhere { by, body, .. } => {
            let mut outer = outer.clone();
            outer.extend(atom_vars(by));
            bind_body(&BTreeSet::new(), &outer, body, variables);
        }
        Condition::Compare(_, _, Expr::Count { counted, body }) => {
            let wanted = counted.iter().copied().collect();
            match &mut body[..] {
                [Condition::AnyOf(branches)] => {
                    for branch in branches {
                        bind_body(&wanted, outer, branch, variables);
                    }
                }
                _ => bind_body(&wanted, outer, body, variables),
            }
        }
        _ => {}
    }
}

/// The variables of a condition that must be bound by the body it stands in: for a nested body only
/// those that also occur around it.
pub(crate) fn own_vars(condition: &Condition, around: &BTreeSet<Var>) -> Vec<Var> {
    let shared = |vars: BTreeSet<Var>| vars.into_iter().filter(|var| around.contains(var));
    match condition {
        Condition::None { .. } => shared(condition_vars(condition)).collect(),
        Condition::Elsewhere { by, .. } => {
            atom_vars(by).into_iter().chain(shared(condition_vars(condition))).collect()
        }
        Condition::Compare(_, left, right @ Expr::Count { .. }) => {
            expr_vars(left).into_iter().chain(shared(expr_vars(right))).collect()
        }
        _ => condition_vars(condition).into_iter().collect(),
    }
}

/// Extends the bound variables by what the conditions bind, in whatever order they can.
pub(crate) fn bound_by(body: &[Condition], bound: &mut BTreeSet<Var>) {
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

fn bind_one(condition: &Condition, bound: &mut BTreeSet<Var>) {
    match condition {
        Condition::Holds(atom) => bound.extend(atom_vars(atom)),
        Condition::Member(term, _) => bound.extend(term_var(*term)),
        Condition::Construct { whole, args, .. } => {
            if is_known(*whole, bound) {
                bound.extend(args.iter().copied().filter_map(term_var));
            } else if args.iter().all(|term| is_known(*term, bound)) {
                bound.extend(term_var(*whole));
            }
        }
        Condition::Compare(Comparison::Equal, Expr::Term(left), right) => {
            bind_equation(*left, right, bound);
        }
        Condition::Elsewhere { by, body, .. }
            if by.args.iter().all(|term| is_known(*term, bound)) =>
        {
            bound_by(body, bound);
        }
        _ => {}
    }
}

fn bind_equation(left: Term, right: &Expr, bound: &mut BTreeSet<Var>) {
    match right {
        Expr::Term(right) => {
            if is_known(left, bound) {
                bound.extend(term_var(*right));
            } else if is_known(*right, bound) {
                bound.extend(term_var(left));
            }
        }
        Expr::Binary(operation, a, b) => {
            let (Expr::Term(a), Expr::Term(b)) = (&**a, &**b) else { return };
            let known = [left, *a, *b].map(|term| is_known(term, bound));
            let is_sum = matches!(operation, Operation::Add | Operation::Sub);
            match known {
                [_, true, true] => bound.extend(term_var(left)),
                [true, true, false] if is_sum => bound.extend(term_var(*b)),
                [true, false, true] if is_sum => bound.extend(term_var(*a)),
                _ => {}
            }
        }
        // What a count shares with its surroundings is bound by these; then it has a value.
        Expr::Count { .. } => bound.extend(term_var(left)),
    }
}

fn is_known(term: Term, bound: &BTreeSet<Var>) -> bool {
    term_var(term).is_none_or(|var| bound.contains(&var))
}

pub(crate) fn term_var(term: Term) -> Option<Var> {
    match term {
        Term::Var(var) => Some(var),
        Term::Value(_) => None,
    }
}
