//! Lints: what a checked theory lets an author forget.
//!
//! In: a theory without errors. Out: errors that need the whole theory to be seen (a move that can
//! never be legal, a role without a goal), and warnings an author would want.

use rulesmith_logic::{Span, Term, Value};

use crate::source::{Diagnostic, Diagnostics};
use crate::theory::{Default, Theory};

/// Reports what is missing or useless in a theory.
pub(crate) fn lint(theory: &Theory, diagnostics: &mut Diagnostics) {
    roles_without_goal(theory, diagnostics);
    moves_without_legal(theory, diagnostics);
    fluents_without_init(theory, diagnostics);
    if theory.base.clauses_of(theory.terminal).is_empty() {
        let message = "there is no `terminal` clause: contests end only when nobody can move";
        diagnostics.report(Diagnostic::warning("endless", Span::default(), message));
    }
}

fn roles_without_goal(theory: &Theory, diagnostics: &mut Diagnostics) {
    for role in &theory.roles {
        let is_meant = |term: &Term| match term {
            Term::Var(_) => true,
            Term::Value(value) => *value == Value::Symbol(*role),
        };
        let goals = theory.base.clauses_of(theory.goal);
        if goals.iter().all(|clause| !is_meant(&clause.head.args[0])) {
            let name = theory.symbols.name(*role);
            let message = format!("the role `{name}` has no goal");
            let problem = Diagnostic::error("no-goal", Span::default(), message);
            diagnostics.report(problem.help(format!("add `goal({name}, 100) :- ….`")));
        }
    }
}

fn moves_without_legal(theory: &Theory, diagnostics: &mut Diagnostics) {
    for kind in &theory.moves {
        if theory.base.clauses_of(kind.legal).is_empty() {
            let message = format!("the move `{}` can never be legal: no clause allows it", kind.name);
            let problem = Diagnostic::error("never-legal", kind.span, message);
            diagnostics.report(problem.help(format!("add `legal P does {}… :- ….`", kind.name)));
        }
    }
}

fn fluents_without_init(theory: &Theory, diagnostics: &mut Diagnostics) {
    for fluent in &theory.fluents {
        let has_init = !theory.base.clauses_of(fluent.init).is_empty();
        if fluent.default == Default::Required && !has_init {
            let message = format!("the fluent `{}` has no initial value", fluent.name);
            let problem = Diagnostic::error("no-init", fluent.span, message);
            let help = "give it a default (`= VALUE` in its declaration) or an `init` for every key";
            diagnostics.report(problem.help(help));
        }
    }
}
