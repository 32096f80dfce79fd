//! Clauses that can never apply: the part of a body that reads no state has no solution.
//!
//! In: clauses. Out: a warning for each that is proved impossible, and an error for a move all of
//! whose clauses are. Invariant: nothing is reported when the proof runs out of its budget.

use std::cell::Cell;
use std::collections::BTreeSet;

use rulesmith_logic::{
    Clause, Comparison, Condition, Expr, Level, Limits, Nowhere, PredicateId, Solver, Stop, Term,
    Var, condition_vars, expr_vars,
};

use crate::source::{Diagnostic, Diagnostics};
use crate::theory::{PredicateKind, Theory};

/// How many conditions may be tried for one clause before it is let pass.
const PROOF_INFERENCES: u64 = 300_000;
/// How many conditions may be tried for all clauses together.
const LINT_INFERENCES: u64 = 20_000_000;

pub(crate) fn impossible_clauses(theory: &Theory, diagnostics: &mut Diagnostics) {
    let limits = Limits {
        inferences: PROOF_INFERENCES,
        derived_facts: PROOF_INFERENCES,
        ..Limits::default()
    };
    let solver = Solver::new(theory.base.clone(), theory.symbols.clone(), limits, Stop::default());
    let nowhere = Nowhere::default();
    let is_static = |id: PredicateId| theory.base.predicate(id).level == Level::Static;
    let spent = Cell::new(0);
    let is_impossible = |clause: &Clause| {
        if spent.get() > LINT_INFERENCES {
            return false;
        }
        let clause = Clause { body: fixed_part(&clause.body, &is_static), ..clause.clone() };
        let verdict = solver.is_possible(&nowhere, &clause);
        spent.set(spent.get() + solver.inferences());
        !clause.body.is_empty() && verdict == Ok(false)
    };
    for (place, clauses) in theory.base.clauses.iter().enumerate() {
        let id = PredicateId(u32::try_from(place).expect("predicates are numbered in 32 bits"));
        // What never changes may well be empty for some parameters or data.
        if is_static(id) {
            continue;
        }
        let impossible: Vec<&Clause> =
            clauses.iter().filter(|clause| is_impossible(clause)).collect();
        let never = !clauses.is_empty() && impossible.len() == clauses.len();
        if let (PredicateKind::Legal(kind), true) = (theory.kind(id), never) {
            let kind = theory.move_kind(*kind);
            let message =
                format!("the move `{}` can never be legal: no clause for it can apply", kind.name);
            let problem = Diagnostic::error("never-legal", kind.span, message);
            let why = "its conditions on static relations, sorts and numbers have no solution";
            diagnostics.report(problem.related(impossible[0].span, why));
            continue;
        }
        // So may clauses of an instance that somebody made smaller.
        if theory.instance_name() != theory.name {
            continue;
        }
        for clause in impossible {
            let message = "this can never apply: its conditions on static relations, sorts and numbers have no solution";
            diagnostics.report(Diagnostic::warning("never-applies", clause.span, message));
        }
    }
}

/// The conditions that read only these predicates, which never change, but for those that deny or count something
/// about what only the others tell: what is not known is not denied.
pub(super) fn fixed_part(
    body: &[Condition],
    may_read: &dyn Fn(PredicateId) -> bool,
) -> Vec<Condition> {
    let fixed = body.iter().filter(|condition| is_fixed(condition, may_read));
    let fixed: Vec<&Condition> = fixed.collect();
    let mut known = BTreeSet::new();
    loop {
        let n_known = known.len();
        for condition in &fixed {
            known.extend(told(condition, &known));
        }
        if known.len() == n_known {
            break;
        }
    }
    fixed.into_iter().filter(|one| must_know(one).is_subset(&known)).cloned().collect()
}

/// The variables that a condition gives a value once these are known.
fn told(condition: &Condition, known: &BTreeSet<Var>) -> BTreeSet<Var> {
    let vars = condition_vars(condition);
    let is_known = |term: &Term| match term {
        Term::Var(var) => known.contains(var),
        Term::Value(_) => true,
    };
    match condition {
        Condition::Holds(_) | Condition::Member(..) => vars,
        Condition::Construct { whole, args, .. }
            if is_known(whole) || args.iter().all(is_known) =>
        {
            vars
        }
        Condition::Compare(Comparison::Equal, left, right) => {
            let sides = [(left, right), (right, left)].into_iter();
            let told = sides.filter_map(|(side, other)| match side {
                Expr::Term(Term::Var(var)) if outer_vars_of(other).is_subset(known) => Some(*var),
                _ => None,
            });
            told.collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The variables about which a condition denies or counts something.
fn must_know(condition: &Condition) -> BTreeSet<Var> {
    match condition {
        Condition::None { .. } => outer_vars(condition),
        Condition::AnyOf(branches) => branches.iter().flatten().flat_map(must_know).collect(),
        Condition::Compare(_, left, right) => [left, right].into_iter().flat_map(counts).collect(),
        _ => BTreeSet::new(),
    }
}

/// The variables that counts in an expression ask about.
fn counts(expr: &Expr) -> BTreeSet<Var> {
    match expr {
        Expr::Term(_) => BTreeSet::new(),
        Expr::Binary(_, left, right) => {
            [left, right].into_iter().flat_map(|one| counts(one)).collect()
        }
        Expr::Count { .. } => outer_vars_of(expr),
    }
}

/// The variables of a condition but for those of negations and counts inside.
fn outer_vars(condition: &Condition) -> BTreeSet<Var> {
    match condition {
        Condition::None { locals, body } => {
            let vars = body.iter().flat_map(outer_vars);
            vars.filter(|var| !locals.contains(var)).collect()
        }
        Condition::AnyOf(branches) => branches.iter().flatten().flat_map(outer_vars).collect(),
        Condition::Compare(_, left, right) => {
            [left, right].into_iter().flat_map(outer_vars_of).collect()
        }
        other => condition_vars(other),
    }
}

fn outer_vars_of(expr: &Expr) -> BTreeSet<Var> {
    match expr {
        Expr::Term(_) => expr_vars(expr),
        Expr::Binary(_, left, right) => {
            [left, right].into_iter().flat_map(|one| outer_vars_of(one)).collect()
        }
        Expr::Count { counted, body } => {
            let vars = body.iter().flat_map(outer_vars);
            vars.filter(|var| !counted.contains(var)).collect()
        }
    }
}

/// Does the condition read only these predicates?
fn is_fixed(condition: &Condition, may_read: &dyn Fn(PredicateId) -> bool) -> bool {
    let all = |body: &[Condition]| body.iter().all(|condition| is_fixed(condition, may_read));
    match condition {
        Condition::Holds(atom) => may_read(atom.predicate),
        Condition::None { body, .. } => all(body),
        Condition::AnyOf(branches) => branches.iter().all(|branch| all(branch)),
        Condition::Compare(_, left, right) => {
            is_fixed_expr(left, may_read) && is_fixed_expr(right, may_read)
        }
        Condition::Construct { .. } | Condition::Member(..) => true,
        Condition::Elsewhere { .. } => false,
    }
}

fn is_fixed_expr(expr: &Expr, may_read: &dyn Fn(PredicateId) -> bool) -> bool {
    match expr {
        Expr::Term(_) => true,
        Expr::Binary(_, left, right) => {
            is_fixed_expr(left, may_read) && is_fixed_expr(right, may_read)
        }
        Expr::Count { body, .. } => body.iter().all(|condition| is_fixed(condition, may_read)),
    }
}
