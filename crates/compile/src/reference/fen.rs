//! States of chess-like games as FEN, and back.
//!
//! In: a state, or a text. Out: a text, or a state that knows how long ago the last capture was. What the fields mean, `rules` knows. Invariant: a
//! text that is written reads back to the same state; where it could not, there is none.

use rulesmith_game::Error;
use rulesmith_logic::{PredicateId, Value};
use rulesmith_rules::scl::{Fen, Position};
use rulesmith_rules::{Assigned, PredicateKind};

use super::state::{Earlier, State};
use super::text::{DEFAULTS, explain};
use super::{ReferenceGame, StateWorld};

impl ReferenceGame {
    /// The FEN of a state, or its PDN where squares have numbers; nothing where neither could say all of it.
    pub(super) fn fen(&self, state: &State) -> Option<String> {
        let fen = self.theory().notation.fen.as_ref()?;
        let mut position = {
            let symbols = self.solver().symbols().borrow();
            fen.of_state(self.theory(), &symbols, &self.assigned(state))?
        };
        self.write_clocks(state, fen, &mut position);
        let text = fen.write(&position)?;
        self.parse_fen(&text).is_ok_and(|read| read == *state).then_some(text)
    }

    /// Is a text a FEN rather than a list of fluents?
    pub(super) fn looks_like_fen(&self, text: &str) -> bool {
        let is_list = text.contains(['=', '(', '\'']) || text.trim() == DEFAULTS;
        self.theory().notation.fen.is_some() && !is_list
    }

    /// The state that a FEN describes.
    pub(super) fn parse_fen(&self, text: &str) -> Result<State, Error> {
        let Some(fen) = &self.theory().notation.fen else {
            return Err(Error::Text("positions of this game are not written so".to_owned()));
        };
        let fault = |problems| Error::Text(explain(text, &problems));
        let position = fen.read(text).map_err(fault)?;
        let assigned = {
            let mut symbols = self.solver().symbols().borrow_mut();
            fen.to_state(self.theory(), &mut symbols, &position).map_err(fault)?
        };
        let state = self.state_of(assigned)?;
        let since =
            self.events().map(|event| (event, fen.steps_since(self.theory(), event, &position)));
        let earlier = Earlier {
            since: since
                .filter_map(|(event, steps)| Some((event, steps?)))
                .filter(|one| one.1 > 0)
                .collect(),
            n_turns: position.n_turns(),
        };
        Ok(state.with_earlier(earlier))
    }

    /// The values that differ from their defaults.
    fn assigned(&self, state: &State) -> Vec<Assigned> {
        let mut assigned = Vec::new();
        for id in self.theory().fluent_ids() {
            let is_functional = self.theory().fluent(id).is_functional;
            let value = |value: Value| is_functional.then_some(value);
            let entries = state.core.fluents.entries(id);
            assigned.extend(entries.map(|(keys, stored)| (id, keys.to_vec(), value(stored))));
        }
        assigned
    }

    /// The events since which steps are counted.
    fn events(&self) -> impl Iterator<Item = PredicateId> {
        let kinds = self.theory().kinds.iter();
        kinds.filter_map(
            |kind| if let PredicateKind::Since(event) = kind { Some(*event) } else { None },
        )
    }

    /// How long ago things were, and how many turns were made.
    fn write_clocks(&self, state: &State, fen: &Fen, position: &mut Position) {
        let world = StateWorld::of_state(&self.shared, &state.core);
        let n_turns = world.n_turns();
        position.number = (n_turns - n_turns % 2) / 2 + 1;
        for event in self.events() {
            if fen.is_quiet_event(self.theory(), event)
                && let Ok(steps) = world.steps_since(self.solver(), event)
            {
                position.quiet = steps;
            }
        }
    }
}
