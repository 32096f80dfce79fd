//! What bytecode refers to: the half of verification that does not depend on where instructions stand.
//!
//! In: a draft, the procedures and codes around it. Out: nothing, or what is wrong. Invariant: every
//! look-up has as many columns as what it looks up, and every constant is a value.

use crate::bytecode::{Code, Draft, Lookup, Place, Source};
use crate::relation::{MAX_ARITY, Mask};

/// What is wrong.
pub(crate) type Fault = &'static str;

/// What code may refer to outside itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// How many values the universe has.
    pub(crate) n_values: usize,
    /// For each procedure, how many arguments are known and how many it delivers.
    pub(crate) procedures: &'a [(usize, usize)],
    /// The codes verified so far.
    pub(crate) codes: &'a [Code],
}

/// Checks what instructions refer to, apart from where they stand.
pub(crate) fn check_tables(draft: &Draft, surroundings: Surroundings<'_>) -> Result<(), Fault> {
    let n_places = usize::from(draft.n_registers) + draft.constants.len();
    let arity = usize::from(draft.arity);
    let n_known = draft.known.n_known();
    if n_places > usize::from(Place::MAX) || draft.nodes.len() != draft.instructions.len() {
        return Err("the frame is too large, or the nodes are not those of the instructions");
    }
    if draft.inputs.iter().any(|input| *input >= draft.n_registers) {
        return Err("an input is not a register");
    }
    if draft.constants.iter().any(|id| id.index() >= surroundings.n_values) {
        return Err("a constant is not a value");
    }
    if arity > MAX_ARITY || draft.known.0.checked_shr(u32::from(draft.arity)).unwrap_or(0) != 0 {
        return Err("the known arguments are not those of the conclusion");
    }
    if n_known != 0 && n_known != draft.inputs.len() {
        return Err("the inputs are not the known arguments");
    }
    if draft.conclusions.iter().any(|conclusion| conclusion.row.len() != arity) {
        return Err("a conclusion has another number of arguments");
    }
    if draft.relations.iter().any(|(_, arity)| usize::from(*arity) > MAX_ARITY) {
        return Err("a relation has too many columns");
    }
    draft.lookups.iter().try_for_each(|lookup| check_lookup(draft, lookup, surroundings))
}

fn check_lookup(
    draft: &Draft,
    lookup: &Lookup,
    surroundings: Surroundings<'_>,
) -> Result<(), Fault> {
    let arity = usize::from(lookup.arity);
    let n_known = lookup.mask.n_known();
    let full = Mask::new((0..arity).map(|_| true));
    if arity > MAX_ARITY || lookup.mask.0 & !full.0 != 0 {
        return Err("a mask names columns that are not there");
    }
    if lookup.keys.len() != n_known || lookup.outs.len() != arity - n_known {
        return Err("a look-up has another number of columns");
    }
    let fits = match &lookup.source {
        Source::Stored(place) => draft
            .relations
            .get(usize::from(*place))
            .is_some_and(|(_, columns)| *columns == lookup.arity),
        Source::Call { procedure, inputs, .. } => {
            surroundings.procedures.get(*procedure as usize) == Some(&(inputs.len(), arity))
        }
        Source::Outside { pattern, .. } => {
            pattern.len() <= MAX_ARITY
                && pattern.iter().filter(|known| known.is_none()).count() == arity
        }
        Source::Elsewhere { code, inputs, quantifier, .. } => {
            let is_every = *quantifier == rulesmith_logic::Quantifier::Every;
            surroundings.codes.get(*code as usize).is_some_and(|code| {
                code.inputs.len() == inputs.len()
                    && code.known == Mask(0)
                    && usize::from(code.arity) == arity
                    && !(is_every && arity > 0)
            })
        }
    };
    if fits { Ok(()) } else { Err("a look-up does not fit its source") }
}
