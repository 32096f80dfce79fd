//! Names for the variables of one clause.
//!
//! In: variables by number, with the names authors gave them. Out: a name for each that must have
//! one. Invariant: different variables that are seen in the same scope have different names; a
//! variable that occurs once is `_`, unless a scope lists it or could list it.

use std::collections::BTreeSet;

use rulesmith_logic::{Condition, Expr, Term, Var, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::raise::any_move;
use crate::theory::Theory;

/// Calls `see` for every occurrence of a variable in a body.
fn each_use(theory: Option<&Theory>, body: &[Condition], see: &mut impl FnMut(Var)) {
    for condition in body {
        match condition {
            Condition::Holds(atom) => each_term(&atom.args, see),
            Condition::None { body, .. } => each_use(theory, body, see),
            Condition::AnyOf(branches) => {
                // `legal P does any` mentions its role once.
                match theory.and_then(|theory| any_move(theory, branches)) {
                    Some((_, role)) => each_term(&[role], see),
                    None => branches.iter().for_each(|branch| each_use(theory, branch, see)),
                }
            }
            Condition::Compare(_, left, right) => {
                each_use_in_expr(theory, left, see);
                each_use_in_expr(theory, right, see);
            }
            Condition::Construct { whole, args, .. } => {
                each_term(&[*whole], see);
                each_term(args, see);
            }
            Condition::Member(term, _) => each_term(&[*term], see),
            Condition::Elsewhere { by, body, .. } => {
                each_term(&by.args, see);
                each_use(theory, body, see);
            }
        }
    }
}

fn each_use_in_expr(theory: Option<&Theory>, expr: &Expr, see: &mut impl FnMut(Var)) {
    match expr {
        Expr::Term(term) => each_term(&[*term], see),
        Expr::Binary(_, left, right) => {
            each_use_in_expr(theory, left, see);
            each_use_in_expr(theory, right, see);
        }
        Expr::Count { body, .. } => each_use(theory, body, see),
    }
}

fn each_term(terms: &[Term], see: &mut impl FnMut(Var)) {
    for term in terms {
        if let Term::Var(var) = term {
            see(*var);
        }
    }
}

/// How often each variable is written.
pub(super) fn uses(
    theory: &Theory,
    head: &[Term],
    body: &[Condition],
    n_variables: usize,
) -> Vec<usize> {
    let mut uses = vec![0; n_variables];
    each_term(head, &mut |var| uses[var.0 as usize] += 1);
    each_use(Some(theory), body, &mut |var| uses[var.0 as usize] += 1);
    uses
}

/// A `none` or `count`: the variables it lists and what it is about.
#[derive(Clone, Copy, Debug)]
struct Scope<'c> {
    own: &'c [Var],
    is_count: bool,
    body: &'c [Condition],
}

/// Calls `enter` for each scope of a body, outer ones first.
fn each_scope<'c>(body: &'c [Condition], enter: &mut impl FnMut(Scope<'c>)) {
    for condition in body {
        match condition {
            Condition::None { locals, body } => {
                enter(Scope { own: locals, is_count: false, body });
                each_scope(body, enter);
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    each_scope(branch, enter);
                }
            }
            Condition::Elsewhere { body, .. } => each_scope(body, enter),
            Condition::Compare(_, left, right) => {
                each_scope_in_expr(left, enter);
                each_scope_in_expr(right, enter);
            }
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

fn each_scope_in_expr<'c>(expr: &'c Expr, enter: &mut impl FnMut(Scope<'c>)) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            each_scope_in_expr(left, enter);
            each_scope_in_expr(right, enter);
        }
        Expr::Count { counted, body } => {
            enter(Scope { own: counted, is_count: true, body });
            each_scope(body, enter);
        }
    }
}

/// The variables that scopes inside a body list.
fn listed_inside(body: &[Condition]) -> BTreeSet<Var> {
    let mut listed = BTreeSet::new();
    each_scope(body, &mut |scope| listed.extend(scope.own.iter().copied()));
    listed
}

/// The locals that a `none` must list: those with a name that no scope inside lists.
pub(super) fn listed(locals: &[Var], body: &[Condition], names: &[Option<String>]) -> Vec<Var> {
    let inside = listed_inside(body);
    let is_listed = |var: &&Var| names[var.0 as usize].is_some() && !inside.contains(*var);
    locals.iter().filter(is_listed).copied().collect()
}

/// Names for all variables of a clause; none for those written `_` or in place.
pub(super) fn names(
    variables: &[Variable],
    body: &[Condition],
    uses: &[usize],
    inlined: &[bool],
) -> Vec<Option<String>> {
    let mut in_scopes = BTreeSet::new();
    each_scope(body, &mut |scope| each_use(None, scope.body, &mut |var| _ = in_scopes.insert(var)));
    let is_needed = |var: &Var| {
        let place = var.0 as usize;
        let is_nameless = variables[place].name == "_" || !in_scopes.contains(var);
        !inlined[place] && (uses[place] > 1 || !is_nameless)
    };
    let mut naming = Naming { variables, names: vec![None; variables.len()] };
    let locals = listed_inside(body);
    let outer = (0..variables.len()).filter_map(|place| u16::try_from(place).ok()).map(Var);
    let outer: Vec<Var> = outer.filter(|var| !locals.contains(var) && is_needed(var)).collect();
    naming.choose(&outer, Taken::default());
    each_scope(body, &mut |scope| {
        let inside = listed_inside(scope.body);
        let is_own = |var: &Var| !inside.contains(var) && (scope.is_count || is_needed(var));
        let own: Vec<Var> = scope.own.iter().copied().filter(is_own).collect();
        let taken = naming.seen(scope.body);
        naming.choose(&own, taken);
    });
    naming.names
}

/// The names chosen so far.
#[derive(Debug)]
struct Naming<'c> {
    variables: &'c [Variable],
    names: Vec<Option<String>>,
}

/// Names that are in use, and where to go on counting for each stem.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) names: FxHashSet<String>,
    next: FxHashMap<String, usize>,
}

impl Naming<'_> {
    /// Names the variables: first those that have one, then the nameless.
    fn choose(&mut self, variables: &[Var], mut taken: Taken) {
        let is_nameless = |var: &&Var| self.variables[var.0 as usize].name == "_";
        let (nameless, named): (Vec<&Var>, Vec<&Var>) = variables.iter().partition(is_nameless);
        for var in named.into_iter().chain(nameless) {
            let fresh = taken.fresh(&self.variables[var.0 as usize].name);
            self.names[var.0 as usize] = Some(fresh);
        }
    }

    /// The names that occur in a body.
    fn seen(&self, body: &[Condition]) -> Taken {
        let mut taken = Taken::default();
        each_use(None, body, &mut |var| taken.names.extend(self.names[var.0 as usize].clone()));
        taken
    }
}

impl Taken {
    /// The wanted name as a variable, numbered if it is taken.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let stem = variable_text(wanted);
        if wanted != "_" && self.names.insert(stem.clone()) {
            return stem;
        }
        let joint = if stem.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        let next = self.next.entry(stem.clone()).or_insert(1);
        loop {
            let numbered = format!("{stem}{joint}{next}");
            *next += 1;
            if self.names.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// A name as a variable is written: with a capital, from letters, digits and `_`.
fn variable_text(name: &str) -> String {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let is_hidden = plain
        .strip_prefix('_')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    if is_hidden {
        return plain;
    }
    let plain = plain.trim_start_matches('_');
    match plain.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => {
            first.to_ascii_uppercase().to_string() + &plain[1..]
        }
        _ => format!("X{plain}"),
    }
}
