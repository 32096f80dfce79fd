//! Static functions that have two values for the same arguments.
//!
//! In: static relations declared with an arrow. Out: an error for each that is no function. Invariant:
//! nothing is reported when the facts cannot be worked out within the budget.

use std::collections::BTreeMap;

use rulesmith_logic::{Limits, Nowhere, PredicateId, Solver, Stop, Value};

use crate::source::{Diagnostic, Diagnostics};
use crate::theory::{PredicateKind, Theory};
use crate::wording::{applied_text, value_text};

/// How many conditions may be tried for one relation before it is let pass.
const FACT_INFERENCES: u64 = 2_000_000;

pub(crate) fn functions_with_two_values(theory: &Theory, diagnostics: &mut Diagnostics) {
    let limits =
        Limits { inferences: FACT_INFERENCES, derived_facts: 300_000, ..Limits::default() };
    let solver = Solver::new(theory.base.clone(), theory.symbols.clone(), limits, Stop::default());
    let nowhere = Nowhere::default();
    for (place, kind) in theory.kinds.iter().enumerate() {
        if *kind != (PredicateKind::Static { arrow: true, is_given: false }) {
            continue;
        }
        let id = PredicateId(u32::try_from(place).expect("predicates are numbered in 32 bits"));
        let arity = theory.base.predicate(id).domains.len();
        let Ok(rows) = solver.query(&nowhere, id, &vec![None; arity]) else { continue };
        let mut values: BTreeMap<&[Value], Value> = BTreeMap::new();
        for row in rows.iter() {
            let Some((value, args)) = row.split_last() else { continue };
            let first = *values.entry(args).or_insert(*value);
            if first == *value {
                continue;
            }
            let symbols = solver.symbols().borrow();
            let name = &theory.base.predicate(id).name;
            let applied = applied_text(&symbols, name, args);
            let both = [first, *value].map(|value| value_text(&symbols, value));
            let message = format!("`{applied}` has two values, `{}` and `{}`", both[0], both[1]);
            let clauses = theory.base.clauses_of(id).iter();
            let span = clauses.map(|clause| clause.span).next_back().unwrap_or_default();
            let problem = Diagnostic::error("no-function", span, message);
            diagnostics.report(problem.help("declare it without the arrow, or mend its clauses"));
            break;
        }
    }
}
