//! States as words, and back to what the reference engine says.
//!
//! In: a state of the reference engine. Out: the words of the layout. Invariant: equal states have equal
//! words, and every fluent of the state is in them.

use rulesmith_game::Error;
use rulesmith_rules::Theory;

use crate::reference::{ReferenceGame, State};
use crate::state_layout::{StateLayout, split_row};

/// The words of a state.
pub(crate) fn encode(
    game: &ReferenceGame,
    layout: &StateLayout,
    state: &State,
) -> Result<Vec<u64>, Error> {
    let theory: &Theory = game.theory();
    let mut words = vec![0; layout.n_words.max(1) as usize];
    for id in theory.fluent_ids() {
        let predicate = theory.fluent(id).predicate;
        let fluent = layout.fluent(id);
        let free = vec![None; theory.base.predicate(predicate).domains.len()];
        let rows = game.solver().query(&*game.world(state), predicate, &free);
        let rows = rows.map_err(|error| game.explain(error))?;
        for row in rows.iter() {
            let Some((key, value)) = split_row(theory, layout, id, row) else { continue };
            if fluent.is_scalar() {
                let value = if fluent.values.is_some() { value } else { 1 };
                words[fluent.offset as usize] = u64::from(value);
            } else {
                words[(fluent.plane(value) + key / 64) as usize] |= 1 << (key % 64);
            }
        }
    }
    Ok(words)
}
