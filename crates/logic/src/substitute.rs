//! Substitution: variables of atoms, conditions and expressions replaced by terms.
//!
//! In: a mapping of variables. Out: the same shape with other terms. Invariant: counted and local
//! variables are only renamed, never bound to values; whoever maps them maps them to variables.

use crate::clause::{Atom, Condition, Expr};
use crate::term::{Term, Var};

/// What each variable becomes.
pub type Substitution<'s> = dyn Fn(Var) -> Term + 's;

/// The term after substitution.
pub fn substitute_term(term: Term, map: &Substitution<'_>) -> Term {
    match term {
        Term::Var(var) => map(var),
        value @ Term::Value(_) => value,
    }
}

/// The atom after substitution.
pub fn substitute_atom(atom: &Atom, map: &Substitution<'_>) -> Atom {
    let args = atom.args.iter().map(|term| substitute_term(*term, map)).collect();
    Atom { predicate: atom.predicate, args }
}

/// The conditions after substitution.
pub fn substitute_body(body: &[Condition], map: &Substitution<'_>) -> Vec<Condition> {
    body.iter().map(|condition| substitute(condition, map)).collect()
}

/// The condition after substitution.
pub fn substitute(condition: &Condition, map: &Substitution<'_>) -> Condition {
    match condition {
        Condition::Holds(atom) => Condition::Holds(substitute_atom(atom, map)),
        Condition::None { locals, body } => {
            let locals = locals.iter().map(|var| renamed(*var, map)).collect();
            Condition::None { locals, body: substitute_body(body, map) }
        }
        Condition::AnyOf(branches) => {
            Condition::AnyOf(branches.iter().map(|branch| substitute_body(branch, map)).collect())
        }
        Condition::Compare(comparison, left, right) => {
            Condition::Compare(*comparison, substitute_expr(left, map), substitute_expr(right, map))
        }
        Condition::Construct { whole, functor, args } => Condition::Construct {
            whole: substitute_term(*whole, map),
            functor: *functor,
            args: args.iter().map(|term| substitute_term(*term, map)).collect(),
        },
        Condition::Member(term, domain) => Condition::Member(substitute_term(*term, map), *domain),
        Condition::Elsewhere { by, quantifier, body } => Condition::Elsewhere {
            by: substitute_atom(by, map),
            quantifier: *quantifier,
            body: substitute_body(body, map),
        },
    }
}

fn substitute_expr(expr: &Expr, map: &Substitution<'_>) -> Expr {
    match expr {
        Expr::Term(term) => Expr::Term(substitute_term(*term, map)),
        Expr::Binary(operation, left, right) => Expr::Binary(
            *operation,
            Box::new(substitute_expr(left, map)),
            Box::new(substitute_expr(right, map)),
        ),
        Expr::Count { counted, body } => {
            let counted = counted.iter().map(|var| renamed(*var, map)).collect();
            Expr::Count { counted, body: substitute_body(body, map) }
        }
    }
}

fn renamed(var: Var, map: &Substitution<'_>) -> Var {
    match map(var) {
        Term::Var(renamed) => renamed,
        Term::Value(_) => var,
    }
}
