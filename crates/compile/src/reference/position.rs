//! Position texts: a state as the theory's `notation position` writes it, board rows and all.
//!
//! In: a state, or a text. Out: a text, or the fluents it names. Invariant: rows follow the board as it
//! is drawn; a text that does not fit is refused with its place.

use rulesmith_game::Error;
use rulesmith_logic::{Row, Symbols, Value};
use rulesmith_rules::{Assigned, FluentId, Part};

use super::ReferenceGame;
use super::grid::Shown;
use super::state::State;

impl ReferenceGame {
    /// The declared position text, if the theory declares one.
    pub(crate) fn declared_state_text(&self, state: &State) -> Option<String> {
        let parts = self.theory().notation.position.as_ref()?;
        let write = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Fluent(id) => self.fluent_text(state, *id),
            Part::Param(_) => String::new(),
        };
        Some(parts.iter().map(write).collect())
    }

    fn fluent_text(&self, state: &State, id: FluentId) -> String {
        let shown = self.shown_fluent(id);
        let values = self.shown_values(state, shown);
        let symbols = self.solver().symbols().borrow();
        let glyph = |key: &[Value]| match values.get(key) {
            Some(value) => self.position_glyph(&symbols, shown, *value),
            None => "-".to_owned(),
        };
        if shown.n_keys == 0 {
            return glyph(&[]);
        }
        let is_counted = self.is_run_length(&symbols, shown);
        let row_text = |row: &Vec<Option<Row>>| {
            if !is_counted {
                return row.iter().flatten().map(|key| glyph(key)).collect::<Vec<_>>().join(",");
            }
            let mut text = String::new();
            let mut n_default = 0;
            for key in row.iter().flatten() {
                if state.core.fluents.stored(id, key).is_none() {
                    n_default += 1;
                    continue;
                }
                push_count(&mut text, &mut n_default);
                text.push_str(&glyph(key));
            }
            push_count(&mut text, &mut n_default);
            text
        };
        self.position_rows(shown).iter().map(row_text).collect::<Vec<_>>().join("/")
    }

    /// Are runs of the default counted? Not where the glyphs themselves are numbers: then all cells
    /// are written out, with commas between them.
    fn is_run_length(&self, symbols: &Symbols, shown: Shown) -> bool {
        let values = shown.fluent.map_or(Vec::new(), |id| self.fluent_values(id));
        let has_digit = |value: &Value| {
            self.position_glyph(symbols, shown, *value)
                .contains(|c: char| c.is_ascii_digit() || c == ',')
        };
        !values.iter().any(has_digit)
    }

    /// The rows a position text follows: those of the board, or all keys in one row.
    fn position_rows(&self, shown: Shown) -> Vec<Vec<Option<Row>>> {
        if let Some(grid) = self.grid().filter(|grid| grid.shown.fluent == shown.fluent) {
            return grid.rows;
        }
        let symbols = self.solver().symbols().borrow();
        let keys = self.keys_by_coordinates(&symbols, shown);
        vec![keys.into_iter().map(|(_, key)| Some(key)).collect()]
    }

    /// The state a declared position text describes.
    pub(crate) fn parse_declared(&self, text: &str) -> Result<State, Error> {
        let parts = self.theory().notation.position.clone().unwrap_or_default();
        let mut assigned = Vec::new();
        let mut rest = text.trim();
        for (place, part) in parts.iter().enumerate() {
            let fault = |what: String| {
                let column = text.len() - rest.len() + 1;
                Error::Text(format!(
                    "position:1:{column}: {what}\n  {text}\n  {}^",
                    " ".repeat(column - 1)
                ))
            };
            match part {
                Part::Text(literal) => {
                    let wanted = literal.trim();
                    rest = rest.trim_start();
                    rest = rest
                        .strip_prefix(wanted)
                        .ok_or_else(|| fault(format!("`{wanted}` is expected here")))?;
                }
                Part::Fluent(id) => {
                    rest = rest.trim_start();
                    let end = match parts.get(place + 1) {
                        Some(Part::Text(literal)) => {
                            rest.find(literal.as_str()).unwrap_or(rest.len())
                        }
                        _ => rest.find(' ').unwrap_or(rest.len()),
                    };
                    let (own, after) = rest.split_at(end);
                    self.read_fluent(*id, own, &mut assigned).map_err(fault)?;
                    rest = after;
                }
                Part::Param(_) => {}
            }
        }
        if !rest.trim().is_empty() {
            return Err(Error::Text(format!(
                "`{}` is left over at the end of the position",
                rest.trim()
            )));
        }
        self.state_of(assigned)
    }

    fn read_fluent(
        &self,
        id: FluentId,
        text: &str,
        assigned: &mut Vec<Assigned>,
    ) -> Result<(), String> {
        let symbols = self.solver().symbols().borrow();
        let (fluent, shown) = (self.theory().fluent(id), self.shown_fluent(id));
        let values = self.fluent_values(id);
        let find = |rest: &str| {
            let glyphs =
                values.iter().map(|value| (self.position_glyph(&symbols, shown, *value), *value));
            let mut fitting: Vec<(String, Value)> = glyphs
                .filter(|(glyph, _)| !glyph.is_empty() && rest.starts_with(glyph.as_str()))
                .collect();
            fitting.sort_by_key(|(glyph, _)| std::cmp::Reverse(glyph.len()));
            fitting.into_iter().next()
        };
        if shown.n_keys == 0 && text == "-" {
            return Ok(());
        }
        if shown.n_keys == 0 {
            let (_, value) = find(text)
                .ok_or_else(|| format!("`{text}` is not a value of `{}`", fluent.name))?;
            assigned.push((id, vec![], fluent.is_functional.then_some(value)));
            return Ok(());
        }
        let rows: Vec<&str> = text.split('/').collect();
        let cells = self.position_rows(shown);
        if rows.len() != cells.len() {
            return Err(format!("the board has {} rows, {} are given", cells.len(), rows.len()));
        }
        let is_counted = self.is_run_length(&symbols, shown);
        for (number, (row, keys)) in rows.iter().zip(&cells).enumerate() {
            let keys: Vec<&Row> = keys.iter().flatten().collect();
            let wrong = || format!("row {} does not fill {} cells", number + 1, keys.len());
            let values = if is_counted { read_runs(row, &find) } else { read_list(row, &find) };
            let values = values.map_err(|rest| {
                format!("`{rest}` does not start with a glyph of `{}`", fluent.name)
            })?;
            if values.iter().map(|(_, n)| n).sum::<usize>() != keys.len() {
                return Err(wrong());
            }
            let mut keys = keys.iter();
            for (value, n) in values {
                for key in keys.by_ref().take(n) {
                    assigned
                        .extend(value.map(|value| {
                            (id, key.to_vec(), fluent.is_functional.then_some(value))
                        }));
                }
            }
        }
        Ok(())
    }

    fn fluent_values(&self, id: FluentId) -> Vec<Value> {
        let fluent = self.theory().fluent(id);
        let domains = &self.theory().base.predicate(fluent.predicate).domains;
        match domains.get(fluent.n_keys).copied().flatten() {
            Some(domain) => self.theory().base.domain(domain).values.iter().copied().collect(),
            None => self
                .solver()
                .symbols()
                .borrow()
                .find("true")
                .map(Value::Symbol)
                .into_iter()
                .collect(),
        }
    }
}

