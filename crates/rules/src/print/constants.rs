//! What the clauses of a theory mention: domains of member conditions, constants, functors.
//!
//! In: clauses. Out: what a text must declare so that the clauses can be read back.

use std::collections::BTreeSet;

use rulesmith_logic::{Atom, Condition, DomainId, Expr, Symbol, Term, Value};

use super::declarations;
use super::raise_exprs::{apply, int_expr, value_expr};
use crate::rules_text::ast::Expr as Written;
use crate::theory::{Theory, UNDEFINED};

/// Calls `see` for each condition of each clause and object, inner ones too.
fn each_condition(theory: &Theory, see: &mut impl FnMut(&Condition)) {
    let clauses = theory.base.clauses.iter().flatten().map(|clause| &clause.body);
    for body in clauses.chain(theory.base.components.iter().map(|component| &component.body)) {
        each_condition_of(body, see);
    }
}

fn each_condition_of(body: &[Condition], see: &mut impl FnMut(&Condition)) {
    for condition in body {
        see(condition);
        match condition {
            Condition::None { body, .. } | Condition::Elsewhere { body, .. } => {
                each_condition_of(body, see);
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    each_condition_of(branch, see);
                }
            }
            Condition::Compare(_, left, right) => {
                each_counted_condition(left, see);
                each_counted_condition(right, see);
            }
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

fn each_counted_condition(counted: &Expr, see: &mut impl FnMut(&Condition)) {
    match counted {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            each_counted_condition(left, see);
            each_counted_condition(right, see);
        }
        Expr::Count { body, .. } => each_condition_of(body, see),
    }
}

/// The domains of member conditions: these need a name.
pub(super) fn member_domains(theory: &Theory) -> BTreeSet<DomainId> {
    let mut found = BTreeSet::new();
    each_condition(theory, &mut |condition| {
        if let Condition::Member(_, domain) = condition {
            found.insert(*domain);
        }
    });
    found
}

/// Constants and functors, by name and number of arguments.
#[derive(Debug, Default)]
struct Alphabet {
    constants: BTreeSet<Symbol>,
    functors: BTreeSet<(Symbol, usize)>,
}

impl Alphabet {
    fn add_value(&mut self, theory: &Theory, value: Value) {
        match value {
            Value::Int(_) => {}
            Value::Symbol(symbol) => _ = self.constants.insert(symbol),
            Value::Compound(compound) => {
                let (functor, args) = theory.symbols.parts(compound);
                self.functors.insert((functor, args.len()));
                for arg in args {
                    self.add_value(theory, *arg);
                }
            }
        }
    }

    fn add_terms(&mut self, theory: &Theory, terms: &[Term]) {
        for term in terms {
            if let Term::Value(value) = term {
                self.add_value(theory, *value);
            }
        }
    }

    fn add_expr(&mut self, theory: &Theory, added: &Expr) {
        match added {
            Expr::Term(term) => self.add_terms(theory, &[*term]),
            Expr::Binary(_, left, right) => {
                self.add_expr(theory, left);
                self.add_expr(theory, right);
            }
            Expr::Count { .. } => {}
        }
    }

    fn add_condition(&mut self, theory: &Theory, condition: &Condition) {
        match condition {
            Condition::Holds(Atom { args, .. }) => self.add_terms(theory, args),
            Condition::Elsewhere { by, .. } => self.add_terms(theory, &by.args),
            Condition::Compare(_, left, right) => {
                self.add_expr(theory, left);
                self.add_expr(theory, right);
            }
            Condition::Construct { whole, functor, args } => {
                self.functors.insert((*functor, args.len()));
                self.add_terms(theory, &[*whole]);
                self.add_terms(theory, args);
            }
            Condition::Member(term, _) => self.add_terms(theory, &[*term]),
            Condition::None { .. } | Condition::AnyOf(_) => {}
        }
    }
}

/// Constants, and for each functor a compound, that are mentioned but are values of no sort. Theories
/// over the open sort of all terms have them.
pub(super) fn mentioned(theory: &Theory) -> Vec<Written> {
    let (mut used, mut known) = (Alphabet::default(), Alphabet::default());
    each_condition(theory, &mut |condition| used.add_condition(theory, condition));
    for clause in theory.base.clauses.iter().flatten() {
        let is_goal = clause.head.predicate == theory.goal;
        used.add_terms(theory, if is_goal { &[] } else { &clause.head.args });
    }
    let sorts = theory.sorts.iter().filter_map(|sort| sort.domain);
    for domain in sorts.chain(declarations::domains(theory)) {
        for value in &theory.base.domain(domain).values {
            known.add_value(theory, *value);
        }
    }
    let is_ours =
        |symbol: Symbol| matches!(theory.symbols.name(symbol), "true" | "false" | "" | UNDEFINED);
    let constants = used.constants.difference(&known.constants).filter(|symbol| !is_ours(**symbol));
    let functors =
        used.functors.difference(&known.functors).filter(|(functor, _)| !is_ours(*functor));
    let constants = constants.map(|symbol| value_expr(theory, Value::Symbol(*symbol)));
    let functors = functors
        .map(|(functor, arity)| apply(theory.symbols.name(*functor), vec![int_expr(0); *arity]));
    constants.chain(functors).collect()
}
