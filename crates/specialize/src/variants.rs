//! Canonical form: one clause and one key for all ways to write a clause.
//!
//! In: a clause over flat conditions. Out: the clause with its variables renumbered and its conditions
//! sorted, the same for every variant. Invariant: the form is the clause itself up to the names of
//! variables and the order of conditions; clauses whose forms are equal are variants, and variants whose
//! forms are exact have equal forms.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher};

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, Expr, Term, Value, Var, Variable, substitute_atom,
    substitute_body,
};
use rustc_hash::FxBuildHasher;

use crate::labelling::Graph;
use crate::normal::{
    Token, arrange, is_commutative, visit_terms, visit_vars, write_atom, write_body,
};
use crate::ranging::ranging_vars;

/// A clause in the form that all its variants share.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// A digest of the form: unequal keys mean unequal forms.
    pub key: u128,
    /// Was the labelling finished within its budget? If not, a variant may have another form.
    pub is_exact: bool,
    /// The clause, variables numbered by first occurrence, conditions sorted, plain ones once.
    pub clause: Clause,
    /// What each variable of the clause as written became; `None` for one that does not occur.
    pub renaming: Vec<Option<Var>>,
    text: Vec<Token>,
}

impl Canonical {
    /// Are the forms equal? Then the clauses are variants.
    pub fn is_variant_of(&self, other: &Self) -> bool {
        self.key == other.key && self.text == other.text
    }

    /// A total order of forms: fewer conditions first.
    pub fn compare(&self, other: &Self) -> Ordering {
        let sizes = self.clause.body.len().cmp(&other.clause.body.len());
        sizes.then_with(|| self.text.cmp(&other.text))
    }
}

/// The canonical form of a clause.
pub fn canonical(clause: &Clause) -> Canonical {
    let Some(normal) = normalize(clause) else { return as_written(clause) };
    let ranging = ranging_vars(&normal.head, &normal.body);
    let labelling = graph_of(&normal, &ranging).label();
    // Ranks decide the order of conditions; then first occurrences number the variables for good.
    let rank_of = |var: usize| labelling.ranks.get(var).copied().flatten();
    let rank = |var: Var| Term::Var(rank_of(usize::from(var.0)).map_or(var, to_var));
    let head = substitute_atom(&normal.head, &rank);
    let mut body = substitute_body(&normal.body, &rank);
    arrange(&mut body);
    let mut numbers: Vec<Option<Var>> = vec![None; normal.variables.len()];
    let mut n_numbered = 0;
    let mut number = |var: Var| {
        let place = &mut numbers[usize::from(var.0)];
        if place.is_none() {
            *place = Some(to_var(n_numbered));
            n_numbered += 1;
        }
    };
    visit_terms(&head.args, &mut number);
    visit_vars(&body, &mut number);
    let last = |var: Var| Term::Var(numbers[usize::from(var.0)].unwrap_or(var));
    let new_number = |old: usize| rank_of(old).and_then(|rank| numbers[rank]);
    let mut variables = vec![unnamed(); n_numbered];
    for (old, variable) in normal.variables.iter().enumerate() {
        if let Some(new) = new_number(old) {
            variables[usize::from(new.0)] = variable.clone();
        }
    }
    let mut body = substitute_body(&body, &last);
    sort_binders(&mut body);
    let clause = Clause { head: substitute_atom(&head, &last), body, variables, span: clause.span };
    let renaming = (0..normal.n_written).map(new_number).collect();
    let mut ranging: Vec<Var> =
        ranging.iter().filter_map(|var| new_number(usize::from(var.0))).collect();
    ranging.sort_unstable();
    finish(clause, labelling.is_exact, renaming, &ranging)
}

/// The form of a clause with more variables than can be numbered: itself.
fn as_written(clause: &Clause) -> Canonical {
    let n_vars = u16::try_from(clause.variables.len()).unwrap_or(u16::MAX);
    let renaming = (0..n_vars).map(|var| Some(Var(var))).collect();
    let ranging = ranging_vars(&clause.head, &clause.body);
    finish(clause.clone(), false, renaming, &ranging)
}