/// The values of a row and how many cells each fills; `None` for a run of the default. On a fault, the rest.
type RowValues = Vec<(Option<Value>, usize)>;

/// The glyph a text starts with, and its value.
type FindGlyph<'f> = dyn Fn(&str) -> Option<(String, Value)> + 'f;

/// `2X1O`: glyphs, and numbers for runs of the default.
fn read_runs(row: &str, find: &FindGlyph<'_>) -> Result<RowValues, String> {
    let mut values = Vec::new();
    let mut rest = row;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if digits > 0 {
            let run: u16 = rest[..digits].parse().map_err(|_| rest.to_owned())?;
            values.push((None, usize::from(run)));
            rest = &rest[digits..];
        } else {
            let (glyph, value) = find(rest).ok_or_else(|| rest.to_owned())?;
            values.push((Some(value), 1));
            rest = &rest[glyph.len()..];
        }
    }
    Ok(values)
}

/// `9,9`: every cell.
fn read_list(row: &str, find: &FindGlyph<'_>) -> Result<RowValues, String> {
    let read = |cell: &str| {
        let whole = find(cell).filter(|(glyph, _)| glyph.len() == cell.len());
        whole.map(|(_, value)| (Some(value), 1)).ok_or_else(|| cell.to_owned())
    };
    row.split(',').map(read).collect()
}

fn push_count(text: &mut String, count: &mut usize) {
    if *count > 0 {
        text.push_str(&count.to_string());
        *count = 0;
    }
}
