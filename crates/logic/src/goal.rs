//! Goals: the conditions of a body with what the solver must know before it tries each.
//!
//! In: conditions. Out: goals, each with the variables it shares with the rest of its clause.
//! Invariant: a goal tries nothing before the variables it tests are bound.

use std::collections::BTreeSet;

use crate::base::Component;
use crate::clause::{Atom, Clause, Comparison, Condition, DomainId, Expr, Operation, Quantifier};
use crate::term::{Symbol, Term, Var};

/// A body ready to run.
#[derive(Debug)]
pub(crate) struct Goals(pub(crate) Vec<Goal>);

/// One condition ready to run.
#[derive(Debug)]
pub(crate) struct Goal {
    /// What is tried.
    pub(crate) kind: GoalKind,
    /// Its variables that must be bound before it is tried: for a negation or an alternative those
    /// that also occur elsewhere in the clause, for a comparison all.
    pub(crate) shared: Vec<Var>,
}

/// What a goal tries.
#[derive(Debug)]
pub(crate) enum GoalKind {
    Holds(Atom),
    None(Goals),
    AnyOf(Vec<Goals>),
    Compare(Comparison, GoalExpr, GoalExpr),
    Construct { whole: Term, functor: Symbol, args: Vec<Term> },
    Member(Term, DomainId),
    Elsewhere { by: Atom, quantifier: Quantifier, goals: Goals },
}

/// An expression ready to run.
#[derive(Debug)]
pub(crate) enum GoalExpr {
    Term(Term),
    Binary(Operation, Box<GoalExpr>, Box<GoalExpr>),
    Count { counted: Vec<Var>, goals: Goals, shared: Vec<Var> },
}

impl GoalExpr {
    /// Does it count, and so ask predicates?
    pub(crate) fn has_count(&self) -> bool {
        match self {
            Self::Term(_) => false,
            Self::Binary(_, left, right) => left.has_count() || right.has_count(),
            Self::Count { .. } => true,
        }
    }
}

/// A clause ready to run.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) head: Atom,
    pub(crate) goals: Goals,
}

/// Makes a clause ready to run.
pub(crate) fn prepare(clause: &Clause) -> Rule {
    let outside = atom_vars(&clause.head);
    Rule { head: clause.head.clone(), goals: prepare_body(&clause.body, &outside) }
}

/// Makes the body of a component object ready to run.
pub(crate) fn prepare_component(component: &Component) -> Goals {
    let mut outside = BTreeSet::from([component.element]);
    outside.extend(component.shared);
    prepare_body(&component.body, &outside)
}

fn prepare_body(body: &[Condition], outside: &BTreeSet<Var>) -> Goals {
    let vars: Vec<BTreeSet<Var>> = body.iter().map(condition_vars).collect();
    let prepare_one = |(place, condition): (usize, &Condition)| {
        let mut around = outside.clone();
        for (other, set) in vars.iter().enumerate() {
            if other != place {
                around.extend(set);
            }
        }
        let mut shared: Vec<Var> = vars[place].intersection(&around).copied().collect();
        shared.extend(own_needs(condition).into_iter().filter(|var| !around.contains(var)));
        Goal { kind: prepare_kind(condition, &around), shared }
    };
    Goals(body.iter().enumerate().map(prepare_one).collect())
}

/// The variables a test needs even when they occur nowhere else.
fn own_needs(condition: &Condition) -> BTreeSet<Var> {
    match condition {
        Condition::Compare(_, left, right) => {
            plain_vars(left).into_iter().chain(plain_vars(right)).collect()
        }
        Condition::Construct { .. } | Condition::Member(..) => condition_vars(condition),
        Condition::Elsewhere { by, .. } => atom_vars(by),
        _ => BTreeSet::new(),
    }
}

/// The variables of an expression outside its counts.
fn plain_vars(expr: &Expr) -> BTreeSet<Var> {
    match expr {
        Expr::Binary(_, left, right) => {
            plain_vars(left).into_iter().chain(plain_vars(right)).collect()
        }
        Expr::Term(term) => as_var(*term).into_iter().collect(),
        Expr::Count { .. } => BTreeSet::new(),
    }
}