fn finish(
    clause: Clause,
    is_exact: bool,
    renaming: Vec<Option<Var>>,
    ranging: &[Var],
) -> Canonical {
    let mut text = Vec::new();
    write_atom(&clause.head, &mut text);
    write_body(&clause.body, &mut text);
    for var in ranging {
        let domain = clause.variables.get(usize::from(var.0)).and_then(|variable| variable.domain);
        text.push(Token::Var(*var));
        text.extend(domain.map(|domain| Token::Number(domain.0)));
    }
    let mut bytes = Bytes(Vec::with_capacity(16 * text.len()));
    text.hash(&mut bytes);
    let digest = blake3::hash(&bytes.0);
    let key = digest.as_bytes().iter().take(16).fold(0, |key, byte| key << 8 | u128::from(*byte));
    Canonical { key, is_exact, clause, renaming, text }
}

/// Collects what is hashed.
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// A clause whose counted tuples have variables of their own and whose locals are what they claim.
struct Normal {
    head: Atom,
    body: Vec<Condition>,
    variables: Vec<Variable>,
    /// How many variables the clause has as written.
    n_written: usize,
}

/// `None` if there are more variables than numbers.
fn normalize(clause: &Clause) -> Option<Normal> {
    let mut n_written = clause.variables.len();
    let mut notice = |var: Var| n_written = n_written.max(usize::from(var.0) + 1);
    visit_terms(&clause.head.args, &mut notice);
    visit_vars(&clause.body, &mut notice);
    let mut variables = clause.variables.clone();
    variables.resize(n_written, unnamed());
    let mut body = clause.body.clone();
    arrange(&mut body);
    separate_counts(&mut body, &mut variables);
    if variables.len() > usize::from(u16::MAX) {
        return None;
    }
    let mut n_occurrences = vec![0; variables.len()];
    let mut count = |var: Var| n_occurrences[usize::from(var.0)] += 1;
    visit_terms(&clause.head.args, &mut count);
    visit_vars(&body, &mut count);
    find_locals(&mut body, &n_occurrences);
    Some(Normal { head: clause.head.clone(), body, variables, n_written })
}

/// Gives the counted variables of every count numbers of their own.
fn separate_counts(body: &mut [Condition], variables: &mut Vec<Variable>) {
    for condition in body {
        match condition {
            Condition::None { body, .. } | Condition::Elsewhere { body, .. } => {
                separate_counts(body, variables);
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    separate_counts(branch, variables);
                }
            }
            Condition::Compare(_, left, right) => {
                separate_expr(left, variables);
                separate_expr(right, variables);
            }
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

fn separate_expr(expr: &mut Expr, variables: &mut Vec<Variable>) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            separate_expr(left, variables);
            separate_expr(right, variables);
        }
        Expr::Count { counted, body } => {
            separate_counts(body, variables);
            let first = variables.len();
            if first + counted.len() > usize::from(u16::MAX) {
                // One too many tells the caller; nothing is renumbered any more.
                variables.resize(usize::from(u16::MAX) + 1, unnamed());
                return;
            }
            for var in counted.iter() {
                variables.push(variables[usize::from(var.0)].clone());
            }
            let fresh = |var: Var| match counted.iter().position(|one| *one == var) {
                Some(place) => Term::Var(to_var(first + place)),
                None => Term::Var(var),
            };
            *body = substitute_body(body, &fresh);
            *counted = (first..first + counted.len()).map(to_var).collect();
        }
    }
}

/// Lists as locals of each negation exactly the variables that occur nowhere outside it.
fn find_locals(body: &mut [Condition], n_occurrences: &[usize]) {
    for condition in body {
        match condition {
            Condition::None { locals, body } => {
                find_locals(body, n_occurrences);
                let mut inside: Vec<Var> = Vec::new();
                visit_vars(body, &mut |var| inside.push(var));
                inside.sort_unstable();
                let is_local = |one: &&[Var]| one.len() == n_occurrences[usize::from(one[0].0)];
                *locals = inside.chunk_by(Var::eq).filter(is_local).map(|one| one[0]).collect();
            }
            Condition::Elsewhere { body, .. } => find_locals(body, n_occurrences),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    find_locals(branch, n_occurrences);
                }
            }
            Condition::Compare(_, left, right) => {
                for expr in [left, right] {
                    each_count(expr, &mut |_, body| find_locals(body, n_occurrences));
                }
            }
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

/// Sorts counted and local variables after the last renumbering.
fn sort_binders(body: &mut [Condition]) {
    for condition in body {
        match condition {
            Condition::None { locals, body } => {
                sort_binders(body);
                locals.sort_unstable();
            }
            Condition::Elsewhere { body, .. } => sort_binders(body),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    sort_binders(branch);
                }
            }
            Condition::Compare(_, left, right) => {
                for expr in [left, right] {
                    each_count(expr, &mut |counted, body| {
                        sort_binders(body);
                        counted.sort_unstable();
                    });
                }
            }
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

fn each_count(expr: &mut Expr, visit: &mut dyn FnMut(&mut Vec<Var>, &mut Vec<Condition>)) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            each_count(left, visit);
            each_count(right, visit);
        }
        Expr::Count { counted, body } => visit(counted, body),
    }
}

