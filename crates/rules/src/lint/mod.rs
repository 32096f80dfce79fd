//! Lints: what a checked theory lets an author forget.
//!
//! In: a theory without errors. Out: errors that need the whole theory to be seen (a move that can
//! never be legal, a role without a goal, effects that contradict each other), and warnings an
//! author would want. Invariant: an error here is proved, never guessed.

mod effects;
mod forbidden;
mod functions;
mod impossible;
mod placement;

use rulesmith_logic::{PredicateId, Span, Term, Value, edges};
use rustc_hash::FxHashSet;

pub(crate) use self::forbidden::forbidden_moves;
use crate::source::{Diagnostic, Diagnostics, nearest};
use crate::theory::{FluentDefault, PredicateKind, Theory};

/// Reports what is missing, useless or contradictory in a theory.
pub(crate) fn lint(theory: &Theory, diagnostics: &mut Diagnostics) {
    roles_without_goal(theory, diagnostics);
    moves_without_legal(theory, diagnostics);
    fluents_without_init(theory, diagnostics);
    unused_predicates(theory, diagnostics);
    unchanging_fluents(theory, diagnostics);
    impossible::impossible_clauses(theory, diagnostics);
    effects::conflicting_effects(theory, diagnostics);
    functions::functions_with_two_values(theory, diagnostics);
    placement::values_never_placed(theory, diagnostics);
    if theory.base.clauses_of(theory.terminal).is_empty() {
        let message = "there is no `terminal` clause: contests end only when nobody can move";
        diagnostics.report(Diagnostic::warning("endless", first_span(theory), message));
    }
}

/// Where a problem of the whole game is shown.
fn first_span(theory: &Theory) -> Span {
    theory.moves.first().map_or(Span::default(), |kind| kind.span)
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
            let span = goals.first().map_or_else(|| first_span(theory), |clause| clause.span);
            let problem = Diagnostic::error("no-goal", span, message);
            diagnostics.report(problem.help(format!("add `goal({name}, 100) :- ….`")));
        }
    }
}

fn moves_without_legal(theory: &Theory, diagnostics: &mut Diagnostics) {
    for kind in &theory.moves {
        if theory.base.clauses_of(kind.legal).is_empty() {
            let message =
                format!("the move `{}` can never be legal: no clause allows it", kind.name);
            let problem = Diagnostic::error("never-legal", kind.span, message);
            diagnostics.report(problem.help(format!("add `legal P does {}… :- ….`", kind.name)));
        }
    }
}

fn fluents_without_init(theory: &Theory, diagnostics: &mut Diagnostics) {
    for fluent in &theory.fluents {
        let has_init = !theory.base.clauses_of(fluent.init).is_empty();
        if fluent.default == FluentDefault::Required && !has_init {
            let message = format!("the fluent `{}` has no initial value", fluent.name);
            let problem = Diagnostic::error("no-init", fluent.span, message);
            let help =
                "give it a default (`= VALUE` in its declaration) or an `init` for every key";
            diagnostics.report(problem.help(help));
        }
    }
}

fn unused_predicates(theory: &Theory, diagnostics: &mut Diagnostics) {
    let edges = edges(&theory.base);
    let others = edges.iter().filter(|edge| edge.from != edge.to).map(|edge| edge.to);
    let asked: FxHashSet<PredicateId> = others.collect();
    let shown = theory.notation.display.as_ref().map(|display| display.shown);
    let events = theory.kinds.iter().filter_map(|kind| match kind {
        PredicateKind::Since(event) => Some(*event),
        _ => None,
    });
    let events: Vec<PredicateId> = events.collect();
    for (place, kind) in theory.kinds.iter().enumerate() {
        let id = PredicateId(u32::try_from(place).expect("predicates are numbered in 32 bits"));
        let is_own = match kind {
            PredicateKind::Static { is_given, .. } => !is_given,
            PredicateKind::Derived { .. } | PredicateKind::DerivedFunction => true,
            _ => false,
        };
        let is_asked = asked.contains(&id);
        if !is_own || is_asked || shown == Some(id) || events.contains(&id) {
            continue;
        }
        let Some(clause) = theory.base.clauses_of(id).first() else { continue };
        let name = &theory.base.predicate(id).name;
        let message = format!("`{name}` is defined but never used");
        let problem = Diagnostic::warning("unused", clause.span, message);
        diagnostics.report(match nearest(name, CLAUSE_WORDS) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        });
    }
}

/// Words that head clauses of their own, and are easily misspelt.
const CLAUSE_WORDS: [&str; 7] = ["terminal", "draw", "goal", "continue", "legal", "effect", "init"];

fn unchanging_fluents(theory: &Theory, diagnostics: &mut Diagnostics) {
    for fluent in &theory.fluents {
        let changes = [fluent.assign, fluent.deferred];
        if changes.iter().all(|id| theory.base.clauses_of(*id).is_empty()) {
            let message = format!("no effect ever changes the fluent `{}`", fluent.name);
            let problem = Diagnostic::warning("never-changes", fluent.span, message);
            diagnostics.report(problem.help("make it a `static` relation, or add an `effect`"));
        }
    }
}
