//! Sharing: clauses that differ in a value count once.
//!
//! In: a clause of a program. Out: the same with the values of counts in variables, so that the trees
//! of several clauses begin alike. Invariant: the clause says what it said.

use rulesmith_logic::{Atom, Clause, Condition, Term, Var, atom_vars};

use crate::simplify::equation;

/// Counts that are compared with values get a variable, so that clauses that differ only in the value
/// count once.
pub(crate) fn share_counts(mut clause: Clause) -> Clause {
    use rulesmith_logic::{Comparison, Expr};
    let mut tests = Vec::new();
    for condition in &mut clause.body {
        let Condition::Compare(Comparison::Equal, left, Expr::Count { .. }) = condition else {
            continue;
        };
        if let Expr::Term(value @ Term::Value(_)) = *left {
            let var = Term::Var(crate::flat::fresh(&mut clause.variables, "N"));
            *left = Expr::Term(var);
            tests.push(equation(var, value));
        }
    }
    clause.body.extend(tests);
    clause
}

/// The variables of the head, which nothing may remove.
pub(crate) fn head_vars(head: &Atom) -> Vec<Var> {
    atom_vars(head).into_iter().collect()
}
