//! Flattening: rules with function terms become clauses without.
//!
//! In: rules by kind. Out: clauses. A ground term is one interned value; any other function term is
//! a new variable and a condition that constructs it, which takes it apart or puts it together as
//! needed. Invariant: same answers; every variable that was bound by a condition still is.

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, DomainId, Expr, PredicateId, Symbols, Term, Var, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::case::value_of;
use super::rule::{Formula, KifAtom, Relation, Rule};
use super::statement::KifTerm;

/// What the relations of the rules became.
#[derive(Debug)]
pub(super) struct Flattener<'a> {
    pub(super) symbols: &'a mut Symbols,
    pub(super) predicates: &'a FxHashMap<Relation, PredicateId>,
    pub(super) role: DomainId,
}

impl Flattener<'_> {
    /// The clause of a rule; `None` when it has more variables than a clause can number.
    pub(super) fn clause(&mut self, rule: &Rule) -> Option<Clause> {
        let mut clause =
            Flattening { flattener: self, n_variables: rule.variables.len(), is_full: false };
        let mut body = clause.body(&rule.body);
        let mut constructs = Vec::new();
        let head = clause.atom(&rule.head, &mut constructs);
        body.append(&mut constructs);
        let n_variables = clause.n_variables;
        if clause.is_full {
            return None;
        }
        let variables = variable_names(&rule.variables, n_variables);
        Some(Clause { head, body, variables, span: rule.span })
    }
}

/// One clause in the making.
struct Flattening<'f, 'a> {
    flattener: &'f mut Flattener<'a>,
    n_variables: usize,
    /// Were there more variables than can be numbered?
    is_full: bool,
}

impl Flattening<'_, '_> {
    fn body(&mut self, formulas: &[Formula]) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for formula in formulas {
            self.condition(formula, &mut conditions);
        }
        conditions
    }

    /// Appends the condition; what it takes apart or puts together stands before it, to be tried as
    /// soon as one side is known.
    fn condition(&mut self, formula: &Formula, conditions: &mut Vec<Condition>) {
        match formula {
            Formula::Holds(atom) => {
                let holds = self.holds(atom, conditions);
                conditions.push(holds);
            }
            Formula::Fails(atom) => {
                let first = self.n_variables;
                let mut body = Vec::new();
                let holds = self.holds(atom, &mut body);
                body.push(holds);
                let locals = (first..self.n_variables).map(|number| self.var(number)).collect();
                conditions.push(Condition::None { locals, body });
            }
            Formula::Equal(left, right) => self.compare(Comparison::Equal, left, right, conditions),
            Formula::Distinct(left, right) => {
                self.compare(Comparison::Unequal, left, right, conditions);
            }
            Formula::AnyOf(branches) => {
                let branches = branches.iter().map(|branch| self.body(branch)).collect();
                conditions.push(Condition::AnyOf(branches));
            }
        }
    }

    fn holds(&mut self, atom: &KifAtom, constructs: &mut Vec<Condition>) -> Condition {
        match (atom.relation, atom.args.as_slice()) {
            (Relation::Role, [role]) => {
                let role = self.term(role, constructs);
                Condition::Member(role, self.flattener.role)
            }
            _ => Condition::Holds(self.atom(atom, constructs)),
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: &KifTerm,
        right: &KifTerm,
        conditions: &mut Vec<Condition>,
    ) {
        let left = Expr::Term(self.term(left, conditions));
        let right = Expr::Term(self.term(right, conditions));
        conditions.push(Condition::Compare(comparison, left, right));
    }

    fn atom(&mut self, atom: &KifAtom, constructs: &mut Vec<Condition>) -> Atom {
        let args = atom.args.iter().map(|arg| self.term(arg, constructs)).collect();
        Atom { predicate: self.flattener.predicates[&atom.relation], args }
    }

    fn term(&mut self, term: &KifTerm, constructs: &mut Vec<Condition>) -> Term {
        if let KifTerm::Variable(variable) = term {
            return Term::Var(self.var(*variable as usize));
        }
        if let Some(value) = value_of(term, self.flattener.symbols) {
            return Term::Value(value);
        }
        let KifTerm::Function(functor, args) = term else { unreachable!("a constant is a value") };
        let args = args.iter().map(|arg| self.term(arg, constructs)).collect();
        self.n_variables += 1;
        let whole = Term::Var(self.var(self.n_variables - 1));
        constructs.push(Condition::Construct { whole, functor: *functor, args });
        whole
    }

    fn var(&mut self, number: usize) -> Var {
        let Ok(number) = u16::try_from(number) else {
            self.is_full = true;
            return Var(0);
        };
        Var(number)
    }
}

/// The author's variables, written as the `.rules` language does, and the new ones.
fn variable_names(variables: &[String], n_variables: usize) -> Vec<Variable> {
    let mut taken = FxHashSet::default();
    let wanted = variables.iter().map(|name| plain_name(name));
    let wanted = wanted.chain((variables.len()..n_variables).map(|_| "Term".to_owned()));
    let unique = |wanted: String| {
        let mut name = wanted.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        Variable { name, domain: None }
    };
    wanted.map(unique).collect()
}

/// `?x1` as `X1`: a capital, then letters, digits and underscores.
fn plain_name(name: &str) -> String {
    let letters = name.trim_start_matches('?').chars();
    let letters = letters.map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    let mut plain: String = letters.collect();
    match plain.get_mut(..1) {
        Some(first) if first.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            first.make_ascii_uppercase();
        }
        _ => plain.insert(0, 'V'),
    }
    plain
}
