//! Questions that put claims about rules to the test: where to ask them, and what.
//!
//! In: a theory, and rules as metarules rewrote them. Out: clauses without arguments to be asked of a
//! state: is there an answer too many, or one too few; and the worlds a state's rules look ahead to.
//! Invariant: a world that is asked about is one that some clause may ask about.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, Expr, Quantifier, Span, Term, Value, Var, Variable,
    atom_vars, condition_vars, substitute_atom, substitute_body, substitute_term,
};
use rulesmith_rules::{PredicateKind, Theory};
use rulesmith_specialize::RewrittenRules;

/// A world that the rules look at without going there: what is known before a step, and the step.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    before: Vec<Condition>,
    by: Atom,
    variables: Vec<Variable>,
}

impl Ahead {
    /// The question asked there. The variables of the question come first.
    pub(crate) fn ask(&self, question: &Clause) -> Option<Clause> {
        let offset = u16::try_from(question.variables.len()).ok()?;
        to_var(question.variables.len() + self.variables.len())?;
        let moved = |var: Var| Term::Var(Var(var.0.saturating_add(offset)));
        let mut body = substitute_body(&self.before, &moved);
        let by = substitute_atom(&self.by, &moved);
        let inside = question.body.clone();
        body.push(Condition::Elsewhere { by, quantifier: Quantifier::Some, body: inside });
        let variables = [&question.variables[..], &self.variables[..]].concat();
        Some(Clause { body, variables, ..question.clone() })
    }

    /// The step with the values of an answer.
    pub(crate) fn step(&self, question: &Clause, values: &[Option<Value>]) -> Atom {
        let n_own = question.variables.len();
        substitute_atom(&self.by, &|var| {
            let value = values.get(n_own + usize::from(var.0)).copied().flatten();
            value.map_or(Term::Var(var), Term::Value)
        })
    }
}

/// The worlds the rules look ahead to, and those in the middle of a turn.
pub(crate) fn worlds_ahead(theory: &Theory) -> Vec<Ahead> {
    let mut found = Vec::new();
    for clause in theory.base.clauses.iter().flatten() {
        find_ahead(theory, &clause.body, &[], &mut |before, by| {
            let variables = clause.variables.clone();
            found.push(Ahead { before, by, variables });
        });
    }
    if !theory.base.clauses_of(theory.continues).is_empty() {
        for kind in &theory.moves {
            let domains = &theory.base.predicate(kind.does).domains;
            let vars = (0..domains.len()).filter_map(to_var).map(Term::Var);
            let by = Atom { predicate: kind.does, args: vars.collect() };
            let before = vec![Condition::Holds(Atom { predicate: kind.legal, ..by.clone() })];
            let variable = |_| Variable { name: "_".to_owned(), domain: None };
            found.push(Ahead { before, by, variables: domains.iter().map(variable).collect() });
        }
    }
    found
}

/// Hands over every step that a body looks ahead to, with the conditions beside it. What is looked at
/// from there is left out.
fn find_ahead(
    theory: &Theory,
    body: &[Condition],
    around: &[Condition],
    found: &mut dyn FnMut(Vec<Condition>, Atom),
) {
    for (place, condition) in body.iter().enumerate() {
        let others =
            body.iter().enumerate().filter(|(other, part)| *other != place && !is_ahead(part));
        let beside = || -> Vec<Condition> {
            around.iter().cloned().chain(others.clone().map(|(_, part)| part.clone())).collect()
        };
        match condition {
            Condition::Elsewhere { by, .. } => {
                if matches!(theory.kind(by.predicate), PredicateKind::Does(_)) {
                    found(beside(), by.clone());
                }
            }
            Condition::None { body, .. } => find_ahead(theory, body, &beside(), found),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    find_ahead(theory, branch, &beside(), found);
                }
            }
            Condition::Compare(_, left, right) => {
                for side in [left, right] {
                    if let Expr::Count { body, .. } = side {
                        find_ahead(theory, body, &beside(), found);
                    }
                }
            }
            Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
        }
    }
}

/// Does the condition judge what holds elsewhere?
fn is_ahead(condition: &Condition) -> bool {
    let in_expr =
        |expr: &Expr| matches!(expr, Expr::Count { body, .. } if body.iter().any(is_ahead));
    match condition {
        Condition::Elsewhere { .. } => true,
        Condition::None { body, .. } => body.iter().any(is_ahead),
        Condition::AnyOf(branches) => branches.iter().flatten().any(is_ahead),
        Condition::Compare(_, left, right) => in_expr(left) || in_expr(right),
        Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => false,
    }
}

/// Holds where the clause has an answer that the theory does not give.
pub(crate) fn one_more(theory: &Theory, clause: &Clause) -> Clause {
    let domains = &theory.base.predicate(clause.head.predicate).domains;
    let places = clause.head.args.iter().zip(domains);
    let inside = places.filter_map(|(term, domain)| Some(Condition::Member(*term, (*domain)?)));
    let known = Condition::Holds(clause.head.clone());
    let mut body = clause.body.clone();
    body.extend(inside);
    body.push(Condition::None { locals: vec![], body: vec![known] });
    Clause { body, ..clause.clone() }
}

/// Holds where the theory gives an answer that none of the rewritten clauses does.
pub(crate) fn one_fewer(theory: &Theory, rules: &RewrittenRules) -> Option<Clause> {
    let domains = &theory.base.predicate(rules.predicate).domains;
    let mut variables: Vec<Variable> =
        domains.iter().map(|_| Variable { name: "_".to_owned(), domain: None }).collect();
    let args: Vec<Term> =
        (0..variables.len()).map(|place| Some(Term::Var(to_var(place)?))).collect::<Option<_>>()?;
    let head = Atom { predicate: rules.predicate, args: args.clone() };
    let mut body = vec![Condition::Holds(head.clone())];
    for clause in &rules.clauses {
        let offset = u16::try_from(variables.len()).ok()?;
        to_var(variables.len() + clause.variables.len())?;
        let moved = |var: Var| Term::Var(Var(var.0.saturating_add(offset)));
        variables.extend(clause.variables.iter().cloned());
        let equation = |(arg, term): (&Term, &Term)| {
            let term = substitute_term(*term, &moved);
            Condition::Compare(Comparison::Equal, Expr::Term(*arg), Expr::Term(term))
        };
        let mut inner: Vec<Condition> = args.iter().zip(&clause.head.args).map(equation).collect();
        inner.extend(substitute_body(&clause.body, &moved));
        let outer = atom_vars(&head);
        let vars: BTreeSet<Var> = inner.iter().flat_map(condition_vars).collect();
        let locals = vars.difference(&outer).copied().collect();
        body.push(Condition::None { locals, body: inner });
    }
    Some(Clause { head, body, variables, span: Span::default() })
}

fn to_var(place: usize) -> Option<Var> {
    u16::try_from(place).ok().map(Var)
}