fn prepare_kind(condition: &Condition, around: &BTreeSet<Var>) -> GoalKind {
    match condition {
        Condition::Holds(atom) => GoalKind::Holds(atom.clone()),
        Condition::None { body, .. } => GoalKind::None(prepare_body(body, around)),
        Condition::AnyOf(branches) => {
            GoalKind::AnyOf(branches.iter().map(|branch| prepare_body(branch, around)).collect())
        }
        Condition::Compare(comparison, left, right) => {
            let (mut by_left, mut by_right) = (around.clone(), around.clone());
            by_left.extend(expr_vars(right));
            by_right.extend(expr_vars(left));
            let left = prepare_expr(left, &by_left);
            GoalKind::Compare(*comparison, left, prepare_expr(right, &by_right))
        }
        Condition::Construct { whole, functor, args } => {
            GoalKind::Construct { whole: *whole, functor: *functor, args: args.clone() }
        }
        Condition::Member(term, domain) => GoalKind::Member(*term, *domain),
        Condition::Elsewhere { by, quantifier, body } => {
            let mut around = around.clone();
            around.extend(atom_vars(by));
            let goals = prepare_body(body, &around);
            GoalKind::Elsewhere { by: by.clone(), quantifier: *quantifier, goals }
        }
    }
}

fn prepare_expr(expr: &Expr, around: &BTreeSet<Var>) -> GoalExpr {
    match expr {
        Expr::Term(term) => GoalExpr::Term(*term),
        Expr::Binary(operation, left, right) => {
            let (mut by_left, mut by_right) = (around.clone(), around.clone());
            by_left.extend(expr_vars(right));
            by_right.extend(expr_vars(left));
            let left = Box::new(prepare_expr(left, &by_left));
            GoalExpr::Binary(*operation, left, Box::new(prepare_expr(right, &by_right)))
        }
        Expr::Count { counted, body } => {
            let mut inside: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
            inside.retain(|var| !counted.contains(var));
            let shared = inside.intersection(around).copied().collect();
            let mut around = around.clone();
            around.extend(counted);
            GoalExpr::Count { counted: counted.clone(), goals: prepare_body(body, &around), shared }
        }
    }
}

/// All variables of a condition, nested ones included.
pub fn condition_vars(condition: &Condition) -> BTreeSet<Var> {
    let mut vars = Vec::new();
    any_var(condition, &mut |var| {
        vars.push(var);
        false
    });
    vars.into_iter().collect()
}

/// Does a variable occur in a condition, or in a part of it?
pub fn has_var(condition: &Condition, var: Var) -> bool {
    any_var(condition, &mut |own| own == var)
}

/// All variables of an expression, counted ones included.
pub fn expr_vars(expr: &Expr) -> BTreeSet<Var> {
    let mut vars = Vec::new();
    any_var_of_expr(expr, &mut |var| {
        vars.push(var);
        false
    });
    vars.into_iter().collect()
}

/// Is one of a condition's variables, nested ones included, the one that is looked for? It may be met more than once.
fn any_var(condition: &Condition, is_it: &mut dyn FnMut(Var) -> bool) -> bool {
    match condition {
        Condition::Holds(atom) => any_var_of_terms(&atom.args, is_it),
        Condition::None { body, .. } => body.iter().any(|one| any_var(one, is_it)),
        Condition::AnyOf(branches) => branches.iter().flatten().any(|one| any_var(one, is_it)),
        Condition::Compare(_, left, right) => {
            any_var_of_expr(left, is_it) || any_var_of_expr(right, is_it)
        }
        Condition::Construct { whole, args, .. } => {
            any_var_of_terms(args, is_it) || any_var_of_terms(&[*whole], is_it)
        }
        Condition::Member(term, _) => any_var_of_terms(&[*term], is_it),
        Condition::Elsewhere { by, body, .. } => {
            any_var_of_terms(&by.args, is_it) || body.iter().any(|one| any_var(one, is_it))
        }
    }
}

fn any_var_of_expr(expr: &Expr, is_it: &mut dyn FnMut(Var) -> bool) -> bool {
    match expr {
        Expr::Term(term) => any_var_of_terms(&[*term], is_it),
        Expr::Binary(_, left, right) => {
            any_var_of_expr(left, is_it) || any_var_of_expr(right, is_it)
        }
        Expr::Count { counted, body } => {
            counted.iter().any(|var| is_it(*var)) || body.iter().any(|one| any_var(one, is_it))
        }
    }
}

fn any_var_of_terms(terms: &[Term], is_it: &mut dyn FnMut(Var) -> bool) -> bool {
    terms.iter().copied().filter_map(as_var).any(is_it)
}

/// All variables of an atom.
pub fn atom_vars(atom: &Atom) -> BTreeSet<Var> {
    atom.args.iter().copied().filter_map(as_var).collect()
}

fn as_var(term: Term) -> Option<Var> {
    match term {
        Term::Var(var) => Some(var),
        Term::Value(_) => None,
    }
}
