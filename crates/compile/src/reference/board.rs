//! The board of a state, and the squares of a turn, as values for pictures and sentences.
//!
//! In: a state, a turn. Out: what stands on each square of the grid that the theory's display says, and which of them the turn
//! names. Invariant: nothing here knows a game; who owns what is told by roles inside of values.

use std::collections::BTreeMap;

use rulesmith_game::{Board, InHand, RoleId, Square, SquareId, Thing};
use rulesmith_logic::{DomainId, Row, Symbols, Value};
use rulesmith_rules::{FluentDefault, value_text};

use super::grid::{Grid, Shown, ShownValues};
use super::state::State;
use super::{ReferenceGame, Step, Turn};

/// Glyphs of squares on which nothing stands.
const EMPTY: [&str; 3] = ["", ".", "·"];

impl ReferenceGame {
    pub(super) fn laid_out(&self, state: &State) -> Option<Board> {
        // A drawing of the author's own has no columns and rows.
        let grid =
            if self.theory().notation.picture.is_none() { self.grid()? } else { return None };
        let values = self.shown_values(state, grid.shown);
        let symbols = self.solver().symbols().borrow();
        let squares = cells(&grid).map(|(row, column, key)| Square {
            column,
            row,
            name: self.square_name(&symbols, grid.shown, key),
            thing: self.thing_at(&symbols, grid.shown, &values, key),
        });
        let fen = self.theory().notation.fen.as_ref();
        Some(Board {
            squares: squares.collect(),
            column_labels: grid.column_labels.clone(),
            row_labels: grid.row_labels.clone(),
            is_up: grid.is_up,
            slant: grid.slant,
            wraps: fen.is_some_and(rulesmith_rules::scl::Fen::wraps),
            hands: self.hands(&symbols, state),
        })
    }

    pub(super) fn named_squares(&self, turn: &Turn) -> Vec<SquareId> {
        let Some(grid) = self.grid() else { return Vec::new() };
        let keys: BTreeMap<&Row, SquareId> =
            cells(&grid).enumerate().map(|(place, (.., key))| (key, SquareId(place))).collect();
        let domains = self.key_domains(grid.shown);
        let mut named = Vec::new();
        for step in &turn.steps {
            named.extend(self.keys_in(step, domains).iter().filter_map(|key| keys.get(key)));
        }
        named.dedup();
        named
    }

    /// The arguments of a step that are keys of the board.
    fn keys_in(&self, step: &Step, domains: &[Option<DomainId>]) -> Vec<Row> {
        let legal = self.theory().move_kind(step.kind).legal;
        let sorts = &self.theory().base.predicate(legal).domains[1..];
        let (mut keys, mut at) = (Vec::new(), 0);
        while !domains.is_empty() && at + domains.len() <= step.args.len() {
            let end = at + domains.len();
            if sorts[at..end] == *domains {
                keys.push(step.args[at..end].into());
                at = end;
            } else {
                at += 1;
            }
        }
        keys
    }

    fn square_name(&self, symbols: &Symbols, shown: Shown, key: &Row) -> String {
        let domains = self.key_domains(shown);
        let labels = key.iter().zip(domains).map(|(value, domain)| match domain {
            Some(domain) => self.label(symbols, *domain, *value),
            None => value_text(symbols, *value),
        });
        labels.collect()
    }

    fn thing_at(
        &self,
        symbols: &Symbols,
        shown: Shown,
        values: &ShownValues,
        key: &Row,
    ) -> Option<Thing> {
        let value = values.get(key).copied()?;
        let glyph = self.glyph(symbols, shown, Some(value));
        if EMPTY.contains(&glyph.trim()) {
            return None;
        }
        let (owner, kind) = self.owner_and_kind(symbols, value);
        Some(Thing { glyph, kind, owner })
    }

    /// The role inside of a value, and the rest of it.
    fn owner_and_kind(&self, symbols: &Symbols, value: Value) -> (Option<RoleId>, String) {
        let role = |value: &Value| {
            let Value::Symbol(symbol) = value else { return None };
            self.theory().roles.iter().position(|role| role == symbol).map(RoleId)
        };
        let plain = |value: Value| value_text(symbols, value).replace('\'', "");
        match value {
            Value::Compound(compound) => {
                let (_, parts) = symbols.parts(compound);
                let owner = parts.iter().find_map(role);
                let rest = parts.iter().filter(|part| role(part).is_none());
                let rest: Vec<String> = rest.map(|part| plain(*part)).collect();
                if owner.is_some() { (owner, rest.join(" ")) } else { (None, plain(value)) }
            }
            _ => match role(&value) {
                Some(owner) => (Some(owner), String::new()),
                None => (None, plain(value)),
            },
        }
    }

    /// What roles hold: fluents that count something for each role.
    fn hands(&self, symbols: &Symbols, state: &State) -> Vec<InHand> {
        let mut hands = Vec::new();
        let zero = FluentDefault::Value(Value::Int(0));
        for id in self.theory().fluent_ids() {
            let fluent = self.theory().fluent(id);
            if fluent.n_keys != 2 || fluent.default != zero {
                continue;
            }
            let mut entries: Vec<(&Row, Value)> = state.core.fluents.entries(id).collect();
            entries.sort_by(|a, b| symbols.compare_rows(a.0, b.0));
            for (keys, count) in entries {
                let (Some(role), Value::Int(count)) =
                    (self.owner_and_kind(symbols, keys[0]).0, count)
                else {
                    continue;
                };
                let thing = self.held_thing(symbols, (keys[0], keys[1]), role);
                hands.push(InHand { role, thing, count });
            }
        }
        hands
    }

    /// What something held looks like: as the same thing on the board does.
    fn held_thing(&self, symbols: &Symbols, (role, kind): (Value, Value), owner: RoleId) -> Thing {
        let is_it = |value: Value| {
            let Value::Compound(compound) = value else { return false };
            let (_, parts) = symbols.parts(compound);
            parts.len() == 2 && parts.contains(&role) && parts.contains(&kind)
        };
        let text = value_text(symbols, kind).replace('\'', "");
        let glyphs = self.theory().notation.glyphs.iter();
        let known = glyphs.rev().find(|(_, value, _)| is_it(*value));
        let glyph =
            known.map_or_else(|| text.chars().take(3).collect(), |(.., glyph)| glyph.clone());
        Thing { glyph, kind: text, owner: Some(owner) }
    }
}

/// The cells of a grid that exist: row, column and key.
fn cells(grid: &Grid) -> impl Iterator<Item = (usize, usize, &Row)> {
    let rows = grid.rows.iter().enumerate();
    rows.flat_map(|(row, keys)| {
        let keys = keys.iter().enumerate();
        keys.filter_map(move |(column, key)| Some((row, column, key.as_ref()?)))
    })
}
