//! Flat conditions: the form every clause has while it is specialised.
//!
//! In: a clause as front ends write it. Out: clauses of the same meaning in fewer forms, so that
//! metarules, canonical keys and subsumption look at few cases. A flat condition is one of
//!
//! - `Holds(atom)`,
//! - `Compare(any, term, term)`,
//! - `Compare(Equal, term, Binary(operation, term, term))`,
//! - `Compare(Equal, term, Count { body })`, the body flat, or one `AnyOf` of flat bodies,
//! - `Construct`, `Member`,
//! - `None`, and `Elsewhere` in some world, with flat bodies.
//!
//! Invariant: no `AnyOf` outside counts (alternatives become clauses of their own), no expression
//! inside an expression, and every variable with a domain is bound by a condition.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Clause, Comparison, Condition, Expr, Quantifier, Term, Var, Variable, atom_vars,
    condition_vars, substitute_body,
};

use crate::binding::add_members;

/// Variables a body may have while it is specialised. Their numbers have sixteen bits; what is left of
/// these is for the few that are made once the body is finished.
pub(crate) const VARIABLES_LIMIT: usize = 60_000;

/// More alternatives, or variables in them, than a clause may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyAlternatives;

type Flattened<T> = Result<T, TooManyAlternatives>;

/// The flat clauses that together say what the clause says.
pub(crate) fn flatten(clause: &Clause, limit: usize) -> Flattened<Vec<Clause>> {
    let mut flattener = Flattener { variables: clause.variables.clone(), limit };
    let outside = atom_vars(&clause.head);
    let bodies = flattener.bodies(&clause.body, &outside)?;
    let finish = |mut body: Vec<Condition>| {
        add_members(&clause.head, &mut body, &flattener.variables);
        Clause {
            head: clause.head.clone(),
            body,
            variables: flattener.variables.clone(),
            span: clause.span,
        }
    };
    Ok(bodies.into_iter().map(finish).collect())
}

struct Flattener {
    variables: Vec<Variable>,
    limit: usize,
}

impl Flattener {
    /// The disjunctive normal form of a conjunction. `outside` occurs around it.
    fn bodies(
        &mut self,
        body: &[Condition],
        outside: &BTreeSet<Var>,
    ) -> Flattened<Vec<Vec<Condition>>> {
        let vars: Vec<BTreeSet<Var>> = body.iter().map(condition_vars).collect();
        let mut all: Vec<Vec<Condition>> = vec![vec![]];
        for (place, condition) in body.iter().enumerate() {
            let mut around = outside.clone();
            let others = vars.iter().enumerate().filter(|(other, _)| *other != place);
            around.extend(others.flat_map(|(_, set)| set));
            let alternatives = self.alternatives(condition, &around)?;
            if all.len().saturating_mul(alternatives.len()) > self.limit {
                return Err(TooManyAlternatives);
            }
            all = product(&all, &alternatives);
        }
        Ok(all)
    }