fn to_var(number: usize) -> Var {
    Var(u16::try_from(number).expect("normalize counted the variables"))
}

fn unnamed() -> Variable {
    Variable { name: "_".to_owned(), domain: None }
}

/// The clause as a tree of parts.
fn graph_of(normal: &Normal, ranging: &[Var]) -> Graph {
    let mut graph = Graph::default();
    let root = graph.add_part(0, 0, hash(0));
    add_terms(&mut graph, (root, 1), (1, normal.head.predicate.0), &normal.head.args);
    add_body(&mut graph, root, &normal.body);
    for var in ranging {
        let domain = normal.variables[usize::from(var.0)].domain;
        let part = graph.add_part(root, 2, hash((2, domain)));
        graph.add_var(part, 0, usize::from(var.0));
    }
    graph
}

fn add_body(graph: &mut Graph, parent: usize, body: &[Condition]) {
    for condition in body {
        add_condition(graph, parent, condition);
    }
}

fn add_condition(graph: &mut Graph, parent: usize, condition: &Condition) {
    match condition {
        Condition::Holds(atom) => {
            add_terms(graph, (parent, 0), (3, atom.predicate.0), &atom.args);
        }
        Condition::Member(term, domain) => {
            add_terms(graph, (parent, 0), (4, domain.0), &[*term]);
        }
        Condition::Construct { whole, functor, args } => {
            let terms: Vec<Term> = [*whole].into_iter().chain(args.iter().copied()).collect();
            add_terms(graph, (parent, 0), (5, *functor), &terms);
        }
        Condition::Compare(comparison, left, right) => {
            let part = graph.add_part(parent, 0, hash((6, *comparison as u32)));
            let is_symmetric = matches!(comparison, Comparison::Equal | Comparison::Unequal);
            add_expr(graph, (part, 0), left);
            add_expr(graph, (part, u64::from(!is_symmetric)), right);
        }
        Condition::None { body, .. } => {
            let part = graph.add_part(parent, 0, hash(7));
            add_body(graph, part, body);
        }
        Condition::Elsewhere { by, quantifier, body } => {
            let label = (8, *quantifier as u32, by.predicate.0);
            let part = add_terms(graph, (parent, 0), label, &by.args);
            add_body(graph, part, body);
        }
        Condition::AnyOf(branches) => {
            let part = graph.add_part(parent, 0, hash(9));
            for branch in branches {
                let part = graph.add_part(part, 0, hash(10));
                add_body(graph, part, branch);
            }
        }
    }
}

fn add_expr(graph: &mut Graph, (parent, place): (usize, u64), expr: &Expr) {
    match expr {
        Expr::Term(Term::Var(var)) => graph.add_var(parent, place, usize::from(var.0)),
        Expr::Term(Term::Value(value)) => {
            graph.add_part(parent, place, hash((11, *value)));
        }
        Expr::Binary(operation, left, right) => {
            let part = graph.add_part(parent, place, hash((12, *operation as u32)));
            add_expr(graph, (part, 0), left);
            add_expr(graph, (part, u64::from(!is_commutative(*operation))), right);
        }
        Expr::Count { counted, body } => {
            let part = graph.add_part(parent, place, hash(13));
            for var in counted {
                graph.add_var(part, 1, usize::from(var.0));
            }
            add_body(graph, part, body);
        }
    }
}

/// A part with ordered terms; its values are part of its label.
fn add_terms(
    graph: &mut Graph,
    (parent, place): (usize, u64),
    label: impl Hash,
    terms: &[Term],
) -> usize {
    let values: Vec<Option<Value>> = terms
        .iter()
        .map(|term| match term {
            Term::Var(_) => None,
            Term::Value(value) => Some(*value),
        })
        .collect();
    let part = graph.add_part(parent, place, hash((label, values)));
    for (place, term) in (1..).zip(terms) {
        if let Term::Var(var) = term {
            graph.add_var(part, place, usize::from(var.0));
        }
    }
    part
}

fn hash(label: impl Hash) -> u64 {
    FxBuildHasher.hash_one(label)
}