    fn alternatives(
        &mut self,
        condition: &Condition,
        around: &BTreeSet<Var>,
    ) -> Flattened<Vec<Vec<Condition>>> {
        Ok(match condition {
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {
                vec![vec![condition.clone()]]
            }
            Condition::AnyOf(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    all.extend(self.bodies(branch, around)?);
                }
                all
            }
            Condition::None { body, .. } => vec![self.nones(body, around)?],
            Condition::Compare(comparison, left, right) => {
                vec![self.comparison(*comparison, left, right, around)?]
            }
            Condition::Elsewhere { by, quantifier, body } => {
                let mut around = around.clone();
                around.extend(atom_vars(by));
                let elsewhere = |body| Condition::Elsewhere {
                    by: by.clone(),
                    quantifier: Quantifier::Some,
                    body,
                };
                match quantifier {
                    Quantifier::Some => {
                        let bodies = self.bodies(body, &around)?;
                        bodies.into_iter().map(|body| vec![elsewhere(body)]).collect()
                    }
                    // In every world: there is one, and there is none in which the body fails.
                    Quantifier::Every => {
                        let failing = elsewhere(self.nones(body, &around)?);
                        let none = Condition::None { locals: vec![], body: vec![failing] };
                        vec![vec![elsewhere(vec![]), none]]
                    }
                }
            }
        })
    }

    /// None of the alternatives of a body: one negation for each, with variables of its own.
    fn nones(&mut self, body: &[Condition], around: &BTreeSet<Var>) -> Flattened<Vec<Condition>> {
        let bodies = self.bodies(body, around)?;
        let mut all = Vec::with_capacity(bodies.len());
        for body in bodies {
            all.push(none(&mut self.variables, &body, around));
            if self.variables.len() > VARIABLES_LIMIT {
                return Err(TooManyAlternatives);
            }
        }
        Ok(all)
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
        around: &BTreeSet<Var>,
    ) -> Flattened<Vec<Condition>> {
        let mut before = Vec::new();
        let (left, right) = match (left, right) {
            (_, Expr::Term(_)) if comparison == Comparison::Equal => (right, left),
            _ => (left, right),
        };
        let left = Expr::Term(self.term(left, around, &mut before)?);
        let right = if comparison == Comparison::Equal {
            self.shallow(right, around, &mut before)?
        } else {
            Expr::Term(self.term(right, around, &mut before)?)
        };
        before.push(Condition::Compare(comparison, left, right));
        Ok(before)
    }

    /// A term that stands for the expression, with the conditions that make it so.
    fn term(
        &mut self,
        expr: &Expr,
        around: &BTreeSet<Var>,
        before: &mut Vec<Condition>,
    ) -> Flattened<Term> {
        if let Expr::Term(term) = expr {
            return Ok(*term);
        }
        let shallow = self.shallow(expr, around, before)?;
        let term = Term::Var(fresh(&mut self.variables, "N"));
        before.push(Condition::Compare(Comparison::Equal, Expr::Term(term), shallow));
        Ok(term)
    }

    /// The expression with terms for operands.
    fn shallow(
        &mut self,
        expr: &Expr,
        around: &BTreeSet<Var>,
        before: &mut Vec<Condition>,
    ) -> Flattened<Expr> {
        Ok(match expr {
            Expr::Term(term) => Expr::Term(*term),
            Expr::Binary(operation, left, right) => {
                let left = self.term(left, around, before)?;
                let right = self.term(right, around, before)?;
                Expr::Binary(*operation, Box::new(Expr::Term(left)), Box::new(Expr::Term(right)))
            }
            Expr::Count { counted, body } => {
                let mut around = around.clone();
                around.extend(counted);
                let mut bodies = self.bodies(body, &around)?;
                let body = match bodies.len() {
                    1 => bodies.remove(0),
                    _ => vec![Condition::AnyOf(bodies)],
                };
                Expr::Count { counted: counted.clone(), body }
            }
        })
    }
}

/// A negation with local variables of its own.
pub(crate) fn none(
    variables: &mut Vec<Variable>,
    body: &[Condition],
    around: &BTreeSet<Var>,
) -> Condition {
    let (locals, body) = rename_locals(variables, body, around);
    Condition::None { locals, body }
}

/// The body with fresh variables for those that do not occur around it, and these.
pub(crate) fn rename_locals(
    variables: &mut Vec<Variable>,
    body: &[Condition],
    around: &BTreeSet<Var>,
) -> (Vec<Var>, Vec<Condition>) {
    let inside: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
    let inner: Vec<Var> = inside.difference(around).copied().collect();
    let fresh: Vec<Var> = inner.iter().map(|var| twin(variables, *var)).collect();
    let map = |var: Var| match inner.binary_search(&var) {
        Ok(place) => Term::Var(fresh[place]),
        Err(_) => Term::Var(var),
    };
    let body = substitute_body(body, &map);
    (fresh, body)
}

/// A new variable that looks like another.
pub(crate) fn twin(variables: &mut Vec<Variable>, var: Var) -> Var {
    let variable = variables[var.0 as usize].clone();
    push(variables, variable)
}

/// A new variable without a domain.
pub(crate) fn fresh(variables: &mut Vec<Variable>, name: &str) -> Var {
    push(variables, Variable { name: name.to_owned(), domain: None })
}

/// A new variable. Beyond [`VARIABLES_LIMIT`] its number may not be its own: who makes many of them
/// looks at how many there are before any is used.
pub(crate) fn push(variables: &mut Vec<Variable>, variable: Variable) -> Var {
    let var = Var(u16::try_from(variables.len()).unwrap_or(u16::MAX));
    variables.push(variable);
    var
}

fn product(all: &[Vec<Condition>], alternatives: &[Vec<Condition>]) -> Vec<Vec<Condition>> {
    let extended = |body: &Vec<Condition>| {
        let body = body.clone();
        alternatives.iter().map(move |more| [body.clone(), more.clone()].concat())
    };
    all.iter().flat_map(extended).collect()
}
